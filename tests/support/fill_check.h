/* What every cage must be, found out without the code that makes it. */
#ifndef SUPPORT_FILL_CHECK_H
#define SUPPORT_FILL_CHECK_H

#include "mesh/mesh.h"

typedef struct cage_check {
    size_t inverted;          /* tets without exactly positive volume */
    size_t torn;              /* faces of more than two tets, or of two with the same orientation */
    size_t crossings;         /* edges of the boundary that meet a triangle of it */
    double smallest, largest; /* dihedral angles by normals, degrees */
    double volume;
} cage_check;

/* crossings are looked for only when asked for. */
void check_cage(const mesh *m, int with_crossings, cage_check *out);

#endif
