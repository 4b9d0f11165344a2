#include "contact/active_set.h"

#include <stdlib.h>

void surface_areas_free(surface_areas *areas)
{
    array_free(&areas->vertex);
    array_free(&areas->edge);
}

/* An edge by its vertices, and where it is in the list of edges. */
typedef struct edge_place {
    int32_t low, high;
    size_t index;
} edge_place;

static int compare_places(const void *a, const void *b)
{
    const edge_place *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

static edge_place place_of(int32_t a, int32_t b, size_t index)
{
    return a < b ? (edge_place){a, b, index} : (edge_place){b, a, index};
}

static void add_triangle(surface_areas *areas, const int32_t *v, const vec3 *rest,
                         const edge_place *places, size_t edges)
{
    vec3 u = vec3_sub(rest[v[1]], rest[v[0]]), w = vec3_sub(rest[v[2]], rest[v[0]]);
    double area = 0.5 * vec3_norm(vec3_cross(u, w));
    for (int k = 0; k < 3; k++) {
        edge_place wanted = place_of(v[k], v[(k + 1) % 3], 0);
        const edge_place *found = bsearch(&wanted, places, edges, sizeof *places, compare_places);
        areas->vertex.data[v[k]] += area / 3;
        if (found) areas->edge.data[found->index] += area / 3;
    }
}

abut_status surface_areas_measure(surface_areas *areas, const collision_surface *s,
                                  const vec3 *rest, size_t vertex_count, abut_error *err)
{
    size_t edges = s->edges.count / 2;
    edge_place *places = mem_alloc(edges, sizeof *places);
    if (!places || !array_resize(&areas->vertex, vertex_count) ||
        !array_resize(&areas->edge, edges)) {
        mem_free(places);
        return error_memory(err, "measuring the surface");
    }
    for (size_t v = 0; v < vertex_count; v++) areas->vertex.data[v] = 0;
    for (size_t e = 0; e < edges; e++) {
        areas->edge.data[e] = 0;
        places[e] = place_of(s->edges.data[2 * e], s->edges.data[2 * e + 1], e);
    }
    qsort(places, edges, sizeof *places, compare_places);
    for (size_t t = 0; t < s->triangles.count / 3; t++)
        add_triangle(areas, s->triangles.data + 3 * t, rest, places, edges);
    mem_free(places);
    /* What belongs to no triangle: lengths instead of areas. */
    for (size_t e = 0; e < edges; e++) {
        const int32_t *v = s->edges.data + 2 * e;
        if (areas->edge.data[e] > 0) continue;
        double length = vec3_norm(vec3_sub(rest[v[1]], rest[v[0]]));
        areas->edge.data[e] = length;
        for (int k = 0; k < 2; k++) areas->vertex.data[v[k]] += 0.5 * length;
    }
    /* A lone point has no measure, but without a weight nothing would hold it off. */
    for (size_t v = 0; v < vertex_count; v++)
        if (areas->vertex.data[v] <= 0) areas->vertex.data[v] = 1;
    return ABUT_OK;
}
