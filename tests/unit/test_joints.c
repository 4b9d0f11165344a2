/* Joints, attachments, couplings and drives: derivatives of every row and law against finite
 * differences, what rows mean, bounds of steps. */
#include "base/random.h"
#include "body/rigid.h"
#include "constraint/axis_law.h"
#include "constraint/joint_bound.h"
#include "constraint/joint_make.h"
#include "constraint/joint_term.h"
#include "math/rotation.h"
#include "mesh/generate.h"
#include "mesh/topology.h"
#include "support/differences.h"
#include "support/scene_makers.h"
#include "term/term_row.h"
#include "test.h"

extern const term_row joint_row;

static abut_error err;
static random_state random_source = {7};

static double any(double low, double high) { return random_range(&random_source, low, high); }
static vec3 any_vector(double most)
{
    return (vec3){any(-most, most), any(-most, most), any(-most, most)};
}

/* Two rigid and two affine bodies, in this order, and a particle. */
static model *make_bodies(void)
{
    model *m = mem_calloc(1, sizeof *m);
    const int cells[3] = {1, 1, 1};
    for (int k = 0; k < 4; k++) {
        mesh box;
        CHECK_OK(generate_box((vec3){1, 0.5, 0.3}, cells, &box, &err), err);
        mesh_transform(&box, (vec3){1, 1, 1}, any_vector(90), (vec3){1.5 * k, 0.2, -0.3});
        rigid_options options = {.density = 1000, .stiffness = 1e5};
        CHECK_OK((k < 2 ? model_add_rigid : model_add_affine)(m, "body", &box, &options, &err),
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

static const int32_t pairs[][2] = {{-1, 0}, {0, 1}, {0, 2}, {2, 1}, {2, 3}, {3, -1}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static model_joint any_joint(const model *m, int kind, int32_t first, int32_t second)
{
    model_joint j = joint_plain();
    j.kind = kind;
    mat3 triad = joint_triad(any_vector(1));
    vec3 point = any_vector(1);
    j.side[0] = joint_side_at(m, first, point, triad);
    j.side[1] = joint_side_at(m, second, vec3_add(point, any_vector(0.2)), triad);
    j.length = 0.7;
    j.lead = 0.3;
    return j;
}

/* A configuration off the start; rotation vectors beyond half a turn as well. */
static void any_place(const model *m, double *x)
{
    memcpy(x, m->rest.data, m->rest.count * sizeof(vec3));
    for (size_t i = 0; i < 3 * m->rest.count; i++) x[i] += any(-0.1, 0.1);
    for (size_t r = 0; r < m->rigids.count; r++)
        if (!m->rigids.data[r].affine)
            vec3_store(x + 3 * (m->rigids.data[r].block + 1), any_vector(2.2));
}

typedef struct world {
    model *m;
    joint_term *t;
    problem p;
    stage_timer timer;
    double x[MAX_N];
} world;

static world *begin(model *m)
{
    static world w;
    memset(&w, 0, sizeof w);
    w.m = m;
    term *made = NULL;
    CHECK_OK(joint_row.create(m, &made, &err), err);
    w.t = (joint_term *)made;
    timer_start(&w.timer);
    CHECK_OK(problem_init(&w.p, model_block_count(m), &w.timer, &err), err);
    CHECK_OK(problem_add_term(&w.p, made, &err), err);
    any_place(m, w.x);
    term_step at = {w.x, 0.1, 0.01};
    made->class->begin_step(made, &at);
    for (size_t i = 0; i < w.t->multipliers.count; i++) w.t->multipliers.data[i] = any(-1e3, 1e3);
    return &w;
}

static void finish(world *w)
{
    w->t->base.class->destroy(&w->t->base);
    problem_free(&w->p);
    free_model(w->m);
}

static void check_derivatives(world *w, double h, double tolerance)
{
    check_gradient(&w->p, w->x, h, tolerance);
    int n = 3 * w->p.block_count;
    difference_hessian(&w->p, w->x, h, expected_h);
    check_true_hessian(&w->p, w->x, tolerance);
    CHECK(n <= MAX_N);
    /* As Newton's method takes it: no negative curvature. */
    evaluation massless = test_evaluation;
    massless.mass_factor = 0;
    CHECK_OK(problem_derivatives(&w->p, &massless, w->x, true, &err), err);
    dense_matrix(&w->p.matrix, full);
    for (int k = 0; k < 20; k++) {
        double v[MAX_N], sum = 0;
        for (int i = 0; i < n; i++) v[i] = any(-1, 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) sum += v[i] * full[n * i + j] * v[j];
        CHECK(sum >= -1e-9 * largest_of(full, n * n));
    }
}

/* Derivatives of the rows themselves, against differences of fourth order. */
static void check_row_derivatives(world *w, size_t joint)
{
    static double rows[JOINT_MAX_ROWS][ITEM_MAX_SCALARS];
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    const double h = 1e-4;
    joint_set set = {w->m, w->t->steps.data, w->t->multipliers.data, NULL};
    joint_sum sum, moved;
    int32_t blocks[ITEM_MAX_BLOCKS];
    int count = item_blocks(w->m, joint, blocks);
    item_row_derivatives(&set, joint, w->x, &sum, rows);
    CHECK(sum.rows > 0);
    for (int k = 0; k < 3 * count; k++) {
        double *x = &w->x[3 * blocks[k / 3] + k % 3], kept = *x;
        double expected[JOINT_MAX_ROWS] = {0};
        for (int p = 0; p < 4; p++) {
            *x = kept + at[p] * h;
            item_rows(&set, joint, w->x, &moved);
            for (int r = 0; r < sum.rows; r++) expected[r] += weight[p] / (12 * h) * moved.value[r];
        }
        *x = kept;
        for (int r = 0; r < sum.rows; r++)
            CHECK_NEAR(rows[r][k], expected[r], 1e-9 * (1 + fabs(expected[r])));
    }
}

TEST(rows_of_every_kind)
{
    for (int kind = 0; joint_kinds[kind].name; kind++) {
        if (joint_kinds[kind].holds & HOLDS_COUPLED || joint_kinds[kind].holds == 0) continue;
        for (int k = 0; k < PAIRS; k++) {
            model *m = make_bodies();
            model_joint j = any_joint(m, kind, pairs[k][0], pairs[k][1]);
            CHECK_OK(model_add_joint(m, joint_kinds[kind].name, &j, &err), err);
            world *w = begin(m);
            check_derivatives(w, 1e-4, 1e-8);
            check_row_derivatives(w, 0);
            finish(w);
        }
    }
}

static void set_axis(joint_axis *a, int what, double y)
{
    switch (what) {
    case 0: a->stiffness = 1e4, a->rest = 0.3; break;
    case 1: a->damping = 20; break;
    case 2: a->friction = 50; break;
    case 3: a->lower = y - 0.02, a->upper = y + 2; break;
    case 4: a->lower = y - 3, a->upper = y + 0.01; break;
    case 5: a->drive = (joint_drive){DRIVE_POSITION, NULL, 1e4, 10, INFINITY, 1}; break;
    case 6: a->drive = (joint_drive){DRIVE_POSITION, NULL, 1e4, 10, 30, 1}; break;
    case 7: a->drive = (joint_drive){DRIVE_VELOCITY, NULL, 0, 40, 25, 1}; break;
    case 8: a->drive = (joint_drive){DRIVE_EFFORT, NULL, 0, 0, INFINITY, 1}; break;
    case 9: a->drive = (joint_drive){DRIVE_POSITION, NULL, 0, 0, INFINITY, 1}; break;
    }
}
enum { LAWS = 10 };

/* The law of one coordinate alone: its derivatives by the coordinate. */
TEST(laws_of_coordinates)
{
    for (int what = 0; what < LAWS; what++)
        for (int y = 0; y < JOINT_COORDINATES; y++) {
            joint_axis a = {.lower = -INFINITY, .upper = INFINITY, .drive.most = INFINITY};
            set_axis(&a, what, 0.5);
            joint_step step = {.start = {0.499996, 0.499996},
                               .target = {0.7, 0.7},
                               .h = 0.01,
                               .inertia = {2, 3},
                               .length_scale = 1.5};
            joint_coordinate c = (joint_coordinate)y;
            law_value v = axis_law(&a, c, &step, 0.5);
            double h = what == 2 ? 1e-8 : 1e-6;
            law_value up = axis_law(&a, c, &step, 0.5 + h), down = axis_law(&a, c, &step, 0.5 - h);
            CHECK_NEAR(v.first, (up.energy - down.energy) / (2 * h), 1e-5 * (1 + fabs(v.first)));
            CHECK_NEAR(v.second, (up.first - down.first) / (2 * h), 1e-4 * (1 + fabs(v.second)));
            CHECK(v.second >= 0);
        }
}

TEST(laws_of_every_kind)
{
    for (int kind = 0; joint_kinds[kind].name; kind++)
        for (int what = 0; what < LAWS; what++)
            for (int y = 0; y < JOINT_COORDINATES; y++) {
                model *m = make_bodies();
                const int32_t *pair = pairs[(kind + what) % PAIRS];
                model_joint j = any_joint(m, kind, pair[0], pair[1]);
                if (item_is_coupling(&j) || !joint_has(&j, (joint_coordinate)y)) {
                    free_model(m);
                    continue;
                }
                set_axis(&j.axis[y], what, 0);
                if (what == 9 || j.axis[y].drive.kind != DRIVE_NONE)
                    j.axis[y].drive.target = expression_constant(0.4);
                CHECK_OK(model_add_joint(m, "joint", &j, &err), err);
                world *w = begin(m);
                /* Near the coordinate now, so that friction sticks and limits are near. */
                double u[JET_SIZE];
                joint_features(m, &m->joints.data[0], w->x, u);
                double at = joint_coordinate_value(&m->joints.data[0], (joint_coordinate)y,
                                                   w->t->steps.data[0].start[y], u);
                joint_axis *axis = &m->joints.data[0].axis[y];
                expression *target = axis->drive.target;
                set_axis(axis, what, at);
                axis->drive.target = target;
                w->t->steps.data[0].start[y] = at + 3;
                check_derivatives(w, 3e-5, 1e-6);
                finish(w);
            }
}

TEST(nodes_and_pulls)
{
    for (int what = 0; what < 4; what++) {
        model *m = make_bodies();
        int32_t grain = m->bodies.data[4].first_block;
        model_joint j = joint_plain();
        j.kind = joint_kind_named(what == 3 ? "distance" : "ball");
        j.length = 0.5;
        j.side[0] = joint_side_node(grain);
        j.side[1] = joint_side_at(m, what == 1 ? 2 : 0, any_vector(1), mat3_identity());
        if (what >= 2) {
            j.side[1] = joint_side_node(grain + 1);
            j.side[1].count = 3;
            for (int k = 0; k < 3; k++) {
                j.side[1].blocks[k] = grain + 1 + k;
                j.side[1].weights[k] = k == 0 ? 0.2 : 0.4;
            }
        }
        j.stiffness = what == 2 ? 300 : 0;
        j.damping = what == 2 ? 7 : 0;
        CHECK_OK(model_add_joint(m, "attachment", &j, &err), err);
        world *w = begin(m);
        check_derivatives(w, 1e-4, 1e-8);
        finish(w);
    }
}

/* Couplings of joints with and without a common body. */
TEST(couplings)
{
    for (int k = 0; k < 4; k++) {
        model *m = make_bodies();
        model_joint a = any_joint(m, joint_kind_named("hinge"), -1, 0);
        model_joint b = any_joint(m, joint_kind_named(k == 3 ? "slider" : "hinge"), k == 0 ? -1 : 0,
                                  k == 1 ? 2 : 1);
        CHECK_OK(model_add_joint(m, "a", &a, &err), err);
        CHECK_OK(model_add_joint(m, "b", &b, &err), err);
        model_joint c = joint_plain();
        c.kind = joint_kind_named("gear");
        c.coupled[0] = 0;
        c.coupled[1] = 1;
        c.coordinate[0] = JOINT_TURN;
        c.coordinate[1] = k == 3 ? JOINT_SLIDE : JOINT_TURN;
        c.ratio = -2.5;
        c.offset = 0.3;
        CHECK_OK(model_add_joint(m, "gear", &c, &err), err);
        world *w = begin(m);
        memset(w->t->multipliers.data, 0, 2 * JOINT_MAX_ROWS * sizeof(double));
        w->t->steps.data[0].stiffness[0] = w->t->steps.data[0].stiffness[1] = 0;
        w->t->steps.data[1].stiffness[0] = w->t->steps.data[1].stiffness[1] = 0;
        check_derivatives(w, 1e-4, 1e-8);
        check_row_derivatives(w, 2);
        finish(w);
    }
}

/* A common motion of both sides changes no row and no coordinate. */
TEST(common_motion)
{
    for (int kind = 0; joint_kinds[kind].name; kind++) {
        model *m = make_bodies();
        model_joint j = any_joint(m, kind, 0, 2);
        if (item_is_coupling(&j)) {
            free_model(m);
            continue;
        }
        CHECK_OK(model_add_joint(m, "joint", &j, &err), err);
        world *w = begin(m);
        joint_set set = {m, w->t->steps.data, w->t->multipliers.data, NULL};
        joint_sum before, after;
        double y[MAX_N];
        memcpy(y, w->x, sizeof y);
        mat3 turn = rotation_matrix(any_vector(1));
        vec3 shift = any_vector(1);
        const int bodies[2] = {0, 2};
        for (int k = 0; k < 2; k++) {
            const rigid_body *r = &m->rigids.data[bodies[k]];
            size_t at = 3 * (size_t)r->block;
            vec3_store(y + at, vec3_add(shift, mat3_mul_vec(turn, vec3_load(w->x + at))));
            mat3 q = mat3_mul(turn, rigid_frame(r, w->x));
            if (!r->affine) vec3_store(y + at + 3, rotation_vector(q));
            for (int c = 0; r->affine && c < 3; c++)
                vec3_store(y + at + 3 + 3 * c, mat3_column(q, c));
        }
        item_rows(&set, 0, w->x, &before);
        item_rows(&set, 0, y, &after);
        /* Rows that are vectors turn along; their lengths stay. */
        double sums[2][2] = {{0}};
        for (int r = 0; r < before.rows; r++) {
            sums[0][before.angular[r]] += before.value[r] * before.value[r];
            sums[1][after.angular[r]] += after.value[r] * after.value[r];
        }
        CHECK_NEAR(sums[0][0], sums[1][0], 1e-12);
        CHECK_NEAR(sums[0][1], sums[1][1], 1e-12);
        finish(w);
    }
}

/* No step that is allowed reaches a limit, whatever the direction. */
TEST(steps_end_before_limits)
{
    for (int k = 0; k < 60; k++) {
        model *m = make_bodies();
        bool slide = k % 2;
        model_joint j = any_joint(m, joint_kind_named(slide ? "slider" : "hinge"),
                                  pairs[k % PAIRS][0], pairs[k % PAIRS][1]);
        j.axis[slide].lower = -1;
        j.axis[slide].upper = 1;
        CHECK_OK(model_add_joint(m, "joint", &j, &err), err);
        world *w = begin(m);
        memcpy(w->x, m->rest.data, m->rest.count * sizeof(vec3));
        joint_set set = {m, w->t->steps.data, w->t->multipliers.data, NULL};
        double p[MAX_N], u[JET_SIZE];
        for (size_t i = 0; i < 3 * m->rest.count; i++) p[i] = any(-4, 4);
        for (size_t r = 2; r < 4; r++) /* affine bodies stay near to a rotation */
            for (int c = 3; c < 12; c++) p[3 * m->rigids.data[r].block + c] *= 0.05;
        double alpha = joint_max_step(&set, 0, w->x, p, 1);
        CHECK(alpha > 0);
        for (int i = 0; i <= 200; i++) {
            joint_features_along(m, &m->joints.data[0], w->x, p, alpha * i / 200, u);
            double y = joint_coordinate_value(&m->joints.data[0], (joint_coordinate)slide, 0, u);
            CHECK(y > -1 && y < 1);
        }
        finish(w);
    }
}

int main(void)
{
    RUN(rows_of_every_kind);
    RUN(laws_of_coordinates);
    RUN(laws_of_every_kind);
    RUN(nodes_and_pulls);
    RUN(couplings);
    RUN(common_motion);
    RUN(steps_end_before_limits);
    return TEST_END();
}
