/* A module in place of the one for PETSc (linear/petsc_module.h), built without MUMPS: one rank,
 * and solves that say x = b. Counts how often a method is made. */
#include "linear/petsc_module.h"

#include <stdio.h>
#include <string.h>

__attribute__((visibility("default"))) int fake_petsc_created, fake_petsc_refused;

static petsc_status start(const char *options, rank_transport *transport, char text[PETSC_TEXT])
{
    (void)options;
    (void)text;
    *transport = (rank_transport){.count = 1};
    return PETSC_DONE;
}

static void finish(void) {}

static petsc_status create(const char *method, void **self, char text[PETSC_TEXT])
{
    if (strcmp(method, "mumps") == 0) {
        fake_petsc_refused++;
        snprintf(text, PETSC_TEXT, "this PETSc was built without mumps");
        return PETSC_NOT_AVAILABLE;
    }
    fake_petsc_created++;
    *self = &fake_petsc_created;
    return PETSC_DONE;
}

static petsc_status solve(void *self, const petsc_system *system, double *x, petsc_result *result,
                          char text[PETSC_TEXT])
{
    (void)self;
    (void)text;
    *result = (petsc_result){.iterations = 1};
    memcpy(x, system->right, 3 * (size_t)system->rows * sizeof *x);
    return PETSC_DONE;
}

static void destroy(void *self) { (void)self; }

__attribute__((visibility("default"))) const petsc_functions *abut_petsc_module(void)
{
    static const petsc_functions functions = {.version = PETSC_MODULE_VERSION,
                                              .start = start,
                                              .finish = finish,
                                              .create = create,
                                              .solve = solve,
                                              .destroy = destroy};
    return &functions;
}
