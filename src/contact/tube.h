/* The way that candidates were found for, as long as which they may be used: coordinates
 * base + s direction, 0 <= s <= limit. A later way is covered when it keeps near this one: a
 * straight line in the coordinates whose two ends are near two places of this way is nowhere
 * farther from the line between these places, so only ends are looked at.
 *
 * Vertices with linear rows are looked at one by one. Of a rigid frame the coordinates tell: no
 * vertex of it moves farther than its centre plus the longest arm times the rotation vector. */
#ifndef CONTACT_TUBE_H
#define CONTACT_TUBE_H

#include "base/array.h"
#include "body/collision_surface.h"

#include <stdbool.h>

/* A way of all coordinates: x + s direction, and the same of the vertices (those of rigid rows are
 * not looked at). direction and p NULL: a place. */
typedef struct surface_way {
    const double *x, *direction;
    const vec3 *y, *p;
    double limit; /* largest s */
} surface_way;

typedef struct tube {
    const collision_surface *surface;
    vec3 *y, *p;           /* per vertex */
    ARRAY(int32_t) linear; /* vertices that are not rigid; all if there are no frames */
    ARRAY(double) arms;    /* longest one of every frame */
    ARRAY(double) frames;  /* coordinates of every frame, then their directions */
    double limit, largest; /* speed, squared, of what moves most: */
    int32_t fastest;       /* a vertex, or a frame as -1 - frame */
} tube;

abut_status tube_create(tube *t, const collision_surface *s, abut_error *err);
void tube_free(tube *t);

void tube_set(tube *t, const surface_way *way);
/* How far the vertices at a place are from the tube: at least as far as any really is, seen at the
 * moment s that what moves most tells. */
double tube_distance(const tube *t, const surface_way *place, double *s);
/* Whether no vertex on the way is farther from the tube than `reach`. */
bool tube_covers(const tube *t, const surface_way *way, double reach);

/* For those who look closer: the vertices that are not rigid; rotation vector and origin of a frame
 * at a moment of a way (NULL: at the start of the tube), and how far a rotation vector is from
 * that at the start of the tube. */
size_t tube_linear_count(const tube *t);
size_t tube_linear_vertex(const tube *t, size_t i);
vec3 tube_frame_at(const tube *t, const surface_way *way, size_t frame, double at, vec3 *origin);
double tube_frame_turn(const tube *t, size_t frame, vec3 theta);

static inline vec3 surface_way_vertex(const surface_way *way, size_t v, double s)
{
    return way->p ? vec3_mul_add(way->y[v], s, way->p[v]) : way->y[v];
}

#endif
