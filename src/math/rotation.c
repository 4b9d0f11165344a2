#include "math/rotation.h"

/* Written with K = [theta]x and x = |theta|:
 *
 *     R = I + A K + B K^2       A = sin x / x       B = (1 - cos x) / x^2
 *
 * A and B are functions of theta through x only, so that with A1 = A'/x and A2 = A1'/x
 *
 *     dA/dtheta_k = A1 theta_k      d2A/dtheta_k dtheta_l = A2 theta_k theta_l + A1 delta_kl
 *
 * and the same for B. */
typedef struct coefficients {
    double a, a1, a2;
    double b, b1, b2;
} coefficients;

/* The closed forms of A2 and B2 lose sixteen digits over x^4; the power series in x^2 loses none,
 * and below 2 fourteen terms of it are exact to rounding. */
#define SERIES_LIMIT 2.0
enum { SERIES_TERMS = 14 };

/* With f = sum_n (-1)^n z^n / (2n + first)! and z = x^2, the operator (1/x) d/dx is 2 d/dz. */
static void series(double z, int first, double f[3])
{
    double factorial = 1.0;
    for (int i = 2; i <= first; i++) factorial *= i;
    f[0] = f[1] = f[2] = 0.0;
    double term[SERIES_TERMS];
    for (int n = 0; n < SERIES_TERMS; n++) {
        term[n] = (n % 2 ? -1.0 : 1.0) / factorial;
        factorial *= (double)(2 * n + first + 1) * (2 * n + first + 2);
    }
    for (int n = SERIES_TERMS - 1; n >= 0; n--) {
        f[0] = f[0] * z + term[n];
        if (n >= 1) f[1] = f[1] * z + 2.0 * n * term[n];
        if (n >= 2) f[2] = f[2] * z + 4.0 * n * (n - 1) * term[n];
    }
}

static coefficients coefficients_at(vec3 theta)
{
    double z = vec3_norm2(theta);
    if (z < SERIES_LIMIT * SERIES_LIMIT) {
        double a[3], b[3];
        series(z, 1, a);
        series(z, 2, b);
        return (coefficients){a[0], a[1], a[2], b[0], b[1], b[2]};
    }
    double x = sqrt(z), s = sin(x), c = cos(x), half = sin(0.5 * x);
    double lift = 2.0 * half * half; /* 1 - cos x without cancellation */
    return (coefficients){
        .a = s / x,
        .a1 = (x * c - s) / (z * x),
        .a2 = ((3.0 - z) * s - 3.0 * x * c) / (z * z * x),
        .b = lift / z,
        .b1 = (x * s - 2.0 * lift) / (z * z),
        .b2 = (z * c - 5.0 * x * s + 8.0 * lift) / (z * z * z),
    };
}

static mat3 combine(double s, mat3 a, mat3 b) { return mat3_add(mat3_scale(s, a), b); }

static vec3 axis(int k) { return vec3_make(k == 0, k == 1, k == 2); }

/* [theta]x^2 = theta theta^T - |theta|^2 I, symmetric by construction. */
static mat3 cross_squared(vec3 theta)
{
    mat3 m = mat3_outer(theta, theta);
    double z = vec3_norm2(theta);
    for (int i = 0; i < 3; i++) m.m[i][i] -= z;
    return m;
}

/* d[theta]x^2 / dtheta_k. */
static mat3 cross_squared_first(vec3 theta, int k)
{
    mat3 m = mat3_add(mat3_outer(axis(k), theta), mat3_outer(theta, axis(k)));
    for (int i = 0; i < 3; i++) m.m[i][i] -= 2.0 * vec3_get(theta, k);
    return m;
}

static mat3 cross_squared_second(int k, int l)
{
    mat3 m = mat3_add(mat3_outer(axis(k), axis(l)), mat3_outer(axis(l), axis(k)));
    for (int i = 0; i < 3; i++) m.m[i][i] -= k == l ? 2.0 : 0.0;
    return m;
}

mat3 rotation_matrix(vec3 theta)
{
    double z = vec3_norm2(theta), x = sqrt(z);
    /* Below 1e-4 the next terms of the series are under rounding. */
    double a = x > 1e-4 ? sin(x) / x : 1.0 - z / 6.0;
    double half = x > 1e-4 ? sin(0.5 * x) / (0.5 * x) : 1.0 - z / 24.0;
    double b = 0.5 * half * half;
    mat3 r = combine(b, cross_squared(theta), mat3_identity());
    return combine(a, mat3_cross(theta), r);
}

void rotation_first(vec3 theta, mat3 d[3])
{
    coefficients f = coefficients_at(theta);
    mat3 cross = mat3_cross(theta), squared = cross_squared(theta);
    for (int k = 0; k < 3; k++) {
        double t = vec3_get(theta, k);
        d[k] = combine(f.a1 * t, cross, mat3_scale(f.a, mat3_cross(axis(k))));
        d[k] = combine(f.b1 * t, squared, d[k]);
        d[k] = combine(f.b, cross_squared_first(theta, k), d[k]);
    }
}

void rotation_second(vec3 theta, mat3 d2[3][3])
{
    coefficients f = coefficients_at(theta);
    mat3 cross = mat3_cross(theta), squared = cross_squared(theta);
    for (int k = 0; k < 3; k++) {
        for (int l = k; l < 3; l++) {
            double tk = vec3_get(theta, k), tl = vec3_get(theta, l);
            double akl = f.a2 * tk * tl + (k == l ? f.a1 : 0.0);
            double bkl = f.b2 * tk * tl + (k == l ? f.b1 : 0.0);
            mat3 m = combine(akl, cross, mat3_scale(bkl, squared));
            m = combine(f.a1 * tk, mat3_cross(axis(l)), m);
            m = combine(f.a1 * tl, mat3_cross(axis(k)), m);
            m = combine(f.b1 * tk, cross_squared_first(theta, l), m);
            m = combine(f.b1 * tl, cross_squared_first(theta, k), m);
            m = combine(f.b, cross_squared_second(k, l), m);
            d2[k][l] = d2[l][k] = m;
        }
    }
}

/* Takes the largest component first, so that nothing is divided by a small number. */
quaternion rotation_quaternion(mat3 r)
{
    double trace = r.m[0][0] + r.m[1][1] + r.m[2][2];
    double q[4] = {trace, r.m[0][0], r.m[1][1], r.m[2][2]}; /* w, x, y, z */
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (q[i] > q[largest]) largest = i;
    if (largest == 0) {
        q[0] = 1.0 + trace;
        q[1] = r.m[2][1] - r.m[1][2];
        q[2] = r.m[0][2] - r.m[2][0];
        q[3] = r.m[1][0] - r.m[0][1];
    } else {
        int i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        q[0] = r.m[k][j] - r.m[j][k];
        q[1 + i] = 1.0 + r.m[i][i] - r.m[j][j] - r.m[k][k];
        q[1 + j] = r.m[j][i] + r.m[i][j];
        q[1 + k] = r.m[k][i] + r.m[i][k];
    }
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double scale = (q[0] < 0.0 ? -1.0 : 1.0) / norm;
    return (quaternion){scale * q[0], scale * q[1], scale * q[2], scale * q[3]};
}

mat3 rotation_from_quaternion(quaternion q)
{
    vec3 v = {q.x, q.y, q.z};
    double scale = 2.0 / (q.w * q.w + vec3_norm2(v));
    mat3 r = combine(scale, cross_squared(v), mat3_identity());
    return combine(scale * q.w, mat3_cross(v), r);
}

vec3 rotation_vector(mat3 r)
{
    quaternion q = rotation_quaternion(r);
    vec3 v = {q.x, q.y, q.z};
    double sine = vec3_norm(v); /* of half the angle */
    if (sine < 1e-150) return vec3_scale(2.0, v);
    return vec3_scale(2.0 * atan2(sine, q.w) / sine, v);
}

#define TWO_PI 6.283185307179586476925

vec3 rotation_vector_near(mat3 r, vec3 near)
{
    vec3 theta = rotation_vector(r);
    double angle = vec3_norm(theta), distance = vec3_norm(near);
    /* The identity may turn about any axis: the one of `near` brings it closest. */
    vec3 direction = vec3_normalize(angle > 1e-12 ? theta : near);
    double turns = round(((angle > 1e-12 ? vec3_dot(near, direction) : distance) - angle) / TWO_PI);
    return vec3_mul_add(theta, TWO_PI * turns, direction);
}

vec3 rotation_wrap(vec3 theta)
{
    double angle = vec3_norm(theta);
    double turns = round(angle / TWO_PI);
    return turns > 0.0 ? vec3_scale(1.0 - TWO_PI * turns / angle, theta) : theta;
}

vec3 rotation_angles(mat3 r)
{
    double c = atan2(r.m[1][0], r.m[0][0]);
    double b = atan2(-r.m[2][0], hypot(r.m[0][0], r.m[1][0]));
    double a =
        atan2(sin(c) * r.m[0][2] - cos(c) * r.m[1][2], cos(c) * r.m[1][1] - sin(c) * r.m[0][1]);
    return vec3_make(a, b, c);
}
