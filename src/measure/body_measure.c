#include "measure/body_measure.h"

#include <math.h>

/* A body without nodes of its own: the bounds of its surface, the centre from its first block. */
static void measure_surface(const double *x, const vec3 *y, const model_body *body,
                            body_summary *out)
{
    for (size_t i = body->surface.first_vertex;
         i < body->surface.first_vertex + body->surface.vertex_count; i++) {
        out->low = vec3_min(out->low, y[i]);
        out->high = vec3_max(out->high, y[i]);
    }
    out->center_of_mass = vec3_load(x + 3 * (size_t)body->first_block);
}

void body_measure(const model *m, const double *x, const vec3 *y, size_t b, body_summary *out)
{
    const model_body *body = &m->bodies.data[b];
    *out = (body_summary){.name = body->name,
                          .type = body_kind_words[body->kind],
                          .low = {INFINITY, INFINITY, INFINITY},
                          .high = {-INFINITY, -INFINITY, -INFINITY}};
    if (!body->nodal) {
        measure_surface(x, y, body, out);
        return;
    }
    double mass = 0;
    for (int32_t i = body->first_block; i < body->first_block + body->block_count; i++) {
        vec3 p = vec3_load(x + 3 * (size_t)i);
        out->low = vec3_min(out->low, p);
        out->high = vec3_max(out->high, p);
        out->center_of_mass = vec3_mul_add(out->center_of_mass, m->load_mass.data[i], p);
        mass += m->load_mass.data[i];
    }
    if (mass > 0) out->center_of_mass = vec3_scale(1 / mass, out->center_of_mass);
}
