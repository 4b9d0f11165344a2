/* An elastic law that abut does not have: mu/2 (|F|^2 - 3) - mu ln J + lambda/2 v^2 (1 + q v^2)
 * with v = J - 1, a neo-Hookean body whose volume becomes stiffer the more it has changed. q is a
 * parameter of its own. This file, and one row of laws.h, is all that it takes. */
#include "material/elastic_internal.h"
#include "material/law.h"
#include "math/svd.h"

/* Derivatives of the part that depends on J only. */
static double of_volume(const elastic_parameters *m, double j, double *first, double *second)
{
    double v = j - 1, v2 = v * v, q = m->own[0], half = 0.5 * m->lambda;
    *first = -m->mu / j + half * (2 * v + 4 * q * v * v2);
    *second = m->mu / (j * j) + half * (2 + 12 * q * v2);
    return -m->mu * log(j) + half * v2 * (1 + q * v2);
}

static void evaluate(const elastic_parameters *m, mat3 f, bool project, double *energy,
                     mat3 *stress, elastic_spectrum *spectrum)
{
    double j = mat3_determinant(f), first, second;
    if (!(j > 0)) {
        evaluate_inverted(j, energy, stress, spectrum);
        return;
    }
    double volume = of_volume(m, j, &first, &second);
    if (energy) *energy = 0.5 * m->mu * (mat3_norm2(f) - 3) + volume;
    if (stress) *stress = mat3_add(mat3_scale(m->mu, f), mat3_scale(first, mat3_cofactor(f)));
    if (!spectrum) return;
    principal p;
    double plus[3], minus[3];
    svd3(f, &p.u, p.s, &p.v);
    spectrum->u = p.u;
    spectrum->v = p.v;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, l = (k + 2) % 3;
        double gi = p.s[l] * p.s[k], gl = p.s[k] * p.s[i], gk = p.s[i] * p.s[l];
        spectrum->diagonal.m[k][k] = m->mu + second * gk * gk;
        spectrum->diagonal.m[i][l] = spectrum->diagonal.m[l][i] = second * gi * gl + first * p.s[k];
        plus[k] = m->mu - first * p.s[k];
        minus[k] = m->mu + first * p.s[k];
    }
    finish_spectrum(plus, minus, project, spectrum);
}

static const law_parameter parameters[] = {
    {"quartic", "", 0, 100, "stiffening of the volume"},
};

const elastic_law stiffened_law = {
    .doc = "mu/2 (|F|^2 - 3) - mu ln J + lambda/2 v^2 (1 + q v^2) with v = J - 1",
    .forbids_inversion = true,
    .evaluate = evaluate,
    .parameter_count = 1,
    .parameters = parameters};
