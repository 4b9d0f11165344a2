/* Shared by the generators: argument checks with messages, and helpers that fill meshes. */
#ifndef MESH_GENERATE_CHECK_H
#define MESH_GENERATE_CHECK_H

#include "mesh/mesh.h"

/* Input errors that name the argument of the shape, for example "box: cells[1] is 0; ...". */
abut_status check_length(const char *shape, const char *name, double value, abut_error *err);
abut_status check_count(const char *shape, const char *name, int value, int least, abut_error *err);

/* Factors of a number of vertices or cells; a product beyond int32 is an input error. */
abut_status check_product(const char *shape, const char *what, const double *factors, int count,
                          abut_error *err);

/* A mesh with one linear block. */
abut_status start_mesh(mesh *m, size_t vertices, cell_kind kind, size_t cells, int32_t **nodes,
                       abut_error *err);

/* Cuts the prism with bottom a0 a1 a2 and top b0 b1 b2 (a seen counter-clockwise from inside the
 * prism) into three tets. The diagonal of each side starts at its smallest vertex, so prisms that
 * share a side agree about it. Writes 12 indices. */
void split_prism(const int32_t bottom[3], const int32_t top[3], int32_t *tets);

#endif
