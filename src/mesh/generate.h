/* Procedural meshes. All are deterministic, centred at the origin unless said, and oriented. */
#ifndef MESH_GENERATE_H
#define MESH_GENERATE_H

#include "mesh/mesh.h"

/* Box of cells[0] x cells[1] x cells[2] cubes, each cut into 6 tets (Kuhn, conforming). */
abut_status generate_box(vec3 size, const int cells[3], mesh *out, abut_error *err);
/* Two-layer mat: n x m nodes over size.x x size.z, thickness size.y (the reference's "mat n x n").
 */
abut_status generate_mat(vec3 size, int n, int m, mesh *out, abut_error *err);
/* Solid cylinder along x: length, radius, cells along and rings across. */
abut_status generate_rod(double length, double radius, int cells, int rings, mesh *out,
                         abut_error *err);
/* Solid ball from a warped cube grid: `cells` cubes along the diameter. */
abut_status generate_ball(double radius, int cells, mesh *out, abut_error *err);
/* Solid torus around y: ring radius, tube radius, segments around the ring and the tube. */
abut_status generate_torus(double ring_radius, double tube_radius, int ring, int tube, mesh *out,
                           abut_error *err);
/* Flat triangle sheet in the x-z plane, cells[0] x cells[1] quads with alternating diagonals. */
abut_status generate_grid(double size_x, double size_z, const int cells[2], mesh *out,
                          abut_error *err);
/* Triangle sphere by subdividing an icosahedron `level` times. */
abut_status generate_icosphere(double radius, int level, mesh *out, abut_error *err);
/* Open triangle surface of a cone frustum around y (a funnel when upside down). */
abut_status generate_cone(double bottom_radius, double top_radius, double height, int around,
                          int along, mesh *out, abut_error *err);
/* Open or closed cylinder surface around x. */
abut_status generate_tube(double radius, double length, int around, int along, mesh *out,
                          abut_error *err);
/* Segments from a to b. */
abut_status generate_polyline(vec3 a, vec3 b, int segments, mesh *out, abut_error *err);
/* counts[0] x counts[1] x counts[2] free points with the given spacing. */
abut_status generate_lattice(const int counts[3], vec3 spacing, mesh *out, abut_error *err);

/* x -> R (scale * x) + translate; the rotation is in degrees about x, then y, then z. */
void mesh_transform(mesh *m, vec3 scale, vec3 rotate_degrees, vec3 translate);

#endif
