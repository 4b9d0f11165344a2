/* Vertices that are attached to a body, among the pairs that the checker leaves out
 * (check_surface.excluded): -1 - vertex, and the body. Primitives with such a vertex are not looked
 * at together with that body. They come before all pairs of bodies, ascending. */
#ifndef GEOMETRY_CHECK_ATTACHED_H
#define GEOMETRY_CHECK_ATTACHED_H

#include "geometry/check.h"

/* Whether one of `count` vertices is attached to the body. */
bool check_attached(const check_surface *s, const int32_t *vertices, int count, int32_t body);

/* Sorts vertices with bodies (vertices as they are, from `first` on twice as many numbers) into
 * this order, and encodes them. */
void check_encode_attached(int32_t (*pairs)[2], size_t count);

#endif
