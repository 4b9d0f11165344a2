/* What a stepper is told: rules of the scene that hold for all bodies. The rows of the scene format
 * write straight into it (scene/schema_table.c), which is also where defaults stand. */
#ifndef STEP_OPTIONS_H
#define STEP_OPTIONS_H

#include "contact/contact_term.h"
#include "contact/friction_stencil.h"
#include "linear/solver.h"
#include "mlcp/mlcp.h"
#include "solve/newton.h"
#include "step/integrator.h"

/* Steps that do not converge are divided (step/substeps.c). */
typedef struct substep_options {
    int after;    /* iterations after which a step is divided while it can be */
    int halvings; /* at most; 0: none */
} substep_options;

/* How contacts stick. */
typedef struct friction_form {
    friction_kind kind;
    bool anchors; /* friction at rest holds a displacement (contact/stick_anchor.h) */
} friction_form;

/* When Newton's method ends, besides the tolerance on its direction. */
typedef struct stop_rule {
    newton_measure measure; /* what the tolerance is compared with */
    double force_tolerance; /* share of the largest force that may be unbalanced; 0: any */
} stop_rule;

typedef struct stepper_options {
    double h; /* s */
    integrator integrator;
    double newmark_beta, newmark_gamma;
    bool newmark_plain; /* contact forces enter by Newmark's rule, too, and add energy */
    vec3 gravity;
    double tolerance; /* m/s; on the largest Newton direction entry over h (a length if
                         quasi-static) */
    int max_iterations;
    int budget; /* iterations after which a step ends as it is; 0: none */
    substep_options substeps;
    bool warm_start;        /* Newton begins where the bodies would be going on as they do */
    bool look_ahead;        /* Newton's directions know what stops them (solve/look_ahead.h) */
    newton_hessian hessian; /* whether directions may come from the true one */
    double proximal_weight; /* weight of the proximal term (term/proximal.h); 0: none */
    bool true_first;        /* before projected directions, wherever it gives a descent direction */
    stop_rule stop;
    bool split_limits; /* strain limits in a second solve, after the elastic one */
    linear_options linear;
    double forcing; /* largest relative residual of iterative linear solves; 0: all exact */
    bool contact;   /* off: bodies pass through each other */
    contact_options contact_options;
    bool check_every_trial;  /* the guard checks every trial of the line search, not only the result
                              */
    bool dirichlet_overlap;  /* prescribed bodies may go through each other; otherwise an error */
    double friction;         /* mu of bodies that give none */
    double eps_v;            /* m/s: slower sliding counts as sticking */
    int friction_iterations; /* passes of lagged friction per step; 0 = until converged */
    friction_form friction_form;
    bool reactions; /* forces of supports are found after every step (step/reactions.h) */
    bool use_mlcp;  /* the linear-complementarity stepper instead of the barrier */
    mlcp_options mlcp;
} stepper_options;

#endif
