/* A material point: the elastic law with the parts beside it (material/parts.h), which depend on a
 * state from the start of the step. In a step all of it is one energy density of F,
 *
 *   det G [ W(F G^-1) + sum_i g_i mu_i |dev ln U_i|^2 + fibres(F G^-1) ],  g_i = exp(-h / tau_i),
 *
 * with the growth G, the stretch U_i of F G^-1 Fv_i^-1 of a viscous branch, and for W the condensed
 * energy of plastic flow where there is some (material/plastic.h). Evaluating changes nothing: the
 * state moves once, when the step is accepted. */
#ifndef MATERIAL_POINT_H
#define MATERIAL_POINT_H

#include "material/parts.h"
#include "material/spectrum.h"

/* What is the same for all points of a material in a step. */
typedef struct material_moment {
    double h;                              /* s; 0: between steps, nothing flows */
    double growth[3];                      /* stretches along the axes at rest */
    double tension[MATERIAL_MAX_FAMILIES]; /* Pa */
} material_moment;

/* Of one point; state NULL: a material without parts. */
typedef struct material_point {
    const double *state;
    const material_moment *moment;
} material_point;

/* The state: energy dissipated so far (J per m^3 at rest), equivalent plastic strain, then Fp^-1
 * with plastic flow, Fv^-1 of each viscous branch, the direction of each fibre family. */
enum { STATE_DISSIPATED, STATE_PLASTIC_STRAIN, STATE_TENSORS };
size_t material_state_size(const material_parts *parts);
/* At the start, for a point that is at `place` at rest. False: a fibre has no direction there. */
bool material_state_init(const material_parts *parts, vec3 place, double *state);
/* From the start of a step to its end. */
void material_state_advance(const elastic_parameters *material, const material_moment *moment,
                            mat3 f, double *state);

/* Density, stress and Hessian of a material with parts, each where not NULL. The Hessian is the one
 * by H where F depends on H `turn` (gradients at rest N become turn N), nine padded rows; with
 * project it is positive semi-definite. J <= 0: as elastic_evaluate. */
void material_point_evaluate(const elastic_parameters *material, const material_point *point,
                             mat3 f, bool project, double *energy, mat3 *stress, const mat3 *turn,
                             row9 *hessian);

#endif
