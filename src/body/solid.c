#include "body/solid.h"

#include "fem/change_order.h"

#include "body/model_build.h"
#include "fem/lagrange.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 8 };

/* ---- elements ---- */

/* The set for such elements, made if there is none. */
static abut_status find_set(model *m, cell_kind kind, int order, int geometry_order, bool affine,
                            element_set **out, abut_error *err)
{
    if (affine) geometry_order = 1;
    for (size_t i = 0; i < m->sets.count; i++) {
        element_set *s = &m->sets.data[i];
        if (s->kind == kind && s->order == order && s->affine == affine &&
            s->geometry_order == geometry_order) {
            *out = s;
            return ABUT_OK;
        }
    }
    assert(m->sets.count < ELEMENT_MAX_SETS);
    element_set fresh;
    TRY(element_set_init(&fresh, kind, order, geometry_order, affine, err));
    if (!array_push(&m->sets, fresh)) {
        element_set_free(&fresh);
        return error_memory(err, "adding elements");
    }
    *out = &m->sets.data[m->sets.count - 1];
    return ABUT_OK;
}

/* Lumped masses in the proportions of the diagonal of the mass matrix (Hinton, Rock, Zienkiewicz):
 * positive for all orders. What body forces act on are the row sums. */
static void add_masses(model *m, const element_set *s)
{
    size_t e = s->count - 1;
    const int32_t *blocks = s->blocks.data + e * (size_t)s->nodes;
    double total = 0, trace = 0;
    for (int a = 0; a < s->nodes; a++) {
        trace += element_mass(s, e, a, a);
        for (int b = 0; b < s->nodes; b++) total += element_mass(s, e, a, b);
    }
    for (int a = 0; a < s->nodes; a++)
        m->mass.data[blocks[a]] += total * element_mass(s, e, a, a) / trace;
}

/* The cells that were refused. */
typedef struct refused {
    size_t count, first[SHOWN];
} refused;

static abut_status add_element(model *m, const model_body *body, const solid_definition *def, int b,
                               size_t c, size_t number, abut_error *err)
{
    const cell_block *cells = &def->shape->blocks[b], *basis = &def->nodes->blocks[b];
    vec3 shape[CELL_MAX_NODES];
    int32_t blocks[CELL_MAX_NODES];
    for (int a = 0; a < cells->nodes_per_cell; a++)
        shape[a] =
            def->shape->vertices[cells->nodes[c * (size_t)cells->nodes_per_cell + (size_t)a]];
    for (int a = 0; a < basis->nodes_per_cell; a++)
        blocks[a] =
            body->block_of_vertex[basis->nodes[c * (size_t)basis->nodes_per_cell + (size_t)a]];
    bool affine = lagrange_is_affine(cells->kind, cells->order, shape);
    element_set *set = NULL;
    TRY(find_set(m, cells->kind, basis->order, cells->order, affine, &set, err));
    const elastic_parameters *material =
        def->cell_material ? &def->cell_material[number] : &def->material;
    double density = def->cell_density ? def->cell_density[number] : def->density;
    TRY(element_set_add(set, blocks, shape, cells->order, material, density,
                        (int32_t)(m->bodies.count - 1), err));
    add_masses(m, set);
    return ABUT_OK;
}

static abut_status report_refused(const char *name, const refused *bad, size_t total,
                                  abut_error *err)
{
    char list[200];
    size_t length = 0, shown = bad->count < SHOWN ? bad->count : SHOWN;
    for (size_t i = 0; i < shown && length < sizeof list; i++) {
        int written =
            snprintf(list + length, sizeof list - length, "%s%zu", i ? ", " : "", bad->first[i]);
        if (written > 0) length += (size_t)written;
    }
    return error_set(err, ABUT_ERROR_INFEASIBLE, name,
                     "%zu of %zu cells have a Jacobian determinant that is not positive "
                     "everywhere: %s%s",
                     bad->count, total, list, shown < bad->count ? ", ..." : "");
}

static abut_status add_elements(model *m, const model_body *body, const solid_definition *def,
                                int dimension, abut_error *err)
{
    refused bad = {0};
    size_t number = 0;
    for (int b = 0; b < def->shape->block_count; b++) {
        const cell_block *cells = &def->shape->blocks[b];
        if (cell_dimension(cells->kind) != dimension) continue;
        for (size_t c = 0; c < cells->count; c++, number++) {
            abut_status status = add_element(m, body, def, b, c, number, err);
            if (status == ABUT_ERROR_INFEASIBLE) {
                if (bad.count < SHOWN) bad.first[bad.count] = number;
                bad.count++;
            } else if (status != ABUT_OK) {
                return status;
            }
        }
    }
    return bad.count ? report_refused(body->name, &bad, number, err) : ABUT_OK;
}

/* ---- surface ---- */

/* One row: a node, or a combination with what keeps the vertex at its rest position. */
static abut_status add_row(model *m, const model_body *body, const proxy *p, size_t v,
                           abut_error *err)
{
    row_entry entries[ROW_MAX_BLOCKS];
    size_t first = p->row_start.data[v], count = p->row_start.data[v + 1] - first;
    if (count < 1 || count > ROW_MAX_BLOCKS)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, body->name,
                         "vertex %zu of the collision surface follows %zu nodes; 1 to %d are "
                         "supported",
                         v, count, ROW_MAX_BLOCKS);
    vec3 offset = p->vertices.data[v];
    for (size_t k = 0; k < count; k++) {
        int32_t block = body->block_of_vertex[p->node.data[first + k]];
        if (block < 0)
            return error_set(err, ABUT_ERROR_INPUT, body->name,
                             "vertex %zu of the collision surface follows node %d, which belongs "
                             "to no element",
                             v, p->node.data[first + k]);
        entries[k] = (row_entry){block, p->weight.data[first + k]};
        offset = vec3_mul_add(offset, -entries[k].weight, m->rest.data[block]);
    }
    double size = vec3_max_abs(p->vertices.data[v]);
    for (size_t k = 0; k < count; k++)
        size += fabs(entries[k].weight) * vec3_max_abs(m->rest.data[entries[k].block]);
    bool moved = vec3_max_abs(offset) > 1e-13 * size;
    if (count == 1 && entries[0].weight == 1 && !moved)
        return surface_add_node(&m->surface, entries[0].block, err);
    TRY(surface_add_combination(&m->surface, entries, (int)count, err));
    return moved ? surface_set_offset(&m->surface, offset, err) : ABUT_OK;
}

static abut_status add_proxy(model *m, model_body *body, const proxy *p, abut_error *err)
{
    collision_surface *s = &m->surface;
    int32_t first = (int32_t)s->rows.count;
    bool ok = true;
    for (size_t v = 0; ok && v < p->vertices.count; v++) {
        TRY(add_row(m, body, p, v, err));
        ok = array_push(&s->vertex_body, (int32_t)(m->bodies.count - 1)) &&
             array_push(&s->vertex_on_edge, (uint8_t)0);
    }
    for (size_t e = 0; ok && e < p->edges.count; e++) {
        const int32_t *edge = p->edges.data[e];
        for (int k = 0; ok && k < 2; k++) {
            s->vertex_on_edge.data[first + edge[k]] = 1;
            ok = array_push(&s->edges, first + edge[k]);
        }
        vec3 along = vec3_sub(p->vertices.data[edge[0]], p->vertices.data[edge[1]]);
        ok = ok && array_push(&s->edge_length2, vec3_norm2(along));
    }
    for (size_t t = 0; ok && t < p->triangles.count; t++)
        for (int k = 0; ok && k < 3; k++)
            ok = array_push(&s->triangles, first + p->triangles.data[t][k]);
    if (!ok) return error_memory(err, "adding the collision surface");
    body->surface.vertex_count = p->vertices.count;
    body->surface.edge_count = p->edges.count;
    body->surface.triangle_count = p->triangles.count;
    /* In the plane the edges are the surface; in space they all belong to triangles. */
    body->surface.free_edge_first =
        body->surface.first_edge + (p->triangles.count > 0 ? p->edges.count : 0);
    return ABUT_OK;
}

static abut_status add_boundary(model *m, model_body *body, const solid_definition *def,
                                int dimension, abut_error *err)
{
    int segments = def->segments;
    for (int b = 0; segments <= 0 && b < def->shape->block_count; b++) {
        int p = def->nodes->blocks[b].order, q = def->shape->blocks[b].order;
        int needed = p > q ? p : q;
        if (cell_dimension(def->shape->blocks[b].kind) == dimension && -needed < segments)
            segments = -needed;
    }
    proxy boundary;
    TRY(proxy_of_boundary(def->shape, def->nodes, dimension, segments < 0 ? -segments : segments, 0,
                          &boundary, err));
    abut_status status = add_proxy(m, body, &boundary, err);
    proxy_free(&boundary);
    return status;
}

/* ---- bodies ---- */

static abut_status add_solid_nodes(model *m, model_body *body, const solid_definition *def,
                                   int dimension, abut_error *err)
{
    uint8_t *used = mem_calloc(def->nodes->vertex_count + 1, 1);
    if (!used) return error_memory(err, "adding a body");
    for (int b = 0; b < def->nodes->block_count; b++) {
        const cell_block *block = &def->nodes->blocks[b];
        if (cell_dimension(block->kind) != dimension) continue;
        for (size_t i = 0; i < block->count * (size_t)block->nodes_per_cell; i++)
            used[block->nodes[i]] = 1;
    }
    abut_status status = model_add_nodes(m, body, def->nodes, used, err);
    mem_free(used);
    return status;
}

/* Linear tets and nothing else, all of one material. */
static bool is_plain(const solid_definition *def)
{
    if (def->cell_material || def->cell_density) return false;
    bool tets = false;
    for (int b = 0; b < def->shape->block_count; b++) {
        const cell_block *shape = &def->shape->blocks[b], *nodes = &def->nodes->blocks[b];
        if (shape->count == 0 || cell_dimension(shape->kind) < 3) continue;
        if (tets || shape->kind != CELL_TET || shape->order != 1 || nodes->order != 1) return false;
        tets = true;
    }
    return tets;
}

static bool has_cells(const mesh *m, int dimension)
{
    for (int b = 0; b < m->block_count; b++)
        if (cell_dimension(m->blocks[b].kind) == dimension && m->blocks[b].count > 0) return true;
    return false;
}

abut_status model_add_solid(model *m, const char *name, const solid_definition *def,
                            abut_error *err)
{
    int dimension = m->planar ? 2 : 3;
    if (!has_cells(def->shape, dimension))
        return error_set(err, ABUT_ERROR_INPUT, name, "a deformable body needs a mesh of %s",
                         m->planar ? "triangles or quads" : "tetrahedra or hexahedra");
    bool plain = !m->planar && is_plain(def);
    if (plain && !def->surface && def->segments <= 1)
        return model_add_deformable(m, name, def->shape, def->material, def->density, err);
    model_body *body = NULL;
    TRY(model_begin_body(m, name, BODY_DEFORMABLE, def->nodes, &body, err));
    body->material = def->material;
    body->density = def->density;
    body->by_surface = true;
    if (plain) {
        TRY(model_add_tets(m, body, def->nodes, mesh_find(def->nodes, CELL_TET), err));
    } else {
        body->consistent_mass = mesh_order(def->nodes) > 1; /* row sums of the others fail */
        TRY(add_solid_nodes(m, body, def, dimension, err));
        TRY(add_elements(m, body, def, dimension, err));
    }
    return def->surface ? add_proxy(m, body, def->surface, err)
                        : add_boundary(m, body, def, dimension, err);
}

size_t solid_element_count(const model *m, size_t body)
{
    size_t count = 0;
    for (size_t i = 0; i < m->sets.count; i++)
        for (size_t e = 0; e < m->sets.data[i].count; e++)
            count += (size_t)m->sets.data[i].body.data[e] == body;
    return count;
}
