/* Conjugate gradients with a preconditioner of PETSc, or the factorisation of MUMPS, on the rows
 * that the ranks assembled. The matrix is kept while its pattern stays. */
#include "linear/preconditioner_age.h"
#include "petsc/module.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 6 };

/* Iterations that making a preconditioner costs (GAMG, bench/scale). */
static const double SETUP_ITERATIONS = 25;

_Static_assert(sizeof(PetscInt) == sizeof(int32_t), "PETSc with 32-bit indices is needed");

typedef struct petsc_solver {
    const struct method *method;
    Mat a;
    Vec b, x;
    KSP ksp;
    uint64_t pattern_stamp;
    bool ready;
    bool old; /* the preconditioner is that of an earlier matrix */
    preconditioner_age age;
} petsc_solver;

typedef struct method {
    const char *name;
    KSPType ksp;
    PCType pc;
    const char *package; /* that PETSc must have been built with */
    bool modes;          /* wants to know the rigid motions */
    bool costly;         /* kept for other values as long as it serves */
} method;

static const method methods[] = {
    {"mumps", KSPPREONLY, PCCHOLESKY, "mumps", false, false},
    {"gamg", KSPCG, PCGAMG, NULL, true, true},
    {"hypre", KSPCG, PCHYPRE, "hypre", true, true},
    {"icc", KSPCG, PCBJACOBI, NULL, false, false},
    {"bjacobi", KSPCG, PCPBJACOBI, NULL, false, false},
};

petsc_status petsc_solver_create(const char *name, void **self, char text[PETSC_TEXT])
{
    const method *found = NULL;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i].name, name) == 0) found = &methods[i];
    if (!found) {
        snprintf(text, PETSC_TEXT, "there is no method \"%s\"", name);
        return PETSC_FAILED;
    }
    PetscBool present = PETSC_TRUE;
    if (found->package && PetscHasExternalPackage(found->package, &present)) present = PETSC_FALSE;
    if (!present) {
        snprintf(text, PETSC_TEXT, "this PETSc was built without %s", found->package);
        return PETSC_NOT_AVAILABLE;
    }
    petsc_solver *s = calloc(1, sizeof *s);
    if (!s) return PETSC_FAILED;
    s->method = found;
    *self = s;
    return PETSC_DONE;
}

static void release(petsc_solver *s)
{
    KSPDestroy(&s->ksp);
    MatDestroy(&s->a);
    VecDestroy(&s->b);
    VecDestroy(&s->x);
    s->ready = s->old = s->age.serves = false;
}

void petsc_solver_destroy(void *self)
{
    release(self);
    free(self);
}

/* ---------------------------------------------------------------------------------------------- */
/* Matrix                                                                                         */

static PetscErrorCode create_matrix(petsc_solver *s, const petsc_system *system)
{
    PetscInt *diagonal, *other, last = system->first + system->rows;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc2((size_t)system->rows, &diagonal, (size_t)system->rows, &other));
    for (int32_t i = 0; i < system->rows; i++)
        for (int32_t k = system->start[i]; k < system->start[i + 1]; k++)
            (system->column[k] >= system->first && system->column[k] < last ? diagonal
                                                                            : other)[i]++;
    PetscCall(MatCreate(PETSC_COMM_WORLD, &s->a));
    PetscCall(
        MatSetSizes(s->a, 3 * system->rows, 3 * system->rows, 3 * system->size, 3 * system->size));
    PetscCall(MatSetBlockSize(s->a, 3));
    PetscCall(MatSetType(s->a, MATAIJ));
    PetscCall(MatXAIJSetPreallocation(s->a, 3, diagonal, other, NULL, NULL));
    PetscCall(MatSetOption(s->a, MAT_SPD, PETSC_TRUE));
    PetscCall(MatSetOption(s->a, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
    PetscCall(PetscFree2(diagonal, other));
    PetscCall(MatCreateVecs(s->a, &s->x, &s->b));
    PetscFunctionReturn(0);
}

static PetscErrorCode fill_matrix(petsc_solver *s, const petsc_system *system)
{
    PetscFunctionBeginUser;
    for (int32_t i = 0; i < system->rows; i++) {
        PetscInt row = system->first + i, count = system->start[i + 1] - system->start[i];
        PetscCall(MatSetValuesBlocked(s->a, 1, &row, count, system->column + system->start[i],
                                      system->value + 9 * (size_t)system->start[i], INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(s->a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(s->a, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------------------- */
/* Rigid motions                                                                                  */

static bool is_point(const double *p) { return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]); }

/* Middle of all points. */
static PetscErrorCode middle_of(const petsc_system *system, double middle[3])
{
    double sum[4] = {0};
    PetscFunctionBeginUser;
    for (int32_t i = 0; i < system->rows; i++) {
        const double *p = system->position + 3 * (size_t)i;
        if (!is_point(p)) continue;
        for (int c = 0; c < 3; c++) sum[c] += p[c];
        sum[3]++;
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
    for (int c = 0; c < 3; c++) middle[c] = sum[3] > 0 ? sum[c] / sum[3] : 0;
    PetscFunctionReturn(0);
}

/* Motion `mode` of the point p: three translations, three rotations about the middle. */
static void motion_of(int mode, const double *p, const double middle[3], double out[3])
{
    out[0] = out[1] = out[2] = 0;
    if (mode < 3) {
        out[mode] = 1;
        return;
    }
    int a = (mode + 1) % 3, b = (mode + 2) % 3;
    out[a] = -(p[b] - middle[b]);
    out[b] = p[a] - middle[a];
}

/* Rows that are no points take no part. Motions that the masks leave nothing of are left out. */
static PetscErrorCode attach_modes(petsc_solver *s, const petsc_system *system)
{
    Vec modes[MODES];
    PetscInt kept = 0;
    double middle[3];
    PetscFunctionBeginUser;
    PetscCall(middle_of(system, middle));
    for (int mode = 0; mode < MODES; mode++) {
        PetscScalar *v;
        PetscCall(VecDuplicate(s->x, &modes[kept]));
        PetscCall(VecSetBlockSize(modes[kept], 3));
        PetscCall(VecGetArray(modes[kept], &v));
        for (int32_t i = 0; i < system->rows; i++) {
            const double *p = system->position + 3 * (size_t)i;
            double move[3] = {0};
            if (is_point(p)) motion_of(mode, p, middle, move);
            for (int c = 0; c < 3; c++) {
                bool fixed = system->mask && system->mask[3 * (size_t)i + (size_t)c];
                v[3 * (size_t)i + (size_t)c] = fixed ? 0 : move[c];
            }
        }
        PetscCall(VecRestoreArray(modes[kept], &v));
        PetscReal before, after;
        PetscScalar dots[MODES];
        PetscCall(VecNorm(modes[kept], NORM_2, &before));
        PetscCall(VecMDot(modes[kept], kept, modes, dots));
        for (PetscInt k = 0; k < kept; k++) dots[k] = -dots[k];
        PetscCall(VecMAXPY(modes[kept], kept, dots, modes));
        PetscCall(VecNorm(modes[kept], NORM_2, &after));
        if (after > 1e-6 * before && after > 0) {
            PetscCall(VecScale(modes[kept], 1 / after));
            kept++;
        } else {
            PetscCall(VecDestroy(&modes[kept]));
        }
    }
    MatNullSpace space;
    PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, kept, modes, &space));
    PetscCall(MatSetNearNullSpace(s->a, space));
    PetscCall(MatNullSpaceDestroy(&space));
    for (PetscInt k = 0; k < kept; k++) PetscCall(VecDestroy(&modes[k]));
    PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------------------- */
/* Solve                                                                                          */

static PetscErrorCode create_solver(petsc_solver *s)
{
    PC pc;
    PetscFunctionBeginUser;
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &s->ksp));
    PetscCall(KSPSetType(s->ksp, s->method->ksp));
    /* The natural norm, of the error as energy: in the plain one stiff contacts outweigh all else.
     * With incomplete factors of the ranks it stops too early. */
    bool incomplete = strcmp(s->method->name, "icc") == 0;
    if (strcmp(s->method->ksp, KSPCG) == 0)
        PetscCall(KSPSetNormType(s->ksp, incomplete ? KSP_NORM_PRECONDITIONED : KSP_NORM_NATURAL));
    PetscCall(KSPGetPC(s->ksp, &pc));
    PetscCall(PCSetType(pc, s->method->pc));
    if (strcmp(s->method->name, "mumps") == 0)
        PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
    PetscCall(KSPSetOperators(s->ksp, s->a, s->a));
    PetscCall(KSPSetFromOptions(s->ksp));
    PetscFunctionReturn(0);
}

static PetscErrorCode prepare(petsc_solver *s, const petsc_system *system, petsc_result *result)
{
    PetscFunctionBeginUser;
    if (!s->ready || s->pattern_stamp != system->pattern_stamp) {
        release(s);
        PetscCall(create_matrix(s, system));
        PetscCall(fill_matrix(s, system));
        if (s->method->modes && system->position) PetscCall(attach_modes(s, system));
        if (strcmp(s->method->name, "gamg") == 0) PetscCall(galerkin_attach(s->a));
        PetscCall(create_solver(s));
        s->pattern_stamp = system->pattern_stamp;
        s->ready = true;
        result->analysed = true;
        PetscFunctionReturn(0);
    }
    PetscCall(fill_matrix(s, system));
    PetscCall(KSPSetOperators(s->ksp, s->a, s->a));
    s->old = s->method->costly && s->age.serves;
    PetscFunctionReturn(0);
}

/* Solves with the old preconditioner as long as it serves, else with a new one. */
static PetscErrorCode iterate(petsc_solver *s, const petsc_system *system, petsc_result *result,
                              KSPConvergedReason *reason)
{
    double tolerance = system->tolerance > 0 ? system->tolerance : 1e-10;
    PetscFunctionBeginUser;
    for (bool again = true; again;) {
        PetscInt limit = system->max_iterations, iterations;
        double patience = ceil(preconditioner_patience(&s->age, tolerance));
        if (s->old && patience < limit) limit = (PetscInt)patience;
        PetscCall(KSPSetReusePreconditioner(s->ksp, s->old ? PETSC_TRUE : PETSC_FALSE));
        PetscCall(KSPSetTolerances(s->ksp, tolerance, 0, PETSC_DEFAULT, limit));
        PetscCall(KSPSolve(s->ksp, s->b, s->x));
        PetscCall(KSPGetConvergedReason(s->ksp, reason));
        PetscCall(KSPGetIterationNumber(s->ksp, &iterations));
        result->iterations += (int)iterations;
        again = s->old && *reason <= 0;
        if (s->old && !again)
            preconditioner_was_old(&s->age, tolerance, (double)iterations);
        else if (!s->old)
            preconditioner_was_new(&s->age, tolerance, SETUP_ITERATIONS, (double)iterations);
        result->renewed = result->renewed || !s->old;
        s->old = false;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode run(petsc_solver *s, const petsc_system *system, double *x,
                          petsc_result *result, KSPConvergedReason *reason)
{
    PetscScalar *v;
    const PetscScalar *solution;
    size_t bytes = 3 * (size_t)system->rows * sizeof *x;
    PetscFunctionBeginUser;
    PetscCall(prepare(s, system, result));
    PetscCall(VecGetArray(s->b, &v));
    if (bytes) memcpy(v, system->right, bytes);
    PetscCall(VecRestoreArray(s->b, &v));
    PetscCall(iterate(s, system, result, reason));
    PetscCall(VecGetArrayRead(s->x, &solution));
    if (bytes) memcpy(x, solution, bytes);
    PetscCall(VecRestoreArrayRead(s->x, &solution));
    Mat factor;
    PC pc;
    PetscCall(KSPGetPC(s->ksp, &pc));
    if (*reason > 0 && strcmp(s->method->name, "mumps") == 0) {
        MatInfo info;
        PetscCall(PCFactorGetMatrix(pc, &factor));
        PetscCall(MatGetInfo(factor, MAT_GLOBAL_SUM, &info));
        result->factor_size = info.nz_used;
    }
    PetscFunctionReturn(0);
}

petsc_status petsc_solver_solve(void *self, const petsc_system *system, double *x,
                                petsc_result *result, char text[PETSC_TEXT])
{
    petsc_solver *s = self;
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    *result = (petsc_result){0};
    PetscErrorCode code = run(s, system, x, result, &reason);
    if (code) {
        describe(code, text);
        release(s);
        return PETSC_FAILED;
    }
    if (reason > 0) return PETSC_DONE;
    snprintf(text, PETSC_TEXT, "%s after %d iterations of %s", KSPConvergedReasons[reason],
             result->iterations, s->method->name);
    release(s); /* a preconditioner that failed is not kept */
    return PETSC_NOT_CONVERGED;
}
