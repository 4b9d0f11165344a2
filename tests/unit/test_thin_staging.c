/* What scenes ask of shells and rods around the physics: handles that reverse and are released one
 * after the other, extra weights, damping. */
#include "support/evaluation.h"
#include "support/scene_text.h"
#include "term/damping.h"

#include <math.h>

static abut_error err;

static void advance(stepper *s, int steps)
{
    step_statistics statistics;
    for (int i = 0; i < steps; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
}

#define SHEET(more)                                                                                \
    "{'abut': 1, 'time': {'step': 0.02, 'steps': 100}, 'bodies': [{'type': 'shell', 'mesh': "      \
    "{'grid': {'size': [1, 1], 'cells': [4, 4]}}, 'shell': {'preset': 'cotton'" more "}]}"

/* Node 0 goes out and back, nodes 4 and 20 are released at 0.1 and 0.2 s. */
TEST(handles)
{
    scene_def *scene;
    stepper *s =
        build_scene(SHEET("}, 'fix': [{'nodes': {'list': [0]}, 'motion': [{'until': 0.1, "
                          "'velocity': [0, 1, 0]}, {'from': 0.1, 'until': 0.2, 'velocity': "
                          "[0, -1, 0]}]}, {'nodes': {'list': [4]}, 'until': 0.1}, "
                          "{'nodes': {'list': [20]}, 'until': 0.2}]"),
                    &scene);
    if (!s) return;
    const double *x = s->state.x;
    advance(s, 5);
    CHECK_NEAR(x[3 * 0 + 1], 0.1, 1e-9);
    CHECK(x[3 * 4 + 1] == 0 && x[3 * 20 + 1] == 0 && x[3 * 12 + 1] < 0);
    advance(s, 5);
    CHECK_NEAR(x[3 * 0 + 1], 0, 1e-9);
    CHECK(x[3 * 4 + 1] < -1e-3 && x[3 * 20 + 1] == 0);
    advance(s, 5);
    CHECK(x[3 * 20 + 1] < -1e-3 && fabs(x[1]) < 1e-9);
    drop_scene(s, scene);
}

TEST(weights)
{
    scene_def *scene;
    stepper *s = build_scene(SHEET("}, 'weights': [{'nodes': {'list': [20, 24]}, 'mass': 0.05}]"),
                             &scene),
            *plain;
    if (!s) return;
    scene_def *other;
    plain = build_scene(SHEET("}"), &other);
    for (size_t i = 0; i < s->model->mass.count; i++)
        CHECK_NEAR(s->model->mass.data[i] - plain->model->mass.data[i],
                   i == 20 || i == 24 ? 0.05 : 0, 1e-15);
    drop_scene(s, scene);
    drop_scene(plain, other);
}

/* One segment as a spring, k = E A / l, on half of its mass: the free oscillation of a damped
 * oscillator of damping ratio beta omega / 2. */
TEST(damped_segment)
{
    const double beta = 4e-3, h = 1e-4, start = 0.1;
    scene_def *scene;
    stepper *s = build_scene(
        "{'abut': 1, 'time': {'step': 1e-4, 'steps': 1000, 'integrator': 'newmark'}, 'gravity': "
        "[0, "
        "0, 0], 'solver': {'tolerance': 1e-8}, 'contact': {'enabled': false}, 'bodies': [{'type': "
        "'rod', 'mesh': {'polyline': {'from': [0, 0, 0], 'to': [1, 0, 0], 'segments': 1}}, "
        "'material': {'young': 1e6, 'poisson': 0.3, 'density': 1000, 'damping': 4e-3}, 'rod': "
        "{'diameter': 0.01}, 'fix': {'nodes': {'list': [0]}}}]}",
        &scene);
    if (!s) return;
    s->state.v[3] = start;
    double omega = sqrt(1e6 / (0.5 * 1000)), ratio = 0.5 * beta * omega;
    double damped = omega * sqrt(1 - ratio * ratio), largest = 0;
    for (int n = 1; n <= 800; n++) {
        advance(s, 1);
        double t = n * h, exact = start / damped * exp(-ratio * omega * t) * sin(damped * t);
        largest = fmax(largest, fabs(s->state.x[3] - 1 - exact));
    }
    CHECK(largest < 2e-3 * start / damped);
    drop_scene(s, scene);
}

/* Kinetic and elastic energy of a bent and stretched strip after some free steps. */
static double energy_left(const char *damping)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "{'abut': 1, 'time': {'step': 2e-3, 'steps': 100, 'integrator': 'newmark'}, 'gravity': "
        "[0, 0, 0], 'contact': {'enabled': false}, 'bodies': [{'type': 'shell', 'mesh': "
        "{'grid': {'size': [0.3, 0.1], 'cells': [6, 2]}}, 'material': {'young': 1e5, "
        "'poisson': 0.3, 'density': 500}, 'shell': {'thickness': 2e-3, 'rest': 'flat'%s}}]}",
        damping);
    scene_def *scene;
    stepper *s = build_scene(text, &scene);
    if (!s) return 0;
    step_statistics statistics = {0};
    for (size_t i = 0; i < s->model->rest.count; i++) {
        double x = s->model->rest.data[i].x;
        s->state.v[3 * i] = x;              /* stretch */
        s->state.v[3 * i + 1] = 10 * x * x; /* bending */
    }
    for (int n = 0; n < 60; n++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    drop_scene(s, scene);
    return statistics.kinetic + statistics.elastic;
}

TEST(damped_sheet)
{
    double free = energy_left(""), little = energy_left(", 'damping': 1e-4"),
           much = energy_left(", 'damping': 1e-2"),
           bending = energy_left(", 'damping': 0, 'bending_damping': 1e-2");
    CHECK(little < 0.999 * free && much < 0.9 * little);
    CHECK(bending < 0.999 * free && bending > much);
}

/* The gradient is that of the value, for membrane, hinges, segments and joints. */
TEST(damping_gradient)
{
    scene_def *scene;
    stepper *s = build_scene(
        "{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'bodies': [{'type': 'shell', 'mesh': "
        "{'grid': {'size': [1, 1], 'cells': [1, 1]}}, 'shell': {'preset': 'cotton', 'damping': "
        "0.1}}, {'type': 'rod', 'mesh': {'polyline': {'from': [0, 1, 0], 'to': [1, 1, 0], "
        "'segments': 2}}, 'material': {'young': 1e4, 'poisson': 0.3}, 'rod': {'diameter': 0.01, "
        "'damping': 0.2, 'bending_damping': 0.3}}]}",
        &scene);
    if (!s) return;
    term *t = &s->damping->base;
    double x[21], step = 1e-6;
    size_t scalars = 3 * s->model->rest.count, groups = 0;
    CHECK(scalars == 21);
    for (size_t i = 0; i < scalars; i++) x[i] = s->state.x[i] + 0.05 * sin(7.0 * (double)i);
    damping_lag(s->damping, x);
    /* Each source with the coefficient of its kind: in and out of the plane of the sheet, along the
     * rod and of its bending. */
    for (int g = 0; g < t->group_count; g++) {
        const term *source = s->damping->source[g];
        if (!source || t->groups[g].count == 0) continue;
        bool rod = t->groups[g].width == 2 || t->groups[g].width == 3;
        rod = rod && t->groups[g].blocks[0] >= 4;
        bool bends = rod ? t->groups[g].width == 3 : t->groups[g].width == 4;
        double beta = !rod ? 0.1 : bends ? 0.3 : 0.2, hessian[90], sum = 0;
        evaluation unit = evaluation_unit();
        source->class->derivatives(source, &unit, 0, x, 0, 1, NULL, hessian);
        int width = t->groups[g].width, size = 9 * width * (width + 1) / 2;
        for (int i = 0; i < size; i++) {
            sum += fabs(hessian[i]);
            CHECK_NEAR(s->damping->stiffness[g][i], beta * hessian[i],
                       1e-12 * fabs(beta * hessian[i]));
        }
        CHECK(sum > 0);
    }
    test_evaluation.force_factor = 0.3;
    double gradient[21] = {0};
    for (size_t i = 0; i < scalars; i++) x[i] += 0.02 * cos(3.0 * (double)i);
    for (int g = 0; g < t->group_count; g++)
        for (size_t e = 0; e < t->groups[g].count; e++) {
            double part[12];
            t->class->derivatives(t, &test_evaluation, g, x, e, e + 1, part, NULL);
            groups += e == 0;
            for (int k = 0; k < 3 * t->groups[g].width; k++)
                gradient[3 * t->groups[g].blocks[e * (size_t)t->groups[g].width + (size_t)(k / 3)] +
                         k % 3] += part[k];
        }
    CHECK(groups == 4);
    double largest = 0;
    for (size_t i = 0; i < scalars; i++) largest = fmax(largest, fabs(gradient[i]));
    for (size_t i = 0; i < scalars; i++) {
        double before = x[i];
        x[i] = before + step;
        double high = t->class->value(t, &test_evaluation, x);
        x[i] = before - step;
        double low = t->class->value(t, &test_evaluation, x);
        x[i] = before;
        CHECK_NEAR(gradient[i], (high - low) / (2 * step), 1e-6 * largest);
    }
    drop_scene(s, scene);
}

int main(void)
{
    RUN(handles);
    RUN(weights);
    RUN(damped_segment);
    RUN(damped_sheet);
    RUN(damping_gradient);
    return TEST_END();
}
