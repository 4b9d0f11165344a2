#include "geometry/distance_psd.h"

#include "geometry/gap.h"
#include "math/eigen.h"

#include <assert.h>

static inline double positive(double x) { return x > 0.0 ? x : 0.0; }

/* A unit vector along r, or any unit vector orthogonal to the unit vector axis when r vanishes. */
static vec3 unit_or_orthogonal(vec3 r, vec3 axis)
{
    double norm = vec3_norm(r);
    if (norm > 0.0) return vec3_scale(1.0 / norm, r);
    vec3 other = fabs(axis.x) < 0.6 ? vec3_make(1.0, 0.0, 0.0) : vec3_make(0.0, 1.0, 0.0);
    return vec3_normalize(vec3_cross(axis, other));
}

/* M tensor [[1, -1], [-1, 1]], M = 4 f'' r r^T + 2 f' I. */
void point_point_psd_hessian(vec3 a, vec3 b, double first, double second, double hessian[36])
{
    vec3 r = vec3_sub(a, b);
    double s = vec3_norm2(r);
    double along = positive(4.0 * second * s + 2.0 * first), across = positive(2.0 * first);
    mat3 m = mat3_scale(s > 0.0 ? (along - across) / s : 0.0, mat3_outer(r, r));
    for (int i = 0; i < 3; i++) {
        m.m[i][i] += across;
        for (int j = 0; j < 3; j++) {
            hessian[6 * i + j] = hessian[6 * (i + 3) + j + 3] = m.m[i][j];
            hessian[6 * i + j + 3] = hessian[6 * (i + 3) + j] = -m.m[i][j];
        }
    }
}

/* With weights w, c = (0, 1, -1), unit vectors e along the edge, r to the point, b across both, and
 * h = |gap| / |edge|, the Hessian of s is
 *     2 w w^T (r r^T + b b^T) + 2 h (w e (c r)^T + c r (w e)^T) - 2 h^2 c r (c r)^T,
 * and the gradient 2 |gap| w r. The part along b stands alone; the rest is a 3x3 matrix in the
 * orthonormal vectors (g e, g r, q r), g = w/|w|, q = the part of c orthogonal to g. */
void point_edge_psd_hessian(vec3 p, vec3 e0, vec3 e1, double first, double second,
                            double hessian[81])
{
    line_gap gap = line_gap_of(p, e0, e1);
    double s = vec3_norm2(gap.r), h = sqrt(s / gap.e2);
    vec3 e = vec3_scale(1.0 / sqrt(gap.e2), gap.e);
    vec3 r = unit_or_orthogonal(gap.r, e), b = vec3_cross(e, r);
    const double w[3] = {1.0, gap.t - 1.0, -gap.t}, c[3] = {0.0, 1.0, -1.0};
    double w2 = 1.0 + w[1] * w[1] + w[2] * w[2], norm = sqrt(w2);
    double along = (w[1] - w[2]) / norm, beside = sqrt(3.0 / w2); /* c = along g + beside q */
    double g[3], q[3];
    for (int i = 0; i < 3; i++) {
        g[i] = w[i] / norm;
        q[i] = (c[i] - along * g[i]) / beside;
    }
    double mixed = 2.0 * h * first, bent = -2.0 * h * h * first;
    mat3 m = mat3_zero();
    m.m[0][1] = m.m[1][0] = mixed * norm * along;
    m.m[0][2] = m.m[2][0] = mixed * norm * beside;
    m.m[1][1] = (2.0 * first + 4.0 * s * second) * w2 + bent * along * along;
    m.m[1][2] = m.m[2][1] = bent * along * beside;
    m.m[2][2] = bent * beside * beside;
    psd_project3(&m);

    mat3 across = mat3_scale(positive(2.0 * first * w2), mat3_outer(b, b));
    mat3 gg = mat3_add(mat3_scale(m.m[0][0], mat3_outer(e, e)), across);
    mat3 er = mat3_outer(e, r), rr = mat3_outer(r, r);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double ee_part = g[i] * g[j];
            double er_part = g[i] * (m.m[0][1] * g[j] + m.m[0][2] * q[j]);
            double re_part = g[j] * (m.m[0][1] * g[i] + m.m[0][2] * q[i]);
            double rr_part = m.m[1][1] * g[i] * g[j] + m.m[2][2] * q[i] * q[j] +
                             m.m[1][2] * (g[i] * q[j] + q[i] * g[j]);
            double *block = hessian + 27 * i + 3 * j;
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    block[9 * k + l] = ee_part * gg.m[k][l] + er_part * er.m[k][l] +
                                       re_part * er.m[l][k] + rr_part * rr.m[k][l];
        }
}

static inline double dot4(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

/* Orthonormal columns g, q1, q2 of the weights w and the two components of the dual basis, and
 * their coordinates: w = norm g, dual_1 = c1[0] g + c1[1] q1, dual_2 = c2[0] g + c2[1] q1 + c2[2]
 * q2. */
typedef struct normal_space {
    double g[4], q1[4], q2[4], norm, c1[3], c2[3];
} normal_space;

static inline double make_unit(double a[4])
{
    double norm = sqrt(dot4(a, a)), scale = norm > 0.0 ? 1.0 / norm : 0.0;
    for (int i = 0; i < 4; i++) a[i] *= scale;
    return norm;
}

static inline void remove_part(double a[4], double part, const double b[4])
{
    for (int i = 0; i < 4; i++) a[i] -= part * b[i];
}

static inline normal_space normal_space_of(const double w[4], const vec3 dual[4], vec3 t1, vec3 t2)
{
    normal_space n;
    for (int i = 0; i < 4; i++) {
        n.g[i] = w[i];
        n.q1[i] = vec3_dot(dual[i], t1);
        n.q2[i] = vec3_dot(dual[i], t2);
    }
    n.norm = make_unit(n.g);
    n.c1[0] = dot4(n.q1, n.g);
    remove_part(n.q1, n.c1[0], n.g);
    n.c1[1] = make_unit(n.q1);
    n.c1[2] = 0.0;
    n.c2[0] = dot4(n.q2, n.g);
    remove_part(n.q2, n.c2[0], n.g);
    n.c2[1] = dot4(n.q2, n.q1);
    remove_part(n.q2, n.c2[1], n.q1);
    n.c2[2] = make_unit(n.q2);
    return n;
}

/* In the orthonormal vectors (g N, q1 N, q2 N, g t1, g t2). */
static inline void fill_five(const normal_space *n, double d, double first, double second,
                             double m[25])
{
    double stretch = (2.0 * first + 4.0 * d * d * second) * n->norm * n->norm;
    double bent = -2.0 * d * d * first, turn = -2.0 * d * first * n->norm;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            m[5 * i + j] = bent * (n->c1[i] * n->c1[j] + n->c2[i] * n->c2[j]);
        m[5 * i + 3] = m[15 + i] = turn * n->c1[i];
        m[5 * i + 4] = m[20 + i] = turn * n->c2[i];
    }
    m[0] += stretch;
    m[18] = m[19] = m[23] = m[24] = 0.0;
}

/* Back to the vertices: block (i, j) = P_ij N^T + N P_ji^T + g_i g_j T with
 * P_ij = (normal part)_ij N / 2 + g_i (tangential part of vertex j). */
static inline void spread_five(const normal_space *n, const double m[25], vec3 normal, vec3 t1,
                               vec3 t2, double hessian[144])
{
    vec3 slide[4];
    double column[4][3];
    for (int i = 0; i < 4; i++) {
        const double y[3] = {n->g[i], n->q1[i], n->q2[i]};
        double by_t1 = y[0] * m[3] + y[1] * m[8] + y[2] * m[13];
        double by_t2 = y[0] * m[4] + y[1] * m[9] + y[2] * m[14];
        slide[i] = vec3_mul_add(vec3_scale(by_t1, t1), by_t2, t2);
        for (int k = 0; k < 3; k++)
            column[i][k] = m[5 * k] * y[0] + m[5 * k + 1] * y[1] + m[5 * k + 2] * y[2];
    }
    mat3 tangent = mat3_add(mat3_outer(vec3_mul_add(vec3_scale(m[18], t1), m[19], t2), t1),
                            mat3_outer(vec3_mul_add(vec3_scale(m[23], t1), m[24], t2), t2));
    const double unit[3] = {normal.x, normal.y, normal.z};
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++) {
            double along =
                n->g[i] * column[j][0] + n->q1[i] * column[j][1] + n->q2[i] * column[j][2];
            vec3 base = vec3_scale(0.5 * along, normal);
            double p[3], q[3], both = n->g[i] * n->g[j];
            vec3_store(p, vec3_mul_add(base, n->g[i], slide[j]));
            vec3_store(q, vec3_mul_add(base, n->g[j], slide[i]));
            double *upper = hessian + 36 * i + 3 * j, *lower = hessian + 36 * j + 3 * i;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    upper[12 * r + c] = lower[12 * c + r] =
                        p[r] * unit[c] + unit[r] * q[c] + both * tangent.m[r][c];
        }
}

/* With E_k the component of the dual basis along the tangent t_k, the Hessian of s is
 *     2 (w w^T - d^2 sum_k E_k E_k^T) N N^T - 2 d sum_k (E_k N (w t_k)^T + w t_k (E_k N)^T). */
static void plane_psd_hessian(const plane_gap *gap, const double w[4], const vec3 dual[4],
                              double first, double second, double hessian[144])
{
    vec3 normal = vec3_scale(gap->inverse_norm, gap->n);
    vec3 t1 = vec3_normalize(gap->u), t2 = vec3_cross(normal, t1);
    normal_space n = normal_space_of(w, dual, t1, t2);
    double m[25];
    fill_five(&n, gap->d, first, second, m);
    psd_project(5, m);
    spread_five(&n, m, normal, t1, t2, hessian);
}

void point_triangle_psd_hessian(vec3 p, vec3 t0, vec3 t1, vec3 t2, double first, double second,
                                double hessian[144])
{
    double weight[4];
    vec3 dual[4];
    plane_gap gap = triangle_gap(p, t0, t1, t2, weight);
    triangle_dual(&gap, dual);
    plane_psd_hessian(&gap, weight, dual, first, second, hessian);
}

void edge_edge_psd_hessian(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double first, double second,
                           double hessian[144])
{
    double weight[4];
    vec3 dual[4];
    plane_gap gap = lines_gap(a0, a1, b0, b1, weight);
    lines_dual(&gap, dual);
    plane_psd_hessian(&gap, weight, dual, first, second, hessian);
}

void half_space_psd_hessian(vec3 p, vec3 origin, vec3 normal, double first, double second,
                            double hessian[9])
{
    double d = half_space_distance(p, origin, normal);
    double value = positive(2.0 * first + 4.0 * d * d * second);
    const double n[3] = {normal.x, normal.y, normal.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) hessian[3 * i + j] = value * n[i] * n[j];
}

void stencil_psd_hessian(stencil_kind kind, const vec3 *x, double first, double second,
                         double *hessian)
{
    switch (kind) {
    case STENCIL_PP: point_point_psd_hessian(x[0], x[1], first, second, hessian); return;
    case STENCIL_PE: point_edge_psd_hessian(x[0], x[1], x[2], first, second, hessian); return;
    case STENCIL_PT:
        point_triangle_psd_hessian(x[0], x[1], x[2], x[3], first, second, hessian);
        return;
    case STENCIL_EE: edge_edge_psd_hessian(x[0], x[1], x[2], x[3], first, second, hessian); return;
    }
    assert(false);
}
