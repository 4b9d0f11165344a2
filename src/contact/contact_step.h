/* How far the vertices may go: candidates along the path, and continuous collision detection. */
#ifndef CONTACT_CONTACT_STEP_H
#define CONTACT_CONTACT_STEP_H

#include "contact/contact_term.h"

/* Makes sure that the candidates cover the positions t->y of x: all pairs within dhat are among
 * them. */
abut_status contact_cover_point(const contact_term *t, const double *x, abut_error *err);

/* The candidates that may come within dhat on a path that they cover. */
abut_status contact_near(const contact_term *t, const coordinate_path *path,
                         const candidate_set **near, abut_error *err);

/* The term's max_step: conservative CCD that leaves a fifth of the present distance (a tenth for
 * half-spaces), IPC supplement 4. */
abut_status contact_max_step(const term *base, const double *x, const double *p, double limit,
                             step_bound *bound, stage_timer *timer, abut_error *err);

/* Whether the whole of x + s p, 0 <= s <= 1, is a step that max_step would allow. */
abut_status contact_path_is_free(const contact_term *t, const double *x, const double *p,
                                 stage_timer *timer, bool *free, abut_error *err);

#endif
