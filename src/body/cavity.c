#include "body/cavity.h"

#include <stdlib.h>
#include <string.h>

void cavity_free(model_cavity *c)
{
    array_free(&c->triangles);
    expression_free(c->amount);
    c->amount = NULL;
}

/* Six times the volume of the tetrahedron over a triangle, about a point near it. */
static double six_volume(const int32_t *t, const double *x, vec3 center)
{
    vec3 p[3];
    for (int k = 0; k < 3; k++) p[k] = vec3_sub(vec3_load(x + 3 * (size_t)t[k]), center);
    return vec3_dot(p[0], vec3_cross(p[1], p[2]));
}

double cavity_volume(const model_cavity *c, const double *x)
{
    if (c->triangles.count == 0) return 0;
    vec3 center = vec3_load(x + 3 * (size_t)c->triangles.data[0]);
    double sum = 0;
    for (size_t t = 0; t < c->triangles.count; t += 3)
        sum += six_volume(c->triangles.data + t, x, center);
    return sum / 6;
}

/* An edge of a triangle: its ends in order, and whether the triangle goes from first to second. */
typedef struct half_edge {
    int32_t first, second;
    bool forward;
} half_edge;

static int compare_edges(const void *a, const void *b)
{
    const half_edge *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->second != y->second) return x->second < y->second ? -1 : 1;
    return (int)x->forward - (int)y->forward;
}

/* Looks at the triangles of one edge, [at, end). */
static abut_status check_edge(const half_edge *edges, size_t at, size_t end, abut_error *err)
{
    if (end - at != 2)
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "the surface is not closed: the edge of nodes %d and %d has %zu "
                         "triangle%s, and must have 2",
                         edges[at].first, edges[at].second, end - at, end - at == 1 ? "" : "s");
    if (edges[at].forward == edges[at + 1].forward)
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "the triangles at the edge of nodes %d and %d face different sides",
                         edges[at].first, edges[at].second);
    return ABUT_OK;
}

abut_status cavity_check_closed(const int32_t *triangles, size_t count, abut_error *err)
{
    half_edge *edges = mem_alloc(3 * count + 1, sizeof *edges);
    if (!edges) return error_memory(err, "checking a cavity");
    for (size_t t = 0; t < count; t++)
        for (size_t k = 0; k < 3; k++) {
            int32_t a = triangles[3 * t + k], b = triangles[3 * t + (k + 1) % 3];
            edges[3 * t + k] = (half_edge){a < b ? a : b, a < b ? b : a, a < b};
        }
    qsort(edges, 3 * count, sizeof *edges, compare_edges);
    abut_status status = ABUT_OK;
    for (size_t at = 0, end; status == ABUT_OK && at < 3 * count; at = end) {
        for (end = at; end < 3 * count && edges[end].first == edges[at].first &&
                       edges[end].second == edges[at].second;)
            end++;
        status = check_edge(edges, at, end, err);
    }
    mem_free(edges);
    return status;
}

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Six times the volume of every piece, at the root of its nodes. */
static void sum_pieces(const model_cavity *c, const double *x, int32_t *parent, double *volume)
{
    for (size_t t = 0; t < c->triangles.count; t += 3)
        for (size_t k = 1; k < 3; k++)
            parent[root_of(parent, c->triangles.data[t + k])] =
                root_of(parent, c->triangles.data[t]);
    vec3 center = vec3_load(x + 3 * (size_t)c->triangles.data[0]);
    for (size_t t = 0; t < c->triangles.count; t += 3)
        volume[root_of(parent, c->triangles.data[t])] +=
            six_volume(c->triangles.data + t, x, center);
}

abut_status cavity_keep_inner(model_cavity *c, size_t block_count, const double *x, abut_error *err)
{
    if (c->triangles.count == 0) return ABUT_OK;
    int32_t *parent = mem_alloc(block_count + 1, sizeof *parent);
    double *volume = mem_calloc(block_count + 1, sizeof *volume);
    if (!parent || !volume) {
        mem_free(parent);
        mem_free(volume);
        return error_memory(err, "looking for a cavity");
    }
    for (size_t i = 0; i < block_count; i++) parent[i] = (int32_t)i;
    sum_pieces(c, x, parent, volume);
    size_t kept = 0;
    for (size_t t = 0; t < c->triangles.count; t += 3) {
        int32_t *from = c->triangles.data + t;
        if (!(volume[root_of(parent, from[0])] < 0)) continue;
        const int32_t turned[3] = {from[0], from[2], from[1]};
        memcpy(c->triangles.data + kept, turned, sizeof turned);
        kept += 3;
    }
    c->triangles.count = kept;
    mem_free(parent);
    mem_free(volume);
    return ABUT_OK;
}
