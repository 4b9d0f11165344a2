/* Optimisation of a scene by its `optimize`: the parameters that make the objective small.
 *
 * Runs that cannot be made (inverted or intersecting starts, steps that do not converge) shorten
 * the step of the method: they count as a value above all others, growing away from the best point.
 * Written into the folder: history.csv, best.json (the scene with the best values of keys),
 * best.csv (all best values) and evaluations/, from which it goes on after a kill. */
#ifndef GRADIENT_OPTIMIZE_H
#define GRADIENT_OPTIMIZE_H

#include "base/log.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct optimize_report {
    int evaluation;
    size_t scalars;
    double value, best,
        slope;                /* slope: largest entry of the gradient, in the units of the method */
    bool again;               /* read from the folder, not computed */
    const char *failure;      /* why there is no value; NULL: there is */
    const char *failure_word; /* the same in a word */
} optimize_report;

typedef struct optimize_options {
    const char *folder;
    const char *const *overrides;
    size_t override_count;
    bool resume;
    logger log;
    /* After every evaluation; false ends it, to go on later. May be NULL. */
    bool (*progress)(void *user, const optimize_report *report);
    void *user;
} optimize_options;

typedef struct optimize_result {
    int evaluations;
    double first, best;
    const char *reason; /* why it ended */
} optimize_result;

abut_status optimize_scene(const char *path, const optimize_options *options, optimize_result *out,
                           abut_error *err);

#endif
