/* Pictures in memory and as PNG files. */
#ifndef OUTPUT_IMAGE_H
#define OUTPUT_IMAGE_H

#include "base/status.h"

typedef struct image {
    int width, height;
    unsigned char *rgb; /* rows from the top, 3 bytes per pixel (sRGB) */
} image;

abut_status image_init(image *picture, int width, int height, abut_error *err);
void image_free(image *picture);

/* Atomic. */
abut_status image_write_png(const image *picture, const char *path, abut_error *err);

#endif
