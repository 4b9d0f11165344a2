/* Gradient and Hessian of a term over all coordinates, against differences. */
#ifndef TESTS_TERM_DIFFERENCES_H
#define TESTS_TERM_DIFFERENCES_H

#include "base/memory.h"
#include "term/term.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* Assembles over n scalars at the x of the last update. */
static inline void term_dense(const term *t, const evaluation *ev, const double *x, size_t n,
                              double *gradient, double *hessian)
{
    memset(gradient, 0, n * sizeof *gradient);
    memset(hessian, 0, n * n * sizeof *hessian);
    for (int k = 0; k < t->group_count; k++) {
        const stencil_group *group = &t->groups[k];
        size_t width = (size_t)group->width, pairs = width * (width + 1) / 2;
        if (group->count == 0) continue;
        double *g = mem_alloc(3 * width * group->count, sizeof *g);
        double *h = mem_alloc(9 * pairs * group->count, sizeof *h);
        t->class->derivatives(t, ev, k, x, 0, group->count, g, h);
        for (size_t e = 0; e < group->count; e++) {
            const double *block = h + 9 * pairs * e;
            for (size_t a = 0; a < width; a++)
                for (size_t b = a; b < width; b++, block += 9) {
                    int32_t i = group->blocks[width * e + a], j = group->blocks[width * e + b];
                    if (i < 0 || j < 0) continue;
                    size_t row = 3 * (size_t)i, column = 3 * (size_t)j;
                    for (size_t c = 0; a == b && c < 3; c++)
                        gradient[row + c] += g[3 * (width * e + a) + c];
                    for (size_t c = 0; c < 9; c++) {
                        hessian[(row + c / 3) * n + column + c % 3] += block[c];
                        if (a != b) hessian[(column + c % 3) * n + row + c / 3] += block[c];
                    }
                }
        }
        mem_free(g);
        mem_free(h);
    }
}

/* Errors allowed are relative to the largest entries. */
static inline void check_term_derivatives(term *t, const evaluation *ev, double *x, size_t n,
                                          double step, double of_gradient, double of_hessian)
{
    abut_error err;
    double *g = mem_alloc(3 * n + 2 * n * n, sizeof *g), *above = g + n, *below = above + n;
    double *h = below + n, *other = h + n * n, slopes = 0, stiffness = 0;
    if (t->class->update) CHECK_OK(t->class->update(t, x, &err), err);
    term_dense(t, ev, x, n, g, h);
    for (size_t i = 0; i < n; i++) slopes = fmax(slopes, fabs(g[i]));
    for (size_t i = 0; i < n * n; i++) stiffness = fmax(stiffness, fabs(h[i]));
    CHECK(slopes > 0 && stiffness > 0);
    for (size_t i = 0; i < n; i++) {
        double kept = x[i], value[2];
        for (int side = 0; side < 2; side++) {
            x[i] = kept + (side ? step : -step);
            if (t->class->update) CHECK_OK(t->class->update(t, x, &err), err);
            value[side] = t->class->value(t, ev, x);
            term_dense(t, ev, x, n, side ? above : below, other);
        }
        x[i] = kept;
        CHECK_NEAR(g[i], (value[1] - value[0]) / (2 * step), of_gradient * slopes);
        for (size_t j = 0; j < n; j++)
            CHECK_NEAR(h[j * n + i], (above[j] - below[j]) / (2 * step), of_hessian * stiffness);
    }
    mem_free(g);
}

#endif
