/* A term whose energy is a sum over points, edges and triangles of the collision surface: the part
 * that is the same for all such terms. The energy of an element depends on the positions of its
 * vertices; the chain rule through the rows of the surface (term/row_stencils.h) makes derivatives
 * by the coordinates of nodes, of rigid and of affine bodies of them. */
#ifndef TERM_ON_SURFACE_H
#define TERM_ON_SURFACE_H

#include "body/model.h"
#include "term/row_stencils.h"
#include "term/term.h"

typedef struct on_surface_term on_surface_term;

typedef struct surface_element {
    int32_t vertex[3];
    int count;      /* of vertices: 1 to 3 */
    int32_t source; /* what acts on it: a number of the owner's */
} surface_element;

typedef struct on_surface_functions {
    /* Energy of element e whose vertices are at y, J. */
    double (*energy)(const on_surface_term *t, const evaluation *ev, size_t e, const vec3 *y);
    /* Gradient (3 per vertex) and dense Hessian, projected unless ev->exact. */
    void (*derivatives)(const on_surface_term *t, const evaluation *ev, size_t e, const vec3 *y,
                        double *gradient, double *hessian);
} on_surface_functions;

struct on_surface_term {
    term base;
    const model *model;
    const on_surface_functions *functions;
    ARRAY(surface_element) elements;
    row_stencils stencils;
    rigid_pose_list poses;
    vec3 *y, *start; /* of all vertices: at the last update, at the start of the step */
};

/* Fills the base; elements follow, then on_surface_finish. */
abut_status on_surface_begin(on_surface_term *t, const term_class *class, const model *m,
                             const on_surface_functions *functions, abut_error *err);
/* All triangles of a body; with `thin` its edges without triangles and its lone points as well. */
abut_status on_surface_add_body(on_surface_term *t, int32_t body, bool thin, int32_t source,
                                abut_error *err);
abut_status on_surface_finish(on_surface_term *t, abut_error *err);
void on_surface_free(on_surface_term *t);

/* For the classes of such terms. */
abut_status on_surface_update(term *base, const double *x, abut_error *err);
double on_surface_value(const term *base, const evaluation *ev, const double *x);
void on_surface_derivatives(const term *base, const evaluation *ev, int group, const double *x,
                            size_t begin, size_t end, double *gradient, double *hessian);
/* Positions at the start of a step. */
void on_surface_begin_step(on_surface_term *t, const double *x);

#endif
