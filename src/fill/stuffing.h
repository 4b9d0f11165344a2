/* Isosurface stuffing (Labelle and Shewchuk 2007): the tetrahedra of a body-centred cubic lattice
 * that meet a solid, with nodes near its surface moved onto it and tetrahedra that still cross it
 * cut. Whatever the signs at the nodes and wherever the cuts, dihedral angles of what comes out
 * stay away from 0 and 180 degrees: 10.7 to 164.8 as published, 9.99 to 159.6 of all that was
 * tried here (three corners that all move far are the worst). What is merged deep inside
 * (lattice.h) has angles between 45 and 120. */
#ifndef FILL_STUFFING_H
#define FILL_STUFFING_H

#include "fill/lattice.h"

typedef int32_t stuffed_tet[4];

typedef struct stuffing {
    ARRAY(vec3) vertices;
    ARRAY(double) value;     /* of the region at the vertices */
    ARRAY(stuffed_tet) tets; /* of positive volume */
    size_t cut_edges, moved_nodes;
} stuffing;

abut_status stuff_lattice(const lattice *l, const fill_region *region, stuffing *out,
                          abut_error *err);
void stuffing_free(stuffing *s);

#endif
