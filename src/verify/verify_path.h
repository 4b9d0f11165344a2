/* Checks a run along the paths that its frames keep (output/frame_path.h). Every pair of the
 * surface is proven to be apart at all times of every piece (geometry/check_path.h). Configurations
 * where pieces meet, and where all points are given also moments of the pieces, are looked at like
 * a frame. */
#ifndef VERIFY_VERIFY_PATH_H
#define VERIFY_VERIFY_PATH_H

#include "verify/verify_run.h"

/* Checks the path from a frame to the next; changed: their meshes differ. `moments`: of every
 * piece, looked at like a frame. Adds what it finds to v. ABUT_ERROR_INPUT when the path does not
 * lead from one frame to the other. */
abut_status verify_path(run_verification *v, const frame *last, const frame *next, bool changed,
                        int moments, size_t most, abut_error *err);

#endif
