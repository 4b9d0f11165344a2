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

/* The same for one pair, of the paths that the last call of contact_cover_path prepared. */
double contact_pair_step(const contact_term *t, ccd_kind kind, index_pair pair, double limit);
/* Finds candidates for the whole path from x along p, unless those at hand cover it; those that may
 * come near on it. */
abut_status contact_cover_path(const contact_term *t, const double *x, const double *p,
                               const candidate_set **near, abut_error *err);
/* Where a vertex is after a part of that path. */
vec3 contact_path_position(const contact_term *t, int32_t vertex, double part);

/* The term's obstructions (contact_ahead.c). */
abut_status contact_obstructions(const term *base, const double *x, const double *p,
                                 obstruction_list *out, abut_error *err);

#endif
