#include "fem/determinant_bound.h"

#include "base/memory.h"
#include "fem/lagrange.h"
#include "math/polynomial.h"

#include <math.h>
#include <string.h>

/* An element is halved so often at most; coefficients that are bad even there do not count. */
enum { FINEST = 8, MOST = POSITIVITY_MAX_COUNT };

/* ---- maps of parts ---- */

/* Nodes of the part's map: what the element's nodes say there, beside what is at rest. */
static void nodes_of(const element_set *s, const determinant_bound *b, const vec3 *u, bool at_rest,
                     vec3 *out)
{
    for (int j = 0; j < s->positive.nodes; j++) {
        const double *row = b->to_part + (size_t)j * (size_t)s->nodes;
        out[j] = at_rest ? b->shape[j] : (vec3){0, 0, 0};
        for (int a = 0; a < s->nodes; a++) out[j] = vec3_mul_add(out[j], row[a], u[a]);
    }
}

static mat3 jacobian_at(const positivity *map, const vec3 *nodes, int i)
{
    const double(*g)[3] = (const double(*)[3])(map->gradients + (size_t)i * (size_t)map->nodes);
    mat3 j = mat3_zero();
    for (int a = 0; a < map->nodes; a++)
        for (int k = 0; k < 3; k++) {
            j.m[0][k] += nodes[a].x * g[a][k];
            j.m[1][k] += nodes[a].y * g[a][k];
            j.m[2][k] += nodes[a].z * g[a][k];
        }
    return j;
}

/* In the plane only x and y count. */
static mat3 flattened(const positivity *map, mat3 j)
{
    if (cell_dimension(map->kind) == 2) {
        j.m[2][0] = j.m[2][1] = j.m[0][2] = j.m[1][2] = 0;
        j.m[2][2] = 1;
    }
    return j;
}

static void sample(const positivity *map, const vec3 *nodes, double *out)
{
    for (int i = 0; i < map->count; i++)
        out[i] = mat3_determinant(flattened(map, jacobian_at(map, nodes, i)));
}

/* ---- making ---- */

void determinant_bound_free(determinant_bound *b)
{
    mem_free(b->to_part);
    mem_free(b->shape);
    mem_free(b->coefficients);
    memset(b, 0, sizeof *b);
}

/* The point of the part at eta of its own coordinates. */
static void place(const positivity_part *part, const double eta[3], double xi[3])
{
    for (int k = 0; k < 3; k++) {
        xi[k] = part->corner[k];
        for (int a = 0; a < 3; a++) xi[k] += part->axes[a][k] * eta[a];
    }
}

static abut_status fill(const element_set *s, const vec3 *shape, determinant_bound *b,
                        abut_error *err)
{
    const positivity *map = &s->positive;
    size_t nodes = (size_t)s->nodes;
    int lattice[CELL_MAX_NODES][3];
    b->to_part = mem_alloc((size_t)map->nodes * nodes, sizeof *b->to_part);
    b->shape = mem_alloc((size_t)map->nodes, sizeof *b->shape);
    b->coefficients = mem_alloc(MOST, sizeof *b->coefficients);
    if (!b->to_part || !b->shape || !b->coefficients)
        return error_memory(err, "bounding determinants");
    cell_lattice(map->kind, map->order, lattice);
    for (int j = 0; j < map->nodes; j++) {
        double eta[3], xi[3];
        for (int k = 0; k < 3; k++) eta[k] = (double)lattice[j][k] / map->order;
        place(&b->part, eta, xi);
        b->shape[j] = lagrange_position(map->kind, map->order, shape, xi, NULL);
        lagrange_evaluate(s->kind, s->order, xi, b->to_part + (size_t)j * nodes, NULL);
    }
    double values[MOST];
    sample(map, b->shape, values);
    positivity_coefficients(map, values, b->coefficients);
    return ABUT_OK;
}

/* The least det F at lattice points. */
static double least_sample(const element_set *s, const determinant_bound *b, const vec3 *u)
{
    double before[MOST], after[MOST], least = INFINITY;
    vec3 nodes[CELL_MAX_NODES];
    nodes_of(s, b, u, true, nodes);
    sample(&s->positive, b->shape, before);
    sample(&s->positive, nodes, after);
    for (int i = 0; i < s->positive.count; i++) least = fmin(least, after[i] / before[i]);
    return least;
}

/* Good enough: no coefficient is below half of what it bounds, or none is near inversion. */
static bool is_tight(const element_set *s, const determinant_bound *b, const vec3 *u)
{
    double ratio[MOST], least = INFINITY;
    for (int k = 0; k < s->positive.count; k++)
        if (!(b->coefficients[k] > 0)) return false;
    determinant_bound_ratios(s, b, u, ratio);
    for (int k = 0; k < s->positive.count; k++) least = fmin(least, ratio[k]);
    return least >= fmin(GUARD_BEGINS, 0.5 * least_sample(s, b, u));
}

static void drop_bad_ones(const element_set *s, determinant_bound *b, const vec3 *u)
{
    double ratio[MOST], bounded = least_sample(s, b, u);
    determinant_bound_ratios(s, b, u, ratio);
    for (int k = 0; k < s->positive.count; k++)
        if (!(ratio[k] >= fmin(GUARD_BEGINS, 0.5 * bounded))) b->coefficients[k] = 0;
}

static abut_status make_part(const element_set *s, const vec3 *shape, const vec3 *u,
                             const positivity_part *part, determinant_bound_list *out,
                             abut_error *err)
{
    determinant_bound b = {.part = *part};
    abut_status status = fill(s, shape, &b, err);
    bool halve = status == ABUT_OK && part->depth < FINEST && !is_tight(s, &b, u);
    if (status == ABUT_OK && !halve) {
        drop_bad_ones(s, &b, u);
        if (array_push(out, b)) return ABUT_OK;
        status = error_memory(err, "bounding determinants");
    }
    determinant_bound_free(&b);
    for (int i = 0; halve && i < positivity_child_count(&s->positive) && status == ABUT_OK; i++) {
        positivity_part child = positivity_child(&s->positive, part, i);
        status = make_part(s, shape, u, &child, out, err);
    }
    return status;
}

abut_status determinant_bound_make(const element_set *s, size_t e, const double *x,
                                   const vec3 *rest, determinant_bound_list *out, abut_error *err)
{
    vec3 shape[CELL_MAX_NODES], u[ELEMENT_MAX_NODES];
    const int32_t *blocks = s->blocks.data + e * (size_t)s->nodes;
    element_map_nodes(s, e, (const double *)rest, rest, shape);
    for (int a = 0; a < s->nodes; a++)
        u[a] = vec3_sub(vec3_load(x + 3 * (size_t)blocks[a]), rest[blocks[a]]);
    return make_part(s, shape, u, &positivity_whole, out, err);
}

/* ---- values ---- */

static void ratios_of(const element_set *s, const determinant_bound *b, const double *values,
                      double *ratio)
{
    double of[MOST];
    positivity_coefficients(&s->positive, values, of);
    for (int k = 0; k < s->positive.count; k++)
        ratio[k] = b->coefficients[k] > 0 ? of[k] / b->coefficients[k] : INFINITY;
}

void determinant_bound_ratios(const element_set *s, const determinant_bound *b, const vec3 *u,
                              double *ratio)
{
    double values[MOST];
    vec3 nodes[CELL_MAX_NODES];
    nodes_of(s, b, u, true, nodes);
    sample(&s->positive, nodes, values);
    ratios_of(s, b, values, ratio);
}

double determinant_bound_max_step(const element_set *s, const determinant_bound *b, const vec3 *u,
                                  const vec3 *p, double limit, double fraction)
{
    enum { TIMES = 4 }; /* a cubic in time is known by four values */
    const positivity *map = &s->positive;
    double values[TIMES][MOST], ratio[TIMES][MOST], first = 1;
    vec3 start[CELL_MAX_NODES], rate[CELL_MAX_NODES];
    nodes_of(s, b, u, true, start);
    nodes_of(s, b, p, false, rate);
    for (int i = 0; i < map->count; i++) {
        mat3 from = jacobian_at(map, start, i), by = jacobian_at(map, rate, i);
        for (int t = 0; t < TIMES; t++)
            values[t][i] = mat3_determinant(
                flattened(map, mat3_add(from, mat3_scale(limit * t / (TIMES - 1), by))));
    }
    for (int t = 0; t < TIMES; t++) ratios_of(s, b, values[t], ratio[t]);
    for (int k = 0; k < map->count; k++) {
        double f0 = ratio[0][k], f1 = ratio[1][k], f2 = ratio[2][k], f3 = ratio[3][k];
        if (!(b->coefficients[k] > 0)) continue;
        double c[4] = {f0 * (1 - fraction), (-11 * f0 + 18 * f1 - 9 * f2 + 2 * f3) / 2,
                       (18 * f0 - 45 * f1 + 36 * f2 - 9 * f3) / 2,
                       (-9 * f0 + 27 * f1 - 27 * f2 + 9 * f3) / 2};
        first = fmin(first, cubic_first_root(c));
    }
    return first * limit;
}

/* ---- derivatives ---- */

/* What a sample gets of coefficient k. */
static double share_of(const positivity *map, const determinant_bound *b, int i, int k)
{
    double count = b->coefficients[k];
    return count > 0 ? map->columns[(size_t)i * (size_t)map->padded + (size_t)k] / count : 0;
}

/* d det J_i / d node a of the part at all its lattice points. */
static void sample_gradients(const positivity *map, const vec3 *nodes, vec3 *out)
{
    for (int i = 0; i < map->count; i++) {
        const double(*g)[3] = (const double(*)[3])(map->gradients + (size_t)i * (size_t)map->nodes);
        mat3 cofactor = mat3_cofactor(flattened(map, jacobian_at(map, nodes, i)));
        for (int a = 0; a < map->nodes; a++)
            out[(size_t)i * (size_t)map->nodes + (size_t)a] =
                mat3_mul_vec(cofactor, (vec3){g[a][0], g[a][1], g[a][2]});
    }
}

/* sum_i weight[i] of[i], from the nodes of the part to those of the element. */
static void combine(const element_set *s, const determinant_bound *b, const double *weight,
                    const vec3 *of, vec3 *out)
{
    const positivity *map = &s->positive;
    vec3 sum[CELL_MAX_NODES] = {{0, 0, 0}};
    for (int i = 0; i < map->count; i++)
        for (int j = 0; j < map->nodes; j++)
            sum[j] =
                vec3_mul_add(sum[j], weight[i], of[(size_t)i * (size_t)map->nodes + (size_t)j]);
    for (int a = 0; a < s->nodes; a++) {
        out[a] = (vec3){0, 0, 0};
        for (int j = 0; j < map->nodes; j++)
            out[a] =
                vec3_mul_add(out[a], b->to_part[(size_t)j * (size_t)s->nodes + (size_t)a], sum[j]);
    }
}

/* second x h h^T onto the blocks of the upper triangle. */
static void add_square(int nodes, double second, const vec3 *h, double *hessian)
{
    for (int a = 0; a < nodes; a++) {
        double left[3];
        vec3_store(left, vec3_scale(second, h[a]));
        for (int c = a; c < nodes; c++, hessian += 9) {
            double right[3];
            vec3_store(right, h[c]);
            for (int i = 0; i < 9; i++) hessian[i] += left[i / 3] * right[i % 3];
        }
    }
}

/* q[a][c] = sum_i weight[i] J_i (g_a x g_c): the second derivative of the weighted determinants by
 * nodes a and c of the part is v, w -> v . (w x q). */
static void curvature(const positivity *map, const vec3 *nodes, const double *weight,
                      vec3 (*q)[CELL_MAX_NODES])
{
    for (int i = 0; i < map->count; i++) {
        const double(*g)[3] = (const double(*)[3])(map->gradients + (size_t)i * (size_t)map->nodes);
        mat3 j = mat3_scale(weight[i], flattened(map, jacobian_at(map, nodes, i)));
        for (int a = 0; a < map->nodes; a++)
            for (int c = 0; c < map->nodes; c++)
                q[a][c] = vec3_add(q[a][c],
                                   mat3_mul_vec(j, vec3_cross((vec3){g[a][0], g[a][1], g[a][2]},
                                                              (vec3){g[c][0], g[c][1], g[c][2]})));
    }
}

static void add_curvature(const element_set *s, const determinant_bound *b, const vec3 *nodes,
                          const double *weight, double *hessian)
{
    vec3 q[CELL_MAX_NODES][CELL_MAX_NODES] = {{{0, 0, 0}}}, half[CELL_MAX_NODES];
    curvature(&s->positive, nodes, weight, q);
    size_t stride = (size_t)s->nodes;
    for (size_t a = 0; a < stride; a++) {
        for (int c = 0; c < s->positive.nodes; c++) {
            half[c] = (vec3){0, 0, 0};
            for (int j = 0; j < s->positive.nodes; j++)
                half[c] = vec3_mul_add(half[c], b->to_part[(size_t)j * stride + a], q[j][c]);
        }
        for (size_t c = a; c < stride; c++, hessian += 9) {
            vec3 e = {0, 0, 0};
            for (int j = 0; j < s->positive.nodes; j++)
                e = vec3_mul_add(e, b->to_part[(size_t)j * stride + c], half[j]);
            hessian[1] += e.z, hessian[2] -= e.y, hessian[3] -= e.z;
            hessian[5] += e.x, hessian[6] += e.y, hessian[7] -= e.x;
        }
    }
}

void determinant_bound_derivatives(const element_set *s, const determinant_bound *b, const vec3 *u,
                                   const double *first, const double *second, bool exact,
                                   double *gradient, double *hessian)
{
    const positivity *map = &s->positive;
    vec3 of_sample[MOST * CELL_MAX_NODES], h[ELEMENT_MAX_NODES], nodes[CELL_MAX_NODES];
    double weight[MOST] = {0};
    nodes_of(s, b, u, true, nodes);
    sample_gradients(map, nodes, of_sample);
    for (int i = 0; i < map->count; i++)
        for (int k = 0; k < map->count; k++)
            if (first[k] != 0) weight[i] += first[k] * share_of(map, b, i, k);
    combine(s, b, weight, of_sample, h);
    for (int a = 0; gradient && a < s->nodes; a++)
        vec3_store(gradient + 3 * a, vec3_add(vec3_load(gradient + 3 * a), h[a]));
    if (!hessian) return;
    if (exact) add_curvature(s, b, nodes, weight, hessian);
    for (int k = 0; k < map->count; k++) {
        if (second[k] == 0) continue;
        for (int i = 0; i < map->count; i++) weight[i] = share_of(map, b, i, k);
        combine(s, b, weight, of_sample, h);
        add_square(s->nodes, second[k], h, hessian);
    }
}
