/* A warmed-up step allocates nothing: arrays only grow, and are cleared instead of freed. */
#include "base/memory.h"
#include "support/scene_makers.h"
#include "support/scene_text.h"
#include "test.h"

#include <string.h>

static abut_error err;

/* Steps until arrays have grown, and steps that are counted. */
enum { WARM_UP = 80, COUNTED = 10 };

/* Allocations during `steps` further steps, and whether there was work in them. */
static uint64_t count_allocations(stepper *s, int steps, int *iterations, size_t *contacts)
{
    uint64_t before = mem_allocation_count();
    *iterations = 0;
    *contacts = 0;
    for (int n = 0; n < steps; n++) {
        step_statistics now;
        CHECK_OK(stepper_advance(s, &now, &err), err);
        *iterations += now.newton_iterations;
        *contacts = now.contacts;
    }
    return mem_allocation_count() - before;
}

TEST(elastic_steps)
{
    static const char *const solvers[] = {"direct", "cholmod", "pcg"};
    for (int k = 0; k < 3; k++) {
        model *m = make_box_model((vec3){1, 0.2, 0.2}, 10, 2, 2, ELASTIC_NEO_HOOKEAN);
        stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.02);
        options.gravity = (vec3){0, -9.81, 0};
        options.linear.name = solvers[k];
        stepper *s = make_stepper(m, &options);
        add_condition(s, (vec3){-0.51, -1, -1}, (vec3){-0.49, 1, 1}, 0, INFINITY);
        CHECK_OK(stepper_start(s, NULL, &err), err);
        int iterations;
        size_t contacts;
        CHECK(count_allocations(s, 2, &iterations, &contacts) > 0); /* the counter counts */
        CHECK(count_allocations(s, 10, &iterations, &contacts) == 0);
        CHECK(iterations >= 20);
        stepper_destroy(s);
    }
}

/* A moving clamp changes positions but not the set of unknowns. */
TEST(moving_clamp)
{
    model *m = make_box_model((vec3){1, 0.2, 0.2}, 6, 2, 2, ELASTIC_FIXED_COROTATED);
    stepper_options options = maker_options(INTEGRATE_NEWMARK, 0.02);
    stepper *s = make_stepper(m, &options);
    condition *c = add_condition(s, (vec3){-0.51, -1, -1}, (vec3){-0.49, 1, 1}, 0, INFINITY);
    motion turn = {.until = INFINITY, .angular_velocity = {1, 0, 0}, .center = {-0.5, 0, 0}};
    CHECK(array_push(&c->motions, turn));
    CHECK_OK(stepper_start(s, NULL, &err), err);
    int iterations;
    size_t contacts;
    count_allocations(s, 2, &iterations, &contacts);
    CHECK(count_allocations(s, 10, &iterations, &contacts) == 0);
    stepper_destroy(s);
}

/* A block at rest on a half-space and with friction: contacts stay, so do all arrays. */
TEST(steady_contact)
{
    model *m = make_box_model((vec3){0.2, 0.2, 0.2}, 3, 3, 3, ELASTIC_NEO_HOOKEAN);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.01);
    options.gravity = (vec3){0, -9.81, 0};
    options.tolerance = 1e-3;
    options.contact = true;
    options.contact_options.dhat = 0.002;
    options.friction = 0.3;
    stepper *s = make_stepper(m, &options);
    half_space ground = {.origin = {0, -0.1011, 0}, .normal = {0, 1, 0}, .friction = -1};
    CHECK_OK(contact_add_half_space(s->contact, ground, &err), err);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    int iterations;
    size_t contacts;
    count_allocations(s, 60, &iterations, &contacts);
    CHECK(contacts > 0);
    uint64_t allocations = count_allocations(s, 10, &iterations, &contacts);
    CHECK(allocations == 0);
    CHECK(contacts > 0 && iterations >= 10);
    stepper_destroy(s);
}

/* Two blocks on each other: candidates, mesh contacts and their matrix blocks. */
TEST(steady_mesh_contact)
{
    abut_error local;
    model *m = make_stacked_model(0.2, 2, 0.001);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.01);
    options.gravity = (vec3){0, -9.81, 0};
    options.tolerance = 1e-3;
    options.contact = true;
    options.contact_options.dhat = 0.002;
    stepper *s = make_stepper(m, &options);
    add_condition(s, (vec3){-1, -1, -1}, (vec3){1, -0.09, 1}, 0, INFINITY);
    CHECK_OK(stepper_start(s, NULL, &local), local);
    int iterations;
    size_t contacts;
    count_allocations(s, 80, &iterations, &contacts);
    CHECK(contacts > 0);
    uint64_t allocations = count_allocations(s, 10, &iterations, &contacts);
    CHECK(allocations == 0);
    CHECK(contacts > 0);
    stepper_destroy(s);
}

/* A scene with something at rest on the ground, or on another body. */
static void check_scene(const char *name, const char *physics, const char *bodies)
{
    char text[2000];
    scene_def *scene;
    int iterations;
    size_t contacts;
    snprintf(text, sizeof text,
             "{'abut': 1, 'gravity': [0, -9.81, 0], 'time': {'step': 0.01, 'end': 10}, 'solver': "
             "{'tolerance': 1e-3}, 'contact': {'dhat': 2e-3, 'friction': 0.3}%s, 'half_spaces': "
             "[{'origin': [0, 0, 0], 'normal': [0, 1, 0]}], 'bodies': [%s]}",
             physics, bodies);
    stepper *s = build_scene(text, &scene);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    count_allocations(s, WARM_UP, &iterations, &contacts);
    uint64_t allocations = count_allocations(s, COUNTED, &iterations, &contacts);
    printf("# %s: %d iterations, %d contacts, %d allocations\n", name, iterations, (int)contacts,
           (int)allocations);
    CHECK(allocations == 0);
    CHECK(contacts > 0 && iterations >= COUNTED);
    drop_scene(s, scene);
}

#define CUBE(name, height)                                                                         \
    "{'name': '" name "', 'mesh': {'box': {'size': [0.2, 0.2, 0.2], 'cells': [2, 2, 2]}}, "        \
    "'material': {'model': 'neo-hookean', 'young': 1e5, 'poisson': 0.3, 'density': 1000}, "        \
    "'translate': [0, " height ", 0]"
#define BLOCK(name, kind, height)                                                                  \
    "{'name': '" name "', 'type': '" kind "', 'mesh': {'box': {'size': [0.2, 0.2, 0.2]}}, "        \
    "'density': 1000, 'translate': [0, " height ", 0]"

TEST(friction_on_meshes)
{
    check_scene("soft on soft", "", CUBE("a", "0.1005") "}, " CUBE("b", "0.302") "}");
}

TEST(rigid_bodies)
{
    check_scene("rigid", "", BLOCK("a", "rigid", "0.1005") "}");
    check_scene("rigid on rigid", "",
                BLOCK("a", "rigid", "0.1005") "}, " BLOCK("b", "rigid", "0.302") "}");
    check_scene("affine on rigid", "",
                BLOCK("a", "rigid", "0.1005") "}, " BLOCK("b", "affine", "0.302") "}");
}

TEST(thin_bodies)
{
    check_scene("cloth", "",
                "{'name': 'cloth', 'type': 'shell', 'mesh': {'grid': {'size': [0.4, 0.4], 'cells': "
                "[6, 6]}}, 'shell': {'preset': 'cotton'}, 'translate': [0, 0.0015, 0]}");
}

TEST(high_order) { check_scene("order 2", "", CUBE("a", "0.1005") ", 'order': 2}"); }

/* What lies between runs gives memory back, and changes no bit. */
TEST(rest_between_runs)
{
    static const char *const text =
        "{'abut': 1, 'gravity': [0, -9.81, 0], 'time': {'step': 0.01, 'end': 1}, 'bodies': "
        "[" CUBE("a", "0.3") "}, " CUBE("b", "0.6") "}]}";
    scene_def *scenes[2];
    int iterations;
    size_t contacts;
    stepper *one = build_scene(text, &scenes[0]), *two = build_scene(text, &scenes[1]);
    CHECK_OK(stepper_start(one, NULL, &err), err);
    CHECK_OK(stepper_start(two, NULL, &err), err);
    count_allocations(one, 10, &iterations, &contacts);
    count_allocations(two, 10, &iterations, &contacts);
    stepper_rest(two);
    count_allocations(one, 10, &iterations, &contacts);
    CHECK(count_allocations(two, 10, &iterations, &contacts) > 0);
    CHECK(memcmp(one->state.x, two->state.x, one->state.scalars * sizeof *one->state.x) == 0);
    drop_scene(one, scenes[0]);
    drop_scene(two, scenes[1]);
}

int main(void)
{
    RUN(friction_on_meshes);
    RUN(rigid_bodies);
    RUN(thin_bodies);
    RUN(high_order);
    RUN(rest_between_runs);
    RUN(elastic_steps);
    RUN(moving_clamp);
    RUN(steady_contact);
    RUN(steady_mesh_contact);
    return TEST_END();
}
