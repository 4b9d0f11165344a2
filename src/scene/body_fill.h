/* Bodies whose mesh is a surface to be filled (`fill` of a mesh): filled once per scene, and kept,
 * as a scene asks for its meshes several times. */
#ifndef SCENE_BODY_FILL_H
#define SCENE_BODY_FILL_H

#include "base/log.h"
#include "fill/fill.h"
#include "scene/scene.h"

/* What was made of a mesh with `fill`. */
typedef struct filled_mesh {
    const mesh_def *of;
    fill_result result;
} filled_mesh;

/* What was made of a mesh before, or NULL. */
const fill_result *body_fill_find(const mesh_def *d, const piece_cache *cache);
/* Fills a surface and keeps the result; `m` becomes the tetrahedra. */
abut_status body_fill_make(const mesh_def *d, piece_cache *cache, mesh *m, abut_error *err);
void body_fill_free(piece_cache *cache);

/* The fill of a body whose surface lies in a cage and collides; NULL for all others. */
const fill_result *body_fill_embedded(const scene_def *scene, size_t body);
/* The surface as placed in the scene. */
abut_status body_fill_surface(const scene_def *scene, size_t body, mesh *out, abut_error *err);
/* Part of the tetrahedra's volume that is within the surface: 1 without a fill. */
double body_fill_share(const scene_def *scene, size_t body);
/* What was found, made and assumed. */
void body_fill_tell(const scene_def *scene, size_t body, const logger *log);

#endif
