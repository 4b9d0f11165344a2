/* Elastic energies of rods (fem/rod.h): stretch of segments and bending at joints. */
#ifndef TERM_ROD_H
#define TERM_ROD_H

#include "term/element.h"

abut_status rod_stretch_create(const model *m, term **out, abut_error *err);
abut_status rod_bend_create(const model *m, term **out, abut_error *err);

#endif
