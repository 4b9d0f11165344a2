/* Rods: thin elastic rods along the edges of the mesh. */
#include "scene/body_source.h"
#include "scene/native_get.h"

static void read(const json_t *object, body_def *out)
{
    const json_t *rod = get(object, "rod");
    out->rod = (rod_def){.diameter = get_number(rod, "diameter"),
                         .stretch_scale = get_number(rod, "stretch_scale"),
                         .bending_scale = get_number(rod, "bending_scale"),
                         .twist_scale = get_number(rod, "twist_scale")};
    out->damping = get_number_or(rod, "damping", out->damping);
    out->bending_damping = get_number_or(rod, "bending_damping", out->damping);
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
                           .read = read,
                           .add = add,
                           .measure = measure};
