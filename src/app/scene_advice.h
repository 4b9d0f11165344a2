/* What `abut check` says about scenes that are valid and most likely not meant: wrong units, steps
 * and distances out of proportion. */
#ifndef APP_SCENE_ADVICE_H
#define APP_SCENE_ADVICE_H

#include "app/scene_summary.h"

/* Warnings, printed and counted. */
void scene_advise(scene_summary *summary);

#endif
