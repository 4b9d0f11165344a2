/* Which of the candidates are near. Candidates that were found with much room last for many
 * iterations, but most of them are far apart. The distance of a pair is measured once, at the
 * start of the cover, and can only shrink by what its two bodies have moved against each other
 * since; while that is less than the slack beyond dhat, the pair need not be looked at.
 *
 * All pairs of two bodies lie in a ball. How its centre moves with a rigid body is known; points
 * of the ball move differently by at most its radius times the rotation. Two linked bodies that
 * swing move little against each other there. */
#ifndef CONTACT_NEAR_PAIRS_H
#define CONTACT_NEAR_PAIRS_H

#include "broad/candidates.h"
#include "contact/swept_cover.h"

/* Two bodies with candidates between them. */
typedef struct near_group {
    int32_t body[2];
    vec3 low, high; /* box of the vertices of its pairs, at the start of the cover */
    vec3 arm[2];    /* to the centre of the box, in the frames of the bodies */
    double radius;
    double bound; /* of what distances may have lost */
} near_group;

typedef struct near_list {
    ARRAY(double) slack; /* distance beyond what counts; a lower bound until measured */
    ARRAY(int32_t) group;
    ARRAY(uint8_t) measured;
} near_list;

/* Where a body is. Rigid: its frame. Else: how far one of its vertices has moved, and how much
 * farther any may have. */
typedef struct body_pose {
    vec3 origin;
    mat3 rotation;
    double turn, beyond;
} body_pose;

typedef struct near_pairs {
    const swept_cover *swept_cover;
    double dhat;
    ARRAY(int32_t) body; /* of every vertex: its frame, or behind these the body of the surface */
    ARRAY(body_pose) poses[3]; /* of every body: start of the cover, ends of a path */
    ARRAY(near_group) groups;
    ARRAY(int32_t) table; /* hashed: index of the group, -1: empty */
    near_list lists[PAIR_KINDS];
    const candidate_set *all;
    candidate_set near; /* what the last choice found */
} near_pairs;

/* The cover must live as long. */
abut_status near_pairs_create(near_pairs *n, const swept_cover *t, double dhat, abut_error *err);
void near_pairs_free(near_pairs *n);

/* Measures candidates that were found for the cover as it is. */
abut_status near_pairs_set(near_pairs *n, const candidate_set *all, abut_error *err);
/* The candidates that may come within dhat (beyond their thickness) on a path, in n->near. */
abut_status near_pairs_choose(near_pairs *n, const coordinate_path *path, abut_error *err);

#endif
