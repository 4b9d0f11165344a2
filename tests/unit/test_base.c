/* Allocation, arrays, threads-independent reductions, atomic files. */
#include "test.h"

#include "base/array.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/random.h"

#include <unistd.h>

TEST(array_grows_and_keeps)
{
    ARRAY(int) list = {0};
    for (int i = 0; i < 1000; i++) CHECK(array_push(&list, i * i));
    CHECK(list.count == 1000);
    CHECK(list.data[999] == 999 * 999);
    uint64_t before = mem_allocation_count();
    array_clear(&list);
    for (int i = 0; i < 1000; i++) CHECK(array_push(&list, i));
    CHECK(mem_allocation_count() == before);
    array_free(&list);
}

TEST(injected_allocation_failure)
{
    ARRAY(int) list = {0};
    CHECK(array_push(&list, 1));
    mem_fail_after(0);
    CHECK(!array_reserve(&list, 10000));
    CHECK(mem_failure_happened());
    mem_fail_after(-1);
    CHECK(list.count == 1 && list.data[0] == 1);
    array_free(&list);
}

TEST(huge_allocation_is_refused)
{
    CHECK(mem_alloc(SIZE_MAX / 2, 8) == NULL);
    CHECK(mem_alloc(SIZE_MAX, 1) == NULL);
}

static double partial(void *context, size_t begin, size_t end)
{
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += ((double *)context)[i];
    return sum;
}

TEST(sum_does_not_depend_on_threads)
{
    enum { N = 100003 };
    double *values = mem_alloc(N, sizeof *values);
    random_state r = {7};
    for (int i = 0; i < N; i++) values[i] = random_range(&r, -1, 1) * 1e10;
    parallel_set_threads(1);
    double one = parallel_sum(N, partial, values);
    parallel_set_threads(4);
    CHECK(parallel_threads() == 4);
    for (int k = 0; k < 20; k++) CHECK(parallel_sum(N, partial, values) == one);
    parallel_set_threads(2);
    mem_free(values);
}

TEST(atomic_write_is_all_or_nothing)
{
    abut_error err;
    char path[] = "/tmp/abut-test-atomic-XXXXXX";
    CHECK(mkdtemp(path) != NULL);
    char name[100];
    path_join(name, sizeof name, path, "a/b");
    CHECK(directory_create(path, &err) == ABUT_OK);
    CHECK(atomic_write(name, "x", 1, &err) == ABUT_ERROR_IO);
    path_join(name, sizeof name, path, "file");
    CHECK_OK(atomic_write(name, "hello", 5, &err), err);
    file_fail_after_bytes(3);
    CHECK(atomic_write(name, "other", 5, &err) == ABUT_ERROR_IO);
    CHECK(strstr(err.message, "No space") != NULL);
    file_fail_after_bytes(-1);
    file_bytes bytes;
    CHECK_OK(file_read(name, &bytes, &err), err);
    CHECK(bytes.size == 5 && memcmp(bytes.data, "hello", 6) == 0);
    file_free(&bytes);
    CHECK(file_read(path, &bytes, &err) == ABUT_ERROR_IO);
    CHECK(strstr(err.message, "directory") != NULL);
    unlink(name);
    CHECK(rmdir(path) == 0); /* fails when a temporary file was left behind */
}

TEST(paths)
{
    char out[64];
    path_folder(out, sizeof out, "a/b/c.json");
    CHECK(strcmp(out, "a/b") == 0);
    path_folder(out, sizeof out, "c.json");
    CHECK(strcmp(out, ".") == 0);
    CHECK(strcmp(path_extension("a.b/c.MSH"), "MSH") == 0);
    CHECK(strcmp(path_extension("a.b/c"), "") == 0);
}

int main(void)
{
    RUN(array_grows_and_keeps);
    RUN(injected_allocation_failure);
    RUN(huge_allocation_is_refused);
    RUN(sum_does_not_depend_on_threads);
    RUN(atomic_write_is_all_or_nothing);
    RUN(paths);
    return TEST_END();
}
