#include "geometry/check.h"

#include <math.h>
#include <string.h>

size_t check_pair_vertices(const check_surface *surface, const check_pair *pair, int32_t first[3],
                           int32_t second[3], size_t *second_count)
{
    size_t first_count = 1;
    first[0] = pair->first;
    if (pair->kind == CHECK_EDGE_TRIANGLE || pair->kind == CHECK_EDGE_EDGE) {
        memcpy(first, surface->edges[pair->first], 2 * sizeof *first);
        first_count = 2;
    }
    *second_count = 1;
    second[0] = pair->second;
    if (pair->kind == CHECK_EDGE_TRIANGLE || pair->kind == CHECK_POINT_TRIANGLE) {
        memcpy(second, surface->triangles[pair->second], 3 * sizeof *second);
        *second_count = 3;
    } else if (pair->kind != CHECK_POINT_POINT) {
        memcpy(second, surface->edges[pair->second], 2 * sizeof *second);
        *second_count = 2;
    }
    return first_count;
}

/* Parameter along a0-a1 of the point nearest to the line through b0, b1. */
static double along_edge(vec3 a0, vec3 a1, vec3 b0, vec3 b1)
{
    vec3 u = vec3_sub(a1, a0), v = vec3_sub(b1, b0), w = vec3_sub(a0, b0);
    double uu = vec3_dot(u, u), uv = vec3_dot(u, v), vv = vec3_dot(v, v);
    double det = uu * vv - uv * uv;
    double s = det > 0 ? (uv * vec3_dot(v, w) - vv * vec3_dot(u, w)) / det : 0.5;
    return fmin(fmax(s, 0), 1);
}

void check_locate(const check_surface *surface, const check_pair *pair, vec3 *position,
                  double *depth)
{
    int32_t first[3], second[3];
    size_t second_count;
    size_t first_count = check_pair_vertices(surface, pair, first, second, &second_count);
    const vec3 *x = surface->vertices;
    *depth = 0;
    *position = x[first[0]];
    if (first_count == 1) return;
    vec3 along = vec3_sub(x[first[1]], x[first[0]]);
    if (second_count == 2) {
        double s = along_edge(x[first[0]], x[first[1]], x[second[0]], x[second[1]]);
        *position = vec3_mul_add(x[first[0]], s, along);
        return;
    }
    vec3 corner = x[second[0]];
    vec3 normal = vec3_cross(vec3_sub(x[second[1]], corner), vec3_sub(x[second[2]], corner));
    double length = vec3_norm(normal);
    if (!(length > 0)) return;
    double before = vec3_dot(normal, vec3_sub(x[first[0]], corner)) / length;
    double after = vec3_dot(normal, vec3_sub(x[first[1]], corner)) / length;
    double s = before != after ? before / (before - after) : 0.5;
    *position = vec3_mul_add(x[first[0]], fmin(fmax(s, 0), 1), along);
    *depth = fmin(fabs(before), fabs(after));
}
