/* A frame that does not change while it is written beside the next step: points, fields and path
 * are copied, cells are still borrowed. */
#ifndef OUTPUT_FRAME_COPY_H
#define OUTPUT_FRAME_COPY_H

#include "base/array.h"
#include "output/frame.h"

/* Zero at first; holds one frame at a time. */
typedef struct frame_copy {
    frame frame;
    ARRAY(unsigned char) bytes;
} frame_copy;

abut_status frame_copy_take(frame_copy *copy, const frame *f, abut_error *err);
void frame_copy_free(frame_copy *copy);

#endif
