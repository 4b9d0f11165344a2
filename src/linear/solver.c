/* Choosing a solver by name or by size, and another one where it fails. */
#include "linear/solver.h"

#include "base/memory.h"
#include "base/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What "auto" took, and the sizes that it follows from. */
typedef enum choice_kind {
    CHOICE_NONE, /* yet */
    CHOICE_FEW,  /* direct: a small system */
    CHOICE_CHEAP,
    CHOICE_SLOW,  /* multigrid: a factor would fit */
    CHOICE_LARGE, /* multigrid: it would not */
    CHOICE_COUNT
} choice_kind;

typedef struct linear_choice {
    choice_kind kind;
    double blocks, entries, work;
} linear_choice;

struct linear_solver {
    const linear_class *class;
    void *self;
    const linear_class *other_class; /* what takes over, once it had to; until the step ends */
    void *other;
    bool other_in_step; /* the first one has failed in this time step */
    bool automatic;     /* the class is chosen at the first system */
    linear_choice choice;
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

static const char NOT_CHOSEN[] = "auto: no system was solved";

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
    if (choose) class = ranks_divided() ? &linear_petsc : &linear_direct;
    if (!class) return unknown(options->name, err);
    linear_solver *solver = mem_calloc(1, sizeof *solver);
    if (!solver) return error_memory(err, "creating the linear solver");
    solver->class = class;
    solver->options = *options;
    solver->automatic = choose && !class->by_rows;
    snprintf(solver->reason, sizeof solver->reason, "%s",
             solver->automatic ? NOT_CHOSEN
             : choose          ? "auto: the run is divided over ranks"
                               : "named in the scene");
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
/* Choice                                                                                         */

/* Smaller systems are factorised without further thought. */
enum { SMALL_SYSTEM = 10000 };

/* Seconds on one core, of which only the ratios matter (bench/scale): of a factorisation per
 * multiplication; of multigrid per block of the matrix and solve, levels included; of multigrid per
 * block and iteration. */
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

static void describe_choice(linear_solver *s)
{
    static const double GIGA = 1e-9;
    const linear_choice *c = &s->choice;
    double size = GIGA * sizeof(double) * c->entries, work = GIGA * c->work;
    char factor[160];
    switch (c->kind) {
    case CHOICE_FEW: snprintf(factor, sizeof factor, " are few"); break;
    case CHOICE_CHEAP:
        snprintf(factor, sizeof factor,
                 ", a factor of %.3g GB and %.3g 10^9 multiplications is cheap", size, work);
        break;
    case CHOICE_SLOW:
        snprintf(factor, sizeof factor,
                 ", a factor of %.3g GB would take %.3g 10^9 multiplications", size, work);
        break;
    default:
        snprintf(factor, sizeof factor,
                 ", a factor would take %.3g GB (%.3g 10^9 multiplications), more than half of "
                 "the memory",
                 size, work);
    }
    snprintf(s->reason, sizeof s->reason, "auto: %.0f blocks%s", c->blocks, factor);
}

/* Makes the solver that was chosen, from the choice alone: now or when a checkpoint is read. */
static abut_status adopt_choice(linear_solver *s, linear_choice choice, abut_error *err)
{
    linear_options options = s->options;
    bool multigrid = choice.kind == CHOICE_SLOW || choice.kind == CHOICE_LARGE;
    if (choice.kind == CHOICE_SLOW) /* not longer than the factor would have taken */
        options.max_iterations = (int)fmin(
            500, fmax(50, FACTOR_SECONDS * choice.work / (ITERATION_SECONDS * choice.blocks)));
    if (multigrid)
        TRY(change_to(s, &linear_multigrid, &options, err));
    else if (s->class != &linear_direct)
        TRY(change_to(s, &linear_direct, &options, err));
    s->choice = choice;
    if (choice.kind == CHOICE_NONE)
        snprintf(s->reason, sizeof s->reason, "%s", NOT_CHOSEN);
    else
        describe_choice(s);
    return ABUT_OK;
}

/* A factorisation while it is cheap and fits, multigrid beyond. */
static abut_status choose(linear_solver *s, const block_matrix *a, abut_error *err)
{
    linear_choice choice = {.kind = CHOICE_FEW, .blocks = a->size};
    if (a->size >= SMALL_SYSTEM) {
        TRY(direct_estimate(s->self, a, &s->statistics, &choice.entries, &choice.work, err));
        double multigrid = MULTIGRID_SECONDS * choice.blocks;
        if (!fits(s, choice.entries))
            choice.kind = CHOICE_LARGE;
        else
            choice.kind =
                FACTOR_SECONDS * choice.work <= MARGIN * multigrid ? CHOICE_CHEAP : CHOICE_SLOW;
    }
    return adopt_choice(s, choice, err);
}

/* ---------------------------------------------------------------------------------------------- */
/* Solving                                                                                        */

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
           fits(s, entries);
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
    if (s->options.alone || !make_alternative(s, system, failure)) {
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
    if (s->automatic && s->choice.kind == CHOICE_NONE) TRY(choose(s, system->a, err));
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

void linear_end_step(linear_solver *s) { linear_begin_step(s); }

const linear_statistics *linear_get_statistics(const linear_solver *s) { return &s->statistics; }

bool linear_is_iterative(const linear_solver *s)
{
    return s->class->iterative || (s->automatic && s->choice.kind == CHOICE_NONE);
}

bool linear_wants_rows(const linear_solver *s) { return s->class->by_rows; }
const char *linear_name(const linear_solver *s) { return s->class->name; }
const char *linear_reason(const linear_solver *s) { return s->reason; }

double linear_tolerance(const linear_solver *s)
{
    return s->options.tolerance > 0 ? s->options.tolerance : 1e-8;
}

void linear_save(const linear_solver *s, int32_t *order, size_t capacity,
                 double numbers[LINEAR_NUMBERS], double choice[LINEAR_CHOICE])
{
    memset(order, 0, capacity * sizeof *order);
    memset(numbers, 0, LINEAR_NUMBERS * sizeof *numbers);
    choice[0] = s->choice.kind;
    choice[1] = s->choice.blocks;
    choice[2] = s->choice.entries;
    choice[3] = s->choice.work;
    if (s->class->save) s->class->save(s->self, order, capacity, numbers);
}

abut_status linear_load(linear_solver *s, const int32_t *order,
                        const double numbers[LINEAR_NUMBERS], const double choice[LINEAR_CHOICE],
                        abut_error *err)
{
    if (!(choice[0] >= CHOICE_NONE && choice[0] < CHOICE_COUNT))
        return error_set(err, ABUT_ERROR_INPUT, "linear_choice", "not a state of this scene");
    linear_choice chosen = {(choice_kind)choice[0], choice[1], choice[2], choice[3]};
    if (s->automatic) TRY(adopt_choice(s, chosen, err));
    return s->class->load ? s->class->load(s->self, order, numbers, err) : ABUT_OK;
}

void linear_destroy(linear_solver *s)
{
    if (!s) return;
    s->class->destroy(s->self);
    drop_other(s);
    mem_free(s);
}
