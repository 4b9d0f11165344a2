/* What the files that add a kind of body share. */
#ifndef BODY_MODEL_BUILD_H
#define BODY_MODEL_BUILD_H

#include "body/model.h"
#include "mesh/topology.h"

/* Starts a body; the caller fills in the rest. The pointer is valid until the next body. */
abut_status model_begin_body(model *m, const char *name, body_kind kind, const mesh *shape,
                             model_body **out, abut_error *err);
/* A further coordinate block of the last body. */
abut_status model_add_block(model *m, vec3 start, double mass, int32_t *block, abut_error *err);
/* Gives a block to every mesh vertex that `used` marks. */
abut_status model_add_nodes(model *m, model_body *body, const mesh *shape, const uint8_t *used,
                            abut_error *err);

/* Nodes and linear tets of a body. */
abut_status model_add_tets(model *m, model_body *body, const mesh *shape, const cell_block *tets,
                           abut_error *err);

/* Adds the row of one mesh vertex to the collision surface. */
typedef abut_status (*row_maker)(collision_surface *s, const void *context, int32_t vertex,
                                 abut_error *err);
/* The row of a mesh vertex that owns a block; the context is its body. */
abut_status model_node_row(collision_surface *s, const void *context, int32_t vertex,
                           abut_error *err);
/* Vertices, edges and triangles of the last body's collision surface. positions: rest positions of
 * the mesh vertices, for lengths. */
abut_status model_add_surface(model *m, model_body *body, const surface_parts *parts,
                              const vec3 *positions, row_maker make_row, const void *context,
                              abut_error *err);

/* Nodes for all vertices that the parts use, and these parts as the collision surface. */
abut_status model_add_parts(model *m, model_body *body, const mesh *shape,
                            const surface_parts *parts, abut_error *err);

#endif
