/* Gas in closed cavities (body/cavity.h): with L = ln(V0/V), n the amount and g the exponent
 *
 *   E = n p0 V0 (exp((g - 1) L) - 1) / (g - 1) + p_outside (V - V0),   p = n p0 (V0/V)^g,
 *
 * for g = 1 the limit n p0 V0 L. The gradient is -(p - p_outside) dV/dx. Every node of a triangle
 * with the area vector N has N/6 of dV/dx, which is exact in sum as the surface is closed; the same
 * holds for the symmetric part of its derivative, whose entries are as small as an edge. The
 * Hessian has (g p / V) dV/dx dV/dx^T beside, which couples all nodes of the surface: it is not
 * assembled but handed over as a vector (term_class.low_rank). */
#ifndef TERM_CAVITY_H
#define TERM_CAVITY_H

#include "body/model.h"
#include "term/term_row.h"

/* At the x of the last update. */
typedef struct cavity_gas {
    double volume, pressure;
} cavity_gas;

typedef struct cavity_term {
    term base;
    const model *model;
    double amount[MODEL_MAX_CAVITIES]; /* at the end of the step */
    cavity_gas gas[MODEL_MAX_CAVITIES];
    int bad; /* a cavity whose amount is not allowed, -1: none */
    double bad_time;
} cavity_term;

/* NULL when the model has no cavities. */
const cavity_term *cavity_term_of(const term *t);

#endif
