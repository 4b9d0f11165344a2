#include "fem/hinge.h"

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

bool hinge_stiffness(const vec3 rest[4], double rigidity, double *stiffness)
{
    hinge h = hinge_of(rest);
    double areas = 0.5 * (vec3_norm(h.n1) + vec3_norm(h.n2));
    *stiffness = rigidity * h.length * h.length / areas;
    return areas > 0 && isfinite(*stiffness);
}
