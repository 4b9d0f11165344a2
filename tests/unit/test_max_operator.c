/* The improved maximum: pairs that share their closest feature count once; what is left is smooth,
 * and its derivatives are right. */
#include "support/evaluation.h"
#include "test.h"

#include "base/random.h"
#include "contact/barrier_stencil.h"
#include "contact/contact_term.h"
#include "solve/problem.h"
#include "support/scene_makers.h"

static abut_error err;
static stage_timer timer;

/* A fan of six triangles around the origin and one free vertex above it. */
enum { RIM = 6, VERTICES = RIM + 2, POINT = RIM + 1 };

static void make_fan(collision_surface *s, vec3 *y)
{
    y[0] = (vec3){0, 0, 0};
    for (int k = 0; k < RIM; k++) {
        double angle = 2 * 3.14159265358979323846 * k / RIM;
        y[k + 1] = (vec3){cos(angle), 0, sin(angle)};
    }
    for (int32_t k = 0; k < RIM; k++) {
        int32_t t[3] = {0, 1 + (k + 1) % RIM, 1 + k};
        for (int i = 0; i < 3; i++) CHECK(array_push(&s->triangles, t[i]));
        CHECK(array_push(&s->edges, 0) && array_push(&s->edges, 1 + k));
        CHECK(array_push(&s->edges, 1 + k) && array_push(&s->edges, 1 + (k + 1) % RIM));
    }
    for (int i = 0; i < 2 * RIM; i++) CHECK(array_push(&s->edge_length2, 1.0));
}

/* Sum of the barriers of the point, and how often its closest feature counts. */
static double fan_energy(active_set *set, const collision_surface *s, pair_weights weights,
                         const vec3 *y, double dhat)
{
    candidate_set candidates = {0};
    for (int32_t k = 0; k < RIM; k++) {
        CHECK(array_resize(&candidates.vt, candidates.vt.count + 1));
        int32_t pair[2] = {POINT, k};
        memcpy(&candidates.vt.data[candidates.vt.count - 1], pair, sizeof pair);
    }
    CHECK_OK(active_set_build(set, s, &candidates, weights, y, dhat, &err), err);
    barrier_law law = {BARRIER_C2, dhat * dhat, 1};
    double sum = 0;
    for (int l = 0; l < STENCIL_LISTS; l++)
        for (size_t i = 0; i < set->lists[l].count; i++)
            sum += barrier_stencil_value(&law, (stencil_list)l, &set->lists[l].data[i], y);
    candidate_set_free(&candidates);
    return sum;
}

TEST(counts_once)
{
    collision_surface s = {0};
    surface_links links = {0};
    vec3 y[VERTICES];
    make_fan(&s, y);
    CHECK_OK(surface_links_make(&links, &s, VERTICES, &err), err);
    CHECK(links.inner.data[0] && !links.inner.data[1]);
    const double dhat = 0.3, height = 0.1;
    double one = barrier_value(BARRIER_C2, height * height, dhat * dhat);
    active_set plain = {0}, improved = {0};
    pair_weights linked = {.links = &links};
    random_state r = {5};
    for (int i = 0; i < 400; i++) {
        /* Above the fan, on all kinds of features; the flat patch has one distance everywhere. */
        double x = random_range(&r, -0.4, 0.4), z = random_range(&r, -0.4, 0.4);
        if (i == 0) x = z = 0;
        if (i == 1) z = 0;
        y[POINT] = (vec3){x, height, z};
        CHECK_NEAR(fan_energy(&improved, &s, linked, y, dhat), one, 1e-12 * one);
        double several = fan_energy(&plain, &s, (pair_weights){0}, y, dhat);
        CHECK(several >= one * (1 - 1e-12));
        if (i == 0) CHECK_NEAR(several, 6 * one, 1e-12 * one);
    }
    active_set_free(&plain);
    active_set_free(&improved);
    surface_links_free(&links);
    collision_surface_free(&s);
}

/* Two cubes, one of them turned: gradient of the value, and a matrix that is definite. */
TEST(term_matches_differences)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        model *m = make_stacked_model(1, 1, 0.02);
        contact_options options = {.dhat = 0.05, .area_weighted = weighted, .improved_max = true};
        contact_term *t = NULL;
        problem p;
        CHECK_OK(contact_create(m, &options, &t, &err), err);
        test_evaluation.kappa = 1e5;
        CHECK_OK(problem_init(&p, model_block_count(m), &timer, &err), err);
        CHECK_OK(problem_add_term(&p, &t->base, &err), err);
        enum { N = 3 * 16 };
        double x[N], g[N], scale = 0;
        CHECK(3 * m->rest.count == N);
        memcpy(x, m->rest.data, sizeof x);
        random_state r = {3};
        for (int i = 0; i < N; i++) x[i] += random_range(&r, -0.004, 0.004);
        CHECK_OK(problem_update(&p, &test_evaluation, x, &err), err);
        CHECK_OK(problem_derivatives(&p, &test_evaluation, x, true, &err), err);
        CHECK(contact_count(t) > 0);
        memcpy(g, p.gradient, sizeof g);
        for (int i = 0; i < N; i++) scale = fmax(scale, fabs(g[i]));
        CHECK(scale > 0);
        for (int i = 0; i < N; i++) {
            const double h = 1e-6;
            double keep = x[i], at[2];
            for (int k = 0; k < 2; k++) {
                x[i] = keep + (k ? h : -h);
                CHECK_OK(problem_update(&p, &test_evaluation, x, &err), err);
                at[k] = problem_value(&p, &test_evaluation, x);
            }
            x[i] = keep;
            CHECK_NEAR((at[1] - at[0]) / (2 * h), g[i], 1e-5 * scale);
        }
        problem_free(&p);
        t->base.class->destroy(&t->base);
        free_model(m);
    }
}

int main(void)
{
    RUN(counts_once);
    RUN(term_matches_differences);
    return TEST_END();
}
