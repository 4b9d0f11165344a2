/* The start of a scene: its size, and whether it is feasible. The check works on the meshes of the
 * bodies with the independent checker, apart from the code that simulates. */
#ifndef SCENE_START_H
#define SCENE_START_H

#include "geometry/check.h"
#include "scene/scene.h"

/* The diagonal of the bounding box of all simulated bodies (enabled, no obstacles), the l of
 * lengths such as "1e-3 l"; 0 when there are none. meshes: one per body; those of disabled bodies
 * are not looked at. */
double start_size(const scene_def *scene, const mesh *meshes);

/* A length with l put in. */
double start_length(length_def length, double size);

/* What the checker gets of a kind of body (geometry/check.h). */
uint8_t start_flags(body_kind kind);

enum { START_SHOWN = 10, START_TEXT = 320 };

typedef struct start_report {
    size_t intersections; /* pairs of primitives that meet, touching included */
    size_t too_close;     /* pairs that are nearer than the mean of their offsets */
    size_t behind_planes; /* nodes of simulated bodies on or behind a half space */
    double min_distance;  /* INFINITY when nothing is nearer than twice dhat, or nodes intersect */
    size_t shown;
    char text[START_SHOWN][START_TEXT]; /* the first problems, in words */
} start_report;

/* Looks for intersections among all enabled bodies and for nodes behind half spaces. Bodies without
 * a mesh (vertex_count 0) are left out. Without contact there is nothing to find. */
abut_status start_check(const scene_def *scene, const mesh *meshes, start_report *out,
                        abut_error *err);

#endif
