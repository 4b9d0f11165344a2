/* From a scene's definitions to a stepper that is ready to go. */
#ifndef SCENE_BUILD_H
#define SCENE_BUILD_H

#include "base/bits.h"
#include "scene/scene.h"
#include "step/stepper.h"

/* Loads the meshes, builds bodies, conditions and loads. The logger must outlive the stepper. */
abut_status scene_build(const scene_def *scene, const logger *log, stepper **out, abut_error *err);

/* The meshes of the bodies that are remeshed, as they are now. Entry i is of body i of the scene;
 * bodies without a mesh here (no vertices) have the one of the scene. Every vertex is used by a
 * cell and owns the coordinate block of its number within the body. The tags of cells, where there
 * are regions, are 1 + the number of the region. */
typedef struct body_shape {
    mesh shape;
    /* Bit k of a vertex: it belongs to the nodes of entry k of the body's `fix`, then `force`,
     * then `surface_loads`. */
    uint64_t *sets;
    size_t set_words; /* of a vertex */
} body_shape;

static inline bool shape_vertex_in(const body_shape *b, size_t vertex, size_t set)
{
    return bits_have(b->sets + vertex * b->set_words, set);
}

typedef struct body_shapes {
    size_t count;
    body_shape *bodies;
} body_shapes;

/* Those of the scene, for bodies that are remeshed. ABUT_ERROR_UNSUPPORTED names a body with cells
 * that cannot be. */
abut_status body_shapes_init(body_shapes *shapes, const scene_def *scene, abut_error *err);
void body_shapes_free(body_shapes *shapes);

/* The same with other meshes; selected nodes are those of the sets. NULL: as scene_build. */
abut_status scene_build_shapes(const scene_def *scene, const body_shapes *shapes, const logger *log,
                               stepper **out, abut_error *err);

#endif
