/* Smoothed Coulomb friction of one contact with a lagged normal force and tangent frame (IPC,
 * equations 2.10-2.17): mu lambda f0(|u|), u the tangential displacement, and its derivatives in
 * the displacements of the vertices. */
#ifndef CONTACT_FRICTION_STENCIL_H
#define CONTACT_FRICTION_STENCIL_H

#include "base/words.h"
#include "contact/friction_slip.h"
#include "geometry/tangent.h"

#include <stdbool.h>
#include <stdint.h>

/* Smoothness of the transition from static to sliding friction. */
#define FRICTION_KINDS(ROW) ROW(FRICTION_C1, "c1") ROW(FRICTION_C0, "c0") ROW(FRICTION_C2, "c2")
typedef enum friction_kind { FRICTION_KINDS(WORD_CONSTANT) } friction_kind;
extern const char *const friction_kind_words[];

typedef struct friction_stencil {
    int32_t vertex[4];
    double force; /* mu lambda */
    /* Where friction differs by the direction, the columns are along it and across, the second one
     * times the ratio of the coefficients: then mu lambda f0(|u|) has forces within an ellipse. */
    tangent_frame frame;
    friction_slip slip; /* 0: none */
    int32_t plane;      /* of stencils with one vertex: which half-space */
    vec3 slide;         /* its displacement during the step */
    double anchor[2]; /* tangential displacement at the start of the step (stick_anchor.h), or 0 */
    bool anchored;    /* it is that of this very contact */
    /* For Newton's method (friction_note_iterate): tangential displacement at the last iterate; for
     * how many more iterates the stiffness along it is that of the chord. */
    double before[2];
    int turned;
} friction_stencil;

/* What all stencils share. */
typedef struct friction_law {
    friction_kind kind;
    double eps;    /* eps_v h: displacement below which friction is static */
    double factor; /* on every energy */
} friction_law;

/* f0, f1 / y and the second coefficient of the smoothed friction. */
double friction_f0(friction_kind kind, double y, double eps);
double friction_f1_over_y(friction_kind kind, double y, double eps);
double friction_f1_prime(friction_kind kind, double y, double eps);

/* Tangential displacement, from the anchor where there is one; moved: displacements of the
 * surface's vertices. */
void friction_displacement(const friction_stencil *s, const vec3 *moved, double u[2]);
double friction_stencil_value(const friction_law *law, const friction_stencil *s,
                              const vec3 *moved);
/* gradient[3 width] (may be NULL), and the 3x3 core of the Hessian: the block of vertices a, b is
 * weight_a weight_b core. It is positive semi-definite as it is: the smoothed laws are convex. Of
 * contacts that have turned it is the chord's (f1 / y in all directions), an upper bound. */
mat3 friction_stencil_derivatives(const friction_law *law, const friction_stencil *s,
                                  const vec3 *moved, double *gradient);
/* The blocks a <= b of the Hessian, 9 values each, in row order. */
void friction_store_blocks(const friction_stencil *s, mat3 core, double *blocks);

#endif
