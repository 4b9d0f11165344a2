/* A tree over the triangles of a surface that answers two questions about a point: how often the
 * surface winds around it, and how far away it is.
 *
 * The generalised winding number w(q) is the sum of the signed solid angles of all triangles over
 * 4 pi. Where a surface is closed and oriented it is a whole number; where it has holes it is
 * smooth across them, so that w > 1/2 says "inside" for surfaces that a ray through a hole would
 * get wrong. Far clusters of triangles count by their first two moments (Barill and others, Fast
 * winding numbers for soups and clouds, 2018); the error of doing so is bounded during the sum. */
#ifndef FILL_WINDING_H
#define FILL_WINDING_H

#include "base/array.h"
#include "base/status.h"
#include "math/vec3.h"

typedef struct winding_node {
    vec3 low, high;
    vec3 center;   /* of the area; expansions are about it */
    double radius; /* around the centre, of all corners */
    double area;
    vec3 normal;        /* sum of area vectors */
    double moment[6];   /* sum of (centroid - center) normal^T, symmetric part: xx yy zz yz zx xy */
    int32_t begin, end; /* range of triangles */
    int32_t right;      /* second child; the first is the next node. 0: a leaf */
} winding_node;

typedef struct winding_triangle {
    vec3 corner[3];
} winding_triangle;

typedef struct winding_tree {
    ARRAY(winding_triangle) triangles; /* in the order of the leaves */
    ARRAY(winding_node) nodes;
} winding_tree;

/* The tree does not depend on the order of the triangles or on which corner comes first. */
abut_status winding_build(winding_tree *t, const vec3 *vertices, const int32_t (*triangles)[3],
                          size_t count, abut_error *err);
void winding_free(winding_tree *t);

/* Sum over all triangles, one by one. */
double winding_exact(const winding_tree *t, vec3 q);
/* Clusters further away than `far` times their radius count by their moments; *error is a bound of
 * what this costs. */
double winding_number(const winding_tree *t, vec3 q, double far, double *error);
/* w > threshold, as certain as the sum itself: clusters are opened until their errors cannot
 * matter. */
bool winding_inside(const winding_tree *t, vec3 q, double threshold);

/* Distance of the nearest triangle; `bound` is one that is known not to be exceeded, or INFINITY.
 */
double winding_distance(const winding_tree *t, vec3 q, double bound);

#endif
