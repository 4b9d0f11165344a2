/* What is prescribed from the start on, gathered by how it moves, and boxes about it.
 *
 * Vertices of one group do not move relative to each other: all that stays, the nodes and bodies
 * that follow the same motions, each rigid or affine body with a motion of its own. Boxes of whole
 * groups tell of most steps that nothing prescribed comes near anything else, for a few numbers per
 * group. */
#ifndef STEP_MOTION_GROUPS_H
#define STEP_MOTION_GROUPS_H

#include "contact/contact_term.h"
#include "step/rigid_motion.h"

/* Instead of the number of a group. */
enum {
    MOTION_UNKNOWN = -1, /* not prescribed, or only for a part of the run */
    MOTION_ALONE = -2,   /* prescribed by files, expressions, several conditions */
};

typedef struct motion_box {
    vec3 low, high; /* low above high: empty */
} motion_box;

typedef struct motion_group {
    const condition *path;       /* of nodes, and bodies that move as nodes do; NULL: not that */
    const rigid_condition *body; /* a body about whose centre the box is; NULL: not that */
    motion_box start[2];         /* of all vertices and of those of no obstacle, at the start; */
    motion_box now[2], swept[2]; /* at the time reached, and on the path to it */
} motion_group;

typedef struct motion_groups {
    const contact_term *contact; /* for its model and half-spaces */
    const rigid_motion *rigid;
    ARRAY(motion_group) groups; /* the first one stays where it is */
    ARRAY(int32_t) of_block, of_vertex, covers;
    bool alone; /* some vertex is */
} motion_groups;

/* Of a zeroed struct, after the conditions began. h: of the steps; x: coordinates at the start;
 * known: flags, 3 per block, of what is prescribed from the start on. */
typedef struct motion_source {
    const contact_term *contact;
    const rigid_motion *rigid;
    const condition *conditions;
    size_t condition_count;
    const double *x;
    const uint8_t *known;
    double h;
} motion_source;

abut_status motion_groups_make(motion_groups *g, const motion_source *from, abut_error *err);
void motion_groups_free(motion_groups *g);

/* Whether a condition moves anything, at some time. */
bool condition_moves(const condition *c);
bool rigid_condition_moves(const rigid_condition *c);

/* Goes on to the positions at `time`. False only when nothing prescribed can meet on the path
 * there: no box of a group meets that of another, unless both are of obstacles, or a half-space. */
bool motion_groups_may_meet(motion_groups *g, double time);
/* What a call of motion_groups_may_meet looks at, in pairs. */
double motion_groups_work(const motion_groups *g);

#endif
