#include "linear/panel.h"

#include <math.h>
#include <string.h>

/* This file is compiled with fused multiply-add where the machine has it (CMakeLists.txt): sums
 * have one rounding per product, with and without AVX-512. */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { MAX_TILE = 9, MAX_PACKS = 4, AHEAD = 6 };

/* With 16 registers of 4 numbers, tiles of 8 x 6 and 12 x 3; with 2 numbers each, half the rows. */
#ifdef __AVX__
typedef double pack_narrow __attribute__((vector_size(32), may_alias, aligned(8)));
#define PACK_LANES 4
#else
typedef double pack_narrow __attribute__((vector_size(16), may_alias, aligned(8)));
#define PACK_LANES 2
#endif
#define PACK pack_narrow
#define KERNEL(name) name##_narrow
#define PRODUCT_TILES                                                                              \
    for (; c + 6 <= columns; c += 6)                                                               \
        for (size_t r = 0; r < rows; r += 2 * PACK_LANES)                                          \
            tile_narrow(2, 6, depth, a + r, b + c, stride, product + c * PANEL_STRIP + r);         \
    for (size_t r = 0; c < columns && r < rows; r += 3 * PACK_LANES)                               \
        tile_narrow(3, 3, depth, a + r, b + c, stride, product + c * PANEL_STRIP + r);
#include "linear/panel_kernel.inc"

#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif
typedef double pack_wide __attribute__((vector_size(64), may_alias, aligned(8)));

/* With 32 registers of 8 numbers: tiles of up to 24 x 9. */
#define WIDE_TILES(packs)                                                                          \
    {                                                                                              \
        for (; c + 9 <= columns; c += 9)                                                           \
            tile_wide(packs, 9, depth, a, b + c, stride, product + c * PANEL_STRIP);               \
        if (c + 6 <= columns) {                                                                    \
            tile_wide(packs, 6, depth, a, b + c, stride, product + c * PANEL_STRIP);               \
            c += 6;                                                                                \
        }                                                                                          \
        if (c < columns) tile_wide(packs, 3, depth, a, b + c, stride, product + c * PANEL_STRIP);  \
    }
#define PACK pack_wide
#define PACK_LANES 8
#define KERNEL(name) name##_wide
#define PRODUCT_TILES                                                                              \
    if (rows > 16) WIDE_TILES(3) else if (rows > 8) WIDE_TILES(2) else WIDE_TILES(1)
#include "linear/panel_kernel.inc"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

#ifdef __x86_64__
#define CHOOSE(name, ...)                                                                          \
    (__builtin_cpu_supports("avx512f") ? name##_wide(__VA_ARGS__) : name##_narrow(__VA_ARGS__))
#else
#define CHOOSE(name, ...) name##_narrow(__VA_ARGS__)
#endif

void panel_product(size_t rows, size_t columns, size_t depth, const double *a, const double *b,
                   size_t stride, double *product)
{
    CHOOSE(product, rows, columns, depth, a, b, stride, product);
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
    CHOOSE(solve_tile, width, at, stride, rows, first > 0 ? product : NULL, triangle,
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

void panel_multiply_transposed(const double *panel, size_t columns, size_t stride, size_t begin,
                               size_t end, const double *x, double *y)
{
    CHOOSE(multiply_transposed, panel, columns, stride, begin, end, x, y);
}
