#include "material/log_strain.h"

#include "material/law.h"
#include "math/svd.h"

#include <float.h>
#include <math.h>

bool log_strain_of(mat3 f, log_strain *out)
{
    double j = mat3_determinant(f), e[3];
    principal *p = &out->at;
    if (!(j > 0.0)) return false;
    svd3(f, &p->u, p->s, &p->v);
    /* Round-off can give the smallest stretch of a nearly flat element the wrong sign. */
    if (p->s[2] <= DBL_EPSILON * p->s[0]) p->s[2] = j / (p->s[0] * p->s[1]);
    for (int i = 0; i < 3; i++) e[i] = log(p->s[i]);
    out->mean = (e[0] + e[1] + e[2]) / 3;
    double square = 0;
    for (int i = 0; i < 3; i++) {
        out->deviator[i] = e[i] - out->mean;
        square += out->deviator[i] * out->deviator[i];
    }
    out->size = sqrt(square);
    return true;
}

/* ln(a/b) / (a - b), by its series where they are close. */
static double log_difference(double a, double b)
{
    double r = (a - b) / (a + b), square = r * r;
    double scaled = fabs(r) < 0.02
                        ? 1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7)))
                        : 0.5 * log(a / b) / r;
    return 2 / (a + b) * scaled;
}

void log_strain_response(const log_strain *e, const log_moduli *m, bool project, mat3 *stress,
                         elastic_spectrum *spectrum)
{
    const double *s = e->at.s;
    double t[3], forces[3], plus[3], minus[3];
    for (int i = 0; i < 3; i++) {
        t[i] = m->pressure + 2 * m->shear * e->deviator[i];
        forces[i] = t[i] / s[i];
    }
    if (stress) *stress = compose(&e->at, forces);
    if (!spectrum) return;
    spectrum->u = e->at.u;
    spectrum->v = e->at.v;
    double along = e->size > 0 ? m->along / (e->size * e->size) : 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            spectrum->diagonal.m[i][j] =
                (m->bulk + 2 * m->shear * ((i == j) - 1.0 / 3) +
                 along * e->deviator[i] * e->deviator[j] - (i == j ? t[i] : 0)) /
                (s[i] * s[j]);
        int k = (i + 1) % 3, l = (i + 2) % 3;
        plus[i] = 2 * m->shear * log_difference(s[k], s[l]) / s[k] - t[l] / (s[k] * s[l]);
        minus[i] = (forces[k] + forces[l]) / (s[k] + s[l]);
    }
    finish_spectrum(plus, minus, project, spectrum);
}

mat3 log_strain_exponential(const log_strain *e, double by, const double d[3])
{
    principal stretched = {.u = e->at.v, .v = e->at.v};
    double factor[3];
    for (int i = 0; i < 3; i++) factor[i] = exp(by * d[i]);
    return compose(&stretched, factor);
}

/* Hencky's law. */
static void evaluate(const elastic_parameters *m, mat3 f, bool project, double *energy,
                     mat3 *stress, elastic_spectrum *spectrum)
{
    log_strain e;
    if (!log_strain_of(f, &e)) {
        evaluate_inverted(mat3_determinant(f), energy, stress, spectrum);
        return;
    }
    double bulk = m->lambda + 2 * m->mu / 3, volume = 3 * e.mean;
    log_moduli moduli = {bulk * volume, bulk, m->mu, 0};
    if (energy) *energy = m->mu * e.size * e.size + 0.5 * bulk * volume * volume;
    log_strain_response(&e, &moduli, project, stress, spectrum);
}

const elastic_law hencky_law = {
    .doc = "mu |dev ln U|^2 + k/2 (ln J)^2 with F = R U, k = lambda + 2/3 mu",
    .forbids_inversion = true,
    .evaluate = evaluate};
