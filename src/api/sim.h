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

#endif
