#include "scene/import_rigid.h"

#include "base/file.h"
#include "geometry/mass.h"
#include "mesh/mesh_io.h"
#include "mesh/topology.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- Files --- */

static abut_status find_file(const fixture *f, const char *place, const char *name, char *found,
                             size_t size)
{
    for (size_t i = 0; i < f->folders.count; i++) {
        path_join(found, size, f->folders.data[i], name);
        if (file_exists(found)) return ABUT_OK;
    }
    char message[300];
    snprintf(
        message, sizeof message,
        "there is no file \"%.120s\", neither beside the scene nor in a folder \"meshes\" above",
        name);
    return fixture_problem(f, ABUT_ERROR_IO, place, "mesh", message);
}

abut_status fixture_load_mesh(fixture *f, const char *place, const char *name,
                              const fixture_mesh **out)
{
    char path[4096];
    TRY(find_file(f, place, name, path, sizeof path));
    for (size_t i = f->meshes.count; i-- > 0;) {
        *out = &f->meshes.data[i];
        if (strcmp((*out)->path, path) == 0) return ABUT_OK;
    }
    /* Unwelded triangles would each have their own vertices and edges. */
    fixture_mesh added = {.weld = strcasecmp(path_extension(path), "stl") == 0};
    mesh_read_options options = {.weld = added.weld};
    TRY(mesh_read(path, &options, &added.shape, f->err));
    abut_status status = mesh_validate(&added.shape, f->err);
    if (status != ABUT_OK) status = error_add_place(f->err, path, status);
    if (status == ABUT_OK) {
        added.path = mem_strdup(path);
        if (!added.path || !array_push(&f->meshes, added))
            status = error_memory(f->err, "reading a fixture");
    }
    if (status != ABUT_OK) {
        mem_free(added.path);
        mesh_free(&added.shape);
        return status;
    }
    *out = &f->meshes.data[f->meshes.count - 1];
    return ABUT_OK;
}

/* --- Geometry in the fixture --- */

static abut_status read_vertices(fixture *f, const char *place, const json_t *list, mesh *out)
{
    size_t count = json_array_size(list), dimension = f->planar ? 2 : 3;
    if (count == 0) return fixture_wrong(f, place, "vertices", "a list of points", list);
    TRY(mesh_init(out, count, f->err));
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        double x[3] = {0, 0, 0};
        bool right = json_array_size(item) == dimension;
        for (size_t k = 0; right && k < dimension; k++) {
            right = json_is_number(json_array_get(item, k));
            x[k] = json_number_value(json_array_get(item, k));
        }
        if (!right)
            return fixture_wrong(f, place, "vertices",
                                 f->planar ? "a list of points with 2 coordinates each"
                                           : "a list of points with 3 coordinates each",
                                 item);
        out->vertices[i] = vec3_load(x);
    }
    return ABUT_OK;
}

static abut_status read_cells(fixture *f, const char *place, const json_t *body, const char *key,
                              cell_kind kind, mesh *out)
{
    const json_t *list = json_object_get(body, key);
    size_t count = json_array_size(list), corners = (size_t)cell_corner_count(kind);
    if (list && !json_is_array(list)) return fixture_wrong(f, place, key, "a list", list);
    if (count == 0) return ABUT_OK;
    cell_block *block;
    TRY(mesh_add_block(out, kind, 1, count, false, &block, f->err));
    memset(block->nodes, 0, count * corners * sizeof *block->nodes);
    for (size_t i = 0; i < count * corners; i++) {
        const json_t *item = json_array_get(list, i / corners);
        const json_t *node = json_array_get(item, i % corners);
        json_int_t index = json_integer_value(node);
        if (json_array_size(item) != corners || !json_is_integer(node) || index < 0 ||
            (size_t)index >= out->vertex_count)
            return fixture_wrong(f, place, key,
                                 kind == CELL_EDGE ? "a list of pairs of vertices that exist"
                                                   : "a list of triples of vertices that exist",
                                 item);
        block->nodes[i] = (int32_t)index;
    }
    return ABUT_OK;
}

abut_status fixture_inline_mesh(fixture *f, const char *place, const json_t *body, mesh *out)
{
    memset(out, 0, sizeof *out);
    abut_status status = read_vertices(f, place, json_object_get(body, "vertices"), out);
    bool faces = json_array_size(json_object_get(body, "faces")) > 0;
    if (status == ABUT_OK) status = read_cells(f, place, body, "faces", CELL_TRIANGLE, out);
    /* With faces, `edges` repeats theirs. */
    if (status == ABUT_OK && !faces) status = read_cells(f, place, body, "edges", CELL_EDGE, out);
    if (status == ABUT_OK && out->block_count == 0) {
        cell_block *block;
        status = mesh_add_block(out, CELL_POINT, 1, out->vertex_count, false, &block, f->err);
        for (size_t i = 0; status == ABUT_OK && i < out->vertex_count; i++)
            block->nodes[i] = (int32_t)i;
    }
    if (status == ABUT_OK) status = mesh_validate(out, f->err);
    if (status != ABUT_OK) mesh_free(out);
    return status;
}

static json_t *rows_json(const int32_t *nodes, size_t count, size_t width)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *row = json_array();
        for (size_t k = 0; k < width; k++)
            json_array_append_new(row, json_integer(nodes[i * width + k]));
        json_array_append_new(rows, row);
    }
    return rows;
}

json_t *fixture_mesh_json(const mesh *m)
{
    json_t *given = json_object(), *vertices = json_array();
    for (size_t i = 0; i < m->vertex_count; i++)
        json_array_append_new(vertices, fixture_json_vector(m->vertices[i]));
    json_object_set_new(given, "vertices", vertices);
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        size_t width = (size_t)block->nodes_per_cell;
        if (block->kind != CELL_EDGE && block->kind != CELL_TRIANGLE) continue;
        json_object_set_new(given, block->kind == CELL_EDGE ? "edges" : "triangles",
                            rows_json(block->nodes, block->count, width));
    }
    json_t *out = json_object();
    json_object_set_new(out, "given", given);
    return out;
}

/* --- Components --- */

/* Vertices of component `which`, renumbered. */
static abut_status extract_part(const mesh *m, const cell_block *triangles, size_t cells,
                                const int32_t *part, int32_t which, int32_t *number, mesh *out,
                                abut_error *err)
{
    size_t vertices = 0;
    for (size_t i = 0; i < m->vertex_count; i++)
        if (part[i] == which) number[i] = (int32_t)vertices++;
    memset(out, 0, sizeof *out);
    TRY(mesh_init(out, vertices, err));
    for (size_t i = 0; i < m->vertex_count; i++)
        if (part[i] == which) out->vertices[number[i]] = m->vertices[i];
    cell_block *block;
    TRY(mesh_add_block(out, CELL_TRIANGLE, 1, cells, false, &block, err));
    size_t at = 0;
    for (size_t i = 0; i < triangles->count; i++) {
        if (part[triangles->nodes[3 * i]] != which) continue;
        for (size_t k = 0; k < 3; k++) block->nodes[at++] = number[triangles->nodes[3 * i + k]];
    }
    return ABUT_OK;
}

abut_status fixture_components(const mesh *m, mesh **parts, size_t *count, abut_error *err)
{
    const cell_block *triangles = mesh_find(m, CELL_TRIANGLE);
    size_t all = 0;
    *parts = NULL;
    *count = 0;
    int32_t *part = mem_alloc(2 * m->vertex_count + 1, sizeof *part);
    if (!part) return error_memory(err, "reading a fixture");
    int32_t *number = part + m->vertex_count;
    abut_status status = connected_components(m, part, &all, err);
    if (status == ABUT_OK && !(*parts = mem_calloc(all + 1, sizeof **parts)))
        status = error_memory(err, "reading a fixture");
    for (size_t which = 0; status == ABUT_OK && triangles && which < all; which++) {
        size_t cells = 0; /* points and wires are left out, as there */
        for (size_t i = 0; i < triangles->count; i++)
            cells += part[triangles->nodes[3 * i]] == (int32_t)which;
        if (cells == 0) continue;
        mesh *added = &(*parts)[(*count)++];
        status = extract_part(m, triangles, cells, part, (int32_t)which, number, added, err);
    }
    mem_free(part);
    return status;
}

/* --- Mass --- */

abut_status fixture_weigh_mesh(const mesh *m, fixture_weight *out, abut_error *err)
{
    surface_parts parts;
    TRY(mesh_surface(m, &parts, err));
    const int32_t(*triangles)[3] = (const int32_t(*)[3])parts.triangles;
    const int32_t(*edges)[2] = (const int32_t(*)[2])parts.edges;
    mass_properties mass = {0};
    if (parts.triangle_count > 3)
        mass = mass_of_closed_surface(m->vertices, triangles, parts.triangle_count, 1);
    out->word = "volume";
    if (parts.triangle_count == 0 && parts.edge_count == 0) {
        out->word = "points";
        mass = mass_of_points(m->vertices, NULL, m->vertex_count, 1);
    } else if (parts.triangle_count == 0) {
        out->word = "edges";
        mass = mass_of_edges(m->vertices, edges, parts.edge_count, 1);
    } else if (!(mass.measure > 0)) {
        out->word = "area";
        mass = mass_of_surface(m->vertices, triangles, parts.triangle_count, 1);
    }
    surface_parts_free(&parts);
    out->center = mass.center;
    out->inertia = mass.inertia;
    return ABUT_OK;
}
