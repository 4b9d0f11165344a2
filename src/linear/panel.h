/* Dense kernels of the sparse Cholesky factorisation.
 *
 * A panel is a few adjacent columns of the factor, stored by columns: `columns` of them (a multiple
 * of 3), `stride` scalars apart, the square diagonal part first. Kernels work on strips of
 * PANEL_STRIP rows. Every entry is a sum over ascending columns whatever the shape of a strip, so
 * that the bits do not depend on how rows are shared out; the number of rows may be anything, but
 * PANEL_PADDING scalars behind the last entry must be readable. */
#ifndef LINEAR_PANEL_H
#define LINEAR_PANEL_H

#include <stddef.h>

enum { PANEL_STRIP = 24, PANEL_PADDING = 24, PANEL_MAX_COLUMNS = 96 };

/* product[c * PANEL_STRIP + r] = sum over k < depth of a[r + k stride] b[c + k stride],
 * for r < rows <= PANEL_STRIP and c < columns (a multiple of 3). Rows up to PANEL_STRIP may be
 * overwritten with anything. */
void panel_product(size_t rows, size_t columns, size_t depth, const double *a, const double *b,
                   size_t stride, double *product);

/* Cholesky factorisation of the square diagonal part, in place; inverse[columns] receives the
 * reciprocals of the pivots. Returns the number of columns done: less than `columns` when the
 * matrix is not positive definite there (or has entries that are not numbers). */
size_t panel_factorize(double *panel, size_t columns, size_t stride, double *inverse);

/* Rows [begin, end) below the factorised diagonal part: X with X L^T = what is there. */
void panel_solve_rows(double *panel, size_t columns, size_t stride, size_t begin, size_t end,
                      const double *inverse);

/* y[c] -= sum over r of panel[c stride + begin + r] x[r]: with the transposed rows [begin, end). */
void panel_multiply_transposed(const double *panel, size_t columns, size_t stride, size_t begin,
                               size_t end, const double *x, double *y);

#endif
