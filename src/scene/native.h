/* From the resolved native document to the definition structs. */
#ifndef SCENE_NATIVE_H
#define SCENE_NATIVE_H

#include "scene/scene.h"

/* `resolved` must come from schema_resolve; the reference is taken over, also on failure. Mesh
 * paths are resolved against the folder of `path`. */
abut_status native_to_scene(const char *path, json_t *resolved, scene_def **out, abut_error *err);

#endif
