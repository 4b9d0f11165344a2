/* Surfaces as they come from scanners, designers and accidents: holes, flipped and repeated faces,
 * thin parts, nested, crossing and separate shells, soups; always the same ones for a seed. */
#ifndef SUPPORT_SURFACE_MAKER_H
#define SUPPORT_SURFACE_MAKER_H

#include "mesh/mesh.h"

enum { MADE_TEXT = 200 };

/* About `triangles` of them. `text` says what was done. */
void make_surface(uint64_t seed, size_t triangles, mesh *out, char text[MADE_TEXT]);

#endif
