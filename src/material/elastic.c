#include "material/elastic.h"

#include "material/elastic_internal.h"
#include "material/law.h"
#include "material/parts.h"
#include "math/eigen.h"
#include "math/svd.h"

#include <float.h>
#include <stddef.h>

elastic_parameters elastic_from_young(elastic_model model, double young, double poisson)
{
    elastic_parameters p = {.model = model,
                            .mu = young / (2.0 * (1.0 + poisson)),
                            .lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))};
    if (model != ELASTIC_OGDEN && model != ELASTIC_MOONEY_RIVLIN) return p;
    return elastic_mooney_rivlin(p.mu / 4, p.mu / 4, p.lambda + 2 * p.mu / 3);
}

/* G = F^T F - I (twice the Green strain), lower triangle. */
typedef struct green {
    double g00, g10, g11, g20, g21, g22;
} green;

static inline green green_strain(mat3 f)
{
    vec3 c0 = mat3_column(f, 0), c1 = mat3_column(f, 1), c2 = mat3_column(f, 2);
    return (green){.g00 = vec3_norm2(c0) - 1.0,
                   .g10 = vec3_dot(c1, c0),
                   .g11 = vec3_norm2(c1) - 1.0,
                   .g20 = vec3_dot(c2, c0),
                   .g21 = vec3_dot(c2, c1),
                   .g22 = vec3_norm2(c2) - 1.0};
}

static inline double green_trace(const green *g) { return g->g00 + g->g11 + g->g22; }

static inline mat3 green_matrix(const green *g)
{
    return (mat3){{{g->g00, g->g10, g->g20}, {g->g10, g->g11, g->g21}, {g->g20, g->g21, g->g22}}};
}

/* ln J for J = det F > 0. Near the rest shape it comes from G, as ln(det(I + G))/2: then the errors
 * of mu/2 tr G and mu ln J cancel to first order, and the energy of a small strain keeps its
 * digits, which the comparisons of a line search rely on. */
static inline double log_determinant(const green *g, double j)
{
    mat3 m = green_matrix(g);
    if (!(mat3_norm2(m) < 0.1)) return log(j);
    double minors = (g->g00 * g->g11 - g->g10 * g->g10) + (g->g00 * g->g22 - g->g20 * g->g20) +
                    (g->g11 * g->g22 - g->g21 * g->g21);
    return 0.5 * log1p(green_trace(g) + (minors + mat3_determinant(m)));
}

/* The Hessian's 2x2 block of pair k has the eigenvalues plus[k] = (P_i - P_j)/(s_i - s_j), for
 * changes u_i v_j^T + u_j v_i^T, and minus[k] = (P_i + P_j)/(s_i + s_j), for u_i v_j^T - u_j v_i^T.
 * This clamps them and fills the spectrum. */
void finish_spectrum(const double plus[3], const double minus[3], bool project,
                     elastic_spectrum *spectrum)
{
    for (int k = 0; k < 3; k++) {
        double p = plus[k], m = minus[k];
        if (project) {
            p = p < 0.0 ? 0.0 : p;
            m = m < 0.0 ? 0.0 : m;
        }
        spectrum->same[k] = 0.5 * (p + m);
        spectrum->swapped[k] = 0.5 * (p - m);
    }
    if (project) psd_project3(&spectrum->diagonal);
}

/* Neo-Hookean */

static double neo_hookean_energy(const elastic_parameters *m, double trace, double log_j)
{
    return 0.5 * m->mu * (trace - 2.0 * log_j) + 0.5 * m->lambda * (log_j * log_j);
}

static void neo_hookean_spectrum(const elastic_parameters *m, const principal *p, double log_j,
                                 bool project, elastic_spectrum *out)
{
    double inverse[3], plus[3], minus[3], coefficient = m->mu - m->lambda * log_j;
    for (int i = 0; i < 3; i++) inverse[i] = 1.0 / p->s[i];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) out->diagonal.m[i][j] = m->lambda * (inverse[i] * inverse[j]);
        out->diagonal.m[i][i] += m->mu + coefficient * (inverse[i] * inverse[i]);
        double product = coefficient * (inverse[(i + 1) % 3] * inverse[(i + 2) % 3]);
        plus[i] = m->mu + product;
        minus[i] = m->mu - product;
    }
    finish_spectrum(plus, minus, project, out);
}

void evaluate_inverted(double j, double *energy, mat3 *stress, elastic_spectrum *spectrum)
{
    mat3 undefined = mat3_scale(NAN, mat3_identity());
    if (energy) *energy = j <= 0.0 ? INFINITY : NAN;
    if (stress) *stress = undefined;
    if (spectrum) *spectrum = (elastic_spectrum){.diagonal = undefined, .same = {NAN}};
}

static void evaluate_neo_hookean(const elastic_parameters *m, mat3 f, bool project, double *energy,
                                 mat3 *stress, elastic_spectrum *spectrum)
{
    double j = mat3_determinant(f);
    if (!(j > 0.0)) {
        evaluate_inverted(j, energy, stress, spectrum);
        return;
    }
    green g = green_strain(f);
    double log_j = log_determinant(&g, j);
    if (energy) *energy = neo_hookean_energy(m, green_trace(&g), log_j);
    if (stress)
        *stress = mat3_add(mat3_scale(m->mu, f),
                           mat3_scale((m->lambda * log_j - m->mu) / j, mat3_cofactor(f)));
    if (!spectrum) return;
    principal p;
    svd3(f, &p.u, p.s, &p.v);
    /* Round-off can give the smallest stretch of a nearly flat element the wrong sign. */
    if (p.s[2] <= DBL_EPSILON * p.s[0]) p.s[2] = j / (p.s[0] * p.s[1]);
    spectrum->u = p.u;
    spectrum->v = p.v;
    neo_hookean_spectrum(m, &p, log_j, project, spectrum);
}

/* Fixed corotated */

/* The rotation of F is not defined where s_1 + s_2 = 0; sums below this count as this. */
#define SMALLEST_SUM 1e-8

static void fixed_corotated_spectrum(const elastic_parameters *m, const principal *p,
                                     const double cofactor[3], double j, bool project,
                                     elastic_spectrum *out)
{
    double plus[3], minus[3];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, l = (k + 2) % 3;
        double volumetric = m->lambda * (j - 1.0) * p->s[k];
        out->diagonal.m[k][k] = 2.0 * m->mu + m->lambda * (cofactor[k] * cofactor[k]);
        out->diagonal.m[i][l] = out->diagonal.m[l][i] =
            volumetric + m->lambda * (cofactor[i] * cofactor[l]);
        plus[k] = 2.0 * m->mu - volumetric;
        double sum = p->s[i] + p->s[l];
        minus[k] =
            2.0 * m->mu * (1.0 - 2.0 / (sum > SMALLEST_SUM ? sum : SMALLEST_SUM)) + volumetric;
    }
    finish_spectrum(plus, minus, project, out);
}

static void evaluate_fixed_corotated(const elastic_parameters *m, mat3 f, bool project,
                                     double *energy, mat3 *stress, elastic_spectrum *spectrum)
{
    principal p;
    svd3(f, &p.u, p.s, &p.v);
    const double *s = p.s;
    double cofactor[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
    double j = s[0] * s[1] * s[2], volume = j - 1.0, stretch = 0.0, forces[3];
    for (int i = 0; i < 3; i++) {
        double change = s[i] - 1.0;
        stretch += change * change;
        forces[i] = 2.0 * m->mu * change + m->lambda * volume * cofactor[i];
    }
    if (energy) *energy = m->mu * stretch + 0.5 * m->lambda * (volume * volume);
    if (stress) *stress = compose(&p, forces);
    if (!spectrum) return;
    spectrum->u = p.u;
    spectrum->v = p.v;
    fixed_corotated_spectrum(m, &p, cofactor, j, project, spectrum);
}

/* Corotated linear */

static void evaluate_corotated(const elastic_parameters *m, mat3 f, bool project, double *energy,
                               mat3 *stress, elastic_spectrum *spectrum)
{
    principal p;
    svd3(f, &p.u, p.s, &p.v);
    double trace = p.s[0] + p.s[1] + p.s[2] - 3.0, stretch = 0.0, forces[3];
    for (int i = 0; i < 3; i++) {
        double change = p.s[i] - 1.0;
        stretch += change * change;
        forces[i] = 2.0 * m->mu * change + m->lambda * trace;
    }
    if (energy) *energy = m->mu * stretch + 0.5 * m->lambda * (trace * trace);
    if (stress) *stress = compose(&p, forces);
    if (!spectrum) return;
    spectrum->u = p.u;
    spectrum->v = p.v;
    double plus[3], minus[3];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, l = (k + 2) % 3;
        double sum = p.s[i] + p.s[l];
        if (sum < SMALLEST_SUM) sum = SMALLEST_SUM;
        spectrum->diagonal.m[k][k] = 2.0 * m->mu + m->lambda;
        spectrum->diagonal.m[i][l] = spectrum->diagonal.m[l][i] = m->lambda;
        plus[k] = 2.0 * m->mu;
        minus[k] = 2.0 * (m->mu * (sum - 2.0) + m->lambda * trace) / sum;
    }
    finish_spectrum(plus, minus, project, spectrum);
}

/* Linear: the Hessian does not depend on F and has the same form in every frame. */

static void evaluate_linear(const elastic_parameters *m, mat3 f, bool project, double *energy,
                            mat3 *stress, elastic_spectrum *spectrum)
{
    mat3 strain;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            strain.m[i][j] = i == j ? f.m[i][i] - 1.0 : 0.5 * (f.m[i][j] + f.m[j][i]);
    double trace = strain.m[0][0] + strain.m[1][1] + strain.m[2][2];
    if (energy) *energy = m->mu * mat3_norm2(strain) + 0.5 * m->lambda * (trace * trace);
    if (stress) {
        *stress = mat3_scale(2.0 * m->mu, strain);
        for (int i = 0; i < 3; i++) stress->m[i][i] += m->lambda * trace;
    }
    if (!spectrum) return;
    spectrum->u = spectrum->v = mat3_identity();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            spectrum->diagonal.m[i][j] = m->lambda + (i == j ? 2.0 * m->mu : 0.0);
    const double plus[3] = {2.0 * m->mu, 2.0 * m->mu, 2.0 * m->mu}, minus[3] = {0.0};
    finish_spectrum(plus, minus, project, spectrum);
}

/* Saint Venant-Kirchhoff */

static void svk_spectrum(const elastic_parameters *m, const principal *p, double trace,
                         bool project, elastic_spectrum *out)
{
    const double *s = p->s;
    double plus[3], minus[3], base = 0.5 * m->lambda * trace - m->mu;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, l = (k + 2) % 3;
        double squares = s[i] * s[i] + s[l] * s[l], product = s[i] * s[l];
        out->diagonal.m[k][k] = base + (3.0 * m->mu + m->lambda) * (s[k] * s[k]);
        out->diagonal.m[i][l] = out->diagonal.m[l][i] = m->lambda * product;
        plus[k] = base + m->mu * (squares + product);
        minus[k] = base + m->mu * (squares - product);
    }
    finish_spectrum(plus, minus, project, out);
}

static void evaluate_svk(const elastic_parameters *m, mat3 f, bool project, double *energy,
                         mat3 *stress, elastic_spectrum *spectrum)
{
    green g = green_strain(f);
    double trace = green_trace(&g);
    mat3 twice = green_matrix(&g);
    if (energy) *energy = 0.25 * m->mu * mat3_norm2(twice) + 0.125 * m->lambda * (trace * trace);
    if (stress) {
        mat3 second = mat3_scale(m->mu, twice);
        for (int i = 0; i < 3; i++) second.m[i][i] += 0.5 * m->lambda * trace;
        *stress = mat3_mul(f, second);
    }
    if (!spectrum) return;
    principal p;
    svd3(f, &p.u, p.s, &p.v);
    spectrum->u = p.u;
    spectrum->v = p.v;
    svk_spectrum(m, &p, trace, project, spectrum);
}

/* Barrier against inversion: m b(J), scaled so that 100 m is a stress like the others. */

static const double BARRIER_SCALE = 100.0;

/* Adds to a spectrum that is not projected yet, in its frame. */
static void barrier_spectrum(const elastic_parameters *m, mat3 f, double first, double second,
                             bool project, elastic_spectrum *spectrum)
{
    mat3 *diagonal = &spectrum->diagonal;
    double s[3], plus[3], minus[3];
    for (int i = 0; i < 3; i++)
        s[i] = vec3_dot(mat3_column(spectrum->u, i), mat3_mul_vec(f, mat3_column(spectrum->v, i)));
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double gi = s[j] * s[k], gj = s[k] * s[i], gk = s[i] * s[j];
        double pair = m->barrier * first * s[k];
        double product = m->barrier * second * gi * gj + pair;
        diagonal->m[k][k] += m->barrier * second * gk * gk;
        diagonal->m[i][j] += product;
        diagonal->m[j][i] += product;
        plus[k] = spectrum->same[k] + spectrum->swapped[k] - pair;
        minus[k] = spectrum->same[k] - spectrum->swapped[k] + pair;
    }
    finish_spectrum(plus, minus, project, spectrum);
}

/* Adds to what the model without it has given. */
static void add_barrier(const elastic_parameters *m, mat3 f, bool project, double *energy,
                        mat3 *stress, elastic_spectrum *spectrum)
{
    double j = mat3_determinant(f), t = m->barrier_below;
    if (!(j > 0.0)) {
        evaluate_inverted(j, energy, stress, spectrum);
        return;
    }
    double r = j / t - 1.0, whole = 1.0 + r * r * r;
    double first = -3.0 * BARRIER_SCALE * r * r / (t * whole * whole);
    double second =
        BARRIER_SCALE / (t * t) * (18.0 * (r * r) * (r * r) / whole - 6.0 * r) / (whole * whole);
    if (energy) *energy += m->barrier * BARRIER_SCALE * (1.0 / whole - 1.0);
    if (stress) *stress = mat3_add(*stress, mat3_scale(m->barrier * first, mat3_cofactor(f)));
    if (spectrum) barrier_spectrum(m, f, first, second, project, spectrum);
}

const elastic_law neo_hookean_law = {.doc = "mu/2 (|F|^2 - 3) - mu ln J + lambda/2 (ln J)^2",
                                     .forbids_inversion = true,
                                     .evaluate = evaluate_neo_hookean};
const elastic_law fixed_corotated_law = {.doc = "mu |F - R|^2 + lambda/2 (J - 1)^2",
                                         .evaluate = evaluate_fixed_corotated};
const elastic_law corotated_law = {.doc = "mu |S - I|^2 + lambda/2 (tr S - 3)^2 with F = R S",
                                   .evaluate = evaluate_corotated};
const elastic_law linear_law = {.doc = "mu |e|^2 + lambda/2 (tr e)^2 with e = (F + F^T)/2 - I",
                                .small_strain = true,
                                .evaluate = evaluate_linear};
const elastic_law svk_law = {.doc = "mu |E|^2 + lambda/2 (tr E)^2 with E = (F^T F - I)/2",
                             .evaluate = evaluate_svk};

bool elastic_forbids_inversion(const elastic_parameters *material)
{
    bool viscous = material->parts && material->parts->branch_count > 0;
    return (elastic_laws[material->model]->forbids_inversion || material->barrier > 0 || viscous) &&
           material->extrapolate_below == 0;
}

void elastic_evaluate(const elastic_parameters *material, mat3 f, bool project, double *energy,
                      mat3 *stress, elastic_spectrum *spectrum)
{
    if (material->extrapolate_below > 0 &&
        evaluate_extrapolated(material, f, project, energy, stress, spectrum))
        return;
    bool more = material->barrier > 0.0 && !(mat3_determinant(f) >= material->barrier_below);
    elastic_laws[material->model]->evaluate(material, f, project && !more, energy, stress,
                                            spectrum);
    if (more) add_barrier(material, f, project, energy, stress, spectrum);
}

double elastic_energy(const elastic_parameters *material, mat3 f)
{
    double energy = NAN;
    elastic_evaluate(material, f, false, &energy, NULL, NULL);
    return energy;
}

mat3 elastic_stress(const elastic_parameters *material, mat3 f)
{
    mat3 stress = mat3_zero();
    elastic_evaluate(material, f, false, NULL, &stress, NULL);
    return stress;
}

/* u_a v_b^T as a vector of nine. */
static inline void dyad(const elastic_spectrum *s, int a, int b, double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = s->u.m[i][a] * s->v.m[j][b];
}

/* hessian += x y^T + y x^T on the lower triangle. */
static inline void add_pair(double hessian[81], const double x[9], const double y[9])
{
    for (int i = 0; i < 9; i++)
        for (int j = 0; j <= i; j++) hessian[9 * i + j] += x[i] * y[j] + y[i] * x[j];
}

void elastic_spectrum_expand(const elastic_spectrum *spectrum, double hessian[81])
{
    double dyads[3][3][9], y[9];
    for (int k = 0; k < 81; k++) hessian[k] = 0.0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) dyad(spectrum, a, b, dyads[a][b]);
    for (int a = 0; a < 3; a++) {
        for (int k = 0; k < 9; k++) { /* half of row a, so that the pair sums to all of it */
            y[k] = 0.0;
            for (int c = 0; c < 3; c++) y[k] += 0.5 * spectrum->diagonal.m[a][c] * dyads[c][c][k];
        }
        add_pair(hessian, dyads[a][a], y);
        int i = (a + 1) % 3, j = (a + 2) % 3;
        for (int k = 0; k < 9; k++)
            y[k] = 0.5 * spectrum->same[a] * dyads[i][j][k] + spectrum->swapped[a] * dyads[j][i][k];
        add_pair(hessian, dyads[i][j], y);
        for (int k = 0; k < 9; k++) y[k] = 0.5 * spectrum->same[a] * dyads[j][i][k];
        add_pair(hessian, dyads[j][i], y);
    }
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < i; j++) hessian[9 * j + i] = hessian[9 * i + j];
}

void elastic_hessian(const elastic_parameters *material, mat3 f, bool project, double hessian[81])
{
    elastic_spectrum spectrum;
    elastic_evaluate(material, f, project, NULL, NULL, &spectrum);
    elastic_spectrum_expand(&spectrum, hessian);
}

mat3 elastic_between(const double hessian[81], vec3 n, vec3 o)
{
    double a[3] = {n.x, n.y, n.z}, b[3] = {o.x, o.y, o.z};
    mat3 block = mat3_zero();
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++) {
                const double *row = hessian + 9 * (3 * i + j) + 3 * k;
                block.m[i][k] += a[j] * (row[0] * b[0] + row[1] * b[1] + row[2] * b[2]);
            }
    return block;
}
