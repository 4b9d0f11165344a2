#include "gradient/levenberg.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The damping follows how well the model predicted the last step (Nielsen 1999): of the diagonal of
 * J^T J at first; where a step fails it grows by factors that double. */
static const double FIRST_DAMPING = 1e-3;
static const double LARGEST_DAMPING = 1e12; /* steps of it change nothing any more */

typedef struct fit {
    const levenberg_problem *p;
    double value, damping, growth;
    double *z, *slope, *square; /* at the best point */
    double *trial, *trial_slope, *trial_square;
    double *step, *factor;
    unsigned char *kept; /* at a bound, pressed against it */
} fit;

static bool allocate(fit *f, size_t n)
{
    double **vectors[] = {&f->slope, &f->trial, &f->trial_slope, &f->step};
    double **squares[] = {&f->square, &f->trial_square, &f->factor};
    bool ok = true;
    for (size_t i = 0; i < 4; i++) ok = (*vectors[i] = mem_calloc(n + 1, sizeof(double))) && ok;
    for (size_t i = 0; i < 3; i++) ok = (*squares[i] = mem_calloc(n * n + 1, sizeof(double))) && ok;
    f->kept = mem_calloc(n + 1, 1);
    return ok && f->kept;
}

static void release(fit *f)
{
    double *all[] = {f->slope,  f->trial,        f->trial_slope, f->step,
                     f->square, f->trial_square, f->factor};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
    mem_free(f->kept);
}

/* (J^T J + damping D) step = -slope over what is not kept, D the diagonal; what no residual depends
 * on stays. False: not definite. */
static bool solve(fit *f)
{
    size_t n = f->p->n;
    double *l = f->factor;
    for (size_t i = 0; i < n; i++) {
        double diagonal = f->square[i * n + i];
        bool still = f->kept[i] || !(diagonal > 0);
        f->step[i] = still ? 0 : -f->slope[i];
        for (size_t j = 0; j <= i; j++) {
            bool other = f->kept[j] || !(f->square[j * n + j] > 0);
            double sum = still || other ? 0 : f->square[i * n + j];
            if (i == j) sum = still ? 1 : diagonal * (1 + f->damping);
            for (size_t k = 0; k < j; k++) sum -= l[i * n + k] * l[j * n + k];
            if (i == j && !(sum > 0)) return false;
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) f->step[i] -= l[i * n + k] * f->step[k];
        f->step[i] /= l[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) f->step[i] -= l[k * n + i] * f->step[k];
        f->step[i] /= l[i * n + i];
    }
    return true;
}

/* What is at a bound and would leave it is kept. */
static void hold(fit *f)
{
    for (size_t i = 0; i < f->p->n; i++)
        f->kept[i] = (f->z[i] <= f->p->low[i] && f->slope[i] > 0) ||
                     (f->z[i] >= f->p->high[i] && f->slope[i] < 0);
}

/* The step as far as the bounds allow, and how much less the model expects there. */
static double expected(fit *f)
{
    size_t n = f->p->n;
    double less = 0;
    for (size_t i = 0; i < n; i++) {
        f->trial[i] = fmin(fmax(f->z[i] + f->step[i], f->p->low[i]), f->p->high[i]);
        f->step[i] = f->trial[i] - f->z[i];
    }
    for (size_t i = 0; i < n; i++) {
        double bend = 0;
        for (size_t j = 0; j < n; j++) bend += f->square[i * n + j] * f->step[j];
        less -= f->step[i] * (f->slope[i] + 0.5 * bend);
    }
    return less;
}

static void accept(fit *f, double value, double ratio)
{
    size_t n = f->p->n;
    memcpy(f->z, f->trial, n * sizeof *f->z);
    memcpy(f->slope, f->trial_slope, n * sizeof *f->slope);
    memcpy(f->square, f->trial_square, n * n * sizeof *f->square);
    f->value = value;
    f->damping *= fmax(1.0 / 3, 1 - pow(2 * ratio - 1, 3));
    f->growth = 2;
}

static void refuse(fit *f)
{
    f->damping *= f->growth;
    f->growth *= 2;
}

/* One trial; false: it is over, for this reason. */
static bool improve(fit *f, const char **reason)
{
    const levenberg_problem *p = f->p;
    hold(f);
    if (!solve(f)) {
        refuse(f);
        return f->damping < LARGEST_DAMPING;
    }
    double less = expected(f);
    *reason = "tolerance";
    if (!(less > p->tolerance * fabs(f->value))) return false;
    double value = p->function(p->n, f->trial, f->trial_slope, f->trial_square, p->data);
    if (value == -HUGE_VAL) return false;
    double gain = f->value - value;
    if (gain > 0)
        accept(f, value, gain / less);
    else
        refuse(f);
    if (gain > 0 && value <= p->goal) {
        *reason = "goal";
        return false;
    }
    if (gain > 0 && gain <= p->tolerance * fabs(f->value)) return false;
    *reason = "rounding";
    return f->damping < LARGEST_DAMPING;
}

abut_status levenberg_minimise(const levenberg_problem *p, double *z, const char **reason,
                               abut_error *err)
{
    fit f = {.p = p, .z = z, .damping = FIRST_DAMPING, .growth = 2};
    if (!allocate(&f, p->n)) {
        release(&f);
        return error_memory(err, "optimising");
    }
    *reason = "goal";
    f.value = p->function(p->n, z, f.slope, f.square, p->data);
    bool more = f.value > p->goal && f.value != -HUGE_VAL;
    while (more) more = improve(&f, reason);
    release(&f);
    return ABUT_OK;
}
