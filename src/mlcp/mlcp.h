/* The linear-complementarity contact stepper (Verschoor and Jalba 2019): elasticity is linearised
 * once per step, contact and friction are rows of one symmetric indefinite system that a
 * preconditioned conjugate-residual iteration solves while the set of active rows changes.
 *
 * Unknowns are the displacements u of the step and one normal and two tangential multipliers per
 * contact. With A the matrix of inertia and elasticity and b its right-hand side,
 *
 *     A u = b + N^T lambda - T_s^T gamma - T_k^T gamma'
 *     gap = N u + gap0 >= 0,  lambda >= 0,  one of them 0         (active: gap = 0)
 *     slip = T u + slip0 = 0 and |gamma| <= mu lambda              (sticking)
 *     gamma' = mu lambda' direction, direction along the slip      (sliding)
 *
 * The printed signs and acceptance rules are repaired as docs/mlcp.md tells. Multipliers are
 * forces times the square of the step. */
#ifndef MLCP_MLCP_H
#define MLCP_MLCP_H

#include "base/saved_numbers.h"
#include "base/words.h"
#include "contact/contact_term.h"
#include "contact/friction_term.h"
#include "solve/problem.h"

/* Hyper-elastic energies are extrapolated below this ratio of volumes. */
#define MLCP_LEAST_VOLUME 0.7

#define MLCP_PRECONDITIONERS(ROW) ROW(MLCP_FULL, "full") ROW(MLCP_DIAGONAL, "diagonal")
typedef enum mlcp_preconditioner { MLCP_PRECONDITIONERS(WORD_CONSTANT) } mlcp_preconditioner;
extern const char *const mlcp_preconditioner_words[];

/* Defaults: src/scene/schema_table.c. */
typedef struct mlcp_options {
    double residual;  /* of the velocities, relative to the right-hand side */
    double tolerance; /* epsilon_2 in m: accuracy of rows, and the distance that contacts keep */
    mlcp_preconditioner preconditioner;
    int max_iterations; /* of conjugate residuals, per step */
    int max_passes;     /* of detection and linearisation, per step */
} mlcp_options;

typedef enum mlcp_state { MLCP_OFF, MLCP_STICKS, MLCP_SLIDES } mlcp_state;

/* Friction of a contact while it slides: a force along a direction that follows the slip. */
typedef struct mlcp_slide {
    double force[2]; /* gamma' */
    bool has_direction;
    double direction[2];
    double history[2]; /* of lambda */
    int history_count;
    double turn, last_turn; /* how far the direction follows the slip; sign of the last turn */
} mlcp_slide;

/* One contact: a pair of primitives (or a vertex and a half-space) with its row and its state. */
typedef struct mlcp_contact {
    ccd_kind kind;         /* point-triangle or edge-edge; point-point: vertex and half-space */
    int32_t first, second; /* primitives; second: the half-space */
    int count;             /* vertices */
    int32_t vertex[4];
    int32_t unknown[4]; /* their free blocks, or -1 */
    double weight[4];   /* signed: the first primitive's are positive */
    vec3 normal, tangent[2];
    vec3 used[4]; /* positions that the geometry was taken from */
    double gap0, slip0[2];
    bool fresh; /* met in this step: friction acts from the impact on */
    double mu;
    /* state */
    mlcp_state state;
    double lambda, gamma[2]; /* gamma: while sticking */
    double reference[3];     /* reference multipliers of the proximal term (solver.h) */
    int flips;               /* between sticking and sliding in this step */
    bool left;               /* off because the pair has moved past each other in this step */
    int refreshed;           /* times that the row was put back to the impact in this step */
    mlcp_slide slide;
    /* preconditioner */
    double scale_n, scale_t[2]; /* diagonal of L A_d^-1 L^T */
    double duplicates;          /* Z */
} mlcp_contact;

typedef struct mlcp_statistics {
    int iterations, passes;
    size_t contacts; /* active */
    size_t sticking;
    bool converged;
    int halvings;                                  /* counted by who repeats steps */
    double residual;                               /* of the velocities, relative */
    double error_normal, error_stick, error_slide; /* Fischer-Burmeister, m */
} mlcp_statistics;

typedef struct mlcp_solver mlcp_solver;

/* Borrows all; the contact and friction terms provide half-spaces, coefficients and the broad phase
 * and must not be terms of the problem. */
abut_status mlcp_create(const model *m, problem *p, contact_term *contact,
                        const friction_term *friction, const mlcp_options *options,
                        mlcp_solver **out, abut_error *err);
void mlcp_destroy(mlcp_solver *s);

/* One step of length h. start, velocity: at its beginning; x: the start with prescribed nodes where
 * they go, and the result. A step that does not converge is cut at the first impact on its path and
 * reported in the statistics; it is no error. */
abut_status mlcp_step(mlcp_solver *s, const evaluation *ev, const double *start,
                      const double *velocity, double *x, double h, mlcp_statistics *statistics,
                      abut_error *err);

/* Contacts as they were before the last step, so that it can be repeated. */
void mlcp_forget_step(mlcp_solver *s);

/* Contacts as numbers, for a checkpoint. What is saved belongs to the solver until the next call.
 */
abut_status mlcp_save(mlcp_solver *s, saved_numbers *out, abut_error *err);
abut_status mlcp_restore(mlcp_solver *s, const saved_numbers *saved, abut_error *err);

/* force[vertex] += contact and friction of the last step, N. */
void mlcp_add_forces(const mlcp_solver *s, vec3 *force);

/* Contacts after the last step, for tests. */
const mlcp_contact *mlcp_contacts(const mlcp_solver *s, size_t *count);

#endif
