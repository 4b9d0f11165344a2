/* The current state of a simulation as a frame (output/frame.h): all tets, and the surfaces, free
 * edges and points of bodies without tets. What is written, drawn and verified is this.
 *
 * Points are the blocks of bodies whose blocks are nodes, and the surface vertices of the others,
 * body by body. Without the latter they are the blocks themselves. */
#ifndef MEASURE_MODEL_FRAME_H
#define MEASURE_MODEL_FRAME_H

#include "output/frame.h"
#include "step/stepper.h"

typedef struct model_frame {
    cell_block blocks[4]; /* those with cells */
    size_t block_count;
    ARRAY(int32_t) tets, triangles, edges, points;
    ARRAY(int32_t) source; /* per point: its block, or -1 - its surface vertex */
    ARRAY(int32_t) body;
    ARRAY(vec3) rest, position, velocity, displacement;
    ARRAY(vec3) pattern; /* rest shapes of shells with flat patterns; empty without any */
    ARRAY(vec3) vertex_position, vertex_velocity; /* of the surface; empty when all are nodal */
} model_frame;

/* The frame borrows from the model, which must live as long. */
abut_status model_frame_init(model_frame *mf, const model *m, abut_error *err);
void model_frame_free(model_frame *mf);
/* Points, cells and the fields body, velocity and displacement at this moment; valid until the
 * state changes. */
void model_frame_take(model_frame *mf, const stepper *s, frame *out);
/* The same for any positions x of the model, without velocity, step and time. */
void model_frame_at(model_frame *mf, const model *m, const double *x, frame *out);

/* Where the points are for the coordinates x; out has one entry per point. */
void model_frame_positions(model_frame *mf, const model *m, const double *x, vec3 *out);

#endif
