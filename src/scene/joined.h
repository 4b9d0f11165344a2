/* Which bodies do not collide because they are joined or attached to each other. */
#ifndef SCENE_JOINED_H
#define SCENE_JOINED_H

#include "base/array.h"
#include "scene/scene.h"

/* Two numbers of bodies of the scene, the lesser first. */
typedef struct body_pair {
    int32_t first, second;
} body_pair;
typedef ARRAY(body_pair) body_pair_list;

/* Joints with `collide` "never"; those with "auto" where the two surfaces touch or intersect at the
 * start, which no contact could hold apart; and attachments of bodies that do not collide by their
 * nodes (scene/attached.h has the others). Ascending, each pair once. */
abut_status scene_joined_pairs(const scene_def *scene, body_pair_list *out, abut_error *err);
/* The same with bodies counted without those that are not enabled. */
abut_status scene_joined_built(const scene_def *scene, body_pair_list *out, abut_error *err);

#endif
