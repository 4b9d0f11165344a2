/* How two simplicial meshes of one region lie over each other in the rest shape: point location,
 * interpolation, and the cross mass matrix A_ij = int rho phi_i^to phi_j^from dV of the L2
 * projection (In-timestep remeshing, section 6.4).
 *
 * A is exact: every pair of overlapping cells is cut into simplices on which the integrand is a
 * polynomial of degree two. Cells that both meshes have need no cutting. */
#ifndef REMESH_OVERLAP_H
#define REMESH_OVERLAP_H

#include "base/array.h"
#include "base/status.h"
#include "math/vec3.h"

#include <stdbool.h>

/* Triangles in the plane z = 0, or tets; all of positive size. The arrays are borrowed. */
typedef struct simplex_mesh {
    int dimension; /* 2 or 3 */
    size_t vertex_count;
    const vec3 *vertices;
    size_t cell_count;
    const int32_t *cells;  /* dimension + 1 vertices each */
    const double *density; /* per cell; NULL: 1 */
} simplex_mesh;

/* Signed area or volume of cell c at positions x. */
double simplex_measure(const simplex_mesh *m, size_t c, const vec3 *x);
/* Barycentric coordinates of a point in cell c. */
void simplex_barycentric(const simplex_mesh *m, size_t c, vec3 point, double *out);

/* A tree of the boxes of the cells. */
typedef struct cell_tree {
    ARRAY(int32_t) order;  /* cells by leaves */
    ARRAY(vec3) low, high; /* of the implicit nodes */
    size_t leaves;
} cell_tree;

abut_status cell_tree_build(cell_tree *t, const simplex_mesh *m, abut_error *err);
void cell_tree_free(cell_tree *t);

typedef ARRAY(int32_t) cell_list;
/* Cells whose boxes meet a box, ascending. */
abut_status cell_tree_find(const cell_tree *t, const simplex_mesh *m, vec3 low, vec3 high,
                           cell_list *out, abut_error *err);

/* Values at the vertices of a mesh from those of another: the cell that contains each vertex. */
typedef struct interpolation_row {
    int32_t cell;     /* of the source */
    double weight[4]; /* barycentric; of the nearest cell, clamped, for points outside of all */
} interpolation_row;

typedef struct interpolation {
    ARRAY(interpolation_row) rows;
    double
        farthest; /* largest negative barycentric coordinate that was clamped, as a number >= 0 */
} interpolation;

abut_status interpolation_make(const simplex_mesh *from, const simplex_mesh *to, interpolation *out,
                               abut_error *err);
void interpolation_free(interpolation *i);
/* 3 doubles per vertex. */
void interpolate(const interpolation *i, const simplex_mesh *from, const double *values,
                 double *out);

/* One pair of overlapping cells: entries (a, b) of A in a[4 a + b]. */
typedef struct overlap_block {
    int32_t to, from;
    double a[16];
} overlap_block;

typedef struct mesh_overlap {
    ARRAY(overlap_block) blocks;
    size_t cut;     /* pairs that had to be cut */
    double missing; /* largest part of a cell of `to` that no cell of `from` covers */
} mesh_overlap;

/* ABUT_ERROR_INPUT when the meshes do not cover the same region (within 1e-6 of a cell). */
abut_status mesh_overlap_make(const simplex_mesh *from, const simplex_mesh *to, mesh_overlap *out,
                              abut_error *err);
void mesh_overlap_free(mesh_overlap *o);

/* out = A values, both 3 doubles per vertex. */
void mesh_overlap_apply(const mesh_overlap *o, const simplex_mesh *from, const simplex_mesh *to,
                        const double *values, double *out);
/* out = M values with the consistent mass matrix of the mesh. */
void simplex_mass_apply(const simplex_mesh *m, const double *values, double *out);

/* The L2 projection M u = A values. `u` holds the start, and the values of the scalars that
 * `fixed` (3 flags per vertex, or NULL) marks, which stay. Conjugate gradients to rounding. */
abut_status l2_project(const mesh_overlap *o, const simplex_mesh *from, const simplex_mesh *to,
                       const uint8_t *fixed, const double *values, double *u, abut_error *err);

#endif
