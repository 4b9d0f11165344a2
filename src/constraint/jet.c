#include "constraint/jet.h"

#include <math.h>
#include <string.h>

void jet_zero(jet *j) { memset(j, 0, sizeof *j); }

void jet_add_dot(jet *j, double factor, const double *u, int i, int k)
{
    for (int c = 0; c < 3; c++) {
        int a = 3 * i + c, b = 3 * k + c;
        j->value += factor * u[a] * u[b];
        j->gradient[a] += factor * u[b];
        j->gradient[b] += factor * u[a];
        j->hessian[a][b] += factor;
        j->hessian[b][a] += factor;
    }
}

void jet_compose(jet *a, double value, double first, double second)
{
    for (int r = 0; r < JET_SIZE; r++)
        for (int c = 0; c < JET_SIZE; c++)
            a->hessian[r][c] = first * a->hessian[r][c] + second * a->gradient[r] * a->gradient[c];
    for (int r = 0; r < JET_SIZE; r++) a->gradient[r] *= first;
    a->value = value;
}

void jet_atan2(const jet *s, const jet *c, jet *out)
{
    double r2 = s->value * s->value + c->value * c->value;
    double by_s = c->value / r2, by_c = -s->value / r2;
    double by_ss = 2 * by_s * by_c, by_sc = by_c * by_c - by_s * by_s; /* by_cc = -by_ss */
    out->value = atan2(s->value, c->value);
    for (int i = 0; i < JET_SIZE; i++) {
        double si = s->gradient[i], ci = c->gradient[i];
        out->gradient[i] = by_s * si + by_c * ci;
        for (int k = 0; k < JET_SIZE; k++) {
            double sk = s->gradient[k], ck = c->gradient[k];
            out->hessian[i][k] = by_s * s->hessian[i][k] + by_c * c->hessian[i][k] +
                                 by_ss * (si * sk - ci * ck) + by_sc * (si * ck + ci * sk);
        }
    }
}
