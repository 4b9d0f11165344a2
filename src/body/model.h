/* What is simulated, constant after it was built: coordinate blocks, elements, the collision
 * surface.
 *
 * Every node of every body owns one block of three coordinates, obstacles included: which of them
 * are unknowns is decided per step. Bodies whose blocks are not positions of nodes (rigid, affine)
 * are drawn and measured by the vertices of their collision surface. The collision surface is one
 * linear mesh whose vertices follow the blocks through rows (body/collision_surface.h). */
#ifndef BODY_MODEL_H
#define BODY_MODEL_H

#include "base/array.h"
#include "base/status.h"
#include "body/collision_surface.h"
#include "fem/tet4.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

typedef enum body_kind { BODY_KIND_DEFORMABLE, BODY_KIND_OBSTACLE } body_kind;

typedef struct model_body {
    char *name;
    body_kind kind;
    int32_t first_block, block_count;
    size_t first_tet, tet_count;
    size_t first_triangle, triangle_count; /* in the surface */
    size_t first_edge, edge_count;
    size_t first_vertex, vertex_count;
    elastic_parameters material;
    double density;
    double damping;  /* s; factor on the stiffness, Rayleigh's beta */
    double friction; /* negative: the scene's */
    bool consistent_mass;
    bool nodal;           /* its blocks are positions of nodes */
    bool no_self_contact; /* its surface cannot meet itself */
    size_t mesh_vertex_count;
    int32_t *block_of_vertex; /* mesh vertex -> block, -1 for vertices that no cell uses */
} model_body;

typedef struct model {
    ARRAY(vec3) rest;    /* position of every block at the start */
    ARRAY(double) mass;  /* lumped mass of every block */
    ARRAY(int32_t) body; /* body of every block */
    ARRAY(model_body) bodies;
    size_t tet_count; /* linear tets, 4 blocks each */
    ARRAY(int32_t) tets;
    ARRAY(tet4_rest) tet_rest; /* their rest shapes */
    ARRAY(int32_t) tet_body;
    collision_surface surface;
    bool planar;   /* two-dimensional: all z stay 0, surfaces are edges */
    double extent; /* l: diagonal of the bounding box of the simulated bodies at the start */
    bool built;
} model;

void model_free(model *m);

/* Adds a body of linear tets. Errors: inverted or flat tets (ABUT_ERROR_INFEASIBLE). */
abut_status model_add_deformable(model *m, const char *name, const mesh *shape,
                                 elastic_parameters material, double density, abut_error *err);
/* Adds a kinematic surface, wires or points: whatever the mesh holds. */
abut_status model_add_obstacle(model *m, const char *name, const mesh *shape, abut_error *err);
/* To be called once after the last body. */
abut_status model_finish(model *m, abut_error *err);

static inline int32_t model_block_count(const model *m) { return (int32_t)m->rest.count; }

#endif
