/* Parts of a time step against formulas by hand: Newmark's rule with any gamma, rotations of
 * prescribed motions, measured momenta and potentials, prescribed nodes that push others ahead. */
#include "step/stepper_internal.h"
#include "support/scene_makers.h"
#include "support/scene_text.h"

#include "math/rotation.h"

static abut_error err;

TEST(newmark_with_any_gamma)
{
    motion_state s;
    const double h = 0.1, beta = 0.3, gamma = 0.7, next = 2.5;
    double x_tilde;
    CHECK_OK(motion_init(&s, INTEGRATE_NEWMARK, beta, gamma, 1, &err), err);
    s.x[0] = 1;
    s.v[0] = 2;
    s.a[0] = -3;
    motion_predict(&s, h, &x_tilde);
    CHECK_NEAR(x_tilde, 1 + h * 2 + h * h * (0.5 - beta) * -3, 1e-15);
    CHECK_NEAR(motion_force_factor(&s, h), beta * h * h, 1e-17);
    motion_advance(&s, h, &x_tilde, &next);
    double a = (next - x_tilde) / (beta * h * h);
    CHECK_NEAR(s.a[0], a, 1e-10);
    CHECK_NEAR(s.v[0], 2 + h * ((1 - gamma) * -3 + gamma * a), 1e-12);
    motion_free(&s);
}

/* Whatever turns about whatever axes and centres: differences of targets turn by the rotation. */
TEST(rotation_of_motions)
{
    condition c = {.axes = 7, .until = INFINITY};
    motion first = {.angular_velocity = {0, 0, 1.2}, .until = INFINITY, .center = {1, 0, 0}};
    motion second = {
        .angular_velocity = {0.9, 0, 0}, .velocity = {1, 2, 3}, .from = 0.2, .until = 0.9};
    CHECK(array_push(&c.motions, first) && array_push(&c.motions, second));
    vec3 p = {0.3, -0.4, 0.5}, q = {-1, 2, 0.7};
    for (double t = 0; t < 1.5; t += 0.25) {
        mat3 r = condition_rotation(&c, t);
        vec3 turned = mat3_mul_vec(r, vec3_sub(p, q));
        vec3 expected = vec3_sub(condition_target(&c, p, t), condition_target(&c, q, t));
        CHECK_NEAR(vec3_norm(vec3_sub(turned, expected)), 0, 1e-14);
    }
    array_free(&c.motions);
}

/* A box that spins about z, beside the origin. */
TEST(measured_momenta)
{
    model *m = make_box_model((vec3){1, 0.5, 0.4}, 2, 1, 1, ELASTIC_NEO_HOOKEAN);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.01);
    stepper *s = make_stepper(m, &options);
    double spin = 3, about = 0, energy = 0, *v = mem_calloc(s->state.scalars, sizeof *v);
    for (size_t i = 0; i < s->model->rest.count; i++) {
        vec3 x = s->model->rest.data[i];
        vec3_store(v + 3 * i, vec3_cross((vec3){0, 0, spin}, x));
        about += s->model->mass.data[i] * (x.x * x.x + x.y * x.y) * spin;
        energy += 0.5 * s->model->mass.data[i] * (x.x * x.x + x.y * x.y) * spin * spin;
    }
    CHECK_OK(stepper_start(s, v, &err), err);
    step_statistics now = {0};
    stepper_measure(s, &now);
    CHECK(about > 1);
    CHECK_NEAR(now.angular_momentum.z, about, 1e-12 * about);
    CHECK_NEAR(now.kinetic, energy, 1e-12 * energy);
    mem_free(v);
    stepper_destroy(s);
}

/* Free fall from rest: the potential of the step is m (h g)^2 / 2 - m g . (h^2 g), in J. */
TEST(potential_of_free_fall)
{
    const double h = 0.02, g = 9.81, mass = MAKER_DENSITY * 0.2;
    model *m = make_box_model((vec3){1, 0.5, 0.4}, 1, 1, 1, ELASTIC_NEO_HOOKEAN);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, h);
    options.gravity = (vec3){0, -g, 0};
    stepper *s = make_stepper(m, &options);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    step_statistics now = {0};
    CHECK_OK(stepper_advance(s, &now, &err), err);
    double expected = -0.5 * mass * h * h * g * g;
    CHECK_NEAR(now.potential, expected, 1e-6 * fabs(expected));
    stepper_destroy(s);
}

/* A plate that moves far beyond the gap to a heavy block within one step pushes it ahead, and
 * arrives. */
TEST(prescribed_nodes_push)
{
    scene_def *scene;
    stepper *s = build_scene(
        "{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'gravity': [0, 0, 0], 'contact': {'dhat': "
        "0.002, 'stiffness_rule': 'balanced'}, 'materials': {'m': {'young': 1e5, 'poisson': 0.3, "
        "'density': 100}, 'heavy': "
        "{'young': 1e7, 'poisson': 0.3, 'density': 1e5}}, 'bodies': [{'mesh': {'box': {'size': "
        "[0.3, 0.02, 0.3], 'cells': [2, 1, 2]}}, 'material': 'm', 'translate': [0, 0.1115, 0], "
        "'fix': {'motion': {'velocity': [0, -10, 0]}}}, {'mesh': {'box': {'size': [0.2, 0.2, 0.2], "
        "'cells': [2, 2, 2]}}, 'material': 'heavy'}]}",
        &scene);
    if (!s) return;
    step_statistics now;
    CHECK_OK(stepper_advance(s, &now, &err), err);
    size_t first = (size_t)s->model->bodies.data[0].first_block;
    for (size_t i = 0; i < (size_t)s->model->bodies.data[0].block_count; i++)
        CHECK_NEAR(s->state.x[3 * (first + i) + 1], s->model->rest.data[first + i].y - 0.1, 2e-4);
    CHECK(now.contacts > 0);
    /* What pulls at the plate is no load that the stiffness of contacts has to balance. */
    CHECK(now.kappa < 10 * s->contact->kappa_min);
    drop_scene(s, scene);
}

/* A cube of side 1: its moments of inertia are m / 6, the second moments m / 12. */
TEST(masses_of_rotations)
{
    for (int affine = 0; affine < 2; affine++) {
        scene_def *scene;
        char text[300];
        snprintf(
            text, sizeof text,
            "{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'bodies': [{'type': '%s', 'mesh': "
            "{'box': {'size': [1, 1, 1], 'cells': [1, 1, 1]}}, 'density': 60}]}",
            affine ? "affine" : "rigid");
        stepper *s = build_scene(text, &scene);
        if (!s) return;
        CHECK_NEAR(rigid_block_mass(s->model, 0), 60, 1e-10);
        CHECK_NEAR(rigid_block_mass(s->model, 1), affine ? 5 : 10, 1e-10);
        drop_scene(s, scene);
    }
}

/* Pulling goes on as long as there is progress, and for 500 iterations without. */
TEST(patience_of_the_augmented_lagrangian)
{
    lagrangian_progress watch = {0};
    for (int i = 0; i < 400; i++) CHECK(lagrangian_progress_note(&watch, 0.1));
    CHECK(lagrangian_progress_note(&watch, 0.2));
    for (int i = 0; i < 500; i++) CHECK(lagrangian_progress_note(&watch, 0.2001));
    CHECK(!lagrangian_progress_note(&watch, 0.2001) && watch.unreachable);
}

int main(void)
{
    RUN(masses_of_rotations);
    RUN(patience_of_the_augmented_lagrangian);
    RUN(newmark_with_any_gamma);
    RUN(rotation_of_motions);
    RUN(measured_momenta);
    RUN(potential_of_free_fall);
    RUN(prescribed_nodes_push);
    return TEST_END();
}
