#include "remesh/simplex_cut.h"

#include <string.h>

static double triple(vec3 a, vec3 b, vec3 c) { return vec3_dot(a, vec3_cross(b, c)); }

double simplex_size(int dimension, const vec3 corners[4])
{
    vec3 a = vec3_sub(corners[1], corners[0]), b = vec3_sub(corners[2], corners[0]);
    if (dimension == 2) return 0.5 * (a.x * b.y - a.y * b.x);
    return triple(a, b, vec3_sub(corners[3], corners[0])) / 6;
}

void simplex_coordinates(int dimension, const vec3 corners[4], vec3 point, double out[4])
{
    double whole = simplex_size(dimension, corners);
    for (int k = 0; k <= dimension; k++) {
        vec3 part[4];
        memcpy(part, corners, sizeof(vec3) * (size_t)(dimension + 1));
        part[k] = point;
        out[k] = simplex_size(dimension, part) / whole;
    }
}

static vec3 between(vec3 a, double at_a, vec3 b, double at_b)
{
    return vec3_mul_add(a, at_a / (at_a - at_b), vec3_sub(b, a));
}

static void put(simplex_pieces *out, vec3 a, vec3 b, vec3 c, vec3 d)
{
    vec3 *corner = out->corner[out->count++];
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    corner[3] = d;
}

/* A prism with the triangles p and q. */
static void put_prism(simplex_pieces *out, const vec3 p[3], const vec3 q[3])
{
    put(out, p[0], p[1], p[2], q[2]);
    put(out, p[0], p[1], q[1], q[2]);
    put(out, p[0], q[0], q[1], q[2]);
}

/* The part of one simplex where the function with these values at its corners is positive. */
static void cut_one(int d, const vec3 *x, const double *value, simplex_pieces *out)
{
    vec3 in[4], outside[4];
    double in_value[4], out_value[4];
    int inside = 0, others = 0;
    for (int k = 0; k <= d; k++) {
        if (value[k] >= 0) {
            in[inside] = x[k];
            in_value[inside++] = value[k];
        } else {
            outside[others] = x[k];
            out_value[others++] = value[k];
        }
    }
    if (inside == 0) return;
    vec3 cross[4][4]; /* [inside][outside] */
    for (int i = 0; i < inside; i++)
        for (int k = 0; k < others; k++)
            cross[i][k] = between(in[i], in_value[i], outside[k], out_value[k]);
    vec3 none = {0};
    if (others == 0)
        put(out, x[0], x[1], x[2], d == 3 ? x[3] : none);
    else if (inside == 1)
        put(out, in[0], cross[0][0], cross[0][1], d == 3 ? cross[0][2] : none);
    else if (d == 2) {
        put(out, in[0], in[1], cross[1][0], none);
        put(out, in[0], cross[1][0], cross[0][0], none);
    } else if (inside == 2) {
        vec3 p[3] = {in[0], cross[0][0], cross[0][1]}, q[3] = {in[1], cross[1][0], cross[1][1]};
        put_prism(out, p, q);
    } else {
        vec3 q[3] = {cross[0][0], cross[1][0], cross[2][0]};
        put_prism(out, in, q);
    }
}

void simplex_cut(int dimension, const vec3 a[4], const vec3 b[4], simplex_pieces *out)
{
    simplex_pieces work = {.count = 0};
    out->count = 0;
    memcpy(out->corner[out->count++], a, sizeof(vec3) * (size_t)(dimension + 1));
    for (int side = 0; side <= dimension && out->count > 0; side++) {
        simplex_pieces *from = out;
        work.count = 0;
        for (int p = 0; p < from->count; p++) {
            double value[4], all[4];
            bool any = false;
            for (int k = 0; k <= dimension; k++) {
                simplex_coordinates(dimension, b, from->corner[p][k], all);
                value[k] = all[side];
                any = any || value[k] > 0;
            }
            if (any) cut_one(dimension, from->corner[p], value, &work);
        }
        out->count = work.count;
        memcpy(out->corner, work.corner, sizeof work.corner[0] * (size_t)work.count);
    }
}
