/* Making the joints of a model. */
#ifndef CONSTRAINT_JOINT_MAKE_H
#define CONSTRAINT_JOINT_MAKE_H

#include "body/model.h"

/* A side at a position in the world at the start; rigid: number among the rigid and affine bodies,
 * -1 for the world itself. */
joint_side joint_side_at(const model *m, int32_t rigid, vec3 point, mat3 triad);
/* A side that is a node. */
joint_side joint_side_node(int32_t block);

/* Appends a joint, which is taken over also on failure; the name is copied. Before the stepper is
 * made. */
abut_status model_add_joint(model *m, const char *name, model_joint *joint, abut_error *err);
/* Number of the joint of this name, or -1. */
int32_t model_find_joint(const model *m, const char *name);

#endif
