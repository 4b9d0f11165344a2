/* Checks a run along the ways that its frames keep (step/way.h): positions are computed anew from
 * the coordinates at moments of every piece, and looked at like a frame. */
#ifndef API_VERIFY_WAY_H
#define API_VERIFY_WAY_H

#include "api/model_frame.h"
#include "api/verify.h"

typedef struct way_checker {
    const logger *log;
    stepper *stepper; /* the model of the scene, built when first needed; it makes no steps */
    model_frame shape;
    ARRAY(double) x;
    ARRAY(vec3) points;
} way_checker;

void way_checker_free(way_checker *c);

/* Looks at `moments` moments of every piece and at the places where pieces meet; adds what it finds
 * to v. ABUT_ERROR_INPUT when the way does not lead from one frame to the other. */
abut_status way_checker_run(way_checker *c, run_verification *v, const frame *last,
                            const frame *next, int moments, size_t most, abut_error *err);

#endif
