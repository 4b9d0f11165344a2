/* The frames of a run: the surface with its fields and the path since the last frame, and the
 * elements of high-order bodies where the scene asks for them. */
#ifndef RUN_RUN_FRAMES_H
#define RUN_RUN_FRAMES_H

#include "measure/frame_fields.h"
#include "measure/volume_frame.h"
#include "output/series.h"
#include "run/path_record.h"

typedef struct run_frames {
    bool writes;           /* of several ranks, one does */
    int64_t step;          /* of the last frame */
    uint64_t mesh_version; /* of remeshed scenes: what the frames are made for */
    frame_series series;
    model_frame frame;
    frame_fields fields;
    path_record paths;
    volume_frame volume; /* and its series, where the scene asks for them */
    frame_series volume_series;
} run_frames;

/* Opens the folder; last: the last step whose frame is kept, or SERIES_NEW. */
abut_status run_frames_open(run_frames *f, const abut_sim *sim, const char *folder, int64_t last,
                            abut_error *err);
void run_frames_close(run_frames *f);

/* Frames are written every so many steps; 0: never. */
bool run_frames_due(const scene_def *scene, int64_t step);
/* The files may be written beside the next step; run_frames_wait says whether they are there. */
abut_status run_frames_write(run_frames *f, const abut_sim *sim, abut_error *err);
abut_status run_frames_wait(run_frames *f, abut_error *err);

#endif
