/* Nodes that follow other coordinates exactly. A follower's block is no unknown: its position is a
 * combination of up to four blocks, or c + R(theta) X of a rigid body, or stays where it is.
 *
 * Its vertex of the collision surface gets the row of what it follows, so that contact, friction
 * and collision detection see the leader's motion, curved paths included; a vertex that depends on
 * several nodes gets the sum of their rows. Other terms keep seeing the node, and
 * constraint/led_term.h pulls their derivatives back to the leader. */
#ifndef BODY_FOLLOWER_H
#define BODY_FOLLOWER_H

#include "body/model.h"

/* Followers are joints of the model that constrain nothing: side 1 is the node, side 0 what leads
 * it.
 */
static inline bool joint_follows(const model_joint *j) { return j->follows; }
static inline int32_t follower_block(const model_joint *j) { return j->side[1].blocks[0]; }

/* Whether nodes of a body may follow the world, nodes or an affine body (turning: false), or a
 * rigid one (true). Of bodies of higher order, and of those with a collision surface of their own,
 * a vertex of the surface depends on several nodes, of which not all follow the same: their rows
 * are put together, which only rows without rotations can be. */
bool body_may_follow(const model *m, const model_body *body, bool turning);

/* A leader of nodes that follow a rigid or affine body themselves becomes that body. Errors
 * (ABUT_ERROR_INPUT) name both bodies: the block follows something else already, or leads others,
 * or a leader follows something that cannot be written as one row. The name is copied; kind: that
 * of joints that constrain nothing. */
abut_status model_add_follower(model *m, const char *name, int kind, int32_t block,
                               const joint_side *leader, abut_error *err);
/* Gives the vertices of followers their rows; once, after the last follower. */
abut_status model_lead_surface(model *m, abut_error *err);

/* The joint by which a block follows, or -1: looked for, for tests and errors. */
int32_t model_follower_of(const model *m, int32_t block);
bool model_has_followers(const model *m);
/* The same for all blocks at once (mem_free); NULL without memory. */
int32_t *model_follower_map(const model *m);

/* The block of the node that a vertex is, or -1; followers stay nodes with the rows of leaders. */
static inline int32_t surface_vertex_node(const collision_surface *s, size_t vertex)
{
    const surface_row *row = &s->rows.data[vertex];
    if (row->kind == ROW_NODE) return row->block;
    return vertex < s->follower.count ? s->follower.data[vertex] : -1;
}

#endif
