/* Active sets, barrier and friction potentials of the toolkit layer when something is wrong: input
 * is refused with its place, lack of memory is reported from every allocation. */
#include "base/memory.h"
#include "support/contact_world.h"

static abut_error err;

static void expect(abut_status status, abut_status wanted, const char *place, const char *message)
{
    CHECK(status == wanted);
    CHECK(strcmp(err.place, place) == 0);
    CHECK(strstr(err.message, message) != NULL);
    if (!strstr(err.message, message)) printf("%s: %s\n", err.place, err.message);
}

TEST(wrong_input_is_refused)
{
    world w;
    make_world(&w, 11);
    double bad[N], value;
    memcpy(bad, w.x, sizeof bad);
    bad[3 * 7] = NAN;
    abut_barrier b = abut_default_barrier();
    abut_active_set *empty = NULL;
    abut_friction *f = NULL;
    CHECK_OK(abut_active_set_create(&empty, &err), err);
    CHECK_OK(abut_friction_create(&f, &err), err);
    abut_friction_law law = {.eps = 1e-3};
    expect(abut_active_set_build(w.set, w.mesh, bad, DHAT, NULL, NULL, &err), ABUT_ERROR_INPUT,
           "positions", "vertex 7 is not finite");
    expect(abut_active_set_build(w.set, w.mesh, w.x, -1, NULL, NULL, &err), ABUT_ERROR_INPUT,
           "dhat", "only > 0");
    expect(abut_barrier_value(empty, &b, &value, &err), ABUT_ERROR_INPUT, "set", "not been built");
    expect(abut_friction_value(f, &law, w.x, w.x, &value, &err), ABUT_ERROR_INPUT, "friction",
           "abut_friction_lag");
    abut_barrier negative = {.stiffness = -1};
    expect(abut_barrier_value(w.set, &negative, &value, &err), ABUT_ERROR_INPUT, "stiffness",
           "only >= 0");
    abut_barrier unknown = {.kind = (abut_barrier_kind)7};
    expect(abut_barrier_value(w.set, &unknown, &value, &err), ABUT_ERROR_INPUT, "kind",
           "no kind of barrier");
    expect(abut_friction_lag(f, w.set, &b, &(abut_friction_options){.coefficient = -0.1}, &err),
           ABUT_ERROR_INPUT, "coefficient", "only >= 0");
    double mu[16] = {0};
    mu[1] = 0.5;
    expect(
        abut_friction_lag(f, w.set, &b, &(abut_friction_options){.group_coefficients = mu}, &err),
        ABUT_ERROR_INPUT, "group_coefficients", "two different values");
    CHECK_OK(abut_friction_lag(f, w.set, &b, &(abut_friction_options){.coefficient = 0.1}, &err),
             err);
    law.eps = 0;
    expect(abut_friction_value(f, &law, w.x, w.x, &value, &err), ABUT_ERROR_INPUT, "eps",
           "only > 0");
    /* A touching pair: the barrier is infinite. */
    memcpy(bad, w.x, sizeof bad);
    memcpy(bad + 3 * PARTICLES, bad + 3 * (PARTICLES + 1), 24);
    expect(abut_active_set_build(w.set, w.mesh, bad, DHAT, NULL, NULL, &err), ABUT_ERROR_INFEASIBLE,
           "positions", "touches");
    CHECK(abut_active_set_count(w.set) == 0);
    /* Meshes without rest positions, and wrong maps. */
    abut_collision_mesh *surface = NULL;
    w.definition.rest = NULL;
    CHECK_OK(abut_collision_mesh_create(&w.definition, &surface, &err), err);
    expect(abut_active_set_build(w.set, surface, w.x, DHAT, NULL, NULL, &err), ABUT_ERROR_INPUT,
           "rest", "needs a collision mesh with rest positions");
    abut_collision_mesh_destroy(surface);
    static int32_t start[N + 1], columns[N];
    static double values[N];
    for (int i = 0; i < N; i++) {
        start[i + 1] = i + 1;
        columns[i] = i;
    }
    w.definition.dof_count = 5;
    expect(abut_collision_mesh_create(&w.definition, &surface, &err), ABUT_ERROR_INPUT, "map",
           "is missing");
    w.definition.map_row_start = start;
    w.definition.map_columns = columns;
    w.definition.map_values = values;
    expect(abut_collision_mesh_create(&w.definition, &surface, &err), ABUT_ERROR_INPUT,
           "map_columns", "number 5 is 5, allowed: 0 to 4");
    CHECK(surface == NULL);
    abut_active_set_destroy(empty);
    abut_friction_destroy(f);
    free_world(&w);
}

TEST(lack_of_memory_is_reported)
{
    for (int64_t allowed = 0; allowed < 10000; allowed++) {
        world w = {0};
        abut_friction *f = NULL;
        abut_matrix *matrix = NULL;
        double g[N];
        make_world(&w, 12);
        abut_active_set *set = NULL;
        abut_barrier b = abut_default_barrier();
        abut_friction_law law = {.eps = 1e-3};
        mem_fail_after(allowed);
        abut_status s = abut_active_set_create(&set, &err);
        if (s == ABUT_OK) s = abut_active_set_build(set, w.mesh, w.x, DHAT, NULL, NULL, &err);
        if (s == ABUT_OK) s = abut_matrix_create(&matrix, &err);
        if (s == ABUT_OK) s = abut_barrier_gradient(set, &b, g, &err);
        if (s == ABUT_OK) s = abut_barrier_hessian(set, &b, NULL, matrix, &err);
        if (s == ABUT_OK) s = abut_friction_create(&f, &err);
        if (s == ABUT_OK)
            s = abut_friction_lag(f, set, &b, &(abut_friction_options){.coefficient = 1}, &err);
        if (s == ABUT_OK) s = abut_friction_hessian(f, &law, w.x, w.x, NULL, matrix, &err);
        bool failed = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(s == (failed ? ABUT_ERROR_MEMORY : ABUT_OK));
        abut_matrix_destroy(matrix);
        abut_friction_destroy(f);
        abut_active_set_destroy(set);
        free_world(&w);
        if (!failed) break;
    }
}

int main(void)
{
    RUN(wrong_input_is_refused);
    RUN(lack_of_memory_is_reported);
    return TEST_END();
}
