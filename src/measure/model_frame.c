#include "measure/model_frame.h"

#include "body/follower.h"

#include <string.h>

/* Bodies that are drawn by their nodes; the others by the vertices of their collision surface. */
static bool drawn_by_nodes(const model_body *body) { return body->nodal && !body->by_surface; }

/* Points of every body; point_of_block and point_of_vertex are filled where they apply. */
static bool add_points(model_frame *mf, const model *m, int32_t *point_of_block,
                       int32_t *point_of_vertex)
{
    bool ok = true;
    for (size_t b = 0; ok && b < m->bodies.count; b++) {
        const model_body *body = &m->bodies.data[b];
        bool nodes = drawn_by_nodes(body);
        size_t count = nodes ? (size_t)body->block_count : body->surface.vertex_count;
        for (size_t i = 0; ok && i < count; i++) {
            int32_t source =
                (int32_t)(nodes ? (size_t)body->first_block + i : body->surface.first_vertex + i);
            (nodes ? point_of_block : point_of_vertex)[source] = (int32_t)mf->source.count;
            ok = array_push(&mf->source, nodes ? source : -1 - source) &&
                 array_push(&mf->body, (int32_t)b);
        }
        for (size_t i = 0; ok && nodes && i < body->surface.vertex_count; i++) {
            size_t v = body->surface.first_vertex + i;
            /* Vertices of a nodal body that follow several nodes are not drawn (proxies). */
            int32_t node = surface_vertex_node(&m->surface, v);
            point_of_vertex[v] = node >= 0 ? point_of_block[node] : -1;
        }
    }
    return ok;
}

static bool add_cells(model_frame *mf, const collision_surface *s, const model_body *body,
                      const int32_t *point_of_vertex)
{
    bool ok = true;
    size_t triangle_end = body->surface.first_triangle + body->surface.triangle_count;
    size_t edge_end = body->surface.first_edge + body->surface.edge_count;
    size_t vertex_end = body->surface.first_vertex + body->surface.vertex_count;
    for (size_t i = 3 * body->surface.first_triangle; ok && i < 3 * triangle_end; i++)
        ok = array_push(&mf->triangles, point_of_vertex[s->triangles.data[i]]);
    for (size_t i = 2 * body->surface.free_edge_first; ok && i < 2 * edge_end; i++)
        ok = array_push(&mf->edges, point_of_vertex[s->edges.data[i]]);
    for (size_t i = body->surface.first_vertex; ok && i < vertex_end; i++)
        if (!s->vertex_on_edge.data[i]) ok = array_push(&mf->points, point_of_vertex[i]);
    return ok;
}

static void add_block(model_frame *mf, cell_kind kind, int nodes, size_t count, int32_t *data)
{
    if (count > 0) mf->blocks[mf->block_count++] = (cell_block){kind, 1, nodes, count, data, NULL};
}

/* Where the points are for coordinates x. */
static void gather(const model_frame *mf, const double *blocks, const vec3 *vertices, vec3 *out)
{
    for (size_t i = 0; i < mf->source.count; i++) {
        int32_t source = mf->source.data[i];
        out[i] = source >= 0 ? vec3_load(blocks + 3 * (size_t)source) : vertices[-1 - source];
    }
}

static bool has_vertex_points(const model *m)
{
    for (size_t b = 0; b < m->bodies.count; b++)
        if (!drawn_by_nodes(&m->bodies.data[b])) return true;
    return false;
}

static bool init(model_frame *mf, const model *m, int32_t *point_of_block, int32_t *point_of_vertex)
{
    bool ok = add_points(mf, m, point_of_block, point_of_vertex);
    for (size_t b = 0; ok && b < m->bodies.count; b++)
        if (m->bodies.data[b].tet_count == 0 || m->bodies.data[b].by_surface)
            ok = add_cells(mf, &m->surface, &m->bodies.data[b], point_of_vertex);
    for (size_t i = 0; ok && i < 4 * m->tet_count; i++)
        if (!m->bodies.data[m->tet_body.data[i / 4]].by_surface)
            ok = array_push(&mf->tets, point_of_block[m->tets.data[i]]);
    size_t points = mf->source.count, vertices = has_vertex_points(m) ? m->surface.rows.count : 0;
    ok = ok && array_resize(&mf->rest, points) && array_resize(&mf->position, points) &&
         array_resize(&mf->velocity, points) && array_resize(&mf->displacement, points) &&
         array_resize(&mf->vertex_position, vertices) &&
         array_resize(&mf->vertex_velocity, vertices);
    if (!ok) return false;
    const double *start = (const double *)m->rest.data;
    if (vertices > 0) collision_surface_positions(&m->surface, start, mf->vertex_position.data);
    gather(mf, start, mf->vertex_position.data, mf->rest.data);
    if (m->codim.pattern.count == 0) return true;
    if (!array_resize(&mf->pattern, points)) return false;
    for (size_t i = 0; i < points; i++) {
        int32_t source = mf->source.data[i];
        bool known = source >= 0 && (size_t)source < m->codim.pattern.count;
        mf->pattern.data[i] = known ? m->codim.pattern.data[source] : (vec3){0};
    }
    return true;
}

abut_status model_frame_init(model_frame *mf, const model *m, abut_error *err)
{
    memset(mf, 0, sizeof *mf);
    int32_t *point_of_block = mem_alloc(m->rest.count + 1, sizeof *point_of_block);
    int32_t *point_of_vertex = mem_alloc(m->surface.rows.count + 1, sizeof *point_of_vertex);
    bool ok = point_of_block && point_of_vertex && init(mf, m, point_of_block, point_of_vertex);
    mem_free(point_of_block);
    mem_free(point_of_vertex);
    if (!ok) {
        model_frame_free(mf);
        return error_memory(err, "preparing frames");
    }
    add_block(mf, CELL_TET, 4, mf->tets.count / 4, mf->tets.data);
    add_block(mf, CELL_TRIANGLE, 3, mf->triangles.count / 3, mf->triangles.data);
    add_block(mf, CELL_EDGE, 2, mf->edges.count / 2, mf->edges.data);
    add_block(mf, CELL_POINT, 1, mf->points.count, mf->points.data);
    return ABUT_OK;
}

void model_frame_free(model_frame *mf)
{
    array_free(&mf->tets);
    array_free(&mf->triangles);
    array_free(&mf->edges);
    array_free(&mf->points);
    array_free(&mf->source);
    array_free(&mf->body);
    array_free(&mf->rest);
    array_free(&mf->position);
    array_free(&mf->velocity);
    array_free(&mf->displacement);
    array_free(&mf->pattern);
    array_free(&mf->vertex_position);
    array_free(&mf->vertex_velocity);
    mf->block_count = 0;
}

void model_frame_positions(model_frame *mf, const model *m, const double *x, vec3 *out)
{
    if (mf->vertex_position.count > 0)
        collision_surface_positions(&m->surface, x, mf->vertex_position.data);
    gather(mf, x, mf->vertex_position.data, out);
}

/* Positions and displacements of the points; the frame without fields. */
static frame place_points(model_frame *mf, const model *m, const double *x)
{
    model_frame_positions(mf, m, x, mf->position.data);
    for (size_t i = 0; i < mf->source.count; i++)
        mf->displacement.data[i] = vec3_sub(mf->position.data[i], mf->rest.data[i]);
    return (frame){.point_count = mf->source.count,
                   .points = mf->position.data,
                   .block_count = mf->block_count,
                   .blocks = mf->blocks};
}

static void add_shape_fields(model_frame *mf, frame *out)
{
    frame_add_doubles(out, FRAME_POINTS, FIELD_DISPLACEMENT, 3,
                      (const double *)mf->displacement.data);
    if (mf->pattern.count > 0)
        frame_add_doubles(out, FRAME_POINTS, FIELD_PATTERN, 3, (const double *)mf->pattern.data);
}

void model_frame_at(model_frame *mf, const model *m, const double *x, frame *out)
{
    *out = place_points(mf, m, x);
    frame_add_ints(out, FRAME_POINTS, FIELD_BODY, 1, mf->body.data);
    add_shape_fields(mf, out);
}

void model_frame_take(model_frame *mf, const stepper *s, frame *out)
{
    const model *m = s->model;
    const double *x = s->state.x, *v = s->state.v;
    *out = place_points(mf, m, x);
    out->time = s->time;
    out->step = s->state.steps;
    if (mf->vertex_position.count > 0)
        collision_surface_velocities(&m->surface, x, v, mf->vertex_velocity.data);
    gather(mf, v, mf->vertex_velocity.data, mf->velocity.data);
    frame_add_ints(out, FRAME_POINTS, FIELD_BODY, 1, mf->body.data);
    frame_add_doubles(out, FRAME_POINTS, FIELD_VELOCITY, 3, (const double *)mf->velocity.data);
    add_shape_fields(mf, out);
}
