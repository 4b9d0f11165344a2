#include "constraint/follow.h"

#include "body/rigid.h"

static bool turns(const model *m, const joint_side *s)
{
    return s->kind == SIDE_BODY && !m->rigids.data[s->rigid].affine;
}

/* The arm in the frame of the body. */
static vec3 arm_of(const model *m, const joint_side *s)
{
    return mat3_mul_vec(m->rigids.data[s->rigid].frame, s->point);
}

vec3 side_position(const model *m, const joint_side *s, const double *x)
{
    if (s->kind == SIDE_BODY) {
        const rigid_body *body = &m->rigids.data[s->rigid];
        return vec3_add(vec3_load(x + 3 * (size_t)body->block),
                        mat3_mul_vec(rigid_frame(body, x), arm_of(m, s)));
    }
    vec3 p = s->point;
    for (int k = 0; s->kind == SIDE_NODES && k < s->count; k++)
        p = vec3_mul_add(p, s->weights[k], vec3_load(x + 3 * (size_t)s->blocks[k]));
    return p;
}

int side_derivatives(const model *m, const joint_side *s, const double *x,
                     side_part parts[JOINT_SIDE_BLOCKS])
{
    if (s->kind == SIDE_WORLD) return 0;
    if (s->kind == SIDE_NODES) {
        for (int k = 0; k < s->count; k++)
            parts[k] = (side_part){s->blocks[k], mat3_scale(s->weights[k], mat3_identity())};
        return s->count;
    }
    const rigid_body *body = &m->rigids.data[s->rigid];
    vec3 arm = arm_of(m, s);
    parts[0] = (side_part){body->block, mat3_identity()};
    if (body->affine) {
        for (int k = 0; k < 3; k++)
            parts[k + 1] =
                (side_part){body->block + k + 1, mat3_scale(vec3_get(arm, k), mat3_identity())};
        return 4;
    }
    mat3 first[3];
    rigid_frame_first(body, x, first);
    parts[1] = (side_part){body->block + 1, mat3_from_columns(mat3_mul_vec(first[0], arm),
                                                              mat3_mul_vec(first[1], arm),
                                                              mat3_mul_vec(first[2], arm))};
    return 2;
}

mat3 side_curvature(const model *m, const joint_side *s, const double *x, vec3 g)
{
    mat3 out = mat3_zero(), second[3][3];
    if (!turns(m, s)) return out;
    rigid_frame_second(&m->rigids.data[s->rigid], x, second);
    vec3 arm = arm_of(m, s);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) out.m[k][l] = vec3_dot(g, mat3_mul_vec(second[k][l], arm));
    return out;
}

void followers_place(const model *m, double *x)
{
    for (size_t i = 0; i < m->joints.count; i++) {
        const model_joint *j = &m->joints.data[i];
        if (joint_follows(j))
            vec3_store(x + 3 * (size_t)follower_block(j), side_position(m, &j->side[0], x));
    }
}

void followers_direct(const model *m, const double *x, double *p)
{
    for (size_t i = 0; i < m->joints.count; i++) {
        const model_joint *j = &m->joints.data[i];
        if (!joint_follows(j)) continue;
        side_part parts[JOINT_SIDE_BLOCKS];
        int count = side_derivatives(m, &j->side[0], x, parts);
        vec3 sum = {0};
        for (int k = 0; k < count; k++)
            sum =
                vec3_add(sum, mat3_mul_vec(parts[k].by, vec3_load(p + 3 * (size_t)parts[k].block)));
        vec3_store(p + 3 * (size_t)follower_block(j), sum);
    }
}

void followers_pull(const model *m, const double *x, double *v)
{
    for (size_t i = 0; i < m->joints.count; i++) {
        const model_joint *j = &m->joints.data[i];
        if (!joint_follows(j)) continue;
        side_part parts[JOINT_SIDE_BLOCKS];
        int count = side_derivatives(m, &j->side[0], x, parts);
        double *from = v + 3 * (size_t)follower_block(j);
        for (int k = 0; k < count; k++) {
            double *to = v + 3 * (size_t)parts[k].block;
            vec3_store(to, vec3_add(vec3_load(to), mat3_tmul_vec(parts[k].by, vec3_load(from))));
        }
        vec3_store(from, (vec3){0});
    }
}
