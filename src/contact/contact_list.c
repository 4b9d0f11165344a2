#include "contact/contact_list.h"

#include "contact/barrier_stencil.h"

#include <math.h>
#include <string.h>

static int64_t rank_of(int32_t second)
{
    return second >= 0 ? second : (int64_t)INT32_MAX - second;
}

int body_pair_compare(body_pair a, body_pair b)
{
    if (a.first != b.first) return a.first < b.first ? -1 : 1;
    int64_t x = rank_of(a.second), y = rank_of(b.second);
    return (x > y) - (x < y);
}

/* ---- Pairs of bodies ---- */

/* The entry of a pair of bodies, made where there is none yet; NULL without memory. */
static contact_pair *pair_of(contact_pair_list *list, body_pair bodies)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (body_pair_compare(list->data[middle].bodies, bodies) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < list->count && body_pair_compare(list->data[low].bodies, bodies) == 0)
        return &list->data[low];
    if (!array_resize(list, list->count + 1)) return NULL;
    contact_pair *at = list->data + low;
    memmove(at + 1, at, (list->count - 1 - low) * sizeof *at);
    *at = (contact_pair){.bodies = bodies, .gap = INFINITY};
    return at;
}

static body_pair ordered(int32_t a, int32_t b)
{
    return a <= b ? (body_pair){a, b} : (body_pair){b, a};
}

static const int32_t *bodies_of(const contact_term *t)
{
    return t->model->surface.vertex_body.data;
}

/* The vertices of the first primitive come first, those of the second last. */
static body_pair stencil_bodies(const contact_term *t, const int32_t *vertex, int count)
{
    return ordered(bodies_of(t)[vertex[0]], bodies_of(t)[vertex[count - 1]]);
}

/* Minus the gradient, summed over the vertices of the first body of a pair. */
static vec3 force_on_first(const contact_term *t, body_pair bodies, const int32_t *vertex,
                           int count, const double *gradient)
{
    vec3 sum = {0, 0, 0};
    if (bodies.first == bodies.second) return sum;
    for (int k = 0; k < count; k++)
        if (bodies_of(t)[vertex[k]] == bodies.first)
            sum = vec3_sub(sum, vec3_load(gradient + 3 * k));
    return sum;
}

static void count_contact(contact_pair *pair, double gap)
{
    pair->contacts++;
    pair->gap = fmin(pair->gap, gap);
}

/* law NULL: no forces. */
static abut_status add_stencils(const contact_term *t, const barrier_law *law,
                                contact_pair_list *out, abut_error *err)
{
    double gradient[12];
    for (int k = 0; k < STENCIL_LISTS; k++)
        for (size_t i = 0; i < t->active.lists[k].count; i++) {
            const contact_stencil *c = &t->active.lists[k].data[i];
            int count = stencil_list_width[k];
            body_pair bodies = stencil_bodies(t, c->vertex, count);
            contact_pair *pair = pair_of(out, bodies);
            if (!pair) return error_memory(err, "listing contacts");
            count_contact(pair, sqrt(c->distance2) - c->thickness);
            if (!law) continue;
            barrier_stencil_derivatives(law, (stencil_list)k, c, t->y, false, gradient, NULL);
            pair->normal =
                vec3_add(pair->normal, force_on_first(t, bodies, c->vertex, count, gradient));
        }
    return ABUT_OK;
}

static body_pair plane_bodies(const contact_term *t, int32_t vertex, int32_t plane)
{
    return (body_pair){bodies_of(t)[vertex], -1 - plane};
}

static double plane_force(const barrier_law *law, const plane_contact *c)
{
    return barrier_normal_force(law, c->distance * c->distance, c->thickness, c->weight);
}

static abut_status add_planes(const contact_term *t, const barrier_law *law, contact_pair_list *out,
                              abut_error *err)
{
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        const plane_contact *c = &t->plane_contacts.data[i];
        contact_pair *pair = pair_of(out, plane_bodies(t, c->vertex, c->plane));
        if (!pair) return error_memory(err, "listing contacts");
        count_contact(pair, c->distance - c->thickness);
        if (law)
            pair->normal =
                vec3_mul_add(pair->normal, plane_force(law, c), t->planes.data[c->plane].normal);
    }
    return ABUT_OK;
}

/* Friction is that of the contacts at its last update, which may be gone by the end of the step. */
static abut_status add_friction(const friction_term *t, double factor, contact_pair_list *out,
                                abut_error *err)
{
    friction_law law = {t->kind, t->eps, 1 / factor};
    double gradient[12];
    for (int k = 0; k < FRICTION_LISTS; k++)
        for (size_t i = 0; i < t->lists[k].count; i++) {
            const friction_stencil *s = &t->lists[k].data[i];
            int count = s->frame.count;
            body_pair bodies = count == 1 ? plane_bodies(t->contact, s->vertex[0], s->plane)
                                          : stencil_bodies(t->contact, s->vertex, count);
            contact_pair *pair = pair_of(out, bodies);
            if (!pair) return error_memory(err, "listing contacts");
            friction_stencil_derivatives(&law, s, t->moved, gradient);
            pair->friction = vec3_add(
                pair->friction, force_on_first(t->contact, bodies, s->vertex, count, gradient));
        }
    return ABUT_OK;
}

static barrier_law law_of(const contact_term *contact, const evaluation *ev, double factor)
{
    double dhat = contact->options.dhat;
    return (barrier_law){contact->options.barrier, dhat * dhat, ev->kappa / factor};
}

abut_status contact_list_pairs(const contact_term *contact, const friction_term *friction,
                               const evaluation *ev, double factor, contact_pair_list *out,
                               abut_error *err)
{
    barrier_law law = law_of(contact, ev, factor);
    array_clear(out);
    TRY(add_stencils(contact, &law, out, err));
    TRY(add_planes(contact, &law, out, err));
    bool slides = friction && !(ev->without & term_bit(&friction->base));
    return slides ? add_friction(friction, factor, out, err) : ABUT_OK;
}

abut_status contact_list_touching(const contact_term *contact, contact_pair_list *out,
                                  abut_error *err)
{
    array_clear(out);
    TRY(add_stencils(contact, NULL, out, err));
    return add_planes(contact, NULL, out, err);
}

/* ---- Points ---- */

/* Weights with which sum_i weight_i x_i leads from the second primitive to the first. */
static void closest_weights(stencil_list list, const vec3 *x, double *weight)
{
    switch (list) {
    case LIST_PP: weight[0] = 1, weight[1] = -1; break;
    case LIST_PE: point_edge_weights(x[0], x[1], x[2], weight); break;
    case LIST_PT: point_triangle_weights(x[0], x[1], x[2], x[3], weight); break;
    case LIST_EE: edge_edge_weights(x[0], x[1], x[2], x[3], weight); break;
    default: edge_edge_closest(x[0], x[1], x[2], x[3], NULL, weight); break;
    }
}

/* Point, normal and distance; the side of the first body is the first primitive's, or, where the
 * bodies were put in order, the second's. */
static void place_point(const contact_term *t, stencil_list list, const contact_stencil *c,
                        contact_point *out)
{
    int count = stencil_list_width[list];
    int split = list == LIST_EE || list == LIST_EE_MOLLIFIED ? 2 : 1;
    vec3 x[4], across = {0, 0, 0};
    double weight[4];
    stencil_positions(c, count, t->y, x);
    closest_weights(list, x, weight);
    bool swapped = bodies_of(t)[c->vertex[0]] != out->bodies.first;
    for (int k = 0; k < count; k++) across = vec3_mul_add(across, weight[k], x[k]);
    out->normal = vec3_normalize(swapped ? vec3_scale(-1, across) : across);
    out->distance = vec3_norm(across);
    for (int k = swapped ? split : 0; k < (swapped ? count : split); k++) {
        double share = fabs(weight[k]);
        out->vertex[out->vertices] = c->vertex[k];
        out->weight[out->vertices++] = share;
        out->point = vec3_mul_add(out->point, share, x[k]);
    }
}

static double along_normal(const contact_term *t, stencil_list list, const contact_stencil *c,
                           const barrier_law *law, const contact_point *p)
{
    double gradient[12];
    int count = stencil_list_width[list];
    int split = list == LIST_EE || list == LIST_EE_MOLLIFIED ? 2 : 1;
    bool swapped = bodies_of(t)[c->vertex[0]] != p->bodies.first;
    vec3 sum = {0, 0, 0};
    barrier_stencil_derivatives(law, list, c, t->y, false, gradient, NULL);
    for (int k = swapped ? split : 0; k < (swapped ? count : split); k++)
        sum = vec3_sub(sum, vec3_load(gradient + 3 * k));
    return vec3_dot(sum, p->normal);
}

abut_status contact_list_points(const contact_term *t, const evaluation *ev, double factor,
                                contact_point_list *out, abut_error *err)
{
    barrier_law law = law_of(t, ev, factor);
    array_clear(out);
    if (!array_reserve(out, active_set_count(&t->active) + t->plane_contacts.count + 1))
        return error_memory(err, "listing contacts");
    for (int k = 0; k < STENCIL_LISTS; k++)
        for (size_t i = 0; i < t->active.lists[k].count; i++) {
            const contact_stencil *c = &t->active.lists[k].data[i];
            contact_point p = {.bodies = stencil_bodies(t, c->vertex, stencil_list_width[k])};
            place_point(t, (stencil_list)k, c, &p);
            p.gap = p.distance - c->thickness;
            p.force = along_normal(t, (stencil_list)k, c, &law, &p);
            out->data[out->count++] = p;
        }
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        const plane_contact *c = &t->plane_contacts.data[i];
        out->data[out->count++] = (contact_point){.bodies = plane_bodies(t, c->vertex, c->plane),
                                                  .point = t->y[c->vertex],
                                                  .normal = t->planes.data[c->plane].normal,
                                                  .distance = c->distance,
                                                  .gap = c->distance - c->thickness,
                                                  .force = plane_force(&law, c),
                                                  .vertex = {c->vertex},
                                                  .weight = {1},
                                                  .vertices = 1};
    }
    return ABUT_OK;
}
