/* Conditions that end by the place of the bodies, positions from files, and stiffness-proportional
 * damping: what scenes of other programs need beyond fixed and moved nodes. */
#include "step/stepper_internal.h"
#include "support/evaluation.h"
#include "support/scene_text.h"

#include "base/file.h"
#include "support/scratch.h"
#include "term/damping.h"

#include <unistd.h>

static abut_error err;

#define BOX(material)                                                                              \
    "{'abut': 1, 'time': {'step': 0.01, 'steps': 100}, 'gravity': [0, 0, 0], 'bodies': [{'mesh': " \
    "{'box': {'size': [1, 1, 1], 'cells': [1, 1, 1]}}, 'material': {'young': 1e4, 'poisson': "     \
    "0.3" material "}"

TEST(release_by_position)
{
    scene_def *scene;
    stepper *s =
        build_scene(BOX("") ", 'fix': {'motion': {'velocity': [1, 0, 0]}, 'release': {'axis': 'x', "
                            "'beyond': -0.405}}}]}",
                    &scene);
    if (!s) return;
    step_statistics statistics;
    /* The left side starts at -0.5 and is at -0.40 after 10 steps: the 11th is the first free one.
     */
    for (int n = 1; n <= 20; n++) {
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        CHECK(s->dirichlet.fixed[0] == (n <= 10));
    }
    /* It flies on. */
    CHECK_NEAR(s->state.x[0] - s->model->rest.data[0].x, 0.2, 1e-6);
    drop_scene(s, scene);
}

/* The augmented Lagrangian is updated when Newton's direction is short, for the nodes are then
 * where it balances the other forces; a direction that is short because its matrix had to be
 * shifted says nothing. */
TEST(shifted_directions_tell_of_no_balance)
{
    scene_def *scene;
    stepper *s = build_scene(
        "{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'gravity': [0, 0, 0], 'bodies': [{'mesh': "
        "{'box': {'size': [1, 1, 1], 'cells': [4, 1, 1]}}, 'material': {'young': 1e6, 'poisson': "
        "0.3}, 'fix': {'nodes': {'box': [[0.49, -1, -1], [1, 1, 1]]}, 'motion': {'velocity': [-40, "
        "0, 0]}}}]}",
        &scene);
    if (!s) return;
    step_statistics statistics;
    CHECK_OK(stepper_advance(s, &statistics, &err), err);
    /* Once more from where the step began. */
    memcpy(s->x, s->start, s->state.scalars * sizeof *s->x);
    memset(s->state.v, 0, s->state.scalars * sizeof *s->state.v);
    CHECK_OK(stepper_move_dirichlet(s, &err), err);
    CHECK(s->augmented.active);
    for (int shifted = 1; shifted >= 0; shifted--) {
        double stiffness = s->augmented.term->stiffness;
        bool changed = false, may_stop = true;
        s->newton.shifted = shifted;
        memset(s->newton.direction, 0, s->state.scalars * sizeof *s->newton.direction);
        CHECK_OK(stepper_update_lagrangian(s, s->x, 0, &changed, &may_stop, &err), err);
        CHECK(changed == !shifted && !may_stop);
        CHECK((s->augmented.term->stiffness > stiffness) == !shifted);
    }
    drop_scene(s, scene);
}

/* A side that cannot be placed at once, because the cells before it would invert, is pulled; it
 * arrives exactly, not by a thousandth short. */
TEST(dirichlet_nodes_arrive)
{
    scene_def *scene;
    stepper *s = build_scene(
        "{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'gravity': [0, 0, 0], 'bodies': [{'mesh': "
        "{'box': {'size': [1, 1, 1], 'cells': [4, 1, 1]}}, 'material': {'young': 1e6, 'poisson': "
        "0.3}, 'fix': {'nodes': {'box': [[0.49, -1, -1], [1, 1, 1]]}, 'motion': {'velocity': [-40, "
        "0, 0]}}}]}",
        &scene);
    if (!s) return;
    step_statistics statistics;
    CHECK_OK(stepper_advance(s, &statistics, &err), err);
    CHECK(s->augmented.term->nodes.count == 4);
    for (size_t i = 0; i < s->augmented.term->nodes.count; i++) {
        size_t node = (size_t)s->augmented.term->nodes.data[i];
        CHECK_NEAR(s->state.x[3 * node], s->model->rest.data[node].x - 0.4, 1e-12);
    }
    drop_scene(s, scene);
}

TEST(release_is_saved)
{
    int32_t began = 0;
    condition c = {
        .until = INFINITY, .axes = 7, .began = &began, .has_release = true, .release_beyond = 1};
    CHECK(condition_active(&c, 0));
    condition_release(&c, vec3_make(0.9, 5, 5));
    CHECK(condition_active(&c, 0) && began == 0);
    condition_release(&c, vec3_make(1.1, 0, 0));
    CHECK(!condition_active(&c, 0) && began == CONDITION_RELEASED);
}

TEST(positions_from_files)
{
    char folder[100], path[200], text[600];
    snprintf(folder, sizeof folder, "%s/sequence", test_scratch());
    CHECK_OK(directory_create(folder, &err), err);
    for (int n = 0; n < 3; n++) {
        snprintf(path, sizeof path, "%s/%d.obj", folder, n + 5);
        snprintf(text, sizeof text, "v %d 9 0\nv %d 9 0\nv 0 9 1\nf 1 2 3\n", n, n + 1);
        CHECK_OK(atomic_write(path, text, strlen(text), &err), err);
    }
    snprintf(text, sizeof text,
             BOX("") "}, {'type': 'obstacle', 'mesh': '%s/5.obj', 'sequence': {'folder': '%s', "
                     "'first': 5}}]}",
             folder, folder);
    scene_def *scene;
    stepper *s = build_scene(text, &scene);
    if (!s) return;
    size_t first = 3 * (size_t)s->model->bodies.data[1].first_block;
    step_statistics statistics;
    for (int n = 0; n < 5; n++) {
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        CHECK_NEAR(s->state.x[first], n < 3 ? n : 2, 1e-12);
        CHECK_NEAR(s->state.x[first + 3], n < 3 ? n + 1 : 3, 1e-12);
    }
    drop_scene(s, scene);
    snprintf(path, sizeof path, "%s/6.obj", folder);
    CHECK_OK(atomic_write(path, "v 0 0 0\n", 8, &err), err);
    file_bytes bytes = {.data = text, .size = strlen(text)};
    use_double_quotes(text);
    CHECK_OK(scene_load_bytes("test.json", &bytes, NULL, 0, NULL, &scene, &err), err);
    CHECK(scene_build(scene, NULL, &s, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "it has 1 vertices, but the mesh of the body has 3") != NULL);
    scene_free(scene);
    for (int n = 0; n < 3; n++) {
        snprintf(path, sizeof path, "%s/%d.obj", folder, n + 5);
        unlink(path);
    }
    rmdir(folder);
}

/* Files at their own rate, placed like the body; straight paths between them. */
TEST(positions_from_files_between_steps)
{
    char folder[100], path[200], text[800];
    snprintf(folder, sizeof folder, "%s/sequence-fps", test_scratch());
    CHECK_OK(directory_create(folder, &err), err);
    for (int n = 0; n < 3; n++) {
        snprintf(path, sizeof path, "%s/%c.obj", folder, 'a' + n);
        snprintf(text, sizeof text, "v %d 9 0\nv %d 9 0\nv 0 9 1\nf 1 2 3\n", n * n, n + 1);
        CHECK_OK(atomic_write(path, text, strlen(text), &err), err);
    }
    snprintf(text, sizeof text,
             BOX("") "}, {'type': 'obstacle', 'mesh': '%s/a.obj', 'translate': [0, 0, 7], "
                     "'sequence': {'files': [{'file': '%s/a.obj'}, {'file': '%s/b.obj'}, "
                     "{'file': '%s/c.obj'}], 'fps': 40, 'transform': true}}]}",
             folder, folder, folder, folder);
    scene_def *scene;
    stepper *s = build_scene(text, &scene);
    if (!s) return;
    size_t first = 3 * (size_t)s->model->bodies.data[1].first_block;
    static const double expected[] = {0.4, 0.8, 1.6, 2.8, 4, 4};
    step_statistics statistics;
    for (int n = 0; n < 6; n++) {
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        CHECK_NEAR(s->state.x[first], expected[n], 1e-12);
        CHECK_NEAR(s->state.x[first + 2], 7, 1e-12);
    }
    drop_scene(s, scene);
    for (int n = 0; n < 3; n++) {
        snprintf(path, sizeof path, "%s/%c.obj", folder, 'a' + n);
        remove(path);
    }
    rmdir(folder);
}

/* A force per mass that depends on place and time: after one step of the implicit Euler method each
 * free node has moved by h^2 a(x, h). */
TEST(acceleration_field)
{
    scene_def *scene;
    stepper *s = build_scene(BOX(", 'model': 'linear'") ", 'mass': 'lumped', 'force': "
                                                        "{'acceleration_field': [0, '100 * t', "
                                                        "2]}}]}",
                             &scene);
    if (!s) return;
    step_statistics statistics;
    for (int n = 1; n <= 2; n++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    for (size_t i = 0; i < s->model->rest.count; i++) {
        vec3 u = vec3_sub(vec3_load(s->state.x + 3 * i), s->model->rest.data[i]);
        CHECK_NEAR(u.y, 1e-4 * (2 * 1 + 2), 1e-12); /* twice the first step, and the second */
        CHECK_NEAR(u.z, 1e-4 * 2 * 3, 1e-12);
    }
    drop_scene(s, scene);
}

/* --- Damping --- */

static damping_term *lagged(stepper *s, double *x)
{
    size_t scalars = 3 * s->model->rest.count;
    for (size_t i = 0; i < scalars; i++) x[i] = s->state.x[i] + 0.05 * sin(7.0 * (double)i);
    damping_lag(s->damping, x);
    test_evaluation.force_factor = 0.3;
    return s->damping;
}

TEST(damping_gradient_is_that_of_the_value)
{
    scene_def *scene;
    stepper *s = build_scene(BOX(", 'damping': 0.02") "}]}", &scene);
    if (!s) return;
    double x[24], step = 1e-5;
    CHECK(s->model->rest.count == 8 && s->damping != NULL);
    damping_term *t = lagged(s, x);
    const term_class *class = t->base.class;
    CHECK(class->value(&t->base, &test_evaluation, x) == 0);
    double total[24] = {0}, gradient[12 * 6];
    for (size_t i = 0; i < 24; i++) x[i] += 0.02 * cos(3.0 * (double)i);
    class->derivatives(&t->base, &test_evaluation, 0, x, 0, 6, gradient, NULL);
    for (size_t e = 0; e < 6; e++)
        for (size_t k = 0; k < 12; k++)
            total[3 * s->model->tets.data[4 * e + k / 3] + (int)(k % 3)] += gradient[12 * e + k];
    double largest = 0;
    for (size_t i = 0; i < 24; i++) largest = fmax(largest, fabs(total[i]));
    CHECK(largest > 1);
    for (size_t i = 0; i < 24; i++) {
        double at = x[i];
        x[i] = at + step;
        double above = class->value(&t->base, &test_evaluation, x);
        x[i] = at - step;
        double below = class->value(&t->base, &test_evaluation, x);
        x[i] = at;
        CHECK_NEAR((above - below) / (2 * step), total[i], 1e-7 * largest);
    }
    drop_scene(s, scene);
}

TEST(damping_spares_translations)
{
    scene_def *scene;
    stepper *s = build_scene(BOX(", 'damping': 0.02") "}]}", &scene);
    if (!s) return;
    double x[24];
    damping_term *t = lagged(s, x);
    for (size_t i = 0; i < 24; i++) x[i] += i % 3 == 1 ? 0.5 : 0.25;
    CHECK_NEAR(t->base.class->value(&t->base, &test_evaluation, x), 0, 1e-9);
    drop_scene(s, scene);
}

/* Energy of a bar that was stretched and released, after half a second. */
static double energy_left(const char *damping)
{
    char text[1500];
    snprintf(
        text, sizeof text,
        "{'abut': 1, 'time': {'step': 0.005, 'steps': 100, 'integrator': 'newmark'}, 'gravity': "
        "[0, 0, 0], 'contact': {'enabled': false}, 'solver': {'tolerance': 1e-8}, 'bodies': "
        "[{'mesh': {'box': {'size': [1, 0.5, 0.5], 'cells': [2, 1, 1]}}, 'material': {'young': "
        "1e4, 'poisson': 0.3%s}, 'fix': [{'nodes': {'relative_box': [[0, 0, 0], [0.1, 1, 1]]}}, "
        "{'nodes': {'relative_box': [[0.9, 0, 0], [1, 1, 1]]}, 'until': 0.1, 'motion': "
        "{'velocity': [1, 0, 0]}}]}]}",
        damping);
    scene_def *scene;
    stepper *s = build_scene(text, &scene);
    if (!s) return NAN;
    step_statistics statistics = {0};
    for (int n = 0; n < 100; n++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    drop_scene(s, scene);
    return statistics.kinetic + statistics.elastic;
}

TEST(damping_takes_energy)
{
    double free = energy_left(""), little = energy_left(", 'damping': 0.002"),
           much = energy_left(", 'damping': 0.2");
    CHECK(free > 5 && free < 100); /* 0.25 m^3 of 1000 kg/m^3, half of it pulled at 1 m/s */
    CHECK(little < 0.97 * free && little > 0.8 * free);
    CHECK(much < 0.6 * little);
}

/* Two prescribed bodies, far apart and slow, until one of them jumps through the other within a
 * step: pairs that were searched for slow ones do not do. They miss each other by `aside`. */
static int step_of_meeting(double aside)
{
    char text[1200];
    scene_def *scene;
    snprintf(text, sizeof text,
             "{'abut': 1, 'time': {'step': 0.01, 'steps': 100}, 'contact': {'dhat': 1e-3}, "
             "'gravity': [0, 0, 0], 'bodies': [{'name': 'a', 'mesh': {'box': {'size': [0.1, 0.1, "
             "0.1], 'cells': [1, 1, 1]}}, 'material': {'young': 1e4, 'poisson': 0.3}, 'fix': "
             "{'displacement': ['0.01*t + min(1, max(0, 1000*(t - 0.0945)))', '0', '0']}}, "
             "{'name': 'b', "
             "'type': 'obstacle', 'mesh': {'box': {'size': [0.1, 0.1, 0.1], 'cells': [1, 1, 1]}}, "
             "'translate': [0.5, %g, 0], 'motion': {'velocity': [0, 0.001, 0]}}]}",
             aside);
    stepper *s = build_scene(text, &scene);
    if (!s) return -1;
    int met = 0;
    for (int n = 1; n <= 14 && met == 0; n++) {
        step_statistics statistics;
        abut_status status = stepper_advance(s, &statistics, &err);
        CHECK(status == ABUT_OK || status == ABUT_ERROR_OVERLAP);
        if (status != ABUT_OK) met = n;
    }
    drop_scene(s, scene);
    return met;
}

TEST(sudden_motion_through_another_body)
{
    CHECK(step_of_meeting(0) == 10);
    CHECK(step_of_meeting(0.09) == 10);
    CHECK(step_of_meeting(0.11) == 0);
}

int main(void)
{
    RUN(sudden_motion_through_another_body);
    RUN(release_by_position);
    RUN(shifted_directions_tell_of_no_balance);
    RUN(dirichlet_nodes_arrive);
    RUN(release_is_saved);
    RUN(positions_from_files);
    RUN(positions_from_files_between_steps);
    RUN(acceleration_field);
    RUN(damping_gradient_is_that_of_the_value);
    RUN(damping_spares_translations);
    RUN(damping_takes_energy);
    return TEST_END();
}
