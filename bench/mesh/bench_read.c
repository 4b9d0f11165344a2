/* Reading an ASCII MSH file of N tets (default 2 million): the time of mesh_read beside that of the
 * least that must be done, converting each number of the same bytes with strtod or strtoll, and the
 * peak of resident memory beside the arrays that remain.
 *     bench_read [TETS] [FILE]     FILE is made and removed; default in /tmp */
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/timer.h"
#include "mesh/mesh_io.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A cube of n^3 cells, each of 6 tets around a diagonal; positions are disturbed, so that they have
 * as many digits as those of real meshes. */
static bool write_mesh(const char *path, int n)
{
    static const int paths[6][2] = {{1, 2}, {1, 4}, {2, 1}, {2, 4}, {4, 1}, {4, 2}};
    FILE *file = fopen(path, "w");
    if (!file) return false;
    random_state r = {1};
    size_t m = (size_t)n + 1, nodes = m * m * m, tets = 6 * (size_t)n * (size_t)n * (size_t)n;
    fprintf(file, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 %zu 1 %zu\n3 1 0 %zu\n", nodes,
            nodes, nodes);
    for (size_t v = 1; v <= nodes; v++) fprintf(file, "%zu\n", v);
    for (size_t v = 0; v < nodes; v++) {
        double x = (double)(v % m), y = (double)(v / m % m), z = (double)(v / m / m);
        fprintf(file, "%.16g %.16g %.16g\n", (x + 0.1 * random_unit(&r)) / n,
                (y + 0.1 * random_unit(&r)) / n, (z + 0.1 * random_unit(&r)) / n);
    }
    fprintf(file, "$EndNodes\n$Elements\n1 %zu 1 %zu\n3 1 4 %zu\n", tets, tets, tets);
    for (size_t c = 0, t = 1; c < tets / 6; c++) {
        size_t k = (size_t)n;
        size_t corner = c % k + m * (c / k % k) + m * m * (c / k / k) + 1;
        for (int i = 0; i < 6; i++, t++) {
            size_t step[8] = {0, 1, m, m + 1, m * m, m * m + 1, m * m + m, m * m + m + 1};
            int a = paths[i][0], b = a | paths[i][1];
            fprintf(file, "%zu %zu %zu %zu %zu\n", t, corner, corner + step[a], corner + step[b],
                    corner + step[7]);
        }
    }
    fputs("$EndElements\n", file);
    return fclose(file) == 0;
}

/* The bare pass: coordinates by strtod, whole numbers by strtoll, words skipped. */
static double bare_pass(const char *path, double *sum)
{
    file_bytes bytes;
    double start = timer_now();
    if (file_read(path, &bytes, NULL) != ABUT_OK) return -1.0;
    char *p = bytes.data, *end = bytes.data + bytes.size;
    *sum = 0.0;
    while (p < end) {
        char *next;
        if ((*p < '0' || *p > '9') && *p != '-') {
            p++;
            continue;
        }
        const char *q = p;
        while (*q >= '0' && *q <= '9') q++;
        *sum += *q == '.' ? strtod(p, &next) : (double)strtoll(p, &next, 10);
        p = next > p ? next : p + 1;
    }
    file_free(&bytes);
    return timer_now() - start;
}

/* Every number by strtod. */
static double strtod_pass(const char *path, double *sum)
{
    file_bytes bytes;
    double start = timer_now();
    if (file_read(path, &bytes, NULL) != ABUT_OK) return -1.0;
    char *p = bytes.data, *end = bytes.data + bytes.size;
    *sum = 0.0;
    while (p < end) {
        char *next;
        double value = strtod(p, &next);
        if (next > p) *sum += value;
        p = next > p ? next : p + 1;
    }
    file_free(&bytes);
    return timer_now() - start;
}

static size_t status_kilobytes(const char *key)
{
    size_t value = 0, length = strlen(key);
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, key, length) == 0) value = strtoull(line + length, NULL, 10);
    fclose(file);
    return value;
}

typedef struct read_result {
    double seconds;
    size_t array_bytes, peak_bytes, vertices, cells;
} read_result;

/* In a process of its own, so that nothing else counts as its peak. */
static read_result read_apart(const char *path)
{
    int ends[2];
    read_result result = {.seconds = -1.0};
    if (pipe(ends) != 0) return result;
    pid_t child = fork();
    if (child == 0) {
        size_t before = status_kilobytes("VmRSS:");
        mesh m;
        abut_error error;
        double start = timer_now();
        if (mesh_read(path, NULL, &m, &error) != ABUT_OK) {
            fprintf(stderr, "%s: %s\n", error.place, error.message);
            _exit(1);
        }
        result.seconds = timer_now() - start;
        result.peak_bytes = (status_kilobytes("VmHWM:") - before) * 1024;
        result.vertices = m.vertex_count;
        result.array_bytes = m.vertex_count * sizeof *m.vertices;
        for (int b = 0; b < m.block_count; b++) {
            const cell_block *block = &m.blocks[b];
            result.cells += block->count;
            result.array_bytes += block->count * (size_t)block->nodes_per_cell * 4;
            if (block->tags) result.array_bytes += block->count * 4;
        }
        ssize_t written = write(ends[1], &result, sizeof result);
        _exit(written == (ssize_t)sizeof result ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &result, sizeof result) != (ssize_t)sizeof result)
        result.seconds = -1.0;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return result;
}

int main(int argc, char **argv)
{
    double tets = argc > 1 ? atof(argv[1]) : 2e6;
    char path[256];
    snprintf(path, sizeof path, "%s", argc > 2 ? argv[2] : "/tmp/abut_bench_read.msh");
    int n = 1;
    while (6.0 * n * n * n < tets) n++;
    if (!write_mesh(path, n)) {
        fprintf(stderr, "%s: cannot write\n", path);
        return 1;
    }
    double best_bare = 1e300, best_strtod = 1e300, sum = 0.0, check = 0.0;
    read_result best = {.seconds = 1e300};
    for (int round = 0; round < 3; round++) {
        double bare = bare_pass(path, &sum), all = strtod_pass(path, &check);
        if (bare < best_bare) best_bare = bare;
        if (all < best_strtod) best_strtod = all;
        read_result result = read_apart(path);
        if (result.seconds < 0.0) return 1;
        if (result.seconds < best.seconds) best = result;
    }
    unlink(path);
    printf("tets,vertices,strtod_s,bare_s,mesh_read_s,read_over_strtod,read_over_bare,"
           "arrays_mb,peak_mb,peak_over_arrays\n");
    printf("%zu,%zu,%.4f,%.4f,%.4f,%.3f,%.3f,%.1f,%.1f,%.2f\n", best.cells, best.vertices,
           best_strtod, best_bare, best.seconds, best.seconds / best_strtod,
           best.seconds / best_bare, (double)best.array_bytes / 1e6, (double)best.peak_bytes / 1e6,
           (double)best.peak_bytes / (double)best.array_bytes);
    return sum > 0.0 && check > 0.0 ? 0 : 1;
}
