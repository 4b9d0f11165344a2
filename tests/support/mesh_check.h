/* Facts about a mesh found by slow and simple code, sharing nothing with src/mesh/topology.c. */
#ifndef TEST_MESH_CHECK_H
#define TEST_MESH_CHECK_H

#include "mesh/mesh.h"

typedef struct mesh_facts {
    size_t used_vertices, edges, faces, tets; /* of the linear tets or triangles */
    size_t boundary_faces, boundary_edges, boundary_vertices;
    size_t overused_faces;             /* faces of more than two tets */
    size_t bad_edges;                  /* boundary edges not used once in each direction */
    size_t nonpositive_tets;           /* volume <= 0 */
    double volume;                     /* of the tets, or enclosed by the triangles */
    double area;                       /* of the boundary, or of the triangles */
    double enclosed;                   /* volume by the divergence theorem over the boundary */
    double min_dihedral, max_dihedral; /* degrees, tets only */
} mesh_facts;

/* Of the first tet block, or else the first triangle block (whose triangles are the boundary). */
mesh_facts mesh_facts_of(const mesh *m);

/* Vertices - edges + faces - tets; of the boundary: vertices - edges + faces. */
long mesh_euler(const mesh_facts *f);
long boundary_euler(const mesh_facts *f);

#endif
