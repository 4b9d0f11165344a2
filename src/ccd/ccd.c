#include "ccd/ccd.h"

#include "ccd/query.h"

#include <float.h>
#include <string.h>

/* Constants of the filter in units of 2^-52: edge-edge, point-triangle, without and with a minimum
 * separation. They bound the error of evaluating F by nested linear interpolation for coordinates
 * of magnitude at most 1 (docs/theory/ccd.md, section 2). */
static const double filter_units[2][2] = {{28.0, 32.0}, {30.0, 34.0}};

/* Products below this are lost to underflow; far below any error that matters, far above 2^-1074.
 */
static const double UNDERFLOW_SLACK = 0x1p-960;

/* Lengths outside 2^-SAFE_EXPONENT .. 2^SAFE_EXPONENT are scaled, so that products of up to three
 * of them neither overflow nor vanish. */
enum { SAFE_EXPONENT = 200, ZERO_TOI_ROUNDS = 64 };

/* Without the library calls that fmax and fmin are. */
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

ccd_options ccd_default_options(void)
{
    return (ccd_options){.tolerance = 1e-6,
                         .max_checks = 1000000,
                         .separation = 0.0,
                         .norm = CCD_NORM_MAX,
                         .t_max = 1.0,
                         .filter = {-1.0, -1.0, -1.0},
                         .filter_rule = CCD_FILTER_LINEAR,
                         .no_zero_toi = false,
                         .backend = CCD_BACKEND_AUTO};
}

const char *ccd_status_name(ccd_status status)
{
    switch (status) {
    case CCD_MISS: return "miss";
    case CCD_CONVERGED: return "converged";
    case CCD_LIMIT: return "check limit";
    case CCD_STALLED: return "stalled";
    case CCD_TOUCHING: return "touching at the start";
    case CCD_NOT_FINITE: return "not finite";
    case CCD_NO_MEMORY: return "out of memory";
    }
    return "unknown";
}

/* Smallest power of two that is not below a finite x >= 0; 0 for 0. */
static inline double power_of_two_above(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + UINT64_C(0x000fffffffffffff)) & UINT64_C(0x7ff0000000000000);
    memcpy(&x, &bits, sizeof bits);
    return x;
}

static inline double axis_filter(double extent, bool triangle, double separation, ccd_filter rule)
{
    double units = filter_units[triangle][separation > 0.0] * DBL_EPSILON;
    extent = extent > separation ? extent : separation;
    if (rule == CCD_FILTER_LINEAR) return units * power_of_two_above(extent) + UNDERFLOW_SLACK;
    double gamma = extent > 1.0 ? extent : 1.0;
    return units * gamma * gamma * gamma;
}

vec3 ccd_filter_from_extent(vec3 extent, ccd_kind kind, double separation, ccd_filter rule)
{
    bool triangle = kind == CCD_POINT_TRIANGLE;
    return (vec3){axis_filter(extent.x, triangle, separation, rule),
                  axis_filter(extent.y, triangle, separation, rule),
                  axis_filter(extent.z, triangle, separation, rule)};
}

vec3 ccd_scene_filter(const vec3 *vertices, size_t count, ccd_kind kind, double separation,
                      ccd_filter rule)
{
    vec3 extent = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < count; i++) {
        extent.x = larger(extent.x, fabs(vertices[i].x));
        extent.y = larger(extent.y, fabs(vertices[i].y));
        extent.z = larger(extent.z, fabs(vertices[i].z));
    }
    return ccd_filter_from_extent(extent, kind, separation, rule);
}

ccd_result ccd_give_up(ccd_status status)
{
    return (ccd_result){.hit = true, .toi = 0.0, .tolerance = INFINITY, .status = status};
}

static ccd_backend best_backend(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return CCD_BACKEND_AVX512;
    if (__builtin_cpu_supports("avx2")) return CCD_BACKEND_AVX2;
#endif
    return CCD_BACKEND_PORTABLE;
}

/* Multiplies all lengths by a power of two that brings the largest coordinate near 1. What becomes
 * subnormal is below the underflow slack. */
static void rescale(ccd_query *query)
{
    double largest = larger(query->extent[0], larger(query->extent[1], query->extent[2]));
    largest = larger(largest, query->separation);
    int exponent;
    if (largest == 0.0) return;
    frexp(largest, &exponent);
    if (exponent >= -SAFE_EXPONENT && exponent <= SAFE_EXPONENT) return;
    query->scale = exponent;
    for (int axis = 0; axis < 3; axis++) {
        for (int end = 0; end < 2; end++)
            for (int i = 0; i < 4; i++)
                query->x[axis][end][i] = ldexp(query->x[axis][end][i], -exponent);
        query->extent[axis] = ldexp(query->extent[axis], -exponent);
        query->filter[axis] = ldexp(query->filter[axis], -exponent) + UNDERFLOW_SLACK;
    }
    query->separation = ldexp(query->separation, -exponent);
    query->tolerance = smaller(ldexp(query->tolerance, -exponent), 0x1p500);
}

/* Everything but the vertices. False when a coordinate or option is not finite. */
static bool prepare(ccd_query *query, const ccd_options *options)
{
    double poison = 0.0; /* NaN as soon as one value is not finite */
    query->separation = options->separation > 0.0 ? options->separation : 0.0;
    query->tolerance = options->tolerance > 0.0 ? options->tolerance : 0.0;
    query->t_max = options->t_max >= 1.0 || isnan(options->t_max) ? 1.0 : options->t_max;
    query->max_checks = options->max_checks > 0 ? options->max_checks : INT64_MAX;
    query->norm = options->norm;
    query->backend = options->backend == CCD_BACKEND_AUTO ? best_backend() : options->backend;
    query->scale = 0;
    query->imposed_filter = options->filter.x >= 0.0 || options->filter.y >= 0.0 ||
                            options->filter.z >= 0.0 || options->filter_rule == CCD_FILTER_PAPER;
    const double given[3] = {options->filter.x, options->filter.y, options->filter.z};
    double largest = query->separation;
    for (int axis = 0; axis < 3; axis++) {
        double extent = 0.0;
        for (int i = 0; i < 8; i++) {
            double magnitude = fabs((&query->x[axis][0][0])[i]);
            poison += magnitude * 0.0;
            extent = magnitude > extent ? magnitude : extent;
        }
        query->extent[axis] = extent;
        largest = extent > largest ? extent : largest;
        query->filter[axis] =
            given[axis] >= 0.0
                ? given[axis]
                : axis_filter(extent, query->triangle, query->separation, options->filter_rule);
        poison += query->filter[axis] * 0.0;
    }
    poison += (options->separation + options->tolerance) * 0.0;
    if (poison != 0.0) return false;
    if (largest > 0x1p200 || largest < 0x1p-200) rescale(query);
    return true;
}

static ccd_result unscale(const ccd_query *query, ccd_result result)
{
    if (query->scale != 0 && result.hit) result.tolerance = ldexp(result.tolerance, query->scale);
    return result;
}

/* A time of impact of exactly zero is useless for a pair that is apart at the start. A coarse
 * answer (check limit) is refined by looking at a shorter time; otherwise the tolerance shrinks. */
static ccd_result refine_zero(ccd_query *query, ccd_solver solver, void *context, ccd_result result)
{
    double t_max = query->t_max;
    int64_t checks = result.checks;
    for (int round = 0; result.hit && result.toi <= 0.0; round++) {
        if (round == ZERO_TOI_ROUNDS || result.status == CCD_STALLED) {
            result.status = CCD_TOUCHING;
            break;
        }
        if (result.status == CCD_LIMIT)
            query->t_max *= 0.5;
        else
            query->tolerance *= 0.25;
        ccd_result finer = solver(query, context);
        checks += finer.checks;
        if (!finer.hit && query->t_max < t_max) {
            double speed = 4.0 * (query->extent[0] + query->extent[1] + query->extent[2]);
            finer = (ccd_result){.hit = true,
                                 .toi = query->t_max,
                                 .tolerance = result.tolerance + speed * query->t_max,
                                 .status = CCD_LIMIT};
        }
        result = finer;
    }
    result.checks = checks;
    return result;
}

ccd_result ccd_solve(ccd_query *query, const ccd_options *options, ccd_solver solver, void *context)
{
    if (!prepare(query, options)) return ccd_give_up(CCD_NOT_FINITE);
    if (query->t_max < 0.0) return ccd_miss(0);
    ccd_result result = solver(query, context);
    if (options->no_zero_toi && result.hit && result.toi <= 0.0)
        result = refine_zero(query, solver, context, result);
    return unscale(query, result);
}
