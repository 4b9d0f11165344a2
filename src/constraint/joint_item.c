#include "constraint/joint_item.h"

#include "body/rigid.h"
#include "constraint/axis_law.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

bool item_is_coupling(const model_joint *j) { return joint_kinds[j->kind].holds & HOLDS_COUPLED; }

/* ---------------------------------------------------------------------------------------------- */
/* Joints and attachments                                                                         */

/* Points that are pulled together: k/2 |d|^2 + c/(2 h) |d - d_t|^2, d_t at the start of the step.
 */
static void add_pull(const model_joint *j, const joint_step *step, const double *u, joint_sum *sum)
{
    if (!(j->stiffness > 0) || !(joint_kinds[j->kind].holds & HOLDS_POINT)) return;
    int b = 3 * feature_of(1, FEATURE_POINT), a = 3 * feature_of(0, FEATURE_POINT);
    double slow = j->damping / step->h, stiffness = j->stiffness + slow;
    for (int c = 0; c < 3; c++) {
        double d = u[b + c] - u[a + c], change = d - vec3_get(step->apart, c);
        double force = j->stiffness * d + slow * change;
        sum->energy += 0.5 * (j->stiffness * d * d + slow * change * change);
        if (!sum->derivatives) continue;
        sum->gradient[b + c] += force;
        sum->gradient[a + c] -= force;
        sum->hessian[b + c][b + c] += stiffness;
        sum->hessian[a + c][a + c] += stiffness;
        sum->hessian[a + c][b + c] -= stiffness;
        sum->hessian[b + c][a + c] -= stiffness;
    }
}

/* In directions in which the law pulls in (V' < 0 at a point that turns away), only the first part
 * of the Hessian is sure to be semi-definite; the sum is projected as a whole. */
static void add_laws(const model_joint *j, const joint_step *step, const double *u, joint_sum *sum)
{
    for (int y = 0; y < JOINT_COORDINATES; y++) {
        const joint_axis *axis = &j->axis[y];
        if (!joint_has(j, (joint_coordinate)y) || !axis_law_needed(axis)) continue;
        if (!sum->derivatives) {
            double at = joint_coordinate_value(j, (joint_coordinate)y, step->start[y], u);
            sum->energy += axis_law(axis, (joint_coordinate)y, step, at).energy;
            continue;
        }
        jet at;
        joint_coordinate_jet(j, (joint_coordinate)y, step->start[y], u, &at);
        law_value v = axis_law(axis, (joint_coordinate)y, step, at.value);
        for (int i = 0; i < JET_SIZE; i++) {
            sum->gradient[i] += v.first * at.gradient[i];
            for (int k = 0; k < JET_SIZE; k++)
                sum->hessian[i][k] +=
                    v.second * at.gradient[i] * at.gradient[k] + v.first * at.hessian[i][k];
        }
    }
}

static void add_joint(const joint_set *set, size_t i, const double *u, joint_sum *sum)
{
    const model_joint *j = &set->model->joints.data[i];
    const joint_step *step = &set->steps[i];
    sum->multiplier = set->multipliers + JOINT_MAX_ROWS * i;
    joint_add_rows(j, step, u, sum);
    add_pull(j, step, u, sum);
    add_laws(j, step, u, sum);
}

/* ---------------------------------------------------------------------------------------------- */
/* Couplings                                                                                      */

/* One of the two coordinates of a coupling over the blocks of its joint. */
typedef struct coupled_side {
    int blocks, scalars;
    int32_t block[JOINT_MAX_BLOCKS];
    double value, gradient[JOINT_MAX_SCALARS], hessian[JOINT_MAX_SCALARS * JOINT_MAX_SCALARS];
} coupled_side;

static double coupled_value(const joint_set *set, const model_joint *c, int which, const double *x)
{
    const model_joint *j = &set->model->joints.data[c->coupled[which]];
    double u[JET_SIZE];
    joint_features(set->model, j, x, u);
    return joint_coordinate_value(j, c->coordinate[which],
                                  set->steps[c->coupled[which]].start[c->coordinate[which]], u);
}

static void differentiate(const joint_set *set, const model_joint *c, int which, const double *x,
                          bool second, coupled_side *out)
{
    const model_joint *j = &set->model->joints.data[c->coupled[which]];
    double u[JET_SIZE];
    jet y;
    feature_map map;
    joint_features(set->model, j, x, u);
    joint_coordinate_jet(j, c->coordinate[which],
                         set->steps[c->coupled[which]].start[c->coordinate[which]], u, &y);
    joint_feature_map(set->model, j, x, &map);
    out->blocks = joint_blocks(set->model, j, out->block);
    out->scalars = map.scalars;
    out->value = y.value;
    features_pull_gradient(&map, y.gradient, out->gradient);
    if (second)
        features_pull_hessian(set->model, j, x, &map, y.gradient,
                              (const double(*)[JET_SIZE])y.hessian, out->hessian);
}

static double coupling_row(const joint_set *set, size_t i, const double *x)
{
    const model_joint *c = &set->model->joints.data[i];
    return coupled_value(set, c, 0, x) - c->ratio * coupled_value(set, c, 1, x) - c->offset;
}

static int find_block(const int32_t *blocks, int count, int32_t block)
{
    for (int k = 0; k < count; k++)
        if (blocks[k] == block) return k;
    return -1;
}

/* Adds a vector and a matrix over the blocks of one side to those over all blocks. */
static void spread(const coupled_side *s, const int32_t *blocks, int count, double factor,
                   bool second, double *gradient, double *hessian)
{
    int n = 3 * count, at[JOINT_MAX_SCALARS];
    for (int k = 0; k < s->scalars; k++)
        at[k] = 3 * find_block(blocks, count, s->block[k / 3]) + k % 3;
    for (int k = 0; k < s->scalars; k++) {
        gradient[at[k]] += factor * s->gradient[k];
        for (int l = 0; second && l < s->scalars; l++)
            hessian[at[k] * n + at[l]] += factor * s->hessian[k * s->scalars + l];
    }
}

/* The rows of couplings bend little (angles of the same axes); without `exact` the part of their
 * Hessian that may be indefinite is left out. */
static void coupling_derivatives(const joint_set *set, size_t i, const double *x, bool exact,
                                 double *gradient, double *dense)
{
    const model_joint *c = &set->model->joints.data[i];
    int32_t blocks[ITEM_MAX_BLOCKS];
    int count = item_blocks(set->model, i, blocks), n = 3 * count;
    coupled_side first, second;
    differentiate(set, c, 0, x, exact, &first);
    differentiate(set, c, 1, x, exact, &second);
    double row[ITEM_MAX_SCALARS] = {0};
    double k = set->steps[i].stiffness[c->coordinate[0] == JOINT_TURN ? 1 : 0];
    double force = set->multipliers[JOINT_MAX_ROWS * i] +
                   k * (first.value - c->ratio * second.value - c->offset);
    memset(dense, 0, (size_t)(n * n) * sizeof *dense);
    spread(&first, blocks, count, 1, exact, row, dense);
    spread(&second, blocks, count, -c->ratio, exact, row, dense);
    for (int a = 0; a < n; a++) {
        gradient[a] = force * row[a];
        for (int b = 0; b < n; b++)
            dense[a * n + b] = force * dense[a * n + b] + k * row[a] * row[b];
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Items                                                                                          */

int item_blocks(const model *m, size_t i, int32_t blocks[ITEM_MAX_BLOCKS])
{
    const model_joint *j = &m->joints.data[i];
    if (!item_is_coupling(j)) return joint_blocks(m, j, blocks);
    int count = 0;
    for (int k = 0; k < 2; k++) {
        int32_t own[JOINT_MAX_BLOCKS];
        int n = joint_blocks(m, &m->joints.data[j->coupled[k]], own);
        for (int b = 0; b < n; b++)
            if (find_block(blocks, count, own[b]) < 0) blocks[count++] = own[b];
    }
    return count;
}

void item_rows(const joint_set *set, size_t i, const double *x, joint_sum *sum)
{
    const model_joint *j = &set->model->joints.data[i];
    memset(sum, 0, sizeof *sum);
    if (set->steps[i].broken) return;
    if (item_is_coupling(j)) {
        sum->rows = 1;
        sum->value[0] = coupling_row(set, i, x);
        sum->angular[0] = j->coordinate[0] == JOINT_TURN;
        return;
    }
    double u[JET_SIZE];
    joint_features(set->model, j, x, u);
    joint_add_rows(j, &set->steps[i], u, sum);
}

void item_row_derivatives(const joint_set *set, size_t i, const double *x, joint_sum *sum,
                          double rows[JOINT_MAX_ROWS][ITEM_MAX_SCALARS])
{
    const model_joint *j = &set->model->joints.data[i];
    item_rows(set, i, x, sum);
    if (sum->rows == 0) return;
    if (item_is_coupling(j)) {
        int32_t blocks[ITEM_MAX_BLOCKS];
        coupled_side side;
        int count = item_blocks(set->model, i, blocks);
        memset(rows[0], 0, sizeof rows[0]);
        for (int k = 0; k < 2; k++) {
            differentiate(set, j, k, x, false, &side);
            spread(&side, blocks, count, k == 0 ? 1 : -j->ratio, false, rows[0], NULL);
        }
        return;
    }
    double u[JET_SIZE], jacobian[JOINT_MAX_ROWS][JET_SIZE];
    feature_map map;
    memset(sum, 0, sizeof *sum);
    sum->jacobian = jacobian;
    joint_features(set->model, j, x, u);
    joint_add_rows(j, &set->steps[i], u, sum);
    sum->jacobian = NULL;
    joint_feature_map(set->model, j, x, &map);
    for (int k = 0; k < sum->rows; k++) features_pull_gradient(&map, jacobian[k], rows[k]);
}

double item_energy(const joint_set *set, size_t i, const double *x)
{
    if (set->steps[i].broken) return 0;
    const model_joint *j = &set->model->joints.data[i];
    if (item_is_coupling(j)) {
        double c = coupling_row(set, i, x);
        double k = set->steps[i].stiffness[j->coordinate[0] == JOINT_TURN ? 1 : 0];
        return (set->multipliers[JOINT_MAX_ROWS * i] + 0.5 * k * c) * c;
    }
    double u[JET_SIZE];
    joint_sum sum;
    memset(&sum, 0, sizeof sum);
    joint_features(set->model, j, x, u);
    add_joint(set, i, u, &sum);
    return sum.energy;
}

static void joint_derivatives(const joint_set *set, size_t i, const double *x, bool with_hessian,
                              double *gradient, double *dense)
{
    const model_joint *j = &set->model->joints.data[i];
    double u[JET_SIZE];
    joint_sum sum;
    feature_map map;
    memset(&sum, 0, sizeof sum);
    sum.derivatives = true;
    joint_features(set->model, j, x, u);
    add_joint(set, i, u, &sum);
    joint_feature_map(set->model, j, x, &map);
    features_pull_gradient(&map, sum.gradient, gradient);
    if (with_hessian)
        features_pull_hessian(set->model, j, x, &map, sum.gradient,
                              (const double(*)[JET_SIZE])sum.hessian, dense);
}

/* dense += factor times the inertia of the bodies, each with the joint's share. */
static void add_inertia(const joint_set *set, size_t i, const double *x, double factor, int n,
                        double *dense)
{
    const model *m = set->model;
    const model_joint *j = &m->joints.data[i];
    for (int k = 0, at = 0; k < 2; k++) {
        const joint_side *s = &j->side[k];
        int blocks = s->kind == SIDE_NODES ? s->count : 0;
        if (s->kind == SIDE_BODY) {
            const rigid_body *b = &m->rigids.data[s->rigid];
            double inertia[JOINT_SIDE_BLOCKS * 3][JOINT_SIDE_BLOCKS * 3] = {{0}};
            blocks = b->affine ? 4 : 2;
            rigid_inertia_matrix(b, x, &inertia[0][0], 3 * JOINT_SIDE_BLOCKS);
            double share = factor * set->shares[2 * i + (size_t)k];
            for (int r = 0; r < 3 * blocks; r++)
                for (int c = 0; c < 3 * blocks; c++)
                    dense[(at + r) * n + at + c] += share * inertia[r][c];
        }
        at += 3 * blocks;
    }
}

static void project_dense(const joint_set *set, size_t i, const double *x, const evaluation *ev,
                          int n, double *dense)
{
    double factor = set->shares && ev->force_factor > 0 ? ev->mass_factor / ev->force_factor : 0;
    if (factor > 0) add_inertia(set, i, x, factor, n, dense);
    psd_project(n, dense);
    if (factor > 0) add_inertia(set, i, x, -factor, n, dense);
}

void item_derivatives(const joint_set *set, size_t i, const double *x, const evaluation *ev,
                      double *gradient, double *hessian)
{
    bool project = !ev->exact;
    double factor = ev->force_factor;
    int32_t blocks[ITEM_MAX_BLOCKS];
    int count = item_blocks(set->model, i, blocks), n = 3 * count;
    double g[ITEM_MAX_SCALARS] = {0}, dense[ITEM_MAX_SCALARS * ITEM_MAX_SCALARS];
    bool coupling = item_is_coupling(&set->model->joints.data[i]);
    if (set->steps[i].broken)
        memset(dense, 0, (size_t)(n * n) * sizeof *dense);
    else if (coupling)
        coupling_derivatives(set, i, x, !project, g, dense);
    else
        joint_derivatives(set, i, x, hessian != NULL, g, dense);
    for (int k = 0; gradient && k < n; k++) gradient[k] = factor * g[k];
    if (!hessian) return;
    if (project && !coupling) project_dense(set, i, x, ev, n, dense);
    for (int k = 0; k < n * n; k++) dense[k] *= factor;
    stencil_store_blocks(count, dense, hessian);
}
