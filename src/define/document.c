#include "define/document.h"

#include "base/memory.h"
#include "define/definition.h"

#include <math.h>

static abut_status no_memory(abut_error *err) { return error_memory(err, "defining a scene"); }

abut_status document_create(const abut_scene_def *def, abut_scene **out, abut_error *err)
{
    *out = NULL;
    json_t *document;
    TRY(definition_write(&scene_definition, def, &document, err));
    if (def->has_ground && !isfinite(def->ground)) {
        json_decref(document);
        return error_set(err, ABUT_ERROR_INPUT, "ground", "is not a finite number");
    }
    bool good = json_object_set_new(document, "abut", json_integer(1)) == 0 &&
                json_object_set_new(document, "materials", json_object()) == 0 &&
                json_object_set_new(document, "bodies", json_array()) == 0 &&
                json_object_set_new(document, "half_spaces", json_array()) == 0;
    if (good && def->has_ground)
        good = json_object_set_new(document, "ground", json_real(def->ground)) == 0;
    abut_scene *scene = good ? mem_calloc(1, sizeof *scene) : NULL;
    if (!scene) {
        json_decref(document);
        return no_memory(err);
    }
    scene->document = document;
    *out = scene;
    return ABUT_OK;
}

void document_free(abut_scene *scene)
{
    if (!scene) return;
    json_decref(scene->document);
    mem_free(scene);
}

abut_status document_add_material(abut_scene *scene, const char *name, const abut_material_def *def,
                                  abut_error *err)
{
    json_t *materials = json_object_get(scene->document, "materials"), *object;
    if (!name || !name[0])
        return error_set(err, ABUT_ERROR_INPUT, "materials", "a material needs a name");
    if (json_object_get(materials, name))
        return error_set(err, ABUT_ERROR_INPUT, "materials",
                         "there is a material of the name \"%.60s\" already", name);
    TRY(definition_write(&material_definition, def, &object, err));
    return json_object_set_new(materials, name, object) == 0 ? ABUT_OK : no_memory(err);
}

abut_status document_add_body(abut_scene *scene, const abut_body_def *def, abut_error *err)
{
    json_t *object;
    TRY(definition_write(&body_definition, def, &object, err));
    json_t *bodies = json_object_get(scene->document, "bodies");
    return json_array_append_new(bodies, object) == 0 ? ABUT_OK : no_memory(err);
}

abut_status document_add_fix(abut_scene *scene, size_t body, const abut_fix_def *def,
                             abut_error *err)
{
    json_t *bodies = json_object_get(scene->document, "bodies"), *object;
    size_t count = json_array_size(bodies);
    if (body >= count)
        return error_set(err, ABUT_ERROR_INPUT, "body",
                         "there is no body %zu: the scene has %zu, numbered from 0", body, count);
    TRY(definition_write(&fix_definition, def, &object, err));
    json_t *target = json_array_get(bodies, body), *list = json_object_get(target, "fix");
    if (!list && json_object_set_new(target, "fix", json_array()) != 0) {
        json_decref(object);
        return no_memory(err);
    }
    list = json_object_get(target, "fix");
    return json_array_append_new(list, object) == 0 ? ABUT_OK : no_memory(err);
}

abut_status document_add_half_space(abut_scene *scene, const abut_half_space_def *def,
                                    abut_error *err)
{
    json_t *object;
    TRY(definition_write(&half_space_definition, def, &object, err));
    json_t *planes = json_object_get(scene->document, "half_spaces");
    return json_array_append_new(planes, object) == 0 ? ABUT_OK : no_memory(err);
}
