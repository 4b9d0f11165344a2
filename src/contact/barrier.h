/* The clamped log barrier b(s) on squared distances s < shat (IPC, equation 2.6), C2 by default;
 * the C0 and C1 variants exist for the ablation of the supplement. */
#ifndef CONTACT_BARRIER_H
#define CONTACT_BARRIER_H

#include "base/words.h"

#include <math.h>

/* Smoothness where the barrier begins. */
#define BARRIER_KINDS(ROW) ROW(BARRIER_C2, "c2") ROW(BARRIER_C1, "c1") ROW(BARRIER_C0, "c0")
typedef enum barrier_kind {
    BARRIER_KINDS(WORD_CONSTANT) /* those of contact.barrier */
    ADHESION_LAW                 /* attraction instead (contact/adhesion_term.h) */
} barrier_kind;
extern const char *const barrier_kind_words[];

/* Of the distance d with the range D: d^2/D - D/2 below D/2, -(D - d)^2/D above. The force rises
 * linearly to 1 at D/2 and falls to 0 at D; the work is D/2. */
static inline double adhesion_value(double s, double shat)
{
    double range = sqrt(shat), d = sqrt(s);
    return d < 0.5 * range ? s / range - 0.5 * range : -(range - d) * (range - d) / range;
}
static inline double adhesion_first(double s, double shat)
{
    double range = sqrt(shat), d = sqrt(s);
    return d < 0.5 * range ? 1 / range : (range - d) / (range * d);
}
static inline double adhesion_second(double s, double shat)
{
    double d = sqrt(s);
    return d < 0.5 * sqrt(shat) ? 0 : -0.5 / (s * d);
}

static inline double barrier_value(barrier_kind kind, double s, double shat)
{
    if (s >= shat) return 0.0;
    if (!(s > 0)) return INFINITY;
    if (kind == ADHESION_LAW) return adhesion_value(s, shat);
    double gap = s - shat, log_ratio = log(s / shat);
    switch (kind) {
    case BARRIER_C0: return -log_ratio;
    case BARRIER_C1: return gap * log_ratio;
    case ADHESION_LAW:
    case BARRIER_C2: break;
    }
    return -gap * gap * log_ratio;
}

static inline double barrier_first(barrier_kind kind, double s, double shat)
{
    if (s >= shat) return 0.0;
    if (kind == ADHESION_LAW) return adhesion_first(s, shat);
    double log_ratio = log(s / shat);
    switch (kind) {
    case BARRIER_C0: return -1 / s;
    case BARRIER_C1: return log_ratio + 1 - shat / s;
    case ADHESION_LAW:
    case BARRIER_C2: break;
    }
    return (shat - s) * (2 * log_ratio - shat / s + 1);
}

static inline double barrier_second(barrier_kind kind, double s, double shat)
{
    if (s >= shat) return 0.0;
    if (kind == ADHESION_LAW) return adhesion_second(s, shat);
    switch (kind) {
    case BARRIER_C0: return 1 / (s * s);
    case BARRIER_C1: return 1 / s + shat / (s * s);
    case ADHESION_LAW:
    case BARRIER_C2: break;
    }
    return -2 * log(s / shat) + (shat - s) * (shat + 3 * s) / (s * s);
}

/* Factor on the barrier of a pair with thickness, whose squared distances end at reach2 = (xi +
 * dhat)^2 - xi^2 instead of shat = dhat^2. b has the unit shat^2: without the factor a thickness of
 * 50 dhat would make the barrier 10,000 times as stiff as that of a thin pair beside it. With it,
 * (dhat / (xi + dhat))^2, the curvature in the distance is that of thin pairs near zero. 1 without
 * thickness. */
static inline double barrier_thickness_scale(barrier_kind kind, double shat, double reach2)
{
    double ratio = 2 * shat / (shat + reach2);
    switch (kind) {
    case BARRIER_C0: return 1;
    case BARRIER_C1: return ratio;
    case ADHESION_LAW:
    case BARRIER_C2: break;
    }
    return ratio * ratio;
}

#endif
