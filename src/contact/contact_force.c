#include "contact/contact_force.h"

#include "contact/barrier_stencil.h"

#include <math.h>

static void subtract(vec3 *force, const int32_t *vertex, int count, const double *gradient)
{
    for (int a = 0; a < count; a++)
        force[vertex[a]] = vec3_sub(force[vertex[a]], vec3_load(gradient + 3 * a));
}

static void add_pairs(const contact_term *t, const barrier_law *law, vec3 *force)
{
    double gradient[12];
    for (int k = 0; k < STENCIL_LISTS; k++)
        for (size_t i = 0; i < t->active.lists[k].count; i++) {
            const contact_stencil *c = &t->active.lists[k].data[i];
            barrier_stencil_derivatives(law, (stencil_list)k, c, t->y, false, gradient, NULL);
            subtract(force, c->vertex, stencil_list_width[k], gradient);
        }
}

static vec3 plane_force(const contact_term *t, const barrier_law *law, const plane_contact *c)
{
    double size = barrier_normal_force(law, c->distance * c->distance, c->thickness, c->weight);
    return vec3_scale(size, t->planes.data[c->plane].normal);
}

static void add_planes(const contact_term *t, const barrier_law *law, vec3 *force)
{
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        const plane_contact *c = &t->plane_contacts.data[i];
        force[c->vertex] = vec3_add(force[c->vertex], plane_force(t, law, c));
    }
}

static void add_friction(const friction_term *t, double factor, vec3 *force)
{
    friction_law law = {t->kind, t->eps, 1 / factor};
    double gradient[12];
    for (int k = 0; k < FRICTION_LISTS; k++)
        for (size_t i = 0; i < t->lists[k].count; i++) {
            const friction_stencil *s = &t->lists[k].data[i];
            friction_stencil_derivatives(&law, s, t->moved, gradient);
            subtract(force, s->vertex, s->frame.count, gradient);
        }
}

static barrier_law law_of(const contact_term *contact, const evaluation *ev, double factor)
{
    double dhat = contact->options.dhat;
    return (barrier_law){contact->options.barrier, dhat * dhat, ev->kappa / factor};
}

static bool counts(const friction_term *friction, const evaluation *ev)
{
    return friction && !(ev->without & term_bit(&friction->base));
}

void contact_add_normal_forces(const contact_term *contact, const evaluation *ev, double factor,
                               vec3 *force)
{
    barrier_law law = law_of(contact, ev, factor);
    add_pairs(contact, &law, force);
    add_planes(contact, &law, force);
}

void contact_add_friction_forces(const friction_term *friction, const evaluation *ev, double factor,
                                 vec3 *force)
{
    if (counts(friction, ev)) add_friction(friction, factor, force);
}

void contact_add_forces(const contact_term *contact, const friction_term *friction,
                        const evaluation *ev, double factor, vec3 *force)
{
    contact_add_normal_forces(contact, ev, factor, force);
    contact_add_friction_forces(friction, ev, factor, force);
}

static void react(contact_resultant *r, vec3 at, vec3 force)
{
    r->force = vec3_sub(r->force, force);
    r->moment = vec3_sub(r->moment, vec3_cross(at, force));
}

contact_resultant contact_plane_resultant(const contact_term *contact,
                                          const friction_term *friction, const evaluation *ev,
                                          double factor, int32_t plane)
{
    contact_resultant sum = {.force = {0, 0, 0}};
    barrier_law law = law_of(contact, ev, factor);
    for (size_t i = 0; i < contact->plane_contacts.count; i++) {
        const plane_contact *c = &contact->plane_contacts.data[i];
        if (c->plane == plane) react(&sum, contact->y[c->vertex], plane_force(contact, &law, c));
    }
    if (!counts(friction, ev)) return sum;
    friction_law slide = {friction->kind, friction->eps, 1 / factor};
    for (size_t i = 0; i < friction->lists[0].count; i++) {
        const friction_stencil *s = &friction->lists[0].data[i];
        double gradient[3];
        if (s->plane != plane) continue;
        friction_stencil_derivatives(&slide, s, friction->moved, gradient);
        react(&sum, contact->y[s->vertex[0]], vec3_scale(-1, vec3_load(gradient)));
    }
    return sum;
}

static void lower(double *gap, double value)
{
    if (!(*gap <= value)) *gap = value; /* NaN at first */
}

void contact_vertex_gaps(const contact_term *contact, double *gap)
{
    for (size_t i = 0; i < contact->model->surface.rows.count; i++) gap[i] = NAN;
    for (int k = 0; k < STENCIL_LISTS; k++)
        for (size_t i = 0; i < contact->active.lists[k].count; i++) {
            const contact_stencil *c = &contact->active.lists[k].data[i];
            for (int a = 0; a < stencil_list_width[k]; a++)
                lower(&gap[c->vertex[a]], sqrt(c->distance2) - c->thickness);
        }
    for (size_t i = 0; i < contact->plane_contacts.count; i++) {
        const plane_contact *c = &contact->plane_contacts.data[i];
        lower(&gap[c->vertex], c->distance - c->thickness);
    }
}

void friction_vertex_states(const friction_term *friction, const evaluation *ev, double *state)
{
    enum { STICKS = 1, SLIPS = 2 };
    for (size_t i = 0; i < friction->contact->model->surface.rows.count; i++) state[i] = 0;
    if (!counts(friction, ev)) return;
    for (int k = 0; k < FRICTION_LISTS; k++)
        for (size_t i = 0; i < friction->lists[k].count; i++) {
            const friction_stencil *s = &friction->lists[k].data[i];
            double u[2];
            friction_displacement(s, friction->moved, u);
            double now = hypot(u[0], u[1]) < friction->eps ? STICKS : SLIPS;
            for (int a = 0; a < s->frame.count; a++)
                state[s->vertex[a]] = fmax(state[s->vertex[a]], now);
        }
}
