/* PETSc and MPI behind a module (abut_petsc.so, built from src/petsc) that is loaded when a run
 * needs it. The program and the library do not depend on either; the interface is plain C. */
#ifndef LINEAR_PETSC_MODULE_H
#define LINEAR_PETSC_MODULE_H

#include "base/ranks.h"

enum { PETSC_MODULE_VERSION = 2, PETSC_TEXT = 512 };

typedef enum petsc_status {
    PETSC_DONE = 0,
    PETSC_NOT_CONVERGED, /* the iteration failed, or the matrix is not positive definite */
    PETSC_NOT_AVAILABLE, /* this PETSc was built without something */
    PETSC_FAILED,        /* anything else */
} petsc_status;

/* Block rows of this rank, see linear/row_matrix.h. */
typedef struct petsc_system {
    int32_t first, rows, size;
    const int32_t *start, *column;
    const double *value;
    uint64_t pattern_stamp;
    const double *right;    /* 3 rows */
    const double *position; /* 3 per row, not finite where the row is no point; NULL: unknown */
    const uint8_t *mask;    /* 3 per row: x = 0; NULL: none */
    double tolerance;       /* relative; 0: 1e-10. Factorisations ignore it */
    int max_iterations;
} petsc_system;

typedef struct petsc_result {
    int iterations;
    bool analysed;      /* the pattern was new */
    bool renewed;       /* a factor or a preconditioner was made */
    double factor_size; /* scalars in the factor of MUMPS, of all ranks; 0: there is none */
} petsc_result;

typedef struct petsc_functions {
    int version;
    /* Starts MPI and PETSc once; options as on PETSc's command line (may be NULL). */
    petsc_status (*start)(const char *options, rank_transport *transport, char text[PETSC_TEXT]);
    /* Ends both. Prints what PETSc was asked to, such as -log_view. */
    void (*finish)(void);
    /* method: "mumps", "gamg", "hypre", "icc" or "bjacobi". */
    petsc_status (*create)(const char *method, void **self, char text[PETSC_TEXT]);
    petsc_status (*solve)(void *self, const petsc_system *system, double *x, petsc_result *result,
                          char text[PETSC_TEXT]);
    void (*destroy)(void *self);
} petsc_functions;

/* The one symbol of the module. */
const petsc_functions *abut_petsc_module(void);

/* ---- in the library ---- */

#include "base/status.h"

/* Loads the module and starts MPI and PETSc with these options, unless that has been done. The
 * ranks are divided from then on. The message of a failure says what is missing. */
abut_status petsc_start(const char *options, const petsc_functions **out, abut_error *err);
/* Ends them, if they were started. */
void petsc_finish(void);
/* Number of processes that a launcher (mpirun, srun) says it started; 1 without one. */
int petsc_launched_ranks(void);

#endif
