/* Stress, stretches and energy of the elements of all bodies: per element (mean over its volume)
 * and per node.
 *
 * A node's value is the mean over its elements by volume, each of them continued to its nodes by
 * the polynomial that fits the points of its quadrature best: of one degree less than its
 * displacements, which is what stresses of small strains are. Tensors have six components in the
 * order xx yy zz xy yz xz. */
#ifndef MEASURE_STRESS_FIELDS_H
#define MEASURE_STRESS_FIELDS_H

#include "measure/model_frame.h"
#include "measure/volume_frame.h"

typedef enum stress_field {
    STRESS_CAUCHY,       /* Pa */
    STRESS_SECOND_PIOLA, /* Pa, axes of the rest shape; of sheets warp, weft; of rods along */
    STRESS_STRETCHES,    /* three principal ones, largest first */
    STRESS_ENERGY,       /* J per m^3 at rest */
    STRESS_VON_MISES,    /* of Cauchy's, Pa */
    STRESS_PLASTIC,      /* equivalent plastic strain */
    STRESS_DISSIPATED,   /* energy dissipated since the start, J per m^3 at rest */
    STRESS_EQUIVALENT,   /* the same for cells only, under another name */
    STRESS_LARGEST,      /* the largest stretch, for cells only */
    STRESS_FIELDS
} stress_field;

enum { STRESS_NUMBERS = 6 + 6 + 3 + 1 + 1 + 2 }; /* of all of them, one after the other */

typedef struct stress_fields {
    ARRAY(double) tets, sets, triangles, segments; /* STRESS_NUMBERS per element */
    ARRAY(double) nodes;                           /* the same per block; NaN without elements */
    ARRAY(double) weight;                          /* per block, scratch */
    ARRAY(int32_t) element;                        /* scratch */
    ARRAY(double) cells[STRESS_FIELDS], points[STRESS_FIELDS]; /* of frames */
    ARRAY(double) volume_cells[STRESS_FIELDS], volume_points[STRESS_FIELDS];
} stress_fields;

/* All numbers of the present state. */
abut_status stress_fields_measure(stress_fields *f, const stepper *s, abut_error *err);
/* Adds the fields of bits 1 << stress_field, as measured last, to a frame, which borrows them until
 * the next call. Cells and points that have none are NaN. */
abut_status stress_fields_add(stress_fields *f, unsigned wanted, const model_frame *mf,
                              const model *m, frame *out, abut_error *err);
abut_status stress_fields_add_volume(stress_fields *f, unsigned wanted, const volume_frame *vf,
                                     frame *out, abut_error *err);
void stress_fields_free(stress_fields *f);

/* Numbers of a volume material at a deformation gradient; `point`: of a material with parts. */
void stress_numbers(const elastic_parameters *material, const material_point *point, mat3 f,
                    double out[STRESS_NUMBERS]);

#endif
