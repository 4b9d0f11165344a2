/* One time step after the other: predictor, prescribed motion, Newton, integrator update. */
#ifndef STEP_STEPPER_H
#define STEP_STEPPER_H

#include "base/log.h"
#include "body/model.h"
#include "contact/adhesion_term.h"
#include "contact/contact_term.h"
#include "contact/friction_term.h"
#include "contact/guard_term.h"
#include "linear/solver.h"
#include "mlcp/mlcp.h"
#include "solve/newton.h"
#include "step/dirichlet_data.h"
#include "step/dirichlet_overlap.h"
#include "step/integrator.h"
#include "step/options.h"
#include "step/path.h"
#include "step/rigid_motion.h"
#include "step/step_record.h"
#include "step/unreached.h"
#include "term/augmented_lagrangian.h"
#include "term/damping.h"
#include "term/elastic.h"
#include "term/inertia.h"
#include "term/proximal.h"
#include "term/shell.h"
#include "term/surface_load.h"
#include "term/term_row.h"

/* A constant load on some nodes during a time window. */
typedef struct load {
    ARRAY(int32_t) nodes;
    double from, until;
    vec3 force;        /* N per node */
    vec3 acceleration; /* m/s^2 */
    /* Added to it: a function of the rest position and the time at the end of the step; NULL: none.
     */
    expression *field[3];
    /* Factor on the force of each node, for loads that are spread by area; empty: all 1. */
    ARRAY(double) share;
} load;

/* What remeshing did in a step. */
typedef struct remesh_counts {
    size_t splits, collapses, swaps, smoothings; /* that were kept */
    size_t attempts;                             /* in all */
    size_t projections;                          /* of positions that needed a solve */
    bool changed;                                /* the step was solved again on another mesh */
} remesh_counts;

typedef struct step_statistics {
    int newton_iterations, friction_iterations;
    /* Friction passes were to go on until the forces converge, but cycled or became too many. */
    bool friction_not_converged;
    bool truncated;       /* the step ended with its budget, feasible but not converged */
    bool newton_at_noise; /* a solve ended where the energy's rounding hides further descent */
    /* Of the largest force, where the rule of forces asked last (solve/force_balance.h); 0: it did
     * not. */
    double unbalanced_force;
    size_t contacts;
    double min_distance, kappa;
    double kinetic, elastic, gravity, contact; /* J */
    vec3 linear_momentum, angular_momentum;
    double min_volume_ratio; /* smallest det F */
    bool unconverged;        /* mlcp: the step was cut short */
    bool dirichlet_overlap;  /* prescribed bodies meet in this step, which is allowed */
    int repeats;             /* of the step, because its result failed the exact check */
    int substeps;            /* that the step was done in: 1, or more after a failure */
    double joint_violation;  /* worst of all joints: rad, or as a share of the scene's size */
    double max_stretch;      /* largest singular value of F, sheets included */
    stretch_range sheets;
    /* Incremental potential at the end of the step, loads by displacements, divided by the
     * integrator's factor on forces, J; 0 before the first step and for the stepper mlcp. */
    double potential;
    size_t unknowns; /* scalars that the step solved for */
    remesh_counts remesh;
} step_statistics;

/* A term of the table of terms. */
typedef struct made_term {
    term *term;
    const term_row *row;
} made_term;

/* Dirichlet data: conditions of the scene with what they remember (state), and what is prescribed
 * in the present step (scratch). */
typedef struct dirichlet_data {
    ARRAY(condition) conditions;
    ARRAY(double) start; /* of all conditions */
    ARRAY(int32_t) began;
    uint8_t *fixed;        /* 3 per block: this scalar is prescribed */
    double *target;        /* 3 per block: where it should go */
    double *user;          /* 3 per block: what a caller wants instead, NaN: nothing; NULL: none */
    int32_t *condition_of; /* per block, scratch */
    double
        *reaction; /* 3 per block, N: forces of the supports (reactions.h); NULL: not asked for */
} dirichlet_data;

/* Prescribed nodes that cannot reach their targets at once are unknowns under an augmented
 * Lagrangian until they arrive. */
typedef struct augmented_lagrangian {
    augmented_lagrangian_term *term;
    lagrangian_progress progress;
    double start2; /* sum of squared distances to the targets at the start */
    bool active;
} augmented_lagrangian;

/* Forces that do not depend on the unknowns. */
typedef struct load_list {
    ARRAY(load) nodes;
    surface_load_term *surfaces; /* NULL without loads on surfaces */
    double *user;                /* N, 3 per block, on top of the others; NULL: none */
    ARRAY(adhesion_term *) adhesions;
} load_list;

/* What the linear solver remembers, filled by stepper_state. */
typedef struct linear_memory {
    ARRAY(int32_t) order;
    double numbers[LINEAR_NUMBERS], choice[LINEAR_CHOICE];
} linear_memory;

/* The stepper of linear complementarity; contact and friction only lend it their data. */
typedef struct mlcp_part {
    mlcp_solver *solver; /* NULL unless asked for */
    mlcp_statistics statistics;
} mlcp_part;

/* What the coordinates of a block are. */
typedef struct block_shape {
    double *lengths; /* per block: how far surface points move per unit */
    uint8_t *points; /* per block: its coordinates are a position */
} block_shape;

/* The step, or sub-step, from stepper.time on. */
typedef struct step_span {
    double h, end;      /* s */
    int max_iterations; /* of Newton's method */
} step_span;

/* Whether the run shall end within a step. NULL: never. */
typedef struct stop_request {
    bool (*asked)(void *user);
    void *user;
} stop_request;

typedef struct step_scratch {
    step_span span;
    stop_request stop;
    struct saved_state *before; /* the state before the attempt that is being made */
    double *work, *gradient;    /* 3 per block */
    const double *guess; /* during stepper_solve: where the iterate begins; NULL: at the start */
    step_record *record; /* what a solve went through is written here; NULL: nowhere; borrowed */
} step_scratch;

typedef struct stepper {
    model *model; /* owned */
    stepper_options options;
    const logger *log;
    stage_timer timer;
    motion_state state;
    double time;
    dirichlet_data dirichlet;
    load_list loads;
    linear_memory memory;
    rigid_motion rigid;
    inertia_term *inertia;
    elastic_term *elastic;
    ARRAY(made_term) terms; /* of the table (term/term_row.h), those that the model needs */
    augmented_lagrangian augmented;
    damping_term *damping;   /* NULL without damped bodies */
    proximal_term *proximal; /* NULL without its weight */
    contact_term *contact;   /* NULL without contact */
    friction_term *friction; /* NULL without contact */
    guard_term *guard;       /* NULL without contact */
    mlcp_part mlcp;
    dirichlet_overlap dirichlet_overlap;
    problem problem;
    evaluation evaluation; /* of the step; the stages of the step and the stiffness change it */
    linear_solver *linear;
    newton_solver newton;
    block_shape blocks;
    double *x, *start; /* iterate; positions at the start of the step */
    step_scratch scratch;
    step_path path; /* of the last step, when enabled */
} stepper;

/* Takes the model over (also on failure). Conditions and loads are added before stepper_start. */
abut_status stepper_create(model *m, const stepper_options *options, const logger *log,
                           stepper **out, abut_error *err);
void stepper_destroy(stepper *s);
/* A load on sides of the mesh of a body (term/surface_load.h). */
abut_status stepper_add_surface_load(stepper *s, surface_load added, const mesh *m,
                                     const side_list *sides, const int32_t *block_of_vertex,
                                     abut_error *err);
/* Takes the term over, also on failure. */
abut_status stepper_add_adhesion(stepper *s, adhesion_term *added, abut_error *err);
/* Initial velocities (3 per block, may be NULL), first accelerations. */
abut_status stepper_start(stepper *s, const double *velocity, abut_error *err);

/* Follows the prescribed motion until `end` (s), as far as it does not depend on the run, and
 * refuses prescribed bodies that meet: ABUT_ERROR_INFEASIBLE, or a warning where that is allowed.
 * Beyond a limit of work, meetings are left to the steps themselves. remeshed: what deformable
 * bodies do depends on their later meshes. The state stays as it is. */
abut_status stepper_check_dirichlet_ahead(stepper *s, double end, bool remeshed, abut_error *err);

/* A stage between solving a step and taking its result: may replace the stepper by one on other
 * meshes that has solved the step as well. */
typedef struct remesh_stage {
    void *context;
    abut_status (*change)(void *context, stepper **at, step_statistics *statistics,
                          abut_error *err);
} remesh_stage;

/* One step of size h; one that does not converge is done in sub-steps, down to h /
 * 2^substep_halvings. remesh may be NULL. On ABUT_ERROR_NOT_CONVERGED the state is that before the
 * step. */
abut_status step_advance(stepper **at, const remesh_stage *remesh, step_statistics *statistics,
                         abut_error *err);
/* The same without remeshing. */
abut_status stepper_advance(stepper *s, step_statistics *statistics, abut_error *err);
/* The same in two parts. The first finds the positions at the end of the step (s->x) and leaves the
 * state as it is, so that it can be repeated; guess: feasible positions to start from, with
 * prescribed nodes where they belong at the end of the step, NULL: those of the state. The second
 * takes them. */
abut_status stepper_solve(stepper *s, const double *guess, step_statistics *statistics,
                          abut_error *err);
abut_status stepper_finish(stepper *s, step_statistics *statistics, abut_error *err);
/* The beginning of the first part alone: predictor, loads, Dirichlet data and what terms do at the
 * start of the step, for evaluating its potential without solving. */
abut_status stepper_begin_step(stepper *s, double end, abut_error *err);
/* Friction counts from now on, with displacements from the start of the step and the forces of
 * contacts at x with this stiffness. */
abut_status stepper_take_friction(stepper *s, const double *x, double kappa, abut_error *err);
/* Targets of the caller's (targets.c): makes room for them, all NaN; refuses infinite ones. */
abut_status stepper_want_targets(stepper *s, abut_error *err);
abut_status stepper_check_targets(const stepper *s, abut_error *err);
/* Adds a term that a caller has made to the potential of all later steps, and takes it over, also
 * on failure. */
abut_status stepper_add_term(stepper *s, term *t, const term_row *row, abut_error *err);
/* What forces of contact and friction are multiplied by in the potential of a step. */
double stepper_contact_factor(const stepper *s);
/* Between the two, `to` being s->x: whether what is prescribed meets on the path from the start of
 * the step. ABUT_ERROR_OVERLAP, or noted in the statistics where it is allowed. */
abut_status stepper_check_dirichlet_overlap(stepper *s, const double *to,
                                            step_statistics *statistics, abut_error *err);
/* The term of the table with this name of its class; NULL: the scene does not need it. */
term *stepper_find_term(const stepper *s, const char *name);
/* The state was loaded or carried over from another mesh. */
void stepper_restart_terms(stepper *s);
/* Energies and momenta of the current state. */
void stepper_measure(stepper *s, step_statistics *statistics);

/* No step may come: gives back memory that the next one would fill anew. */
void stepper_rest(stepper *s);

/* The arrays that make up the state, for saving and loading: positions, velocities, ... */
/* Fills out (room for `capacity`); returns the number. Loading writes into the same arrays; call
 * stepper_restore afterwards. */
size_t stepper_state(stepper *s, state_array *out, size_t capacity);
/* More arrays than a stepper can have, whatever the scene (step/stepper_state.c). */
enum { STEPPER_MAX_ARRAYS = 128 };
abut_status stepper_restore(stepper *s, int64_t steps, abut_error *err);
/* The part of it whose length changes from step to step: contacts of the stepper "mlcp" or anchors
 * of friction. Its name in checkpoints; NULL: there is none. */
const char *stepper_contact_memory(const stepper *s);
abut_status stepper_save_contacts(stepper *s, saved_numbers *out, abut_error *err);
abut_status stepper_restore_contacts(stepper *s, const saved_numbers *saved, abut_error *err);
/* The part of it that is about the frames of rigid bodies. */
abut_status stepper_restore_poses(stepper *s, abut_error *err);

#endif
