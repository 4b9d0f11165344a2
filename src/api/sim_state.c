/* The functions of sim.h on the state: saving, checking, bodies and their surface. */
#include "sim/sim_state.h"

#include "base/memory.h"
#include "verify/verify_positions.h"

#include <math.h>

/* ---- Saving --------------------------------------------------------------------------------- */

abut_status abut_sim_save(abut_sim *sim, const char *path, abut_error *error)
{
    return sim_save(sim, path, error);
}

abut_status abut_sim_restore(abut_sim *sim, const char *path, abut_error *error)
{
    return sim_restore(sim, path, error);
}

char *abut_sim_scene(const abut_sim *sim)
{
    char hash[SHA256_TEXT_SIZE], *text = NULL;
    return sim_scene_text(sim, &text, hash, NULL) == ABUT_OK ? text : NULL;
}

/* ---- Checking ------------------------------------------------------------------------------- */

abut_status abut_sim_check(const abut_sim *sim, abut_state_check *out, abut_error *error)
{
    const motion_state *state = &sim->stepper->state;
    for (size_t i = 0; i < state->scalars; i++)
        if (!isfinite(state->x[i]) || !isfinite(state->v[i]))
            return error_set(error, ABUT_ERROR_INFEASIBLE, "state",
                             "position or velocity of node %zu is not finite", i / 3);
    verify_result r;
    TRY(verify_positions(sim->scene, sim->stepper->model, state->x, &r, error));
    size_t wrong = r.intersections + r.behind_planes + r.inside;
    if (out) *out = (abut_state_check){wrong, r.inverted, r.min_distance};
    if (wrong + r.inverted == 0) return ABUT_OK;
    return error_set(error, ABUT_ERROR_INFEASIBLE, "state",
                     "%zu intersections and %zu inverted elements", wrong, r.inverted);
}

/* ---- Bodies --------------------------------------------------------------------------------- */

const double *abut_sim_masses(const abut_sim *sim) { return sim->stepper->model->mass.data; }

double *abut_sim_forces(abut_sim *sim)
{
    stepper *s = sim->stepper;
    if (!s->loads.user) s->loads.user = mem_calloc(s->state.scalars, sizeof *s->loads.user);
    return s->loads.user;
}

size_t abut_sim_body_count(const abut_sim *sim) { return sim->stepper->model->bodies.count; }

bool abut_sim_body(const abut_sim *sim, size_t index, abut_body *out)
{
    const model *m = sim->stepper->model;
    if (index >= m->bodies.count) return false;
    const model_body *b = &m->bodies.data[index];
    *out = (abut_body){.name = b->name,
                       .kind = body_kind_words[b->kind],
                       .kinematic = body_rows[b->kind]->obstacle,
                       .first_node = (size_t)b->first_block,
                       .node_count = (size_t)b->block_count,
                       .first_vertex = b->surface.first_vertex,
                       .vertex_count = b->surface.vertex_count,
                       .first_edge = b->surface.first_edge,
                       .edge_count = b->surface.edge_count,
                       .first_triangle = b->surface.first_triangle,
                       .triangle_count = b->surface.triangle_count};
    return true;
}

size_t abut_sim_vertex_count(const abut_sim *sim)
{
    return sim->stepper->model->surface.rows.count;
}

const int32_t *abut_sim_edges(const abut_sim *sim, size_t *count)
{
    const collision_surface *s = &sim->stepper->model->surface;
    if (count) *count = s->edges.count / 2;
    return s->edges.data;
}

const int32_t *abut_sim_triangles(const abut_sim *sim, size_t *count)
{
    const collision_surface *s = &sim->stepper->model->surface;
    if (count) *count = s->triangles.count / 3;
    return s->triangles.data;
}

const int32_t *abut_sim_tetrahedra(const abut_sim *sim, size_t *count)
{
    const model *m = sim->stepper->model;
    if (count) *count = m->tet_count;
    return m->tet_count > 0 ? m->tets.data : NULL;
}

void abut_sim_vertices(const abut_sim *sim, double *positions)
{
    collision_surface_positions(&sim->stepper->model->surface, sim->stepper->state.x,
                                (vec3 *)(void *)positions);
}

void abut_sim_rest_vertices(const abut_sim *sim, double *positions)
{
    const model *m = sim->stepper->model;
    collision_surface_positions(&m->surface, (const double *)(const void *)m->rest.data,
                                (vec3 *)(void *)positions);
}
