#include "geometry/distance.h"

#include "geometry/gap.h"

#include <assert.h>

/* ---- Unbounded features ---- */

double point_point_distance2(vec3 a, vec3 b) { return vec3_norm2(vec3_sub(a, b)); }

double point_point_gradient(vec3 a, vec3 b, double gradient[6])
{
    vec3 r = vec3_sub(a, b);
    vec3_store(gradient, vec3_scale(2.0, r));
    vec3_store(gradient + 3, vec3_scale(-2.0, r));
    return vec3_norm2(r);
}

double point_point_hessian(vec3 a, vec3 b, double gradient[6], double hessian[36])
{
    for (int i = 0; i < 36; i++) hessian[i] = 0.0;
    for (int i = 0; i < 3; i++) {
        hessian[7 * i] = hessian[7 * (i + 3)] = 2.0;
        hessian[6 * i + i + 3] = hessian[6 * (i + 3) + i] = -2.0;
    }
    return point_point_gradient(a, b, gradient);
}

void point_edge_weights(vec3 p, vec3 e0, vec3 e1, double weight[3])
{
    vec3 e = vec3_sub(e1, e0);
    double t = vec3_dot(vec3_sub(p, e0), e) / vec3_norm2(e);
    weight[0] = 1.0;
    weight[1] = t - 1.0;
    weight[2] = -t;
}

double point_edge_distance2(vec3 p, vec3 e0, vec3 e1)
{
    return vec3_norm2(line_gap_of(p, e0, e1).r);
}

static inline void line_gradient(const line_gap *g, double gradient[9])
{
    vec3_store(gradient, vec3_scale(2.0, g->r));
    vec3_store(gradient + 3, vec3_scale(2.0 * (g->t - 1.0), g->r));
    vec3_store(gradient + 6, vec3_scale(-2.0 * g->t, g->r));
}

double point_edge_gradient(vec3 p, vec3 e0, vec3 e1, double gradient[9])
{
    line_gap g = line_gap_of(p, e0, e1);
    line_gradient(&g, gradient);
    return vec3_norm2(g.r);
}

double point_edge_hessian(vec3 p, vec3 e0, vec3 e1, double gradient[9], double hessian[81])
{
    line_gap g = line_gap_of(p, e0, e1);
    line_gradient(&g, gradient);
    const double weight[3] = {1.0, g.t - 1.0, -g.t};
    double k[9];
    vec3_store(k, vec3_neg(g.e));
    vec3_store(k + 3, vec3_mul_add(g.r, 1.0 - g.t, g.e));
    vec3_store(k + 6, vec3_sub(vec3_scale(g.t, g.e), g.r));
    double scale = 2.0 / g.e2;
    for (int row = 0; row < 9; row++) {
        double factor = -scale * k[row];
        for (int column = 0; column < 9; column++) hessian[9 * row + column] = factor * k[column];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double diagonal = 2.0 * weight[i] * weight[j];
            double *block = hessian + 27 * i + 3 * j;
            block[0] += diagonal;
            block[10] += diagonal;
            block[20] += diagonal;
        }
    return vec3_norm2(g.r);
}

static inline double plane_distance2(vec3 u, vec3 v, vec3 w)
{
    vec3 n = normal_of(u, vec3_norm2(u), v);
    double d = vec3_dot(w, n) * (1.0 / sqrt(vec3_norm2(n)));
    return d * d;
}

static inline void plane_gradient(const plane_gap *g, const double weight[4], double gradient[12])
{
    vec3 r = vec3_scale(2.0 * g->d * g->inverse_norm, g->n);
    for (int i = 0; i < 4; i++) vec3_store(gradient + 3 * i, vec3_scale(weight[i], r));
}

/* block (i, j) = P_ij N^T + N P_ji^T with P_ij = (w_i w_j - d^2 E_i.E_j) N - 2 d w_i E_j. */
static inline void plane_hessian(const plane_gap *g, const double weight[4], const vec3 dual[4],
                                 double hessian[144])
{
    vec3 normal = vec3_scale(g->inverse_norm, g->n);
    const double n[3] = {normal.x, normal.y, normal.z};
    vec3 bent[4]; /* -2 d E_i */
    for (int i = 0; i < 4; i++) bent[i] = vec3_scale(-2.0 * g->d, dual[i]);
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++) {
            double along = weight[i] * weight[j] - 0.25 * vec3_dot(bent[i], bent[j]);
            vec3 base = vec3_scale(along, normal);
            double p[3], q[3];
            vec3_store(p, vec3_mul_add(base, weight[i], bent[j]));
            vec3_store(q, vec3_mul_add(base, weight[j], bent[i]));
            double *upper = hessian + 36 * i + 3 * j, *lower = hessian + 36 * j + 3 * i;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    upper[12 * r + c] = lower[12 * c + r] = p[r] * n[c] + n[r] * q[c];
        }
}

void point_triangle_weights(vec3 p, vec3 t0, vec3 t1, vec3 t2, double weight[4])
{
    triangle_gap(p, t0, t1, t2, weight);
}

double point_triangle_distance2(vec3 p, vec3 t0, vec3 t1, vec3 t2)
{
    return plane_distance2(vec3_sub(t1, t0), vec3_sub(t2, t0), vec3_sub(p, t0));
}

double point_triangle_gradient(vec3 p, vec3 t0, vec3 t1, vec3 t2, double gradient[12])
{
    double weight[4];
    plane_gap g = triangle_gap(p, t0, t1, t2, weight);
    plane_gradient(&g, weight, gradient);
    return g.d * g.d;
}

double point_triangle_hessian(vec3 p, vec3 t0, vec3 t1, vec3 t2, double gradient[12],
                              double hessian[144])
{
    double weight[4];
    plane_gap g = triangle_gap(p, t0, t1, t2, weight);
    vec3 dual[4];
    triangle_dual(&g, dual);
    plane_gradient(&g, weight, gradient);
    plane_hessian(&g, weight, dual, hessian);
    return g.d * g.d;
}

void edge_edge_weights(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double weight[4])
{
    lines_gap(a0, a1, b0, b1, weight);
}

double edge_edge_distance2(vec3 a0, vec3 a1, vec3 b0, vec3 b1)
{
    return plane_distance2(vec3_sub(a1, a0), vec3_sub(b1, b0), vec3_sub(a0, b0));
}

double edge_edge_gradient(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double gradient[12])
{
    double weight[4];
    plane_gap g = lines_gap(a0, a1, b0, b1, weight);
    plane_gradient(&g, weight, gradient);
    return g.d * g.d;
}

double edge_edge_hessian(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double gradient[12],
                         double hessian[144])
{
    double weight[4];
    plane_gap g = lines_gap(a0, a1, b0, b1, weight);
    vec3 dual[4];
    lines_dual(&g, dual);
    plane_gradient(&g, weight, gradient);
    plane_hessian(&g, weight, dual, hessian);
    return g.d * g.d;
}

double stencil_distance2(stencil_kind kind, const vec3 *x)
{
    switch (kind) {
    case STENCIL_PP: return point_point_distance2(x[0], x[1]);
    case STENCIL_PE: return point_edge_distance2(x[0], x[1], x[2]);
    case STENCIL_PT: return point_triangle_distance2(x[0], x[1], x[2], x[3]);
    case STENCIL_EE: return edge_edge_distance2(x[0], x[1], x[2], x[3]);
    }
    assert(false);
    return 0.0;
}

double stencil_gradient(stencil_kind kind, const vec3 *x, double *gradient)
{
    switch (kind) {
    case STENCIL_PP: return point_point_gradient(x[0], x[1], gradient);
    case STENCIL_PE: return point_edge_gradient(x[0], x[1], x[2], gradient);
    case STENCIL_PT: return point_triangle_gradient(x[0], x[1], x[2], x[3], gradient);
    case STENCIL_EE: return edge_edge_gradient(x[0], x[1], x[2], x[3], gradient);
    }
    assert(false);
    return 0.0;
}

double stencil_hessian(stencil_kind kind, const vec3 *x, double *gradient, double *hessian)
{
    switch (kind) {
    case STENCIL_PP: return point_point_hessian(x[0], x[1], gradient, hessian);
    case STENCIL_PE: return point_edge_hessian(x[0], x[1], x[2], gradient, hessian);
    case STENCIL_PT: return point_triangle_hessian(x[0], x[1], x[2], x[3], gradient, hessian);
    case STENCIL_EE: return edge_edge_hessian(x[0], x[1], x[2], x[3], gradient, hessian);
    }
    assert(false);
    return 0.0;
}

double half_space_gradient(vec3 p, vec3 origin, vec3 normal, double gradient[3])
{
    double d = half_space_distance(p, origin, normal);
    vec3_store(gradient, vec3_scale(2.0 * d, normal));
    return d * d;
}

double half_space_hessian(vec3 p, vec3 origin, vec3 normal, double gradient[3], double hessian[9])
{
    const double n[3] = {normal.x, normal.y, normal.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) hessian[3 * i + j] = 2.0 * n[i] * n[j];
    return half_space_gradient(p, origin, normal, gradient);
}
