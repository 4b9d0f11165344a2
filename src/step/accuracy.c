#include "step/accuracy.h"

#include "contact/barrier_stencil.h"
#include "geometry/mollifier.h"

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

/* Distance beyond thickness, size of the force that a pair is pushed apart with, and how often the
 * pair counts. */
typedef struct pair_force {
    double distance, gap, force, multiplicity;
} pair_force;

/* dhat: of the scene. */
static void add_force(step_accuracy *out, const pair_force *p, double dhat)
{
    out->total_force += p->force;
    /* With the improved maximum some stencils only take away what others count twice: they are no
     * contacts of their own. */
    if (p->multiplicity < 0) return;
    out->smallest_force = fmin(out->smallest_force, p->force);
    out->largest_force = fmax(out->largest_force, p->force);
    out->complementarity = fmax(out->complementarity, fabs(p->force) * fmax(0, p->gap - dhat));
    out->slackness = fmax(out->slackness, fabs(p->force) * p->distance);
}

/* The force in the gradient that Newton's method uses, along the direction in which the distance
 * grows; both from the positions and not from what the active set remembers. */
static pair_force force_of_stencil(const contact_term *t, const barrier_law *law, stencil_list list,
                                   const contact_stencil *c)
{
    vec3 x[4];
    int width = stencil_list_width[list];
    stencil_positions(c, width, t->y, x);
    pair_force p = {.multiplicity = c->multiplicity};
    if (list == LIST_EE_MOLLIFIED) {
        /* The mollifier turns the edges as well, which is no force of this kind. */
        double distance2 = edge_edge_distance2(x[0], x[1], x[2], x[3]);
        double e = edge_mollifier(x[0], x[1], x[2], x[3], c->threshold);
        p.distance = sqrt(distance2);
        p.force = e * barrier_normal_force(law, distance2, c->thickness, c->multiplicity);
    } else {
        double away[12], gradient[12], product = 0, square = 0;
        p.distance = sqrt(stencil_gradient(stencil_list_kind[list], x, away)); /* of d^2 */
        barrier_stencil_derivatives(law, list, c, t->y, false, gradient, NULL);
        for (int k = 0; k < 3 * width; k++) {
            product += gradient[k] * away[k];
            square += away[k] * away[k];
        }
        p.force = -product / square * 2 * p.distance;
    }
    p.gap = p.distance - c->thickness;
    return p;
}

static void add_contacts(const contact_term *t, double dhat, double kappa, step_accuracy *out)
{
    double shat = t->options.dhat * t->options.dhat;
    barrier_law law = {t->options.barrier, shat, kappa};
    for (int k = 0; k < STENCIL_LISTS; k++)
        for (size_t i = 0; i < t->active.lists[k].count; i++) {
            pair_force p = force_of_stencil(t, &law, (stencil_list)k, &t->active.lists[k].data[i]);
            add_force(out, &p, dhat);
        }
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        const plane_contact *c = &t->plane_contacts.data[i];
        const half_space *h = &t->planes.data[c->plane];
        double d = half_space_distance(t->y[c->vertex], h->origin, h->normal);
        pair_force p = {.distance = d, .gap = d - c->thickness, .multiplicity = c->weight};
        p.force = barrier_normal_force(&law, d * d, c->thickness, c->weight);
        add_force(out, &p, dhat);
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
    add_contacts(s->contact, s->options.contact_options.dhat, ev->kappa / stepper_contact_factor(s),
                 out);
    out->min_distance = s->contact->min_distance;
    bool found;
    guard_finding finding;
    TRY(guard_check(s->guard, s->x, &found, &finding, err));
    out->admissible = !found;
    return ABUT_OK;
}
