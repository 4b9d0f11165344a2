/* The path from one frame to the next, kept with the latter: for every step between them, the
 * configurations between which all coordinates change linearly (step/path.h). A configuration has
 * the numbers of one body after the other: of a rigid body its origin q and rotation vector theta,
 * so that its points move along curves q + R(theta) X; of an affine body its origin c and the
 * columns of A; of others that move, their points, or only those that are near to something: the
 * rest goes straight from frame to frame. Nothing but frames is needed to follow it.
 *
 * Where meshes have changed between the frames, the path is that of the mesh of the latter, from
 * the configuration that it was carried over to; how the surface came there from the other mesh is
 * not a part of it. */
#ifndef OUTPUT_FRAME_PATH_H
#define OUTPUT_FRAME_PATH_H

#include "base/array.h"
#include "output/frame.h"

/* How the points of a body are given; the value is the count of numbers, of PATH_POINTS per point,
 * of PATH_NEAR three per point that is listed. */
typedef enum path_kind {
    PATH_STAYS = 0,
    PATH_NEAR = 1,
    PATH_POINTS = 3,
    PATH_RIGID = 6,
    PATH_AFFINE = 12
} path_kind;

/* A path that is being followed. */
typedef struct path_follower {
    const frame *last, *next;
    const int32_t *body;   /* per point */
    ARRAY(size_t) offset;  /* of the numbers of a body in a configuration; one more than bodies */
    ARRAY(size_t) slot;    /* per point that is given: its number in the body */
    ARRAY(uint8_t) given;  /* per point: of PATH_POINTS, or listed */
    ARRAY(double) part;    /* per configuration: which part of all pieces is behind it */
    ARRAY(vec3) arms;      /* X of the points of rigid and affine bodies */
    ARRAY(double) numbers; /* of one moment */
    size_t size;           /* numbers of a configuration */
    size_t configuration_count; /* of all steps */
    bool changed;               /* the frames have different meshes */
} path_follower;

/* changed: the meshes of the frames differ. ABUT_ERROR_INPUT when the counts of the path do not fit
 * the frames. */
abut_status path_follower_open(path_follower *w, const frame *last, const frame *next, bool changed,
                               abut_error *err);
void path_follower_free(path_follower *w);
/* Points at the part s between two neighbouring configurations, counted through all steps. */
void path_follower_points(path_follower *w, size_t configuration, double s, vec3 *points);
/* A point that goes straight from frame to frame, when this part of the path is behind it. */
vec3 path_straight(vec3 from, vec3 to, double part);
/* How a body turns from a configuration to the next; false when its points move along straight
 * lines. */
bool path_follower_turn(const path_follower *w, size_t configuration, size_t body, vec3 q[2],
                        vec3 theta[2]);

#endif
