/* The holes of a surface: loops of edges with a triangle on one side only. */
#ifndef FILL_HOLES_H
#define FILL_HOLES_H

#include "mesh/mesh.h"

typedef struct hole_report {
    size_t loops;
    double longest;  /* length of the largest one, m */
    size_t closed;   /* loops that were closed */
    size_t added;    /* triangles that did it */
    double cap_area; /* of these, m^2 */
} hole_report;

/* Finds the loops of a surface (surface_take) and closes those that are not longer than `longest`
 * around; 0 closes none. */
abut_status surface_holes(mesh *surface, double longest, hole_report *report, abut_error *err);

#endif
