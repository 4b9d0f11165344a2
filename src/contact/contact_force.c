#include "contact/contact_force.h"

#include "contact/barrier_stencil.h"

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

static void add_planes(const contact_term *t, const barrier_law *law, vec3 *force)
{
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        const plane_contact *c = &t->plane_contacts.data[i];
        double size = barrier_normal_force(law, c->distance * c->distance, c->thickness, c->weight);
        force[c->vertex] = vec3_mul_add(force[c->vertex], size, t->planes.data[c->plane].normal);
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

void contact_add_forces(const contact_term *contact, const friction_term *friction,
                        const evaluation *ev, double factor, vec3 *force)
{
    double dhat = contact->options.dhat;
    barrier_law law = {contact->options.barrier, dhat * dhat, ev->kappa / factor};
    add_pairs(contact, &law, force);
    add_planes(contact, &law, force);
    if (friction && !(ev->without & term_bit(&friction->base)))
        add_friction(friction, factor, force);
}
