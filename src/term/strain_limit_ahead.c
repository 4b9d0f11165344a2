/* Triangles whose strain limit stops a step, as linear inequalities on its direction
 * (term/obstruction.h). A singular value s = u . F v changes with its vectors kept, which are those
 * at the moment at which the step is stopped. */
#include "term/obstruction_rows.h"
#include "term/strain_limit.h"

typedef struct limit_row {
    vec3 u;
    double v[2];
} limit_row;

/* The vectors of the largest or smallest singular value of the 3x2 matrix F, and the value. */
static double singular(vec3 f0, vec3 f1, bool largest, limit_row *row)
{
    double a = vec3_norm2(f0), b = vec3_dot(f0, f1), d = vec3_norm2(f1);
    double middle = 0.5 * (a + d), radius = hypot(0.5 * (a - d), b);
    double value = largest ? middle + radius : middle - radius;
    /* The longer of two expressions for the eigenvector of F^T F. */
    double p[2] = {b, value - a}, q[2] = {value - d, b};
    double np = hypot(p[0], p[1]), nq = hypot(q[0], q[1]);
    double *w = np > nq ? p : q, n = fmax(np, nq);
    row->v[0] = n > 0 ? w[0] / n : largest;
    row->v[1] = n > 0 ? w[1] / n : !largest;
    vec3 image = vec3_add(vec3_scale(row->v[0], f0), vec3_scale(row->v[1], f1));
    double length = vec3_norm(image);
    row->u = length > 0 ? vec3_scale(1 / length, image) : (vec3){0};
    return length;
}

/* Adds sign (u . F v - limit) >= 0 for the element; f, d: deformation now and its change along the
 * path. */
static bool add_limit(const strain_limit_term *t, size_t e, double limit, double sign,
                      const vec3 f[2], const vec3 d[2], double moment, obstruction_list *out)
{
    const model *m = t->element.model;
    const tri3_rest *rest = &m->codim.triangle_rest.data[t->triangles.data[e]];
    vec3 at[2] = {vec3_mul_add(f[0], moment, d[0]), vec3_mul_add(f[1], moment, d[1])};
    limit_row row;
    double value = singular(at[0], at[1], sign < 0, &row);
    double along = sign * (row.v[0] * vec3_dot(row.u, d[0]) + row.v[1] * vec3_dot(row.u, d[1]));
    if (!(along < 0)) return true; /* this limit does not stop it */
    vec3 gradient[3], unit[3], change[2];
    for (int k = 0; k < 3; k++) {
        memset(unit, 0, sizeof unit);
        unit[k].x = 1; /* of the shape function, the same for all components */
        tri3_deformation(rest, unit, change);
        double weight = row.v[0] * change[0].x + row.v[1] * change[1].x;
        gradient[k] = vec3_scale(sign * weight, row.u);
    }
    int32_t key[5] = {OBSTRUCTION_STRAIN_LIMIT, (int32_t)e, sign < 0, 0, 0};
    return obstruction_add(out, key, 3, t->blocks.data + 3 * e, gradient, sign * (value - limit),
                           along, moment);
}

abut_status strain_limit_obstructions(const term *base, const double *x, const double *p,
                                      obstruction_list *out, abut_error *err)
{
    const strain_limit_term *t = (const strain_limit_term *)base;
    const model *m = t->element.model;
    for (size_t e = 0; e < t->triangles.count; e++) {
        size_t triangle = (size_t)t->triangles.data[e];
        const strain_limit *l = &m->bodies.data[m->codim.triangle_body.data[triangle]].limit;
        double moment = t->element.functions->max_step(&t->element, x, p, e, 1);
        if (!(moment < 1)) continue;
        vec3 corners[3], moves[3], f[2], d[2];
        element_term_positions(&t->element, x, e, corners);
        element_term_positions(&t->element, p, e, moves);
        tri3_deformation(&m->codim.triangle_rest.data[triangle], corners, f);
        tri3_deformation(&m->codim.triangle_rest.data[triangle], moves, d);
        bool ok = true;
        if (isfinite(l->upper)) ok = add_limit(t, e, l->upper, -1, f, d, moment, out);
        if (ok && l->lower > 0) ok = add_limit(t, e, l->lower, 1, f, d, moment, out);
        if (!ok) return error_memory(err, "looking for strain limits ahead");
    }
    return ABUT_OK;
}
