/* Every energy term against finite differences, through the problem that adds
 * them up: gradients and Hessians of whole scenes as Newton's method sees them.
 */
#include "base/random.h"
#include "contact/contact_term.h"
#include "contact/friction_term.h"
#include "math/eigen.h"
#include "mesh/generate.h"
#include "solve/problem.h"
#include "support/differences.h"
#include "support/scene_makers.h"
#include "support/scene_text.h"
#include "term/augmented_lagrangian.h"
#include "term/damping.h"
#include "term/elastic.h"
#include "term/element.h"
#include "term/inertia.h"
#include "test.h"

static abut_error err;
static stage_timer timer;

/* ----------------------------------------------------------------------------------------------
 */
/* Inertia, elasticity, attachments */

static void random_positions(random_state *r, const model *m, double amount, double *x)
{
    for (size_t i = 0; i < m->rest.count; i++) {
        vec3 shift = {random_range(r, -amount, amount), random_range(r, -amount, amount),
                      random_range(r, -amount, amount)};
        vec3_store(x + 3 * i, vec3_add(m->rest.data[i], shift));
    }
}

TEST(inertia)
{
    for (int consistent = 0; consistent < 2; consistent++) {
        random_state r = {1};
        model *m = make_box_model((vec3){1, 0.5, 0.4}, 2, 1, 1, ELASTIC_NEO_HOOKEAN);
        m->bodies.data[0].consistent_mass = consistent;
        inertia_term *t = NULL;
        CHECK_OK(inertia_create(m, &t, &err), err);
        double x[MAX_N];
        random_positions(&r, m, 0.1, x);
        for (size_t i = 0; i < 3 * m->rest.count; i++) {
            t->x_tilde[i] = x[i] + random_range(&r, -0.1, 0.1);
            t->force[i] = random_range(&r, -50, 50);
        }
        test_evaluation.load_factor = 0.3;
        test_evaluation.mass_factor = 1.7;
        problem p;
        CHECK_OK(problem_init(&p, model_block_count(m), &timer, &err), err);
        CHECK_OK(problem_add_term(&p, &t->base, &err), err);
        check_gradient(&p, x, 1e-3, 1e-9);
        check_hessian(&p, x, 1e-3, 1e-9, false);
        /* The mass matrix that the energies of motion use is the same. */
        double mx[MAX_N], unit[MAX_N] = {0};
        int n = 3 * p.block_count;
        for (int j = 0; j < n; j++) {
            unit[j] = 1;
            inertia_multiply(t, unit, mx);
            unit[j] = 0;
            for (int i = 0; i < n; i++)
                CHECK_NEAR(1.7 * mx[i], full[n * i + j], 1e-12 * largest_of(full, n * n));
        }
        /* All of the mass is there: 1^T M 1 per axis. */
        double total = 0;
        for (int i = 0; i < n; i++) unit[i] = i % 3 == 1;
        inertia_multiply(t, unit, mx);
        for (int i = 0; i < n; i++) total += unit[i] * mx[i];
        CHECK_NEAR(total, MAKER_DENSITY * 1 * 0.5 * 0.4, 1e-9);
        problem_free(&p);
        t->base.class->destroy(&t->base);
        free_model(m);
    }
    test_evaluation = evaluation_unit();
}

/* Elements of order 2: the energy is that of the mass matrix, and solving with it undoes the
 * product, in the coordinates that are not fixed. */
TEST(inertia_of_elements)
{
    scene_def *scene;
    stepper *s = build_scene("{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'bodies': [{'mesh': {"
                             "'box': {'size': [1, 0.5, 0.4], 'cells': [2, 1, 1]}}, 'order': 2, "
                             "'material': {'young': 1e5, 'poisson': 0.3, 'density': 700}}]}",
                             &scene);
    if (!s) return;
    random_state r = {12};
    inertia_term *t = s->inertia;
    size_t n = 3 * s->model->rest.count;
    double *work = mem_calloc(5 * n, sizeof *work);
    double *x = work, *mx = work + n, *b = work + 2 * n, *y = work + 3 * n, *d = work + 4 * n;
    uint8_t *fixed = mem_calloc(n, 1);
    double expected = 0;
    for (size_t i = 0; i < n; i++) {
        fixed[i] = i % 5 == 2;
        t->force[i] = 0;
        x[i] = random_range(&r, -1, 1);
        t->x_tilde[i] = random_range(&r, -1, 1);
        d[i] = x[i] - t->x_tilde[i];
        b[i] = random_range(&r, -1, 1);
    }
    evaluation ev = evaluation_unit();
    ev.mass_factor = 1.3;
    inertia_multiply(t, d, mx);
    for (size_t i = 0; i < n; i++) expected += 0.5 * 1.3 * d[i] * mx[i];
    CHECK(t->consistent);
    CHECK_NEAR(t->base.class->value(&t->base, &ev, x), expected, 1e-12 * expected);
    CHECK_OK(inertia_solve(t, fixed, b, y, &err), err);
    inertia_multiply(t, y, mx);
    for (size_t i = 0; i < n; i++) {
        if (fixed[i])
            CHECK(y[i] == 0);
        else
            CHECK_NEAR(mx[i], b[i], 1e-10);
    }
    mem_free(work);
    mem_free(fixed);
    drop_scene(s, scene);
}

/* Near the rest shape the Hessian is definite, so nothing is projected away. */
TEST(elastic)
{
    static const elastic_model models[] = {ELASTIC_NEO_HOOKEAN, ELASTIC_FIXED_COROTATED,
                                           ELASTIC_LINEAR};
    for (int k = 0; k < 3; k++) {
        random_state r = {2};
        model *m = make_box_model((vec3){1, 0.5, 0.4}, 2, 1, 1, models[k]);
        elastic_term *t = NULL;
        CHECK_OK(elastic_create(m, &t, &err), err);
        test_evaluation.force_factor = 0.01;
        problem p;
        CHECK_OK(problem_init(&p, model_block_count(m), &timer, &err), err);
        CHECK_OK(problem_add_term(&p, &t->base, &err), err);
        double x[MAX_N], g[MAX_N] = {0};
        random_positions(&r, m, 0.02, x);
        check_gradient(&p, x, 1e-5, 1e-6);
        /* Stretch everything: positive stresses keep every element's Hessian
         * definite. */
        for (size_t i = 0; i < 3 * m->rest.count; i++) x[i] *= 1.2;
        check_gradient(&p, x, 1e-5, 1e-6);
        check_hessian(&p, x, 1e-5, 1e-6, false);
        /* Volumes by those at rest. */
        double scaled[MAX_N], volume = 0;
        for (size_t i = 0; i < 3 * m->rest.count; i++)
            scaled[i] = 0.5 * ((const double *)m->rest.data)[i];
        CHECK_NEAR(elastic_min_volume_ratio(t, scaled), 0.125, 1e-12);
        for (size_t e = 0; e < m->tet_count; e++) {
            tet4_rest room;
            volume += elastic_volume_ratio(t, x, e) * model_tet_rest(m, e, &room)->volume;
        }
        CHECK_NEAR(volume, 1.728 * 0.2, 0.2 * 0.2);
        /* The gradient in element order is the same one. */
        gradient_at(&p, x, expected_h);
        term_add_gradient(&t->base, &test_evaluation, x, g);
        for (size_t i = 0; i < 3 * m->rest.count; i++)
            CHECK_NEAR(g[i], expected_h[i], 1e-12 * largest_of(expected_h, 3 * p.block_count));
        problem_free(&p);
        t->base.class->destroy(&t->base);
        free_model(m);
    }
    test_evaluation = evaluation_unit();
}

/* A single squeezed tet: the assembled Hessian is the projection of the true
 * one. */
TEST(elastic_projected)
{
    static const elastic_model models[] = {ELASTIC_NEO_HOOKEAN, ELASTIC_FIXED_COROTATED};
    for (int k = 0; k < 2; k++) {
        random_state r = {3};
        model *m = make_tet_model(models[k]);
        elastic_term *t = NULL;
        CHECK_OK(elastic_create(m, &t, &err), err);
        problem p;
        CHECK_OK(problem_init(&p, model_block_count(m), &timer, &err), err);
        CHECK_OK(problem_add_term(&p, &t->base, &err), err);
        for (int trial = 0; trial < 10; trial++) {
            double x[MAX_N];
            random_positions(&r, m, 0.03, x);
            for (size_t i = 0; i < 4; i++) x[3 * i + (size_t)(trial % 3)] *= 0.4;
            check_gradient(&p, x, 1e-5, 1e-6);
            difference_hessian(&p, x, 1e-5, expected_h);
            CHECK_OK(problem_update(&p, &test_evaluation, x, &err), err);
            CHECK_OK(problem_derivatives(&p, &test_evaluation, x, true, &err), err);
            dense_matrix(&p.matrix, full);
            check_definite(12, full);
            /* The projection is done on dP/dF, not on the 12 x 12 matrix: it must not
             * be below the true Hessian in any direction, and equal where that is
             * convex enough. */
            double difference[144];
            for (int i = 0; i < 144; i++) difference[i] = full[i] - expected_h[i];
            double values[12], vectors[144];
            eigen_symmetric(12, difference, values, vectors);
            CHECK(values[0] > -1e-5 * largest_of(full, 144));
        }
        problem_free(&p);
        t->base.class->destroy(&t->base);
        free_model(m);
    }
}

/* Damping is quadratic about the start of the step, with beta times the elastic stiffness there. */
TEST(damping)
{
    random_state r = {6};
    const double beta = 0.01;
    model *m = make_box_model((vec3){1, 0.5, 0.4}, 1, 1, 1, ELASTIC_NEO_HOOKEAN);
    CHECK(!damping_needed(m));
    m->bodies.data[0].damping = beta;
    CHECK(damping_needed(m));
    elastic_term *elastic = NULL;
    damping_term *t = NULL;
    CHECK_OK(elastic_create(m, &elastic, &err), err);
    CHECK_OK(damping_create(m, elastic, &t, &err), err);
    problem p, q;
    CHECK_OK(problem_init(&p, model_block_count(m), &timer, &err), err);
    CHECK_OK(problem_add_term(&p, &elastic->base, &err), err);
    CHECK_OK(problem_init(&q, model_block_count(m), &timer, &err), err);
    CHECK_OK(problem_add_term(&q, &t->base, &err), err);
    double x[MAX_N], stiffness[24 * 24];
    random_positions(&r, m, 0.05, x);
    CHECK_OK(problem_update(&p, &test_evaluation, x, &err), err);
    CHECK_OK(problem_derivatives(&p, &test_evaluation, x, true, &err), err);
    dense_matrix(&p.matrix, stiffness);
    damping_lag(t, x);
    test_evaluation.force_factor = 0.21;
    test_evaluation.h = 0.3;
    CHECK(value_at(&q, x) == 0);
    for (size_t i = 0; i < 3 * m->rest.count; i++) x[i] += random_range(&r, -0.1, 0.1);
    check_gradient(&q, x, 1e-3, 1e-8);
    check_hessian(&q, x, 1e-3, 1e-8, false);
    for (int i = 0; i < 24 * 24; i++)
        CHECK_NEAR(full[i], 0.7 * beta * stiffness[i], 1e-10 * beta * largest_of(stiffness, 576));
    test_evaluation = evaluation_unit();
    problem_free(&p);
    problem_free(&q);
    elastic->base.class->destroy(&elastic->base);
    t->base.class->destroy(&t->base);
    free_model(m);
}

TEST(attachment)
{
    random_state r = {4};
    augmented_lagrangian_term *t = NULL;
    CHECK_OK(augmented_lagrangian_create(&t, &err), err);
    double x[12];
    for (int i = 0; i < 12; i++) x[i] = random_range(&r, -1, 1);
    for (int i = 0; i < 3; i++) {
        vec3 target = {random_range(&r, -1, 1), random_range(&r, -1, 1), random_range(&r, -1, 1)};
        CHECK_OK(augmented_lagrangian_add(t, i, 0.5 + i, 1, target, i == 1 ? 5 : 7, &err), err);
    }
    augmented_lagrangian_ready(t);
    double away = 0; /* of a rotation, as the length that it moves a point by */
    for (size_t i = 0; i < 3; i++) {
        t->length.data[i] = 1 + (double)i;
        away += (1 + (double)i) * (1 + (double)i) * pow(augmented_lagrangian_gap(t, x, i), 2);
    }
    CHECK_NEAR(augmented_lagrangian_distance2(t, x), away, 1e-14);
    t->stiffness = 30;
    augmented_lagrangian_update_multipliers(t, x);
    CHECK(vec3_norm2(t->multiplier.data[0]) > 0);
    CHECK(t->multiplier.data[1].y == 0); /* that component is free */
    problem p;
    CHECK_OK(problem_init(&p, 4, &timer, &err), err);
    CHECK_OK(problem_add_term(&p, &t->base, &err), err);
    check_gradient(&p, x, 1e-3, 1e-9);
    check_hessian(&p, x, 1e-3, 1e-9, false);
    CHECK(full[12 * 4 + 4] == 0 && full[12 * 3 + 3] > 0 && full[12 * 9 + 9] == 0);
    problem_free(&p);
    t->base.class->destroy(&t->base);
}

/* ----------------------------------------------------------------------------------------------
 */
/* Contact */

typedef enum contact_case {
    CASE_PP,
    CASE_PE,
    CASE_PT,
    CASE_EE,
    CASE_EE_MOLLIFIED,
    CASE_EE_MOLLIFIED_END, /* nearly parallel, closest at an end point */
    CASE_PLANE,
    CASES
} contact_case;

/* Vertices, and what connects them: the first primitive, then the second. */
typedef struct contact_shape {
    int counts[2]; /* vertices of the two primitives */
    vec3 x[4];
    int list; /* the list of the active set that the pair must be in; -1:
                 half-space */
    double dhat;
} contact_shape;

static const contact_shape shapes[CASES] = {
    [CASE_PP] = {{1, 1}, {{0.01, 0.05, 0.02}, {0, 0, 0}}, LIST_PP, 0.1},
    [CASE_PE] = {{1, 2}, {{0.1, 0.05, 0.01}, {-0.4, 0, 0.02}, {0.5, 0.01, 0}}, LIST_PE, 0.1},
    [CASE_PT] = {{1, 3},
                 {{0.05, 0.05, 0.06}, {-0.3, 0, -0.3}, {0.5, 0.01, -0.2}, {0.1, 0, 0.5}},
                 LIST_PT,
                 0.1},
    [CASE_EE] = {{2, 2},
                 {{-0.4, 0.05, 0.02}, {0.5, 0.06, 0}, {0.03, 0, -0.5}, {-0.02, 0, 0.4}},
                 LIST_EE,
                 0.1},
    /* Closer than the rest: the ends must be farther from the other edge than
       dhat. */
    [CASE_EE_MOLLIFIED] =
        {{2, 2},
         {{-0.5, 0.005, -0.007}, {0.5, 0.0052, 0.007}, {-0.5, 0, 0.007}, {0.5, 0, -0.007}},
         LIST_EE_MOLLIFIED,
         0.01},
    [CASE_EE_MOLLIFIED_END] =
        {{2, 2},
         {{-0.5, 0.04, 0.01}, {0.5, 0.06, 0.02}, {-0.6, 0, 0.001}, {0.7, 0, -0.003}},
         LIST_EE_MOLLIFIED,
         0.1},
    [CASE_PLANE] = {{1, 0}, {{0.1, 0.03, 0.2}}, -1, 0.1},
};

typedef struct contact_scene {
    model *m;
    contact_term *contact;
    friction_term *friction;
    problem p;
    double x[12];
} contact_scene;

static void contact_scene_make(contact_scene *s, contact_case which, barrier_kind barrier,
                               friction_kind kind)
{
    const contact_shape *shape = &shapes[which];
    s->m = make_obstacle_model(shape->counts, shape->x);
    contact_options options = {.dhat = shape->dhat, .barrier = barrier};
    CHECK_OK(contact_create(s->m, &options, &s->contact, &err), err);
    test_evaluation.kappa = 100;
    if (which == CASE_PLANE) {
        half_space plane = {{0, 0.005, 0}, {0.1, 1, -0.05}, {0, 0, 0}, 0.4};
        CHECK_OK(contact_add_half_space(s->contact, plane, &err), err);
    }
    CHECK_OK(friction_create(s->contact, 0.4, kind, &s->friction, &err), err);
    CHECK_OK(problem_init(&s->p, model_block_count(s->m), &timer, &err), err);
    CHECK_OK(problem_add_term(&s->p, &s->contact->base, &err), err);
    CHECK_OK(problem_add_term(&s->p, &s->friction->base, &err), err);
    test_evaluation.without = term_bit(&s->friction->base);
    for (int i = 0; i < s->p.block_count; i++) vec3_store(s->x + 3 * i, shape->x[i]);
    CHECK_OK(problem_update(&s->p, &test_evaluation, s->x, &err), err);
    /* An end point near an edge is a contact of its own. */
    CHECK(contact_count(s->contact) == 1 || which == CASE_EE_MOLLIFIED_END);
    if (shape->list >= 0) CHECK(s->contact->active.lists[shape->list].count == 1);
    CHECK(problem_value(&s->p, &test_evaluation, s->x) > 0);
}

static void contact_scene_free(contact_scene *s)
{
    problem_free(&s->p);
    s->friction->base.class->destroy(&s->friction->base);
    s->contact->base.class->destroy(&s->contact->base);
    free_model(s->m);
}

TEST(contact_barrier)
{
    for (int which = 0; which < CASES; which++)
        for (int kind = 0; kind < 3; kind++) {
            static const barrier_kind kinds[] = {BARRIER_C0, BARRIER_C1, BARRIER_C2};
            contact_scene s;
            contact_scene_make(&s, (contact_case)which, kinds[kind], FRICTION_C1);
            double h = 1e-4 * shapes[which].dhat;
            check_gradient(&s.p, s.x, h, 1e-6);
            if (which != CASE_EE_MOLLIFIED_END) check_hessian(&s.p, s.x, h, 2e-6, true);
            CHECK_OK(problem_update(&s.p, &test_evaluation, s.x, &err), err);
            CHECK_OK(problem_derivatives(&s.p, &test_evaluation, s.x, true, &err), err);
            dense_matrix(&s.p.matrix, full);
            check_definite(3 * s.p.block_count, full);
            contact_scene_free(&s);
        }
}

/* Beyond dhat there is nothing, at dhat value and gradient vanish smoothly. */
TEST(contact_ends_at_dhat)
{
    contact_scene s;
    contact_scene_make(&s, CASE_PP, BARRIER_C2, FRICTION_C1);
    double g[6];
    s.x[0] = s.x[2] = 0;
    s.x[1] = 0.1 * (1 - 1e-6);
    double v = value_at(&s.p, s.x);
    CHECK(v > 0 && v < 1e-12);
    gradient_at(&s.p, s.x, g);
    CHECK(fabs(g[1]) < 1e-6);
    s.x[1] = 0.1 * (1 + 1e-6);
    CHECK(value_at(&s.p, s.x) == 0 && contact_count(s.contact) == 0);
    s.x[1] = 0;
    CHECK(value_at(&s.p, s.x) == INFINITY);
    contact_scene_free(&s);
}

/* ----------------------------------------------------------------------------------------------
 */
/* Friction */

/* Displacements that stick (below eps), slip (above) and straddle both
 * directions. */
TEST(friction)
{
    static const friction_kind kinds[] = {FRICTION_C0, FRICTION_C1, FRICTION_C2};
    static const contact_case cases[] = {CASE_PP, CASE_PE, CASE_PT, CASE_EE, CASE_PLANE};
    for (int c = 0; c < 5; c++)
        for (int kind = 0; kind < 3; kind++)
            for (int slip = 0; slip < 2; slip++) {
                contact_scene s;
                contact_scene_make(&s, cases[c], BARRIER_C2, kinds[kind]);
                s.friction->eps = 1e-3;
                s.friction->h = 0.01;
                friction_set_start(s.friction, s.x);
                CHECK_OK(friction_lag(s.friction, test_evaluation.kappa, &err), err);
                test_evaluation.without = term_bit(&s.contact->base);
                double amount = slip ? 5e-3 : 4e-4, moved[12];
                memcpy(moved, s.x, sizeof moved);
                moved[0] += 0.8 * amount; /* the first vertex slides in two directions */
                moved[1] += 0.1 * amount;
                moved[2] += 0.5 * amount;
                check_gradient(&s.p, moved, 2e-5, 1e-4);
                check_hessian(&s.p, moved, 2e-5, 1e-3, false);
                check_definite(3 * s.p.block_count, full);
                /* The force is mu lambda at most, and reached when sliding. */
                double g[12], force = 0;
                gradient_at(&s.p, moved, g);
                for (int k = 0; k < FRICTION_LISTS; k++)
                    if (s.friction->lists[k].count) force = s.friction->lists[k].data[0].force;
                CHECK(force > 0);
                double weight = 0;
                for (int k = 0; k < FRICTION_LISTS; k++)
                    if (s.friction->lists[k].count)
                        weight = fabs(s.friction->lists[k].data[0].frame.weight[0]);
                double size = vec3_norm(vec3_load(g)) / weight;
                CHECK(slip ? fabs(size - force) < 1e-9 * force : size < force);
                contact_scene_free(&s);
            }
}

/* A half-space that moves drags along: at equal displacement there is no force.
 */
TEST(friction_of_moving_plane)
{
    contact_scene s;
    contact_scene_make(&s, CASE_PLANE, BARRIER_C2, FRICTION_C1);
    s.contact->planes.data[0].normal = (vec3){0, 1, 0};
    s.contact->planes.data[0].velocity = (vec3){0.3, 0, 0};
    CHECK_OK(problem_update(&s.p, &test_evaluation, s.x, &err), err);
    s.friction->eps = 1e-3;
    s.friction->h = 0.01;
    friction_set_start(s.friction, s.x);
    CHECK_OK(friction_lag(s.friction, test_evaluation.kappa, &err), err);
    test_evaluation.without = term_bit(&s.contact->base);
    double g[3];
    gradient_at(&s.p, s.x, g);
    CHECK(g[0] < 0); /* minus the force: pushed along with the plane */
    s.x[0] += 0.003;
    gradient_at(&s.p, s.x, g);
    CHECK(vec3_norm(vec3_load(g)) < 1e-9);
    contact_scene_free(&s);
}

/* Stiffness of a contact with a plane along x, slid that far and noted as an iterate. */
static double stiffness_along(contact_scene *s, double slid)
{
    double x[3] = {s->x[0] + slid, s->x[1], s->x[2]};
    CHECK_OK(problem_update(&s->p, &test_evaluation, x, &err), err);
    friction_note_iterate(s->friction);
    CHECK_OK(problem_derivatives(&s->p, &test_evaluation, x, true, &err), err);
    dense_matrix(&s->p.matrix, full);
    return full[0];
}

/* Contacts that slide have no stiffness along their path, until they turn around: then that of the
 * chord, at every iterate of a to and fro and for some after it. */
TEST(friction_that_turns)
{
    contact_scene s;
    contact_scene_make(&s, CASE_PLANE, BARRIER_C2, FRICTION_C1);
    s.contact->planes.data[0].normal = (vec3){0, 1, 0};
    CHECK_OK(problem_update(&s.p, &test_evaluation, s.x, &err), err);
    s.friction->eps = 1e-3;
    s.friction->h = 0.01;
    friction_set_start(s.friction, s.x);
    CHECK_OK(friction_lag(s.friction, test_evaluation.kappa, &err), err);
    test_evaluation.without = term_bit(&s.contact->base);
    double force = s.friction->lists[0].data[0].force;
    CHECK(stiffness_along(&s, 0.02) == 0 && stiffness_along(&s, 0.01) == 0);
    CHECK_NEAR(stiffness_along(&s, -0.01), force / 0.01, 1e-9 * force / 0.01);
    CHECK_NEAR(stiffness_along(&s, 0.02), force / 0.02, 1e-9 * force / 0.02);
    /* The chord is an upper bound: its minimiser cannot be beyond the origin. */
    CHECK_NEAR(stiffness_along(&s, 0.01), force / 0.01, 1e-9 * force / 0.01);
    for (int i = 0; i < 8; i++) stiffness_along(&s, 0.01);
    CHECK(stiffness_along(&s, 0.01) == 0);
    stiffness_along(&s, -0.01);
    CHECK_OK(friction_lag(s.friction, test_evaluation.kappa, &err), err);
    CHECK(s.friction->lists[0].count == 1);
    CHECK(stiffness_along(&s, 0.01) == 0); /* new forces have no past */
    contact_scene_free(&s);
}

/* f0, f1 and f1' belong together, and f1 rises from 0 to 1 at eps as smoothly
 * as it says. */
TEST(friction_functions)
{
    static const friction_kind kinds[] = {FRICTION_C0, FRICTION_C1, FRICTION_C2};
    const double eps = 0.01;
    for (int k = 0; k < 3; k++) {
        for (double y = 0.0005; y < 0.02; y += 0.00087) {
            double h = 1e-6;
            double f1 =
                (friction_f0(kinds[k], y + h, eps) - friction_f0(kinds[k], y - h, eps)) / (2 * h);
            CHECK_NEAR(friction_f1_over_y(kinds[k], y, eps) * y, f1, 1e-6);
            double above = friction_f1_over_y(kinds[k], y + h, eps) * (y + h);
            double below = friction_f1_over_y(kinds[k], y - h, eps) * (y - h);
            CHECK_NEAR(friction_f1_prime(kinds[k], y, eps), (above - below) / (2 * h), 1e-2);
        }
        CHECK_NEAR(friction_f0(kinds[k], eps, eps), eps, 1e-15);
        CHECK_NEAR(friction_f0(kinds[k], eps * (1 - 1e-12), eps), eps, 1e-12);
        CHECK_NEAR(friction_f1_over_y(kinds[k], eps * (1 - 1e-12), eps) * eps, 1, 1e-9);
    }
    CHECK(friction_f1_prime(FRICTION_C0, 0.999 * eps, eps) > 0.5 / eps); /* a kink */
    CHECK(friction_f1_prime(FRICTION_C1, 0.999 * eps, eps) < 1e-2 / eps);
    CHECK(friction_f1_prime(FRICTION_C2, 0.999 * eps, eps) < 1e-5 / eps);
}

/* ----------------------------------------------------------------------------------------------
 */
/* The sum */

/* A box with its gradient and whole matrix at positions near rest. */
typedef struct box_problem {
    model *m;
    elastic_term *t;
    problem p;
    double x[MAX_N], g[MAX_N], whole[MAX_N * 24];
} box_problem;

static void box_problem_begin(box_problem *b, uint64_t seed)
{
    random_state r = {seed};
    b->m = make_box_model((vec3){1, 0.5, 0.4}, 1, 1, 1, ELASTIC_NEO_HOOKEAN);
    CHECK_OK(elastic_create(b->m, &b->t, &err), err);
    CHECK_OK(problem_init(&b->p, model_block_count(b->m), &timer, &err), err);
    CHECK_OK(problem_add_term(&b->p, &b->t->base, &err), err);
    random_positions(&r, b->m, 0.02, b->x);
    gradient_at(&b->p, b->x, b->g);
    CHECK_OK(problem_derivatives(&b->p, &test_evaluation, b->x, true, &err), err);
    dense_matrix(&b->p.matrix, b->whole);
}

static void box_problem_end(box_problem *b)
{
    problem_free(&b->p);
    b->t->base.class->destroy(&b->t->base);
    free_model(b->m);
}

/* Fixed blocks are left out and partly fixed ones masked: the rest is the same.
 */
/* Every scalar of the gradient of stencil e is e + 1. */
static void wide_derivatives(const term *t, const evaluation *ev, int group, const double *x,
                             size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)ev;
    (void)x;
    (void)hessian;
    size_t n = 3 * (size_t)t->groups[group].width;
    for (size_t e = begin; e < end; e++)
        for (size_t i = 0; i < n; i++) gradient[(e - begin) * n + i] = (double)(e + 1);
}

/* Contacts of coarse bodies with dense maps have the widest stencils; wider ones are refused. */
TEST(widest_stencils)
{
    static int32_t blocks[2 * TERM_MAX_WIDTH];
    static double gradient[3 * TERM_MAX_WIDTH];
    static const term_class wide_class = {.name = "wide", .derivatives = wide_derivatives};
    for (int i = 0; i < 2 * TERM_MAX_WIDTH; i++) blocks[i] = i % TERM_MAX_WIDTH;
    term wide = {.class = &wide_class, .group_count = 1};
    wide.groups[0] = (stencil_group){.width = TERM_MAX_WIDTH, .count = 2, .blocks = blocks};
    evaluation ev = {0};
    term_add_gradient(&wide, &ev, NULL, gradient);
    int bad = 0;
    for (int i = 0; i < 3 * TERM_MAX_WIDTH; i++) bad += gradient[i] != 3;
    CHECK(bad == 0);
    problem p = {0};
    wide.groups[0].width++;
    CHECK(problem_add_term(&p, &wide, &err) == ABUT_ERROR_INTERNAL && p.term_count == 0);
}

TEST(fixed_coordinates)
{
    static box_problem b;
    box_problem_begin(&b, 5);
    problem *p = &b.p;
    uint8_t fixed[MAX_N] = {0};
    fixed[0] = fixed[1] = fixed[2] = 1; /* block 0 */
    fixed[3 * 4 + 1] = 1;               /* y of block 4 */
    CHECK_OK(problem_set_fixed(p, fixed, &err), err);
    CHECK_OK(problem_update(p, &test_evaluation, b.x, &err), err);
    CHECK_OK(problem_derivatives(p, &test_evaluation, b.x, true, &err), err);
    CHECK(p->free_count == p->block_count - 1);
    dense_matrix(&p->matrix, full);
    int n = 3 * p->free_count, N = 3 * p->block_count;
    for (int i = 0; i < n; i++) {
        bool masked = fixed[i + 3];
        CHECK_NEAR(p->gradient[i], masked ? 0 : b.g[i + 3], 1e-12 * largest_of(b.g, N));
        for (int j = 0; j < n; j++) {
            double expected = b.whole[N * (i + 3) + j + 3];
            if (masked || fixed[j + 3]) expected = i == j;
            CHECK_NEAR(full[n * i + j], expected, 1e-12 * largest_of(b.whole, N * N));
        }
    }
    double spread[MAX_N];
    problem_expand(p, p->gradient, spread);
    CHECK(spread[0] == 0 && spread[3] == p->gradient[0]);
    box_problem_end(&b);
}

/* Restricted problems have the rows and columns of the chosen unknowns, once and once more, and are
 * whole again afterwards. */
TEST(restricted_problems)
{
    static box_problem b;
    box_problem_begin(&b, 6);
    problem *p = &b.p;
    int N = 3 * p->block_count;
    static const uint8_t chosen[2][8] = {{1, 1, 0, 0, 1, 0, 1, 0}, {0, 1, 1, 0}};
    static const int left[2][4] = {{0, 1, 4, 6}, {1, 4}}, count[2] = {4, 2};
    for (int round = 0; round < 2; round++) {
        CHECK_OK(problem_restrict(p, chosen[round], &err), err);
        CHECK_OK(problem_derivatives(p, &test_evaluation, b.x, true, &err), err);
        dense_matrix(&p->matrix, full);
        int n = 3 * p->free_count;
        CHECK(p->free_count == count[round]);
        for (int i = 0; i < n; i++) {
            int row = 3 * left[round][i / 3] + i % 3;
            CHECK_NEAR(p->gradient[i], b.g[row], 1e-12 * largest_of(b.g, N));
            for (int j = 0; j < n; j++)
                CHECK_NEAR(full[n * i + j], b.whole[N * row + 3 * left[round][j / 3] + j % 3],
                           1e-12 * largest_of(b.whole, N * N));
        }
    }
    CHECK_OK(problem_lift_restriction(p, &err), err);
    CHECK_OK(problem_derivatives(p, &test_evaluation, b.x, true, &err), err);
    dense_matrix(&p->matrix, full);
    CHECK(p->free_count == p->block_count &&
          memcmp(p->gradient, b.g, (size_t)N * sizeof *b.g) == 0);
    CHECK(memcmp(full, b.whole, (size_t)(N * N) * sizeof *full) == 0);
    box_problem_end(&b);
}

/* An edge above a triangle, both ends near it. While all nodes but one end are fixed, the contact
 * of the other end is left out; what the free end feels, and how the energy changes with it, is the
 * same, and it still collides. */
TEST(restricted_contacts)
{
    static const vec3 rest[5] = {
        {-0.2, 0.03, -0.2}, {0.2, 0.04, -0.1}, {-1, 0, -1}, {1, 0, -1}, {0, 0, 1.2}};
    enum { N = 15 };
    model *m = make_obstacle_model((const int[2]){2, 3}, rest);
    contact_term *contact;
    problem p;
    CHECK_OK(
        contact_create(m, &(contact_options){.dhat = 0.1, .barrier = BARRIER_C2}, &contact, &err),
        err);
    test_evaluation = evaluation_unit();
    test_evaluation.kappa = 100;
    CHECK_OK(problem_init(&p, 5, &timer, &err), err);
    CHECK_OK(problem_add_term(&p, &contact->base, &err), err);
    double x[N], moved[N], g[N], displacement[N] = {0}, alpha = 1;
    for (int i = 0; i < 5; i++) vec3_store(x + 3 * i, rest[i]);
    memcpy(moved, x, sizeof moved);
    moved[0] += 0.05;
    moved[1] -= 0.02;
    double value = value_at(&p, x), change = value_at(&p, moved) - value;
    gradient_at(&p, x, g);
    CHECK(contact_count(contact) == 2);
    CHECK_OK(problem_restrict(&p, (const uint8_t[5]){1}, &err), err);
    double restricted = value_at(&p, x);
    CHECK(contact_count(contact) == 1 && restricted > 0 && restricted < value);
    CHECK_OK(problem_derivatives(&p, &test_evaluation, x, true, &err), err);
    CHECK(p.free_count == 1);
    for (int c = 0; c < 3; c++) CHECK_NEAR(p.gradient[c], g[c], 1e-12 * largest_of(g, N));
    CHECK_NEAR(value_at(&p, moved) - restricted, change, 1e-12 * value);
    displacement[1] = -0.06;
    CHECK_OK(problem_max_step(&p, &test_evaluation, x, displacement, 1, &alpha, &err), err);
    CHECK(alpha < 0.5);
    CHECK_OK(problem_lift_restriction(&p, &err), err);
    CHECK(value_at(&p, x) == value && contact_count(contact) == 2);
    problem_free(&p);
    contact->base.class->destroy(&contact->base);
    free_model(m);
}

int main(void)
{
    RUN(inertia);
    RUN(inertia_of_elements);
    RUN(elastic);
    RUN(elastic_projected);
    RUN(damping);
    RUN(attachment);
    RUN(contact_barrier);
    RUN(contact_ends_at_dhat);
    RUN(friction);
    RUN(friction_of_moving_plane);
    RUN(friction_that_turns);
    RUN(friction_functions);
    RUN(widest_stencils);
    RUN(fixed_coordinates);
    RUN(restricted_problems);
    RUN(restricted_contacts);
    return TEST_END();
}
