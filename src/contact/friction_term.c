#include "contact/friction_term.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

/* Integral of f1 with f0(eps) = eps. */
double friction_f0(friction_kind kind, double y, double eps)
{
    if (y >= eps) return y;
    double r = y / eps;
    switch (kind) {
    case FRICTION_C0: return eps * (r * r / 2 + 0.5);
    case FRICTION_C2: return eps * (r * r * (r * r / 4 - r + 1.5) + 0.25);
    case FRICTION_C1: break;
    }
    return eps * (r * r * (1 - r / 3) + 1.0 / 3);
}

double friction_f1_over_y(friction_kind kind, double y, double eps)
{
    if (y >= eps) return 1 / y;
    double r = y / eps;
    switch (kind) {
    case FRICTION_C0: return 1 / eps;
    case FRICTION_C2: return (r * r - 3 * r + 3) / eps;
    case FRICTION_C1: break;
    }
    return (2 - r) / eps;
}

double friction_f1_prime(friction_kind kind, double y, double eps)
{
    if (y >= eps) return 0;
    double r = y / eps;
    switch (kind) {
    case FRICTION_C0: return 1 / eps;
    case FRICTION_C2: return 3 * (1 - r) * (1 - r) / eps;
    case FRICTION_C1: break;
    }
    return 2 * (1 - r) / eps;
}

/* ---------------------------------------------------------------------------------------------- */

static void displacement(const friction_term *t, const friction_stencil *s, double u[2])
{
    vec3 dx[4];
    for (int k = 0; k < s->frame.count; k++) dx[k] = t->moved[s->vertex[k]];
    if (s->frame.count == 1) dx[0] = vec3_sub(dx[0], s->slide);
    tangent_displacement(&s->frame, dx, u);
}

typedef struct list_work {
    const friction_term *t;
    int list;
} list_work;

static double list_energy(void *context, size_t begin, size_t end)
{
    const list_work *w = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        const friction_stencil *s = &w->t->lists[w->list].data[i];
        double u[2];
        displacement(w->t, s, u);
        sum += s->force * friction_f0(w->t->kind, hypot(u[0], u[1]), w->t->eps);
    }
    return sum;
}

static double value(term *base, const double *x)
{
    (void)x;
    friction_term *t = (friction_term *)base;
    double sum = 0;
    for (int k = 0; k < FRICTION_LISTS; k++) {
        list_work work = {t, k};
        sum += parallel_sum(t->lists[k].count, list_energy, &work);
    }
    return base->weight * sum;
}

static abut_status update(term *base, const double *x, abut_error *err)
{
    friction_term *t = (friction_term *)base;
    const collision_surface *s = &t->contact->model->surface;
    collision_surface_positions(s, x, t->moved);
    for (size_t i = 0; i < s->rows.count; i++) t->moved[i] = vec3_sub(t->moved[i], t->start[i]);
    return frame_list_update(&t->frames, s, x, err);
}

/* The 2x2 tangential stiffness: f1' along u, f1/y across; both are >= 0 for the smoothed laws. */
static void tangential_stiffness(const friction_term *t, double force, const double u[2],
                                 double m[4])
{
    double y = hypot(u[0], u[1]);
    double across = force * friction_f1_over_y(t->kind, y, t->eps);
    double along = force * friction_f1_prime(t->kind, y, t->eps);
    double c = y > 0 ? u[0] / y : 1, s = y > 0 ? u[1] / y : 0;
    m[0] = along * c * c + across * s * s;
    m[1] = m[2] = (along - across) * c * s;
    m[3] = along * s * s + across * c * c;
}

/* Gradient with respect to the vertices, and the 3x3 core of the Hessian: the block of vertices
 * a, b is weight_a weight_b core. */
static mat3 local_derivatives(const friction_term *t, const friction_stencil *s, double *gradient)
{
    double u[2], m[4];
    displacement(t, s, u);
    double force = t->base.weight * s->force;
    if (gradient) {
        double factor = force * friction_f1_over_y(t->kind, hypot(u[0], u[1]), t->eps);
        double f[2] = {factor * u[0], factor * u[1]};
        tangent_spread(&s->frame, f, gradient);
    }
    tangential_stiffness(t, force, u, m);
    vec3 c0 = s->frame.column[0], c1 = s->frame.column[1];
    return mat3_add(
        mat3_add(mat3_scale(m[0], mat3_outer(c0, c0)), mat3_scale(m[3], mat3_outer(c1, c1))),
        mat3_scale(m[1], mat3_add(mat3_outer(c0, c1), mat3_outer(c1, c0))));
}

static void node_derivatives(const friction_term *t, int width, size_t begin, size_t end,
                             double *gradient, double *hessian)
{
    for (size_t i = begin; i < end; i++) {
        const friction_stencil *s = &t->lists[width - 1].data[i];
        mat3 core =
            local_derivatives(t, s, gradient ? gradient + (i - begin) * 3 * (size_t)width : NULL);
        if (!hessian) continue;
        double *out = hessian + (i - begin) * 9 * (size_t)(width * (width + 1) / 2);
        for (int a = 0; a < width; a++)
            for (int b = a; b < width; b++, out += 9) {
                mat3 block = mat3_scale(s->frame.weight[a] * s->frame.weight[b], core);
                memcpy(out, block.m, sizeof block.m);
            }
    }
}

/* Stencils of vertices that are no nodes. */
static void row_derivatives(const friction_term *t, int group, size_t begin, size_t end,
                            double *gradient, double *hessian)
{
    const collision_surface *surface = &t->contact->model->surface;
    size_t width = (size_t)row_group_width[group], pairs = width * (width + 1) / 2;
    for (size_t i = begin; i < end; i++) {
        row_item item = t->rows.items[group].data[i];
        const friction_stencil *s = &t->lists[item.list].data[item.index];
        int count = s->frame.count, n = 3 * count;
        double g[12], h[144];
        mat3 core = local_derivatives(t, s, g);
        for (int k = 0; hessian && k < n; k++)
            for (int l = 0; l < n; l++)
                h[k * n + l] =
                    s->frame.weight[k / 3] * s->frame.weight[l / 3] * core.m[k % 3][l % 3];
        row_pull_back(surface, &t->frames, s->vertex, count, t->rows.blocks[group].data + i * width,
                      (int)width, g, hessian ? h : NULL,
                      gradient ? gradient + (i - begin) * 3 * width : NULL,
                      hessian ? hessian + (i - begin) * 9 * pairs : NULL);
    }
}

static void derivatives(const term *base, int group, const double *x, size_t begin, size_t end,
                        double *gradient, double *hessian)
{
    (void)x;
    const friction_term *t = (const friction_term *)base;
    if (group >= FRICTION_LISTS)
        row_derivatives(t, group - FRICTION_LISTS, begin, end, gradient, hessian);
    else
        node_derivatives(t, group + 1, begin, end, gradient, hessian);
}

/* ---------------------------------------------------------------------------------------------- */

static double body_friction(const friction_term *t, int32_t body)
{
    double mu = t->contact->model->bodies.data[body].friction;
    return mu >= 0 ? mu : t->scene_mu;
}

/* An obstacle that gives a coefficient decides; otherwise the mean of the two bodies. */
static double pair_friction(const friction_term *t, int32_t a, int32_t b)
{
    const model_body *bodies = t->contact->model->bodies.data;
    if (bodies[a].kind == BODY_KIND_OBSTACLE && bodies[a].friction >= 0) return bodies[a].friction;
    if (bodies[b].kind == BODY_KIND_OBSTACLE && bodies[b].friction >= 0) return bodies[b].friction;
    return 0.5 * (body_friction(t, a) + body_friction(t, b));
}

bool friction_possible(const friction_term *t)
{
    if (t->scene_mu > 0) return true;
    for (size_t i = 0; i < t->contact->model->bodies.count; i++)
        if (t->contact->model->bodies.data[i].friction > 0) return true;
    for (size_t i = 0; i < t->contact->planes.count; i++)
        if (t->contact->planes.data[i].friction > 0) return true;
    return false;
}

void friction_set_start(friction_term *t, const double *x)
{
    collision_surface_positions(&t->contact->model->surface, x, t->start);
}

/* Normal force of a stencil: -kappa b' 2 d (kappa carries the h^2). */
static double normal_force(const contact_term *c, double distance2, double multiplicity)
{
    double shat = c->options.dhat * c->options.dhat;
    return -c->kappa * multiplicity * barrier_first(c->options.barrier, distance2, shat) * 2 *
           sqrt(distance2);
}

static abut_status lag_list(friction_term *t, int list, stencil_kind kind, abut_error *err)
{
    const contact_term *c = t->contact;
    int width = stencil_size(kind), second = kind == STENCIL_EE ? 2 : 1;
    const int32_t *body = c->model->surface.vertex_body.data;
    for (size_t i = 0; i < c->active.lists[list].count; i++) {
        const contact_stencil *s = &c->active.lists[list].data[i];
        double mu = pair_friction(t, body[s->vertex[0]], body[s->vertex[second]]);
        if (mu <= 0) continue;
        friction_stencil f = {.force = mu * normal_force(c, s->distance2, s->multiplicity)};
        vec3 x[4];
        stencil_positions(s, width, c->y, x);
        memcpy(f.vertex, s->vertex, sizeof f.vertex);
        f.frame = tangent_frame_of(kind, x);
        if (!array_push(&t->lists[width - 1], f)) return error_memory(err, "lagging friction");
    }
    return ABUT_OK;
}

static abut_status lag_planes(friction_term *t, abut_error *err)
{
    const contact_term *c = t->contact;
    const int32_t *body = c->model->surface.vertex_body.data;
    for (size_t i = 0; i < c->plane_contacts.count; i++) {
        const plane_contact *p = &c->plane_contacts.data[i];
        const half_space *plane = &c->planes.data[p->plane];
        double mu = plane->friction >= 0 ? plane->friction : body_friction(t, body[p->vertex]);
        if (mu <= 0) continue;
        friction_stencil f = {.force = mu * normal_force(c, p->distance * p->distance, 1),
                              .vertex = {p->vertex, -1, -1, -1},
                              .slide = vec3_scale(t->h, plane->velocity)};
        f.frame = tangent_frame_half_space(plane->normal);
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

abut_status friction_lag(friction_term *t, abut_error *err)
{
    for (int k = 0; k < FRICTION_LISTS; k++) array_clear(&t->lists[k]);
    TRY(lag_planes(t, err));
    TRY(lag_list(t, LIST_PP, STENCIL_PP, err));
    TRY(lag_list(t, LIST_PE, STENCIL_PE, err));
    TRY(lag_list(t, LIST_PT, STENCIL_PT, err));
    TRY(lag_list(t, LIST_EE, STENCIL_EE, err)); /* mollified pairs have no reliable frame */
    return set_groups(t, err);
}

static void destroy(term *base)
{
    friction_term *t = (friction_term *)base;
    for (int k = 0; k < FRICTION_LISTS; k++) {
        array_free(&t->lists[k]);
        array_free(&t->blocks[k]);
    }
    row_stencils_free(&t->rows);
    array_free(&t->frames);
    array_free(&t->others);
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
    t->base = (term){
        .class = &friction_class, .weight = 1, .dynamic = true, .group_count = FRICTION_LISTS};
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
