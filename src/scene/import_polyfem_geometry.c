#include "scene/import_polyfem_shape.h"

#include "base/file.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "mesh/components.h"
#include "mesh/mesh_io.h"

#include <stdio.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180;

/* ---------------------------------------------------------------------------------------------- */
/* Transform                                                                                      */

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

/* Of a geometry's own unit of length in that of the scene. */
static abut_status unit_of(const polyfem_scene *s, const polyfem_shape *shape, double *out,
                           abut_error *err)
{
    static const struct {
        const char *name;
        double meters;
    } units[] = {{"m", 1},       {"cm", 1e-2},     {"mm", 1e-3},   {"um", 1e-6},  {"km", 1e3},
                 {"in", 0.0254}, {"inch", 0.0254}, {"ft", 0.3048}, {"yd", 0.9144}};
    const char *names[2] = {json_string_value(polyfem_get(shape->json, "unit")),
                            json_string_value(polyfem_get(s->document, "units/length"))};
    double meters[2] = {1, 1};
    *out = 1;
    if (!names[0] || !names[0][0]) return ABUT_OK;
    for (int k = 0; k < 2 && names[k]; k++) {
        size_t i = 0, count = sizeof units / sizeof *units;
        while (i < count && strcmp(units[i].name, names[k]) != 0) i++;
        if (i == count)
            return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, shape->field,
                                 "the unit \"%s\" is not known", err, names[k]);
        meters[k] = units[i].meters;
    }
    *out = meters[0] / meters[1];
    return ABUT_OK;
}

static abut_status place(const polyfem_scene *s, polyfem_shape *shape, abut_error *err)
{
    const json_t *transformation = polyfem_get(shape->json, "transformation");
    vec3 low, high;
    mesh_bounds(&shape->file, &low, &high);
    TRY(rotation_of(s, shape, transformation, &shape->rotation, err));
    double unit;
    TRY(unit_of(s, shape, &unit, err));
    /* "normalize_mesh": first into the unit cube, to the origin. */
    bool normalize = polyfem_flag(shape->json, "advanced/normalize_mesh", false);
    double largest = normalize ? vec3_max_abs(vec3_sub(high, low)) : 1;
    if (!(largest > 0)) largest = 1;
    shape->scale = vec3_scale(
        unit / largest, scale_of(transformation, vec3_scale(1 / largest, vec3_sub(high, low))));
    if (shape->scale.z == 0 && s->dimension == 2) shape->scale.z = 1;
    if (shape->scale.x == 0 || shape->scale.y == 0 || shape->scale.z == 0)
        return polyfem_error(s, ABUT_ERROR_INPUT, shape->field,
                             "scales a direction of the mesh to nothing", err);
    shape->rotate = vec3_scale(1 / DEGREE, rotation_angles(shape->rotation));
    shape->translate = polyfem_vector(polyfem_get(transformation, "translation"), 0);
    if (normalize) {
        polyfem_shape at_origin = {.scale = shape->scale, .rotation = shape->rotation};
        shape->translate = vec3_sub(shape->translate, polyfem_transform(&at_origin, low));
    }
    shape->low = (vec3){INFINITY, INFINITY, INFINITY};
    shape->high = vec3_scale(-1, shape->low);
    for (size_t i = 0; i < shape->file.vertex_count; i++) {
        vec3 x = polyfem_transform(shape, shape->file.vertices[i]);
        shape->low = vec3_min(shape->low, x);
        shape->high = vec3_max(shape->high, x);
    }
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Bodies                                                                                         */

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
        if (polyfem_has_id(polyfem_get(item, "id"), volume))
            return (int)polyfem_number(item, "order", 1);
    }
    return 1;
}

/* Old scenes say where the surface goes; that must be where the mesh goes. */
static bool same_place(const polyfem_scene *s, const polyfem_shape *shape, const json_t *surface)
{
    const json_t *position = polyfem_get(surface, "position"),
                 *scale = polyfem_get(surface, "scale");
    mat3 rotation;
    double size = vec3_norm(shape->scale);
    if (position && vec3_norm(vec3_sub(polyfem_vector(position, 0), shape->translate)) >
                        1e-9 * (1 + vec3_norm(shape->translate)))
        return false;
    if (scale && vec3_norm(vec3_sub(polyfem_vector(scale, 1), shape->scale)) > 1e-9 * size)
        return false;
    if (!polyfem_get(surface, "rotation")) return true;
    if (rotation_of(s, shape, surface, &rotation, NULL) != ABUT_OK) return false;
    return mat3_norm2(mat3_add(rotation, mat3_scale(-1, shape->rotation))) < 1e-18;
}

/* With several bodies: the connected pieces of the collision mesh are theirs, one by one, each
 * transformed like the mesh of its body. */
static abut_status choose_piece(const polyfem_scene *s, const char *path, bool mapped,
                                json_t *surface, abut_error *err)
{
    static const char field[] = "/contact/collision_mesh";
    if (mapped)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                             "one linear map for %d bodies is not supported", err, s->solid_count);
    mesh file;
    size_t pieces = 0, given = 0, i;
    TRY(mesh_read(path, NULL, &file, err));
    abut_status status = mesh_count_components(&file, &pieces, err);
    mesh_free(&file);
    if (status != ABUT_OK) return status;
    if (pieces != (size_t)s->solid_count)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                             "the surface has %zu connected pieces for %d bodies; there must be "
                             "one for each",
                             err, pieces, s->solid_count);
    json_t *body;
    json_array_foreach(s->bodies, i, body) if (json_object_get(body, "surface")) given++;
    json_object_set_new(surface, "piece", json_integer((json_int_t)given));
    return ABUT_OK;
}

/* The collision surface. PolyFEM has one for the whole scene, transformed like its first geometry;
 * that is the body's own where there is one body. */
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
    if (!same_place(s, shape, from))
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                             "the surface is placed like the mesh of the body; another place or "
                             "scale is not supported",
                             err);
    char *path = polyfem_find_file(s, name), *map_path = map ? polyfem_find_file(s, map) : NULL;
    if (!path) return polyfem_error(s, ABUT_ERROR_IO, field, "there is no file \"%s\"", err, name);
    if (map && !map_path)
        log_message(s->log, ABUT_LOG_WARNING,
                    "%s: there is no file \"%s\"; the weights of the surface are computed", s->path,
                    map);
    json_t *surface = json_pack("{s:s}", "file", path);
    if (map_path) json_object_set_new(surface, "map", json_string(map_path));
    abut_status status = ABUT_OK;
    if (s->solid_count > 1) status = choose_piece(s, path, map_path != NULL, surface, err);
    json_object_set_new(body, "surface", surface);
    mem_free(path);
    mem_free(map_path);
    return status;
}

static abut_status solid_json(const polyfem_scene *s, polyfem_shape *shape, json_t *body,
                              abut_error *err)
{
    json_decref(shape->regions);
    json_decref(shape->ids);
    shape->regions = json_array();
    shape->ids = json_array();
    TRY(polyfem_find_volume(s, shape, err));
    if (json_array_size(shape->regions) > 0) json_object_set(body, "regions", shape->regions);
    TRY(add_surface(s, shape, body, err));
    json_t *material = NULL;
    TRY(polyfem_material(s, shape->volume, shape->field, &material, err));
    json_object_set_new(body, "material", material);
    if (!polyfem_flag(s->document, "solver/advanced/lump_mass_matrix", false))
        json_object_set_new(body, "mass", json_string("consistent"));
    int order = order_of(s, shape->volume);
    json_object_set_new(body, "order", json_integer(order));
    json_t *parts = NULL;
    TRY(polyfem_boundary(s, shape, &parts, err));
    if (json_array_size(parts) > 0) json_object_set(body, "boundary", parts);
    abut_status status = polyfem_add_fixes(s, shape, parts, body, err);
    if (status == ABUT_OK) status = polyfem_add_loads(s, parts, body, err);
    if (status == ABUT_OK) status = polyfem_add_velocity(s, shape, body, err);
    polyfem_add_body_force(s, body);
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
    if (shape->sequence) {
        json_object_set_new(body, "sequence", polyfem_sequence_json(shape));
        return ABUT_OK;
    }
    return polyfem_add_displacement(s, shape, body, err);
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
    const char *type = json_string_value(polyfem_get(shape->json, "type"));
    const char *name = json_string_value(polyfem_get(shape->json, "mesh"));
    if (type && strcmp(type, "mesh_sequence") == 0) {
        TRY(polyfem_find_sequence(s, shape, err));
        name = json_string_value(json_array_get(shape->sequence, 0));
    }
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
    json_decref(shape->ids);
    json_decref(shape->sequence);
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
    bool sequence = strcmp(type, "mesh_sequence") == 0;
    if (strcmp(type, "mesh") != 0 && strcmp(type, "mesh_array") != 0 && !sequence)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, shape.field,
                             "the type \"%s\" is not supported", err, type);
    if (sequence && !polyfem_flag(json, "is_obstacle", false))
        return polyfem_error(s, ABUT_ERROR_INPUT, shape.field,
                             "a \"mesh_sequence\" must be an obstacle", err);
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
    polyfem_mention_unmatched(s);
    return ABUT_OK;
}
