#include "contact/friction_term.h"

#include "base/parallel.h"
#include "base/ranks.h"
#include "contact/barrier_stencil.h"

#include <math.h>
#include <string.h>

typedef struct list_work {
    const friction_term *t;
    int list;
} list_work;

static friction_law law_of(const friction_term *t, double factor)
{
    return (friction_law){t->kind, t->eps, factor};
}

static double list_energy(void *context, size_t begin, size_t end)
{
    const list_work *w = context;
    friction_law law = law_of(w->t, 1);
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += friction_stencil_value(&law, &w->t->lists[w->list].data[i], w->t->moved);
    return sum;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    (void)ev;
    (void)x;
    const friction_term *t = (const friction_term *)base;
    double sum = 0;
    for (int k = 0; k < FRICTION_LISTS; k++) {
        list_work work = {t, k};
        sum += ranks_sum_of(t->lists[k].count, list_energy, &work);
    }
    return sum;
}

static abut_status update(term *base, const double *x, abut_error *err)
{
    friction_term *t = (friction_term *)base;
    const collision_surface *s = &t->contact->model->surface;
    collision_surface_positions(s, x, t->moved);
    for (size_t i = 0; i < s->rows.count; i++) t->moved[i] = vec3_sub(t->moved[i], t->start[i]);
    return rigid_pose_list_update(&t->poses, s, x, err);
}

static void node_derivatives(const friction_term *t, int width, size_t begin, size_t end,
                             double *gradient, double *hessian)
{
    size_t pairs = (size_t)(width * (width + 1) / 2);
    friction_law law = law_of(t, 1);
    for (size_t i = begin; i < end; i++) {
        const friction_stencil *s = &t->lists[width - 1].data[i];
        mat3 core = friction_stencil_derivatives(
            &law, s, t->moved, gradient ? gradient + (i - begin) * 3 * (size_t)width : NULL);
        if (hessian) friction_store_blocks(s, core, hessian + (i - begin) * 9 * pairs);
    }
}

/* Stencils of vertices that are no nodes. */
static void row_derivatives(const friction_term *t, const evaluation *ev, int group, size_t begin,
                            size_t end, double *gradient, double *hessian)
{
    const collision_surface *surface = &t->contact->model->surface;
    size_t width = (size_t)row_group_width[group], pairs = width * (width + 1) / 2;
    friction_law law = law_of(t, 1);
    for (size_t i = begin; i < end; i++) {
        row_item item = t->rows.items[group].data[i];
        const friction_stencil *s = &t->lists[item.list].data[item.index];
        int count = s->frame.count, n = 3 * count;
        double g[12], h[144];
        mat3 core = friction_stencil_derivatives(&law, s, t->moved, g);
        for (int k = 0; hessian && k < n; k++)
            for (int l = 0; l < n; l++)
                h[k * n + l] =
                    s->frame.weight[k / 3] * s->frame.weight[l / 3] * core.m[k % 3][l % 3];
        row_chain_rule(surface, &t->poses, s->vertex, count, t->rows.blocks[group].data + i * width,
                       (int)width, g, hessian ? h : NULL, !ev->exact,
                       gradient ? gradient + (i - begin) * 3 * width : NULL,
                       hessian ? hessian + (i - begin) * 9 * pairs : NULL);
    }
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)x;
    const friction_term *t = (const friction_term *)base;
    if (group >= FRICTION_LISTS)
        row_derivatives(t, ev, group - FRICTION_LISTS, begin, end, gradient, hessian);
    else
        node_derivatives(t, group + 1, begin, end, gradient, hessian);
}

/* ---------------------------------------------------------------------------------------------- */

static double body_friction(const friction_term *t, int32_t body)
{
    double mu = t->contact->model->bodies.data[body].friction;
    return mu >= 0 ? mu : t->scene_mu;
}

static int pair_order(const friction_pair *p, int32_t low, int32_t high)
{
    if (p->low != low) return p->low < low ? -1 : 1;
    return (p->high > high) - (p->high < high);
}

/* First entry of the table that is not before the pair. */
static size_t find_pair(const friction_term *t, int32_t low, int32_t high)
{
    size_t begin = 0, end = t->pairs.count;
    while (begin < end) {
        size_t middle = (begin + end) / 2;
        if (pair_order(&t->pairs.data[middle], low, high) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

abut_status friction_set_pair(friction_term *t, int32_t a, int32_t b, double mu, abut_error *err)
{
    friction_pair pair = {a < b ? a : b, a < b ? b : a, mu, -1};
    size_t at = find_pair(t, pair.low, pair.high);
    bool known = at < t->pairs.count && pair_order(&t->pairs.data[at], pair.low, pair.high) == 0;
    if (!known) {
        if (!array_push(&t->pairs, pair)) return error_memory(err, "adding a friction pair");
        memmove(t->pairs.data + at + 1, t->pairs.data + at,
                (t->pairs.count - 1 - at) * sizeof *t->pairs.data);
    }
    if (known) pair.interface = t->pairs.data[at].interface;
    t->pairs.data[at] = pair;
    return ABUT_OK;
}

abut_status friction_add_interface(friction_term *t, friction_interface added, abut_error *err)
{
    if (array_push(&t->interfaces, added)) return ABUT_OK;
    friction_table_free(&added.table);
    return error_memory(err, "adding an interface");
}

/* The entry of two bodies, NULL without one. */
static friction_pair *pair_entry(const friction_term *t, int32_t a, int32_t b)
{
    if (t->pairs.count == 0) return NULL;
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    size_t at = find_pair(t, low, high);
    bool known = at < t->pairs.count && pair_order(&t->pairs.data[at], low, high) == 0;
    return known ? &t->pairs.data[at] : NULL;
}

void friction_pair_interface(friction_term *t, int32_t a, int32_t b, int32_t number)
{
    friction_pair *pair = pair_entry(t, a, b);
    if (pair) pair->interface = number;
}

abut_status friction_plane_interface(friction_term *t, int32_t plane, int32_t number,
                                     abut_error *err)
{
    while (t->of_plane.count <= (size_t)plane)
        if (!array_push(&t->of_plane, -1)) return error_memory(err, "adding an interface");
    t->of_plane.data[plane] = number;
    return ABUT_OK;
}

static const friction_interface *interface_number(const friction_term *t, int32_t number)
{
    return number >= 0 ? &t->interfaces.data[number] : NULL;
}

static const friction_interface *interface_between(const friction_term *t, int32_t a, int32_t b)
{
    const friction_pair *pair = pair_entry(t, a, b);
    return pair ? interface_number(t, pair->interface) : NULL;
}

static const friction_interface *interface_of_plane(const friction_term *t, int32_t plane)
{
    return (size_t)plane < t->of_plane.count ? interface_number(t, t->of_plane.data[plane]) : NULL;
}

/* A pair of the table has its own coefficient. Otherwise an obstacle that gives one decides, and
 * else it is the mean of the two bodies. */
double friction_between(const friction_term *t, int32_t a, int32_t b)
{
    const friction_pair *pair = pair_entry(t, a, b);
    if (pair) return pair->mu;
    const model_body *bodies = t->contact->model->bodies.data;
    if (body_rows[bodies[a].kind]->obstacle && bodies[a].friction >= 0) return bodies[a].friction;
    if (body_rows[bodies[b].kind]->obstacle && bodies[b].friction >= 0) return bodies[b].friction;
    return 0.5 * (body_friction(t, a) + body_friction(t, b));
}

double friction_on_plane(const friction_term *t, int32_t body, int32_t plane)
{
    double mu = t->contact->planes.data[plane].friction;
    return mu >= 0 ? mu : body_friction(t, body);
}

bool friction_possible(const friction_term *t)
{
    if (t->scene_mu > 0 || t->interfaces.count > 0) return true;
    for (size_t i = 0; i < t->pairs.count; i++)
        if (t->pairs.data[i].mu > 0) return true;
    for (size_t i = 0; i < t->contact->model->bodies.count; i++)
        if (t->contact->model->bodies.data[i].friction > 0) return true;
    for (size_t i = 0; i < t->contact->planes.count; i++)
        if (t->contact->planes.data[i].friction > 0) return true;
    return false;
}

void friction_set_length(friction_term *t, double eps_v, double h)
{
    t->eps = eps_v * h;
    t->h = h;
}

void friction_set_start(friction_term *t, const double *x)
{
    collision_surface_positions(&t->contact->model->surface, x, t->start);
}

/* kappa carries the h^2. */
static double normal_force(const contact_term *c, double kappa, double distance2, double thickness,
                           double multiplicity)
{
    barrier_law law = {c->options.barrier, c->options.dhat * c->options.dhat, kappa};
    return barrier_normal_force(&law, distance2, thickness, multiplicity);
}

/* The columns of a frame along and across a direction; where that is the normal, friction is the
 * mean of both. */
static void turn_frame(tangent_frame *frame, vec3 direction, double ratio)
{
    vec3 normal = vec3_cross(frame->column[0], frame->column[1]);
    vec3 along = vec3_mul_add(direction, -vec3_dot(direction, normal), normal);
    if (!(vec3_norm(along) > 1e-8 * vec3_norm(direction))) {
        for (int k = 0; k < 2; k++)
            frame->column[k] = vec3_scale(0.5 * (1 + ratio), frame->column[k]);
        return;
    }
    frame->column[0] = vec3_normalize(along);
    frame->column[1] = vec3_scale(ratio, vec3_cross(normal, frame->column[0]));
}

/* Forces of a contact with this coefficient, normal force and area. */
static void set_forces(const friction_term *t, const friction_interface *i, double mu,
                       double normal, double area, friction_stencil *out)
{
    out->force = mu * normal;
    if (!i) return;
    out->force += t->factor * i->cohesion * area;
    if (i->kinetic >= 0) out->slip.drop = (mu - i->kinetic) * normal;
    if (i->table.count > 0)
        out->slip = (friction_slip){.table = &i->table, .normal = normal, .h = t->h};
    if (vec3_norm(i->direction) > 0) turn_frame(&out->frame, i->direction, i->ratio);
}

static abut_status lag_list(friction_term *t, double kappa, int list, stencil_kind kind,
                            abut_error *err)
{
    const contact_term *c = t->contact;
    int width = stencil_size(kind), second = kind == STENCIL_EE ? 2 : 1;
    const int32_t *body = c->model->surface.vertex_body.data;
    for (size_t i = 0; i < c->active.lists[list].count; i++) {
        const contact_stencil *s = &c->active.lists[list].data[i];
        int32_t a = body[s->vertex[0]], b = body[s->vertex[second]];
        const friction_interface *interface = interface_between(t, a, b);
        double mu = friction_between(t, a, b);
        if (mu <= 0 && !interface) continue;
        friction_stencil f = {0};
        vec3 x[4];
        stencil_positions(s, width, c->y, x);
        memcpy(f.vertex, s->vertex, sizeof f.vertex);
        f.frame = tangent_frame_of(kind, x);
        double normal = normal_force(c, kappa, s->distance2, s->thickness, s->multiplicity);
        set_forces(t, interface, mu, normal, s->multiplicity, &f);
        if (!array_push(&t->lists[width - 1], f)) return error_memory(err, "lagging friction");
    }
    return ABUT_OK;
}

/* The area that a vertex shows to a half-space, for cohesion. */
static abut_status area_on_plane(friction_term *t, const plane_contact *p, double *out,
                                 abut_error *err)
{
    const contact_term *c = t->contact;
    if (t->facing_plane != p->plane) {
        if (!array_resize(&t->facing, c->model->surface.rows.count + 1))
            return error_memory(err, "lagging friction");
        surface_facing_areas(&c->areas, &c->model->surface, c->y, c->planes.data[p->plane].normal,
                             t->facing.data);
        t->facing_plane = p->plane;
    }
    *out = t->facing.data[p->vertex];
    return ABUT_OK;
}

static abut_status lag_planes(friction_term *t, double kappa, abut_error *err)
{
    const contact_term *c = t->contact;
    t->facing_plane = -1;
    const int32_t *body = c->model->surface.vertex_body.data;
    for (size_t i = 0; i < c->plane_contacts.count; i++) {
        const plane_contact *p = &c->plane_contacts.data[i];
        const half_space *plane = &c->planes.data[p->plane];
        double mu = friction_on_plane(t, body[p->vertex], p->plane);
        const friction_interface *interface = interface_of_plane(t, p->plane);
        if (mu <= 0 && !interface) continue;
        friction_stencil f = {.vertex = {p->vertex, -1, -1, -1},
                              .plane = p->plane,
                              .slide = vec3_scale(t->h, plane->velocity)};
        f.frame = tangent_frame_half_space(plane->normal);
        double normal = normal_force(c, kappa, p->distance * p->distance, p->thickness, p->weight);
        double area = 0;
        if (interface && interface->cohesion > 0) TRY(area_on_plane(t, p, &area, err));
        set_forces(t, interface, mu, normal, area, &f);
        if (!array_push(&t->lists[0], f)) return error_memory(err, "lagging friction");
    }
    return ABUT_OK;
}

/* Stencils of nodes to the front of a list, the others behind them and into t->rows. */
static abut_status sort_list(friction_term *t, int list, size_t *node_count, abut_error *err)
{
    const collision_surface *s = &t->contact->model->surface;
    friction_stencil *stencils = t->lists[list].data;
    size_t kept = 0;
    array_clear(&t->others);
    for (size_t i = 0; i < t->lists[list].count; i++) {
        if (vertices_are_nodes(s, stencils[i].vertex, list + 1))
            stencils[kept++] = stencils[i];
        else if (!array_push(&t->others, stencils[i]))
            return error_memory(err, "lagging friction");
    }
    *node_count = kept;
    for (size_t i = 0; i < t->others.count; i++) {
        row_item item = {list, (int32_t)(kept + i)};
        stencils[kept + i] = t->others.data[i];
        TRY(row_stencils_add(&t->rows, s, item, t->others.data[i].vertex, list + 1, err));
    }
    return ABUT_OK;
}

static abut_status set_groups(friction_term *t, abut_error *err)
{
    const collision_surface *s = &t->contact->model->surface;
    if (s->general) row_stencils_clear(&t->rows);
    for (int k = 0; k < FRICTION_LISTS; k++) {
        size_t width = (size_t)k + 1, n = t->lists[k].count;
        if (s->general) TRY(sort_list(t, k, &n, err));
        if (!array_resize(&t->blocks[k], n * width + 1))
            return error_memory(err, "lagging friction");
        for (size_t i = 0; i < n; i++)
            for (size_t a = 0; a < width; a++)
                t->blocks[k].data[i * width + a] =
                    s->rows.data[t->lists[k].data[i].vertex[a]].block;
        t->base.groups[k] = (stencil_group){k + 1, n, t->blocks[k].data};
    }
    if (s->general) row_stencils_publish(&t->rows, &t->base, FRICTION_LISTS);
    return ABUT_OK;
}

/* All contacts are known. */
static abut_status take_anchors(friction_term *t, abut_error *err)
{
    TRY(stick_anchors_begin(&t->anchors, err));
    for (int k = 0; k < FRICTION_LISTS; k++)
        stick_anchors_continue(&t->anchors, t->lists[k].data, t->lists[k].count, t->eps);
    TRY(stick_anchors_list_ended(&t->anchors, err));
    for (int k = 0; k < FRICTION_LISTS; k++)
        stick_anchors_hand_over(&t->anchors, t->lists[k].data, t->lists[k].count, t->eps);
    return ABUT_OK;
}

abut_status friction_end_step(friction_term *t, abut_error *err)
{
    if (!t->sticks) return ABUT_OK;
    for (int k = 0; k < FRICTION_LISTS; k++)
        TRY(stick_anchors_return(&t->anchors, t->lists[k].data, t->lists[k].count, t->moved, t->eps,
                                 err));
    stick_anchors_end(&t->anchors);
    return ABUT_OK;
}

abut_status friction_lag(friction_term *t, double kappa, abut_error *err)
{
    for (int k = 0; k < FRICTION_LISTS; k++) array_clear(&t->lists[k]);
    TRY(lag_planes(t, kappa, err));
    TRY(lag_list(t, kappa, LIST_PP, STENCIL_PP, err));
    TRY(lag_list(t, kappa, LIST_PE, STENCIL_PE, err));
    TRY(lag_list(t, kappa, LIST_PT, STENCIL_PT, err));
    TRY(lag_list(t, kappa, LIST_EE, STENCIL_EE, err)); /* mollified pairs have no reliable frame */
    if (t->sticks) TRY(take_anchors(t, err));
    return set_groups(t, err);
}

static void note_range(void *context, size_t begin, size_t end)
{
    enum { PATIENCE = 8 }; /* 3 are too few; ever so many make the last iterations slow */
    const list_work *w = context;
    for (size_t i = begin; i < end; i++) {
        friction_stencil *s = &w->t->lists[w->list].data[i];
        double u[2];
        friction_displacement(s, w->t->moved, u);
        if (u[0] * s->before[0] + u[1] * s->before[1] < 0)
            s->turned = PATIENCE;
        else if (s->turned > 0)
            s->turned--;
        memcpy(s->before, u, sizeof u);
    }
}

void friction_note_iterate(friction_term *t)
{
    for (int k = 0; k < FRICTION_LISTS; k++) {
        list_work work = {t, k};
        parallel_for(t->lists[k].count, 4096, note_range, &work);
    }
}

static void destroy(term *base)
{
    friction_term *t = (friction_term *)base;
    for (int k = 0; k < FRICTION_LISTS; k++) {
        array_free(&t->lists[k]);
        array_free(&t->blocks[k]);
    }
    row_stencils_free(&t->rows);
    array_free(&t->poses);
    array_free(&t->others);
    array_free(&t->pairs);
    for (size_t i = 0; i < t->interfaces.count; i++)
        friction_table_free(&t->interfaces.data[i].table);
    array_free(&t->interfaces);
    array_free(&t->of_plane);
    array_free(&t->facing);
    stick_anchors_free(&t->anchors);
    mem_free(t->start);
    mem_free(t->moved);
    mem_free(t);
}

static const term_class friction_class = {.name = "friction",
                                          .update = update,
                                          .value = value,
                                          .derivatives = derivatives,
                                          .destroy = destroy};

abut_status friction_create(const contact_term *contact, double mu, friction_kind kind,
                            friction_term **out, abut_error *err)
{
    friction_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the friction term");
    size_t n = contact->model->surface.rows.count;
    t->base = (term){.class = &friction_class, .dynamic = true, .group_count = FRICTION_LISTS};
    if (contact->model->surface.general) {
        t->base.group_count += ROW_GROUPS;
        row_stencils_publish(&t->rows, &t->base, FRICTION_LISTS);
    }
    for (int k = 0; k < FRICTION_LISTS; k++) t->base.groups[k].width = k + 1;
    t->contact = contact;
    t->scene_mu = mu;
    t->kind = kind;
    t->start = mem_calloc(n, sizeof *t->start);
    t->moved = mem_calloc(n, sizeof *t->moved);
    if (!t->start || !t->moved) {
        destroy(&t->base);
        return error_memory(err, "creating the friction term");
    }
    *out = t;
    return ABUT_OK;
}
