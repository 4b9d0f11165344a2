#include "scene/select.h"

#include "base/memory.h"
#include "fem/change_order.h"
#include "fem/lagrange.h"
#include "mesh/topology.h"

#include <string.h>

static bool in_box(vec3 p, vec3 low, vec3 high)
{
    return p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z >= low.z &&
           p.z <= high.z;
}

static void mark_box(const mesh *m, vec3 low, vec3 high, bool *marked)
{
    for (size_t i = 0; i < m->vertex_count; i++) marked[i] = in_box(m->vertices[i], low, high);
}

/* The ends of the box at 0 and 1 must take the outermost vertices in spite of rounding. */
static void mark_relative_box(const selector_def *s, const mesh *m, bool *marked)
{
    vec3 low, high;
    mesh_bounds(m, &low, &high);
    vec3 size = vec3_sub(high, low);
    double margin = 1e-9 * vec3_norm(size);
    vec3 slack = {margin, margin, margin};
    vec3 from = {low.x + s->place.a.x * size.x, low.y + s->place.a.y * size.y,
                 low.z + s->place.a.z * size.z};
    vec3 to = {low.x + s->place.b.x * size.x, low.y + s->place.b.y * size.y,
               low.z + s->place.b.z * size.z};
    mark_box(m, vec3_sub(from, slack), vec3_add(to, slack), marked);
}

static void mark_sphere(const selector_def *s, const mesh *m, bool *marked)
{
    for (size_t i = 0; i < m->vertex_count; i++)
        marked[i] =
            vec3_norm2(vec3_sub(m->vertices[i], s->place.a)) <= s->place.radius * s->place.radius;
}

static void mark_tag(const selector_def *s, const mesh *m, bool *marked)
{
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        for (size_t c = 0; block->tags && c < block->count; c++) {
            if (block->tags[c] != s->tag) continue;
            const int32_t *nodes = block->nodes + c * (size_t)block->nodes_per_cell;
            for (int k = 0; k < block->nodes_per_cell; k++) marked[nodes[k]] = true;
        }
    }
}

static abut_status mark_list(const selector_def *s, const mesh *m, bool *marked, abut_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->list[i] < 0 || (size_t)s->list[i] >= m->vertex_count)
            return error_set(err, ABUT_ERROR_INPUT, "",
                             "entry %zu of the list is node %d, but the mesh has %zu nodes, "
                             "numbered from 0",
                             i, (int)s->list[i], m->vertex_count);
        marked[s->list[i]] = true;
    }
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Parts of the boundary                                                                          */

bool boundary_contains(const boundary_def *b, vec3 p)
{
    const place_def *place = &b->place;
    switch (b->kind) {
    case BOUNDARY_ALL: return true;
    case BOUNDARY_BOX: return in_box(p, place->a, place->b);
    case BOUNDARY_SPHERE: return vec3_norm2(vec3_sub(p, place->a)) <= place->radius * place->radius;
    case BOUNDARY_CYLINDER: {
        vec3 axis = vec3_sub(place->b, place->a), arm = vec3_sub(p, place->a);
        double along = vec3_dot(arm, axis) / vec3_norm2(axis);
        vec3 off = vec3_mul_add(arm, -along, axis);
        return along >= 0 && along <= 1 && vec3_norm2(off) <= place->radius * place->radius;
    }
    case BOUNDARY_SIDE: return vec3_dot(vec3_sub(p, place->a), place->b) >= 0;
    case BOUNDARY_NODES: break; /* not a matter of position */
    }
    return false;
}

/* All corners of a face are among the part's nodes. */
static bool has_corners(const boundary_def *b, const int32_t *corners, int count)
{
    for (int k = 0; k < count; k++) {
        size_t i = 0;
        while (i < b->node_count && b->nodes[i] != corners[k]) i++;
        if (i == b->node_count) return false;
    }
    return true;
}

/* Number of the part that a face with these corners belongs to; false: none. */
static bool boundary_number(const body_def *body, const mesh *m, const int32_t *corners, int count,
                            int32_t *number)
{
    vec3 center = {0};
    for (int k = 0; k < count; k++)
        center = vec3_mul_add(center, 1.0 / count, m->vertices[corners[k]]);
    for (size_t i = 0; i < body->loads.boundary_count; i++) {
        const boundary_def *part = &body->loads.boundaries[i];
        bool holds = part->kind == BOUNDARY_NODES ? has_corners(part, corners, count)
                                                  : boundary_contains(part, center);
        if (!holds) continue;
        *number = part->number;
        return true;
    }
    return false;
}

static int solid_dimension(const mesh *m)
{
    return mesh_find(m, CELL_TET) || mesh_find(m, CELL_HEX) ? 3 : 2;
}

abut_status select_sides(const body_def *body, const mesh *m, const int32_t *number, side_list *out,
                         abut_error *err)
{
    TRY(boundary_sides(m, solid_dimension(m), out, err));
    size_t kept = 0;
    for (size_t i = 0; number && i < out->count; i++) {
        const cell_side *s = &out->data[i];
        int32_t found;
        int corners = 0;
        while (corners < 4 && s->corner[corners] >= 0) corners++;
        if (boundary_number(body, m, s->corner, corners, &found) && found == *number)
            out->data[kept++] = *s;
    }
    if (number) out->count = kept;
    return ABUT_OK;
}

/* Edges that belong to one triangle only: two vertices each, in the order of the triangles. */
static abut_status border_edges(const surface_parts *parts, int32_t (**out)[2], size_t *count,
                                abut_error *err)
{
    size_t n = 3 * parts->triangle_count;
    int32_t(*all)[2] = mem_alloc(n + 1, sizeof *all);
    int32_t(*unique)[2] = NULL;
    size_t unique_count = 0;
    if (!all) return error_memory(err, "finding the border of a sheet");
    uint8_t *uses = NULL;
    abut_status status = unique_edges((const int32_t(*)[3])parts->triangles, parts->triangle_count,
                                      NULL, 0, &unique, &unique_count, err);
    if (status == ABUT_OK) {
        uses = mem_calloc(unique_count + 1, 1);
        if (!uses) status = error_memory(err, "finding the border of a sheet");
    }
    for (size_t i = 0; status == ABUT_OK && i < n; i++) {
        int32_t a = parts->triangles[i / 3][i % 3], b = parts->triangles[i / 3][(i + 1) % 3];
        int32_t key[2] = {a < b ? a : b, a < b ? b : a};
        size_t low = 0, high = unique_count;
        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            bool after = unique[middle][0] > key[0] ||
                         (unique[middle][0] == key[0] && unique[middle][1] > key[1]);
            *(after ? &high : &low) = middle;
        }
        if (uses[low] < 2) uses[low]++;
    }
    *count = 0;
    for (size_t i = 0; status == ABUT_OK && i < unique_count; i++)
        if (uses[i] == 1) {
            all[*count][0] = unique[i][0];
            all[(*count)++][1] = unique[i][1];
        }
    mem_free(uses);
    mem_free(unique);
    *out = all;
    if (status != ABUT_OK) mem_free(all);
    return status;
}

/* The nodes of all orders on the sides of the part. */
static abut_status mark_sides(const selector_def *s, const body_def *body, const mesh *m,
                              bool *marked, abut_error *err)
{
    side_list sides = {0};
    abut_status status = select_sides(body, m, &s->tag, &sides, err);
    for (size_t i = 0; status == ABUT_OK && i < sides.count; i++) {
        const cell_block *block = &m->blocks[sides.data[i].block];
        const int32_t *cell = block->nodes + sides.data[i].cell * (size_t)block->nodes_per_cell;
        int local[CELL_MAX_NODES];
        int count = side_nodes(block->kind, block->order, sides.data[i].face, local);
        for (int k = 0; k < count; k++) marked[cell[local[k]]] = true;
    }
    array_free(&sides);
    return status;
}

/* Faces of solids; of sheets, their border. */
static abut_status mark_boundary(const selector_def *s, const body_def *body, const mesh *m,
                                 bool *marked, abut_error *err)
{
    if (solid_dimension(m) == 3 || mesh_order(m) > 1) return mark_sides(s, body, m, marked, err);
    surface_parts parts; /* sheets may have edges of three triangles */
    TRY(mesh_surface(m, &parts, err));
    int32_t(*edges)[2] = NULL;
    size_t count = 0;
    abut_status status = border_edges(&parts, &edges, &count, err);
    for (size_t i = 0; status == ABUT_OK && i < count; i++) {
        int32_t number;
        if (boundary_number(body, m, edges[i], 2, &number) && number == s->tag)
            marked[edges[i][0]] = marked[edges[i][1]] = true;
    }
    if (status == ABUT_OK) mem_free(edges);
    surface_parts_free(&parts);
    return status;
}

static abut_status mark(const selector_def *s, const body_def *body, const mesh *m, bool *marked,
                        abut_error *err)
{
    switch (s->kind) {
    case SELECT_ALL: memset(marked, true, m->vertex_count * sizeof *marked); break;
    case SELECT_BOX: mark_box(m, s->place.a, s->place.b, marked); break;
    case SELECT_RELATIVE_BOX: mark_relative_box(s, m, marked); break;
    case SELECT_SPHERE: mark_sphere(s, m, marked); break;
    case SELECT_LIST: return mark_list(s, m, marked, err);
    case SELECT_TAG: mark_tag(s, m, marked); break;
    case SELECT_BOUNDARY: return mark_boundary(s, body, m, marked, err);
    }
    return ABUT_OK;
}

static abut_status collect(const bool *marked, size_t vertex_count, int32_t **nodes, size_t *count,
                           abut_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < vertex_count; i++) n += marked[i];
    *nodes = mem_alloc(n, sizeof **nodes);
    if (!*nodes) return error_memory(err, "selecting nodes");
    *count = 0;
    for (size_t i = 0; i < vertex_count; i++)
        if (marked[i]) (*nodes)[(*count)++] = (int32_t)i;
    return ABUT_OK;
}

abut_status select_nodes(const selector_def *selector, const body_def *body, const mesh *m,
                         int32_t **nodes, size_t *count, abut_error *err)
{
    *nodes = NULL;
    *count = 0;
    bool *marked = mem_calloc(m->vertex_count, sizeof *marked);
    if (!marked) return error_memory(err, "selecting nodes");
    abut_status status = mark(selector, body, m, marked, err);
    if (status == ABUT_OK) status = collect(marked, m->vertex_count, nodes, count, err);
    mem_free(marked);
    return status;
}
