/* A solid ball of tets of order 1 to 4 whose outer faces follow the sphere. */
#ifndef FEM_CURVED_BALL_H
#define FEM_CURVED_BALL_H

#include "mesh/mesh.h"

/* An icosahedron subdivided `level` times; each triangle makes a tet with the centre. All nodes of
 * the outer faces are on the sphere, the others are straight between centre and sphere: every tet
 * has one curved face, and its Jacobian is nowhere zero. 20 4^level tets. */
abut_status generate_curved_ball(double radius, int level, int order, mesh *out, abut_error *err);

#endif
