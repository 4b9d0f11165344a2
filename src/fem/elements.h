/* Sets of finite elements of one kind, basis order and shape: what the elastic energy and the mass
 * of their kinetic energy need, precomputed from the rest shape.
 *
 * The rest position g(xi) has the order of the mesh (q), the displacement u(xi) = sum u_a phi_a the
 * order of the basis (p); both are independent. F = I + (sum u_a grad phi_a^T) J^-1 with J =
 * dg/dxi. The tables of reference gradients are shared by all elements of a set; an element adds
 * J^-1 and the integration weight per point, only one of each where the map is affine. Planar cells
 * (triangles, quads in x-y) have plane strain and the depth of one metre. */
#ifndef FEM_ELEMENTS_H
#define FEM_ELEMENTS_H

#include "base/array.h"
#include "base/status.h"
#include "fem/point_states.h"
#include "fem/positivity.h"
#include "fem/quadrature.h"
#include "material/elastic.h"
#include "mesh/cell.h"

/* J^-1 (0 beyond the dimension) and weight x det J of one point. */
typedef struct element_point {
    mat3 inverse;
    double measure;
} element_point;

/* Sets that can differ in one model: simplices of order 1 to 4 that are affine or curved by order 2
 * to 4, and quads or hexes of order 1 to 2 that are affine or of order 1 to 2. */
enum { ELEMENT_MAX_SETS = 4 * 4 + 2 * 3 };

typedef struct element_set {
    cell_kind kind;
    int order;          /* p */
    int geometry_order; /* q; 1 for affine elements, whatever their mesh said */
    bool affine;
    int dimension;
    int nodes;  /* basis functions per element */
    int stride; /* nodes, padded to a multiple of 4 */
    /* The points of the quadrature, then inversion-barrier points: a lattice with the corners and
     * edges, where no energy would notice that the element turns inside out. There a barrier repels
     * from det F = 0; it is 0 above GUARD_BEGINS. */
    quadrature rule;
    int elastic_points; /* of the rule; the rest are inversion-barrier points */
    /* For deciding that all inversion-barrier points rest: positions of the nodes in the reference
     * cell, the nodes that span it from the first one, and the size of each basis function's
     * gradient at each inversion-barrier point. */
    double node_position[CELL_MAX_NODES][3];
    int axis[3];
    double *steepness; /* inversion-barrier points x nodes */
    double *gradients; /* rows x stride: d phi_a / d xi_k at point i in row dimension i + k */
    size_t count;
    ARRAY(int32_t) blocks;       /* count x nodes */
    ARRAY(element_point) points; /* one per element (affine) or per element and point of the rule */
    ARRAY(elastic_parameters) material;
    ARRAY(double) density; /* kg/m^3 */
    ARRAY(int32_t) body;
    /* Mass: nodes (nodes + 1)/2 entries of the upper triangle; the reference cell's times
     * mass_scale where affine, of every element otherwise. */
    double *reference_mass;
    ARRAY(double) mass;
    /* Order r = max(p, q) of the deformed map and its check; for q > p the rest nodes of order q
     * and the matrix that takes displacements to those nodes. */
    positivity positive;
    ARRAY(vec3) shape;   /* count x positive.nodes, empty for p >= q */
    double *to_geometry; /* positive.nodes x nodes, NULL for p >= q */
} element_set;

abut_status element_set_init(element_set *s, cell_kind kind, int order, int geometry_order,
                             bool affine, abut_error *err);
void element_set_free(element_set *s);

/* Adds an element: its blocks, the rest positions of the nodes of its mesh cell (of the given
 * order), material and density. ABUT_ERROR_INFEASIBLE when det J is not positive everywhere. */
abut_status element_set_add(element_set *s, const int32_t *blocks, const vec3 *shape,
                            int shape_order, const elastic_parameters *material, double density,
                            int32_t body, abut_error *err);

double element_volume(const element_set *s, size_t e);
/* Integration weight times det J at a point of the rule. */
static inline double element_measure(const element_set *s, size_t e, int point)
{
    return s->affine ? s->rule.weights[point] * s->points.data[e].measure
                     : s->points.data[e * (size_t)s->rule.count + (size_t)point].measure;
}
/* Entry (a, b) of the mass matrix of an element. */
double element_mass(const element_set *s, size_t e, int a, int b);

/* Displacements of an element, component by component: 3 x stride doubles, padded with zeros. */
void element_gather(const element_set *s, size_t e, const double *x, const vec3 *rest, double *u);

/* Sum of the energies of elements begin..end-1 at positions x; INFINITY when a material forbids the
 * deformation. */
double element_energy(const element_set *s, const double *x, const vec3 *rest,
                      const point_states *states, size_t begin, size_t end);
/* Gradient (3 nodes doubles) and Hessian of each of these elements in the layout of terms
 * (term/term.h), projected where asked for; either may be NULL. Both are multiplied by weight. What
 * comes out for an element does not depend on the range. */
void element_derivatives(const element_set *s, const double *x, const vec3 *rest,
                         const point_states *states, double weight, bool project, size_t begin,
                         size_t end, double *gradient, double *hessian);

/* Deformation gradient at a point of the rule. */
mat3 element_deformation(const element_set *s, size_t e, const double *u, int point);

/* Nodes of the deformed map (order positive.order) from positions x, for the check of inversion. */
void element_map_nodes(const element_set *s, size_t e, const double *x, const vec3 *rest,
                       vec3 *nodes);
/* The same for a direction p. */
void element_map_direction(const element_set *s, size_t e, const double *p, vec3 *nodes);

/* Its transpose: from gradients with respect to the nodes of the map to those of the element's. */
void element_map_transpose(const element_set *s, const vec3 *gradient, vec3 *own);

static const double GUARD_BEGINS = 0.25;
/* The barrier of the inversion-barrier points: mu b(det F) with b(J) = -(1 - J/J0)^2 ln(J/J0) below
 * J0, else 0. */
double barrier_point_energy(const elastic_parameters *material, mat3 f);
/* Its stress b' cof F and, where asked for, the derivative in the frame of the singular vectors;
 * false where the barrier is 0. */
bool barrier_point_response(const elastic_parameters *material, mat3 f, bool project, mat3 *stress,
                            elastic_spectrum *out);

enum { ELEMENT_MAX_NODES = 35, ELEMENT_MAX_STRIDE = 36 };

#endif
