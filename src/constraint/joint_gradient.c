/* Joints in derivatives of whole steps (docs/theory/gradients.md). */
#include "constraint/joint_term.h"

#include "constraint/axis_law.h"

#include <math.h>
#include <string.h>

/* Recorded steps meet rows to this (rad, or share of the scene's size): differences of runs, with
 * which derivatives are compared, see what is left. */
static const double SHARP = 1e-12;

static abut_status collect(term *base, const double *x, size_t *rows, abut_error *err)
{
    joint_term *t = (joint_term *)base;
    joint_set set = {t->model, t->steps.data, t->multipliers.data, t->shares.data};
    joint_dual_begin(&t->dual);
    for (size_t k = 0; k < t->items.count; k++)
        TRY(joint_dual_add(&t->dual, &set, (size_t)t->items.data[k], x, t->extent, err));
    *rows = t->dual.left.count;
    return ABUT_OK;
}

static const double *values(const term *base) { return ((const joint_term *)base)->dual.left.data; }

static const double *weights(const term *base)
{
    return ((const joint_term *)base)->dual.stiffness.data;
}

static void push(const term *base, const double *w, double *out)
{
    joint_dual_push(&((const joint_term *)base)->dual, w, out);
}

static void pull(const term *base, const double *y, double *out)
{
    joint_dual_pull(&((const joint_term *)base)->dual, y, out);
}

static term_state multipliers(term *base)
{
    joint_term *t = (joint_term *)base;
    return (term_state){"forces of joints", t->multipliers.data, t->multipliers.count};
}

/* Coordinates at x, with the turns counted as they are. */
static void find_start(const joint_term *t, size_t i, const double *x, double *start)
{
    const model_joint *j = &t->model->joints.data[i];
    double u[JET_SIZE];
    if (item_is_coupling(j)) return;
    joint_features(t->model, j, x, u);
    for (int y = 0; y < JOINT_COORDINATES; y++)
        if (joint_has(j, (joint_coordinate)y))
            start[y] = joint_coordinate_value(j, (joint_coordinate)y, start[y], u);
}

static void take_start(term *base, const double *x)
{
    joint_term *t = (joint_term *)base;
    for (size_t i = 0; i < t->model->joints.count; i++)
        find_start(t, i, x, t->memory.data[i].position);
}

static void sharpen(term *base) { ((joint_term *)base)->tolerance = SHARP; }

static bool settle(term *base, const double *x)
{
    joint_term *t = (joint_term *)base;
    if (!(joint_worst_violation(t, x) > SHARP)) return false;
    for (size_t i = 0; i < t->model->joints.count; i++) joint_update(t, i, x);
    return true;
}

const term_constraints joint_constraints = {.collect = collect,
                                            .values = values,
                                            .weights = weights,
                                            .push = push,
                                            .pull = pull,
                                            .multipliers = multipliers,
                                            .take_start = take_start,
                                            .sharpen = sharpen,
                                            .settle = settle};

/* ---- what a step keeps of its start ---- */

/* Where coordinates and points were, and the inertia that limits are as stiff as. */
static bool keeps_start(const model_joint *j)
{
    bool laws = false;
    for (int y = 0; y < JOINT_COORDINATES; y++)
        laws = laws || (joint_has(j, (joint_coordinate)y) && axis_law_needed(&j->axis[y]));
    return !item_is_coupling(j) && (laws || j->damping > 0);
}

/* w . gradient of the joint at x, when its step began at x_start. */
static double work_from(joint_term *t, size_t i, const evaluation *ev, const double *x_start,
                        const double *x, const double *w)
{
    int32_t blocks[ITEM_MAX_BLOCKS];
    double gradient[ITEM_MAX_SCALARS], sum = 0;
    joint_step kept = t->steps.data[i], *step = &t->steps.data[i];
    joint_set set = {t->model, t->steps.data, t->multipliers.data, t->shares.data};
    int count = item_blocks(t->model, i, blocks);
    joint_step_from(t, i, x_start, step);
    memcpy(step->stiffness, kept.stiffness, sizeof kept.stiffness); /* of rows that are met */
    find_start(t, i, x_start, step->start);
    item_derivatives(&set, i, x, ev, gradient, NULL);
    for (int k = 0; k < 3 * count; k++)
        sum += gradient[k] * w[3 * (size_t)blocks[k / 3] + (size_t)(k % 3)];
    *step = kept;
    return sum;
}

abut_status joint_by_start(term *base, const evaluation *ev, const double *x, const double *w,
                           double *out, abut_error *err)
{
    static const double STEP = 1e-5; /* of a coordinate, or of its unit */
    joint_term *t = (joint_term *)base;
    size_t scalars = 3 * t->model->rest.count;
    double *moved = mem_alloc(scalars + 1, sizeof *moved);
    if (!moved) return error_memory(err, "differentiating joints");
    memcpy(moved, t->begin, scalars * sizeof *moved);
    for (size_t k = 0; k < t->items.count; k++) {
        size_t i = (size_t)t->items.data[k];
        int32_t blocks[ITEM_MAX_BLOCKS];
        int count = item_blocks(t->model, i, blocks);
        if (!keeps_start(&t->model->joints.data[i]) || t->steps.data[i].broken) continue;
        for (int c = 0; c < 3 * count; c++) {
            size_t at = 3 * (size_t)blocks[c / 3] + (size_t)(c % 3);
            double kept = moved[at], h = STEP * (1 + fabs(kept));
            moved[at] = kept + h;
            double up = work_from(t, i, ev, moved, x, w);
            moved[at] = kept - h;
            double down = work_from(t, i, ev, moved, x, w);
            moved[at] = kept;
            out[at] += (up - down) / (2 * h);
        }
    }
    mem_free(moved);
    return ABUT_OK;
}
