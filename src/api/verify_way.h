/* Checks a run along the ways that its frames keep (output/frame_way.h): positions are computed at
 * moments of every piece, and looked at like a frame. */
#ifndef API_VERIFY_WAY_H
#define API_VERIFY_WAY_H

#include "api/verify.h"

/* Looks at `moments` moments of every piece and at the places where pieces meet; adds what it finds
 * to v. ABUT_ERROR_INPUT when the way does not lead from one frame to the other. */
abut_status verify_way(run_verification *v, const frame *last, const frame *next, int moments,
                       size_t most, abut_error *err);

#endif
