/* The fields of frames that a scene chooses with output.fields. */
#ifndef MEASURE_FRAME_FIELDS_H
#define MEASURE_FRAME_FIELDS_H

#include "measure/contact_fields.h"
#include "measure/model_frame.h"
#include "measure/stress_fields.h"

typedef enum frame_field_flag {
    FRAME_VELOCITY = 1,
    FRAME_DISPLACEMENT = 2,
    FRAME_STRESS = 4,         /* von Mises' of Cauchy's, per cell */
    FRAME_STRETCH = 8,        /* largest singular value of the deformation gradient, per cell */
    FRAME_CONTACT_FORCE = 16, /* contact and friction, per point */
    FRAME_CONTACT_FIRST = 32, /* shifted by a contact_field: one of contact_fields.h */
    FRAME_STRESS_FIRST = FRAME_CONTACT_FIRST << CONTACT_FIELDS /* by a stress_field */
} frame_field_flag;

typedef struct frame_fields {
    ARRAY(vec3) vertex_force, block_force, force;
    contact_fields contact;
    stress_fields stresses;
} frame_fields;

/* Makes the fields of a frame that model_frame_take filled those that are wanted (flags); `body` is
 * always there. The arrays are reused and stay valid until the next call. */
abut_status frame_fields_choose(frame_fields *fields, const model_frame *mf, const stepper *s,
                                unsigned wanted, frame *f, abut_error *err);
/* The same for the elements of high-order bodies, which know of the fields of elements only. */
abut_status frame_fields_choose_volume(frame_fields *fields, const volume_frame *vf,
                                       const stepper *s, unsigned wanted, frame *f,
                                       abut_error *err);
void frame_fields_free(frame_fields *fields);

#endif
