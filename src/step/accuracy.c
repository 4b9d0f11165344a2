#include "step/accuracy.h"

#include "contact/barrier_stencil.h"

#include <math.h>

step_accuracy accuracy_none(void)
{
    return (step_accuracy){.smallest_force = INFINITY,
                           .min_distance = INFINITY,
                           .min_volume_ratio = INFINITY,
                           .admissible = true};
}

step_accuracy accuracy_worse(const step_accuracy *a, const step_accuracy *b)
{
    return (step_accuracy){.momentum = fmax(a->momentum, b->momentum),
                           .smallest_force = fmin(a->smallest_force, b->smallest_force),
                           .largest_force = fmax(a->largest_force, b->largest_force),
                           .total_force = fmax(a->total_force, b->total_force),
                           .complementarity = fmax(a->complementarity, b->complementarity),
                           .slackness = fmax(a->slackness, b->slackness),
                           .min_distance = fmin(a->min_distance, b->min_distance),
                           .min_volume_ratio = fmin(a->min_volume_ratio, b->min_volume_ratio),
                           .admissible = a->admissible && b->admissible};
}

static void add_force(step_accuracy *out, double force, double distance, double gap, double dhat)
{
    out->total_force += force;
    /* With the improved maximum some stencils only take away what others count twice: they are no
     * contacts of their own. */
    if (force < 0) return;
    out->smallest_force = fmin(out->smallest_force, force);
    out->largest_force = fmax(out->largest_force, force);
    out->complementarity = fmax(out->complementarity, force * fmax(0, gap - dhat));
    out->slackness = fmax(out->slackness, force * distance);
}

static void add_contacts(const contact_term *t, double kappa, step_accuracy *out)
{
    double dhat = t->options.dhat;
    barrier_law law = {t->options.barrier, dhat * dhat, kappa};
    for (int k = 0; k < STENCIL_LISTS; k++)
        for (size_t i = 0; i < t->active.lists[k].count; i++) {
            const contact_stencil *c = &t->active.lists[k].data[i];
            double distance = sqrt(c->distance2);
            double force = barrier_normal_force(&law, c->distance2, c->thickness, c->multiplicity);
            add_force(out, force, distance, distance - c->thickness, dhat);
        }
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        const plane_contact *c = &t->plane_contacts.data[i];
        double force =
            barrier_normal_force(&law, c->distance * c->distance, c->thickness, c->weight);
        add_force(out, force, c->distance, c->distance - c->thickness, dhat);
    }
}

abut_status stepper_accuracy(stepper *s, step_accuracy *out, abut_error *err)
{
    *out = accuracy_none();
    const evaluation *ev = &s->evaluation;
    double factor = ev->force_factor > 0 ? ev->force_factor : 1;
    TRY(problem_update(&s->problem, ev, s->x, err));
    TRY(problem_derivatives(&s->problem, ev, s->x, false, err));
    for (size_t i = 0; i < 3 * (size_t)s->problem.free_count; i++)
        out->momentum = fmax(out->momentum, fabs(s->problem.gradient[i]) / factor);
    out->min_volume_ratio = elastic_min_volume_ratio(s->elastic, s->x);
    if (!s->contact) return ABUT_OK;
    add_contacts(s->contact, ev->kappa / stepper_contact_factor(s), out);
    out->min_distance = s->contact->min_distance;
    bool found;
    guard_finding finding;
    TRY(guard_check(s->guard, s->x, &found, &finding, err));
    out->admissible = !found;
    return ABUT_OK;
}
