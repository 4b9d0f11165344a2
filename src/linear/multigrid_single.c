#include "linear/multigrid_single.h"

#include "base/parallel.h"
#include "linear/multigrid.h"

#include <math.h>
#include <string.h>

enum { TASK = 512, CHUNK = 8192 };

/* What a block's own mass (all that resists when all blocks move alike) must be of its stiffness:
 * rounding adds or takes 2^-24 of the stiffness, which must be little beside the mass. */
static const double LEAST_MASS = 0x1p-17;

static void level_free(single_level *l)
{
    single_csr_free(&l->a);
    single_csr_free(&l->prolongation);
    single_csr_free(&l->restriction);
    array_free(&l->inverse);
    array_free(&l->x);
    array_free(&l->right);
    array_free(&l->residual);
    array_free(&l->change);
}

void single_multigrid_free(single_multigrid *s)
{
    for (int k = 0; k < MULTIGRID_LEVELS; k++) level_free(&s->levels[k]);
    array_free(&s->coarsest);
    memset(s, 0, sizeof *s);
}

size_t single_multigrid_bytes(const single_multigrid *s)
{
    size_t sum = 0;
    for (int k = 0; k < MULTIGRID_LEVELS; k++) {
        const single_level *l = &s->levels[k];
        sum += single_csr_bytes(&l->a) + single_csr_bytes(&l->prolongation) +
               single_csr_bytes(&l->restriction) +
               sizeof(float) * (l->inverse.capacity + l->x.capacity + l->right.capacity +
                                l->residual.capacity + l->change.capacity);
    }
    return sum;
}

/* ---------------------------------------------------------------------------------------------- */
/* Conversion                                                                                     */

/* The least share of a block row's sum in its diagonal, and the largest diagonal entry. */
static double least_mass(const block_csr *a, double *largest)
{
    double least = INFINITY;
    *largest = 0;
    for (int32_t i = 0; i < a->rows; i++) {
        double sum[3] = {0}, diagonal[3] = {0};
        for (int32_t k = a->start.data[i]; k < a->start.data[i + 1]; k++)
            for (size_t c = 0; c < 3; c++) {
                double entry = block_csr_block(a, k)[4 * c];
                sum[c] += entry;
                if (a->column.data[k] == i) diagonal[c] = entry;
            }
        for (size_t c = 0; c < 3; c++) {
            if (!(diagonal[c] > 0) || !isfinite(diagonal[c])) return 0;
            least = fmin(least, fabs(sum[c]) / diagonal[c]);
            *largest = fmax(*largest, diagonal[c]);
        }
    }
    return least;
}

static bool vectors_of(single_level *l, const multigrid_level *from)
{
    size_t n = (size_t)from->a.rows * (size_t)from->a.height + SINGLE_PADDING;
    size_t inverse = (size_t)from->a.rows * block_csr_area(&from->a);
    if (!array_resize(&l->inverse, inverse) || !array_resize(&l->x, n) ||
        !array_resize(&l->right, n) || !array_resize(&l->residual, n) ||
        !array_resize(&l->change, n))
        return false;
    memset(l->x.data, 0, n * sizeof(float));
    memset(l->right.data, 0, n * sizeof(float));
    memset(l->residual.data, 0, n * sizeof(float));
    memset(l->change.data, 0, n * sizeof(float));
    return true;
}

static abut_status convert_level(single_multigrid *s, const multigrid *m, int k, abut_error *err)
{
    single_level *l = &s->levels[k];
    const multigrid_level *from = &m->levels[k];
    if (!vectors_of(l, from)) return error_memory(err, "preparing multigrid");
    for (size_t i = 0; i < l->inverse.count; i++)
        l->inverse.data[i] = (float)(from->inverse.data[i] / s->scale);
    TRY(single_csr_set(&l->a, &from->a, s->scale, err));
    if (k + 1 == m->level_count) return ABUT_OK;
    TRY(single_csr_set(&l->prolongation, &from->prolongation, 1, err));
    return single_csr_set(&l->restriction, &from->restriction, 1, err);
}

static size_t scalars_of(const single_level *l)
{
    return (size_t)l->a.pattern->rows * (size_t)l->a.pattern->height;
}

abut_status single_multigrid_set(single_multigrid *s, const multigrid *m, bool finest_only,
                                 abut_error *err)
{
    double largest = 0;
    bool fits = m->level_count > 1 && m->factor.count > 0 &&
                least_mass(&m->levels[0].a, &largest) > LEAST_MASS;
    bool all = !finest_only || !s->ready;
    s->ready = false;
    if (!fits) return ABUT_OK;
    if (all) s->scale = ldexp(1, -ilogb(largest));
    for (int k = 0; k < (all ? m->level_count : 1); k++) TRY(convert_level(s, m, k, err));
    if (!array_resize(&s->coarsest, scalars_of(&s->levels[m->level_count - 1])))
        return error_memory(err, "preparing multigrid");
    s->ready = true;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Cycle                                                                                          */

static inline void scale_blocks(const single_level *l, size_t begin, size_t end, size_t n)
{
    for (size_t i = begin; i < end; i++) {
        const float *inverse = l->inverse.data + n * n * i, *from = l->from + n * i;
        float *to = l->to + n * i;
        for (size_t r = 0; r < n; r++) {
            float sum = 0;
            for (size_t c = 0; c < n; c++) sum += inverse[c * n + r] * from[c]; /* symmetric */
            to[r] = l->keep * to[r] + l->add * sum;
        }
    }
}

/* to = keep * to + add * D^-1 from */
static void scale_range(void *context, size_t begin, size_t end)
{
    const single_level *l = context;
    if (l->a.pattern->height == 3)
        scale_blocks(l, begin, end, 3);
    else
        scale_blocks(l, begin, end, 6);
}

static void scale(single_level *l, double keep, float *to, double add, const float *from)
{
    l->keep = (float)keep;
    l->to = to;
    l->add = (float)add;
    l->from = from;
    parallel_for((size_t)l->a.pattern->rows, TASK, scale_range, l);
}

static void add_range(void *context, size_t begin, size_t end)
{
    const single_level *l = context;
    for (size_t i = begin; i < end; i++) l->to[i] += l->from[i];
}

static void add(single_level *l, float *to, const float *from)
{
    l->to = to;
    l->from = from;
    parallel_for(scalars_of(l), CHUNK, add_range, l);
}

/* Chebyshev polynomial of degree 2 on the upper part of the spectrum, as in double precision; from
 * zero when `fresh`. */
static void smooth(single_level *l, double largest, const float *b, float *x, bool fresh)
{
    size_t n = scalars_of(l);
    multigrid_smoothing w = multigrid_smoothing_of(largest);
    float *d = l->change.data, *r = l->residual.data;
    if (!fresh) single_csr_multiply(&l->a, x, b, r);
    scale(l, 0, d, w.first, fresh ? b : r);
    if (fresh)
        memcpy(x, d, n * sizeof *x);
    else
        add(l, x, d);
    single_csr_multiply(&l->a, x, b, r);
    scale(l, w.keep, d, w.second, r);
    add(l, x, d);
}

static void solve_coarsest(single_multigrid *s, const multigrid *m, single_level *l)
{
    size_t n = scalars_of(l);
    double *x = s->coarsest.data;
    for (size_t i = 0; i < n; i++) x[i] = l->right.data[i];
    multigrid_solve_coarsest(m, x);
    for (size_t i = 0; i < n; i++) l->x.data[i] = (float)(x[i] / s->scale);
}

static void cycle(single_multigrid *s, const multigrid *m)
{
    int last = m->level_count - 1;
    for (int k = 0; k < last; k++) {
        single_level *l = &s->levels[k];
        smooth(l, m->levels[k].largest, l->right.data, l->x.data, true);
        single_csr_multiply(&l->a, l->x.data, l->right.data, l->residual.data);
        single_csr_multiply(&l->restriction, l->residual.data, NULL, s->levels[k + 1].right.data);
    }
    solve_coarsest(s, m, &s->levels[last]);
    for (int k = last - 1; k >= 0; k--) {
        single_level *l = &s->levels[k];
        single_csr_multiply(&l->prolongation, s->levels[k + 1].x.data, NULL, l->change.data);
        add(l, l->x.data, l->change.data);
        smooth(l, m->levels[k].largest, l->right.data, l->x.data, false);
    }
}

void single_multigrid_cycle(single_multigrid *s, const multigrid *m, const double *r, double *z)
{
    single_level *l = &s->levels[0];
    size_t n = scalars_of(l);
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(r[i]));
    int exponent = largest > 0 && isfinite(largest) ? ilogb(largest) : 0;
    double down = ldexp(1, -exponent), up = ldexp(s->scale, exponent);
    for (size_t i = 0; i < n; i++) l->right.data[i] = (float)(down * r[i]);
    cycle(s, m);
    for (size_t i = 0; i < n; i++) z[i] = up * (double)l->x.data[i];
}
