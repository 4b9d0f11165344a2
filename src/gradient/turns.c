/* Rotations of rigid bodies: the state has the matrix Q and its derivatives, a step the rotation
 * vector. Derivatives go from step to step as those by the nine entries of the matrices. */
#include "gradient/adjoint.h"

#include "math/rotation.h"

#include <string.h>

static mat3 load_matrix(const double *p)
{
    mat3 a;
    memcpy(a.m, p, sizeof a.m);
    return a;
}

static void add_matrix(double *p, double factor, mat3 a)
{
    for (int i = 0; i < 9; i++) p[i] += factor * a.m[i / 3][i % 3];
}

static double inner(mat3 a, mat3 b)
{
    double sum = 0;
    for (int i = 0; i < 9; i++) sum += a.m[i / 3][i % 3] * b.m[i / 3][i % 3];
    return sum;
}

static size_t block_of(const adjoint *a, size_t k)
{
    return (size_t)a->s->rigid.inertia->blocks.data[k];
}

/* The derivative by the rotation vector `to`, of the same rotation as `from`, becomes that by
 * `from`: D(to) dto = D(from) dfrom with D = dR/dtheta. */
static vec3 change_chart(vec3 from, vec3 to, vec3 bar)
{
    mat3 d_to[3], d_from[3], square;
    rotation_first(to, d_to);
    rotation_first(from, d_from);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) square.m[i][j] = inner(d_to[i], d_to[j]);
    vec3 solved = mat3_mul_vec(mat3_inverse(square), bar);
    mat3 q = mat3_zero();
    for (int i = 0; i < 3; i++) q = mat3_add(q, mat3_scale(vec3_get(solved, i), d_to[i]));
    return (vec3){inner(d_from[0], q), inner(d_from[1], q), inner(d_from[2], q)};
}

/* w = 1/2 vee(Q' Q^T - Q Q'^T): derivatives by w become those by Q and Q'. */
static void pull_angular_velocity(vec3 bar, mat3 q, mat3 q_dot, double *q_bar, double *dot_bar)
{
    mat3 s = mat3_scale(0.5, mat3_cross(bar));
    add_matrix(dot_bar, 1, mat3_mul(s, q));
    add_matrix(q_bar, 1, mat3_mul(mat3_transpose(s), q_dot));
}

/* Q' at the end of the step, as the rule makes it. */
static abut_status end_velocity(adjoint *a, const double *x_end, double *out, abut_error *err)
{
    const motion_state *turn = &a->s->rigid.turn;
    integrator_map map;
    state_array arrays[MAP_MAX_ARRAYS];
    TRY(integrator_map_make(turn, a->s->scratch.span.h, &map, err));
    size_t n = motion_arrays((motion_state *)turn, "", arrays, MAP_MAX_ARRAYS);
    for (size_t i = 0; i < turn->scalars; i++) {
        mat3 q = rotation_matrix(vec3_load(x_end + 3 * block_of(a, i / 9)));
        const double *v = map.advance[1]; /* the second array: velocities */
        out[i] = v[n] * a->s->rigid.turn_tilde[i] + v[n + 1] * q.m[i % 9 / 3][i % 3];
        for (size_t j = 0; j < n; j++) out[i] += v[j] * arrays[j].doubles[i];
    }
    return ABUT_OK;
}

abut_status adjoint_pull_turns(adjoint *a, const double *x_end, abut_error *err)
{
    stepper *s = a->s;
    if (!s->rigid.inertia) return ABUT_OK;
    motion_state *bar = &a->bar.turn;
    integrator_map map;
    double *velocity = mem_alloc(bar->scalars, sizeof *velocity);
    if (!velocity) return error_memory(err, "differentiating a step");
    abut_status status = end_velocity(a, x_end, velocity, err);
    for (size_t k = 0; status == ABUT_OK && k < bar->scalars / 9; k++) {
        double *omega = a->bar.nodes.v + 3 * block_of(a, k);
        mat3 q = rotation_matrix(vec3_load(x_end + 3 * block_of(a, k)));
        pull_angular_velocity(vec3_load(omega), q, load_matrix(velocity + 9 * k), bar->x + 9 * k,
                              bar->v + 9 * k);
        memset(omega, 0, 3 * sizeof *omega);
    }
    mem_free(velocity);
    TRY(status);
    TRY(integrator_map_make(&s->rigid.turn, s->scratch.span.h, &map, err));
    integrator_pull_advance(&map, bar, NULL, a->turn_tilde, a->turn_new);
    for (size_t k = 0; k < bar->scalars / 9; k++) {
        size_t at = 3 * block_of(a, k);
        vec3 theta = vec3_load(x_end + at), wrapped = rotation_wrap(theta);
        mat3 first[3], fresh = load_matrix(a->turn_new + 9 * k);
        rotation_first(theta, first);
        vec3 chart = change_chart(theta, wrapped, vec3_load(a->bar.nodes.x + at));
        for (int i = 0; i < 3; i++)
            a->y[at + (size_t)i] += vec3_get(chart, i) + inner(first[i], fresh);
        memset(a->bar.nodes.x + at, 0, 3 * sizeof(double));
    }
    return ABUT_OK;
}

/* Change of a body's frame along w. */
static mat3 frame_along(const rigid_body *b, const double *x, const double *w)
{
    const double *turn = w + 3 * ((size_t)b->block + 1);
    if (b->affine)
        return mat3_from_columns(vec3_load(turn), vec3_load(turn + 3), vec3_load(turn + 6));
    mat3 first[3], sum = mat3_zero();
    rotation_first(vec3_load(x + 3 * ((size_t)b->block + 1)), first);
    for (int i = 0; i < 3; i++) sum = mat3_add(sum, mat3_scale(turn[i], first[i]));
    return sum;
}

/* s/2 [torque]x from the load s/2 frame^T [torque]x of the body. */
static mat3 torque_of(mat3 frame, mat3 work)
{
    return mat3_mul(mat3_inverse(mat3_transpose(frame)), work);
}

/* The load of a torque has the frame of the start of the step. */
void adjoint_add_turn_tilde(adjoint *a, const double *x, const double *w)
{
    stepper *s = a->s;
    for (size_t k = 0; s->rigid.inertia && k < s->rigid.inertia->rigids.count; k++) {
        const rigid_body *b = &s->model->rigids.data[s->rigid.inertia->rigids.data[k]];
        mat3 along = frame_along(b, x, w), start = load_matrix(s->rigid.turn.x + 9 * k);
        add_matrix(a->turn_tilde + 9 * k, s->evaluation.mass_factor, mat3_mul(along, b->moment));
        mat3 torque = torque_of(start, s->rigid.inertia->load.data[k]);
        add_matrix(a->bar.turn.x + 9 * k, -1, mat3_mul(torque, along));
    }
    for (size_t k = 0; s->rigid.affine && k < s->rigid.affine->rigids.count; k++) {
        const rigid_body *b = &s->model->rigids.data[s->rigid.affine->rigids.data[k]];
        mat3 along = frame_along(b, x, w);
        mat3 torque = torque_of(rigid_frame(b, s->start), s->rigid.affine->load.data[k]);
        mat3 part = mat3_mul(torque, along);
        for (int e = 0; e < 9; e++)
            a->start[3 * ((size_t)b->block + 1) + (size_t)e] -= part.m[e % 3][e / 3];
    }
}

abut_status adjoint_finish_turns(adjoint *a, abut_error *err)
{
    if (!a->s->rigid.inertia) return ABUT_OK;
    integrator_map map;
    TRY(integrator_map_make(&a->s->rigid.turn, a->s->scratch.span.h, &map, err));
    integrator_pull_predict(&map, &a->bar.turn, NULL, a->turn_tilde);
    return ABUT_OK;
}

/* Q = R(theta), Q' = [w] Q. */
void adjoint_start_turns(adjoint *a)
{
    const stepper *s = a->s;
    for (size_t k = 0; k < a->bar.turn.scalars / 9; k++) {
        size_t at = 3 * block_of(a, k);
        mat3 q = load_matrix(s->rigid.turn.x + 9 * k), dot = load_matrix(a->bar.turn.v + 9 * k);
        vec3 omega = vec3_load(s->state.v + at);
        add_matrix(a->bar.turn.x + 9 * k, 1, mat3_mul(mat3_transpose(mat3_cross(omega)), dot));
        mat3 q_bar = load_matrix(a->bar.turn.x + 9 * k), first[3];
        rotation_first(vec3_load(s->state.x + at), first);
        for (int i = 0; i < 3; i++) {
            vec3 axis = {i == 0, i == 1, i == 2};
            a->bar.nodes.v[at + (size_t)i] += inner(dot, mat3_mul(mat3_cross(axis), q));
            a->bar.nodes.x[at + (size_t)i] += inner(first[i], q_bar);
        }
    }
}
