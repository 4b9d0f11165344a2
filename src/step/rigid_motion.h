/* The time stepping of rigid and affine bodies: rotations as matrices in the integrator, torques,
 * prescribed coordinates.
 *
 * The integrator works on the rotation matrix Q like on any other position; the rotation vector is
 * a chart of it that is wrapped to |theta| <= pi between steps (Rigid IPC, appendix D). Of the
 * velocities in the state, the block of a rotation vector holds the angular velocity about the
 * world's axes. */
#ifndef STEP_RIGID_MOTION_H
#define STEP_RIGID_MOTION_H

#include "body/rigid.h"
#include "solve/problem.h"
#include "step/dirichlet_data.h"
#include "step/integrator.h"
#include "term/affine.h"
#include "term/rigid_inertia.h"

/* A pose relative to the start: x -> c + shift + R(turn)(x - c), c the centre of mass. */
typedef struct rigid_pose {
    vec3 shift, turn; /* m; rotation vector in rad */
} rigid_pose;

/* Coordinates that are fixed or moved during a time window: axes of `path` for the centre.
 *
 * Fixed axes of rotation count from the orientation when the condition begins: with two of them
 * fixed the body turns about the third, Q = R(psi e) Q_0; with one fixed, that component of the
 * rotation vector of Q Q_0^T stays 0. When a rigid body has turned by then, this does not fix
 * single scalars of its rotation vector, so its body frame becomes the present one
 * (rigid_motion_reframe). The map of an affine body keeps the row e^T A. */
typedef struct rigid_condition {
    condition path; /* without nodes */
    int32_t rigid;
    int rotation_axes;       /* bits 1, 2, 4: about the world's axes */
    ARRAY(rigid_pose) poses; /* instead of motions: at the end of each step */
    double pose_step;
    double *start; /* 12: centre and frame, row by row, when the condition began */
} rigid_condition;

enum { RIGID_CONDITION_START = 12 };

typedef struct rigid_torque {
    int32_t rigid;
    double from, until;
    vec3 torque; /* N m, world axes */
} rigid_torque;

typedef struct rigid_motion {
    const model *model;
    motion_state turn; /* 9 scalars per rigid body: Q row by row, and its derivatives */
    double *turn_tilde, *turn_new;
    rigid_inertia_term *inertia; /* NULL without rigid bodies */
    affine_term *affine;         /* NULL without affine bodies */
    ARRAY(rigid_condition) conditions;
    ARRAY(double) condition_start;
    ARRAY(int32_t) condition_began;
    ARRAY(rigid_torque) torques;
    /* Frames of rigid bodies that differ from that at the start, 9 numbers per body of the model:
     * y = q + R(theta) B X. Saved; `framed`: those that the model has now. Empty where no condition
     * can ask for one, and the arms and moments at the start, from which the others are made. */
    ARRAY(double) frame, framed;
    ARRAY(vec3) first_arms;
    ARRAY(mat3) first_moments;
    int64_t reframed; /* how often, so far */
} rigid_motion;

/* x_tilde: the predictor of all blocks, which must live as long. Terms are added to the problem. */
abut_status rigid_motion_init(rigid_motion *r, const model *m, const motion_state *state,
                              const double *x_tilde, problem *p, abut_error *err);
void rigid_motion_free(rigid_motion *r);

/* What a surface point moves at most when one of the block's scalars changes by 1. */
double rigid_block_length(const model *m, size_t block);
/* Inertia of a block's scalars, for weighing them against each other. */
double rigid_block_mass(const model *m, size_t block);
/* Writes the velocities of a body that moves with v and w (rad/s) into the blocks at x. */
void rigid_set_velocity(const rigid_body *body, const double *x, vec3 v, vec3 w, double *velocity);
/* An affine body cannot fix a single axis of rotation: false for such conditions. */
bool rigid_condition_possible(const rigid_body *body, int rotation_axes);

/* Centre and frame that a condition wants at `time`, which began at its `start`. */
void rigid_condition_pose(const rigid_motion *r, const rigid_condition *c, const rigid_body *body,
                          double time, vec3 *center, mat3 *frame);

/* After the velocities are known, before the first step. gravity plays no part in rotations. */
abut_status rigid_motion_start(rigid_motion *r, const motion_state *state, double *acceleration,
                               abut_error *err);
/* Before the step from `time`: where a condition that fixes some axes of rotation, not all, begins
 * on a rigid body that has turned, the body frame becomes that of this moment. */
void rigid_motion_reframe(rigid_motion *r, model *m, motion_state *state, double time);
/* After the state was loaded: makes the model's frames those of the state. */
void rigid_motion_restore(rigid_motion *r, model *m);
/* Predictors and torques of the step from `time`; factor: of forces. */
void rigid_motion_predict(rigid_motion *r, const motion_state *state, double time, double h,
                          double factor);
/* What rotation vectors change by when the bodies go on with their angular velocities for h; into
 * `change`, over all coordinates. */
void rigid_motion_turn_ahead(const rigid_motion *r, const motion_state *state, double h,
                             double *change);
/* Marks prescribed scalars and sets their targets at `end`. */
void rigid_motion_prescribe(rigid_motion *r, const double *x, double time, double end,
                            uint8_t *fixed, double *target);
/* Takes x as the result of the step, after the other coordinates were advanced; wraps rotation
 * vectors in state->x and writes angular velocities. fixed: what was prescribed. */
void rigid_motion_advance(rigid_motion *r, motion_state *state, double h, const double *start,
                          const uint8_t *fixed);

/* Gives the bodies that touch something (flags of blocks) the accelerations that they would have
 * without contact; rest: what the velocities change by per change of acceleration. */
void rigid_motion_drop_contact(rigid_motion *r, motion_state *state, double time, double rest,
                               const uint8_t *touched, const uint8_t *fixed);

/* Adds the rotational parts of energies and momenta. */
typedef struct rigid_measures {
    double kinetic, stored;
    vec3 angular_momentum; /* about the centres */
} rigid_measures;
rigid_measures rigid_motion_measure(const rigid_motion *r, const motion_state *state);

/* What has to be saved; returns the number of arrays, at most capacity. */
size_t rigid_motion_state(rigid_motion *r, state_array *out, size_t capacity);

#endif
