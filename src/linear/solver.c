#include "linear/solver.h"

#include "base/memory.h"

#include <string.h>

struct linear_solver {
    const linear_class *class;
    void *self;
    linear_statistics statistics;
};

static const linear_class *const classes[] = {&linear_direct, &linear_cholmod, &linear_pcg};

abut_status linear_create(const linear_options *options, linear_solver **out, abut_error *err)
{
    *out = NULL;
    const linear_class *class = NULL;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(classes[i]->name, options->name) == 0) class = classes[i];
    if (!class)
        return error_set(err, ABUT_ERROR_INPUT, "solver.linear",
                         "unknown linear solver \"%s\"; available: direct, cholmod, pcg",
                         options->name);
    linear_solver *solver = mem_calloc(1, sizeof *solver);
    if (!solver) return error_memory(err, "creating the linear solver");
    solver->class = class;
    abut_status status = class->create(options, &solver->self, err);
    if (status != ABUT_OK) {
        mem_free(solver);
        return status;
    }
    *out = solver;
    return ABUT_OK;
}

abut_status linear_solve(linear_solver *solver, const block_matrix *a, const double *b, double *x,
                         abut_error *err)
{
    return solver->class->solve(solver->self, a, b, x, &solver->statistics, err);
}

const linear_statistics *linear_get_statistics(const linear_solver *solver)
{
    return &solver->statistics;
}

void linear_save(const linear_solver *solver, int32_t *order, size_t capacity, double numbers[2])
{
    memset(order, 0, capacity * sizeof *order);
    numbers[0] = numbers[1] = 0;
    if (solver->class->save) solver->class->save(solver->self, order, capacity, numbers);
}

abut_status linear_load(linear_solver *solver, const int32_t *order, const double numbers[2],
                        abut_error *err)
{
    return solver->class->load ? solver->class->load(solver->self, order, numbers, err) : ABUT_OK;
}

void linear_destroy(linear_solver *solver)
{
    if (!solver) return;
    solver->class->destroy(solver->self);
    mem_free(solver);
}
