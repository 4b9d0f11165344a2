/* Rods: thin elastic rods along the edges of the mesh. */
#include "scene/body_source.h"
#include "scene/complete.h"

static void complete(body_def *body)
{
    complete_thin_damping(body, body->rod.damping, body->rod.bending_damping);
}

static abut_status add(const body_source *from, model *m, abut_error *err)
{
    const body_def *def = from->def;
    rod_definition rod = {.young = def->material.young,
                          .poisson = def->material.poisson,
                          .density = def->material.density,
                          .diameter = def->rod.diameter,
                          .stretch_scale = def->rod.stretch_scale,
                          .bend_scale = def->rod.bending_scale,
                          .twist_scale = def->rod.twist_scale};
    return error_add_place(err, from->place, model_add_rod(m, def->name, from->shape, &rod, err));
}

static const char *measure(const model *m, const model_body *body)
{
    (void)m;
    (void)body;
    return "length and diameter";
}

#define EDGES                                                                                      \
    {                                                                                              \
        1u << CELL_EDGE, "edges"                                                                   \
    }

const body_row rod_kind = {.keys = KEYS_MATERIAL | KEYS_DENSITY | KEYS_SIMULATED | KEYS_NODES |
                                   KEYS_SEQUENCE | KEYS_ROD,
                           .needs = NEEDS_MATERIAL,
                           .cells = {EDGES, EDGES},
                           .complete = complete,
                           .add = add,
                           .measure = measure};
