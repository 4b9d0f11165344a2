/* The smallest translation that takes a body out of what it intersects at the start. */
#ifndef SCENE_SEPARATE_H
#define SCENE_SEPARATE_H

#include "scene/start_surface.h"

/* One pair of bodies that meet at the start. */
typedef struct separation {
    int32_t first, second; /* bodies; equal: it meets itself */
    size_t places;         /* pairs of primitives */
    int32_t moved;         /* the one to move: no obstacle, the smaller one; -1: none */
    bool found;
    vec3 move;    /* of `moved`, with the gap in it */
    double depth; /* length of the move without the gap, m */
} separation;

typedef ARRAY(separation) separation_list;

/* All pairs of bodies that meet, each as if the two were alone; gap: what is left between them. */
abut_status find_separations(const scene_def *scene, start_surface *s, double gap,
                             separation_list *out, abut_error *err);

/* Moves bodies one by one out of all others and of half spaces; moves: one per body. *free is false
 * when a body cannot be freed by a straight move. The vertices of s move along. */
abut_status free_start(const scene_def *scene, start_surface *s, double gap, vec3 *moves,
                       bool *free, abut_error *err);

#endif
