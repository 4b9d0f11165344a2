/* Adhesion: its law, derivatives, forces between sheets, what hangs on a ceiling and what falls,
 * and what is refused. */
#include "test.h"

#include "base/random.h"
#include "contact/adhesion_term.h"
#include "sim/sim.h"
#include "support/term_differences.h"

#include <abut/sim.h>

static abut_error err;

static abut_sim *make(const char *scene)
{
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create(scene, strlen(scene), "scene.json", NULL, &sim, &err), err);
    return sim;
}

/* By the distance: force 1 at half of the range, work of half of it. */
TEST(law)
{
    const double range = 0.02, shat = range * range, step = 1e-6;
    CHECK_NEAR(adhesion_value(1e-30, shat), -range / 2, 1e-12);
    CHECK_NEAR(barrier_first(ADHESION_LAW, shat / 4, shat) * range, 1, 1e-12);
    CHECK(barrier_value(ADHESION_LAW, shat, shat) == 0);
    for (double d = 0.05 * range; d < range; d += 0.0371 * range) {
        double s = d * d, h = step * s;
        CHECK_NEAR(barrier_first(ADHESION_LAW, s, shat),
                   (adhesion_value(s + h, shat) - adhesion_value(s - h, shat)) / (2 * h),
                   1e-5 / range);
        CHECK_NEAR(barrier_second(ADHESION_LAW, s, shat),
                   (adhesion_first(s + h, shat) - adhesion_first(s - h, shat)) / (2 * h),
                   1e-3 / shat);
        double force = barrier_first(ADHESION_LAW, s, shat) * 2 * d;
        CHECK_NEAR(force, d < range / 2 ? 2 * d / range : 2 * (range - d) / range, 1e-12);
    }
}

#define CLOTH                                                                                      \
    "\"type\": \"shell\", \"shell\": {\"thickness\": 1e-3}, \"material\": {\"young\": 1e5, "       \
    "\"poisson\": 0.3}"
/* Two sheets at a distance of 8 mm, of which the second is larger. */
#define SHEETS(adhesion)                                                                           \
    "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 2}, \"contact\": {\"dhat\": 1e-3, "       \
    "\"friction_pairs\": [{\"first\": \"a\", \"second\": \"b\", \"coefficient\": 0, "              \
    "\"interface\": {\"adhesion\": {" adhesion "}}}]}, \"bodies\": [{\"name\": \"a\", " CLOTH      \
    ", \"mesh\": {\"grid\": {\"size\": [0.2, 0.2], \"cells\": [5, 5]}}, \"translate\": [0.003, "   \
    "0.008, 0.001]}, {\"name\": \"b\", " CLOTH                                                     \
    ", \"mesh\": {\"grid\": {\"size\": [0.24, 0.24], \"cells\": [7, 7]}}}]}"

TEST(sheets)
{
    abut_sim *sim = make(SHEETS("\"work\": 1, \"strength\": 100"));
    if (!sim) return;
    stepper *s = sim->stepper;
    adhesion_term *t = s->loads.adhesions.data[0];
    size_t n = 3 * s->model->rest.count;
    double *g = mem_alloc(n + n * n, sizeof *g), *h = g + n, *x = mem_alloc(n, sizeof *x), sum = 0;
    evaluation ev = evaluation_unit();
    ev.force_factor = 0.5;
    ev.exact = true;
    CHECK_OK(t->base.class->update(&t->base, s->state.x, &err), err);
    term_dense(&t->base, &ev, s->state.x, n, g, h);
    const model_body *first = &s->model->bodies.data[0];
    for (int32_t i = 0; i < first->block_count; i++) sum += g[3 * (first->first_block + i) + 1];
    printf("  force by strength x area: %.4f\n", sum / (0.5 * 100 * 0.04 * 0.8));
    CHECK_NEAR(sum, 0.5 * 100 * 0.04 * 0.8, 0.05 * 0.5 * 100 * 0.04 * 0.8);
    random_state r = {7};
    for (size_t i = 0; i < n; i++) x[i] = s->state.x[i] + random_range(&r, -1e-3, 1e-3);
    check_term_derivatives(&t->base, &ev, x, n, 1e-8, 1e-5, 1e-4);
    mem_free(g);
    mem_free(x);
    abut_sim_destroy(sim);
}

/* A block of 8 kg whose top of 0.04 m^2 is under a ceiling: 1962 Pa are needed. */
static double fallen(const char *type, double strength)
{
    char text[1200];
    snprintf(text, sizeof text,
             "{\"abut\": 1, \"time\": {\"step\": 0.05, \"steps\": 10}, \"contact\": {\"dhat\": "
             "1e-3}, \"bodies\": [{\"name\": \"b\", %s, \"mesh\": {\"box\": {\"size\": [0.2, 0.2, "
             "0.2], \"cells\": [2, 2, 2]}}, \"translate\": [0, -0.1019, 0]}], \"half_spaces\": "
             "[{\"normal\": [0, -1, 0], \"interface\": {\"adhesion\": {\"work\": %g, "
             "\"strength\": %g}}}]}",
             type, strength * 2e-3, strength);
    abut_sim *sim = make(text);
    if (!sim) return 0;
    double before = sim->stepper->state.x[1];
    for (int k = 0; k < 10; k++) CHECK_OK(abut_sim_step(sim, &err), err);
    double moved = before - sim->stepper->state.x[1];
    abut_sim_destroy(sim);
    return moved;
}

TEST(ceiling)
{
    const char *types[] = {"\"type\": \"rigid\", \"density\": 1000",
                           "\"material\": {\"young\": 1e7, \"poisson\": 0.3}"};
    for (int k = 0; k < 2; k++) {
        CHECK(fallen(types[k], 2060) < 1e-3);
        CHECK(fallen(types[k], 1860) > 0.1);
    }
}

static void check_refused(const char *scene, abut_status code, const char *place,
                          const char *message)
{
    abut_sim *sim = NULL;
    CHECK(abut_sim_create(scene, strlen(scene), "s.json", NULL, &sim, &err) == code);
    CHECK(strstr(err.place, place) && strstr(err.message, message));
    if (!strstr(err.place, place) || !strstr(err.message, message))
        printf("  %s: %s\n", err.place, err.message);
    abut_sim_destroy(sim);
}

TEST(refused_by_name)
{
    check_refused(
        SHEETS("\"work\": 1, \"strength\": 2000"), ABUT_ERROR_INPUT,
        "contact.friction_pairs[0]: interface.adhesion",
        "has the range 2 work / strength = 0.001 m; it must be at least 2 dhat = 0.002 m");
    check_refused(SHEETS("\"work\": 0, \"strength\": 2000"), ABUT_ERROR_INPUT, "work",
                  "must be a number > 0 (J/m^2)");
    check_refused(SHEETS("\"work\": 1"), ABUT_ERROR_INPUT, "strength", "is missing");
}

int main(void)
{
    RUN(law);
    RUN(sheets);
    RUN(ceiling);
    RUN(refused_by_name);
    return TEST_END();
}
