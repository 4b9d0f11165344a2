/* The trust region of Newton's method against dense algebra: its directions, what they promise, and
 * what it learns. */
#include "support/evaluation.h"
#include "test.h"

#include "base/random.h"
#include "linear/solver.h"
#include "math/eigen.h"
#include "solve/newton.h"
#include "solve/trust_region.h"

#include <string.h>

/* A quadratic energy of four points: b.x + x.H x / 2, with P in place of H where Hessians are
 * projected. */
enum { POINTS = 4, N = 3 * POINTS };
static double true_one[N * N], projected[N * N], slope[N];

static double value(const term *t, const evaluation *ev, const double *x)
{
    (void)t, (void)ev;
    double sum = 0;
    for (int i = 0; i < N; i++) {
        sum += slope[i] * x[i];
        for (int j = 0; j < N; j++) sum += 0.5 * x[i] * true_one[i * N + j] * x[j];
    }
    return sum;
}

static void derivatives(const term *t, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)t, (void)group;
    for (size_t s = begin; s < end; s++) {
        for (int i = 0; gradient && i < N; i++) {
            gradient[i] = slope[i];
            for (int j = 0; j < N; j++) gradient[i] += true_one[i * N + j] * x[j];
        }
        if (hessian) stencil_store_blocks(POINTS, ev->exact ? true_one : projected, hessian);
    }
}

/* H with eigenvalues between low and 5, P with those below 0.5 of H replaced by ones of up to 3,
 * all from a seed. */
static void draw(uint64_t seed, double low)
{
    random_state random = {seed};
    double a[N * N], values[N], v[N * N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) a[i * N + j] = a[j * N + i] = random_unit(&random) - 0.5;
    eigen_symmetric(N, a, values, v);
    memset(true_one, 0, sizeof true_one);
    memset(projected, 0, sizeof projected);
    for (int k = 0; k < N; k++) {
        double h = low + (5 - low) * random_unit(&random);
        double p = h < 0.5 ? 0.5 + 2.5 * random_unit(&random) : h;
        for (int i = 0; i < N * N; i++) {
            double part = v[i / N * N + k] * v[i % N * N + k];
            true_one[i] += h * part;
            projected[i] += p * part;
        }
        slope[k] = random_unit(&random) - 0.5;
    }
}

static const int32_t blocks[POINTS] = {0, 1, 2, 3};
static const term_class kind = {.name = "quadratic", .value = value, .derivatives = derivatives};

typedef struct world {
    term t;
    problem p;
    stage_timer timer;
    linear_solver *linear;
    trust_region region;
    double x[N], right[N], step[N], q[N];
} world;

static void open_world(world *w)
{
    abut_error err;
    *w = (world){.t = {.class = &kind, .group_count = 1, .groups = {{POINTS, 1, blocks}}}};
    CHECK_OK(problem_init(&w->p, POINTS, &w->timer, &err), err);
    CHECK_OK(problem_add_term(&w->p, &w->t, &err), err);
    CHECK_OK(linear_create(&(linear_options){.name = "direct"}, &w->linear, &err), err);
    const uint8_t fixed[N] = {0};
    CHECK_OK(problem_set_fixed(&w->p, fixed, &err), err);
    trust_region_begin(&w->region);
}

static void close_world(world *w)
{
    trust_region_free(&w->region);
    linear_destroy(w->linear);
    problem_free(&w->p);
}

static void find(world *w, bool usable)
{
    abut_error err;
    CHECK_OK(problem_derivatives(&w->p, &test_evaluation, w->x, true, &err), err);
    for (int i = 0; i < N; i++) w->right[i] = -w->p.gradient[i];
    CHECK_OK(problem_solve(&w->p, w->linear, w->x, w->right, 0, w->step, &err), err);
    CHECK_OK(trust_region_direction(&w->region, &w->p, &test_evaluation, w->linear, w->x, w->right,
                                    w->step, usable, w->q, &err),
             err);
}

static double form(const double *m, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum += a[i] * m[i * N + j] * b[j];
    return sum;
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < N; i++) sum += a[i] * b[i];
    return sum;
}

/* Slope, promise, length and curvature come from recurrences: they are those of dense algebra, the
 * radius is met exactly, and the promise is at least that of P's direction within it. */
TEST(directions_are_what_they_say)
{
    int inside = 0, at_radius = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        world w;
        draw(seed, seed % 2 ? -2 : 0.2);
        open_world(&w);
        w.region.stiff = true;
        w.region.radius = 1 + (double)(seed % 5);
        find(&w, true);
        const trust_model *m = &w.region.model;
        CHECK(m->true_one && m->slope > 0 && m->gain > 0);
        CHECK_NEAR(m->slope, dot(w.right, w.q), 1e-9);
        CHECK_NEAR(m->gain, dot(w.right, w.q) - 0.5 * form(true_one, w.q, w.q), 1e-9);
        double metric = form(projected, w.step, w.step);
        CHECK_NEAR(m->length * m->length, form(projected, w.q, w.q) / metric, 1e-8);
        CHECK_NEAR(m->softness, form(true_one, w.step, w.step) / metric, 1e-9);
        double cauchy = dot(w.right, w.step) - 0.5 * form(true_one, w.step, w.step);
        CHECK(m->gain >= cauchy * (1 - 1e-12));
        if (m->boundary) CHECK_NEAR(m->length, w.region.radius, 1e-9);
        if (m->boundary) at_radius++;
        double rest[N], left = 0;
        for (int i = 0; i < N; i++) {
            rest[i] = w.right[i];
            for (int j = 0; j < N; j++) rest[i] -= true_one[i * N + j] * w.q[j];
            left = fmax(left, fabs(rest[i]));
        }
        if (!m->boundary) inside++;
        if (!m->boundary) CHECK(m->length < w.region.radius && left < 0.5);
        for (double part = 0.25; part <= 1; part *= 2)
            CHECK_NEAR(trust_region_promise(&w.region, part),
                       part * dot(w.right, w.q) - 0.5 * part * part * form(true_one, w.q, w.q),
                       1e-9);
        close_world(&w);
    }
    CHECK(inside > 30 && at_radius > 30);
}

/* Nothing is assembled or multiplied where P is right or H is not wanted. */
TEST(the_true_hessian_only_where_it_is_needed)
{
    world w;
    draw(3, -2);
    open_world(&w);
    find(&w, true);
    CHECK(!w.region.model.true_one && w.region.hessians == 0 && w.region.products == 0);
    CHECK(memcmp(w.q, w.step, sizeof w.q) == 0 && w.region.model.length == 1);
    w.region.stiff = true;
    find(&w, false);
    CHECK(!w.region.model.true_one && w.region.hessians == 0);
    find(&w, true);
    CHECK(w.region.model.true_one && w.region.hessians == 1 && w.region.products > 0);
    close_world(&w);
}

/* What whole, poor and cut steps teach. */
TEST(ratios)
{
    trust_region r = {0};
    trust_region_begin(&r);
    CHECK(!r.stiff && r.radius > 1);
    double first = r.radius;
    r.model = (trust_model){.slope = 2, .gain = 1, .length = 1, .softness = 1};
    trust_region_learn(&r, 1, 1.2, 1); /* curvature 0.8 of P's */
    CHECK(!r.stiff && r.radius == first);
    trust_region_learn(&r, 1, 1.3, 1); /* 0.7 */
    CHECK(r.stiff);
    trust_region_learn(&r, 0.5, 1.3, 0.5); /* cut: longer directions are of no use */
    CHECK(!r.stiff);
    r.model = (trust_model){2, 1.5, 2, 0.5, true, true};
    trust_region_learn(&r, 1, 1.5, 1); /* as promised, at the radius */
    CHECK(r.stiff && r.radius == 2 * first);
    trust_region_learn(&r, 0.3, 0.5, 0.3); /* cut by a collision */
    CHECK(r.radius == 2 * first);
    trust_region_learn(&r, 1, 0.1, 0.4); /* poor */
    CHECK(r.radius == 1);
    r.model.length = 20;
    trust_region_learn(&r, 1, 0.1, 0.4);
    CHECK_NEAR(r.radius, 8, 1e-12);
    trust_region_learn(&r, 1, 0.1, 1); /* never more than half */
    CHECK_NEAR(r.radius, 10, 1e-12);
    r.model.softness = 0.9; /* P is right after all */
    trust_region_learn(&r, 1, 1.5, 1);
    CHECK(!r.stiff);
    trust_region_replace(&r, 4);
    CHECK_NEAR(trust_region_promise(&r, 1), 2.4, 1e-12);
    CHECK_NEAR(trust_region_promise(&r, 0.5), 1.2, 1e-12);
    double before = r.radius;
    trust_region_learn(&r, 1, 0.01, 1); /* another's direction teaches nothing */
    CHECK(r.radius == before && !r.stiff);
}

/* Newton's method on a quadratic energy whose projected Hessian is up to fifteen times too stiff:
 * a first step, a true one. Without true Hessians it creeps. The same in other units of length and
 * energy takes the same iterations. */
TEST(quadratic_energies_take_few_iterations_in_any_units)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        int iterations[3];
        static const double length[3] = {1, 1e3, 1}, energy[3] = {1, 1e-6, 1e9};
        for (int unit = 0; unit < 3; unit++) {
            world w;
            draw(seed, 0.2);
            for (int i = 0; i < N * N; i++) {
                true_one[i] *= energy[unit] / (length[unit] * length[unit]);
                projected[i] *= energy[unit] / (length[unit] * length[unit]);
            }
            for (int i = 0; i < N; i++) slope[i] *= energy[unit] / length[unit];
            open_world(&w);
            newton_solver newton;
            newton_result result;
            abut_error err;
            CHECK_OK(newton_init(&newton, &w.p, w.linear, NULL, &err), err);
            newton_options options = {.tolerance = 1e-9 * length[unit], .max_iterations = 1000};
            CHECK_OK(newton_minimize(&newton, &test_evaluation, w.x, &options, NULL, &result, &err),
                     err);
            iterations[unit] = result.iterations;
            CHECK(result.converged && result.iterations < 40);
            newton_free(&newton);
            close_world(&w);
        }
        CHECK(abs(iterations[1] - iterations[0]) <= 1 && abs(iterations[2] - iterations[0]) <= 1);
    }
}

int main(void)
{
    RUN(directions_are_what_they_say);
    RUN(the_true_hessian_only_where_it_is_needed);
    RUN(ratios);
    RUN(quadratic_energies_take_few_iterations_in_any_units);
    return TEST_END();
}
