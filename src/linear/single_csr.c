#include "linear/single_csr.h"

#include "base/parallel.h"

#include <string.h>

enum { ROWS_PER_TASK = 256 };

/* Rows of a block are read four or eight numbers at a time; what is beyond the row is multiplied,
 * too, and not looked at. */
typedef float four __attribute__((vector_size(16), may_alias, aligned(4)));
typedef float eight __attribute__((vector_size(32), may_alias, aligned(4)));

void single_csr_free(single_csr *s)
{
    array_free(&s->value);
    s->pattern = NULL;
}

size_t single_csr_bytes(const single_csr *s) { return s->value.capacity * sizeof *s->value.data; }

typedef struct conversion {
    const double *from;
    float *to;
    double scale;
} conversion;

static void convert_range(void *context, size_t begin, size_t end)
{
    const conversion *c = context;
    for (size_t i = begin; i < end; i++) c->to[i] = (float)(c->scale * c->from[i]);
}

abut_status single_csr_set(single_csr *s, const block_csr *m, double scale, abut_error *err)
{
    size_t n = (size_t)m->start.data[m->rows] * block_csr_area(m);
    if (!array_resize(&s->value, n + SINGLE_PADDING))
        return error_memory(err, "preparing multigrid");
    s->pattern = m;
    memset(s->value.data + n, 0, SINGLE_PADDING * sizeof(float));
    conversion c = {m->value.data, s->value.data, scale};
    parallel_for(n, 1 << 16, convert_range, &c);
    return ABUT_OK;
}

typedef struct single_work {
    const single_csr *s;
    const float *x, *b;
    float *y;
} single_work;

static inline void store_row(const single_work *w, size_t at, float sum)
{
    w->y[at] = w->b ? w->b[at] - sum : sum;
}

/* Blocks of three columns. */
static inline void multiply_narrow(const single_work *w, size_t begin, size_t end, size_t height)
{
    const block_csr *m = w->s->pattern;
    for (size_t i = begin; i < end; i++) {
        four sum[BLOCK_CSR_MAX] = {{0}};
        const float *block = w->s->value.data + 3 * height * (size_t)m->start.data[i];
        for (int32_t k = m->start.data[i]; k < m->start.data[i + 1]; k++, block += 3 * height) {
            four x = *(const four *)(w->x + 3 * (size_t)m->column.data[k]);
#pragma GCC unroll 6
            for (size_t r = 0; r < height; r++) sum[r] += *(const four *)(block + 3 * r) * x;
        }
        for (size_t r = 0; r < height; r++)
            store_row(w, height * i + r, sum[r][0] + sum[r][1] + sum[r][2]);
    }
}

/* Blocks of six columns. */
static inline void multiply_wide(const single_work *w, size_t begin, size_t end, size_t height)
{
    const block_csr *m = w->s->pattern;
    for (size_t i = begin; i < end; i++) {
        eight sum[BLOCK_CSR_MAX] = {{0}};
        const float *block = w->s->value.data + 6 * height * (size_t)m->start.data[i];
        for (int32_t k = m->start.data[i]; k < m->start.data[i + 1]; k++, block += 6 * height) {
            eight x = *(const eight *)(w->x + 6 * (size_t)m->column.data[k]);
#pragma GCC unroll 6
            for (size_t r = 0; r < height; r++) sum[r] += *(const eight *)(block + 6 * r) * x;
        }
        for (size_t r = 0; r < height; r++)
            store_row(w, height * i + r,
                      (sum[r][0] + sum[r][1] + sum[r][2]) + (sum[r][3] + sum[r][4] + sum[r][5]));
    }
}

/* A copy of the loop for each of the shapes that occur. */
static void multiply_range(void *context, size_t begin, size_t end)
{
    const single_work *w = context;
    bool tall = w->s->pattern->height == 6;
    if (w->s->pattern->width == 3 && tall)
        multiply_narrow(w, begin, end, 6);
    else if (w->s->pattern->width == 3)
        multiply_narrow(w, begin, end, 3);
    else if (tall)
        multiply_wide(w, begin, end, 6);
    else
        multiply_wide(w, begin, end, 3);
}

void single_csr_multiply(const single_csr *s, const float *x, const float *b, float *y)
{
    single_work w = {s, x, b, y};
    parallel_for((size_t)s->pattern->rows, ROWS_PER_TASK, multiply_range, &w);
}
