/* Ogden's energy in logarithmic principal stretches e_j = ln s_j.
 *
 * With d_j = e_j - (e_1 + e_2 + e_3)/3 and w_j = exp(m d_j) a term is c/m^2 sum (w_j - 1). Because
 * the d_j sum to 0, sum (w_j - 1 - m d_j) is the same and does not cancel near the rest shape. */
#include "material/elastic_internal.h"
#include "material/law.h"
#include "math/svd.h"

#include <float.h>

elastic_parameters elastic_ogden(int terms, const double *coefficient, const double *exponent,
                                 double bulk)
{
    elastic_parameters p = {.model = ELASTIC_OGDEN, .bulk = bulk};
    for (int i = 0; i < terms && i < OGDEN_MAX_TERMS; i++) {
        p.coefficient[i] = coefficient[i];
        p.exponent[i] = exponent[i];
        p.mu += 0.5 * coefficient[i];
        p.terms++;
    }
    p.lambda = bulk - 2.0 / 3.0 * p.mu;
    return p;
}

elastic_parameters elastic_mooney_rivlin(double c1, double c2, double bulk)
{
    return elastic_ogden(2, (double[]){4 * c1, 4 * c2}, (double[]){2, -2}, bulk);
}

/* exp(x) - 1 - x without cancellation. */
static double exp_beyond_linear(double x)
{
    if (fabs(x) > 0.25) return expm1(x) - x;
    double sum = 0, power = x * x;
    double factor = 0.5;
    for (int k = 3; k < 16; k++) {
        sum += factor * power;
        power *= x;
        factor /= k;
    }
    return sum;
}

/* (a^e - b^e)/(a - b) for positive a and b, also where they are equal. */
static double power_difference(double a, double b, double e)
{
    double r = (a - b) / b;
    double ratio = fabs(r) < DBL_MIN ? e : expm1(e * log1p(r)) / r;
    return ratio * pow(b, e - 1);
}

/* Weighted sums of a deformation that all results are made of. */
typedef struct stretches {
    double energy;
    double sum[3];    /* sum over terms of c/m w_j */
    double second[3]; /* sum over terms of c w_j */
    double common;    /* what all principal Kirchhoff stresses share */
} stretches;

static stretches measure(const elastic_parameters *m, const double e[3])
{
    stretches out = {0};
    double volume = e[0] + e[1] + e[2];
    for (int i = 0; i < m->terms; i++) {
        double c = m->coefficient[i], power = m->exponent[i], beyond = 0, total = 0;
        for (int j = 0; j < 3; j++) {
            double x = power * (e[j] - volume / 3), w = exp(x);
            beyond += exp_beyond_linear(x);
            out.sum[j] += c / power * w;
            out.second[j] += c * w;
            total += w;
        }
        out.energy += c / (power * power) * beyond;
        out.common -= c / power * total / 3;
    }
    out.energy += 0.5 * m->bulk * volume * volume;
    out.common += m->bulk * volume;
    return out;
}

/* P_j = (sum_j + common)/s_j; here (P_i - P_j)/(s_i - s_j), term by term. */
static double stress_difference(const elastic_parameters *m, const stretches *w, const double e[3],
                                const double s[3], int i, int j)
{
    double volume = e[0] + e[1] + e[2], sum = -w->common / (s[i] * s[j]);
    for (int k = 0; k < m->terms; k++) {
        double power = m->exponent[k];
        sum += m->coefficient[k] / power * exp(-power * volume / 3) *
               power_difference(s[i], s[j], power - 1);
    }
    return sum;
}

static void ogden_spectrum(const elastic_parameters *m, const stretches *w, const double e[3],
                           const double s[3], bool project, elastic_spectrum *out)
{
    double total = (w->second[0] + w->second[1] + w->second[2]) / 9, plus[3], minus[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double q = total - (w->second[i] + w->second[j]) / 3 + m->bulk;
            if (i == j) q += w->second[i] - (w->sum[i] + w->common);
            out->diagonal.m[i][j] = q / (s[i] * s[j]);
        }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double a = (w->sum[i] + w->common) / s[i], b = (w->sum[j] + w->common) / s[j];
        plus[k] = stress_difference(m, w, e, s, i, j);
        minus[k] = (a + b) / (s[i] + s[j]);
    }
    finish_spectrum(plus, minus, project, out);
}

static void evaluate_ogden(const elastic_parameters *m, mat3 f, bool project, double *energy,
                           mat3 *stress, elastic_spectrum *spectrum)
{
    double j = mat3_determinant(f);
    if (!(j > 0.0)) {
        evaluate_inverted(j, energy, stress, spectrum);
        return;
    }
    principal p;
    svd3(f, &p.u, p.s, &p.v);
    /* Round-off can give the smallest stretch of a nearly flat element the wrong sign. */
    if (p.s[2] <= DBL_EPSILON * p.s[0]) p.s[2] = j / (p.s[0] * p.s[1]);
    double e[3], forces[3];
    for (int k = 0; k < 3; k++) e[k] = log1p(p.s[k] - 1);
    stretches w = measure(m, e);
    if (energy) *energy = w.energy;
    for (int k = 0; k < 3; k++) forces[k] = (w.sum[k] + w.common) / p.s[k];
    if (stress) *stress = compose(&p, forces);
    if (!spectrum) return;
    spectrum->u = p.u;
    spectrum->v = p.v;
    ogden_spectrum(m, &w, e, p.s, project, spectrum);
}

const elastic_law ogden_law = {
    .doc = "sum_i c_i/m_i^2 (sum_j l_j^m_i - 3) + k/2 (ln J)^2 with l_j = J^(-1/3) s_j",
    .forbids_inversion = true,
    .evaluate = evaluate_ogden};
const elastic_law mooney_rivlin_law = {
    .doc = "c1 (I1 - 3) + c2 (I2 - 3) + k/2 (ln J)^2 with the invariants of F J^(-1/3)",
    .forbids_inversion = true,
    .evaluate = evaluate_ogden};
