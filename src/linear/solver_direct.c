/* Sparse Cholesky factorisation by supernodes on 3x3 blocks.
 *
 * A supernode pulls the updates of those below it in the tree, in a fixed order, straight into its
 * panel: nothing is kept but the factor. The right side is one more row of the matrix, so that the
 * factorisation also solves with the lower triangle. Subtrees are independent of each other and
 * shared out to the threads; above them, threads share the rows of one panel. The bits are the same
 * for any number of threads. */
#include "base/parallel.h"
#include "linear/order.h"
#include "linear/panel.h"
#include "linear/solver.h"
#include "linear/symbolic.h"
#include "linear/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A factor that has grown by more than this since its order was made is ordered anew. */
static const double FILL_GROWTH = 1.2;

/* Multiplications below which a second thread costs more than it helps. */
static const double SMALL_FACTOR = 1e6, SMALL_PANEL = 2e5;

/* Below this many blocks nested dissection is not tried. */
enum { SMALL_SYSTEM = 300 };

enum { STRIP_BLOCKS = PANEL_STRIP / 3, SHARE_BLOCKS = 2 * STRIP_BLOCKS };

typedef struct solver_direct {
    symbolic pattern;
    uint64_t pattern_stamp;
    bool analysed;
    int_list order; /* given to the analysis, kept while the pattern changes little */
    double order_fill;
    ARRAY(double) factor;
    ARRAY(double) solution; /* in the order of elimination */
    /* How the work is shared out. */
    int_list tasks, top;  /* roots of subtrees, largest first; supernodes above them, ascending */
    size_t tasks_at_once; /* all of them when one thread is enough */
    ARRAY(double) subtree_work;
    int_list failed;        /* per task: column (scalar) that is not positive, or -1 */
    size_t workers;         /* that there is memory for */
    int_list panel_row;     /* per worker: block row -> row in the panel at work */
    ARRAY(double) gathered; /* per worker: entries of the solution beside a panel */
    /* The panel at work, of which threads take shares of rows. */
    const block_matrix *matrix;
    const double *right;
    int32_t panel_node;
    double inverse[PANEL_MAX_COLUMNS];
} solver_direct;

static abut_status create(const linear_options *options, void **self, abut_error *err)
{
    (void)options;
    solver_direct *s = mem_calloc(1, sizeof *s);
    if (!s) return error_memory(err, "creating the linear solver");
    *self = s;
    return ABUT_OK;
}

static void destroy(void *self)
{
    solver_direct *s = self;
    symbolic_free(&s->pattern);
    array_free(&s->order);
    array_free(&s->factor);
    array_free(&s->solution);
    array_free(&s->tasks);
    array_free(&s->top);
    array_free(&s->subtree_work);
    array_free(&s->failed);
    array_free(&s->panel_row);
    array_free(&s->gathered);
    mem_free(s);
}

/* ---------------------------------------------------------------------------------------------- */
/* Analysis                                                                                       */

/* An order and what follows from it. */
typedef struct ordered_pattern {
    int_list order;
    symbolic pattern;
} ordered_pattern;

typedef abut_status (*ordering)(const block_matrix *a, int32_t *order, abut_error *err);
static abut_status try_order(ordered_pattern *o, const block_matrix *a, ordering rule,
                             abut_error *err)
{
    if (!array_resize(&o->order, (size_t)a->size))
        return error_memory(err, "ordering the sparse matrix");
    TRY(rule(a, o->order.data, err));
    return symbolic_analyse(&o->pattern, a, o->order.data, err);
}

/* Nested dissection, when it leaves less work than what is there. */
static abut_status try_dissection(ordered_pattern *best, const block_matrix *a, abut_error *err)
{
    ordered_pattern other = {0};
    abut_status status = try_order(&other, a, order_by_dissection, err);
    if (status == ABUT_OK && other.pattern.work < best->pattern.work) {
        ordered_pattern swap = *best;
        *best = other;
        other = swap;
    }
    array_free(&other.order);
    symbolic_free(&other.pattern);
    return status;
}

/* Nested dissection is better for large bodies, minimum degree for small, thin and slender ones:
 * whichever leaves less work. */
static abut_status make_order(solver_direct *s, const block_matrix *a, abut_error *err)
{
    bool edges = a->column_start[a->size] > a->size; /* METIS refuses a graph without */
    s->order_fill = 0;                               /* no order until this is done */
    ordered_pattern best = {s->order, s->pattern};
    abut_status status = try_order(&best, a, order_by_minimum_degree, err);
    if (status == ABUT_OK && edges && a->size > SMALL_SYSTEM)
        status = try_dissection(&best, a, err);
    s->order = best.order;
    s->pattern = best.pattern;
    if (status == ABUT_OK) s->order_fill = (double)s->pattern.factor_size;
    return status;
}

/* Contacts come and go, but the order of a mesh stays good: a new order is made only when the
 * number of unknowns changes or the old order fills in too much. */
static abut_status analyse(solver_direct *s, const block_matrix *a, abut_error *err)
{
    bool keep = s->order.count == (size_t)a->size && s->order_fill > 0;
    s->analysed = false;
    if (keep) {
        TRY(symbolic_analyse(&s->pattern, a, s->order.data, err));
        keep = (double)s->pattern.factor_size <= FILL_GROWTH * s->order_fill;
    }
    if (!keep) TRY(make_order(s, a, err));
    s->pattern_stamp = a->pattern_stamp;
    s->analysed = true;
    return ABUT_OK;
}

static abut_status reserve_factor(solver_direct *s, abut_error *err)
{
    if (s->pattern.factor_size <= s->factor.capacity) return ABUT_OK;
    array_free(&s->factor); /* nothing in it is needed: no copy */
    if (!array_reserve(&s->factor, s->pattern.factor_size + s->pattern.factor_size / 8))
        return error_memory(err, "factorising the sparse matrix");
    return ABUT_OK;
}

static abut_status analyse_if_new(solver_direct *s, const block_matrix *a,
                                  linear_statistics *statistics, abut_error *err)
{
    if (s->analysed && s->pattern_stamp == a->pattern_stamp && s->pattern.size == a->size)
        return ABUT_OK;
    TRY(analyse(s, a, err));
    statistics->analyses++;
    statistics->setup_work +=
        WORK_ANALYSE * (double)(s->pattern.rows.count + a->column_start[a->size]);
    return ABUT_OK;
}

/* Counted, of a factor and its solution. */
static double direct_work(const solver_direct *s)
{
    return WORK_FACTOR * s->pattern.work + WORK_FACTOR_ENTRY * (double)s->pattern.factor_size;
}

abut_status direct_estimate(void *self, const block_matrix *a, linear_statistics *statistics,
                            double *entries, double *work, abut_error *err)
{
    solver_direct *s = self;
    TRY(analyse_if_new(s, a, statistics, err));
    *entries = (double)s->pattern.factor_size;
    *work =
        direct_work(s) + WORK_ANALYSE * (double)(s->pattern.rows.count + a->column_start[a->size]);
    return ABUT_OK;
}

static int compare_tasks(const void *a, const void *b, void *context)
{
    const double *work = context;
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    if (work[i] != work[j]) return work[i] > work[j] ? -1 : 1;
    return i < j ? -1 : 1;
}

/* Subtrees of at most an eighth of a thread's share become tasks; one thread takes whole trees. */
static abut_status share_out(solver_direct *s, int threads, abut_error *err)
{
    const symbolic *p = &s->pattern;
    size_t count = p->supernodes.count, n = (size_t)p->size, workers = (size_t)threads;
    if (!array_resize(&s->tasks, count) || !array_resize(&s->top, count) ||
        !array_resize(&s->failed, count + 1) || !array_resize(&s->subtree_work, count) ||
        !array_resize(&s->panel_row, workers * n) || !array_resize(&s->solution, 3 * n) ||
        !array_resize(&s->gathered,
                      workers * (3 * (size_t)p->max_rows + PANEL_MAX_COLUMNS + PANEL_PADDING)))
        return error_memory(err, "factorising the sparse matrix");
    s->workers = workers;
    s->tasks.count = s->top.count = 0;
    double limit = threads > 1 ? p->work / (8 * threads) : p->work, *work = s->subtree_work.data;
    for (size_t k = 0; k < count; k++) work[k] = 0;
    for (size_t k = 0; k < count; k++) {
        work[k] += p->supernodes.data[k].work;
        if (p->supernodes.data[k].parent >= 0) work[p->supernodes.data[k].parent] += work[k];
    }
    for (size_t k = 0; k < count; k++) {
        int32_t parent = p->supernodes.data[k].parent;
        if (work[k] > limit)
            s->top.data[s->top.count++] = (int32_t)k;
        else if (parent < 0 || work[parent] > limit)
            s->tasks.data[s->tasks.count++] = (int32_t)k;
    }
    s->tasks_at_once = threads > 1 ? 1 : s->tasks.count;
    qsort_r(s->tasks.data, s->tasks.count, sizeof *s->tasks.data, compare_tasks, work);
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Factorisation                                                                                  */

/* Where the block rows of a supernode are in its panel. */
static void set_panel_rows(const symbolic *p, const supernode *n, int32_t *panel_row)
{
    int32_t row = 0;
    for (int32_t j = n->first; j < n->last; j++) panel_row[j] = row++;
    for (int32_t r = n->row_begin; r < n->row_end; r++) panel_row[p->rows.data[r]] = row++;
}

/* The block rows [begin, end) of a panel, and the row of the right side when it is in the share. */
typedef struct row_share {
    int32_t begin, end;
    bool right_side;
} row_share;

static void clear_rows(double *panel, size_t columns, size_t stride, row_share share)
{
    size_t first = 3 * (size_t)share.begin;
    size_t rows = 3 * (size_t)(share.end - share.begin) + (share.right_side ? 1 : 0);
    if (rows == stride) {
        memset(panel, 0, columns * stride * sizeof *panel);
        return;
    }
    for (size_t c = 0; c < columns; c++)
        memset(panel + c * stride + first, 0, rows * sizeof *panel);
}

/* The blocks of the matrix in the columns of a supernode. */
static void add_matrix(const solver_direct *s, const supernode *n, const int32_t *panel_row,
                       row_share share, double *panel)
{
    const symbolic *p = &s->pattern;
    const block_matrix *a = s->matrix;
    size_t stride = supernode_stride(n);
    for (int32_t j = n->first; j < n->last; j++)
        for (int32_t k = p->block_start.data[j]; k < p->block_start.data[j + 1]; k++) {
            int32_t row = panel_row[p->blocks.data[k].row], slot = p->blocks.data[k].slot >> 1;
            if (row < share.begin || row >= share.end) continue;
            int32_t column = a->column[slot];
            size_t step = (size_t)block_matrix_stride(a, column);
            const double *from = a->value + block_matrix_offset(a, column, slot);
            double *to = panel + 3 * (size_t)(j - n->first) * stride + 3 * (size_t)row;
            bool turned = p->blocks.data[k].slot & 1;
            for (size_t c = 0; c < 3; c++)
                for (size_t r = 0; r < 3; r++)
                    to[c * stride + r] = turned ? from[r * step + c] : from[c * step + r];
        }
    for (int32_t j = n->first; share.right_side && j < n->last; j++)
        for (size_t c = 0; c < 3; c++)
            panel[(3 * (size_t)(j - n->first) + c + 1) * stride - 1] =
                s->right[3 * (size_t)p->order.data[j] + c];
}

/* Subtracts a strip of products: row r of the strip belongs to the panel's row target[r / 3] + r
 * % 3. rows is a multiple of 3, or one more when the last row is that of the right side. */
static void subtract_strip(const double *product, size_t rows, const size_t *target, double *column)
{
    size_t blocks = rows / 3, last = rows % 3;
    if (blocks > 0 && target[blocks - 1] - target[0] == 3 * (blocks - 1)) {
        double *to = column + target[0];
        for (size_t r = 0; r < 3 * blocks; r++) to[r] -= product[r];
    } else {
        for (size_t b = 0; b < blocks; b++) {
            double *to = column + target[b];
            to[0] -= product[3 * b];
            to[1] -= product[3 * b + 1];
            to[2] -= product[3 * b + 2];
        }
    }
    if (last) column[target[blocks]] -= product[3 * blocks];
}

/* The first of rows[begin, end) that is at `row` or below in the panel at work. */
static int32_t first_row_at(const int32_t *rows, int32_t begin, int32_t end,
                            const int32_t *panel_row, int32_t row)
{
    while (begin < end) {
        int32_t middle = begin + (end - begin) / 2;
        if (panel_row[rows[middle]] < row)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* Subtracts what one supernode below contributes to a share of the rows of the panel at work. */
static void apply_update(const solver_direct *s, const supernode *n, const supernode_update *update,
                         const int32_t *panel_row, row_share share, double *panel)
{
    const int32_t *rows = s->pattern.rows.data;
    const supernode *source = &s->pattern.supernodes.data[update->source];
    const double *below = s->factor.data + source->panel;
    size_t stride = supernode_stride(n), step = supernode_stride(source);
    size_t depth = supernode_columns(source);
    const double *wide = below + depth + 3 * (size_t)(update->begin - source->row_begin);
    int32_t begin = update->begin, end = source->row_end;
    if (share.begin > 0) begin = first_row_at(rows, begin, end, panel_row, share.begin);
    if (!share.right_side) end = first_row_at(rows, begin, end, panel_row, share.end);
    bool right_side = share.right_side;
    double product[PANEL_STRIP * PANEL_MAX_COLUMNS];
    for (int32_t r = begin; r < end || right_side; r += STRIP_BLOCKS) {
        int32_t blocks = end - r < STRIP_BLOCKS ? end - r : STRIP_BLOCKS;
        if (blocks < 0) blocks = 0;
        size_t target[STRIP_BLOCKS + 1], height = 3 * (size_t)blocks;
        for (int32_t b = 0; b < blocks; b++) target[b] = 3 * (size_t)panel_row[rows[r + b]];
        if (right_side && r + blocks >= end && blocks < STRIP_BLOCKS) {
            target[blocks] = stride - 1;
            height++;
            right_side = false;
        }
        /* Columns beyond the strip's last row are above the diagonal. */
        int32_t last = height % 3 || r + blocks > update->end ? update->end : r + blocks;
        size_t columns = 3 * (size_t)(last - update->begin);
        const double *strip = below + depth + 3 * (size_t)(r - source->row_begin);
        panel_product(height, columns, depth, strip, wide, step, product);
        for (int32_t c = update->begin; c < last; c++) {
            double *column = panel + 3 * (size_t)panel_row[rows[c]] * stride;
            const double *part = product + 3 * (size_t)(c - update->begin) * PANEL_STRIP;
            for (size_t k = 0; k < 3; k++)
                subtract_strip(part + k * PANEL_STRIP, height, target, column + k * stride);
        }
    }
}

/* A share of the rows of a panel, complete but for the factorisation of the panel itself. */
static void assemble_rows(const solver_direct *s, const supernode *n, const int32_t *panel_row,
                          row_share share)
{
    double *panel = s->factor.data + n->panel;
    clear_rows(panel, supernode_columns(n), supernode_stride(n), share);
    add_matrix(s, n, panel_row, share, panel);
    for (int32_t u = n->update_begin; u < n->update_end; u++)
        apply_update(s, n, &s->pattern.updates.data[u], panel_row, share, panel);
}

/* One supernode by one thread: the first column that fails (scalar), or -1. */
static int32_t factorize_node(const solver_direct *s, const supernode *n, int32_t *panel_row)
{
    double inverse[PANEL_MAX_COLUMNS], *panel = s->factor.data + n->panel;
    size_t columns = supernode_columns(n), stride = supernode_stride(n);
    set_panel_rows(&s->pattern, n, panel_row);
    row_share all = {0, n->last - n->first + n->row_end - n->row_begin, true};
    assemble_rows(s, n, panel_row, all);
    size_t done = panel_factorize(panel, columns, stride, inverse);
    if (done < columns) return 3 * n->first + (int32_t)done;
    panel_solve_rows(panel, columns, stride, columns, stride, inverse);
    return -1;
}

/* Which part of the workers' memory is the calling thread's. A solver that was asked for on a
 * helper of another loop runs alone. */
static size_t own_number(const solver_direct *s)
{
    size_t number = (size_t)parallel_worker();
    return number < s->workers ? number : 0;
}

static void factorize_tasks(void *context, size_t begin, size_t end)
{
    solver_direct *s = context;
    int32_t *panel_row = s->panel_row.data + own_number(s) * (size_t)s->pattern.size;
    for (size_t t = begin; t < end; t++) {
        int32_t root = s->tasks.data[t], failed = -1;
        int32_t first = s->pattern.supernodes.data[root].subtree_first;
        for (int32_t k = first; k <= root && failed < 0; k++)
            failed = factorize_node(s, &s->pattern.supernodes.data[k], panel_row);
        s->failed.data[t] = failed;
    }
}

/* Shares of SHARE_BLOCKS rows of the panel at work. */
static row_share share_of(const supernode *n, size_t share)
{
    int32_t height = n->last - n->first + n->row_end - n->row_begin;
    int32_t begin = (int32_t)share * SHARE_BLOCKS, end = begin + SHARE_BLOCKS;
    return (row_share){begin, end < height ? end : height, end >= height};
}

static void assemble_shares(void *context, size_t begin, size_t end)
{
    const solver_direct *s = context;
    const supernode *n = &s->pattern.supernodes.data[s->panel_node];
    for (size_t k = begin; k < end; k++) assemble_rows(s, n, s->panel_row.data, share_of(n, k));
}

static void solve_shares(void *context, size_t begin, size_t end)
{
    const solver_direct *s = context;
    const supernode *n = &s->pattern.supernodes.data[s->panel_node];
    size_t columns = supernode_columns(n), stride = supernode_stride(n);
    size_t first = columns + begin * PANEL_STRIP, last = columns + end * PANEL_STRIP;
    panel_solve_rows(s->factor.data + n->panel, columns, stride, first,
                     last < stride ? last : stride, s->inverse);
}

/* One supernode by all threads. */
static int32_t factorize_shared(solver_direct *s, int32_t node)
{
    const supernode *n = &s->pattern.supernodes.data[node];
    if (n->work < SMALL_PANEL) return factorize_node(s, n, s->panel_row.data);
    s->panel_node = node;
    size_t columns = supernode_columns(n), stride = supernode_stride(n);
    set_panel_rows(&s->pattern, n, s->panel_row.data);
    parallel_for((stride / 3 + SHARE_BLOCKS - 1) / SHARE_BLOCKS, 1, assemble_shares, s);
    double *panel = s->factor.data + n->panel;
    size_t done = panel_factorize(panel, columns, stride, s->inverse);
    if (done < columns) return 3 * n->first + (int32_t)done;
    parallel_for((stride - columns + PANEL_STRIP - 1) / PANEL_STRIP, 4, solve_shares, s);
    return -1;
}

/* The first column that is not positive definite (in the order of elimination), or -1. */
static int32_t factorize(solver_direct *s)
{
    int32_t failed = -1;
    parallel_for(s->tasks.count, s->tasks_at_once, factorize_tasks, s);
    for (size_t t = 0; t < s->tasks.count; t++)
        if (s->failed.data[t] >= 0 && (failed < 0 || s->failed.data[t] < failed))
            failed = s->failed.data[t];
    for (size_t t = 0; t < s->top.count && failed < 0; t++)
        failed = factorize_shared(s, s->top.data[t]);
    return failed;
}

/* ---------------------------------------------------------------------------------------------- */
/* Solution with the transposed factor                                                            */

static void solve_node(solver_direct *s, const supernode *n, double *beside)
{
    const double *panel = s->factor.data + n->panel;
    size_t columns = supernode_columns(n), stride = supernode_stride(n), rows = stride - 1;
    double *x = s->solution.data, *own = x + 3 * (size_t)n->first;
    for (int32_t r = n->row_begin; r < n->row_end; r++)
        memcpy(beside + columns + 3 * (size_t)(r - n->row_begin),
               x + 3 * (size_t)s->pattern.rows.data[r], 3 * sizeof *x);
    for (size_t c = columns; c > 0; c -= 3) {
        const double *l = panel + (c - 3) * stride;
        double y[3] = {l[stride - 1], l[2 * stride - 1], l[3 * stride - 1]};
        panel_multiply_transposed(l, 3, stride, c, rows, beside + c, y);
        y[2] /= l[2 * stride + c - 1];
        y[1] = (y[1] - l[stride + c - 1] * y[2]) / l[stride + c - 2];
        y[0] = (y[0] - l[c - 1] * y[2] - l[c - 2] * y[1]) / l[c - 3];
        memcpy(beside + c - 3, y, sizeof y);
    }
    memcpy(own, beside, columns * sizeof *x);
}

static double *worker_memory(const solver_direct *s)
{
    size_t size = 3 * (size_t)s->pattern.max_rows + PANEL_MAX_COLUMNS + PANEL_PADDING;
    return s->gathered.data + own_number(s) * size;
}

static void solve_tasks(void *context, size_t begin, size_t end)
{
    solver_direct *s = context;
    for (size_t t = begin; t < end; t++) {
        int32_t root = s->tasks.data[t], first = s->pattern.supernodes.data[root].subtree_first;
        for (int32_t k = root; k >= first; k--)
            solve_node(s, &s->pattern.supernodes.data[k], worker_memory(s));
    }
}

static void solve_transposed(solver_direct *s, double *x)
{
    for (size_t t = s->top.count; t > 0; t--)
        solve_node(s, &s->pattern.supernodes.data[s->top.data[t - 1]], worker_memory(s));
    parallel_for(s->tasks.count, s->tasks_at_once, solve_tasks, s);
    for (int32_t k = 0; k < s->pattern.size; k++)
        memcpy(x + 3 * (size_t)s->pattern.order.data[k], s->solution.data + 3 * (size_t)k,
               3 * sizeof *x);
}

/* The lower triangle for another right side: into the last rows of the panels, where the
 * factorisation leaves its own. */
static void solve_lower(solver_direct *s, const double *b)
{
    double *x = s->solution.data, *below = worker_memory(s);
    for (int32_t k = 0; k < s->pattern.size; k++)
        memcpy(x + 3 * (size_t)k, b + 3 * (size_t)s->pattern.order.data[k], 3 * sizeof *x);
    for (size_t k = 0; k < s->pattern.supernodes.count; k++) {
        const supernode *n = &s->pattern.supernodes.data[k];
        size_t columns = supernode_columns(n), stride = supernode_stride(n), rows = stride - 1;
        double *own = x + 3 * (size_t)n->first;
        memcpy(below, own, columns * sizeof *own);
        memset(below + columns, 0, (rows - columns) * sizeof *below);
        for (size_t c = 0; c < columns; c++) {
            double *l = s->factor.data + n->panel + c * stride, y = below[c] / l[c];
            for (size_t r = c + 1; r < rows; r++) below[r] -= l[r] * y;
            l[stride - 1] = y;
        }
        for (int32_t r = n->row_begin; r < n->row_end; r++)
            for (size_t c = 0; c < 3; c++)
                x[3 * (size_t)s->pattern.rows.data[r] + c] +=
                    below[columns + 3 * (size_t)(r - n->row_begin) + c];
    }
}

static void solve_again(void *self, const double *b, double *x)
{
    solver_direct *s = self;
    if (s->pattern.size == 0) return;
    solve_lower(s, b);
    solve_transposed(s, x);
}

static abut_status solve(void *self, const linear_system *system, double *x,
                         linear_statistics *statistics, abut_error *err)
{
    const block_matrix *a = system->a;
    const double *b = system->b;
    solver_direct *s = self;
    if (a->size == 0) return ABUT_OK;
    TRY(analyse_if_new(s, a, statistics, err));
    TRY(reserve_factor(s, err));
    s->matrix = a;
    s->right = b;
    TRY(share_out(s, s->pattern.work < SMALL_FACTOR ? 1 : parallel_threads(), err));
    statistics->factorizations++;
    statistics->factor_entries = s->pattern.factor_size;
    statistics->setup_work += direct_work(s);
    int32_t failed = factorize(s);
    if (failed >= 0)
        return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                         "the Newton matrix is not positive definite (unknown %d, entry %d)",
                         s->pattern.order.data[failed / 3], failed % 3);
    solve_transposed(s, x);
    return ABUT_OK;
}

/* The order stays: later results depend on it. */
static void rest(void *self)
{
    solver_direct *s = self;
    array_free(&s->factor);
}

static void lend(void *self, void *to)
{
    solver_direct *s = self, *other = to;
    array_free(&other->factor);
    memcpy(&other->factor, &s->factor, sizeof s->factor);
    memset(&s->factor, 0, sizeof s->factor);
}

static void save(const void *self, int32_t *order, size_t capacity, double *numbers)
{
    const solver_direct *s = self;
    if (s->order.count == 0 || s->order.count > capacity) return;
    memcpy(order, s->order.data, s->order.count * sizeof *order);
    numbers[0] = (double)s->order.count;
    numbers[1] = s->order_fill;
}

static abut_status load(void *self, const int32_t *order, const double *numbers, abut_error *err)
{
    solver_direct *s = self;
    s->analysed = false;
    if (!array_resize(&s->order, (size_t)numbers[0]))
        return error_memory(err, "restoring the linear solver");
    s->order_fill = numbers[1];
    if (s->order.count > 0) memcpy(s->order.data, order, s->order.count * sizeof *order);
    return ABUT_OK;
}

const linear_class linear_direct = {.name = "direct",
                                    .create = create,
                                    .solve = solve,
                                    .solve_again = solve_again,
                                    .lend = lend,
                                    .rest = rest,
                                    .save = save,
                                    .load = load,
                                    .destroy = destroy};
