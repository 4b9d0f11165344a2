/* Nodes attached exactly: derivatives of the reduced potential against finite differences,
 * momentum, agreement with one rigid body, and what is refused. */
#include "base/random.h"
#include "body/follower.h"
#include "body/rigid.h"
#include "body/solid.h"
#include "constraint/follow.h"
#include "constraint/joint_kind.h"
#include "constraint/joint_make.h"
#include "fem/change_order.h"
#include "mesh/generate.h"
#include "mesh/topology.h"
#include "solve/follow.h"
#include "support/scene_makers.h"
#include "test.h"

static abut_error err;
static random_state random_source = {11};
static const vec3 NONE = {0};

enum leader_choice { LEAD_RIGID, LEAD_AFFINE, LEAD_NODES, LEAD_CHOICES };

static void add_soft(model *m, const char *name, vec3 at)
{
    mesh box;
    const int cells[3] = {1, 1, 1};
    elastic_parameters material = elastic_from_young(0, 1e5, 0.3);
    CHECK_OK(generate_box((vec3){0.4, 0.4, 0.4}, cells, &box, &err), err);
    mesh_transform(&box, (vec3){1, 1, 1}, (vec3){0}, at);
    CHECK_OK(model_add_deformable(m, name, &box, material, 1000, &err), err);
    mesh_free(&box);
}

/* The same with quadratic elements: its surface has points between the nodes. */
static void add_curved(model *m, const char *name, vec3 at)
{
    mesh box, nodes;
    const int cells[3] = {1, 1, 1};
    CHECK_OK(generate_box((vec3){0.4, 0.4, 0.4}, cells, &box, &err), err);
    mesh_transform(&box, (vec3){1, 1, 1}, (vec3){0}, at);
    CHECK_OK(mesh_change_order(&box, 2, &nodes, NULL, &err), err);
    solid_definition def = {.shape = &box,
                            .nodes = &nodes,
                            .material = elastic_from_young(0, 1e5, 0.3),
                            .density = 1000,
                            .segments = 3};
    CHECK_OK(model_add_solid(m, name, &def, &err), err);
    mesh_free(&box);
    mesh_free(&nodes);
}

static void add_whole(model *m, const char *name, vec3 at, bool affine)
{
    mesh box;
    const int cells[3] = {1, 1, 1};
    rigid_options options = {.density = 1000, .stiffness = 1e4};
    CHECK_OK(generate_box((vec3){0.5, 0.2, 0.5}, cells, &box, &err), err);
    mesh_transform(&box, (vec3){1, 1, 1}, (vec3){0}, at);
    CHECK_OK((affine ? model_add_affine : model_add_rigid)(m, name, &box, &options, &err), err);
    mesh_free(&box);
}

/* A soft box whose lower nodes follow a rigid or affine one, or the upper nodes of another. */
static model *make_order(enum leader_choice choice, bool all, int order, bool lead)
{
    model *m = mem_calloc(1, sizeof *m);
    (order > 1 ? add_curved : add_soft)(m, "upper", (vec3){0, 0.3, 0});
    if (choice == LEAD_NODES)
        add_soft(m, "lower", (vec3){0, -0.1, 0});
    else
        add_whole(m, "lower", NONE, choice == LEAD_AFFINE);
    CHECK_OK(model_finish(m, &err), err);
    int32_t first = m->bodies.data[1].first_block;
    for (int32_t b = 0; b < m->bodies.data[0].block_count; b++) {
        vec3 p = m->rest.data[b];
        if (p.y > 0.1 + 1e-9 && !all) continue;
        joint_side leader = joint_side_at(m, choice == LEAD_NODES ? -1 : 0, p, mat3_identity());
        if (choice == LEAD_NODES) {
            int32_t near = first;
            for (int32_t k = first; k < first + m->bodies.data[1].block_count; k++)
                if (vec3_norm(vec3_sub(m->rest.data[k], p)) <
                    vec3_norm(vec3_sub(m->rest.data[near], p)))
                    near = k;
            leader = joint_side_node(near);
            leader.count = 2; /* a combination, with an offset */
            leader.blocks[1] = first + (near - first + 1) % m->bodies.data[1].block_count;
            leader.weights[0] = 0.7;
            leader.weights[1] = 0.3;
            leader.point = vec3_sub(p, vec3_add(vec3_scale(0.7, m->rest.data[leader.blocks[0]]),
                                                vec3_scale(0.3, m->rest.data[leader.blocks[1]])));
        }
        CHECK_OK(model_add_follower(m, "node", joint_kind_named("free"), b, &leader, &err), err);
    }
    if (lead) CHECK_OK(model_lead_surface(m, &err), err);
    return m;
}

static model *make(enum leader_choice choice, bool all) { return make_order(choice, all, 1, true); }

static stepper *begin(model *m, vec3 gravity, vec3 velocity, vec3 spin)
{
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.01);
    options.tolerance = 1e-8;
    options.gravity = gravity;
    stepper *s = make_stepper(m, &options);
    double *v = mem_calloc(s->state.scalars, sizeof *v);
    for (size_t b = 0; b < m->rest.count; b++)
        if (m->bodies.data[m->body.data[b]].rigid < 0)
            vec3_store(v + 3 * b, vec3_add(velocity, vec3_cross(spin, m->rest.data[b])));
    for (size_t i = 0; i < m->rigids.count; i++)
        rigid_set_velocity(&m->rigids.data[i], s->state.x,
                           vec3_add(velocity, vec3_cross(spin, m->rigids.data[i].center)), spin, v);
    CHECK_OK(stepper_start(s, v, &err), err);
    mem_free(v);
    return s;
}

static double value_at(stepper *s, double *x, size_t scalar, double by)
{
    x[scalar] += by;
    problem_follow(&s->problem, x);
    CHECK_OK(problem_update(&s->problem, &s->evaluation, x, &err), err);
    double value = problem_value(&s->problem, &s->evaluation, x);
    x[scalar] -= by;
    problem_follow(&s->problem, x);
    return value;
}

/* After a step, away from its solution: gradient and Hessian of what Newton's method minimises. */
static void check_derivatives(enum leader_choice choice, int order)
{
    model *m = make_order(choice, false, order, true);
    stepper *s = begin(m, (vec3){0, -9.81, 0}, NONE, (vec3){0.5, 1, -0.7});
    step_statistics statistics;
    CHECK_OK(stepper_advance(s, &statistics, &err), err);
    problem *p = &s->problem;
    size_t n = 3 * (size_t)p->free_count;
    double *x = s->x, *gradient = mem_calloc(2 * n, sizeof *gradient), *column = gradient + n;
    for (size_t i = 0; i < n; i++)
        x[3 * (size_t)p->free_block[i / 3] + i % 3] += random_range(&random_source, -0.02, 0.02);
    problem_follow(p, x);
    evaluation ev = s->evaluation;
    ev.exact = true;
    s->evaluation = ev;
    CHECK_OK(problem_update(p, &ev, x, &err), err);
    CHECK_OK(problem_derivatives(p, &ev, x, true, &err), err);
    memcpy(gradient, p->gradient, n * sizeof *gradient);
    double scale = 0, worst = 0, step = 1e-6;
    for (size_t i = 0; i < n; i++) scale = fmax(scale, fabs(gradient[i]));
    for (size_t i = 0; i < n; i++) {
        size_t at = 3 * (size_t)p->free_block[i / 3] + i % 3;
        double up = value_at(s, x, at, step), down = value_at(s, x, at, -step);
        worst = fmax(worst, fabs((up - down) / (2 * step) - gradient[i]));
    }
    CHECK(worst < 1e-6 * scale);
    /* Hessian times a random vector, through the directions of followers. */
    double *v = mem_calloc(n, sizeof *v), most = 0, off = 0;
    for (size_t i = 0; i < n; i++) v[i] = random_range(&random_source, -1, 1);
    block_matrix_multiply(&p->matrix, v, column);
    for (int side = 0; side < 2; side++) {
        double by = side ? -step : step;
        for (size_t i = 0; i < n; i++)
            x[3 * (size_t)p->free_block[i / 3] + i % 3] += (side ? 2 : 1) * by * v[i];
        problem_follow(p, x);
        CHECK_OK(problem_update(p, &ev, x, &err), err);
        CHECK_OK(problem_derivatives(p, &ev, x, false, &err), err);
        for (size_t i = 0; i < n; i++) column[i] -= (side ? -1 : 1) * p->gradient[i] / (2 * step);
    }
    for (size_t i = 0; i < n; i++) off = fmax(off, fabs(column[i]));
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(gradient[i]));
    CHECK(off < 1e-4 * (most + scale / 0.02));
    mem_free(v);
    mem_free(gradient);
    stepper_destroy(s);
}

TEST(derivatives)
{
    for (int k = 0; k < LEAD_CHOICES; k++) check_derivatives((enum leader_choice)k, 1);
    check_derivatives(LEAD_AFFINE, 2);
    check_derivatives(LEAD_NODES, 2);
}

/* Points of the surface between nodes of which some follow are where the nodes put them. */
TEST(points_between_nodes)
{
    for (enum leader_choice k = LEAD_AFFINE; k < LEAD_CHOICES; k++) {
        model *m = make_order(k, false, 2, true), *plain = make_order(k, false, 2, false);
        CHECK(!body_may_follow(plain, &plain->bodies.data[0], true));
        CHECK(body_may_follow(plain, &plain->bodies.data[0], false));
        stepper *s = begin(m, NONE, NONE, NONE);
        problem *p = &s->problem;
        for (int32_t b = 0; b < p->free_count; b++)
            for (int c = 0; c < 3; c++)
                s->x[3 * (size_t)p->free_block[b] + c] += random_range(&random_source, -0.2, 0.2);
        problem_follow(p, s->x);
        size_t n = m->surface.rows.count, mixed = 0;
        vec3 *led = mem_calloc(2 * n, sizeof *led), *given = led + n;
        collision_surface_positions(&m->surface, s->x, led);
        collision_surface_positions(&plain->surface, s->x, given);
        for (size_t v = 0; v < n; v++) {
            CHECK(vec3_norm(vec3_sub(led[v], given[v])) < 1e-13);
            int32_t blocks[ROW_MAX_BLOCKS];
            int count = surface_row_blocks(&m->surface, (int32_t)v, blocks);
            bool follows = false, free = false;
            for (int i = 0; i < count; i++) {
                CHECK(model_follower_of(m, blocks[i]) < 0);
                for (int j = 0; j < i; j++) CHECK(blocks[j] != blocks[i]);
                follows = follows || m->body.data[blocks[i]] == 1;
                free = free || m->body.data[blocks[i]] == 0;
            }
            mixed += follows && free;
        }
        CHECK(mixed > 10);
        mem_free(led);
        stepper_destroy(s);
        model_free(plain);
        mem_free(plain);
    }
}

/* Followers are exactly where their leaders put them, and momentum stays. */
TEST(free_flight)
{
    for (int k = 0; k < LEAD_CHOICES; k++) {
        model *m = make((enum leader_choice)k, false);
        stepper *s = begin(m, NONE, (vec3){1, 2, 3}, (vec3){0, 0, 2});
        for (size_t v = 0; v < m->bodies.data[0].surface.vertex_count; v++)
            CHECK(m->body.data[surface_vertex_node(&m->surface, v)] == 0);
        step_statistics now = {0};
        vec3 first = NONE, turning = NONE;
        for (int i = 0; i < 50; i++) {
            CHECK_OK(stepper_advance(s, &now, &err), err);
            if (i == 0) first = now.linear_momentum;
            if (i == 0) turning = now.angular_momentum;
        }
        CHECK(vec3_norm(vec3_sub(now.linear_momentum, first)) < 1e-6 * vec3_norm(first));
        /* Implicit Euler keeps the angular one to first order; offsets from nodes do not turn. */
        CHECK(k == LEAD_NODES ||
              vec3_norm(vec3_sub(now.angular_momentum, turning)) < 0.05 * vec3_norm(turning));
        for (size_t f = 0; f < m->joints.count; f++) {
            const model_joint *at = &m->joints.data[f];
            vec3 p = side_position(m, &at->side[0], s->state.x);
            vec3 node = vec3_load(s->state.x + 3 * (size_t)follower_block(at));
            CHECK(vec3_norm(vec3_sub(p, node)) == 0);
        }
        stepper_destroy(s);
    }
}

/* A soft body all of whose nodes follow makes one heavier rigid body. */
TEST(as_one_body)
{
    model *m = make(LEAD_RIGID, true);
    stepper *s = begin(m, (vec3){0, -9.81, 0}, NONE, NONE);
    double mass = 0;
    vec3 center = NONE;
    for (size_t b = 0; b < m->rest.count; b++)
        if (model_block_is_position(m, b)) {
            mass += m->mass.data[b];
            center = vec3_mul_add(center, m->mass.data[b], m->rest.data[b]);
        }
    center = vec3_scale(1 / mass, center);
    step_statistics now;
    for (int i = 0; i < 20; i++) CHECK_OK(stepper_advance(s, &now, &err), err);
    /* Free fall by implicit Euler: no turning, g h^2 n (n + 1) / 2. */
    const double *theta = s->state.x + 3 * ((size_t)m->rigids.data[0].block + 1);
    CHECK(vec3_norm(vec3_load(theta)) < 1e-8);
    CHECK_NEAR(s->state.x[3 * (size_t)m->rigids.data[0].block + 1], -9.81 * 1e-4 * 210, 1e-7);
    CHECK(now.newton_iterations < 8);
    stepper_destroy(s);
}

static abut_status attach(model *m, int32_t block, const joint_side *leader)
{
    return model_add_follower(m, "node", joint_kind_named("free"), block, leader, &err);
}

TEST(refused)
{
    model *m = make(LEAD_RIGID, false);
    joint_side again = joint_side_at(m, 0, NONE, mat3_identity());
    int32_t follower = follower_block(&m->joints.data[0]), free = 0;
    CHECK(attach(m, follower, &again) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "attached twice") != NULL);
    while (model_follower_of(m, free) >= 0) free++;
    joint_side node = joint_side_node(follower); /* follows the body that its leader follows */
    CHECK_OK(attach(m, free, &node), err);
    CHECK(m->joints.data[m->joints.count - 1].side[0].kind == SIDE_BODY);
    model_free(m);
    mem_free(m);
    m = make(LEAD_NODES, false);
    again = joint_side_at(m, -1, NONE, mat3_identity());
    CHECK(attach(m, m->joints.data[0].side[0].blocks[0], &again) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "write its attachment first") != NULL);
    model_free(m);
    mem_free(m);
}

int main(void)
{
    RUN(derivatives);
    RUN(points_between_nodes);
    RUN(free_flight);
    RUN(as_one_body);
    RUN(refused);
    return TEST_END();
}
