/* Which element of a shell or rod a cell of a frame is. Frames hold the collision surface, whose
 * order need not be that of the elements. */
#ifndef MEASURE_THIN_CELLS_H
#define MEASURE_THIN_CELLS_H

#include "measure/model_frame.h"

/* For every triangle (corners 3) or free edge (2) of the frame: the number of its element, or -1.
 * False without memory. `element` has room for all of them. */
bool thin_cells_find(const model_frame *mf, const model *m, int corners, int32_t *element);

/* First cell of a kind in the order of the frame's blocks; nodes: those of the model_frame. */
size_t frame_first_cell(const model_frame *mf, const int32_t *nodes);

#endif
