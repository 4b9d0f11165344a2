/* Options that only one of the two steppers has are refused by name for the other. Defaults are
 * filled in when the rules look at a scene, and a scene that was written out has them all, so what
 * counts is a value that differs from the default. */
#include "scene/schema_table.h"

#include <stdio.h>
#include <string.h>

/* The object with nothing given: all defaults. */
static json_t *defaults_of(schema_walk *walk, const schema_type *type)
{
    problem_list problems = {.file = ""};
    json_t *nothing = json_object(), *result = NULL;
    if (!nothing || schema_resolve(type, nothing, &problems, &result) != ABUT_OK)
        schema_rule_no_memory(walk);
    json_decref(nothing);
    return result;
}

/* The named fields of the object `part` of the scene; without names: all. */
static void refuse(schema_walk *walk, const json_t *scene, const char *part,
                   const char *const *names, const char *stepper)
{
    const schema_type *type = schema_find(&schema_scene, part)->type;
    const json_t *object = json_object_get(scene, part);
    json_t *defaults = defaults_of(walk, type);
    for (size_t i = 0; defaults && i < type->field_count; i++) {
        const char *name = type->fields[i].key;
        bool named = !names;
        for (size_t k = 0; names && names[k]; k++) named |= strcmp(names[k], name) == 0;
        const json_t *value = json_object_get(object, name);
        if (!named || !value || schema_same(value, json_object_get(defaults, name))) continue;
        char key[80];
        snprintf(key, sizeof key, "%s.%s", part, name);
        schema_rule_problem(walk, key, "is for the stepper \"%s\"", stepper);
    }
    json_decref(defaults);
}

static void refuse_bodies(schema_walk *walk, const json_t *bodies)
{
    for (size_t i = 0; i < json_array_size(bodies); i++) {
        const json_t *body = json_array_get(bodies, i);
        const char *type = json_string_value(json_object_get(body, "type"));
        char key[40];
        if (json_number_value(json_object_get(body, "offset")) > 0) {
            snprintf(key, sizeof key, "bodies[%zu].offset", i);
            schema_rule_problem(walk, key, "is for the stepper \"barrier\"");
        }
        const body_row *row = body_row_named(type);
        if (!row || row->solid || row->obstacle) continue;
        snprintf(key, sizeof key, "bodies[%zu].type", i);
        schema_rule_problem(walk, key, "\"%s\" is for the stepper \"barrier\"", type);
    }
}

static void check_mlcp(schema_walk *walk, const json_t *scene)
{
    static const char *const of_contact[] = {"stiffness",
                                             "stiffness_rule",
                                             "area_weighted",
                                             "physical",
                                             "improved_max",
                                             "eps_v",
                                             "friction_iterations",
                                             "ccd",
                                             "reuse_candidates",
                                             "barrier",
                                             "friction_smoothing",
                                             "stick_anchors",
                                             NULL};
    static const char *const of_output[] = {"measures", "reactions", NULL};
    if (!schema_has_word(json_object_get(scene, "time"), "integrator", "implicit-euler"))
        schema_rule_problem(walk, "time.integrator",
                            "the stepper \"mlcp\" has implicit Euler only");
    refuse(walk, scene, "contact", of_contact, "barrier");
    refuse(walk, scene, "solver", NULL, "barrier");
    refuse(walk, scene, "output", of_output, "barrier");
    if (json_is_true(json_object_get(scene, "planar")))
        schema_rule_problem(walk, "planar", "is for the stepper \"barrier\"");
    if (!json_is_true(json_object_get(json_object_get(scene, "contact"), "enabled")))
        schema_rule_problem(walk, "contact.enabled", "the stepper \"mlcp\" is about contact");
    refuse_bodies(walk, json_object_get(scene, "bodies"));
}

/* Without a given stiffness its unit does not matter, unless PolyFEM's rule asks for it. */
static void check_barrier(schema_walk *walk, const json_t *scene)
{
    const json_t *contact = json_object_get(scene, "contact");
    if (json_is_true(json_object_get(contact, "physical")) &&
        !json_object_get(contact, "stiffness") &&
        (schema_has_word(contact, "stiffness_rule", "local") ||
         schema_has_word(contact, "stiffness_rule", "balanced")))
        schema_rule_problem(walk, "contact.physical",
                            "is about a given \"contact.stiffness\", which is missing");
    refuse(walk, scene, "mlcp", NULL, "mlcp");
}

void check_stepper(schema_walk *walk, const json_t *scene)
{
    if (schema_has_word(scene, "stepper", "mlcp"))
        check_mlcp(walk, scene);
    else
        check_barrier(walk, scene);
}
