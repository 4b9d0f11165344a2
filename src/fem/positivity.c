#include "fem/positivity.h"

#include "base/memory.h"
#include "fem/lagrange.h"
#include "math/polynomial.h"

#include <float.h>
#include <string.h>

enum {
    MAX_COUNT = POSITIVITY_MAX_COUNT,
    MAX_PADDED = POSITIVITY_MAX_COUNT,
    MAX_DEPTH = 12,
    MAX_SHRINKS = 80
};

/* ---- tables ---- */

static bool is_cube(cell_kind kind) { return kind == CELL_QUAD || kind == CELL_HEX; }

static double binomial(int n, int k)
{
    double b = 1;
    for (int i = 1; i <= k; i++) b = b * (n - k + i) / i;
    return b;
}

static double power(double x, int n)
{
    double result = 1;
    for (int i = 0; i < n; i++) result *= x;
    return result;
}

/* The Bernstein polynomial with the lattice index `index` at xi. */
static double bernstein(cell_kind kind, int degree, const int *index, const double *xi)
{
    int dimension = cell_dimension(kind);
    double value = 1, l0 = 1;
    int left = degree;
    for (int k = 0; k < dimension; k++) {
        if (is_cube(kind)) {
            value *= binomial(degree, index[k]) * power(xi[k], index[k]) *
                     power(1 - xi[k], degree - index[k]);
        } else {
            value *= binomial(left, index[k]) * power(xi[k], index[k]);
            left -= index[k];
            l0 -= xi[k];
        }
    }
    return is_cube(kind) ? value : value * power(l0, left);
}

/* All lattice indices of a degree: those of a simplex or of a cube. Returns the number. */
static int list_lattice(cell_kind kind, int degree, int (*out)[3])
{
    int dimension = cell_dimension(kind), count = 0;
    int last_k = dimension > 2 ? degree : 0;
    for (int k = 0; k <= last_k; k++)
        for (int j = 0; j <= degree; j++)
            for (int i = 0; i <= degree; i++) {
                if (!is_cube(kind) && i + j + k > degree) continue;
                if (out) {
                    out[count][0] = i;
                    out[count][1] = j;
                    out[count][2] = k;
                }
                count++;
            }
    return count;
}

/* Inverse of the n x n matrix a (destroyed) by Gauss-Jordan elimination with pivoting. */
static bool invert(double *a, double *inverse, size_t n)
{
    memset(inverse, 0, n * n * sizeof *inverse);
    for (size_t i = 0; i < n; i++) inverse[i * n + i] = 1;
    for (size_t c = 0; c < n; c++) {
        size_t pivot = c;
        for (size_t r = c + 1; r < n; r++)
            if (fabs(a[r * n + c]) > fabs(a[pivot * n + c])) pivot = r;
        if (a[pivot * n + c] == 0) return false;
        for (size_t j = 0; j < n; j++) {
            double t = a[c * n + j], s = inverse[c * n + j];
            a[c * n + j] = a[pivot * n + j];
            a[pivot * n + j] = t;
            inverse[c * n + j] = inverse[pivot * n + j];
            inverse[pivot * n + j] = s;
        }
        double scale = 1 / a[c * n + c];
        for (size_t j = 0; j < n; j++) {
            a[c * n + j] *= scale;
            inverse[c * n + j] *= scale;
        }
        for (size_t r = 0; r < n; r++) {
            double factor = a[r * n + c];
            if (r == c || factor == 0) continue;
            for (size_t j = 0; j < n; j++) {
                a[r * n + j] -= factor * a[c * n + j];
                inverse[r * n + j] -= factor * inverse[c * n + j];
            }
        }
    }
    return true;
}

/* Degree of the determinant of a map of this order. */
static int determinant_degree(cell_kind kind, int order)
{
    int dimension = cell_dimension(kind);
    return is_cube(kind) ? dimension * order - 1 : dimension * (order - 1);
}

static abut_status fill_tables(positivity *p, int (*lattice)[3], double *matrix, abut_error *err)
{
    size_t n = (size_t)p->count;
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < 3; k++)
            p->points[i][k] = p->degree ? (double)lattice[i][k] / p->degree : 0.25;
        for (int j = 0; j < p->count; j++)
            matrix[(size_t)i * n + (size_t)j] =
                bernstein(p->kind, p->degree, lattice[j], p->points[i]);
        lagrange_evaluate(p->kind, p->order, p->points[i], NULL,
                          p->gradients + (size_t)i * (size_t)p->nodes);
    }
    if (!invert(matrix, p->to_bernstein, n))
        return error_set(err, ABUT_ERROR_INTERNAL, "", "Bernstein's matrix is singular");
    size_t padded = (size_t)p->padded, nodes = (size_t)p->nodes;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += fabs(p->to_bernstein[i * n + j]);
        p->amplification = fmax(p->amplification, sum);
        for (size_t j = 0; j < n; j++) p->columns[j * padded + i] = p->to_bernstein[i * n + j];
        for (size_t a = 0; a < nodes; a++)
            for (size_t k = 0; k < 3; k++)
                p->by_node[(3 * a + k) * padded + i] = p->gradients[i * nodes + a][k];
    }
    return ABUT_OK;
}

abut_status positivity_init(positivity *p, cell_kind kind, int order, abut_error *err)
{
    *p = (positivity){.kind = kind, .order = order, .nodes = cell_node_count(kind, order)};
    p->degree = determinant_degree(kind, order);
    p->count = list_lattice(kind, p->degree, NULL);
    if (p->nodes == 0 || cell_dimension(kind) < 2 || p->count > MAX_COUNT)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "", "%ss of order %d are not supported",
                         cell_kind_name(kind), order);
    size_t n = (size_t)p->count;
    int(*lattice)[3] = mem_alloc(n, sizeof *lattice);
    double *matrix = mem_alloc(n * n, sizeof *matrix);
    p->points = mem_alloc(n, sizeof *p->points);
    p->gradients = mem_alloc(n * (size_t)p->nodes, sizeof *p->gradients);
    p->to_bernstein = mem_alloc(n * n, sizeof *p->to_bernstein);
    p->padded = (p->count + 3) / 4 * 4;
    p->columns = mem_calloc(n * (size_t)p->padded, sizeof *p->columns);
    p->by_node = mem_calloc(3 * (size_t)p->nodes * (size_t)p->padded, sizeof *p->by_node);
    abut_status status = ABUT_OK;
    if (lattice && matrix && p->points && p->gradients && p->to_bernstein && p->columns &&
        p->by_node) {
        list_lattice(kind, p->degree, lattice);
        status = fill_tables(p, lattice, matrix, err);
    } else {
        status = error_memory(err, "preparing the check of Jacobians");
    }
    mem_free(lattice);
    mem_free(matrix);
    if (status != ABUT_OK) positivity_free(p);
    return status;
}

void positivity_free(positivity *p)
{
    mem_free(p->points);
    mem_free(p->gradients);
    mem_free(p->to_bernstein);
    mem_free(p->columns);
    mem_free(p->by_node);
    memset(p, 0, sizeof *p);
}

/* ---- sampling ---- */

static mat3 jacobian_at(const positivity *p, const vec3 *nodes, const double (*g)[3])
{
    mat3 j = mat3_zero();
    for (int a = 0; a < p->nodes; a++)
        for (int k = 0; k < 3; k++) {
            j.m[0][k] += nodes[a].x * g[a][k];
            j.m[1][k] += nodes[a].y * g[a][k];
            j.m[2][k] += nodes[a].z * g[a][k];
        }
    if (cell_dimension(p->kind) == 2) { /* only x and y count in the plane */
        j.m[2][0] = j.m[2][1] = j.m[0][2] = j.m[1][2] = 0;
        j.m[2][2] = 1;
    }
    return j;
}

void positivity_point(const positivity *p, const positivity_part *q, int i, double xi[3])
{
    for (int k = 0; k < 3; k++) {
        xi[k] = q->corner[k];
        for (int a = 0; a < 3; a++) xi[k] += q->axes[a][k] * p->points[i][a];
    }
}

/* Gradients at lattice point i of a part. */
static const double (*part_gradients(const positivity *p, const positivity_part *q, int i,
                                     double (*room)[3]))[3]
{
    if (q->depth == 0) return (const double(*)[3])(p->gradients + (size_t)i * (size_t)p->nodes);
    double xi[3];
    positivity_point(p, q, i, xi);
    lagrange_evaluate(p->kind, p->order, xi, NULL, room);
    return (const double(*)[3])room;
}

/* Bound on the size of the products that make up the determinant. */
static double product_size(mat3 j)
{
    double size = 1;
    for (int k = 0; k < 3; k++) size *= vec3_norm(mat3_column(j, k));
    return size;
}

void positivity_coefficients(const positivity *p, const double *restrict sample,
                             double *restrict out)
{
    int n = p->padded;
    for (int i = 0; i < n; i++) out[i] = 0;
    for (int j = 0; j < p->count; j++) {
        const double *column = p->columns + (size_t)j * (size_t)n;
        for (int i = 0; i < n; i++) out[i] += column[i] * sample[j];
    }
}

/* What rounding may have changed in a coefficient. */
static double rounding(const positivity *p, double size)
{
    return 4 * (p->count + 3 * p->nodes) * DBL_EPSILON * p->amplification * size;
}

positivity_part positivity_child(const positivity *p, const positivity_part *q, int i)
{
    int dimension = cell_dimension(p->kind);
    positivity_part c = *q;
    c.depth++;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) c.axes[a][k] = q->axes[a][k] / 2;
    if (is_cube(p->kind)) {
        for (int a = 0; a < dimension; a++)
            for (int k = 0; k < 3 && (i >> a & 1); k++) c.corner[k] += q->axes[a][k] / 2;
        return c;
    }
    /* Corners of the parts of a simplex in halves of the axes. */
    static const int triangles[4][3][2] = {{{0, 0}, {1, 0}, {0, 1}},
                                           {{1, 0}, {2, 0}, {1, 1}},
                                           {{0, 1}, {1, 1}, {0, 2}},
                                           {{1, 1}, {0, 1}, {1, 0}}};
    static const int tets[8][4][3] = {
        {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, 0, 1}},
        {{0, 1, 0}, {1, 1, 0}, {0, 2, 0}, {0, 1, 1}}, {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {0, 0, 2}},
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}}, {{1, 0, 0}, {0, 1, 0}, {1, 0, 1}, {1, 1, 0}},
        {{0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}, {{0, 1, 0}, {1, 0, 1}, {1, 1, 0}, {0, 1, 1}}};
    double corner[4][3] = {{0}};
    for (int v = 0; v <= dimension; v++)
        for (int k = 0; k < 3; k++) {
            corner[v][k] = q->corner[k];
            for (int a = 0; a < dimension; a++)
                corner[v][k] +=
                    q->axes[a][k] / 2 * (dimension == 3 ? tets[i][v][a] : triangles[i][v][a]);
        }
    for (int k = 0; k < 3; k++) {
        c.corner[k] = corner[0][k];
        for (int a = 0; a < dimension; a++) c.axes[a][k] = corner[a + 1][k] - corner[0][k];
    }
    return c;
}

int positivity_child_count(const positivity *p) { return 1 << cell_dimension(p->kind); }

/* Parts that one answer may look at. Depth alone would not bound its time: where the determinant
 * nearly vanishes on a whole side, every part there is cut again. */
enum { MAX_PARTS = 4096 };

/* *left: parts that may still be looked at. */
static positivity_answer check_part(const positivity *p, const vec3 *nodes,
                                    const positivity_part *q, int *left)
{
    double sample[MAX_PADDED], bound[MAX_PADDED], size = 0, room[CELL_MAX_NODES][3];
    for (int i = 0; i < p->count; i++) {
        mat3 j = jacobian_at(p, nodes, part_gradients(p, q, i, room));
        sample[i] = mat3_determinant(j);
        size = fmax(size, product_size(j));
        if (!(sample[i] > 0)) return NEGATIVE;
    }
    positivity_coefficients(p, sample, bound);
    double margin = rounding(p, size), least = INFINITY;
    for (int i = 0; i < p->count; i++) least = fmin(least, bound[i]);
    if (least > margin) return POSITIVE;
    if (q->depth == MAX_DEPTH || (*left -= positivity_child_count(p)) < 0) return UNDECIDED;
    positivity_answer answer = POSITIVE;
    for (int i = 0; i < positivity_child_count(p); i++) {
        positivity_part child = positivity_child(p, q, i);
        positivity_answer a = check_part(p, nodes, &child, left);
        if (a == NEGATIVE) return NEGATIVE;
        if (a == UNDECIDED) answer = UNDECIDED;
    }
    return answer;
}

positivity_answer positivity_check(const positivity *p, const vec3 *nodes)
{
    int left = MAX_PARTS;
    return check_part(p, nodes, &positivity_whole, &left);
}

/* ---- along a motion ---- */

typedef struct motion_samples {
    double size;                 /* of the products */
    double value[4][MAX_PADDED]; /* at t = 0, 1/3, 2/3, 1 of the interval */
} motion_samples;

/* Entries of the Jacobian at all points of the whole cell. */
typedef struct jacobians {
    double entry[9][MAX_PADDED];
} jacobians;

static void all_jacobians(const positivity *p, const vec3 *nodes, jacobians *out)
{
    int n = p->padded, dimension = cell_dimension(p->kind);
    for (int e = 0; e < 9; e++)
        for (int i = 0; i < n; i++) out->entry[e][i] = 0;
    for (int a = 0; a < p->nodes; a++)
        for (int k = 0; k < dimension; k++) {
            const double *restrict g = p->by_node + (size_t)(3 * a + k) * (size_t)n;
            for (int c = 0; c < dimension; c++) {
                double x = vec3_get(nodes[a], c), *restrict to = out->entry[3 * c + k];
                for (int i = 0; i < n; i++) to[i] += x * g[i];
            }
        }
}

/* Determinants of a + s b at all points; the largest square of the products goes to *size2. */
static void all_determinants(const positivity *p, const jacobians *a, const jacobians *b, double s,
                             double *restrict value, double *size2)
{
    int n = p->padded;
    double largest[MAX_PADDED];
    for (int i = 0; i < n; i++) {
        double j[9];
        for (int e = 0; e < 9; e++) j[e] = a->entry[e][i] + s * b->entry[e][i];
        double n0 = j[0] * j[0] + j[3] * j[3] + j[6] * j[6];
        double n1 = j[1] * j[1] + j[4] * j[4] + j[7] * j[7];
        double n2 = j[2] * j[2] + j[5] * j[5] + j[8] * j[8];
        largest[i] = n0 * n1 * n2;
        value[i] = j[0] * (j[4] * j[8] - j[5] * j[7]) + j[1] * (j[5] * j[6] - j[3] * j[8]) +
                   j[2] * (j[3] * j[7] - j[4] * j[6]);
    }
    for (int i = 0; i < p->count; i++) *size2 = fmax(*size2, largest[i]);
}

static void sample_whole(const positivity *p, const vec3 *nodes, const vec3 *direction, double end,
                         motion_samples *out)
{
    jacobians a, b;
    double size2 = 0;
    all_jacobians(p, nodes, &a);
    all_jacobians(p, direction, &b);
    if (cell_dimension(p->kind) == 2) /* only x and y count in the plane */
        for (int i = 0; i < p->padded; i++) a.entry[8][i] = 1;
    for (int k = 0; k < 4; k++) all_determinants(p, &a, &b, end * k / 3, out->value[k], &size2);
    out->size = sqrt(size2);
}

static void sample_motion(const positivity *p, const vec3 *nodes, const vec3 *direction,
                          const positivity_part *q, double end, motion_samples *out)
{
    if (q->depth == 0) {
        sample_whole(p, nodes, direction, end, out);
        return;
    }
    double room[CELL_MAX_NODES][3];
    out->size = 0;
    for (int i = 0; i < p->count; i++) {
        const double(*g)[3] = part_gradients(p, q, i, room);
        mat3 a = jacobian_at(p, nodes, g), b = jacobian_at(p, direction, g);
        if (cell_dimension(p->kind) == 2) b.m[2][2] = 0;
        for (int k = 0; k < 4; k++) {
            mat3 j = mat3_add(a, mat3_scale(end * k / 3, b));
            out->value[k][i] = mat3_determinant(j);
            out->size = fmax(out->size, product_size(j));
        }
    }
}

/* Shows det(x + s direction) > fraction det(x) in a part for s in [0, end]; otherwise tells a point
 * where it could not (weak may be NULL). *left as above. */
static bool certify_part(const positivity *p, const vec3 *nodes, const vec3 *direction,
                         const positivity_part *q, double end, double fraction, int *left,
                         double weak[3])
{
    motion_samples samples;
    double c[4][MAX_PADDED];
    sample_motion(p, nodes, direction, q, end, &samples);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < p->count; i++)
            if (!(samples.value[k][i] > fraction * samples.value[0][i])) {
                if (weak) positivity_point(p, q, i, weak);
                return false;
            }
    for (int k = 0; k < 4; k++) positivity_coefficients(p, samples.value[k], c[k]);
    double margin = 8 * rounding(p, samples.size);
    bool good = true;
    for (int i = 0; good && i < p->count; i++) {
        /* Cubic in time from its values at 0, 1/3, 2/3, 1 to Bernstein form. */
        double f0 = c[0][i], f1 = c[1][i], f2 = c[2][i], f3 = c[3][i];
        double b1 = (-5 * f0 + 18 * f1 - 9 * f2 + 2 * f3) / 6;
        double b2 = (2 * f0 - 9 * f1 + 18 * f2 - 5 * f3) / 6;
        double least = fmin(fmin(f0, b1), fmin(b2, f3)) - fraction * f0;
        good = least > margin && f0 > margin;
    }
    if (good) return true;
    if (q->depth == MAX_DEPTH || (*left -= positivity_child_count(p)) < 0) {
        if (weak) positivity_point(p, q, 0, weak);
        return false;
    }
    for (int i = 0; i < positivity_child_count(p); i++) {
        positivity_part child = positivity_child(p, q, i);
        if (!certify_part(p, nodes, direction, &child, end, fraction, left, weak)) return false;
    }
    return true;
}

static bool certify(const positivity *p, const vec3 *nodes, const vec3 *direction, double end,
                    double fraction, double weak[3])
{
    int left = MAX_PARTS;
    return certify_part(p, nodes, direction, &positivity_whole, end, fraction, &left, weak);
}

/* Where the determinant of a sample falls to the fraction: no larger step can be allowed. */
static double sampled_limit(const positivity *p, const motion_samples *samples, double limit,
                            double fraction)
{
    double least = 1;
    for (int i = 0; i < p->count; i++) {
        double f0 = samples->value[0][i], f1 = samples->value[1][i], f2 = samples->value[2][i],
               f3 = samples->value[3][i];
        double c[4] = {f0 * (1 - fraction), (-11 * f0 + 18 * f1 - 9 * f2 + 2 * f3) / 2,
                       (18 * f0 - 45 * f1 + 36 * f2 - 9 * f3) / 2,
                       (-9 * f0 + 27 * f1 - 27 * f2 + 9 * f3) / 2};
        if (!(c[0] > 0)) return 0;
        least = fmin(least, cubic_first_root(c));
    }
    return least * limit;
}

double positivity_max_step(const positivity *p, const vec3 *nodes, const vec3 *direction,
                           double limit, double fraction)
{
    if (certify(p, nodes, direction, limit, fraction, NULL)) return limit;
    motion_samples samples;
    sample_motion(p, nodes, direction, &positivity_whole, limit, &samples);
    double t = sampled_limit(p, &samples, limit, fraction);
    for (int k = 0; k < MAX_SHRINKS && t > 0; k++) {
        t *= k == 0 ? 0.95 : 0.7;
        if (certify(p, nodes, direction, t, fraction, NULL)) return t;
    }
    return 0;
}

bool positivity_weak_point(const positivity *p, const vec3 *nodes, const vec3 *direction,
                           double step, double fraction, double xi[3])
{
    return !certify(p, nodes, direction, step, fraction, xi);
}
