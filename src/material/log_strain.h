/* Energies of the logarithmic (Hencky) strain e_i = ln s_i of the principal stretches: their stress
 * and spectrum from the derivatives by e_i.
 *
 * With e' the deviator of e, all laws of this program have principal Kirchhoff stresses
 *   t_i = p + 2 m e'_i,   dt_i/de_j = k + 2 m (delta_ij - 1/3) + c n_i n_j,   n = e' / |e'|,
 * so that (t_i - t_j) / (s_i - s_j) = 2 m ln(s_i/s_j) / (s_i - s_j), which is not special where two
 * stretches are equal. */
#ifndef MATERIAL_LOG_STRAIN_H
#define MATERIAL_LOG_STRAIN_H

#include "material/elastic_internal.h"

typedef struct log_strain {
    principal at;
    double mean;        /* (e_1 + e_2 + e_3) / 3, ln J / 3 */
    double deviator[3]; /* e' */
    double size;        /* |e'| */
} log_strain;

typedef struct log_moduli {
    double pressure; /* p, mean stress */
    double bulk;     /* k */
    double shear;    /* m */
    double along;    /* c */
} log_moduli;

/* False for det F <= 0 (or not a number), where there is none. */
bool log_strain_of(mat3 f, log_strain *out);
/* Either may be NULL. */
void log_strain_response(const log_strain *e, const log_moduli *m, bool project, mat3 *stress,
                         elastic_spectrum *spectrum);
/* V diag(exp(by d_i)) V^T with the right singular vectors. */
mat3 log_strain_exponential(const log_strain *e, double by, const double d[3]);

#endif
