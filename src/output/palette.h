/* 255 colours for a whole animation: chosen by median cut from sample pictures; pixels are mapped
 * with an ordered pattern, so that smooth areas stay smooth and what does not move does not
 * flicker.
 */
#ifndef OUTPUT_PALETTE_H
#define OUTPUT_PALETTE_H

#include "output/image.h"

enum { PALETTE_SIZE = 255, PALETTE_BITS = 6, PALETTE_CELLS = 1 << (3 * PALETTE_BITS) };

typedef struct palette {
    uint32_t *histogram; /* pixels per cell of the colour cube */
    int count;
    unsigned char colors[PALETTE_SIZE][3];
    unsigned char *nearest; /* index of the nearest colour per cell */
} palette;

abut_status palette_init(palette *p, abut_error *err);
void palette_free(palette *p);

/* Counts the colours of a sample. */
void palette_sample(palette *p, const image *picture);
/* Chooses the colours. */
abut_status palette_choose(palette *p, abut_error *err);
/* Indices of the colours of all pixels. */
void palette_map(const palette *p, const image *picture, unsigned char *indices);

#endif
