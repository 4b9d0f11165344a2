/* The paths of the steps between two frames of a run (step/path.h): recorded step by step, written
 * with the next frame in the form of output/frame_path.h, kept in checkpoints. Without bodies that
 * turn, only points that are near to something are written (verify/path_near.h). */
#ifndef RUN_PATH_RECORD_H
#define RUN_PATH_RECORD_H

#include "measure/model_frame.h"
#include "mesh/topology.h"
#include "output/checkpoint.h"
#include "sim/sim.h"
#include "verify/scene_verifier.h"

typedef struct path_record {
    bool enabled;
    size_t scalars;               /* of one configuration: all coordinates */
    ARRAY(double) configurations; /* of all steps, one after the other */
    ARRAY(int32_t)
    counts;           /* of configurations, for each step, or each stretch of one (step/path.h) */
    int64_t reframed; /* of rigid bodies, as the stepper counts it */
    bool mixed;       /* rotation vectors of different frames: nothing to give */
    /* as the frame has it */
    ARRAY(double) numbers;
    ARRAY(int32_t) kinds;
    ARRAY(int32_t) near_points, written; /* the last: configurations of each step */
    ARRAY(size_t) chosen;                /* configurations that are written */
    ARRAY(vec3) points;
    /* for the choice of points */
    scene_verifier verifier;
    surface_parts parts;
    bool has_verifier, has_parts, changed; /* the last: the meshes did since the last frame */
    ARRAY(uint8_t) near;
} path_record;

/* Makes the stepper record its paths, where the scene wants that: by default in steps that have
 * frames of their own, and with rigid or affine bodies in all. */
void path_record_enable(path_record *r, const abut_sim *sim);
void path_record_free(path_record *r);
/* The frames are of another mesh from now on. */
void path_record_change_mesh(path_record *r);
abut_status path_record_note(path_record *r, const stepper *s, abut_error *err);
/* Gives the paths to a frame of mf, which borrows them until the record is cleared. */
abut_status path_record_give(path_record *r, model_frame *mf, const abut_sim *sim, frame *f,
                             abut_error *err);
void path_record_clear(path_record *r);

void path_record_save(const path_record *r, checkpoint_writer *w);
abut_status path_record_load(path_record *r, const checkpoint_reader *c, abut_error *err);

#endif
