/* The functions of contact.h on single pairs: distances and continuous collision detection. */
#include "base/parallel.h"
#include "base/status.h"
#include "ccd/additive.h"
#include "ccd/tight_inclusion.h"
#include "geometry/distance.h"

#include <abut/contact.h>

#include <math.h>
#include <string.h>

int abut_pair_vertex_count(abut_pair_kind kind)
{
    switch (kind) {
    case ABUT_POINT_POINT: return 2;
    case ABUT_POINT_EDGE: return 3;
    case ABUT_POINT_TRIANGLE:
    case ABUT_EDGE_EDGE: return 4;
    }
    return 0;
}

static void load_vertices(vec3 *to, const double *from, int count)
{
    for (int i = 0; i < count; i++) to[i] = vec3_load(from + 3 * i);
}

static bool all_finite(const double *values, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += values[i] - values[i];
    return sum == 0.0;
}

/* ---- Distance ------------------------------------------------------------------------------- */

/* The closest features of a pair, with the weights of the closest points. */
static double closest_features(abut_pair_kind kind, const vec3 *x, feature_stencil *features,
                               double *weights)
{
    double distance2;
    switch (kind) {
    case ABUT_POINT_EDGE: {
        point_edge_type type;
        distance2 = point_edge_closest(x[0], x[1], x[2], &type, weights);
        *features = point_edge_features[type];
        return distance2;
    }
    case ABUT_POINT_TRIANGLE: {
        point_triangle_type type;
        distance2 = point_triangle_closest(x[0], x[1], x[2], x[3], &type, weights);
        *features = point_triangle_features[type];
        return distance2;
    }
    case ABUT_EDGE_EDGE: {
        edge_edge_type type;
        distance2 = edge_edge_closest(x[0], x[1], x[2], x[3], &type, weights);
        *features = edge_edge_features[type];
        return distance2;
    }
    case ABUT_POINT_POINT: break;
    }
    weights[0] = 1.0;
    weights[1] = -1.0;
    *features = (feature_stencil){.kind = STENCIL_PP, .count = 2, .vertex = {0, 1}};
    return point_point_distance2(x[0], x[1]);
}

/* Derivatives of the distance between the closest features, spread over all vertices. */
static void feature_derivatives(const feature_stencil *f, const vec3 *x, int count,
                                double *gradient, double *hessian)
{
    vec3 reduced[4];
    double small_gradient[12], small_hessian[144];
    for (int i = 0; i < f->count; i++) reduced[i] = x[f->vertex[i]];
    if (hessian)
        stencil_hessian(f->kind, reduced, small_gradient, small_hessian);
    else
        stencil_gradient(f->kind, reduced, small_gradient);
    const int n = 3 * count, m = 3 * f->count;
    if (gradient) memset(gradient, 0, (size_t)n * sizeof *gradient);
    if (hessian) memset(hessian, 0, (size_t)(n * n) * sizeof *hessian);
    for (int i = 0; i < m; i++) {
        int row = 3 * f->vertex[i / 3] + i % 3;
        if (gradient) gradient[row] = small_gradient[i];
        for (int j = 0; hessian && j < m; j++)
            hessian[row * n + 3 * f->vertex[j / 3] + j % 3] = small_hessian[i * m + j];
    }
}

double abut_distance_squared(abut_pair_kind kind, const double *x, double *weights,
                             double *gradient, double *hessian)
{
    int count = abut_pair_vertex_count(kind);
    if (count == 0 || !all_finite(x, 3 * (size_t)count)) return NAN;
    vec3 vertices[4];
    double own_weights[4];
    feature_stencil features;
    load_vertices(vertices, x, count);
    double distance2 = closest_features(kind, vertices, &features, own_weights);
    if (weights) memcpy(weights, own_weights, (size_t)count * sizeof *weights);
    if (gradient || hessian) feature_derivatives(&features, vertices, count, gradient, hessian);
    return distance2;
}

/* ---- Continuous collision detection --------------------------------------------------------- */

abut_ccd_options abut_default_ccd_options(void)
{
    return (abut_ccd_options){.method = ABUT_CCD_TIGHT_INCLUSION,
                              .tolerance = 1e-6,
                              .separation = 0.0,
                              .t_max = 1.0,
                              .max_iterations = 1000000};
}

static ccd_kind inner_kind(abut_pair_kind kind)
{
    switch (kind) {
    case ABUT_POINT_POINT: return CCD_POINT_POINT;
    case ABUT_POINT_EDGE: return CCD_POINT_EDGE;
    case ABUT_POINT_TRIANGLE: return CCD_POINT_TRIANGLE;
    case ABUT_EDGE_EDGE: break;
    }
    return CCD_EDGE_EDGE;
}

static abut_status check_options(abut_pair_kind kind, const abut_ccd_options *o, abut_error *error)
{
    if (abut_pair_vertex_count(kind) == 0)
        return error_set(error, ABUT_ERROR_INPUT, "kind", "%d is no kind of pair", (int)kind);
    if (o->method != ABUT_CCD_TIGHT_INCLUSION && o->method != ABUT_CCD_ADDITIVE)
        return error_set(error, ABUT_ERROR_INPUT, "method", "%d is no method", (int)o->method);
    if (!(isfinite(o->tolerance) && o->tolerance > 0.0))
        return error_set(error, ABUT_ERROR_INPUT, "tolerance", "%g is not allowed, only > 0",
                         o->tolerance);
    if (!(isfinite(o->separation) && o->separation >= 0.0))
        return error_set(error, ABUT_ERROR_INPUT, "separation", "%g is not allowed, only >= 0",
                         o->separation);
    if (!(o->t_max >= 0.0 && o->t_max <= 1.0))
        return error_set(error, ABUT_ERROR_INPUT, "t_max", "%g is not allowed, only 0 to 1",
                         o->t_max);
    if (o->max_iterations < 0)
        return error_set(error, ABUT_ERROR_INPUT, "max_iterations",
                         "%lld is not allowed, only >= 0", (long long)o->max_iterations);
    return ABUT_OK;
}

static abut_status check_positions(const double *start, const double *end, size_t values,
                                   abut_error *error)
{
    for (int side = 0; side < 2; side++) {
        const double *x = side ? end : start;
        if (all_finite(x, values)) continue;
        size_t i = 0;
        while (isfinite(x[i])) i++;
        return error_set(error, ABUT_ERROR_INPUT, side ? "end" : "start",
                         "value %zu is %g, not finite", i, x[i]);
    }
    return ABUT_OK;
}

static ccd_result tight_inclusion_pair(ccd_kind kind, const vec3 *start, const vec3 *end,
                                       const abut_ccd_options *o)
{
    ccd_options options = ccd_default_options();
    options.tolerance = o->tolerance;
    options.separation = o->separation;
    options.norm = CCD_NORM_EUCLIDEAN;
    options.t_max = o->t_max;
    options.max_checks = o->max_iterations;
    return tight_inclusion(kind, start, end, &options);
}

/* The additive method wants to know which gap to stop at: the tolerance, or where that is more, a
 * tenth of the gap at the start. */
static ccd_result additive_pair(ccd_kind kind, const vec3 *start, const vec3 *end,
                                const abut_ccd_options *o)
{
    additive_options options = additive_default_options();
    options.offset = o->separation;
    options.target = o->tolerance;
    options.t_max = o->t_max;
    options.max_iterations = o->max_iterations > 0 ? o->max_iterations : INT64_MAX;
    return additive_ccd(kind, start, end, &options);
}

static abut_ccd_result one_pair(abut_pair_kind kind, const double *start, const double *end,
                                const abut_ccd_options *o)
{
    vec3 from[4], to[4];
    int count = abut_pair_vertex_count(kind);
    load_vertices(from, start, count);
    load_vertices(to, end, count);
    ccd_result r = o->method == ABUT_CCD_ADDITIVE
                       ? additive_pair(inner_kind(kind), from, to, o)
                       : tight_inclusion_pair(inner_kind(kind), from, to, o);
    return (abut_ccd_result){r.hit, r.hit ? r.toi : INFINITY, r.tolerance, r.checks};
}

abut_status abut_ccd_pair(abut_pair_kind kind, const double *start, const double *end,
                          const abut_ccd_options *options, abut_ccd_result *out, abut_error *error)
{
    return abut_ccd_pairs(kind, 1, start, end, options, out, error);
}

typedef struct pairs_context {
    abut_pair_kind kind;
    const double *start, *end;
    abut_ccd_options options;
    abut_ccd_result *results;
} pairs_context;

static void run_pairs(void *context, size_t begin, size_t end)
{
    pairs_context *c = context;
    size_t stride = 3 * (size_t)abut_pair_vertex_count(c->kind);
    for (size_t i = begin; i < end; i++)
        c->results[i] = one_pair(c->kind, c->start + i * stride, c->end + i * stride, &c->options);
}

abut_status abut_ccd_pairs(abut_pair_kind kind, size_t count, const double *start,
                           const double *end, const abut_ccd_options *options,
                           abut_ccd_result *results, abut_error *error)
{
    pairs_context c = {kind, start, end, options ? *options : abut_default_ccd_options(), results};
    TRY(check_options(kind, &c.options, error));
    size_t stride = 3 * (size_t)abut_pair_vertex_count(kind);
    TRY(check_positions(start, end, count * stride, error));
    parallel_for(count, 64, run_pairs, &c);
    return ABUT_OK;
}
