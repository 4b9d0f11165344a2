#include "contact/max_operator.h"

#include "base/sort.h"

#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------- */
/* Links                                                                                          */

void surface_links_free(surface_links *links)
{
    array_free(&links->neighbor_start);
    array_free(&links->neighbor);
    array_free(&links->opposite_start);
    array_free(&links->opposite);
    array_free(&links->triangle_edges);
    array_free(&links->inner);
    array_free(&links->scratch);
}

/* Turns counts in start[1..n] into offsets. */
static void accumulate(int32_t *start, size_t n)
{
    for (size_t i = 0; i < n; i++) start[i + 1] += start[i];
}

static abut_status link_vertices(surface_links *l, const collision_surface *s, size_t n,
                                 abut_error *err)
{
    size_t ends = s->edges.count;
    if (!array_resize(&l->neighbor_start, n + 2) || !array_resize(&l->neighbor, ends + 1))
        return error_memory(err, "linking the surface");
    int32_t *start = l->neighbor_start.data;
    for (size_t i = 0; i < n + 2; i++) start[i] = 0;
    for (size_t i = 0; i < ends; i++) start[s->edges.data[i] + 1]++;
    accumulate(start, n);
    for (size_t i = ends; i-- > 0;) { /* from the back: start[v + 1] moves down to its begin */
        int32_t v = s->edges.data[i];
        l->neighbor.data[--start[v + 1]] = s->edges.data[i ^ 1];
    }
    for (size_t i = 0; i < n; i++) start[i] = start[i + 1];
    start[n] = (int32_t)ends;
    for (size_t i = 0; i < n; i++)
        qsort(l->neighbor.data + start[i], (size_t)(start[i + 1] - start[i]), sizeof(int32_t),
              compare_int32);
    return ABUT_OK;
}

typedef struct sorted_edge {
    int32_t low, high, edge;
} sorted_edge;

static int compare_edges(const void *a, const void *b)
{
    const sorted_edge *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

static sorted_edge edge_key(int32_t a, int32_t b, int32_t edge)
{
    return a < b ? (sorted_edge){a, b, edge} : (sorted_edge){b, a, edge};
}

static abut_status link_triangles(surface_links *l, const collision_surface *s, size_t n,
                                  abut_error *err)
{
    size_t edges = s->edges.count / 2, corners = s->triangles.count;
    sorted_edge *sorted = mem_alloc(edges + 1, sizeof *sorted);
    if (!sorted || !array_resize(&l->opposite_start, edges + 2) ||
        !array_resize(&l->opposite, corners + 1) ||
        !array_resize(&l->triangle_edges, corners + 1) || !array_resize(&l->inner, n + 1)) {
        mem_free(sorted);
        return error_memory(err, "linking the surface");
    }
    for (size_t e = 0; e < edges; e++)
        sorted[e] = edge_key(s->edges.data[2 * e], s->edges.data[2 * e + 1], (int32_t)e);
    qsort(sorted, edges, sizeof *sorted, compare_edges);
    int32_t *start = l->opposite_start.data;
    for (size_t e = 0; e < edges + 2; e++) start[e] = 0;
    for (size_t i = 0; i < corners; i++) {
        const int32_t *t = s->triangles.data + i / 3 * 3;
        sorted_edge wanted = edge_key(t[i % 3], t[(i + 1) % 3], 0);
        const sorted_edge *found = bsearch(&wanted, sorted, edges, sizeof *sorted, compare_edges);
        l->triangle_edges.data[i] = found ? found->edge : -1;
        if (found) start[found->edge + 1]++;
    }
    mem_free(sorted);
    accumulate(start, edges);
    int32_t total = start[edges];
    for (size_t i = corners; i-- > 0;) {
        int32_t e = l->triangle_edges.data[i];
        if (e >= 0) l->opposite.data[--start[e + 1]] = s->triangles.data[i / 3 * 3 + (i + 2) % 3];
    }
    for (size_t e = 0; e < edges; e++) start[e] = start[e + 1];
    start[edges] = total;
    for (size_t i = 0; i < n; i++) l->inner.data[i] = 1;
    for (size_t e = 0; e < edges; e++)
        for (int k = 0; k < 2 && start[e + 1] - start[e] != 2; k++)
            l->inner.data[s->edges.data[2 * e + (size_t)k]] = 0;
    return ABUT_OK;
}

abut_status surface_links_make(surface_links *links, const collision_surface *s,
                               size_t vertex_count, abut_error *err)
{
    TRY(link_vertices(links, s, vertex_count, err));
    return link_triangles(links, s, vertex_count, err);
}

static bool are_neighbors(const surface_links *l, int32_t a, int32_t b)
{
    const int32_t *start = l->neighbor_start.data;
    return bsearch(&b, l->neighbor.data + start[a], (size_t)(start[a + 1] - start[a]), sizeof b,
                   compare_int32) != NULL;
}

/* Edges of vertex v that do not end at `from`. */
static int edges_apart(const surface_links *l, int32_t v, int32_t from)
{
    return l->neighbor_start.data[v + 1] - l->neighbor_start.data[v] - are_neighbors(l, v, from);
}

static int triangles_apart(const surface_links *l, int32_t edge, int32_t v)
{
    int count = 0;
    for (int32_t i = l->opposite_start.data[edge]; i < l->opposite_start.data[edge + 1]; i++)
        count += l->opposite.data[i] != v;
    return count;
}

/* ---------------------------------------------------------------------------------------------- */
/* Corrections                                                                                    */

static int compare_pairs(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Sorts the pairs in the scratch and drops repetitions; returns their number. */
static size_t unique_pairs(surface_links *l)
{
    size_t count = l->scratch.count / 2, kept = 0;
    if (count == 0) return 0;
    int32_t(*pairs)[2] = (int32_t(*)[2])l->scratch.data;
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 1; i < count; i++)
        if (compare_pairs(pairs[kept], pairs[i]) != 0) {
            kept++;
            pairs[kept][0] = pairs[i][0];
            pairs[kept][1] = pairs[i][1];
        }
    return kept + 1;
}

static bool note(surface_links *l, int32_t a, int32_t b)
{
    return array_push(&l->scratch, a) && array_push(&l->scratch, b);
}

static bool add_point_edge(active_set *set, const collision_surface *s, int32_t v, int32_t edge,
                           const vec3 *y, double dhat, double weight)
{
    const int32_t *e = s->edges.data + 2 * (size_t)edge;
    double xi = surface_pair_thickness(s, &v, 1, e, 2);
    point_edge_type type;
    double d2 = point_edge_closest(y[v], y[e[0]], y[e[1]], &type, NULL);
    if (weight == 0 || d2 >= (dhat + xi) * (dhat + xi)) return true;
    int32_t g[3] = {v, e[0], e[1]};
    return active_set_append(set, &point_edge_features[type], g, d2, xi, weight);
}

static bool add_point_point(active_set *set, const collision_surface *s, int32_t v, int32_t w,
                            const vec3 *y, double dhat, double weight)
{
    static const feature_stencil point_point = {STENCIL_PP, 2, {0, 1}};
    double xi = surface_pair_thickness(s, &v, 1, &w, 1), d2 = point_point_distance2(y[v], y[w]);
    if (weight == 0 || d2 >= (dhat + xi) * (dhat + xi)) return true;
    int32_t g[2] = {v, w};
    return active_set_append(set, &point_point, g, d2, xi, weight);
}

static double vertex_area(const active_set *set, int32_t v)
{
    return set->weights.areas ? set->weights.areas->vertex.data[v] : 1;
}

/* 1 - n for n > 1 things that share a feature. */
static double excess(int n) { return n > 1 ? 1 - n : 0; }

static bool correct_triangles(active_set *set, const collision_surface *s,
                              const int32_t (*pairs)[2], const bool *active, size_t count,
                              const vec3 *y, double dhat)
{
    surface_links *l = set->weights.links;
    double share = set->weights.areas ? 0.25 : 1;
    bool ok = true;
    array_clear(&l->scratch);
    for (size_t i = 0; ok && i < count; i++)
        for (size_t k = 0; ok && active[i] && k < 3; k++) {
            int32_t edge = l->triangle_edges.data[3 * (size_t)pairs[i][1] + k];
            if (edge >= 0) ok = note(l, pairs[i][0], edge);
        }
    size_t found = ok ? unique_pairs(l) : 0;
    for (size_t i = 0; ok && i < found; i++) {
        int32_t v = l->scratch.data[2 * i], edge = l->scratch.data[2 * i + 1];
        ok = add_point_edge(set, s, v, edge, y, dhat,
                            share * vertex_area(set, v) * excess(triangles_apart(l, edge, v)));
    }
    array_clear(&l->scratch);
    for (size_t i = 0; ok && i < count; i++)
        for (size_t k = 0; ok && active[i] && k < 3; k++) {
            int32_t w = s->triangles.data[3 * (size_t)pairs[i][1] + k];
            if (l->inner.data[w] && !are_neighbors(l, pairs[i][0], w)) ok = note(l, pairs[i][0], w);
        }
    found = ok ? unique_pairs(l) : 0;
    for (size_t i = 0; ok && i < found; i++) {
        int32_t v = l->scratch.data[2 * i], w = l->scratch.data[2 * i + 1];
        ok = add_point_point(set, s, v, w, y, dhat, share * vertex_area(set, v));
    }
    return ok;
}

/* Every edge against the vertices of the others; a pair counts half for each of its edges. */
static bool correct_edges(active_set *set, const collision_surface *s, const int32_t (*pairs)[2],
                          const bool *active, size_t count, const vec3 *y, double dhat)
{
    surface_links *l = set->weights.links;
    bool ok = true;
    array_clear(&l->scratch);
    for (size_t i = 0; ok && i < count; i++)
        for (int k = 0; ok && active[i] && k < 4; k++) {
            int32_t edge = pairs[i][k / 2], other = pairs[i][1 - k / 2];
            ok = note(l, edge, s->edges.data[2 * (size_t)other + (size_t)(k % 2)]);
        }
    size_t found = ok ? unique_pairs(l) : 0;
    for (size_t i = 0; ok && i < found; i++) {
        int32_t edge = l->scratch.data[2 * i], v = l->scratch.data[2 * i + 1];
        const int32_t *e = s->edges.data + 2 * (size_t)edge;
        int shared = edges_apart(l, v, e[0]) - are_neighbors(l, v, e[1]);
        double weight = set->weights.areas ? 0.25 * set->weights.areas->edge.data[edge] : 0.5;
        ok = add_point_edge(set, s, v, edge, y, dhat, weight * excess(shared));
    }
    return ok;
}

static bool correct_vertices(active_set *set, const collision_surface *s, const int32_t (*pairs)[2],
                             const bool *active, size_t count, const vec3 *y, double dhat)
{
    surface_links *l = set->weights.links;
    double share = set->weights.areas ? 0.5 : 1;
    bool ok = true;
    array_clear(&l->scratch);
    for (size_t i = 0; ok && i < count; i++)
        for (size_t k = 0; ok && active[i] && k < 2; k++)
            ok = note(l, pairs[i][0], s->edges.data[2 * (size_t)pairs[i][1] + k]);
    size_t found = ok ? unique_pairs(l) : 0;
    for (size_t i = 0; ok && i < found; i++) {
        int32_t v = l->scratch.data[2 * i], w = l->scratch.data[2 * i + 1];
        ok = add_point_point(set, s, v, w, y, dhat,
                             share * vertex_area(set, v) * excess(edges_apart(l, w, v)));
    }
    return ok;
}

abut_status max_operator_correct(active_set *set, const collision_surface *s, max_sum sum,
                                 const int32_t (*pairs)[2], const bool *active, size_t count,
                                 const vec3 *y, double dhat, abut_error *err)
{
    bool ok = true;
    switch (sum) {
    case SUM_TRIANGLES: ok = correct_triangles(set, s, pairs, active, count, y, dhat); break;
    case SUM_EDGES_OF_EDGE: ok = correct_edges(set, s, pairs, active, count, y, dhat); break;
    case SUM_EDGES_OF_VERTEX: ok = correct_vertices(set, s, pairs, active, count, y, dhat); break;
    }
    return ok ? ABUT_OK : error_memory(err, "building the active set");
}

void max_operator_drop(active_set *set)
{
    static const stencil_list lists[] = {LIST_PP, LIST_PE};
    for (int k = 0; k < 2; k++) {
        stencil_array *list = &set->lists[lists[k]];
        size_t kept = 0;
        for (size_t i = 0; i < list->count; i++) {
            const contact_stencil *c = &list->data[i];
            double typical = vertex_area(set, c->vertex[0]);
            if (fabs(c->multiplicity) > 1e-10 * typical) list->data[kept++] = *c;
        }
        list->count = kept;
    }
}
