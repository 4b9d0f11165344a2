/* Deformable bodies of the scene: elements of any order, materials by region, collision surfaces.
 */
#ifndef SCENE_BUILD_SOLID_H
#define SCENE_BUILD_SOLID_H

#include "body/model.h"
#include "scene/scene.h"

/* Adds body i to the model. *shape is its mesh; it becomes the mesh of its nodes, whose vertices
 * conditions select from. numbered: the tags of its cells are those of solid_cell_region. */
abut_status build_solid(const scene_def *scene, size_t i, mesh *shape, bool numbered, model *m,
                        const logger *log, abut_error *err);
/* 1 + number of the region that a cell belongs to (0: none); number: of the cell among all solid
 * cells of the mesh. */
int32_t solid_cell_region(const body_def *def, const mesh *shape, const cell_block *block, size_t c,
                          size_t number);

/* True when deformable body i collides by the surface of its mesh as it is: linear tets, no surface
 * of its own. */
bool solid_collides_by_mesh(const scene_def *scene, size_t i, const mesh *shape);

/* The collision surface of deformable body i with the mesh `shape`, as a mesh. */
abut_status build_solid_surface(const scene_def *scene, size_t i, const mesh *shape, mesh *out,
                                abut_error *err);

/* The mesh of the nodes of deformable body i (its cells have the order of the basis). */
abut_status build_solid_nodes(const scene_def *scene, size_t i, const mesh *shape, mesh *out,
                              abut_error *err);

/* Elastic parameters of a material. */
elastic_parameters build_material(const material_def *def);

#endif
