#include "remesh/patch.h"

#include "contact/contact_step.h"
#include "remesh/local_internal.h"
#include "remesh/quick_patch.h"

#include <math.h>
#include <string.h>

/* --- the reach ------------------------------------------------------------------------------ */

static double reach_value(const term *base, const evaluation *ev, const double *x)
{
    (void)ev;
    (void)base;
    (void)x;
    return 0;
}

/* Largest alpha with |x + alpha p - origin| <= reach for all vertices. */
static abut_status reach_max_step(const term *base, const double *x, const double *p, double limit,
                                  step_bound *bound, stage_timer *timer, abut_error *err)
{
    (void)timer;
    (void)err;
    const reach_term *t = (const reach_term *)base;
    *bound = (step_bound){.alpha = limit, .group = -1};
    for (size_t i = 0; i < t->blocks; i++) {
        vec3 step = vec3_load(p + 3 * i);
        double length = vec3_norm(step);
        if (length == 0) continue;
        double gone = vec3_norm(vec3_sub(vec3_load(x + 3 * i), vec3_load(t->origin + 3 * i)));
        double left = fmax(0, t->reach - gone);
        if (left < bound->alpha * length) bound->alpha = left / length;
    }
    return ABUT_OK;
}

static const term_class reach_class = {
    .name = "reach", .value = reach_value, .max_step = reach_max_step};

/* --- lifecycle ------------------------------------------------------------------------------ */

/* The bodies of the scene, for friction and groups, then one per attribute, for materials. */
static abut_status make_bodies(patch *p, abut_error *err)
{
    const model *scene = p->problem->scene;
    size_t bodies = scene ? scene->bodies.count : 1;
    for (size_t i = 0; i < bodies; i++) {
        model_body body = {.friction = -1, .collision_group = -1, .rigid = -1, .nodal = true};
        if (scene) {
            const model_body *from = &scene->bodies.data[i];
            body.kind = from->kind;
            body.friction = from->friction;
            body.offset = from->offset;
            body.no_self_contact = from->no_self_contact;
            body.collision_group = from->collision_group;
        }
        if (!array_push(&p->model.bodies, body)) return error_memory(err, "preparing a patch");
    }
    for (size_t i = 0; i < p->problem->material_count; i++) {
        const remesh_material *from = &p->problem->materials[i];
        model_body body = {.kind = BODY_DEFORMABLE,
                           .material = from->material,
                           .density = from->density,
                           .consistent_mass = true,
                           .nodal = true,
                           .friction = -1,
                           .collision_group = -1,
                           .rigid = -1};
        if (!array_push(&p->model.bodies, body)) return error_memory(err, "preparing a patch");
    }
    return ABUT_OK;
}

abut_status patch_init(patch *p, const local_mesh *m, const remesh_problem *q, surround *around,
                       abut_error *err)
{
    *p = (patch){.mesh = m, .problem = q, .around = around, .field_now = q->field_x};
    p->model.planar = m->dimension == 2;
    p->model.extent = 1;
    p->model.built = true;
    timer_start(&p->timer);
    p->solver = mem_calloc(1, sizeof *p->solver);
    abut_status status = p->solver ? make_bodies(p, err) : error_memory(err, "preparing a patch");
    if (status == ABUT_OK && p->model.planar) {
        element_set set;
        status = element_set_init(&set, CELL_TRIANGLE, 1, 1, true, err);
        if (status == ABUT_OK && !array_push(&p->model.sets, set)) {
            element_set_free(&set);
            status = error_memory(err, "preparing a patch");
        }
    }
    if (status != ABUT_OK) patch_free(p);
    return status;
}

static void destroy(term *t)
{
    if (t) t->class->destroy(t);
}

static void close_terms(patch *p)
{
    if (p->have_solver) problem_free(p->solver);
    p->have_solver = false;
    destroy((term *)p->inertia);
    destroy((term *)p->elastic);
    destroy((term *)p->friction);
    destroy((term *)p->contact);
    p->inertia = NULL;
    p->elastic = NULL;
    p->friction = NULL;
    p->contact = NULL;
}

void patch_free(patch *p)
{
    close_terms(p);
    mem_free(p->solver);
    model_free(&p->model);
    array_free(&p->vertices);
    array_free(&p->scene_vertex);
    number_map_free(&p->block_of);
    number_map_free(&p->scene_block);
    number_map_free(&p->on_surface);
    number_map_free(&p->cells_in);
    surround_near_free(&p->near);
    array_free(&p->x);
    array_free(&p->origin);
    array_free(&p->start);
    array_free(&p->lag);
    array_free(&p->fixed);
    array_free(&p->edge_keys);
    memset(p, 0, sizeof *p);
}

/* --- filling -------------------------------------------------------------------------------- */

static void clear_model(model *m)
{
    array_clear(&m->rest);
    array_clear(&m->mass);
    array_clear(&m->body);
    array_clear(&m->tets);
    array_clear(&m->tet_rest);
    array_clear(&m->tet_body);
    m->tet_count = 0;
    for (size_t i = 0; i < m->sets.count; i++) {
        element_set *s = &m->sets.data[i];
        s->count = 0;
        array_clear(&s->blocks);
        array_clear(&s->points);
        array_clear(&s->material);
        array_clear(&s->density);
        array_clear(&s->body);
        array_clear(&s->mass);
    }
    collision_surface *f = &m->surface;
    array_clear(&f->rows);
    array_clear(&f->vertex_body);
    array_clear(&f->vertex_group);
    array_clear(&f->edges);
    array_clear(&f->triangles);
    array_clear(&f->edge_length2);
    array_clear(&f->vertex_on_edge);
    array_clear(&f->thickness);
}

/* A block that does not move unless its flags are taken away later. */
static abut_status add_block(patch *p, vec3 rest, vec3 now, vec3 start, vec3 lag, int32_t body,
                             int32_t vertex, int32_t scene_vertex, int32_t *block, abut_error *err)
{
    *block = (int32_t)p->vertices.count;
    size_t n = 3 * p->vertices.count;
    bool ok = array_push(&p->vertices, vertex) && array_push(&p->scene_vertex, scene_vertex) &&
              array_push(&p->model.rest, rest) && array_push(&p->model.mass, 0.0) &&
              array_push(&p->model.body, body) && array_resize(&p->x, n + 3) &&
              array_resize(&p->start, n + 3) && array_resize(&p->lag, n + 3) &&
              array_resize(&p->fixed, n + 3);
    if (!ok) return error_memory(err, "preparing a patch");
    vec3_store(p->x.data + n, now);
    vec3_store(p->start.data + n, start);
    vec3_store(p->lag.data + n, lag);
    memset(p->fixed.data + n, 1, 3);
    return ABUT_OK;
}

/* The attribute of some cell of a vertex: all of them belong to one body. */
static int32_t attribute_of(const local_mesh *m, int32_t vertex)
{
    return m->cells.data[m->vertices.data[vertex].first / 4].attribute;
}

abut_status patch_local_block(patch *p, int32_t vertex, int32_t *block, abut_error *err)
{
    *block = number_map_get(&p->block_of, vertex);
    if (*block >= 0) return ABUT_OK;
    const local_mesh *m = p->mesh;
    const remesh_problem *q = p->problem;
    vec3 now = *local_field(m, vertex, p->field_now);
    vec3 start = q->field_start >= 0 ? *local_field(m, vertex, q->field_start) : now;
    vec3 lag = q->lag == LAG_AT_START ? start
               : q->field_safe > 0    ? *local_field(m, vertex, q->field_safe)
                                      : now;
    int32_t body = (int32_t)(p->model.bodies.count - q->material_count) + attribute_of(m, vertex);
    TRY(add_block(p, m->vertices.data[vertex].rest, now, start, lag, body, vertex, -1, block, err));
    if (!number_map_set(&p->block_of, vertex, *block))
        return error_memory(err, "preparing a patch");
    return ABUT_OK;
}

abut_status patch_scene_block(patch *p, int32_t vertex, int32_t *block, abut_error *err)
{
    *block = number_map_get(&p->scene_block, vertex);
    if (*block >= 0) return ABUT_OK;
    int32_t body = p->problem->scene->surface.vertex_body.data[vertex];
    vec3 now = p->around->now[vertex], start = p->around->start[vertex];
    TRY(add_block(p, p->around->rest[vertex], now, start,
                  p->problem->lag == LAG_AT_START ? start : now, body, -1, vertex, block, err));
    if (!number_map_set(&p->scene_block, vertex, *block))
        return error_memory(err, "preparing a patch");
    return ABUT_OK;
}

static abut_status add_cell(patch *p, int32_t cell, abut_error *err)
{
    const local_mesh *m = p->mesh;
    const local_cell *c = &m->cells.data[cell];
    model *to = &p->model;
    int32_t blocks[4];
    vec3 shape[4];
    int32_t body = (int32_t)(to->bodies.count - p->problem->material_count) + c->attribute;
    for (int k = 0; k <= m->dimension; k++) {
        TRY(patch_local_block(p, c->vertex[k], &blocks[k], err));
        shape[k] = m->vertices.data[c->vertex[k]].rest;
    }
    if (m->dimension == 2) {
        const remesh_material *material = &p->problem->materials[c->attribute];
        return element_set_add(&to->sets.data[0], blocks, shape, 1, &material->material,
                               material->density, body, err);
    }
    tet4_rest rest;
    if (!tet4_rest_make(shape, &rest))
        return error_set(err, ABUT_ERROR_INTERNAL, "", "a cell of a patch has no volume");
    bool ok = array_push(&to->tet_rest, rest) && array_push(&to->tet_body, body);
    for (int k = 0; k < 4; k++) ok = ok && array_push(&to->tets, blocks[k]);
    if (!ok) return error_memory(err, "preparing a patch");
    to->tet_count++;
    return ABUT_OK;
}

/* Vertices all of whose cells belong to the patch are free, but for the axes that their flags fix.
 */
static abut_status free_inner(patch *p, const local_list *cells, abut_error *err)
{
    const local_mesh *m = p->mesh;
    number_map *in = &p->cells_in;
    bool ok = true;
    number_map_clear(in);
    for (size_t i = 0; ok && i < cells->count; i++) ok = number_map_set(in, cells->data[i], 0);
    p->free_count = 0;
    p->contact_possible = false;
    for (size_t i = 0; ok && i < p->inner; i++) {
        int32_t v = p->vertices.data[i];
        bool inside = true;
        for (int32_t r = m->vertices.data[v].first; inside && r >= 0;
             r = m->cells.data[r / 4].next[r % 4])
            inside = number_map_get(in, r / 4) >= 0;
        if (!inside) continue;
        uint8_t *fixed = p->fixed.data + 3 * i;
        int axes = remesh_fixed_axes(p->problem, m, v, m->vertices.data[v].flags);
        for (int axis = 0; axis < 3; axis++) fixed[axis] = axes >> axis & 1;
        if (fixed[0] && fixed[1] && fixed[2]) continue;
        p->free_count++;
        if (p->around && !p->contact_possible)
            p->contact_possible = local_vertex_on_boundary(m, v, false);
    }
    return ok ? ABUT_OK : error_memory(err, "preparing a patch");
}

static bool block_is_free(const patch *p, size_t block)
{
    const uint8_t *f = p->fixed.data + 3 * block;
    return !(f[0] && f[1] && f[2]);
}

/* The box of everything that free vertices of the surface may come near. */
static void find_box(patch *p, surround_box *where)
{
    surround_box box = surround_empty(), moving = surround_empty();
    for (size_t i = 0; i < p->inner; i++) {
        if (!block_is_free(p, i)) continue;
        vec3 at = vec3_load(p->x.data + 3 * i);
        moving.low = vec3_min(moving.low, at);
        moving.high = vec3_max(moving.high, at);
    }
    /* Facets of free vertices reach to their neighbours: the whole patch bounds them. */
    for (size_t i = 0; i < p->inner; i++) surround_add_vertex(p->around, p->vertices.data[i], &box);
    double thickness = 0;
    for (size_t b = 0; b < p->model.bodies.count; b++)
        thickness = fmax(thickness, p->model.bodies.data[b].offset);
    double dhat = p->problem->contact->options.dhat;
    double reach = fmax(dhat, PATCH_REACH * vec3_norm(vec3_sub(moving.high, moving.low)));
    if (where->low.x > where->high.x) { /* not given: patches that follow use the same */
        vec3 room = vec3_make(1, 1, 1);
        double width = 2 * reach + dhat + thickness;
        *where = (surround_box){vec3_mul_add(box.low, -width, room),
                                vec3_mul_add(box.high, width, room)};
    }
    p->reach.reach = reach;
}

/* --- forces --------------------------------------------------------------------------------- */

static void add_force(patch *p, int32_t vertex, double factor, vec3 force)
{
    double *f = p->inertia->force + 3 * (size_t)number_map_get(&p->block_of, vertex);
    vec3_store(f, vec3_mul_add(vec3_load(f), factor, force));
}

static void add_tractions(patch *p, const local_cell *c)
{
    const local_mesh *m = p->mesh;
    for (int k = 0; k <= m->dimension; k++) {
        if (c->facet[k] < 0) continue;
        flag_set common = local_common_flags(m, c, k);
        for (size_t i = 0; i < p->problem->traction_count; i++) {
            const remesh_traction *t = &p->problem->tractions[i];
            if (!remesh_is_loaded(p->problem, m, t, c, common)) continue;
            double share = local_facet_area(m, c, k) / m->dimension;
            for (int j = 0; j <= m->dimension; j++)
                if (j != k) add_force(p, c->vertex[j], share, t->traction);
        }
    }
}

static void set_forces(patch *p, const local_list *cells)
{
    const local_mesh *m = p->mesh;
    const remesh_problem *q = p->problem;
    for (size_t i = 0; i < cells->count; i++) {
        const local_cell *c = &m->cells.data[cells->data[i]];
        double mass = q->materials[c->attribute].density * local_cell_volume(m, cells->data[i], -1);
        for (int k = 0; k <= m->dimension; k++)
            add_force(p, c->vertex[k], mass / (m->dimension + 1), q->gravity);
        if (q->traction_count > 0) add_tractions(p, c);
    }
    for (size_t i = 0; i < p->vertices.count; i++) {
        int32_t v = p->vertices.data[i];
        vec3 at = vec3_load(p->x.data + 3 * i);
        vec3_store(p->inertia->x_tilde + 3 * i,
                   v >= 0 && i < p->inner ? *local_field(m, v, q->field_predictor) : at);
    }
}

/* --- terms ---------------------------------------------------------------------------------- */

static abut_status make_contact(patch *p, abut_error *err)
{
    const contact_term *from = p->problem->contact;
    contact_options options = from->options;
    options.area_weighted = false; /* the weights are those of the whole surface */
    TRY(contact_create(&p->model, &options, &p->contact, err));
    for (size_t i = 0; i < from->planes.count; i++)
        TRY(contact_add_half_space(p->contact, from->planes.data[i], err));
    p->contact->kappa_min = p->contact->kappa_max = p->problem->kappa;
    contact_set_fixed(p->contact, p->fixed.data);
    if (from->options.area_weighted) TRY(patch_set_areas(p, err));
    TRY(problem_add_term(p->solver, &p->contact->base, err));
    const friction_term *rub = p->problem->friction;
    if (!rub || !friction_possible(rub)) return ABUT_OK;
    TRY(friction_create(p->contact, rub->scene_mu, rub->kind, &p->friction, err));
    for (size_t i = 0; i < rub->pairs.count; i++)
        TRY(friction_set_pair(p->friction, rub->pairs.data[i].low, rub->pairs.data[i].high,
                              rub->pairs.data[i].mu, err));
    p->friction->eps = rub->eps;
    p->friction->h = rub->h;
    friction_set_start(p->friction, p->start.data);
    TRY(problem_add_term(p->solver, &p->friction->base, err));
    p->evaluation.without = term_bit(&p->friction->base); /* until it was lagged */
    return ABUT_OK;
}

static abut_status make_terms(patch *p, const local_list *cells, abut_error *err)
{
    const remesh_problem *q = p->problem;
    TRY(problem_init(p->solver, model_block_count(&p->model), &p->timer, err));
    p->have_solver = true;
    TRY(inertia_create(&p->model, &p->inertia, err));
    TRY(elastic_create(&p->model, &p->elastic, err));
    p->evaluation = (evaluation){.force_factor = q->force_factor,
                                 .load_factor = q->force_factor,
                                 .mass_factor = q->mass_factor,
                                 .kappa = q->kappa};
    set_forces(p, cells);
    TRY(problem_add_term(p->solver, &p->inertia->base, err));
    TRY(problem_add_term(p->solver, &p->elastic->base, err));
    if (p->contact_possible) {
        TRY(make_contact(p, err));
        p->reach.base = (term){.class = &reach_class};
        p->reach.origin = p->origin.data;
        p->reach.blocks = p->vertices.count;
        TRY(problem_add_term(p->solver, &p->reach.base, err));
    }
    return problem_set_fixed(p->solver, p->fixed.data, err);
}

abut_status patch_open(patch *p, const local_list *cells, surround_box *where, abut_error *err)
{
    close_terms(p);
    clear_model(&p->model);
    array_clear(&p->vertices);
    array_clear(&p->scene_vertex);
    number_map_clear(&p->block_of);
    number_map_clear(&p->scene_block);
    number_map_clear(&p->on_surface);
    for (size_t i = 0; i < cells->count; i++) TRY(add_cell(p, cells->data[i], err));
    p->inner = p->vertices.count;
    TRY(free_inner(p, cells, err));
    if (p->contact_possible) {
        find_box(p, where);
        TRY(surround_find(p->around, *where, &p->near, err));
        TRY(patch_fill_surface(p, cells, err));
    }
    size_t scalars = 3 * p->vertices.count;
    if (!array_resize(&p->origin, scalars)) return error_memory(err, "preparing a patch");
    memcpy(p->origin.data, p->x.data, scalars * sizeof *p->x.data);
    return make_terms(p, cells, err);
}

/* --- energy and solution -------------------------------------------------------------------- */

/* Normal forces and frames of friction, as the step has them. */
static abut_status lag_friction(patch *p, abut_error *err)
{
    if (!p->friction) return ABUT_OK;
    TRY(p->contact->base.class->update(&p->contact->base, p->lag.data, err));
    TRY(friction_lag(p->friction, p->evaluation.kappa, err));
    p->evaluation.without = 0;
    return ABUT_OK;
}

abut_status patch_energy(patch *p, double *energy, abut_error *err)
{
    TRY(lag_friction(p, err));
    TRY(problem_update(p->solver, &p->evaluation, p->x.data, err));
    *energy = problem_value(p->solver, &p->evaluation, p->x.data);
    return ABUT_OK;
}

abut_status patch_relax(patch *p, int iterations, const double *goal, double *energy, int *used,
                        bool *converged, abut_error *err)
{
    *used = 0;
    *converged = true;
    if (p->free_count == 0) {
        TRY(problem_update(p->solver, &p->evaluation, p->x.data, err));
        *energy = problem_value(p->solver, &p->evaluation, p->x.data);
        return ABUT_OK;
    }
    static const linear_options direct = {.name = "direct"};
    linear_solver *linear = NULL;
    newton_solver newton = {0};
    newton_result result = {0};
    TRY(linear_create(&direct, &linear, err));
    abut_status status = newton_init(&newton, p->solver, linear, NULL, err);
    if (status == ABUT_OK) {
        newton_options options = {
            .tolerance = p->problem->tolerance, .max_iterations = iterations, .goal = goal};
        status = newton_minimize(&newton, &p->evaluation, p->x.data, &options, NULL, &result, NULL);
        newton_free(&newton);
    }
    linear_destroy(linear);
    *used = result.iterations;
    *energy = result.energy;
    *converged = status == ABUT_OK;
    /* A cap, no descent and a bad direction end the trial; x is feasible and not worse. */
    if (status == ABUT_ERROR_INFEASIBLE) *energy = INFINITY;
    if (status == ABUT_ERROR_NOT_CONVERGED || status == ABUT_ERROR_INFEASIBLE) return ABUT_OK;
    if (status != ABUT_OK) return error_set(err, status, "", "a patch could not be solved");
    return ABUT_OK;
}

abut_status patch_store(const patch *p, local_mesh *m, abut_error *err)
{
    for (size_t i = 0; i < p->inner; i++)
        if (block_is_free(p, i))
            TRY(local_mesh_set_field(m, p->vertices.data[i], p->problem->field_x,
                                     vec3_load(p->x.data + 3 * i), err));
    return ABUT_OK;
}

abut_status patch_can_merge(patch *p, int32_t a, int32_t b, vec3 now, vec3 start, bool *can,
                            abut_error *err)
{
    *can = true;
    if (!p->contact) return ABUT_OK;
    size_t scalars = 3 * p->vertices.count;
    double *displacement = mem_calloc(scalars, sizeof *displacement);
    if (!displacement) return error_memory(err, "looking at a collapse");
    abut_status status = ABUT_OK;
    for (int pass = 0; pass < 2 && status == ABUT_OK && *can; pass++) {
        const double *from = pass ? p->start.data : p->x.data;
        for (int side = 0; side < 2; side++) {
            size_t at = 3 * (size_t)number_map_get(&p->block_of, side ? b : a);
            vec3_store(displacement + at, vec3_sub(pass ? start : now, vec3_load(from + at)));
        }
        step_bound bound = {.alpha = 1, .group = -1};
        contact_begin_step(p->contact);
        status = contact_max_step(&p->contact->base, from, displacement, 1, &bound, &p->timer, err);
        *can = bound.alpha >= 1;
    }
    contact_begin_step(p->contact);
    mem_free(displacement);
    return status;
}
