/* Choosing a solver by name, and another one where it fails. */
#include "linear/solver.h"

#include "base/memory.h"
#include "base/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct linear_solver {
    const linear_class *class;
    void *self;
    const linear_class *other_class; /* what takes over, once it had to; until the step ends */
    void *other;
    bool other_in_step; /* the first one has failed in this time step */
    linear_options options;
    linear_statistics statistics;
    char reason[240];
};

const linear_class *linear_find(const char *name)
{
    for (size_t i = 0; linear_classes[i]; i++)
        if (strcmp(linear_classes[i]->name, name) == 0) return linear_classes[i];
    return NULL;
}

static abut_status unknown(const char *name, abut_error *err)
{
    char list[256] = "";
    for (size_t i = 0, at = 0; linear_solver_words[i] && at < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? ", " : "",
                               linear_solver_words[i]);
    return error_set(err, ABUT_ERROR_INPUT, "solver.linear",
                     "unknown linear solver \"%s\"; available: %s", name, list);
}

abut_status linear_create(const linear_options *options, linear_solver **out, abut_error *err)
{
    *out = NULL;
    bool choose = strcmp(options->name, "auto") == 0;
    const linear_class *class = linear_find(options->name);
    if (choose) class = ranks_divided() ? &linear_petsc : &linear_auto;
    if (!class) return unknown(options->name, err);
    linear_solver *solver = mem_calloc(1, sizeof *solver);
    if (!solver) return error_memory(err, "creating the linear solver");
    solver->class = class;
    solver->options = *options;
    snprintf(solver->reason, sizeof solver->reason, "%s",
             choose ? "auto: the run is divided over ranks" : "named in the scene");
    abut_status status = class->create(options, &solver->self, err);
    if (status != ABUT_OK) {
        mem_free(solver);
        return status;
    }
    *out = solver;
    return ABUT_OK;
}

abut_status linear_create_alike(const linear_solver *other, linear_solver **out, abut_error *err)
{
    return linear_create(&other->options, out, err);
}

/* ---------------------------------------------------------------------------------------------- */
/* Solving                                                                                        */

/* A factor of fewer blocks that finds no memory is no reason to try otherwise. */
enum { SMALL_SYSTEM = 10000 };

/* Memory of the machine, or what the process may have of it. */
static double machine_memory(void)
{
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    FILE *stream = fopen("/sys/fs/cgroup/memory.max", "r");
    double limit = 0;
    if (stream && fscanf(stream, "%lf", &limit) == 1 && limit > 0) bytes = fmin(bytes, limit);
    if (stream) fclose(stream);
    return bytes;
}

bool linear_factor_fits(const linear_options *options, double entries)
{
    double limit = options->memory_limit > 0 ? options->memory_limit : 0.5 * machine_memory();
    return sizeof(double) * entries <= limit;
}

static void drop_other(linear_solver *s)
{
    if (s->other) s->other_class->destroy(s->other);
    s->other = NULL;
}

static bool make_other(linear_solver *s, const linear_class *class)
{
    if (s->other && s->other_class == class) return true;
    drop_other(s);
    s->other_class = class;
    return class->create(&s->options, &s->other, NULL) == ABUT_OK;
}

/* True when a factorisation is ready to take over: its analysis is kept. */
static bool make_factorisation(linear_solver *s, const block_matrix *a)
{
    double entries = 0, work = 0;
    return make_other(s, &linear_direct) &&
           direct_estimate(s->other, a, &s->statistics, &entries, &work, NULL) == ABUT_OK &&
           linear_factor_fits(&s->options, entries);
}

/* Makes what may do better than a solver that has failed; false: nothing may. */
static bool make_alternative(linear_solver *s, const linear_system *system, abut_status failure)
{
    if (s->class->by_rows) {
        if (failure != ABUT_ERROR_NOT_CONVERGED) return false; /* other ranks may not know of it */
        return make_other(s, s->statistics.exact ? &linear_petsc_gamg : &linear_petsc_mumps);
    }
    if (failure == ABUT_ERROR_MEMORY && !s->class->iterative)
        return system->a->size >= SMALL_SYSTEM && make_other(s, &linear_multigrid);
    if (failure != ABUT_ERROR_NOT_CONVERGED || !s->class->iterative) return false;
    if (make_factorisation(s, system->a)) return true;
    return s->class != &linear_ic && make_other(s, &linear_ic);
}

static abut_status solve_otherwise(linear_solver *s, const linear_system *system, double *x,
                                   abut_status failure, abut_error *err)
{
    if (s->options.alone || s->class == &linear_auto || !make_alternative(s, system, failure)) {
        drop_other(s);
        return failure;
    }
    abut_error second;
    s->statistics.exact = !s->other_class->iterative;
    /* One that fails, too, is kept within the step: the same pattern may come again, shifted. */
    if (s->other_class->solve(s->other, system, x, &s->statistics, &second) != ABUT_OK)
        return failure;
    log_message(s->options.log, ABUT_LOG_WARNING,
                "the linear solver \"%s\" failed (%s); \"%s\" does the rest of the step",
                s->class->name, err ? err->message : "no reason given", s->other_class->name);
    s->statistics.fallbacks++;
    s->other_in_step = true;
    return ABUT_OK;
}

abut_status linear_solve(linear_solver *solver, const block_matrix *a, const double *b, double *x,
                         abut_error *err)
{
    linear_system system = {.a = a, .b = b};
    return linear_solve_system(solver, &system, x, err);
}

abut_status linear_solve_system(linear_solver *s, const linear_system *system, double *x,
                                abut_error *err)
{
    s->statistics.solves++;
    if (s->other_in_step) {
        s->statistics.exact = !s->other_class->iterative;
        s->statistics.fallbacks++;
        return s->other_class->solve(s->other, system, x, &s->statistics, err);
    }
    abut_error local;
    s->statistics.exact = !s->class->iterative;
    abut_status status = s->class->solve(s->self, system, x, &s->statistics, err ? err : &local);
    if (status == ABUT_OK) return ABUT_OK;
    return solve_otherwise(s, system, x, status, err ? err : &local);
}

bool linear_can_solve_again(const linear_solver *s)
{
    return !s->other_in_step && s->class->solve_again;
}

void linear_solve_again(linear_solver *s, const double *b, double *x)
{
    s->class->solve_again(s->self, b, x);
}

void linear_lend(linear_solver *s, linear_solver *to)
{
    if (s->class == to->class && s->class->lend) s->class->lend(s->self, to->self);
}

void linear_begin_step(linear_solver *s)
{
    if (s->class->begin_step) s->class->begin_step(s->self);
    s->other_in_step = false;
    drop_other(s); /* its memory may be large */
}

void linear_end_step(linear_solver *s)
{
    linear_begin_step(s);
    if (s->class == &linear_auto) linear_auto.rest(s->self);
}

void linear_rest(linear_solver *s)
{
    if (s->class->rest) s->class->rest(s->self);
}

const linear_statistics *linear_get_statistics(const linear_solver *s) { return &s->statistics; }

bool linear_is_iterative(const linear_solver *s) { return s->class->iterative; }

bool linear_wants_rows(const linear_solver *s) { return s->class->by_rows; }

const char *linear_name(linear_solver *s)
{
    return s->class->describe ? s->class->describe(s->self, s->reason, sizeof s->reason)
                              : s->class->name;
}

const char *linear_reason(linear_solver *s)
{
    linear_name(s);
    return s->reason;
}

double linear_tolerance(const linear_solver *s)
{
    return s->options.tolerance > 0 ? s->options.tolerance : 1e-8;
}

void linear_save(const linear_solver *s, int32_t *order, size_t capacity,
                 double numbers[LINEAR_NUMBERS], double choice[LINEAR_CHOICE])
{
    memset(order, 0, capacity * sizeof *order);
    memset(numbers, 0, LINEAR_NUMBERS * sizeof *numbers);
    memset(choice, 0, LINEAR_CHOICE * sizeof *choice);
    if (s->class->save_choice) s->class->save_choice(s->self, choice);
    if (s->class->save) s->class->save(s->self, order, capacity, numbers);
}

abut_status linear_load(linear_solver *s, const int32_t *order,
                        const double numbers[LINEAR_NUMBERS], const double choice[LINEAR_CHOICE],
                        abut_error *err)
{
    if (s->class->load_choice) TRY(s->class->load_choice(s->self, choice, err));
    return s->class->load ? s->class->load(s->self, order, numbers, err) : ABUT_OK;
}

void linear_destroy(linear_solver *s)
{
    if (!s) return;
    s->class->destroy(s->self);
    drop_other(s);
    mem_free(s);
}
