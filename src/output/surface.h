/* The visible surface of a frame as triangles that know their cell: boundary faces of tets and
 * hexes, triangles, quads; faces of higher order are cut into flat pieces through all their nodes.
 */
#ifndef OUTPUT_SURFACE_H
#define OUTPUT_SURFACE_H

#include "base/array.h"
#include "output/frame.h"

typedef struct surface_triangle {
    int32_t nodes[3];
    int32_t cell;   /* counted through the blocks of the frame */
    uint8_t hidden; /* bit k: the side opposite node k is not an edge of the mesh */
} surface_triangle;

typedef struct surface_line {
    int32_t nodes[2];
    int32_t cell;
} surface_line;

typedef struct surface_point {
    int32_t node, cell;
} surface_point;

typedef struct surface {
    ARRAY(surface_triangle) triangles; /* outward where the cells have an outside */
    ARRAY(surface_line) lines;
    ARRAY(surface_point) points;
} surface;

/* Replaces the contents. */
abut_status surface_extract(surface *s, const frame *f, abut_error *err);
void surface_free(surface *s);

#endif
