/* Loading the mesh of a body step by step, for those who want to see a bad mesh all the same (`abut
 * check`), and measures of it. scene_body_mesh (scene.h) does all steps. */
#ifndef SCENE_BODY_MESH_H
#define SCENE_BODY_MESH_H

#include "base/array.h"
#include "mesh/components.h"
#include "scene/body_fill.h"
#include "scene/scene.h"

/* "bar.json: bodies[2].mesh.ball": where the mesh of a body is described. */
void body_mesh_transform(const scene_def *scene, size_t body, char *text, size_t size);

/* The pieces of the mesh file that was split last, so that a file with a thousand bodies is read
 * once and not a thousand times. */
struct piece_cache {
    char *path;
    bool weld;
    mesh_pieces pieces;
    ARRAY(filled_mesh *) filled; /* and surfaces that were filled (body_fill.h) */
};
void piece_cache_free(piece_cache *cache);

/* Reads or generates the mesh of a definition, and fills it. cache may be NULL: then it is not
 * filled. */
abut_status body_mesh_make(const mesh_def *d, piece_cache *cache, mesh *out, abut_error *err);
/* Reads or generates, and transforms; no check beyond valid indices and coordinates. */
abut_status body_mesh_load(const scene_def *scene, size_t body, mesh *out, abut_error *err);

/* ABUT_ERROR_INPUT when the mesh lacks the cells that the type of the body needs;
 * ABUT_ERROR_INFEASIBLE when a deformable body has a tet without positive volume. */
abut_status body_mesh_check(const scene_def *scene, size_t body, const mesh *m, abut_error *err);

typedef struct body_measures {
    size_t tet_count, flat_count; /* flat: inverted, or no volume within rounding */
    size_t flat_first[5];         /* the first few of them, numbered through all tet blocks */
    double tet_volume;            /* corner nodes only, straight edges */
    double triangle_area, edge_length;
} body_measures;

void body_mesh_measure(const mesh *m, body_measures *out);

#endif
