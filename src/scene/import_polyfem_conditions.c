/* Conditions of PolyFEM on a body: Dirichlet values, tractions, velocities at the start. */
#include "scene/import_polyfem_shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of the parts that a list of ids means, each once (new reference). */
static json_t *chosen_parts(const json_t *parts, const json_t *ids)
{
    json_t *out = json_array(), *seen = json_object();
    for (size_t i = 0; i < json_array_size(parts); i++) {
        int number = (int)json_integer_value(json_object_get(json_array_get(parts, i), "number"));
        char text[20];
        snprintf(text, sizeof text, "%d", number);
        if (!polyfem_has_id(ids, number) || json_object_get(seen, text)) continue;
        json_object_set_new(seen, text, json_true());
        json_array_append_new(out, json_integer(number));
    }
    json_decref(seen);
    return out;
}

/* Nodes that a Dirichlet id stands for, as native selectors. */
static abut_status selected_nodes(const polyfem_scene *s, const polyfem_shape *shape,
                                  const json_t *parts, const json_t *ids, const char *field,
                                  json_t *list, abut_error *err)
{
    if (json_is_object(ids)) return polyfem_select_region(s, shape, ids, field, list, err);
    json_t *numbers = chosen_parts(parts, ids);
    for (size_t i = 0; i < json_array_size(numbers); i++)
        json_array_append_new(list, json_pack("{s:O}", "boundary", json_array_get(numbers, i)));
    json_decref(numbers);
    return polyfem_select_points(s, shape, ids, list, err);
}

static abut_status add_fix(const polyfem_scene *s, const polyfem_shape *shape, const json_t *parts,
                           const json_t *item, const char *field, json_t *fixes, abut_error *err)
{
    json_t *values = NULL, *nodes = json_array();
    char axes[4] = "";
    const json_t *dimension = polyfem_get(item, "dimension");
    for (size_t k = 0; k < 3; k++) {
        const json_t *flag = json_array_get(dimension, k);
        bool on = flag ? json_is_true(flag) : true;
        if (on) strncat(axes, &"x\0y\0z"[2 * k], 1);
    }
    abut_status status = polyfem_values(s, item, field, &values, err);
    if (status == ABUT_OK)
        status = selected_nodes(s, shape, parts, polyfem_get(item, "id"), field, nodes, err);
    if (json_array_size(nodes) > 0) json_object_set_new(s->matched, field, json_true());
    for (size_t k = 0; status == ABUT_OK && axes[0] && k < json_array_size(nodes); k++) {
        json_t *fix = json_pack("{s:O}", "nodes", json_array_get(nodes, k));
        if (strcmp(axes, "xyz") != 0) json_object_set_new(fix, "axes", json_string(axes));
        if (!polyfem_all_zero(values)) json_object_set(fix, "displacement", values);
        /* Where two of theirs meet, the last one counts. */
        if (json_array_size(fixes) > 0) json_object_set_new(fix, "takes_over", json_true());
        json_array_append_new(fixes, fix);
    }
    json_decref(nodes);
    json_decref(values);
    return status;
}

abut_status polyfem_add_fixes(const polyfem_scene *s, const polyfem_shape *shape,
                              const json_t *parts, json_t *body, abut_error *err)
{
    const json_t *list = polyfem_get(s->document, "boundary_conditions/dirichlet_boundary");
    json_t *fixes = json_array();
    json_object_set_new(body, "fix", fixes);
    for (size_t i = 0; i < json_array_size(list); i++) {
        char field[80];
        snprintf(field, sizeof field, "/boundary_conditions/dirichlet_boundary/%zu", i);
        TRY(add_fix(s, shape, parts, json_array_get(list, i), field, fixes, err));
    }
    return ABUT_OK;
}

abut_status polyfem_add_loads(const polyfem_scene *s, const json_t *parts, json_t *body,
                              abut_error *err)
{
    static const struct {
        const char *theirs, *ours;
    } kinds[] = {{"neumann_boundary", "traction"},
                 {"normal_aligned_neumann_boundary", "normal"},
                 {"pressure_boundary", "pressure"}};
    json_t *loads = json_array();
    json_object_set_new(body, "surface_loads", loads);
    for (int k = 0; k < 3; k++) {
        char path[80], field[120];
        snprintf(path, sizeof path, "boundary_conditions/%s", kinds[k].theirs);
        const json_t *list = polyfem_get(s->document, path);
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *item = json_array_get(list, i);
            json_t *value = NULL;
            snprintf(field, sizeof field, "/%s/%zu", path, i);
            TRY(k == 0 ? polyfem_values(s, item, field, &value, err)
                       : polyfem_scalar(s, item, field, &value, err));
            json_t *numbers = chosen_parts(parts, polyfem_get(item, "id"));
            if (json_array_size(numbers) > 0) json_object_set_new(s->matched, field, json_true());
            for (size_t n = 0; n < json_array_size(numbers); n++)
                json_array_append_new(loads,
                                      json_pack("{s:O, s:O}", "boundary",
                                                json_array_get(numbers, n), kinds[k].ours, value));
            json_decref(numbers);
            json_decref(value);
        }
    }
    return ABUT_OK;
}

void polyfem_add_body_force(const polyfem_scene *s, json_t *body)
{
    const json_t *rhs = polyfem_get(s->document, "boundary_conditions/rhs");
    if (!polyfem_vector_has_text(rhs)) return;
    json_t *field = json_array();
    for (size_t k = 0; k < 3; k++) {
        const json_t *item = json_array_get(rhs, k);
        const char *text = json_string_value(item);
        json_array_append_new(field, text ? json_sprintf("-(%s)", text)
                                          : json_real(-json_number_value(item)));
    }
    json_object_set_new(body, "force", json_pack("[{s:o}]", "acceleration_field", field));
}

/* The entry of the initial velocities for a volume, or NULL. The last one counts. */
static const json_t *velocity_of(const polyfem_scene *s, int volume)
{
    const json_t *list = polyfem_get(s->document, "initial_conditions/velocity"), *found = NULL;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (polyfem_has_id(polyfem_get(json_array_get(list, i), "id"), volume))
            found = json_array_get(list, i);
    return found;
}

abut_status polyfem_add_velocity(const polyfem_scene *s, const polyfem_shape *shape, json_t *body,
                                 abut_error *err)
{
    static const char field[] = "/initial_conditions/velocity";
    const json_t *item = velocity_of(s, shape->volume);
    for (size_t i = 0; i < json_array_size(shape->ids); i++)
        if (velocity_of(s, (int)json_integer_value(json_array_get(shape->ids, i))) != item)
            return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                                 "different velocities within one mesh are not supported", err);
    if (!item) return ABUT_OK;
    json_t *values = NULL;
    TRY(polyfem_values(s, item, field, &values, err));
    json_object_set_new(body, "velocity_field", values);
    return ABUT_OK;
}

abut_status polyfem_add_displacement(const polyfem_scene *s, const polyfem_shape *shape,
                                     json_t *body, abut_error *err)
{
    static const char path[] = "boundary_conditions/obstacle_displacements";
    const json_t *list = polyfem_get(s->document, path);
    const json_t *selection = polyfem_get(shape->json, "surface_selection");
    for (size_t i = 0; json_is_integer(selection) && i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        char field[100];
        if (!polyfem_has_id(polyfem_get(item, "id"), (int)json_integer_value(selection))) continue;
        snprintf(field, sizeof field, "/%s/%zu", path, i);
        json_object_set_new(s->matched, field, json_true());
        json_t *values = NULL;
        TRY(polyfem_values(s, item, field, &values, err));
        if (!polyfem_all_zero(values)) json_object_set(body, "displacement", values);
        json_decref(values);
        break;
    }
    return ABUT_OK;
}

void polyfem_mention_unmatched(const polyfem_scene *s)
{
    static const char *const lists[] = {"dirichlet_boundary", "neumann_boundary",
                                        "normal_aligned_neumann_boundary", "pressure_boundary",
                                        "obstacle_displacements"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        char path[80], field[120];
        snprintf(path, sizeof path, "boundary_conditions/%s", lists[k]);
        const json_t *list = polyfem_get(s->document, path);
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *ids = polyfem_get(json_array_get(list, i), "id");
            snprintf(field, sizeof field, "/%s/%zu", path, i);
            if (json_object_get(s->matched, field)) continue;
            char *text = json_dumps(ids, JSON_ENCODE_ANY);
            log_message(s->log, ABUT_LOG_WARNING, "%s: %s: no selection has the id %s", s->path,
                        field, text ? text : "that it names");
            free(text);
        }
    }
}
