/* The inside of closed outlines in the x-y plane, as triangles: what bodies of planar scenes, which
 * frames give by their border, are filled with in pictures. */
#ifndef OUTPUT_OUTLINE_H
#define OUTPUT_OUTLINE_H

#include "base/array.h"
#include "math/vec3.h"

typedef struct flat_triangle {
    vec3 corner[3];
    size_t line; /* one that bounds it, for its colour */
} flat_triangle;
typedef ARRAY(flat_triangle) flat_triangles;

/* Fills what is inside of an odd number of the lines from[i] to[i] (closed outlines, holes are
 * left open). False: out of memory. Slices between the heights of the ends are cut into trapezoids.
 */
bool outline_fill(const vec3 (*lines)[2], size_t count, flat_triangles *out);

#endif
