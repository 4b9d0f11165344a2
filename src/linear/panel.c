#include "linear/panel.h"

#include <math.h>
#include <string.h>

/* This file is compiled with fused multiply-add where the machine has it (CMakeLists.txt): sums
 * have one rounding per product, with and without AVX-512. */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef double pack8 __attribute__((vector_size(64), may_alias, aligned(8)));

enum { LANES = 8, MAX_TILE = 9, AHEAD = 6 };

/* One tile: `packs` packs of rows, `columns` columns, both known to the compiler. */
ALWAYS_INLINE void tile(int packs, int columns, size_t depth, const double *a, const double *b,
                        size_t stride, double *product)
{
    pack8 sum[MAX_TILE][3];
#pragma GCC unroll 9
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 3
        for (int v = 0; v < packs; v++) sum[c][v] = (pack8){0};
    for (size_t k = 0; k < depth; k++, a += stride, b += stride) {
        pack8 rows[3];
        /* Columns are further apart than the processor's own prefetching looks. */
        __builtin_prefetch(b + AHEAD * stride);
        __builtin_prefetch(b + AHEAD * stride + LANES);
#pragma GCC unroll 3
        for (int v = 0; v < packs; v++) __builtin_prefetch(a + AHEAD * stride + LANES * v);
#pragma GCC unroll 3
        for (int v = 0; v < packs; v++) rows[v] = *(const pack8 *)(a + LANES * v);
#pragma GCC unroll 9
        for (int c = 0; c < columns; c++) {
            pack8 factor = b[c] - (pack8){0};
#pragma GCC unroll 3
            for (int v = 0; v < packs; v++) sum[c][v] += rows[v] * factor;
        }
    }
#pragma GCC unroll 9
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 3
        for (int v = 0; v < packs; v++)
            *(pack8 *)(product + c * PANEL_STRIP + LANES * v) = sum[c][v];
}

/* With 32 registers of 8 numbers: tiles of up to 24 x 9. */
#define WIDE __attribute__((target("avx512f")))

#define WIDE_PRODUCT(packs)                                                                        \
    WIDE static void product_wide_##packs(size_t columns, size_t depth, const double *a,           \
                                          const double *b, size_t stride, double *product)         \
    {                                                                                              \
        size_t c = 0;                                                                              \
        for (; c + 9 <= columns; c += 9)                                                           \
            tile(packs, 9, depth, a, b + c, stride, product + c * PANEL_STRIP);                    \
        if (c + 6 <= columns) {                                                                    \
            tile(packs, 6, depth, a, b + c, stride, product + c * PANEL_STRIP);                    \
            c += 6;                                                                                \
        }                                                                                          \
        if (c < columns) tile(packs, 3, depth, a, b + c, stride, product + c * PANEL_STRIP);       \
    }
#ifdef __x86_64__
WIDE_PRODUCT(1)
WIDE_PRODUCT(2)
WIDE_PRODUCT(3)
#endif

/* With 16 registers of 4 numbers: tiles of 8 x 6. */
static void product_narrow(size_t rows, size_t columns, size_t depth, const double *a,
                           const double *b, size_t stride, double *product)
{
    for (size_t r = 0; r < rows; r += LANES) {
        size_t c = 0;
        for (; c + 6 <= columns; c += 6)
            tile(1, 6, depth, a + r, b + c, stride, product + c * PANEL_STRIP + r);
        if (c < columns) tile(1, 3, depth, a + r, b + c, stride, product + c * PANEL_STRIP + r);
    }
}

void panel_product(size_t rows, size_t columns, size_t depth, const double *a, const double *b,
                   size_t stride, double *product)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) {
        if (rows > 2 * LANES)
            product_wide_3(columns, depth, a, b, stride, product);
        else if (rows > LANES)
            product_wide_2(columns, depth, a, b, stride, product);
        else
            product_wide_1(columns, depth, a, b, stride, product);
        return;
    }
#endif
    product_narrow(rows, columns, depth, a, b, stride, product);
}

/* ---------------------------------------------------------------------------------------------- */
/* Solving with a small triangle, rows of a strip side by side                                    */

ALWAYS_INLINE pack8 load(const double *from, size_t lanes)
{
    pack8 x = {0};
    memcpy(&x, from, lanes * sizeof *from);
    return x;
}

/* One pack of rows (`lanes` of them valid) of the columns of a tile: subtracts the product of the
 * columns before (may be NULL) and divides by the triangle. */
ALWAYS_INLINE void solve_pack(int columns, double *at, size_t stride, size_t lanes,
                              const double *product, const double *triangle, const double *inverse)
{
    pack8 x[MAX_TILE];
#pragma GCC unroll 9
    for (int c = 0; c < columns; c++) {
        x[c] = load(at + (size_t)c * stride, lanes);
        if (product) x[c] -= *(const pack8 *)(product + c * PANEL_STRIP);
    }
#pragma GCC unroll 9
    for (int k = 0; k < columns; k++) {
        x[k] *= inverse[k];
#pragma GCC unroll 9
        for (int c = k + 1; c < columns; c++) x[c] -= x[k] * triangle[c + (size_t)k * stride];
        memcpy(at + (size_t)k * stride, &x[k], lanes * sizeof *at);
    }
}

ALWAYS_INLINE void solve_packs(int columns, double *at, size_t stride, size_t rows,
                               const double *product, const double *triangle, const double *inverse)
{
    size_t r = 0;
    for (; r + LANES <= rows; r += LANES)
        solve_pack(columns, at + r, stride, LANES, product ? product + r : NULL, triangle, inverse);
    if (r < rows)
        solve_pack(columns, at + r, stride, rows - r, product ? product + r : NULL, triangle,
                   inverse);
}

ALWAYS_INLINE void solve_tile(size_t columns, double *at, size_t stride, size_t rows,
                              const double *product, const double *triangle, const double *inverse)
{
    if (columns == 9)
        solve_packs(9, at, stride, rows, product, triangle, inverse);
    else if (columns == 6)
        solve_packs(6, at, stride, rows, product, triangle, inverse);
    else
        solve_packs(3, at, stride, rows, product, triangle, inverse);
}

#ifdef __x86_64__
WIDE static void solve_tile_wide(size_t columns, double *at, size_t stride, size_t rows,
                                 const double *product, const double *triangle,
                                 const double *inverse)
{
    solve_tile(columns, at, stride, rows, product, triangle, inverse);
}
#endif

static void solve_tile_narrow(size_t columns, double *at, size_t stride, size_t rows,
                              const double *product, const double *triangle, const double *inverse)
{
    solve_tile(columns, at, stride, rows, product, triangle, inverse);
}

static size_t tile_width(size_t columns, size_t first)
{
    size_t left = columns - first;
    return left >= MAX_TILE ? MAX_TILE : left;
}

/* The rows of one strip in columns [first, first + width) of the panel. */
static void solve_strip(double *panel, size_t stride, size_t row, size_t rows, size_t first,
                        size_t width, const double *inverse)
{
    double product[MAX_TILE * PANEL_STRIP];
    double *at = panel + first * stride + row, *triangle = panel + first * stride + first;
    if (first > 0) panel_product(rows, width, first, panel + row, panel + first, stride, product);
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) {
        solve_tile_wide(width, at, stride, rows, first > 0 ? product : NULL, triangle,
                        inverse + first);
        return;
    }
#endif
    solve_tile_narrow(width, at, stride, rows, first > 0 ? product : NULL, triangle,
                      inverse + first);
}

void panel_solve_rows(double *panel, size_t columns, size_t stride, size_t begin, size_t end,
                      const double *inverse)
{
    for (size_t row = begin; row < end; row += PANEL_STRIP) {
        size_t rows = end - row < PANEL_STRIP ? end - row : PANEL_STRIP;
        for (size_t first = 0; first < columns; first += MAX_TILE)
            solve_strip(panel, stride, row, rows, first, tile_width(columns, first), inverse);
    }
}

/* Cholesky of a square of at most 9 columns; the product of the columns before is subtracted. */
static size_t factorize_square(double *square, size_t columns, size_t stride, const double *product,
                               double *inverse)
{
    for (size_t j = 0; j < columns; j++) {
        double *column = square + j * stride;
        for (size_t i = j; i < columns; i++) column[i] -= product[j * PANEL_STRIP + i];
        for (size_t k = 0; k < j; k++) {
            double factor = square[j + k * stride];
            for (size_t i = j; i < columns; i++) column[i] -= square[i + k * stride] * factor;
        }
        if (!(column[j] > 0) || !isfinite(column[j])) return j;
        column[j] = sqrt(column[j]);
        inverse[j] = 1 / column[j];
        for (size_t i = j + 1; i < columns; i++) column[i] *= inverse[j];
    }
    return columns;
}

size_t panel_factorize(double *panel, size_t columns, size_t stride, double *inverse)
{
    for (size_t first = 0; first < columns; first += MAX_TILE) {
        size_t width = tile_width(columns, first);
        double product[MAX_TILE * PANEL_STRIP];
        memset(product, 0, sizeof product);
        if (first > 0)
            panel_product(width, width, first, panel + first, panel + first, stride, product);
        size_t done = factorize_square(panel + first * stride + first, width, stride, product,
                                       inverse + first);
        if (done < width) return first + done;
        for (size_t row = first + width; row < columns; row += PANEL_STRIP) {
            size_t rows = columns - row < PANEL_STRIP ? columns - row : PANEL_STRIP;
            solve_strip(panel, stride, row, rows, first, width, inverse);
        }
    }
    return columns;
}

/* Three columns at a time, eight partial sums each, added up in a fixed order. */
void panel_multiply_transposed(const double *panel, size_t columns, size_t stride, size_t begin,
                               size_t end, const double *x, double *y)
{
    size_t rows = end - begin;
    for (size_t c = 0; c < columns; c += 3) {
        const double *column = panel + c * stride + begin;
        pack8 sum[3] = {{0}, {0}, {0}}, last;
        size_t r = 0;
        for (; r + LANES <= rows; r += LANES)
            for (size_t k = 0; k < 3; k++)
                sum[k] += *(const pack8 *)(column + k * stride + r) * *(const pack8 *)(x + r);
        last = load(x + r, rows - r); /* zeros beyond the end */
        for (size_t k = 0; k < 3 && r < rows; k++)
            sum[k] += load(column + k * stride + r, rows - r) * last;
        for (size_t k = 0; k < 3; k++) {
            double total = 0;
            for (int lane = 0; lane < LANES; lane++) total += sum[k][lane];
            y[c + k] -= total;
        }
    }
}
