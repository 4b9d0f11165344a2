/* Elastic energy densities of thin sheets as functions of the 3x2 deformation gradient F, whose two
 * columns are the images of the unit vectors of the rest plane (warp and weft).
 *
 *   neo-Hookean   mu/2 (tr C - 2) - mu ln J + lambda/2 (ln J)^2, C = F^T F, J^2 = det C
 *   Saint Venant-Kirchhoff   lambda/2 (tr E)^2 + mu |E|^2, E = (C - I)/2
 *   orthotropic   a11/2 E11^2 + a22/2 E22^2 + a12 E11 E22 + G12 E12^2
 *   data-driven   the same with every product x replaced by -X ln(1 - x/X), X the product of the
 *                 largest strains of that entry: strains never reach them (Codimensional IPC, 4.2)
 *
 * With F = U diag(s) V^T the Hessian of an isotropic energy psi(s1, s2) is known in closed form: a
 * 2x2 block on the u_i v_i^T, one value each for twist and flip of the pair u_1 v_2^T, u_2 v_1^T,
 * and psi_i / s_i for the two directions out of the plane. */
#ifndef MATERIAL_MEMBRANE_H
#define MATERIAL_MEMBRANE_H

#include "base/words.h"
#include "math/vec3.h"

#define MEMBRANE_MODELS(ROW)                                                                       \
    ROW(MEMBRANE_NEO_HOOKEAN, "neo-hookean")                                                       \
    ROW(MEMBRANE_SVK, "svk")                                                                       \
    ROW(MEMBRANE_ORTHOTROPIC, "orthotropic")                                                       \
    ROW(MEMBRANE_DATA_DRIVEN, "data-driven")
typedef enum membrane_model { MEMBRANE_MODELS(WORD_CONSTANT) } membrane_model;
extern const char *const membrane_model_words[];

typedef struct membrane_parameters {
    membrane_model model;
    double mu, lambda;         /* isotropic: plane stress, Pa */
    double a11, a22, a12, g12; /* orthotropic, Pa */
    double limit[3];           /* data-driven: Green strains of warp, weft, shear not reached */
} membrane_parameters;

/* Plane-stress parameters from Young's modulus (Pa) and Poisson's ratio, -1 < poisson < 1. */
membrane_parameters membrane_from_young(membrane_model model, double young, double poisson);

/* Hessian of an isotropic density in the frame of the singular vectors. */
typedef struct membrane_spectrum {
    mat3 u;             /* third column: normal */
    double v[4];        /* 2x2, row-major */
    double diagonal[3]; /* of u1 v1^T; between; of u2 v2^T */
    double twist, flip; /* of (u2 v1^T -+ u1 v2^T) / sqrt 2 */
    double normal[2];   /* of u3 v1^T, u3 v2^T */
} membrane_spectrum;

/* Sets every negative eigenvalue to 0. */
void membrane_spectrum_project(membrane_spectrum *s);

/* Energy density; +INFINITY for collapsed neo-Hookean sheets and strains at or beyond a limit. */
double membrane_energy(const membrane_parameters *p, vec3 f0, vec3 f1);
/* dPsi/dF by columns; undefined where the energy is infinite. */
void membrane_stress(const membrane_parameters *p, vec3 f0, vec3 f1, vec3 stress[2]);
/* Of the two isotropic models. */
void membrane_isotropic_spectrum(const membrane_parameters *p, vec3 f0, vec3 f1,
                                 membrane_spectrum *out);
/* d2Psi/dF2 of the two orthotropic models: row-major 6x6, entry (r, column c) of F has index
 * 3 c + r. */
void membrane_orthotropic_hessian(const membrane_parameters *p, vec3 f0, vec3 f1,
                                  double hessian[36]);

static inline bool membrane_is_isotropic(const membrane_parameters *p)
{
    return p->model == MEMBRANE_NEO_HOOKEAN || p->model == MEMBRANE_SVK;
}

/* Green strain E11, E22, E12. */
void membrane_strain(vec3 f0, vec3 f1, double e[3]);

/* Data-driven: the largest t <= limit such that the strains of F + t D stay inside their limits,
 * keeping `keep` of the present room. */
double membrane_max_step(const membrane_parameters *p, vec3 f0, vec3 f1, vec3 d0, vec3 d1,
                         double keep, double limit);

#endif
