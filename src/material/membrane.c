#include "material/membrane.h"

#include "math/eigen.h"
#include "math/svd.h"

#include <stddef.h>
#include <string.h>

const char *const membrane_model_words[] = {MEMBRANE_MODELS(WORD_TEXT) NULL};

membrane_parameters membrane_from_young(membrane_model model, double young, double poisson)
{
    double lambda = young * poisson / (1 - poisson * poisson), mu = young / (2 * (1 + poisson));
    /* The orthotropic entries of the same sheet, so that the models agree. */
    return (membrane_parameters){.model = model,
                                 .mu = mu,
                                 .lambda = lambda,
                                 .a11 = lambda + 2 * mu,
                                 .a22 = lambda + 2 * mu,
                                 .a12 = lambda,
                                 .g12 = 2 * mu,
                                 .limit = {INFINITY, INFINITY, INFINITY}};
}

void membrane_strain(vec3 f0, vec3 f1, double e[3])
{
    e[0] = 0.5 * (vec3_norm2(f0) - 1);
    e[1] = 0.5 * (vec3_norm2(f1) - 1);
    e[2] = 0.5 * vec3_dot(f0, f1);
}

/* ln J. Near the rest shape from C - I, so that the energy of small strains keeps its digits. */
static double log_area_ratio(vec3 f0, vec3 f1)
{
    double g0 = vec3_norm2(f0) - 1, g1 = vec3_norm2(f1) - 1, g2 = vec3_dot(f0, f1);
    double change = g0 + g1 + (g0 * g1 - g2 * g2);
    if (fabs(change) < 0.25) return 0.5 * log1p(change);
    return 0.5 * log(vec3_norm2(vec3_cross(f0, f1)));
}

/* ---------------------------------------------------------------------------------------------- */
/* Isotropic                                                                                      */

static double neo_hookean_energy(const membrane_parameters *p, vec3 f0, vec3 f1)
{
    double log_j = log_area_ratio(f0, f1);
    if (!(log_j > -INFINITY)) return INFINITY;
    double trace = (vec3_norm2(f0) - 1) + (vec3_norm2(f1) - 1);
    return 0.5 * p->mu * (trace - 2 * log_j) + 0.5 * p->lambda * log_j * log_j;
}

/* dPsi/dF = mu F + (lambda ln J - mu) F C^-1 */
static void neo_hookean_stress(const membrane_parameters *p, vec3 f0, vec3 f1, vec3 stress[2])
{
    double c00 = vec3_norm2(f0), c11 = vec3_norm2(f1), c01 = vec3_dot(f0, f1);
    double factor = (p->lambda * log_area_ratio(f0, f1) - p->mu) / (c00 * c11 - c01 * c01);
    vec3 d0 = vec3_sub(vec3_scale(c11, f0), vec3_scale(c01, f1));
    vec3 d1 = vec3_sub(vec3_scale(c00, f1), vec3_scale(c01, f0));
    stress[0] = vec3_mul_add(vec3_scale(p->mu, f0), factor, d0);
    stress[1] = vec3_mul_add(vec3_scale(p->mu, f1), factor, d1);
}

static void neo_hookean_spectrum(const membrane_parameters *p, const double s[2],
                                 membrane_spectrum *out)
{
    double c = p->lambda * log(s[0] * s[1]) - p->mu, product = s[0] * s[1];
    out->diagonal[0] = p->mu + (p->lambda - c) / (s[0] * s[0]);
    out->diagonal[2] = p->mu + (p->lambda - c) / (s[1] * s[1]);
    out->diagonal[1] = p->lambda / product;
    out->twist = p->mu + c / product;
    out->flip = p->mu - c / product;
    for (int i = 0; i < 2; i++) out->normal[i] = p->mu + c / (s[i] * s[i]);
}

static void svk_spectrum(const membrane_parameters *p, const double s[2], membrane_spectrum *out)
{
    double e[2] = {0.5 * (s[0] * s[0] - 1), 0.5 * (s[1] * s[1] - 1)};
    double pressure = p->lambda * (e[0] + e[1]), product = s[0] * s[1];
    for (int i = 0; i < 2; i++) {
        out->normal[i] = pressure + 2 * p->mu * e[i];
        out->diagonal[2 * i] = out->normal[i] + (p->lambda + 2 * p->mu) * s[i] * s[i];
    }
    out->diagonal[1] = p->lambda * product;
    double squares = s[0] * s[0] + s[1] * s[1] - 1;
    out->flip = pressure + p->mu * (squares + product);
    out->twist = pressure + p->mu * (squares - product);
}

void membrane_isotropic_spectrum(const membrane_parameters *p, vec3 f0, vec3 f1,
                                 membrane_spectrum *out)
{
    double s[2];
    svd32(f0, f1, &out->u, s, out->v);
    if (p->model == MEMBRANE_NEO_HOOKEAN)
        neo_hookean_spectrum(p, s, out);
    else
        svk_spectrum(p, s, out);
}

void membrane_spectrum_project(membrane_spectrum *s)
{
    psd_project2(&s->diagonal[0], &s->diagonal[1], &s->diagonal[2]);
    s->twist = s->twist > 0 ? s->twist : 0;
    s->flip = s->flip > 0 ? s->flip : 0;
    for (int i = 0; i < 2; i++) s->normal[i] = s->normal[i] > 0 ? s->normal[i] : 0;
}

/* ---------------------------------------------------------------------------------------------- */
/* Orthotropic                                                                                    */

/* eta(x; X) = -X ln(1 - x/X) and its derivatives; eta = x without a limit. */
typedef struct eta {
    double value, first, second;
} eta;

static eta eta_of(double x, double bound)
{
    if (!isfinite(bound)) return (eta){x, 1, 0};
    double room = bound - x;
    if (!(room > 0)) return (eta){INFINITY, NAN, NAN};
    return (eta){-bound * log1p(-x / bound), bound / room, bound / (room * room)};
}

typedef struct eta_set {
    double e[3];
    eta warp, weft, cross, shear;
} eta_set;

static eta_set eta_set_of(const membrane_parameters *p, vec3 f0, vec3 f1)
{
    static const double none[3] = {INFINITY, INFINITY, INFINITY};
    const double *l = p->model == MEMBRANE_DATA_DRIVEN ? p->limit : none;
    eta_set s;
    membrane_strain(f0, f1, s.e);
    s.warp = eta_of(s.e[0] * s.e[0], l[0] * l[0]);
    s.weft = eta_of(s.e[1] * s.e[1], l[1] * l[1]);
    s.cross = eta_of(s.e[0] * s.e[1], l[0] * l[1]);
    s.shear = eta_of(s.e[2] * s.e[2], l[2] * l[2]);
    return s;
}

static double orthotropic_energy(const membrane_parameters *p, vec3 f0, vec3 f1)
{
    eta_set s = eta_set_of(p, f0, f1);
    double sum = 0.5 * p->a11 * s.warp.value + 0.5 * p->a22 * s.weft.value +
                 p->a12 * s.cross.value + p->g12 * s.shear.value;
    return isnan(sum) ? INFINITY : sum;
}

/* dPsi/dE11, dPsi/dE22, dPsi/dE12 */
static void strain_forces(const membrane_parameters *p, const eta_set *s, double d[3])
{
    d[0] = p->a11 * s->warp.first * s->e[0] + p->a12 * s->cross.first * s->e[1];
    d[1] = p->a22 * s->weft.first * s->e[1] + p->a12 * s->cross.first * s->e[0];
    d[2] = 2 * p->g12 * s->shear.first * s->e[2];
}

/* dE11 = f0 dF0, dE22 = f1 dF1, dE12 = (f1 dF0 + f0 dF1)/2 */
static void orthotropic_stress(const membrane_parameters *p, vec3 f0, vec3 f1, vec3 stress[2])
{
    eta_set s = eta_set_of(p, f0, f1);
    double d[3];
    strain_forces(p, &s, d);
    stress[0] = vec3_mul_add(vec3_scale(d[0], f0), 0.5 * d[2], f1);
    stress[1] = vec3_mul_add(vec3_scale(d[1], f1), 0.5 * d[2], f0);
}

void membrane_orthotropic_hessian(const membrane_parameters *p, vec3 f0, vec3 f1,
                                  double hessian[36])
{
    eta_set s = eta_set_of(p, f0, f1);
    double d[3], j[3][6] = {{0}}, h[3][3] = {{0}};
    const double *e = s.e;
    strain_forces(p, &s, d);
    h[0][0] = p->a11 * (2 * s.warp.second * e[0] * e[0] + s.warp.first) +
              p->a12 * s.cross.second * e[1] * e[1];
    h[1][1] = p->a22 * (2 * s.weft.second * e[1] * e[1] + s.weft.first) +
              p->a12 * s.cross.second * e[0] * e[0];
    h[0][1] = h[1][0] = p->a12 * (s.cross.second * e[0] * e[1] + s.cross.first);
    h[2][2] = 2 * p->g12 * (2 * s.shear.second * e[2] * e[2] + s.shear.first);
    vec3_store(j[0], f0);
    vec3_store(j[1] + 3, f1);
    vec3_store(j[2], vec3_scale(0.5, f1));
    vec3_store(j[2] + 3, vec3_scale(0.5, f0));
    memset(hessian, 0, 36 * sizeof *hessian);
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) hessian[6 * a + b] += j[k][a] * h[k][l] * j[l][b];
    for (int r = 0; r < 3; r++) { /* second derivatives of the strains */
        hessian[6 * r + r] += d[0];
        hessian[6 * (3 + r) + 3 + r] += d[1];
        hessian[6 * r + 3 + r] += 0.5 * d[2];
        hessian[6 * (3 + r) + r] += 0.5 * d[2];
    }
}

/* ---------------------------------------------------------------------------------------------- */

double membrane_energy(const membrane_parameters *p, vec3 f0, vec3 f1)
{
    switch (p->model) {
    case MEMBRANE_NEO_HOOKEAN: return neo_hookean_energy(p, f0, f1);
    case MEMBRANE_SVK: {
        double e[3];
        membrane_strain(f0, f1, e);
        return 0.5 * p->lambda * (e[0] + e[1]) * (e[0] + e[1]) +
               p->mu * (e[0] * e[0] + e[1] * e[1] + 2 * e[2] * e[2]);
    }
    case MEMBRANE_ORTHOTROPIC:
    case MEMBRANE_DATA_DRIVEN: break;
    }
    return orthotropic_energy(p, f0, f1);
}

void membrane_stress(const membrane_parameters *p, vec3 f0, vec3 f1, vec3 stress[2])
{
    switch (p->model) {
    case MEMBRANE_NEO_HOOKEAN: neo_hookean_stress(p, f0, f1, stress); return;
    case MEMBRANE_SVK: {
        double e[3];
        membrane_strain(f0, f1, e);
        double pressure = p->lambda * (e[0] + e[1]), shear = 2 * p->mu * e[2];
        stress[0] = vec3_mul_add(vec3_scale(pressure + 2 * p->mu * e[0], f0), shear, f1);
        stress[1] = vec3_mul_add(vec3_scale(pressure + 2 * p->mu * e[1], f1), shear, f0);
        return;
    }
    case MEMBRANE_ORTHOTROPIC:
    case MEMBRANE_DATA_DRIVEN: orthotropic_stress(p, f0, f1, stress); return;
    }
}

/* First t in (0, limit) with a + b t + c t^2 = 0, where a < 0; else limit. */
static double first_crossing(double a, double b, double c, double limit)
{
    double discriminant = b * b - 4 * a * c;
    if (!(discriminant >= 0)) return limit;
    double q = -0.5 * (b + copysign(sqrt(discriminant), b));
    double roots[2] = {q / c, a / q}, first = limit;
    for (int i = 0; i < 2; i++)
        if (roots[i] > 0 && roots[i] < first) first = roots[i];
    return first;
}

double membrane_max_step(const membrane_parameters *p, vec3 f0, vec3 f1, vec3 d0, vec3 d1,
                         double keep, double limit)
{
    if (p->model != MEMBRANE_DATA_DRIVEN) return limit;
    double e[3];
    membrane_strain(f0, f1, e);
    const double slope[3] = {vec3_dot(f0, d0), vec3_dot(f1, d1),
                             0.5 * (vec3_dot(f0, d1) + vec3_dot(f1, d0))};
    const double bend[3] = {0.5 * vec3_norm2(d0), 0.5 * vec3_norm2(d1), 0.5 * vec3_dot(d0, d1)};
    for (int k = 0; k < 3; k++) {
        if (!isfinite(p->limit[k])) continue;
        double above = (1 - keep) * (p->limit[k] - e[k]), below = (1 - keep) * (p->limit[k] + e[k]);
        limit = first_crossing(-above, slope[k], bend[k], limit);
        limit = first_crossing(-below, -slope[k], -bend[k], limit);
    }
    return limit;
}
