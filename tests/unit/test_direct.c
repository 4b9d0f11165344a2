/* The direct solver beside CHOLMOD: random patterns that change, meshes with contacts, dense
 * matrices wider than a supernode, any number of threads, matrices that are not definite. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "linear/scatter.h"
#include "linear/solver.h"
#include "linear/symbolic.h"
#include "test.h"

static abut_error err;

typedef struct system {
    block_matrix matrix;
    key_list keys;
    double *right, *x, *y;
} system_of_equations;

static void system_free(system_of_equations *s)
{
    block_matrix_free(&s->matrix);
    array_free(&s->keys);
    mem_free(s->right);
    mem_free(s->x);
    mem_free(s->y);
}

static double *entry(block_matrix *m, int32_t column, int32_t slot, size_t r, size_t c)
{
    return m->value + block_matrix_offset(m, column, slot) +
           c * (size_t)block_matrix_stride(m, column) + r;
}

/* Random values with a dominant diagonal on the pattern of the keys; a random right side. */
static void fill(system_of_equations *s, random_state *r, int32_t blocks)
{
    block_matrix *m = &s->matrix;
    size_t scalars = 3 * (size_t)blocks;
    key_list_unique(&s->keys);
    CHECK_OK(block_matrix_set_pattern(m, blocks, s->keys.data, s->keys.count, &err), err);
    mem_free(s->right);
    mem_free(s->x);
    mem_free(s->y);
    s->right = mem_alloc(scalars, sizeof(double));
    s->x = mem_alloc(scalars, sizeof(double));
    s->y = mem_alloc(scalars, sizeof(double));
    double *sum = mem_calloc(scalars, sizeof *sum);
    for (int32_t j = 0; j < blocks; j++)
        for (int32_t k = m->column_start[j]; k < m->column_start[j + 1]; k++)
            for (size_t c = 0; c < 3; c++)
                for (size_t i = 0; i < 3; i++) {
                    double v = random_range(r, -1, 1);
                    *entry(m, j, k, i, c) = v;
                    if (k == m->column_start[j]) {
                        if (c < i) *entry(m, j, k, c, i) = NAN; /* the upper part is ignored */
                        if (c > i) continue;
                    }
                    sum[3 * (size_t)m->row[k] + i] += fabs(v);
                    sum[3 * (size_t)j + c] += fabs(v);
                }
    for (int32_t j = 0; j < blocks; j++)
        for (size_t c = 0; c < 3; c++) {
            *entry(m, j, m->column_start[j], c, c) = sum[3 * (size_t)j + c] + 0.1;
            for (size_t i = 0; i < c; i++) *entry(m, j, m->column_start[j], i, c) = 1e300;
        }
    for (size_t i = 0; i < scalars; i++) s->right[i] = random_range(r, -1, 1);
    mem_free(sum);
}

/* Largest entry of A x - b. */
static double residual(const system_of_equations *s)
{
    double largest = 0;
    block_matrix_multiply(&s->matrix, s->x, s->y);
    for (size_t i = 0; i < 3 * (size_t)s->matrix.size; i++) {
        double d = fabs(s->y[i] - s->right[i]);
        if (!(d <= largest)) largest = d;
    }
    return largest;
}

static void add_key(key_list *keys, int32_t a, int32_t b)
{
    if (a != b) CHECK(array_push(keys, block_key(a, b)));
}

/* A box of nodes with all neighbours, and `contacts` random pairs of far nodes. */
static int32_t add_grid(system_of_equations *s, int nx, int ny, int nz, int contacts,
                        random_state *r)
{
    s->keys.count = 0;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++)
                for (int k = 0; k < 27; k++) {
                    int u = x + k % 3 - 1, v = y + k / 3 % 3 - 1, w = z + k / 9 - 1;
                    if (u < 0 || v < 0 || w < 0 || u >= nx || v >= ny || w >= nz) continue;
                    add_key(&s->keys, (z * ny + y) * nx + x, (w * ny + v) * nx + u);
                }
    int32_t blocks = nx * ny * nz;
    for (int k = 0; k < contacts; k++)
        add_key(&s->keys, (int32_t)random_below(r, (uint64_t)blocks),
                (int32_t)random_below(r, (uint64_t)blocks));
    return blocks;
}

static linear_solver *make_solver(const char *name)
{
    linear_options options = {.name = name, .tolerance = 1e-12, .reproducible = true};
    linear_solver *solver = NULL;
    CHECK_OK(linear_create(&options, &solver, &err), err);
    return solver;
}

static void agree(linear_solver *direct, linear_solver *cholmod, system_of_equations *s)
{
    size_t scalars = 3 * (size_t)s->matrix.size;
    CHECK_OK(linear_solve(direct, &s->matrix, s->right, s->x, &err), err);
    CHECK(residual(s) < 1e-10);
    CHECK_OK(linear_solve(cholmod, &s->matrix, s->right, s->y, &err), err);
    double largest = 0;
    for (size_t i = 0; i < scalars; i++) largest = fmax(largest, fabs(s->x[i] - s->y[i]));
    CHECK(largest < 1e-11);
}

TEST(agrees_with_cholmod)
{
    random_state r = {11};
    system_of_equations s = {0};
    linear_solver *direct = make_solver("direct"), *cholmod = make_solver("cholmod");
    for (int trial = 0; trial < 40; trial++) {
        int32_t blocks = 1 + (int32_t)random_below(&r, 150);
        double degree = random_unit(&r) * 8;
        s.keys.count = 0;
        for (int k = 0; k < degree * blocks; k++)
            add_key(&s.keys, (int32_t)random_below(&r, (uint64_t)blocks),
                    (int32_t)random_below(&r, (uint64_t)blocks));
        fill(&s, &r, blocks);
        agree(direct, cholmod, &s);
    }
    /* A mesh whose contacts change: the same number of blocks, so the order is kept. */
    for (int trial = 0; trial < 12; trial++) {
        fill(&s, &r, add_grid(&s, 12, 11, 6, 30 * trial, &r));
        agree(direct, cholmod, &s);
    }
    linear_destroy(direct);
    linear_destroy(cholmod);
    system_free(&s);
}

/* Dense matrices are cut into several supernodes; strips end at every possible row. */
TEST(dense_matrices)
{
    random_state r = {12};
    system_of_equations s = {0};
    linear_solver *direct = make_solver("direct"), *cholmod = make_solver("cholmod");
    static const int32_t sizes[] = {1, 2, 3, 7, 8, 9, 31, 32, 33, 40, 65, 110};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        s.keys.count = 0;
        for (int32_t i = 0; i < sizes[k]; i++)
            for (int32_t j = 0; j < i; j++) add_key(&s.keys, i, j);
        fill(&s, &r, sizes[k]);
        agree(direct, cholmod, &s);
    }
    linear_destroy(direct);
    linear_destroy(cholmod);
    system_free(&s);
}

TEST(same_bits_for_any_number_of_threads)
{
    random_state r = {13};
    system_of_equations s = {0};
    int before = parallel_threads();
    for (int trial = 0; trial < 4; trial++) {
        int32_t blocks = trial < 2 ? add_grid(&s, 40, 40, 2, 200 * trial, &r)
                                   : add_grid(&s, 12, 12, 12, 100, &r);
        fill(&s, &r, blocks);
        size_t bytes = 3 * (size_t)blocks * sizeof(double);
        double *first = mem_alloc(bytes, 1);
        for (int threads = 1; threads <= 4; threads++) {
            linear_solver *direct = make_solver("direct");
            parallel_set_threads(threads);
            for (int again = 0; again < 3; again++) {
                CHECK_OK(linear_solve(direct, &s.matrix, s.right, s.x, &err), err);
                if (threads == 1 && again == 0) memcpy(first, s.x, bytes);
                CHECK(memcmp(first, s.x, bytes) == 0);
            }
            linear_destroy(direct);
        }
        CHECK(residual(&s) < 1e-9);
        mem_free(first);
    }
    parallel_set_threads(before);
    system_free(&s);
}

/* What is wrong is reported wherever it is, with the same words for any number of threads. */
TEST(not_positive_definite)
{
    random_state r = {14};
    system_of_equations s = {0};
    int before = parallel_threads();
    fill(&s, &r, add_grid(&s, 30, 30, 2, 50, &r));
    linear_solver *direct = make_solver("direct");
    for (int trial = 0; trial < 24; trial++) {
        int32_t block = (int32_t)random_below(&r, (uint64_t)s.matrix.size);
        double *at = entry(&s.matrix, block, s.matrix.column_start[block], 1, 1), good = *at;
        *at = trial % 3 == 0 ? -1 : trial % 3 == 1 ? NAN : 0;
        char words[sizeof err.message] = "";
        for (int threads = 1; threads <= 4; threads *= 2) {
            parallel_set_threads(threads);
            CHECK(linear_solve(direct, &s.matrix, s.right, s.x, &err) == ABUT_ERROR_NOT_CONVERGED);
            CHECK(strstr(err.message, "not positive definite") != NULL);
            if (threads == 1) memcpy(words, err.message, sizeof words);
            CHECK(strcmp(words, err.message) == 0);
        }
        *at = good;
        CHECK_OK(linear_solve(direct, &s.matrix, s.right, s.x, &err), err);
        CHECK(residual(&s) < 1e-10);
    }
    parallel_set_threads(before);
    linear_destroy(direct);
    system_free(&s);
}

/* A singular matrix: two blocks connected by a spring, and by nothing else. */
TEST(singular)
{
    system_of_equations s = {0};
    random_state r = {15};
    add_key(&s.keys, 0, 1);
    fill(&s, &r, 2);
    block_matrix_clear(&s.matrix);
    for (size_t c = 0; c < 3; c++) {
        *entry(&s.matrix, 0, 0, c, c) = *entry(&s.matrix, 1, s.matrix.column_start[1], c, c) = 4;
        *entry(&s.matrix, 0, 1, c, c) = -4;
    }
    linear_solver *direct = make_solver("direct");
    CHECK(linear_solve(direct, &s.matrix, s.right, s.x, &err) == ABUT_ERROR_NOT_CONVERGED);
    CHECK(strstr(err.message, "not positive definite") != NULL);
    linear_destroy(direct);
    system_free(&s);
}

TEST(nothing_to_solve)
{
    block_matrix m = {0};
    CHECK_OK(block_matrix_set_pattern(&m, 0, NULL, 0, &err), err);
    linear_solver *direct = make_solver("direct");
    CHECK_OK(linear_solve(direct, &m, NULL, NULL, &err), err);
    linear_destroy(direct);
    block_matrix_free(&m);
}

/* Patterns that change but do not grow: analyses, and no allocation. */
TEST(no_allocation_when_contacts_change)
{
    random_state r = {16};
    system_of_equations large = {0}, small = {0};
    fill(&large, &r, add_grid(&large, 14, 14, 4, 120, &r));
    fill(&small, &r, add_grid(&small, 14, 14, 4, 0, &r));
    large.matrix.pattern_stamp = 1000; /* two matrices, one solver: stamps must differ */
    linear_solver *direct = make_solver("direct");
    for (int k = 0; k < 2; k++) {
        CHECK_OK(linear_solve(direct, &large.matrix, large.right, large.x, &err), err);
        CHECK_OK(linear_solve(direct, &small.matrix, small.right, small.x, &err), err);
    }
    uint64_t allocations = mem_allocation_count();
    uint64_t analyses = linear_get_statistics(direct)->analyses;
    for (int k = 0; k < 4; k++) {
        CHECK_OK(linear_solve(direct, &large.matrix, large.right, large.x, &err), err);
        CHECK_OK(linear_solve(direct, &small.matrix, small.right, small.x, &err), err);
    }
    CHECK(mem_allocation_count() == allocations);
    CHECK(linear_get_statistics(direct)->analyses == analyses + 8);
    CHECK(residual(&small) < 1e-10 && residual(&large) < 1e-10);
    linear_destroy(direct);
    system_free(&large);
    system_free(&small);
}

/* Every allocation may fail: an error, nothing lost, and the next solve works. */
TEST(out_of_memory)
{
    random_state r = {17};
    system_of_equations s = {0};
    fill(&s, &r, add_grid(&s, 5, 5, 5, 10, &r));
    int failures = 0;
    for (int64_t k = 0;; k++) {
        linear_options options = {.name = "direct", .reproducible = true, .alone = true};
        linear_solver *direct = NULL;
        mem_fail_after(k);
        abut_status status = linear_create(&options, &direct, &err);
        if (status == ABUT_OK) status = linear_solve(direct, &s.matrix, s.right, s.x, &err);
        bool failed = mem_failure_happened();
        mem_fail_after(-1);
        CHECK((status != ABUT_OK) == failed);
        if (direct) CHECK_OK(linear_solve(direct, &s.matrix, s.right, s.x, &err), err);
        linear_destroy(direct);
        if (!failed) break;
        failures++;
    }
    CHECK(failures > 20);
    CHECK(residual(&s) < 1e-10);
    system_free(&s);
}

/* A solver that takes over another's order gives the same bits. */
TEST(saved_order)
{
    random_state r = {18};
    system_of_equations s = {0};
    int32_t blocks = add_grid(&s, 20, 20, 2, 0, &r);
    fill(&s, &r, blocks);
    linear_solver *one = make_solver("direct"), *two = make_solver("direct");
    CHECK_OK(linear_solve(one, &s.matrix, s.right, s.x, &err), err);
    add_grid(&s, 20, 20, 2, 25, &r); /* contacts: an order made now would be another one */
    fill(&s, &r, blocks);
    int32_t *order = mem_alloc((size_t)blocks, sizeof *order);
    double numbers[LINEAR_NUMBERS], choice[LINEAR_CHOICE];
    linear_save(one, order, (size_t)blocks, numbers, choice);
    CHECK((int32_t)numbers[0] == blocks);
    CHECK_OK(linear_load(two, order, numbers, choice, &err), err);
    CHECK_OK(linear_solve(one, &s.matrix, s.right, s.x, &err), err);
    CHECK_OK(linear_solve(two, &s.matrix, s.right, s.y, &err), err);
    CHECK(memcmp(s.x, s.y, 3 * (size_t)blocks * sizeof *s.x) == 0);
    linear_destroy(one);
    linear_destroy(two);
    mem_free(order);
    system_free(&s);
}

/* The order of a pattern is not kept for another one that it fills in much more. */
TEST(order_that_fills_in)
{
    enum { SIDE = 8, N = SIDE * SIDE * SIDE };
    random_state r = {23};
    system_of_equations s = {0};
    linear_solver *kept = make_solver("direct"), *fresh = make_solver("direct");
    for (int32_t k = 1; k < N; k++) add_key(&s.keys, 0, k); /* a star is eliminated in any order */
    fill(&s, &r, N);
    CHECK_OK(linear_solve(kept, &s.matrix, s.right, s.x, &err), err);
    CHECK(add_grid(&s, SIDE, SIDE, SIDE, 0, &r) == N);
    fill(&s, &r, N);
    CHECK_OK(linear_solve(kept, &s.matrix, s.right, s.x, &err), err);
    CHECK(residual(&s) < 1e-10);
    CHECK_OK(linear_solve(fresh, &s.matrix, s.right, s.x, &err), err);
    CHECK(linear_get_statistics(kept)->factor_entries ==
          linear_get_statistics(fresh)->factor_entries);
    linear_destroy(kept);
    linear_destroy(fresh);
    system_free(&s);
}

/* The rows of every supernode against an elimination on a dense pattern. */
TEST(symbolic_structure)
{
    enum { N = 60 };
    random_state r = {19};
    system_of_equations s = {0};
    symbolic pattern = {0};
    for (int trial = 0; trial < 20; trial++) {
        int32_t order[N];
        s.keys.count = 0;
        for (int k = 0; k < 15 * trial; k++)
            add_key(&s.keys, (int32_t)random_below(&r, N), (int32_t)random_below(&r, N));
        fill(&s, &r, N);
        for (int32_t k = 0; k < N; k++) order[k] = (k * 7 + trial) % N;
        CHECK_OK(symbolic_analyse(&pattern, &s.matrix, order, &err), err);
        static bool filled[N][N];
        memset(filled, 0, sizeof filled);
        const int32_t *position = pattern.position.data;
        for (int32_t j = 0; j < N; j++)
            for (int32_t k = s.matrix.column_start[j]; k < s.matrix.column_start[j + 1]; k++) {
                int32_t p = position[j], q = position[s.matrix.row[k]];
                filled[p > q ? p : q][p > q ? q : p] = true;
            }
        for (int k = 0; k < N; k++)
            for (int i = k + 1; i < N; i++)
                for (int j = k + 1; j <= i; j++)
                    if (filled[i][k] && filled[j][k]) filled[i][j] = true;
        int32_t covered = 0;
        for (size_t k = 0; k < pattern.supernodes.count; k++) {
            const supernode *n = &pattern.supernodes.data[k];
            CHECK(n->first == covered && n->last - n->first <= SUPERNODE_MAX_BLOCKS);
            CHECK(n->parent == -1 || n->parent > (int32_t)k);
            covered = n->last;
            bool present[N] = {false};
            for (int32_t i = n->row_begin; i < n->row_end; i++) {
                CHECK(i == n->row_begin || pattern.rows.data[i] > pattern.rows.data[i - 1]);
                present[pattern.rows.data[i]] = true;
            }
            for (int i = n->last; i < N; i++) {
                bool needed = false;
                for (int j = n->first; j < n->last; j++) needed = needed || filled[i][j];
                CHECK(!needed || present[i]);
            }
        }
        CHECK(covered == N);
        int32_t entries = 0, counted = 0; /* the counts come from another order of the same tree */
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++) entries += filled[i][j] || i == j;
        for (int32_t k = 0; k < N; k++) counted += pattern.count.data[k];
        CHECK(entries == counted);
    }
    symbolic_free(&pattern);
    system_free(&s);
}

int main(void)
{
    RUN(agrees_with_cholmod);
    RUN(dense_matrices);
    RUN(same_bits_for_any_number_of_threads);
    RUN(not_positive_definite);
    RUN(singular);
    RUN(nothing_to_solve);
    RUN(no_allocation_when_contacts_change);
    RUN(out_of_memory);
    RUN(saved_order);
    RUN(order_that_fills_in);
    RUN(symbolic_structure);
    return TEST_END();
}
