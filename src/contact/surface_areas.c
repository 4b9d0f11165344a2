#include "contact/active_set.h"

#include <math.h>
#include <stdlib.h>

void surface_areas_free(surface_areas *areas)
{
    array_free(&areas->vertex);
    array_free(&areas->edge);
}

/* An edge by its vertices, and where it is in the list of edges. */
typedef struct sorted_edge {
    int32_t low, high;
    size_t index;
} sorted_edge;

static int compare_edges(const void *a, const void *b)
{
    const sorted_edge *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

static sorted_edge edge_key(int32_t a, int32_t b, size_t index)
{
    return a < b ? (sorted_edge){a, b, index} : (sorted_edge){b, a, index};
}

static void add_triangle(surface_areas *areas, const int32_t *v, const vec3 *rest,
                         const sorted_edge *sorted, size_t edges)
{
    vec3 u = vec3_sub(rest[v[1]], rest[v[0]]), w = vec3_sub(rest[v[2]], rest[v[0]]);
    double area = 0.5 * vec3_norm(vec3_cross(u, w));
    for (int k = 0; k < 3; k++) {
        sorted_edge wanted = edge_key(v[k], v[(k + 1) % 3], 0);
        const sorted_edge *found = bsearch(&wanted, sorted, edges, sizeof *sorted, compare_edges);
        areas->vertex.data[v[k]] += area / 3;
        if (found) areas->edge.data[found->index] += area / 3;
    }
}

/* Where nothing says how wide an edge or a point is: as wide as the edges around are long. In
 * scenes without triangles (those of the plane) a unit of depth. */
static double default_width(const collision_surface *s, const vec3 *rest)
{
    size_t edges = s->edges.count / 2;
    if (s->triangles.count == 0) return 1;
    double sum = 0;
    for (size_t e = 0; e < edges; e++)
        sum += vec3_norm(vec3_sub(rest[s->edges.data[2 * e]], rest[s->edges.data[2 * e + 1]]));
    return sum / (double)edges;
}

static double width_at(const collision_surface *s, size_t vertex, double fallback)
{
    if (s->width.count > 0 && s->width.data[vertex] > 0) return s->width.data[vertex];
    if (s->thickness.count > 0 && s->thickness.data[vertex] > 0) return s->thickness.data[vertex];
    return fallback;
}

/* What belongs to no triangle: the area that it shows to what it touches, an edge its length times
 * its width, a lone point the square of its width. The stiffness of the barrier is one for all
 * pairs, so weights in other units (lengths, a number for points) would leave some kinds of bodies
 * without a force. */
static void add_widths(surface_areas *areas, const collision_surface *s, const vec3 *rest,
                       size_t vertex_count)
{
    double fallback = default_width(s, rest);
    for (size_t e = 0; e < s->edges.count / 2; e++) {
        const int32_t *v = s->edges.data + 2 * e;
        if (areas->edge.data[e] > 0) continue;
        double width = width_at(s, (size_t)v[0], fallback);
        double area = width * vec3_norm(vec3_sub(rest[v[1]], rest[v[0]]));
        areas->edge.data[e] = area;
        for (int k = 0; k < 2; k++) areas->vertex.data[v[k]] += 0.5 * area;
    }
    for (size_t v = 0; v < vertex_count; v++) {
        double width = width_at(s, v, fallback);
        if (areas->vertex.data[v] <= 0) areas->vertex.data[v] = width * width;
    }
}

abut_status surface_areas_measure(surface_areas *areas, const collision_surface *s,
                                  const vec3 *rest, size_t vertex_count, abut_error *err)
{
    size_t edges = s->edges.count / 2;
    sorted_edge *sorted = mem_alloc(edges, sizeof *sorted);
    if (!sorted || !array_resize(&areas->vertex, vertex_count) ||
        !array_resize(&areas->edge, edges)) {
        mem_free(sorted);
        return error_memory(err, "measuring the surface");
    }
    for (size_t v = 0; v < vertex_count; v++) areas->vertex.data[v] = 0;
    for (size_t e = 0; e < edges; e++) {
        areas->edge.data[e] = 0;
        sorted[e] = edge_key(s->edges.data[2 * e], s->edges.data[2 * e + 1], e);
    }
    qsort(sorted, edges, sizeof *sorted, compare_edges);
    for (size_t t = 0; t < s->triangles.count / 3; t++)
        add_triangle(areas, s->triangles.data + 3 * t, rest, sorted, edges);
    mem_free(sorted);
    add_widths(areas, s, rest, vertex_count);
    return ABUT_OK;
}

/* Faces are at more than 60 degrees to the plane when they stand, such as the sides of a block, and
 * less when they lie on it, such as the bottom, or peel off. */
static void add_facing(double *out, const int32_t *vertex, int count, double area, double seen)
{
    static const double STEEP = 0.5;
    if (!(fabs(seen) > STEEP * area)) area = 0;
    for (int k = 0; k < count; k++) {
        double *to = &out[vertex[k]];
        *to = (isnan(*to) ? 0 : *to) + area / count;
    }
}

void surface_facing_areas(const surface_areas *areas, const collision_surface *s, const vec3 *y,
                          vec3 normal, double *out)
{
    size_t triangles = s->triangles.count / 3;
    for (size_t v = 0; v < s->rows.count; v++) out[v] = NAN;
    for (size_t t = 0; t < triangles; t++) {
        const int32_t *v = s->triangles.data + 3 * t;
        vec3 area = vec3_cross(vec3_sub(y[v[1]], y[v[0]]), vec3_sub(y[v[2]], y[v[0]]));
        add_facing(out, v, 3, 0.5 * vec3_norm(area), 0.5 * vec3_dot(normal, area));
    }
    for (size_t e = 0; triangles == 0 && e < s->edges.count / 2; e++) {
        const int32_t *v = s->edges.data + 2 * e;
        vec3 along = vec3_sub(y[v[1]], y[v[0]]);
        add_facing(out, v, 2, vec3_norm(along), normal.x * along.y - normal.y * along.x);
    }
    for (size_t v = 0; v < s->rows.count; v++)
        out[v] = isnan(out[v]) ? areas->vertex.data[v] : out[v];
}
