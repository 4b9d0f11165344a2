/* The mollifier of nearly parallel edge pairs (IPC, equation 2.24): the barrier of an edge pair is
 * multiplied by
 *     e(c) = (2 - c/eps) c/eps   for c < eps,   1 otherwise,     c = |(a1 - a0) x (b1 - b0)|^2,
 * which is C1 in the positions and makes the pair vanish when its normal loses meaning. The
 * threshold eps = 1e-3 |a|^2 |b|^2 is taken from rest lengths once and for all. */
#ifndef GEOMETRY_MOLLIFIER_H
#define GEOMETRY_MOLLIFIER_H

#include "math/vec3.h"

/* Threshold of c from the rest positions of the two edges. */
double mollifier_threshold(vec3 a0, vec3 a1, vec3 b0, vec3 b1);

/* e(c) and its derivatives with respect to c; threshold > 0. A threshold of 0 (an edge without
 * length at rest) means never mollified. */
static inline double mollifier_value(double c, double threshold)
{
    if (c >= threshold) return 1.0;
    double r = c / threshold;
    return (2.0 - r) * r;
}
static inline double mollifier_first(double c, double threshold)
{
    return c >= threshold ? 0.0 : 2.0 * (1.0 - c / threshold) / threshold;
}
static inline double mollifier_second(double c, double threshold)
{
    return c >= threshold ? 0.0 : -2.0 / (threshold * threshold);
}

/* c = |(a1 - a0) x (b1 - b0)|^2 with derivatives in the 12 positions (a0, a1, b0, b1); each returns
 * c, the last one fills the gradient too. */
double edge_cross2(vec3 a0, vec3 a1, vec3 b0, vec3 b1);
double edge_cross2_gradient(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double gradient[12]);
double edge_cross2_hessian(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double gradient[12],
                           double hessian[144]);

/* e(c(x)) with derivatives in the 12 positions; zero derivatives where the pair is not mollified.
 */
double edge_mollifier(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double threshold);
double edge_mollifier_gradient(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double threshold,
                               double gradient[12]);
double edge_mollifier_hessian(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double threshold,
                              double gradient[12], double hessian[144]);

#endif
