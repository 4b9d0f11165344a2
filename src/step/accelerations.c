/* Accelerations of Newmark's rule. Each step begins from those at the end of the last one. Of
 * contact and friction these keep nothing unless asked to (Kane, Repetto, Ortiz and Marsden 1999:
 * such forces enter fully implicitly): an impact is over with its step. With gamma = 2 beta the
 * velocities are those of the plain rule, x' - x = h (v + v')/2; the kinetic energy then changes by
 * F(x') (x' - x), which for a barrier that is convex in the gap is at most what the barrier loses.
 * The plain rule replays half of the impact in the next step, and the energy grows. */
#include "step/stepper_internal.h"
#include "term/element.h"

#include <string.h>

/* M^-1 (f - forces of the elastic terms and loads), 0 for prescribed scalars. */
static abut_status internal_accelerations(stepper *s, const double *x, double *acceleration,
                                          abut_error *err)
{
    size_t scalars = s->state.scalars;
    evaluation unit = evaluation_unit();
    unit.h = s->scratch.span.h;
    unit.mass_factor = 0; /* followers' inertia is none of their leaders' forces */
    memset(s->scratch.work, 0, scalars * sizeof *s->scratch.work);
    term_add_gradient(&s->elastic->base, &unit, x, s->scratch.work);
    for (size_t i = 0; i < s->terms.count; i++) {
        term *t = s->terms.data[i].term;
        if (t->class->update) TRY(t->class->update(t, x, err));
        term_add_gradient(t, &unit, x, s->scratch.work);
    }
    if (s->loads.surfaces) term_add_gradient(&s->loads.surfaces->base, &unit, x, s->scratch.work);
    if (s->damping && s->state.steps > 0)
        term_add_gradient(&s->damping->base, &unit, x, s->scratch.work);
    for (size_t i = 0; i < scalars; i++)
        s->scratch.work[i] = s->inertia->force[i] - s->scratch.work[i];
    return inertia_solve(s->inertia, s->dirichlet.fixed, s->scratch.work, acceleration, err);
}

abut_status stepper_start_accelerations(stepper *s, abut_error *err)
{
    memset(s->dirichlet.fixed, 0, s->state.scalars);
    for (size_t k = 0; k < s->dirichlet.conditions.count; k++) {
        const condition *c = &s->dirichlet.conditions.data[k];
        if (!condition_active(c, 0)) continue;
        for (size_t i = 0; i < c->nodes.count; i++)
            for (int axis = 0; axis < 3; axis++)
                if (c->axes & 1 << axis) s->dirichlet.fixed[3 * c->nodes.data[i] + axis] = 1;
    }
    return internal_accelerations(s, s->state.x, s->state.a, err);
}

bool stepper_contact_is_implicit(const stepper *s)
{
    return s->contact && !s->mlcp.solver && motion_rule(&s->state)->has_accelerations &&
           !s->options.newmark_plain;
}

double stepper_contact_factor(const stepper *s)
{
    double h = s->scratch.span.h, weight = s->evaluation.force_factor;
    if (!(weight > 0)) return 1; /* before the first step */
    return stepper_contact_is_implicit(s) ? 0.5 * h * h : weight;
}

/* Flags the blocks that a term's stencils touch. */
static void flag_blocks(const stepper *s, const term *t, uint8_t *touched)
{
    bool counts = !(s->evaluation.without & term_bit(t));
    for (int k = 0; counts && k < t->group_count; k++) {
        const stencil_group *g = &t->groups[k];
        for (size_t i = 0; i < g->count * (size_t)g->width; i++)
            if (g->blocks[i] >= 0) touched[g->blocks[i]] = 1;
    }
}

abut_status stepper_drop_contact_accelerations(stepper *s, abut_error *err)
{
    if (!stepper_contact_is_implicit(s)) return ABUT_OK;
    motion_state *m = &s->state;
    double h = s->scratch.span.h, rest = h * (m->gamma - 2 * m->beta);
    uint8_t *touched = (uint8_t *)s->dirichlet.condition_of;
    size_t blocks = s->model->rest.count;
    memset(touched, 0, blocks);
    flag_blocks(s, &s->contact->base, touched);
    flag_blocks(s, &s->friction->base, touched);
    if (!memchr(touched, 1, blocks)) return ABUT_OK;
    TRY(internal_accelerations(s, m->x, s->scratch.gradient, err));
    for (size_t i = 0; i < m->scalars; i++) {
        if (!touched[i / 3] || !s->blocks.points[i / 3] || s->dirichlet.fixed[i]) continue;
        m->v[i] += rest * (s->scratch.gradient[i] - m->a[i]);
        m->a[i] = s->scratch.gradient[i];
    }
    if (s->model->rigids.count > 0)
        rigid_motion_drop_contact(&s->rigid, m, s->time + h, rest, touched, s->dirichlet.fixed);
    return ABUT_OK;
}
