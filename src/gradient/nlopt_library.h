/* NLopt, loaded when it is needed: methods that minimise a function of which value and gradient
 * are known, within bounds. */
#ifndef GRADIENT_NLOPT_LIBRARY_H
#define GRADIENT_NLOPT_LIBRARY_H

#include "base/status.h"

/* The value at z; its gradient goes to slope (NULL: not wanted). */
typedef double (*nlopt_function)(unsigned n, const double *z, double *slope, void *data);

typedef struct nlopt_problem {
    const char *method; /* NLopt's name of it: "LD_LBFGS" */
    unsigned n;
    const double *low, *high;
    double tolerance; /* relative change of the value */
    double goal;
    int evaluations; /* at most */
    nlopt_function function;
    void *data;
} nlopt_problem;

/* Minimises from z. *reason: a word why it ended ("goal", "tolerance", "evaluations", "rounding",
 * "stopped"). */
abut_status nlopt_minimise(const nlopt_problem *p, double *z, const char **reason, abut_error *err);

#endif
