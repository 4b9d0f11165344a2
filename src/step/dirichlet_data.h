/* Prescribed nodes: Dirichlet conditions and moving obstacles.
 *
 * A condition prescribes a set of nodes during a time window: they follow a chain of motions
 * (translation, rotation about a centre), applied to their positions when it began. */
#ifndef STEP_DIRICHLET_DATA_H
#define STEP_DIRICHLET_DATA_H

#include "base/array.h"
#include "base/expression.h"
#include "base/status.h"
#include "math/vec3.h"

/* During [from, until): x -> c + R(w tau)(x - c) + v tau, tau the time since `from`. */
typedef struct motion {
    double from, until;
    vec3 velocity;         /* m/s */
    vec3 angular_velocity; /* rad/s */
    vec3 center;           /* in the positions at the start of the condition */
} motion;

typedef struct condition {
    ARRAY(int32_t) nodes;
    double from, until;
    int axes;        /* bits 1, 2, 4 */
    int32_t body;    /* of the model */
    int32_t source;  /* number among the body's `fix`, -1: its motion as a whole; for messages */
    bool takes_over; /* nodes that earlier conditions prescribe as well, on purpose */
    ARRAY(motion) motions;
    /* Instead: positions of all nodes at the end of each step, or with `frames_between` from the
     * start on, with straight paths between them. */
    ARRAY(double) frames;
    bool frames_between;
    /* Or instead: displacement from the positions when the condition began; NULL: none. */
    expression *displacement[3];
    double frame_step;
    /* Both point into the state that is saved: */
    double *start;    /* 3 per node: positions when the condition began */
    int32_t *began;   /* 0, 1, or CONDITION_RELEASED */
    bool has_release; /* ends for good when all simulated nodes are beyond this coordinate */
    int release_axis;
    double release_beyond;
} condition;

enum { CONDITION_RELEASED = 2 };

/* from <= time < until, for a time that is a multiple of the step and so not quite exact. */
bool time_within(double time, double from, double until);

void condition_free(condition *c);
bool condition_active(const condition *c, double time);
/* Where a point that was at `start` is at `time` by the motions. */
vec3 condition_target(const condition *c, vec3 start, double time);
/* The rotation that its motions have made by `time`; the identity for other conditions. */
mat3 condition_rotation(const condition *c, double time);
/* Of `count` frames, one for the end of every step: the one that a time of so many steps leads to,
 * and how much of the path from the frame before it is done then. Whole steps have 1, sub-steps end
 * in between. */
size_t condition_frame(double steps, size_t count, double *share);
/* Where node i of the condition (its index in `nodes`) is at `time`: by frames or motions. */
vec3 condition_node_target(const condition *c, size_t i, double time);
/* Ends the condition if its release is due; lowest: smallest coordinates of the simulated nodes. */
void condition_release(condition *c, vec3 lowest);
/* Remembers the positions of the nodes when the condition is active for the first time. */
void condition_begin(condition *c, const double *x);

#endif
