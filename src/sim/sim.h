/* A simulation in progress: the scene, the stepper that was built from it, and what changes its
 * meshes. Every step of a run, of the library and of Python goes through sim_step. */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/file.h"
#include "scene/build.h"

#include <abut/sim.h>

struct abut_sim {
    scene_def *scene;
    stepper *stepper;
    logger log;
    step_statistics last;
    struct sim_remesh *remesh;     /* sim/remesh.h; NULL unless the scene is remeshed */
    struct sim_contacts *contacts; /* sim/contacts.h */
    ARRAY(void *) users;           /* per body: what the caller has put there; may be shorter */
    ARRAY(void *) retired;         /* arrays that were handed out before a change (sim/change.h) */
};

/* Builds what the scene of a simulation describes, and refuses what cannot be simulated: all that a
 * run refuses before its first step; `abut check` asks here, too. problem_folder: where the
 * intersections of an infeasible start are marked, or NULL. */
abut_status sim_prepare(abut_sim *sim, const char *problem_folder, abut_error *error);
/* Frees what sim_prepare has made. */
void sim_release(abut_sim *sim);

/* Loads and prepares a scene. bytes: its text, or NULL to read the file. */
abut_status sim_create(const char *path, const file_bytes *bytes, const abut_sim_options *options,
                       abut_sim **out, abut_error *error);
/* The same for a native document, which stays as it is. */
abut_status sim_create_from(const json_t *document, const abut_sim_options *options, abut_sim **out,
                            abut_error *error);
void sim_destroy(abut_sim *sim);

abut_status sim_step(abut_sim *sim, abut_error *error);
/* What the last step did. */
void sim_info(const abut_sim *sim, abut_step_info *out);
/* Steps from the start to the end of the scene. */
int64_t sim_steps_total(const abut_sim *sim);

#endif
