/* An optimisation in progress, and the files in its folder. */
#ifndef GRADIENT_OPTIMIZE_FILES_H
#define GRADIENT_OPTIMIZE_FILES_H

#include "gradient/optimize.h"
#include "gradient/session.h"

/* How a number of the scene is one of the method: divided by its size, or its logarithm. */
typedef struct variable {
    bool log;
    double size, low, high;
} variable;

typedef struct optimization {
    const optimize_options *options;
    const char *folder;
    abut_gradient *gradient;
    size_t n;
    variable *variables;
    double *numbers; /* the arrays that follow, n each */
    double *point, *slope, *best_point, *best_z, *z, *low, *high;
    double *square;   /* n x n: of the last evaluation, for least squares; NULL: other methods */
    int count, limit; /* evaluations */
    bool has_best, exhausted;
    double first, best, worst;
    ARRAY(char) history; /* history.csv so far */
    abut_status status;
    abut_error *err;
} optimization;

/* Makes the folder; without `resume` what an earlier optimisation left there is removed. */
abut_status optimize_open(optimization *o, abut_error *err);
/* After an evaluation. */
abut_status optimize_write(optimization *o, const optimize_report *report, abut_error *err);
void optimize_close(optimization *o);

#endif
