/* Joints, attachments, couplings and drives as one term of the incremental potential.
 *
 * Constraints are met by an augmented Lagrangian, sum of lambda c + K/2 c^2 in J: when Newton's
 * method comes to rest, lambda += K c where |c| is above the tolerance, and it goes on. lambda and
 * the turns counted are the state; constraints are functions of positions, so that nothing drifts.
 * K = gain m / h^2 with the mass m that the rows see, so that rows in m and angles weigh alike. */
#ifndef CONSTRAINT_JOINT_TERM_H
#define CONSTRAINT_JOINT_TERM_H

#include "constraint/joint_dual.h"
#include "term/term.h"

/* Per joint: what is carried from step to step, as doubles. */
typedef struct joint_memory {
    double multiplier[JOINT_MAX_ROWS]; /* N, N m */
    double gain;
    double position[JOINT_COORDINATES], rate[JOINT_COORDINATES], effort[JOINT_COORDINATES];
    double broken;
} joint_memory;

typedef struct joint_term {
    term base;
    const model *model;
    ARRAY(joint_memory) memory;
    ARRAY(joint_step) steps;   /* scratch of the step */
    const double *begin;       /* positions at the start of the step; borrowed */
    ARRAY(double) multipliers; /* of the step; JOINT_MAX_ROWS per joint */
    ARRAY(double) shares;      /* of the inertia of the bodies, 2 per joint */
    ARRAY(double) gains, last; /* of the step; violation at the last update */
    ARRAY(double) commands;    /* targets by the caller, JOINT_COORDINATES per joint; NaN: none */
    ARRAY(int32_t) items, blocks; /* joint of every stencil, group after group; their blocks */
    size_t first_item[TERM_MAX_GROUPS];
    joint_dual dual;
    int32_t *followers; /* per block: what it follows, or -1; NULL: no block follows */
    int passes;         /* updates of the multipliers in this step */
    int rough;          /* of them, where rows were off by more than unrecorded steps allow */
    double nearest;     /* least violation of the step's updates, and after which it was reached */
    int nearest_pass;
    double violation; /* worst |c| at the last look: rad, or as a share of the scene's size */
    double tolerance; /* on it */
    double extent;    /* size of the scene, m */
} joint_term;

/* What depends on positions x at the start of a step, but where its coordinates are. */
void joint_step_from(const joint_term *t, size_t joint, const double *x, joint_step *step);

/* lambda += K c at x, K the stiffnesses of the step. */
void joint_update(joint_term *t, size_t joint, const double *x);

/* For derivatives of whole steps (joint_gradient.c). */
extern const term_constraints joint_constraints;
abut_status joint_by_start(term *t, const evaluation *ev, const double *x, const double *w,
                           double *out, abut_error *err);

/* The largest |c| of a joint: rad, or as a share of the scene's size. */
double joint_violation(const joint_term *t, size_t joint, const double *x);
double joint_worst_violation(const joint_term *t, const double *x); /* of all joints */
/* Force (N) and torque (N m, about the point) by which side 0 holds side 1 at x. */
void joint_reaction(const joint_term *t, size_t joint, const double *x, vec3 *force, vec3 *torque);

#endif
