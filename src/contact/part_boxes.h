/* Boxes of the parts of bodies (broad/parts.h) for the path of a step: those of rigid bodies from
 * their frames, those of others from their vertices. */
#ifndef CONTACT_PART_BOXES_H
#define CONTACT_PART_BOXES_H

#include "body/model.h"
#include "broad/parts.h"

/* Whether the bodies of a model can be handled by parts: rigid ones, and none that meets itself. */
bool part_boxes_possible(const model *m);

/* Fills the boxes for the query. Rigid vertices go from x along `direction` (NULL: stay) up to the
 * query's alpha, less alpha times the motion `drift` of the frame of reference. */
void part_boxes_fill(broad_parts *parts, const collision_surface *s, const broad_query *query,
                     const double *x, const double *direction, vec3 drift);

#endif
