/* A linear solver of one file and one row: scenes name it, and get the same positions. */
#include "support/scene_text.h"

#include <math.h>

/* Positions of a sagging bar after three steps. */
static void sag(const char *solver, double *x, size_t scalars, uint64_t *solves)
{
    char text[600];
    abut_error err;
    scene_def *scene;
    snprintf(text, sizeof text,
             "{'abut': 1, 'time': {'step': 0.05, 'steps': 3}, 'solver': {'linear': '%s', "
             "'tolerance': 1e-10}, 'bodies': [{'mesh': {'box': {'size': [2, 1, 1], 'cells': [2, 1, "
             "1]}}, 'material': {'young': 1e5, 'poisson': 0.3}, 'fix': {'nodes': {'box': [[-2, -2, "
             "-2], [-0.9, 2, 2]]}}}]}",
             solver);
    stepper *s = build_scene(text, &scene);
    if (!s) return;
    CHECK(3 * s->model->rest.count == scalars);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    step_statistics statistics;
    for (int i = 0; i < 3; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    memcpy(x, s->state.x, scalars * sizeof *x);
    *solves = linear_get_statistics(s->linear)->factorizations;
    drop_scene(s, scene);
}

TEST(solves_what_others_solve)
{
    enum { N = 36 };
    double direct[N], dense[N];
    uint64_t solves = 0, before = 0;
    sag("direct", direct, N, &before);
    sag("dense", dense, N, &solves);
    CHECK(solves > 0);
    double largest = 0;
    for (int i = 0; i < N; i++) largest = fmax(largest, fabs(direct[i] - dense[i]));
    CHECK(largest < 1e-10);
}

int main(void)
{
    RUN(solves_what_others_solve);
    return TEST_END();
}
