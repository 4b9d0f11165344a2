/* What collides at the start of a scene: one surface of all bodies, as the independent checker
 * takes it, with the pairs that joints and attachments leave out. */
#ifndef SCENE_START_SURFACE_H
#define SCENE_START_SURFACE_H

#include "base/array.h"
#include "scene/start.h"

typedef int32_t start_triangle[3];
typedef int32_t start_edge[2];

typedef struct start_surface {
    ARRAY(vec3) vertices;
    ARRAY(int32_t) body; /* per vertex */
    ARRAY(start_triangle) triangles;
    ARRAY(start_edge) edges;
    ARRAY(int32_t) points;
    ARRAY(uint8_t) flags;
    ARRAY(int32_t) groups;   /* per body */
    ARRAY(size_t) offsets;   /* first vertex per body */
    ARRAY(int32_t) excluded; /* two numbers each, as the checker wants them */
} start_surface;

/* meshes: one per body. */
abut_status start_surface_make(const scene_def *scene, const mesh *meshes, double size,
                               start_surface *out, abut_error *err);
void start_surface_free(start_surface *s);
check_surface start_surface_view(const start_surface *s);

/* Whether a body is simulated and has a mesh. */
bool start_takes_part(const scene_def *scene, const mesh *meshes, size_t body);

#endif
