#include "body/joint.h"

#include "base/memory.h"

#include <math.h>

model_joint joint_plain(void)
{
    model_joint j = {.break_force = INFINITY, .break_torque = INFINITY, .ratio = 1};
    j.coupled[0] = j.coupled[1] = -1;
    for (int k = 0; k < 2; k++) {
        j.side[k].rigid = -1;
        j.side[k].triad = mat3_identity();
        j.axis[k] = (joint_axis){
            .lower = -INFINITY, .upper = INFINITY, .drive = {.most = INFINITY, .unit = 1}};
    }
    return j;
}

void joint_free(model_joint *j)
{
    for (int k = 0; k < JOINT_COORDINATES; k++) expression_free(j->axis[k].drive.target);
    mem_free(j->name);
}

mat3 joint_triad(vec3 axis)
{
    vec3 a = vec3_normalize(axis);
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    vec3 off = x <= y && x <= z ? (vec3){1, 0, 0} : y <= z ? (vec3){0, 1, 0} : (vec3){0, 0, 1};
    vec3 n = vec3_normalize(vec3_mul_add(off, -vec3_dot(off, a), a));
    return mat3_from_columns(n, vec3_cross(a, n), a);
}
