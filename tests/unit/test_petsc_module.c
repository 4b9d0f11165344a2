/* What the library makes of the module for PETSc, with one in its place (tests/modules). */
#include "test.h"

#include "linear/petsc_module.h"
#include "linear/solver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static abut_error err;

static const char *module_path(const char *name)
{
    static char path[1024];
    const char *build = getenv("ABUT_BUILD_DIR");
    snprintf(path, sizeof path, "%s/tests/%s", build ? build : "build", name);
    return path;
}

static bool is_loaded(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (library) dlclose(library);
    return library != NULL;
}

static int counter(const char *name)
{
    void *library = dlopen(module_path("fake_petsc.so"), RTLD_NOW | RTLD_NOLOAD);
    const int *value = library ? dlsym(library, name) : NULL;
    int found = value ? *value : -1;
    if (library) dlclose(library);
    return found;
}

/* A library that is no module is named, and not kept. */
TEST(another_library_is_refused)
{
    linear_options options = {.name = "petsc-gamg"};
    linear_solver *solver = NULL;
    setenv("ABUT_PETSC_MODULE", module_path("no_module.so"), 1);
    CHECK(linear_create(&options, &solver, &err) == ABUT_ERROR_UNSUPPORTED);
    CHECK(strstr(err.message, "abut_petsc_module") != NULL);
    CHECK(!is_loaded(module_path("no_module.so")));
    setenv("ABUT_PETSC_MODULE", "/nonexistent", 1);
    CHECK(linear_create(&options, &solver, &err) == ABUT_ERROR_UNSUPPORTED);
    CHECK(strstr(err.message, "/nonexistent") != NULL);
}

/* As many unconnected blocks as "petsc" would take to MUMPS. */
static abut_status solve_diagonal(linear_solver *solver, row_matrix *m)
{
    enum { BLOCKS = 4000 };
    static double right[3 * BLOCKS], x[3 * BLOCKS];
    if (m->rows == 0) CHECK_OK(row_matrix_set_pattern(m, 0, BLOCKS, BLOCKS, NULL, 0, &err), err);
    for (size_t i = 0; i < 3 * BLOCKS; i++) right[i] = (double)i;
    linear_system system = {.rows = m, .b = right};
    abut_status status = linear_solve_system(solver, &system, x, &err);
    CHECK(status != ABUT_OK || memcmp(x, right, sizeof x) == 0);
    return status;
}

/* Without MUMPS, GAMG is made once per step, not at every solve, and MUMPS asked for once. */
TEST(without_mumps)
{
    setenv("ABUT_PETSC_MODULE", module_path("fake_petsc.so"), 1);
    linear_options options = {.name = "petsc"};
    linear_solver *solver = NULL;
    row_matrix m = {0};
    CHECK_OK(linear_create(&options, &solver, &err), err);
    for (int k = 0; k < 3; k++) CHECK_OK(solve_diagonal(solver, &m), err);
    CHECK(counter("fake_petsc_created") == 1 && counter("fake_petsc_refused") == 1);
    linear_begin_step(solver);
    for (int k = 0; k < 3; k++) CHECK_OK(solve_diagonal(solver, &m), err);
    CHECK(counter("fake_petsc_created") == 2 && counter("fake_petsc_refused") == 1);
    CHECK(!linear_get_statistics(solver)->exact);
    linear_destroy(solver);
    options.name = "petsc-mumps";
    CHECK(linear_create(&options, &solver, &err) == ABUT_ERROR_UNSUPPORTED);
    CHECK(strstr(err.message, "built without mumps") != NULL);
    row_matrix_free(&m);
    petsc_finish();
}

int main(void)
{
    RUN(another_library_is_refused);
    RUN(without_mumps);
    return TEST_END();
}
