/* Elements whose inversion stops a step, as linear inequalities on its direction
 * (term/obstruction.h): the volume of a linear tetrahedron, and the Jacobian determinant of other
 * elements at the point where it would vanish first. */
#include "fem/lagrange.h"
#include "fem/tet4.h"
#include "term/elastic.h"
#include "term/obstruction_rows.h"

/* d det(A) / d(columns of A), for A with these columns. */
static void cofactors(const vec3 a[3], vec3 out[3])
{
    for (int k = 0; k < 3; k++) out[k] = vec3_cross(a[(k + 1) % 3], a[(k + 2) % 3]);
}

static bool add_tet(const elastic_term *t, size_t e, const vec3 x[4], const vec3 p[4],
                    double moment, obstruction_list *out)
{
    vec3 edges[3], gradient[4];
    double along = 0;
    for (int k = 0; k < 3; k++)
        edges[k] = vec3_mul_add(vec3_sub(x[k + 1], x[0]), moment, vec3_sub(p[k + 1], p[0]));
    cofactors(edges, gradient + 1);
    gradient[0] = vec3_scale(-1, vec3_add(gradient[1], vec3_add(gradient[2], gradient[3])));
    for (int k = 0; k < 4; k++) along += vec3_dot(gradient[k], p[k]);
    double volume = vec3_dot(edges[0], vec3_cross(edges[1], edges[2]));
    int32_t key[5] = {OBSTRUCTION_TET, (int32_t)e, 0, 0, 0};
    return obstruction_add(out, key, 4, t->model->tets.data + 4 * e, gradient, volume, along,
                           moment);
}

/* Gradient of the determinant at the point xi with respect to the nodes of the map. */
static double determinant_gradient(const element_set *s, const vec3 *nodes, const double xi[3],
                                   vec3 *gradient)
{
    const positivity *map = &s->positive;
    double shape[CELL_MAX_NODES][3];
    mat3 jacobian;
    vec3 columns[3], cofactor[3];
    lagrange_position(map->kind, map->order, nodes, xi, &jacobian);
    if (s->dimension == 2) jacobian.m[2][2] = 1;
    lagrange_evaluate(map->kind, map->order, xi, NULL, shape);
    for (int k = 0; k < 3; k++) columns[k] = mat3_column(jacobian, k);
    cofactors(columns, cofactor);
    for (int a = 0; a < map->nodes; a++) {
        gradient[a] = (vec3){0};
        for (int k = 0; k < s->dimension; k++)
            gradient[a] = vec3_mul_add(gradient[a], shape[a][k], cofactor[k]);
    }
    return mat3_determinant(jacobian);
}

static bool add_element(const elastic_term *t, int set, size_t e, const double *x, const double *p,
                        obstruction_list *out)
{
    const element_set *s = &t->model->sets.data[set];
    vec3 now[CELL_MAX_NODES], path[CELL_MAX_NODES], at[CELL_MAX_NODES], gradient[CELL_MAX_NODES];
    vec3 own[CELL_MAX_NODES];
    double xi[3], along = 0;
    element_map_nodes(s, e, x, t->model->rest.data, now);
    element_map_direction(s, e, p, path);
    double moment = positivity_max_step(&s->positive, now, path, 1, KEEP_GAP);
    if (!(moment < 1) ||
        !positivity_weak_point(&s->positive, now, path, fmin(1, 2 * moment), KEEP_GAP, xi))
        return true;
    for (int a = 0; a < s->positive.nodes; a++) at[a] = vec3_mul_add(now[a], moment, path[a]);
    double volume = determinant_gradient(s, at, xi, gradient);
    for (int a = 0; a < s->positive.nodes; a++) along += vec3_dot(gradient[a], path[a]);
    element_map_transpose(s, gradient, own);
    int32_t key[5] = {OBSTRUCTION_ELEMENT, set, (int32_t)e, 0, 0};
    return obstruction_add(out, key, s->nodes, s->blocks.data + e * (size_t)s->nodes, own, volume,
                           along, moment);
}

abut_status elastic_obstructions(const term *base, const double *x, const double *p,
                                 obstruction_list *out, abut_error *err)
{
    const elastic_term *t = (const elastic_term *)base;
    const model *m = t->model;
    bool ok = true;
    for (size_t e = 0; ok && t->keeps_volume && e < m->tet_count; e++) {
        vec3 now[4], path[4];
        if (!elastic_forbids_inversion(&m->bodies.data[m->tet_body.data[e]].material)) continue;
        for (size_t k = 0; k < 4; k++) {
            now[k] = vec3_load(x + 3 * (size_t)m->tets.data[4 * e + k]);
            path[k] = vec3_load(p + 3 * (size_t)m->tets.data[4 * e + k]);
        }
        double moment = tet4_max_step(now, path, KEEP_GAP);
        if (moment < 1) ok = add_tet(t, e, now, path, moment, out);
    }
    for (int set = 0; ok && t->keeps_volume && set < (int)m->sets.count; set++)
        for (size_t e = 0; ok && e < m->sets.data[set].count; e++)
            if (elastic_forbids_inversion(&m->sets.data[set].material.data[e]))
                ok = add_element(t, set, e, x, p, out);
    return ok ? ABUT_OK : error_memory(err, "looking for inversion ahead");
}
