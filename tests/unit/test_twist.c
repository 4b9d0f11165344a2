/* Twist of rods: reference frames against frames that are carried one by one, derivatives against
 * finite differences, a bar under torsion, Michell's ring, and saved states. */
#include "base/random.h"
#include "fem/twist.h"
#include "math/rotation.h"
#include "mesh/generate.h"
#include "support/differences.h"
#include "support/scene_makers.h"
#include "term/twist.h"
#include "test.h"

static abut_error err;
static const double PI = 3.14159265358979323846;

static vec3 random_near(random_state *r, vec3 about, double by)
{
    return (vec3){about.x + random_range(r, -by, by), about.y + random_range(r, -by, by),
                  about.z + random_range(r, -by, by)};
}

/* v carried from the unit vector a to the unit vector b by the smallest rotation. */
static vec3 carry(vec3 a, vec3 b, vec3 v)
{
    vec3 axis = vec3_cross(a, b);
    double c = vec3_dot(a, b);
    vec3 turned = vec3_add(vec3_scale(c, v), vec3_cross(axis, v));
    return vec3_mul_add(turned, vec3_dot(axis, v) / (1 + c), axis);
}

/* Angle from v to w about the unit vector t. */
static double angle_about(vec3 t, vec3 v, vec3 w)
{
    return atan2(vec3_dot(t, vec3_cross(v, w)), vec3_dot(v, w));
}

static vec3 some_normal(vec3 t)
{
    return vec3_normalize(vec3_cross(t, fabs(t.x) < 0.7 ? vec3_make(1, 0, 0) : vec3_make(0, 1, 0)));
}

TEST(change_of_frames)
{
    random_state r = {1};
    for (int trial = 0; trial < 500; trial++) {
        vec3 before[2], e[2], t[2];
        before[0] = vec3_normalize(random_near(&r, vec3_make(0, 0, 0), 1));
        before[1] = vec3_normalize(random_near(&r, before[0], 0.5));
        for (int k = 0; k < 2; k++) {
            e[k] = vec3_scale(random_range(&r, 0.1, 3), random_near(&r, before[k], 0.4));
            t[k] = vec3_normalize(e[k]);
        }
        vec3 first = some_normal(before[0]), second = carry(before[0], before[1], first);
        vec3 now = carry(t[0], t[1], carry(before[0], t[0], first));
        double expected = angle_about(t[1], now, carry(before[1], t[1], second));
        CHECK_NEAR(twist_change(before, e, NULL, NULL), expected, 1e-12);
    }
}

TEST(rotation_about_an_edge)
{
    random_state r = {2};
    for (int trial = 0; trial < 200; trial++) {
        vec3 t = vec3_normalize(random_near(&r, vec3_make(0, 0, 0), 1));
        mat3 turn = rotation_matrix(random_near(&r, vec3_make(0, 0, 0), 1.5));
        vec3 frame = some_normal(t), to = mat3_mul_vec(turn, t);
        double expected = angle_about(to, carry(t, to, frame), mat3_mul_vec(turn, frame));
        CHECK_NEAR(twist_of_rotation(turn, t), expected, 1e-12);
    }
}

TEST(derivatives_of_the_change)
{
    random_state r = {3};
    for (int trial = 0; trial < 50; trial++) {
        vec3 before[2], e[2], g[2];
        mat3 h[3];
        before[0] = vec3_normalize(random_near(&r, vec3_make(0, 0, 0), 1));
        before[1] = vec3_normalize(random_near(&r, before[0], 0.5));
        for (int k = 0; k < 2; k++)
            e[k] = vec3_scale(random_range(&r, 0.5, 2), random_near(&r, before[k], 0.4));
        twist_change(before, e, g, h);
        for (int i = 0; i < 6; i++) {
            double *entry = (double *)e + i, was = *entry, step = 1e-4, value[2];
            vec3 side[2][2];
            for (int k = 0; k < 2; k++) {
                *entry = was + (k ? step : -step);
                value[k] = twist_change(before, e, side[k], NULL);
            }
            *entry = was;
            CHECK_NEAR(((const double *)g)[i], (value[1] - value[0]) / (2 * step), 1e-6);
            for (int j = 0; j < 6; j++) {
                double found = i / 3 == 0 && j / 3 == 0   ? h[0].m[i % 3][j % 3]
                               : i / 3 == 1 && j / 3 == 1 ? h[2].m[i % 3][j % 3]
                               : i / 3 == 0               ? h[1].m[i % 3][j % 3]
                                                          : h[1].m[j % 3][i % 3];
                double by_difference =
                    (((const double *)side[1])[j] - ((const double *)side[0])[j]) / (2 * step);
                CHECK_NEAR(found, by_difference, 1e-5);
            }
        }
    }
}

static rod_definition rod_of(double young, double diameter)
{
    return (rod_definition){.young = young,
                            .poisson = 0.25,
                            .density = 1000,
                            .diameter = diameter,
                            .stretch_scale = 1,
                            .bend_scale = 1,
                            .twist_scale = 1};
}

/* Rods along given nodes; edges of odd number point backwards. */
static model *chain_model(const vec3 *nodes, int count, bool closed, const rod_definition *def)
{
    mesh shape = {0};
    cell_block *edges;
    size_t edge_count = (size_t)(closed ? count : count - 1);
    CHECK_OK(mesh_init(&shape, (size_t)count, &err), err);
    memcpy(shape.vertices, nodes, (size_t)count * sizeof *nodes);
    CHECK_OK(mesh_add_block(&shape, CELL_EDGE, 1, edge_count, false, &edges, &err), err);
    for (size_t i = 0; i < edge_count; i++) {
        edges->nodes[2 * i + i % 2] = (int32_t)i;
        edges->nodes[2 * i + 1 - i % 2] = (int32_t)((i + 1) % (size_t)count);
    }
    model *m = mem_calloc(1, sizeof *m);
    CHECK_OK(model_add_rod(m, "rod", &shape, def, &err), err);
    CHECK_OK(model_finish(m, &err), err);
    mesh_free(&shape);
    return m;
}

/* Angles, moved frames, and edges of both directions. */
TEST(derivatives_of_the_energy)
{
    random_state r = {4};
    for (int trial = 0; trial < 20; trial++) {
        vec3 nodes[4];
        for (int i = 0; i < 4; i++) nodes[i] = random_near(&r, vec3_make(i, 0, 0), 0.2);
        rod_definition def = rod_of(1e3, 0.2);
        model *m = chain_model(nodes, 4, false, &def);
        CHECK(m->codim.twist_rest.count == 2 && m->rest.count == 7);
        CHECK(m->bodies.data[0].block_count == 4 && m->bodies.data[0].angle_count == 3);
        twist_term *t;
        stage_timer timer;
        problem p;
        CHECK_OK(twist_create(m, &t, &err), err);
        timer_start(&timer);
        CHECK_OK(problem_init(&p, model_block_count(m), &timer, &err), err);
        CHECK_OK(problem_add_term(&p, &t->element.base, &err), err);
        CHECK_OK(problem_set_fixed(&p, (uint8_t[21]){0}, &err), err);
        double x[21];
        memcpy(x, m->rest.data, sizeof x);
        for (int i = 0; i < 21; i++) x[i] += random_range(&r, -0.2, 0.2);
        t->psi[0] = random_range(&r, -0.5, 0.5);
        check_gradient(&p, x, 1e-3, 1e-7);
        check_majorant(&p, x, 1e-3, 1e-6);
        problem_free(&p);
        t->element.base.class->destroy(&t->element.base);
        free_model(m);
    }
}

/* However the edges point, the energy of a turned chain is the same. */
TEST(energy_does_not_depend_on_the_frame)
{
    random_state r = {5};
    vec3 nodes[5];
    for (int i = 0; i < 5; i++) nodes[i] = random_near(&r, vec3_make(i, 0, 0), 0.3);
    rod_definition def = rod_of(1e3, 0.2);
    model *m = chain_model(nodes, 5, false, &def);
    twist_term *t;
    CHECK_OK(twist_create(m, &t, &err), err);
    t->psi[1] = 0.4;
    double x[27];
    memcpy(x, m->rest.data, sizeof x);
    term *base = &t->element.base;
    double before = base->class->value(base, &test_evaluation, x);
    CHECK(before > 0);
    for (int step = 0; step < 50; step++) { /* a rigid motion in steps */
        mat3 turn = rotation_matrix(random_near(&r, vec3_make(0, 0, 0), 0.3));
        double spin = 0;
        for (size_t i = 0; i < 5; i++)
            vec3_store(x + 3 * i, mat3_mul_vec(turn, vec3_load(x + 3 * i)));
        for (size_t e = 0; e < 4; e++) { /* the sections turn with it */
            const int32_t *angle = m->codim.angles.data + 3 * e;
            vec3 edge = vec3_sub(vec3_load(x + 3 * angle[2]), vec3_load(x + 3 * angle[1]));
            spin = twist_of_rotation(turn, mat3_tmul_vec(turn, vec3_normalize(edge)));
            x[3 * angle[0]] += spin;
        }
        CHECK_NEAR(base->class->value(base, &test_evaluation, x), before, 1e-9 * before);
        twist_carry(t, x);
        CHECK_NEAR(base->class->value(base, &test_evaluation, x), before, 1e-9 * before);
    }
    base->class->destroy(base);
    free_model(m);
}

static stepper *twisted_bar(integrator kind, double h, double rate)
{
    mesh line;
    rod_definition def = rod_of(1e7, 0.01);
    CHECK_OK(generate_polyline(vec3_make(0, 1, 0), vec3_make(1, 1, 0), 10, &line, &err), err);
    model *m = mem_calloc(1, sizeof *m);
    CHECK_OK(model_add_rod(m, "bar", &line, &def, &err), err);
    CHECK_OK(model_finish(m, &err), err);
    mesh_free(&line);
    stepper_options options = maker_options(kind, h);
    options.tolerance = 1e-9;
    stepper *s = make_stepper(m, &options);
    add_condition(s, vec3_make(-1, 0, -1), vec3_make(0.11, 2, 1), 0, 1e9);
    condition *turning = add_condition(s, vec3_make(0.89, 0, -1), vec3_make(2, 2, 1), 0, 1e9);
    motion about = {
        .until = INFINITY, .angular_velocity = vec3_make(rate, 0, 0), .center = vec3_make(0, 1, 0)};
    CHECK(array_push(&turning->motions, about));
    CHECK_OK(stepper_start(s, NULL, &err), err);
    return s;
}

/* Torsion of a bar between the middles of its clamped edges: G J / L. */
TEST(bar_under_torsion)
{
    const double rate = 0.5;
    stepper *s = twisted_bar(INTEGRATE_QUASI_STATIC, 1, rate);
    step_statistics statistics;
    for (int i = 0; i < 20; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    double shear = 1e7 / (2 * 1.25), polar = PI * pow(0.01, 4) / 32, angle = 20 * rate;
    double expected = 0.5 * shear * polar / 0.9 * angle * angle;
    CHECK_NEAR(statistics.elastic, expected, 1e-9 * expected);
    const codim_elements *c = &s->model->codim;
    for (size_t e = 0; e < 10; e++)
        CHECK_NEAR(s->state.x[3 * c->angles.data[3 * e]], angle * (double)e / 9, 1e-9 * angle);
    stepper_destroy(s);
}

/* Torsional waves carry the energy of the turning end; momenta of angles are none of nodes. */
TEST(inertia_of_sections)
{
    stepper *s = twisted_bar(INTEGRATE_IMPLICIT_EULER, 1e-4, 100);
    step_statistics statistics;
    for (int i = 0; i < 5; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    CHECK(statistics.kinetic > 0 && statistics.elastic > 0);
    CHECK_NEAR(vec3_norm(statistics.linear_momentum), 0, 1e-12);
    double last = s->state.x[3 * s->model->codim.angles.data[27]];
    CHECK_NEAR(last, 5 * 1e-4 * 100, 1e-12);
    stepper_destroy(s);
}

enum { RING = 40 };

static double height(const stepper *s)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < RING; i++) {
        low = fmin(low, s->state.x[3 * i + 1]);
        high = fmax(high, s->state.x[3 * i + 1]);
    }
    return high - low;
}

/* Whether a closed ring with some twist that is a little out of its plane leaves it altogether. */
static bool ring_buckles(double twist)
{
    const double radius = 0.1, disturbance = 1e-4;
    rod_definition def = rod_of(1e7, 0.004);
    vec3 nodes[RING];
    for (int i = 0; i < RING; i++) {
        double at = 2 * PI * i / RING;
        nodes[i] = vec3_make(radius * cos(at), disturbance * cos(2 * at), radius * sin(at));
    }
    model *m = chain_model(nodes, RING, true, &def);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.02);
    options.tolerance = 1e-5;
    stepper *s = make_stepper(m, &options);
    CHECK(m->codim.twist_rest.count == RING);
    twist_term *term_of_twist = (twist_term *)stepper_find_term(s, "rod bending and twist");
    for (int i = 0; i < RING; i++) term_of_twist->psi[i] = twist / RING;
    CHECK_OK(stepper_start(s, NULL, &err), err);
    step_statistics statistics;
    for (int i = 0; i < 150 && height(s) < 20 * disturbance; i++)
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
    bool buckled = height(s) >= 20 * disturbance;
    CHECK(buckled || height(s) < 2.5 * disturbance);
    stepper_destroy(s);
    return buckled;
}

/* Michell (1889): a ring of a rod that is straight at rest leaves its plane when its twist exceeds
 * 2 pi sqrt(3) E I / (G J) = 2 pi sqrt(3) (1 + nu). */
TEST(ring_of_michell)
{
    double critical = 2 * PI * sqrt(3) * 1.25;
    CHECK(!ring_buckles(0.95 * critical));
    CHECK(ring_buckles(1.05 * critical));
}

TEST(saved_states)
{
    enum { MOST = 40 };
    double end[2][63];
    static double kept[MOST][400];
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        stepper *s = twisted_bar(INTEGRATE_IMPLICIT_EULER, 0.02, 30);
        s->options.gravity = vec3_make(0, -9.81, 0); /* sags: frames turn */
        state_array arrays[MOST];
        step_statistics statistics;
        for (int i = 0; i < 10; i++) {
            if (pass == 0 || i >= 5) CHECK_OK(stepper_advance(s, &statistics, &err), err);
            if (i != 4) continue;
            count = stepper_state(s, arrays, MOST);
            bool twist = false;
            for (size_t k = 0; k < count; k++) {
                void *data = arrays[k].doubles ? (void *)arrays[k].doubles : arrays[k].ints;
                size_t bytes = arrays[k].count * (arrays[k].doubles ? sizeof(double) : 4);
                CHECK(bytes <= sizeof kept[k]);
                twist = twist || strcmp(arrays[k].name, "twist") == 0;
                if (pass == 0)
                    memcpy(kept[k], data, bytes);
                else
                    memcpy(data, kept[k], bytes);
            }
            CHECK(twist);
            if (pass == 1) CHECK_OK(stepper_restore(s, 5, &err), err);
        }
        memcpy(end[pass], s->state.x, sizeof end[pass]);
        stepper_destroy(s);
    }
    CHECK(memcmp(end[0], end[1], sizeof end[0]) == 0);
}

int main(void)
{
    RUN(change_of_frames);
    RUN(rotation_about_an_edge);
    RUN(derivatives_of_the_change);
    RUN(derivatives_of_the_energy);
    RUN(energy_does_not_depend_on_the_frame);
    RUN(bar_under_torsion);
    RUN(inertia_of_sections);
    RUN(ring_of_michell);
    RUN(saved_states);
    return TEST_END();
}
