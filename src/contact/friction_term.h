/* Smoothed Coulomb friction with lagged normal forces and tangent frames (IPC,
 * equations 2.10-2.17): sum of mu lambda f0(|u|), u the tangential displacement of the contact
 * during the step. */
#ifndef CONTACT_FRICTION_TERM_H
#define CONTACT_FRICTION_TERM_H

#include "contact/contact_term.h"
#include "contact/friction_stencil.h"
#include "contact/stick_anchor.h"

/* Lists by width: 1 (half-spaces), 2, 3, 4 vertices. */
enum { FRICTION_LISTS = 4 };

/* A coefficient of its own for contacts between two bodies (or of one body with itself). */
typedef struct friction_pair {
    int32_t low, high; /* bodies, low <= high */
    double mu;
    int32_t interface; /* number of its interface, -1: none */
} friction_pair;

/* What contacts have beside a coefficient. */
typedef struct friction_interface {
    double kinetic;       /* coefficient of what slides; negative: that at rest */
    double ratio;         /* of the coefficient across the direction to that along it */
    vec3 direction;       /* in space; 0: none */
    double cohesion;      /* Pa, on top of mu times the pressure */
    friction_table table; /* count 0: none */
} friction_interface;

typedef struct friction_term {
    term base;
    const contact_term *contact;
    friction_kind kind;
    double scene_mu;
    ARRAY(friction_pair) pairs; /* ascending */
    ARRAY(friction_interface) interfaces;
    ARRAY(int32_t) of_plane; /* interfaces of half-spaces, -1: none; may be shorter */
    ARRAY(double) facing;    /* scratch: areas of the vertices as this half-space sees them */
    int32_t facing_plane;
    double eps; /* eps_v h: displacement below which friction is static */
    double h;
    double factor; /* the integrator's, on forces */
    ARRAY(friction_stencil) lists[FRICTION_LISTS];
    ARRAY(int32_t) blocks[FRICTION_LISTS];
    /* In every list the stencils of nodes come first; the others are in `rows` as well. */
    row_stencils rows;
    rigid_pose_list poses;
    ARRAY(friction_stencil) others; /* scratch of the sorting */
    vec3 *start;                    /* vertices at the start of the step */
    vec3 *moved;                    /* displacement since */
    bool sticks;                    /* with anchors: */
    stick_anchors anchors;
} friction_term;

abut_status friction_create(const contact_term *contact, double mu, friction_kind kind,
                            friction_term **out, abut_error *err);
/* Sets the coefficient of a pair of bodies, whatever the bodies themselves give. */
abut_status friction_set_pair(friction_term *t, int32_t a, int32_t b, double mu, abut_error *err);
/* A further interface, whose table it takes over, also on failure; then what it is for: a pair that
 * was set, a half-space. */
abut_status friction_add_interface(friction_term *t, friction_interface added, abut_error *err);
void friction_pair_interface(friction_term *t, int32_t a, int32_t b, int32_t number);
abut_status friction_plane_interface(friction_term *t, int32_t plane, int32_t number,
                                     abut_error *err);
/* True when some pair of bodies or half-space has friction. */
bool friction_possible(const friction_term *t);
/* Coefficient between two bodies, and between a body and a half-space. */
double friction_between(const friction_term *t, int32_t a, int32_t b);
double friction_on_plane(const friction_term *t, int32_t body, int32_t plane);
/* The length of the step: what slides slower than eps_v sticks. */
void friction_set_length(friction_term *t, double eps_v, double h);
/* Positions from which displacements are measured. */
void friction_set_start(friction_term *t, const double *x);
/* Takes normal forces and frames from the contact term's present active set at this stiffness. */
abut_status friction_lag(friction_term *t, double kappa, abut_error *err);
/* The step has ended with the displacements of the last update: anchors follow what slid. */
abut_status friction_end_step(friction_term *t, abut_error *err);
/* After every iterate of Newton's method. A contact that slides has no stiffness along its path, so
 * that soft bodies overshoot: where it should stick it is beyond the origin at the next iterate, is
 * pushed back as far, and so on. Contacts whose displacement turned around are stiffer for some
 * iterates (friction_stencil_derivatives); those that keep sliding have their exact Hessians. */
void friction_note_iterate(friction_term *t);

#endif
