/* What a kind of body is made from (body_row.add, body/kind.h): a body of a scene and its mesh. */
#ifndef SCENE_BODY_SOURCE_H
#define SCENE_BODY_SOURCE_H

#include "body/model.h"
#include "scene/scene.h"

typedef struct body_source {
    const scene_def *scene;
    size_t index;        /* of the body in the scene */
    const body_def *def; /* that body */
    mesh *shape;         /* may become another mesh of its nodes, which conditions select from */
    bool numbered;       /* tags of the cells are those of solid_cell_region */
    const char *place;   /* error place of the mesh in the scene */
    const logger *log;
} body_source;

#endif
