/* An elastic bar clamped at one end that sags: where the time of its steps goes, as CSV on standard
 * output.
 *
 *     bench_bar [--quick] [CELLS [STEPS]]
 *
 * CELLS cubes across (default 16) and four times as many along, six tets each: 98304 tets; --quick
 * takes 8 cells (12288 tets). Each linear solver runs on one and on all threads; cholmod also with
 * `reproducible` off, where its BLAS calls may use all threads: the price of results that do not
 * depend on their number. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "mesh/generate.h"
#include "step/stepper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_case {
    const char *solver;
    bool reproducible;
    int threads;
} bench_case;

static void need(abut_status status, const abut_error *err)
{
    if (status == ABUT_OK) return;
    fprintf(stderr, "bench_bar: %s\n", err->message);
    exit(EXIT_FAILURE);
}

static stepper *make_bar(int cells, const bench_case *c)
{
    abut_error err;
    mesh shape;
    const int counts[3] = {4 * cells, cells, cells};
    need(generate_box((vec3){0.4, 0.1, 0.1}, counts, &shape, &err), &err);
    model *m = mem_calloc(1, sizeof *m);
    if (!m) exit(EXIT_FAILURE);
    elastic_parameters rubber = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e5, 0.4);
    need(model_add_deformable(m, "bar", &shape, rubber, 1000, &err), &err);
    need(model_finish(m, &err), &err);
    mesh_free(&shape);
    stepper_options options = {
        .h = 0.02,
        .integrator = INTEGRATE_IMPLICIT_EULER,
        .gravity = {0, -9.81, 0},
        .tolerance = 1e-3,
        .max_iterations = 100,
        .linear = {.name = c->solver, .tolerance = 1e-6, .reproducible = c->reproducible}};
    stepper *s = NULL;
    need(stepper_create(m, &options, NULL, &s, &err), &err);
    if (!array_push(&s->dirichlet.conditions, (condition){.until = INFINITY, .axes = 7}))
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < m->rest.count; i++)
        if (m->rest.data[i].x < -0.2 + 1e-9 &&
            !array_push(&s->dirichlet.conditions.data[0].nodes, (int32_t)i))
            exit(EXIT_FAILURE);
    need(stepper_start(s, NULL, &err), &err);
    return s;
}

static void measure(int cells, int steps, const bench_case *c)
{
    abut_error err;
    parallel_set_threads(c->threads);
    stepper *s = make_bar(cells, c);
    int iterations = 0;
    memset(&s->timer, 0, sizeof s->timer);
    timer_start(&s->timer);
    double start = timer_now();
    for (int n = 0; n < steps; n++) {
        step_statistics now;
        need(stepper_advance(s, &now, &err), &err);
        iterations += now.newton_iterations;
    }
    double total = timer_now() - start;
    timer_switch(&s->timer, STAGE_OTHER);
    const double *seconds = s->timer.seconds;
    const linear_statistics *linear = linear_get_statistics(s->linear);
    printf("%s,%s,%d,%zu,%zu,%d,%d,%.4f,%.4f,%.4f,%.4f,%.3f,%zu\n", c->solver,
           c->reproducible ? "yes" : "no", c->threads, s->model->tet_count, s->model->rest.count,
           steps, iterations, seconds[STAGE_ASSEMBLY], seconds[STAGE_LINEAR_SOLVE],
           seconds[STAGE_LINE_SEARCH], total, seconds[STAGE_ASSEMBLY] / seconds[STAGE_LINEAR_SOLVE],
           linear->factor_entries);
    fflush(stdout);
    stepper_destroy(s);
}

int main(int argc, char **argv)
{
    int cells = 16, steps = 10, given = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            cells = 8;
        else if (given++ == 0)
            cells = atoi(argv[i]);
        else
            steps = atoi(argv[i]);
    }
    if (cells < 1 || steps < 1) {
        fprintf(stderr, "usage: bench_bar [--quick] [CELLS [STEPS]]\n");
        return 2;
    }
    int threads = parallel_threads();
    printf("solver,reproducible,threads,tets,nodes,steps,newton_iterations,assembly_s,"
           "linear_solve_s,line_search_s,total_s,assembly_to_solve,factor_entries\n");
    measure(cells, steps, &(bench_case){"cholmod", true, 1});
    if (threads > 1) {
        measure(cells, steps, &(bench_case){"cholmod", true, threads});
        measure(cells, steps, &(bench_case){"cholmod", false, threads});
    }
    measure(cells, steps, &(bench_case){"pcg", true, threads});
    return 0;
}
