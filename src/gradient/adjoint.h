/* The adjoint of a step: derivatives of an objective by the state at the end of a step become
 * derivatives by the state at its start (docs/theory/gradients.md).
 *
 * A step is the minimum of a smooth potential, G(y; lag, start, predictor, parameters) = 0 in the
 * unknowns y. With H w = (derivative by y), the derivative by anything else in G is -w . dG. */
#ifndef GRADIENT_ADJOINT_H
#define GRADIENT_ADJOINT_H

#include "gradient/constrained_solve.h"
#include "gradient/integrator_map.h"
#include "gradient/tape.h"

/* Derivatives by the parts of a state, in the layout of the state. Blocks of rotation vectors hold
 * the derivative by the rotation vector in nodes.x, by the angular velocity in nodes.v. */
typedef struct state_bar {
    motion_state nodes, turn;
    ARRAY(double) conditions;       /* by the positions at which conditions began */
    ARRAY(double) rigid_conditions; /* the same for rigid bodies: centres */
} state_bar;

typedef struct adjoint adjoint;

/* Who wants to know of parameters. All may be NULL. */
typedef struct adjoint_listener {
    void *context;
    /* The step is open (tape_open) and at its last pass: adds derivatives of the objective by the
     * state at its end. */
    abut_status (*objective)(void *context, adjoint *a, const tape_step *t, abut_error *err);
    /* The terms are updated at the positions of the pass: -w . dG/dp is the part of a parameter p,
     * and -mu . dc/dp where terms hold constraints (a->solver.force; rows are collected). */
    abut_status (*pass)(void *context, adjoint *a, const tape_step *t, size_t pass, const double *w,
                        abut_error *err);
    /* Derivatives by the targets of prescribed scalars (3 per block), and, where accelerations were
     * computed from forces (Newmark's rule), the z with the part z . d(f - M a)/dp; else NULL. */
    abut_status (*step)(void *context, adjoint *a, const tape_step *t, const double *target,
                        const double *z, abut_error *err);
} adjoint_listener;

struct adjoint {
    stepper *s; /* borrowed */
    state_bar bar;
    constrained_solver solver;
    const adjoint_listener *listener;
    uint8_t *integrated; /* 3 per block: follows the integrator as it is (no rotation vector) */
    /* Derivatives within the step, 3 per block: by its positions, predictor, start, lag, targets.
     */
    double *y, *tilde, *start, *lag, *target, *w, *work, *z;
    double *led;                   /* w without followers, whose parts the term of followers adds */
    double *turn_tilde, *turn_new; /* 9 per rigid body */
    /* Per vertex of the surface. */
    vec3 *moved, *direction, *pull;
};

abut_status adjoint_create(stepper *s, const adjoint_listener *listener, adjoint **out,
                           abut_error *err);
void adjoint_destroy(adjoint *a);

/* a->bar: from that by the state at the end of the step to that by the state at its start. */
abut_status adjoint_step(adjoint *a, const tape_step *t, abut_error *err);
/* The state at the start of a run: its first accelerations follow from positions (Newmark), those
 * of rotations from angular velocities. Afterwards nodes.x and nodes.v hold everything. */
abut_status adjoint_start(adjoint *a, abut_error *err);

/* ABUT_ERROR_UNSUPPORTED with the name of what has no derivative in this scene. */
abut_status adjoint_possible(const stepper *s, abut_error *err);

/* Derivatives by targets become derivatives by the start of the step or of conditions
 * (targets.c). began: flags of the conditions before the step. */
void adjoint_pull_targets(adjoint *a, const int32_t *began, const int32_t *rigid_began);
/* Rotations of rigid bodies (turns.c): from the end of the step to its positions; from the
 * predictor to the start; torques. */
abut_status adjoint_pull_turns(adjoint *a, const double *x_end, abut_error *err);
void adjoint_add_turn_tilde(adjoint *a, const double *x, const double *w);
abut_status adjoint_finish_turns(adjoint *a, abut_error *err);
void adjoint_start_turns(adjoint *a);

#endif
