/* One operation: done, relaxed on its patch, and kept or taken back. */
#include "remesh/remesher.h"

#include <math.h>

static abut_status apply(remesher *r, operation what, int32_t a, int32_t b, bool shaped,
                         local_change *change, abut_error *err)
{
    switch (what) {
    case OPERATION_SPLIT: return local_mesh_split(r->mesh, a, b, change, err);
    case OPERATION_COLLAPSE: return local_mesh_collapse(r->mesh, a, b, change, err);
    case OPERATION_SWAP: return local_mesh_swap_edge(r->mesh, a, b, shaped, change, err);
    case OPERATION_SMOOTH: return local_mesh_smooth(r->mesh, a, change, err);
    }
    return ABUT_OK;
}

/* Boundary edges shorter than the range of contact would have neighbours in contact at rest. */
static abut_status edges_too_short(remesher *r, int32_t vertex, bool *too_short, abut_error *err)
{
    const local_mesh *m = r->mesh;
    *too_short = false;
    if (!(r->floor > 0) || vertex < 0 || !local_vertex_on_boundary(m, vertex, false))
        return ABUT_OK;
    array_clear(&r->near);
    TRY(local_mesh_neighbours(m, vertex, &r->near, err));
    for (size_t i = 0; i < r->near.count; i++)
        if (local_edge_length(m, vertex, r->near.data[i]) < r->floor &&
            local_edge_on_boundary(m, vertex, r->near.data[i], false))
            *too_short = true;
    return ABUT_OK;
}

/* The operation as far as mesh and geometry go; out->outcome says whether it is possible. */
static abut_status is_possible(remesher *r, operation what, int32_t a, int32_t b, bool shaped,
                               local_change *change, abut_error *err)
{
    TRY(apply(r, what, a, b, shaped, change, err));
    if (change->outcome != LOCAL_DONE || what > OPERATION_COLLAPSE) return ABUT_OK;
    bool too_short;
    TRY(edges_too_short(r, change->vertex, &too_short, err));
    if (too_short) change->outcome = LOCAL_QUALITY;
    return ABUT_OK;
}

/* The same region on the changed mesh: what is left, and what came. */
static abut_status changed_cells(remesher *r, local_mark mark, abut_error *err)
{
    const local_mesh *m = r->mesh;
    array_clear(&r->next_cells);
    bool ok = true;
    for (size_t i = 0; ok && i < r->cells.count; i++)
        if (m->cells.data[r->cells.data[i]].alive)
            ok = array_push(&r->next_cells, r->cells.data[i]);
    for (size_t i = mark.cells; ok && i < m->cells.count; i++)
        if (m->cells.data[i].alive) ok = array_push(&r->next_cells, (int32_t)i);
    return ok ? ABUT_OK : error_memory(err, "trying an operation");
}

/* No intersection on the way of a collapse, now and at the start of the step. */
static abut_status way_is_free(remesher *r, operation what, int32_t a, int32_t b,
                               const local_change *change, bool *is_free, abut_error *err)
{
    *is_free = true;
    if (what != OPERATION_COLLAPSE || !r->before.contact) return ABUT_OK;
    const remesh_problem *q = r->problem;
    vec3 now = *local_field(r->mesh, change->vertex, q->field_x);
    vec3 start = q->field_start >= 0 ? *local_field(r->mesh, change->vertex, q->field_start) : now;
    return patch_can_merge(&r->before, a, b, now, start, is_free, err);
}

typedef struct trial {
    double before, jumped, after; /* E_t on the patch */
    bool worth;
} trial;

/* Relaxes both sides alike and compares. */
static abut_status compare(remesher *r, double tolerance, trial *t, abut_error *err)
{
    const remesh_options *o = r->options;
    double threshold = r->problem->force_factor * tolerance;
    t->worth = false;
    TRY(patch_energy(&r->after, &t->jumped, err));
    if (!isfinite(t->jumped)) return ABUT_OK;
    bool touching = r->after.contact && contact_count(r->after.contact) > 0, settled;
    int iterations = touching ? o->trial_iterations_contact : o->trial_iterations, used;
    TRY(patch_relax(&r->after, iterations, &t->after, &used, &settled, err));
    r->report->newton_iterations += (size_t)used;
    if (!(t->before - t->after > threshold)) return ABUT_OK;
    /* What the old patch would have gained by the same work does not count. */
    double relaxed;
    TRY(patch_relax(&r->before, iterations, &relaxed, &used, &settled, err));
    r->report->newton_iterations += (size_t)used;
    if (!(relaxed - t->after > threshold)) return ABUT_OK;
    t->worth = true;
    TRY(patch_relax(&r->after, o->max_iterations, &t->after, &used, &settled, err));
    r->report->newton_iterations += (size_t)used;
    return ABUT_OK;
}

/* Fields that are positions must not be inverted after the relaxation, either. */
static bool cells_are_positive(const remesher *r)
{
    for (size_t i = 0; i < r->next_cells.count; i++)
        if (!(local_cell_volume(r->mesh, r->next_cells.data[i], r->problem->field_x) > 0))
            return false;
    return true;
}

static abut_status keep(remesher *r, local_mark mark, bool *kept, abut_error *err)
{
    TRY(patch_store(&r->after, r->mesh, err));
    *kept = cells_are_positive(r);
    if (!*kept) return ABUT_OK;
    array_clear(&r->near);
    TRY(local_mesh_removed_since(r->mesh, mark, &r->near, err));
    r->living += r->next_cells.count;
    r->living -= r->cells.count;
    local_mesh_commit(r->mesh);
    for (size_t i = 0; r->contact && i < r->next_cells.count; i++)
        TRY(surround_enter(&r->around, r->next_cells.data[i], err));
    return ABUT_OK;
}

abut_status try_operation(remesher *r, operation what, int32_t a, int32_t b, bool shaped,
                          double tolerance, remesh_count *count, local_change *change,
                          abut_error *err)
{
    const remesh_options *o = r->options;
    local_mark mark = local_mesh_mark(r->mesh);
    TRY(is_possible(r, what, a, b, shaped, change, err));
    local_mesh_rollback(r->mesh, mark);
    count->refused += change->outcome != LOCAL_DONE;
    if (change->outcome != LOCAL_DONE) return ABUT_OK;
    surround_box where = surround_empty();
    trial t = {0};
    TRY(patch_select(r->mesh, a, b, o->patch_rings, o->patch_share * r->volume, &r->cells, err));
    TRY(patch_open(&r->before, &r->cells, &where, err));
    TRY(patch_energy(&r->before, &t.before, err));
    TRY(apply(r, what, a, b, shaped, change, err));
    bool is_free = isfinite(t.before), kept = false;
    if (is_free) TRY(way_is_free(r, what, a, b, change, &is_free, err));
    if (is_free) {
        TRY(changed_cells(r, mark, err));
        TRY(patch_open(&r->after, &r->next_cells, &where, err));
        r->report->patches++;
        r->report->patch_vertices += r->after.free_count;
        count->tried++;
        TRY(compare(r, tolerance, &t, err));
        if (t.worth) TRY(keep(r, mark, &kept, err));
    } else
        count->refused++;
    if (!kept) {
        local_mesh_rollback(r->mesh, mark);
        change->outcome = LOCAL_QUALITY;
        change->vertex = -1;
        return ABUT_OK;
    }
    count->accepted++;
    count->gained += (t.before - t.after) / r->problem->force_factor;
    count->jump += (t.before - t.jumped) / r->problem->force_factor;
    return ABUT_OK;
}
