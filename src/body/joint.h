/* Joints, attachments and couplings of a model: what is constrained between two sides, and what
 * acts along the coordinates that are left. Constant after the model was built; multipliers and
 * other memory are the state of the term (constraint/joint_term.h). */
#ifndef BODY_JOINT_H
#define BODY_JOINT_H

#include "base/expression.h"
#include "math/vec3.h"

#include <stdbool.h>
#include <stdint.h>

/* What a side of a joint belongs to. */
typedef enum joint_side_kind {
    SIDE_WORLD,
    SIDE_NODES, /* a point that is a combination of up to four nodes; it has no directions */
    SIDE_BODY   /* the frame of a rigid or affine body */
} joint_side_kind;

enum { JOINT_SIDE_BLOCKS = 4 };

typedef struct joint_side {
    joint_side_kind kind;
    int32_t rigid; /* SIDE_BODY: number among the rigid and affine bodies */
    int count;     /* SIDE_NODES */
    int32_t blocks[JOINT_SIDE_BLOCKS];
    double weights[JOINT_SIDE_BLOCKS];
    /* In the frame of the body at the start (arm from its centre), or in the world. Columns: two
     * directions across, and the axis. */
    vec3 point;
    mat3 triad;
} joint_side;

/* The two coordinates a joint may leave free: the angle about its axis, and the travel along it. */
typedef enum joint_coordinate { JOINT_TURN, JOINT_SLIDE, JOINT_COORDINATES } joint_coordinate;

typedef enum drive_kind { DRIVE_NONE, DRIVE_POSITION, DRIVE_VELOCITY, DRIVE_EFFORT } drive_kind;

typedef struct joint_drive {
    drive_kind kind;
    expression *target; /* of the time: rad or m, per second, N m or N */
    double stiffness;   /* of a position drive; 0: it is met exactly */
    double damping;
    double most; /* largest effort; INFINITY: none */
    double unit; /* rad or m per unit of the target */
} joint_drive;

/* What acts along a coordinate y. SI units, angles in radians. */
typedef struct joint_axis {
    double lower, upper; /* limits; -+INFINITY: none */
    double friction;     /* constant, N m or N */
    double damping;      /* N m s or N s/m */
    double stiffness;    /* of a spring towards `rest` */
    double rest;
    joint_drive drive;
} joint_axis;

typedef struct model_joint {
    char *name;
    int kind;     /* constraint/joint_kind.h */
    bool follows; /* constrains nothing: side 1 is a node that follows side 0 (body/follower.h) */
    joint_side side[2];
    joint_axis axis[JOINT_COORDINATES];
    double length;    /* m: of a distance; what slides of springs and ropes count from */
    double lead;      /* m per turn of a screw */
    double stiffness; /* N/m; positive: points are pulled together instead of joined exactly */
    double damping;   /* N s/m, beside the stiffness */
    double break_force, break_torque; /* INFINITY: none */
    /* Couplings: y_first = ratio y_second + offset, of joints before this one. */
    int32_t coupled[2];
    joint_coordinate coordinate[2];
    double ratio, offset;
} model_joint;

/* Without limits, drives and the rest. */
model_joint joint_plain(void);
void joint_free(model_joint *j);

/* Directions across a unit axis that complete it to a right-handed triad. */
mat3 joint_triad(vec3 axis);

#endif
