/* Squared distances between points, edges and triangles, their gradients and Hessians, and the
 * classification of a point-triangle or edge-edge pair to the features that are really closest.
 * IPC, section "distances" (equations 2.18 to 2.23).
 *
 * Each squared distance is the minimum of |sum_i w_i x_i|^2 over the parameters of the closest
 * points, with signed weights w that sum to zero. The derivatives below follow from that view:
 * with d the signed distance along the unit normal N of the plane (or of the common perpendicular),
 * E_1, E_2 the dual basis of the two spanning edges spread over the vertices,
 *     gradient_i  = 2 d w_i N
 *     Hessian_ij  = 2 (w_i w_j - d^2 E_i.E_j) N N^T - 2 d (w_i E_j N^T + w_j N E_i^T)
 * and for a line, with r the perpendicular from line to point,
 *     Hessian_ij  = 2 w_i w_j I - (2/|e|^2) k_i k_j^T,  k = (-e, (1-t) e + r, t e - r).
 * All are computed from differences of positions, so that a tiny gap far from the origin keeps an
 * absolute error of a few units in the last place of the *edge lengths*.
 *
 * Conventions: gradients are double[3n], Hessians row-major double[(3n)*(3n)], in the order of the
 * arguments. Functions named _gradient and _hessian also return the squared distance; _hessian
 * fills the gradient as well. */
#ifndef GEOMETRY_DISTANCE_H
#define GEOMETRY_DISTANCE_H

#include "math/vec3.h"

/* ---- Features: what a pair reduces to ---- */

typedef enum stencil_kind { STENCIL_PP, STENCIL_PE, STENCIL_PT, STENCIL_EE } stencil_kind;
enum { STENCIL_KINDS = 4, STENCIL_MAX_VERTICES = 4 };

/* Number of vertices of a stencil: 2, 3, 4, 4. */
static inline int stencil_size(stencil_kind kind) { return kind == STENCIL_EE ? 4 : 2 + (int)kind; }

/* Closest feature of a point p and an edge e0 e1. */
typedef enum point_edge_type { PE_P_E0, PE_P_E1, PE_P_E, PE_TYPES } point_edge_type;

/* Closest feature of a point p and a triangle t0 t1 t2; edges are t0 t1, t1 t2, t2 t0. */
typedef enum point_triangle_type {
    PT_P_T0,
    PT_P_T1,
    PT_P_T2,
    PT_P_E01,
    PT_P_E12,
    PT_P_E20,
    PT_P_T,
    PT_TYPES
} point_triangle_type;

/* Closest features of an edge a0 a1 and an edge b0 b1. */
typedef enum edge_edge_type {
    EE_A0_B0,
    EE_A0_B1,
    EE_A1_B0,
    EE_A1_B1,
    EE_A_B0,
    EE_A_B1,
    EE_A0_B,
    EE_A1_B,
    EE_A_B,
    EE_TYPES
} edge_edge_type;

/* The vertices of the original stencil (p t0 t1 t2, a0 a1 b0 b1, p e0 e1) that a type involves, in
 * the order in which the reduced stencil wants them: the point first. With global ids g[4], the
 * reduced stencil has the ids g[vertex[0]] .. g[vertex[count-1]]. */
typedef struct feature_stencil {
    stencil_kind kind;
    int count;
    int vertex[STENCIL_MAX_VERTICES];
} feature_stencil;

extern const feature_stencil point_edge_features[PE_TYPES];
extern const feature_stencil point_triangle_features[PT_TYPES];
extern const feature_stencil edge_edge_features[EE_TYPES];

/* ---- Classification and true distances ---- */

/* Edge pairs whose angle has a smaller sine, and triangles with a corner of a smaller sine, have no
 * usable normal: the closest end point against the other edge (PE or PP) is taken instead. */
#define DISTANCE_PARALLEL_SINE 1e-10

/* Every input gives a valid type, also edges of zero length, triangles of zero area and coincident
 * points. On the border of the region of a face or edge the lower-dimensional feature is taken (not
 * decided for parallel edges and flat triangles, where several features are equally near). Edges
 * that cross in one plane are EE_A_B at distance zero. */
point_edge_type point_edge_classify(vec3 p, vec3 e0, vec3 e1);
point_triangle_type point_triangle_classify(vec3 p, vec3 t0, vec3 t1, vec3 t2);
edge_edge_type edge_edge_classify(vec3 a0, vec3 a1, vec3 b0, vec3 b1);

/* Squared distance of the closest points (min over all features), and, where asked for (not NULL),
 * the type and the signed weights of the closest points: sum weight_i x_i points from the second
 * primitive to the first and has that length. For a point and a triangle they are
 * (1, -b0, -b1, -b2), for edges (1-s, s, t-1, -t). */
double point_edge_closest(vec3 p, vec3 e0, vec3 e1, point_edge_type *type, double weight[3]);
double point_triangle_closest(vec3 p, vec3 t0, vec3 t1, vec3 t2, point_triangle_type *type,
                              double weight[4]);
double edge_edge_closest(vec3 a0, vec3 a1, vec3 b0, vec3 b1, edge_edge_type *type,
                         double weight[4]);

/* True squared distances for CCD: like _closest, but nearly parallel edges and slivers use the
 * common normal down to a sine of 1e-13, so that the result is not larger than the truth by more
 * than rounding. */
double point_edge_true_distance2(vec3 p, vec3 e0, vec3 e1);
double point_triangle_true_distance2(vec3 p, vec3 t0, vec3 t1, vec3 t2);
double edge_edge_true_distance2(vec3 a0, vec3 a1, vec3 b0, vec3 b1);

/* Quick proof that a pair is further apart than the root of distance2: w reaches from one primitive
 * to the other, n is the cross product of the directions u and v that lie in them, and the distance
 * along n is a lower bound of the true one. No proof when u and v are nearly parallel. */
static inline bool normal_keeps_apart(vec3 u, vec3 v, vec3 w, double distance2)
{
    vec3 n = vec3_cross(u, v);
    double n2 = vec3_norm2(n), along = vec3_dot(w, n);
    return n2 > 1e-4 * vec3_norm2(u) * vec3_norm2(v) && along * along * (1 - 1e-9) > distance2 * n2;
}
static inline bool plane_keeps_apart(vec3 p, vec3 t0, vec3 t1, vec3 t2, double distance2)
{
    return normal_keeps_apart(vec3_sub(t1, t0), vec3_sub(t2, t0), vec3_sub(p, t0), distance2);
}
static inline bool lines_keep_apart(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double distance2)
{
    return normal_keeps_apart(vec3_sub(a1, a0), vec3_sub(b1, b0), vec3_sub(a0, b0), distance2);
}

/* ---- Unbounded features: point, line, plane, two lines ---- */

/* Signed weights of the closest points on the line, plane or lines (not clamped). */
void point_edge_weights(vec3 p, vec3 e0, vec3 e1, double weight[3]);
void point_triangle_weights(vec3 p, vec3 t0, vec3 t1, vec3 t2, double weight[4]);
void edge_edge_weights(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double weight[4]);

double point_point_distance2(vec3 a, vec3 b);
double point_point_gradient(vec3 a, vec3 b, double gradient[6]);
double point_point_hessian(vec3 a, vec3 b, double gradient[6], double hessian[36]);

double point_edge_distance2(vec3 p, vec3 e0, vec3 e1);
double point_edge_gradient(vec3 p, vec3 e0, vec3 e1, double gradient[9]);
double point_edge_hessian(vec3 p, vec3 e0, vec3 e1, double gradient[9], double hessian[81]);

double point_triangle_distance2(vec3 p, vec3 t0, vec3 t1, vec3 t2);
double point_triangle_gradient(vec3 p, vec3 t0, vec3 t1, vec3 t2, double gradient[12]);
double point_triangle_hessian(vec3 p, vec3 t0, vec3 t1, vec3 t2, double gradient[12],
                              double hessian[144]);

double edge_edge_distance2(vec3 a0, vec3 a1, vec3 b0, vec3 b1);
double edge_edge_gradient(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double gradient[12]);
double edge_edge_hessian(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double gradient[12],
                         double hessian[144]);

/* The same by stencil kind; x has stencil_size(kind) entries. */
double stencil_distance2(stencil_kind kind, const vec3 *x);
double stencil_gradient(stencil_kind kind, const vec3 *x, double *gradient);
double stencil_hessian(stencil_kind kind, const vec3 *x, double *gradient, double *hessian);

/* ---- Half-space: the points x with normal.(x - origin) > 0 are free, normal has length 1 ---- */

static inline double half_space_distance(vec3 p, vec3 origin, vec3 normal)
{
    return vec3_dot(normal, vec3_sub(p, origin));
}
double half_space_gradient(vec3 p, vec3 origin, vec3 normal, double gradient[3]);
double half_space_hessian(vec3 p, vec3 origin, vec3 normal, double gradient[3], double hessian[9]);

#endif
