/* Which nodes of a scene are attached to which bodies: what these nodes belong to does not collide
 * with that body, and everything else of the two does. */
#ifndef SCENE_ATTACHED_H
#define SCENE_ATTACHED_H

#include "base/array.h"
#include "scene/scene.h"

/* Numbers of bodies of the scene, and of a vertex of the first one's mesh. */
typedef struct attached_node {
    int32_t body, node, to;
    int32_t used; /* the vertex counted without those that no cell uses, as in frames */
} attached_node;
typedef ARRAY(attached_node) attached_node_list;

/* False: what collides of a body is not its nodes (it is sampled); contact then leaves out whole
 * bodies instead. */
abut_status body_collides_by_nodes(const scene_def *scene, size_t body, bool *yes, abut_error *err);

/* Of all attachments between bodies; ascending by body and node. size: the scene's, m. */
abut_status scene_attached_nodes(const scene_def *scene, double size, attached_node_list *out,
                                 abut_error *err);
/* The same as points of frames, and bodies counted without those that are not enabled (mem_free).
 */
abut_status scene_attached_points(const scene_def *scene, double size, int32_t (**out)[2],
                                  size_t *count, abut_error *err);

#endif
