/* Von Mises plasticity at a point: F = Fe Fp, Hencky's law of Fe, flow with isotropic hardening.
 *
 * In a step the energy is condensed over the increment D >= 0 of the equivalent plastic strain,
 *   k/2 (ln J)^2 + min_D [ mu (|e'| - sqrt(3/2) D)^2 + int_a^(a+D) sigma_y + eta D^2 / (2 h) ],
 * e' the trial deviator of ln Ue of F Fp^-1. The minimum is the return along e' (radial in
 * principal axes), so that the derivatives of the condensed energy are stress and consistent
 * tangent. */
#ifndef MATERIAL_PLASTIC_H
#define MATERIAL_PLASTIC_H

#include "material/log_strain.h"
#include "material/parts.h"

typedef struct plastic_increment {
    double strain;     /* D */
    double slope;      /* of the stress that it takes by D, Pa */
    double elastic;    /* |e'| that is left */
    double work;       /* int sigma_y over D, J/m^3 */
    double dissipated; /* that, and what the viscosity takes */
} plastic_increment;

/* Yield stress at an equivalent plastic strain, Pa. */
double plastic_yield(const plastic_flow *flow, double strain);
/* The smallest slope of the yield stress: above -3 mu the return has one solution. */
double plastic_least_slope(const plastic_flow *flow);
/* The increment from `strain` for a trial deviator of this size; h = 0: no time for viscous flow.
 */
plastic_increment plastic_return(const plastic_flow *flow, double mu, double size, double strain,
                                 double h);
/* Condensed energy, stress and spectrum by F Fp^-1 = `elastic`; each where not NULL. */
void plastic_evaluate(const elastic_parameters *m, const plastic_flow *flow, mat3 elastic,
                      double strain, double h, bool project, double *energy, mat3 *stress,
                      elastic_spectrum *spectrum);

#endif
