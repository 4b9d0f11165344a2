/* An articulated robot: links, joints and their shapes, as URDF and MJCF files describe them. SI
 * units, radians. */
#ifndef SCENE_ROBOT_H
#define SCENE_ROBOT_H

#include "base/array.h"
#include "base/file.h"
#include "base/log.h"
#include "base/status.h"
#include "geometry/mass.h"

#include <jansson.h>
#include <stdbool.h>

typedef struct robot_frame {
    vec3 origin;
    mat3 axes;
} robot_frame;

typedef enum robot_shape_kind {
    ROBOT_BOX,
    ROBOT_CYLINDER,
    ROBOT_SPHERE,
    ROBOT_CAPSULE,
    ROBOT_MESH
} robot_shape_kind;

typedef struct robot_shape {
    int32_t link;
    bool visual; /* not what collides */
    robot_frame at;
    robot_shape_kind kind;
    vec3 size; /* of a box; radius and length (of a capsule without its caps); scale of a mesh */
    char *file;
} robot_shape;

typedef struct robot_link {
    char *name;
    bool has_inertial;
    mass_properties inertial; /* in the frame of the link */
    int32_t joint;            /* that leads to it; -1: the root */
    double friction;          /* coefficient; 0: the scene's */
} robot_link;

typedef enum robot_joint_kind {
    ROBOT_REVOLUTE,
    ROBOT_CONTINUOUS,
    ROBOT_PRISMATIC,
    ROBOT_FIXED,
    ROBOT_FLOATING,
    ROBOT_PLANAR,
    ROBOT_BALL
} robot_joint_kind;

typedef enum robot_drive_kind {
    ROBOT_NO_DRIVE,
    ROBOT_EFFORT,
    ROBOT_POSITION,
    ROBOT_VELOCITY
} robot_drive_kind;

typedef struct robot_drive {
    robot_drive_kind kind;
    double stiffness, damping;
    double most; /* largest effort; INFINITY: none */
} robot_drive;

typedef struct robot_joint {
    char *name, *mimic;
    robot_joint_kind kind;
    int32_t parent, child;
    robot_frame
        at;      /* frame of the child in that of the parent where the coordinate is `reference` */
    vec3 anchor; /* in the frame of the child */
    vec3 axis;
    double lower, upper, damping, friction;
    double multiplier, offset; /* of what it mimics */
    double reference, start;   /* values of its coordinate: as described, and at the start */
    double stiffness, rest;    /* of a spring */
    robot_drive drive;
} robot_joint;

typedef struct robot_plane {
    vec3 origin, normal;
} robot_plane;

typedef struct robot {
    char *name;
    ARRAY(robot_link) links;
    ARRAY(robot_joint) joints;
    ARRAY(robot_shape) shapes;
    ARRAY(robot_plane) planes;
    int32_t root;
    vec3 gravity;
    double step, friction; /* s; coefficient of the scene, 0: none */
    bool root_is_world; /* the root never moves, and collides with what is joined to it unless they
                            touch at the start */
} robot;

/* Reads a URDF file. Unknown elements are named once in the log; what changes the physics and is
 * not understood is an error. */
abut_status urdf_read(const char *path, const file_bytes *bytes, const logger *log, robot *out,
                      abut_error *err);
void robot_free(robot *r);

/* The robot as bodies and joints of a native scene. */
abut_status robot_to_document(const char *path, const robot *r, json_t **native, abut_error *err);

/* Reads the plain subset of MuJoCo's MJCF: bodies, geoms, joints, actuators. Everything else that
 * changes the physics is an error that names it. */
abut_status mjcf_read(const char *path, const file_bytes *bytes, const logger *log, robot *out,
                      abut_error *err);
/* Whether a tensor of inertia is that of a body: positive, no moment above the sum of the others.
 */
bool robot_is_inertia(mat3 inertia);

/* Importers of scene/load.h. */
abut_status import_urdf(const char *path, const logger *log, json_t **native, abut_error *err);
abut_status import_mjcf(const char *path, const logger *log, json_t **native, abut_error *err);

static inline robot_frame robot_frame_mul(robot_frame a, robot_frame b)
{
    return (robot_frame){vec3_add(a.origin, mat3_mul_vec(a.axes, b.origin)),
                         mat3_mul(a.axes, b.axes)};
}

#endif
