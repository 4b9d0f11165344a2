#include "remesh/criterion.h"

#include "base/parallel.h"
#include "remesh/local_internal.h"
#include "remesh/remesher.h"

#include <math.h>
#include <string.h>

remesh_options remesh_default_options(void)
{
    return (remesh_options){.split = true,
                            .collapse = true,
                            .split_tolerance = 1e-3,
                            .collapse_tolerance = -1e-8,
                            .quality_tolerance = -1e-8,
                            .split_threshold = 0.95,
                            .collapse_threshold = 0.01,
                            .screening = 1,
                            .patch_rings = 2,
                            .patch_share = 0.01,
                            .trial_iterations = 1,
                            .trial_iterations_contact = 4,
                            .max_iterations = 2,
                            .split_depth = 3,
                            .collapse_depth = 3,
                            .min_length = 1e-6,
                            .max_cells = 1000000,
                            .min_quality = 0.05};
}

/* --- measures of the mesh ------------------------------------------------------------------- */

static void measure_mesh(remesher *r)
{
    const local_mesh *m = r->mesh;
    r->volume = r->potential = 0;
    r->living = 0;
    for (size_t i = 0; i < m->cells.count; i++)
        if (m->cells.data[i].alive) {
            r->living++;
            r->volume += local_cell_volume(m, (int32_t)i, -1);
            r->potential += cell_potential(r, (int32_t)i);
        }
}

static size_t living_vertices(const local_mesh *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->vertices.count; i++) count += m->vertices.data[i].alive;
    return count;
}

/* Shortest edge of the mesh. */
static abut_status measure_edges(remesher *r, double *shortest, abut_error *err)
{
    local_list edges = {0};
    abut_status status = local_mesh_edges(r->mesh, &edges, err);
    *shortest = INFINITY;
    for (size_t i = 0; i + 1 < edges.count && status == ABUT_OK; i += 2)
        *shortest = fmin(*shortest, local_edge_length(r->mesh, edges.data[i], edges.data[i + 1]));
    array_free(&edges);
    return status;
}

/* Mean density of the potential in the cells around an edge, or around a vertex (b < 0). */
static double mean_density(const remesher *r, int32_t a, int32_t b)
{
    const local_mesh *m = r->mesh;
    double sum = 0;
    size_t count = 0;
    for (int32_t at = m->vertices.data[a].first; at >= 0; at = local_next(m, at)) {
        if (b >= 0 && local_corner_of(m, &m->cells.data[at / 4], b) < 0) continue;
        sum += cell_potential(r, at / 4) / local_cell_volume(m, at / 4, -1);
        count++;
    }
    return count ? sum / (double)count : 0;
}

/* --- queues --------------------------------------------------------------------------------- */

static bool may_split(const remesher *r, int32_t a, int32_t b)
{
    double length = local_edge_length(r->mesh, a, b), least = r->options->min_length;
    if (r->floor > 0 && local_edge_on_boundary(r->mesh, a, b, false))
        least = fmax(least, 2 * r->floor);
    return length >= least;
}

static double smallest_cell(const remesher *r, int32_t a, int32_t b)
{
    const local_mesh *m = r->mesh;
    double least = INFINITY;
    for (int32_t at = m->vertices.data[a].first; at >= 0; at = m->cells.data[at / 4].next[at % 4])
        for (int k = 0; k <= m->dimension; k++)
            if (m->cells.data[at / 4].vertex[k] == b)
                least = fmin(least, local_cell_volume(m, at / 4, -1));
    return least;
}

/* Coarsening ends at the edges of the starting mesh. */
static bool may_collapse(const remesher *r, int32_t a, int32_t b)
{
    double length = local_edge_length(r->mesh, a, b), limit = r->collapse_limit;
    if (!(length < limit)) return false;
    double regular = r->mesh->dimension == 2 ? sqrt(3) / 4 * limit * limit
                                             : limit * limit * limit / (6 * sqrt(2));
    return smallest_cell(r, a, b) <= regular;
}

/* Splits that gain less when the new vertex alone may move are not tried. */
static double least_gain(const remesher *r)
{
    return r->options->screening * r->problem->force_factor * r->options->split_tolerance;
}

static abut_status push_edge(remesher *r, operation what, int32_t a, int32_t b, remesh_count *count,
                             abut_error *err)
{
    double priority = 0;
    count->candidates++;
    switch (what) {
    case OPERATION_SPLIT: {
        const edge_note *note = edge_table_find(&r->edges, a, b);
        size_t number = note ? (size_t)(note - r->edges.notes.data) : SIZE_MAX;
        if (number < r->middles.count)
            priority = noted_gain(r, number, a, b);
        else
            TRY(split_gain(r, a, b, &priority, err));
        if (priority <= least_gain(r) && r->options->screening > 0) {
            count->screened++;
            return ABUT_OK;
        }
        break;
    }
    case OPERATION_COLLAPSE: priority = -local_edge_length(r->mesh, a, b); break;
    default: priority = mean_density(r, a, b);
    }
    if (!edge_queue_push(&r->queue, (queue_item){priority, a, b}))
        return error_memory(err, "listing edges");
    return ABUT_OK;
}

/* True when the edge is of the kind that an operation looks at. */
static bool is_candidate(const remesher *r, operation what, const edge_note *note, int32_t a,
                         int32_t b)
{
    switch (what) {
    case OPERATION_SPLIT: return (note->rank & RANK_TOP) && may_split(r, a, b);
    case OPERATION_COLLAPSE:
        return ((note->rank & RANK_BOTTOM) ||
                local_edge_length(r->mesh, a, b) < 1e-3 * r->collapse_limit) &&
               may_collapse(r, a, b);
    case OPERATION_SWAP:
        return note->rank != RANK_BOTTOM && !local_edge_on_boundary(r->mesh, a, b, true);
    default: return false;
    }
}

static abut_status fill_queue(remesher *r, operation what, remesh_count *count, abut_error *err)
{
    local_list edges = {0};
    array_clear(&r->queue);
    abut_status status = local_mesh_edges(r->mesh, &edges, err);
    for (size_t i = 0; i + 1 < edges.count && status == ABUT_OK; i += 2) {
        int32_t a = edges.data[i], b = edges.data[i + 1];
        edge_note *note = edge_table_note(&r->edges, a, b);
        if (!note)
            status = error_memory(err, "listing edges");
        else if (is_candidate(r, what, note, a, b))
            status = push_edge(r, what, a, b, count, err);
    }
    array_free(&edges);
    return status;
}

/* Edges at a new vertex have the rank of the edge that made it, one generation later. */
static abut_status inherit(remesher *r, operation what, int32_t vertex, uint8_t rank, int depth,
                           int limit, remesh_count *count, abut_error *err)
{
    array_clear(&r->near);
    TRY(local_mesh_neighbours(r->mesh, vertex, &r->near, err));
    for (size_t i = 0; i < r->near.count; i++) {
        bool known = edge_table_find(&r->edges, vertex, r->near.data[i]) != NULL;
        edge_note *note = edge_table_note(&r->edges, vertex, r->near.data[i]);
        if (!note) return error_memory(err, "listing edges");
        if (known) continue;
        note->rank = rank;
        note->depth = (int8_t)depth;
        if (depth < limit && is_candidate(r, what, note, vertex, r->near.data[i]))
            TRY(push_edge(r, what, vertex, r->near.data[i], count, err));
    }
    return ABUT_OK;
}

/* Edges that a swap made are not swapped back in this step. */
static abut_status note_swapped(remesher *r, size_t first_cell, int depth, abut_error *err)
{
    const local_mesh *m = r->mesh;
    for (size_t c = first_cell; c < m->cells.count; c++)
        for (int i = 0; m->cells.data[c].alive && i <= m->dimension; i++)
            for (int k = 0; k < i; k++) {
                int32_t a = m->cells.data[c].vertex[k], b = m->cells.data[c].vertex[i];
                if (edge_table_find(&r->edges, a, b)) continue;
                edge_note *note = edge_table_note(&r->edges, a, b);
                if (!note) return error_memory(err, "listing edges");
                note->depth = (int8_t)depth;
                note->tried |= 1 << OPERATION_SWAP;
            }
    return ABUT_OK;
}

/* --- memory --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h)
{
    h = (h ^ (h >> 31)) * 0x7FB5D329728EA185u;
    h = (h ^ (h >> 27)) * 0x81DADEF4BC2DD44Du;
    return h ^ (h >> 33);
}

static uint64_t key_of_point(vec3 p)
{
    double numbers[3] = {p.x, p.y, p.z};
    uint64_t bits[3];
    memcpy(bits, numbers, sizeof bits);
    return mix(bits[0] + mix(bits[1] + mix(bits[2] + 1)));
}

/* The same for the same cells around the edge or vertex, in whatever order. */
static uint64_t key_of(const local_mesh *m, operation what, const queue_item *item)
{
    uint64_t sum = mix((uint64_t)what + 17);
    for (int32_t at = m->vertices.data[item->a].first; at >= 0; at = local_next(m, at)) {
        const local_cell *c = &m->cells.data[at / 4];
        if (item->b >= 0 && local_corner_of(m, c, item->b) < 0) continue;
        for (int k = 0; k <= m->dimension; k++)
            sum += key_of_point(m->vertices.data[c->vertex[k]].rest);
    }
    return sum ? sum : 1;
}

bool is_remembered(const remesher *r, operation what, const queue_item *item, uint64_t *key,
                   double *strength)
{
    /* Collapses fail where there is too much energy, the others where there is too little. */
    double sign = what == OPERATION_COLLAPSE ? -1 : 1;
    *key = 0;
    if (!r->problem->memory) return false;
    *key = key_of(r->mesh, what, item);
    *strength = what == OPERATION_SPLIT ? item->priority : mean_density(r, item->a, item->b);
    const double *before = remesh_memory_find(r->problem->memory, *key);
    return before && sign * *strength <= sign * *before * (1 + 0.25 * sign);
}

abut_status remember_failure(const remesher *r, const trial *t, abut_error *err)
{
    if (!r->problem->memory || t->key == 0) return ABUT_OK;
    return remesh_memory_put(r->problem->memory, t->key, t->strength, err);
}

/* --- passes --------------------------------------------------------------------------------- */

/* What the split is worth now that others were made. False when it has to wait for better ones, or
 * is not worth it any more (and then *item is dropped). */
static abut_status is_still_best(remesher *r, queue_item *item, edge_note *note, bool *best,
                                 abut_error *err)
{
    double gain;
    *best = true;
    if (r->options->screening <= 0) return ABUT_OK;
    TRY(split_gain(r, item->a, item->b, &gain, err));
    if (gain <= least_gain(r)) {
        *best = false;
        note->tried |= 1 << OPERATION_SPLIT;
        r->report->split.screened++;
    } else if (gain < 0.9 * item->priority && r->queue.count > 0 &&
               gain < r->queue.data[0].priority) {
        *best = false;
        item->priority = gain;
        if (!edge_queue_push(&r->queue, *item)) return error_memory(err, "listing edges");
    }
    item->priority = gain;
    return ABUT_OK;
}

/* Candidates from the queue whose patches do not touch each other. */
static abut_status fill_batch(remesher *r, operation what, remesh_count *count, abut_error *err)
{
    queue_item item;
    array_clear(&r->deferred);
    batch_clear(r);
    for (int looked = 0;
         looked < LOOK_AHEAD && r->batch_count < MAX_BATCH && edge_queue_pop(&r->queue, &item);) {
        edge_note *note = NULL;
        if (what == OPERATION_SMOOTH) {
            if (!r->mesh->vertices.data[item.a].alive) continue;
        } else {
            if (!local_mesh_is_edge(r->mesh, item.a, item.b)) continue;
            note = edge_table_note(&r->edges, item.a, item.b);
            if (!note) return error_memory(err, "listing edges");
            if (note->tried >> what & 1 || !is_candidate(r, what, note, item.a, item.b)) continue;
            bool best = true;
            if (what == OPERATION_SPLIT) TRY(is_still_best(r, &item, note, &best, err));
            if (!best) continue;
        }
        uint64_t key;
        double strength = 0;
        if (is_remembered(r, what, &item, &key, &strength)) {
            if (note) note->tried |= (uint8_t)(1 << what);
            count->screened++;
            continue;
        }
        bool added;
        r->batch[r->batch_count].key = key;
        r->batch[r->batch_count].strength = strength;
        TRY(batch_add(r, what, item, note, &added, err));
        looked++;
        if (added && note) note->tried |= (uint8_t)(1 << what);
        if (!added && !array_push(&r->deferred, item)) return error_memory(err, "listing edges");
    }
    for (size_t i = 0; i < r->deferred.count; i++)
        if (!edge_queue_push(&r->queue, r->deferred.data[i]))
            return error_memory(err, "listing edges");
    return ABUT_OK;
}

static abut_status finish_trial(remesher *r, trial *t, remesh_count *count, abut_error *err)
{
    const remesh_options *o = r->options;
    count->tried += t->trials;
    count->refused += t->refused;
    if (!t->worth) return remember_failure(r, t, err);
    size_t first_cell = r->mesh->cells.count;
    local_change change;
    TRY(batch_keep(r, t, &change, err));
    count->accepted++;
    count->gained += (t->before - t->after) / r->problem->force_factor;
    count->jump += (t->before - t->jumped) / r->problem->force_factor;
    switch (t->what) {
    case OPERATION_SPLIT:
        TRY(note_touched(r, change.vertex, t->a, t->b, err));
        /* What was just worth making is not taken back in the same step. */
        return inherit(r, t->what, change.vertex, t->rank & RANK_TOP, t->depth + 1, o->split_depth,
                       count, err);
    case OPERATION_COLLAPSE:
        return inherit(r, t->what, change.vertex, t->rank, t->depth + 1, o->collapse_depth, count,
                       err);
    case OPERATION_SWAP: return note_swapped(r, first_cell, t->depth + 1, err);
    case OPERATION_SMOOTH: break;
    }
    return ABUT_OK;
}

static abut_status run_queue(remesher *r, operation what, remesh_count *count, abut_error *err)
{
    for (;;) {
        if (what == OPERATION_SPLIT && r->living >= r->options->max_cells) {
            r->report->full = r->queue.count > 0;
            return ABUT_OK;
        }
        TRY(fill_batch(r, what, count, err));
        if (r->batch_count == 0) return ABUT_OK;
        TRY(batch_try(r, err));
        for (size_t i = 0; i < r->batch_count; i++) TRY(finish_trial(r, &r->batch[i], count, err));
    }
}

static abut_status edge_pass(remesher *r, operation what, remesh_count *count, abut_error *err)
{
    TRY(fill_queue(r, what, count, err));
    return run_queue(r, what, count, err);
}

static double worst_around(const local_mesh *m, int32_t vertex)
{
    double worst = INFINITY;
    for (int32_t at = m->vertices.data[vertex].first; at >= 0;
         at = m->cells.data[at / 4].next[at % 4])
        worst = fmin(worst, local_cell_quality(m, at / 4));
    return worst;
}

static abut_status smooth_pass(remesher *r, abut_error *err)
{
    remesh_count *count = &r->report->smooth;
    array_clear(&r->queue);
    size_t vertices = r->mesh->vertices.count;
    for (size_t i = 0; i < vertices; i++) {
        const local_vertex *v = &r->mesh->vertices.data[i];
        if (!v->alive || v->flags || local_vertex_on_boundary(r->mesh, (int32_t)i, true)) continue;
        count->candidates++;
        queue_item item = {-worst_around(r->mesh, (int32_t)i), (int32_t)i, -1};
        if (!edge_queue_push(&r->queue, item)) return error_memory(err, "listing vertices");
    }
    return run_queue(r, OPERATION_SMOOTH, count, err);
}

/* --- lifecycle ------------------------------------------------------------------------------ */

static abut_status prepare(remesher *r, int workers, abut_error *err)
{
    const remesh_problem *q = r->problem;
    r->contact = q->contact && q->scene;
    if (r->contact && (q->field_start < 0 || !q->remeshed || !q->x || !q->start))
        return error_set(err, ABUT_ERROR_INTERNAL, "", "remeshing with contact needs positions");
    for (size_t i = 0; i < r->mesh->cells.count; i++)
        if (r->mesh->cells.data[i].alive &&
            (r->mesh->cells.data[i].attribute < 0 ||
             (size_t)r->mesh->cells.data[i].attribute >= q->material_count))
            return error_set(err, ABUT_ERROR_INTERNAL, "", "cell %zu has no material", i);
    measure_mesh(r);
    r->taken.now = r->moved.now = 1;
    for (size_t b = 0; r->contact && b < q->scene->bodies.count; b++)
        r->thickness = fmax(r->thickness, q->scene->bodies.data[b].offset);
    r->mesh->min_quality = r->options->min_quality;
    return workers_init(r, workers, err);
}

static void release(remesher *r)
{
    workers_free(r);
    edge_table_free(&r->edges);
    array_free(&r->queue);
    mem_free(r->cell_energy);
    array_free(&r->deferred);
    array_free(&r->near);
    array_free(&r->star);
    array_free(&r->touched);
    array_free(&r->spread);
    array_free(&r->pushed);
    array_free(&r->middles);
    number_map_free(&r->scratch.cells);
    number_map_free(&r->scratch.vertices);
}

static abut_status run_passes(remesher *r, abut_error *err)
{
    const remesh_options *o = r->options;
    double shortest = 0;
    if (!(o->max_collapse_length > 0)) TRY(measure_edges(r, &shortest, err));
    r->collapse_limit = 0.999 * (o->max_collapse_length > 0 ? o->max_collapse_length : shortest);
    if (r->contact) r->floor = r->problem->contact->options.dhat;
    TRY(rank_edges(r, err));
    if (o->split && o->screening > 0) TRY(measure_middles(r, err));
    if (o->split) TRY(edge_pass(r, OPERATION_SPLIT, &r->report->split, err));
    if (o->collapse) TRY(edge_pass(r, OPERATION_COLLAPSE, &r->report->collapse, err));
    if (o->swap) TRY(edge_pass(r, OPERATION_SWAP, &r->report->swap, err));
    if (o->smooth) TRY(smooth_pass(r, err));
    return ABUT_OK;
}

abut_status remesh_step(local_mesh *m, const remesh_problem *q, const remesh_options *options,
                        const logger *log, remesh_report *report, abut_error *err)
{
    double started = timer_now();
    remesher r = {.mesh = m, .problem = q, .options = options, .report = report};
    *report = (remesh_report){.vertices_before = living_vertices(m)};
    int threads = parallel_threads();
    abut_status status = prepare(&r, threads < MAX_BATCH ? threads : MAX_BATCH, err);
    report->cells_before = r.living;
    report->potential = r.potential;
    if (q->memory) remesh_memory_begin(q->memory);
    if (status == ABUT_OK) status = run_passes(&r, err);
    if (status == ABUT_OK && q->memory) status = remesh_memory_end(q->memory, err);
    measure_mesh(&r);
    report->cells_after = r.living;
    report->vertices_after = living_vertices(m);
    report->seconds = timer_now() - started;
    release(&r);
    log_message(log, ABUT_LOG_DEBUG,
                "remeshed: %zu splits (%zu tried), %zu collapses (%zu candidates, %zu tried, %zu "
                "refused), %zu swaps, %zu smoothed, %zu cells, gained %g J",
                report->split.accepted, report->split.tried, report->collapse.accepted,
                report->collapse.candidates, report->collapse.tried, report->collapse.refused,
                report->swap.accepted, report->smooth.accepted, report->cells_after,
                report->split.gained + report->collapse.gained);
    return status;
}

abut_status remesh_potential(local_mesh *m, const remesh_problem *q, bool relax, double *potential,
                             abut_error *err)
{
    remesh_options options = remesh_default_options();
    remesh_report report = {0};
    remesher r = {.mesh = m, .problem = q, .options = &options, .report = &report};
    local_list all = {0};
    abut_status status = prepare(&r, 1, err);
    for (size_t i = 0; i < m->cells.count && status == ABUT_OK; i++)
        if (m->cells.data[i].alive && !array_push(&all, (int32_t)i))
            status = error_memory(err, "measuring the potential");
    surround_box where = surround_empty();
    double energy = 0;
    patch *whole = r.workers ? &r.workers[0].before : NULL;
    if (status == ABUT_OK) status = patch_open(whole, &all, &where, err);
    if (status == ABUT_OK) status = patch_energy(whole, &energy, err);
    if (status == ABUT_OK && relax) {
        int used;
        bool converged;
        whole->reach.reach = INFINITY; /* everything is in the patch */
        status = patch_relax(whole, 100, NULL, &energy, &used, &converged, err);
        if (status == ABUT_OK) status = patch_store(whole, m, err);
        if (status == ABUT_OK && !converged)
            status = error_set(err, ABUT_ERROR_NOT_CONVERGED, "", "the mesh could not be relaxed");
    }
    *potential = energy / q->force_factor;
    array_free(&all);
    release(&r);
    return status;
}
