/* Bodies as meshes for the methods of remeshing. */
#include "sim/remesh_methods.h"

#include "mesh/refine.h"
#include "remesh/overlap.h"

#include <stdlib.h>
#include <string.h>

/* ---- uniform refinement ---- */

/* An edge and the sets that contain a facet of the boundary, or a cell, with this edge. */
typedef struct edge_sets {
    int32_t node[2];
    flag_set sets;
} edge_sets;

static int compare_edges(const void *a, const void *b)
{
    const edge_sets *p = a, *q = b;
    if (p->node[0] != q->node[0]) return p->node[0] < q->node[0] ? -1 : 1;
    return (p->node[1] > q->node[1]) - (p->node[1] < q->node[1]);
}

typedef ARRAY(edge_sets) edge_list;

/* The sets of all nodes, as combinations. */
typedef struct node_flags {
    flag_sets *sets;
    ARRAY(flag_set) node;
} node_flags;

/* All edges among some nodes, in the sets that all of them are in. */
static bool push_edges(edge_list *out, const int32_t *node, int count, const node_flags *of)
{
    flag_set common = of->node.data[node[0]];
    bool ok = true;
    for (int k = 1; k < count; k++)
        common = flag_sets_common(of->sets, common, of->node.data[node[k]]);
    if (common == 0) return true;
    for (int i = 0; i < count; i++)
        for (int k = i + 1; ok && k < count; k++) {
            int32_t a = node[i], b = node[k];
            ok = array_push(out, (edge_sets){{a < b ? a : b, a < b ? b : a}, common});
        }
    return ok;
}

typedef struct facet {
    int32_t node[3];
} facet;

static int compare_facets(const void *a, const void *b) { return memcmp(a, b, sizeof(int32_t[3])); }

static bool list_edges(const simplex_mesh *m, const node_flags *of, edge_list *out)
{
    size_t corners = (size_t)m->dimension + 1, n = 0;
    facet *facets = mem_calloc(m->cell_count * corners + 1, sizeof *facets);
    bool ok = facets != NULL;
    for (size_t c = 0; ok && c < m->cell_count; c++) {
        const int32_t *cell = m->cells + c * corners;
        ok = push_edges(out, cell, (int)corners, of);
        for (size_t k = 0; k < corners; k++, n++) {
            size_t at = 0;
            for (size_t j = 0; j < corners; j++) {
                if (j == k) continue;
                size_t slot = at++;
                for (; slot > 0 && facets[n].node[slot - 1] > cell[j]; slot--)
                    facets[n].node[slot] = facets[n].node[slot - 1];
                facets[n].node[slot] = cell[j];
            }
        }
    }
    if (ok) qsort(facets, n, sizeof *facets, compare_facets);
    for (size_t i = 0; ok && i < n;) {
        size_t end = i + 1;
        while (end < n && compare_facets(&facets[i], &facets[end]) == 0) end++;
        if (end == i + 1) ok = push_edges(out, facets[i].node, m->dimension, of);
        i = end;
    }
    mem_free(facets);
    if (ok && out->count) qsort(out->data, out->count, sizeof *out->data, compare_edges);
    return ok;
}

static flag_set sets_of_edge(flag_sets *all, const edge_list *edges, int32_t a, int32_t b)
{
    edge_sets key = {{a < b ? a : b, a < b ? b : a}, 0};
    const edge_sets *found =
        edges->count ? bsearch(&key, edges->data, edges->count, sizeof key, compare_edges) : NULL;
    if (!found) return 0;
    while (found > edges->data && compare_edges(found - 1, &key) == 0) found--;
    flag_set sets = 0;
    for (; found < edges->data + edges->count && compare_edges(found, &key) == 0; found++)
        sets = flag_sets_union(all, sets, found->sets);
    return sets;
}

/* The set of a vertex of the finer mesh: in the middle of an edge those of the edge. */
static flag_set refined_set(const simplex_mesh *from, const interpolation_row *row,
                            const node_flags *of, const edge_list *edges)
{
    const int32_t *corner = from->cells + (size_t)row->cell * (size_t)(from->dimension + 1);
    int32_t parent[4];
    int count = 0;
    for (int k = 0; k <= from->dimension; k++)
        if (row->weight[k] > 1e-6) parent[count++] = corner[k];
    if (count == 1) return of->node.data[parent[0]];
    return count == 2 ? sets_of_edge(of->sets, edges, parent[0], parent[1]) : 0;
}

static bool fill_sets(const body_shape *old, const simplex_mesh *from, const interpolation *rows,
                      node_flags *of, edge_list *edges, body_shape *out)
{
    size_t words = old->set_words, finer = out->shape.vertex_count;
    if (!array_resize(&of->node, from->vertex_count)) return false;
    for (size_t v = 0; v < from->vertex_count; v++)
        of->node.data[v] = flag_sets_add(of->sets, old->sets + v * words);
    if (!list_edges(from, of, edges)) return false;
    for (size_t v = 0; v < finer; v++) {
        flag_set found = refined_set(from, &rows->rows.data[v], of, edges);
        memcpy(out->sets + v * words, flag_sets_bits(of->sets, found), words * sizeof *out->sets);
    }
    return !of->sets->failed;
}

static abut_status refine_sets(const body_shape *old, bool planar, body_shape *out, abut_error *err)
{
    simplex_mesh from = simplex_view(&old->shape, planar), to = simplex_view(&out->shape, planar);
    interpolation rows = {0};
    edge_list edges = {0};
    flag_sets sets = {0};
    node_flags of = {.sets = &sets};
    abut_status status = interpolation_make(&from, &to, &rows, err);
    out->set_words = old->set_words;
    out->sets = mem_calloc((to.vertex_count + 1) * out->set_words, sizeof *out->sets);
    if (status == ABUT_OK && !(out->sets && flag_sets_init(&sets, old->set_words) &&
                               fill_sets(old, &from, &rows, &of, &edges, out)))
        status = error_memory(err, "refining sets of nodes");
    flag_sets_free(&sets);
    array_free(&of.node);
    array_free(&edges);
    interpolation_free(&rows);
    return status;
}

abut_status shape_refine(const body_shape *old, bool planar, int levels, body_shape *out,
                         abut_error *err)
{
    body_shape now = {0};
    TRY(mesh_copy(&old->shape, &now.shape, err));
    size_t n = old->shape.vertex_count;
    now.set_words = old->set_words;
    now.sets = mem_alloc((n + 1) * now.set_words, sizeof *now.sets);
    abut_status status = now.sets ? ABUT_OK : error_memory(err, "refining");
    if (status == ABUT_OK) memcpy(now.sets, old->sets, n * now.set_words * sizeof *now.sets);
    for (int k = 0; status == ABUT_OK && k < levels; k++) {
        body_shape finer = {0};
        status = mesh_copy(&now.shape, &finer.shape, err);
        if (status == ABUT_OK) status = mesh_refine(&finer.shape, err);
        if (status == ABUT_OK) status = refine_sets(&now, planar, &finer, err);
        mesh_free(&now.shape);
        mem_free(now.sets);
        now = finer;
    }
    if (status != ABUT_OK) {
        mesh_free(&now.shape);
        mem_free(now.sets);
        return status;
    }
    *out = now;
    return ABUT_OK;
}

/* ---- local meshes ---- */

abut_status shape_to_local(const stepper *s, const body_shape *shape, size_t built, local_mesh *out,
                           abut_error *err)
{
    bool planar = s->model->planar;
    const cell_block *cells = mesh_find(&shape->shape, planar ? CELL_TRIANGLE : CELL_TET);
    size_t first = (size_t)s->model->bodies.data[built].first_block;
    state_array arrays[CARRY_MAX_FIELDS];
    motion_state state = s->state; /* only read */
    size_t count = motion_arrays(&state, "", arrays, CARRY_MAX_FIELDS);
    const vec3 *fields[CARRY_MAX_FIELDS + 1];
    bool position[CARRY_MAX_FIELDS + 1];
    fields[LOCAL_NEXT] = (const vec3 *)(const void *)s->x + first;
    position[LOCAL_NEXT] = true;
    for (size_t k = 0; k < count; k++) {
        fields[LOCAL_NOW + k] = (const vec3 *)(const void *)arrays[k].doubles + first;
        position[LOCAL_NOW + k] = carried_position(&s->state, k);
    }
    local_definition def = {.dimension = planar ? 2 : 3,
                            .vertex_count = shape->shape.vertex_count,
                            .cell_count = cells->count,
                            .rest = shape->shape.vertices,
                            .cells = cells->nodes,
                            .attribute = cells->tags,
                            .flags = shape->sets,
                            .flag_words = shape->set_words,
                            .field_count = (int)count + 1,
                            .fields = fields,
                            .is_position = position};
    return local_mesh_import(out, &def, err);
}

static double *copy_field(const local_export *e, int field)
{
    double *out = mem_alloc(3 * e->vertex_count + 1, sizeof *out);
    if (out) memcpy(out, e->fields[field], 3 * e->vertex_count * sizeof *out);
    return out;
}

abut_status local_to_change(const local_mesh *m, body_change *out, abut_error *err)
{
    local_export e = {0};
    TRY(local_mesh_export(m, &e, err));
    *out = (body_change){.changed = true, .nested = e.nested};
    abut_status status = local_export_mesh(&e, &out->now.shape, err);
    out->now.set_words = e.flag_words;
    out->now.sets = mem_alloc((e.vertex_count + 1) * e.flag_words, sizeof *out->now.sets);
    out->next = copy_field(&e, LOCAL_NEXT);
    out->field_count = (size_t)e.field_count - 1;
    bool ok = out->now.sets && out->next;
    for (size_t k = 0; ok && k < out->field_count; k++) {
        out->field[k] = copy_field(&e, (int)k + LOCAL_NOW);
        ok = out->field[k] != NULL;
    }
    if (ok) memcpy(out->now.sets, e.flags, e.vertex_count * e.flag_words * sizeof *e.flags);
    local_export_free(&e);
    if (status == ABUT_OK && !ok) status = error_memory(err, "taking a new mesh");
    if (status != ABUT_OK) body_change_free(out);
    return status;
}
