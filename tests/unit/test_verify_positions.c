/* The independent check of positions that are not those of the state: it finds what is wrong with
 * them, and leaves the simulation as it is. */
#include "sim/sim.h"
#include "test.h"
#include "verify/verify_positions.h"

static abut_error err;

static const char two_cubes[] =
    "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"ground\": 0,"
    " \"contact\": {\"dhat\": 1e-3}, \"materials\": {\"m\": {\"young\": 1e5, \"poisson\": 0.4,"
    " \"density\": 1000}}, \"bodies\": ["
    "{\"name\": \"low\", \"material\": \"m\", \"translate\": [0, 1, 0],"
    " \"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}},"
    "{\"name\": \"high\", \"material\": \"m\", \"translate\": [0, 3, 0],"
    " \"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}}]}";

static verify_result check(const abut_sim *sim, const double *x)
{
    verify_result found = {0};
    CHECK_OK(verify_positions(sim->scene, sim->stepper->model, x, &found, &err), err);
    return found;
}

static bool clean(const verify_result *r)
{
    return r->intersections + r->behind_planes + r->inside + r->inverted == 0;
}

/* The coordinates of the state, with those of a body moved along y. */
static void moved(const abut_sim *sim, size_t body, double by, double *x)
{
    const motion_state *state = &sim->stepper->state;
    const model_body *b = &sim->stepper->model->bodies.data[body];
    memcpy(x, state->x, state->scalars * sizeof *x);
    for (int32_t i = b->first_block; i < b->first_block + b->block_count; i++) x[3 * i + 1] += by;
}

TEST(other_positions_than_the_state)
{
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create(two_cubes, sizeof two_cubes - 1, NULL, NULL, &sim, &err), err);
    if (!sim) return;
    const motion_state *state = &sim->stepper->state;
    size_t bytes = state->scalars * sizeof(double);
    double *x = malloc(bytes), *before = malloc(bytes), *present = state->x;
    memcpy(before, state->x, bytes);

    verify_result found = check(sim, state->x);
    CHECK(clean(&found));
    moved(sim, 0, -1, x);
    found = check(sim, x);
    CHECK(found.behind_planes > 0 && found.intersections == 0 && found.inverted == 0);
    moved(sim, 1, -1.7, x);
    found = check(sim, x);
    CHECK(found.intersections > 0 && found.behind_planes == 0);
    memcpy(x, state->x, bytes);
    for (size_t i = 0; i < state->scalars; i += 3) x[i] = -x[i];
    found = check(sim, x);
    CHECK(found.inverted > 0 && found.behind_planes == 0);

    CHECK(state->x == present && memcmp(before, state->x, bytes) == 0);
    found = check(sim, state->x);
    CHECK(clean(&found));
    free(x);
    free(before);
    abut_sim_destroy(sim);
}

int main(void)
{
    RUN(other_positions_than_the_state);
    return TEST_END();
}
