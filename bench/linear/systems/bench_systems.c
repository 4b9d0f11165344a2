/* Linear solvers side by side on the systems of real time steps.
 *
 *     bench_systems [--steps N] [--methods NAME,NAME...] [--seconds S] SCENE [PATH=VALUE]...
 *
 * The scene is run with a solver of this program that hands every system to all methods, each with
 * a memory of its own, and goes on with the result of the first. A row per method: blocks, solves,
 * processor seconds and iterations per solve, analyses per solve, seconds of counted work
 * (linear/work.h) per solve, solves that failed. Systems of a
 * part of the unknowns count as well. Methods stop at the tolerance that Newton's method asks for;
 * one that has taken S processor seconds more than the fastest is left out from there on. */
#include "base/memory.h"
#include "base/parallel.h"
#include "linear/solver.h"
#include "scene/build.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_METHODS = 12 };

typedef struct method {
    const char *name;
    double seconds, blocks, work;
    uint64_t solves, iterations, analyses, failures;
    bool dropped;
} method;

/* Of the whole run: Newton's method makes further solvers for parts of the unknowns. */
static method methods[MAX_METHODS];
static int method_count;
static double patience = 60;
static bool verbose;

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---------------------------------------------------------------------------------------------- */
/* The solver that compares                                                                       */

typedef struct comparison {
    linear_solver *solvers[MAX_METHODS];
    double *x;
    size_t capacity;
} comparison;

static void destroy(void *self)
{
    comparison *c = self;
    for (int k = 0; k < method_count; k++) linear_destroy(c->solvers[k]);
    mem_free(c->x);
    mem_free(c);
}

static abut_status create(const linear_options *options, void **self, abut_error *err)
{
    comparison *c = mem_calloc(1, sizeof *c);
    if (!c) return error_memory(err, "comparing solvers");
    *self = c;
    for (int k = 0; k < method_count; k++) {
        linear_options own = *options;
        own.name = methods[k].name;
        own.alone = strcmp(own.name, "auto") != 0;
        abut_status status = linear_create(&own, &c->solvers[k], err);
        if (status == ABUT_OK) continue;
        destroy(c);
        return status;
    }
    return ABUT_OK;
}

static abut_status measure(linear_solver *solver, method *m, const linear_system *system, double *x,
                           abut_error *err)
{
    linear_statistics before = *linear_get_statistics(solver);
    double start = processor_seconds();
    abut_status status = linear_solve_system(solver, system, x, err);
    double taken = processor_seconds() - start;
    const linear_statistics *after = linear_get_statistics(solver);
    m->seconds += taken;
    m->blocks += system->a->size;
    m->solves++;
    m->iterations += after->iterations - before.iterations;
    m->analyses += after->analyses - before.analyses;
    double setup = after->setup_work - before.setup_work;
    double iterated = after->iteration_work - before.iteration_work;
    m->work += 1e-9 * (setup + iterated);
    if (status != ABUT_OK) m->failures++;
    if (verbose)
        fprintf(stderr,
                "%6d blocks %-10s %8.4f s, %4d iterations, %d analyses, to %.1e, counted %.4f + "
                "%.4f%s\n",
                system->a->size, m->name, taken, (int)(after->iterations - before.iterations),
                (int)(after->analyses - before.analyses), system->tolerance, 1e-9 * setup,
                1e-9 * iterated, status == ABUT_OK ? "" : " FAILED");
    return status;
}

static void drop_slow_methods(void)
{
    double least = INFINITY;
    for (int k = 0; k < method_count; k++)
        if (!methods[k].dropped) least = fmin(least, methods[k].seconds);
    for (int k = 1; k < method_count; k++)
        if (methods[k].seconds > least + patience) methods[k].dropped = true;
}

static abut_status solve(void *self, const linear_system *system, double *x,
                         linear_statistics *statistics, abut_error *err)
{
    comparison *c = self;
    size_t n = 3 * (size_t)system->a->size;
    if (n > c->capacity) {
        mem_free(c->x);
        c->x = mem_alloc(n, sizeof *c->x);
        c->capacity = c->x ? n : 0;
        if (!c->x) return error_memory(err, "comparing solvers");
    }
    abut_status status = measure(c->solvers[0], &methods[0], system, x, err);
    statistics->exact = linear_get_statistics(c->solvers[0])->exact;
    for (int k = 1; k < method_count; k++)
        if (!methods[k].dropped) measure(c->solvers[k], &methods[k], system, c->x, NULL);
    drop_slow_methods();
    return status;
}

static void begin_step(void *self)
{
    comparison *c = self;
    for (int k = 0; k < method_count; k++) linear_begin_step(c->solvers[k]);
}

const linear_class linear_compare = {.name = "compare",
                                     .iterative = true,
                                     .create = create,
                                     .solve = solve,
                                     .begin_step = begin_step,
                                     .destroy = destroy};

/* ---------------------------------------------------------------------------------------------- */

static void need(abut_status status, const abut_error *err)
{
    if (status == ABUT_OK) return;
    fprintf(stderr, "bench_systems: %s: %s\n", err->place, err->message);
    exit(EXIT_FAILURE);
}

static void list_methods(char *names)
{
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        if (method_count == MAX_METHODS || (strcmp(name, "auto") != 0 && !linear_find(name))) {
            fprintf(stderr, "bench_systems: no method \"%s\", or too many\n", name);
            exit(EXIT_FAILURE);
        }
        methods[method_count++].name = name;
    }
}

static void print_rows(const char *scene, double contacts)
{
    for (int k = 0; k < method_count; k++) {
        const method *m = &methods[k];
        double solves = m->solves ? (double)m->solves : 1;
        printf("%s,%s,%.0f,%.0f,%llu,%.5f,%.2f,%.2f,%.5f,%llu%s\n", scene, m->name,
               m->blocks / solves, contacts, (unsigned long long)m->solves, m->seconds / solves,
               (double)m->iterations / solves, (double)m->analyses / solves, m->work / solves,
               (unsigned long long)m->failures, m->dropped ? ",left out" : ",");
    }
}

int main(int count, char **words)
{
    static char standard[] = "direct,cholmod,multigrid,ic,pcg,auto";
    char *names = standard;
    int steps = 2, at = 1;
    for (; at + 1 < count && strncmp(words[at], "--", 2) == 0; at++) {
        if (strcmp(words[at], "--verbose") == 0) {
            verbose = true;
            continue;
        }
        char *value = words[at + 1];
        if (strcmp(words[at], "--steps") == 0) steps = atoi(value);
        if (strcmp(words[at], "--methods") == 0) names = value;
        if (strcmp(words[at], "--seconds") == 0) patience = atof(value);
        at++;
    }
    if (at >= count) {
        fprintf(stderr, "usage: bench_systems [--steps N] [--methods NAME,NAME...] [--seconds S] "
                        "[--verbose] SCENE [PATH=VALUE]...\n");
        return EXIT_FAILURE;
    }
    list_methods(names);
    parallel_set_threads(1);
    const char *overrides[32] = {"solver.linear=compare"};
    size_t overridden = 1;
    for (int k = at + 1; k < count && overridden < 32; k++) overrides[overridden++] = words[k];
    abut_error err;
    scene_def *scene = NULL;
    stepper *s = NULL;
    need(scene_load(words[at], overrides, overridden, NULL, &scene, &err), &err);
    need(scene_build(scene, NULL, &s, &err), &err);
    double contacts = 0;
    for (int k = 0; k < steps; k++) {
        step_statistics statistics;
        need(stepper_advance(s, &statistics, &err), &err);
        contacts = fmax(contacts, (double)statistics.contacts);
    }
    print_rows(words[at], contacts);
    stepper_destroy(s);
    scene_free(scene);
    return EXIT_SUCCESS;
}
