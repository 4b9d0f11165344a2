/* The way from one frame to the next, kept with the latter: for every step between them, the places
 * between which all coordinates change linearly (step/way.h). A place has the numbers of one body
 * after the other: of a rigid body its origin q and rotation vector theta, so that its points move
 * along curves q + R(theta) X; of an affine body its origin c and the columns of A; of others that
 * move, their points, or only those that are near to something: the rest goes straight from frame
 * to frame. Nothing but frames is needed to follow it.
 *
 * Where meshes have changed between the frames, the path is that of the mesh of the latter, from
 * the place where it was put; how the surface came there from the other mesh is not a part of it.
 */
#ifndef OUTPUT_FRAME_WAY_H
#define OUTPUT_FRAME_WAY_H

#include "base/array.h"
#include "output/frame.h"

/* How the points of a body are given; the value is the count of numbers, of WAY_POINTS per point,
 * of WAY_NEAR three per point that is listed. */
typedef enum way_kind {
    WAY_STAYS = 0,
    WAY_NEAR = 1,
    WAY_POINTS = 3,
    WAY_RIGID = 6,
    WAY_AFFINE = 12
} way_kind;

/* A way that is being followed. */
typedef struct way_follower {
    const frame *last, *next;
    const int32_t *body;   /* per point */
    ARRAY(size_t) offset;  /* of the numbers of a body in a place; one more than bodies */
    ARRAY(size_t) slot;    /* per point that is given: its number in the body */
    ARRAY(uint8_t) given;  /* per point: of WAY_POINTS, or listed */
    ARRAY(double) part;    /* per place: which part of all pieces is behind it */
    ARRAY(vec3) arms;      /* X of the points of rigid and affine bodies */
    ARRAY(double) numbers; /* of one moment */
    size_t size;           /* numbers of a place */
    size_t place_count;    /* of all steps */
    bool changed;          /* the frames have different meshes */
} way_follower;

/* changed: the meshes of the frames differ. ABUT_ERROR_INPUT when the counts of the way do not fit
 * the frames. */
abut_status way_follower_open(way_follower *w, const frame *last, const frame *next, bool changed,
                              abut_error *err);
void way_follower_free(way_follower *w);
/* Points at the part s between two neighbouring places, counted through all steps. */
void way_follower_points(way_follower *w, size_t place, double s, vec3 *points);
/* A point that goes straight from frame to frame, when this part of the way is behind it. */
vec3 way_straight(vec3 from, vec3 to, double part);
/* How a body turns from a place to the next; false when its points move along straight lines. */
bool way_follower_turn(const way_follower *w, size_t place, size_t body, vec3 q[2], vec3 theta[2]);

#endif
