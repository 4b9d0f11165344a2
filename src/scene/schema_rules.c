/* Rules over several fields of an object. They see resolved objects: every field is there and of
 * the right kind, unless it has no default. */
#include "mesh/cell.h"
#include "scene/schema_table.h"

#include "math/eigen.h"

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

/* Whether a field is there and says something. */
static bool given(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_array(value) ? json_array_size(value) > 0 : value != NULL;
}

/* At most one of the keys may be given. */
static void exclude(schema_walk *walk, const json_t *object, const char *const *keys)
{
    const char *first = NULL;
    for (; *keys; keys++) {
        if (!given(object, *keys)) continue;
        if (first)
            schema_rule_problem(walk, *keys, "cannot be given together with \"%s\"", first);
        else
            first = *keys;
    }
}

void rule_fix(schema_walk *walk, const json_t *object)
{
    static const char *const alternatives[] = {"motion", "displacement", NULL};
    rule_interval(walk, object);
    exclude(walk, object, alternatives);
    /* A motion that is over before the condition begins would move nothing. */
    const json_t *motions = json_object_get(object, "motion");
    size_t count = json_is_array(motions) ? json_array_size(motions) : motions != NULL;
    for (size_t i = 0; i < count; i++) {
        const json_t *motion = json_is_array(motions) ? json_array_get(motions, i) : motions;
        if (json_object_get(motion, "until") && number(motion, "until") <= number(object, "from"))
            schema_rule_problem(walk, "motion",
                                "entry %zu ends at %g s, before the condition begins (%g s)", i,
                                number(motion, "until"), number(object, "from"));
    }
}

static bool all_nodes(const json_t *condition)
{
    return json_object_get(json_object_get(condition, "nodes"), "all") != NULL;
}

/* Rigid and affine bodies have conditions as a whole. */
static void check_rigid(schema_walk *walk, const json_t *body)
{
    static const char *const lists[] = {"fix", "force"};
    for (int k = 0; k < 2; k++) {
        const json_t *list = json_object_get(body, lists[k]);
        for (size_t i = 0; i < json_array_size(list); i++) {
            char key[60];
            snprintf(key, sizeof key, "%s[%zu].nodes", lists[k], i);
            if (!all_nodes(json_array_get(list, i)))
                schema_rule_problem(walk, key,
                                    "must be \"all\": a rigid or affine body has no nodes");
        }
    }
}

/* Cells of a fill have no numbers that a file could know, and its collision surface is its own. */
static void check_filled(schema_walk *walk, const json_t *body)
{
    static const char *const keys[] = {"densities", "mass_like", "surface"};
    const json_t *fill = json_object_get(json_object_get(body, "mesh"), "fill");
    bool cage = schema_has_word(fill, "collide", "cage");
    for (int k = 0; k < 3; k++)
        if (given(body, keys[k]) && !(k == 2 && cage))
            schema_rule_problem(walk, keys[k], "is not for a body whose mesh is filled%s",
                                k == 2 ? ", unless \"collide\" of \"fill\" is \"cage\"" : "");
}

void rule_body(schema_walk *walk, const json_t *object)
{
    static const char *const alternatives[] = {"motion", "displacement", "poses", "sequence", NULL};
    static const char *const masses[] = {"total_mass", "density", "inertial", NULL};
    static const char *const cells[] = {"densities", "mass_like", NULL};
    const char *type = json_string_value(json_object_get(object, "type"));
    bool material = given(object, "material");
    bool preset = given(json_object_get(object, "shell"), "preset");
    const body_row *row = body_row_named(type);
    if (!row) return;
    if (row->needs == NEEDS_MATERIAL && !material && !preset)
        schema_rule_problem(walk, "material", "is missing; a body of type \"%s\" needs one", type);
    if (row->needs == NEEDS_DENSITY && !material && !given(object, "density") &&
        !given(object, "total_mass") && !given(object, "inertial"))
        schema_rule_problem(walk, "density",
                            "is missing; a body of type \"%s\" needs a density or a material",
                            type);
    const char *part;
    if (!row->solid && material_document_has_parts(json_object_get(object, "material"), &part))
        schema_rule_problem(walk, "material", "has \"%s\", which is for deformable bodies only",
                            part);
    if (row->whole) check_rigid(walk, object);
    rule_parameters(walk, object, "type", type, row->parameters, row->parameter_count);
    exclude(walk, object, alternatives);
    exclude(walk, object, masses);
    exclude(walk, object, cells);
    if (json_object_get(json_object_get(object, "mesh"), "fill")) check_filled(walk, object);
}

void rule_inertial(schema_walk *walk, const json_t *object)
{
    double i[6], v[3];
    mat3 axes;
    for (size_t k = 0; k < 6; k++) i[k] = entry(object, "inertia", k);
    eigen3((mat3){{{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}}, v, &axes);
    if (!(v[0] > 0) || v[2] > (v[0] + v[1]) * (1 + 1e-6))
        schema_rule_problem(walk, "inertia",
                            "is not that of a body: its principal moments are %g, %g and %g kg m^2",
                            v[0], v[1], v[2]);
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

/* What only sheets with a warp and a weft read. */
static void check_directions(schema_walk *walk, const json_t *shell, bool orthotropic_preset)
{
    const char *model = json_string_value(json_object_get(shell, "membrane"));
    if (!model) model = orthotropic_preset ? "data-driven" : "neo-hookean";
    bool data_driven = strcmp(model, "data-driven") == 0;
    bool directional = data_driven || strcmp(model, "orthotropic") == 0;
    bool warp = entry(shell, "warp", 0) != 1 || entry(shell, "warp", 1) != 0 ||
                entry(shell, "warp", 2) != 0;
    const struct {
        const char *key;
        bool in_vain;
    } keys[] = {{"stiffness", given(shell, "stiffness") && !directional},
                {"strains", given(shell, "strains") && !data_driven},
                {"warp", warp && !directional}};
    for (int k = 0; k < 3; k++)
        if (keys[k].in_vain)
            schema_rule_problem(walk, keys[k].key, "is not for the membrane \"%s\"", model);
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
    check_directions(walk, object, orthotropic);
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
    if (json_object_get(object, "fill") && number(object, "refine") > 0)
        schema_rule_problem(walk, "refine",
                            "is not for surfaces that are filled; ask for more "
                            "\"cells\" of \"fill\"");
    if (json_object_get(object, "fill") && !schema_has_word(object, "only", "all"))
        schema_rule_problem(walk, "only", "is not for surfaces that are filled");
    for (size_t i = 0; i < schema_mesh.field_count; i++) {
        const char *shape = schema_mesh.fields[i].key;
        const json_t *parameters = json_object_get(object, shape);
        if (!json_is_object(parameters)) continue;
        double vertices = vertex_estimate(shape, parameters);
        if (vertices > 5e7)
            schema_rule_problem(
                walk, shape, "would have about %.3g vertices; at most 5e7 are possible", vertices);
    }
}

/* The rows of a list have one width: the checks of the list have seen to that. */
void rule_given(schema_walk *walk, const json_t *object)
{
    const json_t *list = json_object_get(object, "tetrahedra");
    int width = (int)json_array_size(json_array_get(list, 0));
    if (json_array_size(list) > 0 && cell_order(CELL_TET, width) == 0)
        schema_rule_problem(walk, "tetrahedra",
                            "must have lists of 4, 10, 20 or 35 nodes, found lists of %d", width);
}

/* --- The whole scene --- */

static const char *body_name(const json_t *bodies, size_t i)
{
    return json_string_value(json_object_get(json_array_get(bodies, i), "name"));
}

bool schema_piece_of(const char *piece, const char *whole)
{
    size_t length = strlen(whole);
    if (strncmp(piece, whole, length) != 0 || piece[length] != '.') return false;
    const char *number = piece + length + 1;
    return number[0] && strspn(number, "0123456789") == strlen(number);
}

/* A body of the name, or a piece of it: scenes that were written out have the pieces. */
static bool is_known(const json_t *names, const char *name)
{
    const char *other;
    json_t *index;
    if (json_object_get(names, name)) return true;
    json_object_foreach((json_t *)names, other,
                        index) if (schema_piece_of(other, name)) return true;
    return false;
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
            if (!is_known(names, name))
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
    char list[300] = "";
    for (size_t i = 0, n = 0; body_rows[i] && n < sizeof list; i++)
        if (body_rows[i]->inelastic)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s \"%s\"", n ? "," : "",
                                  body_kind_words[i]);
    for (size_t i = 0; i < json_array_size(bodies); i++) {
        const json_t *body = json_array_get(bodies, i);
        const char *type = json_string_value(json_object_get(body, "type"));
        const json_t *limit = json_object_get(json_object_get(body, "shell"), "strain_limit");
        char key[40];
        limited = limited || json_is_object(limit);
        const body_row *row = body_row_named(type);
        if (!row || row->inelastic) continue;
        snprintf(key, sizeof key, "bodies[%zu].type", i);
        schema_rule_problem(walk, key, "\"%s\" does not go with split strain limits, only%s do",
                            type, list);
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
    check_probes(walk, object);
    check_joints(walk, object);
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
