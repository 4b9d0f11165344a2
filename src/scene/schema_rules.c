/* Rules over several fields of an object. They see resolved objects: every field is there and of
 * the right kind, unless it has no default. */
#include "scene/schema_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static double entry(const json_t *object, const char *key, size_t i)
{
    return json_number_value(json_array_get(json_object_get(object, key), i));
}

static bool is_zero(const json_t *object, const char *key)
{
    for (size_t i = 0; i < 3; i++)
        if (entry(object, key, i) != 0) return false;
    return true;
}

void rule_time(schema_walk *walk, const json_t *object)
{
    if (!json_object_get(object, "end")) return;
    double steps = number(object, "end") / number(object, "step");
    if (!(steps <= 2e9))
        schema_rule_problem(walk, "end", "would take %.3g steps of %g s; at most 2e9 are possible",
                            steps, number(object, "step"));
}

void rule_interval(schema_walk *walk, const json_t *object)
{
    if (!json_object_get(object, "until")) return;
    if (!(number(object, "until") > number(object, "from")))
        schema_rule_problem(walk, "until", "must be later than \"from\" (%g s), found %g s",
                            number(object, "from"), number(object, "until"));
}

void rule_half_space(schema_walk *walk, const json_t *object)
{
    if (is_zero(object, "normal"))
        schema_rule_problem(walk, "normal", "must not be the zero vector");
}

/* --- Bodies --- */

static bool one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static void refuse_for_obstacle(schema_walk *walk, const json_t *body)
{
    static const char *const lists[] = {"fix", "force"};
    static const char *const vectors[] = {"velocity", "angular_velocity"};
    for (int i = 0; i < 2; i++) {
        if (json_array_size(json_object_get(body, lists[i])) > 0)
            schema_rule_problem(walk, lists[i], "an obstacle moves by its \"motion\" only");
        if (!is_zero(body, vectors[i]))
            schema_rule_problem(walk, vectors[i], "an obstacle moves by its \"motion\" only");
    }
}

static void check_fields(schema_walk *walk, const json_t *body, const char *type)
{
    bool obstacle = strcmp(type, "obstacle") == 0;
    if (json_array_size(json_object_get(body, "surface_loads")) > 0 &&
        strcmp(type, "deformable") != 0)
        schema_rule_problem(walk, "surface_loads",
                            "is for deformable bodies; bodies of type \"%s\" have \"force\"", type);
    if (json_object_get(body, "displacement")) {
        if (!obstacle)
            schema_rule_problem(walk, "displacement",
                                "is for obstacles; bodies of type \"%s\" have \"fix\"", type);
        if (json_array_size(json_object_get(body, "motion")) > 0)
            schema_rule_problem(walk, "displacement", "and \"motion\" cannot both be given");
    }
    if (json_object_get(body, "velocity_field") &&
        (obstacle || one_of(type, "rigid", "affine", "affine")))
        schema_rule_problem(walk, "velocity_field", "is not for bodies of type \"%s\"", type);
}

void rule_fix(schema_walk *walk, const json_t *object)
{
    rule_interval(walk, object);
    if (json_object_get(object, "displacement") &&
        json_array_size(json_object_get(object, "motion")) > 0)
        schema_rule_problem(walk, "displacement", "and \"motion\" cannot both be given");
}

static bool all_nodes(const json_t *condition)
{
    return json_object_get(json_object_get(condition, "nodes"), "all") != NULL;
}

/* Rigid and affine bodies as a whole; other bodies node by node. */
static void check_conditions(schema_walk *walk, const json_t *body, bool rigid)
{
    static const char *const lists[] = {"fix", "force"};
    for (int k = 0; k < 2; k++) {
        const json_t *list = json_object_get(body, lists[k]);
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *condition = json_array_get(list, i);
            char key[60];
            snprintf(key, sizeof key, "%s[%zu].nodes", lists[k], i);
            if (rigid && !all_nodes(condition))
                schema_rule_problem(walk, key,
                                    "must be \"all\": a rigid or affine body has no nodes");
            snprintf(key, sizeof key, "%s[%zu].displacement", lists[k], i);
            if (rigid && json_object_get(condition, "displacement"))
                schema_rule_problem(walk, key, "is not for rigid and affine bodies; use motion");
            snprintf(key, sizeof key, "%s[%zu].rotation_axes", lists[k], i);
            if (!rigid && json_object_get(condition, "rotation_axes"))
                schema_rule_problem(walk, key, "is for rigid and affine bodies only");
            snprintf(key, sizeof key, "%s[%zu].torque", lists[k], i);
            if (!rigid && !is_zero(condition, "torque"))
                schema_rule_problem(walk, key, "is for rigid and affine bodies only");
        }
    }
}

static void check_rigid(schema_walk *walk, const json_t *body, bool rigid)
{
    check_conditions(walk, body, rigid);
    if (!rigid && json_object_get(body, "total_mass"))
        schema_rule_problem(walk, "total_mass", "is for rigid and affine bodies only");
    bool poses = json_array_size(json_object_get(body, "poses")) > 0;
    if (!rigid && poses) schema_rule_problem(walk, "poses", "is for rigid and affine bodies only");
    if (poses && json_array_size(json_object_get(body, "motion")) > 0)
        schema_rule_problem(walk, "poses", "cannot be given together with \"motion\"");
    if (rigid && json_object_get(body, "sequence"))
        schema_rule_problem(walk, "sequence", "a rigid or affine body has no nodes; use \"poses\"");
}

void rule_body(schema_walk *walk, const json_t *object)
{
    const char *type = json_string_value(json_object_get(object, "type"));
    bool material = json_object_get(object, "material") != NULL;
    check_fields(walk, object, type);
    bool density = json_object_get(object, "density") != NULL;
    const json_t *shell = json_object_get(object, "shell");
    bool preset = strcmp(type, "shell") == 0 && json_object_get(shell, "preset");
    if (one_of(type, "deformable", "shell", "rod") && !material && !preset)
        schema_rule_problem(walk, "material", "is missing; a body of type \"%s\" needs one", type);
    bool rigid = one_of(type, "rigid", "affine", "affine");
    bool mass = density || (rigid && json_object_get(object, "total_mass"));
    if (one_of(type, "rigid", "affine", "particles") && !material && !mass)
        schema_rule_problem(walk, "density",
                            "is missing; a body of type \"%s\" needs a density or a material",
                            type);
    if (json_array_size(json_object_get(object, "motion")) > 0 &&
        !one_of(type, "obstacle", "rigid", "affine"))
        schema_rule_problem(walk, "motion",
                            "a body of type \"%s\" has no motion of the whole; use \"fix\" with a "
                            "\"motion\" for some or all of its nodes",
                            type);
    if (strcmp(type, "obstacle") == 0) refuse_for_obstacle(walk, object);
    check_rigid(walk, object, rigid);
    static const char *const thin[] = {"shell", "rod", "particles"};
    for (int i = 0; i < 3; i++) {
        bool given = json_object_get(object, thin[i]) != NULL, is = strcmp(type, thin[i]) == 0;
        if (is && !given)
            schema_rule_problem(walk, thin[i], "is missing; a body of type \"%s\" needs it", type);
        if (given && !is)
            schema_rule_problem(walk, thin[i], "is for bodies of type \"%s\"; this one is \"%s\"",
                                thin[i], type);
    }
}

void rule_strain_limit(schema_walk *walk, const json_t *object)
{
    if (json_object_get(object, "upper") &&
        !(number(object, "upper") > number(object, "upper_start")))
        schema_rule_problem(walk, "upper", "must be above \"upper_start\" (%g), found %g",
                            number(object, "upper_start"), number(object, "upper"));
    if (json_object_get(object, "lower") &&
        !(number(object, "lower") < number(object, "lower_start")))
        schema_rule_problem(walk, "lower", "must be below \"lower_start\" (%g), found %g",
                            number(object, "lower_start"), number(object, "lower"));
}

void rule_shell(schema_walk *walk, const json_t *object)
{
    const char *preset = json_string_value(json_object_get(object, "preset"));
    const char *model = json_string_value(json_object_get(object, "membrane"));
    const json_t *limit = json_object_get(object, "strain_limit");
    bool orthotropic = preset && strncmp(preset, "orthotropic", 11) == 0;
    if (!preset && !json_object_get(object, "thickness"))
        schema_rule_problem(walk, "thickness", "is missing; without a preset it must be given");
    if (limit && (!preset || orthotropic) && !json_object_get(limit, "upper") &&
        !json_object_get(limit, "lower"))
        schema_rule_problem(walk, "strain_limit", "needs \"upper\" or \"lower\"");
    bool directional =
        model && (strcmp(model, "orthotropic") == 0 || strcmp(model, "data-driven") == 0);
    if (directional && !orthotropic && !json_object_get(object, "stiffness"))
        schema_rule_problem(walk, "stiffness", "is missing; a sheet that is \"%s\" needs it",
                            model);
    if (directional && strcmp(model, "data-driven") == 0 && !orthotropic &&
        !json_object_get(object, "strains"))
        schema_rule_problem(walk, "strains", "is missing; a sheet that is \"%s\" needs it", model);
    if (is_zero(object, "warp")) schema_rule_problem(walk, "warp", "must not be the zero vector");
}

/* --- Sizes of generated meshes --- */

/* Vertices of a generated mesh, within a factor of two or so. */
static double vertex_estimate(const char *shape, const json_t *p)
{
    if (strcmp(shape, "box") == 0)
        return (entry(p, "cells", 0) + 1) * (entry(p, "cells", 1) + 1) * (entry(p, "cells", 2) + 1);
    if (strcmp(shape, "mat") == 0) return 2 * entry(p, "nodes", 0) * entry(p, "nodes", 1);
    if (strcmp(shape, "rod") == 0)
        return (number(p, "cells") + 1) * 4 * pow(number(p, "rings") + 1, 2);
    if (strcmp(shape, "ball") == 0) return pow(number(p, "cells") + 1, 3);
    if (strcmp(shape, "torus") == 0)
        return number(p, "ring_cells") * pow(number(p, "tube_cells"), 2) / 4;
    if (strcmp(shape, "grid") == 0) return (entry(p, "cells", 0) + 1) * (entry(p, "cells", 1) + 1);
    if (strcmp(shape, "sphere") == 0) return 10 * pow(4, number(p, "level")) + 2;
    if (strcmp(shape, "cone") == 0 || strcmp(shape, "tube") == 0)
        return number(p, "around") * (number(p, "along") + 1);
    if (strcmp(shape, "helix") == 0) return number(p, "segments") + 1;
    if (strcmp(shape, "bundle") == 0)
        return entry(p, "counts", 0) * entry(p, "counts", 1) * entry(p, "counts", 2) *
               (number(p, "segments") + 1);
    if (strcmp(shape, "lattice") == 0)
        return entry(p, "counts", 0) * entry(p, "counts", 1) * entry(p, "counts", 2);
    return 0;
}

void rule_mesh_size(schema_walk *walk, const json_t *object)
{
    for (size_t i = 0; mesh_source_words[i]; i++) {
        const json_t *parameters = json_object_get(object, mesh_source_words[i]);
        if (!json_is_object(parameters)) continue;
        double vertices = vertex_estimate(mesh_source_words[i], parameters);
        if (vertices > 5e7)
            schema_rule_problem(walk, mesh_source_words[i],
                                "would have about %.3g vertices; at most 5e7 are possible",
                                vertices);
    }
}

/* --- The whole scene --- */

static const char *body_name(const json_t *bodies, size_t i)
{
    return json_string_value(json_object_get(json_array_get(bodies, i), "name"));
}

static void check_friction_pairs(schema_walk *walk, const json_t *scene, const json_t *names)
{
    static const char *const keys[] = {"first", "second"};
    const json_t *pairs = json_object_get(json_object_get(scene, "contact"), "friction_pairs");
    for (size_t i = 0; i < json_array_size(pairs); i++)
        for (int k = 0; k < 2; k++) {
            const char *name =
                json_string_value(json_object_get(json_array_get(pairs, i), keys[k]));
            char key[60];
            snprintf(key, sizeof key, "contact.friction_pairs[%zu].%s", i, keys[k]);
            if (!json_object_get(names, name))
                schema_rule_problem(walk, key, "there is no body \"%.60s\"", name);
        }
}

bool schema_has_word(const json_t *object, const char *key, const char *word)
{
    return strcmp(json_string_value(json_object_get(object, key)), word) == 0;
}

/* The projection of split strain limits knows no elasticity, which solids need against inversion.
 */
static void check_split(schema_walk *walk, const json_t *scene)
{
    if (!schema_has_word(json_object_get(scene, "time"), "integrator", "implicit-euler"))
        schema_rule_problem(walk, "time.integrator",
                            "split strain limits have implicit Euler only");
    const json_t *bodies = json_object_get(scene, "bodies");
    bool limited = false;
    for (size_t i = 0; i < json_array_size(bodies); i++) {
        const json_t *body = json_array_get(bodies, i);
        const char *type = json_string_value(json_object_get(body, "type"));
        const json_t *limit = json_object_get(json_object_get(body, "shell"), "strain_limit");
        char key[40];
        limited = limited || json_is_object(limit);
        if (one_of(type, "shell", "obstacle", "particles")) continue;
        snprintf(key, sizeof key, "bodies[%zu].type", i);
        schema_rule_problem(walk, key,
                            "\"%s\" does not go with split strain limits, only \"shell\", "
                            "\"particles\" and \"obstacle\" do",
                            type);
    }
    if (!limited)
        schema_rule_problem(walk, "solver.strain_limits",
                            "\"split\" needs a shell with a `strain_limit`; no body has one");
}

/* Names must differ. A set of the names seen so far keeps this fast for thousands of bodies. */
void rule_scene(schema_walk *walk, const json_t *object)
{
    if (schema_has_word(json_object_get(object, "solver"), "strain_limits", "split"))
        check_split(walk, object);
    check_stepper(walk, object);
    if (json_object_get(object, "remesh")) rule_remesh(walk, object);
    const json_t *bodies = json_object_get(object, "bodies");
    json_t *seen = json_object();
    bool good = seen != NULL;
    for (size_t i = 0; good && i < json_array_size(bodies); i++) {
        const char *name = body_name(bodies, i);
        const json_t *other = json_object_get(seen, name);
        if (other) {
            char key[40];
            snprintf(key, sizeof key, "bodies[%zu].name", i);
            schema_rule_problem(walk, key, "\"%.60s\" is already the name of bodies[%lld]", name,
                                (long long)json_integer_value(other));
        } else
            good = json_object_set_new(seen, name, json_integer((json_int_t)i)) == 0;
    }
    if (good) check_friction_pairs(walk, object, seen);
    json_decref(seen);
    if (!good) schema_rule_no_memory(walk);
}
