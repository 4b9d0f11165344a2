/* The table, part on deformable bodies of any order: collision surfaces, regions. */
#include "scene/schema_table.h"

#include "material/law.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

static const schema_field surface_fields[] = {
    {"segments", SCHEMA_INTEGER, AT(solid_def, segments), FROM_TO(1, 1000),
     .absent = "the higher order of mesh and basis",
     .doc = "Parts that every edge of the boundary is cut into."},
    {"max_edge", SCHEMA_NUMBER, AT(solid_def, max_edge), ABOVE(0), .unit = "m",
     .absent = "no limit",
     .doc = "As many segments as it takes for no edge of the surface to be longer."},
    {"file", SCHEMA_STRING, SCHEMA_PATH, AT(solid_def, surface_path), .absent = "the boundary",
     .doc = "Path of a mesh file: any surface of triangles (edges in the plane), placed like the "
            "mesh of the body; it moves with the cells that it lies in or near to."},
    {"piece", SCHEMA_INTEGER, AT(solid_def, surface_piece), .otherwise = -1, FROM_TO(0, 1000000),
     .needs = "file", .absent = "all of it",
     .doc = "Only this connected piece of `file`, counted from 0 by their first vertices."},
    {"map", SCHEMA_STRING, SCHEMA_PATH, AT(solid_def, map_path), .needs = "file",
     .absent = "computed",
     .doc = "Path of an HDF5 file with the weights of the nodes in the vertices of `file`: group "
            "`weight_triplets` with `values`, `rows`, `cols` and the attribute `shape`."},
};

const schema_type schema_surface = {
    .name = "surface",
    .doc = "The collision surface of a deformable body: linear triangles whose vertices follow the "
           "displacements of the body.",
    FIELDS(surface_fields),
    STRUCT(solid_def),
    .rule = rule_surface,
    .rule_doc =
        "`segments` and `max_edge` are for the boundary, not for a `file`; `map` is for all of "
        "a file, not for a `piece`.",
};

static const schema_field region_fields[] = {
    {"tag", SCHEMA_INTEGER, SCHEMA_CHOICE, AT(region_def, tag), FROM_TO(-2147483647, 2147483647),
     .doc = "Tag (physical group) of the cells in the mesh file."},
    {"box", SCHEMA_BOX, SCHEMA_CHOICE, AT(region_def, part.place.a), .unit = "m",
     .doc = "Cells with their centre in a box."},
    {"sphere", SCHEMA_OBJECT, SCHEMA_CHOICE, AT(region_def, part.place),
     .type = &schema_place_sphere, .doc = "Cells with their centre in a sphere."},
    {"cylinder", SCHEMA_OBJECT, SCHEMA_CHOICE, AT(region_def, part.place),
     .type = &schema_place_cylinder, .doc = "Cells with their centre in a cylinder."},
    {"side", SCHEMA_OBJECT, SCHEMA_CHOICE, AT(region_def, part.place), .type = &schema_place_side,
     .doc = "Cells with their centre on one side of a plane."},
    {"cells", SCHEMA_INTEGERS, SCHEMA_CHOICE, AT_LIST(region_def, part.nodes, part.node_count),
     FROM_TO(0, 2147483647),
     .doc = "Cells by their numbers in the mesh, from 0; only solid cells count."},
    {"material", SCHEMA_OBJECT, SCHEMA_REQUIRED | SCHEMA_OR_NAME, AT(region_def, material),
     .type = &schema_material, .map = "materials", .doc = "Their material."},
};

const schema_type schema_region = {
    .name = "region",
    .doc = "Cells of a deformable body with a material of their own.",
    FIELDS(region_fields),
    STRUCT(region_def),
    CHOSEN(region_def, part.kind),
};

static const schema_field surface_load_fields[] = {
    {"boundary", SCHEMA_INTEGER, AT(surface_load_def, number), GIVEN(surface_load_def, on_part),
     FROM_TO(-2147483647, 2147483647), .absent = "the whole boundary",
     .doc = "Number of a part of `boundary` of the body."},
    {"traction", SCHEMA_EXPRESSIONS, SCHEMA_CHOICE, AT(surface_load_def, value), .count = 3,
     .unit = "Pa",
     .doc = "Force per area at rest; x, y, z are places at rest. In the plane, per length and "
            "metre of depth."},
    {"normal", SCHEMA_EXPRESSION, SCHEMA_CHOICE, AT(surface_load_def, value[0]), .unit = "Pa",
     .doc = "Force per area at rest along the outward normal at rest."},
    {"pressure", SCHEMA_EXPRESSION, SCHEMA_CHOICE, AT(surface_load_def, value[0]), .unit = "Pa",
     .doc = "Force per deformed area against the outward normal of the deformed surface."},
    {"from", SCHEMA_NUMBER, AT(surface_load_def, from), .initial = "0", AT_LEAST(0), .unit = "s",
     .doc = "Start."},
    {"until", SCHEMA_NUMBER, AT(surface_load_def, until), .otherwise = INFINITY,
     .absent = "never ends", ABOVE(0), .unit = "s", .doc = "End."},
};

const schema_type schema_surface_load = {
    .name = "surface_load",
    .doc = "A load on the boundary of a deformable body.",
    FIELDS(surface_load_fields),
    STRUCT(surface_load_def),
    CHOSEN(surface_load_def, kind),
    .rule = rule_interval,
    .rule_doc = "`until` must be after `from`.",
};

void rule_surface(schema_walk *walk, const json_t *object)
{
    if (!json_object_get(object, "file")) return;
    static const char *const keys[] = {"segments", "max_edge"};
    for (int i = 0; i < 2; i++)
        if (json_object_get(object, keys[i]))
            schema_rule_problem(walk, keys[i], "is for the boundary of the cells, not for a file");
    if (json_object_get(object, "piece") && json_object_get(object, "map"))
        schema_rule_problem(walk, "map", "is for all of a file, not for a piece of it");
}

static void need(schema_walk *walk, const json_t *object, const char *key, const char *name)
{
    if (!json_object_get(object, key))
        schema_rule_problem(walk, key, "is missing; a material of the model \"%s\" needs it", name);
}

static const elastic_law *law_of(const char *word)
{
    for (size_t i = 0; elastic_laws[i]; i++)
        if (strcmp(elastic_law_words[i], word) == 0) return elastic_laws[i];
    return NULL;
}

static const law_parameter *find_parameter(const law_parameter *list, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0) return &list[i];
    return NULL;
}

void rule_parameters(schema_walk *walk, const json_t *object, const char *what, const char *word,
                     const law_parameter *list, int count)
{
    json_t *own = json_object_get(object, "parameters"), *value;
    const char *name;
    json_object_foreach(own, name, value)
    {
        const law_parameter *p = find_parameter(list, count, name);
        double number = json_number_value(value);
        if (!p)
            schema_rule_problem(walk, "parameters", "the %s \"%s\" has no parameter \"%s\"", what,
                                word, name);
        else if (!(number >= p->least && number <= p->most))
            schema_rule_problem(walk, "parameters", "\"%s\" must be from %g to %g%s%s, not %g",
                                name, p->least, p->most, *p->unit ? " " : "", p->unit, number);
    }
    for (int i = 0; i < count; i++)
        if (!json_object_get(own, list[i].name))
            schema_rule_problem(walk, "parameters", "\"%s\" is missing (%s)", list[i].name,
                                list[i].doc);
}

void rule_material(schema_walk *walk, const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "model"));
    const elastic_law *law = name ? law_of(name) : NULL;
    if (!law) return;
    rule_parameters(walk, object, "model", name, law->parameters, law->parameter_count);
    if (law->small_strain && json_number_value(json_object_get(object, "barrier")) > 0)
        schema_rule_problem(walk, "barrier", "is for materials that know large deformations");
    rule_material_parts(walk, object);
    bool by_young = json_object_get(object, "young") || json_object_get(object, "poisson");
    size_t terms = json_array_size(json_object_get(object, "coefficients"));
    if (strcmp(name, "mooney-rivlin") == 0 && !by_young) {
        need(walk, object, "c1", name);
        need(walk, object, "bulk", name);
    } else if (strcmp(name, "ogden") == 0 && !by_young) {
        need(walk, object, "coefficients", name);
        need(walk, object, "exponents", name);
        need(walk, object, "bulk", name);
        if (terms > 4 || terms != json_array_size(json_object_get(object, "exponents")))
            schema_rule_problem(walk, "exponents",
                                "must have as many entries as \"coefficients\", at most 4");
    } else {
        need(walk, object, "young", name);
        need(walk, object, "poisson", name);
    }
}
