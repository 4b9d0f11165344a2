#include "sim/remesh.h"

#include "contact/contact_step.h"
#include "sim/remesh_methods.h"
#include "verify/verify_positions.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A change of the potential, in units of the energy of the bodies, that ends a wait. */
static const double NOTABLE_CHANGE = 0.25;

/* ---- making ---- */

static double shortest_edge(const mesh *shape, bool planar)
{
    simplex_mesh m = simplex_view(shape, planar);
    double least = INFINITY;
    for (size_t c = 0; c < m.cell_count; c++) {
        const int32_t *n = m.cells + c * (size_t)(m.dimension + 1);
        for (int i = 0; i <= m.dimension; i++)
            for (int k = 0; k < i; k++)
                least = fmin(least, vec3_norm(vec3_sub(m.vertices[n[i]], m.vertices[n[k]])));
    }
    return least;
}

void sim_remesh_destroy(sim_remesh *r)
{
    if (!r) return;
    body_shapes_free(&r->shapes);
    mem_free(r->shortest);
    remesh_memory_free(&r->memory);
    array_free(&r->remembered.keys);
    array_free(&r->remembered.strengths);
    mem_free(r);
}

/* Meshes that local operations cannot work on are refused before the first step. */
static abut_status try_meshes(const abut_sim *sim, abut_error *err)
{
    const scene_def *scene = sim->scene;
    stepper *s = sim->stepper;
    memcpy(s->x, s->state.x, s->state.scalars * sizeof *s->x);
    for (size_t i = 0; i < scene->body_count; i++) {
        if (!scene->bodies[i].remesh) continue;
        local_mesh m = {0};
        abut_status status =
            shape_to_local(s, &sim->remesh->shapes.bodies[i], built_body(scene, i), &m, err);
        for (size_t k = 0; status == ABUT_OK && k < m.vertices.count; k++)
            sim->remesh->pinched = sim->remesh->pinched || m.vertices.data[k].pinched;
        local_mesh_free(&m);
        if (status == ABUT_OK) continue;
        char place[256];
        snprintf(place, sizeof place, "%s: bodies[%zu].mesh", scene->path, i);
        return error_add_place(err, place, status);
    }
    return ABUT_OK;
}

abut_status sim_remesh_create(abut_sim *sim, abut_error *err)
{
    const scene_def *scene = sim->scene;
    sim_remesh *r = mem_calloc(1, sizeof *r);
    if (!r) return error_memory(err, "preparing remeshing");
    sim->remesh = r; /* destroyed with the simulation */
    r->shortest = mem_calloc(scene->body_count + 1, sizeof *r->shortest);
    if (!r->shortest) return error_memory(err, "preparing remeshing");
    TRY(body_shapes_init(&r->shapes, scene, err));
    r->patience = 1;
    r->next = 1;
    size_t count = 0;
    for (size_t i = 0; i < scene->body_count; i++) {
        if (!scene->bodies[i].remesh) continue;
        count++;
        r->shortest[i] = shortest_edge(&r->shapes.bodies[i].shape, scene->planar);
    }
    if (count == 0)
        log_message(&sim->log, ABUT_LOG_WARNING,
                    "%s: remesh: no body of the scene is remeshed (only deformable ones are)",
                    scene->path);
    TRY(scene_build_shapes(scene, &r->shapes, &sim->log, &sim->stepper, err));
    return scene->remesh.method == REMESH_UNIFORM ? ABUT_OK : try_meshes(sim, err);
}

/* ---- one step ---- */

static abut_status make_changes(abut_sim *sim, body_change *changes, remesh_counts *counts,
                                abut_error *err)
{
    switch (sim->scene->remesh.method) {
    case REMESH_UNIFORM: return remesh_uniformly(sim, changes, counts, err);
    case REMESH_SIZING_FIELD: return remesh_by_size(sim, changes, counts, err);
    case REMESH_ENERGY: return remesh_by_energy(sim, changes, counts, err);
    }
    return ABUT_OK;
}

/* Whether positions of a stepper are free of intersections and inversions, by the independent
 * check. exact: false for surfaces that are known to be where others were, to rounding. */
static abut_status positions_feasible(const scene_def *scene, const stepper *s, const double *x,
                                      bool exact, bool *feasible, abut_error *err)
{
    *feasible = elastic_count_inverted(s->elastic, x) == 0;
    if (!exact || !*feasible) return ABUT_OK;
    verify_result result;
    abut_status status = verify_positions(scene, s->model, x, &result, err);
    *feasible = status == ABUT_OK &&
                result.intersections + result.behind_planes + result.inside + result.inverted == 0;
    return status;
}

/* Where the step on the new meshes starts: as far from the safe positions to the relaxed ones
 * (guess, replaced) as nothing collides and no cell is inverted. */
static abut_status go_safely(const abut_sim *sim, stepper *s, const body_change *changes,
                             bool exact, double *guess, bool *feasible, abut_error *err)
{
    size_t n = s->state.scalars;
    double *safe = mem_alloc(2 * n + 1, sizeof *safe), *path = safe + n;
    step_bound bound = {.alpha = 1, .group = -1};
    if (!safe) return error_memory(err, "remeshing");
    carry_safe_positions(sim->stepper, s, sim->scene, changes, safe);
    bool moves = false;
    for (size_t i = 0; i < n; i++) {
        path[i] = guess[i] - safe[i];
        moves = moves || path[i] != 0;
    }
    abut_status status = ABUT_OK;
    if (s->contact && moves) {
        contact_begin_step(s->contact);
        status = contact_max_step(&s->contact->base, safe, path, 1, &bound, &s->timer, err);
        contact_begin_step(s->contact);
        double alpha = 0.8 * bound.alpha;
        for (size_t i = 0; i < n && bound.alpha < 1; i++) guess[i] = safe[i] + alpha * path[i];
    }
    *feasible = false;
    if (status == ABUT_OK) status = positions_feasible(sim->scene, s, guess, exact, feasible, err);
    if (status == ABUT_OK && !*feasible && moves) {
        memcpy(guess, safe, n * sizeof *guess);
        status = positions_feasible(sim->scene, s, guess, exact, feasible, err);
    }
    mem_free(safe);
    return status;
}

/* A stepper on the new meshes that has solved the step; *out is NULL when they cannot be used. */
static abut_status solve_changed(abut_sim *sim, const body_shapes *shapes,
                                 const body_change *changes, step_statistics *statistics,
                                 stepper **out, abut_error *err)
{
    stepper *s = NULL;
    *out = NULL;
    TRY(scene_build_shapes(sim->scene, shapes, &sim->log, &s, err));
    s->path.enabled = sim->stepper->path.enabled;
    s->path.joins = sim->stepper->path.joins;
    double *guess = mem_alloc(s->state.scalars + 1, sizeof *guess);
    abut_status status = guess ? ABUT_OK : error_memory(err, "remeshing");
    if (status == ABUT_OK)
        status = carry_state(sim->stepper, s, sim->scene, &sim->remesh->shapes, changes, guess,
                             &statistics->remesh.projections, err);
    bool start = false, end = false, exact = false;
    for (size_t i = 0; i < sim->scene->body_count; i++)
        exact = exact || (changes[i].changed && !changes[i].nested);
    if (status == ABUT_OK)
        status = positions_feasible(sim->scene, s, s->state.x, exact, &start, err);
    if (status == ABUT_OK && start) status = go_safely(sim, s, changes, exact, guess, &end, err);
    if (status == ABUT_OK && start && end) {
        status = stepper_solve(s, guess, statistics, err);
        /* From the start of the step, should the path from the guess not lead to an end. */
        if (status == ABUT_ERROR_NOT_CONVERGED || status == ABUT_ERROR_INFEASIBLE)
            status = stepper_solve(s, NULL, statistics, err);
        if (status == ABUT_OK) *out = s;
    }
    if (status == ABUT_ERROR_NOT_CONVERGED || status == ABUT_ERROR_INFEASIBLE) status = ABUT_OK;
    if (!*out) {
        if (status == ABUT_OK)
            log_message(&sim->log, ABUT_LOG_WARNING,
                        "the step to %g s keeps its meshes: %s on the new ones",
                        sim->stepper->scratch.span.end,
                        !start ? "the start is not feasible"
                        : !end ? "the first guess is not feasible"
                               : "the step did not converge");
        stepper_destroy(s);
    }
    mem_free(guess);
    return status;
}

/* The meshes with the changes put in; borrowed from both. */
static abut_status changed_shapes(const body_shapes *old, const body_change *changes,
                                  body_shapes *out, abut_error *err)
{
    *out = (body_shapes){old->count, mem_calloc(old->count + 1, sizeof *out->bodies)};
    if (!out->bodies) return error_memory(err, "remeshing");
    for (size_t i = 0; i < old->count; i++)
        out->bodies[i] = changes[i].changed ? changes[i].now : old->bodies[i];
    return ABUT_OK;
}

/* The new stepper and meshes replace the old ones. */
static void take_changes(abut_sim *sim, stepper *s, body_change *changes)
{
    sim_remesh *r = sim->remesh;
    stepper_destroy(sim->stepper);
    sim->stepper = s;
    r->version++;
    for (size_t i = 0; i < r->shapes.count; i++) {
        if (!changes[i].changed) continue;
        body_shape keep = r->shapes.bodies[i];
        r->shapes.bodies[i] = changes[i].now;
        changes[i].now = keep;
    }
}

static abut_status change_meshes(abut_sim *sim, step_statistics *statistics, abut_error *err)
{
    size_t count = sim->scene->body_count;
    body_change *changes = mem_calloc(count + 1, sizeof *changes);
    if (!changes) return error_memory(err, "remeshing");
    body_shapes shapes = {0};
    stepper *s = NULL;
    abut_error why = {0};
    abut_status status = make_changes(sim, changes, &statistics->remesh, &why);
    bool any = false;
    for (size_t i = 0; i < count; i++) any = any || changes[i].changed;
    if (status == ABUT_OK && any) {
        status = changed_shapes(&sim->remesh->shapes, changes, &shapes, &why);
        step_statistics again = *statistics;
        if (status == ABUT_OK) status = solve_changed(sim, &shapes, changes, &again, &s, &why);
        if (s) {
            *statistics = again;
            statistics->remesh.changed = true;
            take_changes(sim, s, changes);
        } else
            statistics->remesh = (remesh_counts){.attempts = statistics->remesh.attempts};
    }
    mem_free(shapes.bodies);
    for (size_t i = 0; i < count; i++) body_change_free(&changes[i]);
    mem_free(changes);
    /* The step itself is solved. Materials that bear inversion leave cells that nothing can be done
     * with. */
    if (status == ABUT_ERROR_INPUT || status == ABUT_ERROR_INTERNAL) {
        statistics->remesh = (remesh_counts){0};
        if (!sim->remesh->said_kept)
            log_message(&sim->log, ABUT_LOG_WARNING,
                        "the step to %g s keeps its meshes (further ones may, without a message): "
                        "%s",
                        sim->stepper->scratch.span.end, why.message);
        sim->remesh->said_kept = true;
        return ABUT_OK;
    }
    if (status != ABUT_OK && err) *err = why;
    return status;
}

static bool is_due(const abut_sim *sim)
{
    const remesh_def *def = &sim->scene->remesh;
    int64_t step = sim->stepper->state.steps + 1;
    if (def->method == REMESH_UNIFORM) return step == def->step;
    if (def->method == REMESH_ENERGY) return step >= sim->remesh->next;
    return (step - 1) % def->every == 0;
}

/* Whether so much has happened since the last look at meshes that the next one cannot wait. */
static bool is_urgent(const abut_sim *sim, double potential)
{
    const remesh_def *def = &sim->scene->remesh;
    const sim_remesh *r = sim->remesh;
    double change = fabs(potential - r->look[0]);
    return def->method == REMESH_ENERGY && sim->stepper->state.steps + 1 >= r->last + def->every &&
           change > NOTABLE_CHANGE * r->look[1] && change > def->split_tolerance;
}

static void count_step(sim_remesh *r, const step_statistics *s)
{
    const remesh_counts *c = &s->remesh;
    r->total.splits += c->splits;
    r->total.collapses += c->collapses;
    r->total.swaps += c->swaps;
    r->total.smoothings += c->smoothings;
    r->total.attempts += c->attempts;
    r->total.projections += c->projections;
    r->changed_steps += c->changed;
    r->unknowns_sum += (int64_t)s->unknowns;
    if ((int64_t)s->unknowns > r->max_unknowns) r->max_unknowns = (int64_t)s->unknowns;
}

/* The stage of a step that changes meshes; `at` is the stepper of the simulation. */
static abut_status change(void *context, stepper **at, step_statistics *statistics, abut_error *err)
{
    abut_sim *sim = context;
    assert(at == &sim->stepper);
    (void)at;
    if (!is_due(sim) && !is_urgent(sim, statistics->potential)) return ABUT_OK;
    double began = timer_now();
    TRY(change_meshes(sim, statistics, err));
    sim->remesh->seconds += timer_now() - began;
    sim->remesh->look[0] = statistics->potential;
    return ABUT_OK;
}

abut_status sim_remesh_step(abut_sim *sim, abut_error *err)
{
    step_statistics statistics;
    TRY(step_advance(&sim->stepper, &(remesh_stage){sim, change}, &statistics, err));
    sim->last = statistics;
    count_step(sim->remesh, &statistics);
    return ABUT_OK;
}
