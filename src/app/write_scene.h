/* Scenes of any kind written as native documents. */
#ifndef APP_WRITE_SCENE_H
#define APP_WRITE_SCENE_H

#include "base/status.h"
#include "math/vec3.h"

/* Reads the scene at `path`, which is known to be valid, and writes it to `out`, with the names of
 * its files made absolute. moves: what is added to `translate`, one per body; NULL: nothing. */
abut_status write_native_scene(const char *path, const char *out, const vec3 *moves,
                               abut_error *err);

#endif
