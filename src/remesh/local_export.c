/* The result of local operations as compact arrays. */
#include "remesh/local_internal.h"

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
    memset(e, 0, sizeof *e);
}

/* --- arrays --------------------------------------------------------------------------------- */

/* number: exported number of every vertex, -1: dead. */
static abut_status export_vertices(const local_mesh *m, int32_t *number, local_export *e,
                                   abut_error *err)
{
    for (size_t i = 0; i < m->vertices.count; i++) e->vertex_count += m->vertices.data[i].alive;
    size_t n = e->vertex_count;
    e->rest = mem_alloc(n, sizeof *e->rest);
    e->flag_words = m->flags->words;
    e->flags = mem_alloc(n * e->flag_words, sizeof *e->flags);
    bool enough = e->rest && e->flags;
    for (int f = 0; f < m->field_count; f++) {
        e->fields[f] = mem_alloc(n, sizeof *e->fields[f]);
        enough = enough && e->fields[f];
    }
    if (!enough) return error_memory(err, "exporting a mesh");
    int32_t count = 0;
    for (size_t i = 0; i < m->vertices.count; i++) {
        const local_vertex *v = &m->vertices.data[i];
        number[i] = v->alive ? count : -1;
        if (!v->alive) continue;
        e->rest[count] = v->rest;
        memcpy(e->flags + (size_t)count * e->flag_words, flag_sets_bits(m->flags, v->flags),
               e->flag_words * sizeof *e->flags);
        for (int f = 0; f < m->field_count; f++)
            e->fields[f][count] = *local_field(m, (int32_t)i, f);
        count++;
    }
    return ABUT_OK;
}

static abut_status export_cells(const local_mesh *m, local_export *e, abut_error *err)
{
    int corners = local_corners(m);
    for (size_t i = 0; i < m->cells.count; i++) {
        const local_cell *c = &m->cells.data[i];
        if (!c->alive) continue;
        e->cell_count++;
        for (int k = 0; k < corners; k++) e->facet_count += c->facet[k] >= 0;
    }
    e->cells = mem_alloc(e->cell_count * (size_t)corners, sizeof *e->cells);
    e->attribute = mem_alloc(e->cell_count, sizeof *e->attribute);
    e->cell_origin = mem_alloc(e->cell_count, sizeof *e->cell_origin);
    e->cell_kept = mem_alloc(e->cell_count, sizeof *e->cell_kept);
    e->facets = mem_alloc(e->facet_count * (size_t)m->dimension, sizeof *e->facets);
    e->facet_tags = mem_alloc(e->facet_count, sizeof *e->facet_tags);
    if (!(e->cells && e->attribute && e->cell_origin && e->cell_kept && e->facets && e->facet_tags))
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

static void fill_cells(const local_mesh *m, const int32_t *number, local_export *e)
{
    size_t cell = 0, facet = 0, corners = (size_t)local_corners(m);
    e->nested = true;
    for (size_t i = 0; i < m->cells.count; i++) {
        const local_cell *c = &m->cells.data[i];
        if (!c->alive) continue;
        int32_t *v = e->cells + cell * corners;
        for (size_t k = 0; k < corners; k++) v[k] = number[c->vertex[k]];
        e->attribute[cell] = c->attribute;
        e->cell_origin[cell] = c->origin;
        e->cell_kept[cell] = i < m->imported_cells;
        e->nested = e->nested && c->origin >= 0;
        for (int k = 0; k < (int)corners; k++) {
            if (c->facet[k] < 0) continue;
            outward_facet(m->dimension, v, k, e->facets + facet * (size_t)m->dimension);
            e->facet_tags[facet++] = c->facet[k];
        }
        cell++;
    }
}

abut_status local_mesh_export(const local_mesh *m, local_export *out, abut_error *err)
{
    *out = (local_export){.dimension = m->dimension, .field_count = m->field_count};
    int32_t *number = mem_alloc(m->vertices.count + 1, sizeof *number);
    abut_status status =
        number ? export_vertices(m, number, out, err) : error_memory(err, "exporting a mesh");
    if (status == ABUT_OK) status = export_cells(m, out, err);
    if (status == ABUT_OK) fill_cells(m, number, out);
    mem_free(number);
    if (status != ABUT_OK) local_export_free(out);
    return status;
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
