#include "solve/low_rank.h"

#include <math.h>

abut_status low_rank_begin(low_rank *l, size_t scalars, size_t coordinates, abut_error *err)
{
    l->count = 0;
    l->scalars = scalars;
    bool ok = array_resize(&l->u, LOW_RANK_MOST * scalars + 1) &&
              array_resize(&l->z, LOW_RANK_MOST * scalars + 1) &&
              array_resize(&l->full, coordinates + 1);
    return ok ? ABUT_OK : error_memory(err, "assembling vectors of low rank");
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* Gauss's elimination of a positive definite matrix, which needs no pivots. */
static void eliminate(int n, double (*a)[LOW_RANK_MOST], double *b)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

abut_status low_rank_solve(low_rank *l, linear_solver *solver, const linear_system *system,
                           double *step, abut_error *err)
{
    double small[LOW_RANK_MOST][LOW_RANK_MOST], w[LOW_RANK_MOST];
    for (int k = 0; k < l->count; k++) {
        const double *u = l->u.data + l->scalars * (size_t)k;
        double *z = l->z.data + l->scalars * (size_t)k;
        linear_system another = *system;
        another.b = u;
        another.tolerance = 0;
        if (linear_can_solve_again(solver))
            linear_solve_again(solver, u, z);
        else
            TRY(linear_solve_system(solver, &another, z, err));
    }
    for (int i = 0; i < l->count; i++) {
        const double *u = l->u.data + l->scalars * (size_t)i;
        for (int j = 0; j < l->count; j++)
            small[i][j] = (i == j) + dot(u, l->z.data + l->scalars * (size_t)j, l->scalars);
        w[i] = dot(u, step, l->scalars);
    }
    eliminate(l->count, small, w);
    for (int k = 0; k < l->count; k++)
        for (size_t i = 0; i < l->scalars; i++)
            step[i] -= w[k] * l->z.data[l->scalars * (size_t)k + i];
    return ABUT_OK;
}

void low_rank_free(low_rank *l)
{
    array_free(&l->u);
    array_free(&l->z);
    array_free(&l->full);
}
