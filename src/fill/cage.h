/* A cage of tetrahedra in or around the solid of some triangles, and how much of each of its cells
 * is solid. */
#ifndef FILL_CAGE_H
#define FILL_CAGE_H

#include "fill/stuffing.h"
#include "mesh/mesh.h"

typedef struct cage_options {
    double size;      /* side of the lattice's cubes */
    double offset;    /* that the solid is grown by */
    double threshold; /* of the winding number */
    bool graded;
} cage_options;

/* Makes the cage and adds it to what is in `out` already. */
abut_status cage_add(const vec3 *vertices, const int32_t (*triangles)[3], size_t count, bool closed,
                     const cage_options *options, stuffing *out, abut_error *err);

/* Share of a tet in which the linear function with these values at its corners is positive. */
double positive_share(const double value[4]);

/* Drops connected pieces of fewer than 4 tets beside larger ones. Returns the numbers of tets
 * dropped and of pieces left; tets are moved up, with `group` of each. */
abut_status cage_drop_crumbs(stuffing *s, int32_t *group, size_t *dropped, size_t *pieces,
                             abut_error *err);

#endif
