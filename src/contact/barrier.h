/* The clamped log barrier b(s) on squared distances s < shat (IPC, equation 2.6), C2 by default;
 * the C0 and C1 variants exist for the ablation of the supplement. */
#ifndef CONTACT_BARRIER_H
#define CONTACT_BARRIER_H

#include <math.h>

typedef enum barrier_kind { BARRIER_C2, BARRIER_C1, BARRIER_C0 } barrier_kind;

static inline double barrier_value(barrier_kind kind, double s, double shat)
{
    if (s >= shat) return 0.0;
    if (!(s > 0)) return INFINITY;
    double gap = s - shat, log_ratio = log(s / shat);
    switch (kind) {
    case BARRIER_C0: return -log_ratio;
    case BARRIER_C1: return gap * log_ratio;
    case BARRIER_C2: break;
    }
    return -gap * gap * log_ratio;
}

static inline double barrier_first(barrier_kind kind, double s, double shat)
{
    if (s >= shat) return 0.0;
    double log_ratio = log(s / shat);
    switch (kind) {
    case BARRIER_C0: return -1 / s;
    case BARRIER_C1: return log_ratio + 1 - shat / s;
    case BARRIER_C2: break;
    }
    return (shat - s) * (2 * log_ratio - shat / s + 1);
}

static inline double barrier_second(barrier_kind kind, double s, double shat)
{
    if (s >= shat) return 0.0;
    switch (kind) {
    case BARRIER_C0: return 1 / (s * s);
    case BARRIER_C1: return 1 / s + shat / (s * s);
    case BARRIER_C2: break;
    }
    return -2 * log(s / shat) + (shat - s) * (shat + 3 * s) / (s * s);
}

#endif
