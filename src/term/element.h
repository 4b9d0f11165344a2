/* A term that is a sum over equal elements of the model with fixed stencils: the loops, so that a
 * new element is its energy and its derivatives only. */
#ifndef TERM_ELEMENT_H
#define TERM_ELEMENT_H

#include "body/model.h"
#include "term/term.h"

typedef struct element_term element_term;

typedef struct element_functions {
    /* Energy of element e at x. */
    double (*energy)(const element_term *t, const double *x, size_t e);
    /* factor times gradient and Hessian blocks, where not NULL, as terms deliver them. */
    void (*evaluate)(const element_term *t, const double *x, size_t e, double factor, bool project,
                     double *gradient, double *hessian);
    /* Largest step of the element along p, at most limit; NULL: any. */
    double (*max_step)(const element_term *t, const double *x, const double *p, size_t e,
                       double limit);
} element_functions;

struct element_term {
    term base;
    const model *model;
    const element_functions *functions;
};

/* Fills the base for `count` elements of `width` blocks each. */
void element_term_init(element_term *t, const term_class *class, const model *m,
                       const element_functions *functions, int width, size_t count,
                       const int32_t *blocks);

/* For the classes of such terms. */
double element_term_value(const term *base, const evaluation *ev, const double *x);
void element_term_derivatives(const term *base, const evaluation *ev, int group, const double *x,
                              size_t begin, size_t end, double *gradient, double *hessian);
abut_status element_term_max_step(const term *base, const double *x, const double *p, double limit,
                                  step_bound *bound, stage_timer *timer, abut_error *err);
void element_term_destroy(term *base);

/* Positions of the blocks of element e. */
void element_term_positions(const element_term *t, const double *x, size_t e, vec3 *out);

/* gradient += that of the term at x, over all coordinates, in the order of the stencils. */
void term_add_gradient(const term *t, const evaluation *ev, const double *x, double *gradient);

#endif
