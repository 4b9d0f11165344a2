/* What a picture of a frame is made of: shaded triangles. Solids become their boundary, elements of
 * higher order their curved faces through all nodes, free edges become tubes, free points balls. */
#ifndef OUTPUT_DRAWING_H
#define OUTPUT_DRAWING_H

#include "base/array.h"
#include "output/frame.h"

/* A corner of a drawn triangle. */
typedef struct draw_vertex {
    float position[3], normal[3];
    unsigned char color[4];   /* sRGB; the fourth is not used */
    unsigned char outline[4]; /* barycentric coordinates for the lines; 255 everywhere: no line */
} draw_vertex;

typedef struct drawing {
    ARRAY(draw_vertex) vertices; /* three per triangle */
    vec3 low, high;              /* bounds, around the origin given below */
} drawing;

/* How values become colours, and lines become tubes. */
typedef struct drawing_style {
    vec3 origin;            /* subtracted from positions, so that floats are precise enough */
    const char *color;      /* "body", or the name of a field (of vectors: their length) */
    double range[2];        /* values at the two ends of the colour scale */
    const bool *neutral;    /* bodies to be drawn in grey, or NULL */
    const double *diameter; /* of lines and points of each body, 0: the radii below; or NULL */
    size_t neutral_count;   /* bodies that the two arrays know */
    double line_radius, point_radius;
    double crease_cosine; /* edges with normals further apart than this stay sharp */
} drawing_style;

/* The vertices array is reused: make may be called again with the next frame. */
abut_status drawing_make(drawing *d, const frame *f, const drawing_style *style, abut_error *err);
void drawing_free(drawing *d);

/* Widens range by the values of the field; false when the frame has no such
 * field. */
bool drawing_field_range(const frame *f, const char *name, double range[2]);

#endif
