/* Derivatives of whole simulations, contact and friction included (docs/gradients.md).
 *
 *     abut_gradient *g;
 *     abut_objective o = abut_default_objective();     (squared distance of all nodes ...)
 *     o.target = where, o.target_count = 3 * nodes;    (... to these positions at the end)
 *     abut_gradient_create("ball.json", NULL, &g, &error);
 *     abut_gradient_add_objective(g, &o, &error);
 *     abut_gradient_add_parameter(g, "key", "materials.rubber.young", &error);
 *     abut_gradient_evaluate(g, NULL, &value, derivative, &error);
 *     abut_gradient_destroy(g);
 *
 * A run is differentiated as it was computed: backwards from step to step, one linear solve per
 * solve of a step, whatever the number of parameters. */
#ifndef ABUT_GRADIENT_H
#define ABUT_GRADIENT_H

#include <abut/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct abut_gradient abut_gradient;

typedef struct abut_gradient_options {
    const char *const *overrides; /* "path=value", as the command's --set */
    size_t override_count;
    abut_log_function log; /* NULL: silent */
    void *log_user;
    abut_log_level log_level;
    int64_t steps;    /* of the run; 0: to the end of the scene */
    double tolerance; /* of Newton's method, in place of solver.tolerance; 0: 1e-6 m/s, or m */
    size_t snapshots; /* states that are kept; 0: all */
} abut_gradient_options;
ABUT_API abut_gradient_options abut_default_gradient_options(void);

/* Reads a scene of any kind. ABUT_ERROR_UNSUPPORTED names what cannot be differentiated (remeshing,
 * the stepper mlcp, rods with twist ...). options may be NULL. */
ABUT_API abut_status abut_gradient_create(const char *scene_path,
                                          const abut_gradient_options *options, abut_gradient **out,
                                          abut_error *error);
/* The same for a scene in memory, as abut_sim_create. */
ABUT_API abut_status abut_gradient_create_text(const char *text, size_t length, const char *path,
                                               const abut_gradient_options *options,
                                               abut_gradient **out, abut_error *error);
ABUT_API void abut_gradient_destroy(abut_gradient *g); /* NULL is fine */

/* ---- what is minimised ---- */

typedef enum abut_objective_kind {
    ABUT_OBJECTIVE_POSITIONS,     /* 1/2 |x - target|^2 over the nodes of a body, or of all */
    ABUT_OBJECTIVE_VELOCITIES,    /* the same of velocities */
    ABUT_OBJECTIVE_CENTER,        /* 1/2 |c - target|^2, c the centre of mass of a body */
    ABUT_OBJECTIVE_KINETIC,       /* kinetic energy of all nodes, J */
    ABUT_OBJECTIVE_ELASTIC,       /* energy of all elastic terms, J */
    ABUT_OBJECTIVE_CONTACT_FORCE, /* 1/2 |F - target|^2, F the sum of the contact forces on a body,
                                     N */
    ABUT_OBJECTIVE_FUNCTION,      /* of the caller */
    ABUT_OBJECTIVE_CLOUD,         /* 1/2 sum |x - nearest of the target points|^2 over the nodes */
    ABUT_OBJECTIVE_STRESS /* (mean of |P|^8)^(1/8) over a body of linear tetrahedra, Pa: P the
                             first Piola-Kirchhoff stress, |P| its Frobenius norm */
} abut_objective_kind;

/* A function of the state: 3 scalars per node (blocks as in abut_sim_positions). Returns its value;
 * adds its derivatives to by_x and by_v, which are NULL when only the value is wanted. */
typedef double (*abut_objective_function)(void *user, double time, size_t scalars, const double *x,
                                          const double *v, double *by_x, double *by_v);

typedef struct abut_objective {
    abut_objective_kind kind;
    const char *body;     /* NULL: all bodies */
    double weight;        /* 1 */
    const double *target; /* 3 per node of the body, or 3 in all; NULL: 0 */
    size_t target_count;
    bool last;          /* at the end of the run (the default), else: */
    double from, until; /* summed over the steps that end within, s */
    /* A trajectory: summed over the steps that end nearest to these times (s, ascending), each with
     * a target of its own: as many targets one after the other. NULL: none. */
    const double *times;
    size_t time_count;
    abut_objective_function function;
    void *user;
} abut_objective;
ABUT_API abut_objective abut_default_objective(void);
/* The objective of a run is the sum of all that were added. */
ABUT_API abut_status abut_gradient_add_objective(abut_gradient *g, const abut_objective *o,
                                                 abut_error *error);

/* ---- by what it is differentiated ---- */

/* kind and name: "key" with the path of any number of the scene ("gravity[1]",
 * "bodies[0].velocity[2]"), or a field of a body by its name: "initial_positions",
 * "initial_velocities", "rest_positions", "shape" (rest and start alike), "young", "poisson" (one
 * per element of a solid), "forces" (constant, 3 per node). */
ABUT_API abut_status abut_gradient_add_parameter(abut_gradient *g, const char *kind,
                                                 const char *name, abut_error *error);
/* Scalars of all parameters, in the order in which they were added; their values in the scene. */
ABUT_API size_t abut_gradient_scalar_count(const abut_gradient *g);
ABUT_API void abut_gradient_values(const abut_gradient *g, double *values);

/* Runs the scene with these values (NULL: those of the scene). derivative: one per scalar; NULL:
 * only the value is wanted. On ABUT_ERROR_INFEASIBLE the values cannot be simulated (inverted rest
 * shape, intersecting start). */
ABUT_API abut_status abut_gradient_evaluate(abut_gradient *g, const double *values,
                                            double *objective, double *derivative,
                                            abut_error *error);

/* The same forwards, for few scalars (at most 200): without a tape, with two models of memory per
 * scalar. Derivatives of caller's functions are not asked for. square: the matrix J^T J of the
 * residuals r of an objective that is a sum of |r|^2 / 2 (distances to targets), scalars x scalars,
 * for methods of least squares; NULL: not wanted. */
ABUT_API abut_status abut_gradient_evaluate_forward(abut_gradient *g, const double *values,
                                                    double *objective, double *derivative,
                                                    double *square, abut_error *err);

/* What the last evaluation was like. */
typedef struct abut_gradient_info {
    int64_t steps, steps_again; /* of the run; made again because states were not kept */
    size_t solves, saddles;     /* linear systems; those whose matrix was indefinite */
    double worst_residual;      /* relative */
    double least_curvature;     /* of all steps, relative to the diagonal of the Hessian */
    bool stiffness_frozen;      /* kappa was chosen by the run, and kept fixed */
    size_t tape_bytes;
} abut_gradient_info;
ABUT_API void abut_gradient_get_info(const abut_gradient *g, abut_gradient_info *out);

/* The scene with the values of "key" parameters put in, as JSON: free() it. */
ABUT_API char *abut_gradient_scene(const abut_gradient *g, const double *values);

#ifdef __cplusplus
}
#endif

#endif
