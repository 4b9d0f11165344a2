/* The simulator layer: load a scene, step it, read and write its state.
 *
 *     abut_error error;
 *     abut_sim *sim;
 *     if (abut_sim_load("bar.json", NULL, &sim, &error) != ABUT_OK) { puts(error.message); return
 * 1; } for (int i = 0; i < 100; i++) abut_sim_step(sim, &error); abut_sim_destroy(sim);
 *
 * Several simulations may live in one process and run in different threads. */
#ifndef ABUT_SIM_H
#define ABUT_SIM_H

#include <abut/base.h>

#ifdef __cplusplus
extern "C" {
#endif

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
ABUT_API void abut_sim_destroy(abut_sim *sim);

/* One time step. On failure the state is that before the step. */
ABUT_API abut_status abut_sim_step(abut_sim *sim, abut_error *error);

/* Numbers of the last step. */
typedef struct abut_step_info {
    int64_t step;
    double time;
    int newton_iterations, friction_iterations;
    size_t contacts;
    double min_distance; /* infinite when nothing is near */
    double kinetic, elastic, gravity, contact;
    double linear_momentum[3], angular_momentum[3];
} abut_step_info;
ABUT_API void abut_sim_info(const abut_sim *sim, abut_step_info *out);

/* State: 3 doubles per node, all bodies after each other in the order of the scene. The pointers
 * stay valid and current until the simulation is destroyed; writing to them changes the state. */
ABUT_API size_t abut_sim_node_count(const abut_sim *sim);
ABUT_API double *abut_sim_positions(abut_sim *sim);
ABUT_API double *abut_sim_velocities(abut_sim *sim);
ABUT_API double abut_sim_time(const abut_sim *sim);
ABUT_API double abut_sim_time_step(const abut_sim *sim);
/* Number of steps that take the scene to its end time. */
ABUT_API int64_t abut_sim_steps_total(const abut_sim *sim);

/* A whole run with results in a folder (frames, steps.csv, run.json, checkpoint.h5). */
typedef struct abut_run_options {
    const char *folder;
    int64_t steps; /* at most this many steps in all; negative: to the end time */
    bool resume;   /* go on from the folder's checkpoint, if there is one */
    /* Called after each step (may be NULL); false stops the run after that step. */
    bool (*progress)(void *user, const abut_step_info *info, int64_t steps_total);
    void *progress_user;
} abut_run_options;
ABUT_API abut_run_options abut_default_run_options(void);
/* ABUT_OK, ABUT_INTERRUPTED (the callback said stop; a checkpoint was written) or what went wrong.
 */
ABUT_API abut_status abut_sim_run(abut_sim *sim, const abut_run_options *options,
                                  abut_error *error);

#ifdef __cplusplus
}
#endif

#endif
