/* The colour scale beside a picture whose colours are the values of a field: a bar with round
 * numbers, and the name with its unit. */
#ifndef OUTPUT_LEGEND_H
#define OUTPUT_LEGEND_H

#include "output/image.h"

enum { LEGEND_MIN_HEIGHT = 160 }; /* pixels; smaller pictures have no room for one */

/* Draws into the left side of the picture. */
void legend_draw(image *picture, const char *name, double low, double high);

/* "Pa" for stress; "" for fields that have none, or are not known. */
const char *field_unit(const char *name);

/* Round numbers (1, 2 or 5 times a power of ten apart) from low to high, at most `max`; how many.
 */
int legend_ticks(double low, double high, int max, double *out);

/* One line of text with its left end and base line at (x, y) in pixels from the top left; `unit` is
 * a sixth of the height of a digit. Letters are drawn as small ones, unknown signs as gaps. Returns
 * the width. */
double text_draw(image *picture, const char *text, double x, double y, double unit);

#endif
