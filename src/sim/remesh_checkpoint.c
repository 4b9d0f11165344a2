/* Meshes and sums of remeshing in checkpoints. */
#include "sim/remesh.h"

#include <stdio.h>
#include <string.h>

static void array_name(char *out, size_t size, size_t body, const char *what)
{
    snprintf(out, size, "mesh_%zu_%s", body, what);
}

abut_status sim_remesh_save(abut_sim *sim, checkpoint_writer *w, abut_error *err)
{
    sim_remesh *r = sim->remesh;
    char name[CHECKPOINT_NAME_SIZE];
    for (size_t i = 0; i < r->shapes.count; i++) {
        const body_shape *b = &r->shapes.bodies[i];
        if (b->shape.vertex_count == 0) continue;
        const cell_block *cells = &b->shape.blocks[0];
        array_name(name, sizeof name, i, "vertices");
        checkpoint_add_doubles(w, name, (const double *)b->shape.vertices,
                               3 * b->shape.vertex_count);
        array_name(name, sizeof name, i, "cells");
        checkpoint_add_ints(w, name, cells->nodes, cells->count * (size_t)cells->nodes_per_cell);
        array_name(name, sizeof name, i, "sets");
        checkpoint_add_longs(w, name, (const int64_t *)b->sets,
                             b->set_words * b->shape.vertex_count);
        array_name(name, sizeof name, i, "tags");
        checkpoint_add_ints(w, name, cells->tags, cells->tags ? cells->count : 0);
    }
    const remesh_counts *t = &r->total;
    int64_t counters[] = {(int64_t)t->splits,
                          (int64_t)t->collapses,
                          (int64_t)t->swaps,
                          (int64_t)t->smoothings,
                          (int64_t)t->attempts,
                          (int64_t)t->projections,
                          r->changed_steps,
                          r->unknowns_sum,
                          r->max_unknowns,
                          r->last,
                          r->next,
                          r->patience};
    memcpy(r->counters, counters, sizeof counters);
    checkpoint_add_longs(w, "remesh_counters", r->counters, 12);
    checkpoint_add_doubles(w, "remesh_seconds", &r->seconds, 1);
    checkpoint_add_doubles(w, "remesh_look", r->look, 2);
    TRY(remesh_memory_write(&r->memory, &r->remembered, err));
    checkpoint_add_longs(w, "remesh_failures", r->remembered.keys.data, r->remembered.keys.count);
    checkpoint_add_doubles(w, "remesh_strengths", r->remembered.strengths.data,
                           r->remembered.strengths.count);
    return ABUT_OK;
}

static abut_status load_memory(const checkpoint_reader *c, remesh_memory *out, abut_error *err)
{
    const int64_t *keys;
    const double *strengths;
    size_t count, strength_count;
    TRY(checkpoint_get_longs(c, "remesh_failures", &keys, &count, err));
    TRY(checkpoint_get_doubles(c, "remesh_strengths", &strengths, &strength_count, err));
    if (count != strength_count)
        return error_set(err, ABUT_ERROR_INPUT, c->path, "the memory of remeshing is not complete");
    for (size_t i = 0; i < count; i++)
        TRY(remesh_memory_put(out, (uint64_t)keys[i], strengths[i], err));
    return ABUT_OK;
}

static abut_status load_shape(const checkpoint_reader *c, size_t i, bool planar, size_t words,
                              body_shape *out, abut_error *err)
{
    char name[CHECKPOINT_NAME_SIZE];
    const double *vertices;
    const int32_t *cells, *tags;
    const int64_t *sets; /* words of a vertex one after the other */
    size_t scalars, nodes, tag_count, set_count, corners = planar ? 3 : 4;
    array_name(name, sizeof name, i, "vertices");
    TRY(checkpoint_get_doubles(c, name, &vertices, &scalars, err));
    array_name(name, sizeof name, i, "cells");
    TRY(checkpoint_get_ints(c, name, &cells, &nodes, err));
    array_name(name, sizeof name, i, "sets");
    TRY(checkpoint_get_longs(c, name, &sets, &set_count, err));
    array_name(name, sizeof name, i, "tags");
    TRY(checkpoint_get_ints(c, name, &tags, &tag_count, err));
    size_t n = scalars / 3, cell_count = nodes / corners;
    if (scalars % 3 || nodes % corners || set_count != words * n ||
        (tag_count && tag_count != cell_count))
        return error_set(err, ABUT_ERROR_INPUT, c->path, "the mesh of body %zu is not complete", i);
    TRY(mesh_init(&out->shape, n, err));
    memcpy(out->shape.vertices, vertices, n * sizeof(vec3));
    cell_block *block;
    TRY(mesh_add_block(&out->shape, planar ? CELL_TRIANGLE : CELL_TET, 1, cell_count, tag_count > 0,
                       &block, err));
    memcpy(block->nodes, cells, nodes * sizeof *cells);
    if (tag_count) memcpy(block->tags, tags, tag_count * sizeof *tags);
    out->set_words = words;
    out->sets = mem_alloc((n + 1) * words, sizeof *out->sets);
    if (!out->sets) return error_memory(err, "reading a checkpoint");
    memcpy(out->sets, sets, set_count * sizeof *sets);
    return mesh_validate(&out->shape, err);
}

abut_status sim_remesh_load(abut_sim *sim, const checkpoint_reader *c, abut_error *err)
{
    sim_remesh *r = sim->remesh;
    body_shapes shapes = {r->shapes.count, mem_calloc(r->shapes.count + 1, sizeof *shapes.bodies)};
    abut_status status = shapes.bodies ? ABUT_OK : error_memory(err, "reading a checkpoint");
    for (size_t i = 0; status == ABUT_OK && i < shapes.count; i++)
        if (sim->scene->bodies[i].remesh)
            status = load_shape(c, i, sim->scene->planar, r->shapes.bodies[i].set_words,
                                &shapes.bodies[i], err);
    int64_t n[12];
    double seconds, look[2];
    if (status == ABUT_OK) status = checkpoint_copy_longs(c, "remesh_counters", n, 12, err);
    if (status == ABUT_OK) status = checkpoint_copy_doubles(c, "remesh_seconds", &seconds, 1, err);
    if (status == ABUT_OK) status = checkpoint_copy_doubles(c, "remesh_look", look, 2, err);
    stepper *s = NULL;
    remesh_memory memory = {0};
    if (status == ABUT_OK) status = load_memory(c, &memory, err);
    if (status == ABUT_OK) status = scene_build_shapes(sim->scene, &shapes, &sim->log, &s, err);
    if (status != ABUT_OK) {
        body_shapes_free(&shapes);
        remesh_memory_free(&memory);
        return status;
    }
    stepper_destroy(sim->stepper);
    body_shapes_free(&r->shapes);
    sim->stepper = s;
    r->shapes = shapes;
    remesh_memory_free(&r->memory);
    r->memory = memory;
    r->version++;
    r->total = (remesh_counts){.splits = (size_t)n[0],
                               .collapses = (size_t)n[1],
                               .swaps = (size_t)n[2],
                               .smoothings = (size_t)n[3],
                               .attempts = (size_t)n[4],
                               .projections = (size_t)n[5]};
    r->changed_steps = n[6];
    r->unknowns_sum = n[7];
    r->max_unknowns = n[8];
    r->last = n[9];
    r->next = n[10];
    r->patience = n[11];
    memcpy(r->look, look, sizeof look);
    r->seconds = seconds;
    return ABUT_OK;
}
