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

/* y = q + R X with an inertia tensor, or y = q + A X with the second moments of mass. */
static double body_compliance(const rigid_body *r, vec3 arm)
{
    double sum = 1 / r->mass;
    if (!r->turns) return sum;
    if (r->affine) return sum + vec3_dot(arm, mat3_mul_vec(mat3_inverse(r->moment), arm));
    double trace = r->moment.m[0][0] + r->moment.m[1][1] + r->moment.m[2][2];
    mat3 inertia = mat3_scale(-1, r->moment);
    for (int k = 0; k < 3; k++) inertia.m[k][k] += trace;
    mat3 inverse = mat3_inverse(inertia);
    for (int k = 0; k < 3; k++) {
        vec3 torque = vec3_cross(arm, vec3_make(k == 0, k == 1, k == 2));
        sum += vec3_dot(torque, mat3_mul_vec(inverse, torque)) / 3;
    }
    return sum;
}

/* Where a vertex of an affine body is in it: the weights of the columns of A. */
static vec3 affine_arm(const model *m, const surface_row *row)
{
    const row_entry *e = &m->surface.entries.data[row->first];
    return vec3_make(e[1].weight, e[2].weight, e[3].weight);
}

static double compliance_of(const model *m, size_t vertex)
{
    const surface_row *row = &m->surface.rows.data[vertex];
    const model_body *body = &m->bodies.data[m->surface.vertex_body.data[vertex]];
    const rigid_body *rigid = body->rigid >= 0 ? &m->rigids.data[body->rigid] : NULL;
    if (body_rows[body->kind]->obstacle) return 0;
    if (rigid)
        return body_compliance(rigid,
                               rigid->affine ? affine_arm(m, row) : m->surface.arms.data[vertex]);
    if (row->kind == ROW_COMBINATION) return combination_compliance(m, row);
    return m->mass.data[row->block] > 0 ? 1 / m->mass.data[row->block] : 0;
}

void vertex_compliances(const model *m, double mean_mass, double *out)
{
    for (size_t i = 0; i < m->surface.rows.count; i++) out[i] = mean_mass * compliance_of(m, i);
}
