/* How good tetrahedra are: their dihedral angles and shapes. */
#ifndef FILL_QUALITY_H
#define FILL_QUALITY_H

#include "mesh/mesh.h"

/* Smallest and largest dihedral angle of a tet, in degrees. */
void tet_dihedral_range(const vec3 x[4], double *smallest, double *largest);

typedef struct tet_quality {
    size_t count;
    size_t inverted; /* exactly not of positive volume */
    double volume;
    double smallest, largest; /* dihedral angles in degrees; NAN without tets */
    size_t histogram[18];     /* tets by their smallest angle, ten degrees each */
    double worst, mean;       /* 6 sqrt(2) V / l^3, l: root mean square edge; 1: regular */
    double shortest, longest; /* edges */
} tet_quality;

/* Of all linear tets of a mesh. */
void mesh_tet_quality(const mesh *m, tet_quality *out);

#endif
