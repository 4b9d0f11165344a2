/* A scene that a program builds: a document of the native format that grows by definitions. */
#ifndef DEFINE_DOCUMENT_H
#define DEFINE_DOCUMENT_H

#include "base/status.h"

#include <abut/define.h>
#include <jansson.h>

struct abut_scene {
    json_t *document;
};

abut_status document_create(const abut_scene_def *def, abut_scene **out, abut_error *err);
void document_free(abut_scene *scene);
abut_status document_add_material(abut_scene *scene, const char *name, const abut_material_def *def,
                                  abut_error *err);
/* A body as an entry of `bodies`. */
abut_status document_write_body(const abut_body_def *def, json_t **out, abut_error *err);
abut_status document_add_body(abut_scene *scene, const abut_body_def *def, abut_error *err);
abut_status document_add_fix(abut_scene *scene, size_t body, const abut_fix_def *def,
                             abut_error *err);
abut_status document_add_force(abut_scene *scene, size_t body, const abut_force_def *def,
                               abut_error *err);
abut_status document_add_joint(abut_scene *scene, const abut_joint_def *def, abut_error *err);
abut_status document_add_attachment(abut_scene *scene, const abut_attachment_def *def,
                                    abut_error *err);
abut_status document_add_half_space(abut_scene *scene, const abut_half_space_def *def,
                                    abut_error *err);

#endif
