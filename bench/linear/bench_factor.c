/* Direct solvers on matrices with the pattern of tetrahedral boxes and mats, with and without
 * contacts: CSV on standard output.
 *
 *     bench_factor [--quick] [WORD]     (WORD: only matrices whose name has it)
 *
 * Times are processor times of one thread, the best of several solves: "first" orders and analyses,
 * "new pattern" analyses with the order kept, "again" only factorises and solves. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "linear/scatter.h"
#include "linear/solver.h"
#include "linear/work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct bench_case {
    const char *name;
    int cells[3], contacts;
} bench_case;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(abut_status status, const abut_error *err)
{
    if (status == ABUT_OK) return;
    fprintf(stderr, "bench_factor: %s\n", err->message);
    exit(EXIT_FAILURE);
}

static void add(key_list *keys, int32_t a, int32_t b)
{
    if (a != b && !array_push(keys, block_key(a, b))) exit(EXIT_FAILURE);
}

/* Edges of cubes cut into six tets along their diagonal; contacts join four nearby nodes to four
 * others in the other half of the box. */
static int32_t list_keys(const bench_case *c, key_list *keys)
{
    const int *n = c->cells;
    random_state r = {3};
    keys->count = 0;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++)
                for (int k = 1; k < 8; k++) {
                    int u = x + (k & 1), v = y + (k >> 1 & 1), w = z + (k >> 2);
                    if (u < n[0] && v < n[1] && w < n[2])
                        add(keys, (z * n[1] + y) * n[0] + x, (w * n[1] + v) * n[0] + u);
                }
    int32_t blocks = n[0] * n[1] * n[2];
    for (int k = 0; k < c->contacts; k++) {
        int32_t a = (int32_t)random_below(&r, (uint64_t)blocks / 2 - 1), b = blocks - 1 - a;
        add(keys, a, b);
        add(keys, a + 1, b);
        add(keys, a, b - 1);
        add(keys, a + 1, b - 1);
    }
    key_list_unique(keys);
    return blocks;
}

static void fill(block_matrix *m)
{
    random_state r = {5};
    for (int32_t j = 0; j < m->size; j++)
        for (int32_t k = m->column_start[j]; k < m->column_start[j + 1]; k++)
            for (size_t c = 0; c < 3; c++)
                for (size_t i = 0; i < 3; i++)
                    m->value[block_matrix_offset(m, j, k) + c * (size_t)block_matrix_stride(m, j) +
                             i] =
                        k == m->column_start[j] ? (i == c ? 400.0 : 0.0) : random_range(&r, -1, 1);
}

static void run_case(const bench_case *c, const char *solver_name, int repeats)
{
    abut_error err;
    key_list keys = {0};
    block_matrix m = {0};
    int32_t blocks = list_keys(c, &keys);
    need(block_matrix_set_pattern(&m, blocks, keys.data, keys.count, &err), &err);
    fill(&m);
    double *b = mem_alloc(3 * (size_t)blocks, sizeof *b), *x = mem_alloc(3 * (size_t)blocks, 8);
    if (!b || !x) exit(EXIT_FAILURE);
    for (int32_t i = 0; i < 3 * blocks; i++) b[i] = sin(i);
    linear_options options = {.name = solver_name, .reproducible = true};
    linear_solver *solver = NULL;
    need(linear_create(&options, &solver, &err), &err);
    double best[3] = {INFINITY, INFINITY, INFINITY}, counted = 0;
    for (int k = 0; k < 1 + 2 * repeats; k++) {
        if (k > repeats) m.pattern_stamp++;
        double start = seconds(), before = linear_get_statistics(solver)->setup_work;
        need(linear_solve(solver, &m, b, x, &err), &err);
        int kind = k == 0 ? 0 : k <= repeats ? 2 : 1;
        best[kind] = fmin(best[kind], seconds() - start);
        if (kind == 2) counted = linear_get_statistics(solver)->setup_work - before;
    }
    size_t entries = linear_get_statistics(solver)->factor_entries;
    double products = (counted - WORK_FACTOR_ENTRY * (double)entries) / WORK_FACTOR;
    printf("%s,%s,%d,%d,%zu,%.3f,%.3f,%.3f,%.1f\n", c->name, solver_name, blocks,
           m.column_start[blocks], entries, 1e3 * best[0], 1e3 * best[1], 1e3 * best[2],
           counted > 0 ? 2e-9 * products / best[2] : 0);
    fflush(stdout);
    linear_destroy(solver);
    block_matrix_free(&m);
    array_free(&keys);
    mem_free(b);
    mem_free(x);
}

int main(int count, char **words)
{
    static const bench_case cases[] = {
        {"mat 40x40x2", {40, 40, 2}, 0},   {"mat 40x40x2, contacts", {40, 40, 2}, 300},
        {"rod 100x5x5", {100, 5, 5}, 0},   {"box 12x12x12", {12, 12, 12}, 0},
        {"mat 80x80x2", {80, 80, 2}, 600}, {"box 20x20x20", {20, 20, 20}, 0},
        {"box 32x32x32", {32, 32, 32}, 0},
    };
    bool quick = count > 1 && strcmp(words[1], "--quick") == 0;
    const char *only = count > (quick ? 2 : 1) ? words[count - 1] : "";
    parallel_set_threads(1);
    printf(
        "matrix,solver,block_rows,blocks,factor_entries,first_ms,new_pattern_ms,again_ms,gflops\n");
    for (size_t k = 0; k < sizeof cases / sizeof *cases - (quick ? 3 : 0); k++) {
        int repeats = k < 4 ? 20 : 4;
        if (!strstr(cases[k].name, only)) continue;
        run_case(&cases[k], "direct", repeats);
        run_case(&cases[k], "cholmod", repeats);
    }
    return EXIT_SUCCESS;
}
