/* The table: probes, which go to probes.csv. */
#include "scene/scene.h"
#include "scene/schema_table.h"

#include <stdio.h>
#include <string.h>

static const char *const field_words[] = {PROBE_FIELD_WORDS(WORD_TEXT) NULL};
static const char *const take_words[] = {PROBE_TAKES(WORD_TEXT) NULL};

static const schema_field cut_fields[] = {
    {"point", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(place_def, a), .count = 3, .unit = "m",
     .doc = "A point of the plane, in the rest shape after the transform of the body."},
    {"normal", SCHEMA_VECTOR, SCHEMA_REQUIRED, AT(place_def, b), .count = 3,
     .doc = "From the part that pushes to the part whose force is given; its length does not "
            "matter."},
};

static void rule_cut(schema_walk *walk, const json_t *object)
{
    const json_t *normal = json_object_get(object, "normal");
    for (size_t k = 0; k < 3; k++)
        if (json_number_value(json_array_get(normal, k)) != 0) return;
    schema_rule_problem(walk, "normal", "must not be the zero vector");
}

static const schema_type cut_type = {
    .name = "cut",
    .doc = "A plane through the rest shape of a body.",
    FIELDS(cut_fields),
    STRUCT(place_def),
    .rule = rule_cut,
    .rule_doc = "The normal must not be zero.",
};

static const schema_field probe_fields[] = {
    {"name", SCHEMA_STRING, SCHEMA_REQUIRED | SCHEMA_IS_NAME, AT(probe_def, name),
     .doc = "Name of its columns."},
    {"body", SCHEMA_STRING, SCHEMA_REQUIRED, AT(probe_def, body), .doc = "Name of the body."},
    {"at", SCHEMA_VECTOR, SCHEMA_CHOICE, AT(probe_def, place.a), .count = 3, .unit = "m",
     .doc = "A point of the body at the start; of bodies without volume cells its nearest node."},
    {"box", SCHEMA_BOX, SCHEMA_CHOICE, AT(probe_def, place.a), .unit = "m",
     .doc = "All nodes that are in or on a box at the start."},
    {"sphere", SCHEMA_OBJECT, SCHEMA_CHOICE, AT(probe_def, place), .type = &schema_place_sphere,
     .doc = "All nodes that are in or on a sphere at the start."},
    {"all", SCHEMA_TRUE, SCHEMA_CHOICE, .doc = "All nodes of the body."},
    {"cut", SCHEMA_OBJECT, SCHEMA_CHOICE, AT(probe_def, place), .type = &cut_type,
     .doc = "Force and moment about the origin that the elements transmit across a plane."},
    {"field", SCHEMA_WORD, AT(probe_def, field), .words = field_words, .initial = "\"position\"",
     .doc = "What is measured there; not for a `cut`."},
    {"take", SCHEMA_WORD, AT(probe_def, take), .words = take_words, .initial = "\"mean\"",
     .doc = "What is taken of all nodes of a region, component by component."},
};

const schema_type schema_probe = {
    .name = "probe",
    .doc = "Values over time, in probes.csv.",
    FIELDS(probe_fields),
    STRUCT(probe_def),
    CHOSEN(probe_def, kind),
};

static bool has_body(const json_t *scene, const char *name)
{
    const json_t *bodies = json_object_get(scene, "bodies");
    for (size_t i = 0; i < json_array_size(bodies); i++) {
        const char *body = json_string_value(json_object_get(json_array_get(bodies, i), "name"));
        if (body && (strcmp(body, name) == 0 || schema_piece_of(name, body))) return true;
    }
    return false;
}

void check_probes(schema_walk *walk, const json_t *scene)
{
    const json_t *probes = json_object_get(json_object_get(scene, "output"), "probes");
    if (json_array_size(probes) > 0 && json_object_get(scene, "remesh"))
        schema_rule_problem(walk, "output.probes", "do not go with `remesh` yet");
    for (size_t i = 0; i < json_array_size(probes); i++) {
        char place[80];
        const json_t *probe = json_array_get(probes, i);
        const char *name = json_string_value(json_object_get(probe, "name"));
        const char *body = json_string_value(json_object_get(probe, "body"));
        snprintf(place, sizeof place, "output.probes[%zu].body", i);
        if (body && !has_body(scene, body))
            schema_rule_problem(walk, place, "there is no body \"%s\" in the scene", body);
        snprintf(place, sizeof place, "output.probes[%zu].name", i);
        for (size_t k = 0; k < i; k++) {
            const char *other =
                json_string_value(json_object_get(json_array_get(probes, k), "name"));
            if (name && other && strcmp(name, other) == 0)
                schema_rule_problem(walk, place, "two probes have the name \"%s\"", name);
        }
    }
}
