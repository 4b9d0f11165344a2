#include "linear/minres.h"

#include <math.h>
#include <string.h>

void minres_free(minres *m) { array_free(&m->work); }

/* The vectors of the Lanczos process and of the update of x, and its last coefficients. */
typedef struct lanczos {
    size_t n;
    double *before, *last, *now, *v, *w_before, *w_last, *w;
    double beta_before, beta;
} lanczos;

/* One more column of the tridiagonal matrix; returns its diagonal entry. */
static double next_column(lanczos *l, const conjugate_operators *o, bool first)
{
    for (size_t i = 0; i < l->n; i++) l->v[i] = l->now[i] / l->beta;
    o->multiply(o->context, l->v, l->now);
    double back = first ? 0 : l->beta / l->beta_before;
    for (size_t i = 0; i < l->n; i++) l->now[i] -= back * l->before[i];
    double alpha = conjugate_dot(l->n, l->v, l->now);
    for (size_t i = 0; i < l->n; i++) {
        double next = l->now[i] - alpha / l->beta * l->last[i];
        l->before[i] = l->last[i];
        l->last[i] = next;
    }
    o->precondition(o->context, l->last, l->now);
    l->beta_before = l->beta;
    l->beta = sqrt(fmax(conjugate_dot(l->n, l->last, l->now), 0));
    return alpha;
}

/* What Givens rotations leave of the tridiagonal matrix. */
typedef struct rotation {
    double cosine, sine, diagonal, above, residual;
} rotation;

static void update(lanczos *l, rotation *g, double alpha, double *x)
{
    double second = g->above, first = g->cosine * g->diagonal + g->sine * alpha;
    double bar = g->sine * g->diagonal - g->cosine * alpha, gamma = hypot(bar, l->beta);
    g->above = g->sine * l->beta;
    g->diagonal = -g->cosine * l->beta;
    g->cosine = bar / gamma;
    g->sine = l->beta / gamma;
    double phi = g->cosine * g->residual;
    g->residual *= g->sine;
    double *unused = l->w_before;
    l->w_before = l->w_last;
    l->w_last = l->w;
    l->w = unused;
    for (size_t i = 0; i < l->n; i++) {
        l->w[i] = (l->v[i] - second * l->w_before[i] - first * l->w_last[i]) / gamma;
        x[i] += phi * l->w[i];
    }
}

abut_status minres_solve(minres *m, const conjugate_operators *o, size_t n, const double *b,
                         double *x, double tolerance, size_t limit, abut_error *err)
{
    if (!array_resize(&m->work, 7 * n)) return error_memory(err, "preparing minimal residuals");
    double *work = m->work.data;
    memset(x, 0, n * sizeof *x);
    if (n == 0) return ABUT_OK;
    memset(work, 0, 7 * n * sizeof *work);
    lanczos l = {
        n, work, work + n, work + 2 * n, work + 3 * n, work + 4 * n, work + 5 * n, work + 6 * n,
        0, 0};
    memcpy(l.last, b, n * sizeof *b);
    o->precondition(o->context, l.last, l.now);
    l.beta = sqrt(fmax(conjugate_dot(n, l.last, l.now), 0));
    rotation g = {.cosine = -1, .residual = l.beta};
    double target = tolerance * l.beta;
    size_t k = 0;
    while (g.residual > target && k < limit) update(&l, &g, next_column(&l, o, k++ == 0), x);
    if (g.residual <= target) return ABUT_OK;
    return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                     "minimal residuals did not reach %g in %zu iterations", tolerance, k);
}
