/* Elements of the bodies that are thinner than a volume: triangles and hinges of shells, segments
 * and joints of rods, stitches. Filled by model_add_shell, model_add_rod and model_add_particles
 * (model.h); all indices are coordinate blocks. */
#ifndef BODY_CODIM_H
#define BODY_CODIM_H

#include "base/array.h"
#include "fem/tri3.h"

#include <stdint.h>

typedef struct hinge_rest {
    double angle, stiffness; /* stiffness / 2 (theta - angle)^2 */
} hinge_rest;

typedef struct segment_rest {
    double length, stiffness; /* stiffness / 2 (l - length)^2 */
} segment_rest;

/* The angle of the section of an edge of a rod that resists twist. */
typedef struct angle_rest {
    double radius; /* of the rod, m */
} angle_rest;

enum { TWIST_WIDTH = 5 }; /* blocks of a joint with twist */

typedef struct twist_rest {
    double stiffness; /* N m: stiffness / 2 (theta_b - theta_a + psi)^2 */
    double bending;   /* that of joint_stiffness; such joints are not among the others */
    double sign[2];   /* -1: the joint passes the edge against its direction */
} twist_rest;

/* A spring of rest length 0 between a node and a point of a segment a b. */
typedef struct stitch_rest {
    double ratio;     /* (1 - ratio) a + ratio b */
    double stiffness; /* N/m */
} stitch_rest;

typedef struct codim_elements {
    ARRAY(int32_t) triangles; /* 3 each */
    ARRAY(tri3_rest) triangle_rest;
    ARRAY(int32_t) triangle_body;
    ARRAY(int32_t) hinges; /* 4 each: corner, edge, edge, corner */
    ARRAY(hinge_rest) hinge_rest;
    ARRAY(int32_t) segments; /* 2 each */
    ARRAY(segment_rest) segment_rest;
    ARRAY(int32_t) joints; /* 3 each: neighbour, node, neighbour */
    ARRAY(double) joint_stiffness;
    ARRAY(int32_t)
    angles; /* 3 each: block of the angle (first scalar, radians), nodes of the edge */
    ARRAY(angle_rest) angle_rest;
    ARRAY(int32_t) twists; /* 5 each: nodes of the joint, angle blocks of its edges */
    ARRAY(twist_rest) twist_rest;
    ARRAY(int32_t) stitches; /* 3 each: node, ends of the segment */
    ARRAY(stitch_rest) stitch_rest;
    ARRAY(vec3) pattern; /* rest positions by block, where a shell has a pattern; else empty */
} codim_elements;

void codim_elements_free(codim_elements *e);

#endif
