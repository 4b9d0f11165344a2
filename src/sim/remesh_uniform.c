/* All cells of the bodies refined, once in a run (the baseline). */
#include "sim/remesh_methods.h"

/* Levels of refinement that stay below max_cells. */
static int possible_levels(const abut_sim *sim)
{
    const scene_def *scene = sim->scene;
    double cells = 0, factor = scene->planar ? 4 : 8;
    int levels = 0;
    for (size_t i = 0; i < scene->body_count; i++)
        if (scene->bodies[i].remesh)
            cells += (double)simplex_view(&sim->remesh->shapes.bodies[i].shape, scene->planar)
                         .cell_count;
    while (levels < scene->remesh.levels && cells * factor <= scene->remesh.max_cells) {
        cells *= factor;
        levels++;
    }
    if (levels < scene->remesh.levels)
        log_message(&sim->log, ABUT_LOG_WARNING,
                    "cells are refined %d times only, not %d: remesh.max_cells is %d", levels,
                    scene->remesh.levels, scene->remesh.max_cells);
    return levels;
}

abut_status remesh_uniformly(abut_sim *sim, body_change *changes, remesh_counts *counts,
                             abut_error *err)
{
    const scene_def *scene = sim->scene;
    const stepper *s = sim->stepper;
    int levels = possible_levels(sim);
    for (size_t i = 0; i < scene->body_count && levels > 0; i++) {
        if (!scene->bodies[i].remesh) continue;
        body_change *c = &changes[i];
        const body_shape *old = &sim->remesh->shapes.bodies[i];
        TRY(shape_refine(old, scene->planar, levels, &c->now, err));
        c->changed = c->nested = true;
        TRY(body_change_interpolate(s, old, built_body(scene, i), c, err));
        counts->splits += c->now.shape.vertex_count - old->shape.vertex_count;
    }
    return ABUT_OK;
}
