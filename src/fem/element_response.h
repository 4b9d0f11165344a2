/* Energy, stress and its derivative at the same point of four elements side by side.
 *
 * For neo-Hookean materials the four go through the same operations, which fill the lanes of vector
 * registers; other materials, those with parts (material/point.h), elements stretched so much that
 * more directions need a projection, and inversion-barrier points (fem/elements.h) are computed one
 * by one and put into their lanes. What comes out for an element does not depend on its neighbours
 * in the other lanes. */
#ifndef FEM_ELEMENT_RESPONSE_H
#define FEM_ELEMENT_RESPONSE_H

#include "material/point.h"
#include "math/pack4.h"

/* Four 3x3 matrices. */
typedef struct mat3x4 {
    pack4 m[3][3];
} mat3x4;

static inline mat3 mat3x4_lane(const mat3x4 *a, int lane)
{
    mat3 out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out.m[i][j] = a->m[i][j][lane];
    return out;
}

typedef struct four_materials {
    const elastic_parameters *each[4];
    pack4 mu, lambda;
    int plain;               /* a bit for each neo-Hookean material without additions */
    int parts;               /* a bit for each with parts */
    material_point point[4]; /* of those: set by the caller for every point */
} four_materials;

/* All but the points. */
void four_materials_set(four_materials *m, const elastic_parameters *const each[4]);

/* The pairs of components (i <= j) whose 3x3 blocks of the derivative are computed. */
enum { RESPONSE_PAIRS = 6 };
extern const int response_pairs[RESPONSE_PAIRS][2];

/* Densities; INFINITY where the material forbids the deformation. */
pack4 response_energy(const four_materials *m, const mat3x4 *f);
/* Stress P J^-T and derivative in reference coordinates, times measure: c[pair][3 k + l] is that of
 * the stress (i, k) by the gradient (j, l). With project, negative eigenvalues are set to 0. Either
 * may be NULL. */
void response_evaluate(const four_materials *m, const mat3x4 *f, const mat3x4 *inverse,
                       pack4 measure, bool project, mat3x4 *stress, pack4 (*c)[9]);

/* The same for inversion-barrier points (fem/elements.h); lanes whose inversion-barrier point is at
 * rest are 0. barrier_points_act: a bit for each element whose inversion-barrier point here is not.
 */
int barrier_points_act(const four_materials *m, const mat3x4 *f);
pack4 barrier_points_energy(const four_materials *m, const mat3x4 *f);
void barrier_points_evaluate(const four_materials *m, const mat3x4 *f, const mat3x4 *inverse,
                             pack4 measure, bool project, mat3x4 *stress, pack4 (*c)[9]);

#endif
