#include "measure/point_norms.h"

#include "fem/elements.h"
#include "fem/lagrange.h"

#include <math.h>

static void add(displacement_norms *n, double measure, vec3 u, mat3 gradient)
{
    n->l2 += measure * vec3_norm2(u);
    n->h1_semi += measure * mat3_norm2(gradient);
    n->linf = fmax(n->linf, vec3_norm(u));
}

static void add_set(const model *m, const element_set *set, const double *x, displacement_norms *n)
{
    for (size_t e = 0; e < set->count; e++) {
        double u[3 * ELEMENT_MAX_STRIDE], value[ELEMENT_MAX_NODES];
        element_gather(set, e, x, m->rest.data, u);
        for (int i = 0; i < set->elastic_points; i++) {
            size_t at = set->affine ? e : e * (size_t)set->rule.count + (size_t)i;
            double measure = set->points.data[at].measure;
            if (set->affine) measure *= set->rule.weights[i];
            lagrange_evaluate(set->kind, set->order, set->rule.points[i], value, NULL);
            vec3 here = {0};
            for (int a = 0; a < set->nodes; a++)
                here = vec3_mul_add(here, value[a],
                                    (vec3){u[a], u[set->stride + a], u[2 * set->stride + a]});
            add(n, measure, here, mat3_sub(element_deformation(set, e, u, i), mat3_identity()));
        }
    }
}

displacement_norms point_norms_measure(const model *m, const double *x)
{
    displacement_norms n = {0};
    for (size_t k = 0; k < m->sets.count; k++) add_set(m, &m->sets.data[k], x, &n);
    for (size_t e = 0; e < m->tet_count; e++) {
        vec3 u[4], center = {0};
        for (size_t k = 0; k < 4; k++) {
            size_t node = (size_t)m->tets.data[4 * e + k];
            u[k] = vec3_sub(vec3_load(x + 3 * node), m->rest.data[node]);
            center = vec3_mul_add(center, 0.25, u[k]);
        }
        mat3 edges =
            mat3_from_columns(vec3_sub(u[1], u[0]), vec3_sub(u[2], u[0]), vec3_sub(u[3], u[0]));
        tet4_rest room;
        const tet4_rest *rest = model_tet_rest(m, e, &room);
        add(&n, rest->volume, center, mat3_mul(edges, rest->dm_inverse));
    }
    n.h1 = sqrt(n.l2 + n.h1_semi);
    n.l2 = sqrt(n.l2);
    n.h1_semi = sqrt(n.h1_semi);
    return n;
}
