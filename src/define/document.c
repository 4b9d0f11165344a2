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

/* Appends an object, which is taken over, to a list that may not be there yet. */
static abut_status append(json_t *owner, const char *key, json_t *object, abut_error *err)
{
    if (!json_object_get(owner, key) && json_object_set_new(owner, key, json_array()) != 0) {
        json_decref(object);
        return no_memory(err);
    }
    json_t *list = json_object_get(owner, key);
    return json_array_append_new(list, object) == 0 ? ABUT_OK : no_memory(err);
}

abut_status document_write_body(const abut_body_def *def, json_t **out, abut_error *err)
{
    TRY(definition_write(&body_definition, def, out, err));
    json_t *mesh = json_object_get(*out, "mesh");
    if (!def->fill.given || !mesh || json_object_get(mesh, "fill") ||
        json_object_set_new(mesh, "fill", json_object()) == 0)
        return ABUT_OK;
    json_decref(*out);
    *out = NULL;
    return no_memory(err);
}

abut_status document_add_body(abut_scene *scene, const abut_body_def *def, abut_error *err)
{
    json_t *object;
    TRY(document_write_body(def, &object, err));
    return append(scene->document, "bodies", object, err);
}

/* The body of a number; NULL with a message: there is none. */
static json_t *body_of(const abut_scene *scene, size_t body, abut_error *err)
{
    json_t *bodies = json_object_get(scene->document, "bodies");
    if (body < json_array_size(bodies)) return json_array_get(bodies, body);
    error_set(err, ABUT_ERROR_INPUT, "body",
              "there is no body %zu: the scene has %zu, numbered from 0", body,
              json_array_size(bodies));
    return NULL;
}

abut_status document_add_fix(abut_scene *scene, size_t body, const abut_fix_def *def,
                             abut_error *err)
{
    json_t *owner = body_of(scene, body, err), *object;
    if (!owner) return ABUT_ERROR_INPUT;
    TRY(definition_write(&fix_definition, def, &object, err));
    return append(owner, "fix", object, err);
}

abut_status document_add_force(abut_scene *scene, size_t body, const abut_force_def *def,
                               abut_error *err)
{
    json_t *owner = body_of(scene, body, err), *object;
    if (!owner) return ABUT_ERROR_INPUT;
    TRY(definition_write(&force_definition, def, &object, err));
    return append(owner, "force", object, err);
}

/* A member whose zero is a value, too. */
static abut_status set_length(json_t *object, double length, abut_error *err)
{
    if (!isfinite(length))
        return error_set(err, ABUT_ERROR_INPUT, "length", "is not a finite number");
    return json_object_set_new(object, "length", json_real(length)) == 0 ? ABUT_OK : no_memory(err);
}

static abut_status set_point(json_t *object, const double point[3], abut_error *err)
{
    json_t *list = json_array();
    bool good = list != NULL;
    for (int k = 0; good && k < 3; k++) {
        if (!isfinite(point[k])) {
            json_decref(list);
            return error_set(err, ABUT_ERROR_INPUT, "to_point", "is not finite");
        }
        good = json_array_append_new(list, json_real(point[k])) == 0;
    }
    if (good) return json_object_set_new(object, "to_point", list) == 0 ? ABUT_OK : no_memory(err);
    json_decref(list);
    return no_memory(err);
}

abut_status document_add_joint(abut_scene *scene, const abut_joint_def *def, abut_error *err)
{
    json_t *object;
    TRY(definition_write(&joint_definition, def, &object, err));
    abut_status status = def->has_length ? set_length(object, def->length, err) : ABUT_OK;
    if (status == ABUT_OK && def->has_to_point) status = set_point(object, def->to_point, err);
    if (status == ABUT_OK) return append(scene->document, "joints", object, err);
    json_decref(object);
    return status;
}

abut_status document_add_attachment(abut_scene *scene, const abut_attachment_def *def,
                                    abut_error *err)
{
    json_t *object;
    TRY(definition_write(&attachment_definition, def, &object, err));
    return append(scene->document, "attachments", object, err);
}

abut_status document_add_half_space(abut_scene *scene, const abut_half_space_def *def,
                                    abut_error *err)
{
    json_t *object;
    TRY(definition_write(&half_space_definition, def, &object, err));
    return append(scene->document, "half_spaces", object, err);
}
