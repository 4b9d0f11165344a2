/* Energy, forces and stiffness of one element of a set.
 *
 * With R the table of reference gradients (a row per point of the rule and axis, a column per basis
 * function), all three are products with R: displacement gradients R u, forces R^T P, and nine
 * blocks R^T C_ij R of the stiffness, with P and C the stress and its derivative at each point,
 * already turned into reference coordinates and weighted. Six of the nine are computed, the others
 * are their transposes. */
#include "fem/element_response.h"
#include "fem/elements.h"

#include "math/pack4.h"

#include <math.h>
#include <string.h>

static inline element_point point_of(const element_set *s, size_t e, int i)
{
    if (!s->affine) return s->points.data[e * (size_t)s->rule.count + (size_t)i];
    element_point p = s->points.data[e];
    p.measure *= s->rule.weights[i];
    return p;
}

/* Rows handled together by the displacement gradients: chunks keep the stack small. */
enum { CHUNK = 16 };

/* h[c][row] = sum_a u_c,a dphi_a for `rows` rows from `first` (a multiple of 4). */
static void reference_gradients(const element_set *s, const double *u, int first, int rows,
                                double h[3][3 * CHUNK + 4])
{
    for (int r = 0; r < rows; r += 4) {
        pack4 sum[3] = {{0}};
        const double *column = s->by_node + first + r;
        for (int a = 0; a < s->nodes; a++, column += s->row_stride) {
            pack4 g = *(const pack4_loose *)column;
            for (int c = 0; c < 3; c++) sum[c] += u[c * s->stride + a] * g;
        }
        for (int c = 0; c < 3; c++) *(pack4_loose *)(h[c] + r) = sum[c];
    }
}

/* F = I + H J^-1 with H in rows dimension i ... of h. */
static inline mat3 deformation(const element_set *s, double h[3][3 * CHUNK + 4], int row,
                               const mat3 *inverse)
{
    mat3 reference = mat3_zero(), f;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < s->dimension; k++) reference.m[c][k] = h[c][row + k];
    f = mat3_mul(reference, *inverse);
    for (int c = 0; c < 3; c++) f.m[c][c] += 1;
    return f;
}

mat3 element_deformation(const element_set *s, size_t e, const double *u, int point)
{
    mat3 h = mat3_zero();
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < s->dimension; k++) {
            const double *g = s->gradients + (s->dimension * point + k) * s->stride;
            for (int a = 0; a < s->nodes; a++) h.m[c][k] += u[c * s->stride + a] * g[a];
        }
    element_point p = point_of(s, e, point);
    return mat3_add(mat3_mul(h, p.inverse), mat3_identity());
}

double guard_energy(const elastic_parameters *material, mat3 f)
{
    double j = mat3_determinant(f) / GUARD_BEGINS;
    if (j >= 1 || !elastic_forbids_inversion(material)) return 0;
    return j > 0 ? -material->mu * (1 - j) * (1 - j) * log(j) : INFINITY;
}

bool guard_response(const elastic_parameters *material, mat3 f, bool project, mat3 *stress,
                    elastic_spectrum *out)
{
    double j = mat3_determinant(f) / GUARD_BEGINS;
    if (j >= 1 || !(j > 0) || !elastic_forbids_inversion(material)) return false;
    double first = material->mu / GUARD_BEGINS * (2 * (1 - j) * log(j) - (1 - j) * (1 - j) / j);
    double second = material->mu / (GUARD_BEGINS * GUARD_BEGINS) *
                    (-2 * log(j) + 4 * (1 - j) / j + (1 - j) * (1 - j) / (j * j));
    if (stress) *stress = mat3_scale(first, mat3_cofactor(f));
    if (out) determinant_spectrum(f, first, second, project, out);
    return true;
}

/* The points that have to be visited: without the guards where none of them can begin. With F_0 the
 * gradient of the affine displacement through the corners and E what the other nodes deviate from
 * it by, det(F_0 + E) >= det F_0 - |cof F_0||E| - |F_0||E|^2 - |E|^3. */
static int points_at_work(const element_set *s, size_t e, const double *u)
{
    if (!elastic_forbids_inversion(&s->material.data[e])) return s->elastic_points;
    if (!s->affine || s->rule.count == s->elastic_points) return s->rule.count;
    mat3 linear = mat3_zero();
    double deviation = 0;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < s->dimension; k++)
            linear.m[c][k] = u[c * s->stride + s->axis[k]] - u[c * s->stride];
    for (int a = 0; a < s->nodes; a++) {
        double square = 0;
        for (int c = 0; c < 3; c++) {
            double d = u[c * s->stride + a] - u[c * s->stride];
            for (int k = 0; k < s->dimension; k++) d -= s->place[a][k] * linear.m[c][k];
            square += d * d;
        }
        deviation += s->steepness[a] * sqrt(square);
    }
    const mat3 *inverse = &s->points.data[e].inverse;
    mat3 f = mat3_add(mat3_mul(linear, *inverse), mat3_identity());
    double size = deviation * sqrt(mat3_norm2(*inverse));
    double least = mat3_determinant(f) - size * sqrt(mat3_norm2(mat3_cofactor(f))) -
                   size * size * (sqrt(mat3_norm2(f)) + size);
    return least > 1.001 * GUARD_BEGINS ? s->elastic_points : s->rule.count;
}

double element_energy(const element_set *s, size_t e, const double *u)
{
    double h[3][3 * CHUNK + 4], sum = 0;
    const elastic_parameters *material = &s->material.data[e];
    int points = points_at_work(s, e, u);
    for (int first = 0; first < points; first += CHUNK) {
        int count = points - first < CHUNK ? points - first : CHUNK;
        reference_gradients(s, u, s->dimension * first, s->dimension * count, h);
        for (int i = 0; i < count; i++) {
            element_point p = point_of(s, e, first + i);
            mat3 f = deformation(s, h, s->dimension * i, &p.inverse);
            sum += p.measure * (first + i < s->elastic_points ? elastic_energy(material, f)
                                                              : guard_energy(material, f));
        }
    }
    return sum;
}

/* ---- derivatives ---- */

/* to[a] += sum over the three components of stress x gradients. */
static inline void add_forces(const element_set *s, int point, const mat3 *stress,
                              double force[3][ELEMENT_MAX_STRIDE])
{
    const double *row = s->gradients + s->dimension * point * s->stride;
    for (int a = 0; a < s->stride; a += 4)
        for (int c = 0; c < 3; c++) {
            pack4 sum = *(pack4 *)(force[c] + a);
            for (int k = 0; k < s->dimension; k++)
                sum += stress->m[c][k] * *(const pack4 *)(row + k * s->stride + a);
            *(pack4 *)(force[c] + a) = sum;
        }
}

/* Doubles per row of the derivative of the stress: nine, padded. */
enum { STRIDE9 = RESPONSE_STRIDE };

/* The six pairs of components (i <= j) whose blocks are computed. */
static const int PAIRS[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

typedef double block_rows[ELEMENT_MAX_STRIDE];

/* The same in space, with the three rows of R held in registers. */
static inline void mix_rows_in_space(const element_set *s, int point, const double *c,
                                     block_rows t[6][3 * CHUNK], int to)
{
    const double *row = s->gradients + 3 * point * s->stride;
    for (int b = 0; b < s->stride; b += 4) {
        pack4 r0 = *(const pack4 *)(row + b), r1 = *(const pack4 *)(row + s->stride + b);
        pack4 r2 = *(const pack4 *)(row + 2 * s->stride + b);
        for (int pair = 0; pair < 6; pair++)
            for (int k = 0; k < 3; k++) {
                const double *m = c + STRIDE9 * (3 * PAIRS[pair][0] + k) + 3 * PAIRS[pair][1];
                *(pack4 *)(t[pair][to + k] + b) = m[0] * r0 + m[1] * r1 + m[2] * r2;
            }
    }
}

/* t[pair][row] = C_ij R of one point: rows of R, mixed by the 3x3 block (i, j) of c. */
static inline void mix_rows(const element_set *s, int point, const double *c,
                            block_rows t[6][3 * CHUNK], int to)
{
    if (s->dimension == 3) {
        mix_rows_in_space(s, point, c, t, to);
        return;
    }
    const double *row = s->gradients + s->dimension * point * s->stride;
    for (int pair = 0; pair < 6; pair++) {
        int i = PAIRS[pair][0], j = PAIRS[pair][1];
        for (int k = 0; k < s->dimension; k++) {
            const double *m = c + STRIDE9 * (3 * i + k) + 3 * j;
            for (int b = 0; b < s->stride; b += 4) {
                pack4 sum = m[0] * *(const pack4 *)(row + b);
                for (int l = 1; l < s->dimension; l++)
                    sum += m[l] * *(const pack4 *)(row + l * s->stride + b);
                *(pack4 *)(t[pair][to + k] + b) = sum;
            }
        }
    }
}

/* k[a][b] += sum_r left[r][a] right[r][b] for a tile of 4 x 4w entries; = where fresh. */
#define TILE(name, w)                                                                              \
    static inline void name(const double *left, int stride, const double *right, int rows, int a,  \
                            int b, bool fresh, block_rows *k)                                      \
    {                                                                                              \
        pack4 sum[4][w] = {{{0}}};                                                                 \
        for (int i = 0; !fresh && i < 4; i++)                                                      \
            for (int j = 0; j < w; j++) sum[i][j] = *(pack4 *)(k[a + i] + b + 4 * j);              \
        for (int r = 0; r < rows; r++) {                                                           \
            const double *l = left + r * stride + a, *m = right + r * ELEMENT_MAX_STRIDE + b;      \
            for (int j = 0; j < w; j++) {                                                          \
                pack4 v = *(const pack4 *)(m + 4 * j);                                             \
                for (int i = 0; i < 4; i++) sum[i][j] += l[i] * v;                                 \
            }                                                                                      \
        }                                                                                          \
        for (int i = 0; i < 4; i++)                                                                \
            for (int j = 0; j < w; j++) *(pack4 *)(k[a + i] + b + 4 * j) = sum[i][j];              \
    }
TILE(tile1, 1)
TILE(tile2, 2)
TILE(tile3, 3)

/* k += left^T right (= where fresh); with upper only the tiles on and above the diagonal. */
static void add_product(const element_set *s, const double *left, const double *right, int rows,
                        bool upper, bool fresh, block_rows *k)
{
    for (int a = 0; a < s->stride; a += 4) {
        int b = upper ? a : 0;
        for (; b + 12 <= s->stride; b += 12) tile3(left, s->stride, right, rows, a, b, fresh, k);
        if (s->stride - b == 8) tile2(left, s->stride, right, rows, a, b, fresh, k);
        if (s->stride - b == 4) tile1(left, s->stride, right, rows, a, b, fresh, k);
    }
}

/* From six blocks by component to the upper triangle of 3x3 blocks by node. */
static void write_blocks(const element_set *s, block_rows k[6][ELEMENT_MAX_STRIDE], double *out)
{
    for (int a = 0; a < s->nodes; a++)
        for (int b = a; b < s->nodes; b++, out += 9) {
            out[0] = k[0][a][b];
            out[4] = k[1][a][b];
            out[8] = k[2][a][b];
            out[1] = k[3][a][b];
            out[3] = k[3][b][a];
            out[2] = k[4][a][b];
            out[6] = k[4][b][a];
            out[5] = k[5][a][b];
            out[7] = k[5][b][a];
        }
}

/* Rows of nine doubles, padded. */
typedef struct row9 {
    pack4 part[3];
} row9;

static inline row9 row9_scale(double s, const row9 *a)
{
    return (row9){{s * a->part[0], s * a->part[1], s * a->part[2]}};
}

static inline row9 row9_add(row9 sum, double s, const row9 *a)
{
    for (int k = 0; k < 3; k++) sum.part[k] += s * a->part[k];
    return sum;
}

/* As elastic_spectrum_expand, with rows of STRIDE9 doubles: with the columns of u and v as
 * Kronecker factors, C = (U x V) D (U x V)^T for the sparse D of the spectrum, one factor after the
 * other. */
static void expand_spectrum(const elastic_spectrum *s, double *c)
{
    _Alignas(32) double dyad[9][STRIDE9] = {{0}};
    row9 y[9], z[9];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int j = 0; j < 3; j++)
                for (int l = 0; l < 3; l++)
                    dyad[3 * a + b][3 * j + l] = s->u.m[j][a] * s->v.m[l][b];
    const row9 *d = (const row9 *)dyad;
    for (int a = 0; a < 3; a++) {
        y[4 * a] = row9_scale(s->diagonal.m[a][0], &d[0]);
        y[4 * a] = row9_add(y[4 * a], s->diagonal.m[a][1], &d[4]);
        y[4 * a] = row9_add(y[4 * a], s->diagonal.m[a][2], &d[8]);
        int i = (a + 1) % 3, j = (a + 2) % 3, ij = 3 * i + j, ji = 3 * j + i;
        y[ij] = row9_add(row9_scale(s->same[a], &d[ij]), s->swapped[a], &d[ji]);
        y[ji] = row9_add(row9_scale(s->same[a], &d[ji]), s->swapped[a], &d[ij]);
    }
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) {
            z[3 * a + k] = row9_scale(s->v.m[k][0], &y[3 * a]);
            z[3 * a + k] = row9_add(z[3 * a + k], s->v.m[k][1], &y[3 * a + 1]);
            z[3 * a + k] = row9_add(z[3 * a + k], s->v.m[k][2], &y[3 * a + 2]);
        }
    row9 *out = (row9 *)c;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            row9 sum = row9_scale(s->u.m[i][0], &z[k]);
            sum = row9_add(sum, s->u.m[i][1], &z[3 + k]);
            out[3 * i + k] = row9_add(sum, s->u.m[i][2], &z[6 + k]);
        }
}

/* Stress and its derivative in reference coordinates, weighted. */
static bool point_response(const elastic_parameters *material, bool guard, mat3 f,
                           const mat3 *inverse, double measure, bool project, mat3 *stress,
                           double *c)
{
    elastic_spectrum spectrum;
    if (guard) {
        if (!guard_response(material, f, project, stress, c ? &spectrum : NULL)) return false;
    } else {
        elastic_evaluate(material, f, project, NULL, stress, c ? &spectrum : NULL);
    }
    if (stress) *stress = mat3_mul(mat3_scale(measure, *stress), mat3_transpose(*inverse));
    if (!c) return true;
    spectrum.v = mat3_mul(*inverse, spectrum.v);
    spectrum.diagonal = mat3_scale(measure, spectrum.diagonal);
    for (int k = 0; k < 3; k++) {
        spectrum.same[k] *= measure;
        spectrum.swapped[k] *= measure;
    }
    expand_spectrum(&spectrum, c);
    return true;
}

/* Sums of an element while its points are visited. */
typedef struct element_sums {
    _Alignas(32) double force[3][ELEMENT_MAX_STRIDE];
    _Alignas(32) block_rows t[6][3 * CHUNK];
    _Alignas(32) block_rows k[6][ELEMENT_MAX_STRIDE];
} element_sums;

/* Adds R^T t for the rows of `count` points from `first` to the stiffness. */
static void add_stiffness(const element_set *s, int first, int count, element_sums *sums)
{
    for (int pair = 0; pair < 6; pair++)
        add_product(s, s->gradients + s->dimension * first * s->stride, sums->t[pair][0],
                    s->dimension * count, pair < 3, first == 0, sums->k[pair]);
}

/* Up to four points of the quadrature at once, where the material allows it; returns a bit for each
 * point of which the stiffness is done. The last one stands in for those beyond the end. */
static int respond_to_four(const element_set *s, size_t e, const mat3 *f,
                           const mat3 *const *inverses, const double *measures, int first,
                           int count, bool project, int to, element_sums *sums)
{
    _Alignas(32) double c[4][9 * STRIDE9];
    double *to_c[4] = {c[0], c[1], c[2], c[3]}, measure[4];
    mat3 four[4], inverse[4];
    for (int l = 0; l < 4; l++) {
        int i = l < count ? l : count - 1;
        four[l] = f[i];
        inverse[l] = *inverses[i];
        measure[l] = measures[i];
    }
    int done = element_response4(&s->material.data[e], four, inverse, measure, project, to_c);
    for (int l = 0; l < count; l++)
        if (done >> l & 1) mix_rows(s, first + l, c[l], sums->t, to + s->dimension * l);
    return done;
}

/* Visits `count` points from `first`: those of the quadrature, whose stiffness is added at once, or
 * guards, of which few have anything to do. */
static void visit_points(const element_set *s, size_t e, const double *u, double weight,
                         bool project, int first, int count, bool with_gradient, bool with_hessian,
                         element_sums *sums)
{
    double h[3][3 * CHUNK + 4];
    const mat3 *inverse[CHUNK];
    double measure[CHUNK];
    mat3 f[CHUNK];
    int done = 0, d = s->dimension;
    bool guards = first >= s->elastic_points;
    reference_gradients(s, u, d * first, d * count, h);
    for (int i = 0; i < count; i++) {
        size_t at = s->affine ? e : e * (size_t)s->rule.count + (size_t)(first + i);
        const element_point *p = &s->points.data[at];
        inverse[i] = &p->inverse;
        measure[i] = weight * p->measure * (s->affine ? s->rule.weights[first + i] : 1);
    }
    /* Lanes must not stay empty: one or two points at the end go one by one. */
    bool in_fours = with_hessian && !guards && element_response_possible(&s->material.data[e]);
    for (int i = 0; in_fours && i < count; i++) f[i] = deformation(s, h, d * i, inverse[i]);
    for (int i = 0; in_fours && i + 2 < count; i += 4)
        done |= respond_to_four(s, e, f + i, inverse + i, measure + i, first + i,
                                count - i < 4 ? count - i : 4, project, d * i, sums)
                << i;
    for (int i = 0; i < count; i++) {
        mat3 stress;
        _Alignas(32) double c[9 * STRIDE9];
        bool hessian = with_hessian && !(done >> i & 1);
        if (!with_gradient && !hessian) continue;
        mat3 here = in_fours ? f[i] : deformation(s, h, d * i, inverse[i]);
        if (!point_response(&s->material.data[e], guards, here, inverse[i], measure[i], project,
                            with_gradient ? &stress : NULL, hessian ? c : NULL))
            continue;
        if (with_gradient) add_forces(s, first + i, &stress, sums->force);
        if (hessian) mix_rows(s, first + i, c, sums->t, guards ? 0 : d * i);
        if (hessian && guards) add_stiffness(s, first + i, 1, sums);
    }
    if (with_hessian && !guards) add_stiffness(s, first, count, sums);
}

void element_derivatives(const element_set *s, size_t e, const double *u, double weight,
                         bool project, double *gradient, double *hessian)
{
    element_sums sums;
    memset(sums.force, 0, sizeof sums.force);
    int points = points_at_work(s, e, u);
    for (int first = 0, count; first < points; first += count) {
        int end = first < s->elastic_points ? s->elastic_points : points;
        count = end - first < CHUNK ? end - first : CHUNK;
        visit_points(s, e, u, weight, project, first, count, gradient != NULL, hessian != NULL,
                     &sums);
    }
    for (int a = 0; gradient && a < s->nodes; a++)
        for (int c = 0; c < 3; c++) gradient[3 * a + c] = sums.force[c][a];
    if (hessian) write_blocks(s, sums.k, hessian);
}
