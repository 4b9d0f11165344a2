#include "contact/pair_stiffness.h"

/* One over the masses of blocks that a vertex follows, by the squares of its weights. */
static double combination_compliance(const model *m, const surface_row *row)
{
    double sum = 0;
    for (int k = 0; k < row->count; k++) {
        const row_entry *e = &m->surface.entries.data[row->first + k];
        if (m->mass.data[e->block] > 0) sum += e->weight * e->weight / m->mass.data[e->block];
    }
    return sum;
}

static double rigid_compliance(const model *m, const surface_row *row, vec3 arm)
{
    for (size_t i = 0; i < m->rigids.count; i++) {
        const rigid_body *r = &m->rigids.data[i];
        if (r->block != row->block) continue;
        double trace = r->moment.m[0][0] + r->moment.m[1][1] + r->moment.m[2][2];
        mat3 inertia = mat3_scale(-1, r->moment);
        for (int k = 0; k < 3; k++) inertia.m[k][k] += trace;
        mat3 inverse = mat3_inverse(inertia);
        double sum = 1 / r->mass;
        for (int k = 0; r->turns && k < 3; k++) {
            vec3 torque = vec3_cross(arm, vec3_make(k == 0, k == 1, k == 2));
            sum += vec3_dot(torque, mat3_mul_vec(inverse, torque)) / 3;
        }
        return sum;
    }
    return 0;
}

static double compliance_of(const model *m, size_t vertex)
{
    const surface_row *row = &m->surface.rows.data[vertex];
    body_kind kind = m->bodies.data[m->surface.vertex_body.data[vertex]].kind;
    if (body_rows[kind]->obstacle) return 0;
    switch (row->kind) {
    case ROW_NODE: return m->mass.data[row->block] > 0 ? 1 / m->mass.data[row->block] : 0;
    case ROW_COMBINATION: return combination_compliance(m, row);
    case ROW_RIGID: break;
    }
    return rigid_compliance(m, row, m->surface.arms.data[vertex]);
}

void vertex_compliances(const model *m, double mean_mass, double *out)
{
    for (size_t i = 0; i < m->surface.rows.count; i++) out[i] = mean_mass * compliance_of(m, i);
}
