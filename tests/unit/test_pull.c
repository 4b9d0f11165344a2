/* A pull at a point of any kind of body: derivatives against finite differences, which blocks it
 * touches, and the force in rest and in motion. */
#include "base/random.h"
#include "body/follower.h"
#include "body/rigid.h"
#include "constraint/follow.h"
#include "constraint/joint_kind.h"
#include "constraint/joint_make.h"
#include "constraint/pull_term.h"
#include "mesh/generate.h"
#include "support/differences.h"
#include "support/scene_makers.h"
#include "test.h"

static abut_error err;
static random_state random_source = {11};

static double any(double low, double high) { return random_range(&random_source, low, high); }
static vec3 any_vector(double most)
{
    return (vec3){any(-most, most), any(-most, most), any(-most, most)};
}

/* A rigid body, an affine one, and particles. */
static model *make_bodies(void)
{
    model *m = mem_calloc(1, sizeof *m);
    const int cells[3] = {1, 1, 1};
    for (int k = 0; k < 2; k++) {
        mesh box;
        CHECK_OK(generate_box((vec3){1, 0.5, 0.3}, cells, &box, &err), err);
        mesh_transform(&box, (vec3){1, 1, 1}, any_vector(90), (vec3){1.5 * k, 0.2, -0.3});
        rigid_options options = {.density = 1000, .stiffness = 1e5};
        CHECK_OK((k < 1 ? model_add_rigid : model_add_affine)(m, "body", &box, &options, &err),
                 err);
        mesh_free(&box);
    }
    mesh points;
    CHECK_OK(generate_lattice((int[3]){4, 1, 1}, (vec3){1, 1, 1}, &points, &err), err);
    mesh_transform(&points, (vec3){1, 1, 1}, (vec3){0}, (vec3){0, 3, 0});
    CHECK_OK(model_add_particles(m, "grains", &points, 1000, 0.1, &err), err);
    mesh_free(&points);
    CHECK_OK(model_finish(m, &err), err);
    return m;
}

typedef struct world {
    model *m;
    term *t;
    problem p;
    stage_timer timer;
    double x[MAX_N];
} world;

static world *begin(void)
{
    static world w;
    memset(&w, 0, sizeof w);
    w.m = make_bodies();
    CHECK_OK(pull_create(w.m, &w.t, &err), err);
    timer_start(&w.timer);
    CHECK_OK(problem_init(&w.p, model_block_count(w.m), &w.timer, &err), err);
    CHECK_OK(problem_add_term(&w.p, w.t, &err), err);
    memcpy(w.x, w.m->rest.data, w.m->rest.count * sizeof(vec3));
    for (size_t i = 0; i < 3 * w.m->rest.count; i++) w.x[i] += any(-0.1, 0.1);
    vec3_store(w.x + 3 * (w.m->rigids.data[0].block + 1), any_vector(2));
    return &w;
}

static void finish(world *w)
{
    w->t->class->destroy(w->t);
    problem_free(&w->p);
    free_model(w->m);
}

/* The first vertex of the surface of a body. */
static int32_t vertex_of(const model *m, size_t body)
{
    return (int32_t)m->bodies.data[body].surface.first_vertex;
}

TEST(derivatives_of_every_kind_of_body)
{
    world *w = begin();
    int n = 3 * w->p.block_count;
    for (size_t body = 0; body < w->m->bodies.count; body++) {
        pull p = {.active = true, .target = any_vector(2), .stiffness = 70, .damping = 0.3};
        CHECK(pull_side(w->m, -1, vertex_of(w->m, body), &p.side));
        term_step at = {w->x, 0.1, 0.01};
        pull_set(w->t, &p);
        w->t->class->begin_step(w->t, &at);
        for (int i = 0; i < n; i++) w->x[i] += any(-0.05, 0.05); /* the damper, too */
        check_gradient(&w->p, w->x, 1e-4, 1e-7);
        difference_hessian(&w->p, w->x, 1e-4, expected_h);
        check_true_hessian(&w->p, w->x, 1e-6);
        CHECK_OK(problem_derivatives(&w->p, &test_evaluation, w->x, true, &err), err);
        dense_matrix(&w->p.matrix, full);
        for (int k = 0; k < 20; k++) {
            double v[MAX_N], sum = 0;
            for (int i = 0; i < n; i++) v[i] = any(-1, 1);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) sum += v[i] * full[n * i + j] * v[j];
            CHECK(sum >= -1e-9 * largest_of(full, n * n));
        }
    }
    finish(w);
}

TEST(the_point_is_the_vertex)
{
    world *w = begin();
    for (size_t v = 0; v < w->m->surface.rows.count; v++) {
        joint_side side;
        int32_t vertex = (int32_t)v;
        vec3 expected;
        CHECK(pull_side(w->m, -1, vertex, &side));
        collision_surface_some_positions(&w->m->surface, w->x, &vertex, 1, &expected);
        CHECK(vec3_norm(vec3_sub(side_position(w->m, &side, w->x), expected)) < 1e-12);
    }
    finish(w);
}

TEST(followers_are_pulled_by_their_leaders)
{
    model *m = make_bodies();
    int32_t block = (int32_t)m->rest.count - 1;
    joint_side leader = joint_side_at(m, 0, m->rest.data[block], mat3_identity()), side;
    CHECK_OK(model_add_follower(m, "node", joint_kind_named("free"), block, &leader, &err), err);
    CHECK_OK(model_lead_surface(m, &err), err);
    CHECK(pull_side(m, block, -1, &side));
    CHECK(side.kind == SIDE_BODY && side.rigid == 0);
    CHECK(vec3_norm(vec3_sub(side.point, leader.point)) == 0);
    leader = joint_side_at(m, -1, m->rest.data[block - 1], mat3_identity());
    CHECK_OK(model_add_follower(m, "node", joint_kind_named("free"), block - 1, &leader, &err),
             err);
    CHECK(!pull_side(m, block - 1, -1, &side)); /* it stays where it is */
    free_model(m);
}

/* k (target - y) - c (y - y0) / h, along one axis; nothing once released. */
TEST(force_of_spring_and_damper)
{
    world *w = begin();
    int32_t block = (int32_t)w->m->rest.count - 1;
    double *x = w->x + 3 * (size_t)block;
    pull p = {.active = true, .target = {x[0] + 2, x[1], x[2]}, .stiffness = 5, .damping = 0.4};
    CHECK(pull_side(w->m, block, -1, &p.side));
    pull_set(w->t, &p);
    term_step at = {w->x, 0.1, 0.01};
    w->t->class->begin_step(w->t, &at);
    x[0] += 0.5;
    CHECK_OK(problem_update(&w->p, &test_evaluation, w->x, &err), err);
    CHECK_OK(problem_derivatives(&w->p, &test_evaluation, w->x, false, &err), err);
    CHECK_NEAR(w->p.gradient[3 * block], -(5 * 1.5 - 0.4 * 0.5 / 0.01), 1e-12);
    CHECK_NEAR(problem_value(&w->p, &test_evaluation, w->x),
               0.5 * 5 * 1.5 * 1.5 + 0.5 * 0.4 / 0.01 * 0.25, 1e-12);
    p.active = false;
    pull_set(w->t, &p);
    CHECK_OK(problem_update(&w->p, &test_evaluation, w->x, &err), err);
    CHECK(problem_value(&w->p, &test_evaluation, w->x) == 0);
    finish(w);
}

int main(void)
{
    RUN(derivatives_of_every_kind_of_body);
    RUN(the_point_is_the_vertex);
    RUN(followers_are_pulled_by_their_leaders);
    RUN(force_of_spring_and_damper);
    return TEST_END();
}
