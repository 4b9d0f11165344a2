/* Contact as fields over the points of a frame: pressure, friction traction, gap, stick or slip.
 *
 * Forces on vertices are divided by the area that the vertex stands for in the present
 * configuration (a third of its triangles, projected along the normal force), so that pressures are
 * Cauchy's. */
#ifndef MEASURE_CONTACT_FIELDS_H
#define MEASURE_CONTACT_FIELDS_H

#include "contact/active_set.h"
#include "measure/model_frame.h"

typedef enum contact_field {
    CONTACT_PRESSURE, /* Pa */
    CONTACT_TRACTION, /* of friction, Pa, 3 components */
    CONTACT_GAP,      /* m; NaN beyond dhat */
    CONTACT_STATE,    /* 0: no friction, 1: sticks, 2: slips */
    CONTACT_FIELDS
} contact_field;

typedef struct contact_fields {
    surface_areas areas;
    ARRAY(int32_t) vertex;          /* per block: the surface vertex that is this node, -1: none */
    ARRAY(vec3) normal, tangential; /* forces per surface vertex, N */
    ARRAY(double) area;             /* across the normal force, m^2 */
    ARRAY(double) value;            /* per surface vertex, up to 3 each */
    ARRAY(double) points[CONTACT_FIELDS];
} contact_fields;

/* Adds the field to the frame, which borrows it until the next call. Steps of the stepper mlcp have
 * no pressure of their own and give NaN everywhere but for what contact_force holds. */
abut_status contact_fields_add(contact_fields *c, contact_field field, const model_frame *mf,
                               const stepper *s, frame *f, abut_error *err);
/* Pressures of the vertices of the collision surface, Pa, in c->value. Not for the stepper mlcp. */
abut_status contact_vertex_pressures(contact_fields *c, const stepper *s, abut_error *err);
void contact_fields_free(contact_fields *c);

#endif
