#include "linear/aggregation.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------- */
/* Aggregates                                                                                     */

static double norm2(const double *block, size_t area)
{
    double sum = 0;
    for (size_t k = 0; k < area; k++) sum += block[k] * block[k];
    return sum;
}

static void diagonal_norms(const block_csr *a, double *out)
{
    for (int32_t i = 0; i < a->rows; i++) {
        out[i] = 0;
        for (int32_t k = a->start.data[i]; k < a->start.data[i + 1]; k++)
            if (a->column.data[k] == i) out[i] = norm2(block_csr_block(a, k), block_csr_area(a));
    }
}

/* Strong couplings as flags of the blocks. */
static void mark_strong(const block_csr *a, double threshold, const double *diagonal,
                        uint8_t *strong)
{
    double factor = pow(threshold, 4);
    for (int32_t i = 0; i < a->rows; i++)
        for (int32_t k = a->start.data[i]; k < a->start.data[i + 1]; k++) {
            int32_t j = a->column.data[k];
            double n2 = j == i ? 0 : norm2(block_csr_block(a, k), block_csr_area(a));
            strong[k] = n2 > 0 && n2 * n2 > factor * diagonal[i] * diagonal[j];
        }
}

/* First aggregates: blocks all of whose strong neighbours are free, with these. */
static int32_t take_whole(const block_csr *a, const uint8_t *strong, int32_t *aggregate)
{
    int32_t count = 0;
    for (int32_t i = 0; i < a->rows; i++) {
        bool any = false, whole = aggregate[i] < 0;
        for (int32_t k = a->start.data[i]; whole && k < a->start.data[i + 1]; k++) {
            if (!strong[k]) continue;
            any = true;
            whole = aggregate[a->column.data[k]] < 0;
        }
        if (!whole || !any) continue;
        aggregate[i] = count;
        for (int32_t k = a->start.data[i]; k < a->start.data[i + 1]; k++)
            if (strong[k]) aggregate[a->column.data[k]] = count;
        count++;
    }
    return count;
}

/* Blocks that are left join the neighbour they are coupled to most. */
static void join_neighbours(const block_csr *a, const uint8_t *strong, int32_t first_count,
                            const int32_t *before, int32_t *aggregate)
{
    for (int32_t i = 0; i < a->rows; i++) {
        double best = 0;
        if (before[i] >= 0) continue;
        for (int32_t k = a->start.data[i]; k < a->start.data[i + 1]; k++) {
            int32_t other = before[a->column.data[k]];
            if (!strong[k] || other < 0 || other >= first_count) continue;
            double n2 = norm2(block_csr_block(a, k), block_csr_area(a));
            if (n2 <= best) continue;
            best = n2;
            aggregate[i] = other;
        }
    }
}

/* What is still left forms aggregates of its own. */
static int32_t take_rest(const block_csr *a, const uint8_t *strong, int32_t count,
                         int32_t *aggregate)
{
    for (int32_t i = 0; i < a->rows; i++) {
        if (aggregate[i] >= 0) continue;
        bool any = false;
        for (int32_t k = a->start.data[i]; k < a->start.data[i + 1]; k++) {
            int32_t j = a->column.data[k];
            if (!strong[k] || aggregate[j] >= 0) continue;
            aggregate[j] = count;
            any = true;
        }
        if (any) aggregate[i] = count++;
    }
    return count;
}

abut_status aggregate_blocks(const block_csr *a, double threshold, int32_t *aggregate,
                             int32_t *count, abut_error *err)
{
    size_t n = (size_t)a->rows;
    double *diagonal = mem_alloc(n + 1, sizeof *diagonal);
    uint8_t *strong = mem_alloc((size_t)a->start.data[n] + 1, 1);
    int32_t *before = mem_alloc(n + 1, sizeof *before);
    bool ok = diagonal && strong && before;
    if (ok) {
        diagonal_norms(a, diagonal);
        mark_strong(a, threshold, diagonal, strong);
        for (size_t i = 0; i < n; i++) aggregate[i] = -1;
        *count = take_whole(a, strong, aggregate);
        memcpy(before, aggregate, n * sizeof *before);
        join_neighbours(a, strong, *count, before, aggregate);
        *count = take_rest(a, strong, *count, aggregate);
    }
    mem_free(diagonal);
    mem_free(strong);
    mem_free(before);
    return ok ? ABUT_OK : error_memory(err, "preparing multigrid");
}

/* ---------------------------------------------------------------------------------------------- */
/* Prolongation                                                                                   */

static abut_status prolongation_pattern(const block_csr *a, const int32_t *aggregate, int32_t count,
                                        int mode_count, block_csr *out, abut_error *err)
{
    size_t n = (size_t)a->rows;
    out->rows = a->rows;
    out->columns = count;
    out->height = a->height;
    out->width = mode_count;
    if (!array_resize(&out->start, n + 1) || !array_resize(&out->column, n) ||
        !array_resize(&out->value, n * block_csr_area(out)))
        return error_memory(err, "preparing multigrid");
    int32_t blocks = 0;
    for (size_t i = 0; i < n; i++) {
        out->start.data[i] = blocks;
        if (aggregate[i] >= 0) out->column.data[blocks++] = aggregate[i];
    }
    out->start.data[n] = blocks;
    out->column.count = (size_t)blocks;
    out->value.count = (size_t)blocks * block_csr_area(out);
    return ABUT_OK;
}

/* Sum over the rows of an aggregate of the product of two columns of its blocks. */
static double column_dot(const block_csr *p, const int32_t *members, int32_t size, int a, int b)
{
    double sum = 0;
    for (int32_t m = 0; m < size; m++) {
        const double *block = block_csr_block(p, p->start.data[members[m]]);
        for (int r = 0; r < p->height; r++)
            sum += block[r * p->width + a] * block[r * p->width + b];
    }
    return sum;
}

/* column b -= factor * column a, or column b *= factor when a = b. */
static void change_column(const block_csr *p, const int32_t *members, int32_t size, int a, int b,
                          double factor)
{
    for (int32_t m = 0; m < size; m++) {
        double *block = block_csr_block(p, p->start.data[members[m]]);
        for (int r = 0; r < p->height; r++) {
            double *row = block + r * p->width;
            row[b] = a == b ? factor * row[b] : row[b] - factor * row[a];
        }
    }
}

/* Makes the columns of one aggregate orthonormal; `factor` (width x width) takes them back. Columns
 * that depend on the others become 0: a few blocks cannot make all motions. */
static void orthonormalise(const block_csr *p, const int32_t *members, int32_t size, double *factor)
{
    int n = p->width;
    memset(factor, 0, (size_t)(n * n) * sizeof *factor);
    for (int b = 0; b < n; b++) {
        double before = sqrt(column_dot(p, members, size, b, b));
        for (int pass = 0; pass < 2; pass++) /* twice is enough */
            for (int a = 0; a < b; a++) {
                double part = column_dot(p, members, size, a, b);
                factor[a * n + b] += part;
                change_column(p, members, size, a, b, part);
            }
        double after = sqrt(column_dot(p, members, size, b, b));
        bool independent = after > 1e-8 * before && after > 0;
        factor[b * n + b] = independent ? after : 0;
        change_column(p, members, size, b, b, independent ? 1 / after : 0);
    }
}

abut_status aggregate_prolongation(const block_csr *a, const int32_t *aggregate, int32_t count,
                                   const double *modes, int mode_count, block_csr *out,
                                   double *coarse, abut_error *err)
{
    TRY(prolongation_pattern(a, aggregate, count, mode_count, out, err));
    int32_t *start = mem_calloc((size_t)count + 2, sizeof *start);
    int32_t *members = mem_alloc((size_t)a->rows + 1, sizeof *members);
    if (!start || !members) {
        mem_free(start);
        mem_free(members);
        return error_memory(err, "preparing multigrid");
    }
    for (int32_t i = 0; i < a->rows; i++)
        if (aggregate[i] >= 0) start[aggregate[i] + 2]++;
    for (int32_t g = 0; g < count; g++) start[g + 2] += start[g + 1];
    size_t area = block_csr_area(out);
    for (int32_t i = 0; i < a->rows; i++) {
        if (aggregate[i] < 0) continue;
        members[start[aggregate[i] + 1]++] = i;
        memcpy(block_csr_block(out, out->start.data[i]), modes + area * (size_t)i,
               area * sizeof *modes);
    }
    size_t square = (size_t)(mode_count * mode_count);
    for (int32_t g = 0; g < count; g++)
        orthonormalise(out, members + start[g], start[g + 1] - start[g],
                       coarse + square * (size_t)g);
    mem_free(start);
    mem_free(members);
    return ABUT_OK;
}
