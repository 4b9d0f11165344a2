/* Nodes of a body that are attached to another body or to the world. */
#ifndef SCENE_BUILD_ATTACHMENT_H
#define SCENE_BUILD_ATTACHMENT_H

#include "body/model.h"
#include "scene/scene.h"

/* Adds entry i of `attachments` to the joints of the model, one per node. */
abut_status build_attachment(const scene_def *scene, size_t i, const mesh *meshes, model *m,
                             const logger *log, abut_error *err);
/* Number of a body of the model, -1 without one of this name. */
int32_t build_find_body(const model *m, const char *name);

#endif
