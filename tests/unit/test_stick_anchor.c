/* Friction with anchors: what sticks stays, what slides does so as without them, no energy comes
 * out, and the anchors are part of the state. */
#include "base/random.h"
#include "support/scene_text.h"

#include "contact/stick_anchor.h"
#include "step/saved_state.h"

static abut_error err;

static void advance(stepper *s, int steps)
{
    step_statistics statistics;
    for (int k = 0; k < steps; k++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
}

/* A soft block on a floor of triangles that is tilted by 15 degrees; mu = 0.4. */
static const char soft_block[] =
    "{'abut': 1, 'gravity': [2.5390, -9.4757, 0], 'time': {'step': 0.01, 'steps': 400}, 'contact': "
    "{'dhat': 1e-3, 'friction': 0.4, 'eps_v': 1e-3, 'stick_anchors': %s}, 'solver': {'tolerance': "
    "1e-5}, 'bodies': [{'name': 'block', 'material': {'young': 1e5, 'poisson': 0.4}, 'mesh': "
    "{'box': {'size': [0.1, 0.1, 0.1], 'cells': [2, 2, 2]}}, 'translate': [0, 0.0509, 0]}, "
    "{'name': 'floor', 'type': 'obstacle', 'mesh': {'box': {'size': [1, 0.1, 1], 'cells': "
    "[7, 1, 7]}}, 'translate': [0.013, -0.05, 0.007]}]}";

static double mean_x(const stepper *s)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < s->model->rest.count; i++)
        if (s->model->body.data[i] == 0) sum += s->state.x[3 * i], count++;
    return sum / (double)count;
}

static double creep(const char *anchors)
{
    char text[1000];
    scene_def *scene;
    snprintf(text, sizeof text, soft_block, anchors);
    stepper *s = build_scene(text, &scene);
    if (!s) return NAN;
    advance(s, 100);
    double before = mean_x(s);
    advance(s, 100);
    double moved = mean_x(s) - before;
    drop_scene(s, scene);
    return moved;
}

TEST(what_sticks_stays)
{
    double with = creep("true"), without = creep("false");
    CHECK(without > 2e-4); /* 0.43 eps_v for a second */
    CHECK(fabs(with) < 1e-6);
}

/* A rigid cube on a plane; the tangent of the slope is (1 + over) 0.3. */
static void cube_text(char *out, size_t size, double over, const char *anchors, const char *more)
{
    double slope = atan(0.3 * (1 + over));
    snprintf(out, size,
             "{'abut': 1, 'gravity': [%.17g, %.17g, 0], 'ground': 0, 'time': {'step': 0.005, "
             "'steps': 400}, 'contact': {'dhat': 1e-4, 'friction': 0.3, 'eps_v': 1e-3, "
             "'friction_iterations': 0, 'stick_anchors': %s}, 'solver': {'tolerance': 1e-6%s}, "
             "'bodies': [{'type': 'rigid', 'density': 1000, 'mesh': {'box': {'size': [0.1, 0.1, "
             "0.1], 'cells': [1, 1, 1]}}, 'translate': [0, 0.05006, 0]}]}",
             9.81 * sin(slope), -9.81 * cos(slope), anchors, more);
}

/* The mean acceleration over the second half of a second, relative to gravity. */
static double acceleration(double over, const char *anchors)
{
    char text[1000];
    scene_def *scene;
    cube_text(text, sizeof text, over, anchors, "");
    stepper *s = build_scene(text, &scene);
    if (!s) return NAN;
    advance(s, 100);
    double before = s->state.v[0];
    advance(s, 100);
    double a = (s->state.v[0] - before) / 0.5;
    drop_scene(s, scene);
    return a / 9.81;
}

TEST(sliding_begins_at_the_same_force)
{
    CHECK(fabs(acceleration(-0.005, "true")) < 1e-6);
    double slope = atan(0.3 * 1.005), expected = sin(slope) - 0.3 * cos(slope);
    CHECK_NEAR(acceleration(0.005, "true"), expected, 0.01 * expected);
    CHECK_NEAR(acceleration(0.2, "true"), acceleration(0.2, "false"), 1e-5);
}

/* A belt moves by its speed times the step, whatever the step is divided into. */
TEST(belts_keep_their_speed_in_substeps)
{
    static const char text[] =
        "{'abut': 1, 'gravity': [0, -9.81, 0], 'half_spaces': [{'origin': [0, 0, 0], 'normal': "
        "[0, 1, 0], 'velocity': [0.1, 0, 0]}], 'time': {'step': 0.01, 'steps': 400}, 'contact': "
        "{'dhat': 1e-4, 'friction': 0.5, 'eps_v': 1e-4, 'friction_iterations': 0, "
        "'stick_anchors': true}, 'solver': {'tolerance': 1e-6, 'substep_after': 1, "
        "'substep_halvings': 3}, 'bodies': [{'type': 'rigid', 'density': 1000, 'mesh': {'box': "
        "{'size': [0.1, 0.1, 0.1], 'cells': [1, 1, 1]}}, 'translate': [0, 0.05006, 0]}]}";
    scene_def *scene;
    stepper *s = build_scene(text, &scene);
    if (!s) return;
    step_statistics statistics;
    int divided = 0;
    for (int k = 0; k < 30; k++) {
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        divided += statistics.substeps > 1;
    }
    double before = s->state.x[0];
    for (int k = 0; k < 30; k++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    CHECK(divided > 3);
    CHECK_NEAR(s->state.x[0] - before, 0.03, 3e-6);
    drop_scene(s, scene);
}

/* From a saved state on, every bit is the same; a foreign one is refused. */
TEST(anchors_are_part_of_the_state)
{
    char text[1000];
    scene_def *scene;
    snprintf(text, sizeof text, soft_block, "true");
    stepper *s = build_scene(text, &scene);
    if (!s) return;
    advance(s, 30);
    saved_state kept = {0};
    CHECK_OK(stepper_save(s, &kept, &err), err);
    CHECK(s->friction->anchors.list.count > 3 && kept.contact_ints.count > 0);
    advance(s, 5);
    size_t bytes = s->state.scalars * sizeof(double);
    double *expected = mem_alloc(bytes, 1);
    memcpy(expected, s->state.x, bytes);
    CHECK_OK(stepper_load(s, &kept, &err), err);
    advance(s, 5);
    CHECK(memcmp(expected, s->state.x, bytes) == 0);
    kept.contact_ints.data[0] = 1 << 20;
    CHECK(stepper_load(s, &kept, &err) == ABUT_ERROR_INPUT);
    kept.contact_ints.count--;
    CHECK(stepper_load(s, &kept, &err) == ABUT_ERROR_INPUT);
    mem_free(expected);
    saved_state_free(&kept);
    drop_scene(s, scene);
}

static friction_stencil on_plane(void)
{
    friction_stencil s = {.vertex = {0, -1, -1, -1}, .force = 2, .plane = 0};
    s.frame = tangent_frame_half_space(vec3_make(0, 1, 0));
    return s;
}

TEST(forces_are_derivatives_of_the_potential)
{
    friction_law law = {FRICTION_C1, 1e-3, 1};
    friction_stencil s = on_plane();
    s.anchor[0] = 3e-4;
    s.anchor[1] = -5e-4;
    double x[3] = {2e-4, 1e-4, 3e-4}, gradient[3], above[3], below[3];
    for (int far = 0; far < 2; far++, x[0] = 3e-3) {
        vec3 moved = vec3_load(x);
        mat3 core = friction_stencil_derivatives(&law, &s, &moved, gradient);
        for (int k = 0; k < 3; k++) {
            double h = 1e-7, keep = x[k], values[2];
            for (int side = 0; side < 2; side++) {
                x[k] = keep + (side ? h : -h);
                moved = vec3_load(x);
                values[side] = friction_stencil_value(&law, &s, &moved);
                friction_stencil_derivatives(&law, &s, &moved, side ? above : below);
            }
            x[k] = keep;
            CHECK_NEAR(gradient[k], (values[1] - values[0]) / (2 * h), 1e-5);
            for (int l = 0; l < 3; l++)
                CHECK_NEAR(core.m[l][k], (above[l] - below[l]) / (2 * h), 2);
        }
    }
}

static double stored(const double z[2], double eps, double force)
{
    return force *
           (friction_f0(FRICTION_C1, hypot(z[0], z[1]), eps) - friction_f0(FRICTION_C1, 0, eps));
}

/* The work of a random walk goes into the anchor or is lost, step by step. */
TEST(friction_never_gives_energy)
{
    enum { STEPS = 2000 };
    const double eps = 1e-3;
    friction_law law = {FRICTION_C1, eps, 1};
    stick_anchors anchors = {0};
    random_state r = {7};
    double lost = 0;
    for (int k = 0; k < STEPS; k++) {
        friction_stencil s = on_plane();
        double g[3], length = k % 3 ? 0.3 * eps : 3 * eps;
        vec3 u = {length * random_range(&r, -1, 1), 0, length * random_range(&r, -1, 1)};
        CHECK_OK(stick_anchors_begin(&anchors, &err), err);
        stick_anchors_continue(&anchors, &s, 1, eps);
        CHECK(s.anchored == (k > 0));
        double before = stored(s.anchor, eps, s.force);
        friction_stencil_derivatives(&law, &s, &u, g);
        CHECK_OK(stick_anchors_return(&anchors, &s, 1, &u, eps, &err), err);
        stick_anchors_end(&anchors);
        double z[2] = {eps * anchors.list.data[0].stretch[0],
                       eps * anchors.list.data[0].stretch[1]};
        CHECK(hypot(z[0], z[1]) <= eps * (1 + 1e-14));
        double loss = vec3_dot(vec3_load(g), u) - (stored(z, eps, s.force) - before);
        CHECK(loss >= -1e-15);
        lost += loss;
    }
    CHECK(lost > 0.1);
    stick_anchors_free(&anchors);
}

/* A vertex passes from a triangle to its edge; then the edge's vertex leads against the vertex. */
TEST(changed_features_take_over)
{
    const double eps = 1e-3;
    vec3 triangle[4] = {{0.1, 0.01, 0.1}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    vec3 swapped[2] = {triangle[1], triangle[0]};
    vec3 moved[4] = {{6e-4, 0, -2e-4}};
    friction_stencil before = {.vertex = {5, 6, 7, 8}, .force = 1}, edge = before, point = before;
    before.vertex[0] = 0, before.vertex[1] = 1, before.vertex[2] = 2, before.vertex[3] = 3;
    before.frame = tangent_frame_of(STENCIL_PT, triangle);
    edge.vertex[0] = 0, edge.vertex[1] = 1, edge.vertex[2] = 2;
    edge.frame = tangent_frame_of(STENCIL_PE, triangle);
    point.vertex[0] = 9, point.vertex[1] = 0;
    point.frame = tangent_frame_of(STENCIL_PP, swapped);
    edge.frame.normal = before.frame.normal;
    point.frame.normal = vec3_scale(-1, before.frame.normal);
    stick_anchors a = {0};
    CHECK_OK(stick_anchors_return(&a, &before, 1, moved, eps, &err), err);
    stick_anchors_end(&a);
    CHECK_OK(stick_anchors_begin(&a, &err), err);
    stick_anchors_continue(&a, &edge, 1, eps);
    stick_anchors_continue(&a, &point, 1, eps);
    CHECK(!edge.anchored && !point.anchored);
    CHECK_OK(stick_anchors_list_ended(&a, &err), err);
    stick_anchors_hand_over(&a, &edge, 1, eps);
    stick_anchors_hand_over(&a, &point, 1, eps);
    for (int c = 0; c < 2; c++) {
        CHECK_NEAR(edge.anchor[c], vec3_dot(moved[0], edge.frame.column[c]), 1e-15);
        CHECK_NEAR(point.anchor[c], -vec3_dot(moved[0], point.frame.column[c]), 1e-15);
    }
    /* What goes on itself hands nothing over. */
    friction_stencil same = before, beside = edge;
    beside.anchor[0] = beside.anchor[1] = 0;
    CHECK_OK(stick_anchors_begin(&a, &err), err);
    stick_anchors_continue(&a, &same, 1, eps);
    CHECK_OK(stick_anchors_list_ended(&a, &err), err);
    stick_anchors_hand_over(&a, &beside, 1, eps);
    CHECK(same.anchored && beside.anchor[0] == 0 && beside.anchor[1] == 0);
    stick_anchors_free(&a);
}

int main(void)
{
    RUN(what_sticks_stays);
    RUN(sliding_begins_at_the_same_force);
    RUN(belts_keep_their_speed_in_substeps);
    RUN(anchors_are_part_of_the_state);
    RUN(forces_are_derivatives_of_the_potential);
    RUN(friction_never_gives_energy);
    RUN(changed_features_take_over);
    return TEST_END();
}
