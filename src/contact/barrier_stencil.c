#include "contact/barrier_stencil.h"

#include "geometry/distance_psd.h"
#include "geometry/mollifier.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

const char *const barrier_kind_words[] = {BARRIER_KINDS(WORD_TEXT) NULL};

const int stencil_list_width[STENCIL_LISTS] = {2, 3, 4, 4, 4};
const stencil_kind stencil_list_kind[STENCIL_LISTS] = {STENCIL_PP, STENCIL_PE, STENCIL_PT,
                                                       STENCIL_EE, STENCIL_EE};

double barrier_stencil_value(const barrier_law *law, stencil_list list, const contact_stencil *c,
                             const vec3 *y)
{
    double s = stencil_offset2(c->distance2, c->thickness);
    double shat = stencil_reach2(law->shat, c->thickness);
    double b = barrier_thickness_scale(law->kind, law->shat, shat) * c->multiplicity *
               barrier_value(law->kind, s, shat);
    if (list == LIST_EE_MOLLIFIED) {
        vec3 x[4];
        stencil_positions(c, 4, y, x);
        b *= edge_mollifier(x[0], x[1], x[2], x[3], c->threshold);
    }
    return law->factor * b;
}

static void plain_derivatives(const barrier_law *law, stencil_list list, const contact_stencil *c,
                              const vec3 *x, bool project, double *gradient, double *hessian)
{
    int n = 3 * stencil_list_width[list];
    stencil_kind kind = stencil_list_kind[list];
    double s = stencil_offset2(c->distance2, c->thickness);
    double shat = stencil_reach2(law->shat, c->thickness);
    double factor =
        law->factor * c->multiplicity * barrier_thickness_scale(law->kind, law->shat, shat);
    double first = factor * barrier_first(law->kind, s, shat);
    if (gradient) {
        stencil_gradient(kind, x, gradient);
        for (int k = 0; k < n; k++) gradient[k] *= first;
    }
    if (!hessian) return;
    double second = factor * barrier_second(law->kind, s, shat);
    if (project && factor >= 0 && law->kind != ADHESION_LAW) {
        stencil_psd_hessian(kind, x, first, second, hessian);
        return;
    }
    double g[12];
    stencil_hessian(kind, x, g, hessian);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            hessian[n * i + j] = second * g[i] * g[j] + first * hessian[n * i + j];
    if (project) psd_project_stencil(n / 3, hessian);
}

/* Distance derivatives of a mollified pair, spread from the closest features to all four vertices.
 */
static double spread_distance(const contact_stencil *c, const vec3 *x, double *g, double *h)
{
    const feature_stencil *f = &edge_edge_features[c->type];
    vec3 part[4] = {0};
    double small_g[12], small_h[144];
    for (int k = 0; k < f->count; k++) part[k] = x[f->vertex[k]];
    double s = stencil_hessian(f->kind, part, small_g, small_h);
    memset(g, 0, 12 * sizeof *g);
    memset(h, 0, 144 * sizeof *h);
    int n = 3 * f->count;
    for (int i = 0; i < n; i++) {
        int row = 3 * f->vertex[i / 3] + i % 3;
        g[row] = small_g[i];
        for (int j = 0; j < n; j++) h[12 * row + 3 * f->vertex[j / 3] + j % 3] = small_h[n * i + j];
    }
    return s;
}

/* Energy e(c) b(s): both factors vary. */
static void mollified_derivatives(const barrier_law *law, const contact_stencil *c, const vec3 *x,
                                  bool project, double *gradient, double *hessian)
{
    double gs[12], hs[144], ge[12], he[144];
    double s = fmin(spread_distance(c, x, gs, hs), c->distance2);
    double shat = stencil_reach2(law->shat, c->thickness);
    double factor =
        law->factor * c->multiplicity * barrier_thickness_scale(law->kind, law->shat, shat);
    s = stencil_offset2(s, c->thickness);
    double e = edge_mollifier_hessian(x[0], x[1], x[2], x[3], c->threshold, ge, he);
    double b = barrier_value(law->kind, s, shat);
    double b1 = barrier_first(law->kind, s, shat);
    double b2 = barrier_second(law->kind, s, shat);
    if (gradient)
        for (int k = 0; k < 12; k++) gradient[k] = factor * (b * ge[k] + e * b1 * gs[k]);
    if (!hessian) return;
    for (int k = 0; k < 12; k++)
        for (int l = 0; l < 12; l++)
            hessian[12 * k + l] =
                factor * (b * he[12 * k + l] + b1 * (ge[k] * gs[l] + gs[k] * ge[l]) +
                          e * (b2 * gs[k] * gs[l] + b1 * hs[12 * k + l]));
    if (project) psd_project_stencil(4, hessian);
}

void barrier_stencil_derivatives(const barrier_law *law, stencil_list list,
                                 const contact_stencil *c, const vec3 *y, bool project,
                                 double *gradient, double *hessian)
{
    vec3 x[4];
    stencil_positions(c, stencil_list_width[list], y, x);
    if (list == LIST_EE_MOLLIFIED)
        mollified_derivatives(law, c, x, project, gradient, hessian);
    else
        plain_derivatives(law, list, c, x, project, gradient, hessian);
}

double barrier_normal_force(const barrier_law *law, double distance2, double thickness,
                            double multiplicity)
{
    double s = stencil_offset2(distance2, thickness), shat = stencil_reach2(law->shat, thickness);
    double factor =
        law->factor * multiplicity * barrier_thickness_scale(law->kind, law->shat, shat);
    return -factor * barrier_first(law->kind, s, shat) * 2 * sqrt(distance2);
}

double barrier_physical_scale(barrier_kind kind, double dhat)
{
    switch (kind) {
    case BARRIER_C0: return dhat;
    case BARRIER_C1: return 1 / dhat;
    case ADHESION_LAW:
    case BARRIER_C2: break;
    }
    return 1 / (dhat * dhat * dhat);
}
