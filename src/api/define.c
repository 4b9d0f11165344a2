/* The functions of define.h: scenes built in memory. */
#include "base/json_text.h"
#include "define/definition.h"
#include "define/document.h"
#include "sim/sim.h"

#include <stdlib.h>

#define DEFAULTS(of, definition)                                                                   \
    of def;                                                                                        \
    definition_defaults(&(definition), &def, NULL);                                                \
    return def

abut_scene_def abut_default_scene_def(void) { DEFAULTS(abut_scene_def, scene_definition); }
abut_material_def abut_default_material_def(void)
{
    DEFAULTS(abut_material_def, material_definition);
}
abut_body_def abut_default_body_def(void) { DEFAULTS(abut_body_def, body_definition); }
abut_fix_def abut_default_fix_def(void) { DEFAULTS(abut_fix_def, fix_definition); }
abut_force_def abut_default_force_def(void) { DEFAULTS(abut_force_def, force_definition); }
abut_joint_def abut_default_joint_def(void) { DEFAULTS(abut_joint_def, joint_definition); }
abut_attachment_def abut_default_attachment_def(void)
{
    DEFAULTS(abut_attachment_def, attachment_definition);
}
abut_half_space_def abut_default_half_space_def(void)
{
    DEFAULTS(abut_half_space_def, half_space_definition);
}

abut_status abut_scene_create(const abut_scene_def *def, abut_scene **out, abut_error *error)
{
    return document_create(def, out, error);
}

void abut_scene_destroy(abut_scene *scene) { document_free(scene); }

abut_status abut_scene_add_material(abut_scene *scene, const char *name,
                                    const abut_material_def *def, abut_error *error)
{
    return document_add_material(scene, name, def, error);
}

abut_status abut_scene_add_body(abut_scene *scene, const abut_body_def *def, abut_error *error)
{
    return document_add_body(scene, def, error);
}

abut_status abut_scene_add_fix(abut_scene *scene, size_t body, const abut_fix_def *def,
                               abut_error *error)
{
    return document_add_fix(scene, body, def, error);
}

abut_status abut_scene_add_force(abut_scene *scene, size_t body, const abut_force_def *def,
                                 abut_error *error)
{
    return document_add_force(scene, body, def, error);
}

abut_status abut_scene_add_joint(abut_scene *scene, const abut_joint_def *def, abut_error *error)
{
    return document_add_joint(scene, def, error);
}

abut_status abut_scene_add_attachment(abut_scene *scene, const abut_attachment_def *def,
                                      abut_error *error)
{
    return document_add_attachment(scene, def, error);
}

abut_status abut_scene_add_half_space(abut_scene *scene, const abut_half_space_def *def,
                                      abut_error *error)
{
    return document_add_half_space(scene, def, error);
}

char *abut_scene_text(const abut_scene *scene)
{
    return json_text(scene->document, JSON_INDENT(1));
}

abut_status abut_sim_create_from(const abut_scene *scene, const abut_sim_options *options,
                                 abut_sim **out, abut_error *error)
{
    abut_sim_options defaults = abut_default_sim_options();
    return sim_create_from(scene->document, options ? options : &defaults, out, error);
}
