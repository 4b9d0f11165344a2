#include "scene/sequence.h"

#include "base/file.h"
#include "mesh/mesh_io.h"

#include <stdio.h>
#include <string.h>

/* Appends the positions of one file. */
static abut_status add_frame(const char *path, const model_body *body, condition *c,
                             abut_error *err)
{
    mesh m;
    TRY(mesh_read(path, NULL, &m, err));
    abut_status status = ABUT_OK;
    if (m.vertex_count != body->mesh_vertex_count)
        status = error_set(err, ABUT_ERROR_INPUT, path,
                           "it has %zu vertices, but the mesh of the body has %zu", m.vertex_count,
                           body->mesh_vertex_count);
    size_t at = c->frames.count;
    if (status == ABUT_OK && !array_resize(&c->frames, at + 3 * c->nodes.count))
        status = error_memory(err, "reading a sequence");
    for (size_t v = 0; status == ABUT_OK && v < m.vertex_count; v++) {
        int32_t block = body->block_of_vertex[v];
        if (block >= 0)
            vec3_store(c->frames.data + at + 3 * (size_t)(block - body->first_block),
                       m.vertices[v]);
    }
    mesh_free(&m);
    return status;
}

abut_status sequence_load(const scene_def *scene, size_t i, const model_body *body, condition *c,
                          abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    size_t steps = (size_t)fmin(ceil(scene->end_time / scene->time_step - 1e-9), 1e9);
    size_t size = strlen(def->sequence_folder) + strlen(def->sequence_extension) + 32;
    char *path = mem_alloc(size, 1);
    if (!path) return error_memory(err, "reading a sequence");
    abut_status status = ABUT_OK;
    c->frame_step = scene->time_step;
    for (size_t n = 0; n < steps && status == ABUT_OK; n++) {
        snprintf(path, size, "%s/%zu.%s", def->sequence_folder, n + (size_t)def->sequence_first,
                 def->sequence_extension);
        if (n > 0 && !file_exists(path)) break;
        status = add_frame(path, body, c, err);
    }
    mem_free(path);
    if (status != ABUT_OK) {
        char place[256];
        snprintf(place, sizeof place, "%.150s: bodies[%zu].sequence", scene->path, i);
        return error_add_place(err, place, status);
    }
    return ABUT_OK;
}
