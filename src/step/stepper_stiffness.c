/* The stiffness of the contact barrier in a step. */
#include "contact/barrier_stencil.h"
#include "contact/stiffness_polyfem.h"
#include "step/stepper_internal.h"
#include "term/element.h"

#include <math.h>
#include <string.h>

/* kappa of this step: balances the contact forces against the others (IPC supplement 6). */
static abut_status balance(stepper *s, abut_error *err)
{
    contact_term *c = s->contact;
    TRY(problem_update(&s->problem, &s->evaluation, s->x, err));
    if (contact_count(c) == 0) {
        s->evaluation.kappa = c->kappa_min * exp2(-c->stiffness_backoff);
        c->persistent_contact = 0;
        return ABUT_OK;
    }
    size_t scalars = 3 * (size_t)s->problem.free_count;
    double before = s->evaluation.kappa;
    evaluation contacts = s->evaluation, others = s->evaluation;
    contacts.kappa = 1;
    TRY(problem_term_gradient(&s->problem, &c->base, &contacts, s->x, err));
    memcpy(s->scratch.gradient, s->problem.gradient, scalars * sizeof *s->scratch.gradient);
    others.kappa = 0;
    /* The forces of the augmented Lagrangian are no loads that contacts carry. */
    others.without |= term_bit(&s->augmented.term->base);
    TRY(problem_derivatives(&s->problem, &others, s->x, false, err));
    s->evaluation.kappa =
        contact_balance_stiffness(c, s->scratch.gradient, s->problem.gradient, scalars, before);
    return ABUT_OK;
}

static bool is_obstacle(const stepper *s, size_t block)
{
    const model *m = s->model;
    return model_block_is_obstacle(m, (size_t)block);
}

/* Obstacles are fixed, everything else counts as free. */
static void release_all_but_obstacles(stepper *s)
{
    uint8_t *flags = (uint8_t *)s->scratch.work;
    for (size_t i = 0; i < s->model->rest.count; i++) memset(flags + 3 * i, is_obstacle(s, i), 3);
    contact_set_fixed(s->contact, flags);
}

/* As contact has them during a step: nodes under the augmented Lagrangian count as prescribed. */
static void fix_dirichlet(stepper *s)
{
    uint8_t *flags = (uint8_t *)s->scratch.work;
    const augmented_lagrangian_term *lagrangian = s->augmented.term;
    memcpy(flags, s->dirichlet.fixed, s->state.scalars);
    for (size_t i = 0; s->augmented.active && i < lagrangian->nodes.count; i++)
        for (int axis = 0; axis < 3; axis++)
            if (lagrangian->axes.data[i] & 1 << axis)
                flags[3 * (size_t)lagrangian->nodes.data[i] + (size_t)axis] = 1;
    contact_set_fixed(s->contact, flags);
}

/* Static problems have no masses there. */
static double polyfem_mean_mass(const stepper *s)
{
    double total = 0;
    if (s->options.contact_options.rule == STIFFNESS_POLYFEM_STATIC) return 1;
    for (size_t i = 0; i < s->model->rest.count; i++)
        if (!is_obstacle(s, i)) total += s->model->mass.data[i];
    return total / (double)s->model->rest.count;
}

static bool follows_polyfem(const stepper *s)
{
    stiffness_rule rule = s->options.contact_options.rule;
    return rule == STIFFNESS_POLYFEM || rule == STIFFNESS_POLYFEM_STATIC;
}

static abut_status polyfem(stepper *s, const double *x, abut_error *err)
{
    contact_term *c = s->contact;
    const contact_options *o = &c->options;
    double h = s->scratch.span.h;
    if (o->stiffness > 0) {
        double unit = o->physical ? barrier_physical_scale(o->barrier, o->dhat) : 1;
        s->evaluation.kappa = o->stiffness * unit * motion_force_factor(&s->state, h);
        c->kappa_min = c->kappa_max = s->evaluation.kappa;
        return ABUT_OK;
    }
    /* Quasi-static potentials are scaled by h^2 there and by 1 here. */
    bool quasi_static = motion_rule(&s->state)->is_static;
    double bounds_factor = quasi_static ? 1 / (h * h) : 1;
    size_t scalars = s->state.scalars;
    release_all_but_obstacles(s);
    memset(s->scratch.gradient, 0, scalars * sizeof *s->scratch.gradient);
    term_add_gradient(&s->inertia->base, &s->evaluation, x, s->scratch.gradient);
    term_add_gradient(&s->elastic->base, &s->evaluation, x, s->scratch.gradient);
    for (size_t i = 0; i < s->model->rest.count; i++)
        if (is_obstacle(s, i))
            memset(s->scratch.gradient + 3 * i, 0, 3 * sizeof *s->scratch.gradient);
    abut_status status =
        contact_polyfem_stiffness(c, x, polyfem_mean_mass(s), bounds_factor, s->scratch.gradient,
                                  s->scratch.work, scalars, &s->evaluation.kappa, err);
    fix_dirichlet(s);
    TRY(status);
    return problem_update(&s->problem, &s->evaluation, x, err);
}

abut_status stepper_choose_stiffness(stepper *s, abut_error *err)
{
    array_clear(&s->contact->close.before);
    return follows_polyfem(s) ? polyfem(s, s->start, err) : balance(s, err);
}

abut_status stepper_choose_first_stiffness(stepper *s, abut_error *err)
{
    if (!follows_polyfem(s)) return ABUT_OK;
    /* There, the first forces of friction come from a stiffness of 1. */
    if (s->state.steps > 0 || s->options.contact_options.stiffness > 0)
        return polyfem(s, s->start, err);
    s->evaluation.kappa = motion_force_factor(&s->state, s->scratch.span.h);
    return ABUT_OK;
}

abut_status stepper_renew_stiffness(stepper *s, const double *x, abut_error *err)
{
    return s->contact && follows_polyfem(s) ? polyfem(s, x, err) : ABUT_OK;
}
