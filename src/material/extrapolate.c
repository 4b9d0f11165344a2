/* Energies that are infinite for inverted elements, carried on below a volume ratio J0 (Stomakhin
 * and others, 2012): along the ray from the rest shape s = (1, 1, 1) to the principal stretches s,
 * the energy goes on linearly from the point q where the product of the stretches is J0,
 *
 *     psi~(s) = psi(q) + (s - q) . g(q),   q = 1 + t (s - 1),  q1 q2 q3 = J0.
 *
 * log(q1 q2 q3) is concave in t and 0 at t = 0, so there is one such q and the product falls there;
 * all q are positive. With dq/ds = t I + (s - 1) (dt/ds)^T, dt/ds_i = -t c_i / (c . (s - 1)) and
 * c_i = J0 / q_i,
 *
 *     dpsi~/ds = g(q) + (dq/ds)^T H(q) (s - q). */
#include "material/elastic_internal.h"
#include "math/svd.h"

#include <math.h>
#include <stddef.h>

static elastic_parameters base_material(const elastic_parameters *m)
{
    elastic_parameters base = *m;
    base.extrapolate_below = 0;
    return base;
}

static double product_at(const double s[3], double t)
{
    return (1 + t * (s[0] - 1)) * (1 + t * (s[1] - 1)) * (1 + t * (s[2] - 1));
}

/* Where the product is J0; it is 1 at 0 and below J0 at 1. */
static double find_contour(const double s[3], double j0)
{
    double low = 0, high = 1;
    for (int i = 0; i < 80 && low < high; i++) {
        double middle = 0.5 * (low + high);
        if (middle == low || middle == high) break;
        /* Behind the first zero the product may have any sign: what is inverted is too far. */
        bool inside = 1 + middle * (s[2] - 1) > 0;
        if (inside && product_at(s, middle) > j0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Entry between F_ii and F_kk of a spectrum written out. */
static double diagonal_entry(const elastic_spectrum *p, int i, int k)
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        for (int d = 0; d < 3; d++)
            sum +=
                p->diagonal.m[a][d] * (p->u.m[i][a] * p->v.m[i][a]) * (p->u.m[k][d] * p->v.m[k][d]);
        double at_i[2] = {p->u.m[i][b] * p->v.m[i][c], p->u.m[i][c] * p->v.m[i][b]};
        double at_k[2] = {p->u.m[k][b] * p->v.m[k][c], p->u.m[k][c] * p->v.m[k][b]};
        sum += p->same[a] * (at_i[0] * at_k[0] + at_i[1] * at_k[1]) +
               p->swapped[a] * (at_i[0] * at_k[1] + at_i[1] * at_k[0]);
    }
    return sum;
}

/* Value and gradient of the base energy as a function of positive stretches; the Hessian, too,
 * where h is not NULL. */
static void base_at(const elastic_parameters *base, const double q[3], double *energy, double g[3],
                    double (*h)[3])
{
    mat3 f = {{{q[0], 0, 0}, {0, q[1], 0}, {0, 0, q[2]}}}, stress;
    elastic_spectrum spectrum;
    elastic_evaluate(base, f, false, energy, &stress, h ? &spectrum : NULL);
    for (int i = 0; i < 3; i++) {
        g[i] = stress.m[i][i];
        for (int k = 0; h && k < 3; k++) h[i][k] = diagonal_entry(&spectrum, i, k);
    }
}

/* The energy; gradient may be NULL. */
static double extrapolated(const elastic_parameters *base, double j0, const double s[3],
                           double *gradient)
{
    double t = find_contour(s, j0), q[3], g[3], h[3][3], energy, slope = 0;
    for (int i = 0; i < 3; i++) q[i] = 1 + t * (s[i] - 1);
    base_at(base, q, &energy, g, gradient ? h : NULL);
    for (int i = 0; i < 3; i++) energy += (s[i] - q[i]) * g[i];
    if (!gradient) return energy;
    double bent[3] = {0}, along = 0; /* H (s - q), and its product with s - 1 */
    for (int i = 0; i < 3; i++) {
        slope += j0 / q[i] * (s[i] - 1);
        for (int k = 0; k < 3; k++) bent[i] += h[i][k] * (s[k] - q[k]);
        along += bent[i] * (s[i] - 1);
    }
    for (int i = 0; i < 3; i++) gradient[i] = g[i] + t * bent[i] - t * (j0 / q[i]) / slope * along;
    return energy;
}

/* The block of the diagonal: central differences of the gradient, which is smooth on this side of
 * the contour. Third derivatives of every energy would be the alternative. */
static void difference_hessian(const elastic_parameters *base, double j0, const double s[3],
                               mat3 *out)
{
    const double step = 1e-5;
    for (int k = 0; k < 3; k++) {
        double low[3], high[3], a[3] = {s[0], s[1], s[2]}, b[3] = {s[0], s[1], s[2]};
        a[k] -= step;
        b[k] += step;
        extrapolated(base, j0, a, low);
        extrapolated(base, j0, b, high);
        for (int i = 0; i < 3; i++) out->m[i][k] = (high[i] - low[i]) / (2 * step);
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < i; k++)
            out->m[i][k] = out->m[k][i] = 0.5 * (out->m[i][k] + out->m[k][i]);
}

bool evaluate_extrapolated(const elastic_parameters *m, mat3 f, bool project, double *energy,
                           mat3 *stress, elastic_spectrum *spectrum)
{
    double j0 = m->extrapolate_below;
    if (!(mat3_determinant(f) < j0)) return false;
    elastic_parameters base = base_material(m);
    principal p;
    double g[3];
    svd3(f, &p.u, p.s, &p.v);
    if (!(product_at(p.s, 1) < j0)) return false; /* round-off at the contour */
    double value = extrapolated(&base, j0, p.s, stress || spectrum ? g : NULL);
    if (energy) *energy = value;
    if (stress) *stress = compose(&p, g);
    if (!spectrum) return true;
    double plus[3], minus[3];
    spectrum->u = p.u;
    spectrum->v = p.v;
    difference_hessian(&base, j0, p.s, &spectrum->diagonal);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, l = (k + 2) % 3;
        double apart = p.s[i] - p.s[l], sum = p.s[i] + p.s[l];
        /* Equal stretches: the limit is the second derivative along their difference. */
        plus[k] = fabs(apart) > 1e-4
                      ? (g[i] - g[l]) / apart
                      : 0.5 * (spectrum->diagonal.m[i][i] + spectrum->diagonal.m[l][l]) -
                            spectrum->diagonal.m[i][l];
        /* The rotation of F is not defined where two stretches cancel. */
        minus[k] = (g[i] + g[l]) / (fabs(sum) > 1e-8 ? sum : 1e-8);
    }
    finish_spectrum(plus, minus, project, spectrum);
    return true;
}
