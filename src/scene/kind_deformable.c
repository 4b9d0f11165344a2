/* Deformable bodies: elements of volume with an elastic law. */
#include "base/memory.h"
#include "fem/change_order.h"
#include "fem/density_fit.h"
#include "scene/body_fill.h"
#include "scene/body_source.h"
#include "scene/build_check.h"
#include "scene/build_solid.h"

static abut_status add(const body_source *from, model *m, abut_error *err)
{
    TRY(build_solid(from->scene, from->index, from->shape, from->numbered, m, from->log, err));
    model_body *body = &m->bodies.data[m->bodies.count - 1];
    if (from->def->consistent_mass) body->consistent_mass = true;
    return check_masses(from->shape, m, body, from->place, from->log, err);
}

static abut_status surface(const scene_def *scene, size_t body, const mesh *shape, mesh *out,
                           abut_error *err)
{
    if (solid_collides_by_mesh(scene, body, shape)) return ABUT_OK;
    return build_solid_surface(scene, body, shape, out, err);
}

/* The volume of curved cells, which measures by corners do not see. */
static abut_status curved_volume(const scene_def *scene, const mesh *m, double *out,
                                 abut_error *err)
{
    cell_moment *cells = NULL;
    size_t count = 0;
    TRY(cell_moments(m, scene->planar ? 2 : 3, &cells, &count, err));
    *out = 0;
    for (size_t i = 0; i < count; i++) *out += cells[i].volume;
    mem_free(cells);
    return ABUT_OK;
}

static abut_status weigh(const scene_def *scene, size_t body, const mesh *shape, double volume,
                         double *mass, abut_error *err)
{
    const body_def *def = &scene->bodies[body];
    const solid_def *own = &def->solid;
    if (mesh_order(shape) > 1) TRY(curved_volume(scene, shape, &volume, err));
    /* Where cells have densities of their own, only building the body tells. */
    bool uniform = !own->densities_path && !own->like_path && own->region_count == 0;
    if (uniform && def->material.density > 0)
        *mass = def->material.density * volume * body_fill_share(scene, body);
    return ABUT_OK;
}

static const char *measure(const model *m, const model_body *body)
{
    (void)body;
    return m->planar ? "area, 1 m deep" : "volume";
}

const body_row deformable_kind = {
    .solid = true,
    .keys = KEYS_MATERIAL | KEYS_DENSITY | KEYS_SIMULATED | KEYS_NODES | KEYS_BOUNDARY |
            KEYS_SEQUENCE | KEYS_SOLID,
    .needs = NEEDS_MATERIAL,
    .cells = {{1u << CELL_TET | 1u << CELL_HEX, "tetrahedra or hexahedra"},
              {1u << CELL_TRIANGLE | 1u << CELL_QUAD, "triangles or quads"}},
    .add = add,
    .surface = surface,
    .weigh = weigh,
    .measure = measure};
