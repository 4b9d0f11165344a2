#include "solve/look_ahead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Inequalities at most, rounds of looking along the new direction, and sweeps over the multipliers.
 */
enum { MOST = 48, ROUNDS = 3, SWEEPS = 50 };
/* Of the radius of an island; its square at first, and at most at once to less. */
static const double GROWTH = 4;

void look_ahead_free(look_ahead *l)
{
    obstruction_list_free(&l->found);
    obstruction_list_free(&l->kept);
    array_free(&l->order);
    array_free(&l->columns);
    array_free(&l->matrix);
    array_free(&l->violation);
    array_free(&l->force);
    array_free(&l->full);
    array_free(&l->row);
    array_free(&l->trial);
    array_free(&l->part);
    array_free(&l->gone);
    array_free(&l->longest);
    array_free(&l->radius);
    array_free(&l->island);
    array_free(&l->base);
}

/* The number of the kept row with the same key, or the number of kept rows. */
static size_t find_kept(const look_ahead *l, const obstruction *row)
{
    size_t i = 0;
    while (i < l->kept.rows.count &&
           memcmp(l->kept.rows.data[i].key, row->key, sizeof row->key) != 0)
        i++;
    return i;
}

/* A pair that stops the direction again asks for what is missing now; whether that is more. */
static bool tighten_row(look_ahead *l, size_t kept, double bound)
{
    double more = bound - l->kept.rows.data[kept].bound;
    if (!(more > 0)) return false;
    l->kept.rows.data[kept].bound = bound;
    l->violation.data[kept] += more;
    return true;
}

/* w . v for a row, v over the unknowns. */
static double row_dot(const problem *p, const obstruction_list *list, size_t j, const double *v)
{
    const obstruction *row = &list->rows.data[j];
    double sum = 0;
    for (size_t k = row->first; k < row->first + (size_t)row->count; k++) {
        int32_t at = p->free_index[list->blocks.data[k]];
        if (at < 0) continue;
        for (size_t c = 0; c < 3; c++)
            if (!p->any_mask || !p->mask[3 * (size_t)at + c])
                sum += list->values.data[3 * k + c] * v[3 * (size_t)at + c];
    }
    return sum;
}

static void spread_row(const problem *p, const obstruction_list *list, size_t j, double *out)
{
    const obstruction *row = &list->rows.data[j];
    memset(out, 0, 3 * (size_t)p->free_count * sizeof *out);
    for (size_t k = row->first; k < row->first + (size_t)row->count; k++) {
        int32_t at = p->free_index[list->blocks.data[k]];
        if (at < 0) continue;
        for (size_t c = 0; c < 3; c++)
            if (!p->any_mask || !p->mask[3 * (size_t)at + c])
                out[3 * (size_t)at + c] += list->values.data[3 * k + c];
    }
}

static bool keep_row(look_ahead *l, size_t j)
{
    obstruction row = l->found.rows.data[j];
    size_t from = row.first;
    row.first = l->kept.blocks.count;
    for (size_t k = from; k < from + (size_t)row.count; k++) {
        if (!array_push(&l->kept.blocks, l->found.blocks.data[k])) return false;
        for (size_t c = 0; c < 3; c++)
            if (!array_push(&l->kept.values, l->found.values.data[3 * k + c])) return false;
    }
    return array_push(&l->kept.rows, row);
}

/* The rows found, earliest first; equal ones in the order in which they were found. */
static abut_status sort_by_moment(look_ahead *l, abut_error *err)
{
    size_t n = l->found.rows.count;
    if (!array_resize(&l->order, 2 * n + 1)) return error_memory(err, "looking ahead");
    size_t *a = l->order.data, *b = a + n;
    const obstruction *rows = l->found.rows.data;
    for (size_t i = 0; i < n; i++) a[i] = i;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t middle = low + width < n ? low + width : n;
            size_t high = low + 2 * width < n ? low + 2 * width : n;
            size_t i = low, j = middle;
            for (size_t k = low; k < high; k++)
                b[k] = j >= high || (i < middle && rows[a[i]].moment <= rows[a[j]].moment) ? a[i++]
                                                                                           : a[j++];
        }
        memcpy(a, b, n * sizeof *a);
    }
    return ABUT_OK;
}

/* Takes the rows that are new, and solves for their columns. *added: how many, and how many others
 * ask for more. */
static abut_status add_rows(look_ahead *l, const problem *p, linear_solver *linear,
                            const double *newton, size_t *added, abut_error *err)
{
    size_t n = 3 * (size_t)p->free_count;
    TRY(sort_by_moment(l, err));
    for (size_t i = 0; i < l->found.rows.count && l->kept.rows.count < MOST; i++) {
        size_t j = l->order.data[i], m = l->kept.rows.count;
        size_t kept = find_kept(l, &l->found.rows.data[j]);
        if (kept < m) {
            *added += tighten_row(l, kept, l->found.rows.data[j].bound);
            continue;
        }
        if (!keep_row(l, j) || !array_resize(&l->columns, (m + 1) * n) ||
            !array_resize(&l->force, m + 1) || !array_resize(&l->violation, m + 1) ||
            !array_resize(&l->matrix, (size_t)MOST * MOST))
            return error_memory(err, "looking ahead");
        spread_row(p, &l->kept, m, l->row.data);
        linear_solve_again(linear, l->row.data, l->columns.data + m * n);
        l->solves++;
        l->force.data[m] = 0;
        ++*added;
        l->violation.data[m] = l->kept.rows.data[m].bound - row_dot(p, &l->kept, m, newton);
        for (size_t k = 0; k <= m; k++)
            l->matrix.data[m * MOST + k] = l->matrix.data[k * MOST + m] =
                row_dot(p, &l->kept, k, l->columns.data + m * n);
    }
    return ABUT_OK;
}

/* Projected Gauss-Seidel on 0 <= force, matrix force - violation >= 0, complementary. */
static void solve_forces(look_ahead *l)
{
    size_t m = l->kept.rows.count;
    const double *a = l->matrix.data;
    double *f = l->force.data;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double largest = 0, change = 0;
        for (size_t i = 0; i < m; i++) {
            double left = l->violation.data[i];
            if (!(a[i * MOST + i] > 0)) continue;
            for (size_t j = 0; j < m; j++) left -= a[i * MOST + j] * f[j];
            double next = fmax(0, f[i] + left / a[i * MOST + i]);
            change = fmax(change, fabs(next - f[i]) * sqrt(a[i * MOST + i]));
            largest = fmax(largest, next * sqrt(a[i * MOST + i]));
            f[i] = next;
        }
        if (change <= 1e-4 * largest) break;
    }
}

/* Everything that stops the direction, given over the unknowns. */
static abut_status find_obstructions(look_ahead *l, problem *p, const evaluation *ev,
                                     const double *x, const double *direction, abut_error *err)
{
    obstruction_list_clear(&l->found);
    problem_expand(p, direction, l->full.data);
    for (int t = 0; t < p->term_count; t++)
        if (!(ev->without & term_bit(p->terms[t])) && p->terms[t]->class->obstructions)
            TRY(p->terms[t]->class->obstructions(p->terms[t], x, l->full.data, &l->found, err));
    return ABUT_OK;
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* The minimum of the model subject to what stops it. */
static abut_status constrain(look_ahead *l, problem *p, const evaluation *ev, linear_solver *linear,
                             const double *x, const double *newton, double *direction,
                             abut_error *err)
{
    size_t n = 3 * (size_t)p->free_count;
    obstruction_list_clear(&l->kept);
    memcpy(direction, newton, n * sizeof *newton);
    for (int round = 0; round < ROUNDS; round++) {
        size_t added = 0;
        TRY(find_obstructions(l, p, ev, x, direction, err));
        TRY(add_rows(l, p, linear, newton, &added, err));
        if (added == 0) break;
        l->rounds++;
        solve_forces(l);
        memcpy(direction, newton, n * sizeof *newton);
        for (size_t j = 0; j < l->kept.rows.count; j++)
            if (l->force.data[j] > 0)
                for (size_t i = 0; i < n; i++)
                    direction[i] += l->force.data[j] * l->columns.data[j * n + i];
    }
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Bodies that are stopped one by one                                                             */

static int32_t find_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Islands: unknowns that elements or contacts join have the same number. Between islands the model
 * has no coupling, so each may go as far as it can by itself. */
static abut_status find_islands(look_ahead *l, const problem *p, const evaluation *ev,
                                abut_error *err)
{
    size_t n = (size_t)p->free_count;
    if (!array_resize(&l->island, n + 1) || !array_resize(&l->part, n + 1))
        return error_memory(err, "looking ahead");
    int32_t *parent = l->island.data;
    for (size_t i = 0; i < n; i++) parent[i] = (int32_t)i;
    for (int t = 0; t < p->term_count; t++) {
        const term *of = p->terms[t];
        if (ev->without & term_bit(of)) continue;
        for (int g = 0; g < of->group_count; g++) {
            size_t width = (size_t)of->groups[g].width;
            for (size_t i = 0; i < of->groups[g].count; i++) {
                int32_t first = -1;
                for (size_t k = 0; k < width; k++) {
                    int32_t block = of->groups[g].blocks[i * width + k];
                    int32_t at = block >= 0 ? p->free_index[block] : -1;
                    if (at < 0) continue;
                    at = find_root(parent, at);
                    if (first >= 0 && at < first) parent[first] = at;
                    if (first >= 0 && at > first) parent[at] = first;
                    first = first < 0 || at < first ? at : first;
                }
            }
        }
    }
    for (size_t i = 0; i < n; i++) parent[i] = find_root(parent, (int32_t)i);
    return ABUT_OK;
}

/* The earliest moment at which something stops each island, in l->part; whether there is any. */
static bool earliest_moments(look_ahead *l, const problem *p)
{
    size_t n = (size_t)p->free_count;
    for (size_t i = 0; i < n; i++) l->part.data[i] = 1;
    for (size_t j = 0; j < l->found.rows.count; j++) {
        const obstruction *row = &l->found.rows.data[j];
        for (size_t k = row->first; k < row->first + (size_t)row->count; k++) {
            int32_t at = p->free_index[l->found.blocks.data[k]];
            if (at < 0) continue;
            double *part = &l->part.data[l->island.data[at]];
            *part = fmin(*part, row->moment);
        }
    }
    return l->found.rows.count > 0;
}

/* Shortens the path of every island as far as it is stopped itself; l->gone: what is left of it. */
static abut_status shorten(look_ahead *l, problem *p, const evaluation *ev, const double *x,
                           double *direction, abut_error *err)
{
    size_t n = (size_t)p->free_count;
    for (size_t i = 0; i < n; i++) l->gone.data[i] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        TRY(find_obstructions(l, p, ev, x, direction, err));
        if (!earliest_moments(l, p)) break;
        for (size_t i = 0; i < n; i++) {
            double part = l->part.data[l->island.data[i]];
            l->gone.data[i] *= part;
            for (size_t c = 0; c < 3; c++) direction[3 * i + c] *= part;
        }
    }
    return ABUT_OK;
}

static double move_of(const problem *p, const double *direction, size_t i)
{
    double length = p->lengths ? p->lengths[p->free_block[i]] : 1;
    return length * fmax(fabs(direction[3 * i]),
                         fmax(fabs(direction[3 * i + 1]), fabs(direction[3 * i + 2])));
}

/* Largest move of every island along a direction, in l->longest. */
static void measure_islands(look_ahead *l, const problem *p, const double *direction)
{
    size_t n = (size_t)p->free_count;
    for (size_t i = 0; i < n; i++) l->longest.data[i] = 0;
    for (size_t i = 0; i < n; i++) {
        double *longest = &l->longest.data[l->island.data[i]];
        *longest = fmax(*longest, move_of(p, direction, i));
    }
}

/* Islands go no further than the largest radius of their unknowns: those of islands that have come
 * together differ. */
static void limit_length(look_ahead *l, const problem *p, double *direction)
{
    size_t n = (size_t)p->free_count;
    measure_islands(l, p, direction);
    for (size_t i = 0; i < n; i++) l->part.data[i] = 0;
    for (size_t i = 0; i < n; i++) {
        double *most = &l->part.data[l->island.data[i]];
        *most = fmax(*most, l->radius.data[i]);
    }
    for (size_t i = 0; i < n; i++) {
        double move = l->longest.data[l->island.data[i]], most = l->part.data[l->island.data[i]];
        for (size_t c = 0; move > most && c < 3; c++) direction[3 * i + c] *= most / move;
    }
}

/* Where less than a half of a path could be gone, the inequalities did not hold for as far as it
 * led: the next one is as long as what could be gone. Elsewhere it may be longer than this one.
 * The radius is tied to paths that were looked at: one that grows or shrinks by itself, beside
 * directions of another length, ends at 0 or infinity. */
static void learn(look_ahead *l, const problem *p)
{
    for (size_t i = 0; i < (size_t)p->free_count; i++) {
        double gone = l->gone.data[i], move = l->longest.data[l->island.data[i]];
        double *radius = &l->radius.data[i];
        *radius =
            gone >= 0.5 ? fmax(*radius, GROWTH * move) : fmax(gone, 1 / (GROWTH * GROWTH)) * move;
    }
}

/* ---------------------------------------------------------------------------------------------- */

/* What the model promises for a part of a direction q; product: the matrix times q. */
static double model_decrease(size_t n, const double *right, const double *q, const double *product,
                             double alpha)
{
    return alpha * dot(n, right, q) - 0.5 * alpha * alpha * dot(n, q, product);
}

static abut_status make_room(look_ahead *l, const problem *p, abut_error *err)
{
    size_t n = (size_t)p->free_count;
    l->fresh = l->fresh || l->radius.count != n;
    if (!array_resize(&l->full, 3 * (size_t)p->block_count) || !array_resize(&l->row, 3 * n) ||
        !array_resize(&l->base, 3 * n) || !array_resize(&l->trial, 3 * n) ||
        !array_resize(&l->gone, n) || !array_resize(&l->longest, n) || !array_resize(&l->radius, n))
        return error_memory(err, "looking ahead");
    return ABUT_OK;
}

/* The first radius: some times as far as the first collision lets everything go. */
static void set_first_radius(look_ahead *l, const problem *p, const double *direction, double alpha)
{
    size_t n = (size_t)p->free_count;
    double longest = 0;
    for (size_t i = 0; i < n; i++) longest = fmax(longest, move_of(p, direction, i));
    for (size_t i = 0; i < n; i++) l->radius.data[i] = GROWTH * GROWTH * alpha * longest;
    l->fresh = false;
}

abut_status look_ahead_direction(look_ahead *l, problem *p, const evaluation *ev,
                                 linear_solver *linear, const double *x, const double *right,
                                 double *direction, double *alpha, bool *chosen, abut_error *err)
{
    size_t n = 3 * (size_t)p->free_count;
    double without, with, step;
    *chosen = false;
    TRY(make_room(l, p, err));
    TRY(find_islands(l, p, ev, err));
    if (l->fresh) set_first_radius(l, p, direction, *alpha);
    block_matrix_multiply(&p->matrix, direction, l->row.data);
    without = model_decrease(n, right, direction, l->row.data, *alpha);
    memcpy(l->base.data, direction, n * sizeof *direction);
    limit_length(l, p, l->base.data);
    TRY(constrain(l, p, ev, linear, x, l->base.data, l->trial.data, err));
    measure_islands(l, p, l->trial.data);
    TRY(shorten(l, p, ev, x, l->trial.data, err));
    learn(l, p);
    problem_expand(p, l->trial.data, l->full.data);
    TRY(problem_max_step(p, ev, x, l->full.data, 1.0, &step, err));
    block_matrix_multiply(&p->matrix, l->trial.data, l->row.data);
    with = model_decrease(n, right, l->trial.data, l->row.data, step);
    if (!(with > without) || !(dot(n, right, l->trial.data) > 0)) return ABUT_OK;
    *alpha = step;
    *chosen = true;
    memcpy(direction, l->trial.data, n * sizeof *direction);
    return ABUT_OK;
}
