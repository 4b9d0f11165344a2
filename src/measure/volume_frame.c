#include "measure/volume_frame.h"

#include <math.h>
#include <string.h>

static bool add_set(volume_frame *vf, const model *m, const element_set *s, int32_t *point_of_block)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->count * (size_t)s->nodes; i++) {
        int32_t block = s->blocks.data[i];
        if (point_of_block[block] < 0) {
            point_of_block[block] = (int32_t)vf->node.count;
            ok = array_push(&vf->node, block) && array_push(&vf->body, m->body.data[block]);
        }
        ok = ok && array_push(&vf->cells, point_of_block[block]);
    }
    cell_block cells = {s->kind, s->order, s->nodes, s->count, NULL, NULL};
    return ok && array_push(&vf->blocks, cells);
}

abut_status volume_frame_init(volume_frame *vf, const model *m, abut_error *err)
{
    memset(vf, 0, sizeof *vf);
    int32_t *point_of_block = mem_alloc(m->rest.count + 1, sizeof *point_of_block);
    bool ok = point_of_block != NULL;
    for (size_t i = 0; ok && i < m->rest.count; i++) point_of_block[i] = -1;
    size_t elements = 0;
    for (size_t i = 0; ok && i < m->sets.count; i++) {
        ok = add_set(vf, m, &m->sets.data[i], point_of_block);
        elements += m->sets.data[i].count;
    }
    mem_free(point_of_block);
    size_t points = vf->node.count, first = 0;
    ok = ok && array_resize(&vf->position, points) && array_resize(&vf->velocity, points) &&
         array_resize(&vf->displacement, points) && array_resize(&vf->volume_ratio, elements);
    if (!ok) {
        volume_frame_free(vf);
        return error_memory(err, "preparing frames");
    }
    for (size_t i = 0; i < vf->blocks.count; i++) { /* the list does not move any more */
        vf->blocks.data[i].nodes = vf->cells.data + first;
        first += vf->blocks.data[i].count * (size_t)vf->blocks.data[i].nodes_per_cell;
    }
    return ABUT_OK;
}

void volume_frame_free(volume_frame *vf)
{
    array_free(&vf->node);
    array_free(&vf->body);
    array_free(&vf->cells);
    array_free(&vf->blocks);
    array_free(&vf->volume_ratio);
    array_free(&vf->position);
    array_free(&vf->velocity);
    array_free(&vf->displacement);
}

bool volume_frame_has(const volume_frame *vf, int32_t body)
{
    for (size_t i = 0; i < vf->body.count; i++)
        if (vf->body.data[i] == body) return true;
    return false;
}

static void measure_volumes(volume_frame *vf, const stepper *s)
{
    const model *m = s->model;
    size_t cell = 0;
    double u[3 * ELEMENT_MAX_STRIDE];
    for (size_t i = 0; i < m->sets.count; i++) {
        const element_set *set = &m->sets.data[i];
        for (size_t e = 0; e < set->count; e++, cell++) {
            double least = INFINITY;
            element_gather(set, e, s->state.x, m->rest.data, u);
            for (int k = 0; k < set->rule.count; k++)
                least = fmin(least, mat3_determinant(element_deformation(set, e, u, k)));
            vf->volume_ratio.data[cell] = least;
        }
    }
}

void volume_frame_take(volume_frame *vf, const stepper *s, frame *out)
{
    for (size_t i = 0; i < vf->node.count; i++) {
        size_t block = (size_t)vf->node.data[i];
        vf->position.data[i] = vec3_load(s->state.x + 3 * block);
        vf->velocity.data[i] = vec3_load(s->state.v + 3 * block);
        vf->displacement.data[i] = vec3_sub(vf->position.data[i], s->model->rest.data[block]);
    }
    measure_volumes(vf, s);
    *out = (frame){.time = s->time,
                   .step = s->state.steps,
                   .point_count = vf->node.count,
                   .points = vf->position.data,
                   .block_count = vf->blocks.count,
                   .blocks = vf->blocks.data};
    frame_add_ints(out, FRAME_POINTS, FIELD_BODY, 1, vf->body.data);
    frame_add_doubles(out, FRAME_POINTS, FIELD_VELOCITY, 3, (const double *)vf->velocity.data);
    frame_add_doubles(out, FRAME_POINTS, FIELD_DISPLACEMENT, 3,
                      (const double *)vf->displacement.data);
    frame_add_doubles(out, FRAME_CELLS, "volume_ratio", 1, vf->volume_ratio.data);
}
