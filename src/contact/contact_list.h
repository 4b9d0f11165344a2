/* Contacts as a list, and what bodies do to each other by them, at the state that the terms were
 * updated for; for programs that read forces. Nothing of the terms changes. */
#ifndef CONTACT_CONTACT_LIST_H
#define CONTACT_CONTACT_LIST_H

#include "contact/friction_term.h"

/* Two bodies; the second is -1 - k for half-space k. */
typedef struct body_pair {
    int32_t first, second;
} body_pair;

typedef struct contact_point {
    body_pair bodies;
    vec3 point;                  /* on the first body */
    vec3 normal;                 /* from the second body to the first */
    double distance, gap, force; /* m, m, N */
    int32_t vertex[4];           /* of the primitive of the first body, and how much each counts */
    double weight[4];
    int vertices;
} contact_point;

typedef ARRAY(contact_point) contact_point_list;

typedef struct contact_pair {
    body_pair bodies;
    size_t contacts;
    vec3 normal, friction; /* N, on the first body; 0 for a body with itself */
    double gap;            /* smallest, m */
} contact_pair;

typedef ARRAY(contact_pair) contact_pair_list; /* ascending by first, then second */

/* < 0, 0, > 0; half-spaces come after all bodies. */
int body_pair_compare(body_pair a, body_pair b);

/* factor: what the integrator multiplies forces with. Both fill a list anew. friction may be NULL.
 */
abut_status contact_list_points(const contact_term *contact, const evaluation *ev, double factor,
                                contact_point_list *out, abut_error *err);
abut_status contact_list_pairs(const contact_term *contact, const friction_term *friction,
                               const evaluation *ev, double factor, contact_pair_list *out,
                               abut_error *err);
/* Only who touches whom: the forces stay 0. */
abut_status contact_list_touching(const contact_term *contact, contact_pair_list *out,
                                  abut_error *err);

#endif
