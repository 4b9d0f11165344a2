/* Animated glTF 2.0 of a run: one node per body with its mesh and, where it moves, an animation of
 * translation and rotation. The size is that of the meshes and 28 bytes per body and frame in
 * motion, so that long runs of many rigid bodies stay small. Deformable bodies cannot be animated
 * by such a file; they are drawn as in the first frame and counted. */
#ifndef OUTPUT_GLTF_H
#define OUTPUT_GLTF_H

#include "output/body_poses.h"

typedef struct gltf_report {
    size_t bodies, moving, deforming;
    size_t first_deforming; /* index of that body */
    size_t keys;            /* poses that were written */
    size_t bytes;           /* of the buffer */
} gltf_report;

/* names may be NULL. The extension of the path decides: "glb" (binary) or "gltf" (text with the
 * buffer inside). ABUT_ERROR_UNSUPPORTED when every body deforms. */
abut_status gltf_write(const body_poses *poses, const char *const *names, const char *path,
                       gltf_report *report, abut_error *err);

#endif
