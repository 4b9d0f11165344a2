#include "step/rigid_motion.h"

#include "math/rotation.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------- */
/* Making                                                                                         */

abut_status rigid_motion_init(rigid_motion *r, const model *m, const motion_state *state,
                              const double *x_tilde, problem *p, abut_error *err)
{
    *r = (rigid_motion){.model = m};
    size_t rigid = 0;
    for (size_t i = 0; i < m->rigids.count; i++) rigid += !m->rigids.data[i].affine;
    if (rigid > 0) {
        TRY(rigid_inertia_create(m, &r->inertia, err));
        TRY(problem_add_term(p, &r->inertia->base, err));
        TRY(motion_init(&r->turn, state->kind, state->beta, state->gamma, 9 * rigid, err));
        r->turn_tilde = mem_calloc(9 * rigid, sizeof(double));
        r->turn_new = mem_calloc(9 * rigid, sizeof(double));
        if (!r->turn_tilde || !r->turn_new) return error_memory(err, "setting up rigid bodies");
    }
    if (rigid < m->rigids.count) {
        TRY(affine_create(m, x_tilde, &r->affine, err));
        TRY(problem_add_term(p, &r->affine->base, err));
    }
    return ABUT_OK;
}

void rigid_motion_free(rigid_motion *r)
{
    if (r->inertia) r->inertia->base.class->destroy(&r->inertia->base);
    if (r->affine) r->affine->base.class->destroy(&r->affine->base);
    motion_free(&r->turn);
    mem_free(r->turn_tilde);
    mem_free(r->turn_new);
    for (size_t i = 0; i < r->conditions.count; i++) {
        condition_free(&r->conditions.data[i].path);
        array_free(&r->conditions.data[i].poses);
    }
    array_free(&r->conditions);
    array_free(&r->condition_start);
    array_free(&r->condition_began);
    array_free(&r->torques);
    array_free(&r->frame);
    array_free(&r->framed);
    array_free(&r->first_arms);
    array_free(&r->first_moments);
    memset(r, 0, sizeof *r);
}

static const rigid_body *rigid_of_block(const model *m, size_t block)
{
    int32_t rigid = m->bodies.data[m->body.data[block]].rigid;
    return rigid >= 0 ? &m->rigids.data[rigid] : NULL;
}

double rigid_block_length(const model *m, size_t block)
{
    const rigid_body *r = rigid_of_block(m, block);
    if (!r || (size_t)r->block == block) return 1;
    if (!r->affine) return r->radius;
    return vec3_get(r->reach, (int)(block - (size_t)r->block) - 1);
}

double rigid_block_mass(const model *m, size_t block)
{
    const rigid_body *r = rigid_of_block(m, block);
    if (!r || (size_t)r->block == block) return m->mass.data[block];
    double trace = r->moment.m[0][0] + r->moment.m[1][1] + r->moment.m[2][2];
    /* The mean of the principal moments of inertia; of the second moments. A point has none. */
    return fmax(r->affine ? trace / 3 : 2 * trace / 3, 1e-12 * r->mass);
}

void rigid_set_velocity(const rigid_body *body, const double *x, vec3 v, vec3 w, double *velocity)
{
    double *at = velocity + 3 * (size_t)body->block;
    vec3_store(at, v);
    if (!body->affine) {
        vec3_store(at + 3, body->turns ? w : (vec3){0});
        return;
    }
    for (size_t k = 1; k <= 3; k++)
        vec3_store(at + 3 * k, vec3_cross(w, vec3_load(x + 3 * ((size_t)body->block + k))));
}

bool rigid_condition_possible(const rigid_body *body, int rotation_axes)
{
    return !body->affine || rotation_axes == 7 || rotation_axes == 0 || rotation_axes == 3 ||
           rotation_axes == 5 || rotation_axes == 6;
}

/* ---------------------------------------------------------------------------------------------- */
/* The start                                                                                      */

static mat3 load_matrix(const double *p)
{
    mat3 a;
    memcpy(a.m, p, sizeof a.m);
    return a;
}

static void store_matrix(double *p, mat3 a) { memcpy(p, a.m, sizeof a.m); }

/* Fixes some axes of rotation of a rigid body, but not all. */
static bool fixes_some_axes(const rigid_motion *r, const rigid_condition *c)
{
    return !r->model->rigids.data[c->rigid].affine && c->rotation_axes != 0 &&
           c->rotation_axes != 7;
}

/* Room for other frames, where a condition that begins late may need them. */
static abut_status prepare_frames(rigid_motion *r, abut_error *err)
{
    const model *m = r->model;
    bool late = false;
    for (size_t i = 0; i < r->conditions.count; i++)
        late = late ||
               (fixes_some_axes(r, &r->conditions.data[i]) && r->conditions.data[i].path.from > 0);
    if (!late) return ABUT_OK;
    size_t n = m->rigids.count;
    if (!array_resize(&r->frame, 9 * n) || !array_resize(&r->framed, 9 * n) ||
        !array_resize(&r->first_arms, m->surface.arms.count) || !array_resize(&r->first_moments, n))
        return error_memory(err, "preparing conditions of rigid bodies");
    for (size_t i = 0; i < n; i++) {
        store_matrix(r->frame.data + 9 * i, mat3_identity());
        r->first_moments.data[i] = m->rigids.data[i].moment;
    }
    memcpy(r->framed.data, r->frame.data, 9 * n * sizeof(double));
    memcpy(r->first_arms.data, m->surface.arms.data, m->surface.arms.count * sizeof(vec3));
    return ABUT_OK;
}

static abut_status prepare_conditions(rigid_motion *r, abut_error *err)
{
    size_t n = r->conditions.count;
    if (!array_resize(&r->condition_start, RIGID_CONDITION_START * n) ||
        !array_resize(&r->condition_began, n))
        return error_memory(err, "preparing conditions of rigid bodies");
    for (size_t i = 0; i < n; i++) {
        r->conditions.data[i].start = r->condition_start.data + RIGID_CONDITION_START * i;
        r->conditions.data[i].path.began = &r->condition_began.data[i];
        memset(r->conditions.data[i].start, 0, RIGID_CONDITION_START * sizeof(double));
        r->condition_began.data[i] = 0;
    }
    return prepare_frames(r, err);
}

static vec3 torque_at(const rigid_motion *r, size_t rigid, double time)
{
    vec3 sum = {0};
    for (size_t k = 0; k < r->torques.count; k++) {
        const rigid_torque *t = &r->torques.data[k];
        if ((size_t)t->rigid == rigid && time_within(time, t->from, t->until))
            sum = vec3_add(sum, t->torque);
    }
    return sum;
}

/* Q'' = ([alpha] + [w]^2) Q of a body that turns with w under a torque (Euler's equations). */
static mat3 free_acceleration(const rigid_body *b, mat3 q, vec3 w, vec3 torque)
{
    if (!b->turns) return mat3_zero();
    mat3 moment = mat3_mul(mat3_mul(q, b->moment), mat3_transpose(q));
    mat3 inertia = mat3_scale(-1, moment);
    for (int i = 0; i < 3; i++) inertia.m[i][i] += moment.m[0][0] + moment.m[1][1] + moment.m[2][2];
    vec3 gyroscopic = vec3_cross(w, mat3_mul_vec(inertia, w));
    vec3 alpha = mat3_mul_vec(mat3_inverse(inertia), vec3_sub(torque, gyroscopic));
    mat3 spin = mat3_cross(w);
    return mat3_mul(mat3_add(mat3_cross(alpha), mat3_mul(spin, spin)), q);
}

/* w of Q' = [w] Q */
static vec3 angular_velocity(mat3 q, mat3 q_dot)
{
    mat3 s = mat3_mul(q_dot, mat3_transpose(q));
    return (vec3){0.5 * (s.m[2][1] - s.m[1][2]), 0.5 * (s.m[0][2] - s.m[2][0]),
                  0.5 * (s.m[1][0] - s.m[0][1])};
}

abut_status rigid_motion_start(rigid_motion *r, const motion_state *state, double *acceleration,
                               abut_error *err)
{
    const model *m = r->model;
    for (size_t i = 0, k = 0; i < m->rigids.count; i++) {
        const rigid_body *b = &m->rigids.data[i];
        const double *v = state->v + 3 * ((size_t)b->block + 1);
        mat3 q = rigid_frame(b, state->x);
        vec3 torque = torque_at(r, i, 0);
        if (b->affine) {
            mat3 q_dot = mat3_from_columns(vec3_load(v), vec3_load(v + 3), vec3_load(v + 6));
            mat3 second = free_acceleration(b, q, angular_velocity(q, q_dot), torque);
            for (int c = 0; c < 3; c++)
                vec3_store(acceleration + 3 * (b->block + 1 + c), mat3_column(second, c));
            continue;
        }
        vec3 w = vec3_load(v);
        store_matrix(r->turn.x + 9 * k, q);
        store_matrix(r->turn.v + 9 * k, mat3_mul(mat3_cross(w), q));
        store_matrix(r->turn.a + 9 * k, free_acceleration(b, q, w, torque));
        vec3_store(acceleration + 3 * (b->block + 1), (vec3){0});
        k++;
    }
    return prepare_conditions(r, err);
}

/* ---------------------------------------------------------------------------------------------- */
/* Frames                                                                                         */

enum { MOST_TURN_ARRAYS = 3 + 2 * (MOTION_MAX_ORDER - 1) }; /* of a motion_state */

/* Arms and moment of a body in its frame. */
static void set_frame(rigid_motion *r, model *m, size_t rigid)
{
    rigid_body *b = &m->rigids.data[rigid];
    collision_surface *s = &m->surface;
    const double *frame = r->frame.data + 9 * rigid;
    mat3 f = load_matrix(frame);
    for (size_t v = 0; v < s->rows.count; v++)
        if (s->rows.data[v].kind == ROW_RIGID && s->rows.data[v].block == b->block)
            s->arms.data[v] = mat3_mul_vec(f, r->first_arms.data[v]);
    b->moment = mat3_mul(mat3_mul(f, r->first_moments.data[rigid]), mat3_transpose(f));
    b->frame = f;
    memcpy(r->framed.data + 9 * rigid, frame, 9 * sizeof *frame);
    r->reframed++;
}

static void multiply(double *matrix, mat3 right) /* matrix <- matrix right */
{
    store_matrix(matrix, mat3_mul(load_matrix(matrix), right));
}

/* The body frame becomes its present orientation R(theta) B: its rotation vector is 0 then. */
static void reframe(rigid_motion *r, model *m, motion_state *state, size_t rigid)
{
    const rigid_body *b = &m->rigids.data[rigid];
    double *theta = state->x + 3 * ((size_t)b->block + 1), *frame = r->frame.data + 9 * rigid;
    mat3 turn = rotation_matrix(vec3_load(theta)), back = mat3_transpose(turn);
    store_matrix(frame, mat3_mul(turn, load_matrix(frame)));
    vec3_store(theta, (vec3){0});
    state_array turns[MOST_TURN_ARRAYS];
    size_t k = 0, count = motion_arrays(&r->turn, "", turns, MOST_TURN_ARRAYS);
    while ((size_t)r->inertia->rigids.data[k] != rigid) k++;
    for (size_t i = 0; i < count; i++) multiply(turns[i].doubles + 9 * k, back);
    for (size_t i = 0; i < r->conditions.count; i++)
        if ((size_t)r->conditions.data[i].rigid == rigid)
            multiply(r->conditions.data[i].start + 3, back);
    set_frame(r, m, rigid);
}

void rigid_motion_reframe(rigid_motion *r, model *m, motion_state *state, double time)
{
    for (size_t i = 0; r->frame.count > 0 && i < r->conditions.count; i++) {
        const rigid_condition *c = &r->conditions.data[i];
        if (!fixes_some_axes(r, c) || *c->path.began || !condition_active(&c->path, time)) continue;
        const rigid_body *b = &m->rigids.data[c->rigid];
        if (vec3_norm2(vec3_load(state->x + 3 * ((size_t)b->block + 1))) > 0)
            reframe(r, m, state, (size_t)c->rigid);
    }
}

void rigid_motion_restore(rigid_motion *r, model *m)
{
    for (size_t i = 0; i < r->frame.count / 9; i++)
        if (memcmp(r->frame.data + 9 * i, r->framed.data + 9 * i, 9 * sizeof(double)) != 0)
            set_frame(r, m, i);
}

/* ---------------------------------------------------------------------------------------------- */
/* A step                                                                                         */

void rigid_motion_predict(rigid_motion *r, const motion_state *state, double time, double h,
                          double factor)
{
    if (r->inertia) {
        rigid_inertia_term *t = r->inertia;
        motion_predict(&r->turn, h, r->turn_tilde);
        for (size_t k = 0; k < t->rigids.count; k++) {
            t->predicted.data[k] = load_matrix(r->turn_tilde + 9 * k);
            vec3 torque = torque_at(r, (size_t)t->rigids.data[k], time);
            t->load.data[k] = rigid_torque_load(load_matrix(r->turn.x + 9 * k), torque, factor);
        }
    }
    if (r->affine) {
        affine_term *t = r->affine;
        for (size_t k = 0; k < t->rigids.count; k++) {
            size_t i = (size_t)t->rigids.data[k];
            mat3 frame = rigid_frame(&r->model->rigids.data[i], state->x);
            t->load.data[k] = rigid_torque_load(frame, torque_at(r, i, time), factor);
        }
    }
}

void rigid_motion_turn_ahead(const rigid_motion *r, const motion_state *state, double h,
                             double *change)
{
    for (size_t k = 0; r->inertia && k < r->inertia->rigids.count; k++) {
        size_t at = 3 * ((size_t)r->model->rigids.data[r->inertia->rigids.data[k]].block + 1);
        vec3 theta = vec3_load(state->x + at), turn = vec3_scale(h, vec3_load(state->v + at));
        mat3 ahead = mat3_mul(rotation_matrix(turn), rotation_matrix(theta));
        vec3_store(change + at, vec3_sub(rotation_vector_near(ahead, theta), theta));
    }
}

/* Between the poses of two steps: straight on, and about one axis. */
static rigid_pose pose_at(const rigid_condition *c, double steps)
{
    double share;
    size_t at = condition_frame(steps, c->poses.count, &share);
    rigid_pose to = c->poses.data[at - 1], from = at > 1 ? c->poses.data[at - 2] : (rigid_pose){0};
    if (share == 1) return to;
    mat3 before = rotation_matrix(from.turn);
    vec3 turn = rotation_vector(mat3_mul(rotation_matrix(to.turn), mat3_transpose(before)));
    return (rigid_pose){
        vec3_mul_add(from.shift, share, vec3_sub(to.shift, from.shift)),
        rotation_vector(mat3_mul(rotation_matrix(vec3_scale(share, turn)), before))};
}

void rigid_condition_pose(const rigid_motion *r, const rigid_condition *c, const rigid_body *b,
                          double time, vec3 *center, mat3 *frame)
{
    if (c->poses.count > 0) {
        rigid_pose pose = pose_at(c, time / c->pose_step);
        *center = vec3_add(b->center, pose.shift);
        *frame = rotation_matrix(pose.turn);
        if (r->frame.count > 0) /* poses count from the start */
            *frame =
                mat3_mul(*frame, mat3_transpose(load_matrix(r->frame.data + 9 * (size_t)c->rigid)));
        return;
    }
    vec3 q = vec3_load(c->start), column[3];
    mat3 start = load_matrix(c->start + 3);
    *center = condition_target(&c->path, q, time);
    *frame = start;
    if (c->path.motions.count == 0) return;
    for (int k = 0; k < 3; k++) {
        vec3 tip = vec3_add(q, mat3_column(start, k));
        column[k] = vec3_sub(condition_target(&c->path, tip, time), *center);
    }
    *frame = mat3_from_columns(column[0], column[1], column[2]);
}

static void prescribe_scalar(size_t at, double value, uint8_t *fixed, double *target)
{
    fixed[at] = 1;
    target[at] = value;
}

/* The columns of A: all of them, or, when turning about one axis e is free, those entries that such
 * a turn leaves alone: the row e^T A, and the column A e where it is e. */
static const double ALONG = 1e-12; /* off by rounding */
static void prescribe_columns(const rigid_body *b, int axes, mat3 frame, uint8_t *fixed,
                              double *target)
{
    for (int column = 0; axes != 0 && column < 3; column++)
        for (int row = 0; row < 3; row++) {
            bool stays = !(axes & 1 << column) && fabs(frame.m[column][column] - 1) < ALONG;
            bool turns = axes != 7 && axes & 1 << row && !stays;
            if (!turns)
                prescribe_scalar(3 * ((size_t)b->block + 1 + (size_t)column) + (size_t)row,
                                 frame.m[row][column], fixed, target);
        }
}

static void prescribe(const rigid_motion *r, rigid_condition *c, const rigid_body *b,
                      const double *x, double end, uint8_t *fixed, double *target)
{
    vec3 center;
    mat3 frame;
    bool moves = c->path.motions.count > 0 || c->poses.count > 0;
    rigid_condition_pose(r, c, b, end, &center, &frame);
    size_t at = 3 * (size_t)b->block;
    for (int axis = 0; axis < 3; axis++)
        if (c->path.axes & 1 << axis)
            prescribe_scalar(at + (size_t)axis, vec3_get(center, axis), fixed, target);
    if (b->affine) {
        prescribe_columns(b, c->rotation_axes, frame, fixed, target);
        return;
    }
    vec3 theta = vec3_load(x + at + 3);
    if (moves) theta = rotation_vector_near(frame, theta);
    for (int axis = 0; axis < 3; axis++)
        if (c->rotation_axes & 1 << axis)
            prescribe_scalar(at + 3 + (size_t)axis, vec3_get(theta, axis), fixed, target);
}

static void fix_points(const model *m, const double *x, uint8_t *fixed, double *target)
{
    for (size_t i = 0; i < m->rigids.count; i++) {
        const rigid_body *b = &m->rigids.data[i];
        if (b->turns) continue;
        size_t first = 3 * ((size_t)b->block + 1), end = first + (b->affine ? 9 : 3);
        for (size_t at = first; at < end; at++) prescribe_scalar(at, x[at], fixed, target);
    }
}

void rigid_motion_prescribe(rigid_motion *r, const double *x, double time, double end,
                            uint8_t *fixed, double *target)
{
    for (size_t i = 0; i < r->conditions.count; i++) {
        rigid_condition *c = &r->conditions.data[i];
        const rigid_body *b = &r->model->rigids.data[c->rigid];
        if (!condition_active(&c->path, time)) continue;
        if (!*c->path.began) {
            memcpy(c->start, x + 3 * (size_t)b->block, 3 * sizeof(double));
            store_matrix(c->start + 3, rigid_frame(b, x));
            *c->path.began = 1;
        }
        prescribe(r, c, b, x, end, fixed, target);
    }
    fix_points(r->model, x, fixed, target);
    if (r->inertia) r->inertia->fixed = fixed;
}

/* Newmark's rule is not stable across the constraint Q^T Q = I: what the acceleration has beyond
 * that of a rotation is replaced by what belongs to it, Q'' = ([alpha] + [w]^2) Q. */
static void make_consistent(rigid_motion *r, size_t k)
{
    mat3 q = load_matrix(r->turn.x + 9 * k);
    mat3 spin = mat3_cross(angular_velocity(q, load_matrix(r->turn.v + 9 * k)));
    mat3 alpha = mat3_cross(angular_velocity(q, load_matrix(r->turn.a + 9 * k)));
    store_matrix(r->turn.a + 9 * k, mat3_mul(mat3_add(alpha, mat3_mul(spin, spin)), q));
}

static void advance_body(rigid_motion *r, motion_state *state, size_t k, double h,
                         const double *start, const uint8_t *fixed)
{
    const rigid_body *b = &r->model->rigids.data[r->inertia->rigids.data[k]];
    size_t at = 3 * ((size_t)b->block + 1);
    mat3 q = load_matrix(r->turn.x + 9 * k);
    if (motion_rule(state)->has_accelerations && fixed[at] && fixed[at + 1] && fixed[at + 2]) {
        /* As for nodes: the velocity of the prescribed motion, no acceleration. */
        mat3 before = rotation_matrix(vec3_load(start + at));
        store_matrix(r->turn.v + 9 * k, mat3_scale(1 / h, mat3_sub(q, before)));
        memset(r->turn.a + 9 * k, 0, 9 * sizeof(double));
    } else if (motion_rule(state)->has_accelerations) {
        make_consistent(r, k);
    }
    vec3_store(state->x + at, rotation_wrap(vec3_load(state->x + at)));
    vec3_store(state->v + at, angular_velocity(q, load_matrix(r->turn.v + 9 * k)));
    vec3_store(state->a + at, (vec3){0});
}

void rigid_motion_advance(rigid_motion *r, motion_state *state, double h, const double *start,
                          const uint8_t *fixed)
{
    if (!r->inertia) return;
    size_t n = r->inertia->rigids.count;
    for (size_t k = 0; k < n; k++) {
        const double *theta = state->x + 3 * (size_t)r->inertia->blocks.data[k];
        store_matrix(r->turn_new + 9 * k, rotation_matrix(vec3_load(theta)));
    }
    motion_advance(&r->turn, h, r->turn_tilde, r->turn_new);
    for (size_t k = 0; k < n; k++) advance_body(r, state, k, h, start, fixed);
}

/* Whether some of the scalars of a body's rotation, or of its columns, are prescribed. */
static bool rotation_is_fixed(const rigid_body *b, const uint8_t *fixed)
{
    const uint8_t *turn = fixed + 3 * ((size_t)b->block + 1);
    return memchr(turn, 1, b->affine ? 9 : 3) != NULL;
}

void rigid_motion_drop_contact(rigid_motion *r, motion_state *state, double time, double rest,
                               const uint8_t *touched, const uint8_t *fixed)
{
    for (size_t i = 0, k = 0; i < r->model->rigids.count; i++) {
        const rigid_body *b = &r->model->rigids.data[i];
        size_t at = 3 * ((size_t)b->block + 1), turn = b->affine ? 0 : 9 * k++;
        if (!(touched[b->block] || touched[b->block + 1]) || rotation_is_fixed(b, fixed)) continue;
        /* Rows of Q of rigid bodies, columns of A of affine ones. */
        double *v = b->affine ? state->v + at : r->turn.v + turn;
        double *a = b->affine ? state->a + at : r->turn.a + turn, free[9];
        mat3 q = rigid_frame(b, state->x), q_dot = load_matrix(v);
        if (b->affine) q_dot = mat3_transpose(q_dot);
        mat3 second = free_acceleration(b, q, angular_velocity(q, q_dot), torque_at(r, i, time));
        store_matrix(free, b->affine ? mat3_transpose(second) : second);
        for (int e = 0; e < 9; e++) {
            v[e] += rest * (free[e] - a[e]);
            a[e] = free[e];
        }
        if (!b->affine) vec3_store(state->v + at, angular_velocity(q, load_matrix(v)));
    }
}

/* ---------------------------------------------------------------------------------------------- */

/* 1/2 tr(Q' J Q'^T), and int (Q X) x (Q' X) dm. */
static void add_measures(const rigid_body *b, mat3 q, mat3 q_dot, rigid_measures *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double moment = b->moment.m[i][j];
            vec3 a = mat3_column(q, i), v = mat3_column(q_dot, j);
            out->kinetic += 0.5 * moment * vec3_dot(mat3_column(q_dot, i), v);
            out->angular_momentum = vec3_mul_add(out->angular_momentum, moment, vec3_cross(a, v));
        }
}

rigid_measures rigid_motion_measure(const rigid_motion *r, const motion_state *state)
{
    rigid_measures out = {0};
    for (size_t i = 0, k = 0; i < r->model->rigids.count; i++) {
        const rigid_body *b = &r->model->rigids.data[i];
        if (b->affine) {
            const double *v = state->v + 3 * ((size_t)b->block + 1);
            mat3 q_dot = mat3_from_columns(vec3_load(v), vec3_load(v + 3), vec3_load(v + 6));
            add_measures(b, rigid_frame(b, state->x), q_dot, &out);
        } else {
            add_measures(b, load_matrix(r->turn.x + 9 * k), load_matrix(r->turn.v + 9 * k), &out);
            k++;
        }
    }
    if (r->affine) out.stored = affine_stored_energy(r->affine, state->x);
    return out;
}

size_t rigid_motion_state(rigid_motion *r, state_array *out, size_t capacity)
{
    size_t count = 0;
    if (r->inertia) count = motion_arrays(&r->turn, "turn_", out, capacity);
    if (r->frame.count && count < capacity)
        out[count++] = (state_array){.name = "rigid_frame",
                                     .doubles = r->frame.data,
                                     .count = r->frame.count,
                                     .optional = true};
    if (r->conditions.count && count + 1 < capacity) {
        out[count++] = (state_array){.name = "rigid_began",
                                     .ints = r->condition_began.data,
                                     .count = r->condition_began.count};
        out[count++] = (state_array){.name = "rigid_start",
                                     .doubles = r->condition_start.data,
                                     .count = r->condition_start.count};
    }
    return count;
}
