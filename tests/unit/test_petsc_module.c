/* What the library makes of the module for PETSc, with one in its place (tests/modules). */
#include "test.h"

#include "base/memory.h"
#include "base/random.h"
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

/* The identity, with room for what the keys say. */
static row_matrix identity(int32_t blocks, key_list *keys)
{
    row_matrix m = {0};
    key_list_unique(keys);
    CHECK_OK(row_matrix_set_pattern(&m, 0, blocks, blocks, keys->data, keys->count, &err), err);
    row_matrix_clear(&m);
    row_matrix_shift(&m, 1, 1);
    array_free(keys);
    return m;
}

static row_matrix unconnected(int32_t blocks)
{
    key_list none = {0};
    return identity(blocks, &none);
}

/* Every block with four others anywhere: no order leaves its factor small. */
static row_matrix entangled(int32_t blocks)
{
    key_list keys = {0};
    random_state state = {1};
    for (int32_t i = 0; i < blocks; i++)
        for (int k = 0; k < 4; k++) {
            int32_t j = (int32_t)random_below(&state, (uint64_t)blocks);
            if (j == i) continue;
            CHECK(array_push(&keys, row_key(i, j)) && array_push(&keys, row_key(j, i)));
        }
    return identity(blocks, &keys);
}

static void solve(linear_solver *solver, const row_matrix *m)
{
    size_t n = 3 * (size_t)m->rows;
    double *right = mem_alloc(n, sizeof *right), *x = mem_calloc(n, sizeof *x);
    for (size_t i = 0; i < n; i++) right[i] = (double)i;
    linear_system system = {.rows = m, .b = right};
    CHECK_OK(linear_solve_system(solver, &system, x, &err), err);
    CHECK(memcmp(x, right, n * sizeof *x) == 0);
    mem_free(right);
    mem_free(x);
}

/* "petsc" factorises what is cheap and takes GAMG for the rest, made once per step; never MUMPS. */
TEST(choice_of_petsc)
{
    setenv("ABUT_PETSC_MODULE", module_path("fake_petsc.so"), 1);
    struct {
        row_matrix m;
        int made; /* hierarchies so far */
    } cases[] = {{unconnected(4000), 0},
                 {unconnected(20000), 0},
                 {entangled(12000), 1},
                 {unconnected(60000), 2}};
    linear_options options = {.name = "petsc"};
    linear_solver *solver = NULL;
    CHECK_OK(linear_create(&options, &solver, &err), err);
    int before = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        linear_begin_step(solver);
        for (int again = 0; again < 3; again++) solve(solver, &cases[k].m);
        CHECK(counter("fake_petsc_created") == cases[k].made);
        CHECK(linear_get_statistics(solver)->exact == (cases[k].made == before));
        before = cases[k].made;
        row_matrix_free(&cases[k].m);
    }
    CHECK(counter("fake_petsc_refused") == 0);
    CHECK(linear_get_statistics(solver)->fallbacks == 0);
    linear_destroy(solver);
}

TEST(without_mumps)
{
    linear_options options = {.name = "petsc-mumps"};
    linear_solver *solver = NULL;
    CHECK(linear_create(&options, &solver, &err) == ABUT_ERROR_UNSUPPORTED);
    CHECK(strstr(err.message, "built without mumps") != NULL);
    petsc_finish();
}

int main(void)
{
    RUN(another_library_is_refused);
    RUN(choice_of_petsc);
    RUN(without_mumps);
    return TEST_END();
}
