/* The table, part on remeshing inside of time steps. */
#include "scene/scene.h"
#include "scene/schema_table.h"

#include <stdio.h>
#include <string.h>

const char *const remesh_method_words[] = {REMESH_METHODS(WORD_TEXT) NULL};

#define FOR_ADAPTIVE UNDER("method", "energy", "sizing-field")

static const schema_field remesh_fields[] = {
    {"method", SCHEMA_WORD, AT(remesh_def, method), .words = remesh_method_words,
     .initial = "\"energy\"",
     .doc = "What decides: whether an operation lowers the incremental potential of the step "
            "(`energy`), the wanted length of edges from stretch and contact (`sizing-field`), or "
            "nothing: all cells are refined once (`uniform`). The last two are for comparisons."},
    {"every", SCHEMA_INTEGER, AT(remesh_def, every), .initial = "1", FROM_TO(1, 2e9), FOR_ADAPTIVE,
     .doc = "Meshes are changed in the first step, and in each so many after it."},
    {"split", SCHEMA_BOOL, AT(remesh_def, split), .initial = "true", FOR_ADAPTIVE,
     .doc = "Whether edges are split."},
    {"collapse", SCHEMA_BOOL, AT(remesh_def, collapse), .initial = "true", FOR_ADAPTIVE,
     .doc = "Whether edges are collapsed."},
    {"swap", SCHEMA_BOOL, AT(remesh_def, swap), .initial = "false", UNDER("method", "energy"),
     .doc = "Whether inner edges are swapped."},
    {"smooth", SCHEMA_BOOL, AT(remesh_def, smooth), .initial = "false", UNDER("method", "energy"),
     .doc = "Whether inner vertices are moved."},
    {"split_tolerance", SCHEMA_NUMBER, AT(remesh_def, split_tolerance), .initial = "1e-3",
     AT_LEAST(0), .unit = "J", UNDER("method", "energy"),
     .doc = "A split is kept when it lowers the incremental potential, divided by the integrator's "
            "factor on forces (h^2 for implicit Euler), by more than this."},
    {"collapse_tolerance", SCHEMA_NUMBER, AT(remesh_def, collapse_tolerance), .initial = "1e-8",
     AT_LEAST(0), .unit = "J", UNDER("method", "energy"),
     .doc = "A collapse is kept when it raises the same by less than this."},
    {"screening", SCHEMA_NUMBER, AT(remesh_def, screening), .initial = "1", AT_LEAST(0),
     UNDER("method", "energy"),
     .doc = "Splits that would gain less than this part of `split_tolerance` if the new vertex "
            "alone could move are not tried. 0: all candidates are."},
    {"least_gain", SCHEMA_NUMBER, AT(remesh_def, least_gain), .initial = "0", FROM_TO(0, 1),
     UNDER("method", "energy"),
     .doc = "Changes that gain less than this part of the energy of the bodies "
            "together, and do not make the meshes notably smaller, are not worth solving the step "
            "again: the meshes stay, and are looked at again after twice as many steps as before "
            "(up to eight times `every`), or when the potential has changed notably."},
    {"split_threshold", SCHEMA_NUMBER, AT(remesh_def, split_threshold), .initial = "0",
     FROM_TO(0, 1), UNDER("method", "energy"),
     .doc = "Edges are candidates for a split from this quantile of their energy, or this part of "
            "its range, on. 0: all edges are."},
    {"collapse_threshold", SCHEMA_NUMBER, AT(remesh_def, collapse_threshold), .initial = "0.01",
     FROM_TO(0, 1), UNDER("method", "energy"),
     .doc = "Edges are candidates for a collapse up to this part of the range of their energy."},
    {"depth", SCHEMA_INTEGER, AT(remesh_def, depth), .initial = "3", FROM_TO(1, 30), FOR_ADAPTIVE,
     .doc = "How often an edge, its halves and so on are split or collapsed within one step."},
    {"min_edge", SCHEMA_NUMBER, AT(remesh_def, min_edge), .initial = "1e-6", AT_LEAST(0),
     .unit = "m", FOR_ADAPTIVE, .doc = "Edges shorter than this (at rest) are not split."},
    {"max_edge", SCHEMA_NUMBER, AT(remesh_def, max_edge), .initial = "1", ABOVE(0), FOR_ADAPTIVE,
     .doc = "Edges longer than this times the shortest edge of the starting mesh are not "
            "collapsed."},
    {"quality", SCHEMA_NUMBER, AT(remesh_def, quality), .initial = "0.05", FROM_TO(0, 0.9),
     FOR_ADAPTIVE,
     .doc = "Operations that leave cells of a worse shape are refused; 1 is a regular cell, 0 a "
            "flat one."},
    {"max_cells", SCHEMA_INTEGER, AT(remesh_def, max_cells), .initial = "1000000", FROM_TO(4, 2e9),
     .doc = "Meshes are not refined beyond so many cells, all bodies together; a message says when "
            "that happens."},
    {"step", SCHEMA_INTEGER, AT(remesh_def, step), .initial = "1", FROM_TO(1, 2e9),
     UNDER("method", "uniform"), .doc = "Number of the step in which all cells are refined."},
    {"levels", SCHEMA_INTEGER, AT(remesh_def, levels), .initial = "1", FROM_TO(1, 6),
     UNDER("method", "uniform"), .doc = "How often every cell is cut into 4 (tetrahedra: 8)."},
    {"stretch_change", SCHEMA_NUMBER, AT(remesh_def, stretch_change), .initial = "0.1", ABOVE(0),
     UNDER("method", "sizing-field"),
     .doc = "Change of the deformation gradient along an edge above which "
            "it is "
            "split (collapsed below 0.8 of it)."},
    {"contact_gap", SCHEMA_NUMBER, AT(remesh_def, contact_gap), .initial = "2", ABOVE(0),
     UNDER("method", "sizing-field"),
     .doc = "Length of an edge in contact, in units of its distance to what it "
            "meets, above which it is split."},
};

const schema_type schema_remesh = {
    .name = "remesh",
    .doc = "Remeshing inside of the time steps (docs/remeshing.md): deformable bodies of linear "
           "triangles or tetrahedra are refined where it lowers the energy, and coarsened where "
           "that costs nothing. Contact is then weighted by area, and the mass of these bodies is "
           "consistent. Other bodies stay as they are.",
    FIELDS(remesh_fields),
    STRUCT(remesh_def),
};

/* What bodies that are remeshed cannot have. */
void rule_remesh(schema_walk *walk, const json_t *scene)
{
    static const char *const keys[] = {"order", "surface", "densities", "mass_like", "sequence"};
    const json_t *bodies = json_object_get(scene, "bodies");
    if (strcmp(json_string_value(json_object_get(scene, "stepper")), "barrier") != 0)
        schema_rule_problem(walk, "remesh", "is for the stepper \"barrier\"");
    if (json_is_true(json_object_get(json_object_get(scene, "contact"), "stick_anchors")))
        schema_rule_problem(walk, "contact.stick_anchors",
                            "does not go with remeshing: anchors belong to nodes of the surface");
    for (size_t i = 0; i < json_array_size(bodies); i++) {
        const json_t *body = json_array_get(bodies, i);
        char key[80];
        const body_row *row = body_row_named(json_string_value(json_object_get(body, "type")));
        if (!row || !row->solid || json_is_false(json_object_get(body, "remesh"))) continue;
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            const json_t *value = json_object_get(body, keys[k]);
            if (!value || (json_is_integer(value) && json_integer_value(value) == 1)) continue;
            snprintf(key, sizeof key, "bodies[%zu].%s", i, keys[k]);
            schema_rule_problem(walk, key,
                                "is not for bodies that are remeshed; give this one \"remesh\": "
                                "false, or leave it out");
        }
        if (json_array_size(json_object_get(body, "weights")) > 0) {
            snprintf(key, sizeof key, "bodies[%zu].weights", i);
            schema_rule_problem(walk, key, "is not for bodies that are remeshed");
        }
        const json_t *loads = json_object_get(body, "surface_loads");
        for (size_t k = 0; k < json_array_size(loads); k++) {
            if (json_object_get(json_array_get(loads, k), "traction")) continue;
            snprintf(key, sizeof key, "bodies[%zu].surface_loads[%zu]", i, k);
            schema_rule_problem(walk, key,
                                "only \"traction\" is for bodies that are remeshed, neither "
                                "\"normal\" nor \"pressure\"");
        }
    }
}
