#include "scene/body_mesh.h"

#include "base/file.h"
#include "base/memory.h"
#include "fem/curved_ball.h"
#include "mesh/cell.h"
#include "mesh/components.h"
#include "mesh/generate.h"
#include "mesh/mesh_io.h"
#include "mesh/refine.h"
#include "mesh/topology.h"
#include "scene/schema_table.h"

#include <stdio.h>
#include <string.h>

void body_mesh_transform(const scene_def *scene, size_t body, char *text, size_t size)
{
    const char *path = strlen(scene->path) > 80 ? path_name(scene->path) : scene->path;
    snprintf(text, size, "%s: bodies[%zu].mesh.%s", path, body,
             schema_choice_key(&schema_mesh, scene->bodies[body].mesh.source));
}

/* --- Making --- */

static abut_status add_given_cells(const int32_t *nodes, size_t count, cell_kind kind, int order,
                                   mesh *out, abut_error *err)
{
    cell_block *block;
    if (count == 0) return ABUT_OK;
    TRY(mesh_add_block(out, kind, order, count, false, &block, err));
    memcpy(block->nodes, nodes, count * (size_t)block->nodes_per_cell * sizeof *nodes);
    return ABUT_OK;
}

static abut_status take_given(const given_mesh *g, mesh *out, abut_error *err)
{
    if (g->vertex_count == 0) return error_set(err, ABUT_ERROR_INPUT, "", "there are no vertices");
    TRY(mesh_init(out, g->vertex_count, err));
    for (size_t i = 0; i < g->vertex_count; i++)
        out->vertices[i] = vec3_make(g->vertices[i][0], g->vertices[i][1], g->vertices[i][2]);
    abut_status status = add_given_cells(g->tetrahedra, g->tetrahedron_count, CELL_TET,
                                         cell_order(CELL_TET, g->tetrahedron_nodes), out, err);
    if (status == ABUT_OK)
        status = add_given_cells((const int32_t *)g->triangles, g->triangle_count, CELL_TRIANGLE, 1,
                                 out, err);
    if (status == ABUT_OK)
        status = add_given_cells((const int32_t *)g->edges, g->edge_count, CELL_EDGE, 1, out, err);
    if (status == ABUT_OK) status = mesh_validate(out, err);
    if (status != ABUT_OK) mesh_free(out);
    return status;
}

static abut_status generate(const mesh_def *d, mesh *out, abut_error *err)
{
    switch (d->source) {
    case MESH_FILE: break;
    case MESH_BOX: return generate_box(d->size, d->cells, out, err);
    case MESH_MAT: return generate_mat(d->size, d->cells[0], d->cells[1], out, err);
    case MESH_ROD: return generate_rod(d->length, d->radius, d->cells[0], d->cells[1], out, err);
    case MESH_BALL:
        return d->level >= 0 ? generate_curved_ball(d->radius, d->level, d->order, out, err)
                             : generate_ball(d->radius, d->cells[0], out, err);
    case MESH_TORUS:
        return generate_torus(d->radius, d->radius2, d->cells[0], d->cells[1], out, err);
    case MESH_GRID:
        return d->diagonals == DIAGONALS_SAME
                   ? generate_grid_same(d->sheet[0], d->sheet[1], d->cells, out, err)
                   : generate_grid(d->sheet[0], d->sheet[1], d->cells, out, err);
    case MESH_SPHERE: return generate_icosphere(d->radius, d->cells[0], out, err);
    case MESH_CONE:
        return generate_cone(d->radius, d->radius2, d->length, d->cells[0], d->cells[1], out, err);
    case MESH_TUBE: return generate_tube(d->radius, d->length, d->cells[0], d->cells[1], out, err);
    case MESH_POLYLINE: return generate_polyline(d->from, d->to, d->cells[0], out, err);
    case MESH_LATTICE: return generate_lattice(d->cells, d->to, out, err);
    case MESH_HELIX: return generate_helix(d->radius, d->length, d->radius2, d->cells[0], out, err);
    case MESH_BUNDLE:
        return generate_bundle(d->from, d->to, d->cells[0], d->counts, d->spacing, d->round, out,
                               err);
    case MESH_GIVEN: return take_given(&d->given, out, err);
    }
    return error_set(err, ABUT_ERROR_INTERNAL, "", "no generator for this kind of mesh");
}

static abut_status read_mesh_file(const mesh_def *d, mesh *out, abut_error *err)
{
    if (!file_exists(d->path))
        return error_set(err, ABUT_ERROR_IO, "", "there is no file \"%s\"", d->path);
    mesh_read_options options = {.weld = d->weld};
    TRY(mesh_read(d->path, &options, out, err));
    if (d->fill.given) return ABUT_OK; /* filling repairs what is wrong */
    abut_status status = mesh_validate(out, err);
    if (status != ABUT_OK) {
        mesh_free(out);
        return error_add_place(err, d->path, status);
    }
    return ABUT_OK;
}

/* Leaves the surface's edges or vertices as the only cells. */
static abut_status keep_only(mesh *m, mesh_only only, abut_error *err)
{
    surface_parts parts;
    TRY(mesh_surface(m, &parts, err));
    for (int b = 0; b < m->block_count; b++) {
        mem_free(m->blocks[b].nodes);
        mem_free(m->blocks[b].tags);
    }
    m->block_count = 0;
    bool edges = only == MESH_EDGES;
    cell_block *block = NULL;
    abut_status status =
        mesh_add_block(m, edges ? CELL_EDGE : CELL_POINT, 1,
                       edges ? parts.edge_count : parts.point_count, false, &block, err);
    if (status == ABUT_OK && edges)
        memcpy(block->nodes, parts.edges, parts.edge_count * sizeof *parts.edges);
    if (status == ABUT_OK && !edges)
        memcpy(block->nodes, parts.points, parts.point_count * sizeof *parts.points);
    surface_parts_free(&parts);
    return status;
}

void piece_cache_free(piece_cache *cache)
{
    if (!cache) return;
    mem_free(cache->path);
    mesh_pieces_free(&cache->pieces);
    body_fill_free(cache);
    mem_free(cache);
}

static abut_status read_or_generate(const mesh_def *d, mesh *out, abut_error *err)
{
    return d->source == MESH_FILE ? read_mesh_file(d, out, err) : generate(d, out, err);
}

static abut_status fill_cache(const mesh_def *d, piece_cache *cache, abut_error *err)
{
    bool file = d->source == MESH_FILE;
    if (file && cache->path && strcmp(cache->path, d->path) == 0 && cache->weld == d->weld)
        return ABUT_OK;
    mesh_pieces_free(&cache->pieces);
    mem_free(cache->path);
    cache->path = NULL;
    mesh whole;
    TRY(read_or_generate(d, &whole, err));
    abut_status status = mesh_split(&whole, &cache->pieces, err);
    mesh_free(&whole);
    if (status != ABUT_OK || !file) return status;
    cache->weld = d->weld;
    cache->path = mem_strdup(d->path);
    return cache->path ? ABUT_OK : error_memory(err, "splitting a mesh");
}

static abut_status take_piece(const mesh_def *d, piece_cache *cache, mesh *out, abut_error *err)
{
    piece_cache own = {0}, *from = cache ? cache : &own;
    abut_status status = fill_cache(d, from, err);
    if (status == ABUT_OK && (size_t)d->component >= from->pieces.count)
        status = error_set(err, ABUT_ERROR_INPUT, "",
                           "there is no component %d: the mesh has %zu, numbered from 0",
                           d->component, from->pieces.count);
    if (status == ABUT_OK) status = mesh_copy(&from->pieces.meshes[d->component], out, err);
    mem_free(own.path);
    mesh_pieces_free(&own.pieces);
    return status;
}

abut_status body_mesh_make(const mesh_def *d, piece_cache *cache, mesh *out, abut_error *err)
{
    memset(out, 0, sizeof *out);
    const fill_result *filled = body_fill_find(d, cache);
    if (filled) return mesh_copy(&filled->solid, out, err);
    TRY(d->component >= 0 ? take_piece(d, cache, out, err) : read_or_generate(d, out, err));
    abut_status status = ABUT_OK;
    for (int k = 0; status == ABUT_OK && k < d->refine; k++) status = mesh_refine(out, err);
    if (status == ABUT_OK) mesh_jitter(out, d->jitter);
    if (status == ABUT_OK && d->only != MESH_ALL) status = keep_only(out, d->only, err);
    if (status == ABUT_OK && d->fill.given && cache) status = body_fill_make(d, cache, out, err);
    if (status != ABUT_OK) mesh_free(out);
    return status;
}

/* What rounding left of z after a rotation. */
static void flatten(mesh *m)
{
    vec3 low, high;
    mesh_bounds(m, &low, &high);
    double size = vec3_norm(vec3_sub(high, low));
    for (size_t v = 0; v < m->vertex_count; v++)
        if (fabs(m->vertices[v].z) <= 1e-12 * size) m->vertices[v].z = 0;
}

abut_status body_mesh_load(const scene_def *scene, size_t body, mesh *out, abut_error *err)
{
    const body_def *b = &scene->bodies[body];
    char place[sizeof err->place];
    body_mesh_transform(scene, body, place, sizeof place);
    abut_status status = body_mesh_make(&b->mesh, scene->pieces, out, err);
    if (status != ABUT_OK) return error_add_place(err, place, status);
    mesh_transform(out, b->scale, b->rotate, b->translate);
    if (scene->planar) flatten(out);
    return ABUT_OK;
}

/* --- Measuring --- */

static const int32_t *cell_nodes(const cell_block *block, size_t cell)
{
    return block->nodes + cell * (size_t)block->nodes_per_cell;
}

/* Whether curved tets are inverted is not for their corners to say. */
static void measure_tet(const vec3 *x, const int32_t *n, bool straight, body_measures *out)
{
    vec3 a = vec3_sub(x[n[1]], x[n[0]]), b = vec3_sub(x[n[2]], x[n[0]]),
         c = vec3_sub(x[n[3]], x[n[0]]);
    double six_volumes = vec3_dot(a, vec3_cross(b, c));
    /* Below this the sign of the product of the three edges is a matter of rounding. */
    double rounding = 1e-15 * vec3_norm(a) * vec3_norm(b) * vec3_norm(c);
    if (straight && !(six_volumes > rounding)) {
        size_t most = sizeof out->flat_first / sizeof out->flat_first[0];
        if (out->flat_count < most) out->flat_first[out->flat_count] = out->tet_count;
        out->flat_count++;
    }
    out->tet_volume += six_volumes / 6;
    out->tet_count++;
}

static double triangle_area(const vec3 *x, const int32_t *n)
{
    return 0.5 * vec3_norm(vec3_cross(vec3_sub(x[n[1]], x[n[0]]), vec3_sub(x[n[2]], x[n[0]])));
}

void body_mesh_measure(const mesh *m, body_measures *out)
{
    memset(out, 0, sizeof *out);
    const vec3 *x = m->vertices;
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        for (size_t c = 0; c < block->count; c++) {
            const int32_t *n = cell_nodes(block, c);
            if (block->kind == CELL_TET) measure_tet(x, n, block->order == 1, out);
            if (block->kind == CELL_TRIANGLE) out->triangle_area += triangle_area(x, n);
            if (block->kind == CELL_EDGE) out->edge_length += vec3_norm(vec3_sub(x[n[1]], x[n[0]]));
        }
    }
}

/* --- Checking --- */

static size_t cells_of(const mesh *m, cell_kind kind)
{
    size_t count = 0;
    for (int b = 0; b < m->block_count; b++)
        if (m->blocks[b].kind == kind) count += m->blocks[b].count;
    return count;
}

/* "320 triangles and 12 edges", or "no cells". */
static void list_cells(const mesh *m, char *text, size_t size)
{
    size_t length = 0;
    snprintf(text, size, "no cells");
    for (int kind = CELL_POINT; kind <= CELL_HEX; kind++) {
        size_t count = cells_of(m, (cell_kind)kind);
        if (count == 0 || length >= size) continue;
        int written = snprintf(text + length, size - length, "%s%zu %s%s", length ? ", " : "",
                               count, cell_kind_name((cell_kind)kind), count == 1 ? "" : "s");
        if (written > 0) length += (size_t)written;
    }
}

static bool has_cells_for(const body_cells *needed, const mesh *m)
{
    if (!needed->kinds) return m->vertex_count > 0;
    size_t count = 0;
    for (int kind = CELL_POINT; kind <= CELL_HEX; kind++)
        if (needed->kinds >> kind & 1) count += cells_of(m, (cell_kind)kind);
    return count > 0;
}

static abut_status flat_tets(const body_def *body, const body_measures *measures, const char *place,
                             abut_error *err)
{
    char list[200];
    size_t length = 0, shown = sizeof measures->flat_first / sizeof measures->flat_first[0];
    if (shown > measures->flat_count) shown = measures->flat_count;
    for (size_t i = 0; i < shown && length < sizeof list; i++) {
        int written = snprintf(list + length, sizeof list - length, "%s%zu", i ? ", " : "",
                               measures->flat_first[i]);
        if (written > 0) length += (size_t)written;
    }
    return error_set(err, ABUT_ERROR_INFEASIBLE, place,
                     "body \"%s\" has %zu of %zu tetrahedra inverted or without volume: %s%s",
                     body->name, measures->flat_count, measures->tet_count, list,
                     shown < measures->flat_count ? ", ..." : "");
}

abut_status body_mesh_check(const scene_def *scene, size_t body, const mesh *m, abut_error *err)
{
    const body_def *b = &scene->bodies[body];
    char place[sizeof err->place];
    body_mesh_transform(scene, body, place, sizeof place);
    const body_cells *needed = &body_rows[b->type]->cells[scene->planar];
    if (!has_cells_for(needed, m)) {
        char found[200];
        bool surface = body_rows[b->type]->solid && !scene->planar &&
                       cells_of(m, CELL_TRIANGLE) + cells_of(m, CELL_QUAD) > 0;
        list_cells(m, found, sizeof found);
        return error_set(err, ABUT_ERROR_INPUT, place,
                         "body \"%s\" is of type \"%s\" and needs %s, but its mesh has %s%s",
                         b->name, body_kind_words[b->type],
                         needed->kinds ? needed->names : "vertices", found,
                         surface ? "; \"mesh\": {..., \"fill\": {}} fills a surface with "
                                   "tetrahedra, and the type \"shell\" makes a sheet of it"
                                 : "");
    }
    for (size_t v = 0; scene->planar && v < m->vertex_count; v++)
        if (m->vertices[v].z != 0)
            return error_set(err, ABUT_ERROR_INPUT, place,
                             "body \"%s\" has a vertex with z = %g in a planar scene; all must "
                             "have z = 0",
                             b->name, m->vertices[v].z);
    if (!body_rows[b->type]->solid || scene->planar) return ABUT_OK;
    body_measures measures;
    body_mesh_measure(m, &measures);
    return measures.flat_count == 0 ? ABUT_OK : flat_tets(b, &measures, place, err);
}

abut_status scene_body_mesh(const scene_def *scene, size_t body, mesh *out, abut_error *err)
{
    TRY(body_mesh_load(scene, body, out, err));
    abut_status status = body_mesh_check(scene, body, out, err);
    if (status != ABUT_OK) mesh_free(out);
    return status;
}
