/* Animated GIF files (GIF89a): one palette for all pictures, only what changes is stored. The file
 * appears under its name when it is complete. */
#ifndef OUTPUT_GIF_H
#define OUTPUT_GIF_H

#include "output/palette.h"

typedef struct gif_writer gif_writer;

/* The palette is borrowed until the writer is closed. */
abut_status gif_open(gif_writer **out, const char *path, int width, int height,
                     const palette *colors, abut_error *err);
/* Shows the picture for that many hundredths of a second. */
abut_status gif_add(gif_writer *gif, const image *picture, int hundredths, abut_error *err);
/* Finishes the file. The writer is gone afterwards, also after a failure. */
abut_status gif_close(gif_writer *gif, abut_error *err);
void gif_discard(gif_writer *gif);

#endif
