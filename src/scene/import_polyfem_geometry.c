#include "scene/import_polyfem.h"

#include "base/file.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "mesh/mesh_io.h"

#include <stdio.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180;
static const double FAR = 1e30; /* beyond any scene, for boxes without an end */

/* One geometry: its mesh as read, and where it goes. */
typedef struct polyfem_shape {
    const json_t *json;
    char field[40]; /* "/geometry/3" */
    char *path;
    mesh file;
    bool has_mesh;
    vec3 scale, rotate, translate; /* native: factors, degrees, m */
    vec3 low, high;                /* of the placed mesh */
    int volume;                    /* id */
    json_t *regions;               /* native list of cells with other materials */
} polyfem_shape;

/* ---------------------------------------------------------------------------------------------- */
/* Place                                                                                          */

static abut_status rotation_of(const polyfem_scene *s, const polyfem_shape *shape,
                               const json_t *transformation, mat3 *out, abut_error *err)
{
    const json_t *value = polyfem_get(transformation, "rotation");
    const char *mode = json_string_value(polyfem_get(transformation, "rotation_mode"));
    double a[4] = {0};
    *out = mat3_identity();
    if (!value || (json_is_array(value) && json_array_size(value) == 0)) return ABUT_OK;
    for (size_t k = 0; k < 4; k++) a[k] = json_number_value(json_array_get(value, k));
    if (s->dimension == 2) mode = "z";
    if (json_is_number(value)) {
        bool single = mode && strlen(mode) == 1 && mode[0] >= 'x' && mode[0] <= 'z';
        if (single) a[mode[0] - 'x'] = json_number_value(value);
        if (!single)
            return polyfem_error(s, ABUT_ERROR_INPUT, shape->field,
                                 "a single angle needs a rotation_mode of x, y or z", err);
    }
    if (!mode) mode = "xyz";
    if (strcmp(mode, "axis_angle") == 0) {
        vec3 axis = vec3_normalize((vec3){a[1], a[2], a[3]});
        *out = rotation_matrix(vec3_scale(a[0] * DEGREE, axis));
    } else if (strcmp(mode, "quaternion") == 0) {
        *out = rotation_from_quaternion((quaternion){.w = a[3], .x = a[0], .y = a[1], .z = a[2]});
    } else if (strcmp(mode, "rotation_vector") == 0) {
        *out = rotation_matrix(vec3_scale(DEGREE, (vec3){a[0], a[1], a[2]}));
    } else {
        for (const char *axis = mode; *axis; axis++) {
            int k = *axis - 'x';
            if (k < 0 || k > 2)
                return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, shape->field,
                                     "rotation_mode \"%s\" is not supported", err, mode);
            vec3 turn = {k == 0 ? a[0] : 0, k == 1 ? a[1] : 0, k == 2 ? a[2] : 0};
            *out = mat3_mul(rotation_matrix(vec3_scale(DEGREE, turn)), *out);
        }
    }
    return ABUT_OK;
}

/* Factors that give a mesh the wanted dimensions; a direction without extent keeps its zero. */
static vec3 scale_of(const json_t *transformation, vec3 size)
{
    const json_t *dimensions = polyfem_get(transformation, "dimensions");
    const json_t *scale = polyfem_get(transformation, "scale");
    if (json_is_array(dimensions)) {
        vec3 wanted = polyfem_vector(dimensions, 0);
        return (vec3){size.x > 0 ? wanted.x / size.x : 1, size.y > 0 ? wanted.y / size.y : 1,
                      size.z > 0 ? wanted.z / size.z : 1};
    }
    return json_is_array(scale) && json_array_size(scale) == 0 ? (vec3){1, 1, 1}
                                                               : polyfem_vector(scale, 1);
}

static abut_status place(const polyfem_scene *s, polyfem_shape *shape, abut_error *err)
{
    const json_t *transformation = polyfem_get(shape->json, "transformation");
    vec3 low, high;
    mesh_bounds(&shape->file, &low, &high);
    mat3 rotation;
    TRY(rotation_of(s, shape, transformation, &rotation, err));
    shape->scale = scale_of(transformation, vec3_sub(high, low));
    if (shape->scale.z == 0 && s->dimension == 2) shape->scale.z = 1;
    if (shape->scale.x == 0 || shape->scale.y == 0 || shape->scale.z == 0)
        return polyfem_error(s, ABUT_ERROR_INPUT, shape->field,
                             "scales a direction of the mesh to nothing", err);
    shape->rotate = vec3_scale(1 / DEGREE, rotation_angles(rotation));
    shape->translate = polyfem_vector(polyfem_get(transformation, "translation"), 0);
    shape->low = (vec3){INFINITY, INFINITY, INFINITY};
    shape->high = vec3_scale(-1, shape->low);
    for (size_t i = 0; i < shape->file.vertex_count; i++) {
        vec3 x = shape->file.vertices[i];
        x = (vec3){x.x * shape->scale.x, x.y * shape->scale.y, x.z * shape->scale.z};
        x = vec3_add(mat3_mul_vec(rotation, x), shape->translate);
        shape->low = vec3_min(shape->low, x);
        shape->high = vec3_max(shape->high, x);
    }
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Selections                                                                                     */

static vec3 within(const polyfem_shape *shape, vec3 p, bool relative)
{
    vec3 size = vec3_sub(shape->high, shape->low);
    if (!relative) return p;
    return (vec3){shape->low.x + p.x * size.x, shape->low.y + p.y * size.y,
                  shape->low.z + p.z * size.z};
}

static json_t *box_json(vec3 low, vec3 high)
{
    return json_pack("[o, o]", polyfem_json_vector(low), polyfem_json_vector(high));
}

/* The region of a selection as native JSON with one key, or NULL when it is not understood. */
static json_t *region_json(const polyfem_scene *s, const polyfem_shape *shape,
                           const json_t *selection)
{
    bool relative = polyfem_flag(selection, "relative", false), flat = s->dimension == 2;
    double radius = polyfem_number(selection, "radius", 0);
    if (relative) radius *= vec3_norm(vec3_sub(shape->high, shape->low));
    const json_t *box = polyfem_get(selection, "box"), *axis = polyfem_get(selection, "axis");
    if (json_array_size(box) == 2) {
        vec3 low = within(shape, polyfem_vector(json_array_get(box, 0), 0), relative);
        vec3 high = within(shape, polyfem_vector(json_array_get(box, 1), 0), relative);
        if (flat) low.z = -1, high.z = 1;
        return json_pack("{s:o}", "box", box_json(vec3_min(low, high), vec3_max(low, high)));
    }
    if (polyfem_get(selection, "center")) {
        vec3 center = within(shape, polyfem_vector(polyfem_get(selection, "center"), 0), relative);
        return json_pack("{s:{s:o, s:f}}", "sphere", "center", polyfem_json_vector(center),
                         "radius", radius);
    }
    if (polyfem_get(selection, "p1")) {
        vec3 from = within(shape, polyfem_vector(polyfem_get(selection, "p1"), 0), relative);
        vec3 to = within(shape, polyfem_vector(polyfem_get(selection, "p2"), 0), relative);
        return json_pack("{s:{s:o, s:o, s:f}}", "cylinder", "from", polyfem_json_vector(from), "to",
                         polyfem_json_vector(to), "radius", radius);
    }
    vec3 point = {0}, normal = {0};
    if (axis) {
        int k = json_is_integer(axis) ? (int)json_integer_value(axis) : 0;
        const char *word = json_string_value(axis);
        if (word && word[0]) k = (word[strlen(word) - 1] - 'x' + 1) * (word[0] == '-' ? -1 : 1);
        int dimension = k < 0 ? -k : k;
        if (dimension < 1 || dimension > 3) return NULL;
        double position = polyfem_number(selection, "position", 0), e[3] = {0}, n[3] = {0};
        e[dimension - 1] = position;
        n[dimension - 1] = k < 0 ? -1 : 1;
        point = within(shape, (vec3){e[0], e[1], e[2]}, relative);
        normal = (vec3){n[0], n[1], n[2]};
    } else if (polyfem_get(selection, "normal")) {
        normal = polyfem_vector(polyfem_get(selection, "normal"), 0);
        if (polyfem_get(selection, "point"))
            point = within(shape, polyfem_vector(polyfem_get(selection, "point"), 0), relative);
        else
            point = vec3_scale(polyfem_number(selection, "offset", 0), normal);
    } else {
        return NULL;
    }
    return json_pack("{s:{s:o, s:o}}", "side", "point", polyfem_json_vector(point), "normal",
                     polyfem_json_vector(normal));
}

static void add_part(json_t *parts, int number, json_t *region)
{
    json_object_set_new(region, "number", json_integer(number));
    json_array_append_new(parts, region);
}

/* The sides of the bounding box: 1 left, 2 bottom, 3 right, 4 top, 5 back, 6 front, 7 the rest. */
static void add_sides(const polyfem_scene *s, const polyfem_shape *shape, const json_t *selection,
                      json_t *parts)
{
    static const int axes[6] = {0, 1, 0, 1, 2, 2};
    static const bool upper[6] = {false, false, true, true, false, true};
    double tolerance = polyfem_number(selection, "threshold", -1);
    int offset = (int)polyfem_number(selection, "id_offset", 0);
    if (tolerance < 0) tolerance = 1e-7;
    for (int k = 0; k < (s->dimension == 2 ? 4 : 6); k++) {
        double low[3] = {-FAR, -FAR, -FAR}, high[3] = {FAR, FAR, FAR};
        double at = vec3_get(upper[k] ? shape->high : shape->low, axes[k]);
        low[axes[k]] = at - tolerance;
        high[axes[k]] = at + tolerance;
        add_part(
            parts, k + 1 + offset,
            json_pack("{s:o}", "box",
                      box_json((vec3){low[0], low[1], low[2]}, (vec3){high[0], high[1], high[2]})));
    }
    add_part(parts, 7 + offset, json_pack("{s:b}", "all", 1));
}

/* Boundary parts of a body: native list (new reference) or NULL with an error. */
static json_t *boundary_json(const polyfem_scene *s, const polyfem_shape *shape, abut_error *err)
{
    const json_t *selection = polyfem_get(shape->json, "surface_selection");
    json_t *parts = json_array();
    char field[80];
    snprintf(field, sizeof field, "%s/surface_selection", shape->field);
    if (json_is_integer(selection)) {
        add_part(parts, (int)json_integer_value(selection), json_pack("{s:b}", "all", 1));
    } else if (json_is_object(selection) && polyfem_get(selection, "threshold")) {
        add_sides(s, shape, selection, parts);
    } else if (json_is_string(selection)) {
        polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field, "selections from files are not supported",
                      err);
        json_decref(parts);
        return NULL;
    }
    size_t count = json_is_object(selection) && !polyfem_get(selection, "threshold")
                       ? 1
                       : json_array_size(selection);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_is_array(selection) ? json_array_get(selection, i) : selection;
        json_t *region = region_json(s, shape, item);
        if (!region || !json_is_integer(polyfem_get(item, "id"))) {
            polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                          "entry %zu is no box, sphere, cylinder, axis or plane with an id", err,
                          i);
            json_decref(region);
            json_decref(parts);
            return NULL;
        }
        add_part(parts, (int)json_integer_value(polyfem_get(item, "id")), region);
    }
    return parts;
}

static bool has_id(const json_t *ids, int id)
{
    if (json_is_string(ids)) return strcmp(json_string_value(ids), "all") == 0;
    if (json_is_integer(ids)) return json_integer_value(ids) == id;
    for (size_t i = 0; i < json_array_size(ids); i++)
        if (json_integer_value(json_array_get(ids, i)) == id) return true;
    return false;
}

/* ---------------------------------------------------------------------------------------------- */
/* Conditions                                                                                     */

/* Three numbers or expressions; missing ones are 0. NULL when an entry is neither. */
static json_t *values_json(const json_t *value)
{
    json_t *out = json_array();
    for (size_t k = 0; k < 3; k++) {
        json_t *item = json_is_array(value) ? json_array_get(value, k) : NULL;
        if (!item) {
            json_array_append_new(out, json_integer(0));
        } else if (json_is_number(item) || json_is_string(item)) {
            json_array_append(out, item);
        } else {
            json_decref(out);
            return NULL;
        }
    }
    return out;
}

static bool all_zero(const json_t *values)
{
    for (size_t k = 0; k < 3; k++) {
        const json_t *item = json_array_get(values, k);
        if (!json_is_number(item) || json_number_value(item) != 0) return false;
    }
    return true;
}

/* Nodes that a Dirichlet id stands for, as native selectors. */
static void append_nodes(json_t *list, const char *key, json_t *value)
{
    json_t *nodes = json_object();
    json_object_set_new(nodes, key, value);
    json_array_append_new(list, nodes);
}

static json_t *selected_nodes(const polyfem_scene *s, const polyfem_shape *shape,
                              const json_t *parts, const json_t *ids)
{
    json_t *list = json_array(), *seen = json_object();
    for (size_t i = 0; i < json_array_size(parts); i++) {
        int number = (int)json_integer_value(json_object_get(json_array_get(parts, i), "number"));
        char text[20];
        snprintf(text, sizeof text, "%d", number);
        if (!has_id(ids, number) || json_object_get(seen, text)) continue;
        json_object_set_new(seen, text, json_true());
        append_nodes(list, "boundary", json_integer(number));
    }
    const json_t *points = polyfem_get(shape->json, "point_selection");
    for (size_t i = 0; i < json_array_size(points); i++) {
        const json_t *item = json_array_get(points, i);
        json_t *region = region_json(s, shape, item);
        json_t *box = json_object_get(region, "box");
        if (box && has_id(ids, (int)polyfem_number(item, "id", -1)))
            append_nodes(list, "box", json_incref(box));
        json_decref(region);
    }
    json_decref(seen);
    return list;
}

static abut_status add_fixes(const polyfem_scene *s, const polyfem_shape *shape,
                             const json_t *parts, json_t *body, abut_error *err)
{
    const json_t *list = polyfem_get(s->document, "boundary_conditions/dirichlet_boundary");
    json_t *fixes = json_array();
    json_object_set_new(body, "fix", fixes);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        char field[80];
        snprintf(field, sizeof field, "/boundary_conditions/dirichlet_boundary/%zu", i);
        if (polyfem_get(item, "interpolation"))
            return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                                 "\"interpolation\" is not supported; write the value as an "
                                 "expression of t",
                                 err);
        json_t *nodes = selected_nodes(s, shape, parts, polyfem_get(item, "id"));
        json_t *values = values_json(polyfem_get(item, "value"));
        if (!values) {
            json_decref(nodes);
            return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                                 "the value must be a list of numbers or expressions", err);
        }
        char axes[4] = "";
        const json_t *dimension = polyfem_get(item, "dimension");
        for (size_t k = 0; k < 3; k++) {
            const json_t *flag = json_array_get(dimension, k);
            bool on = flag ? json_is_true(flag) : true;
            if (on) strncat(axes, &"x\0y\0z"[2 * k], 1);
        }
        for (size_t k = 0; axes[0] && k < json_array_size(nodes); k++) {
            json_t *fix = json_pack("{s:O}", "nodes", json_array_get(nodes, k));
            if (strcmp(axes, "xyz") != 0) json_object_set_new(fix, "axes", json_string(axes));
            if (!all_zero(values)) json_object_set(fix, "displacement", values);
            json_array_append_new(fixes, fix);
        }
        json_decref(nodes);
        json_decref(values);
    }
    return ABUT_OK;
}

static abut_status add_velocity(const polyfem_scene *s, int volume, json_t *body, abut_error *err)
{
    const json_t *list = polyfem_get(s->document, "initial_conditions/velocity");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (!has_id(polyfem_get(item, "id"), volume)) continue;
        json_t *values = values_json(polyfem_get(item, "value"));
        if (!values)
            return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, "/initial_conditions/velocity",
                                 "the value must be a list of numbers or expressions", err);
        json_object_set_new(body, "velocity_field", values);
    }
    return ABUT_OK;
}

static abut_status add_displacement(const polyfem_scene *s, const polyfem_shape *shape,
                                    json_t *body, abut_error *err)
{
    const json_t *list = polyfem_get(s->document, "boundary_conditions/obstacle_displacements");
    const json_t *selection = polyfem_get(shape->json, "surface_selection");
    for (size_t i = 0; json_is_integer(selection) && i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (!has_id(polyfem_get(item, "id"), (int)json_integer_value(selection))) continue;
        json_t *values = values_json(polyfem_get(item, "value"));
        if (!values)
            return polyfem_error(s, ABUT_ERROR_UNSUPPORTED,
                                 "/boundary_conditions/obstacle_displacements",
                                 "the value must be a list of numbers or expressions", err);
        if (!all_zero(values)) json_object_set(body, "displacement", values);
        json_decref(values);
        break;
    }
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Bodies                                                                                         */

/* Cells with other tags than the first, where the mesh decides: regions with their materials. */
static abut_status add_region(const polyfem_scene *s, polyfem_shape *shape, int32_t tag,
                              abut_error *err)
{
    for (size_t i = 0; i < json_array_size(shape->regions); i++)
        if (json_integer_value(json_object_get(json_array_get(shape->regions, i), "tag")) == tag)
            return ABUT_OK;
    json_t *material = NULL;
    TRY(polyfem_material(s, tag, shape->field, &material, err));
    json_array_append_new(shape->regions,
                          json_pack("{s:i, s:o}", "tag", (int)tag, "material", material));
    return ABUT_OK;
}

static abut_status find_volume(const polyfem_scene *s, polyfem_shape *shape, abut_error *err)
{
    const json_t *selection = polyfem_get(shape->json, "volume_selection");
    char field[80];
    snprintf(field, sizeof field, "%s/volume_selection", shape->field);
    shape->volume = 0;
    bool tagged = false;
    if (json_is_integer(selection)) {
        shape->volume = (int)json_integer_value(selection);
        return ABUT_OK;
    }
    if (selection)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                             "only one number for the whole mesh is supported", err);
    for (int b = 0; b < shape->file.block_count; b++) {
        const cell_block *block = &shape->file.blocks[b];
        bool solid =
            block->kind == CELL_TET || block->kind == CELL_HEX ||
            (s->dimension == 2 && (block->kind == CELL_TRIANGLE || block->kind == CELL_QUAD));
        for (size_t i = 0; solid && block->tags && i < block->count; i++) {
            if (!tagged) shape->volume = block->tags[i];
            tagged = true;
            if (block->tags[i] != shape->volume) TRY(add_region(s, shape, block->tags[i], err));
        }
    }
    return ABUT_OK;
}

static void set_name(polyfem_scene *s, json_t *body, const char *path)
{
    const char *name = path_name(path), *extension = path_extension(path);
    char stem[128], text[160];
    size_t length = strlen(name) - (extension[0] ? strlen(extension) + 1 : 0);
    snprintf(stem, sizeof stem, "%.*s", (int)(length < 120 ? length : 120), name);
    json_int_t count = json_integer_value(json_object_get(s->names, stem)) + 1;
    json_object_set_new(s->names, stem, json_integer(count));
    snprintf(text, sizeof text, count > 1 ? "%s %d" : "%s", stem, (int)count);
    json_object_set_new(body, "name", json_string(text));
}

/* Order of the basis of a volume. */
static int order_of(const polyfem_scene *s, int volume)
{
    const json_t *order = polyfem_get(s->document, "space/discr_order");
    if (json_is_integer(order)) return (int)json_integer_value(order);
    for (size_t i = 0; i < json_array_size(order); i++) {
        const json_t *item = json_array_get(order, i);
        if (has_id(polyfem_get(item, "id"), volume)) return (int)polyfem_number(item, "order", 1);
    }
    return 1;
}

/* The collision surface. PolyFEM has one for the whole scene, placed like its first geometry; that
 * is the body's own where there is one body. */
static abut_status add_surface(const polyfem_scene *s, const polyfem_shape *shape, json_t *body,
                               abut_error *err)
{
    const json_t *from = polyfem_get(s->document, "contact/collision_mesh");
    const char *name = json_string_value(polyfem_get(from, "mesh"));
    const char *map = json_string_value(polyfem_get(from, "linear_map"));
    double longest = polyfem_number(from, "max_edge_length", 0);
    if (!from || !polyfem_flag(from, "enabled", true)) return ABUT_OK;
    if (longest > 0) json_object_set_new(body, "surface", json_pack("{s:f}", "max_edge", longest));
    if (!name) return ABUT_OK;
    static const char field[] = "/contact/collision_mesh";
    if (s->solid_count > 1)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                             "one surface for %d bodies is not supported; a surface belongs to "
                             "one body",
                             err, s->solid_count);
    const json_t *scale = polyfem_get(from, "scale");
    if (scale && vec3_norm(vec3_sub(polyfem_vector(scale, 1), shape->scale)) >
                     1e-9 * vec3_norm(shape->scale))
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                             "the surface is placed like the mesh of the body; another scale is "
                             "not supported",
                             err);
    char *path = polyfem_find_file(s, name), *map_path = map ? polyfem_find_file(s, map) : NULL;
    if (!path) return polyfem_error(s, ABUT_ERROR_IO, field, "there is no file \"%s\"", err, name);
    if (map && !map_path)
        log_message(s->log, ABUT_LOG_WARNING,
                    "%s: there is no file \"%s\"; the weights of the surface are computed", s->path,
                    map);
    json_t *surface = json_pack("{s:s}", "file", path);
    if (map_path) json_object_set_new(surface, "map", json_string(map_path));
    json_object_set_new(body, "surface", surface);
    mem_free(path);
    mem_free(map_path);
    return ABUT_OK;
}

static abut_status solid_json(const polyfem_scene *s, polyfem_shape *shape, json_t *body,
                              abut_error *err)
{
    json_decref(shape->regions);
    shape->regions = json_array();
    TRY(find_volume(s, shape, err));
    if (json_array_size(shape->regions) > 0) json_object_set(body, "regions", shape->regions);
    TRY(add_surface(s, shape, body, err));
    json_t *material = NULL;
    TRY(polyfem_material(s, shape->volume, shape->field, &material, err));
    json_object_set_new(body, "material", material);
    if (!polyfem_flag(s->document, "solver/advanced/lump_mass_matrix", false))
        json_object_set_new(body, "mass", json_string("consistent"));
    int order = order_of(s, shape->volume);
    json_object_set_new(body, "order", json_integer(order));
    json_t *parts = boundary_json(s, shape, err);
    if (!parts) return ABUT_ERROR_UNSUPPORTED;
    if (json_array_size(parts) > 0) json_object_set(body, "boundary", parts);
    abut_status status = add_fixes(s, shape, parts, body, err);
    if (status == ABUT_OK) status = add_velocity(s, shape->volume, body, err);
    json_decref(parts);
    return status;
}

static abut_status body_json(polyfem_scene *s, polyfem_shape *shape, json_t *body, abut_error *err)
{
    bool obstacle = polyfem_flag(shape->json, "is_obstacle", false);
    const char *extract = json_string_value(polyfem_get(shape->json, "extract"));
    int refinements = (int)polyfem_number(shape->json, "n_refs", 0);
    set_name(s, body, shape->path);
    json_t *file = json_pack("{s:s}", "file", shape->path);
    if (refinements > 0) json_object_set_new(file, "refine", json_integer(refinements));
    if (obstacle && extract && (strcmp(extract, "edges") == 0 || strcmp(extract, "points") == 0))
        json_object_set_new(file, "only", json_string(extract));
    json_object_set_new(body, "mesh", file);
    json_object_set_new(body, "scale", polyfem_json_vector(shape->scale));
    if (vec3_norm2(shape->rotate) > 0)
        json_object_set_new(body, "rotate", polyfem_json_vector(shape->rotate));
    json_object_set_new(body, "translate", polyfem_json_vector(shape->translate));
    if (!obstacle) return solid_json(s, shape, body, err);
    json_object_set_new(body, "type", json_string("obstacle"));
    return add_displacement(s, shape, body, err);
}

/* Copies at multiples of an offset. */
static abut_status add_bodies(polyfem_scene *s, polyfem_shape *shape, abut_error *err)
{
    const json_t *array = polyfem_get(shape->json, "array");
    vec3 offset = polyfem_vector(polyfem_get(array, "offset"), 0), start = shape->translate;
    vec3 counts = polyfem_vector(polyfem_get(array, "size"), 1);
    vec3 low = shape->low, high = shape->high, size = vec3_sub(high, low);
    if (polyfem_flag(array, "relative", false))
        offset = (vec3){offset.x * size.x, offset.y * size.y, offset.z * size.z};
    if (!(counts.x * counts.y * counts.z <= 1e5))
        return polyfem_error(s, ABUT_ERROR_INPUT, shape->field, "the array has too many bodies",
                             err);
    for (int i = 0; i < (int)counts.x; i++)
        for (int j = 0; j < (int)counts.y; j++)
            for (int k = 0; k < (int)counts.z; k++) {
                vec3 shift = {i * offset.x, j * offset.y, k * offset.z};
                json_t *body = json_object();
                shape->translate = vec3_add(start, shift);
                shape->low = vec3_add(low, shift);
                shape->high = vec3_add(high, shift);
                abut_status status = body_json(s, shape, body, err);
                json_array_append_new(s->bodies, body);
                TRY(status);
            }
    return ABUT_OK;
}

static abut_status read_shape(polyfem_scene *s, polyfem_shape *shape, abut_error *err)
{
    const char *name = json_string_value(polyfem_get(shape->json, "mesh"));
    if (!name) return polyfem_error(s, ABUT_ERROR_INPUT, shape->field, "has no mesh", err);
    shape->path = polyfem_find_file(s, name);
    if (!shape->path)
        return polyfem_error(s, ABUT_ERROR_IO, shape->field, "there is no file \"%s\"", err, name);
    mesh_read_options options = {0};
    abut_status status = mesh_read(shape->path, &options, &shape->file, err);
    if (status != ABUT_OK) return error_add_place(err, s->path, status);
    shape->has_mesh = true;
    return ABUT_OK;
}

static void shape_free(polyfem_shape *shape)
{
    mem_free(shape->path);
    json_decref(shape->regions);
    if (shape->has_mesh) mesh_free(&shape->file);
}

static void add_plane(polyfem_scene *s, vec3 point, vec3 normal)
{
    json_array_append_new(s->half_spaces,
                          json_pack("{s:o, s:o}", "origin", polyfem_json_vector(point), "normal",
                                    polyfem_json_vector(normal)));
}

static abut_status add_geometry(polyfem_scene *s, const json_t *json, size_t index, abut_error *err)
{
    polyfem_shape shape = {.json = json};
    snprintf(shape.field, sizeof shape.field, "/geometry/%zu", index);
    const char *type = json_string_value(polyfem_get(json, "type"));
    if (!type) type = "mesh";
    if (strcmp(type, "plane") == 0) {
        add_plane(s, polyfem_vector(polyfem_get(json, "point"), 0),
                  polyfem_vector(polyfem_get(json, "normal"), 0));
        return ABUT_OK;
    }
    if (strcmp(type, "ground") == 0) {
        add_plane(s, (vec3){0, polyfem_number(json, "height", 0), 0}, (vec3){0, 1, 0});
        return ABUT_OK;
    }
    if (strcmp(type, "mesh") != 0 && strcmp(type, "mesh_array") != 0)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, shape.field,
                             "the type \"%s\" is not supported", err, type);
    if (polyfem_flag(json, "advanced/normalize_mesh", false))
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, shape.field,
                             "\"normalize_mesh\" is not supported", err);
    abut_status status = read_shape(s, &shape, err);
    if (status == ABUT_OK) status = place(s, &shape, err);
    if (status == ABUT_OK) status = add_bodies(s, &shape, err);
    shape_free(&shape);
    return status;
}

static bool enabled(const json_t *geometry) { return polyfem_flag(geometry, "enabled", true); }

/* Two dimensions when no simulated mesh has solid cells. */
static abut_status find_dimension(polyfem_scene *s, const json_t *list, abut_error *err)
{
    s->dimension = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *json = json_array_get(list, i);
        const char *type = json_string_value(polyfem_get(json, "type"));
        if (!enabled(json) || polyfem_flag(json, "is_obstacle", false)) continue;
        if (type && strncmp(type, "mesh", 4) != 0) continue;
        s->solid_count++;
        if (s->dimension) continue;
        polyfem_shape shape = {.json = json};
        snprintf(shape.field, sizeof shape.field, "/geometry/%zu", i);
        abut_status status = read_shape(s, &shape, err);
        if (status == ABUT_OK)
            s->dimension =
                mesh_find(&shape.file, CELL_TET) || mesh_find(&shape.file, CELL_HEX) ? 3 : 2;
        shape_free(&shape);
        TRY(status);
    }
    return s->dimension
               ? ABUT_OK
               : polyfem_error(s, ABUT_ERROR_INPUT, "/geometry", "nothing is simulated", err);
}

abut_status polyfem_add_geometry(polyfem_scene *s, abut_error *err)
{
    const json_t *list = polyfem_get(s->document, "geometry");
    TRY(find_dimension(s, list, err));
    for (size_t i = 0; i < json_array_size(list); i++)
        if (enabled(json_array_get(list, i))) TRY(add_geometry(s, json_array_get(list, i), i, err));
    return ABUT_OK;
}
