/* Particles: one per vertex of the mesh. */
#include "scene/body_source.h"

static abut_status add(const body_source *from, model *m, abut_error *err)
{
    const body_def *def = from->def;
    return error_add_place(
        err, from->place,
        model_add_particles(m, def->name, from->shape, def->material.density, def->radius, err));
}

static const char *measure(const model *m, const model_body *body)
{
    (void)m;
    (void)body;
    return "radius";
}

const body_row particles_kind = {.inelastic = true,
                                 .keys = KEYS_MATERIAL | KEYS_DENSITY | KEYS_SIMULATED |
                                         KEYS_NODES | KEYS_SEQUENCE | KEYS_PARTICLES,
                                 .needs = NEEDS_DENSITY,
                                 .add = add,
                                 .measure = measure};
