#include "contact/contact_term.h"

#include "base/ranks.h"
#include "contact/barrier_stencil.h"
#include "contact/contact_step.h"
#include "contact/pair_stiffness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const stiffness_rule_words[] = {STIFFNESS_RULES(WORD_TEXT) NULL};

/* ---------------------------------------------------------------------------------------------- */
/* Update                                                                                         */

/* Only one side of a contact with a half-space has a surface, and only vertices count. */
static double plane_weight(const contact_term *t, size_t plane, size_t vertex)
{
    if (t->measures.plane_areas.count > 0)
        return t->measures.plane_areas.data[plane * t->model->surface.rows.count + vertex];
    const surface_areas *areas = t->active.weights.areas;
    int32_t one = (int32_t)vertex;
    return pair_stiffness(t->active.weights.compliance, &one, 1, NULL, 0) *
           (areas ? areas->vertex.data[vertex] : 1);
}

static abut_status find_plane_contacts(contact_term *t, abut_error *err)
{
    array_clear(&t->plane_contacts);
    size_t vertices = t->model->surface.rows.count;
    for (size_t k = 0; k < t->planes.count; k++) {
        const half_space *plane = &t->planes.data[k];
        for (size_t i = 0; i < vertices; i++) {
            if (t->kinematic[i]) continue;
            double d = half_space_distance(t->y[i], plane->origin, plane->normal);
            double xi = contact_plane_thickness(t, i);
            t->min_distance = fmin(t->min_distance, d);
            t->min_gap = fmin(t->min_gap, d - xi);
            if (d < t->options.dhat + xi &&
                !array_push(&t->plane_contacts,
                            (plane_contact){(int32_t)i, (int32_t)k, d, xi, plane_weight(t, k, i)}))
                return error_memory(err, "finding contacts with half-spaces");
        }
    }
    return ABUT_OK;
}

/* Stencils of nodes to the front of a list, the others behind them and into t->rows. */
static abut_status sort_list(contact_term *t, int list, size_t *node_count, abut_error *err)
{
    const collision_surface *s = &t->model->surface;
    stencil_array *stencils = &t->active.lists[list];
    size_t kept = 0;
    array_clear(&t->others);
    for (size_t i = 0; i < stencils->count; i++) {
        contact_stencil c = stencils->data[i];
        if (vertices_are_nodes(s, c.vertex, stencil_list_width[list]))
            stencils->data[kept++] = c;
        else if (!array_push(&t->others, c))
            return error_memory(err, "listing contacts");
    }
    *node_count = kept;
    for (size_t i = 0; i < t->others.count; i++) {
        row_item item = {list, (int32_t)(kept + i)};
        stencils->data[kept + i] = t->others.data[i];
        TRY(row_stencils_add(&t->rows, s, item, t->others.data[i].vertex, stencil_list_width[list],
                             err));
    }
    return ABUT_OK;
}

static abut_status sort_planes(contact_term *t, size_t *node_count, abut_error *err)
{
    const collision_surface *s = &t->model->surface;
    size_t kept = 0;
    array_clear(&t->other_planes);
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        plane_contact c = t->plane_contacts.data[i];
        if (vertices_are_nodes(s, &c.vertex, 1))
            t->plane_contacts.data[kept++] = c;
        else if (!array_push(&t->other_planes, c))
            return error_memory(err, "listing contacts");
    }
    *node_count = kept;
    for (size_t i = 0; i < t->other_planes.count; i++) {
        row_item item = {CONTACT_PLANES, (int32_t)(kept + i)};
        t->plane_contacts.data[kept + i] = t->other_planes.data[i];
        TRY(row_stencils_add(&t->rows, s, item, &t->other_planes.data[i].vertex, 1, err));
    }
    return ABUT_OK;
}

/* Coordinate blocks of every stencil. */
static abut_status set_groups(contact_term *t, abut_error *err)
{
    const collision_surface *s = &t->model->surface;
    const surface_row *rows = s->rows.data;
    if (s->general) row_stencils_clear(&t->rows);
    for (int k = 0; k < STENCIL_LISTS; k++) {
        const stencil_array *list = &t->active.lists[k];
        size_t width = (size_t)stencil_list_width[k], count = list->count;
        if (s->general) TRY(sort_list(t, k, &count, err));
        if (!array_resize(&t->blocks[k], count * width + 1))
            return error_memory(err, "listing contacts");
        for (size_t i = 0; i < count; i++)
            for (size_t a = 0; a < width; a++)
                t->blocks[k].data[i * width + a] = rows[list->data[i].vertex[a]].block;
        t->base.groups[k] = (stencil_group){stencil_list_width[k], count, t->blocks[k].data};
    }
    size_t count = t->plane_contacts.count;
    if (s->general) TRY(sort_planes(t, &count, err));
    if (!array_resize(&t->blocks[CONTACT_PLANES], count + 1))
        return error_memory(err, "listing contacts");
    for (size_t i = 0; i < count; i++)
        t->blocks[CONTACT_PLANES].data[i] = rows[t->plane_contacts.data[i].vertex].block;
    t->base.groups[CONTACT_PLANES] = (stencil_group){1, count, t->blocks[CONTACT_PLANES].data};
    if (s->general) row_stencils_publish(&t->rows, &t->base, CONTACT_ROWS);
    return ABUT_OK;
}

static bool is_wanted(const contact_term *t, const contact_stencil *c, int list)
{
    const int32_t *body = t->model->surface.vertex_body.data;
    int second = stencil_list_kind[list] == STENCIL_EE ? 2 : 1;
    int32_t a = body[c->vertex[0]], b = body[c->vertex[second]];
    for (size_t i = 0; i < t->measures.only.count; i++) {
        const only_pair *pair = &t->measures.only.data[i];
        if (pair->low == (a < b ? a : b) && pair->high == (a < b ? b : a)) return true;
    }
    return false;
}

static void drop_unwanted(contact_term *t)
{
    for (int k = 0; t->measures.only.count > 0 && k < STENCIL_LISTS; k++) {
        stencil_array *list = &t->active.lists[k];
        size_t kept = 0;
        for (size_t i = 0; i < list->count; i++)
            if (is_wanted(t, &list->data[i], k)) list->data[kept++] = list->data[i];
        list->count = kept;
    }
}

abut_status contact_update(contact_term *t, const double *x, pair_weights weights, abut_error *err)
{
    collision_surface_positions(&t->model->surface, x, t->y);
    TRY(contact_cover_point(t, x, err));
    coordinate_path here = {.x = x, .y = t->y};
    const candidate_set *near;
    TRY(contact_near(t, &here, &near, err));
    /* Sums over pairs of edges are of the order of an area, but not one. */
    candidate_set counted = *near;
    if (t->options.barrier == ADHESION_LAW && !t->model->planar) counted.ee.count = 0;
    TRY(active_set_build(&t->active, &t->model->surface, &counted, weights, t->y, t->options.dhat,
                         err));
    drop_unwanted(t);
    t->min_distance = sqrt(t->active.min_distance2);
    t->min_gap = t->active.min_gap;
    TRY(find_plane_contacts(t, err));
    TRY(rigid_pose_list_update(&t->poses, &t->model->surface, x, err));
    return set_groups(t, err);
}

static abut_status update(term *base, const double *x, abut_error *err)
{
    contact_term *t = (contact_term *)base;
    return contact_update(t, x, t->weights, err);
}

/* ---------------------------------------------------------------------------------------------- */
/* Energy                                                                                         */

typedef struct list_work {
    const contact_term *t;
    int list;
} list_work;

static barrier_law law_of(const contact_term *t, double factor)
{
    double dhat = t->options.dhat;
    return (barrier_law){t->options.barrier, dhat * dhat, factor};
}

static double list_energy(void *context, size_t begin, size_t end)
{
    const list_work *w = context;
    const contact_term *t = w->t;
    barrier_law law = law_of(t, 1);
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += barrier_stencil_value(&law, (stencil_list)w->list, &t->active.lists[w->list].data[i],
                                     t->y);
    return sum;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    (void)x;
    const contact_term *t = (const contact_term *)base;
    double shat = t->options.dhat * t->options.dhat, sum = 0;
    if (!(t->min_gap > 0)) return INFINITY;
    for (int k = 0; k < STENCIL_LISTS; k++) {
        list_work work = {t, k};
        sum += ranks_sum_of(t->active.lists[k].count, list_energy, &work);
    }
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        const plane_contact *c = &t->plane_contacts.data[i];
        double s = stencil_offset2(c->distance * c->distance, c->thickness);
        double reach2 = stencil_reach2(shat, c->thickness);
        sum += c->weight * barrier_thickness_scale(t->options.barrier, shat, reach2) *
               barrier_value(t->options.barrier, s, reach2);
    }
    return ev->kappa * sum;
}

static void mesh_derivatives(const contact_term *t, const evaluation *ev, stencil_list list,
                             size_t begin, size_t end, double *gradient, double *hessian)
{
    int width = stencil_list_width[list];
    size_t n = 3 * (size_t)width, pairs = (size_t)(width * (width + 1) / 2);
    barrier_law law = law_of(t, ev->kappa);
    for (size_t i = begin; i < end; i++) {
        double h[144];
        barrier_stencil_derivatives(&law, list, &t->active.lists[list].data[i], t->y, !ev->exact,
                                    gradient ? gradient + (i - begin) * n : NULL,
                                    hessian ? h : NULL);
        if (hessian) stencil_store_blocks(width, h, hessian + (i - begin) * 9 * pairs);
    }
}

/* The same with respect to the vertex of one contact with a half-space: g and h (NULL: not wanted),
 * h positive semi-definite unless ev->exact. */
static void plane_local(const contact_term *t, const evaluation *ev, const plane_contact *c,
                        double *g, double *h)
{
    double dhat2 = t->options.dhat * t->options.dhat, shat = stencil_reach2(dhat2, c->thickness);
    vec3 n = t->planes.data[c->plane].normal;
    double d = c->distance, factor = ev->kappa * c->weight *
                                     barrier_thickness_scale(t->options.barrier, dhat2, shat);
    double s = stencil_offset2(d * d, c->thickness);
    double b1 = barrier_first(t->options.barrier, s, shat);
    vec3_store(g, vec3_scale(factor * b1 * 2 * d, n));
    if (!h) return;
    double b2 = barrier_second(t->options.barrier, s, shat);
    double curvature = factor * (4 * d * d * b2 + 2 * b1);
    if (!ev->exact) curvature = fmax(0, curvature);
    mat3 block = mat3_scale(curvature, mat3_outer(n, n));
    memcpy(h, block.m, sizeof block.m);
}

static void plane_derivatives(const contact_term *t, const evaluation *ev, size_t begin, size_t end,
                              double *gradient, double *hessian)
{
    for (size_t i = begin; i < end; i++) {
        double g[3], h[9];
        plane_local(t, ev, &t->plane_contacts.data[i], g, hessian ? h : NULL);
        if (gradient) memcpy(gradient + 3 * (i - begin), g, sizeof g);
        if (hessian) memcpy(hessian + 9 * (i - begin), h, sizeof h);
    }
}

/* Stencils of vertices that are no nodes. */
static void row_derivatives(const contact_term *t, const evaluation *ev, int group, size_t begin,
                            size_t end, double *gradient, double *hessian)
{
    const collision_surface *s = &t->model->surface;
    size_t width = (size_t)row_group_width[group], pairs = width * (width + 1) / 2;
    barrier_law law = law_of(t, ev->kappa);
    for (size_t i = begin; i < end; i++) {
        row_item item = t->rows.items[group].data[i];
        bool on_plane = item.list == CONTACT_PLANES;
        const contact_stencil *c = on_plane ? NULL : &t->active.lists[item.list].data[item.index];
        const plane_contact *plane = on_plane ? &t->plane_contacts.data[item.index] : NULL;
        const int32_t *vertex = on_plane ? &plane->vertex : c->vertex;
        int count = on_plane ? 1 : stencil_list_width[item.list];
        double g[12], h[144], *wanted = hessian ? h : NULL;
        if (on_plane)
            plane_local(t, ev, plane, g, wanted);
        else
            barrier_stencil_derivatives(&law, (stencil_list)item.list, c, t->y, !ev->exact, g,
                                        wanted);
        row_chain_rule(s, &t->poses, vertex, count, t->rows.blocks[group].data + i * width,
                       (int)width, g, wanted, !ev->exact,
                       gradient ? gradient + (i - begin) * 3 * width : NULL,
                       hessian ? hessian + (i - begin) * 9 * pairs : NULL);
    }
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)x;
    const contact_term *t = (const contact_term *)base;
    if (group >= CONTACT_ROWS)
        row_derivatives(t, ev, group - CONTACT_ROWS, begin, end, gradient, hessian);
    else if (group == CONTACT_PLANES)
        plane_derivatives(t, ev, begin, end, gradient, hessian);
    else
        mesh_derivatives(t, ev, (stencil_list)group, begin, end, gradient, hessian);
}

/* ---------------------------------------------------------------------------------------------- */
/* Stiffness (IPC supplement 6)                                                                   */

/* What a typical pair is multiplied by besides the stiffness. Like the mean mass that it is set
 * against, it is that of simulated bodies: a coarse floor says nothing about what lies on it. */
static double typical_weight(const contact_term *t)
{
    double sum = 0;
    size_t counted = 0;
    for (size_t i = 0; i < t->areas.vertex.count; i++) {
        int32_t body = t->model->surface.vertex_body.data[i];
        if (body_rows[t->model->bodies.data[body].kind]->obstacle) continue;
        sum += t->areas.vertex.data[i];
        counted += t->areas.vertex.data[i] > 0;
    }
    return counted > 0 ? 0.25 * sum / (double)counted : 1;
}

abut_status contact_weigh_pairs(contact_term *t, double mean_mass, abut_error *err)
{
    const contact_options *o = &t->options;
    if (o->rule != STIFFNESS_LOCAL || o->stiffness > 0 || o->improved_max) return ABUT_OK;
    if (!array_resize(&t->measures.compliance, t->model->surface.rows.count + 1))
        return error_memory(err, "weighing contacts");
    vertex_compliances(t->model, mean_mass, t->measures.compliance.data);
    t->weights.compliance = t->measures.compliance.data;
    return ABUT_OK;
}

double contact_set_stiffness_bounds(contact_term *t, double mean_mass, double vertex_mass)
{
    enum { FEW = 8 }; /* vertices: a box is no more than a heavy node */
    stiffness_bounds(t->options.barrier, t->options.dhat, t->model->extent, mean_mass,
                     typical_weight(t), &t->kappa_min, &t->kappa_max);
    double given = t->options.stiffness;
    if (t->options.physical) given *= barrier_physical_scale(t->options.barrier, t->options.dhat);
    t->max_stiffness_backoff = given > 0 ? 0 : fmax(0, log2(mean_mass / (FEW * vertex_mass)));
    if (given > 0) t->kappa_min = t->kappa_max = given;
    return t->kappa_min;
}

/* Steps under load before the stiffness rises, and the octaves by which it then does: up to the
 * bound of the paper, and above it. */
enum { LOAD_PATIENCE = 8, LOAD_BOUND = LOAD_PATIENCE + 7, LOAD_MOST = LOAD_BOUND + 10 };

/* Under the rule "local" the stiffness follows what pairs carry, beyond the bound of the paper. */
static bool follows_load(const contact_term *t) { return t->options.rule == STIFFNESS_LOCAL; }

double contact_balance_stiffness(const contact_term *t, const double *contact_gradient,
                                 const double *other_gradient, size_t scalars, double before)
{
    double lowest =
        t->kappa_min * exp2(fmax(0, t->persistent_contact - LOAD_PATIENCE) - t->stiffness_backoff);
    double balanced = stiffness_balance(contact_gradient, other_gradient, scalars);
    bool given = t->kappa_min == t->kappa_max, follows = follows_load(t) && !given;
    double highest = follows ? fmax(t->kappa_max, before) : t->kappa_max;
    double kappa = fmin(highest, fmax(lowest, balanced));
    return given || follows ? kappa : kappa * exp2(fmax(0, t->persistent_contact - LOAD_BOUND));
}

/* Under a lasting load the barrier should work in the middle of its range: gaps far below dhat make
 * it stiff against everything but itself, and Newton's method slow. A single impact is left alone;
 * so is the rule where the gaps are wide enough. Above the paper's bound contacts that open and
 * close cost more than small gaps do, and a stiffness that doubles at once pushes what is pressed
 * together apart. Only the gaps at the end of a step tell: prescribed bodies begin the next one by
 * closing them. */
static void note_load(contact_term *t)
{
    static const double ABOVE = 0.125; /* octaves per step */
    double small = t->persistent_contact >= LOAD_BOUND ? 0.003 : 0.1,
           wide = t->persistent_contact > LOAD_BOUND ? 0.1 : 0.5;
    if (t->min_gap < small * t->options.dhat)
        t->persistent_contact = fmin(
            t->persistent_contact + (t->persistent_contact >= LOAD_BOUND ? ABOVE : 1), LOAD_MOST);
    else if (t->min_gap > wide * t->options.dhat)
        t->persistent_contact =
            fmax(t->persistent_contact - (t->persistent_contact > LOAD_BOUND ? ABOVE : 1), 0);
}

bool contact_under_lasting_load(const contact_term *t)
{
    return t->persistent_contact > LOAD_PATIENCE;
}

void contact_end_step(contact_term *t, int iterations)
{
    enum { MANY = 10 };
    static const double OCTAVES = 2; /* per step */
    note_load(t);
    if (t->min_gap < 0.1 * t->options.dhat)
        t->stiffness_backoff = fmax(0, t->stiffness_backoff - OCTAVES);
    else if (t->min_gap > 0.5 * t->options.dhat && contact_count(t) > 0 && iterations > MANY)
        t->stiffness_backoff = fmin(t->max_stiffness_backoff, t->stiffness_backoff + OCTAVES);
}

/* A barrier is linear over no more than its gap. Where a pair that has come a hundred times nearer
 * than dhat still comes nearer, the barrier is too soft for what the pair carries, and collisions
 * stop every direction after a little more than that gap. */
static double tiny_gap(const contact_term *t)
{
    static const double OF_RANGE = 1e-2;
    double tiny = stiffness_tiny_gap(t->model->extent);
    return follows_load(t) ? fmax(tiny, OF_RANGE * t->options.dhat) : tiny;
}

/* Beyond it the masses are rounding beside the barrier. */
static double highest_stiffness(const contact_term *t)
{
    bool given = t->kappa_min == t->kappa_max;
    return follows_load(t) && !given ? 0x1p30 * t->kappa_max : t->kappa_max;
}

bool contact_adapt_stiffness(contact_term *t, double *kappa)
{
    /* Collisions let what flies towards something come nearer by a factor of five per iteration,
     * until the barrier throws it back: that is no load. */
    enum { PATIENCE = 3 };
    double limit = tiny_gap(t), highest = highest_stiffness(t);
    close_pairs_begin(&t->close);
    if (!close_pairs_add_set(&t->close, &t->active, limit)) return false;
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        const plane_contact *c = &t->plane_contacts.data[i];
        const int32_t vertex[4] = {c->vertex, -2 - c->plane, -1, -1};
        double gap = c->distance - c->thickness;
        if (!close_pairs_add(&t->close, vertex, gap * gap, limit)) return false;
    }
    if (!close_pairs_shrink(&t->close, follows_load(t) ? PATIENCE : 1) || *kappa >= highest)
        return false;
    *kappa = fmin(highest, 2 * *kappa);
    return true;
}

size_t contact_count(const contact_term *t)
{
    return active_set_count(&t->active) + t->plane_contacts.count;
}

/* ---------------------------------------------------------------------------------------------- */
/* What can move                                                                                  */

bool contact_vertex_is_fixed(const contact_term *t, size_t vertex, const uint8_t *fixed)
{
    int32_t blocks[ROW_MAX_BLOCKS];
    int count = surface_row_blocks(&t->model->surface, (int32_t)vertex, blocks);
    for (int k = 0; k < count; k++) {
        const uint8_t *f = fixed + 3 * (size_t)blocks[k];
        if (!f[0] || !f[1] || !f[2]) return false;
    }
    return true;
}

static void kinematic_changed(contact_term *t)
{
    if (t->parts)
        broad_parts_update_filter(t->parts);
    else
        broad_update_filter(t->broad);
    t->search->have_candidates = false;
}

void contact_set_fixed(contact_term *t, const uint8_t *fixed)
{
    bool changed = false;
    for (size_t i = 0; i < t->model->surface.rows.count; i++) {
        uint8_t kinematic = contact_vertex_is_fixed(t, i, fixed);
        changed = changed || kinematic != t->kinematic[i];
        t->kinematic[i] = kinematic;
    }
    if (changed) kinematic_changed(t);
}

/* Fixed vertices count as prescribed: their pairs are no candidates. */
static abut_status restrict_to(term *base, const uint8_t *fixed, abut_error *err)
{
    contact_term *t = (contact_term *)base;
    size_t n = t->model->surface.rows.count;
    if (t->weights.links) return ABUT_OK; /* their sums are over all pairs of a vertex */
    if (fixed && t->dirichlet.count == 0) {
        if (!array_resize(&t->dirichlet, n)) return error_memory(err, "choosing contacts");
        memcpy(t->dirichlet.data, t->kinematic, n);
    }
    if (t->dirichlet.count == 0) return ABUT_OK;
    for (size_t i = 0; i < n; i++)
        t->kinematic[i] = t->dirichlet.data[i] || (fixed && contact_vertex_is_fixed(t, i, fixed));
    if (!fixed) array_clear(&t->dirichlet);
    kinematic_changed(t);
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Lifecycle                                                                                      */

static void free_search(contact_search *s)
{
    if (!s) return;
    candidate_set_free(&s->candidates);
    mem_free(s->start);
    mem_free(s->p);
    mem_free(s->deviation);
    array_free(&s->motions);
    mem_free(s->extra);
    swept_cover_free(&s->swept_cover);
    near_pairs_free(&s->near);
    array_free(&s->moments);
    mem_free(s);
}

static abut_status create_search(const model *m, contact_search **out, abut_error *err)
{
    contact_search *s = *out = mem_calloc(1, sizeof *s);
    if (!s) return error_memory(err, "creating the contact term");
    size_t vertices = m->surface.rows.count;
    s->stopped = INFINITY;
    s->start = mem_calloc(vertices, sizeof *s->start);
    s->p = mem_calloc(vertices, sizeof *s->p);
    bool ok = s->start && s->p;
    if (ok && m->surface.poses.count > 0) {
        s->deviation = mem_calloc(vertices, sizeof *s->deviation);
        ok = s->deviation && array_resize(&s->motions, m->surface.poses.count);
    }
    if (ok && m->surface.thickness.count > 0) {
        s->extra = mem_calloc(vertices, sizeof *s->extra);
        ok = s->extra != NULL;
    }
    return ok ? swept_cover_create(&s->swept_cover, &m->surface, err)
              : error_memory(err, "creating the contact term");
}

static void destroy(term *base)
{
    contact_term *t = (contact_term *)base;
    array_free(&t->planes);
    array_free(&t->measures.only);
    array_free(&t->measures.plane_areas);
    broad_destroy(t->broad);
    broad_parts_destroy(t->parts);
    mem_free(t->kinematic);
    array_free(&t->dirichlet);
    free_search(t->search);
    active_set_free(&t->active);
    surface_areas_free(&t->areas);
    array_free(&t->measures.compliance);
    surface_links_free(&t->measures.links);
    array_free(&t->plane_contacts);
    for (int k = 0; k <= STENCIL_LISTS; k++) array_free(&t->blocks[k]);
    row_stencils_free(&t->rows);
    array_free(&t->poses);
    array_free(&t->others);
    array_free(&t->other_planes);
    mem_free(t->group_flags);
    mem_free(t->y);
    close_pairs_free(&t->close);
    mem_free(t);
}

static const term_class contact_class = {.name = "contact",
                                         .update = update,
                                         .value = value,
                                         .derivatives = derivatives,
                                         .max_step = contact_max_step,
                                         .obstructions = contact_obstructions,
                                         .restrict_to = restrict_to,
                                         .destroy = destroy};

static abut_status measure_areas(contact_term *t, abut_error *err)
{
    const collision_surface *s = &t->model->surface;
    collision_surface_positions(s, (const double *)t->model->rest.data, t->y);
    t->weights.areas = &t->areas;
    return surface_areas_measure(&t->areas, s, t->y, s->rows.count, err);
}

static double mean_edge(const collision_surface *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->edge_length2.count; i++) sum += sqrt(s->edge_length2.data[i]);
    return s->edge_length2.count > 0 ? sum / (double)s->edge_length2.count : 0;
}

static broad_surface shape_of(const contact_term *t)
{
    const model *m = t->model;
    return (broad_surface){.vertex_count = m->surface.rows.count,
                           .edge_count = m->surface.edges.count / 2,
                           .edges = (const int32_t(*)[2])m->surface.edges.data,
                           .triangle_count = m->surface.triangles.count / 3,
                           .triangles = (const int32_t(*)[3])m->surface.triangles.data,
                           .group = m->surface.vertex_group.data,
                           .group_count = m->bodies.count,
                           .group_flags = t->group_flags,
                           .planar = m->planar,
                           .kinematic = t->kinematic,
                           .excluded = m->surface.excluded.data,
                           .excluded_count = m->surface.excluded.count,
                           .body = m->surface.vertex_body.data};
}

/* The bodies cut into parts, in their frames. */
static abut_status make_parts(contact_term *t, abut_error *err)
{
    const model *m = t->model;
    broad_surface shape = shape_of(t);
    collision_surface_positions(&m->surface, (const double *)m->rest.data, t->y);
    return broad_parts_create(&shape, m->surface.vertex_body.data, t->y, &t->parts, err);
}

abut_status contact_renew_poses(contact_term *t, abut_error *err)
{
    t->search->have_candidates = false;
    if (!t->parts) return ABUT_OK;
    broad_parts_destroy(t->parts);
    t->parts = NULL;
    return make_parts(t, err);
}

abut_status contact_create(const model *m, const contact_options *options, contact_term **out,
                           abut_error *err)
{
    contact_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the contact term");
    size_t vertices = m->surface.rows.count;
    t->base = (term){.class = &contact_class,
                     .dynamic = true,
                     .group_count = m->surface.general ? CONTACT_ROWS + ROW_GROUPS : CONTACT_ROWS};
    for (int k = 0; k < STENCIL_LISTS; k++) t->base.groups[k].width = stencil_list_width[k];
    t->base.groups[CONTACT_PLANES].width = 1;
    if (m->surface.general) row_stencils_publish(&t->rows, &t->base, CONTACT_ROWS);
    t->model = m;
    t->options = *options;
    t->min_distance = t->min_gap = INFINITY;
    t->kinematic = mem_calloc(vertices, 1);
    t->y = mem_calloc(vertices, sizeof *t->y);
    t->edge = mean_edge(&m->surface);
    abut_status status = create_search(m, &t->search, err);
    t->group_flags = mem_calloc(m->bodies.count + 1, 1);
    bool ok = t->kinematic && t->y && t->group_flags;
    if (!ok && status == ABUT_OK) status = error_memory(err, "creating the contact term");
    for (size_t b = 0; ok && b < m->bodies.count; b++)
        if (m->bodies.data[b].no_self_contact || m->bodies.data[b].collision_group >= 0)
            t->group_flags[b] = BROAD_GROUP_NO_SELF;
    if (status == ABUT_OK && options->area_weighted) status = measure_areas(t, err);
    if (status == ABUT_OK && options->improved_max) {
        t->weights.links = &t->measures.links;
        status = surface_links_make(&t->measures.links, &m->surface, vertices, err);
    }
    if (status == ABUT_OK && part_boxes_possible(m)) { /* instead of one over all primitives */
        status = make_parts(t, err);
        if (status == ABUT_OK)
            status =
                near_pairs_create(&t->search->near, &t->search->swept_cover, options->dhat, err);
    } else if (status == ABUT_OK) {
        broad_surface shape = shape_of(t);
        status = broad_create(&shape, &t->broad, err);
    }
    if (status != ABUT_OK) {
        destroy(&t->base);
        return status;
    }
    *out = t;
    return ABUT_OK;
}

abut_status contact_add_half_space(contact_term *t, half_space plane, abut_error *err)
{
    plane.normal = vec3_normalize(plane.normal);
    return array_push(&t->planes, plane) ? ABUT_OK : error_memory(err, "adding a half-space");
}

void contact_begin_step(contact_term *t)
{
    t->search->have_candidates = false;
    t->search->searches = 0;
    t->search->stopped = INFINITY;
}
