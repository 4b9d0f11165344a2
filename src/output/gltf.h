/* Animated glTF 2.0 of a run: one node per body with its mesh and, where it moves, an animation of
 * translation and rotation. The size is that of the meshes and 28 bytes per body and frame in
 * motion, so that long runs of many rigid bodies stay small. Bodies that deform have a shape (morph
 * target) per frame, which the animation blends from one to the next: 12 bytes per point and
 * frame. */
#ifndef OUTPUT_GLTF_H
#define OUTPUT_GLTF_H

#include "output/body_poses.h"

typedef struct gltf_report {
    size_t bodies, moving, deforming;
    size_t keys;  /* poses that were written */
    size_t bytes; /* of the buffer */
} gltf_report;

/* names may be NULL. The extension of the path decides: "glb" (binary) or "gltf" (text with the
 * buffer inside). */
abut_status gltf_write(const body_poses *poses, const char *const *names, const char *path,
                       gltf_report *report, abut_error *err);

#endif
