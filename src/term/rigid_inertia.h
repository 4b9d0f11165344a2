/* Rotational inertia and torques of rigid bodies as an incremental potential over their rotation
 * vectors (Rigid IPC, equation 4.9, in the shifted form that does not cancel):
 *     1/2 tr((Q - Q_tilde) J (Q - Q_tilde)^T) + tr(Q M),   Q = R(theta),
 * with M = s/2 Q_t^T [tau]x for a torque tau in the world, s the integrator's factor on forces:
 * near Q_t this is -s tau . dtheta. Translation is a node with the mass of the body
 * (term/inertia.h). */
#ifndef TERM_RIGID_INERTIA_H
#define TERM_RIGID_INERTIA_H

#include "body/model.h"
#include "term/term.h"

typedef struct rigid_inertia_term {
    term base;
    const model *model;
    ARRAY(int32_t) blocks; /* rotation vector of every rigid body */
    ARRAY(int32_t) rigids; /* its number in the model's list */
    ARRAY(mat3) predicted; /* Q_tilde */
    ARRAY(mat3) load;      /* M */
    const uint8_t *fixed;  /* 3 per block of the model: prescribed; NULL: nothing is */
} rigid_inertia_term;

abut_status rigid_inertia_create(const model *m, rigid_inertia_term **out, abut_error *err);
/* Brings rotation vectors back to |theta| <= pi, the same rotations; those of which something is
 * prescribed stay. True when there were any. */
bool rigid_inertia_wrap(const rigid_inertia_term *t, double *x);
/* M of a torque: s/2 frame^T [tau]x. */
mat3 rigid_torque_load(mat3 frame, vec3 torque, double factor);

#endif
