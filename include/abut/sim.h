/* The simulator layer: load a scene, step it, read and write its state.
 *
 *     abut_error error;
 *     abut_sim *sim;
 *     if (abut_sim_load("bar.json", NULL, &sim, &error) != ABUT_OK) return puts(error.message);
 *     for (int i = 0; i < 100; i++) abut_sim_step(sim, &error);
 *     abut_sim_destroy(sim);
 *
 * Several simulations may live in one process and run in different threads. */
#ifndef ABUT_SIM_H
#define ABUT_SIM_H

#include <abut/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- several processes (docs/cluster.md) ---- */

/* Joins the processes that mpirun or srun started; does nothing where there is one and no options
 * are given. petsc_options: as on PETSc's command line, or NULL. Once, before any simulation. */
ABUT_API abut_status abut_ranks_start(const char *petsc_options, abut_error *error);
ABUT_API int abut_rank(void); /* 0 .. abut_rank_count() - 1 */
ABUT_API int abut_rank_count(void);
/* This process has come to its end, with an exit code. Waits for the others, but not for long when
 * it has failed. Returns the code of all; *speaks: this rank has the message to show. */
ABUT_API int abut_ranks_end(int code, bool *speaks);
/* Ends MPI, or all processes when the others did not come. The last call. */
ABUT_API void abut_ranks_finish(int code);

typedef struct abut_sim abut_sim;

typedef struct abut_sim_options {
    const char *const *overrides; /* "path=value", as the command's --set */
    size_t override_count;
    abut_log_function log; /* NULL: silent */
    void *log_user;
    abut_log_level log_level;
    int threads; /* 0: OMP_NUM_THREADS, or one per core */
    /* Where start_problems.vtu is written when the start intersects; NULL: nowhere. */
    const char *problem_folder;
} abut_sim_options;

ABUT_API abut_sim_options abut_default_sim_options(void);

/* Reads and builds a scene. options may be NULL. A start that intersects is ABUT_ERROR_INFEASIBLE,
 * and the log tells where. */
ABUT_API abut_status abut_sim_load(const char *scene_path, const abut_sim_options *options,
                                   abut_sim **out, abut_error *error);
/* The same for a scene that is in memory (`length` bytes). path: where it would be if it were a
 * file; meshes are looked for beside it, and messages name it. NULL: "scene.json" in the working
 * folder. */
ABUT_API abut_status abut_sim_create(const char *text, size_t length, const char *path,
                                     const abut_sim_options *options, abut_sim **out,
                                     abut_error *error);
ABUT_API void abut_sim_destroy(abut_sim *sim); /* NULL is fine */

/* One time step. On failure the state is that before the step. */
ABUT_API abut_status abut_sim_step(abut_sim *sim, abut_error *error);

/* Numbers of the last step. */
typedef struct abut_step_info {
    int64_t step;
    double time;
    int newton_iterations, friction_iterations;
    size_t contact_count;
    double min_distance;                              /* infinite when nothing is near */
    double kinetic, elastic, gravity, contact_energy; /* J */
    double linear_momentum[3], angular_momentum[3];
    double kappa; /* stiffness of the barrier; 0 without contact */
} abut_step_info;
ABUT_API void abut_sim_info(const abut_sim *sim, abut_step_info *out);

/* State: 3 doubles per node, all bodies after each other in the order of the scene. The pointers
 * stay valid and current until the simulation is destroyed (of scenes with `remesh`: until the next
 * step); writing to them changes the state (see abut_sim_check). A rigid body has two such blocks,
 * its centre and its rotation vector, an affine one four, its centre and the columns of its matrix.
 */
ABUT_API size_t abut_sim_node_count(const abut_sim *sim);
ABUT_API double *abut_sim_positions(abut_sim *sim);
ABUT_API double *abut_sim_velocities(abut_sim *sim);
ABUT_API const double *abut_sim_masses(const abut_sim *sim); /* kg, one per node */
ABUT_API double abut_sim_time(const abut_sim *sim);
ABUT_API double abut_sim_time_step(const abut_sim *sim);
/* Number of steps that take the scene to its end time. */
ABUT_API int64_t abut_sim_steps_total(const abut_sim *sim);

/* Forces of your own (N, 3 per node), on top of those of the scene: zero at first, and constant
 * until they are written again. NULL when there is no memory. */
ABUT_API double *abut_sim_forces(abut_sim *sim);

/* An independent, exact check of the state, and whether it can be gone on from. To be called after
 * positions were written: ABUT_ERROR_INFEASIBLE when they intersect or elements are inverted. out
 * may be NULL. */
typedef struct abut_state_check {
    size_t intersections, inverted;
    double min_distance; /* infinite when nothing is near */
} abut_state_check;
ABUT_API abut_status abut_sim_check(const abut_sim *sim, abut_state_check *out, abut_error *error);

/* Everything that the next steps depend on, to a file and back (that of the same scene); the
 * steps after that have the same bits. abut_sim_restore also reads checkpoint.h5 of runs. */
ABUT_API abut_status abut_sim_save(abut_sim *sim, const char *path, abut_error *error);
ABUT_API abut_status abut_sim_restore(abut_sim *sim, const char *path, abut_error *error);

/* The scene as it is run, with all defaults, as JSON. It belongs to the caller: free(). */
ABUT_API char *abut_sim_scene(const abut_sim *sim);

/* ---- Bodies and their surface --------------------------------------------------------------- */

typedef struct abut_body {
    const char *name;
    const char *kind; /* "deformable", "obstacle", ... as in scenes */
    bool kinematic;   /* its motion is given: obstacles */
    size_t first_node, node_count;
    size_t first_vertex, vertex_count; /* in the surface */
    size_t first_edge, edge_count;
    size_t first_triangle, triangle_count;
} abut_body;

ABUT_API size_t abut_sim_body_count(const abut_sim *sim);
/* False when there is no body of that number. The names live as long as the simulation. */
ABUT_API bool abut_sim_body(const abut_sim *sim, size_t index, abut_body *out);

/* The collision surface of all bodies: what may touch. Fits abut_collision_mesh_definition. The
 * arrays belong to the simulation and do not change. */
ABUT_API size_t abut_sim_vertex_count(const abut_sim *sim);
ABUT_API const int32_t *abut_sim_edges(const abut_sim *sim, size_t *count);     /* 2 each */
ABUT_API const int32_t *abut_sim_triangles(const abut_sim *sim, size_t *count); /* 3 each */
/* Positions of its vertices now, and at the start of the scene; 3 doubles each. */
ABUT_API void abut_sim_vertices(const abut_sim *sim, double *positions);
ABUT_API void abut_sim_rest_vertices(const abut_sim *sim, double *positions);
/* The tetrahedra of all bodies, 4 nodes each; NULL when there are none. */
ABUT_API const int32_t *abut_sim_tetrahedra(const abut_sim *sim, size_t *count);

/* ---- Joints --------------------------------------------------------------------------------- */

/* A joint, gear or attached node of the scene, after the last step. Angles in radians. */
typedef struct abut_joint {
    const char *name;
    const char *kind;                /* "hinge", ... as in scenes */
    bool turns, slides;              /* the coordinates it has */
    bool broken;                     /* for good */
    double position[2], velocity[2]; /* angle about and slide along its axis */
    double effort[2];                /* of its motors: N m, N */
    double force[3], torque[3];      /* by which `to` holds `body`: N, N m */
} abut_joint;

ABUT_API size_t abut_sim_joint_count(const abut_sim *sim);
/* False when there is no joint of that number. The names live as long as the simulation. */
ABUT_API bool abut_sim_joint(const abut_sim *sim, size_t index, abut_joint *out);
/* Targets of the motors, two numbers per joint (for the angle and the slide): a position, velocity
 * or effort, as the motor says, in radians and SI units. NAN, as at first: what the scene says.
 * Numbers of joints without such a motor are not used. NULL without joints. They are no part of the
 * state.
 */
ABUT_API double *abut_sim_joint_targets(abut_sim *sim);

/* ---- Runs ----------------------------------------------------------------------------------- */

/* A whole run with results in a folder (frames, steps.csv, run.json, checkpoint.h5). */
typedef struct abut_run_options {
    const char *folder;
    int64_t steps; /* at most this many steps in all; negative: to the end time */
    bool resume;   /* go on from the folder's checkpoint, if there is one */
    /* Called after each step (may be NULL); false stops the run after that step. */
    bool (*progress)(void *user, const abut_step_info *info, int64_t steps_total);
    void *progress_user;
    /* Asked within steps, between Newton iterations (may be NULL); true ends the run: the step is
     * undone, and a checkpoint of its start written. */
    bool (*stop)(void *user);
    void *stop_user;
} abut_run_options;
ABUT_API abut_run_options abut_default_run_options(void);
/* ABUT_OK, ABUT_INTERRUPTED (a callback said stop; a checkpoint was written) or what went wrong.
 */
ABUT_API abut_status abut_sim_run(abut_sim *sim, const abut_run_options *options,
                                  abut_error *error);

#ifdef __cplusplus
}
#endif

#endif
