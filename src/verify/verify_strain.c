/* Strain limits of shells, looked at with wider numbers than the solver's. */
#include "verify/verify_internal.h"

#include <math.h>

/* The two rest edges of a triangle in the axes warp and weft: columns of a 2x2 matrix. */
static void rest_axes(const vec3 x[3], vec3 warp, long double d[2][2])
{
    vec3 a = vec3_sub(x[1], x[0]), b = vec3_sub(x[2], x[0]);
    vec3 n = vec3_normalize(vec3_cross(a, b));
    vec3 first = vec3_sub(warp, vec3_scale(vec3_dot(warp, n), n));
    if (!(vec3_norm(first) > 1e-6 * vec3_norm(warp))) first = a;
    first = vec3_normalize(first);
    vec3 second = vec3_cross(n, first);
    d[0][0] = vec3_dot(a, first);
    d[0][1] = vec3_dot(b, first);
    d[1][0] = vec3_dot(a, second);
    d[1][1] = vec3_dot(b, second);
}

/* C = F^T F from the present edges, in extended precision. */
static void metric(const vec3 x[3], long double d[2][2], long double c[3])
{
    const double *e[2] = {(const double *)&x[1], (const double *)&x[2]}, *o = (const double *)x;
    long double det = d[0][0] * d[1][1] - d[0][1] * d[1][0], f[2][3];
    for (int k = 0; k < 3; k++) {
        long double p = (long double)e[0][k] - o[k], q = (long double)e[1][k] - o[k];
        f[0][k] = (p * d[1][1] - q * d[1][0]) / det;
        f[1][k] = (q * d[0][0] - p * d[0][1]) / det;
    }
    c[0] = f[0][0] * f[0][0] + f[0][1] * f[0][1] + f[0][2] * f[0][2];
    c[1] = f[1][0] * f[1][0] + f[1][1] * f[1][1] + f[1][2] * f[1][2];
    c[2] = f[0][0] * f[1][0] + f[0][1] * f[1][1] + f[0][2] * f[1][2];
}

/* The value that breaks a limit, or 0. */
static double broken_limit(const verify_limit *l, const vec3 rest[3], const vec3 x[3])
{
    long double d[2][2], c[3];
    rest_axes(rest, l->warp, d);
    metric(x, d, c);
    long double middle = 0.5L * (c[0] + c[1]);
    long double width = sqrtl(0.25L * (c[0] - c[1]) * (c[0] - c[1]) + c[2] * c[2]);
    double largest = (double)sqrtl(middle + width);
    double smallest = (double)sqrtl(fmaxl(0, middle - width));
    if (largest >= l->upper) return largest;
    if (l->lower > 0 && smallest <= l->lower) return smallest;
    const long double strain[3] = {0.5L * (c[0] - 1), 0.5L * (c[1] - 1), 0.5L * c[2]};
    for (int k = 0; k < 3; k++)
        if (isfinite(l->strains[k]) && fabsl(strain[k]) >= l->strains[k]) return (double)strain[k];
    return 0;
}

abut_status verify_strains(const frame *f, const int32_t *body, const verify_setup *setup,
                           size_t most, verify_result *result, verify_problems *problems,
                           abut_error *err)
{
    const frame_field *moved = frame_find(f, FRAME_POINTS, FIELD_DISPLACEMENT);
    if (!setup->limits || !moved || !moved->doubles) return ABUT_OK;
    const frame_field *pattern = frame_find(f, FRAME_POINTS, FIELD_PATTERN);
    abut_status status = ABUT_OK;
    for (size_t b = 0; b < f->block_count; b++) {
        const cell_block *block = &f->blocks[b];
        if (block->kind != CELL_TRIANGLE) continue;
        for (size_t i = 0; status == ABUT_OK && i < block->count; i++) {
            const int32_t *n = block->nodes + i * (size_t)block->nodes_per_cell;
            const verify_limit *limit = &setup->limits[body[n[0]]];
            if (!verify_limit_exists(limit)) continue;
            vec3 x[3], rest[3];
            for (int k = 0; k < 3; k++) {
                x[k] = f->points[n[k]];
                rest[k] = limit->pattern && pattern && pattern->doubles
                              ? vec3_load(pattern->doubles + 3 * (size_t)n[k])
                              : vec3_sub(x[k], vec3_load(moved->doubles + 3 * (size_t)n[k]));
            }
            double value = broken_limit(limit, rest, x);
            if (value == 0) continue;
            result->strained++;
            verify_problem problem = {.kind = VERIFY_STRAINED,
                                      .step = f->step,
                                      .first = {n[0], n[1], n[2]},
                                      .first_count = 3,
                                      .first_body = body[n[0]],
                                      .second_body = -1,
                                      .tet = -1,
                                      .position = x[0],
                                      .depth = value};
            status = verify_keep(problems, most, problem, err);
        }
    }
    return status;
}
