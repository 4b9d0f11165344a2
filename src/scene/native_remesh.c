#include "scene/native.h"
#include "scene/schema_table.h"

#include <string.h>

void native_read_remesh(scene_def *scene)
{
    const json_t *object = json_object_get(scene->resolved, "remesh");
    if (!object) return;
    const char *word = json_string_value(json_object_get(object, "method"));
    remesh_method method = REMESH_ENERGY;
    while (strcmp(remesh_method_words[method], word) != 0) method++;
    scene->remesh = (remesh_def){
        .on = true,
        .method = method,
        .every = (int)json_integer_value(json_object_get(object, "every")),
        .split = json_is_true(json_object_get(object, "split")),
        .collapse = json_is_true(json_object_get(object, "collapse")),
        .swap = json_is_true(json_object_get(object, "swap")),
        .smooth = json_is_true(json_object_get(object, "smooth")),
        .split_tolerance = json_number_value(json_object_get(object, "split_tolerance")),
        .collapse_tolerance = json_number_value(json_object_get(object, "collapse_tolerance")),
        .screening = json_number_value(json_object_get(object, "screening")),
        .least_gain = json_number_value(json_object_get(object, "least_gain")),
        .split_threshold = json_number_value(json_object_get(object, "split_threshold")),
        .collapse_threshold = json_number_value(json_object_get(object, "collapse_threshold")),
        .depth = (int)json_integer_value(json_object_get(object, "depth")),
        .min_edge = json_number_value(json_object_get(object, "min_edge")),
        .max_edge = json_number_value(json_object_get(object, "max_edge")),
        .quality = json_number_value(json_object_get(object, "quality")),
        .max_cells = (int)json_integer_value(json_object_get(object, "max_cells")),
        .step = (int)json_integer_value(json_object_get(object, "step")),
        .levels = (int)json_integer_value(json_object_get(object, "levels")),
        .stretch_change = json_number_value(json_object_get(object, "stretch_change")),
        .contact_gap = json_number_value(json_object_get(object, "contact_gap")),
    };
    /* A sum over pairs would grow with every split for the same shape. */
    scene->contact.area_weighted = true;
    const json_t *bodies = json_object_get(scene->resolved, "bodies");
    for (size_t i = 0; i < scene->body_count; i++) {
        body_def *body = &scene->bodies[i];
        const json_t *off = json_object_get(json_array_get(bodies, i), "remesh");
        body->remesh = body->enabled && body_rows[body->type]->solid && !json_is_false(off);
        body->consistent_mass = body->consistent_mass || body->remesh;
    }
}
