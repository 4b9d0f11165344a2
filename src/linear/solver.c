/* Choosing a solver by name or by size, and another one where it fails. */
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
    const linear_class *other_class; /* what takes over, once it had to */
    void *other;
    bool other_in_step; /* the first one has failed in this time step */
    bool undecided;     /* "auto", before the first system */
    linear_options options;
    linear_statistics statistics;
    char reason[240];
};

static const linear_class *const classes[] = {
    &linear_direct,      &linear_cholmod,   &linear_pcg,          &linear_ic,
    &linear_multigrid,   &linear_petsc,     &linear_petsc_mumps,  &linear_petsc_gamg,
    &linear_petsc_hypre, &linear_petsc_icc, &linear_petsc_bjacobi};

const linear_class *linear_find(const char *name)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(classes[i]->name, name) == 0) return classes[i];
    return NULL;
}

static abut_status unknown(const char *name, abut_error *err)
{
    char list[256] = "auto";
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        strcat(list, ", ");
        strcat(list, classes[i]->name);
    }
    return error_set(err, ABUT_ERROR_INPUT, "solver.linear",
                     "unknown linear solver \"%s\"; available: %s", name, list);
}

abut_status linear_create(const linear_options *options, linear_solver **out, abut_error *err)
{
    *out = NULL;
    bool choose = strcmp(options->name, "auto") == 0;
    const linear_class *class = linear_find(options->name);
    if (choose) class = ranks_divided() ? &linear_petsc : &linear_direct;
    if (!class) return unknown(options->name, err);
    linear_solver *solver = mem_calloc(1, sizeof *solver);
    if (!solver) return error_memory(err, "creating the linear solver");
    solver->class = class;
    solver->options = *options;
    solver->undecided = choose && !class->by_rows;
    snprintf(solver->reason, sizeof solver->reason, "%s",
             choose ? "the run is divided over ranks" : "named in the scene");
    abut_status status = class->create(options, &solver->self, err);
    if (status != ABUT_OK) {
        mem_free(solver);
        return status;
    }
    *out = solver;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Choice                                                                                         */

/* Smaller systems are factorised without further thought. */
enum { SMALL_SYSTEM = 10000 };

/* Seconds per multiplication of a factorisation, per block and solve with multigrid, and per block
 * and iteration (bench/scale); only their ratios matter. */
static const double FACTOR_SECONDS = 7e-11, MULTIGRID_SECONDS = 3e-5, ITERATION_SECONDS = 1.5e-6;
/* Contacts slow multigrid down: it must be that much faster without. */
static const double MARGIN = 3;

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

static double memory_limit(const linear_solver *s)
{
    return s->options.memory_limit > 0 ? s->options.memory_limit : 0.5 * machine_memory();
}

/* True when a factor of that many scalars may be made. */
static bool fits(const linear_solver *s, double entries)
{
    return sizeof(double) * entries <= memory_limit(s);
}

static abut_status change_to(linear_solver *s, const linear_class *class,
                             const linear_options *options, abut_error *err)
{
    void *self = NULL;
    TRY(class->create(options, &self, err));
    s->class->destroy(s->self);
    s->class = class;
    s->self = self;
    return ABUT_OK;
}

/* A factorisation while it is cheap and fits, multigrid beyond. */
static abut_status choose(linear_solver *s, const block_matrix *a, abut_error *err)
{
    static const double GIGA = 1e-9;
    double entries = 0, work = 0, blocks = a->size;
    s->undecided = false;
    if (a->size < SMALL_SYSTEM) {
        snprintf(s->reason, sizeof s->reason, "auto: %d blocks are few", a->size);
        return ABUT_OK;
    }
    TRY(direct_estimate(s->self, a, &s->statistics, &entries, &work, err));
    double direct = FACTOR_SECONDS * work, multigrid = MULTIGRID_SECONDS * blocks;
    bool room = fits(s, entries);
    if (room && direct <= MARGIN * multigrid) {
        snprintf(s->reason, sizeof s->reason,
                 "auto: %d blocks, a factor of %.3g GB and %.3g 10^9 multiplications is cheap",
                 a->size, GIGA * sizeof(double) * entries, GIGA * work);
        return ABUT_OK;
    }
    linear_options options = s->options;
    if (room)
        options.max_iterations = (int)fmin(500, fmax(50, direct / (ITERATION_SECONDS * blocks)));
    snprintf(s->reason, sizeof s->reason,
             room
                 ? "auto: %d blocks, a factor of %.3g GB would take %.3g 10^9 multiplications"
                 : "auto: %d blocks, a factor would take %.3g GB (%.3g 10^9 multiplications), more "
                   "than half of the memory",
             a->size, GIGA * sizeof(double) * entries, GIGA * work);
    return change_to(s, &linear_multigrid, &options, err);
}

/* ---------------------------------------------------------------------------------------------- */
/* Solving                                                                                        */

/* What may do better than a solver that has failed; NULL: nothing. */
static const linear_class *alternative(const linear_solver *s, const linear_system *system,
                                       abut_status failure)
{
    if (s->class->by_rows) {
        if (failure != ABUT_ERROR_NOT_CONVERGED) return NULL; /* other ranks may not know of it */
        return s->statistics.exact ? &linear_petsc_gamg : &linear_petsc_mumps;
    }
    if (failure == ABUT_ERROR_MEMORY && !s->class->iterative)
        return system->a->size < SMALL_SYSTEM ? NULL : &linear_multigrid;
    if (failure != ABUT_ERROR_NOT_CONVERGED || !s->class->iterative) return NULL;
    /* Is there room for a factor? */
    double entries = 0, work = 0;
    void *self = NULL;
    linear_statistics ignored = {0};
    bool known = linear_direct.create(&s->options, &self, NULL) == ABUT_OK &&
                 direct_estimate(self, system->a, &ignored, &entries, &work, NULL) == ABUT_OK;
    if (self) linear_direct.destroy(self);
    if (known && fits(s, entries)) return &linear_direct;
    return s->class == &linear_ic ? NULL : &linear_ic;
}

static abut_status solve_otherwise(linear_solver *s, const linear_system *system, double *x,
                                   abut_status failure, abut_error *err)
{
    const linear_class *other = s->options.alone ? NULL : alternative(s, system, failure);
    if (!other) return failure;
    if (s->other && s->other_class != other) {
        s->other_class->destroy(s->other);
        s->other = NULL;
    }
    if (!s->other && other->create(&s->options, &s->other, NULL) != ABUT_OK) return failure;
    s->other_class = other;
    abut_error second;
    s->statistics.exact = !other->iterative;
    if (other->solve(s->other, system, x, &s->statistics, &second) != ABUT_OK) return failure;
    log_message(s->options.log, ABUT_LOG_WARNING,
                "the linear solver \"%s\" failed (%s); \"%s\" does the rest of the step",
                s->class->name, err ? err->message : "no reason given", other->name);
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
    if (s->undecided) TRY(choose(s, system->a, err));
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

void linear_begin_step(linear_solver *s)
{
    if (s->class->begin_step) s->class->begin_step(s->self);
    if (!s->other_in_step) return;
    s->other_in_step = false;
    s->other_class->destroy(s->other); /* its memory may be large */
    s->other = NULL;
}

const linear_statistics *linear_get_statistics(const linear_solver *s) { return &s->statistics; }

bool linear_is_iterative(const linear_solver *s) { return s->class->iterative || s->undecided; }
bool linear_wants_rows(const linear_solver *s) { return s->class->by_rows; }
const char *linear_name(const linear_solver *s) { return s->class->name; }
const char *linear_reason(const linear_solver *s) { return s->reason; }

double linear_tolerance(const linear_solver *s)
{
    return s->options.tolerance > 0 ? s->options.tolerance : 1e-8;
}

void linear_save(const linear_solver *s, int32_t *order, size_t capacity, double numbers[2])
{
    memset(order, 0, capacity * sizeof *order);
    numbers[0] = numbers[1] = 0;
    if (s->class->save) s->class->save(s->self, order, capacity, numbers);
}

abut_status linear_load(linear_solver *s, const int32_t *order, const double numbers[2],
                        abut_error *err)
{
    return s->class->load ? s->class->load(s->self, order, numbers, err) : ABUT_OK;
}

void linear_destroy(linear_solver *s)
{
    if (!s) return;
    s->class->destroy(s->self);
    if (s->other) s->other_class->destroy(s->other);
    mem_free(s);
}
