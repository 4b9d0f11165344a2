/* The elements of high-order bodies as a frame: Lagrange cells with all their nodes, where
 * model_frame.h shows the collision surfaces of these bodies. */
#ifndef MEASURE_VOLUME_FRAME_H
#define MEASURE_VOLUME_FRAME_H

#include "output/frame.h"
#include "step/stepper.h"

typedef struct volume_frame {
    ARRAY(int32_t) node; /* block of every point */
    ARRAY(int32_t) body;
    ARRAY(int32_t) cells;       /* points of all cells, set by set */
    ARRAY(cell_block) blocks;   /* one per element set */
    ARRAY(double) volume_ratio; /* per cell: smallest det F at the points of its rule */
    ARRAY(vec3) position, velocity, displacement;
} volume_frame;

/* The frame borrows from the model, which must live as long. Nothing to show without element sets.
 */
abut_status volume_frame_init(volume_frame *vf, const model *m, abut_error *err);
void volume_frame_free(volume_frame *vf);
/* Whether it shows cells of a body. */
bool volume_frame_has(const volume_frame *vf, int32_t body);
/* Points, cells, and the fields body, velocity, displacement and volume_ratio; valid until the next
 * call. */
void volume_frame_take(volume_frame *vf, const stepper *s, frame *out);

#endif
