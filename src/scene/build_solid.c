#include "scene/build_solid.h"

#include "base/file.h"
#include "body/solid.h"
#include "fem/change_order.h"
#include "fem/density_fit.h"
#include "fem/lagrange.h"
#include "mesh/components.h"
#include "mesh/generate.h"
#include "mesh/mesh_io.h"
#include "scene/body_fill.h"
#include "scene/linear_map.h"
#include "scene/select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static elastic_parameters plain_material(const material_def *def)
{
    if (def->young == 0 && def->model == ELASTIC_MOONEY_RIVLIN)
        return elastic_mooney_rivlin(def->c1, def->c2, def->bulk);
    if (def->young == 0 && def->model == ELASTIC_OGDEN)
        return elastic_ogden(def->terms, def->coefficient, def->exponent, def->bulk);
    return elastic_from_young(def->model, def->young, def->poisson);
}

elastic_parameters build_material(const material_def *def)
{
    elastic_parameters material = plain_material(def);
    material.barrier = def->barrier;
    material.barrier_below = def->barrier_below;
    memcpy(material.own, def->own, sizeof material.own);
    if (def->dilatation == DILATATION_MEAN) { /* the law keeps what is left */
        bool hencky = def->model == ELASTIC_HENCKY;
        material.mean_lambda = material.lambda + (hencky ? 2.0 / 3 * material.mu : 0);
        material.lambda -= material.mean_lambda;
    }
    if (material_has_parts(&def->parts)) material.parts = &def->parts;
    return material;
}

static int dimension_of(const scene_def *scene) { return scene->planar ? 2 : 3; }

static void field_place(const scene_def *scene, size_t i, const char *field, char *out, size_t size)
{
    snprintf(out, size, "%s: bodies[%zu].%s", scene->path, i, field);
}

static int basis_order(const scene_def *scene, size_t i, const mesh *shape)
{
    int order = scene->bodies[i].solid.order;
    return order > 0 ? order : mesh_order(shape);
}

abut_status build_solid_nodes(const scene_def *scene, size_t i, const mesh *shape, mesh *out,
                              abut_error *err)
{
    char place[256];
    field_place(scene, i, "order", place, sizeof place);
    int order = basis_order(scene, i, shape);
    for (int b = 0; b < shape->block_count; b++)
        if ((shape->blocks[b].kind == CELL_HEX || shape->blocks[b].kind == CELL_QUAD) && order > 2)
            return error_set(err, ABUT_ERROR_UNSUPPORTED, place,
                             "is %d, but hexahedra and quads have orders 1 and 2 only", order);
    abut_status status = mesh_change_order(shape, order, out, NULL, err);
    return status == ABUT_OK ? ABUT_OK : error_add_place(err, place, status);
}

/* ---- materials and densities of cells ---- */

typedef struct cell_values {
    elastic_parameters *material;
    double *density;
} cell_values;

static void cell_values_free(cell_values *v)
{
    mem_free(v->material);
    mem_free(v->density);
}

static size_t solid_cells(const scene_def *scene, const mesh *shape)
{
    size_t count = 0;
    for (int b = 0; b < shape->block_count; b++)
        if (cell_dimension(shape->blocks[b].kind) == dimension_of(scene))
            count += shape->blocks[b].count;
    return count;
}

static bool in_region(const region_def *region, const mesh *shape, const cell_block *block,
                      size_t c)
{
    if (region->part.kind == BOUNDARY_ALL) return block->tags && block->tags[c] == region->tag;
    const int32_t *nodes = block->nodes + c * (size_t)block->nodes_per_cell;
    int corners = cell_corner_count(block->kind);
    vec3 center = {0};
    for (int k = 0; k < corners; k++)
        center = vec3_mul_add(center, 1.0 / corners, shape->vertices[nodes[k]]);
    return boundary_contains(&region->part, center);
}

int32_t solid_cell_region(const body_def *def, const mesh *shape, const cell_block *block, size_t c,
                          size_t number)
{
    int32_t found = 0;
    for (size_t r = 0; r < def->solid.region_count; r++) {
        const region_def *region = &def->solid.regions[r];
        bool in = false;
        if (region->part.kind == BOUNDARY_NODES)
            for (size_t k = 0; !in && k < region->part.node_count; k++)
                in = (size_t)region->part.nodes[k] == number;
        else
            in = in_region(region, shape, block, c);
        if (in) found = (int32_t)r + 1;
    }
    return found;
}

/* Cells that carry the number of their region as a tag. */
static void fill_numbered(const body_def *def, const cell_block *block, cell_values *out)
{
    for (size_t c = 0; c < block->count; c++) {
        int32_t region = block->tags ? block->tags[c] : 0;
        const material_def *material =
            region > 0 ? &def->solid.regions[region - 1].material : &def->material;
        out->material[c] = build_material(material);
        out->density[c] = material->density;
    }
}

static abut_status fill_regions(const scene_def *scene, size_t i, const mesh *shape, size_t count,
                                cell_values *out, abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    elastic_parameters plain = build_material(&def->material);
    for (size_t c = 0; c < count; c++) {
        out->material[c] = plain;
        out->density[c] = def->material.density;
    }
    for (size_t r = 0; r < def->solid.region_count; r++) {
        const region_def *region = &def->solid.regions[r];
        size_t number = 0, found = 0;
        bool listed = region->part.kind == BOUNDARY_NODES;
        for (size_t k = 0; listed && k < region->part.node_count; k++) {
            size_t cell = (size_t)region->part.nodes[k];
            if (cell >= count) continue;
            out->material[cell] = build_material(&region->material);
            out->density[cell] = region->material.density;
            found++;
        }
        for (int b = 0; !listed && b < shape->block_count; b++) {
            const cell_block *block = &shape->blocks[b];
            if (cell_dimension(block->kind) != dimension_of(scene)) continue;
            for (size_t c = 0; c < block->count; c++, number++) {
                if (!in_region(region, shape, block, c)) continue;
                out->material[number] = build_material(&region->material);
                out->density[number] = region->material.density;
                found++;
            }
        }
        if (found == 0) {
            char place[256], field[40];
            bool by_tag = region->part.kind == BOUNDARY_ALL;
            snprintf(field, sizeof field, "regions[%zu]%s", r, by_tag ? ".tag" : "");
            field_place(scene, i, field, place, sizeof place);
            if (!by_tag)
                return error_set(err, ABUT_ERROR_INPUT, place, "no cell of the mesh is in it");
            return error_set(err, ABUT_ERROR_INPUT, place, "no cell of the mesh has the tag %d",
                             region->tag);
        }
    }
    return ABUT_OK;
}

/* One number per line. */
static abut_status read_densities(const char *path, size_t count, double *out, abut_error *err)
{
    file_bytes text;
    TRY(file_read(path, &text, err));
    const char *at = (const char *)text.data;
    size_t number = 0;
    abut_status status = ABUT_OK;
    while (status == ABUT_OK) {
        char *end;
        double value = strtod(at, &end);
        if (end == at) break;
        if (!(value > 0) || !isfinite(value))
            status = error_set(err, ABUT_ERROR_INPUT, path,
                               "number %zu is %g; densities must be positive", number, value);
        if (number < count) out[number] = value;
        number++;
        at = end;
    }
    while (status == ABUT_OK && *at && strchr(" \t\r\n", *at)) at++;
    if (status == ABUT_OK && *at)
        status = error_set(err, ABUT_ERROR_INPUT, path, "number %zu is not a number: \"%.20s\"",
                           number, at);
    if (status == ABUT_OK && number != count)
        status = error_set(err, ABUT_ERROR_INPUT, path,
                           "has %zu numbers, but the mesh has %zu cells", number, count);
    file_free(&text);
    return status;
}

/* Densities with the mass and centre of another mesh of the scene's density. */
static abut_status fit_to_mesh(const scene_def *scene, size_t i, const mesh *shape, double *out,
                               abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    int dimension = dimension_of(scene);
    mesh fine;
    TRY(mesh_read(def->solid.like_path, NULL, &fine, err));
    abut_status status = mesh_validate(&fine, err);
    cell_moment *target = NULL, *cells = NULL;
    size_t target_count = 0, count = 0;
    if (status == ABUT_OK) {
        mesh_transform(&fine, def->scale, def->rotate, def->translate);
        status = cell_moments(&fine, dimension, &target, &target_count, err);
    }
    if (status == ABUT_OK) status = cell_moments(shape, dimension, &cells, &count, err);
    double mass = 0;
    vec3 moment = {0};
    for (size_t c = 0; c < target_count; c++) {
        mass += def->material.density * target[c].volume;
        moment = vec3_mul_add(moment, def->material.density, target[c].first);
    }
    if (status == ABUT_OK)
        status = fit_densities(cells, count, def->material.density, mass, moment, out, err);
    mem_free(target);
    mem_free(cells);
    mesh_free(&fine);
    return status == ABUT_OK ? ABUT_OK : error_add_place(err, def->solid.like_path, status);
}

static void scale_material(double factor, elastic_parameters *material)
{
    material->mu *= factor;
    material->lambda *= factor;
    material->bulk *= factor;
    material->barrier *= factor;
    for (int k = 0; k < OGDEN_MAX_TERMS; k++) material->coefficient[k] *= factor;
}

/* Cells of a cage that are solid in part weigh less and are softer. */
static void take_shares(const fill_result *filled, size_t count, cell_values *out)
{
    for (size_t c = 0; filled && c < count; c++) {
        scale_material(filled->share[c], &out->material[c]);
        out->density[c] *= filled->share[c];
    }
}

/* Values per cell where the scene asks for them, else nothing. */
static abut_status make_cell_values(const scene_def *scene, size_t i, const mesh *shape,
                                    bool numbered, cell_values *out, abut_error *err)
{
    const solid_def *solid = &scene->bodies[i].solid;
    const fill_result *filled = body_fill_embedded(scene, i);
    if (solid->region_count == 0 && !solid->densities_path && !solid->like_path && !filled)
        return ABUT_OK;
    size_t count = solid_cells(scene, shape);
    out->material = mem_calloc(count + 1, sizeof *out->material);
    out->density = mem_calloc(count + 1, sizeof *out->density);
    if (!out->material || !out->density) return error_memory(err, "reading materials");
    if (numbered) {
        fill_numbered(&scene->bodies[i], &shape->blocks[0], out);
        return ABUT_OK;
    }
    TRY(fill_regions(scene, i, shape, count, out, err));
    take_shares(filled, count, out);
    if (solid->like_path) return fit_to_mesh(scene, i, shape, out->density, err);
    return solid->densities_path ? read_densities(solid->densities_path, count, out->density, err)
                                 : ABUT_OK;
}

/* ---- surface ---- */

/* Replaces a mesh by one of its connected pieces. */
static abut_status keep_piece(size_t number, mesh *m, abut_error *err)
{
    mesh_pieces pieces;
    TRY(mesh_split(m, &pieces, err));
    abut_status status = ABUT_OK;
    if (number < pieces.count) {
        mesh whole = *m;
        *m = pieces.meshes[number];
        pieces.meshes[number] = whole;
    } else {
        status = error_set(err, ABUT_ERROR_INPUT, "piece",
                           "there are %zu connected pieces, counted from 0; piece %zu is not there",
                           pieces.count, number);
    }
    mesh_pieces_free(&pieces);
    return status;
}

static abut_status read_surface(const scene_def *scene, size_t i, mesh *out, abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    if (!file_exists(def->solid.surface_path))
        return error_set(err, ABUT_ERROR_IO, "", "there is no file \"%s\"",
                         def->solid.surface_path);
    TRY(mesh_read(def->solid.surface_path, NULL, out, err));
    abut_status status = mesh_validate(out, err);
    if (status == ABUT_OK && def->solid.surface_piece >= 0)
        status = keep_piece((size_t)def->solid.surface_piece, out, err);
    if (status != ABUT_OK) {
        mesh_free(out);
        return error_add_place(err, def->solid.surface_path, status);
    }
    mesh_transform(out, def->scale, def->rotate, def->translate);
    return ABUT_OK;
}

static abut_status given_surface(const scene_def *scene, size_t i, const mesh *shape,
                                 const mesh *nodes, proxy *out, abut_error *err)
{
    const solid_def *solid = &scene->bodies[i].solid;
    mesh surface;
    TRY(read_surface(scene, i, &surface, err));
    abut_status status;
    if (solid->map_path) {
        linear_map map;
        status = linear_map_read(solid->map_path, &map, err);
        if (status == ABUT_OK) {
            proxy_map view = {map.rows, map.columns, map.count, map.row, map.column, map.value};
            status = proxy_of_map(nodes, &surface, &view, out, err);
            if (status != ABUT_OK) error_add_place(err, solid->map_path, status);
            linear_map_free(&map);
        }
    } else {
        status = proxy_of_surface(shape, nodes, dimension_of(scene), &surface, out, err);
        if (status != ABUT_OK) error_add_place(err, solid->surface_path, status);
    }
    mesh_free(&surface);
    return status;
}

/* The surface that was filled, in its cage. */
static abut_status filled_surface(const scene_def *scene, size_t i, const mesh *shape,
                                  const mesh *nodes, const fill_result *filled, proxy *out,
                                  abut_error *err)
{
    mesh surface;
    TRY(body_fill_surface(scene, i, &surface, err));
    abut_status status = proxy_of_parts(shape, nodes, 3, &surface, filled->tet_group,
                                        filled->vertex_group, out, err);
    mesh_free(&surface);
    return status;
}

static abut_status make_proxy(const scene_def *scene, size_t i, const mesh *shape,
                              const mesh *nodes, proxy *out, abut_error *err)
{
    const solid_def *solid = &scene->bodies[i].solid;
    char place[256];
    field_place(scene, i, "surface", place, sizeof place);
    int p = basis_order(scene, i, shape), q = mesh_order(shape);
    int segments = solid->segments > 0 ? solid->segments : solid->max_edge > 0 ? 1 : p > q ? p : q;
    const fill_result *filled = body_fill_embedded(scene, i);
    abut_status status = filled ? filled_surface(scene, i, shape, nodes, filled, out, err)
                         : solid->surface_path
                             ? given_surface(scene, i, shape, nodes, out, err)
                             : proxy_of_boundary(shape, nodes, dimension_of(scene), segments,
                                                 solid->max_edge, out, err);
    return status == ABUT_OK ? ABUT_OK : error_add_place(err, place, status);
}

/* What the user should know about the choice of orders and surface. */
static void warn(const scene_def *scene, size_t i, const mesh *shape, const proxy *surface,
                 const logger *log)
{
    int p = basis_order(scene, i, shape), q = mesh_order(shape);
    const char *name = scene->bodies[i].name;
    if (q > p)
        log_message(
            log, ABUT_LOG_WARNING,
            "body \"%s\": the cells have order %d and the displacements order %d; rotations "
            "are not exact, they cost energy",
            name, q, p);
    if (surface->outside > 0)
        log_message(log, ABUT_LOG_WARNING,
                    "body \"%s\": %zu of %zu vertices of the collision surface are outside of its "
                    "cells, up to %.3g m; they are extrapolated (largest weights %.3g)",
                    name, surface->outside, surface->vertices.count, surface->farthest,
                    surface->largest_weight);
}

bool solid_collides_by_mesh(const scene_def *scene, size_t i, const mesh *shape)
{
    const solid_def *solid = &scene->bodies[i].solid;
    return !solid->surface_path && !body_fill_embedded(scene, i) && solid->segments <= 1 &&
           solid->max_edge == 0 && basis_order(scene, i, shape) == 1 && mesh_order(shape) == 1 &&
           !scene->planar && !mesh_find(shape, CELL_HEX);
}

/* Turns planar cells that run clockwise. */
static void orient_planar(mesh *m)
{
    for (int b = 0; b < m->block_count; b++) {
        cell_block *block = &m->blocks[b];
        if (cell_dimension(block->kind) != 2) continue;
        int permutation[CELL_MAX_NODES];
        cell_reversal(block->kind, block->order, permutation);
        for (size_t c = 0; c < block->count; c++) {
            const int32_t *n = block->nodes + c * (size_t)block->nodes_per_cell;
            int last = cell_corner_count(block->kind) - 1;
            vec3 x = m->vertices[n[0]], u = vec3_sub(m->vertices[n[1]], x),
                 v = vec3_sub(m->vertices[n[last]], x);
            if (u.x * v.y - u.y * v.x < 0) cell_reverse(block, c, permutation);
        }
    }
}

abut_status build_solid(const scene_def *scene, size_t i, mesh *shape, bool numbered, model *m,
                        const logger *log, abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    mesh nodes;
    if (scene->planar) orient_planar(shape);
    TRY(build_solid_nodes(scene, i, shape, &nodes, err));
    cell_values values = {0};
    proxy surface = {0};
    bool plain = solid_collides_by_mesh(scene, i, shape);
    abut_status status = make_cell_values(scene, i, shape, numbered, &values, err);
    if (status == ABUT_OK && !plain) status = make_proxy(scene, i, shape, &nodes, &surface, err);
    if (status == ABUT_OK) body_fill_tell(scene, i, log);
    if (status == ABUT_OK && !plain) warn(scene, i, shape, &surface, log);
    solid_definition definition = {.shape = shape,
                                   .nodes = &nodes,
                                   .material = build_material(&def->material),
                                   .density = def->material.density,
                                   .cell_material = values.material,
                                   .cell_density = values.density,
                                   .surface = plain ? NULL : &surface,
                                   .segments = 1};
    if (status == ABUT_OK) {
        status = model_add_solid(m, def->name, &definition, err);
        char place[256];
        field_place(scene, i, "mesh", place, sizeof place);
        if (status != ABUT_OK) error_add_place(err, place, status);
    }
    cell_values_free(&values);
    proxy_free(&surface);
    if (status != ABUT_OK) {
        mesh_free(&nodes);
        return status;
    }
    mesh_free(shape);
    *shape = nodes;
    return ABUT_OK;
}

abut_status build_solid_surface(const scene_def *scene, size_t i, const mesh *shape, mesh *out,
                                abut_error *err)
{
    mesh nodes;
    memset(out, 0, sizeof *out);
    TRY(build_solid_nodes(scene, i, shape, &nodes, err));
    proxy surface;
    abut_status status = make_proxy(scene, i, shape, &nodes, &surface, err);
    mesh_free(&nodes);
    TRY(status);
    status = mesh_init(out, surface.vertices.count, err);
    cell_block *block = NULL;
    bool planar = scene->planar;
    if (status == ABUT_OK)
        status = mesh_add_block(out, planar ? CELL_EDGE : CELL_TRIANGLE, 1,
                                planar ? surface.edges.count : surface.triangles.count, false,
                                &block, err);
    if (status == ABUT_OK && surface.vertices.count)
        memcpy(out->vertices, surface.vertices.data, surface.vertices.count * sizeof(vec3));
    if (status == ABUT_OK && block->count)
        memcpy(block->nodes, planar ? (void *)surface.edges.data : (void *)surface.triangles.data,
               block->count * (planar ? 2 : 3) * sizeof(int32_t));
    if (status != ABUT_OK) mesh_free(out);
    proxy_free(&surface);
    return status;
}
