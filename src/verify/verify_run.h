/* Independent check of a finished run: its frames, the paths between them, its table. */
#ifndef VERIFY_VERIFY_RUN_H
#define VERIFY_VERIFY_RUN_H

#include "base/log.h"
#include "verify/scene_verifier.h"

enum { PATH_MOMENTS = 3 };

/* A whole folder of results. */
typedef struct run_verification {
    scene_def *scene; /* as it was run */
    scene_verifier verifier;
    ARRAY(verify_result) frames;
    verify_problems problems;
    size_t bad_frames, intersections, inverted, behind_planes, inside; /* over all frames */
    size_t too_close, strained;
    bool paths;              /* the moments between frames are those of the paths that they keep */
    size_t moments, between; /* looked at between frames, and what was found there */
    double between_depth;    /* m, of the deepest intersection of those */
    size_t pieces, pairs;    /* of paths, and pairs that come near on them */
    size_t meetings;         /* pairs that are not proven to be apart along the paths */
    size_t changed_meshes;   /* frames whose path starts where a new mesh was put */
    ARRAY(int64_t) missing;  /* steps whose frame is not there */
    ARRAY(int64_t) broken;   /* frames whose path does not lead there from the frame before */
    ARRAY(int64_t) strange;  /* frames that steps.csv does not have, or not at that time */
    size_t allowed_inverted, allowed_inside; /* of materials that allow inversion */
    double min_distance;
    int64_t min_distance_step;
} run_verification;

/* Reads DIR/scene.json and every frame of DIR/frames; keeps `most` problems at most. Violations are
 * counted, not errors. ABUT_ERROR_INPUT or ABUT_ERROR_IO for folders that are no results of a run.
 */
abut_status verify_run(const char *folder, size_t most, const logger *log, run_verification *out,
                       abut_error *err);
/* Also checks the paths that frames keep (verify/verify_path.h), and looks at so many moments of
 * every piece of them, whose violations count; negative: PATH_MOMENTS, and only there. Frames
 * without paths are interpolated (output/between.h) when they are of neighbouring steps; the solver
 * guarantees the path of its iterations, which is not quite this one, so that what is found there
 * is counted apart. */
abut_status verify_run_between(const char *folder, size_t most, int between, const logger *log,
                               run_verification *out, abut_error *err);
void run_verification_free(run_verification *v);

#endif
