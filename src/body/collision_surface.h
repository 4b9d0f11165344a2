/* The collision surface: points, edges and triangles of one linear mesh with vertices y = phi(x).
 *
 * A row of phi says how a vertex follows the coordinates. Contact code sees vertices only, and
 * pulls its derivatives back through the rows. */
#ifndef BODY_COLLISION_SURFACE_H
#define BODY_COLLISION_SURFACE_H

#include "base/array.h"
#include "base/status.h"
#include "math/vec3.h"

typedef enum row_kind {
    ROW_NODE /* y = x_block */
} row_kind;

typedef struct surface_row {
    row_kind kind;
    int32_t block;
} surface_row;

typedef struct collision_surface {
    ARRAY(surface_row) rows;       /* one per vertex */
    ARRAY(int32_t) vertex_body;    /* body of every vertex */
    ARRAY(int32_t) edges;          /* 2 vertices each */
    ARRAY(int32_t) triangles;      /* 3 vertices each */
    ARRAY(double) edge_length2;    /* squared rest length of every edge */
    ARRAY(uint8_t) vertex_on_edge; /* vertex belongs to some edge (else it is a free point) */
} collision_surface;

void collision_surface_free(collision_surface *s);
/* Positions of the vertices at x. */
void collision_surface_positions(const collision_surface *s, const double *x, vec3 *y);

#endif
