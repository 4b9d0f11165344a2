/* Importer for the text scenes of the IPC reference program: from a script to a native document.
 *
 * The steps: the text is read line by line into an ipc_script (import_ipc_text.c); the meshes of
 * its shapes are read and transformed (import_ipc_transform.c: the transform of each shape,
 * rotateModel, size); the script kind decides which nodes are fixed and moved (import_ipc_scripts.c
 * and import_ipc_obstacles.c); what results is written as native JSON (import_ipc.c). */
#ifndef SCENE_IMPORT_IPC_H
#define SCENE_IMPORT_IPC_H

#include "base/array.h"
#include "base/log.h"
#include "base/status.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#include <jansson.h>

/* DBC or NBC at the end of a shape line: nodes in a box relative to the bounding box of the mesh
 * file. */
typedef struct ipc_condition {
    bool force;
    vec3 low, high;
    vec3 velocity; /* m/s, or m/s^2 for NBC */
    vec3 spin;     /* deg/s */
    double from, until;
} ipc_condition;

typedef struct ipc_material {
    double density, young, poisson;
} ipc_material;

/* Where a shape is. */
typedef struct ipc_shape_place {
    mesh mesh;           /* as in the file */
    vec3 *rest;          /* before rotateModel */
    vec3 *position;      /* at the start */
    mat3 orientation;    /* position = orientation (size x) + offset */
    vec3 size, offset;   /* size: factors */
    vec3 velocity, spin; /* at the start */
} ipc_shape_place;

typedef struct ipc_shape {
    int line;
    char *path;
    vec3 translate, scale;
    mat3 rotate;
    bool has_material, has_velocity, has_spin, has_initial;
    ipc_material material;
    vec3 velocity, spin;                 /* m/s, deg/s */
    vec3 initial_velocity, initial_spin; /* m/s, rad/s */
    ARRAY(ipc_condition) conditions;
    char *sequence; /* folder of numbered meshes */
    /* found later */
    int dimension;    /* 3 solid, 2 surface, 1 segments, 0 points */
    const char *only; /* "edges" or "points": the rest of the mesh file does not count */
    ipc_shape_place placed;
    json_t *fixes, *motions, *forces;
    json_t *frames; /* sequence as native JSON, or NULL */
} ipc_shape;

/* meshCO: a static obstacle, given by the position of the mean of its vertices and its longest
 * side. */
typedef struct ipc_collider {
    int line;
    char *path;
    vec3 origin;
    mat3 rotate;
    double scale, friction;
    mesh shape; /* as in the file */
    double factor;
    vec3 offset;
    vec3 low, high; /* of the transformed vertices */
    json_t *motions;
} ipc_collider;

typedef struct ipc_plane {
    vec3 origin, normal;
    double friction;
    json_t *motions; /* NULL: it stays */
} ipc_plane;

typedef struct ipc_contact {
    bool self;
    double self_friction;
    double dhat, eps_v; /* relative to l unless absolute */
    bool absolute;
    int friction_iterations;
} ipc_contact;

typedef struct ipc_interval {
    double from, until;
} ipc_interval;

/* The line that names the script kind. */
typedef struct ipc_kind_line {
    int line;
    char word[64];
    char *folder;
    ARRAY(double) parameters;
} ipc_kind_line;

/* Lengths and bounds of all shapes together. */
typedef struct ipc_script_place {
    double l;              /* diagonal of the solids at rest */
    vec3 low, high;        /* of all shapes at the start */
    double release_beyond; /* dragright: x of the colliders' far side; NAN: does not matter */
} ipc_script_place;

typedef struct ipc_script {
    const char *path;
    const logger *log;
    bool corotated, newmark, gravity;
    double newmark_beta, newmark_gamma;
    double size, duration, step;
    ipc_material material; /* of shapes without one of their own */
    double damping_ratio, damping_stiffness;
    ipc_contact contact;
    double tolerance;
    double handle_ratio;
    vec3 model_axis;
    double model_degrees;
    ipc_interval fix, force; /* when conditions are active */
    const char *linear_solver;
    ipc_kind_line kind;
    ARRAY(ipc_shape) shapes;
    ARRAY(ipc_collider) colliders;
    ARRAY(ipc_plane) planes;
    ipc_script_place placed;
} ipc_script;

/* scene_importer of load.h. */
abut_status import_ipc(const char *path, const logger *log, json_t **native, abut_error *err);
/* True for a file of one line that names another script (a symbolic link stored as text). */
bool ipc_is_link(const char *text, size_t size);

void ipc_script_free(ipc_script *s);
/* Reads the text of a script. Errors name file and line. */
abut_status ipc_read_text(const char *path, const char *text, size_t size, ipc_script *out,
                          abut_error *err);
/* Path of a file that the script names: beside the script, or where the folder "input" is. */
char *ipc_resolve(const char *script_path, const char *name);

/* Reads the meshes and puts them in place. */
abut_status ipc_transform(ipc_script *s, abut_error *err);
void ipc_update_bounds(ipc_script *s);

/* Applies the script kind: shifts, conditions, motions, initial velocities. */
abut_status ipc_apply_kind(ipc_script *s, abut_error *err);

/* --- For the script kinds --- */

/* Constant motion during an interval; spin in degrees per second along the axis. */
typedef struct ipc_motion {
    double from, until;
    vec3 velocity, spin;
    bool has_center;
    vec3 center;
} ipc_motion;

static inline ipc_motion ipc_translation(double from, double until, vec3 velocity)
{
    return (ipc_motion){.from = from, .until = until, .velocity = velocity};
}

static inline ipc_motion ipc_rotation(double from, double until, vec3 spin, vec3 center)
{
    return (ipc_motion){
        .from = from, .until = until, .spin = spin, .has_center = true, .center = center};
}

json_t *ipc_json_vector(vec3 a);
json_t *ipc_json_motion(const ipc_motion *m);
/* Adds a prescribed motion to a whole shape, whatever its dimension. */
abut_status ipc_move_shape(ipc_shape *shape, const ipc_motion *motions, size_t count,
                           abut_error *err);
/* Constant angular velocity that gives in each step what turning about x, y and z by `rates` (one
 * after the other, degrees per second) gives. */
vec3 ipc_spin(vec3 rates, double step);
vec3 ipc_center(const ipc_shape *shape);
abut_status ipc_kind_error(const ipc_script *s, abut_status code, abut_error *err,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Number of whole steps after which a distance covered at `speed` per second reaches `distance`. */
double ipc_steps_for(double distance, double speed, double step);

typedef abut_status (*ipc_kind)(ipc_script *s, abut_error *err);
/* The kinds that move obstacles; NULL for another word. */
ipc_kind ipc_obstacle_kind(const char *word);

#endif
