/* Making a local mesh from arrays, and looking at a whole one again. */
#include "remesh/local_internal.h"

#include <stdlib.h>
#include <string.h>

/* A facet of a cell: its vertices ascending, and how the cell sees their order. */
typedef struct facet_item {
    int32_t vertex[3];
    int32_t cell; /* -1: a tag of the definition */
    int32_t corner;
    int32_t tag;
    bool odd; /* ascending order is an odd permutation of the outward one */
} facet_item;

typedef ARRAY(facet_item) facet_list;

static int compare_facets(const void *a, const void *b)
{
    const facet_item *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->vertex[k] != q->vertex[k]) return p->vertex[k] < q->vertex[k] ? -1 : 1;
    return p->cell < q->cell ? -1 : p->cell > q->cell;
}

/* Sorts the vertices; true when that takes an odd number of exchanges. */
static bool sort_vertices(int32_t *v, int count)
{
    bool odd = false;
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && v[k - 1] > v[k]; k--) {
            int32_t t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
            odd = !odd;
        }
    return odd;
}

static bool add_facets_of_cell(const local_mesh *m, int32_t cell, facet_list *out)
{
    const local_cell *c = &m->cells.data[cell];
    for (int corner = 0; corner <= m->dimension; corner++) {
        facet_item f = {.vertex = {-1, -1, -1}, .cell = cell, .corner = corner};
        int n = 0;
        for (int k = 0; k <= m->dimension; k++)
            if (k != corner) f.vertex[n++] = c->vertex[k];
        f.odd = sort_vertices(f.vertex, n) != (corner % 2 == 1);
        if (!array_push(out, f)) return false;
    }
    return true;
}

static abut_status all_facets(const local_mesh *m, facet_list *out, abut_error *err)
{
    for (size_t i = 0; i < m->cells.count; i++)
        if (m->cells.data[i].alive && !add_facets_of_cell(m, (int32_t)i, out))
            return error_memory(err, "reading a mesh");
    return ABUT_OK;
}

static bool same_facet(const facet_item *a, const facet_item *b)
{
    return memcmp(a->vertex, b->vertex, sizeof a->vertex) == 0;
}

/* Sets the tags of one facet from its cells (sorted items first .. last - 1, a given tag first). */
static abut_status tag_facet(local_mesh *m, const facet_item *first, const facet_item *last,
                             abut_error *err)
{
    int32_t tag = 0;
    while (first < last && first->cell < 0) tag = (first++)->tag;
    if (last - first > 2)
        return error_set(err, ABUT_ERROR_INPUT, "", "cells %d, %d and %d share a facet",
                         first[0].cell, first[1].cell, first[2].cell);
    if (last - first == 2) {
        local_cell *a = &m->cells.data[first[0].cell], *b = &m->cells.data[first[1].cell];
        if (first[0].odd == first[1].odd)
            return error_set(err, ABUT_ERROR_INPUT, "",
                             "cells %d and %d lie on the same side of the facet that they share",
                             first[0].cell, first[1].cell);
        tag = a->attribute == b->attribute ? LOCAL_INTERIOR : LOCAL_INTERFACE;
    }
    for (; first < last; first++) m->cells.data[first->cell].facet[first->corner] = tag;
    return ABUT_OK;
}

/* Adds the given tags of a part. */
static abut_status list_tags(const local_mesh *m, const local_definition *def, int32_t first,
                             facet_list *facets, abut_error *err)
{
    for (size_t i = 0; i < def->facet_count; i++) {
        facet_item f = {.vertex = {-1, -1, -1}, .cell = -1, .tag = def->facet_tags[i]};
        for (int k = 0; k < m->dimension; k++)
            f.vertex[k] = first + def->facets[i * (size_t)m->dimension + (size_t)k];
        sort_vertices(f.vertex, m->dimension);
        if (f.tag < 0)
            return error_set(err, ABUT_ERROR_INPUT, "", "facet %zu has the tag %d, not 0 or more",
                             i, f.tag);
        if (!array_push(facets, f)) return error_memory(err, "reading a mesh");
    }
    return ABUT_OK;
}

static abut_status set_facet_tags(local_mesh *m, const local_definition *parts, size_t count,
                                  abut_error *err)
{
    facet_list facets = {0};
    abut_status status = all_facets(m, &facets, err);
    for (size_t p = 0; p < count && status == ABUT_OK; p++)
        status = list_tags(m, &parts[p], m->part_start.data[2 * p], &facets, err);
    if (facets.count) qsort(facets.data, facets.count, sizeof *facets.data, compare_facets);
    for (size_t i = 0, end; i < facets.count && status == ABUT_OK; i = end) {
        for (end = i + 1; end < facets.count && same_facet(&facets.data[i], &facets.data[end]);)
            end++;
        status = tag_facet(m, facets.data + i, facets.data + end, err);
    }
    array_free(&facets);
    return status;
}

/* Whether the cells of a vertex do not hang together by facets. */
static abut_status find_pinch(const local_mesh *m, int32_t vertex, local_list *cells, bool *pinched,
                              abut_error *err)
{
    *pinched = false;
    array_clear(cells);
    size_t total = 0;
    for (int32_t r = m->vertices.data[vertex].first; r >= 0; r = local_next(m, r)) total++;
    if (total == 0) return ABUT_OK;
    if (!array_push(cells, m->vertices.data[vertex].first / 4))
        return error_memory(err, "reading a mesh");
    for (size_t i = 0; i < cells->count; i++) {
        for (int k = 0; k <= m->dimension; k++) {
            if (m->cells.data[cells->data[i]].vertex[k] == vertex) continue;
            int32_t other = local_mesh_across(m, cells->data[i], k);
            bool known = other < 0;
            for (size_t j = 0; j < cells->count && !known; j++) known = cells->data[j] == other;
            if (!known && !array_push(cells, other)) return error_memory(err, "reading a mesh");
        }
    }
    *pinched = cells->count < total;
    return ABUT_OK;
}

static abut_status mark_pinched(local_mesh *m, abut_error *err)
{
    local_list cells = {0};
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < m->vertices.count && status == ABUT_OK; i++)
        status = find_pinch(m, (int32_t)i, &cells, &m->vertices.data[i].pinched, err);
    array_free(&cells);
    return status;
}

static abut_status check_input(const local_mesh *m, abut_error *err)
{
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < m->cells.count && status == ABUT_OK; i++) {
        if (!(local_cell_quality(m, (int32_t)i) > 1e-9))
            status = error_set(err, ABUT_ERROR_INPUT, "",
                               "cell %zu is flat or inverted (shape %g of at most 1)", i,
                               local_cell_quality(m, (int32_t)i));
        for (int f = 0; f < m->field_count && status == ABUT_OK; f++)
            if (m->is_position[f] && !(local_cell_volume(m, (int32_t)i, f) > 0))
                status =
                    error_set(err, ABUT_ERROR_INPUT, "", "cell %zu is inverted in field %d", i, f);
    }
    return status;
}

static abut_status import_vertices(local_mesh *m, const local_definition *def, int32_t part,
                                   abut_error *err)
{
    for (size_t i = 0; i < def->vertex_count; i++) {
        int32_t number;
        flag_set flags = def->flags ? flag_sets_add(m->flags, def->flags + i * m->flags->words) : 0;
        TRY(local_vertex_birth(m, part, def->rest[i], flags, &number, err));
        m->vertices.data[number].origin = number;
        for (int f = 0; f < m->field_count; f++) *local_field(m, number, f) = def->fields[f][i];
    }
    return ABUT_OK;
}

static abut_status import_cells(local_mesh *m, const local_definition *def, int32_t first,
                                abut_error *err)
{
    static const int32_t inside[4] = {LOCAL_INTERIOR, LOCAL_INTERIOR, LOCAL_INTERIOR,
                                      LOCAL_INTERIOR};
    for (size_t i = 0; i < def->cell_count; i++) {
        const int32_t *given = def->cells + i * (size_t)local_corners(m);
        int32_t v[4];
        for (int k = 0; k <= m->dimension; k++) {
            if (given[k] < 0 || (size_t)given[k] >= def->vertex_count)
                return error_set(err, ABUT_ERROR_INPUT, "",
                                 "cell %zu names vertex %d of a mesh of %zu", i, given[k],
                                 def->vertex_count);
            v[k] = first + given[k];
        }
        TRY(local_cell_birth(m, v, inside, def->attribute ? def->attribute[i] : 0,
                             (int32_t)m->cells.count, NULL, err));
    }
    return ABUT_OK;
}

static size_t words_of(const local_definition *def)
{
    return def->flag_words > 0 ? def->flag_words : 1;
}

static abut_status import_part(local_mesh *m, const local_definition *def, int32_t part,
                               abut_error *err)
{
    int32_t first = (int32_t)m->vertices.count;
    if (def->dimension != m->dimension || def->field_count != m->field_count ||
        words_of(def) != m->flags->words)
        return error_set(err, ABUT_ERROR_INTERNAL, "", "parts of different kinds in one mesh");
    if (!array_push(&m->part_start, first) || !array_push(&m->part_start, (int32_t)m->cells.count))
        return error_memory(err, "reading a mesh");
    TRY(import_vertices(m, def, part, err));
    return import_cells(m, def, first, err);
}

abut_status local_mesh_import(local_mesh *m, const local_definition *def, abut_error *err)
{
    return local_mesh_import_parts(m, def, 1, err);
}

abut_status local_mesh_import_parts(local_mesh *m, const local_definition *parts, size_t count,
                                    abut_error *err)
{
    *m = (local_mesh){.dimension = parts->dimension, .field_count = parts->field_count};
    if (m->field_count < 0 || m->field_count > LOCAL_MAX_FIELDS)
        return error_set(err, ABUT_ERROR_INPUT, "", "%d fields, at most %d are possible",
                         m->field_count, LOCAL_MAX_FIELDS);
    for (int f = 0; f < m->field_count; f++) m->is_position[f] = parts->is_position[f];
    m->flags = mem_calloc(1, sizeof *m->flags);
    abut_status status = m->flags && flag_sets_init(m->flags, words_of(parts))
                             ? ABUT_OK
                             : error_memory(err, "reading a mesh");
    for (size_t p = 0; p < count && status == ABUT_OK; p++)
        status = import_part(m, &parts[p], (int32_t)p, err);
    if (status == ABUT_OK) status = set_facet_tags(m, parts, count, err);
    bool smooth = true;
    for (size_t p = 0; p < count; p++) smooth = smooth && parts[p].smooth;
    if (status == ABUT_OK) status = check_input(m, err);
    if (status == ABUT_OK && !smooth) status = mark_pinched(m, err);
    if (status != ABUT_OK) {
        local_mesh_free(m);
        return status;
    }
    for (size_t i = 0; i < m->vertices.count; i++)
        if (m->vertices.data[i].first < 0) m->vertices.data[i].alive = false;
    m->imported_vertices = m->vertices.count;
    m->imported_cells = m->cells.count;
    local_mesh_commit(m);
    return ABUT_OK;
}

/* --- looking at everything anew ------------------------------------------------------------- */

static abut_status wrong(abut_error *err, const char *what, size_t index)
{
    return error_set(err, ABUT_ERROR_CHECK, "", "%s %zu", what, index);
}

static abut_status check_rings(const local_mesh *m, abut_error *err)
{
    size_t linked = 0, corners = 0;
    for (size_t i = 0; i < m->vertices.count; i++) {
        const local_vertex *v = &m->vertices.data[i];
        if (v->alive != (v->first >= 0)) return wrong(err, "cells of the dead vertex", i);
        int32_t before = -1;
        for (int32_t r = v->first; r >= 0; before = r, r = local_next(m, r)) {
            const local_cell *c = &m->cells.data[r / 4];
            if (!c->alive || c->vertex[r % 4] != (int32_t)i || c->before[r % 4] != before)
                return wrong(err, "the ring of vertex", i);
            linked++;
        }
    }
    for (size_t i = 0; i < m->cells.count; i++)
        if (m->cells.data[i].alive) corners += (size_t)local_corners(m);
    if (linked != corners) return wrong(err, "corners missing in rings:", corners - linked);
    return ABUT_OK;
}

static abut_status check_cells(const local_mesh *m, abut_error *err)
{
    for (size_t i = 0; i < m->cells.count; i++) {
        if (!m->cells.data[i].alive) continue;
        if (!(local_cell_volume(m, (int32_t)i, -1) > 0)) return wrong(err, "no volume: cell", i);
        for (int f = 0; f < m->field_count; f++)
            if (m->is_position[f] && !(local_cell_volume(m, (int32_t)i, f) > 0))
                return wrong(err, "inverted in a field: cell", i);
    }
    return ABUT_OK;
}

static abut_status check_facet(const local_mesh *m, const facet_item *f, size_t count,
                               abut_error *err)
{
    if (count > 2) return wrong(err, "a facet of three cells: cell", (size_t)f->cell);
    const local_cell *a = &m->cells.data[f->cell];
    int32_t tag = a->facet[f->corner];
    if (count == 1)
        return tag >= 0 ? ABUT_OK : wrong(err, "a boundary without tag: cell", (size_t)f->cell);
    const local_cell *b = &m->cells.data[f[1].cell];
    int32_t expected = a->attribute == b->attribute ? LOCAL_INTERIOR : LOCAL_INTERFACE;
    if (tag != expected || b->facet[f[1].corner] != expected)
        return wrong(err, "a tag inside: cell", (size_t)f->cell);
    if (f[0].odd == f[1].odd) return wrong(err, "orientation: cell", (size_t)f->cell);
    return ABUT_OK;
}

abut_status local_mesh_check(const local_mesh *m, abut_error *err)
{
    TRY(check_rings(m, err));
    TRY(check_cells(m, err));
    facet_list facets = {0};
    abut_status status = all_facets(m, &facets, err);
    if (status == ABUT_OK && facets.count)
        qsort(facets.data, facets.count, sizeof *facets.data, compare_facets);
    for (size_t i = 0, end; i < facets.count && status == ABUT_OK; i = end) {
        for (end = i + 1; end < facets.count && same_facet(&facets.data[i], &facets.data[end]);)
            end++;
        status = check_facet(m, &facets.data[i], end - i, err);
    }
    array_free(&facets);
    local_list cells = {0};
    for (size_t i = 0; i < m->vertices.count && status == ABUT_OK; i++) {
        bool pinched;
        status = find_pinch(m, (int32_t)i, &cells, &pinched, err);
        if (status == ABUT_OK && pinched && !m->vertices.data[i].pinched)
            status = wrong(err, "cells hang together in a point or an edge only at vertex", i);
    }
    array_free(&cells);
    return status;
}
