#include "fem/hinge.h"

#include "math/eigen.h"

#include <string.h>

typedef struct hinge {
    vec3 e, n1, n2;
    double length;
} hinge;

static hinge hinge_of(const vec3 x[4])
{
    hinge h;
    h.e = vec3_sub(x[2], x[1]);
    h.length = vec3_norm(h.e);
    h.n1 = vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]));
    h.n2 = vec3_cross(vec3_sub(x[2], x[3]), vec3_sub(x[1], x[3]));
    return h;
}

static double angle_of(const hinge *h)
{
    double sine = -vec3_dot(vec3_cross(h->n2, h->n1), h->e) / h->length;
    return atan2(sine, vec3_dot(h->n1, h->n2));
}

double hinge_angle(const vec3 x[4])
{
    hinge h = hinge_of(x);
    return angle_of(&h);
}

/* theta's gradient on vertex i is factor[i][0] m1 + factor[i][1] m2 with m = n / |n|^2. */
typedef struct hinge_frame {
    hinge h;
    vec3 m[2];
    double along[2]; /* feet of x0 and x3 on the edge: 0 at x1, 1 at x2 */
    double factor[4][2];
} hinge_frame;

static hinge_frame frame_of(const vec3 x[4])
{
    hinge_frame f = {.h = hinge_of(x)};
    double length = f.h.length, length2 = length * length;
    f.m[0] = vec3_scale(1 / vec3_norm2(f.h.n1), f.h.n1);
    f.m[1] = vec3_scale(1 / vec3_norm2(f.h.n2), f.h.n2);
    f.along[0] = vec3_dot(vec3_sub(x[0], x[1]), f.h.e) / length2;
    f.along[1] = vec3_dot(vec3_sub(x[3], x[1]), f.h.e) / length2;
    f.factor[0][0] = f.factor[3][1] = -length;
    for (int k = 0; k < 2; k++) {
        f.factor[1][k] = (1 - f.along[k]) * length;
        f.factor[2][k] = f.along[k] * length;
    }
    return f;
}

static void gradient_of(const hinge_frame *f, vec3 gradient[4])
{
    for (int i = 0; i < 4; i++)
        gradient[i] =
            vec3_add(vec3_scale(f->factor[i][0], f->m[0]), vec3_scale(f->factor[i][1], f->m[1]));
}

double hinge_gradient(const vec3 x[4], vec3 gradient[4])
{
    hinge_frame f = frame_of(x);
    gradient_of(&f, gradient);
    return angle_of(&f.h);
}

/* Derivatives of m1 and m2: dm = (I - 2 n n^T / |n|^2) dn / |n|^2, and dn = dx_j x arm_j. */
static void normal_derivatives(const hinge_frame *f, const vec3 x[4], mat3 out[2][4])
{
    const vec3 arm[2][4] = {
        {vec3_sub(x[1], x[2]), vec3_sub(x[2], x[0]), vec3_sub(x[0], x[1]), {0, 0, 0}},
        {{0, 0, 0}, vec3_sub(x[3], x[2]), vec3_sub(x[1], x[3]), vec3_sub(x[2], x[1])}};
    for (int k = 0; k < 2; k++) {
        vec3 n = k == 0 ? f->h.n1 : f->h.n2;
        double inverse = 1 / vec3_norm2(n);
        mat3 mirror = mat3_scale(
            inverse, mat3_sub(mat3_identity(), mat3_scale(2 * inverse, mat3_outer(n, n))));
        for (int j = 0; j < 4; j++)
            out[k][j] = mat3_mul(mirror, mat3_scale(-1, mat3_cross(arm[k][j])));
    }
}

/* Gradients of the factors. */
static void factor_derivatives(const hinge_frame *f, const vec3 x[4], vec3 out[4][2][4])
{
    double length = f->h.length, length2 = length * length;
    vec3 unit = vec3_scale(1 / length, f->h.e);
    memset(out, 0, 4 * 2 * 4 * sizeof(vec3));
    out[0][0][1] = out[3][1][1] = unit;
    out[0][0][2] = out[3][1][2] = vec3_neg(unit);
    for (int k = 0; k < 2; k++) {
        int corner = k == 0 ? 0 : 3;
        vec3 arm = vec3_sub(x[corner], x[1]);
        vec3 by_corner = vec3_scale(1 / length2, f->h.e);
        vec3 by_end = vec3_scale(1 / length2, vec3_mul_add(arm, -2 * f->along[k], f->h.e));
        vec3 by_start = vec3_neg(vec3_add(by_corner, by_end));
        /* d(along L) = L d(along) + along dL */
        vec3 *far = out[2][k], *near = out[1][k];
        far[corner] = vec3_scale(length, by_corner);
        far[1] = vec3_mul_add(vec3_scale(length, by_start), -f->along[k], unit);
        far[2] = vec3_mul_add(vec3_scale(length, by_end), f->along[k], unit);
        near[corner] = vec3_neg(far[corner]);
        near[1] = vec3_neg(vec3_add(unit, far[1]));
        near[2] = vec3_sub(unit, far[2]);
    }
}

double hinge_hessian(const vec3 x[4], vec3 gradient[4], double hessian[144])
{
    hinge_frame f = frame_of(x);
    mat3 dm[2][4];
    vec3 dfactor[4][2][4];
    gradient_of(&f, gradient);
    normal_derivatives(&f, x, dm);
    factor_derivatives(&f, x, dfactor);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++) {
            mat3 block = mat3_zero();
            for (int k = 0; k < 2; k++) {
                block = mat3_add(block, mat3_outer(f.m[k], dfactor[i][k][j]));
                block = mat3_add(block, mat3_scale(f.factor[i][k], dm[k][j]));
            }
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    hessian[12 * (3 * i + r) + 3 * j + c] = hessian[12 * (3 * j + c) + 3 * i + r] =
                        block.m[r][c];
        }
    return angle_of(&f.h);
}

/* How a hinge moves, as seen from its edge. With the unit normal n_k of triangle k, m_k in its
 * plane from the edge to the corner at height h_k, u along the edge, d_k the motion of the foot of
 * the corner less that of the corner, and e the edge's motion,
 *
 *     omega_k = n_k.d_k / h_k     mu_k = m_k.d_k / h_k      eps_k = u.d_k / h_k
 *     tau_k = n_k.e / L           sigma_k = m_k.e / L
 *
 * the first variation of theta is the sum of the omega_k, the second that of
 * 2 omega_k mu_k - 2 tau_k eps_k + tau_k sigma_k. */
typedef struct hinge_motion {
    vec3 n[2], m[2], u;
    double height[2];
    double foot[2][4]; /* d_k as a combination of the vertices */
} hinge_motion;

static hinge_motion motion_of(const vec3 x[4])
{
    hinge_frame f = frame_of(x);
    hinge_motion out = {.u = vec3_scale(1 / f.h.length, f.h.e)};
    for (int k = 0; k < 2; k++) {
        vec3 n = k == 0 ? f.h.n1 : f.h.n2;
        double area2 = vec3_norm(n);
        int corner = k == 0 ? 0 : 3;
        out.n[k] = vec3_scale(1 / area2, n);
        out.height[k] = area2 / f.h.length;
        vec3 arm = vec3_mul_add(vec3_sub(x[corner], x[1]), -f.along[k], f.h.e);
        out.m[k] = vec3_scale(1 / out.height[k], arm);
        out.foot[k][corner] = -1;
        out.foot[k][1] = 1 - f.along[k];
        out.foot[k][2] = f.along[k];
    }
    return out;
}

/* Four scalar motions: each a direction with a factor per vertex, of length 1 in all; `scale` is
 * what the motion is in these units. */
typedef struct motion_group {
    vec3 direction[4];
    double factor[4][4], scale[4];
} motion_group;

static void set_motion(motion_group *g, int i, vec3 direction, const double factor[4], double by)
{
    double size = 0;
    for (int v = 0; v < 4; v++) size += factor[v] * factor[v];
    size = sqrt(size);
    for (int v = 0; v < 4; v++) g->factor[i][v] = factor[v] / size;
    g->direction[i] = direction;
    g->scale[i] = size / by;
}

/* blocks += the part of a 4x4 matrix over the motions (their own units) that is semi-definite. */
static void add_positive(const motion_group *g, double q[16], mat3 blocks[HINGE_BLOCKS])
{
    double values[4], vectors[16];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) q[4 * i + j] *= g->scale[i] * g->scale[j];
    eigen_symmetric(4, q, values, vectors);
    for (int k = 3; k >= 0 && values[k] > 0; k--) {
        vec3 w[4];
        for (int v = 0; v < 4; v++) {
            w[v] = vec3_scale(vectors[k] * g->factor[0][v], g->direction[0]);
            for (int i = 1; i < 4; i++)
                w[v] = vec3_mul_add(w[v], vectors[4 * i + k] * g->factor[i][v], g->direction[i]);
        }
        for (int a = 0, at = 0; a < 4; a++) {
            vec3 scaled = vec3_scale(values[k], w[a]);
            for (int b = a; b < 4; b++, at++)
                blocks[at] = mat3_add(blocks[at], mat3_outer(scaled, w[b]));
        }
    }
}

void hinge_semidefinite(const vec3 x[4], double stiffness, double moment, mat3 blocks[HINGE_BLOCKS])
{
    static const double edge[4] = {0, -1, 1, 0};
    hinge_motion h = motion_of(x);
    double length = vec3_norm(vec3_sub(x[2], x[1]));
    motion_group turn, swing;
    for (int k = 0; k < 2; k++) { /* omega_1, mu_1, omega_2, mu_2; tau_1, sigma_1, eps_1, eps_2 */
        set_motion(&turn, 2 * k, h.n[k], h.foot[k], h.height[k]);
        set_motion(&turn, 2 * k + 1, h.m[k], h.foot[k], h.height[k]);
        set_motion(&swing, 2 + k, h.u, h.foot[k], h.height[k]);
    }
    set_motion(&swing, 0, h.n[0], edge, length);
    set_motion(&swing, 1, h.m[0], edge, length);
    double k = stiffness, p = moment;
    double q[16] = {k, p, k, 0, p, 0, 0, 0, k, 0, k, p, 0, 0, p, 0};
    for (int i = 0; i < HINGE_BLOCKS; i++) blocks[i] = mat3_zero();
    add_positive(&turn, q, blocks);
    /* tau_2 = c tau_1 + s sigma_1, sigma_2 = a tau_1 + b sigma_1 */
    double c = vec3_dot(h.n[1], h.n[0]), s = vec3_dot(h.n[1], h.m[0]);
    double a = vec3_dot(h.m[1], h.n[0]), b = vec3_dot(h.m[1], h.m[0]);
    double mixed = 0.5 * p * (1 + c * b + s * a);
    double r[16] = {p * c * a, mixed, -p, -p * c, mixed,  p * s * b, 0, -p * s,
                    -p,        0,     0,  0,      -p * c, -p * s,    0, 0};
    add_positive(&swing, r, blocks);
}

bool hinge_stiffness(const vec3 rest[4], double rigidity, double *stiffness)
{
    hinge h = hinge_of(rest);
    double areas = 0.5 * (vec3_norm(h.n1) + vec3_norm(h.n2));
    *stiffness = rigidity * h.length * h.length / areas;
    return areas > 0 && isfinite(*stiffness);
}
