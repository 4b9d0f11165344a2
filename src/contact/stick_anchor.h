/* Anchors of sticking contacts: elastic-plastic Coulomb friction with a return map.
 *
 * Smoothed friction (friction_stencil.h) resists a velocity: it holds a load T < mu lambda only by
 * sliding at eps_v (1 - sqrt(1 - T / (mu lambda))). With an anchor it resists a displacement
 * instead. The tangential displacement z of a contact from its anchor is carried over from step to
 * step, the potential is mu lambda f0(|z + u|), and after the step z becomes z + u, cut to the
 * length eps beyond which the contact slides: the anchor then follows. At rest z is constant, and
 * nothing creeps. What a contact stores is at most what sliding by eps takes.
 *
 * z is kept by eps and in the tangent columns of the contact, which turn with the first primitive;
 * so a step of another length continues with the same force. Where the closest features have
 * changed, contacts take over what those that ended at the same vertices carried. */
#ifndef CONTACT_STICK_ANCHOR_H
#define CONTACT_STICK_ANCHOR_H

#include "base/array.h"
#include "base/saved_numbers.h"
#include "base/status.h"
#include "contact/friction_stencil.h"

typedef struct stick_anchor {
    int32_t vertex[4]; /* of the contact, -1 where it has fewer */
    int32_t plane;     /* half-space, or -1 */
    double stretch[2]; /* displacement from the anchor by eps, at most 1 long */
    double force;      /* mu lambda */
    double weight[4];  /* signed, of the closest points */
    vec3 column[2], normal;
} stick_anchor;

/* Where a vertex is part of an anchor that no contact has continued. */
typedef struct anchor_use {
    int32_t vertex, anchor;
    int slot;
} anchor_use;

typedef struct stick_anchors {
    ARRAY(stick_anchor) list, next; /* ascending by plane and vertices; next: being made */
    ARRAY(uint8_t) continued;
    ARRAY(anchor_use) uses; /* ascending by vertex */
    ARRAY(int32_t) ints;    /* scratch of saving */
    ARRAY(double) reals;
} stick_anchors;

void stick_anchors_free(stick_anchors *a);

/* Contacts of a step take their displacements from the anchors before it: first all lists, one
 * after the other, then what has no anchor of its own. eps: eps_v h of this step. */
abut_status stick_anchors_begin(stick_anchors *a, abut_error *err);
void stick_anchors_continue(stick_anchors *a, friction_stencil *stencils, size_t count, double eps);
abut_status stick_anchors_list_ended(stick_anchors *a, abut_error *err);
void stick_anchors_hand_over(const stick_anchors *a, friction_stencil *stencils, size_t count,
                             double eps);

/* After a step: the return map, for each list, and then the anchors of the next step. moved:
 * displacements of the vertices during the step. */
abut_status stick_anchors_return(stick_anchors *a, const friction_stencil *stencils, size_t count,
                                 const vec3 *moved, double eps, abut_error *err);
void stick_anchors_end(stick_anchors *a);

abut_status stick_anchors_save(stick_anchors *a, saved_numbers *out, abut_error *err);
abut_status stick_anchors_restore(stick_anchors *a, const saved_numbers *saved, size_t vertices,
                                  size_t planes, abut_error *err);

#endif
