/* Barrier that keeps the singular values of a sheet's 3x2 deformation gradient below s (and, where
 * wanted, above a lower limit): a C2 clamped logarithm that begins at shat, scaled by the width
 * s - shat so that one stiffness serves all limits (Codimensional IPC, equation 6). */
#ifndef MATERIAL_STRAIN_LIMIT_H
#define MATERIAL_STRAIN_LIMIT_H

#include "material/membrane.h"

typedef struct strain_limit {
    double upper, upper_start; /* s > shat; s = INFINITY: none */
    double lower, lower_start; /* below upper_start; lower < lower_start; 0: none */
} strain_limit;

static inline strain_limit strain_limit_none(void) { return (strain_limit){INFINITY, 1, 0, 0}; }
static inline bool strain_limit_exists(const strain_limit *l)
{
    return isfinite(l->upper) || l->lower > 0;
}

/* b(sigma), both limits added; +INFINITY at and beyond a limit. */
double strain_limit_value(const strain_limit *l, double sigma);
double strain_limit_first(const strain_limit *l, double sigma);
double strain_limit_second(const strain_limit *l, double sigma);

/* Sum over both singular values of F, and its derivatives. */
double strain_limit_energy(const strain_limit *l, vec3 f0, vec3 f1);
/* True when some derivative is not zero; nothing is written otherwise. stress may be NULL. */
bool strain_limit_derivatives(const strain_limit *l, vec3 f0, vec3 f1, vec3 stress[2],
                              membrane_spectrum *spectrum);

/* Smallest distance to a limit over the singular values, as a share of its width. */
double strain_limit_room(const strain_limit *l, vec3 f0, vec3 f1);

/* A step t <= limit with F + t D inside the limits, at least `keep` of the present room left. The
 * largest singular value is convex in t, so chords of it are safe: all shorter steps are feasible,
 * too, for the upper limit. */
double strain_limit_max_step(const strain_limit *l, vec3 f0, vec3 f1, vec3 d0, vec3 d1, double keep,
                             double limit);

#endif
