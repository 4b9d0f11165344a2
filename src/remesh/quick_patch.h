/* Patches that touch nothing: a few cells with inertia, elasticity and loads, solved by a dense
 * Newton without any of the preparations that contact needs. What is in contact is fixed, so that
 * differences of energy are still those of the whole potential.
 *
 * And the first guess of what a split is worth. With x the solution on the old mesh and everything
 * fixed but the new vertex m in the middle of the edge ab, the potential falls by g.H^-1.g / 2 to
 * second order, where gradient and Hessian need no split: the hat function of m on a cell is made
 * of the barycentric coordinates of a and b on its two halves,
 *   g = sum over cells around ab of  V P (grad l_a + grad l_b)             (elasticity)
 *   H = sum                          2 V (C[grad l_a] + C[grad l_b]),  C[n]_ik = n_j dP_ij/dF_kl
 * n_l and likewise for inertia and loads. Freeing more vertices can only lower the potential
 * further. */
#ifndef REMESH_QUICK_PATCH_H
#define REMESH_QUICK_PATCH_H

#include "remesh/patch.h"

/* What a cell adds to the potential E_t of the step. */
typedef struct quick_cell {
    int32_t cell;
    int corner[4];          /* numbers of the patch's vertices */
    vec3 slope[4];          /* gradients of the barycentric coordinates at rest */
    vec3 weight;            /* gravity on each corner, times the force factor */
    vec3 traction[4];       /* on each corner of the facet opposite, times the force factor */
    vec3 load[4];           /* all loads on the corners, times the force factor */
    double volume, inertia; /* inertia: mass factor times mass / ((d + 1) (d + 2)) */
    const elastic_parameters *material;
    double energy; /* at the last accepted x */
} quick_cell;

typedef struct quick_patch {
    const remesh_problem *problem;
    int dimension;
    ARRAY(quick_cell) cells;
    local_list vertices;       /* of the mesh */
    local_list unknown;        /* three per vertex: number, -1 if fixed */
    number_map number, inside; /* vertex -> its number; cells of the patch */
    ARRAY(vec3) x, before, predictor;
    size_t unknowns, free_vertices;
    ARRAY(double) matrix, gradient, step;
} quick_patch;

/* Axes (bits 1, 2, 4) that a vertex with these flags, on the body of vertex v, is fixed on. */
int remesh_fixed_axes(const remesh_problem *q, const local_mesh *m, int32_t v, flag_set flags);
/* Whether a load acts on facets of this cell that have these flags. */
bool remesh_is_loaded(const remesh_problem *q, const local_mesh *m, const remesh_traction *t,
                      const local_cell *c, flag_set flags);

/* Patches with more unknowns are left to the sparse solver. */
enum { QUICK_MAX_UNKNOWNS = 240 };

void quick_patch_free(quick_patch *p);

/* Vertices all of whose cells are given are free, unless flags fix them or they are in `fixed` (per
 * vertex of the mesh, up to fixed_count; NULL: none). fix_surface: those of the boundary are fixed.
 */
abut_status quick_open(quick_patch *p, const local_mesh *m, const remesh_problem *q,
                       const local_list *cells, const uint8_t *fixed, size_t fixed_count,
                       bool fix_surface, abut_error *err);
/* Newton iterations; *decrease: by how much E_t fell. Stops when the direction is below the
 * tolerance of the problem. */
abut_status quick_relax(quick_patch *p, int iterations, double *decrease, size_t *used,
                        abut_error *err);

/* E_t of a cell of the mesh, dead ones included. */
double quick_cell_energy(const local_mesh *m, const remesh_problem *q, int32_t cell);

/* Gradient and Hessian of E_t with respect to the middle of an edge. */
typedef struct middle_terms {
    vec3 gradient;
    mat3 hessian;
} middle_terms;

/* What is needed of a cell for its edges and corners. */
typedef struct cell_terms {
    quick_cell cell;
    vec3 offset[4], total; /* from the predictor, and their sum */
    mat3 stress;           /* times volume and force factor */
    double hessian[81];    /* the same */
} cell_terms;

void cell_terms_make(const local_mesh *m, const remesh_problem *q, int32_t cell, cell_terms *out);
/* Adds what the cell gives to the middle of the edge between two of its corners. */
void cell_terms_middle(const local_mesh *m, const cell_terms *c, int a, int b, middle_terms *sum);
/* Gradient of E_t with respect to a corner, contact left out. */
vec3 cell_terms_corner(const cell_terms *c, int corner);
/* Decrease of E_t to second order; axes: bits of those that are fixed. */
double middle_gain(const middle_terms *t, int axes);

#endif
