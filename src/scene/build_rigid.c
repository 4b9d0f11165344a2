#include "scene/build_rigid.h"

#include "scene/motion.h"

#include <math.h>
#include <string.h>

rigid_options build_rigid_options(const body_def *def)
{
    const inertial_def *i = &def->rigid.inertial;
    const double *t = i->inertia;
    mat3 inertia = {{{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}}};
    return (rigid_options){.given = def->rigid.has_inertial,
                           .own = {.mass = i->mass, .center = i->center, .inertia = inertia},
                           .weigh = def->rigid.weigh,
                           .density = def->material.density,
                           .total_mass = def->rigid.total_mass,
                           .stiffness = def->rigid.orthogonality};
}

static abut_status add_motions(rigid_condition *c, const rigid_body *body,
                               const motion_def *motions, size_t count, abut_error *err)
{
    for (size_t k = 0; k < count; k++) {
        motion move = motion_of(&motions[k], body->center);
        move.from = fmax(move.from, c->path.from);
        if (!array_push(&c->path.motions, move)) return error_memory(err, "adding motions");
    }
    return ABUT_OK;
}

static abut_status add_condition(stepper *s, int32_t rigid, rigid_condition **out, abut_error *err)
{
    rigid_condition whole = {
        .path = {.until = INFINITY, .axes = 7, .source = -1}, .rigid = rigid, .rotation_axes = 7};
    if (!array_push(&s->rigid.conditions, whole)) return error_memory(err, "adding conditions");
    *out = &s->rigid.conditions.data[s->rigid.conditions.count - 1];
    return ABUT_OK;
}

static abut_status add_fixes(const body_def *def, int32_t rigid, const char *place, stepper *s,
                             abut_error *err)
{
    const rigid_body *body = &s->model->rigids.data[rigid];
    for (size_t k = 0; k < def->dirichlet.fix_count; k++) {
        const fix_def *fix = &def->dirichlet.fixes[k];
        rigid_condition *c;
        TRY(add_condition(s, rigid, &c, err));
        c->path.from = fix->from;
        c->path.until = fix->until;
        c->path.source = (int32_t)k;
        c->path.axes = axis_bits(fix->axes);
        c->path.has_release = fix->has_release;
        c->path.release_axis = fix->release_axis;
        c->path.release_beyond = fix->release_beyond;
        c->rotation_axes = axis_bits(fix->rotation_axes);
        if (!rigid_condition_possible(body, c->rotation_axes))
            return error_set(err, ABUT_ERROR_UNSUPPORTED, place,
                             "fix[%zu].rotation_axes of an affine body must be all axes, none, or "
                             "two; a rigid body can do without one",
                             k);
        TRY(add_motions(c, body, fix->motions, fix->motion_count, err));
    }
    return ABUT_OK;
}

static abut_status add_whole_motion(const scene_def *scene, const body_def *def, int32_t rigid,
                                    stepper *s, abut_error *err)
{
    if (def->dirichlet.motion_count + def->rigid.pose_count == 0) return ABUT_OK;
    rigid_condition *c;
    TRY(add_condition(s, rigid, &c, err));
    c->pose_step = scene->options.h;
    for (size_t i = 0; i < def->rigid.pose_count; i++) {
        rigid_pose pose = {def->rigid.poses[i].translate,
                           vec3_scale(DEGREE, def->rigid.poses[i].turn)};
        if (!array_push(&c->poses, pose)) return error_memory(err, "adding poses");
    }
    return add_motions(c, &s->model->rigids.data[rigid], def->dirichlet.motions,
                       def->dirichlet.motion_count, err);
}

static abut_status add_loads(const body_def *def, int32_t rigid, stepper *s, abut_error *err)
{
    for (size_t k = 0; k < def->loads.force_count; k++) {
        const force_def *force = &def->loads.forces[k];
        load l = {.from = force->from,
                  .until = force->until,
                  .force = force->force,
                  .acceleration = force->acceleration};
        rigid_torque torque = {rigid, force->from, force->until, force->torque};
        if (!array_push(&s->loads.nodes, l) ||
            !array_push(&s->loads.nodes.data[s->loads.nodes.count - 1].nodes,
                        s->model->rigids.data[rigid].block) ||
            (vec3_norm2(force->torque) > 0 && !array_push(&s->rigid.torques, torque)))
            return error_memory(err, "adding loads");
    }
    return ABUT_OK;
}

abut_status build_rigid_conditions(const scene_def *scene, const body_def *def, size_t built,
                                   const char *place, stepper *s, double *velocity, abut_error *err)
{
    int32_t rigid = s->model->bodies.data[built].rigid;
    TRY(add_fixes(def, rigid, place, s, err));
    TRY(add_whole_motion(scene, def, rigid, s, err));
    TRY(add_loads(def, rigid, s, err));
    rigid_set_velocity(&s->model->rigids.data[rigid], s->state.x, def->velocity,
                       vec3_scale(DEGREE, def->angular_velocity), velocity);
    return ABUT_OK;
}
