/* Checkpoints: bit for bit back; every sort of damage, another format and another scene are errors
 * with a reason; a full disk leaves the old checkpoint. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "output/checkpoint.h"

#include <unistd.h>

static char folder[64], path[100], hash[SHA256_TEXT_SIZE];

enum { N = 1000 };
static double positions[N];
static int32_t indices[7] = {INT32_MIN, -1, 0, 1, 2, 3, INT32_MAX};
static int64_t counters[2] = {INT64_MIN, INT64_MAX};

static void fill_writer(checkpoint_writer *w, int64_t step)
{
    memset(w, 0, sizeof *w);
    w->step = step;
    w->time = 0.1 * (double)step;
    w->scene_hash = hash;
    random_state r = {(uint64_t)step};
    for (int i = 0; i < N; i++) positions[i] = random_range(&r, -1, 1) * 1e-5;
    positions[0] = NAN;
    positions[1] = -0.0;
    positions[2] = 5e-324;
    checkpoint_add_doubles(w, "x", positions, N);
    checkpoint_add_ints(w, "active set", indices, 7);
    checkpoint_add_longs(w, "counters", counters, 2);
    checkpoint_add_doubles(w, "empty", NULL, 0);
}

static void write_step(int64_t step)
{
    abut_error err;
    checkpoint_writer w;
    fill_writer(&w, step);
    CHECK_OK(checkpoint_write(&w, path, &err), err);
    checkpoint_writer_free(&w);
}

static void check_step(int64_t step)
{
    abut_error err;
    checkpoint_writer w;
    checkpoint_reader r;
    fill_writer(&w, step);
    CHECK_OK(checkpoint_read(path, hash, &r, &err), err);
    CHECK(r.step == step && r.time == w.time && strcmp(r.abut_version, abut_version()) == 0);
    CHECK(r.arrays.count == 4);
    const double *x;
    const int32_t *ints;
    const int64_t *longs;
    size_t n;
    CHECK_OK(checkpoint_get_doubles(&r, "x", &x, &n, &err), err);
    CHECK(n == N && memcmp(x, positions, sizeof positions) == 0);
    CHECK_OK(checkpoint_get_ints(&r, "active set", &ints, &n, &err), err);
    CHECK(n == 7 && memcmp(ints, indices, sizeof indices) == 0);
    CHECK_OK(checkpoint_get_longs(&r, "counters", &longs, &n, &err), err);
    CHECK(n == 2 && memcmp(longs, counters, sizeof counters) == 0);
    CHECK_OK(checkpoint_get_doubles(&r, "empty", &x, &n, &err), err);
    CHECK(n == 0);
    checkpoint_free(&r);
    checkpoint_writer_free(&w);
}

TEST(arrays_come_back_bit_for_bit)
{
    write_step(12);
    check_step(12);
    write_step(13); /* replaced */
    check_step(13);
}

TEST(equal_contents_give_equal_bytes)
{
    abut_error err;
    char first[SHA256_TEXT_SIZE], second[SHA256_TEXT_SIZE];
    file_bytes bytes;
    write_step(3);
    CHECK_OK(file_read(path, &bytes, &err), err);
    sha256_of(bytes.data, bytes.size, first);
    file_free(&bytes);
    sleep(1); /* a time stamp in the file would differ */
    write_step(3);
    CHECK_OK(file_read(path, &bytes, &err), err);
    sha256_of(bytes.data, bytes.size, second);
    CHECK(memcmp(bytes.data + 512, "\x89HDF\r\n\x1a\n", 8) == 0); /* where HDF5's tools look */
    file_free(&bytes);
    CHECK(strcmp(first, second) == 0);
}

TEST(lookups_say_what_is_wrong)
{
    abut_error err;
    checkpoint_reader r;
    const double *x;
    size_t n;
    double copy[N];
    write_step(5);
    CHECK_OK(checkpoint_read(path, NULL, &r, &err), err);
    CHECK(checkpoint_get_doubles(&r, "v", &x, &n, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "no array \"v\"") != NULL && strcmp(err.place, path) == 0);
    CHECK(checkpoint_get_doubles(&r, "active set", &x, &n, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "has 32-bit integers, expected doubles") != NULL);
    CHECK(checkpoint_copy_doubles(&r, "x", copy, N - 1, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "has 1000 entries, the scene needs 999") != NULL);
    CHECK_OK(checkpoint_copy_doubles(&r, "x", copy, N, &err), err);
    CHECK(memcmp(copy, positions, sizeof copy) == 0);
    int32_t ints[7];
    int64_t longs[2];
    CHECK_OK(checkpoint_copy_ints(&r, "active set", ints, 7, &err), err);
    CHECK_OK(checkpoint_copy_longs(&r, "counters", longs, 2, &err), err);
    CHECK(ints[0] == INT32_MIN && longs[1] == INT64_MAX);
    checkpoint_free(&r);
}

TEST(names_that_cannot_be_are_refused)
{
    abut_error err;
    checkpoint_writer w;
    const char *names[] = {"a/b", "",
                           "a name that is much too long for an array in a checkpoint "
                           "file of abut"};
    for (int i = 0; i < 3; i++) {
        fill_writer(&w, 1);
        checkpoint_add_doubles(&w, names[i], positions, 1);
        CHECK(checkpoint_write(&w, path, &err) == ABUT_ERROR_INTERNAL);
        checkpoint_writer_free(&w);
    }
    fill_writer(&w, 1);
    checkpoint_add_doubles(&w, "x", positions, 1); /* twice */
    CHECK(checkpoint_write(&w, path, &err) == ABUT_ERROR_INTERNAL);
    checkpoint_writer_free(&w);
}

/* As many as bodies with meshes of their own ask for. */
TEST(there_may_be_any_number_of_arrays)
{
    enum { MANY = 3000 };
    abut_error err;
    checkpoint_writer w = {.step = 1, .scene_hash = hash};
    checkpoint_reader r;
    char name[CHECKPOINT_NAME_SIZE];
    int32_t values[MANY];
    for (int i = 0; i < MANY; i++) {
        values[i] = i * i;
        snprintf(name, sizeof name, "mesh_%d_cells", i);
        checkpoint_add_ints(&w, name, &values[i], 1);
    }
    CHECK_OK(checkpoint_write(&w, path, &err), err);
    checkpoint_writer_free(&w);
    CHECK_OK(checkpoint_read(path, hash, &r, &err), err);
    CHECK(r.arrays.count == MANY);
    for (int i = 0; i < MANY; i++) {
        int32_t value = -1;
        snprintf(name, sizeof name, "mesh_%d_cells", i);
        CHECK_OK(checkpoint_copy_ints(&r, name, &value, 1, &err), err);
        CHECK(value == i * i);
    }
    checkpoint_free(&r);
}

/* The file's bytes with a change, and the error that must come of it. */
static void expect_refusal(const void *data, size_t size, const char *reason)
{
    abut_error err = {0};
    checkpoint_reader r;
    FILE *f = fopen(path, "wb");
    fwrite(data, 1, size, f);
    fclose(f);
    CHECK(checkpoint_read(path, hash, &r, &err) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, path) == 0);
    if (!strstr(err.message, reason)) printf("message: %s\n", err.message);
    CHECK(strstr(err.message, reason) != NULL);
    CHECK(r.arrays.count == 0 && r.path == NULL);
}

TEST(damage_of_every_sort_is_recognised)
{
    abut_error err;
    file_bytes bytes;
    write_step(8);
    CHECK_OK(file_read(path, &bytes, &err), err);
    size_t size = bytes.size;
    char *copy = mem_alloc(size + 10, 1);
    memcpy(copy, bytes.data, size);
    file_free(&bytes);

    expect_refusal(copy, 0, "not a checkpoint");
    expect_refusal("hello", 5, "not a checkpoint");
    expect_refusal(copy + 512, size - 512, "not a checkpoint"); /* a bare HDF5 file */
    expect_refusal(copy, 16, "does not name a format");
    expect_refusal(copy, 40, "header is incomplete");
    for (size_t cut = 512; cut < size; cut += 97) expect_refusal(copy, cut, "and should have");
    memset(copy + size, 0, 10);
    expect_refusal(copy, size + 10, "and should have");
    for (size_t at = 512; at < size; at += 61) {
        copy[at] ^= 4;
        expect_refusal(copy, size, "checksum does not match");
        copy[at] ^= 4;
    }
    char *format = strstr(copy, "format 1");
    format[7] = '2';
    expect_refusal(copy, size, "is a checkpoint of format 2; this version of abut reads format 1");
    format[7] = '1';
    hash[3] ^= 1;
    expect_refusal(copy, size, "belongs to another scene");
    hash[3] ^= 1;
    /* A right checksum over something that is not HDF5. */
    char sum[SHA256_TEXT_SIZE];
    memset(copy + 512, 'x', size - 512);
    sha256_of(copy + 512, size - 512, sum);
    memcpy(strstr(copy, "sha256 ") + 7, sum, 64);
    expect_refusal(copy, size, "HDF5 cannot open it");
    mem_free(copy);
    unlink(path);
    checkpoint_reader r;
    CHECK(checkpoint_read(path, hash, &r, &err) == ABUT_ERROR_IO);
}

TEST(faults_leave_the_old_checkpoint)
{
    abut_error err;
    checkpoint_writer w;
    write_step(20);
    for (int64_t room = 0; room < 4000; room += 500) {
        fill_writer(&w, 21);
        file_fail_after_bytes(room);
        CHECK(checkpoint_write(&w, path, &err) == ABUT_ERROR_IO);
        file_fail_after_bytes(-1);
        checkpoint_writer_free(&w);
        check_step(20);
    }
    for (int i = 0;; i++) {
        mem_fail_after(i);
        fill_writer(&w, 21);
        abut_status status = checkpoint_write(&w, path, &err);
        bool injected = mem_failure_happened();
        mem_fail_after(-1);
        checkpoint_writer_free(&w);
        CHECK(status == (injected ? ABUT_ERROR_MEMORY : ABUT_OK));
        if (!injected) break;
        check_step(20);
    }
    check_step(21);
    int reads = 0;
    for (bool injected = true; injected; reads++) {
        checkpoint_reader r;
        mem_fail_after(reads);
        abut_status status = checkpoint_read(path, hash, &r, &err);
        injected = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (injected ? ABUT_ERROR_MEMORY : ABUT_OK));
        checkpoint_free(&r);
    }
    CHECK(reads > 4);
}

int main(void)
{
    strcpy(folder, "/tmp/abut-test-checkpoint-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    path_join(path, sizeof path, folder, "checkpoint.h5");
    sha256_of("scene", 5, hash);
    /* HDF5 must not print: everything goes to standard error, which a test may not use here. */
    char noise[100];
    path_join(noise, sizeof noise, folder, "stderr");
    CHECK(freopen(noise, "w", stderr) != NULL);
    RUN(arrays_come_back_bit_for_bit);
    RUN(equal_contents_give_equal_bytes);
    RUN(lookups_say_what_is_wrong);
    RUN(names_that_cannot_be_are_refused);
    RUN(there_may_be_any_number_of_arrays);
    RUN(damage_of_every_sort_is_recognised);
    RUN(faults_leave_the_old_checkpoint);
    CHECK(ftell(stderr) == 0);
    unlink(noise);
    unlink(path);
    CHECK(rmdir(folder) == 0);
    return TEST_END();
}
