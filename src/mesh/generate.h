/* Procedural meshes. All are deterministic, centred at the origin unless said, and oriented: tets
 * have positive volume, triangles of closed surfaces face outward. Lengths must be positive and
 * counts at least 1 (3 around something round); anything else, or more vertices or cells than int32
 * can number, is an input error that names the shape and the argument. */
#ifndef MESH_GENERATE_H
#define MESH_GENERATE_H

#include "mesh/mesh.h"

/* Box of cells[0] x cells[1] x cells[2] cubes, each cut into 6 tets (Kuhn, conforming).
 * (c0+1)(c1+1)(c2+1) vertices. */
abut_status generate_box(vec3 size, const int cells[3], mesh *out, abut_error *err);
/* Two-layer mat: n x m nodes over size.x x size.z, thickness size.y (the reference's "mat n x n").
 * 2nm vertices, 6(n-1)(m-1) tets. */
abut_status generate_mat(vec3 size, int n, int m, mesh *out, abut_error *err);
/* Solid cylinder along x: length, radius, cells along and rings across (6 vertices on the first
 * ring around the axis, 12 on the second, ...). (cells+1)(1+3r(r+1)) vertices, 18 cells r^2 tets.
 */
abut_status generate_rod(double length, double radius, int cells, int rings, mesh *out,
                         abut_error *err);
/* Solid ball from a warped cube grid: `cells` cubes along the diameter, (cells+1)^3 vertices,
 * 6 cells^3 tets, dihedral angles above 26 degrees. */
abut_status generate_ball(double radius, int cells, mesh *out, abut_error *err);
/* Solid torus around y: ring radius, tube radius, segments around the ring and the tube. Tubes of
 * up to TORUS_MAX_FLAT_TUBE segments are cut straight across, without interior vertices (ring x
 * tube vertices, 3 ring (tube-2) tets); thicker ones get a centre line and inner circles. */
enum { TORUS_MAX_FLAT_TUBE = 12 };
abut_status generate_torus(double ring_radius, double tube_radius, int ring, int tube, mesh *out,
                           abut_error *err);
/* Flat triangle sheet in the x-z plane facing +y, cells[0] x cells[1] quads with alternating
 * diagonals. */
abut_status generate_grid(double size_x, double size_z, const int cells[2], mesh *out,
                          abut_error *err);
/* The same with all diagonals in one direction. */
abut_status generate_grid_same(double size_x, double size_z, const int cells[2], mesh *out,
                               abut_error *err);
/* Triangle sphere by subdividing an icosahedron `level` times: 10 4^level + 2 vertices, 20 4^level
 * triangles. */
abut_status generate_icosphere(double radius, int level, mesh *out, abut_error *err);
/* Open triangle surface of a cone frustum around y (a funnel when upside down), facing away from
 * the axis. One of the radii may be 0: an apex of one vertex. around (along+1) vertices without
 * apex. */
abut_status generate_cone(double bottom_radius, double top_radius, double height, int around,
                          int along, mesh *out, abut_error *err);
/* Open cylinder surface around x, facing away from the axis (for a closed one take the surface of a
 * rod). around (along+1) vertices. */
abut_status generate_tube(double radius, double length, int around, int along, mesh *out,
                          abut_error *err);
/* Segments from a to b. */
abut_status generate_polyline(vec3 a, vec3 b, int segments, mesh *out, abut_error *err);
/* counts[0] x counts[1] x counts[2] free points with the given spacing. */
abut_status generate_lattice(const int counts[3], vec3 spacing, mesh *out, abut_error *err);
/* Segments along a helix around y, from y = 0 up. */
abut_status generate_helix(double radius, double pitch, double turns, int segments, mesh *out,
                           abut_error *err);
/* Chains of segments parallel to that from `from` to `to`, which is in the middle of a lattice of
 * them; round: only those within the ellipsoid of the lattice. */
abut_status generate_bundle(vec3 from, vec3 to, int segments, const int counts[3], vec3 spacing,
                            bool round, mesh *out, abut_error *err);
/* Moves every vertex by random amounts of up to `size` along each axis; always the same ones. */
void mesh_jitter(mesh *m, double size);

/* Rotation by degrees about x, then y, then z (the fixed axes). */
mat3 rotation_from_degrees(vec3 degrees);
/* x -> R (scale * x) + translate. A scale that mirrors reverses the cells, so that they stay
 * oriented. The rest shape (texture coordinates) is left alone. */
void mesh_transform(mesh *m, vec3 scale, vec3 rotate_degrees, vec3 translate);

#endif
