/* The sizing field, the criterion that energies are compared with (In-timestep remeshing 6.6; after
 * Wicke et al. 2010 and Li et al. 2018): edges along which the deformation gradient changes by more
 * than a given amount, or that are long for their distance to what they meet, are split; where both
 * would be far from so, edges are collapsed. */
#include "sim/remesh_methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double COLLAPSE_BELOW = 0.8; /* of the size at which edges are split */

typedef struct sizer {
    const remesh_def *def;
    local_mesh mesh;
    ARRAY(double) gap; /* per vertex: distance in contact, INFINITY: none */
    double dhat;       /* 0: no contact */
    double shortest;   /* edge at the start */
    size_t living;     /* cells at the start of a pass */
    size_t elsewhere;  /* cells of other bodies that are remeshed */
    local_list work;
} sizer;

/* Deformation gradient of a cell; in the plane with 1 in the third direction. */
static mat3 cell_gradient(const local_mesh *m, int32_t cell)
{
    const int32_t *v = m->cells.data[cell].vertex;
    vec3 rest[3], now[3];
    for (int k = 0; k < 3; k++) {
        if (k == 2 && m->dimension == 2) {
            rest[k] = now[k] = (vec3){0, 0, 1};
            continue;
        }
        rest[k] = vec3_sub(m->vertices.data[v[k + 1]].rest, m->vertices.data[v[0]].rest);
        now[k] = vec3_sub(*local_field(m, v[k + 1], LOCAL_NEXT), *local_field(m, v[0], LOCAL_NEXT));
    }
    return mat3_mul(mat3_from_columns(now[0], now[1], now[2]),
                    mat3_inverse(mat3_from_columns(rest[0], rest[1], rest[2])));
}

/* The mean over the cells of a vertex. */
static abut_status vertex_gradient(sizer *s, int32_t vertex, mat3 *out, abut_error *err)
{
    array_clear(&s->work);
    TRY(local_mesh_star(&s->mesh, vertex, &s->work, err));
    mat3 sum = {0};
    double total = 0;
    for (size_t i = 0; i < s->work.count; i++) {
        double volume = local_cell_volume(&s->mesh, s->work.data[i], -1);
        sum = mat3_add(sum, mat3_scale(volume, cell_gradient(&s->mesh, s->work.data[i])));
        total += volume;
    }
    *out = mat3_scale(total > 0 ? 1 / total : 0, sum);
    return ABUT_OK;
}

/* 1 and more: too long. */
static abut_status edge_size(sizer *s, int32_t a, int32_t b, double *size, abut_error *err)
{
    mat3 first, second;
    TRY(vertex_gradient(s, a, &first, err));
    TRY(vertex_gradient(s, b, &second, err));
    *size = sqrt(mat3_norm2(mat3_add(first, mat3_scale(-1, second)))) / s->def->stretch_change;
    if (!local_edge_on_boundary(&s->mesh, a, b, false)) return ABUT_OK;
    double gap = fmin(s->gap.data[a], s->gap.data[b]);
    *size = fmax(*size, local_edge_length(&s->mesh, a, b) / (s->def->contact_gap * gap));
    return ABUT_OK;
}

typedef struct sized_edge {
    int32_t node[2];
    double size;
} sized_edge;
typedef ARRAY(sized_edge) sized_edges;

static int larger_first(const void *a, const void *b)
{
    const sized_edge *p = a, *q = b;
    if (p->size != q->size) return p->size > q->size ? -1 : 1;
    return memcmp(p->node, q->node, sizeof p->node);
}

static abut_status list_edges(sizer *s, sized_edges *out, abut_error *err)
{
    local_list edges = {0};
    array_clear(out);
    s->living = 0;
    for (size_t c = 0; c < s->mesh.cells.count; c++) s->living += s->mesh.cells.data[c].alive;
    abut_status status = local_mesh_edges(&s->mesh, &edges, err);
    for (size_t i = 0; status == ABUT_OK && i < edges.count; i += 2) {
        sized_edge e = {{edges.data[i], edges.data[i + 1]}, 0};
        status = edge_size(s, e.node[0], e.node[1], &e.size, err);
        if (status == ABUT_OK && !array_push(out, e)) status = error_memory(err, "sizing edges");
    }
    array_free(&edges);
    if (status == ABUT_OK && out->count)
        qsort(out->data, out->count, sizeof *out->data, larger_first);
    return status;
}

/* New vertices lie between those of an edge. */
static bool note_vertex(sizer *s, int32_t vertex, double gap)
{
    while (s->gap.count <= (size_t)vertex)
        if (!array_push(&s->gap, INFINITY)) return false;
    s->gap.data[vertex] = gap;
    return true;
}

static abut_status split_edges(sizer *s, const sized_edges *edges, remesh_counts *counts,
                               bool *full, abut_error *err)
{
    size_t all = s->mesh.cells.count;
    for (size_t i = 0; i < edges->count && edges->data[i].size >= 1; i++) {
        int32_t a = edges->data[i].node[0], b = edges->data[i].node[1];
        if (!local_mesh_is_edge(&s->mesh, a, b)) continue;
        bool boundary = local_edge_on_boundary(&s->mesh, a, b, false);
        double least = fmax(s->def->min_edge, boundary ? 4 * s->dhat : 0);
        if (local_edge_length(&s->mesh, a, b) < least) continue;
        /* Every cell that goes makes two new ones. */
        *full =
            s->elsewhere + s->living + (s->mesh.cells.count - all) / 2 >= (size_t)s->def->max_cells;
        if (*full) return ABUT_OK;
        local_change change;
        counts->attempts++;
        TRY(local_mesh_split(&s->mesh, a, b, &change, err));
        if (change.outcome != LOCAL_DONE) continue;
        counts->splits++;
        double gap = boundary ? fmin(s->gap.data[a], s->gap.data[b]) : INFINITY;
        if (!note_vertex(s, change.vertex, gap)) return error_memory(err, "splitting edges");
    }
    return ABUT_OK;
}

/* Whether all edges of a vertex are well below the size at which they are split. */
static abut_status small_edges(sizer *s, int32_t vertex, bool *small, abut_error *err)
{
    local_list neighbours = {0};
    abut_status status = local_mesh_neighbours(&s->mesh, vertex, &neighbours, err);
    *small = true;
    for (size_t i = 0; status == ABUT_OK && *small && i < neighbours.count; i++) {
        double size;
        status = edge_size(s, vertex, neighbours.data[i], &size, err);
        *small = status == ABUT_OK && size < COLLAPSE_BELOW;
    }
    array_free(&neighbours);
    return status;
}

static abut_status collapse_edges(sizer *s, const sized_edges *edges, remesh_counts *counts,
                                  abut_error *err)
{
    for (size_t i = edges->count; i-- > 0 && edges->data[i].size <= COLLAPSE_BELOW;) {
        int32_t a = edges->data[i].node[0], b = edges->data[i].node[1];
        if (!local_mesh_is_edge(&s->mesh, a, b)) continue;
        /* Not beyond the mesh at the start. */
        double longest = (1 - 1e-9) * s->def->max_edge * s->shortest;
        if (local_edge_length(&s->mesh, a, b) >= longest) continue;
        /* The surface in contact stays as it is. */
        if (isfinite(s->gap.data[a]) || isfinite(s->gap.data[b])) continue;
        local_mark mark = local_mesh_mark(&s->mesh);
        local_change change;
        counts->attempts++;
        TRY(local_mesh_collapse(&s->mesh, a, b, &change, err));
        if (change.outcome != LOCAL_DONE) continue;
        bool small = false;
        if (!note_vertex(s, change.vertex, INFINITY)) return error_memory(err, "collapsing edges");
        TRY(small_edges(s, change.vertex, &small, err));
        if (small)
            counts->collapses++;
        else
            local_mesh_rollback(&s->mesh, mark);
    }
    return ABUT_OK;
}

/* Distances of the vertices of a body to what they meet. */
static abut_status find_gaps(sizer *s, const stepper *st, size_t built, size_t vertices,
                             abut_error *err)
{
    const model_body *body = &st->model->bodies.data[built];
    array_clear(&s->gap);
    for (size_t i = 0; i < vertices; i++)
        if (!array_push(&s->gap, INFINITY)) return error_memory(err, "sizing edges");
    if (!st->contact) return ABUT_OK;
    s->dhat = st->contact->options.dhat;
    static const int widths[STENCIL_LISTS] = {2, 3, 4, 4, 4};
    for (int list = 0; list < STENCIL_LISTS; list++) {
        const stencil_array *stencils = &st->contact->active.lists[list];
        for (size_t i = 0; i < stencils->count; i++)
            for (int k = 0; k < widths[list]; k++) {
                int32_t vertex = stencils->data[i].vertex[k];
                if (st->model->surface.vertex_body.data[vertex] != (int32_t)built) continue;
                int32_t at = st->model->surface.rows.data[vertex].block - body->first_block;
                s->gap.data[at] = fmin(s->gap.data[at], sqrt(stencils->data[i].distance2));
            }
    }
    for (size_t i = 0; i < st->contact->plane_contacts.count; i++) {
        const plane_contact *p = &st->contact->plane_contacts.data[i];
        if (st->model->surface.vertex_body.data[p->vertex] != (int32_t)built) continue;
        int32_t at = st->model->surface.rows.data[p->vertex].block - body->first_block;
        s->gap.data[at] = fmin(s->gap.data[at], p->distance);
    }
    return ABUT_OK;
}

/* Cells of the bodies that are remeshed, but for one: as changed where that is done already. */
static size_t cells_elsewhere(const abut_sim *sim, const body_change *changes, size_t without)
{
    size_t count = 0;
    for (size_t i = 0; i < sim->scene->body_count; i++) {
        if (!sim->scene->bodies[i].remesh || i == without) continue;
        const body_shape *shape =
            changes[i].changed ? &changes[i].now : &sim->remesh->shapes.bodies[i];
        count += simplex_view(&shape->shape, sim->scene->planar).cell_count;
    }
    return count;
}

static abut_status size_body(abut_sim *sim, size_t i, sizer *s, body_change *change,
                             remesh_counts *counts, abut_error *err)
{
    const body_shape *shape = &sim->remesh->shapes.bodies[i];
    size_t built = built_body(sim->scene, i), before = counts->splits + counts->collapses;
    s->def = &sim->scene->remesh;
    s->shortest = sim->remesh->shortest[i];
    TRY(shape_to_local(sim->stepper, shape, built, &s->mesh, err));
    s->mesh.min_quality = s->def->quality;
    TRY(find_gaps(s, sim->stepper, built, shape->shape.vertex_count, err));
    sized_edges edges = {0};
    abut_status status = ABUT_OK;
    bool full = false;
    for (int k = 0; status == ABUT_OK && s->def->split && k < s->def->depth; k++) {
        size_t splits = counts->splits;
        status = list_edges(s, &edges, err);
        if (status == ABUT_OK) status = split_edges(s, &edges, counts, &full, err);
        if (counts->splits == splits) break;
    }
    if (full && !sim->remesh->said_full) {
        sim->remesh->said_full = true;
        log_message(&sim->log, ABUT_LOG_WARNING,
                    "the meshes have reached remesh.max_cells (%d) and are not refined further",
                    s->def->max_cells);
    }
    for (int k = 0; status == ABUT_OK && s->def->collapse && k < s->def->depth; k++) {
        size_t collapses = counts->collapses;
        status = list_edges(s, &edges, err);
        if (status == ABUT_OK) status = collapse_edges(s, &edges, counts, err);
        if (counts->collapses == collapses) break;
    }
    array_free(&edges);
    if (status == ABUT_OK && counts->splits + counts->collapses > before)
        status = local_to_change(&s->mesh, change, err);
    return status;
}

abut_status remesh_by_size(abut_sim *sim, body_change *changes, remesh_counts *counts,
                           abut_error *err)
{
    for (size_t i = 0; i < sim->scene->body_count; i++) {
        if (!sim->scene->bodies[i].remesh) continue;
        sizer s = {.elsewhere = cells_elsewhere(sim, changes, i)};
        abut_status status = size_body(sim, i, &s, &changes[i], counts, err);
        local_mesh_free(&s.mesh);
        array_free(&s.gap);
        array_free(&s.work);
        TRY(status);
    }
    return ABUT_OK;
}
