/* How well a finished step solves its equations: the properties that the IPC thesis lists for a
 * solution (section 2.3.3), measured on request. */
#ifndef STEP_ACCURACY_H
#define STEP_ACCURACY_H

#include "step/stepper.h"

typedef struct step_accuracy {
    double momentum;                      /* N: largest force that is not balanced by the others */
    double smallest_force, largest_force; /* N: normal forces of contacts; positivity: >= 0 */
    double total_force;                   /* N: sum of their sizes */
    double complementarity;  /* N m: largest force times gap beyond dhat; should be 0 */
    double slackness;        /* N m: largest force times distance */
    double min_distance;     /* m: admissibility; infinite when nothing is near */
    double min_volume_ratio; /* injectivity: smallest det F */
    bool admissible;         /* by the exact check of the positions */
} step_accuracy;

/* Measures the step that stepper_advance has just finished. */
abut_status stepper_accuracy(stepper *s, step_accuracy *out, abut_error *err);

/* Worst of two. */
step_accuracy accuracy_worse(const step_accuracy *a, const step_accuracy *b);
/* What accuracy_worse leaves the other unchanged with. */
step_accuracy accuracy_none(void);

#endif
