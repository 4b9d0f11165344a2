/* Gas in closed cavities: derivatives with the part that is not assembled, the solve with it
 * against a dense one, the pressure of a balloon, gas laws, resuming, and what is refused. */
#include "test.h"

#include "base/file.h"
#include "sim/sim.h"
#include "support/dense_oracle.h"
#include "term/cavity.h"

#include <abut/sim.h>
#include <unistd.h>

static abut_error err;
static char folder[64];

#define BALL "{\"sphere\": {\"radius\": 0.1, \"level\": %d}}"
/* The three planes of symmetry hold the ball where it is. */
#define SYMMETRY                                                                                   \
    "\"fix\": [{\"nodes\": {\"box\": [[-1e-9, -1, -1], [1e-9, 1, 1]]}, \"axes\": \"x\"}, "         \
    "{\"nodes\": {\"box\": [[-1, -1e-9, -1], [1, 1e-9, 1]]}, \"axes\": \"y\"}, "                   \
    "{\"nodes\": {\"box\": [[-1, -1, -1e-9], [1, 1, 1e-9]]}, \"axes\": \"z\"}]"

static abut_sim *make(int level, const char *time, const char *linear, const char *fix,
                      const char *cavity)
{
    char text[2000], path[200];
    abut_sim *sim = NULL;
    snprintf(text, sizeof text,
             "{\"abut\": 1, \"gravity\": [0, 0, 0], \"time\": {%s}, \"contact\": {\"enabled\": "
             "false}, \"solver\": {\"tolerance\": 1e-9, \"linear\": \"%s\"}, \"bodies\": [{"
             "\"name\": \"ball\", \"type\": \"shell\", \"mesh\": " BALL ", \"material\": "
             "{\"young\": 1e6, \"poisson\": 0.3}, \"shell\": {\"thickness\": 1e-3}, %s}], "
             "\"cavities\": [{\"body\": \"ball\"%s}]}",
             time, linear, level, fix, cavity);
    path_join(path, sizeof path, folder, "scene.json");
    CHECK_OK(abut_sim_create(text, strlen(text), path, NULL, &sim, &err), err);
    return sim;
}

static const cavity_term *gas_of(const abut_sim *sim)
{
    const cavity_term *t = cavity_term_of(stepper_find_term(sim->stepper, "cavities"));
    CHECK(t != NULL);
    return t;
}

enum { MOST = 3 * 42 };

/* The term alone over all coordinates: gradient, and Hessian with the vector of low rank. */
static void derivatives_of(const cavity_term *gas, const evaluation *ev, const double *x, size_t n,
                           double *gradient, double *hessian)
{
    static double g[9 * 80], h[54 * 80], u[MOST];
    term *t = (term *)(uintptr_t)&gas->base;
    const stencil_group *group = &t->groups[0];
    CHECK_OK(t->class->update(t, x, &err), err);
    t->class->derivatives(t, ev, 0, x, 0, group->count, g, h);
    memset(gradient, 0, n * sizeof *gradient);
    memset(hessian, 0, n * n * sizeof *hessian);
    for (size_t e = 0; e < group->count; e++) {
        const double *block = h + 54 * e;
        for (size_t a = 0; a < 3; a++) {
            size_t row = 3 * (size_t)group->blocks[3 * e + a];
            for (size_t i = 0; i < 3; i++) gradient[row + i] += g[9 * e + 3 * a + i];
            for (size_t b = a; b < 3; b++, block += 9) {
                size_t column = 3 * (size_t)group->blocks[3 * e + b];
                for (size_t i = 0; i < 9; i++) {
                    hessian[(row + i / 3) * n + column + i % 3] += block[i];
                    if (a != b) hessian[(column + i % 3) * n + row + i / 3] += block[i];
                }
            }
        }
    }
    CHECK(t->class->low_rank(t, ev, 0, x, u) && !t->class->low_rank(t, ev, 1, x, u + 0));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) hessian[i * n + j] += u[i] * u[j];
}

TEST(derivatives_with_the_vector)
{
    static double g[MOST], h[MOST * MOST], above[MOST], below[MOST], other[MOST * MOST], x[MOST];
    static const char *const laws[] = {", \"exponent\": 1, \"pressure\": 9e4",
                                       ", \"pressure\": 1.2e5, \"amount\": 1.3"};
    random_state r = {1};
    for (int law = 0; law < 2; law++) {
        abut_sim *sim = make(1, "\"step\": 0.01, \"steps\": 2", "direct", SYMMETRY, laws[law]);
        if (!sim) return;
        const cavity_term *gas = gas_of(sim);
        size_t n = 3 * sim->stepper->model->rest.count;
        CHECK(n == MOST);
        evaluation ev = evaluation_unit();
        ev.force_factor = 0.3;
        ev.exact = true;
        for (size_t i = 0; i < n; i++)
            x[i] = sim->stepper->state.x[i] + random_range(&r, -0.02, 0.02) + 5;
        derivatives_of(gas, &ev, x, n, g, h);
        const double step = 1e-6;
        double slopes = 0, stiffness = 0;
        for (size_t i = 0; i < n; i++) slopes = fmax(slopes, fabs(g[i]));
        for (size_t i = 0; i < n * n; i++) stiffness = fmax(stiffness, fabs(h[i]));
        for (size_t i = 0; i < n; i++) {
            double kept = x[i];
            x[i] = kept + step;
            double high = gas->base.class->value(&gas->base, &ev, x);
            derivatives_of(gas, &ev, x, n, above, other);
            x[i] = kept - step;
            double low = gas->base.class->value(&gas->base, &ev, x);
            derivatives_of(gas, &ev, x, n, below, other);
            x[i] = kept;
            CHECK_NEAR(g[i], (high - low) / (2 * step), 1e-7 * slopes);
            for (size_t j = 0; j < n; j++)
                CHECK_NEAR(h[j * n + i], (above[j] - below[j]) / (2 * step), 1e-6 * stiffness);
        }
        for (int axis = 0; axis < 3; axis++) { /* the gas pushes with no force of its own */
            double sum = 0;
            for (size_t i = (size_t)axis; i < n; i += 3) sum += g[i];
            CHECK_NEAR(sum, 0, 1e-12 * slopes * (double)n);
        }
        abut_sim_destroy(sim);
    }
}

/* The step with the vector, by the formula of Woodbury, is that of the whole dense matrix, with a
 * factor that is used again and with an iteration. */
TEST(solves_are_those_of_the_whole_matrix)
{
    static const char *const solvers[] = {"direct", "pcg"};
    for (int k = 0; k < 2; k++) {
        abut_sim *sim =
            make(1, "\"step\": 0.01, \"steps\": 2", solvers[k], SYMMETRY, ", \"outside\": 9e4");
        if (!sim) return;
        stepper *s = sim->stepper;
        problem *p = &s->problem;
        CHECK_OK(abut_sim_step(sim, &err), err);
        evaluation ev = s->evaluation;
        CHECK_OK(problem_update(p, &ev, s->state.x, &err), err);
        CHECK_OK(problem_derivatives(p, &ev, s->state.x, true, &err), err);
        CHECK(p->low.count == 1);
        size_t n = 3 * (size_t)p->free_count;
        double *right = mem_calloc(n, sizeof *right), *step = mem_calloc(n, sizeof *step);
        double *product = mem_calloc(n, sizeof *product), along = 0, size = 0;
        random_state r = {2};
        for (size_t i = 0; i < n; i++)
            right[i] = p->any_mask && p->mask[i] ? 0 : random_range(&r, -1, 1);
        CHECK_OK(problem_solve(p, s->linear, s->state.x, right, 1e-13, step, &err), err);
        block_matrix_multiply(&p->matrix, step, product);
        for (size_t i = 0; i < n; i++) along += p->low.u.data[i] * step[i];
        for (size_t i = 0; i < n; i++) size = fmax(size, fabs(p->low.u.data[i]));
        CHECK(size > 0);
        for (size_t i = 0; i < n; i++) CHECK(!(p->any_mask && p->mask[i]) || p->low.u.data[i] == 0);
        for (size_t i = 0; i < n; i++)
            CHECK_NEAR(product[i] + p->low.u.data[i] * along, right[i], k ? 1e-5 : 1e-9);
        mem_free(right);
        mem_free(step);
        mem_free(product);
        abut_sim_destroy(sim);
    }
}

/* Under a small overpressure q the radius grows by q R^2 (1 - nu) / (2 E t), and the gas has
 * expanded by its law. */
TEST(a_balloon_grows)
{
    double errors[2];
    for (int level = 2; level <= 3; level++) {
        abut_sim *sim = make(level, "\"step\": 1, \"steps\": 1, \"integrator\": \"quasi-static\"",
                             "direct", SYMMETRY, ", \"exponent\": 1, \"outside\": 101125");
        if (!sim) return;
        CHECK_OK(abut_sim_step(sim, &err), err);
        const cavity_term *gas = gas_of(sim);
        const model_cavity *c = &sim->stepper->model->cavities.data[0];
        double volume = cavity_volume(c, sim->stepper->state.x);
        double pressure = 101325 * c->volume / volume, radius = cbrt(volume / c->volume) - 1;
        CHECK_NEAR(gas->gas[0].pressure, pressure, 1e-6);
        double expected = (pressure - 101125) * 0.1 * 0.7 / (2 * 1e6 * 1e-3);
        CHECK(pressure > 101130 && pressure < 101300);
        errors[level - 2] = fabs(radius / expected - 1);
        step_statistics *last = &sim->last;
        CHECK(last->newton_iterations < 12);
        abut_sim_destroy(sim);
    }
    printf("  error %.4f, %.4f\n", errors[0], errors[1]);
    CHECK(errors[1] < 0.005);
    CHECK(errors[1] < 0.6 * errors[0]);
}

/* A quick compression by a higher pressure outside heats: p V^1.4 stays, and pumping adds to it. */
TEST(gas_laws)
{
    abut_sim *sim = make(2, "\"step\": 1, \"steps\": 2, \"integrator\": \"quasi-static\"", "direct",
                         SYMMETRY, ", \"outside\": 0, \"pressure\": 100, \"amount\": \"1 + t\"");
    if (!sim) return;
    for (int k = 1; k <= 2; k++) {
        CHECK_OK(abut_sim_step(sim, &err), err);
        const cavity_term *gas = gas_of(sim);
        const model_cavity *c = &sim->stepper->model->cavities.data[0];
        double volume = cavity_volume(c, sim->stepper->state.x);
        CHECK(volume > c->volume);
        CHECK_NEAR(gas->gas[0].pressure, (1 + k) * 100 * pow(c->volume / volume, 1.4), 1e-6);
    }
    abut_sim_destroy(sim);
}

TEST(resumes_bit_for_bit)
{
    const char *time = "\"step\": 0.005, \"steps\": 6", *free = "\"velocity\": [1, 0, 0]";
    const char *cavity = ", \"amount\": \"1 + 2*t\"";
    char path[200];
    path_join(path, sizeof path, folder, "checkpoint.h5");
    abut_sim *whole = make(2, time, "direct", free, cavity);
    abut_sim *part = make(2, time, "direct", free, cavity);
    if (!whole || !part) return;
    for (int k = 0; k < 3; k++) CHECK_OK(abut_sim_step(whole, &err), err);
    CHECK_OK(abut_sim_save(whole, path, &err), err);
    for (int k = 0; k < 3; k++) CHECK_OK(abut_sim_step(whole, &err), err);
    CHECK_OK(abut_sim_restore(part, path, &err), err);
    for (int k = 0; k < 3; k++) CHECK_OK(abut_sim_step(part, &err), err);
    CHECK(memcmp(abut_sim_positions(whole), abut_sim_positions(part),
                 3 * abut_sim_node_count(whole) * sizeof(double)) == 0);
    abut_sim_destroy(whole);
    abut_sim_destroy(part);
}

static void check_refused(const char *scene, abut_status code, const char *place,
                          const char *message)
{
    abut_sim *sim = NULL;
    abut_status status = abut_sim_create(scene, strlen(scene), "s.json", NULL, &sim, &err);
    for (int k = 0; status == ABUT_OK && k < 3; k++) status = abut_sim_step(sim, &err);
    CHECK(status == code);
    CHECK(strstr(err.place, place) && strstr(err.message, message));
    if (!strstr(err.place, place) || !strstr(err.message, message))
        printf("  %s: %s\n", err.place, err.message);
    abut_sim_destroy(sim);
}

#define SCENE(top, body, cavity)                                                                   \
    "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 3}" top ", \"bodies\": [{\"name\": "      \
    "\"b\", \"material\": {\"young\": 1e5, \"poisson\": 0.3}, " body                               \
    "}], \"cavities\": [{\"body\": " cavity "}]}"
#define SHEET                                                                                      \
    "\"type\": \"shell\", \"shell\": {\"thickness\": 1e-3}, \"mesh\": {\"grid\": {\"size\": [1, "  \
    "1], \"cells\": [1, 1]}}"
#define CLOSED                                                                                     \
    "\"type\": \"shell\", \"shell\": {\"thickness\": 1e-3}, \"mesh\": {\"sphere\": {\"radius\": "  \
    "0.1, \"level\": 1}}"
#define SOLID "\"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}"

TEST(refused_by_name)
{
    const abut_status input = ABUT_ERROR_INPUT, unsupported = ABUT_ERROR_UNSUPPORTED;
    check_refused(SCENE("", SHEET, "\"b\""), input, "cavities[0]: body",
                  "the surface is not closed: the edge of nodes");
    check_refused(SCENE("", SOLID, "\"b\""), input, "cavities[0]: body",
                  "is solid: its surface encloses no cavity");
    check_refused(SCENE("", CLOSED, "\"c\""), input, "cavities[0]: body", "there is no body \"c\"");
    check_refused(SCENE("", SOLID ", \"type\": \"rigid\"", "\"b\""), unsupported,
                  "cavities[0]: body", "cavities are for shells");
    check_refused(SCENE("", CLOSED, "\"b\", \"pressure\": 0"), input, "cavities[0].pressure",
                  "must be a number > 0 (Pa)");
    check_refused(SCENE("", CLOSED, "\"b\", \"exponent\": 2"), input, "cavities[0].exponent",
                  "from 1 to 1.67");
    check_refused(SCENE("", CLOSED, "\"b\", \"amount\": \"1 - 60*t\""), input, "cavities.amount",
                  "is -0.2 at t = 0.02 s; it must be above 0");
    check_refused(SCENE(", \"remesh\": {}", CLOSED, "\"b\""), unsupported, "cavities[0]",
                  "remeshing cannot carry cavities");
    check_refused(SCENE(", \"stepper\": \"mlcp\"", SOLID, "\"b\""), unsupported, "cavities[0]",
                  "the stepper \"mlcp\" cannot carry cavities");
}

/* Inner boundaries of a solid are turned around, outer ones dropped. */
TEST(inner_boundaries)
{
    /* A tetrahedron in another one. */
    static const int32_t outer[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    double x[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    model_cavity c = {0};
    for (int k = 0; k < 12; k++) x[12 + k] = 0.2 + 0.1 * x[k];
    for (int k = 0; k < 12; k++) CHECK(array_push(&c.triangles, outer[k]));
    CHECK_NEAR(cavity_volume(&c, x), 1.0 / 6, 1e-15);
    for (int k = 0; k < 12; k += 3) {
        CHECK(array_push(&c.triangles, outer[k] + 4) && array_push(&c.triangles, outer[k + 2] + 4));
        CHECK(array_push(&c.triangles, outer[k + 1] + 4));
    }
    CHECK_OK(cavity_check_closed(c.triangles.data, 8, &err), err);
    CHECK_OK(cavity_keep_inner(&c, 8, x, &err), err);
    CHECK(c.triangles.count == 12 && c.triangles.data[0] >= 4);
    CHECK_NEAR(cavity_volume(&c, x), 1e-3 / 6, 1e-18);
    int32_t first = c.triangles.data[0];
    c.triangles.data[0] = c.triangles.data[1];
    c.triangles.data[1] = first;
    CHECK(cavity_check_closed(c.triangles.data, 4, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "face different sides") != NULL);
    cavity_free(&c);
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/abut_cavity_XXXXXX");
    if (!mkdtemp(folder)) return 1;
    RUN(derivatives_with_the_vector);
    RUN(solves_are_those_of_the_whole_matrix);
    RUN(a_balloon_grows);
    RUN(gas_laws);
    RUN(resumes_bit_for_bit);
    RUN(refused_by_name);
    RUN(inner_boundaries);
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK(system(command) == 0);
    return TEST_END();
}
