#include "constraint/joint_make.h"

#include <string.h>

joint_side joint_side_at(const model *m, int32_t rigid, vec3 point, mat3 triad)
{
    joint_side s = {
        .kind = rigid < 0 ? SIDE_WORLD : SIDE_BODY, .rigid = rigid, .point = point, .triad = triad};
    if (rigid >= 0) s.point = vec3_sub(point, m->rigids.data[rigid].center);
    return s;
}

joint_side joint_side_node(int32_t block)
{
    return (joint_side){.kind = SIDE_NODES,
                        .rigid = -1,
                        .count = 1,
                        .blocks = {block},
                        .weights = {1},
                        .triad = mat3_identity()};
}

abut_status model_add_joint(model *m, const char *name, model_joint *joint, abut_error *err)
{
    joint->name = mem_strdup(name);
    if (joint->name && array_push(&m->joints, *joint)) return ABUT_OK;
    joint_free(joint);
    return error_memory(err, "adding a joint");
}

int32_t model_find_joint(const model *m, const char *name)
{
    for (size_t i = 0; i < m->joints.count; i++)
        if (strcmp(m->joints.data[i].name, name) == 0) return (int32_t)i;
    return -1;
}
