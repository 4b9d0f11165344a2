/* Time steps against closed forms of the schemes, conservation laws, prescribed motion, orders of
 * convergence in the time step, and the promise that no element is ever inverted. */
#include "base/random.h"
#include "step/stepper_internal.h"
#include "support/scene_makers.h"
#include "test.h"

static abut_error err;

static const integrator dynamic[] = {INTEGRATE_IMPLICIT_EULER, INTEGRATE_NEWMARK, INTEGRATE_BDF2};

static void start(stepper *s, const double *velocity)
{
    CHECK_OK(stepper_start(s, velocity, &err), err);
}

static step_statistics advance(stepper *s)
{
    step_statistics statistics = {0};
    CHECK_OK(stepper_advance(s, &statistics, &err), err);
    return statistics;
}

static double *velocities(const stepper *s) { return mem_calloc(s->state.scalars, sizeof(double)); }

/* ---------------------------------------------------------------------------------------------- */

/* x_n of a body with velocity v0 under constant acceleration g, as the scheme itself gives it. */
static double fall(integrator kind, double v0, double g, double h, int n)
{
    double t = n * h, exact = v0 * t + 0.5 * g * t * t;
    switch (kind) {
    case INTEGRATE_IMPLICIT_EULER: return v0 * t + g * h * h * n * (n + 1) / 2;
    case INTEGRATE_NEWMARK: return exact;
    /* The first step is implicit Euler's; its error e_1 = h^2 g / 2 follows
     * 3 e_(n+1) - 4 e_n + e_(n-1) = 0. */
    case INTEGRATE_BDF2: return exact + 0.75 * h * h * g * (1 - pow(3, -n));
    default: break;
    }
    return 0;
}

TEST(free_fall)
{
    const double h = 0.02;
    for (int k = 0; k < 3; k++)
        for (int consistent = 0; consistent < 2; consistent++) {
            model *m = make_box_model((vec3){0.4, 0.2, 0.3}, 2, 1, 1, ELASTIC_NEO_HOOKEAN);
            m->bodies.data[0].consistent_mass = consistent;
            stepper_options options = maker_options(dynamic[k], h);
            options.gravity = (vec3){0.5, -9.81, 0};
            stepper *s = make_stepper(m, &options);
            double *v = velocities(s);
            for (size_t i = 0; i < m->rest.count; i++) vec3_store(v + 3 * i, (vec3){1, 2, -0.5});
            start(s, v);
            for (int n = 1; n <= 20; n++) {
                step_statistics now = advance(s);
                for (size_t i = 0; i < m->rest.count; i++) {
                    vec3 moved = vec3_sub(vec3_load(s->state.x + 3 * i), m->rest.data[i]);
                    CHECK_NEAR(moved.x, fall(dynamic[k], 1, 0.5, h, n), 1e-10);
                    CHECK_NEAR(moved.y, fall(dynamic[k], 2, -9.81, h, n), 1e-10);
                    CHECK_NEAR(moved.z, fall(dynamic[k], -0.5, 0, h, n), 1e-10);
                    CHECK_NEAR(s->state.v[3 * i + 1], 2 - 9.81 * h * n, 1e-8);
                }
                CHECK(now.elastic < 1e-12);
                CHECK_NEAR(s->time, n * h, 1e-12);
            }
            mem_free(v);
            stepper_destroy(s);
        }
}

/* A load acts during the steps that begin in its time window, also where the times of steps are not
 * exact: 3 x 0.7 is a little less than 2.1. */
TEST(loads)
{
    static const double steps[] = {0.1, 0.7};
    for (int k = 0; k < 2; k++) {
        double h = steps[k];
        model *m = make_box_model((vec3){1, 1, 1}, 1, 1, 1, ELASTIC_NEO_HOOKEAN);
        stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, h);
        stepper *s = make_stepper(m, &options);
        load push = {.from = k ? 2.1 : 0.3, .until = k ? 4.2 : 0.6, .acceleration = {3, 0, 0}};
        CHECK(array_push(&s->loads.nodes, push));
        for (int32_t i = 0; i < 8; i++) CHECK(array_push(&s->loads.nodes.data[0].nodes, i));
        start(s, NULL);
        for (int n = 1; n <= 8; n++) {
            step_statistics now = advance(s);
            double pushed = fmin(3, fmax(0, n - 3)) * h; /* seconds */
            CHECK_NEAR(now.linear_momentum.x, MAKER_DENSITY * 3 * pushed, 1e-6);
        }
        stepper_destroy(s);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Energy and momentum                                                                            */

/* A free bar that breathes along x, with damping. */
static stepper *damped_bar(elastic_model elastic, integrator kind, double h, double speed,
                           double damping)
{
    model *m = make_box_model((vec3){1, 0.25, 0.25}, 4, 1, 1, elastic);
    m->bodies.data[0].damping = damping;
    stepper_options options = maker_options(kind, h);
    stepper *s = make_stepper(m, &options);
    double *v = velocities(s);
    for (size_t i = 0; i < m->rest.count; i++)
        v[3 * i] = speed * sin(3.14159265358979 * m->rest.data[i].x);
    start(s, v);
    mem_free(v);
    return s;
}

static stepper *breathing_bar(elastic_model elastic, integrator kind, double h, double speed)
{
    return damped_bar(elastic, kind, h, speed, 0);
}

/* Sum of kinetic and elastic energy after each of the steps: the first, least and last. */
typedef struct energy_record {
    double first, least, most, last;
} energy_record;

static energy_record record_energy(stepper *s, int steps)
{
    step_statistics now = {0};
    stepper_measure(s, &now);
    double e = now.kinetic + now.elastic;
    energy_record r = {e, e, e, e};
    for (int n = 0; n < steps; n++) {
        now = advance(s);
        e = now.kinetic + now.elastic;
        r.least = fmin(r.least, e);
        r.most = fmax(r.most, e);
        r.last = e;
    }
    return r;
}

TEST(newmark_keeps_energy)
{
    /* Exactly, where the energy is quadratic. */
    stepper *s = breathing_bar(ELASTIC_LINEAR, INTEGRATE_NEWMARK, 0.01, 0.5);
    energy_record r = record_energy(s, 100);
    CHECK(r.most - r.least < 1e-8 * r.first);
    stepper_destroy(s);
    /* Up to oscillations of second order elsewhere. */
    double swing[2];
    for (int k = 0; k < 2; k++) {
        s = breathing_bar(ELASTIC_NEO_HOOKEAN, INTEGRATE_NEWMARK, k ? 0.0025 : 0.005, 0.5);
        r = record_energy(s, k ? 200 : 100);
        swing[k] = (r.most - r.least) / r.first;
        stepper_destroy(s);
    }
    CHECK(swing[0] < 0.02);
    CHECK(swing[1] < 0.4 * swing[0]);
}

/* The others lose energy: implicit Euler in proportion to the step, BDF2 much less. */
TEST(dissipation)
{
    double lost[2][3];
    static const integrator kinds[] = {INTEGRATE_IMPLICIT_EULER, INTEGRATE_BDF2};
    for (int k = 0; k < 2; k++)
        for (int level = 0; level < 3; level++) {
            int steps = 100 << level;
            stepper *s = breathing_bar(ELASTIC_LINEAR, kinds[k], 0.2 / steps, 0.1);
            energy_record r = record_energy(s, steps);
            CHECK(r.most <= r.first * (1 + 1e-9));
            lost[k][level] = 1 - r.last / r.first;
            stepper_destroy(s);
        }
    CHECK(lost[0][2] > 0.005 && lost[0][0] < 0.5);
    CHECK(lost[0][0] / lost[0][1] > 1.6 && lost[0][0] / lost[0][1] < 2.2);
    CHECK(lost[0][1] / lost[0][2] > 1.7 && lost[0][1] / lost[0][2] < 2.2);
    CHECK(lost[1][0] < 0.2 * lost[0][0]);
    CHECK(lost[1][1] / lost[1][2] > 4); /* at least second order */
}

/* Rayleigh damping takes energy out of Newmark's bar, the more the stronger it is, and leaves the
 * linear momentum alone. */
TEST(damping)
{
    double left[3];
    for (int k = 0; k < 3; k++) {
        stepper *s = damped_bar(ELASTIC_LINEAR, INTEGRATE_NEWMARK, 0.002, 0.1, 0.002 * k);
        energy_record r = record_energy(s, 100);
        left[k] = r.last / r.first;
        CHECK(r.most <= r.first * (1 + 1e-9));
        step_statistics now = {0};
        stepper_measure(s, &now);
        CHECK(vec3_norm(now.linear_momentum) < 1e-8);
        stepper_destroy(s);
    }
    CHECK_NEAR(left[0], 1, 1e-8);
    CHECK(left[1] < 0.9 && left[2] < 0.9 * left[1]);
}

TEST(momentum)
{
    double drift[3][2];
    for (int k = 0; k < 3; k++)
        for (int level = 0; level < 2; level++) {
            random_state r = {7};
            int steps = 40 << level;
            model *m = make_box_model((vec3){0.6, 0.2, 0.3}, 3, 1, 1, ELASTIC_NEO_HOOKEAN);
            stepper_options options = maker_options(dynamic[k], 0.2 / steps);
            stepper *s = make_stepper(m, &options);
            double *v = velocities(s);
            for (size_t i = 0; i < m->rest.count; i++) {
                vec3 spin = vec3_cross((vec3){1, 2, 4}, m->rest.data[i]);
                vec3 noise = {random_range(&r, -0.2, 0.2), random_range(&r, -0.2, 0.2), 0.3};
                vec3_store(v + 3 * i, vec3_add(spin, noise));
            }
            start(s, v);
            step_statistics first = {0}, last = {0};
            stepper_measure(s, &first);
            for (int n = 0; n < steps; n++) {
                last = advance(s);
                vec3 change = vec3_sub(last.linear_momentum, first.linear_momentum);
                CHECK(vec3_norm(change) < 1e-6 * vec3_norm(first.linear_momentum));
            }
            drift[k][level] = vec3_norm(vec3_sub(last.angular_momentum, first.angular_momentum)) /
                              vec3_norm(first.angular_momentum);
            mem_free(v);
            stepper_destroy(s);
        }
    CHECK(drift[0][0] / drift[0][1] > 1.6); /* implicit Euler: first order */
    CHECK(drift[1][0] / drift[1][1] > 3);   /* Newmark: second */
    CHECK(drift[2][0] / drift[2][1] > 2.5); /* BDF2: second, from a first-order start */
    CHECK(drift[1][1] < 0.01 && drift[2][1] < 0.01);
}

/* ---------------------------------------------------------------------------------------------- */
/* Order in the time step                                                                         */

static void final_positions(integrator kind, int steps, double *x)
{
    stepper *s = breathing_bar(ELASTIC_NEO_HOOKEAN, kind, 0.1 / steps, 0.5);
    for (int n = 0; n < steps; n++) advance(s);
    memcpy(x, s->state.x, s->state.scalars * sizeof *x);
    stepper_destroy(s);
}

TEST(order_in_time)
{
    enum { SCALARS = 3 * 5 * 2 * 2 };
    double reference[SCALARS], x[SCALARS], error[3][2];
    final_positions(INTEGRATE_NEWMARK, 1600, reference);
    for (int k = 0; k < 3; k++)
        for (int level = 0; level < 2; level++) {
            final_positions(dynamic[k], 100 << level, x);
            error[k][level] = 0;
            for (int i = 0; i < SCALARS; i++)
                error[k][level] = fmax(error[k][level], fabs(x[i] - reference[i]));
        }
    CHECK(error[0][0] / error[0][1] > 1.7 && error[0][0] / error[0][1] < 2.3);
    CHECK(error[1][0] / error[1][1] > 3.4 && error[1][0] / error[1][1] < 4.6);
    CHECK(error[2][0] / error[2][1] > 3.2 && error[2][0] / error[2][1] < 4.8);
    CHECK(error[1][1] < 0.1 * error[0][1] && error[2][1] < 0.2 * error[0][1]);
}

/* ---------------------------------------------------------------------------------------------- */
/* Prescribed motion                                                                              */

static void add_motion(condition *c, motion m) { CHECK(array_push(&c->motions, m)); }

/* The end at x = +0.5 is moved and turned; a window of its motion ends; then it is released. */
TEST(prescribed_motion)
{
    model *m = make_box_model((vec3){1, 0.2, 0.2}, 4, 1, 1, ELASTIC_NEO_HOOKEAN);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.02);
    stepper *s = make_stepper(m, &options);
    add_condition(s, (vec3){-0.51, -1, -1}, (vec3){-0.49, 1, 1}, 0, INFINITY);
    condition *c = add_condition(s, (vec3){0.49, -1, -1}, (vec3){0.51, 1, 1}, 0.1, 0.5);
    const double turn = 1.5; /* rad/s about x, from 0.1 to 0.3 s */
    add_motion(
        c, (motion){
               .from = 0.1, .until = 0.3, .angular_velocity = {turn, 0, 0}, .center = {0.5, 0, 0}});
    add_motion(c, (motion){.from = 0.2, .until = 0.4, .velocity = {0.3, 0, 0.1}});
    CHECK(c->nodes.count == 4);
    start(s, NULL);
    double release[12] = {0};
    for (int n = 1; n <= 40; n++) {
        advance(s);
        double t = s->time, angle = turn * fmax(0, fmin(t, 0.3) - 0.1);
        double along = fmax(0, fmin(t, 0.4) - 0.2);
        for (size_t i = 0; i < m->rest.count; i++) { /* the clamp at the other end */
            if (m->rest.data[i].x > -0.49) continue;
            CHECK(memcmp(s->state.x + 3 * i, &m->rest.data[i], sizeof(vec3)) == 0);
        }
        for (size_t i = 0; i < 4; i++) {
            size_t node = (size_t)s->dirichlet.conditions.data[1].nodes.data[i];
            vec3 p = m->rest.data[node], x = vec3_load(s->state.x + 3 * node);
            vec3 expected = {p.x + 0.3 * along, cos(angle) * p.y - sin(angle) * p.z,
                             sin(angle) * p.y + cos(angle) * p.z + 0.1 * along};
            if (t < 0.5 + 1e-9) {
                CHECK(vec3_norm(vec3_sub(x, expected)) < 1e-12);
                vec3_store(release + 3 * i, x);
            } else {
                CHECK(vec3_norm(vec3_sub(x, vec3_load(release + 3 * i))) >
                      1e-4); /* it springs back */
            }
        }
    }
    CHECK_NEAR(s->time, 0.8, 1e-12);
    stepper_destroy(s);
}

/* Motions are applied one after the other, and the centre of a rotation rides on those before it.
 */
TEST(chain_of_motions)
{
    model *m = make_box_model((vec3){0.2, 0.2, 0.2}, 1, 1, 1, ELASTIC_NEO_HOOKEAN);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.1);
    stepper *s = make_stepper(m, &options);
    condition *c = add_condition(s, (vec3){-1, -1, -1}, (vec3){1, 1, 1}, 0, INFINITY);
    vec3 center = {0.3, 0, 0.1};
    add_motion(c, (motion){.until = INFINITY, .velocity = {1, 0.5, 0}});
    add_motion(c, (motion){.until = INFINITY, .angular_velocity = {0, 2, 0}, .center = center});
    start(s, NULL);
    for (int n = 1; n <= 5; n++) advance(s);
    for (size_t i = 0; i < m->rest.count; i++) {
        vec3 arm = vec3_sub(m->rest.data[i], center); /* turned by 1 rad about y, moved by 0.5 s */
        vec3 expected = {center.x + cos(1) * arm.x + sin(1) * arm.z + 0.5, arm.y + 0.25,
                         center.z - sin(1) * arm.x + cos(1) * arm.z};
        CHECK(vec3_norm(vec3_sub(vec3_load(s->state.x + 3 * i), expected)) < 1e-12);
    }
    stepper_destroy(s);
}

/* A later condition starts from where its nodes are then, not from the rest shape. */
TEST(condition_starts_in_motion)
{
    model *m = make_box_model((vec3){0.2, 0.2, 0.2}, 1, 1, 1, ELASTIC_NEO_HOOKEAN);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.1);
    stepper *s = make_stepper(m, &options);
    condition *c = add_condition(s, (vec3){-1, -1, -1}, (vec3){1, 1, 1}, 0.3, INFINITY);
    add_motion(c, (motion){.from = 0.3, .until = INFINITY, .velocity = {0, 1, 0}});
    double *v = velocities(s);
    for (size_t i = 0; i < m->rest.count; i++) v[3 * i] = 2;
    start(s, v);
    for (int n = 1; n <= 6; n++) advance(s);
    for (size_t i = 0; i < m->rest.count; i++) {
        CHECK_NEAR(s->state.x[3 * i] - m->rest.data[i].x, 0.6, 1e-9);
        CHECK_NEAR(s->state.x[3 * i + 1] - m->rest.data[i].y, 0.3, 1e-9);
    }
    mem_free(v);
    stepper_destroy(s);
}

/* Only the y component is fixed: the body slides along x and z. */
TEST(single_axis)
{
    model *m = make_box_model((vec3){0.2, 0.2, 0.2}, 1, 1, 1, ELASTIC_NEO_HOOKEAN);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.05);
    options.gravity = (vec3){1, -10, 0};
    stepper *s = make_stepper(m, &options);
    add_condition(s, (vec3){-1, -1, -1}, (vec3){1, 1, 1}, 0, INFINITY)->axes = 2;
    start(s, NULL);
    for (int n = 1; n <= 10; n++) advance(s);
    for (size_t i = 0; i < m->rest.count; i++) {
        CHECK(s->state.x[3 * i + 1] == m->rest.data[i].y);
        CHECK_NEAR(s->state.x[3 * i] - m->rest.data[i].x,
                   fall(INTEGRATE_IMPLICIT_EULER, 0, 1, 0.05, 10), 1e-9);
    }
    stepper_destroy(s);
}

/* ---------------------------------------------------------------------------------------------- */
/* Equilibrium                                                                                    */

TEST(quasi_static)
{
    static const elastic_model models[] = {ELASTIC_NEO_HOOKEAN, ELASTIC_FIXED_COROTATED,
                                           ELASTIC_LINEAR};
    for (int k = 0; k < 3; k++) {
        model *m = make_box_model((vec3){1, 0.2, 0.2}, 6, 2, 2, models[k]);
        stepper_options options = maker_options(INTEGRATE_QUASI_STATIC, 1);
        options.gravity = (vec3){0, -2, 0};
        options.tolerance = 1e-10;
        stepper *s = make_stepper(m, &options);
        add_condition(s, (vec3){-0.51, -1, -1}, (vec3){-0.49, 1, 1}, 0, INFINITY);
        start(s, NULL);
        advance(s);
        /* Elastic forces and weight balance at every free node. */
        double *g = velocities(s), largest = 0;
        evaluation ev = evaluation_unit();
        term_add_gradient(&s->elastic->base, &ev, s->state.x, g);
        for (size_t i = 0; i < m->rest.count; i++) {
            if (m->rest.data[i].x < -0.49) continue;
            vec3 force =
                vec3_sub(vec3_scale(m->mass.data[i], options.gravity), vec3_load(g + 3 * i));
            largest = fmax(largest, vec3_max_abs(force));
        }
        CHECK(largest < 1e-6 * 2 * MAKER_DENSITY * 0.04);
        CHECK(s->state.x[3 * (m->rest.count - 1) + 1] < m->rest.data[m->rest.count - 1].y - 0.01);
        CHECK(s->state.v[3 * (m->rest.count - 1) + 1] == 0);
        /* A second step stays there. */
        step_statistics again = advance(s);
        CHECK(again.newton_iterations <= 1);
        mem_free(g);
        stepper_destroy(s);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Robustness                                                                                     */

/* Thrown about, squashed to a fifth and twisted with large steps: no volume ever becomes 0. */
TEST(never_inverted)
{
    for (int which = 0; which < 3; which++) {
        random_state r = {(uint64_t)which};
        model *m = make_box_model((vec3){1, 0.3, 0.3}, 5, 2, 2, ELASTIC_NEO_HOOKEAN);
        stepper_options options = maker_options(dynamic[which], 0.05);
        options.tolerance = 1e-4;
        options.max_iterations = 2000;
        stepper *s = make_stepper(m, &options);
        add_condition(s, (vec3){-0.51, -1, -1}, (vec3){-0.49, 1, 1}, 0, INFINITY);
        condition *c = add_condition(s, (vec3){0.49, -1, -1}, (vec3){0.51, 1, 1}, 0, INFINITY);
        add_motion(c, (motion){.from = 0,
                               .until = 0.4,
                               .velocity = {-2, 0, 0},
                               .angular_velocity = {6, 0, 0},
                               .center = {0.5, 0, 0}});
        double *v = velocities(s);
        for (size_t i = 0; i < s->state.scalars; i++) v[i] = random_range(&r, -20, 20);
        start(s, v);
        for (int n = 0; n < 16; n++) {
            step_statistics now = advance(s);
            double volume = smallest_volume(m, s->state.x);
            CHECK(volume > 0);
            CHECK(now.min_volume_ratio > 0);
        }
        mem_free(v);
        stepper_destroy(s);
    }
}

/* A light, tiny bar, pressed to half its length within a step: its elements would be inverted if
 * the end were simply put there, and they push back harder than springs by mass usually pull. It
 * arrives nevertheless. */
TEST(dirichlet_nodes_against_stiffness)
{
    model *m = make_box_model((vec3){1e-3, 2e-4, 2e-4}, 4, 1, 1, ELASTIC_NEO_HOOKEAN);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.02);
    options.max_iterations = 2000;
    stepper *s = make_stepper(m, &options);
    add_condition(s, (vec3){-0.51e-3, -1, -1}, (vec3){-0.49e-3, 1, 1}, 0, INFINITY);
    condition *c = add_condition(s, (vec3){0.49e-3, -1, -1}, (vec3){0.51e-3, 1, 1}, 0, INFINITY);
    add_motion(c, (motion){.from = 0, .until = 0.02, .velocity = {-0.025, 0, 0}});
    start(s, NULL);
    CHECK(advance(s).newton_iterations < 200);
    for (size_t i = 0; i < 4; i++)
        CHECK_NEAR(s->state.x[3 * (size_t)s->dirichlet.conditions.data[1].nodes.data[i]], 0, 1e-12);
    CHECK(smallest_volume(m, s->state.x) > 0);
    stepper_destroy(s);
}

/* A bar in flight, whose end is prescribed to fly on with it by more than an element per step: put
 * there alone, it would turn elements inside out, but the others come along. */
TEST(carried_along)
{
    model *m = make_box_model((vec3){1, 0.2, 0.2}, 4, 1, 1, ELASTIC_NEO_HOOKEAN);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.02);
    options.max_iterations = 2000;
    stepper *s = make_stepper(m, &options);
    condition *c = add_condition(s, (vec3){0.49, -1, -1}, (vec3){0.51, 1, 1}, 0, INFINITY);
    add_motion(c, (motion){.from = 0, .until = INFINITY, .velocity = {-20, 0, 0}});
    double *v = velocities(s);
    for (size_t i = 0; i < s->state.scalars; i += 3) v[i] = -20;
    start(s, v);
    for (int n = 1; n < 6; n++) {
        CHECK(advance(s).newton_iterations <= 2);
        for (size_t i = 0; i < 4; i++)
            CHECK_NEAR(s->state.x[3 * (size_t)s->dirichlet.conditions.data[0].nodes.data[i]],
                       0.5 - 0.4 * n, 1e-12);
    }
    mem_free(v);
    stepper_destroy(s);
}

/* The tolerance is a velocity: directions are compared with it after division by h. Without time it
 * is a length. */
TEST(tolerance_is_a_velocity)
{
    static const integrator kinds[] = {INTEGRATE_IMPLICIT_EULER, INTEGRATE_NEWMARK, INTEGRATE_BDF2};
    for (int k = 0; k < 4; k++)
        for (double h = 0.001; h < 0.2; h *= 10) {
            stepper_options options = maker_options(k < 3 ? kinds[k] : INTEGRATE_QUASI_STATIC, h);
            options.tolerance = 1e-3;
            stepper *s = make_stepper(make_box_model((vec3){1, 1, 1}, 1, 1, 1, ELASTIC_NEO_HOOKEAN),
                                      &options);
            CHECK(stepper_convergence_length(s) == (k < 3 ? 1e-3 * h : 1e-3));
            stepper_destroy(s);
        }
}

/* A step that fails leaves everything as it was, and the next attempt can succeed. */
TEST(failed_step)
{
    stepper *s = breathing_bar(ELASTIC_NEO_HOOKEAN, INTEGRATE_BDF2, 0.02, 2);
    advance(s);
    size_t bytes = s->state.scalars * sizeof(double);
    double *copy = mem_alloc(5, bytes);
    const double *arrays[] = {s->state.x, s->state.v, s->state.a, s->state.x_old, s->state.v_old};
    for (size_t k = 0; k < 5; k++) memcpy((char *)copy + k * bytes, arrays[k], bytes);
    double time = s->time;
    s->options.max_iterations = 1;
    step_statistics statistics;
    CHECK(stepper_advance(s, &statistics, &err) == ABUT_ERROR_NOT_CONVERGED);
    CHECK(strstr(err.message, "1 Newton iteration") != NULL);
    for (size_t k = 0; k < 5; k++) CHECK(memcmp((char *)copy + k * bytes, arrays[k], bytes) == 0);
    CHECK(s->time == time && s->state.steps == 1);
    s->options.max_iterations = 100;
    advance(s);
    CHECK(s->state.steps == 2);
    mem_free(copy);
    stepper_destroy(s);
}

int main(void)
{
    RUN(free_fall);
    RUN(loads);
    RUN(newmark_keeps_energy);
    RUN(dissipation);
    RUN(damping);
    RUN(momentum);
    RUN(order_in_time);
    RUN(prescribed_motion);
    RUN(chain_of_motions);
    RUN(condition_starts_in_motion);
    RUN(single_axis);
    RUN(quasi_static);
    RUN(never_inverted);
    RUN(dirichlet_nodes_against_stiffness);
    RUN(carried_along);
    RUN(tolerance_is_a_velocity);
    RUN(failed_step);
    return TEST_END();
}
