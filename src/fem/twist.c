#include "fem/twist.h"

#include <stddef.h>

/* Signed area of the spherical triangle with the unit corners p, q, r: 2 atan2(n, d). */
typedef struct spherical_area {
    double n, d;
    vec3 n_q, n_r, d_q, d_r; /* derivatives by q and r */
} spherical_area;

static spherical_area area_of(vec3 p, vec3 q, vec3 r)
{
    return (spherical_area){.n = vec3_dot(p, vec3_cross(q, r)),
                            .d = 1 + vec3_dot(p, q) + vec3_dot(q, r) + vec3_dot(r, p),
                            .n_q = vec3_cross(r, p),
                            .n_r = vec3_cross(p, q),
                            .d_q = vec3_add(p, r),
                            .d_r = vec3_add(p, q)};
}

static double area_value(const spherical_area *a) { return 2 * atan2(a->n, a->d); }

/* Derivative along one corner: 2 (d dn - n dd) / (n^2 + d^2). */
static vec3 area_gradient(const spherical_area *a, vec3 by_n, vec3 by_d)
{
    double square = a->n * a->n + a->d * a->d;
    return vec3_scale(2 / square, vec3_sub(vec3_scale(a->d, by_n), vec3_scale(a->n, by_d)));
}

/* Second derivatives by two corners, without those of n and d themselves. */
static mat3 area_curvature(const spherical_area *a, vec3 n_row, vec3 d_row, vec3 n_column,
                           vec3 d_column)
{
    double square = a->n * a->n + a->d * a->d, fourth = square * square;
    double nn = -4 * a->n * a->d / fourth, nd = 2 * (a->n * a->n - a->d * a->d) / fourth;
    mat3 same = mat3_sub(mat3_outer(n_row, n_column), mat3_outer(d_row, d_column));
    mat3 mixed = mat3_add(mat3_outer(n_row, d_column), mat3_outer(d_row, n_column));
    return mat3_add(mat3_scale(nn, same), mat3_scale(nd, mixed));
}

/* v -> p x v */
static mat3 cross_matrix(vec3 p)
{
    return (mat3){{{0, -p.z, p.y}, {p.z, 0, -p.x}, {-p.y, p.x, 0}}};
}

static mat3 across(vec3 t) { return mat3_sub(mat3_identity(), mat3_outer(t, t)); }

/* Second derivatives by an edge from first and second ones by its unit tangent. */
static mat3 by_edge(mat3 h, vec3 g, vec3 t, double length)
{
    mat3 p = across(t), turned = mat3_mul(mat3_mul(p, h), p);
    vec3 side = mat3_mul_vec(p, g);
    mat3 stretch = mat3_add(mat3_outer(t, side), mat3_outer(side, t));
    mat3 all = mat3_sub(mat3_sub(turned, mat3_scale(vec3_dot(t, g), p)), stretch);
    return mat3_scale(1 / (length * length), all);
}

/* The area of the quadrilateral b, a, before[0], before[1] on the sphere, as two triangles that
 * share the corner before[0]. */
double twist_change(const vec3 before[2], const vec3 e[2], vec3 gradient[2], mat3 hessian[3])
{
    double length[2] = {vec3_norm(e[0]), vec3_norm(e[1])};
    vec3 t[2] = {vec3_scale(1 / length[0], e[0]), vec3_scale(1 / length[1], e[1])};
    spherical_area both = area_of(before[0], t[1], t[0]);
    spherical_area last = area_of(before[0], before[1], t[1]);
    double value = area_value(&both) + area_value(&last);
    if (!gradient && !hessian) return value;
    vec3 g[2];
    g[0] = area_gradient(&both, both.n_r, both.d_r);
    g[1] = vec3_add(area_gradient(&both, both.n_q, both.d_q),
                    area_gradient(&last, last.n_r, last.d_r));
    for (int k = 0; gradient && k < 2; k++)
        gradient[k] = vec3_scale(1 / length[k], mat3_mul_vec(across(t[k]), g[k]));
    if (!hessian) return value;
    mat3 h00 = area_curvature(&both, both.n_r, both.d_r, both.n_r, both.d_r);
    mat3 h11 = mat3_add(area_curvature(&both, both.n_q, both.d_q, both.n_q, both.d_q),
                        area_curvature(&last, last.n_r, last.d_r, last.n_r, last.d_r));
    /* n = t[0] . (before x t[1]), d holds t[0] . t[1] */
    double square = both.n * both.n + both.d * both.d;
    mat3 h01 = area_curvature(&both, both.n_r, both.d_r, both.n_q, both.d_q);
    h01 = mat3_add(h01, mat3_scale(2 * both.d / square, cross_matrix(before[0])));
    h01 = mat3_sub(h01, mat3_scale(2 * both.n / square, mat3_identity()));
    hessian[0] = by_edge(h00, g[0], t[0], length[0]);
    hessian[1] = mat3_scale(1 / (length[0] * length[1]),
                            mat3_mul(mat3_mul(across(t[0]), h01), across(t[1])));
    hessian[2] = by_edge(h11, g[1], t[1], length[1]);
    return value;
}

/* The part about t of the rotation's quaternion, whose vector is sin(angle) axis and whose scalar
 * is 1 + cos(angle), up to a common factor. */
double twist_of_rotation(mat3 r, vec3 t)
{
    vec3 axis = {r.m[2][1] - r.m[1][2], r.m[0][2] - r.m[2][0], r.m[1][0] - r.m[0][1]};
    double trace = r.m[0][0] + r.m[1][1] + r.m[2][2];
    return 2 * atan2(vec3_dot(axis, t), 1 + trace);
}
