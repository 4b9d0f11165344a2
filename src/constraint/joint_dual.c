#include "constraint/joint_dual.h"

#include <math.h>
#include <string.h>

/* Iterations at most; what the rest has to be below: every row by the tolerance, or by the start
 * (the next iterate is off by a square anyway), and the norm that stands for the error of the
 * forces; the share of K^-1 for dependent rows. */
enum { MOST = 60 };
static const double OF_TOLERANCE = 0.1, OF_START = 1e-3, OF_NORM = 1e-2, SINGULAR = 1e-4;

void joint_dual_free(joint_dual *d)
{
    array_free(&d->items);
    array_free(&d->derivatives);
    array_free(&d->stiffness);
    array_free(&d->unit);
    array_free(&d->left);
    array_free(&d->search);
    array_free(&d->product);
    array_free(&d->force);
    array_free(&d->pull);
    array_free(&d->answer);
}

void joint_dual_begin(joint_dual *d)
{
    array_clear(&d->items);
    array_clear(&d->derivatives);
    array_clear(&d->stiffness);
    array_clear(&d->unit);
    array_clear(&d->left);
}

abut_status joint_dual_add(joint_dual *d, const joint_set *set, size_t joint, const double *x,
                           double extent, abut_error *err)
{
    joint_sum sum;
    double rows[JOINT_MAX_ROWS][ITEM_MAX_SCALARS];
    dual_item item = {
        .joint = joint, .first_row = d->left.count, .first_value = d->derivatives.count};
    item_row_derivatives(set, joint, x, &sum, rows);
    if (sum.rows == 0) return ABUT_OK;
    item.rows = sum.rows;
    item.blocks = item_blocks(set->model, joint, item.block);
    size_t width = 3 * (size_t)item.blocks;
    bool ok = array_push(&d->items, item) &&
              array_resize(&d->derivatives, item.first_value + width * (size_t)item.rows);
    for (int k = 0; ok && k < item.rows; k++) {
        memcpy(d->derivatives.data + item.first_value + width * (size_t)k, rows[k],
               width * sizeof(double));
        ok = array_push(&d->stiffness, set->steps[joint].stiffness[sum.angular[k] ? 1 : 0]) &&
             array_push(&d->unit, sum.angular[k] ? 1 : extent) &&
             array_push(&d->left, sum.value[k]);
    }
    return ok ? ABUT_OK : error_memory(err, "finding forces of joints");
}

void joint_dual_pull(const joint_dual *d, const double *y, double *out)
{
    for (size_t i = 0; i < d->items.count; i++) {
        const dual_item *item = &d->items.data[i];
        const double *row = d->derivatives.data + item->first_value;
        for (int k = 0; k < item->rows; k++)
            for (int b = 0; b < item->blocks; b++, row += 3)
                for (int c = 0; c < 3; c++)
                    out[3 * (size_t)item->block[b] + (size_t)c] +=
                        row[c] * y[item->first_row + (size_t)k];
    }
}

/* The change of row `at` of an item when the coordinates move by v. */
static double change_of_row(const joint_dual *d, const dual_item *item, int at, const double *v)
{
    const double *row = d->derivatives.data + item->first_value + 3 * (size_t)(at * item->blocks);
    double sum = 0;
    for (int b = 0; b < item->blocks; b++, row += 3)
        for (int c = 0; c < 3; c++) sum += row[c] * v[3 * (size_t)item->block[b] + (size_t)c];
    return sum;
}

void joint_dual_push(const joint_dual *d, const double *v, double *out)
{
    for (size_t i = 0; i < d->items.count; i++) {
        const dual_item *item = &d->items.data[i];
        for (int k = 0; k < item->rows; k++)
            out[item->first_row + (size_t)k] = change_of_row(d, item, k, v);
    }
}

/* product <- (S + SINGULAR / K) y */
static void multiply(joint_dual *d, const newton_response *response, const double *y,
                     double *product)
{
    memset(d->pull.data, 0, d->pull.count * sizeof *d->pull.data);
    joint_dual_pull(d, y, d->pull.data);
    response->move(response->context, d->pull.data, d->answer.data);
    d->solves++;
    for (size_t i = 0; i < d->items.count; i++) {
        const dual_item *item = &d->items.data[i];
        for (int k = 0; k < item->rows; k++) {
            size_t at = item->first_row + (size_t)k;
            product[at] = change_of_row(d, item, k, d->answer.data) +
                          SINGULAR / d->stiffness.data[at] * y[at];
        }
    }
}

static double largest(const joint_dual *d)
{
    double worst = 0;
    for (size_t i = 0; i < d->left.count; i++)
        worst = fmax(worst, fabs(d->left.data[i]) / d->unit.data[i]);
    return worst;
}

static double weighed(const joint_dual *d)
{
    double sum = 0;
    for (size_t i = 0; i < d->left.count; i++)
        sum += d->stiffness.data[i] * d->left.data[i] * d->left.data[i];
    return sum;
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* d->left <- what is left of the rows after the next direction. */
static abut_status look_on(joint_dual *d, const newton_response *response, abut_error *err)
{
    TRY(response->direction(response->context, d->answer.data, err));
    for (size_t i = 0; i < d->items.count; i++) {
        const dual_item *item = &d->items.data[i];
        for (int k = 0; k < item->rows; k++)
            d->left.data[item->first_row + (size_t)k] += change_of_row(d, item, k, d->answer.data);
    }
    return ABUT_OK;
}

abut_status joint_dual_solve(joint_dual *d, size_t scalars, const newton_response *response,
                             double tolerance, abut_error *err)
{
    size_t n = d->left.count;
    if (!array_resize(&d->search, n) || !array_resize(&d->product, n) ||
        !array_resize(&d->force, n) || !array_resize(&d->pull, scalars) ||
        !array_resize(&d->answer, scalars))
        return error_memory(err, "finding forces of joints");
    memset(d->force.data, 0, n * sizeof *d->force.data);
    TRY(look_on(d, response, err));
    double *y = d->force.data, *p = d->search.data, *q = d->product.data, *r = d->left.data;
    double goal = fmax(OF_TOLERANCE * tolerance, OF_START * largest(d)), size = weighed(d);
    double least = OF_NORM * OF_NORM * size;
    for (size_t i = 0; i < n; i++) p[i] = d->stiffness.data[i] * r[i];
    for (int k = 0; k < MOST && (largest(d) > goal || size > least); k++) {
        multiply(d, response, p, q);
        double curvature = dot(n, p, q);
        if (!(curvature > 0)) break;
        double alpha = size / curvature, before = size;
        for (size_t i = 0; i < n; i++) y[i] += alpha * p[i];
        for (size_t i = 0; i < n; i++) r[i] -= alpha * q[i];
        size = weighed(d);
        for (size_t i = 0; i < n; i++) p[i] = d->stiffness.data[i] * r[i] + size / before * p[i];
    }
    return ABUT_OK;
}
