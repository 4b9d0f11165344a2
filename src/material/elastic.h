/* Isotropic elastic energy densities of volumetric elements as functions of the deformation
 * gradient F: value, first Piola-Kirchhoff stress P = dPsi/dF and Hessian dP/dF.
 *
 *   neo-Hookean            mu/2 (|F|^2 - 3) - mu ln J + lambda/2 (ln J)^2, infinite for J <= 0
 *   fixed corotated        mu |F - R|^2 + lambda/2 (J - 1)^2, defined for inverted F
 *   corotated              mu |S - I|^2 + lambda/2 (tr S - 3)^2, F = R S; defined for inverted F
 *   linear                 mu |e|^2 + lambda/2 (tr e)^2 with e = (F + F^T)/2 - I
 *   Saint Venant-Kirchhoff mu |E|^2 + lambda/2 (tr E)^2 with E = (F^T F - I)/2
 *   Hencky                 mu |dev e|^2 + k/2 (tr e)^2 with e = ln U, F = R U, k = lambda + 2/3 mu;
 *                          infinite for J <= 0
 *   Ogden                  sum_i c_i/m_i^2 (sum_j l_j^m_i - 3) + k/2 (ln J)^2 with the principal
 *                          stretches l_j = J^(-1/3) s_j without change of volume; infinite for
 *                          J <= 0. Mooney-Rivlin, c1 (I1 - 3) + c2 (I2 - 3) + k/2 (ln J)^2 with the
 *                          invariants of F J^(-1/3), is the case c = 4 c1, 4 c2 and m = 2, -2;
 *                          with one term (m = 2) it is the isochoric neo-Hookean energy.
 *
 * To any of them but the linear one a barrier against inversion can be added: 100 m (1/(1 + r^3) -
 * 1), r = J/t - 1, below J = t, infinite for J <= 0.
 *
 * With F = U diag(s) V^T the Hessian of an isotropic energy is nearly diagonal in the basis
 * u_i v_j^T (Teran and others, 2005): a 3x3 block couples the u_i v_i^T, and each pair u_i v_j^T,
 * u_j v_i^T has a 2x2 block whose eigenvalues are known in closed form. All divided differences are
 * written out, so equal singular values are not special. */
#ifndef MATERIAL_ELASTIC_H
#define MATERIAL_ELASTIC_H

#include "math/vec3.h"

/* Numbers of the laws: rows of the tables elastic_laws and elastic_law_words. */
typedef enum elastic_model {
#define ELASTIC_LAW(constant, row, word) ELASTIC_##constant,
#include "material/law_list.h"
    ELASTIC_LAW_COUNT
} elastic_model;

typedef struct elastic_law elastic_law; /* law.h */
extern const elastic_law *const elastic_laws[];
extern const char *const elastic_law_words[]; /* in scenes; ends with NULL */

enum { OGDEN_MAX_TERMS = 4, LAW_MAX_PARAMETERS = 8 };

typedef struct elastic_parameters {
    elastic_model model;
    double mu, lambda; /* Lame's parameters, Pa */
    double
        mean_lambda; /* of the mean change of volume of an element (term/dilatation.h); 0: none */
    int terms;       /* Ogden only, from here */
    double coefficient[OGDEN_MAX_TERMS], exponent[OGDEN_MAX_TERMS]; /* c_i in Pa, m_i */
    double bulk;                                                    /* k, Pa */
    double own[LAW_MAX_PARAMETERS]; /* what the law has of its own (law.h) */
    /* Energies that forbid inversion go on linearly below this ratio of volumes (extrapolate.c),
     * for methods that cannot keep elements from inverting; 0: they do not. */
    double extrapolate_below;
    double barrier, barrier_below;      /* against inversion, see above; barrier 0: none */
    const struct material_parts *parts; /* beside the law (parts.h), borrowed; NULL: none */
} elastic_parameters;

/* From Young's modulus (Pa) and Poisson's ratio, -1 < poisson < 0.5. Ogden's energy and that of
 * Mooney and Rivlin get c1 = c2. */
elastic_parameters elastic_from_young(elastic_model model, double young, double poisson);
elastic_parameters elastic_mooney_rivlin(double c1, double c2, double bulk);
/* At most OGDEN_MAX_TERMS terms; no exponent may be 0. mu and lambda are those of small strains. */
elastic_parameters elastic_ogden(int terms, const double *coefficient, const double *exponent,
                                 double bulk);
/* Infinite energy for J <= 0: steps of elements are filtered. */
bool elastic_forbids_inversion(const elastic_parameters *material);

/* Neo-Hookean without a barrier, an extrapolation or parts. */
static inline bool elastic_is_plain_neo_hookean(const elastic_parameters *material)
{
    return material->model == ELASTIC_NEO_HOOKEAN && material->barrier == 0 &&
           !(material->extrapolate_below > 0) && !material->parts;
}

/* From then on the energy goes on linearly below that ratio of volumes, if it forbids inversion. */
static inline void elastic_extrapolate(elastic_parameters *material, double below)
{
    if (elastic_forbids_inversion(material)) material->extrapolate_below = below;
}

/* dP/dF in the frame of the singular vectors: the entry between u_a v_b^T and u_c v_d^T is
 *   diagonal[a][c] for a = b, c = d;  same[k] for (a, b) = (c, d);  swapped[k] for (a, b) = (d, c),
 * where k is the index that is neither a nor b; all other entries are 0. */
typedef struct elastic_spectrum {
    mat3 u, v;
    mat3 diagonal;
    double same[3], swapped[3];
} elastic_spectrum;

double elastic_energy(const elastic_parameters *material, mat3 f);
mat3 elastic_stress(const elastic_parameters *material, mat3 f);

/* Row-major 9x9; F_ij has index 3 i + j. With project, negative eigenvalues are set to 0. */
void elastic_hessian(const elastic_parameters *material, mat3 f, bool project, double hessian[81]);

/* Any of the three (the pointers may be NULL) from one decomposition of F. The energy has the same
 * bits as elastic_energy's. For neo-Hookean, Ogden and J <= 0 the energy is INFINITY and the
 * derivatives are NaN. */
void elastic_evaluate(const elastic_parameters *material, mat3 f, bool project, double *energy,
                      mat3 *stress, elastic_spectrum *spectrum);

/* The spectrum of first det''(F) + second cof F x cof F, which is the Hessian of any function of
 * det F with these derivatives. */
void determinant_spectrum(mat3 f, double first, double second, bool project, elastic_spectrum *out);
/* Writes the spectrum out as a 9x9 matrix; exactly symmetric. */
void elastic_spectrum_expand(const elastic_spectrum *spectrum, double hessian[81]);
/* The block sum_jl n_j H_ijkl o_l of a 9x9 matrix between two gradients of shape functions. */
mat3 elastic_between(const double hessian[81], vec3 n, vec3 o);

#endif
