/* Bodies of volume elements of any order (of planar elements in a planar model). */
#ifndef BODY_SOLID_H
#define BODY_SOLID_H

#include "body/model.h"
#include "body/proxy.h"

typedef struct solid_definition {
    const mesh *shape; /* the cells as given: their maps are the rest shape */
    const mesh *nodes; /* the same cells with the nodes of the basis (fem/change_order.h) */
    elastic_parameters material;
    double density;
    /* Per solid cell, counted through the blocks of the mesh; NULL: all the same. */
    const elastic_parameters *cell_material;
    const double *cell_density;
    const proxy *surface; /* NULL: the boundary with `segments` (0: as many as the higher order) */
    int segments;
} solid_definition;

/* Linear tets of one material become linear tets (fem/tet4.h), everything else element sets. Blocks
 * belong to the vertices of `nodes`. Errors: no solid cells; elements whose Jacobian determinant is
 * not positive everywhere (ABUT_ERROR_INFEASIBLE, with a list). */
abut_status model_add_solid(model *m, const char *name, const solid_definition *def,
                            abut_error *err);

/* Elements of the sets of a model that belong to a body. */
size_t solid_element_count(const model *m, size_t body);

#endif
