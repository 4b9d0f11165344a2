/* Densities of cells that give a coarse body the mass and the centre of mass of a fine one. */
#ifndef FEM_DENSITY_FIT_H
#define FEM_DENSITY_FIT_H

#include "mesh/mesh.h"

/* Volume and centre of the cells of one dimension of a mesh, their maps taken as they are. */
typedef struct cell_moment {
    double volume;
    vec3 first; /* integral of the position */
} cell_moment;

/* One entry per cell of that dimension, counted through the blocks (allocated). */
abut_status cell_moments(const mesh *m, int dimension, cell_moment **out, size_t *count,
                         abut_error *err);

/* Densities nearest to `density` (least squares, weighted by volume) with the given mass and first
 * moment: affine functions of the cells' centres, kept above a twentieth of the mean where that
 * would be passed. ABUT_ERROR_INPUT when no positive densities are found. */
abut_status fit_densities(const cell_moment *cells, size_t count, double density, double mass,
                          vec3 moment, double *out, abut_error *err);

#endif
