/* Inside of the module: the solver of distributed systems, products of its matrices. */
#ifndef PETSC_MODULE_H
#define PETSC_MODULE_H

#include "linear/petsc_module.h"

#include <petscksp.h>

void describe(PetscErrorCode code, char text[PETSC_TEXT]);

petsc_status petsc_solver_create(const char *method, void **self, char text[PETSC_TEXT]);
petsc_status petsc_solver_solve(void *self, const petsc_system *system, double *x,
                                petsc_result *result, char text[PETSC_TEXT]);
void petsc_solver_destroy(void *self);

/* Products P^T A P with the distributed matrix a, and with what they make, take little memory and
 * have the same bits every time; only after galerkin_want. */
void galerkin_want(void);
PetscErrorCode galerkin_attach(Mat a);

#endif
