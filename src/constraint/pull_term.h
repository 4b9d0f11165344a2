/* A pull at one point of the model, as by a hand with a rubber band: a spring and a damper between
 * the point and a target that the caller moves between steps. With y(x) the point, y_0 where it was
 * at the start of the step and t the target,
 *
 *     E(x) = k/2 |y - t|^2 + c/(2 h) |y - y_0|^2,
 *
 * so that the force on the point is k (t - y) - c (y - y_0)/h at the end of the step: implicit, and
 * stable for any k. */
#ifndef CONSTRAINT_PULL_TERM_H
#define CONSTRAINT_PULL_TERM_H

#include "body/model.h"
#include "term/term_row.h"

typedef struct pull {
    bool active;
    joint_side side; /* the point; never SIDE_WORLD while active */
    vec3 target;
    double stiffness, damping; /* N/m, N s/m */
} pull;

/* For stepper_add_term, with pull_row. It pulls nothing at first. */
abut_status pull_create(const model *m, term **out, abut_error *err);
extern const term_row pull_row;

/* Between steps. */
void pull_set(term *t, const pull *p);

/* The side at a vertex of the collision surface, or (block >= 0) at a node. Followers are pulled by
 * what they follow. false: the point depends on more nodes than a side has. */
bool pull_side(const model *m, int32_t block, int32_t vertex, joint_side *out);

#endif
