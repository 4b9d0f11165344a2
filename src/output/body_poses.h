/* The motion of rigid bodies found again from the frames of a run: for every body and frame, the
 * rotation and translation that carry it from the first frame there. It works for everything that
 * moves rigidly, whatever kind of body it is; those that do not are recognised by the residual of
 * the best fit. */
#ifndef OUTPUT_BODY_POSES_H
#define OUTPUT_BODY_POSES_H

#include "math/rotation.h"
#include "output/series.h"

typedef struct body_pose {
    vec3 center; /* of the points */
    quaternion turn;
} body_pose;

typedef struct body_track {
    size_t point_count;
    double size;      /* largest distance of a point from the centre */
    double residual;  /* largest distance of a point from its position by the best fit */
    body_pose *poses; /* one per frame; the first is not turned */
} body_track;

typedef struct body_poses {
    stored_frame first;
    const int32_t *body; /* per point of the first frame */
    size_t body_count, frame_count;
    double *times;
    body_track *tracks;
    float (*places)[3]; /* of all points, frame by frame */
} body_poses;

/* Residuals up to this part of a body's size count as rigid. */
#define BODY_RIGID_TOLERANCE 2e-3

static inline bool body_track_is_rigid(const body_track *t)
{
    return t->residual <= BODY_RIGID_TOLERANCE * t->size || t->point_count == 1;
}

/* The rotation R that fits y = R x best: product is the sum of y x^T, both from their centres. */
mat3 body_best_turn(mat3 product);

/* Reads all frames. Points that take more than 4 GB are refused. ABUT_ERROR_INPUT when they lack
 * the field of bodies or change their points. */
abut_status body_poses_read(const frame_series *series, body_poses *out, abut_error *err);
void body_poses_free(body_poses *p);

#endif
