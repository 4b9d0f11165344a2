/* Operations: done, relaxed on their patches, and kept or taken back. */
#include "base/parallel.h"
#include "remesh/remesher.h"

#include <math.h>
#include <string.h>

/* Iterations on a patch without contact after the decision: the whole step is solved again anyhow.
 */
enum { QUICK_RELAXATIONS = 1 };

/* --- one operation -------------------------------------------------------------------------- */

static abut_status apply(local_mesh *m, const trial *t, local_change *change, abut_error *err)
{
    switch (t->what) {
    case OPERATION_SPLIT: return local_mesh_split(m, t->a, t->b, change, err);
    case OPERATION_COLLAPSE: return local_mesh_collapse(m, t->a, t->b, change, err);
    case OPERATION_SWAP: return local_mesh_swap_edge(m, t->a, t->b, t->shaped, change, err);
    case OPERATION_SMOOTH: return local_mesh_smooth(m, t->a, change, err);
    }
    return ABUT_OK;
}

/* Shortest boundary edge at a vertex that is on the boundary. */
static abut_status shortest_at(worker *w, int32_t vertex, double *shortest, abut_error *err)
{
    const local_mesh *m = w->mesh;
    if (vertex < 0 || !local_vertex_on_boundary(m, vertex, false)) return ABUT_OK;
    array_clear(&w->near);
    TRY(local_mesh_neighbours(m, vertex, &w->near, err));
    for (size_t i = 0; i < w->near.count; i++)
        if (local_edge_on_boundary(m, vertex, w->near.data[i], false))
            *shortest = fmin(*shortest, local_edge_length(m, vertex, w->near.data[i]));
    return ABUT_OK;
}

/* The operation as far as mesh and geometry at rest go. Boundary edges shorter than the range of
 * contact would have neighbours in contact at rest: they must not become shorter still. */
static abut_status is_possible(const remesher *r, worker *w, const trial *t, local_change *change,
                               abut_error *err)
{
    bool measured = t->what <= OPERATION_COLLAPSE && r->floor > 0;
    double before = INFINITY, after = INFINITY;
    if (measured) {
        TRY(shortest_at(w, t->a, &before, err));
        TRY(shortest_at(w, t->b, &before, err));
    }
    TRY(apply(w->mesh, t, change, err));
    if (change->outcome != LOCAL_DONE || !measured) return ABUT_OK;
    TRY(shortest_at(w, change->vertex, &after, err));
    if (after < r->floor && after < before) change->outcome = LOCAL_QUALITY;
    return ABUT_OK;
}

/* The same region on the changed mesh: what is left, and what came. */
static abut_status changed_cells(worker *w, const trial *t, local_mark mark, abut_error *err)
{
    const local_mesh *m = w->mesh;
    array_clear(&w->next_cells);
    bool ok = true;
    for (size_t i = 0; ok && i < t->cells.count; i++)
        if (m->cells.data[t->cells.data[i]].alive)
            ok = array_push(&w->next_cells, t->cells.data[i]);
    for (size_t i = mark.cells; ok && i < m->cells.count; i++)
        if (m->cells.data[i].alive) ok = array_push(&w->next_cells, (int32_t)i);
    return ok ? ABUT_OK : error_memory(err, "trying an operation");
}

static abut_status relax(patch *p, int iterations, const double *goal, double *energy, trial *t,
                         abut_error *err)
{
    int used;
    bool converged;
    TRY(patch_relax(p, iterations, goal, energy, &used, &converged, err));
    t->iterations += (size_t)used;
    return ABUT_OK;
}

static int iterations_of(const remesher *r, const patch *p)
{
    bool touching = p->contact && contact_count(p->contact) > 0;
    return touching ? r->options->trial_iterations_contact : r->options->trial_iterations;
}

/* The new patch at first, which is open: whether it gains enough. */
static abut_status relax_after(const remesher *r, worker *w, double threshold, trial *t,
                               bool *enough, abut_error *err)
{
    *enough = false;
    TRY(patch_energy(&w->after, &t->jumped, err));
    if (!isfinite(t->jumped)) return ABUT_OK;
    double goal = t->jumped - threshold;
    bool split = t->what == OPERATION_SPLIT;
    TRY(relax(&w->after, iterations_of(r, &w->after), split ? &goal : NULL, &t->after, t, err));
    /* A split has to pay by what moves: areas of contact that are counted otherwise before anything
     * moves are no gain. Other operations change the energy at once. */
    *enough = isfinite(t->after) && (!split || t->jumped - t->after > threshold);
    return ABUT_OK;
}

/* Nothing has moved in the patch since the step was solved. */
static bool is_converged(const remesher *r, const trial *t)
{
    for (size_t i = 0; i < t->cells.count; i++)
        if ((size_t)t->cells.data[i] >= r->mesh->imported_cells) return false;
    for (size_t i = 0; i < t->cells.count; i++) {
        const local_cell *c = &r->mesh->cells.data[t->cells.data[i]];
        for (int k = 0; k <= r->mesh->dimension; k++)
            if (number_map_get(&r->moved, c->vertex[k]) >= 0) return false;
    }
    return true;
}

/* The old patch, for the same work: what it would have gained does not count. Both are open. */
static abut_status compare(const remesher *r, worker *w, double threshold, trial *t,
                           abut_error *err)
{
    double relaxed;
    if (!(t->before - t->after > threshold)) return ABUT_OK;
    if (!is_converged(r, t)) {
        TRY(relax(&w->before, iterations_of(r, &w->after), NULL, &relaxed, t, err));
        if (!(relaxed - t->after > threshold)) return ABUT_OK;
    }
    TRY(relax(&w->after, r->options->max_iterations, NULL, &t->after, t, err));
    t->worth = isfinite(t->after);
    return ABUT_OK;
}

/* Cells that the moved vertices would invert make the operation not worth it. */
static void look_for_inverted(const remesher *r, const worker *w, trial *t)
{
    for (size_t i = 0; i < w->next_cells.count; i++)
        if (!(local_cell_volume(w->mesh, w->next_cells.data[i], r->problem->field_x) > 0))
            t->worth = false;
}

/* Notes where the free vertices of the patch went; false in t->worth if that inverts a cell. */
static abut_status note_positions(const remesher *r, worker *w, trial *t, abut_error *err)
{
    const patch *p = &w->after;
    array_clear(&t->moved);
    for (size_t i = 0; i < p->inner; i++) {
        const uint8_t *f = p->fixed.data + 3 * i;
        if (f[0] && f[1] && f[2]) continue;
        relaxed_vertex v = {p->vertices.data[i], vec3_load(p->x.data + 3 * i)};
        if (!array_push(&t->moved, v)) return error_memory(err, "trying an operation");
    }
    TRY(patch_store(p, w->mesh, err));
    look_for_inverted(r, w, t);
    return ABUT_OK;
}

/* Whether a collapse has a free path, now and at the start of the step: from positions that are
 * free of intersections, which are not those of x when that was relaxed without a look at contact.
 */
static abut_status path_is_free(const remesher *r, worker *w, const trial *t, surround_box *where,
                                bool *is_free, abut_error *err)
{
    const remesh_problem *q = r->problem;
    *is_free = true;
    if (t->what != OPERATION_COLLAPSE || !r->contact) return ABUT_OK;
    int field = q->field_safe > 0 ? q->field_safe : q->field_x;
    local_mark mark = local_mesh_mark(w->mesh);
    local_change change;
    w->before.field_now = field;
    TRY(patch_open(&w->before, &t->cells, where, err));
    w->before.field_now = q->field_x;
    TRY(apply(w->mesh, t, &change, err));
    vec3 now = *local_field(w->mesh, change.vertex, field), start = now;
    if (q->field_start >= 0) start = *local_field(w->mesh, change.vertex, q->field_start);
    abut_status status = patch_can_merge(&w->before, t->a, t->b, now, start, is_free, err);
    local_mesh_rollback(w->mesh, mark);
    return status;
}

/* Opens the patch on the changed mesh, and takes the change back. */
static abut_status open_after(worker *w, const trial *t, surround_box *where, abut_error *err)
{
    local_mark mark = local_mesh_mark(w->mesh);
    local_change change;
    TRY(apply(w->mesh, t, &change, err));
    abut_status status = changed_cells(w, t, mark, err);
    if (status == ABUT_OK) status = patch_open(&w->after, &w->next_cells, where, err);
    local_mesh_rollback(w->mesh, mark);
    return status;
}

/* Tries an operation: kept if the potential falls by more than the tolerance (J; negative: rises by
 * less). The mesh is then as before. */
static abut_status try_once(const remesher *r, worker *w, trial *t, double tolerance,
                            abut_error *err)
{
    local_mark mark = local_mesh_mark(w->mesh);
    local_change change;
    surround_box where = t->where;
    double threshold = r->problem->force_factor * tolerance;
    bool go_on;
    t->worth = false;
    TRY(is_possible(r, w, t, &change, err));
    local_mesh_rollback(w->mesh, mark);
    t->refused += change.outcome != LOCAL_DONE;
    if (change.outcome != LOCAL_DONE) return ABUT_OK;
    TRY(path_is_free(r, w, t, &where, &go_on, err));
    t->refused += !go_on;
    if (!go_on) return ABUT_OK;
    TRY(open_after(w, t, &where, err));
    t->trials++;
    t->free_vertices += w->after.free_count;
    TRY(relax_after(r, w, threshold, t, &go_on, err));
    if (!go_on) return ABUT_OK;
    TRY(patch_open(&w->before, &t->cells, &where, err));
    TRY(patch_energy(&w->before, &t->before, err));
    if (isfinite(t->before)) TRY(compare(r, w, threshold, t, err));
    if (!t->worth) return ABUT_OK;
    TRY(apply(w->mesh, t, &change, err));
    abut_status status = changed_cells(w, t, mark, err);
    if (status == ABUT_OK) status = note_positions(r, w, t, err);
    local_mesh_rollback(w->mesh, mark);
    return status;
}

/* --- without contact ------------------------------------------------------------------------ */

/* By how much E_t rises before anything moves. */
static double jump_of(const remesher *r, const worker *w, const trial *t, local_mark mark)
{
    const local_mesh *m = w->mesh;
    double sum = 0;
    for (size_t i = mark.cells; i < m->cells.count; i++)
        if (m->cells.data[i].alive) sum += quick_cell_energy(m, r->problem, (int32_t)i);
    for (size_t i = 0; i < t->cells.count; i++)
        if (!m->cells.data[t->cells.data[i]].alive)
            sum -= quick_cell_energy(m, r->problem, t->cells.data[i]);
    return sum;
}

static abut_status open_quick(const remesher *r, worker *w, const local_list *cells,
                              abut_error *err)
{
    bool fix_surface = r->contact && r->problem->field_safe <= 0;
    return quick_open(&w->quick, w->mesh, r->problem, cells, r->touched.data, r->touched.count,
                      fix_surface, err);
}

static abut_status note_quick(const remesher *r, worker *w, trial *t, abut_error *err)
{
    const quick_patch *p = &w->quick;
    array_clear(&t->moved);
    for (size_t i = 0; i < p->vertices.count; i++) {
        const int32_t *u = p->unknown.data + 3 * i;
        if (u[0] < 0 && u[1] < 0 && u[2] < 0) continue;
        relaxed_vertex v = {p->vertices.data[i], p->x.data[i]};
        if (!array_push(&t->moved, v)) return error_memory(err, "trying an operation");
        TRY(local_mesh_set_field(w->mesh, v.vertex, r->problem->field_x, v.x, err));
    }
    look_for_inverted(r, w, t);
    return ABUT_OK;
}

/* The operation is done and its patch open: whether it is worth it. */
static abut_status compare_quick(const remesher *r, worker *w, double threshold, trial *t,
                                 local_mark mark, abut_error *err)
{
    const remesh_options *o = r->options;
    double part, rise = t->what == OPERATION_SPLIT ? 0 : jump_of(r, w, t, mark);
    t->before = 0;
    t->jumped = rise;
    TRY(quick_relax(&w->quick, o->trial_iterations, &part, &t->iterations, err));
    t->after = rise - part;
    if (!(-t->after > threshold)) return ABUT_OK;
    t->worth = true;
    TRY(quick_relax(&w->quick, QUICK_RELAXATIONS, &part, &t->iterations, err));
    t->after -= part;
    return note_quick(r, w, t, err);
}

/* As try_once, where contact has no part in it. */
static abut_status try_quick(const remesher *r, worker *w, trial *t, double tolerance,
                             abut_error *err)
{
    local_mark mark = local_mesh_mark(w->mesh);
    local_change change;
    double threshold = r->problem->force_factor * tolerance, relaxed;
    t->worth = false;
    TRY(is_possible(r, w, t, &change, err));
    abut_status status = ABUT_OK;
    bool small = false;
    if (change.outcome != LOCAL_DONE)
        t->refused++;
    else {
        status = changed_cells(w, t, mark, err);
        if (status == ABUT_OK) status = open_quick(r, w, &w->next_cells, err);
        small = w->quick.unknowns <= QUICK_MAX_UNKNOWNS;
        if (status == ABUT_OK && small) {
            t->trials++;
            t->free_vertices += w->quick.free_vertices;
            status = compare_quick(r, w, threshold, t, mark, err);
        }
    }
    local_mesh_rollback(w->mesh, mark);
    if (change.outcome == LOCAL_DONE && !small && status == ABUT_OK)
        return try_once(r, w, t, tolerance, err);
    if (!t->worth || status != ABUT_OK) return status;
    /* What the old patch would have gained by the same work does not count. */
    TRY(open_quick(r, w, &t->cells, err));
    TRY(quick_relax(&w->quick, r->options->trial_iterations, &relaxed, &t->iterations, err));
    t->worth = -t->after - relaxed > threshold;
    return ABUT_OK;
}

static abut_status try_one(const remesher *r, worker *w, trial *t, double tolerance,
                           abut_error *err)
{
    return t->quick ? try_quick(r, w, t, tolerance, err) : try_once(r, w, t, tolerance, err);
}

static abut_status try_trial(const remesher *r, worker *w, trial *t, abut_error *err)
{
    const remesh_options *o = r->options;
    t->vertex_count = w->mesh->vertices.count;
    switch (t->what) {
    case OPERATION_SPLIT: return try_one(r, w, t, o->split_tolerance, err);
    case OPERATION_COLLAPSE: return try_one(r, w, t, o->collapse_tolerance, err);
    case OPERATION_SMOOTH: return try_one(r, w, t, o->quality_tolerance, err);
    case OPERATION_SWAP: break;
    }
    /* Better shapes may cost a little; otherwise a swap has to pay like a split. */
    t->shaped = true;
    TRY(try_one(r, w, t, o->quality_tolerance, err));
    if (t->worth) return ABUT_OK;
    t->shaped = false;
    return try_one(r, w, t, o->split_tolerance, err);
}

/* --- batches -------------------------------------------------------------------------------- */

void batch_clear(remesher *r)
{
    r->batch_count = 0;
    number_map_clear(&r->taken);
}

static bool star_is_taken(const remesher *r, int32_t vertex)
{
    const local_mesh *m = r->mesh;
    for (int32_t at = m->vertices.data[vertex].first; at >= 0;
         at = m->cells.data[at / 4].next[at % 4])
        if (number_map_get(&r->taken, at / 4) >= 0) return true;
    return false;
}

/* The region that may be touched by what is free in the patch. */
static void bound_trial(const remesher *r, trial *t)
{
    const local_mesh *m = r->mesh;
    surround_box box = surround_empty();
    t->where = box;
    t->bounded = false;
    if (!r->contact) return;
    for (size_t i = 0; i < t->cells.count; i++) {
        const local_cell *c = &m->cells.data[t->cells.data[i]];
        for (int k = 0; k <= m->dimension; k++) {
            surround_add_vertex(&r->workers[0].around, c->vertex[k], &box);
            t->bounded = t->bounded || c->facet[k] >= 0;
        }
    }
    if (!t->bounded) return;
    double dhat = r->problem->contact->options.dhat;
    double reach = fmax(dhat, PATCH_REACH * vec3_norm(vec3_sub(box.high, box.low)));
    vec3 room = vec3_make(1, 1, 1);
    double width = 2 * reach + dhat + r->thickness;
    t->where =
        (surround_box){vec3_mul_add(box.low, -width, room), vec3_mul_add(box.high, width, room)};
}

static bool boxes_meet(const surround_box *a, const surround_box *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* Whether contact can change by the operation; inside of bodies it does not, nor on parts of the
 * surface that touch nothing, as long as it stays on it. */
static bool needs_contact(const remesher *r, operation what, int32_t a, int32_t b)
{
    if (!r->contact) return false;
    if (what == OPERATION_SPLIT) return edge_is_touched(r, a, b);
    return what == OPERATION_COLLAPSE && (local_vertex_on_boundary(r->mesh, a, false) ||
                                          local_vertex_on_boundary(r->mesh, b, false));
}

abut_status batch_add(remesher *r, operation what, queue_item item, const edge_note *note,
                      bool *added, abut_error *err)
{
    const remesh_options *o = r->options;
    trial *t = &r->batch[r->batch_count];
    *added = false;
    if (star_is_taken(r, item.a) || (item.b >= 0 && star_is_taken(r, item.b))) return ABUT_OK;
    t->quick = !needs_contact(r, what, item.a, item.b);
    /* What one vertex alone makes worth it needs no larger patch to be seen; in contact its
     * neighbours have to move as well. */
    bool sure = what == OPERATION_SPLIT && o->screening > 0 &&
                item.priority > r->problem->force_factor * o->split_tolerance;
    bool shapes = what == OPERATION_SWAP || what == OPERATION_SMOOTH;
    int rings = sure ? !t->quick : shapes ? 1 : o->patch_rings;
    TRY(patch_select(r->mesh, item.a, item.b, rings,
                     sure || shapes ? 0 : o->patch_share * r->volume, &r->scratch, &t->cells, err));
    for (size_t i = 0; i < t->cells.count; i++)
        if (number_map_get(&r->taken, t->cells.data[i]) >= 0) return ABUT_OK;
    if (!t->quick)
        bound_trial(r, t);
    else
        t->bounded = false;
    for (size_t i = 0; i < r->batch_count; i++)
        if (t->bounded && r->batch[i].bounded && boxes_meet(&t->where, &r->batch[i].where))
            return ABUT_OK;
    for (size_t i = 0; i < t->cells.count; i++)
        if (!number_map_set(&r->taken, t->cells.data[i], 0))
            return error_memory(err, "choosing patches");
    t->what = what;
    t->a = item.a;
    t->b = item.b;
    t->shaped = false;
    t->depth = note ? note->depth : 0;
    t->rank = note ? note->rank : 0;
    t->worth = false;
    t->iterations = t->free_vertices = t->refused = t->trials = 0;
    t->status = ABUT_OK;
    r->batch_count++;
    *added = true;
    return ABUT_OK;
}

/* Operations of a batch that one worker tries. */
static size_t batch_share(const remesher *r)
{
    return (size_t)((MAX_BATCH + r->worker_count - 1) / r->worker_count);
}

static void try_range(void *context, size_t begin, size_t end)
{
    remesher *r = context;
    worker *w = &r->workers[begin / batch_share(r)];
    for (size_t i = begin; i < end; i++) {
        trial *t = &r->batch[i];
        t->status = try_trial(r, w, t, &t->error);
    }
}

abut_status batch_try(remesher *r, abut_error *err)
{
    if (r->worker_count > 1)
        parallel_for(r->batch_count, batch_share(r), try_range, r);
    else
        try_range(r, 0, r->batch_count);
    for (size_t i = 0; i < r->batch_count; i++) {
        const trial *t = &r->batch[i];
        if (t->status != ABUT_OK) {
            if (err) *err = t->error;
            return t->status;
        }
        r->report->newton_iterations += t->iterations;
        r->report->patches += t->trials;
        r->report->patch_vertices += t->free_vertices;
    }
    return ABUT_OK;
}

static abut_status keep_on(const remesher *r, worker *w, const trial *t, local_change *change,
                           abut_error *err)
{
    local_mesh *m = w->mesh;
    local_mark mark = local_mesh_mark(m);
    TRY(apply(m, t, change, err));
    if (change->outcome != LOCAL_DONE)
        return error_set(err, ABUT_ERROR_INTERNAL, "", "an operation cannot be repeated (%s)",
                         local_outcome_name(change->outcome));
    for (size_t i = 0; i < t->moved.count; i++) {
        int32_t v = t->moved.data[i].vertex;
        /* New vertices have a number of their own on a mesh that others have changed as well. */
        if ((size_t)v >= t->vertex_count) v += (int32_t)mark.vertices - (int32_t)t->vertex_count;
        TRY(local_mesh_set_field(m, v, r->problem->field_x, t->moved.data[i].x, err));
    }
    TRY(changed_cells(w, t, mark, err));
    local_mesh_commit(m);
    for (size_t i = 0; r->contact && i < w->next_cells.count; i++)
        TRY(surround_enter(&w->around, w->next_cells.data[i], err));
    return ABUT_OK;
}

abut_status batch_keep(remesher *r, trial *t, local_change *change, abut_error *err)
{
    for (int i = r->worker_count - 1; i >= 0; i--) TRY(keep_on(r, &r->workers[i], t, change, err));
    for (size_t i = 0; i < t->moved.count; i++)
        if (!number_map_set(&r->moved, t->moved.data[i].vertex, 0))
            return error_memory(err, "remeshing");
    r->living += r->workers[0].next_cells.count;
    r->living -= t->cells.count;
    return ABUT_OK;
}

/* --- workers -------------------------------------------------------------------------------- */

abut_status workers_init(remesher *r, int count, abut_error *err)
{
    r->workers = mem_calloc((size_t)count, sizeof *r->workers);
    if (!r->workers) return error_memory(err, "preparing remeshing");
    r->worker_count = count;
    for (int i = 0; i < count; i++) {
        worker *w = &r->workers[i];
        if (i > 0) TRY(local_mesh_copy(r->mesh, &w->copy, err));
        w->mesh = i > 0 ? &w->copy : r->mesh;
        surround *around = r->contact ? &w->around : NULL;
        if (around) TRY(surround_init(around, w->mesh, r->problem, err));
        TRY(patch_init(&w->before, w->mesh, r->problem, around, err));
        TRY(patch_init(&w->after, w->mesh, r->problem, around, err));
    }
    return ABUT_OK;
}

void workers_free(remesher *r)
{
    for (int i = 0; i < r->worker_count; i++) {
        worker *w = &r->workers[i];
        surround_free(&w->around);
        patch_free(&w->before);
        patch_free(&w->after);
        quick_patch_free(&w->quick);
        array_free(&w->next_cells);
        array_free(&w->near);
        local_mesh_free(&w->copy);
    }
    mem_free(r->workers);
    r->workers = NULL;
    for (int i = 0; i < MAX_BATCH; i++) {
        array_free(&r->batch[i].cells);
        array_free(&r->batch[i].moved);
    }
    number_map_free(&r->taken);
    number_map_free(&r->moved);
}
