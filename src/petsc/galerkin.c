/* The product C = P^T A P on ranks, which makes the coarser matrices of GAMG.
 *
 * PETSc's own methods either keep A P, its local rows and a transpose (a quarter of the memory of a
 * run) or insert scalar by scalar (seven times slower). Here a block row of A P is made, added to C
 * through P^T and forgotten. Contributions to rows of other ranks are sent once and added in the
 * order of the ranks, so that the bits do not depend on who comes first. */
#include "petsc/module.h"

#include <stdlib.h>
#include <string.h>

/* Rows of this rank (or copies of rows of others) in blocks of height x width. */
typedef struct block_part {
    Mat matrix; /* sequential */
    const PetscInt *start, *column;
    const PetscScalar *value;
    const PetscInt *global; /* local column -> global column; NULL: first + column */
    PetscInt first;
    PetscInt rows, height, width; /* rows: of blocks */
} block_part;

typedef struct galerkin {
    block_part a[2], p[2], ghost; /* a, p: own columns, columns of other ranks */
    PetscInt height, width;       /* of the blocks of P */
    PetscInt coarse;              /* block columns of P in all */
    PetscInt own_first, own_last; /* those of this rank */
    PetscInt *ap_start, *ap_column;
    PetscInt *index; /* per coarse block: scratch, marks or indices */
    int64_t *pairs;  /* blocks of C that this rank contributes to, ascending */
    size_t pair_count;
    Mat *ghost_rows;
} galerkin;

static int64_t pair_of(PetscInt row, PetscInt column) { return (int64_t)row << 32 | column; }

/* ---------------------------------------------------------------------------------------------- */
/* Views of matrices                                                                              */

static PetscErrorCode open_part(block_part *part, Mat matrix, const PetscInt *global,
                                PetscInt first, PetscInt height, PetscInt width)
{
    PetscInt rows;
    PetscBool done;
    PetscFunctionBeginUser;
    *part = (block_part){.matrix = matrix, .global = global, .first = first};
    part->height = height;
    part->width = width;
    PetscCall(MatGetRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &part->start, &part->column,
                          &done));
    if (!done) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "rows of a matrix cannot be read");
    PetscCall(MatSeqAIJGetArrayRead(matrix, &part->value));
    part->rows = rows / height;
    PetscFunctionReturn(0);
}

static PetscErrorCode close_part(block_part *part)
{
    PetscInt rows;
    PetscBool done;
    PetscFunctionBeginUser;
    if (!part->matrix) PetscFunctionReturn(0);
    PetscCall(MatSeqAIJRestoreArrayRead(part->matrix, &part->value));
    PetscCall(MatRestoreRowIJ(part->matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &part->start,
                              &part->column, &done));
    part->matrix = NULL;
    PetscFunctionReturn(0);
}

static PetscInt blocks_in(const block_part *p, PetscInt row)
{
    PetscInt at = row * p->height;
    return (p->start[at + 1] - p->start[at]) / p->width;
}

static PetscInt scalar_column(const block_part *p, PetscInt k)
{
    return p->global ? p->global[p->column[k]] : p->first + p->column[k];
}

/* Global block column of block k of a block row. */
static PetscInt column_of(const block_part *p, PetscInt row, PetscInt k)
{
    return scalar_column(p, p->start[row * p->height] + k * p->width) / p->width;
}

/* Row r of block k of a block row. */
static const PetscScalar *values_of(const block_part *p, PetscInt row, PetscInt k, PetscInt r)
{
    return p->value + p->start[row * p->height + r] + k * p->width;
}

/* True when all blocks are whole. */
static bool is_blocked(const block_part *p)
{
    for (PetscInt row = 0; row < p->rows; row++) {
        const PetscInt *start = p->start + row * p->height;
        PetscInt length = start[1] - start[0];
        if (length % p->width) return false;
        for (PetscInt r = 0; r < p->height; r++) {
            if (start[r + 1] - start[r] != length) return false;
            for (PetscInt k = 0; k < length; k++) {
                PetscInt found = scalar_column(p, start[r] + k);
                if (found % p->width != k % p->width ||
                    found - k % p->width != scalar_column(p, start[0] + k - k % p->width))
                    return false;
            }
        }
    }
    return true;
}

static PetscErrorCode open_own(block_part part[2], Mat matrix, PetscInt height, PetscInt width)
{
    Mat own, other;
    const PetscInt *global;
    PetscInt first;
    PetscFunctionBeginUser;
    PetscCall(MatMPIAIJGetSeqAIJ(matrix, &own, &other, &global));
    PetscCall(MatGetOwnershipRangeColumn(matrix, &first, NULL));
    PetscCall(open_part(&part[0], own, NULL, first, height, width));
    PetscCall(open_part(&part[1], other, global, 0, height, width));
    PetscFunctionReturn(0);
}

static PetscErrorCode close_own(block_part part[2])
{
    PetscFunctionBeginUser;
    PetscCall(close_part(&part[0]));
    PetscCall(close_part(&part[1]));
    PetscFunctionReturn(0);
}

/* Rows of P that belong to others and meet columns of A here. */
static PetscErrorCode fetch_ghost_rows(galerkin *g, Mat a, Mat p)
{
    Mat own, other;
    const PetscInt *global;
    PetscInt count, columns;
    IS rows, all;
    PetscFunctionBeginUser;
    PetscCall(MatMPIAIJGetSeqAIJ(a, &own, &other, &global));
    PetscCall(MatGetSize(other, NULL, &count));
    PetscCall(MatGetSize(p, NULL, &columns));
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, count, global, PETSC_USE_POINTER, &rows));
    PetscCall(ISCreateStride(PETSC_COMM_SELF, columns, 0, 1, &all));
    PetscCall(MatCreateSubMatrices(p, 1, &rows, &all, MAT_INITIAL_MATRIX, &g->ghost_rows));
    PetscCall(ISDestroy(&rows));
    PetscCall(ISDestroy(&all));
    PetscCall(open_part(&g->ghost, g->ghost_rows[0], NULL, 0, g->height, g->width));
    PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------------------- */
/* Pattern                                                                                        */

/* The row of P that belongs to block k of row i of A: own rows have two parts. */
static PetscInt rows_of_p(const galerkin *g, int side, PetscInt i, PetscInt k,
                          const block_part *parts[2], PetscInt *row)
{
    const block_part *a = &g->a[side];
    PetscInt local = a->column[a->start[i * a->height] + k * a->width] / a->width;
    *row = local;
    parts[0] = side == 0 ? &g->p[0] : &g->ghost;
    parts[1] = &g->p[1];
    return side == 0 ? 2 : 1;
}

/* Columns of row i of A P, marked with i, which none may have before; returns their number. */
static PetscInt list_row(galerkin *g, PetscInt i, PetscInt *columns)
{
    PetscInt count = 0;
    for (int side = 0; side < 2; side++)
        for (PetscInt k = 0; k < blocks_in(&g->a[side], i); k++) {
            const block_part *parts[2];
            PetscInt row, n = rows_of_p(g, side, i, k, parts, &row);
            for (PetscInt q = 0; q < n; q++)
                for (PetscInt m = 0; m < blocks_in(parts[q], row); m++) {
                    PetscInt column = column_of(parts[q], row, m);
                    if (g->index[column] == i) continue;
                    g->index[column] = i;
                    if (columns) columns[count] = column;
                    count++;
                }
        }
    return count;
}

static void clear_marks(galerkin *g)
{
    for (PetscInt j = 0; j < g->coarse; j++) g->index[j] = -1;
}

static PetscErrorCode list_ap(galerkin *g)
{
    PetscInt rows = g->a[0].rows;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1((size_t)g->coarse, &g->index));
    PetscCall(PetscMalloc1((size_t)rows + 1, &g->ap_start));
    g->ap_start[0] = 0;
    clear_marks(g);
    for (PetscInt i = 0; i < rows; i++) g->ap_start[i + 1] = g->ap_start[i] + list_row(g, i, NULL);
    PetscCall(PetscMalloc1((size_t)g->ap_start[rows], &g->ap_column));
    clear_marks(g);
    for (PetscInt i = 0; i < rows; i++) list_row(g, i, g->ap_column + g->ap_start[i]);
    PetscFunctionReturn(0);
}

/* Rows of P by block column: rows[start[j]] to rows[start[j + 1] - 1] have a block in column j. */
static PetscErrorCode transpose_p(const galerkin *g, PetscInt **start, PetscInt **rows)
{
    PetscInt *s, *r;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1((size_t)g->coarse + 2, &s));
    for (int q = 0; q < 2; q++)
        for (PetscInt i = 0; i < g->p[q].rows; i++)
            for (PetscInt k = 0; k < blocks_in(&g->p[q], i); k++)
                s[column_of(&g->p[q], i, k) + 2]++;
    for (PetscInt j = 0; j < g->coarse; j++) s[j + 2] += s[j + 1];
    PetscCall(PetscMalloc1((size_t)s[g->coarse + 1], &r));
    for (int q = 0; q < 2; q++)
        for (PetscInt i = 0; i < g->p[q].rows; i++)
            for (PetscInt k = 0; k < blocks_in(&g->p[q], i); k++)
                r[s[column_of(&g->p[q], i, k) + 1]++] = i;
    *start = s;
    *rows = r;
    PetscFunctionReturn(0);
}

static int compare_pairs(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static size_t unique_pairs(int64_t *pairs, size_t count)
{
    size_t kept = 0;
    if (count) qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t k = 0; k < count; k++)
        if (kept == 0 || pairs[kept - 1] != pairs[k]) pairs[kept++] = pairs[k];
    return kept;
}

/* Column j of P: pairs (j, k) for all columns k of the rows of A P that it meets. */
static size_t pairs_of(galerkin *g, PetscInt j, const PetscInt *rows, PetscInt count, int64_t *out)
{
    size_t n = 0;
    for (PetscInt q = 0; q < count; q++)
        for (PetscInt k = g->ap_start[rows[q]]; k < g->ap_start[rows[q] + 1]; k++) {
            PetscInt column = g->ap_column[k];
            if (g->index[column] == j) continue;
            g->index[column] = j;
            if (out) out[n] = pair_of(j, column);
            n++;
        }
    if (out && n) qsort(out, n, sizeof *out, compare_pairs);
    return n;
}

static PetscErrorCode list_pairs(galerkin *g)
{
    PetscInt *start, *rows;
    size_t total = 0;
    PetscFunctionBeginUser;
    PetscCall(list_ap(g));
    PetscCall(transpose_p(g, &start, &rows));
    clear_marks(g);
    for (PetscInt j = 0; j < g->coarse; j++)
        total += pairs_of(g, j, rows + start[j], start[j + 1] - start[j], NULL);
    PetscCall(PetscMalloc1(total, &g->pairs));
    clear_marks(g);
    for (PetscInt j = 0; j < g->coarse; j++)
        g->pair_count +=
            pairs_of(g, j, rows + start[j], start[j + 1] - start[j], g->pairs + g->pair_count);
    PetscCall(PetscFree(start));
    PetscCall(PetscFree(rows));
    PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------------------- */
/* Lifecycle                                                                                      */

static PetscErrorCode close_galerkin(galerkin *g)
{
    PetscFunctionBeginUser;
    PetscCall(close_own(g->a));
    PetscCall(close_own(g->p));
    PetscCall(close_part(&g->ghost));
    if (g->ghost_rows) PetscCall(MatDestroySubMatrices(1, &g->ghost_rows));
    PetscCall(PetscFree(g->ap_start));
    PetscCall(PetscFree(g->ap_column));
    PetscCall(PetscFree(g->index));
    PetscCall(PetscFree(g->pairs));
    PetscFunctionReturn(0);
}

static PetscErrorCode open_galerkin(galerkin *g, Mat c)
{
    Mat a, p;
    PetscInt columns, first, last;
    PetscFunctionBeginUser;
    memset(g, 0, sizeof *g);
    PetscCall(MatProductGetMats(c, &a, &p, NULL));
    PetscCall(MatGetBlockSizes(p, &g->height, &g->width));
    PetscCall(MatGetSize(p, NULL, &columns));
    PetscCall(MatGetOwnershipRangeColumn(p, &first, &last));
    g->coarse = columns / g->width;
    g->own_first = first / g->width;
    g->own_last = last / g->width;
    PetscCall(open_own(g->a, a, g->height, g->height));
    PetscCall(open_own(g->p, p, g->height, g->width));
    PetscCall(fetch_ghost_rows(g, a, p));
    PetscCall(list_pairs(g));
    PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------------------- */
/* Exchange                                                                                       */

/* Pairs of rows of other ranks: what goes where, and what comes. */
typedef struct pair_exchange {
    int ranks;
    int *sent, *sent_start, *received, *received_start; /* pairs per rank */
    size_t received_count;
    int64_t *pairs; /* received, rank by rank */
} pair_exchange;

static PetscErrorCode free_exchange(pair_exchange *p)
{
    PetscFunctionBeginUser;
    PetscCall(PetscFree4(p->sent, p->sent_start, p->received, p->received_start));
    PetscCall(PetscFree(p->pairs));
    PetscFunctionReturn(0);
}

/* Pairs are ascending, so that those of a rank are adjacent; own ones stay. */
static PetscErrorCode send_pairs(const galerkin *g, Mat p, pair_exchange *out)
{
    const PetscInt *range;
    int own;
    PetscFunctionBeginUser;
    memset(out, 0, sizeof *out);
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &out->ranks));
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &own));
    size_t n = (size_t)out->ranks;
    PetscCall(PetscCalloc4(n, &out->sent, n + 1, &out->sent_start, n, &out->received, n + 1,
                           &out->received_start));
    PetscCall(MatGetOwnershipRangesColumn(p, &range));
    size_t at = 0;
    for (int r = 0; r < out->ranks; r++) {
        size_t begin = at;
        while (at < g->pair_count && (g->pairs[at] >> 32) < range[r + 1] / g->width) at++;
        out->sent_start[r] = (int)begin;
        out->sent[r] = r == own ? 0 : (int)(at - begin);
    }
    PetscCallMPI(MPI_Alltoall(out->sent, 1, MPI_INT, out->received, 1, MPI_INT, PETSC_COMM_WORLD));
    for (int r = 0; r < out->ranks; r++)
        out->received_start[r + 1] = out->received_start[r] + out->received[r];
    out->received_count = (size_t)out->received_start[out->ranks];
    PetscCall(PetscMalloc1(out->received_count, &out->pairs));
    PetscCallMPI(MPI_Alltoallv(g->pairs, out->sent, out->sent_start, MPI_INT64_T, out->pairs,
                               out->received, out->received_start, MPI_INT64_T, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------------------- */
/* Product                                                                                        */

/* All blocks of the rows of this rank. */
static PetscErrorCode own_pairs(const galerkin *g, const pair_exchange *from, int64_t **pairs,
                                size_t *count)
{
    size_t n = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(g->pair_count + from->received_count, pairs));
    for (size_t k = 0; k < g->pair_count; k++) {
        int64_t row = g->pairs[k] >> 32;
        if (row >= g->own_first && row < g->own_last) (*pairs)[n++] = g->pairs[k];
    }
    if (from->received_count)
        memcpy(*pairs + n, from->pairs, from->received_count * sizeof **pairs);
    *count = unique_pairs(*pairs, n + from->received_count);
    PetscFunctionReturn(0);
}

static PetscErrorCode insert_zeros(Mat c, const galerkin *g, const int64_t *pairs, size_t count)
{
    PetscInt rows = g->own_last - g->own_first, *inner, *outer, *columns, most = 0;
    PetscScalar *zeros;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc2((size_t)rows, &inner, (size_t)rows, &outer));
    for (size_t k = 0; k < count; k++) {
        PetscInt row = (PetscInt)(pairs[k] >> 32) - g->own_first;
        PetscInt column = (PetscInt)(pairs[k] & 0xffffffff);
        (column >= g->own_first && column < g->own_last ? inner : outer)[row]++;
    }
    for (PetscInt i = 0; i < rows; i++)
        if (inner[i] + outer[i] > most) most = inner[i] + outer[i];
    PetscCall(MatXAIJSetPreallocation(c, g->width, inner, outer, NULL, NULL));
    PetscCall(PetscMalloc1((size_t)most, &columns));
    PetscCall(PetscCalloc1((size_t)most * (size_t)(g->width * g->width), &zeros));
    for (size_t k = 0; k < count;) {
        PetscInt row = (PetscInt)(pairs[k] >> 32), n = 0;
        for (; k < count && pairs[k] >> 32 == row; k++)
            columns[n++] = (PetscInt)(pairs[k] & 0xffffffff);
        PetscCall(MatSetValuesBlocked(c, 1, &row, n, columns, zeros, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(c, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(c, MAT_FINAL_ASSEMBLY));
    PetscCall(PetscFree(columns));
    PetscCall(PetscFree(zeros));
    PetscCall(PetscFree2(inner, outer));
    PetscFunctionReturn(0);
}

/* Where sums go: the rows of C here, and a buffer for those of other ranks. */
typedef struct target {
    block_part c[2];
    PetscScalar *value[2];
    size_t own_begin, own_end; /* pairs of own rows */
    PetscScalar *sent;         /* per pair of other rows: width x width */
} target;

static PetscInt find_block(const block_part *part, PetscInt row, PetscInt column)
{
    PetscInt low = 0, count = blocks_in(part, row), high = count;
    while (low < high) {
        PetscInt middle = low + (high - low) / 2;
        if (column_of(part, row, middle) < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && column_of(part, row, low) == column ? low : -1;
}

/* Address of a block of a row of this rank, *stride from line to line. NULL: there is none. */
static PetscScalar *own_block(const galerkin *g, const target *t, PetscInt row, PetscInt column,
                              PetscInt *stride)
{
    int q = column >= g->own_first && column < g->own_last ? 0 : 1;
    const block_part *part = &t->c[q];
    PetscInt k = find_block(part, row - g->own_first, column);
    if (k < 0) return NULL;
    const PetscInt *start = part->start + (row - g->own_first) * part->height;
    *stride = start[1] - start[0];
    return t->value[q] + start[0] + k * part->width;
}

/* The same for any row that this rank contributes to. */
static PetscScalar *block_at(const galerkin *g, const target *t, PetscInt row, PetscInt column,
                             PetscInt *stride)
{
    if (row >= g->own_first && row < g->own_last) return own_block(g, t, row, column, stride);
    int64_t pair = pair_of(row, column);
    const int64_t *found = bsearch(&pair, g->pairs, g->pair_count, sizeof pair, compare_pairs);
    if (!found) return NULL;
    size_t k = (size_t)(found - g->pairs);
    if (k >= t->own_end) k -= t->own_end - t->own_begin;
    *stride = g->width;
    return t->sent + k * (size_t)(g->width * g->width);
}

static PetscErrorCode open_target(target *t, galerkin *g, Mat c)
{
    size_t area = (size_t)(g->width * g->width);
    PetscFunctionBeginUser;
    memset(t, 0, sizeof *t);
    PetscCall(MatZeroEntries(c));
    PetscCall(open_own(t->c, c, g->width, g->width));
    for (int q = 0; q < 2; q++) PetscCall(MatSeqAIJGetArray(t->c[q].matrix, &t->value[q]));
    while (t->own_begin < g->pair_count && g->pairs[t->own_begin] >> 32 < g->own_first)
        t->own_begin++;
    t->own_end = t->own_begin;
    while (t->own_end < g->pair_count && g->pairs[t->own_end] >> 32 < g->own_last) t->own_end++;
    PetscCall(PetscCalloc1(area * (g->pair_count - (t->own_end - t->own_begin)), &t->sent));
    PetscFunctionReturn(0);
}

static PetscErrorCode close_target(target *t)
{
    PetscFunctionBeginUser;
    for (int q = 0; q < 2; q++)
        if (t->value[q]) PetscCall(MatSeqAIJRestoreArray(t->c[q].matrix, &t->value[q]));
    PetscCall(close_own(t->c));
    PetscCall(PetscFree(t->sent));
    PetscFunctionReturn(0);
}

/* Row i of A P: blocks of height x width in the order of ap_column. */
static void make_row(galerkin *g, PetscInt i, PetscScalar *ap)
{
    PetscInt h = g->height, w = g->width, count = g->ap_start[i + 1] - g->ap_start[i];
    const PetscInt *columns = g->ap_column + g->ap_start[i];
    memset(ap, 0, (size_t)(count * h * w) * sizeof *ap);
    for (PetscInt k = 0; k < count; k++) g->index[columns[k]] = k;
    for (int side = 0; side < 2; side++)
        for (PetscInt k = 0; k < blocks_in(&g->a[side], i); k++) {
            const block_part *parts[2];
            PetscInt row, n = rows_of_p(g, side, i, k, parts, &row);
            for (PetscInt q = 0; q < n; q++)
                for (PetscInt m = 0; m < blocks_in(parts[q], row); m++) {
                    PetscScalar *to = ap + g->index[column_of(parts[q], row, m)] * h * w;
                    for (PetscInt c = 0; c < h; c++) {
                        const PetscScalar *line = values_of(parts[q], row, m, c);
                        for (PetscInt r = 0; r < h; r++) {
                            PetscScalar factor = values_of(&g->a[side], i, k, r)[c];
                            for (PetscInt d = 0; d < w; d++) to[r * w + d] += factor * line[d];
                        }
                    }
                }
        }
}

/* C += P^T (row i of A P). */
static bool add_row(const galerkin *g, const target *t, PetscInt i, const PetscScalar *ap)
{
    PetscInt h = g->height, w = g->width, count = g->ap_start[i + 1] - g->ap_start[i];
    const PetscInt *columns = g->ap_column + g->ap_start[i];
    for (int q = 0; q < 2; q++)
        for (PetscInt m = 0; m < blocks_in(&g->p[q], i); m++) {
            PetscInt row = column_of(&g->p[q], i, m);
            for (PetscInt k = 0; k < count; k++) {
                PetscInt stride = 0;
                PetscScalar *to = block_at(g, t, row, columns[k], &stride);
                if (!to) return false;
                for (PetscInt r = 0; r < h; r++) {
                    const PetscScalar *line = values_of(&g->p[q], i, m, r);
                    const PetscScalar *from = ap + (k * h + r) * w;
                    for (PetscInt c = 0; c < w; c++)
                        for (PetscInt d = 0; d < w; d++) to[c * stride + d] += line[c] * from[d];
                }
            }
        }
    return true;
}

/* Sends the sums of other ranks' rows and adds what comes, rank by rank. */
static PetscErrorCode exchange_sums(const galerkin *g, const target *t, pair_exchange *exchange)
{
    size_t area = (size_t)(g->width * g->width);
    PetscScalar *received;
    MPI_Datatype block;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(area * exchange->received_count, &received));
    PetscCallMPI(MPI_Type_contiguous((int)area, MPI_DOUBLE, &block));
    PetscCallMPI(MPI_Type_commit(&block));
    for (int r = 0; r < exchange->ranks; r++)
        if ((size_t)exchange->sent_start[r] >= t->own_end)
            exchange->sent_start[r] -= (int)(t->own_end - t->own_begin);
    PetscCallMPI(MPI_Alltoallv(t->sent, exchange->sent, exchange->sent_start, block, received,
                               exchange->received, exchange->received_start, block,
                               PETSC_COMM_WORLD));
    PetscCallMPI(MPI_Type_free(&block));
    for (size_t k = 0; k < exchange->received_count; k++) {
        PetscInt stride = 0;
        PetscScalar *to = own_block(g, t, (PetscInt)(exchange->pairs[k] >> 32),
                                    (PetscInt)(exchange->pairs[k] & 0xffffffff), &stride);
        if (!to) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "a coarser matrix has lost a block");
        for (PetscInt c = 0; c < g->width; c++)
            for (PetscInt d = 0; d < g->width; d++)
                to[c * stride + d] += received[k * area + (size_t)(c * g->width + d)];
    }
    PetscCall(PetscFree(received));
    PetscFunctionReturn(0);
}

static PetscErrorCode product_numeric(Mat c)
{
    galerkin g;
    target t;
    pair_exchange exchange;
    Mat p;
    PetscScalar *ap;
    PetscInt most = 0;
    bool ok = true;
    PetscFunctionBeginUser;
    PetscCall(MatProductGetMats(c, NULL, &p, NULL));
    PetscCall(open_galerkin(&g, c));
    PetscCall(open_target(&t, &g, c));
    PetscCall(send_pairs(&g, p, &exchange));
    for (PetscInt i = 0; i < g.a[0].rows; i++)
        if (g.ap_start[i + 1] - g.ap_start[i] > most) most = g.ap_start[i + 1] - g.ap_start[i];
    PetscCall(PetscMalloc1((size_t)(most * g.height * g.width), &ap));
    for (PetscInt i = 0; i < g.a[0].rows && ok; i++) {
        make_row(&g, i, ap);
        ok = add_row(&g, &t, i, ap);
    }
    if (!ok) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "a coarser matrix has lost a block");
    PetscCall(exchange_sums(&g, &t, &exchange));
    PetscCall(PetscFree(ap));
    PetscCall(free_exchange(&exchange));
    PetscCall(close_target(&t));
    PetscCall(close_galerkin(&g));
    PetscCall(MatAssemblyBegin(c, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(c, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode product_symbolic(Mat c)
{
    galerkin g;
    pair_exchange exchange;
    Mat p;
    int64_t *pairs = NULL;
    size_t count = 0;
    PetscInt local, global;
    PetscFunctionBeginUser;
    PetscCall(MatProductGetMats(c, NULL, &p, NULL));
    PetscCall(open_galerkin(&g, c));
    PetscCall(send_pairs(&g, p, &exchange));
    PetscCall(own_pairs(&g, &exchange, &pairs, &count));
    PetscCall(MatGetLocalSize(p, NULL, &local));
    PetscCall(MatGetSize(p, NULL, &global));
    PetscCall(MatSetSizes(c, local, local, global, global));
    PetscCall(MatSetType(c, MATMPIAIJ));
    PetscCall(insert_zeros(c, &g, pairs, count));
    PetscCall(MatSetOperation(c, MATOP_PRODUCTNUMERIC, (void (*)(void))product_numeric));
    PetscCall(galerkin_attach(c)); /* for the next level */
    PetscCall(PetscFree(pairs));
    PetscCall(free_exchange(&exchange));
    PetscCall(close_galerkin(&g));
    PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------------------- */
/* Choice                                                                                         */

/* True when A and P have whole blocks on all ranks. */
static PetscErrorCode is_suitable(Mat a, Mat p, bool *suitable)
{
    block_part of_a[2], of_p[2];
    PetscInt height, width;
    PetscFunctionBeginUser;
    PetscCall(MatGetBlockSizes(p, &height, &width));
    PetscCall(open_own(of_a, a, height, height));
    PetscCall(open_own(of_p, p, height, width));
    int whole = is_blocked(&of_a[0]) && is_blocked(&of_a[1]) && is_blocked(&of_p[0]) &&
                is_blocked(&of_p[1]);
    PetscCall(close_own(of_a));
    PetscCall(close_own(of_p));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &whole, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
    *suitable = whole;
    PetscFunctionReturn(0);
}

static PetscErrorCode (*default_product)(Mat); /* what choose_product stands in for */

/* PETSc asks here how a product with the matrix is to be made. */
static PetscErrorCode choose_product(Mat c)
{
    Mat a, p;
    MatProductType type;
    bool suitable = false;
    PetscFunctionBeginUser;
    PetscCall(MatProductGetType(c, &type));
    PetscCall(MatProductGetMats(c, &a, &p, NULL));
    if (type == MATPRODUCT_PtAP) PetscCall(is_suitable(a, p, &suitable));
    if (suitable) {
        PetscCall(MatSetOperation(c, MATOP_PRODUCTSYMBOLIC, (void (*)(void))product_symbolic));
        PetscFunctionReturn(0);
    }
    PetscCall((*default_product)(c));
    PetscFunctionReturn(0);
}

static bool wanted;

void galerkin_want(void) { wanted = true; }

PetscErrorCode galerkin_attach(Mat a)
{
    PetscBool divided = PETSC_FALSE;
    void (*default_operation)(void);
    PetscFunctionBeginUser;
    PetscCall(PetscObjectTypeCompare((PetscObject)a, MATMPIAIJ, &divided));
    if (!wanted || !divided) PetscFunctionReturn(0);
    PetscCall(MatGetOperation(a, MATOP_PRODUCTSETFROMOPTIONS, &default_operation));
    if (default_operation == (void (*)(void))choose_product) PetscFunctionReturn(0);
    default_product = (PetscErrorCode(*)(Mat))default_operation;
    /* Another function than that of P: PETSc then looks for one by the types of both. */
    PetscCall(MatSetOperation(a, MATOP_PRODUCTSETFROMOPTIONS, (void (*)(void))choose_product));
    PetscCall(PetscObjectComposeFunction((PetscObject)a, "MatProductSetFromOptions_mpiaij_mpiaij_C",
                                         choose_product));
    PetscFunctionReturn(0);
}
