#include "scene/sequence.h"

#include "base/file.h"
#include "mesh/generate.h"
#include "mesh/mesh_io.h"

#include <stdio.h>
#include <string.h>

/* Appends the positions of one file. */
static abut_status add_frame(const char *path, const body_def *def, const model_body *body,
                             condition *c, abut_error *err)
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
    if (status == ABUT_OK && def->sequence.transform)
        mesh_transform(&m, def->scale, def->rotate, def->translate);
    for (size_t v = 0; status == ABUT_OK && v < m.vertex_count; v++) {
        int32_t block = body->block_of_vertex[v];
        if (block >= 0)
            vec3_store(c->frames.data + at + 3 * (size_t)(block - body->first_block),
                       m.vertices[v]);
    }
    mesh_free(&m);
    return status;
}

/* Path of the n-th file; false when there is none. */
static bool frame_path(const body_def *def, size_t n, char *path, size_t size)
{
    if (def->sequence.files) {
        if (n >= def->sequence.file_count) return false;
        snprintf(path, size, "%s", def->sequence.files[n].path);
        return true;
    }
    snprintf(path, size, "%s/%zu.%s", def->sequence.folder, n + (size_t)def->sequence.first,
             def->sequence.extension);
    return n == 0 || file_exists(path);
}

abut_status sequence_load(const scene_def *scene, size_t i, const model_body *body, condition *c,
                          abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    double fps = def->sequence.fps;
    /* As many as the scene can reach. */
    double wanted =
        fps > 0 ? scene->end_time * fps + 2 : ceil(scene->end_time / scene->options.h - 1e-9);
    size_t count = (size_t)fmin(fmax(wanted, 1), 1e9);
    char path[4096];
    abut_status status = ABUT_OK;
    c->frame_step = fps > 0 ? 1 / fps : scene->options.h;
    c->frames_between = fps > 0;
    for (size_t n = 0; n < count && status == ABUT_OK; n++) {
        if (!frame_path(def, n, path, sizeof path)) break;
        status = add_frame(path, def, body, c, err);
    }
    if (status != ABUT_OK) {
        char place[256];
        snprintf(place, sizeof place, "%.150s: bodies[%zu].sequence", scene->path, i);
        return error_add_place(err, place, status);
    }
    return ABUT_OK;
}
