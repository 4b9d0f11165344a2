/* Prescribed motion that cannot be reached within its step: detects that nothing moves any more,
 * and reports what is stuck where. */
#ifndef STEP_UNREACHED_H
#define STEP_UNREACHED_H

#include "body/model.h"
#include "contact/contact_term.h"
#include "term/augmented_lagrangian.h"

/* Progress of the augmented Lagrangian over the Newton iterations of a step. */
typedef struct lagrangian_progress {
    double best;      /* largest share of the path that was counted as progress */
    int stale;        /* iterations since */
    bool unreachable; /* nothing has moved for too long */
} lagrangian_progress;

/* Notes the share of the path after an iteration; false when the motion has to be given up. */
bool lagrangian_progress_note(lagrangian_progress *progress_so_far, double progress);

/* ABUT_ERROR_NOT_CONVERGED with the body, the node that is furthest from its target, how much of
 * the path is done, and what err has said until now. */
abut_status report_unreached(const model *m, const augmented_lagrangian_term *lagrangian,
                             const double *x, double progress, int iterations, abut_error *err);

/* Adds to the message of a step that failed: the two bodies of the smallest gap at the last update
 * of contact, and where that is; what else touches the one of them that is not fixed; what to do.
 */
void name_tightest_contact(const contact_term *t, const uint8_t *fixed, abut_error *err);

/* Adds to the message of a step without inertia that failed: a body that no condition fixes. */
void name_free_body(const model *m, const uint8_t *fixed, abut_error *err);

#endif
