/* Contact and friction against mechanics: what slides, what stands, what is conserved. Scenes are
 * those of examples/contact; every state is looked at by the independent checker, too. */
#include "sim/sim.h"
#include "support/scene_makers.h"
#include "support/scene_text.h"
#include "test.h"
#include "verify/verify_positions.h"

#include <unistd.h>

static abut_error err;

static abut_sim *load_example(const char *scene, const char *const *overrides)
{
    abut_sim_options options = abut_default_sim_options();
    options.overrides = overrides;
    while (overrides[options.override_count]) options.override_count++;
    abut_sim *sim = NULL;
    char path[256];
    snprintf(path, sizeof path, "examples/contact/%s/scene.json", scene);
    CHECK_OK(abut_sim_load(path, &options, &sim, &err), err);
    if (!sim) exit(EXIT_FAILURE);
    return sim;
}

static void check_state(const abut_sim *sim)
{
    verify_result found;
    CHECK_OK(verify_positions(sim->scene, sim->stepper->model, sim->stepper->state.x, &found, &err),
             err);
    CHECK(found.intersections == 0 && found.inverted == 0);
    CHECK(found.behind_planes == 0 && found.inside == 0);
    CHECK(found.min_distance > 0);
}

static void advance(abut_sim *sim)
{
    CHECK_OK(abut_sim_step(sim, &err), err);
    check_state(sim);
}

/* Mass-weighted mean of positions or velocities. */
static vec3 mean(const abut_sim *sim, const double *values)
{
    const model *m = sim->stepper->model;
    vec3 sum = {0};
    double mass = 0;
    for (size_t i = 0; i < m->mass.count; i++) {
        sum = vec3_mul_add(sum, m->mass.data[i], vec3_load(values + 3 * i));
        mass += m->mass.data[i];
    }
    return vec3_scale(1 / mass, sum);
}

/* ---------------------------------------------------------------------------------------------- */
/* Friction                                                                                       */

static const vec3 downhill = {0.89442719099991588, -0.44721359549995794, 0};

/* A block that lies still on the slope: it settles where friction is strong, then stops. */
static abut_sim *settled_block(const char *friction)
{
    const char *strong[] = {"contact.friction=1", "solver.tolerance=\"1e-6 l\"", NULL};
    const char *wanted[] = {friction, "solver.tolerance=\"1e-6 l\"", NULL};
    abut_sim *settling = load_example("slope", strong), *block = load_example("slope", wanted);
    for (int i = 0; i < 60; i++) {
        advance(settling);
        size_t n = 3 * abut_sim_node_count(settling);
        if (i == 39) memset(abut_sim_velocities(settling), 0, n * sizeof(double));
    }
    size_t bytes = 3 * abut_sim_node_count(block) * sizeof(double);
    memcpy(abut_sim_positions(block), abut_sim_positions(settling), bytes);
    memset(abut_sim_velocities(block), 0, bytes);
    abut_sim_destroy(settling);
    return block;
}

/* mu = 0.5 is the tangent of the slope: the block creeps with the speed of static friction, eps_v,
 * and no faster. */
TEST(block_sticks)
{
    abut_sim *block = settled_block("contact.friction=0.5");
    double eps_v = block->stepper->options.eps_v;
    vec3 start = mean(block, abut_sim_positions(block));
    for (int i = 0; i < 80; i++) {
        advance(block);
        CHECK(vec3_dot(downhill, mean(block, abut_sim_velocities(block))) < 1.5 * eps_v);
    }
    vec3 displacement = vec3_sub(mean(block, abut_sim_positions(block)), start);
    CHECK(fabs(vec3_dot(downhill, displacement)) < 1.5 * eps_v * abut_sim_time(block));
    CHECK(vec3_norm(displacement) < 1e-4);
    abut_sim_destroy(block);
}

/* a = g (sin - mu cos). */
TEST(block_slides)
{
    abut_sim *block = settled_block("contact.friction=0.49");
    double expected = 9.81 * (0.5 - 0.49) / sqrt(1.25), t0 = 0, v0 = 0;
    CHECK_NEAR(expected, 0.0877, 1e-4);
    for (int i = 0; i < 80; i++) {
        advance(block);
        if (i != 19) continue;
        t0 = abut_sim_time(block);
        v0 = vec3_dot(downhill, mean(block, abut_sim_velocities(block)));
    }
    double v1 = vec3_dot(downhill, mean(block, abut_sim_velocities(block)));
    CHECK_NEAR((v1 - v0) / (abut_sim_time(block) - t0), expected, 0.02 * expected);
    abut_sim_destroy(block);
}

/* Two blocks on a ramp; only the table of pairs gives friction. One holds, the other slides as if
 * on ice, and the pairs may name the bodies in any order. */
TEST(friction_of_pairs)
{
    static const char text[] =
        "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 20}, \"contact\": {\"dhat\": 1e-3, "
        "\"friction_pairs\": [{\"first\": \"ramp\", \"second\": \"rough\", \"coefficient\": 1}, "
        "{\"first\": \"smooth\", \"second\": \"ramp\", \"coefficient\": 0}]}, \"solver\": "
        "{\"tolerance\": 1e-6}, \"materials\": {\"stiff\": {\"young\": 1e7, \"poisson\": 0.3}}, "
        "\"bodies\": [{\"name\": \"smooth\", \"material\": \"stiff\", \"mesh\": {\"box\": "
        "{\"size\": "
        "[0.2, 0.2, 0.2], \"cells\": [1, 1, 1]}}, \"rotate\": [0, 0, -26.56505117707799], "
        "\"translate\": [0.045079130, 0.090158261, -0.3]}, {\"name\": \"rough\", \"material\": "
        "\"stiff\", \"mesh\": {\"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": [1, 1, 1]}}, "
        "\"rotate\": [0, 0, -26.56505117707799], \"translate\": [0.045079130, 0.090158261, 0.3]}, "
        "{\"name\": \"ramp\", \"type\": \"obstacle\", \"friction\": 0.3, \"mesh\": {\"grid\": "
        "{\"size\": [4, 2], \"cells\": [1, 1]}}, \"rotate\": [0, 0, -26.56505117707799]}]}";
    char path[] = "/tmp/abut-pairs-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)(sizeof text - 1));
    close(file);
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_load(path, NULL, &sim, &err), err);
    unlink(path);
    if (!sim) return;
    for (int i = 0; i < 20; i++) advance(sim);
    const model *m = sim->stepper->model;
    double displacement[2] = {0};
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 8; i++) {
            size_t node = (size_t)(m->bodies.data[b].first_block + i);
            vec3 moved = vec3_sub(vec3_load(sim->stepper->state.x + 3 * node), m->rest.data[node]);
            displacement[b] += vec3_dot(downhill, moved) / 8;
        }
    CHECK_NEAR(displacement[0], 9.81 * 0.44721359549995794 * 1e-4 * 210,
               1e-4); /* h^2 n (n + 1) / 2 */
    CHECK(fabs(displacement[1]) < 2e-3);
    abut_sim_destroy(sim);
}

/* A pair that names a body which is split holds for every piece of it; so it does in the scene that
 * was written out, which has the pieces. */
TEST(friction_of_pieces)
{
    static const char text[] =
        "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"contact\": {\"friction\": 0.1, "
        "\"friction_pairs\": [{\"first\": \"row\", \"second\": \"floor\", \"coefficient\": 0.7}, "
        "{\"first\": \"row\", \"second\": \"row\", \"coefficient\": 0.2}]}, \"bodies\": "
        "[{\"name\": "
        "\"off\", \"enabled\": false, \"type\": \"obstacle\", \"mesh\": {\"sphere\": {\"radius\": "
        "1}}}, {\"name\": \"row\", \"type\": \"rigid\", \"density\": 1, \"split\": true, \"mesh\": "
        "{\"lattice\": {\"counts\": [3, 1, 1], \"spacing\": 2}}}, {\"name\": \"floor\", \"type\": "
        "\"obstacle\", \"mesh\": {\"grid\": {\"size\": [9, 9], \"cells\": [1, 1]}}, \"translate\": "
        "[0, "
        "-1, 0]}, {\"name\": \"row.x\", \"type\": \"obstacle\", \"mesh\": {\"sphere\": "
        "{\"radius\": "
        "1}}, \"translate\": [0, -9, 0]}]}";
    char *written = NULL;
    for (int again = 0; again < 2; again++) {
        abut_sim *sim = NULL;
        const char *scene = again ? written : text;
        CHECK_OK(abut_sim_create(scene, strlen(scene), NULL, NULL, &sim, &err), err);
        if (!sim) break;
        const friction_term *f = sim->stepper->friction;
        for (int32_t a = 0; a < 3; a++) {
            CHECK(friction_between(f, a, 3) == 0.7 && friction_between(f, 3, a) == 0.7);
            CHECK(friction_between(f, a, 4) == 0.1);
            for (int32_t b = 0; b < 3; b++) CHECK(friction_between(f, a, b) == 0.2);
        }
        if (!again) written = json_dumps(sim->scene->resolved, 0);
        abut_sim_destroy(sim);
    }
    free(written);
}

/* Height of the highest node of all simulated bodies. */
static double top(const abut_sim *sim)
{
    const model *m = sim->stepper->model;
    double highest = -INFINITY;
    for (size_t i = 0; i < m->rest.count; i++)
        highest = fmax(highest, sim->stepper->state.x[3 * i + 1]);
    return highest;
}

/* How far the top of an example sinks in `steps` steps; stops early when it has come down by
 * `enough`. */
static double sinks(const char *scene, const char *friction, int steps, double enough)
{
    const char *overrides[] = {friction, NULL};
    abut_sim *sim = load_example(scene, overrides);
    double start = top(sim), lost = 0;
    for (int i = 0; i < steps && lost < enough; i++) {
        advance(sim);
        lost = start - top(sim);
    }
    abut_sim_destroy(sim);
    return lost;
}

TEST(arch_stands_and_falls)
{
    CHECK(sinks("arch", "contact.friction=0.5", 50, 1) < 2e-3);
    CHECK(sinks("arch", "contact.friction=0.2", 50, 0.1) >= 0.1);
}

TEST(card_house_stands_and_falls)
{
    CHECK(sinks("card-house", "contact.friction=0.2", 40, 1) < 2e-3);
    CHECK(sinks("card-house", "contact.friction=0.1", 40, 0.3) >= 0.3);
}

/* ---------------------------------------------------------------------------------------------- */
/* Conservation                                                                                   */

typedef struct momentum {
    vec3 linear, angular;
} momentum;

static momentum momentum_of(const stepper *s)
{
    momentum sum = {0};
    for (size_t i = 0; i < s->model->mass.count; i++) {
        vec3 mv = vec3_scale(s->model->mass.data[i], vec3_load(s->state.v + 3 * i));
        sum.linear = vec3_add(sum.linear, mv);
        sum.angular = vec3_add(sum.angular, vec3_cross(vec3_load(s->state.x + 3 * i), mv));
    }
    return sum;
}

/* Sum of x x m (v - v_before): h times the moment of all forces at the end of the step. */
static vec3 moment(const stepper *s, const double *v_before)
{
    vec3 sum = {0};
    for (size_t i = 0; i < s->model->mass.count; i++) {
        vec3 dv = vec3_sub(vec3_load(s->state.v + 3 * i), vec3_load(v_before + 3 * i));
        sum = vec3_add(
            sum, vec3_cross(vec3_load(s->state.x + 3 * i), vec3_scale(s->model->mass.data[i], dv)));
    }
    return sum;
}

/* Two cubes that hit each other off centre, far from anything else. Sets the largest error of the
 * linear momentum and of the moment balance, and the drift of the angular momentum. */
static void collide(integrator kind, double h, double friction, double tolerance, double *linear,
                    double *balance, double *drift)
{
    stepper_options options = maker_options(kind, h);
    options.contact = true;
    options.contact_options = (contact_options){.dhat = 1e-2};
    options.friction = friction;
    options.eps_v = 1e-3;
    options.tolerance = tolerance;
    stepper *s = make_stepper(make_stacked_model(1, 2, 0.05), &options);
    size_t scalars = s->state.scalars, contacts = 0;
    double *v = mem_calloc(scalars, sizeof(double));
    const model_body *upper = &s->model->bodies.data[1];
    for (int32_t i = 0; i < upper->block_count; i++)
        vec3_store(v + 3 * (size_t)(upper->first_block + i), (vec3){0.6, -2, 0.3});
    CHECK_OK(stepper_start(s, v, &err), err);
    momentum before = momentum_of(s);
    *linear = *balance = 0;
    for (double t = 0; t < 0.3 - 1e-9; t += h) {
        step_statistics now;
        memcpy(v, s->state.v, scalars * sizeof *v);
        CHECK_OK(stepper_advance(s, &now, &err), err);
        contacts += now.contacts;
        *linear = fmax(*linear, vec3_max_abs(vec3_sub(now.linear_momentum, before.linear)));
        *balance = fmax(*balance, vec3_max_abs(moment(s, v)));
    }
    momentum after = momentum_of(s);
    *drift = vec3_max_abs(vec3_sub(after.angular, before.angular));
    CHECK(contacts > 0);
    double pushed = 0; /* momentum that the lower cube was given */
    for (int32_t i = 0; i < upper->first_block; i++)
        pushed -= s->model->mass.data[i] * s->state.v[3 * (size_t)i + 1];
    CHECK(pushed > 500);
    mem_free(v);
    stepper_destroy(s);
}

TEST(momentum_of_collisions)
{
    const double mass = 2 * MAKER_DENSITY, tolerance = 1e-9;
    double linear, balance, drift, half_drift;
    /* Each step may leave a Newton direction of the size of the tolerance: that much velocity. */
    collide(INTEGRATE_IMPLICIT_EULER, 0.01, 0, tolerance, &linear, &balance, &drift);
    CHECK(linear < mass * tolerance);
    CHECK(balance < mass * tolerance);
    /* Implicit Euler itself does not keep the angular momentum; its error is of first order. */
    collide(INTEGRATE_IMPLICIT_EULER, 0.005, 0, tolerance, &linear, &balance, &half_drift);
    CHECK(balance < mass * tolerance);
    CHECK(half_drift < 0.75 * drift);
    collide(INTEGRATE_NEWMARK, 0.01, 0, tolerance, &linear, &balance, &drift);
    CHECK(linear < mass * tolerance);
    collide(INTEGRATE_IMPLICIT_EULER, 0.01, 0.4, tolerance, &linear, &balance, &drift);
    CHECK(linear < mass * tolerance);
}

/* Largest sum of all energies over what there was at the start, of bodies that fall and hit each
 * other under Newmark's rule; the drift of the horizontal momentum. */
static double newmark_energy(const char *type, const char *contact, double *drift)
{
    char text[2000], one[200];
    snprintf(one, sizeof one,
             *type == 'd' ? "'material': {'young': 1e7, 'poisson': 0.3}"
                          : "'type': '%s', 'density': 1000",
             type);
    snprintf(text, sizeof text,
             "{'abut': 1, 'time': {'step': 0.005, 'steps': 80, 'integrator': 'newmark', "
             "'newmark_contact': '%s'}, 'ground': 0, 'contact': {'friction': 0, 'dhat': 1e-3}, "
             "'bodies': [{'mesh': {'box': {'size': [0.2, 0.2, 0.2], 'cells': [2, 2, 2]}}, %s, "
             "'rotate': [20, 30, 10], 'translate': [0, 0.2, 0], 'velocity': [1, -2, 0]}, {'mesh': "
             "{'box': {'size': [0.3, 0.1, 0.3], 'cells': [2, 1, 2]}}, 'material': {'young': 1e6, "
             "'poisson': 0.3}, 'translate': [0.5, 0.2, 0], 'velocity': [-1, -1, 0]}]}",
             contact, one);
    scene_def *scene;
    stepper *s = build_scene(text, &scene);
    if (!s) return NAN;
    step_statistics now = {0};
    stepper_measure(s, &now);
    double start = now.kinetic + now.elastic + now.gravity, largest = 0;
    double push = now.linear_momentum.x;
    size_t contacts = 0;
    *drift = 0;
    for (int n = 0; n < 80; n++) {
        CHECK_OK(stepper_advance(s, &now, &err), err);
        largest = fmax(largest, now.kinetic + now.elastic + now.gravity + now.contact);
        *drift = fmax(*drift, fabs(now.linear_momentum.x - push));
        contacts += now.contacts;
    }
    CHECK(contacts > 20);
    drop_scene(s, scene);
    return largest / start;
}

/* Impacts add no energy to what moves by Newmark's rule unless the plain rule is asked for. */
TEST(newmark_gains_nothing_in_impacts)
{
    static const char *const types[] = {"deformable", "rigid", "affine"};
    double drift;
    for (int k = 0; k < 3; k++) {
        CHECK(newmark_energy(types[k], "implicit", &drift) < 1 + 1e-3);
        CHECK(drift < 1e-2);
    }
    CHECK(newmark_energy("deformable", "plain", &drift) > 1.2);
}

int main(void)
{
    RUN(block_sticks);
    RUN(block_slides);
    RUN(friction_of_pairs);
    RUN(friction_of_pieces);
    RUN(arch_stands_and_falls);
    RUN(card_house_stands_and_falls);
    RUN(momentum_of_collisions);
    RUN(newmark_gains_nothing_in_impacts);
    return TEST_END();
}
