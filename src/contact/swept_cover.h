/* The path that candidates were found for, as long as which they may be used: coordinates base + s
 * direction, 0 <= s <= limit. A later path is covered when it keeps near this one: a straight line
 * in the coordinates whose two ends are near two configurations of this path is nowhere farther
 * from the line between these two, so only ends are looked at.
 *
 * Vertices with linear rows are looked at one by one. Of a rigid frame the coordinates tell: no
 * vertex of it moves farther than its centre plus the longest arm times the rotation vector. */
#ifndef CONTACT_SWEPT_COVER_H
#define CONTACT_SWEPT_COVER_H

#include "base/array.h"
#include "body/collision_surface.h"

#include <stdbool.h>

/* A path of all coordinates: x + s direction, and the same of the vertices (those of rigid rows are
 * not looked at). direction and p NULL: one configuration. */
typedef struct coordinate_path {
    const double *x, *direction;
    const vec3 *y, *p;
    double limit; /* largest s */
} coordinate_path;

typedef struct swept_cover {
    const collision_surface *surface;
    vec3 *y, *p;           /* per vertex */
    ARRAY(int32_t) linear; /* vertices that are not rigid; all if there are no frames */
    ARRAY(double) arms;    /* longest one of every frame */
    ARRAY(double) poses;   /* coordinates of every frame, then their directions */
    double limit, largest; /* speed, squared, of what moves most: */
    int32_t fastest;       /* a vertex, or a frame as -1 - frame */
} swept_cover;

abut_status swept_cover_create(swept_cover *t, const collision_surface *s, abut_error *err);
void swept_cover_free(swept_cover *t);

void swept_cover_set(swept_cover *t, const coordinate_path *path);
/* An upper bound of the distance of the vertices at a configuration from the cover, taken at the
 * moment s that the fastest vertex or frame gives. */
double swept_cover_distance(const swept_cover *t, const coordinate_path *configuration, double *s);
/* Whether no vertex on the path is farther from the cover than `reach`. */
bool swept_cover_contains(const swept_cover *t, const coordinate_path *path, double reach);

/* For those who look closer: the vertices that are not rigid; rotation vector and origin of a frame
 * at a moment of a path (NULL: at the start of the cover), and how far a rotation vector is from
 * that at the start of the cover. */
size_t swept_cover_linear_count(const swept_cover *t);
size_t swept_cover_linear_vertex(const swept_cover *t, size_t i);
vec3 swept_cover_pose_at(const swept_cover *t, const coordinate_path *path, size_t pose, double at,
                         vec3 *origin);
double swept_cover_pose_turn(const swept_cover *t, size_t pose, vec3 theta);

static inline vec3 coordinate_path_vertex(const coordinate_path *path, size_t v, double s)
{
    return path->p ? vec3_mul_add(path->y[v], s, path->p[v]) : path->y[v];
}

#endif
