/* Selections of PolyFEM: faces, nodes and cells by shape, by file, or all of a mesh. */
#include "scene/import_polyfem_shape.h"
#include "scene/schema_table.h"
#include "scene/select.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double FAR = 1e30; /* beyond any scene, for boxes without an end */

vec3 polyfem_transform(const polyfem_shape *shape, vec3 x)
{
    x = (vec3){x.x * shape->scale.x, x.y * shape->scale.y, x.z * shape->scale.z};
    return vec3_add(mat3_mul_vec(shape->rotation, x), shape->translate);
}

bool polyfem_has_id(const json_t *ids, int id)
{
    if (json_is_string(ids)) return strcmp(json_string_value(ids), "all") == 0;
    if (json_is_integer(ids)) return json_integer_value(ids) == id;
    for (size_t i = 0; i < json_array_size(ids); i++)
        if (json_integer_value(json_array_get(ids, i)) == id) return true;
    return false;
}

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

/* Text file of a selection: the numbers of every line, as a list of lists. */
static abut_status read_lines(const polyfem_scene *s, const char *name, const char *field,
                              json_t **out, abut_error *err)
{
    char *path = polyfem_find_file(s, name);
    if (!path) return polyfem_error(s, ABUT_ERROR_IO, field, "there is no file \"%s\"", err, name);
    file_bytes text;
    abut_status status = file_read(path, &text, err);
    mem_free(path);
    TRY(status);
    json_t *lines = json_array();
    const char *at = (const char *)text.data;
    for (size_t number = 1; status == ABUT_OK && *at; number++) {
        json_t *line = json_array();
        while (*at && *at != '\n') {
            char *end;
            long value = strtol(at, &end, 10);
            if (end == at && strchr(" \t\r,", *at)) {
                at++;
                continue;
            }
            if (end == at) {
                status = polyfem_error(s, ABUT_ERROR_INPUT, field,
                                       "line %zu of \"%s\" is not a list of integers", err, number,
                                       name);
                break;
            }
            json_array_append_new(line, json_integer(value));
            at = end;
        }
        if (*at == '\n') at++;
        if (json_array_size(line) > 0) json_array_append(lines, line);
        json_decref(line);
    }
    file_free(&text);
    if (status != ABUT_OK) {
        json_decref(lines);
        return status;
    }
    *out = lines;
    return ABUT_OK;
}

static bool is_refined(const polyfem_shape *shape)
{
    return polyfem_number(shape->json, "n_refs", 0) > 0;
}

/* Faces by their vertices: "id a b c" or "id a b c d" per line; in the plane "id a b". */
static abut_status add_faces(const polyfem_scene *s, const polyfem_shape *shape, const char *name,
                             const char *field, json_t *parts, abut_error *err)
{
    if (is_refined(shape))
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                             "faces from a file and n_refs cannot be combined", err);
    json_t *lines = NULL;
    TRY(read_lines(s, name, field, &lines, err));
    abut_status status = ABUT_OK;
    for (size_t i = 0; status == ABUT_OK && i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);
        size_t count = json_array_size(line);
        if (count < 3 || count > 5) {
            status =
                polyfem_error(s, ABUT_ERROR_INPUT, field,
                              "face %zu of \"%s\" is not an id with 2 to 4 vertices", err, i, name);
            break;
        }
        json_t *nodes = json_array();
        for (size_t k = 1; k < count; k++) json_array_append(nodes, json_array_get(line, k));
        add_part(parts, (int)json_integer_value(json_array_get(line, 0)),
                 json_pack("{s:o}", "nodes", nodes));
    }
    json_decref(lines);
    return status;
}

static abut_status add_shapes(const polyfem_scene *s, const polyfem_shape *shape,
                              const json_t *selection, const char *field, json_t *parts,
                              abut_error *err)
{
    size_t count = json_is_array(selection) ? json_array_size(selection) : 1;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_is_array(selection) ? json_array_get(selection, i) : selection;
        json_t *region = json_is_object(item) ? region_json(s, shape, item) : NULL;
        if (!region || !json_is_integer(polyfem_get(item, "id"))) {
            json_decref(region);
            return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                                 "entry %zu is no box, sphere, cylinder, axis or plane with an id",
                                 err, i);
        }
        add_part(parts, (int)json_integer_value(polyfem_get(item, "id")), region);
    }
    return ABUT_OK;
}

/* Whether a condition is for all of the boundary, numbered or not. */
static bool wants_all(const polyfem_scene *s)
{
    static const char *const lists[] = {"dirichlet_boundary", "neumann_boundary",
                                        "normal_aligned_neumann_boundary", "pressure_boundary"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        char path[80];
        snprintf(path, sizeof path, "boundary_conditions/%s", lists[k]);
        const json_t *list = polyfem_get(s->document, path);
        for (size_t i = 0; i < json_array_size(list); i++)
            if (json_is_string(polyfem_get(json_array_get(list, i), "id"))) return true;
    }
    return false;
}

/* The faces that no part has taken. */
static void add_rest(json_t *parts)
{
    json_int_t free = 0;
    for (size_t i = 0; i < json_array_size(parts); i++) {
        json_int_t used = json_integer_value(json_object_get(json_array_get(parts, i), "number"));
        if (used >= free) free = used + 1;
    }
    add_part(parts, (int)free, json_pack("{s:b}", "all", 1));
}

abut_status polyfem_boundary(const polyfem_scene *s, const polyfem_shape *shape, json_t **out,
                             abut_error *err)
{
    const json_t *selection = polyfem_get(shape->json, "surface_selection");
    json_t *parts = json_array();
    char field[80];
    snprintf(field, sizeof field, "%s/surface_selection", shape->field);
    abut_status status = ABUT_OK;
    if (json_is_integer(selection))
        add_part(parts, (int)json_integer_value(selection), json_pack("{s:b}", "all", 1));
    else if (json_is_object(selection) && polyfem_get(selection, "threshold"))
        add_sides(s, shape, selection, parts);
    else if (json_is_string(selection))
        status = add_faces(s, shape, json_string_value(selection), field, parts, err);
    else if (selection)
        status = add_shapes(s, shape, selection, field, parts, err);
    if (status == ABUT_OK && wants_all(s)) add_rest(parts);
    if (status == ABUT_OK)
        *out = parts;
    else
        json_decref(parts);
    return status;
}

abut_status polyfem_select_region(const polyfem_scene *s, const polyfem_shape *shape,
                                  const json_t *selection, const char *field, json_t *list,
                                  abut_error *err)
{
    json_t *region = region_json(s, shape, selection);
    if (!json_object_get(region, "box") && !json_object_get(region, "sphere")) {
        json_decref(region);
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field, "its id is no box and no sphere",
                             err);
    }
    json_array_append_new(list, region);
    return ABUT_OK;
}

abut_status polyfem_select_points(const polyfem_scene *s, const polyfem_shape *shape,
                                  const json_t *ids, json_t *list, abut_error *err)
{
    const json_t *points = polyfem_get(shape->json, "point_selection");
    size_t count = json_is_object(points) ? 1 : json_array_size(points);
    char field[80];
    snprintf(field, sizeof field, "%s/point_selection", shape->field);
    if (json_is_integer(points) && polyfem_has_id(ids, (int)json_integer_value(points)))
        json_array_append_new(list, json_pack("{s:b}", "all", 1));
    else if (points && count == 0 && !json_is_integer(points) && !json_is_array(points))
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                             "only numbers, boxes and spheres are supported", err);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_is_object(points) ? points : json_array_get(points, i);
        if (!polyfem_has_id(ids, (int)polyfem_number(item, "id", -1))) continue;
        json_t *region = region_json(s, shape, item);
        if (!json_object_get(region, "box") && !json_object_get(region, "sphere")) {
            json_decref(region);
            return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                                 "entry %zu is no box and no sphere", err, i);
        }
        json_array_append_new(list, region);
    }
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Cells                                                                                          */

static bool is_solid(const polyfem_scene *s, cell_kind kind)
{
    return kind == CELL_TET || kind == CELL_HEX ||
           (s->dimension == 2 && (kind == CELL_TRIANGLE || kind == CELL_QUAD));
}

/* A region of the cells with an id, chosen by `place`, a native selector (taken over). */
static abut_status add_region(const polyfem_scene *s, polyfem_shape *shape, int id, json_t *place,
                              abut_error *err)
{
    json_t *material = NULL;
    abut_status status = polyfem_material(s, id, shape->field, &material, err);
    if (status != ABUT_OK) {
        json_decref(place);
        return status;
    }
    json_object_set_new(place, "material", material);
    json_array_append_new(shape->regions, place);
    json_array_append_new(shape->ids, json_integer(id));
    return ABUT_OK;
}

/* Ids of the cells by number in the order of the file: the first decides about the body. */
static abut_status regions_by_number(const polyfem_scene *s, polyfem_shape *shape, const int *ids,
                                     size_t count, bool by_tag, abut_error *err)
{
    if (count > 0) shape->volume = ids[0];
    for (size_t i = 0; i < count; i++) {
        if (ids[i] == shape->volume || polyfem_has_id(shape->ids, ids[i])) continue;
        json_t *place;
        if (by_tag) {
            place = json_pack("{s:i}", "tag", ids[i]);
        } else {
            json_t *cells = json_array();
            for (size_t k = i; k < count; k++)
                if (ids[k] == ids[i]) json_array_append_new(cells, json_integer((json_int_t)k));
            place = json_pack("{s:o}", "cells", cells);
        }
        TRY(add_region(s, shape, ids[i], place, err));
    }
    return ABUT_OK;
}

static vec3 cell_center(const polyfem_shape *shape, const cell_block *block, size_t c)
{
    const int32_t *nodes = block->nodes + c * (size_t)block->nodes_per_cell;
    int corners = cell_corner_count(block->kind);
    vec3 center = {0};
    for (int k = 0; k < corners; k++)
        center = vec3_mul_add(center, 1.0 / corners, shape->file.vertices[nodes[k]]);
    return polyfem_transform(shape, center);
}

/* The number of the first part that contains a point; 0, theirs, for points in none. */
static int id_at(vec3 x, const boundary_def *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (boundary_contains(&parts[i], x)) return parts[i].number;
    return 0;
}

/* Which entry of a list of parts takes every solid cell (0: none); ids, one per cell. */
static abut_status ids_by_shape(const polyfem_scene *s, const polyfem_shape *shape,
                                const json_t *list, int *ids, abut_error *err)
{
    size_t number = 0, count = json_array_size(list);
    boundary_def *parts = mem_calloc(count + 1, sizeof *parts);
    const schema_source from = {NULL, ""};
    abut_status status = parts ? ABUT_OK : error_memory(err, "importing a scene");
    for (size_t i = 0; status == ABUT_OK && i < count; i++)
        status = schema_read(&schema_boundary, json_array_get(list, i), &from, &parts[i], err);
    for (int b = 0; status == ABUT_OK && b < shape->file.block_count; b++) {
        const cell_block *block = &shape->file.blocks[b];
        for (size_t c = 0; is_solid(s, block->kind) && c < block->count; c++)
            ids[number++] = id_at(cell_center(shape, block, c), parts, count);
    }
    for (size_t i = 0; parts && i < count; i++) schema_release(&schema_boundary, &parts[i]);
    mem_free(parts);
    return status;
}

/* Regions by shape: the first that contains a cell takes it, natively the last. */
static abut_status regions_by_shape(const polyfem_scene *s, polyfem_shape *shape,
                                    const json_t *parts, const int *ids, size_t count,
                                    abut_error *err)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) found = found || ids[i] == 0;
    size_t last = json_array_size(parts);
    shape->volume = 0;
    for (size_t i = 0; !found && i < count; i++) shape->volume = ids[i];
    while (last-- > 0) {
        const json_t *part = json_array_get(parts, last);
        int id = (int)json_integer_value(json_object_get(part, "number"));
        bool used = false;
        for (size_t i = 0; i < count; i++) used = used || ids[i] == id;
        if (!used) continue;
        json_t *place = json_deep_copy(part);
        json_object_del(place, "number");
        TRY(add_region(s, shape, id, place, err));
    }
    return ABUT_OK;
}

static size_t count_solid(const polyfem_scene *s, const polyfem_shape *shape)
{
    size_t count = 0;
    for (int b = 0; b < shape->file.block_count; b++)
        if (is_solid(s, shape->file.blocks[b].kind)) count += shape->file.blocks[b].count;
    return count;
}

/* Tags of the mesh; false when it has none. */
static bool ids_by_tag(const polyfem_scene *s, const polyfem_shape *shape, int offset, int *ids)
{
    size_t number = 0;
    bool tagged = false;
    for (int b = 0; b < shape->file.block_count; b++) {
        const cell_block *block = &shape->file.blocks[b];
        for (size_t c = 0; is_solid(s, block->kind) && c < block->count; c++, number++) {
            ids[number] = block->tags ? block->tags[c] + offset : 0;
            tagged = tagged || block->tags;
        }
    }
    return tagged;
}

/* One id per line. */
static abut_status ids_by_file(const polyfem_scene *s, const polyfem_shape *shape, const char *name,
                               const char *field, int *ids, size_t count, abut_error *err)
{
    if (is_refined(shape))
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                             "cells from a file and n_refs cannot be combined", err);
    json_t *lines = NULL;
    TRY(read_lines(s, name, field, &lines, err));
    size_t given = json_array_size(lines);
    for (size_t i = 0; i < given && i < count; i++)
        ids[i] = (int)json_integer_value(json_array_get(json_array_get(lines, i), 0));
    json_decref(lines);
    if (given != count)
        return polyfem_error(s, ABUT_ERROR_INPUT, field,
                             "\"%s\" has %zu lines, but the mesh has %zu cells", err, name, given,
                             count);
    return ABUT_OK;
}

static abut_status find_volume(const polyfem_scene *s, polyfem_shape *shape, int *ids, size_t count,
                               abut_error *err)
{
    const json_t *selection = polyfem_get(shape->json, "volume_selection");
    const json_t *offset = json_is_object(selection) ? polyfem_get(selection, "id_offset") : NULL;
    char field[80];
    snprintf(field, sizeof field, "%s/volume_selection", shape->field);
    if (!selection || offset) {
        if (!ids_by_tag(s, shape, (int)json_integer_value(offset), ids)) return ABUT_OK;
        return regions_by_number(s, shape, ids, count, !offset, err);
    }
    if (json_is_string(selection)) {
        TRY(ids_by_file(s, shape, json_string_value(selection), field, ids, count, err));
        return regions_by_number(s, shape, ids, count, false, err);
    }
    json_t *parts = json_array();
    abut_status status = add_shapes(s, shape, selection, field, parts, err);
    if (status == ABUT_OK) status = ids_by_shape(s, shape, parts, ids, err);
    if (status == ABUT_OK) status = regions_by_shape(s, shape, parts, ids, count, err);
    json_decref(parts);
    return status;
}

abut_status polyfem_find_volume(const polyfem_scene *s, polyfem_shape *shape, abut_error *err)
{
    const json_t *selection = polyfem_get(shape->json, "volume_selection");
    shape->volume = (int)json_integer_value(selection);
    if (json_is_integer(selection)) return ABUT_OK;
    size_t count = count_solid(s, shape);
    int *ids = mem_calloc(count + 1, sizeof *ids);
    if (!ids) return error_memory(err, "reading the scene");
    abut_status status = find_volume(s, shape, ids, count, err);
    mem_free(ids);
    return status;
}
