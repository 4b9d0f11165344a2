/* Rows that ranks assemble each for themselves are those of the whole matrix, to the last bit. */
#include "test.h"

#include "base/random.h"
#include "linear/row_matrix.h"
#include "solve/rank_share.h"

#include <math.h>
#include <string.h>

static abut_error err;

enum { WIDTH = 4, PAIRS = WIDTH * (WIDTH + 1) / 2, BLOCKS = 40, ITEMS = 1500 };

/* Random stencils; some name a block twice, some have gaps. */
static void random_stencils(random_state *r, int32_t *blocks, double *hessian)
{
    for (int i = 0; i < ITEMS * WIDTH; i++) {
        blocks[i] = (int32_t)random_below(r, BLOCKS);
        if (random_below(r, 20) == 0) blocks[i] = -1;
    }
    for (int i = 0; i < ITEMS * PAIRS * 9; i++) hessian[i] = random_range(r, -1, 1);
    /* Blocks on the diagonal are symmetric. */
    for (int i = 0; i < ITEMS; i++)
        for (int a = 0, pair = 0; a < WIDTH; pair += WIDTH - a, a++) {
            double *b = hessian + 9 * (i * PAIRS + pair);
            b[3] = b[1];
            b[6] = b[2];
            b[7] = b[5];
        }
}

static void assemble_whole(const int32_t *blocks, const double *hessian, block_matrix *m)
{
    key_list keys = {0}, missing = {0};
    scatter_map map = {0};
    CHECK_OK(scatter_append_keys(&keys, WIDTH, ITEMS, blocks, &err), err);
    key_list_unique(&keys);
    CHECK_OK(block_matrix_set_pattern(m, BLOCKS, keys.data, keys.count, &err), err);
    CHECK_OK(scatter_map_matrix(&map, WIDTH, ITEMS, blocks, m, &missing, &err), err);
    block_matrix_clear(m);
    size_t chunk_size = scatter_chunk(WIDTH);
    for (size_t chunk = 0; chunk * chunk_size < ITEMS; chunk++)
        scatter_add_matrix(&map, chunk, hessian + 9 * PAIRS * chunk_size * chunk, m);
    CHECK(missing.count == 0);
    scatter_map_free(&map);
    array_free(&keys);
    array_free(&missing);
}

/* Rows [first, end) from the stencils that touch them alone. */
static void assemble_rows(const int32_t *blocks, const double *hessian, int32_t first, int32_t end,
                          row_matrix *m)
{
    static int32_t own[ITEMS * WIDTH];
    static double part[ITEMS * PAIRS * 9];
    size_t count = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        bool touches = false;
        for (size_t a = 0; a < WIDTH; a++)
            touches = touches || (blocks[WIDTH * i + a] >= first && blocks[WIDTH * i + a] < end);
        if (!touches) continue;
        memcpy(own + WIDTH * count, blocks + WIDTH * i, WIDTH * sizeof *own);
        memcpy(part + 9 * PAIRS * count, hessian + 9 * PAIRS * i, 9 * PAIRS * sizeof *part);
        count++;
    }
    key_list keys = {0}, missing = {0};
    scatter_map map = {0};
    CHECK_OK(scatter_append_row_keys(&keys, WIDTH, count, own, first, end - first, &err), err);
    key_list_unique(&keys);
    CHECK_OK(row_matrix_set_pattern(m, first, end - first, BLOCKS, keys.data, keys.count, &err),
             err);
    CHECK_OK(scatter_map_rows(&map, WIDTH, count, own, m, &missing, &err), err);
    row_matrix_clear(m);
    size_t chunk_size = scatter_chunk(WIDTH);
    for (size_t chunk = 0; chunk * chunk_size < count; chunk++)
        scatter_add_rows(&map, chunk, part + 9 * PAIRS * chunk_size * chunk, m);
    CHECK(missing.count == 0);
    scatter_map_free(&map);
    array_free(&keys);
    array_free(&missing);
}

static double whole_entry(const block_matrix *m, int32_t row, int32_t column)
{
    if (row < column) {
        int32_t swap = row;
        row = column;
        column = swap;
    }
    int32_t slot = block_matrix_find(m, row / 3, column / 3);
    if (slot < 0) return 0;
    return m->value[block_matrix_offset(m, column / 3, slot) +
                    (size_t)(column % 3 * block_matrix_stride(m, column / 3) + row % 3)];
}

static double row_entry(const row_matrix *m, int32_t row, int32_t column)
{
    int32_t own = row / 3 - m->first, slot = row_matrix_find(m, own, column / 3);
    if (slot < 0) return 0;
    return m->value.data[row_matrix_offset(m, own, slot) +
                         (size_t)(row % 3) * row_matrix_stride(m, own) + (size_t)(column % 3)];
}

static void compare(const block_matrix *whole, const row_matrix *rows)
{
    for (int32_t i = 3 * rows->first; i < 3 * (rows->first + rows->rows); i++)
        for (int32_t j = 0; j < 3 * BLOCKS; j++)
            CHECK(row_entry(rows, i, j) == whole_entry(whole, i, j));
}

TEST(rows_are_those_of_the_whole)
{
    static int32_t blocks[ITEMS * WIDTH];
    static double hessian[ITEMS * PAIRS * 9];
    random_state r = {3};
    random_stencils(&r, blocks, hessian);
    block_matrix whole = {0};
    assemble_whole(blocks, hessian, &whole);
    static const int32_t cuts[] = {0, 1, 17, 17, 39, BLOCKS};
    uint8_t mask[3 * BLOCKS];
    for (int i = 0; i < 3 * BLOCKS; i++) mask[i] = random_below(&r, 5) == 0;
    for (int masked = 0; masked < 2; masked++) {
        if (masked) block_matrix_mask(&whole, mask);
        for (int k = 0; k + 1 < 6; k++) {
            row_matrix rows = {0};
            assemble_rows(blocks, hessian, cuts[k], cuts[k + 1], &rows);
            if (masked) row_matrix_mask(&rows, mask);
            compare(&whole, &rows);
            row_matrix_free(&rows);
        }
    }
    row_matrix rows = {0};
    assemble_rows(blocks, hessian, 5, 20, &rows);
    double before[45], least = INFINITY;
    for (int32_t i = 0; i < 45; i++) {
        before[i] = row_entry(&rows, 15 + i, 15 + i);
        if (before[i] != 0) least = fmin(least, fabs(before[i]));
    }
    CHECK(row_matrix_least_diagonal(&rows) == least);
    row_matrix_shift(&rows, 2.5, least);
    for (int32_t i = 0; i < 45; i++) {
        double size = fabs(before[i]), share = 2.5 * (size > 0 ? size : least);
        CHECK(row_entry(&rows, 15 + i, 15 + i) == size + share);
    }
    row_matrix_free(&rows);
    block_matrix_free(&whole);
}

/* Without other ranks everything belongs to this one. */
TEST(one_rank_owns_all)
{
    int32_t free_block[] = {0, 2, 3, 7}, owner[8];
    uint8_t mask[12] = {0, 0, 1};
    stencil_graph graph;
    const int32_t blocks[] = {0, 1, 2, 3, 4, 5, 6, 7};
    stencil_group group = {.width = 4, .count = 2, .blocks = blocks};
    CHECK_OK(stencil_graph_begin(&graph, 8, &err), err);
    CHECK_OK(stencil_graph_add(&graph, &group, &err), err);
    CHECK(graph.keys.count == 12 && graph.weight.data[5] == 5);
    CHECK_OK(rank_share_divide(&graph, 8, owner, &err), err);
    rank_share s = {0};
    CHECK(array_resize(&s.owner, 8));
    memcpy(s.owner.data, owner, sizeof owner);
    CHECK_OK(rank_share_number(&s, 4, free_block, mask, &err), err);
    CHECK(rank_share_first(&s, 0) == 0 && rank_share_first(&s, 1) == 4);
    for (int k = 0; k < 4; k++) CHECK(s.row.data[k] == k && s.unknown.data[k] == k);
    CHECK(s.mask.data[2] == 1);
    double work[1] = {0};
    rank_share_add_work(owner, &group, work);
    CHECK(work[0] == 32 && rank_share_imbalance(work) == 1);
    rank_share_free(&s);
    stencil_graph_free(&graph);
}

int main(void)
{
    RUN(rows_are_those_of_the_whole);
    RUN(one_rank_owns_all);
    return TEST_END();
}
