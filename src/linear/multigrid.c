#include "linear/multigrid.h"

#include "base/parallel.h"
#include "base/sort.h"
#include "linear/aggregation.h"
#include "linear/work.h"

#include <math.h>
#include <string.h>

enum {
    COARSEST = 600, /* scalars that are factorised densely */
    DEGREE = 2,     /* of the Chebyshev smoother: products with the matrix of a level */
    POWER_ITERATIONS = 12,
    REFRESH_ITERATIONS = 3, /* from the vector of the values before */
    TASK = 512,
};

/* Couplings weaker than this do not join blocks; half of it from level to level. */
static const double STRONG = 0.04;
/* The part of the spectrum that the smoother damps: from largest / SMOOTHED. */
static const double SMOOTHED = 20.0;
/* A few power iterations fall short of the largest eigenvalue. */
static const double SAFETY = 1.1;

static void level_free(multigrid_level *l)
{
    block_csr_free(&l->a);
    block_csr_free(&l->prolongation);
    block_csr_free(&l->restriction);
    block_csr_free(&l->product);
    array_free(&l->inverse);
    array_free(&l->highest);
    array_free(&l->x);
    array_free(&l->right);
    array_free(&l->residual);
    array_free(&l->change);
}

void multigrid_free(multigrid *m)
{
    for (int k = 0; k < MULTIGRID_LEVELS; k++) level_free(&m->levels[k]);
    block_csr_free(&m->tentative);
    array_free(&m->modes);
    array_free(&m->coarse_modes);
    array_free(&m->aggregate);
    array_free(&m->factor);
    array_free(&m->columns);
    single_multigrid_free(&m->single);
    memset(m, 0, sizeof *m);
}

size_t multigrid_bytes(const multigrid *m)
{
    size_t sum = block_csr_bytes(&m->tentative) + m->modes.capacity * sizeof(double) +
                 m->coarse_modes.capacity * sizeof(double) + m->factor.capacity * sizeof(double);
    sum += single_multigrid_bytes(&m->single);
    for (int k = 0; k < m->level_count; k++) {
        const multigrid_level *l = &m->levels[k];
        sum += block_csr_bytes(&l->a) + block_csr_bytes(&l->prolongation) +
               block_csr_bytes(&l->restriction) + block_csr_bytes(&l->product) +
               sizeof(double) * (l->inverse.capacity + l->highest.capacity + l->x.capacity +
                                 l->right.capacity + l->residual.capacity + l->change.capacity);
    }
    return sum;
}

static size_t scalars_of(const multigrid_level *l)
{
    return (size_t)l->a.rows * (size_t)l->a.height;
}

static double entries_of(const block_csr *a)
{
    return a->rows > 0 ? (double)a->start.data[a->rows] * (double)block_csr_area(a) : 0;
}

double multigrid_cycle_work(const multigrid *m)
{
    double entries = (double)m->factor.count, single = m->single.ready ? 0.5 : 1;
    for (int k = 0; k < m->level_count; k++) {
        const multigrid_level *l = &m->levels[k];
        if (k + 1 == m->level_count && m->factor.count > 0) break;
        entries += 2 * DEGREE * (entries_of(&l->a) + (double)l->inverse.count);
        if (k + 1 < m->level_count)
            entries += entries_of(&l->prolongation) + entries_of(&l->restriction);
    }
    return WORK_ENTRY * (entries_of(&m->levels[0].a) + single * entries);
}

/* ---------------------------------------------------------------------------------------------- */
/* Small dense blocks                                                                             */

/* Lower Cholesky factor in place; false when it is not positive definite. */
static bool dense_factorize(double *a, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        double *row = a + j * n;
        for (size_t k = 0; k < j; k++) {
            const double *other = a + k * n;
            double sum = row[k];
            for (size_t l = 0; l < k; l++) sum -= row[l] * other[l];
            row[k] = sum / other[k];
        }
        double pivot = row[j];
        for (size_t l = 0; l < j; l++) pivot -= row[l] * row[l];
        if (!(pivot > 1e-15 * fabs(row[j])) || !isfinite(pivot)) return false;
        row[j] = sqrt(pivot);
    }
    return true;
}

/* The next COLUMNS columns of the factor in all rows from `first` on, each row of which has them
 * complete but for each other; packed[c * n + i] receives them. */
static bool dense_columns(double *a, size_t n, size_t first, size_t count, const double *diagonal,
                          double *packed)
{
    for (size_t c = 0; c < count; c++) {
        size_t k = first + c;
        double pivot = a[k * n + k];
        if (!(pivot > 1e-15 * fabs(diagonal[k])) || !isfinite(pivot)) return false;
        pivot = sqrt(pivot);
        a[k * n + k] = pivot;
        for (size_t i = k + 1; i < n; i++) {
            double *row = a + i * n, factor = row[k] / pivot;
            row[k] = packed[c * n + i] = factor;
            for (size_t d = c + 1; d < count && first + d <= i; d++)
                row[first + d] -= factor * (first + d == i ? factor : packed[c * n + first + d]);
        }
    }
    return true;
}

/* The same for large matrices: columns in groups, whose products are subtracted from all rows below
 * in one sweep. room: (COLUMNS + 1) n. */
enum { COLUMNS = 4 };
static bool dense_factorize_large(double *a, size_t n, double *room)
{
    double *diagonal = room + COLUMNS * n;
    for (size_t i = 0; i < n; i++) diagonal[i] = a[i * n + i];
    for (size_t first = 0; first < n; first += COLUMNS) {
        size_t count = n - first < COLUMNS ? n - first : COLUMNS, next = first + count;
        if (!dense_columns(a, n, first, count, diagonal, room)) return false;
        const double *p = room, *q = room + n, *r = room + 2 * n, *s = room + 3 * n;
        for (size_t i = next; i < n; i++) { /* all COLUMNS of them where rows are left */
            double *row = a + i * n, f = p[i], g = q[i], h = r[i], k = s[i];
            for (size_t j = next; j <= i; j++)
                row[j] -= (f * p[j] + g * q[j]) + (h * r[j] + k * s[j]);
        }
    }
    return true;
}

static void dense_solve(const double *factor, size_t n, double *x)
{
    for (size_t j = 0; j < n; j++) {
        double sum = x[j];
        for (size_t k = 0; k < j; k++) sum -= factor[j * n + k] * x[k];
        x[j] = sum / factor[j * n + j];
    }
    for (size_t j = n; j-- > 0;) {
        x[j] /= factor[j * n + j];
        for (size_t k = 0; k < j; k++) x[k] -= factor[j * n + k] * x[j];
    }
}

static void invert_block(const double *block, size_t n, double *out)
{
    double factor[BLOCK_CSR_MAX * BLOCK_CSR_MAX], column[BLOCK_CSR_MAX];
    memcpy(factor, block, n * n * sizeof *factor);
    bool definite = dense_factorize(factor, n);
    for (size_t c = 0; c < n; c++) {
        memset(column, 0, sizeof column);
        column[c] = 1;
        if (definite)
            dense_solve(factor, n, column);
        else
            column[c] = block[c * n + c] > 0 ? 1 / block[c * n + c] : 1;
        for (size_t r = 0; r < n; r++) out[r * n + c] = column[r];
    }
    for (size_t r = 0; r < n; r++) /* the cycle must be symmetric to the last bit */
        for (size_t c = 0; c < r; c++) out[c * n + r] = out[r * n + c];
}

static int32_t diagonal_slot(const block_csr *a, int32_t row)
{
    return sorted_place_i32(a->column.data, a->start.data[row], a->start.data[row + 1], row);
}

static void invert_range(void *context, size_t begin, size_t end)
{
    multigrid_level *l = context;
    for (size_t i = begin; i < end; i++)
        invert_block(block_csr_block(&l->a, diagonal_slot(&l->a, (int32_t)i)), (size_t)l->a.height,
                     l->inverse.data + block_csr_area(&l->a) * i);
}

/* ---------------------------------------------------------------------------------------------- */
/* Smoother                                                                                       */

/* to = keep * to + add * D^-1 from */
static void scale_range(void *context, size_t begin, size_t end)
{
    const multigrid_level *l = context;
    size_t n = (size_t)l->a.height;
    for (size_t i = begin; i < end; i++) {
        const double *inverse = l->inverse.data + n * n * i, *from = l->from + n * i;
        double *to = l->to + n * i;
        for (size_t r = 0; r < n; r++) {
            double sum = 0;
            for (size_t c = 0; c < n; c++) sum += inverse[r * n + c] * from[c];
            to[r] = l->keep * to[r] + l->add * sum;
        }
    }
}

static void scale(multigrid_level *l, double keep, double *to, double add, const double *from)
{
    l->keep = keep;
    l->to = to;
    l->add = add;
    l->from = from;
    parallel_for((size_t)l->a.rows, TASK, scale_range, l);
}

static void add_range(void *context, size_t begin, size_t end)
{
    const multigrid_level *l = context;
    for (size_t i = begin; i < end; i++) l->to[i] += l->from[i];
}

static void add(multigrid_level *l, double *to, const double *from)
{
    l->to = to;
    l->from = from;
    parallel_for(scalars_of(l), 8192, add_range, l);
}

multigrid_smoothing multigrid_smoothing_of(double largest)
{
    double high = largest, low = high / SMOOTHED;
    double middle = 0.5 * (high + low), half = 0.5 * (high - low), sigma = middle / half;
    double rho = 1 / sigma, next = 1 / (2 * sigma - rho);
    return (multigrid_smoothing){1 / middle, next * rho, 2 * next / half};
}

/* Chebyshev polynomial on the upper part of the spectrum; from zero when `fresh`. */
static void smooth(multigrid_level *l, const double *b, double *x, bool fresh)
{
    size_t n = scalars_of(l);
    multigrid_smoothing w = multigrid_smoothing_of(l->largest);
    double *d = l->change.data, *r = l->residual.data;
    if (!fresh) block_csr_multiply(&l->a, x, b, r);
    memset(d, 0, n * sizeof *d);
    scale(l, 0, d, w.first, fresh ? b : r);
    if (fresh) memset(x, 0, n * sizeof *x);
    add(l, x, d);
    block_csr_multiply(&l->a, x, b, r);
    scale(l, w.keep, d, w.second, r);
    add(l, x, d);
}

static double norm_of(size_t n, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

static void fill_rough(size_t n, double *v)
{
    uint64_t seed = 88172645463325252u;
    for (size_t i = 0; i < n; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        v[i] = (double)(seed >> 11) * 0x1p-53 - 0.5;
    }
}

/* Largest eigenvalue of D^-1 A by a few power iterations from a fixed rough vector, or from where
 * they ended for other values. */
static void estimate_largest(multigrid_level *l, bool fresh)
{
    size_t n = scalars_of(l);
    double *v = l->highest.data, *w = l->residual.data, norm = 1;
    int iterations = fresh ? POWER_ITERATIONS : REFRESH_ITERATIONS;
    if (fresh) fill_rough(n, v);
    double before = norm_of(n, v);
    for (int k = 0; k < iterations && before > 0; k++) {
        block_csr_multiply(&l->a, v, NULL, w);
        scale(l, 0, v, 1 / before, w);
        norm = before = norm_of(n, v);
    }
    l->largest = SAFETY * (norm > 0 && isfinite(norm) ? norm : 1);
}

static abut_status prepare_level(multigrid *m, multigrid_level *l, bool fresh, abut_error *err)
{
    size_t n = scalars_of(l);
    if (!array_resize(&l->inverse, (size_t)l->a.rows * block_csr_area(&l->a)) ||
        !array_resize(&l->highest, n) || !array_resize(&l->x, n) || !array_resize(&l->right, n) ||
        !array_resize(&l->residual, n) || !array_resize(&l->change, n))
        return error_memory(err, "preparing multigrid");
    parallel_for((size_t)l->a.rows, TASK, invert_range, l);
    estimate_largest(l, fresh);
    m->setup_work +=
        WORK_ENTRY * entries_of(&l->a) * (2 + (fresh ? POWER_ITERATIONS : REFRESH_ITERATIONS));
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Levels                                                                                         */

/* The motions of a rigid body at every block: per scalar row one value for each. */
static abut_status set_modes(multigrid *m, int32_t blocks, const double *position,
                             const uint8_t *mask, int count, abut_error *err)
{
    if (!array_resize(&m->modes, 3 * (size_t)blocks * (size_t)count + 1))
        return error_memory(err, "preparing multigrid");
    memset(m->modes.data, 0, m->modes.count * sizeof(double));
    double middle[3] = {0}, points = 0;
    for (size_t i = 0; position && i < 3 * (size_t)blocks; i += 3) {
        if (!isfinite(position[i])) continue;
        for (size_t c = 0; c < 3; c++) middle[c] += position[i + c];
        points++;
    }
    for (size_t c = 0; c < 3; c++) middle[c] /= points > 0 ? points : 1;
    for (size_t i = 0; i < (size_t)blocks; i++) {
        if (position && !isfinite(position[3 * i])) continue;
        double *block = m->modes.data + 3 * (size_t)count * i, y[3] = {0};
        for (size_t c = 0; position && c < 3; c++) y[c] = position[3 * i + c] - middle[c];
        for (int c = 0; c < 3; c++) block[c * count + c] = 1;
        for (int t = 0; t + 3 < count; t++) { /* about axis t */
            int a = (t + 1) % 3, b = (t + 2) % 3;
            block[a * count + 3 + t] = -y[b];
            block[b * count + 3 + t] = y[a];
        }
        for (size_t c = 0; mask && c < 3; c++)
            if (mask[3 * i + c])
                memset(block + c * (size_t)count, 0, (size_t)count * sizeof *block);
    }
    return ABUT_OK;
}

/* P = T - factor D^-1 A T, where product holds A T. */
static void smooth_prolongation(const multigrid_level *l, const block_csr *t, block_csr *p)
{
    size_t n = (size_t)l->a.height, w = (size_t)p->width;
    double factor = SAFETY * 4.0 / (3.0 * l->largest);
    for (int32_t i = 0; i < p->rows; i++) {
        const double *inverse = l->inverse.data + n * n * (size_t)i;
        bool own = t->start.data[i + 1] > t->start.data[i];
        for (int32_t k = p->start.data[i]; k < p->start.data[i + 1]; k++) {
            double *block = block_csr_block(p, k), result[BLOCK_CSR_MAX * BLOCK_CSR_MAX];
            for (size_t r = 0; r < n; r++)
                for (size_t c = 0; c < w; c++) {
                    double sum = 0;
                    for (size_t q = 0; q < n; q++) sum += inverse[r * n + q] * block[q * w + c];
                    result[r * w + c] = -factor * sum;
                }
            if (own && p->column.data[k] == t->column.data[t->start.data[i]]) {
                const double *one = block_csr_block(t, t->start.data[i]);
                for (size_t q = 0; q < n * w; q++) result[q] += one[q];
            }
            memcpy(block, result, n * w * sizeof *block);
        }
    }
}

/* Motions that an aggregate cannot make have no equation: x = 0. */
static void fill_dead_diagonal(block_csr *a)
{
    size_t n = (size_t)a->height;
    for (int32_t i = 0; i < a->rows; i++) {
        double *block = block_csr_block(a, diagonal_slot(a, i)), largest = 0;
        for (size_t c = 0; c < n; c++) largest = fmax(largest, block[c * n + c]);
        for (size_t c = 0; c < n; c++)
            if (!(block[c * n + c] > 1e-14 * largest)) {
                for (size_t q = 0; q < n; q++) block[c * n + q] = block[q * n + c] = 0;
                block[c * n + c] = largest > 0 ? largest : 1;
            }
    }
}

/* A product, with its pattern where that is new, which takes about as long. Products of levels that
 * hardly become coarser fill up: they are counted before they are made. */
static abut_status multiply_levels(multigrid *m, const block_csr *a, const block_csr *b, bool same,
                                   block_csr *out, abut_error *err)
{
    double work = (same ? 1 : 2) * WORK_COARSEN * block_csr_product_size(a, b);
    if (m->most_work > 0 && m->setup_work + work > m->most_work)
        return error_set(err, ABUT_ERROR_NOT_CONVERGED, "", "the levels of multigrid fill up");
    m->setup_work += work;
    return block_csr_product(a, b, same, out, err);
}

static abut_status coarse_matrix(multigrid *m, multigrid_level *l, multigrid_level *next, bool same,
                                 abut_error *err)
{
    TRY(multiply_levels(m, &l->a, &l->prolongation, same, &l->product, err));
    TRY(multiply_levels(m, &l->restriction, &l->product, same, &next->a, err));
    fill_dead_diagonal(&next->a);
    return ABUT_OK;
}

/* Makes the level below l; false in *made when there is nothing to gain. */
static abut_status coarsen(multigrid *m, int k, int modes, bool *made, abut_error *err)
{
    multigrid_level *l = &m->levels[k], *next = &m->levels[k + 1];
    int32_t count = 0;
    *made = false;
    if (!array_resize(&m->aggregate, (size_t)l->a.rows))
        return error_memory(err, "preparing multigrid");
    TRY(aggregate_blocks(&l->a, ldexp(STRONG, -k), m->aggregate.data, &count, err));
    if (count == 0 || count > 0.7 * l->a.rows) return ABUT_OK;
    if (!array_resize(&m->coarse_modes, (size_t)count * (size_t)(modes * modes)))
        return error_memory(err, "preparing multigrid");
    TRY(aggregate_prolongation(&l->a, m->aggregate.data, count, m->modes.data, modes, &m->tentative,
                               m->coarse_modes.data, err));
    TRY(multiply_levels(m, &l->a, &m->tentative, false, &l->prolongation, err));
    smooth_prolongation(l, &m->tentative, &l->prolongation);
    TRY(block_csr_transpose(&l->prolongation, &l->restriction, err));
    TRY(coarse_matrix(m, l, next, false, err));
    if (!array_resize(&m->modes, m->coarse_modes.count))
        return error_memory(err, "preparing multigrid");
    memcpy(m->modes.data, m->coarse_modes.data, m->coarse_modes.count * sizeof(double));
    *made = true;
    return ABUT_OK;
}

/* The coarsest level, when it is small enough to be solved. */
static abut_status factorize_coarsest(multigrid *m, abut_error *err)
{
    const multigrid_level *l = &m->levels[m->level_count - 1];
    const block_csr *a = &l->a;
    size_t n = scalars_of(l), b = (size_t)a->height;
    array_clear(&m->factor);
    if (n > 2 * COARSEST) return ABUT_OK;
    if (!array_resize(&m->factor, n * n) || !array_resize(&m->columns, (COLUMNS + 1) * n))
        return error_memory(err, "preparing multigrid");
    memset(m->factor.data, 0, n * n * sizeof(double));
    for (size_t i = 0; i < (size_t)a->rows; i++)
        for (int32_t k = a->start.data[i]; k < a->start.data[i + 1]; k++)
            for (size_t r = 0; r < b; r++)
                for (size_t c = 0; c < b; c++)
                    m->factor.data[(b * i + r) * n + b * (size_t)a->column.data[k] + c] =
                        block_csr_block(a, k)[r * b + c];
    m->setup_work += WORK_DENSE * (double)n * (double)n * (double)n;
    if (!dense_factorize_large(m->factor.data, n, m->columns.data)) array_clear(&m->factor);
    return ABUT_OK;
}

abut_status multigrid_build(multigrid *m, const block_matrix *a, const double *position,
                            const uint8_t *mask, abut_error *err)
{
    int modes = position ? 6 : 3;
    m->level_count = 0; /* nothing is usable until this is done */
    TRY(block_csr_from_symmetric(&m->levels[0].a, a, false, err));
    TRY(set_modes(m, a->size, position, mask, modes, err));
    int count = 0;
    for (bool made = true; made; count++) {
        multigrid_level *l = &m->levels[count];
        TRY(prepare_level(m, l, true, err));
        made = false;
        if (count + 1 < MULTIGRID_LEVELS && scalars_of(l) > COARSEST)
            TRY(coarsen(m, count, modes, &made, err));
    }
    m->level_count = count;
    TRY(factorize_coarsest(m, err));
    return single_multigrid_set(&m->single, m, false, err);
}

abut_status multigrid_refresh(multigrid *m, const block_matrix *a, abut_error *err)
{
    TRY(block_csr_from_symmetric(&m->levels[0].a, a, true, err));
    for (int k = 0; k < m->level_count; k++) {
        TRY(prepare_level(m, &m->levels[k], false, err));
        if (k + 1 < m->level_count)
            TRY(coarse_matrix(m, &m->levels[k], &m->levels[k + 1], true, err));
    }
    TRY(factorize_coarsest(m, err));
    return single_multigrid_set(&m->single, m, false, err);
}

abut_status multigrid_replace_finest(multigrid *m, const block_matrix *a, bool same,
                                     abut_error *err)
{
    TRY(block_csr_from_symmetric(&m->levels[0].a, a, same, err));
    TRY(prepare_level(m, &m->levels[0], false, err));
    return single_multigrid_set(&m->single, m, true, err);
}

void multigrid_widen(multigrid *m)
{
    static const double WIDER = 1.5;
    for (int k = 0; k < m->level_count; k++) m->levels[k].largest *= WIDER;
}

/* ---------------------------------------------------------------------------------------------- */
/* Cycle                                                                                          */

static void cycle(multigrid *m, int k, const double *b, double *x)
{
    multigrid_level *l = &m->levels[k];
    if (k + 1 == m->level_count) {
        if (m->factor.count > 0) {
            memcpy(x, b, scalars_of(l) * sizeof *x);
            dense_solve(m->factor.data, scalars_of(l), x);
        } else {
            smooth(l, b, x, true);
        }
        return;
    }
    multigrid_level *next = &m->levels[k + 1];
    smooth(l, b, x, true);
    block_csr_multiply(&l->a, x, b, l->residual.data);
    block_csr_multiply(&l->restriction, l->residual.data, NULL, next->right.data);
    cycle(m, k + 1, next->right.data, next->x.data);
    block_csr_multiply(&l->prolongation, next->x.data, NULL, l->change.data);
    add(l, x, l->change.data);
    smooth(l, b, x, false);
}

void multigrid_solve_coarsest(const multigrid *m, double *x)
{
    dense_solve(m->factor.data, scalars_of(&m->levels[m->level_count - 1]), x);
}

void multigrid_cycle(multigrid *m, const double *r, double *z)
{
    if (m->single.ready)
        single_multigrid_cycle(&m->single, m, r, z);
    else
        cycle(m, 0, r, z);
}

void multigrid_multiply(const multigrid *m, const double *x, double *y)
{
    block_csr_multiply(&m->levels[0].a, x, NULL, y);
}
