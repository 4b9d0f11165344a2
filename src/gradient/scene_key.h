/* A number of a scene document by its path: "gravity[1]", "materials.rubber.young",
 * "bodies[ball].velocity[0]"; entries of lists by their number or their name. */
#ifndef GRADIENT_SCENE_KEY_H
#define GRADIENT_SCENE_KEY_H

#include "base/status.h"

#include <jansson.h>

/* ABUT_ERROR_INPUT names the part of the path that is not there, or is no number. */
abut_status scene_key_read(json_t *document, const char *path, double *out, abut_error *err);
abut_status scene_key_write(json_t *document, const char *path, double value, abut_error *err);

#endif
