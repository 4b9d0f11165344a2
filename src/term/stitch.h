/* Stitching springs of garments: stiffness / 2 |x_v - (1 - r) x_a - r x_b|^2. */
#ifndef TERM_STITCH_H
#define TERM_STITCH_H

#include "term/element.h"

abut_status stitch_create(const model *m, term **out, abut_error *err);

#endif
