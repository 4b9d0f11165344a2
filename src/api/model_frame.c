#include "api/model_frame.h"

#include <string.h>

static bool add_obstacle(model_frame *mf, const collision_surface *s, const model_body *body)
{
    bool ok = true;
    size_t triangle_end = body->first_triangle + body->triangle_count;
    size_t edge_end = body->first_edge + body->edge_count;
    size_t vertex_end = body->first_vertex + body->vertex_count;
    for (size_t i = 3 * body->first_triangle; ok && i < 3 * triangle_end; i++)
        ok = array_push(&mf->triangles, s->rows.data[s->triangles.data[i]].block);
    for (size_t i = 2 * body->first_edge; ok && body->triangle_count == 0 && i < 2 * edge_end; i++)
        ok = array_push(&mf->edges, s->rows.data[s->edges.data[i]].block);
    for (size_t i = body->first_vertex; ok && body->edge_count == 0 && i < vertex_end; i++)
        ok = array_push(&mf->points, s->rows.data[i].block);
    return ok;
}

static void add_block(model_frame *mf, cell_kind kind, int nodes, size_t count, int32_t *data)
{
    if (count > 0) mf->blocks[mf->block_count++] = (cell_block){kind, 1, nodes, count, data, NULL};
}

abut_status model_frame_init(model_frame *mf, const model *m, abut_error *err)
{
    memset(mf, 0, sizeof *mf);
    bool ok = array_resize(&mf->displacement, 3 * m->rest.count);
    for (size_t b = 0; ok && b < m->bodies.count; b++)
        if (m->bodies.data[b].kind == BODY_KIND_OBSTACLE)
            ok = add_obstacle(mf, &m->surface, &m->bodies.data[b]);
    if (!ok) {
        model_frame_free(mf);
        return error_memory(err, "preparing frames");
    }
    add_block(mf, CELL_TET, 4, m->tet_count, m->tets.data);
    add_block(mf, CELL_TRIANGLE, 3, mf->triangles.count / 3, mf->triangles.data);
    add_block(mf, CELL_EDGE, 2, mf->edges.count / 2, mf->edges.data);
    add_block(mf, CELL_POINT, 1, mf->points.count, mf->points.data);
    return ABUT_OK;
}

void model_frame_free(model_frame *mf)
{
    array_free(&mf->triangles);
    array_free(&mf->edges);
    array_free(&mf->points);
    array_free(&mf->displacement);
    mf->block_count = 0;
}

void model_frame_take(model_frame *mf, const stepper *s, frame *out)
{
    const model *m = s->model;
    const double *rest = (const double *)m->rest.data;
    for (size_t i = 0; i < 3 * m->rest.count; i++)
        mf->displacement.data[i] = s->state.x[i] - rest[i];
    *out = (frame){.time = s->time,
                   .step = s->state.steps,
                   .point_count = m->rest.count,
                   .points = (const vec3 *)s->state.x,
                   .block_count = mf->block_count,
                   .blocks = mf->blocks};
    frame_add_ints(out, FRAME_POINTS, FIELD_BODY, 1, m->body.data);
    frame_add_doubles(out, FRAME_POINTS, FIELD_VELOCITY, 3, s->state.v);
    frame_add_doubles(out, FRAME_POINTS, FIELD_DISPLACEMENT, 3, mf->displacement.data);
}
