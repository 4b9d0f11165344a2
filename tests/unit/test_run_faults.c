/* Runs that fail in the middle: a disk that is full at any moment, memory that ends at any moment.
 * Nothing half is left, what was there stays whole, and the run can go on afterwards. */
#include "base/file.h"
#include "base/memory.h"
#include "output/checkpoint.h"
#include "output/table.h"
#include "test.h"

#include <abut/sim.h>
#include <dirent.h>
#include <unistd.h>

static abut_error err;
static char folder[64];
static char scene_path[300], run_path[300];

static const char scene_text[] =
    "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 6}, \"contact\": {\"dhat\": 0.01, "
    "\"friction\": 0.2}, \"materials\": {\"soft\": {\"young\": 1e5, \"poisson\": 0.3}}, "
    "\"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": [1, 1, 1]}}, "
    "\"translate\": [0, 0.105, 0], \"material\": \"soft\"}, {\"type\": \"obstacle\", \"mesh\": "
    "{\"sphere\": {\"radius\": 0.05, \"level\": 0}}, \"translate\": [0.5, 0.1, 0], \"motion\": "
    "{\"velocity\": [-1, 0, 0]}}], \"ground\": 0, \"output\": {\"checkpoint_every\": 2}}";

static void remove_all(const char *path)
{
    DIR *directory = opendir(path);
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char inside[600];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        if (unlink(inside) != 0) remove_all(inside);
    }
    closedir(directory);
    rmdir(path);
}

/* Number of files below path whose name ends in .tmp. */
static int leftovers(const char *path)
{
    int count = 0;
    DIR *directory = opendir(path);
    if (!directory) return 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char inside[600];
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.') continue;
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        if (file_is_directory(inside)) count += leftovers(inside);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".tmp") == 0) count++;
    }
    closedir(directory);
    return count;
}

/* A whole run from the scene file; resume goes on. */
static abut_status run(bool resume, double *positions)
{
    abut_sim *sim = NULL;
    abut_status status = abut_sim_load(scene_path, NULL, &sim, &err);
    if (status != ABUT_OK) {
        CHECK(sim == NULL);
        return status;
    }
    abut_run_options options = abut_default_run_options();
    options.folder = run_path;
    options.resume = resume;
    status = abut_sim_run(sim, &options, &err);
    if (positions)
        memcpy(positions, abut_sim_positions(sim),
               3 * abut_sim_node_count(sim) * sizeof *positions);
    abut_sim_destroy(sim);
    return status;
}

/* What is in the folder can be read: the table ends in a whole row, the checkpoint is sound. */
static void check_folder(void)
{
    char path[400];
    CHECK(leftovers(run_path) == 0);
    path_join(path, sizeof path, run_path, "checkpoint.h5");
    if (file_exists(path)) {
        checkpoint_reader *c = mem_alloc(1, sizeof *c);
        abut_status status = checkpoint_read(path, NULL, c, &err);
        CHECK_OK(status, err);
        if (status == ABUT_OK) checkpoint_free(c);
        mem_free(c);
    }
    path_join(path, sizeof path, run_path, "steps.csv");
    if (file_exists(path)) {
        step_row *rows = NULL;
        size_t count = 0;
        abut_status status = table_read(path, &rows, &count, &err);
        CHECK_OK(status, err);
        if (status == ABUT_OK) mem_free(rows);
    }
}

enum { MOST = 3 * 40 };
static double expected[MOST];

TEST(good_run)
{
    CHECK_OK(run(false, expected), err);
    check_folder();
    remove_all(run_path);
}

TEST(full_disk)
{
    int failed = 0, done = 0;
    for (int64_t bytes = 0; !done && bytes < 4000000; bytes += 1 + bytes / 6 + 500) {
        file_fail_after_bytes(bytes);
        abut_status status = run(false, NULL);
        file_fail_after_bytes(-1);
        done = status == ABUT_OK;
        if (!done) {
            failed++;
            CHECK(status == ABUT_ERROR_IO);
            CHECK(strstr(err.place, run_path) || strstr(err.message, run_path));
            CHECK(strstr(err.message, "No space left") != NULL);
        }
        check_folder();
        /* With room again the run goes on to the same end. */
        double positions[MOST];
        CHECK_OK(run(true, positions), err);
        CHECK(memcmp(positions, expected, sizeof(double) * 24) == 0);
        remove_all(run_path);
    }
    CHECK(done && failed > 10);
}

TEST(no_memory)
{
    int failed = 0, done = 0;
    for (int64_t n = 0; !done && n < 1000000; n += 1 + n / 60) {
        mem_fail_after(n);
        abut_status status = run(false, NULL);
        bool injected = mem_failure_happened();
        mem_fail_after(-1);
        done = !injected;
        if (injected) failed++;
        /* A failed allocation is reported, or was one that can be done without. */
        CHECK(status == ABUT_ERROR_MEMORY || status == ABUT_OK);
        if (injected && status != ABUT_OK) CHECK(strstr(err.message, "memory") != NULL);
        check_folder();
        if (n % 7 == 0) {
            double positions[MOST];
            CHECK_OK(run(true, positions), err);
            CHECK(memcmp(positions, expected, sizeof(double) * 24) == 0);
        }
        remove_all(run_path);
    }
    CHECK(done && failed > 100);
}

int main(void)
{
    /* Hundreds of runs: in memory where there is such a folder. */
    snprintf(folder, sizeof folder, "%s/abut_faults_XXXXXX",
             file_is_directory("/dev/shm") ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder)) return EXIT_FAILURE;
    snprintf(scene_path, sizeof scene_path, "%s/scene.json", folder);
    snprintf(run_path, sizeof run_path, "%s/run", folder);
    CHECK_OK(atomic_write(scene_path, scene_text, sizeof scene_text - 1, &err), err);
    RUN(good_run);
    RUN(full_disk);
    RUN(no_memory);
    remove_all(folder);
    return TEST_END();
}
