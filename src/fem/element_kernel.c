/* Energy, forces and stiffness of four elements of a set at a time, one in each lane.
 *
 * With R the table of reference gradients (a row per point of the rule and axis, a column per basis
 * function), all three are products with R: displacement gradients R u, forces R^T P, and nine
 * blocks R^T C_ij R of the stiffness, with P and C the stress and its derivative at each point,
 * already turned into reference coordinates and weighted. Six of the nine are computed, the others
 * are their transposes. All elements of a set share R, so that its entries are scalars here and
 * nothing has to be padded to the width of a register. */
#include "fem/element_response.h"
#include "fem/elements.h"

#include "math/pack4_math.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Points whose stiffness is added together, and the room for their rows of C_ij R, which should
 * stay in the nearest cache. */
enum { CHUNK = 16, ROOM = 3 * 14 * 20 };
enum { NODE_PAIRS = ELEMENT_MAX_NODES * ELEMENT_MAX_NODES };

/* Four elements while they are worked on. */
typedef struct element_four {
    const element_set *set;
    const point_states *states; /* NULL: no material has parts */
    size_t element[4]; /* at the end of a range the last one stands in for those beyond it */
    four_materials materials;
    pack4 determinant; /* det J where the map is affine */
    mat3x4 inverse;    /* J^-1 and the measure of the present point */
    pack4 measure;
    _Alignas(32) double u[3 * ELEMENT_MAX_NODES][4]; /* displacements; component c of node a in row
                                                        3 a + c, here and in all of the following */
} element_four;

typedef struct four_sums {
    pack4 force[3 * ELEMENT_MAX_NODES];
    pack4 stiffness[RESPONSE_PAIRS][NODE_PAIRS]; /* blocks R^T C_ij R, nodes x nodes */
} four_sums;

static void load_point(const element_set *s, const size_t at[4], mat3x4 *inverse, pack4 *measure)
{
    for (int l = 0; l < 4; l++) {
        const element_point *p = &s->points.data[at[l]];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) inverse->m[i][k][l] = p->inverse.m[i][k];
        (*measure)[l] = p->measure;
    }
}

static void load_four(const element_set *s, const double *x, const vec3 *rest, size_t first,
                      size_t end, element_four *four)
{
    const elastic_parameters *material[4];
    four->set = s;
    for (size_t l = 0; l < 4; l++) {
        size_t e = four->element[l] = first + l < end ? first + l : end - 1;
        const int32_t *blocks = s->blocks.data + e * (size_t)s->nodes;
        material[l] = &s->material.data[e];
        for (int a = 0; a < s->nodes; a++) {
            const double *at = x + 3 * (size_t)blocks[a];
            const vec3 *from = &rest[blocks[a]];
            four->u[3 * a][l] = at[0] - from->x;
            four->u[3 * a + 1][l] = at[1] - from->y;
            four->u[3 * a + 2][l] = at[2] - from->z;
        }
    }
    four_materials_set(&four->materials, material);
    if (s->affine) load_point(s, four->element, &four->inverse, &four->determinant);
}

/* Dimensions are constants wherever this is inlined. */
INLINE void deformation_in(int dimension, const element_four *four, int point,
                           const mat3x4 *inverse, mat3x4 *f)
{
    const element_set *s = four->set;
    const double *row = s->gradients + dimension * point * s->stride;
    pack4 h[3][3] = {{{0}}};
    for (int a = 0; a < s->nodes; a++) {
        const pack4 *u = (const pack4 *)four->u[3 * a];
        for (int k = 0; k < dimension; k++)
            for (int c = 0; c < 3; c++) h[c][k] += row[k * s->stride + a] * u[c];
    }
    for (int c = 0; c < 3; c++)
        for (int m = 0; m < 3; m++) {
            pack4 sum = h[c][0] * inverse->m[0][m] + h[c][1] * inverse->m[1][m];
            if (dimension == 3) sum += h[c][2] * inverse->m[2][m];
            if (c == m) sum += 1.0;
            f->m[c][m] = sum;
        }
}

/* F = I + H J^-1 at a point of the rule; J^-1 and the measure there are loaded into `four`. */
static void deformation(element_four *four, int point, mat3x4 *f)
{
    const element_set *s = four->set;
    const mat3x4 *inverse = &four->inverse;
    if (s->affine) {
        four->measure = four->determinant * s->rule.weights[point];
    } else {
        size_t at[4];
        for (int l = 0; l < 4; l++)
            at[l] = four->element[l] * (size_t)s->rule.count + (size_t)point;
        load_point(s, at, &four->inverse, &four->measure);
    }
    if (s->dimension == 3)
        deformation_in(3, four, point, inverse, f);
    else
        deformation_in(2, four, point, inverse, f);
}

/* The states of the materials at a point of the rule. */
static void load_states(element_four *four, int point)
{
    for (int l = 0; four->materials.parts && l < 4; l++)
        four->materials.point[l] =
            point_state(four->states, four->materials.each[l], four->element[l], point);
}

INLINE pack4 norm(const mat3x4 *a)
{
    pack4 sum = pack4_all(0);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) sum += a->m[i][k] * a->m[i][k];
    return pack4_root(sum);
}

/* True where no inversion-barrier point can have anything to do, without a look at each of them.
 * With F_0 the gradient of the affine displacement through the corners and E what the other nodes
 * deviate from it by, det(F_0 + E) >= det F_0 - |cof F_0||E| - |F_0||E|^2 - |E|^3. */
static bool barrier_points_rest(const element_four *four)
{
    const element_set *s = four->set;
    bool needed = false; /* inversion-barrier points are for materials that forbid inversion */
    for (int l = 0; l < 4; l++)
        needed = needed || elastic_forbids_inversion(four->materials.each[l]);
    if (!needed || s->rule.count == s->elastic_points) return true;
    if (!s->affine) return false;
    const pack4 *u = (const pack4 *)four->u;
    mat3x4 linear, f, cofactor;
    pack4 deviation[ELEMENT_MAX_NODES], largest = pack4_all(0);
    memset(&linear, 0, sizeof linear);
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < s->dimension; k++) linear.m[c][k] = u[3 * s->axis[k] + c] - u[c];
    for (int a = 0; a < s->nodes; a++) {
        pack4 square = pack4_all(0);
        for (int c = 0; c < 3; c++) {
            pack4 d = u[3 * a + c] - u[c];
            for (int k = 0; k < 3; k++) d -= s->node_position[a][k] * linear.m[c][k];
            square += d * d;
        }
        deviation[a] = pack4_root(square);
    }
    for (int i = 0; i < s->rule.count - s->elastic_points; i++) {
        pack4 sum = pack4_all(0);
        for (int a = 0; a < s->nodes; a++) sum += s->steepness[i * s->nodes + a] * deviation[a];
        largest = pack4_max(largest, sum);
    }
    for (int c = 0; c < 3; c++)
        for (int m = 0; m < 3; m++) {
            f.m[c][m] = linear.m[c][0] * four->inverse.m[0][m] +
                        linear.m[c][1] * four->inverse.m[1][m] +
                        linear.m[c][2] * four->inverse.m[2][m];
            if (c == m) f.m[c][m] += 1.0;
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            cofactor.m[i][j] = f.m[i1][j1] * f.m[i2][j2] - f.m[i1][j2] * f.m[i2][j1];
        }
    pack4 determinant =
        f.m[0][0] * cofactor.m[0][0] + f.m[0][1] * cofactor.m[0][1] + f.m[0][2] * cofactor.m[0][2];
    pack4 size = largest * norm(&four->inverse);
    pack4 least = determinant - size * norm(&cofactor) - size * size * (norm(&f) + size);
    return pack4_bits(least > 1.001 * GUARD_BEGINS) == 15;
}

double element_energy(const element_set *s, const double *x, const vec3 *rest,
                      const point_states *states, size_t begin, size_t end)
{
    double total = 0;
    for (size_t e = begin; e < end; e += 4) {
        element_four four;
        load_four(s, x, rest, e, end, &four);
        four.states = states;
        int points = barrier_points_rest(&four) ? s->elastic_points : s->rule.count;
        pack4 sum = pack4_all(0);
        for (int i = 0; i < points; i++) {
            mat3x4 f;
            deformation(&four, i, &f);
            if (i < s->elastic_points) load_states(&four, i);
            sum +=
                four.measure * (i < s->elastic_points ? response_energy(&four.materials, &f)
                                                      : barrier_points_energy(&four.materials, &f));
        }
        for (size_t l = 0; l < 4 && e + l < end; l++) total += sum[l];
    }
    return total;
}

/* ---- derivatives ---- */

/* force[a] += stress x gradient of a. */
INLINE void add_forces_in(int dimension, const element_set *s, int point, const mat3x4 *stress,
                          pack4 *force)
{
    const double *row = s->gradients + dimension * point * s->stride;
    for (int a = 0; a < s->nodes; a++)
        for (int c = 0; c < 3; c++) {
            pack4 sum = stress->m[c][0] * row[a] + stress->m[c][1] * row[s->stride + a];
            if (dimension == 3) sum += stress->m[c][2] * row[2 * s->stride + a];
            force[3 * a + c] += sum;
        }
}

static void add_forces(const element_set *s, int point, const mat3x4 *stress, pack4 *force)
{
    if (s->dimension == 3)
        add_forces_in(3, s, point, stress, force);
    else
        add_forces_in(2, s, point, stress, force);
}

/* Rows of C_ij R of one point: those of R, mixed by the 3x3 block c. */
INLINE void mix_rows(int dimension, const element_set *s, int point, const pack4 *c, pack4 *t)
{
    const double *row = s->gradients + dimension * point * s->stride;
    for (int b = 0; b < s->nodes; b++)
        for (int k = 0; k < dimension; k++) {
            pack4 sum = c[3 * k] * row[b] + c[3 * k + 1] * row[s->stride + b];
            if (dimension == 3) sum += c[3 * k + 2] * row[2 * s->stride + b];
            t[k * s->nodes + b] = sum;
        }
}

/* A product R^T (C_ij R) over some rows of R: nodes x nodes packs. */
typedef struct tile_product {
    const double *left; /* rows of R */
    int stride;
    const pack4 *right; /* C_ij times these rows */
    int nodes, rows;
    bool upper; /* symmetric: only what is not below the diagonal is asked for */
    pack4 *out;
} tile_product;

/* Adds h x w entries of the product from (a, b), or begins with them. */
INLINE void add_tile(int h, int w, bool fresh, const tile_product *p, int a, int b)
{
    pack4 sum[4][2] = {{{0}}};
    const double *l = p->left + a;
    const pack4 *m = p->right + b;
    for (int r = 0; r < p->rows; r++, l += p->stride, m += p->nodes)
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) sum[i][j] += l[i] * m[j];
    pack4 *to = p->out + a * p->nodes + b;
    for (int i = 0; i < h; i++, to += p->nodes)
        for (int j = 0; j < w; j++) {
            if (!fresh) sum[i][j] += to[j];
            to[j] = sum[i][j];
        }
}

/* h rows of the product. */
INLINE void add_strip(int h, bool fresh, const tile_product *p, int a)
{
    int b = p->upper ? a : 0;
    for (; b + 2 <= p->nodes; b += 2) add_tile(h, 2, fresh, p, a, b);
    if (b < p->nodes) add_tile(h, 1, fresh, p, a, b);
}

INLINE void add_product(bool fresh, const tile_product *p)
{
    int a = 0, n = p->nodes;
    for (; a + 4 <= n; a += 4) add_strip(4, fresh, p, a);
    if (n - a == 3) add_strip(3, fresh, p, a);
    if (n - a == 2) add_strip(2, fresh, p, a);
    if (n - a == 1) add_strip(1, fresh, p, a);
}

static void first_product(const tile_product *p) { add_product(true, p); }
static void next_product(const tile_product *p) { add_product(false, p); }

/* Adds R^T C R for `count` points from `first`; 0 begins the sum. */
static void add_stiffness(const element_set *s, int first, int count, pack4 (*c)[RESPONSE_PAIRS][9],
                          pack4 (*stiffness)[NODE_PAIRS])
{
    pack4 t[ROOM];
    int d = s->dimension;
    for (int pair = 0; pair < RESPONSE_PAIRS; pair++) {
        for (int i = 0; i < count; i++)
            if (d == 3)
                mix_rows(3, s, first + i, c[i][pair], t + 3 * i * s->nodes);
            else
                mix_rows(2, s, first + i, c[i][pair], t + 2 * i * s->nodes);
        tile_product product = {.left = s->gradients + d * first * s->stride,
                                .stride = s->stride,
                                .right = t,
                                .nodes = s->nodes,
                                .rows = d * count,
                                .upper = response_pairs[pair][0] == response_pairs[pair][1],
                                .out = stiffness[pair]};
        (first == 0 ? first_product : next_product)(&product);
    }
}

/* What the sums are for. */
typedef struct four_request {
    double weight;
    bool project, gradient, hessian;
} four_request;

/* Adds `count` points of the quadrature from `first`. */
static void visit_points(element_four *four, const four_request *request, int first, int count,
                         four_sums *sums)
{
    const element_set *s = four->set;
    pack4 c[CHUNK][RESPONSE_PAIRS][9];
    for (int i = 0; i < count; i++) {
        mat3x4 f, stress;
        deformation(four, first + i, &f);
        load_states(four, first + i);
        response_evaluate(&four->materials, &f, &four->inverse, four->measure * request->weight,
                          request->project, request->gradient ? &stress : NULL,
                          request->hessian ? c[i] : NULL);
        if (request->gradient) add_forces(s, first + i, &stress, sums->force);
    }
    if (request->hessian) add_stiffness(s, first, count, c, sums->stiffness);
}

/* Adds the inversion-barrier points that have something to do, which are few. */
static void visit_barrier_points(element_four *four, const four_request *request, four_sums *sums)
{
    const element_set *s = four->set;
    for (int i = s->elastic_points; i < s->rule.count; i++) {
        mat3x4 f, stress;
        pack4 c[1][RESPONSE_PAIRS][9];
        deformation(four, i, &f);
        if (!barrier_points_act(&four->materials, &f)) continue;
        barrier_points_evaluate(&four->materials, &f, &four->inverse,
                                four->measure * request->weight, request->project,
                                request->gradient ? &stress : NULL, request->hessian ? c[0] : NULL);
        if (request->gradient) add_forces(s, i, &stress, sums->force);
        if (request->hessian) add_stiffness(s, i, 1, c, sums->stiffness);
    }
}

/* Forces of each of the first `count` elements, one after the other. */
static void write_forces(const element_set *s, const pack4 *force, size_t count, double *to)
{
    for (size_t l = 0; l < count; l++)
        for (int k = 0; k < 3 * s->nodes; k++) *to++ = force[k][l];
}

/* From six blocks by component to the upper triangle of 3x3 blocks by node, for each of the first
 * `count` elements. */
static void write_stiffness(const element_set *s, pack4 (*k)[NODE_PAIRS], size_t count, double *to)
{
    size_t entries = 9 * (size_t)(s->nodes * (s->nodes + 1) / 2);
    for (int a = 0; a < s->nodes; a++)
        for (int b = a; b < s->nodes; b++, to += 9) {
            int here = a * s->nodes + b, there = b * s->nodes + a;
            pack4 first[4] = {k[0][here], k[3][here], k[4][here], k[3][there]};
            pack4 second[4] = {k[1][here], k[5][here], k[4][there], k[5][there]};
            pack4 last = k[2][here];
            pack4_transpose(&first[0], &first[1], &first[2], &first[3]);
            pack4_transpose(&second[0], &second[1], &second[2], &second[3]);
            for (size_t l = 0; l < count; l++) {
                *(pack4_loose *)(to + l * entries) = first[l];
                *(pack4_loose *)(to + l * entries + 4) = second[l];
                to[l * entries + 8] = last[l];
            }
        }
}

void element_derivatives(const element_set *s, const double *x, const vec3 *rest,
                         const point_states *states, double weight, bool project, size_t begin,
                         size_t end, double *gradient, double *hessian)
{
    size_t forces = 3 * (size_t)s->nodes, entries = 9 * (size_t)(s->nodes * (s->nodes + 1) / 2);
    int room = ROOM / (s->dimension * s->nodes), chunk = room < CHUNK ? room : CHUNK;
    four_request request = {weight, project, gradient != NULL, hessian != NULL};
    four_sums sums;
    for (size_t e = begin; e < end; e += 4) {
        element_four four;
        load_four(s, x, rest, e, end, &four);
        four.states = states;
        if (gradient) memset(sums.force, 0, forces * sizeof *sums.force);
        for (int first = 0; first < s->elastic_points; first += chunk) {
            int left = s->elastic_points - first;
            visit_points(&four, &request, first, left < chunk ? left : chunk, &sums);
        }
        if (!barrier_points_rest(&four)) visit_barrier_points(&four, &request, &sums);
        size_t count = end - e < 4 ? end - e : 4;
        if (gradient) write_forces(s, sums.force, count, gradient + (e - begin) * forces);
        if (hessian) write_stiffness(s, sums.stiffness, count, hessian + (e - begin) * entries);
    }
}

mat3 element_deformation(const element_set *s, size_t e, const double *u, int point)
{
    mat3 h = mat3_zero();
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < s->dimension; k++) {
            const double *g = s->gradients + (s->dimension * point + k) * s->stride;
            for (int a = 0; a < s->nodes; a++) h.m[c][k] += u[c * s->stride + a] * g[a];
        }
    size_t at = s->affine ? e : e * (size_t)s->rule.count + (size_t)point;
    return mat3_add(mat3_mul(h, s->points.data[at].inverse), mat3_identity());
}
