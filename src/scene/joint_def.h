/* Joints and attachments of a scene, as its keys say: angles in degrees. */
#ifndef SCENE_JOINT_DEF_H
#define SCENE_JOINT_DEF_H

#include "base/expression.h"
#include "base/words.h"
#include "scene/schema_place.h"

/* Whether joined bodies collide. */
#define COLLIDE_CHOICES(ROW)                                                                       \
    ROW(COLLIDE_AUTO, "auto") ROW(COLLIDE_ALWAYS, "always") ROW(COLLIDE_NEVER, "never")
typedef enum collide_choice { COLLIDE_CHOICES(WORD_CONSTANT) } collide_choice;

typedef struct drive_def {
    expression *target;
    unsigned kind; /* position, velocity, effort */
    double stiffness, damping, max_effort;
} drive_def;

typedef struct joint_axis_def {
    double limits[2];
    bool limited;
    double start, friction, damping, stiffness, rest;
    drive_def drive;
    bool driven;
} joint_axis_def;

typedef struct joint_def {
    const char *name;
    unsigned type;         /* a kind of joint (constraint/joint_kind.h) */
    const char *body, *to; /* NULL: a gear */
    vec3 point, to_point, axis, axis2;
    bool has_to_point, has_axis, has_axis2, has_length;
    double length, lead;
    joint_axis_def turn, slide;
    bool has_turn, has_slide;
    const char *first, *second; /* gears */
    double ratio, offset;
    double break_force, break_torque;
    collide_choice collide;
} joint_def;

#endif
