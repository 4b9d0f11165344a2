/* Geometry of a contact: closest points, normals that do not depend on the last digits of a tiny
 * distance, tangents. */
#include "mlcp/solver.h"

#include "geometry/tangent.h"

#include <math.h>

/* Weights below this count as none: the closest point is on an edge or a corner. */
static const double ON_BORDER = 1e-9;
/* Edges that enclose an angle with a smaller sine have no usable common normal. */
static const double LEAST_SINE = 1e-3;
/* Directions between two corners, or a corner and an edge, are taken at a multiple of this part of
 * the step before they meet. */
static const double GRID = 1.0 / 16;
static const double LARGEST_TURN = 0.96592583; /* cos 15 degrees */

void mlcp_set_tangents(mlcp_contact *c, vec3 like)
{
    vec3 t = vec3_mul_add(like, -vec3_dot(like, c->normal), c->normal);
    if (vec3_norm2(t) < 1e-6) {
        vec3 axis = fabs(c->normal.x) < 0.6 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
        t = vec3_mul_add(axis, -vec3_dot(axis, c->normal), c->normal);
    }
    c->tangent[0] = vec3_normalize(t);
    c->tangent[1] = vec3_cross(c->normal, c->tangent[0]);
}

void mlcp_turn_frame(mlcp_contact *c, vec3 normal)
{
    double *lists[] = {c->gamma, c->slide.force, c->slide.direction, c->reference + 1};
    vec3 as_vector[4];
    for (int k = 0; k < 4; k++)
        as_vector[k] = vec3_add(vec3_scale(lists[k][0], c->tangent[0]),
                                vec3_scale(lists[k][1], c->tangent[1]));
    vec3 like = c->tangent[0];
    c->normal = normal;
    mlcp_set_tangents(c, like);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 2; i++) lists[k][i] = vec3_dot(as_vector[k], c->tangent[i]);
    double length = hypot(c->slide.direction[0], c->slide.direction[1]);
    for (int i = 0; i < 2; i++)
        c->slide.direction[i] = length > 0 ? c->slide.direction[i] / length : 0;
    c->slide.has_direction = c->slide.has_direction && length > 0;
}

static void closest(ccd_kind kind, const vec3 *x, double weight[4])
{
    if (kind == CCD_POINT_TRIANGLE)
        point_triangle_closest(x[0], x[1], x[2], x[3], NULL, weight);
    else
        edge_edge_closest(x[0], x[1], x[2], x[3], NULL, weight);
}

static vec3 between(const vec3 *x, const double weight[4])
{
    vec3 sum = {0};
    for (int k = 0; k < 4; k++) sum = vec3_mul_add(sum, weight[k], x[k]);
    return sum;
}

/* The normal of the triangle, or the common normal of two edges, where the closest points are
 * inside; its sign is open. */
static bool inner_normal(ccd_kind kind, const vec3 *x, const double weight[4], vec3 *normal)
{
    for (int k = 0; k < 4; k++)
        if (fabs(weight[k]) < ON_BORDER) return false;
    bool face = kind == CCD_POINT_TRIANGLE;
    vec3 a = face ? vec3_sub(x[2], x[1]) : vec3_sub(x[1], x[0]);
    vec3 b = face ? vec3_sub(x[3], x[1]) : vec3_sub(x[3], x[2]);
    vec3 n = vec3_cross(a, b);
    double length = vec3_norm(n);
    if (!(length > (face ? 1e-12 : LEAST_SINE) * vec3_norm(a) * vec3_norm(b))) return false;
    *normal = vec3_scale(1 / length, n);
    return true;
}

double mlcp_geometry_at(ccd_kind kind, const vec3 *x, vec3 side, double weight[4], vec3 *normal)
{
    closest(kind, x, weight);
    vec3 apart = between(x, weight);
    double distance = vec3_norm(apart), size = 0;
    for (int k = 0; k < 4; k++) size = fmax(size, vec3_norm(x[k]));
    if (!inner_normal(kind, x, weight, normal)) {
        if (!(distance > 1e-14 * size)) {
            *normal = side;
            return 0;
        }
        *normal = vec3_scale(1 / distance, apart);
    }
    if (vec3_dot(*normal, side) < 0) *normal = vec3_scale(-1, *normal);
    return vec3_dot(*normal, apart) < 0 ? -distance : distance;
}

/* Where the closest points are corners or on an edge, the direction between them at the impact is
 * that of a distance of a thousandth of a millimetre, which tells nothing. It is taken some time
 * before, at a moment that is the same for all pairs that share these features, so that they get
 * the same row. */
static vec3 direction_before(ccd_kind kind, const vec3 *start, const vec3 *end, double toi,
                             double least)
{
    double moment = GRID * fmax(0, floor(toi / GRID - 0.5));
    for (;; moment -= GRID) {
        vec3 x[4];
        double weight[4];
        if (moment < 0) moment = 0;
        for (int k = 0; k < 4; k++)
            x[k] = vec3_mul_add(start[k], moment, vec3_sub(end[k], start[k]));
        closest(kind, x, weight);
        vec3 apart = between(x, weight);
        double distance = vec3_norm(apart);
        if (distance > least || (moment == 0 && distance > 0))
            return vec3_scale(1 / distance, apart);
        if (moment == 0) return (vec3){0, 1, 0};
    }
}

void mlcp_impact_geometry(mlcp_contact *c, const vec3 *start, const vec3 *end, double toi,
                          double tolerance)
{
    for (int k = 0; k < 4; k++)
        c->used[k] = vec3_mul_add(start[k], toi, vec3_sub(end[k], start[k]));
    closest(c->kind, c->used, c->weight);
    vec3 apart = between(c->used, c->weight), normal;
    if (inner_normal(c->kind, c->used, c->weight, &normal))
        c->normal = vec3_dot(normal, apart) < 0 ? vec3_scale(-1, normal) : normal;
    else
        c->normal = direction_before(c->kind, start, end, toi, 8 * tolerance);
    mlcp_set_tangents(c, (vec3){1, 0, 0});
}

bool mlcp_blend_geometry(mlcp_contact *c, const vec3 *target)
{
    for (double part = 1; part > 1e-3; part *= 0.5) {
        vec3 x[4], normal;
        double weight[4];
        for (int k = 0; k < 4; k++)
            x[k] = vec3_add(vec3_scale(1 - part, c->used[k]), vec3_scale(part, target[k]));
        double distance = mlcp_geometry_at(c->kind, x, c->normal, weight, &normal);
        if (distance == 0 && part == 1) continue; /* no direction of its own there */
        if (vec3_dot(normal, c->normal) < LARGEST_TURN) continue;
        for (int k = 0; k < 4; k++) {
            c->used[k] = x[k];
            c->weight[k] = weight[k];
        }
        mlcp_turn_frame(c, normal);
        return true;
    }
    return false;
}
