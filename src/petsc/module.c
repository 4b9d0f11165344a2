/* PETSc and MPI behind the door of linear/petsc_module.h. This is a shared object of its own: the
 * rest of abut does not depend on either library. */
#include "petsc/module.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------------------- */
/* Transport. MPI itself ends all ranks when a call fails.                                        */

static MPI_Comm end_communicator; /* of those who have come to their end */

static void gather(void *data, const size_t *start)
{
    int count, rank;
    MPI_Comm_size(PETSC_COMM_WORLD, &count);
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    if (start[count] - start[0] > INT_MAX) { /* more than MPI counts at once */
        for (int r = 0; r < count; r++)
            for (size_t at = start[r]; at < start[r + 1]; at += 1 << 30) {
                size_t n = start[r + 1] - at < 1 << 30 ? start[r + 1] - at : 1 << 30;
                MPI_Bcast((char *)data + at, (int)n, MPI_BYTE, r, PETSC_COMM_WORLD);
            }
        return;
    }
    int *sizes = malloc(2 * (size_t)count * sizeof *sizes);
    if (!sizes) MPI_Abort(PETSC_COMM_WORLD, 1);
    for (int r = 0; r < count; r++) {
        sizes[r] = (int)(start[r + 1] - start[r]);
        sizes[count + r] = (int)(start[r] - start[0]);
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, (char *)data + start[0], sizes,
                   sizes + count, MPI_BYTE, PETSC_COMM_WORLD);
    free(sizes);
}

static double minimum(double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MIN, PETSC_COMM_WORLD);
    return value;
}

enum { PATIENCE_SECONDS = 5 };

static bool everybody; /* has come to the end */

static int end(int code, int *speaker)
{
    int count, rank, given[2], found[2], here = 0;
    MPI_Request all;
    MPI_Comm_size(PETSC_COMM_WORLD, &count);
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    given[0] = code;
    given[1] = code ? count - rank : 0; /* the largest is the first rank that failed */
    MPI_Iallreduce(given, found, 2, MPI_INT, MPI_MAX, end_communicator, &all);
    double started = MPI_Wtime();
    while (MPI_Test(&all, &here, MPI_STATUS_IGNORE), !here) {
        if (code != 0 && MPI_Wtime() - started > PATIENCE_SECONDS) {
            *speaker = rank;
            return code;
        }
        usleep(1000);
    }
    everybody = true;
    *speaker = found[1] ? count - found[1] : 0;
    return found[0];
}

static bool all_ended(void) { return everybody; }

static void abort_all(int code) { MPI_Abort(PETSC_COMM_WORLD, code); }

/* ---------------------------------------------------------------------------------------------- */
/* Lifecycle                                                                                      */

/* What suits elasticity with contact; given options come later and win. */
static const char default_options[] =
    "-mg_levels_ksp_type chebyshev -mg_levels_pc_type jacobi -mg_levels_ksp_max_it 2 "
    "-pc_gamg_threshold 0.01 -pc_gamg_reuse_interpolation true -sub_pc_type icc "
    "-pc_hypre_boomeramg_strong_threshold 0.5 -pc_hypre_boomeramg_relax_type_all "
    "symmetric-SOR/Jacobi -pc_hypre_boomeramg_coarsen_type HMIS "
    "-pc_hypre_boomeramg_interp_type ext+i -pc_hypre_boomeramg_P_max 4";

enum { MAX_WORDS = 512 };

static void split(char *text, char **words, int *count)
{
    for (char *word = strtok(text, " \t\n"); word && *count < MAX_WORDS;
         word = strtok(NULL, " \t\n"))
        words[(*count)++] = word;
}

void describe(PetscErrorCode code, char text[PETSC_TEXT])
{
    const char *general = NULL;
    char *specific = NULL;
    PetscErrorMessage(code, &general, &specific);
    snprintf(text, PETSC_TEXT, "%s%s%s", general ? general : "PETSc failed",
             specific && specific[0] ? ": " : "", specific ? specific : "");
}

/* How coarser matrices are made on ranks, unless that is given. Levels that are gathered on fewer
 * ranks are made by PETSc: of its methods this one adds in the same order every time. */
static void choose_products(int ranks)
{
    PetscBool given = PETSC_FALSE;
    PetscOptionsHasName(NULL, NULL, "-matptap_via", &given);
    if (given || ranks == 1) return;
    galerkin_want();
    PetscOptionsSetValue(NULL, "-matptap_via", "allatonce");
}

static petsc_status start(const char *options, rank_transport *transport, char text[PETSC_TEXT])
{
    static char *words[MAX_WORDS + 2]; /* PETSc keeps pointers to them */
    char **argv = words;
    int argc = 0;
    char *defaults = strdup(default_options), *given = strdup(options ? options : "");
    if (!defaults || !given) return PETSC_FAILED;
    words[argc++] = "abut";
    split(defaults, words, &argc);
    split(given, words, &argc);
    PetscErrorCode code = PetscInitialize(&argc, &argv, NULL, NULL);
    if (code) {
        describe(code, text);
        return PETSC_FAILED;
    }
    PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
    MPI_Comm_dup(PETSC_COMM_WORLD, &end_communicator);
    *transport = (rank_transport){.gather = gather,
                                  .minimum = minimum,
                                  .end = end,
                                  .all_ended = all_ended,
                                  .abort = abort_all};
    MPI_Comm_size(PETSC_COMM_WORLD, &transport->count);
    MPI_Comm_rank(PETSC_COMM_WORLD, &transport->index);
    choose_products(transport->count);
    return PETSC_DONE;
}

static void finish(void)
{
    MPI_Comm_free(&end_communicator);
    PetscFinalize();
}

static const petsc_functions functions = {
    .version = PETSC_MODULE_VERSION,
    .start = start,
    .finish = finish,
    .create = petsc_solver_create,
    .solve = petsc_solver_solve,
    .destroy = petsc_solver_destroy,
};

__attribute__((visibility("default"))) const petsc_functions *abut_petsc_module(void)
{
    return &functions;
}
