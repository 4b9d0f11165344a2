/* Parts of the linear solvers, each by itself against what defines it: sums of sparse entries,
 * incomplete factors, singular blocks, the motions of aggregates, the smoother and the smoothed
 * prolongation of multigrid. */
#include "base/memory.h"
#include "base/random.h"
#include "linear/aggregation.h"
#include "linear/csr.h"
#include "linear/multigrid.h"
#include "linear/scatter.h"
#include "linear/solver.h"
#include "test.h"

static abut_error err;

static double *entry(block_matrix *m, int32_t column, int32_t slot, size_t r, size_t c)
{
    return m->value + block_matrix_offset(m, column, slot) +
           c * (size_t)block_matrix_stride(m, column) + r;
}

/* A matrix of blocks with these off-diagonal pairs and zeros everywhere. */
static void make_matrix(block_matrix *m, int32_t blocks, const int32_t (*pairs)[2], size_t count)
{
    key_list keys = {0};
    for (size_t k = 0; k < count; k++)
        CHECK(array_push(&keys, block_key(pairs[k][0], pairs[k][1])));
    key_list_unique(&keys);
    CHECK_OK(block_matrix_set_pattern(m, blocks, keys.data, keys.count, &err), err);
    block_matrix_clear(m);
    array_free(&keys);
}

/* A chain of blocks: `diagonal` on the diagonal, -1 beside it. */
static void make_chain(block_matrix *m, int32_t blocks, double diagonal)
{
    int32_t(*pairs)[2] = mem_alloc((size_t)blocks, sizeof *pairs);
    for (int32_t j = 0; j + 1 < blocks; j++) {
        pairs[j][0] = j + 1;
        pairs[j][1] = j;
    }
    make_matrix(m, blocks, (const int32_t(*)[2])pairs, (size_t)blocks - 1);
    mem_free(pairs);
    for (int32_t j = 0; j < blocks; j++)
        for (int32_t k = m->column_start[j]; k < m->column_start[j + 1]; k++)
            for (size_t c = 0; c < 3; c++)
                *entry(m, j, k, c, c) = k == m->column_start[j] ? diagonal : -1;
}

/* Solves with one solver alone; iterations that it took, or -1. */
static int solve_with(const char *name, const block_matrix *m, const double *b, double *x)
{
    linear_options options = {.name = name, .tolerance = 1e-12, .alone = true};
    linear_solver *solver = NULL;
    CHECK_OK(linear_create(&options, &solver, &err), err);
    abut_status status = linear_solve(solver, m, b, x, &err);
    int iterations = (int)linear_get_statistics(solver)->iterations;
    linear_destroy(solver);
    return status == ABUT_OK ? iterations : -1;
}

TEST(equal_entries_are_added_up)
{
    /* Entries (0, 1) three times and (1, 0) twice, the others once. */
    int32_t start[] = {0, 4, 7}, column[] = {1, 0, 1, 1, 0, 0, 2};
    double value[] = {1, 8, 2, 4, 16, 32, 64};
    csr_matrix a = {.rows = 2, .columns = 3}, t = {0};
    a.row_start.data = start;
    a.column.data = column;
    a.value.data = value;
    CHECK_OK(csr_transpose(&a, &t, &err), err);
    CHECK(csr_nonzeros(&t) == 4);
    double x[2] = {1, 1000}, y[3];
    csr_apply(&t, x, y);
    CHECK(y[0] == 8 + 48e3 && y[1] == 7 && y[2] == 64e3);
    csr_free(&t);
}

/* Without fill the incomplete factor is the whole one. */
TEST(incomplete_factor_of_a_chain)
{
    enum { N = 40 };
    block_matrix m = {0};
    random_state r = {3};
    double b[3 * N], x[3 * N];
    make_chain(&m, N, 0);
    for (int32_t j = 0; j < N; j++)
        for (int32_t k = m.column_start[j]; k < m.column_start[j + 1]; k++)
            for (size_t i = 0; i < 3; i++)
                for (size_t c = 0; c <= (k == m.column_start[j] ? i : 2); c++)
                    *entry(&m, j, k, i, c) =
                        random_range(&r, -1, 1) + (k == m.column_start[j] && i == c ? 9 : 0);
    for (int i = 0; i < 3 * N; i++) b[i] = random_range(&r, -1, 1);
    int iterations = solve_with("ic", &m, b, x);
    CHECK(iterations == 1 || iterations == 2); /* the second for what rounding left */
    CHECK(solve_with("pcg", &m, b, x) > 4);
    block_matrix_free(&m);
}

/* Kershaw's matrix is definite, but its incomplete factor breaks down; a larger diagonal helps. */
TEST(incomplete_factor_breaks_down)
{
    static const int32_t pairs[][2] = {{1, 0}, {2, 1}, {3, 2}, {3, 0}};
    block_matrix m = {0};
    make_matrix(&m, 4, pairs, 4);
    for (int32_t j = 0; j < 4; j++)
        for (int32_t k = m.column_start[j]; k < m.column_start[j + 1]; k++)
            for (size_t c = 0; c < 3; c++)
                *entry(&m, j, k, c, c) = m.row[k] == j ? 3 : m.row[k] == j + 3 ? 2 : -2;
    double b[12], x[12], y[12];
    for (int i = 0; i < 12; i++) b[i] = 1 + i % 5;
    CHECK(solve_with("ic", &m, b, x) > 1);
    block_matrix_multiply(&m, x, y);
    for (int i = 0; i < 12; i++) CHECK_NEAR(y[i], b[i], 1e-9);
    block_matrix_free(&m);
}

/* Where nothing holds a scalar and nothing pulls at it, it stays. */
TEST(singular_blocks)
{
    block_matrix m = {0};
    make_matrix(&m, 2, NULL, 0);
    const double diagonal[6] = {2, 4, 0, 0, 8, 16}, b[6] = {2, 2, 0, 0, 2, 2};
    for (int32_t j = 0; j < 2; j++)
        for (size_t c = 0; c < 3; c++)
            *entry(&m, j, m.column_start[j], c, c) = diagonal[3 * (size_t)j + c];
    double x[6];
    CHECK(solve_with("pcg", &m, b, x) >= 0);
    for (int i = 0; i < 6; i++) CHECK_NEAR(x[i], b[i] > 0 ? b[i] / diagonal[i] : 0, 1e-12);
    block_matrix_free(&m);
}

/* The columns of an aggregate are orthonormal (or zero) and make all the motions that were given.
 */
TEST(motions_of_aggregates)
{
    enum { N = 320 };
    block_matrix a = {0};
    random_state r = {5};
    make_chain(&a, N, 2);
    block_csr fine = {0}, t = {0};
    static int32_t aggregate[N];
    static double modes[18 * N], coarse[36 * N];
    int32_t count = 0;
    CHECK_OK(block_csr_from_symmetric(&fine, &a, false, &err), err);
    CHECK_OK(aggregate_blocks(&fine, 0.04, aggregate, &count, &err), err);
    for (int i = 0; i < 18 * N; i++) modes[i] = random_range(&r, -1, 1);
    CHECK_OK(aggregate_prolongation(&fine, aggregate, count, modes, 6, &t, coarse, &err), err);
    static double gram[N][6][6];
    memset(gram, 0, sizeof gram);
    for (int32_t i = 0; i < N; i++)
        for (int row = 0; row < 3; row++) {
            const double *block = block_csr_block(&t, t.start.data[i]) + 6 * row;
            for (int p = 0; p < 6; p++) {
                double sum = 0;
                for (int q = 0; q < 6; q++) {
                    sum += block[q] * coarse[36 * aggregate[i] + 6 * q + p];
                    gram[aggregate[i]][p][q] += block[p] * block[q];
                }
                CHECK_NEAR(sum, modes[18 * i + 6 * row + p], 1e-10);
            }
        }
    for (int32_t g = 0; g < count; g++)
        for (int p = 0; p < 6; p++)
            for (int q = 0; q < 6; q++) {
                double expected = p == q && gram[g][p][p] > 0.5 ? 1 : 0;
                CHECK_NEAR(gram[g][p][q], expected, 1e-10);
            }
    block_csr_free(&fine);
    block_csr_free(&t);
    block_matrix_free(&a);
}

/* Two levels: what the coarser one holds as its motions are rigid ones of the finer one. */
TEST(rotations_are_rigid)
{
    enum { N = 250 };
    block_matrix a = {0};
    multigrid m = {0};
    random_state r = {7};
    static double position[3 * N];
    double middle[3] = {0};
    for (int i = 0; i < 3 * N; i++) {
        position[i] = random_range(&r, -1, 1);
        middle[i % 3] += position[i] / N;
    }
    make_chain(&a, N, 2);
    CHECK_OK(multigrid_build(&m, &a, position, NULL, &err), err);
    const block_csr *t = &m.tentative;
    CHECK(t->rows == N && t->width == 6);
    for (int32_t i = 0; i < t->rows; i++)
        for (int axis = 0; axis < 3; axis++) {
            const double *block = block_csr_block(t, t->start.data[i]);
            const double *coarse = m.coarse_modes.data + 36 * t->column.data[t->start.data[i]];
            double motion[3] = {0}, y[3];
            for (int row = 0; row < 3; row++) {
                y[row] = position[3 * i + row] - middle[row];
                for (int q = 0; q < 6; q++)
                    motion[row] += block[6 * row + q] * coarse[6 * q + 3 + axis];
            }
            int u = (axis + 1) % 3, v = (axis + 2) % 3; /* axis x y */
            CHECK_NEAR(motion[axis], 0, 1e-10);
            CHECK_NEAR(motion[u], -y[v], 1e-10);
            CHECK_NEAR(motion[v], y[u], 1e-10);
        }
    multigrid_free(&m);
    block_matrix_free(&a);
}

/* A matrix that cannot be coarsened and is too large to be factorised is smoothed once: where D^-1
 * A is the identity, by 1 - T2((c - 1) / d) / T2(c / d) with the Chebyshev polynomial T2 on [c - d,
 * c + d], which is [1.1 / 20, 1.1]. */
TEST(smoother_is_a_chebyshev_polynomial)
{
    enum { N = 500 };
    block_matrix a = {0};
    multigrid m = {0};
    make_matrix(&a, N, NULL, 0);
    static double b[3 * N], z[3 * N];
    for (int32_t j = 0; j < N; j++)
        for (size_t c = 0; c < 3; c++) {
            *entry(&a, j, a.column_start[j], c, c) = 1 + j % 7;
            b[3 * (size_t)j + c] = sin((double)(3 * (size_t)j + c));
        }
    CHECK_OK(multigrid_build(&m, &a, NULL, NULL, &err), err);
    CHECK(m.level_count == 1 && m.factor.count == 0);
    double high = 1.1, low = high / 20, c = 0.5 * (high + low), d = 0.5 * (high - low);
    double at = (c - 1) / d, start = c / d;
    double factor = 1 - (2 * at * at - 1) / (2 * start * start - 1);
    multigrid_cycle(&m, b, z);
    for (int i = 0; i < 3 * N; i++) CHECK_NEAR(z[i] * (1 + i / 3 % 7), factor * b[i], 1e-12);
    multigrid_free(&m);
    block_matrix_free(&a);
}

static double trace_of(const block_csr *a)
{
    double sum = 0;
    for (int32_t i = 0; i < a->rows; i++)
        for (int32_t k = a->start.data[i]; k < a->start.data[i + 1]; k++)
            for (int c = 0; a->column.data[k] == i && c < a->height; c++)
                sum += block_csr_block(a, k)[c * a->width + c];
    return sum;
}

/* Smoothing lowers the energy of the motions of the coarser level. */
TEST(smoothed_prolongation_has_less_energy)
{
    enum { N = 400 };
    block_matrix a = {0};
    multigrid m = {0};
    make_chain(&a, N, 2);
    CHECK_OK(multigrid_build(&m, &a, NULL, NULL, &err), err);
    CHECK(m.level_count == 2 && m.tentative.rows == N);
    block_csr product = {0}, transposed = {0}, plain = {0};
    CHECK_OK(block_csr_product(&m.levels[0].a, &m.tentative, false, &product, &err), err);
    CHECK_OK(block_csr_transpose(&m.tentative, &transposed, &err), err);
    CHECK_OK(block_csr_product(&transposed, &product, false, &plain, &err), err);
    CHECK(trace_of(&m.levels[1].a) < 0.5 * trace_of(&plain));
    block_csr_free(&product);
    block_csr_free(&transposed);
    block_csr_free(&plain);
    multigrid_free(&m);
    block_matrix_free(&a);
}

int main(void)
{
    RUN(equal_entries_are_added_up);
    RUN(incomplete_factor_of_a_chain);
    RUN(incomplete_factor_breaks_down);
    RUN(singular_blocks);
    RUN(motions_of_aggregates);
    RUN(rotations_are_rigid);
    RUN(smoother_is_a_chebyshev_polynomial);
    RUN(smoothed_prolongation_has_less_energy);
    return TEST_END();
}
