/* The way from one frame to the next, kept with the latter: for every step between them, the places
 * between which all coordinates change linearly (step/way.h). A place has the numbers of one body
 * after the other: of a rigid body its origin q and rotation vector theta, so that its points move
 * along curves q + R(theta) X; of an affine body its origin c and the columns of A; of others that
 * move, their points. Nothing but frames is needed to follow it. */
#ifndef OUTPUT_FRAME_WAY_H
#define OUTPUT_FRAME_WAY_H

#include "base/array.h"
#include "output/frame.h"

/* How the points of a body are given; the value is the count of numbers, of WAY_POINTS per point.
 */
typedef enum way_kind { WAY_STAYS = 0, WAY_POINTS = 3, WAY_RIGID = 6, WAY_AFFINE = 12 } way_kind;

/* A way that is being followed. */
typedef struct way_follower {
    const frame *last, *next;
    const int32_t *body;   /* per point */
    ARRAY(size_t) offset;  /* of the numbers of a body in a place; one more than bodies */
    ARRAY(size_t) slot;    /* per point of WAY_POINTS: its number in the body */
    ARRAY(vec3) arms;      /* X of the points of rigid and affine bodies */
    ARRAY(double) numbers; /* of one moment */
    size_t size;           /* numbers of a place */
} way_follower;

/* ABUT_ERROR_INPUT when the counts of the way do not fit the frames. */
abut_status way_follower_open(way_follower *w, const frame *last, const frame *next,
                              abut_error *err);
void way_follower_free(way_follower *w);
/* Points at the part s between two neighbouring places, counted through all steps. */
void way_follower_points(way_follower *w, size_t place, double s, vec3 *points);

#endif
