#include "geometry/tangent.h"

#include <assert.h>

/* A unit vector orthogonal to the unit vector n: the axis least aligned with it, made orthogonal.
 */
static vec3 any_orthogonal(vec3 n)
{
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    vec3 axis = x <= y && x <= z ? vec3_make(1.0, 0.0, 0.0)
                : y <= z         ? vec3_make(0.0, 1.0, 0.0)
                                 : vec3_make(0.0, 0.0, 1.0);
    return vec3_normalize(vec3_cross(axis, n));
}

/* Unit vector along a, or false when a has no usable direction. */
static bool direction_of(vec3 a, vec3 *unit)
{
    double largest = vec3_max_abs(a);
    if (!(largest > 0.0 && largest < INFINITY)) return false;
    *unit = vec3_normalize(vec3_scale(1.0 / largest, a));
    return true;
}

static void frame_from_normal(tangent_frame *frame, vec3 normal)
{
    frame->normal = normal;
    frame->column[0] = any_orthogonal(normal);
    frame->column[1] = vec3_cross(normal, frame->column[0]);
}

/* First column along `along`, normal as near to `across` as that allows. */
static void frame_from_pair(tangent_frame *frame, vec3 along, vec3 across)
{
    vec3 t, n;
    if (!direction_of(along, &t)) {
        if (!direction_of(across, &n)) n = vec3_make(0.0, 1.0, 0.0);
        frame_from_normal(frame, n);
        return;
    }
    double scale = vec3_max_abs(across);
    vec3 rest = scale > 0.0 ? vec3_scale(1.0 / scale, across) : across;
    rest = vec3_mul_add(rest, -vec3_dot(rest, t), t);
    if (!(vec3_max_abs(rest) > 1e-14) || !direction_of(rest, &n))
        n = any_orthogonal(t);
    else
        n = vec3_normalize(vec3_mul_add(n, -vec3_dot(n, t), t));
    frame->column[0] = t;
    frame->column[1] = vec3_cross(n, t);
    frame->normal = n;
}

/* The closest-point weights are meaningless where the feature is degenerate; keep them finite. */
static void weights_or_midpoint(double *weight, int n, const double *fallback)
{
    bool finite = true;
    for (int i = 0; i < n; i++) finite = finite && isfinite(weight[i]);
    for (int i = 0; !finite && i < n; i++) weight[i] = fallback[i];
}

static tangent_frame frame_point_point(const vec3 *x)
{
    tangent_frame frame = {.count = 2, .weight = {1.0, -1.0}};
    vec3 n;
    if (!direction_of(vec3_sub(x[0], x[1]), &n)) n = vec3_make(0.0, 1.0, 0.0);
    frame_from_normal(&frame, n);
    return frame;
}

static tangent_frame frame_point_edge(const vec3 *x)
{
    tangent_frame frame = {.count = 3};
    point_edge_weights(x[0], x[1], x[2], frame.weight);
    weights_or_midpoint(frame.weight, 3, (const double[]){1.0, -0.5, -0.5});
    frame_from_pair(&frame, vec3_sub(x[2], x[1]), vec3_sub(x[0], x[1]));
    return frame;
}

/* Normal of the plane through u and v, on the side of w. */
static vec3 normal_towards(vec3 u, vec3 v, vec3 w)
{
    vec3 n = vec3_cross(u, v);
    return vec3_dot(n, w) < 0.0 ? vec3_neg(n) : n;
}

static tangent_frame frame_point_triangle(const vec3 *x)
{
    tangent_frame frame = {.count = 4};
    point_triangle_weights(x[0], x[1], x[2], x[3], frame.weight);
    weights_or_midpoint(frame.weight, 4, (const double[]){1.0, -1.0 / 3, -1.0 / 3, -1.0 / 3});
    vec3 u = vec3_sub(x[2], x[1]), v = vec3_sub(x[3], x[1]);
    frame_from_pair(&frame, u, normal_towards(u, v, vec3_sub(x[0], x[1])));
    return frame;
}

static tangent_frame frame_edge_edge(const vec3 *x)
{
    tangent_frame frame = {.count = 4};
    edge_edge_weights(x[0], x[1], x[2], x[3], frame.weight);
    weights_or_midpoint(frame.weight, 4, (const double[]){0.5, 0.5, -0.5, -0.5});
    vec3 u = vec3_sub(x[1], x[0]), v = vec3_sub(x[3], x[2]);
    frame_from_pair(&frame, u, normal_towards(u, v, vec3_sub(x[0], x[2])));
    return frame;
}

tangent_frame tangent_frame_of(stencil_kind kind, const vec3 *x)
{
    switch (kind) {
    case STENCIL_PP: return frame_point_point(x);
    case STENCIL_PE: return frame_point_edge(x);
    case STENCIL_PT: return frame_point_triangle(x);
    case STENCIL_EE: return frame_edge_edge(x);
    }
    assert(false);
    return (tangent_frame){0};
}

tangent_frame tangent_frame_half_space(vec3 normal)
{
    tangent_frame frame = {.count = 1, .weight = {1.0}};
    frame_from_normal(&frame, normal);
    return frame;
}

vec3 tangent_relative(const tangent_frame *frame, const vec3 *dx)
{
    vec3 sum = vec3_scale(frame->weight[0], dx[0]);
    for (int i = 1; i < frame->count; i++) sum = vec3_mul_add(sum, frame->weight[i], dx[i]);
    return sum;
}

void tangent_displacement(const tangent_frame *frame, const vec3 *dx, double u[2])
{
    vec3 relative = tangent_relative(frame, dx);
    u[0] = vec3_dot(frame->column[0], relative);
    u[1] = vec3_dot(frame->column[1], relative);
}

void tangent_operator(const tangent_frame *frame, double *t)
{
    for (int i = 0; i < frame->count; i++)
        for (int k = 0; k < 3; k++) {
            t[6 * i + 2 * k] = frame->weight[i] * vec3_get(frame->column[0], k);
            t[6 * i + 2 * k + 1] = frame->weight[i] * vec3_get(frame->column[1], k);
        }
}

void tangent_spread(const tangent_frame *frame, const double f[2], double *force)
{
    vec3 at_contact = vec3_mul_add(vec3_scale(f[0], frame->column[0]), f[1], frame->column[1]);
    for (int i = 0; i < frame->count; i++)
        vec3_store(force + 3 * i, vec3_scale(frame->weight[i], at_contact));
}
