/* The dense kernels of the factorisation, entry by entry: the bits do not depend on the shape of a
 * strip nor on the width of the machine's registers, only on whether products are fused. */
#include "base/memory.h"
#include "base/random.h"
#include "linear/panel.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { STRIDE = 157, DEPTH = PANEL_MAX_COLUMNS };

static double *random_panel(random_state *r)
{
    size_t count = STRIDE * (DEPTH + 1) + PANEL_PADDING;
    double *panel = mem_alloc(count, sizeof *panel);
    for (size_t i = 0; i < count; i++) panel[i] = random_range(r, -1, 1);
    return panel;
}

/* a b + c as the kernels compute it on this machine. */
static double multiply_add(double a, double b, double c)
{
#if defined(__x86_64__) && !defined(__FMA__)
    bool fused = __builtin_cpu_supports("avx512f");
#else
    bool fused = true;
#endif
    return fused ? fma(a, b, c) : a * b + c;
}

TEST(product_is_the_sum_in_order)
{
    random_state r = {1};
    double *panel = random_panel(&r), product[PANEL_STRIP * PANEL_MAX_COLUMNS];
    for (size_t rows = 1; rows <= PANEL_STRIP; rows++)
        for (size_t columns = 3; columns <= 33; columns += 3)
            for (size_t depth = 1; depth <= 13; depth += 4) {
                panel_product(rows, columns, depth, panel + 40, panel + 3, STRIDE, product);
                size_t wrong = 0;
                for (size_t c = 0; c < columns; c++)
                    for (size_t i = 0; i < rows; i++) {
                        double sum = 0;
                        for (size_t k = 0; k < depth; k++)
                            sum = multiply_add(panel[40 + i + k * STRIDE],
                                               panel[3 + c + k * STRIDE], sum);
                        wrong += product[c * PANEL_STRIP + i] != sum;
                    }
                CHECK(wrong == 0);
            }
    mem_free(panel);
}

/* L L^T of a factorised panel is what it was made from, and rows do not depend on the strip. */
TEST(factor_and_rows)
{
    random_state r = {2};
    double *panel = random_panel(&r), *before = random_panel(&r), *other = random_panel(&r);
    for (size_t columns = 3; columns <= PANEL_MAX_COLUMNS; columns += 3) {
        size_t rows = columns + 1 + columns % 29;
        double inverse[PANEL_MAX_COLUMNS];
        for (size_t c = 0; c < columns; c++) panel[c * STRIDE + c] = 4 + (double)columns;
        memcpy(before, panel, STRIDE * DEPTH * sizeof *panel);
        CHECK(panel_factorize(panel, columns, STRIDE, inverse) == columns);
        memcpy(other, panel, STRIDE * DEPTH * sizeof *panel);
        panel_solve_rows(panel, columns, STRIDE, columns, rows, inverse);
        for (size_t i = columns; i < rows; i++)
            panel_solve_rows(other, columns, STRIDE, i, i + 1, inverse);
        double worst = 0;
        size_t differ = 0;
        for (size_t c = 0; c < columns; c++)
            for (size_t i = c; i < rows; i++) {
                double sum = 0;
                for (size_t k = 0; k <= c; k++)
                    sum += panel[k * STRIDE + i] * panel[k * STRIDE + c];
                worst = fmax(worst, fabs(sum - before[c * STRIDE + i]));
                differ += panel[c * STRIDE + i] != other[c * STRIDE + i];
            }
        CHECK(worst < 1e-13 * (double)columns);
        CHECK(differ == 0);
        for (size_t i = 0; i < STRIDE * DEPTH; i++) panel[i] = random_range(&r, -1, 1);
    }
    mem_free(panel);
    mem_free(before);
    mem_free(other);
}

TEST(not_positive_definite)
{
    random_state r = {3};
    double *panel = random_panel(&r), inverse[PANEL_MAX_COLUMNS];
    for (size_t c = 0; c < 30; c++) panel[c * STRIDE + c] = 40;
    panel[17 * STRIDE + 17] = -1;
    CHECK(panel_factorize(panel, 30, STRIDE, inverse) == 17);
    mem_free(panel);
}

TEST(transposed_product_has_eight_partial_sums)
{
    random_state r = {4};
    double *panel = random_panel(&r), x[STRIDE], y[6], wanted[6];
    for (size_t i = 0; i < STRIDE; i++) x[i] = random_range(&r, -1, 1);
    for (size_t rows = 0; rows < 60; rows++) {
        for (size_t c = 0; c < 6; c++) {
            double sum[8] = {0}, total = 0;
            for (size_t i = 0; i < rows; i++)
                sum[i % 8] = multiply_add(panel[c * STRIDE + 7 + i], x[i], sum[i % 8]);
            for (size_t i = 0; i < 8; i++) total += sum[i];
            wanted[c] = y[c] = (double)c;
            wanted[c] -= total;
        }
        panel_multiply_transposed(panel, 6, STRIDE, 7, 7 + rows, x, y);
        CHECK(memcmp(y, wanted, sizeof y) == 0);
    }
    mem_free(panel);
}

int main(void)
{
    RUN(product_is_the_sum_in_order);
    RUN(factor_and_rows);
    RUN(not_positive_definite);
    RUN(transposed_product_has_eight_partial_sums);
    return TEST_END();
}
