#include "contact/stiffness_polyfem.h"

#include "contact/barrier_stencil.h"
#include "term/element.h"

#include <math.h>
#include <string.h>

static double surface_diagonal(const contact_term *t)
{
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < t->model->surface.rows.count; i++) {
        low = vec3_min(low, t->y[i]);
        high = vec3_max(high, t->y[i]);
    }
    return vec3_norm(vec3_sub(high, low));
}

/* The potential at kappa 1 with pairs that count so. */
static abut_status potential(contact_term *t, const double *x, pair_weights weights, double *out,
                             abut_error *err)
{
    evaluation unit = evaluation_unit();
    TRY(contact_update(t, x, weights, err));
    *out = t->base.class->value(&t->base, &unit, x);
    return ABUT_OK;
}

/* Gradient (in `work`) and potential with every pair counted once. */
static abut_status measure_plain(contact_term *t, const double *x, double *work, size_t scalars,
                                 double *value, abut_error *err)
{
    evaluation unit = evaluation_unit();
    TRY(potential(t, x, (pair_weights){0}, value, err));
    memset(work, 0, scalars * sizeof *work);
    term_add_gradient(&t->base, &unit, x, work);
    return ABUT_OK;
}

abut_status contact_polyfem_stiffness(contact_term *t, const double *x, double mean_mass,
                                      double bounds_factor, const double *other_gradient,
                                      double *work, size_t scalars, double *out, abut_error *err)
{
    const contact_options *o = &t->options;
    double plain, weighed, lowest, highest;
    TRY(measure_plain(t, x, work, scalars, &plain, err));
    double shat = o->dhat * o->dhat, near = 1e-8 * surface_diagonal(t), near2 = near * near;
    if (near2 >= shat) near2 = 0.5 * shat;
    lowest =
        bounds_factor * 1e11 * mean_mass / (4 * near2 * barrier_second(o->barrier, near2, shat));
    highest = 100 * lowest;
    double physical = o->physical ? barrier_physical_scale(o->barrier, o->dhat) : 1;
    bool touching = false;
    for (size_t i = 0; i < scalars && !touching; i++) touching = work[i] != 0;
    double kappa =
        touching ? stiffness_balance(work, other_gradient, scalars) / physical : bounds_factor;
    kappa = fmin(fmax(kappa, lowest), highest);
    double scale = physical;
    if (o->area_weighted && o->improved_max && o->physical) { /* the convergent formulation */
        TRY(potential(t, x, t->weights, &weighed, err));
        scale *= touching ? plain / weighed : o->dhat * o->dhat * o->dhat;
    }
    t->kappa_min = lowest * scale;
    t->kappa_max = highest * scale;
    *out = kappa * scale;
    return ABUT_OK;
}
