/* The result of local operations as compact arrays, and where its vertices were in the old mesh. */
#include "remesh/local_internal.h"

#include <math.h>
#include <string.h>

void local_export_free(local_export *e)
{
    mem_free(e->rest);
    for (int f = 0; f < LOCAL_MAX_FIELDS; f++) mem_free(e->fields[f]);
    mem_free(e->flags);
    mem_free(e->cells);
    mem_free(e->attribute);
    mem_free(e->cell_origin);
    mem_free(e->cell_kept);
    mem_free(e->facets);
    mem_free(e->facet_tags);
    mem_free(e->facet_cell);
    mem_free(e->parents);
    mem_free(e->old_vertex);
    mem_free(e->new_vertex);
    mem_free(e->number);
    memset(e, 0, sizeof *e);
}

/* --- points in the old mesh ----------------------------------------------------------------- */

/* Cells of the imported mesh by the boxes of a grid over it. */
typedef struct cell_grid {
    vec3 low;
    double size;
    int count[3];
    int32_t *start, *cells;
} cell_grid;

static int grid_index(const cell_grid *g, double value, double low, int axis)
{
    int i = (int)floor((value - low) / g->size);
    return i < 0 ? 0 : i >= g->count[axis] ? g->count[axis] - 1 : i;
}

static void old_corners(const local_mesh *m, size_t cell, vec3 *p)
{
    for (int k = 0; k <= m->dimension; k++)
        p[k] = m->vertices.data[m->cells.data[cell].vertex[k]].rest;
}

static void grid_range(const local_mesh *m, const cell_grid *g, size_t cell, int *from, int *to)
{
    vec3 p[4] = {{0}}, low, high;
    old_corners(m, cell, p);
    low = high = p[0];
    for (int k = 1; k <= m->dimension; k++) {
        low = vec3_min(low, p[k]);
        high = vec3_max(high, p[k]);
    }
    for (int axis = 0; axis < 3; axis++) {
        double origin = vec3_get(g->low, axis);
        from[axis] = grid_index(g, vec3_get(low, axis), origin, axis);
        to[axis] = grid_index(g, vec3_get(high, axis), origin, axis);
    }
}

/* Counts (cells NULL) or enters every cell into the boxes that it reaches. */
static void grid_enter(const local_mesh *m, cell_grid *g)
{
    for (size_t c = 0; c < m->imported_cells; c++) {
        int from[3], to[3];
        grid_range(m, g, c, from, to);
        for (int z = from[2]; z <= to[2]; z++)
            for (int y = from[1]; y <= to[1]; y++)
                for (int x = from[0]; x <= to[0]; x++) {
                    int32_t *at = &g->start[(z * g->count[1] + y) * g->count[0] + x];
                    if (g->cells)
                        g->cells[--*at] = (int32_t)c;
                    else
                        ++*at;
                }
    }
}

static abut_status grid_make(const local_mesh *m, cell_grid *g, abut_error *err)
{
    vec3 high = m->vertices.data[0].rest;
    g->low = high;
    for (size_t i = 0; i < m->imported_vertices; i++) {
        g->low = vec3_min(g->low, m->vertices.data[i].rest);
        high = vec3_max(high, m->vertices.data[i].rest);
    }
    vec3 extent = vec3_sub(high, g->low);
    double per_axis = pow((double)m->imported_cells, 1.0 / m->dimension);
    g->size = vec3_max_abs(extent) / fmin(fmax(per_axis / 2, 1), 200);
    size_t boxes = 1;
    for (int axis = 0; axis < 3; axis++) {
        g->count[axis] = 1 + (int)(vec3_get(extent, axis) / g->size);
        boxes *= (size_t)g->count[axis];
    }
    g->start = mem_calloc(boxes + 1, sizeof *g->start);
    if (!g->start) return error_memory(err, "mapping meshes");
    grid_enter(m, g);
    for (size_t i = 1; i <= boxes; i++) g->start[i] += g->start[i - 1];
    g->cells = mem_alloc((size_t)g->start[boxes], sizeof *g->cells);
    if (!g->cells) return error_memory(err, "mapping meshes");
    grid_enter(m, g); /* start becomes the first entry of each box */
    return ABUT_OK;
}

/* The old cell of a part that holds a point best, and its weights there. */
static local_parents grid_locate(const local_mesh *m, const cell_grid *g, vec3 point, int32_t part)
{
    int at[3];
    for (int axis = 0; axis < 3; axis++)
        at[axis] = grid_index(g, vec3_get(point, axis), vec3_get(g->low, axis), axis);
    size_t box = (size_t)((at[2] * g->count[1] + at[1]) * g->count[0] + at[0]);
    local_parents found = {0};
    double best = -INFINITY;
    for (int32_t i = g->start[box]; i < g->start[box + 1]; i++) {
        vec3 p[4];
        double w[4], least = INFINITY;
        old_corners(m, (size_t)g->cells[i], p);
        if (m->vertices.data[m->cells.data[g->cells[i]].vertex[0]].part != part) continue;
        if (!local_barycentric(m->dimension, p, point, w)) continue;
        for (int k = 0; k <= m->dimension; k++) least = fmin(least, w[k]);
        if (least <= best) continue;
        best = least;
        found.count = local_corners(m);
        for (int k = 0; k <= m->dimension; k++) {
            found.vertex[k] = m->cells.data[g->cells[i]].vertex[k];
            found.weight[k] = w[k];
        }
    }
    return found;
}

/* Points are within a cell up to rounding: weights below 0 become 0. */
static void clean_weights(local_parents *p)
{
    double sum = 0;
    int kept = 0;
    for (int k = 0; k < p->count; k++) {
        if (!(p->weight[k] > 1e-14)) continue;
        p->vertex[kept] = p->vertex[k];
        p->weight[kept] = p->weight[k];
        sum += p->weight[kept++];
    }
    p->count = kept;
    for (int k = 0; k < kept; k++) p->weight[k] /= sum;
}

/* What is exported: everything, or one part; with the first numbers of its imported mesh. */
typedef struct export_part {
    int32_t part; /* -1: all */
    int32_t first_vertex, first_cell;
    size_t old_vertices;
} export_part;

static bool vertex_is_in(const local_mesh *m, const export_part *p, size_t vertex)
{
    const local_vertex *v = &m->vertices.data[vertex];
    return v->alive && (p->part < 0 || v->part == p->part);
}

static bool cell_is_in(const local_mesh *m, const export_part *p, size_t cell)
{
    const local_cell *c = &m->cells.data[cell];
    return c->alive && (p->part < 0 || m->vertices.data[c->vertex[0]].part == p->part);
}

static abut_status find_parents(const local_mesh *m, const export_part *part, local_export *e,
                                abut_error *err)
{
    cell_grid grid = {0};
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < m->vertices.count && status == ABUT_OK; i++) {
        if (e->number[i] < 0) continue;
        local_parents *p = &e->parents[e->number[i]];
        *p = m->vertices.data[i].parents;
        if (p->count == 0 && !grid.cells) status = grid_make(m, &grid, err);
        if (status == ABUT_OK && p->count == 0) {
            *p = grid_locate(m, &grid, m->vertices.data[i].rest, m->vertices.data[i].part);
            clean_weights(p);
            if (p->count == 0)
                status = error_set(err, ABUT_ERROR_INTERNAL, "",
                                   "a vertex of the new mesh lies outside of the old one");
        }
        for (int k = 0; k < p->count; k++) p->vertex[k] -= part->first_vertex;
    }
    mem_free(grid.start);
    mem_free(grid.cells);
    return status;
}

/* --- arrays --------------------------------------------------------------------------------- */

static abut_status export_vertices(const local_mesh *m, const export_part *part, local_export *e,
                                   abut_error *err)
{
    for (size_t i = 0; i < m->vertices.count; i++) e->vertex_count += vertex_is_in(m, part, i);
    size_t n = e->vertex_count;
    e->number = mem_alloc(m->vertices.count, sizeof *e->number);
    e->rest = mem_alloc(n, sizeof *e->rest);
    e->flags = mem_alloc(n, sizeof *e->flags);
    e->parents = mem_alloc(n, sizeof *e->parents);
    e->old_vertex = mem_alloc(n, sizeof *e->old_vertex);
    e->new_vertex = mem_alloc(part->old_vertices, sizeof *e->new_vertex);
    bool enough = e->number && e->rest && e->flags && e->parents && e->old_vertex && e->new_vertex;
    for (int f = 0; f < m->field_count; f++) {
        e->fields[f] = mem_alloc(n, sizeof *e->fields[f]);
        enough = enough && e->fields[f];
    }
    if (!enough) return error_memory(err, "exporting a mesh");
    int32_t count = 0;
    for (size_t i = 0; i < m->vertices.count; i++) {
        const local_vertex *v = &m->vertices.data[i];
        bool in = vertex_is_in(m, part, i);
        size_t old = i - (size_t)part->first_vertex;
        e->number[i] = in ? count : -1;
        if (i >= (size_t)part->first_vertex && old < part->old_vertices)
            e->new_vertex[old] = e->number[i];
        if (!in) continue;
        e->rest[count] = v->rest;
        e->flags[count] = v->flags;
        e->old_vertex[count] = v->origin < 0 ? -1 : v->origin - part->first_vertex;
        for (int f = 0; f < m->field_count; f++)
            e->fields[f][count] = *local_field(m, (int32_t)i, f);
        count++;
    }
    return ABUT_OK;
}

static abut_status export_cells(const local_mesh *m, const export_part *part, local_export *e,
                                abut_error *err)
{
    int corners = local_corners(m);
    for (size_t i = 0; i < m->cells.count; i++) {
        const local_cell *c = &m->cells.data[i];
        if (!cell_is_in(m, part, i)) continue;
        e->cell_count++;
        for (int k = 0; k < corners; k++) e->facet_count += c->facet[k] >= 0;
    }
    e->cells = mem_alloc(e->cell_count * (size_t)corners, sizeof *e->cells);
    e->attribute = mem_alloc(e->cell_count, sizeof *e->attribute);
    e->cell_origin = mem_alloc(e->cell_count, sizeof *e->cell_origin);
    e->cell_kept = mem_alloc(e->cell_count, sizeof *e->cell_kept);
    e->facets = mem_alloc(e->facet_count * (size_t)m->dimension, sizeof *e->facets);
    e->facet_tags = mem_alloc(e->facet_count, sizeof *e->facet_tags);
    e->facet_cell = mem_alloc(e->facet_count, sizeof *e->facet_cell);
    if (!(e->cells && e->attribute && e->cell_origin && e->cell_kept && e->facets &&
          e->facet_tags && e->facet_cell))
        return error_memory(err, "exporting a mesh");
    return ABUT_OK;
}

/* The facet opposite a corner, oriented outward. */
static void outward_facet(int dimension, const int32_t *v, int corner, int32_t *out)
{
    static const int edge[3][2] = {{1, 2}, {2, 0}, {0, 1}};
    static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int k = 0; k < dimension; k++)
        out[k] = v[dimension == 2 ? edge[corner][k] : face[corner][k]];
}

static void fill_cells(const local_mesh *m, const export_part *part, local_export *e)
{
    size_t cell = 0, facet = 0, corners = (size_t)local_corners(m);
    e->nested = true;
    for (size_t i = 0; i < m->cells.count; i++) {
        const local_cell *c = &m->cells.data[i];
        if (!cell_is_in(m, part, i)) continue;
        int32_t *v = e->cells + cell * corners;
        for (size_t k = 0; k < corners; k++) v[k] = e->number[c->vertex[k]];
        e->attribute[cell] = c->attribute;
        e->cell_origin[cell] = c->origin < 0 ? -1 : c->origin - part->first_cell;
        e->cell_kept[cell] = i < m->imported_cells;
        e->nested = e->nested && c->origin >= 0;
        for (int k = 0; k < (int)corners; k++) {
            if (c->facet[k] < 0) continue;
            outward_facet(m->dimension, v, k, e->facets + facet * (size_t)m->dimension);
            e->facet_tags[facet] = c->facet[k];
            e->facet_cell[facet++] = (int32_t)cell;
        }
        cell++;
    }
}

static abut_status export_selected(const local_mesh *m, const export_part *part, local_export *out,
                                   abut_error *err)
{
    *out = (local_export){.dimension = m->dimension,
                          .field_count = m->field_count,
                          .old_vertex_count = part->old_vertices};
    abut_status status = export_vertices(m, part, out, err);
    if (status == ABUT_OK) status = export_cells(m, part, out, err);
    if (status == ABUT_OK) {
        fill_cells(m, part, out);
        status = find_parents(m, part, out, err);
    }
    if (status != ABUT_OK) local_export_free(out);
    return status;
}

abut_status local_mesh_export(const local_mesh *m, local_export *out, abut_error *err)
{
    export_part all = {.part = -1, .old_vertices = m->imported_vertices};
    return export_selected(m, &all, out, err);
}

abut_status local_mesh_export_part(const local_mesh *m, int32_t part, local_export *out,
                                   bool *changed, abut_error *err)
{
    const int32_t *start = m->part_start.data + 2 * (size_t)part;
    bool last = 2 * (size_t)part + 2 >= m->part_start.count;
    size_t end = last ? m->imported_vertices : (size_t)start[2];
    size_t old_cells = (last ? m->imported_cells : (size_t)start[3]) - (size_t)start[1];
    export_part one = {part, start[0], start[1], end - (size_t)start[0]};
    TRY(export_selected(m, &one, out, err));
    size_t kept = 0;
    for (size_t i = 0; i < out->cell_count; i++) kept += out->cell_kept[i];
    if (changed) *changed = kept != old_cells || out->cell_count != old_cells;
    return ABUT_OK;
}

abut_status local_export_mesh(const local_export *e, mesh *out, abut_error *err)
{
    cell_block *cells = NULL;
    TRY(mesh_init(out, e->vertex_count, err));
    abut_status status = mesh_add_block(out, e->dimension == 2 ? CELL_TRIANGLE : CELL_TET, 1,
                                        e->cell_count, true, &cells, err);
    if (status != ABUT_OK) {
        mesh_free(out);
        return status;
    }
    memcpy(out->vertices, e->rest, e->vertex_count * sizeof *e->rest);
    memcpy(cells->nodes, e->cells,
           e->cell_count * (size_t)(e->dimension + 1) * sizeof *cells->nodes);
    memcpy(cells->tags, e->attribute, e->cell_count * sizeof *cells->tags);
    return ABUT_OK;
}
