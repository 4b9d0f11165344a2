/* What follows from several members of the definitions when all are read: what tables cannot say.
 */
#ifndef SCENE_COMPLETE_H
#define SCENE_COMPLETE_H

#include "material/law.h"
#include "scene/scene.h"

/* Called for the struct of the type (schema_type.complete). */
void complete_half_space(void *out);
void complete_body(void *out);
void complete_scene(void *out);

/* Names of the parameters of its own that a material or a body has (schema_field.names). */
const law_parameter *law_names(const void *material, int *count);
const law_parameter *kind_names(const void *body, int *count);

/* Damping of thin bodies: what they give, where it is not negative, else the material's. */
void complete_thin_damping(body_def *body, double damping, double bending_damping);

#endif
