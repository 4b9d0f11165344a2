/* First roots of quadratics and cubics on (0, 1], with certainty on the safe side.
 *
 * Step filters ask how far one may go before a quantity that starts positive (a volume, a distance)
 * reaches a bound. The answer here is never too large: rounding errors of the evaluation are
 * bounded and counted against the step. Leading coefficients may be tiny or zero. */
#ifndef MATH_POLYNOMIAL_H
#define MATH_POLYNOMIAL_H

/* For p(t) = c[0] + c[1] t + c[2] t^2 (+ c[3] t^3): a t such that p has no root in [0, t] (in exact
 * arithmetic with the given coefficients) and |p(t)| is within round-off of 0; INFINITY when p has
 * no root in [0, 1]. The result is 0 when p(0) is 0 and when a coefficient is not finite. A p that
 * comes within round-off of 0 without reaching it may be answered with the t where it does. */
double quadratic_first_root(const double c[3]);
double cubic_first_root(const double c[4]);

#endif
