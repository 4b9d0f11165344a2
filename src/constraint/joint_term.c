#include "constraint/joint_term.h"

#include "body/follower.h"

#include "base/parallel.h"
#include "constraint/axis_law.h"
#include "constraint/joint_bound.h"
#include "term/term_row.h"

#include <math.h>
#include <string.h>

/* Weight of K: the violation shrinks by about this factor with every update of the multipliers, but
 * in long chains, and where light bodies hold heavy ones. A joint whose violation does not shrink
 * at all, or is still there after PATIENCE updates, gets a larger gain, up to MOST, and loses half
 * of it with every step that needs no second update: with large gains Newton's method creeps along
 * the curved paths that joints allow. */
static const double GAIN = 1e3, MOST = 1e8, GROWTH = 10, FORGET = 0.5;
/* In recorded steps, whose forces have to balance in soft coordinates beside such rows to 1e-9. */
static const double RECORDED_MOST = 1e5;
enum { PATIENCE = 8 };
/* Where the forces of all joints take more solves than this to find, many bodies move together, and
 * all joints get a larger gain (docs/joints.md has a table). */
enum { ENOUGH = 8 };
static const double TOLERANCE = 1e-8;
enum { MAX_PASSES = 100 };
/* Constraints that can be met shrink with almost every update. The worst one has to fall below
 * NEARER of the best so far within so many updates. */
enum { HOPELESS = 20 };
static const double NEARER = 0.9;

static joint_set set_of(const joint_term *t)
{
    return (joint_set){t->model, t->steps.data, t->multipliers.data, t->shares.data};
}

/* ---------------------------------------------------------------------------------------------- */
/* Evaluation                                                                                     */

typedef struct value_work {
    const joint_term *t;
    const double *x;
} value_work;

static double energy_range(void *context, size_t begin, size_t end)
{
    const value_work *w = context;
    joint_set set = set_of(w->t);
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += item_energy(&set, i, w->x);
    return sum;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    value_work work = {(const joint_term *)base, x};
    return ev->force_factor * parallel_sum(work.t->model->joints.count, energy_range, &work);
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    const joint_term *t = (const joint_term *)base;
    joint_set set = set_of(t);
    size_t width = (size_t)base->groups[group].width, pairs = width * (width + 1) / 2;
    for (size_t i = begin; i < end; i++)
        item_derivatives(&set, (size_t)t->items.data[t->first_item[group] + i], x, ev,
                         gradient ? gradient + 3 * width * (i - begin) : NULL,
                         hessian ? hessian + 9 * pairs * (i - begin) : NULL);
}

static abut_status max_step(const term *base, const double *x, const double *p, double limit,
                            step_bound *bound, stage_timer *timer, abut_error *err)
{
    (void)timer;
    (void)err;
    const joint_term *t = (const joint_term *)base;
    joint_set set = set_of(t);
    *bound = (step_bound){.alpha = limit, .group = -1};
    for (size_t i = 0; i < t->model->joints.count; i++)
        bound->alpha = joint_max_step(&set, i, x, p, bound->alpha);
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* A step                                                                                         */

void joint_step_from(const joint_term *t, size_t i, const double *x, joint_step *step)
{
    const model_joint *j = &t->model->joints.data[i];
    if (j->damping > 0 && !item_is_coupling(j)) {
        double u[JET_SIZE];
        joint_features(t->model, j, x, u);
        step->apart = vec3_sub(vec3_load(u + 3 * FEATURES), vec3_load(u));
    }
    double mass, inertia;
    joint_masses(t->model, i, x, &mass, &inertia);
    step->inertia[JOINT_TURN] = inertia;
    step->inertia[JOINT_SLIDE] = mass;
    step->stiffness[0] = t->gains.data[i] * mass / (step->h * step->h);
    step->stiffness[1] = t->gains.data[i] * inertia / (step->h * step->h);
}

/* What a motor should do at a time: what the caller says, or the expression. */
static double target_at(const joint_term *t, size_t i, int y, double time)
{
    const joint_drive *d = &t->model->joints.data[i].axis[y].drive;
    double command = t->commands.data[JOINT_COORDINATES * i + (size_t)y];
    if (d->kind == DRIVE_NONE) return 0;
    return !isnan(command) ? command : d->unit * expression_value(d->target, 0, 0, 0, time);
}

static void begin_joint(joint_term *t, size_t i, const term_step *at)
{
    joint_memory *memory = &t->memory.data[i];
    joint_step *step = &t->steps.data[i];
    *step = (joint_step){.h = at->h, .length_scale = t->extent, .broken = memory->broken != 0};
    for (int y = 0; y < JOINT_COORDINATES; y++) {
        step->start[y] = memory->position[y];
        step->target[y] = target_at(t, i, y, at->end);
    }
    joint_step_from(t, i, at->x, step);
}

static void begin_step(term *base, const term_step *at)
{
    joint_term *t = (joint_term *)base;
    t->passes = t->rough = t->nearest_pass = 0;
    t->nearest = INFINITY;
    t->begin = at->x;
    for (size_t i = 0; i < t->model->joints.count; i++) {
        const joint_memory *memory = &t->memory.data[i];
        t->gains.data[i] = memory->gain;
        t->last.data[i] = INFINITY;
        memcpy(t->multipliers.data + JOINT_MAX_ROWS * i, memory->multiplier,
               sizeof memory->multiplier);
        begin_joint(t, i, at);
    }
}

static double scaled(const joint_term *t, const joint_sum *rows)
{
    double worst = 0;
    for (int k = 0; k < rows->rows; k++)
        worst = fmax(worst, fabs(rows->value[k]) / (rows->angular[k] ? 1 : t->extent));
    return worst;
}

double joint_violation(const joint_term *t, size_t joint, const double *x)
{
    joint_set set = set_of(t);
    joint_sum rows;
    item_rows(&set, joint, x, &rows);
    return scaled(t, &rows);
}

double joint_worst_violation(const joint_term *t, const double *x)
{
    double worst = 0;
    for (size_t i = 0; i < t->model->joints.count; i++)
        worst = fmax(worst, joint_violation(t, i, x));
    return worst;
}

/* A joint whose violation has not shrunk since the last time gets stiffer. Recorded steps meet rows
 * to rounding (sharpen), and then again with other friction: stiffness that they do not need
 * otherwise would only spoil the condition of their matrices. */
static void stiffen(joint_term *t, size_t i, double violation, bool together)
{
    joint_step *step = &t->steps.data[i];
    bool recorded = t->tolerance < TOLERANCE;
    bool grown = violation > t->last.data[i] && !(recorded && t->last.data[i] <= TOLERANCE);
    bool slow = (grown || t->rough % PATIENCE == 0) && violation > TOLERANCE;
    if (recorded && !(t->violation > TOLERANCE)) together = false;
    if ((slow || together) && t->gains.data[i] < (recorded ? RECORDED_MOST : MOST)) {
        t->gains.data[i] *= GROWTH;
        step->stiffness[0] *= GROWTH;
        step->stiffness[1] *= GROWTH;
    }
    t->last.data[i] = violation;
}

void joint_update(joint_term *t, size_t i, const double *x)
{
    joint_set set = set_of(t);
    joint_sum rows;
    item_rows(&set, i, x, &rows);
    double *multiplier = t->multipliers.data + JOINT_MAX_ROWS * i;
    for (int k = 0; k < rows.rows; k++)
        multiplier[k] += t->steps.data[i].stiffness[rows.angular[k] ? 1 : 0] * rows.value[k];
}

/* Whether the item depends on a node that follows others, of which its rows know nothing. */
static bool is_led(const joint_term *t, size_t i)
{
    int32_t blocks[ITEM_MAX_BLOCKS];
    int count = item_blocks(t->model, i, blocks);
    for (int b = 0; t->followers && b < count; b++)
        if (t->followers[blocks[b]] >= 0) return true;
    return false;
}

/* The multipliers with which the next iterate meets all rows, to first order. */
static abut_status update_together(joint_term *t, const double *x, const newton_response *response,
                                   abut_error *err)
{
    joint_set set = set_of(t);
    joint_dual *d = &t->dual;
    joint_dual_begin(d);
    for (size_t k = 0; k < t->items.count; k++) {
        size_t i = (size_t)t->items.data[k];
        if (is_led(t, i))
            joint_update(t, i, x);
        else
            TRY(joint_dual_add(d, &set, i, x, t->extent, err));
    }
    TRY(joint_dual_solve(d, 3 * t->model->rest.count, response, t->tolerance, err));
    for (size_t k = 0; k < d->items.count; k++) {
        const dual_item *item = &d->items.data[k];
        for (int r = 0; r < item->rows; r++)
            t->multipliers.data[JOINT_MAX_ROWS * item->joint + (size_t)r] +=
                d->force.data[item->first_row + (size_t)r];
    }
    return ABUT_OK;
}

static abut_status report(const joint_term *t, size_t worst, abut_error *err)
{
    return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                     "joint \"%.60s\" cannot be met: it is off by %.3g (rad, or of the size of the "
                     "scene) after %d updates of its force; it contradicts other joints or "
                     "prescribed motions",
                     t->model->joints.data[worst].name, t->violation, t->passes);
}

static abut_status tighten(term *base, const double *x, bool at_rest,
                           const newton_response *response, bool *met, bool *changed,
                           abut_error *err)
{
    joint_term *t = (joint_term *)base;
    size_t worst = 0;
    t->violation = 0;
    for (size_t i = 0; i < t->model->joints.count; i++) {
        double v = joint_violation(t, i, x);
        if (v > t->violation) worst = i;
        t->violation = fmax(t->violation, v);
    }
    *met = t->violation <= t->tolerance;
    *changed = false;
    if (*met || !at_rest) return ABUT_OK;
    if (t->violation < NEARER * t->nearest) {
        t->nearest = t->violation;
        t->nearest_pass = t->passes;
    }
    if (t->passes >= MAX_PASSES || t->passes - t->nearest_pass >= HOPELESS)
        return report(t, worst, err);
    t->passes++;
    if (t->violation > TOLERANCE) t->rough++;
    uint64_t solves = t->dual.solves;
    if (response) TRY(update_together(t, x, response, err));
    bool together = t->dual.solves - solves > ENOUGH;
    for (size_t i = 0; i < t->model->joints.count; i++) {
        if (!response) joint_update(t, i, x);
        stiffen(t, i, joint_violation(t, i, x), together);
    }
    *changed = true;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Between steps                                                                                  */

void joint_reaction(const joint_term *t, size_t joint, const double *x, vec3 *force, vec3 *torque)
{
    const model_joint *j = &t->model->joints.data[joint];
    joint_step still = t->steps.data[joint];
    double u[JET_SIZE];
    joint_sum sum;
    *force = *torque = (vec3){0};
    if (item_is_coupling(j) || t->memory.data[joint].broken != 0) return;
    memset(&sum, 0, sizeof sum);
    sum.derivatives = true;
    sum.multiplier = t->memory.data[joint].multiplier;
    joint_features(t->model, j, x, u);
    joint_add_rows(j, &still, u, &sum);
    if (j->stiffness > 0)
        for (int c = 0; c < 3; c++)
            sum.gradient[3 * FEATURES + c] += j->stiffness * (u[3 * FEATURES + c] - u[c]);
    /* Virtual work of the second side: -dE = F . dp + T . w, with dv = w x v of directions. */
    *force = vec3_neg(vec3_load(sum.gradient + 3 * FEATURES));
    for (int f = FEATURE_N; f <= FEATURE_A; f++) {
        size_t at = (size_t)(3 * feature_of(1, f));
        *torque = vec3_sub(*torque, vec3_cross(vec3_load(u + at), vec3_load(sum.gradient + at)));
    }
}

static void break_joint(joint_term *t, size_t i, const double *x)
{
    const model_joint *j = &t->model->joints.data[i];
    joint_memory *memory = &t->memory.data[i];
    if (isinf(j->break_force) && isinf(j->break_torque)) return;
    vec3 force, torque;
    joint_reaction(t, i, x, &force, &torque);
    if (vec3_norm(force) < j->break_force && vec3_norm(torque) < j->break_torque) return;
    memory->broken = 1;
    memset(memory->multiplier, 0, sizeof memory->multiplier);
}

static void end_step(term *base, const double *x)
{
    joint_term *t = (joint_term *)base;
    for (size_t i = 0; i < t->model->joints.count; i++) {
        const model_joint *j = &t->model->joints.data[i];
        joint_memory *memory = &t->memory.data[i];
        joint_step *step = &t->steps.data[i];
        memcpy(memory->multiplier, t->multipliers.data + JOINT_MAX_ROWS * i,
               sizeof memory->multiplier);
        memory->gain = t->rough > 1 ? t->gains.data[i] : fmax(GAIN, FORGET * t->gains.data[i]);
        if (item_is_coupling(j)) continue;
        double u[JET_SIZE];
        joint_features(t->model, j, x, u);
        for (int y = 0; y < JOINT_COORDINATES; y++) {
            if (!joint_has(j, (joint_coordinate)y)) continue;
            double now = joint_coordinate_value(j, (joint_coordinate)y, step->start[y], u);
            memory->rate[y] = (now - step->start[y]) / step->h;
            memory->effort[y] = axis_drive_effort(&j->axis[y], (joint_coordinate)y, step, now);
            memory->position[y] = now;
        }
        if (memory->broken == 0) break_joint(t, i, x);
        for (int y = 0; y < JOINT_COORDINATES; y++) step->start[y] = memory->position[y];
    }
}

/* The state was loaded: only what is scratch between steps. */
static void restart(term *base, const double *x)
{
    (void)x;
    joint_term *t = (joint_term *)base;
    for (size_t i = 0; i < t->model->joints.count; i++) {
        t->steps.data[i].broken = t->memory.data[i].broken != 0;
        for (int y = 0; y < JOINT_COORDINATES; y++)
            t->steps.data[i].start[y] = t->memory.data[i].position[y];
    }
}

static term_state state(term *base)
{
    joint_term *t = (joint_term *)base;
    return (term_state){"joints", (double *)t->memory.data,
                        t->memory.count * sizeof(joint_memory) / sizeof(double)};
}

static void destroy(term *base)
{
    joint_term *t = (joint_term *)base;
    array_free(&t->memory);
    array_free(&t->steps);
    array_free(&t->multipliers);
    array_free(&t->gains);
    array_free(&t->last);
    array_free(&t->commands);
    array_free(&t->shares);
    array_free(&t->items);
    array_free(&t->blocks);
    joint_dual_free(&t->dual);
    mem_free(t->followers);
    mem_free(t);
}

/* ---------------------------------------------------------------------------------------------- */
/* Making                                                                                         */

static const term_class joint_class = {.name = "joints",
                                       .value = value,
                                       .derivatives = derivatives,
                                       .max_step = max_step,
                                       .begin_step = begin_step,
                                       .tighten = tighten,
                                       .end_step = end_step,
                                       .restart = restart,
                                       .state = state,
                                       .by_start = joint_by_start,
                                       .constraints = &joint_constraints,
                                       .destroy = destroy};

/* One group per number of blocks. Joints between things that do not move have none. */
static abut_status list_items(joint_term *t, abut_error *err)
{
    const model *m = t->model;
    size_t starts[TERM_MAX_GROUPS];
    for (int width = 1; width <= ITEM_MAX_BLOCKS; width++) {
        size_t first = t->items.count, begin = t->blocks.count;
        for (size_t i = 0; i < m->joints.count; i++) {
            int32_t blocks[ITEM_MAX_BLOCKS];
            if (joint_follows(&m->joints.data[i])) continue; /* no unknown, nothing to hold */
            if (item_blocks(m, i, blocks) != width) continue;
            bool ok = array_push(&t->items, (int32_t)i);
            for (int b = 0; ok && b < width; b++) ok = array_push(&t->blocks, blocks[b]);
            if (!ok) return error_memory(err, "creating joints");
        }
        if (t->items.count == first) continue;
        t->first_item[t->base.group_count] = first;
        starts[t->base.group_count] = begin;
        t->base.groups[t->base.group_count++] =
            (stencil_group){width, t->items.count - first, NULL};
    }
    for (int g = 0; g < t->base.group_count; g++)
        t->base.groups[g].blocks = t->blocks.data + starts[g];
    return ABUT_OK;
}

/* Half of the inertia of a body is shared by its joints. */
static abut_status share_inertia(joint_term *t, abut_error *err)
{
    const model *m = t->model;
    double *count = mem_calloc(m->rigids.count + 1, sizeof *count);
    if (!count || !array_resize(&t->shares, 2 * m->joints.count)) {
        mem_free(count);
        return error_memory(err, "creating joints");
    }
    for (size_t i = 0; i < 2 * m->joints.count; i++) {
        const joint_side *s = &m->joints.data[i / 2].side[i % 2];
        if (joint_follows(&m->joints.data[i / 2])) continue;
        if (s->kind == SIDE_BODY) count[s->rigid]++;
    }
    for (size_t i = 0; i < 2 * m->joints.count; i++) {
        const joint_side *s = &m->joints.data[i / 2].side[i % 2];
        t->shares.data[i] = s->kind == SIDE_BODY && count[s->rigid] > 0 ? 0.5 / count[s->rigid] : 0;
    }
    mem_free(count);
    return ABUT_OK;
}

static abut_status fill(joint_term *t, abut_error *err)
{
    TRY(share_inertia(t, err));
    size_t n = t->model->joints.count;
    if (!array_resize(&t->memory, n) || !array_resize(&t->steps, n) ||
        !array_resize(&t->multipliers, JOINT_MAX_ROWS * n) || !array_resize(&t->gains, n) ||
        !array_resize(&t->last, n) || !array_resize(&t->commands, JOINT_COORDINATES * n))
        return error_memory(err, "creating joints");
    memset(t->memory.data, 0, n * sizeof *t->memory.data);
    memset(t->steps.data, 0, n * sizeof *t->steps.data);
    memset(t->multipliers.data, 0, JOINT_MAX_ROWS * n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        t->memory.data[i].gain = t->gains.data[i] = GAIN;
        t->steps.data[i].h = 1;
        t->steps.data[i].length_scale = t->extent;
        for (int y = 0; y < JOINT_COORDINATES; y++) {
            t->commands.data[JOINT_COORDINATES * i + (size_t)y] = NAN;
            t->steps.data[i].target[y] = target_at(t, i, y, 0);
        }
        const model_joint *j = &t->model->joints.data[i];
        if (item_is_coupling(j)) continue;
        double u[JET_SIZE];
        joint_features(t->model, j, (const double *)t->model->rest.data, u);
        for (int y = 0; y < JOINT_COORDINATES; y++)
            if (joint_has(j, (joint_coordinate)y))
                t->memory.data[i].position[y] = t->steps.data[i].start[y] =
                    joint_coordinate_value(j, (joint_coordinate)y, 0, u);
    }
    if (model_has_followers(t->model) && !(t->followers = model_follower_map(t->model)))
        return error_memory(err, "creating joints");
    return list_items(t, err);
}

static abut_status create(const model *m, term **out, abut_error *err)
{
    joint_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating joints");
    t->base = (term){.class = &joint_class};
    t->model = m;
    t->extent = m->extent;
    t->tolerance = TOLERANCE;
    abut_status status = fill(t, err);
    if (status != ABUT_OK)
        destroy(&t->base);
    else
        *out = &t->base;
    return status;
}

static bool has_joints(const model *m) { return m->joints.count > 0; }

const term_row joint_row = {.needed = has_joints, .create = create};
