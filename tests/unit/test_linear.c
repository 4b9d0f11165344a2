/* Block matrix, scatter maps and linear solvers against dense matrices built directly. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "linear/minres.h"
#include "linear/scatter.h"
#include "linear/solver.h"
#include "test.h"

enum { MAX_BLOCKS = 40, MAX_SCALARS = 3 * MAX_BLOCKS };

static abut_error err;

/* A dense symmetric matrix, the reference of everything here. */
typedef struct dense {
    int n;
    double a[MAX_SCALARS][MAX_SCALARS];
} dense;

static dense reference;

static void dense_multiply(const dense *d, const double *x, double *y)
{
    for (int i = 0; i < d->n; i++) {
        y[i] = 0;
        for (int j = 0; j < d->n; j++) y[i] += d->a[i][j] * x[j];
    }
}

/* Entry (i, j), i >= j, of the stored lower triangle; 0 outside of the pattern. */
static double stored(const block_matrix *m, int i, int j)
{
    int32_t slot = block_matrix_find(m, i / 3, j / 3);
    if (slot < 0) return 0;
    return m->value[block_matrix_offset(m, j / 3, slot) +
                    (size_t)(j % 3) * (size_t)block_matrix_stride(m, j / 3) + (size_t)(i % 3)];
}

static double largest_difference(const block_matrix *m, const dense *d)
{
    double largest = 0;
    for (int j = 0; j < d->n; j++)
        for (int i = j; i < d->n; i++) largest = fmax(largest, fabs(stored(m, i, j) - d->a[i][j]));
    return largest;
}

/* Random sorted unique keys; returns the count. `present` marks the pairs. */
static void random_pattern(random_state *r, int blocks, double share, key_list *keys,
                           bool present[MAX_BLOCKS][MAX_BLOCKS])
{
    keys->count = 0;
    memset(present, 0, sizeof(bool[MAX_BLOCKS][MAX_BLOCKS]));
    for (int j = 0; j < blocks; j++)
        for (int i = j; i < blocks; i++) {
            if (random_unit(r) >= share) continue;
            int32_t a = random_unit(r) < 0.5 ? i : j, b = a == i ? j : i;
            CHECK(array_push(keys, block_key(a, b)));
            present[i][j] = true;
        }
    for (int j = 0; j < blocks; j++) present[j][j] = true;
    key_list_unique(keys);
}

TEST(pattern_and_find)
{
    random_state r = {1};
    block_matrix m = {0};
    key_list keys = {0};
    static bool present[MAX_BLOCKS][MAX_BLOCKS];
    uint64_t stamp = 0;
    for (int trial = 0; trial < 60; trial++) {
        int blocks = 1 + (int)random_below(&r, MAX_BLOCKS);
        random_pattern(&r, blocks, random_unit(&r), &keys, present);
        CHECK_OK(block_matrix_set_pattern(&m, blocks, keys.data, keys.count, &err), err);
        CHECK(m.size == blocks && m.pattern_stamp != stamp);
        stamp = m.pattern_stamp;
        int32_t total = 0;
        for (int j = 0; j < blocks; j++) {
            CHECK(m.row[m.column_start[j]] == j); /* the diagonal comes first, then ascending */
            for (int i = j; i < blocks; i++) {
                int32_t slot = block_matrix_find(&m, i, j);
                CHECK((slot >= 0) == present[i][j]);
                if (slot < 0) continue;
                CHECK(m.row[slot] == i && m.column[slot] == j);
                total++;
            }
            for (int32_t k = m.column_start[j] + 1; k < m.column_start[j + 1]; k++)
                CHECK(m.row[k] > m.row[k - 1]);
        }
        CHECK(m.column_start[blocks] == total);
        /* The scalar view describes the same places. */
        CHECK(m.scalar_start[3 * blocks] == 9 * total);
        for (int j = 0; j < 3 * blocks; j++)
            for (int32_t k = m.scalar_start[j]; k < m.scalar_start[j + 1]; k++) {
                int i = m.scalar_row[k];
                int32_t slot = block_matrix_find(&m, i / 3, j / 3);
                CHECK(slot >= 0 &&
                      block_matrix_offset(&m, j / 3, slot) +
                              (size_t)(j % 3) * (size_t)block_matrix_stride(&m, j / 3) +
                              (size_t)(i % 3) ==
                          (size_t)k);
            }
    }
    block_matrix_free(&m);
    array_free(&keys);
}

/* Fills a matrix of any pattern with random symmetric values, and its dense twin. */
static void fill_random(random_state *r, block_matrix *m, dense *d)
{
    memset(d, 0, sizeof *d);
    d->n = 3 * m->size;
    for (int j = 0; j < d->n; j++)
        for (int32_t k = m->scalar_start[j]; k < m->scalar_start[j + 1]; k++) {
            int i = m->scalar_row[k];
            double v = random_range(r, -1, 1);
            if (i < j) {
                m->value[k] = 1e30; /* upper part of a diagonal block: must be ignored */
                continue;
            }
            m->value[k] = d->a[i][j] = d->a[j][i] = v;
        }
}

TEST(multiply_and_mask)
{
    random_state r = {2};
    block_matrix m = {0};
    key_list keys = {0};
    static bool present[MAX_BLOCKS][MAX_BLOCKS];
    for (int trial = 0; trial < 40; trial++) {
        int blocks = 1 + (int)random_below(&r, MAX_BLOCKS);
        random_pattern(&r, blocks, 0.3, &keys, present);
        CHECK_OK(block_matrix_set_pattern(&m, blocks, keys.data, keys.count, &err), err);
        fill_random(&r, &m, &reference);
        double x[MAX_SCALARS], y[MAX_SCALARS], expected[MAX_SCALARS];
        for (int i = 0; i < 3 * blocks; i++) x[i] = random_range(&r, -1, 1);
        for (int pass = 0; pass < 2; pass++) {
            block_matrix_multiply(&m, x, y);
            dense_multiply(&reference, x, expected);
            for (int i = 0; i < 3 * blocks; i++) CHECK_NEAR(y[i], expected[i], 1e-13 * blocks);
            uint8_t mask[MAX_SCALARS];
            for (int i = 0; i < 3 * blocks; i++) mask[i] = random_unit(&r) < 0.3;
            block_matrix_mask(&m, mask);
            for (int i = 0; i < 3 * blocks; i++)
                for (int j = 0; j < 3 * blocks; j++)
                    if (mask[i] || mask[j]) reference.a[i][j] = i == j;
        }
        block_matrix_clear(&m);
        CHECK(stored(&m, 0, 0) == 0 && stored(&m, 3 * blocks - 1, 3 * blocks - 1) == 0);
    }
    block_matrix_free(&m);
    array_free(&keys);
}

TEST(too_large)
{
    block_matrix m = {0};
    CHECK(block_matrix_set_pattern(&m, INT32_MAX / 9 + 1, NULL, 0, &err) == ABUT_ERROR_UNSUPPORTED);
    CHECK(strstr(err.message, "blocks") != NULL);
    block_matrix_free(&m);
}

/* ---------------------------------------------------------------------------------------------- */
/* Scatter maps                                                                                   */

typedef struct stencils {
    int width;
    size_t count;
    int32_t *blocks;
    double *gradient, *hessian; /* per item 3 width, and 9 per pair a <= b */
} stencils;

/* Items on random blocks: some dropped (-1), some with a block twice. */
static stencils random_stencils(random_state *r, int width, size_t count, int blocks)
{
    size_t pairs = (size_t)(width * (width + 1) / 2), w = (size_t)width;
    stencils s = {width, count, mem_alloc(count * w, sizeof *s.blocks),
                  mem_alloc(count * 3 * w, sizeof(double)),
                  mem_alloc(count * 9 * pairs, sizeof(double))};
    for (size_t i = 0; i < count * w; i++)
        s.blocks[i] = random_unit(r) < 0.15 ? -1 : (int32_t)random_below(r, (uint64_t)blocks);
    for (size_t i = 0; i < count * 3 * w; i++) s.gradient[i] = random_range(r, -1, 1);
    for (size_t i = 0; i < count; i++)
        for (int a = 0, pair = 0; a < width; a++)
            for (int b = a; b < width; b++, pair++) {
                double *h = s.hessian + (i * pairs + (size_t)pair) * 9;
                for (int k = 0; k < 9; k++) h[k] = random_range(r, -1, 1);
                if (a == b) { /* diagonal blocks of a Hessian are symmetric */
                    h[3] = h[1];
                    h[6] = h[2];
                    h[7] = h[5];
                }
            }
    return s;
}

static void stencils_free(stencils *s)
{
    mem_free(s->blocks);
    mem_free(s->gradient);
    mem_free(s->hessian);
}

/* Directly: every item adds all of its full symmetric matrix. */
static void dense_assembly(const stencils *s, int blocks, dense *d, double *gradient)
{
    memset(d, 0, sizeof *d);
    d->n = 3 * blocks;
    memset(gradient, 0, MAX_SCALARS * sizeof *gradient);
    size_t pairs = (size_t)(s->width * (s->width + 1) / 2);
    for (size_t i = 0; i < s->count; i++) {
        const int32_t *item = s->blocks + i * (size_t)s->width;
        for (int a = 0, pair = 0; a < s->width; a++) {
            for (int c = 0; c < 3 && item[a] >= 0; c++)
                gradient[3 * item[a] + c] +=
                    s->gradient[(i * (size_t)s->width + (size_t)a) * 3 + (size_t)c];
            for (int b = a; b < s->width; b++, pair++) {
                if (item[a] < 0 || item[b] < 0) continue;
                const double *h = s->hessian + (i * pairs + (size_t)pair) * 9;
                for (int row = 0; row < 3; row++)
                    for (int column = 0; column < 3; column++) {
                        double v = h[3 * row + column];
                        d->a[3 * item[a] + row][3 * item[b] + column] += v;
                        if (a != b) d->a[3 * item[b] + column][3 * item[a] + row] += v;
                    }
            }
        }
    }
}

static void scatter_all(const stencils *s, const scatter_map *gradient_map,
                        const scatter_map *matrix_map, block_matrix *m, double *gradient)
{
    size_t pairs = (size_t)(s->width * (s->width + 1) / 2);
    memset(gradient, 0, MAX_SCALARS * sizeof *gradient);
    block_matrix_clear(m);
    for (size_t first = 0, chunk = 0; first < s->count; first += scatter_chunk(s->width), chunk++) {
        scatter_add_gradient(gradient_map, chunk, s->gradient + first * 3 * (size_t)s->width,
                             gradient);
        scatter_add_matrix(matrix_map, chunk, s->hessian + first * 9 * pairs, m);
    }
}

TEST(scatter_is_assembly)
{
    random_state r = {3};
    block_matrix m = {0};
    key_list keys = {0}, missing = {0};
    scatter_map gradient_map = {0}, matrix_map = {0};
    int before = parallel_threads();
    static double bits[2][9 * MAX_BLOCKS * MAX_BLOCKS];
    for (int trial = 0; trial < 24; trial++) {
        int width = 1 + trial % 4, blocks = 1 + (int)random_below(&r, MAX_BLOCKS);
        size_t count = trial < 12 ? random_below(&r, 60) : (uint64_t)(2 * scatter_chunk(1) + trial);
        stencils s = random_stencils(&r, width, count, blocks);
        keys.count = missing.count = 0;
        CHECK_OK(scatter_append_keys(&keys, width, count, s.blocks, &err), err);
        key_list_unique(&keys);
        CHECK_OK(block_matrix_set_pattern(&m, blocks, keys.data, keys.count, &err), err);
        CHECK_OK(scatter_map_gradient(&gradient_map, width, count, s.blocks, &err), err);
        CHECK_OK(scatter_map_matrix(&matrix_map, width, count, s.blocks, &m, &missing, &err), err);
        CHECK(missing.count == 0);
        double gradient[MAX_SCALARS], expected[MAX_SCALARS], first[MAX_SCALARS];
        dense_assembly(&s, blocks, &reference, expected);
        size_t values = 9 * (size_t)m.column_start[blocks];
        for (int threads = 1; threads <= 4; threads *= 2) {
            parallel_set_threads(threads);
            scatter_all(&s, &gradient_map, &matrix_map, &m, gradient);
            if (threads == 1) {
                memcpy(first, gradient, sizeof first);
                memcpy(bits[0], m.value, values * sizeof(double));
            }
            CHECK(memcmp(first, gradient, 3 * (size_t)blocks * sizeof *gradient) == 0);
            CHECK(memcmp(bits[0], m.value, values * sizeof(double)) == 0);
        }
        double tolerance = 1e-13 * (double)(count + 1);
        CHECK(largest_difference(&m, &reference) <= tolerance);
        for (int i = 0; i < 3 * blocks; i++) CHECK_NEAR(gradient[i], expected[i], tolerance);
        stencils_free(&s);
    }
    parallel_set_threads(before);
    scatter_map_free(&gradient_map);
    scatter_map_free(&matrix_map);
    block_matrix_free(&m);
    array_free(&keys);
    array_free(&missing);
}

/* A pattern that lacks keys: they are reported, and the rest is added. */
TEST(missing_keys)
{
    static const int32_t blocks[] = {0, 1, 2, 3};
    static const double hessian[27] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 6, 7, 8, 9,
                                       1, 2, 3, 4, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    uint64_t key = block_key(0, 1);
    double both[54];
    block_matrix m = {0};
    key_list missing = {0};
    scatter_map map = {0};
    memcpy(both, hessian, sizeof hessian);
    memcpy(both + 27, hessian, sizeof hessian);
    CHECK_OK(block_matrix_set_pattern(&m, 4, &key, 1, &err), err);
    CHECK_OK(scatter_map_matrix(&map, 2, 2, blocks, &m, &missing, &err), err);
    CHECK(missing.count == 1 && missing.data[0] == block_key(2, 3));
    block_matrix_clear(&m);
    scatter_add_matrix(&map, 0, both, &m);
    CHECK(stored(&m, 3, 0) == 5 && stored(&m, 3, 1) == 8 && stored(&m, 5, 0) == 7);
    CHECK(stored(&m, 6, 6) == 1 && stored(&m, 9, 6) == 0);
    scatter_map_free(&map);
    block_matrix_free(&m);
    array_free(&missing);
}

/* A long list with many repetitions is thinned while it grows and never holds much more than what
 * is different; sorted by either method it is the same. */
TEST(long_lists_of_keys)
{
    enum { KEYS = 2000000, DIFFERENT = 50021 };
    key_list thinned = {0}, whole = {0};
    size_t distinct = 0, most = 0;
    random_state r = {7};
    for (size_t i = 0; i < KEYS; i++) {
        uint64_t key = (uint64_t)(random_range(&r, 0, DIFFERENT)) * 0x100000001u;
        CHECK(array_push(&thinned, key) && array_push(&whole, key));
        if (i % KEY_PIECE == 0) CHECK_OK(key_list_thin(&thinned, &distinct, &err), err);
        most = thinned.count > most ? thinned.count : most;
    }
    CHECK(most < 5 * DIFFERENT);
    CHECK_OK(key_list_trim(&thinned, &err), err);
    CHECK(thinned.capacity == thinned.count);
    key_list_unique(&thinned); /* no room: compared */
    CHECK(array_reserve(&whole, 2 * whole.count));
    key_list_unique(&whole); /* room: by digits */
    CHECK(thinned.count == DIFFERENT && whole.count == DIFFERENT);
    CHECK(memcmp(thinned.data, whole.data, whole.count * sizeof *whole.data) == 0);
    array_free(&thinned);
    array_free(&whole);
}

/* ---------------------------------------------------------------------------------------------- */
/* Solvers                                                                                        */

/* Diagonally dominant with random off-diagonal blocks: positive definite. */
static void random_definite(random_state *r, int blocks, double share, block_matrix *m,
                            key_list *keys, double shift)
{
    static bool present[MAX_BLOCKS][MAX_BLOCKS];
    random_pattern(r, blocks, share, keys, present);
    CHECK_OK(block_matrix_set_pattern(m, blocks, keys->data, keys->count, &err), err);
    fill_random(r, m, &reference);
    for (int i = 0; i < 3 * blocks; i++) {
        double sum = 0;
        for (int j = 0; j < 3 * blocks; j++) sum += i == j ? 0 : fabs(reference.a[i][j]);
        size_t at = block_matrix_offset(m, i / 3, m->column_start[i / 3]) +
                    (size_t)(i % 3) * (size_t)block_matrix_stride(m, i / 3) + (size_t)(i % 3);
        m->value[at] = reference.a[i][i] = sum + shift;
    }
}

static double residual(const double *x, const double *b)
{
    double y[MAX_SCALARS], largest = 0;
    dense_multiply(&reference, x, y);
    for (int i = 0; i < reference.n; i++) largest = fmax(largest, fabs(y[i] - b[i]));
    return largest;
}

static const char *const back_ends[] = {"direct", "cholmod", "pcg", "ic", "multigrid"};
enum { BACK_ENDS = 5 };

static linear_solver *make_solver(const char *name)
{
    linear_options options = {.name = name, .tolerance = 1e-12, .reproducible = true};
    linear_solver *solver = NULL;
    CHECK_OK(linear_create(&options, &solver, &err), err);
    return solver;
}

TEST(solvers_solve)
{
    for (int k = 0; k < BACK_ENDS; k++) {
        random_state r = {4};
        block_matrix m = {0};
        key_list keys = {0};
        linear_solver *solver = make_solver(back_ends[k]);
        uint64_t analyses = 0;
        for (int trial = 0; trial < 60; trial++) {
            /* The size and the pattern change from one system to the next. */
            int blocks = 1 + (int)random_below(&r, MAX_BLOCKS);
            random_definite(&r, blocks, random_unit(&r), &m, &keys, 0.1);
            double b[MAX_SCALARS], x[MAX_SCALARS], again[MAX_SCALARS];
            for (int i = 0; i < 3 * blocks; i++) b[i] = random_range(&r, -1, 1);
            CHECK_OK(linear_solve(solver, &m, b, x, &err), err);
            CHECK(residual(x, b) < 1e-10);
            CHECK(linear_get_statistics(solver)->analyses == ++analyses);
            /* Same pattern: no new analysis, and the same bits. */
            CHECK_OK(linear_solve(solver, &m, b, again, &err), err);
            CHECK(linear_get_statistics(solver)->analyses == analyses);
            CHECK(memcmp(x, again, (size_t)(3 * blocks) * sizeof *x) == 0);
            if (!linear_can_solve_again(solver)) continue;
            /* Another right side with the factor that is there. */
            uint64_t factorizations = linear_get_statistics(solver)->factorizations;
            for (int i = 0; i < 3 * blocks; i++) b[i] = random_range(&r, -1, 1);
            bool exact = linear_get_statistics(solver)->exact;
            block_matrix_clear(&m); /* the solver has what it needs */
            linear_solve_again(solver, b, x);
            CHECK(residual(x, b) < (exact ? 1e-10 : 1e-4));
            CHECK(linear_get_statistics(solver)->factorizations == factorizations);
        }
        bool not_offered = strcmp(back_ends[k], "cholmod") == 0 || strcmp(back_ends[k], "pcg") == 0;
        CHECK(linear_can_solve_again(solver) == !not_offered);
        linear_destroy(solver);
        block_matrix_free(&m);
        array_free(&keys);
    }
}

TEST(solvers_refuse_indefinite)
{
    for (int k = 0; k < BACK_ENDS; k++) {
        random_state r = {5};
        block_matrix m = {0};
        key_list keys = {0};
        linear_solver *solver = make_solver(back_ends[k]);
        double b[MAX_SCALARS], x[MAX_SCALARS];
        for (int i = 0; i < MAX_SCALARS; i++) b[i] = random_range(&r, -1, 1);
        random_definite(&r, 12, 0.3, &m, &keys, 0.1);
        size_t at =
            block_matrix_offset(&m, 7, m.column_start[7]) + (size_t)block_matrix_stride(&m, 7) + 1;
        double good = m.value[at];
        m.value[at] = -50;
        CHECK(linear_solve(solver, &m, b, x, &err) == ABUT_ERROR_NOT_CONVERGED);
        CHECK(strstr(err.message, "not positive definite") != NULL);
        /* The solver stays usable. */
        m.value[at] = good;
        CHECK_OK(linear_solve(solver, &m, b, x, &err), err);
        CHECK(residual(x, b) < 1e-10);
        linear_destroy(solver);
        block_matrix_free(&m);
        array_free(&keys);
    }
}

static void multiply_reference(void *context, const double *x, double *y)
{
    dense_multiply(context, x, y);
}

static void divide_by_diagonal(void *context, const double *r, double *z)
{
    const dense *d = context;
    for (int i = 0; i < d->n; i++) z[i] = r[i] / fabs(d->a[i][i]);
}

/* A symmetric matrix with as many negative as positive entries on its diagonal. */
TEST(minimal_residuals_solve_indefinite_systems)
{
    random_state random = {5};
    dense *d = &reference;
    d->n = 60;
    double x[60], b[60], found[60];
    for (int i = 0; i < d->n; i++) {
        for (int j = 0; j <= i; j++) d->a[i][j] = d->a[j][i] = random_range(&random, -1, 1);
        d->a[i][i] = (i % 2 ? -1 : 1) * (1 + 3 * i);
        x[i] = random_range(&random, -1, 1);
    }
    dense_multiply(d, x, b);
    conjugate_operators o = {multiply_reference, divide_by_diagonal, d, 0};
    minres m = {0};
    CHECK_OK(minres_solve(&m, &o, 60, b, found, 1e-13, 200, &err), err);
    for (int i = 0; i < d->n; i++) CHECK_NEAR(found[i], x[i], 1e-9);
    CHECK(minres_solve(&m, &o, 60, b, found, 1e-13, 3, &err) == ABUT_ERROR_NOT_CONVERGED);
    minres_free(&m);
}

/* More blocks than nested dissection needs to be chosen: a long chain, on 1, 2 and 4 threads. */
TEST(large_chain)
{
    enum { CHAIN = 5000 };
    uint64_t *keys = mem_alloc(CHAIN, sizeof *keys);
    double *b = mem_alloc(3 * CHAIN, sizeof *b), *x = mem_alloc(3 * CHAIN, sizeof *x);
    double *y = mem_alloc(3 * CHAIN, sizeof *y), *first = mem_alloc(3 * CHAIN, sizeof *first);
    for (int i = 0; i + 1 < CHAIN; i++) keys[i] = block_key(i, i + 1);
    block_matrix m = {0};
    CHECK_OK(block_matrix_set_pattern(&m, CHAIN, keys, CHAIN - 1, &err), err);
    block_matrix_clear(&m);
    for (int j = 0; j < CHAIN; j++)
        for (size_t c = 0; c < 3; c++) {
            size_t stride = (size_t)block_matrix_stride(&m, j);
            size_t at = block_matrix_offset(&m, j, m.column_start[j]) + c * stride;
            m.value[at + c] = 2.01 + (double)c;
            if (j + 1 < CHAIN) m.value[at + 3 + c] = -1;
            b[3 * (size_t)j + c] = sin(0.01 * j + (double)c);
        }
    int before = parallel_threads();
    for (int k = 0; k < BACK_ENDS; k++) {
        linear_solver *solver = make_solver(back_ends[k]);
        for (int threads = 1; threads <= 4; threads *= 2) {
            parallel_set_threads(threads);
            linear_begin_step(solver); /* nothing of the solve before is left */
            CHECK_OK(linear_solve(solver, &m, b, x, &err), err);
            if (threads == 1) memcpy(first, x, 3 * CHAIN * sizeof *x);
            CHECK(memcmp(first, x, 3 * CHAIN * sizeof *x) == 0);
        }
        block_matrix_multiply(&m, x, y);
        double largest = 0;
        for (int i = 0; i < 3 * CHAIN; i++) largest = fmax(largest, fabs(y[i] - b[i]));
        CHECK(largest < 1e-9);
        linear_destroy(solver);
    }
    parallel_set_threads(before);
    block_matrix_free(&m);
    mem_free(keys);
    mem_free(b);
    mem_free(x);
    mem_free(y);
    mem_free(first);
}

TEST(bad_options)
{
    linear_options options = {.name = "gauss"};
    linear_solver *solver = NULL;
    CHECK(linear_create(&options, &solver, &err) == ABUT_ERROR_INPUT && solver == NULL);
    CHECK(strstr(err.message, "gauss") && strstr(err.message, "cholmod"));
    /* An iteration limit that is too small is reported. */
    random_state r = {6};
    block_matrix m = {0};
    key_list keys = {0};
    double b[MAX_SCALARS], x[MAX_SCALARS];
    random_definite(&r, MAX_BLOCKS, 0.2, &m, &keys, 0.1);
    for (int i = 0; i < MAX_SCALARS; i++) b[i] = random_range(&r, -1, 1);
    options =
        (linear_options){.name = "pcg", .tolerance = 1e-12, .max_iterations = 2, .alone = true};
    CHECK_OK(linear_create(&options, &solver, &err), err);
    CHECK(linear_solve(solver, &m, b, x, &err) == ABUT_ERROR_NOT_CONVERGED);
    CHECK(strstr(err.message, "2 iterations") != NULL);
    linear_destroy(solver);
    block_matrix_free(&m);
    array_free(&keys);
}

int main(void)
{
    RUN(pattern_and_find);
    RUN(multiply_and_mask);
    RUN(too_large);
    RUN(scatter_is_assembly);
    RUN(missing_keys);
    RUN(long_lists_of_keys);
    RUN(solvers_solve);
    RUN(solvers_refuse_indefinite);
    RUN(minimal_residuals_solve_indefinite_systems);
    RUN(large_chain);
    RUN(bad_options);
    return TEST_END();
}
