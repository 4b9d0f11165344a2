/* What an abut_sim holds; shared by the files that implement the simulator layer. */
#ifndef API_SIM_H
#define API_SIM_H

#include "scene/build.h"

#include <abut/sim.h>

struct abut_sim {
    scene_def *scene;
    stepper *stepper;
    logger log;
    step_statistics last;
    struct sim_remesh *remesh; /* api/remesh.h; NULL unless the scene is remeshed */
};

/* Builds what the scene of a simulation describes, and refuses what cannot be simulated: all that a
 * run refuses before its first step; `abut check` asks here, too. problem_folder: where the places
 * of an infeasible start are marked, or NULL. */
abut_status sim_prepare(abut_sim *sim, const char *problem_folder, abut_error *error);
/* Frees what sim_prepare has made. */
void sim_release(abut_sim *sim);

#endif
