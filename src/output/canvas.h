/* The OpenGL side of a picture: context, shaders, shadow maps, accumulation of passes. Knows
 * nothing of frames; it draws triangles and a ground. */
#ifndef OUTPUT_CANVAS_H
#define OUTPUT_CANVAS_H

#include "output/camera.h"
#include "output/drawing.h"

typedef struct canvas canvas;

/* One pass over the picture. */
typedef struct canvas_pass {
    matrix4 camera, key_matrix, sky_matrix;
    vec3 eye, key_direction, sky_direction; /* directions towards the light */
    vec3 up;
    bool edges;
    bool ground;
    double ground_height; /* along up */
    double ground_radius; /* where it has faded into the background */
    double grid;          /* distance of its lines */
    double texel;         /* size of a texel of the shadow maps */
} canvas_pass;

enum { CANVAS_SHADOW_SIZE = 1024 };

abut_status canvas_create(canvas **out, int width, int height, abut_error *err);
void canvas_free(canvas *c);

/* Gives the triangles to OpenGL and empties the picture. */
abut_status canvas_begin(canvas *c, const drawing *d, abut_error *err);
void canvas_add_pass(canvas *c, const canvas_pass *pass);
/* Mean of the passes: width * height * 4 floats (linear light times coverage, coverage), rows from
 * the bottom. */
abut_status canvas_end(canvas *c, float *rgba, abut_error *err);

#endif
