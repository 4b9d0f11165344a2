#include "geometry/mass.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>

static double signed_volume(vec3 a, vec3 b, vec3 c, vec3 d)
{
    return vec3_dot(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), vec3_sub(d, a)) / 6.0;
}

static double area_of(vec3 a, vec3 b, vec3 c)
{
    return 0.5 * vec3_norm(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
}

/* Moments about an origin near the body, so that far bodies lose nothing: m0 = int 1, m1 = int x,
 * m2 = int x x^T. */
typedef struct moments {
    vec3 origin;
    double m0;
    vec3 m1;
    mat3 m2;
} moments;

/* Adds a simplex of n vertices, relative to the origin, with the given measure. */
static void moments_add(moments *m, int n, const vec3 *x, double measure)
{
    vec3 sum = {0.0, 0.0, 0.0};
    mat3 second = mat3_zero();
    for (int i = 0; i < n; i++) {
        sum = vec3_add(sum, x[i]);
        second = mat3_add(second, mat3_outer(x[i], x[i]));
    }
    second = mat3_add(second, mat3_outer(sum, sum));
    m->m0 += measure;
    m->m1 = vec3_mul_add(m->m1, measure / n, sum);
    m->m2 = mat3_add(m->m2, mat3_scale(measure / (n * (n + 1.0)), second));
}

/* tr(a) I - a */
static mat3 trace_minus(mat3 a)
{
    double trace = a.m[0][0] + a.m[1][1] + a.m[2][2];
    mat3 out = mat3_scale(-1.0, a);
    for (int i = 0; i < 3; i++) out.m[i][i] += trace;
    return out;
}

static mass_properties finish(const moments *m, double density)
{
    mass_properties out = {.measure = m->m0, .mass = density * m->m0, .center = m->origin};
    if (m->m0 == 0.0) return out;
    vec3 center = vec3_scale(1.0 / m->m0, m->m1);
    mat3 second = mat3_sub(m->m2, mat3_scale(m->m0, mat3_outer(center, center)));
    out.center = vec3_add(m->origin, center);
    out.inertia = mat3_scale(density, trace_minus(second));
    return out;
}

/* Mean of the first vertices of the elements. */
static vec3 origin_of(const vec3 *x, const int32_t *first, size_t stride, size_t count)
{
    vec3 sum = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < count; i++) sum = vec3_add(sum, x[first[i * stride]]);
    return count ? vec3_scale(1.0 / (double)count, sum) : sum;
}

/* Signed tets from the origin to each triangle (divergence theorem). */
mass_properties mass_of_closed_surface(const vec3 *x, const int32_t (*triangles)[3], size_t count,
                                       double density)
{
    moments m = {.origin = origin_of(x, (const int32_t *)triangles, 3, count)};
    for (size_t i = 0; i < count; i++) {
        vec3 t[4] = {{0.0, 0.0, 0.0}};
        for (int k = 0; k < 3; k++) t[k + 1] = vec3_sub(x[triangles[i][k]], m.origin);
        moments_add(&m, 4, t, vec3_dot(vec3_cross(t[1], t[2]), t[3]) / 6.0);
    }
    return finish(&m, density);
}

mass_properties mass_of_tets(const vec3 *x, const int32_t *tets, size_t stride, size_t count,
                             double density)
{
    moments m = {.origin = origin_of(x, tets, stride, count)};
    for (size_t i = 0; i < count; i++) {
        vec3 t[4];
        for (int k = 0; k < 4; k++) t[k] = vec3_sub(x[tets[i * stride + (size_t)k]], m.origin);
        moments_add(&m, 4, t, signed_volume(t[0], t[1], t[2], t[3]));
    }
    return finish(&m, density);
}

mass_properties mass_of_surface(const vec3 *x, const int32_t (*triangles)[3], size_t count,
                                double density)
{
    moments m = {.origin = origin_of(x, (const int32_t *)triangles, 3, count)};
    for (size_t i = 0; i < count; i++) {
        vec3 t[3];
        for (int k = 0; k < 3; k++) t[k] = vec3_sub(x[triangles[i][k]], m.origin);
        moments_add(&m, 3, t, area_of(t[0], t[1], t[2]));
    }
    return finish(&m, density);
}

mass_properties mass_of_edges(const vec3 *x, const int32_t (*edges)[2], size_t count,
                              double density)
{
    moments m = {.origin = origin_of(x, (const int32_t *)edges, 2, count)};
    for (size_t i = 0; i < count; i++) {
        vec3 t[2] = {vec3_sub(x[edges[i][0]], m.origin), vec3_sub(x[edges[i][1]], m.origin)};
        moments_add(&m, 2, t, vec3_norm(vec3_sub(t[1], t[0])));
    }
    return finish(&m, density);
}

mass_properties mass_of_points(const vec3 *x, const int32_t *points, size_t count,
                               double point_mass)
{
    moments m = {.origin = count ? x[points ? points[0] : 0] : vec3_make(0.0, 0.0, 0.0)};
    for (size_t i = 0; i < count; i++) {
        vec3 p = vec3_sub(x[points ? (size_t)points[i] : i], m.origin);
        moments_add(&m, 1, &p, 1.0);
    }
    return finish(&m, point_mass);
}

/* Inertia of a point mass at r about the origin. */
static mat3 point_inertia(double mass, vec3 r)
{
    return trace_minus(mat3_scale(mass, mat3_outer(r, r)));
}

mat3 mass_inertia_about(const mass_properties *m, vec3 point)
{
    return mat3_add(m->inertia, point_inertia(m->mass, vec3_sub(m->center, point)));
}

mass_properties mass_add(const mass_properties *a, const mass_properties *b)
{
    mass_properties out = {.measure = a->measure + b->measure, .mass = a->mass + b->mass};
    vec3 apart = vec3_sub(b->center, a->center);
    out.center = out.mass != 0.0 ? vec3_mul_add(a->center, b->mass / out.mass, apart) : a->center;
    out.inertia = mat3_add(mass_inertia_about(a, out.center), mass_inertia_about(b, out.center));
    return out;
}

mat3 mass_second_moment(const mass_properties *m)
{
    double half_trace = 0.5 * (m->inertia.m[0][0] + m->inertia.m[1][1] + m->inertia.m[2][2]);
    mat3 out = mat3_scale(-1.0, m->inertia);
    for (int i = 0; i < 3; i++) out.m[i][i] += half_trace;
    return out;
}

bool surface_is_closed(const int32_t (*triangles)[3], size_t count)
{
    size_t n = 3 * count;
    uint64_t *keys = mem_alloc(n, sizeof *keys);
    if (!keys) return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t from = (uint32_t)triangles[i / 3][i % 3];
        uint64_t to = (uint32_t)triangles[i / 3][(i + 1) % 3];
        keys[i] = from << 32 | to;
    }
    qsort(keys, n, sizeof *keys, compare_uint64);
    bool closed = count > 0;
    for (size_t i = 0; i < n && closed; i++) {
        uint64_t opposite = keys[i] << 32 | keys[i] >> 32;
        bool twice = i > 0 && keys[i] == keys[i - 1];
        closed = !twice && bsearch(&opposite, keys, n, sizeof *keys, compare_uint64);
    }
    mem_free(keys);
    return closed;
}
