#include "fill/holes.h"

#include "base/array.h"
#include "base/sort.h"
#include "fill/surface.h"

#include <math.h>
#include <string.h>

enum { MOST_CORNERS = 2000 }; /* of a loop that is closed: the work grows with the square */

typedef int32_t triangle[3];

typedef struct hole_work {
    const mesh *m;
    double limit;
    uint64_t *ends; /* start << 32 | end of every border edge as the hole runs, sorted */
    bool *used;
    size_t count;
    ARRAY(int32_t) path;
    int32_t *place; /* per vertex: where it is in the path, or -1 */
    ARRAY(triangle) caps;
    hole_report *report;
} hole_work;

/* ---- border ---- */

static abut_status list_border(hole_work *w, abut_error *err)
{
    const int32_t(*t)[3] = surface_triangles(w->m);
    size_t n = 3 * surface_triangle_count(w->m);
    uint64_t *keys = mem_alloc(2 * n, sizeof *keys);
    uint32_t *sides = mem_alloc(2 * n, sizeof *sides);
    w->ends = mem_alloc(2 * n, sizeof *w->ends);
    bool ok = keys && sides && w->ends;
    for (size_t i = 0; ok && i < n; i++) {
        uint32_t a = (uint32_t)t[i / 3][i % 3], b = (uint32_t)t[i / 3][(i + 1) % 3];
        keys[i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
        sides[i] = (uint32_t)i;
    }
    if (ok) sort_u64_with_u32(keys, sides, keys + n, sides + n, n);
    for (size_t begin = 0, end; ok && begin < n; begin = end) {
        for (end = begin + 1; end < n && keys[end] == keys[begin];) end++;
        if (end - begin != 1) continue;
        uint32_t side = sides[begin];
        uint64_t a = (uint64_t)t[side / 3][side % 3], b = (uint64_t)t[side / 3][(side + 1) % 3];
        w->ends[w->count++] = b << 32 | a;
    }
    if (ok) sort_u64(w->ends, w->ends + n, w->count);
    mem_free(keys);
    mem_free(sides);
    w->used = ok ? mem_calloc(w->count, sizeof *w->used) : NULL;
    w->place = ok ? mem_alloc(w->m->vertex_count, sizeof *w->place) : NULL;
    if (!w->used || !w->place) return error_memory(err, "finding holes");
    for (size_t v = 0; v < w->m->vertex_count; v++) w->place[v] = -1;
    return ABUT_OK;
}

/* An edge that starts at v and was not used yet, or count. */
static size_t find_start(const hole_work *w, int32_t v)
{
    size_t at = sorted_place_u64(w->ends, w->count, (uint64_t)v << 32);
    while (at < w->count && w->ends[at] >> 32 == (uint64_t)v && w->used[at]) at++;
    return at < w->count && w->ends[at] >> 32 == (uint64_t)v ? at : w->count;
}

/* ---- closing ---- */

static double loop_length(const hole_work *w, const int32_t *loop, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += vec3_norm(vec3_sub(w->m->vertices[loop[(i + 1) % count]], w->m->vertices[loop[i]]));
    return sum;
}

static vec3 area_vector(vec3 a, vec3 b, vec3 c)
{
    return vec3_scale(0.5, vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
}

/* How good it is to cut the corner b off: the smallest angle of the triangle, as its sine, negative
 * where it would face against the hole. */
static double ear_quality(const vec3 *x, const int32_t corner[3], vec3 normal)
{
    vec3 a = x[corner[0]], b = x[corner[1]], c = x[corner[2]];
    vec3 n = area_vector(a, b, c);
    double ab = vec3_norm2(vec3_sub(b, a)), bc = vec3_norm2(vec3_sub(c, b)),
           ca = vec3_norm2(vec3_sub(a, c));
    double largest = fmax(ab * bc, fmax(bc * ca, ca * ab));
    double sine = largest > 0 ? 2 * vec3_norm(n) / sqrt(largest) : 0;
    return vec3_dot(n, normal) > 0 ? sine : sine - 2;
}

static bool close_loop(hole_work *w, int32_t *loop, size_t count)
{
    const vec3 *x = w->m->vertices;
    vec3 normal = {0, 0, 0};
    for (size_t i = 1; i + 1 < count; i++)
        normal = vec3_add(normal, area_vector(x[loop[0]], x[loop[i]], x[loop[i + 1]]));
    while (count >= 3) {
        size_t best = 0;
        double most = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            int32_t corner[3] = {loop[(i + count - 1) % count], loop[i], loop[(i + 1) % count]};
            double quality = ear_quality(x, corner, normal);
            if (!(quality > most)) continue;
            most = quality;
            best = i;
        }
        triangle cap = {loop[(best + count - 1) % count], loop[best], loop[(best + 1) % count]};
        if (!array_resize(&w->caps, w->caps.count + 1)) return false;
        memcpy(w->caps.data[w->caps.count - 1], cap, sizeof cap);
        w->report->cap_area += vec3_norm(area_vector(x[cap[0]], x[cap[1]], x[cap[2]]));
        memmove(loop + best, loop + best + 1, (count - best - 1) * sizeof *loop);
        count--;
    }
    return true;
}

/* A loop at the end of the path, from `first` on. */
static bool take_loop(hole_work *w, size_t first)
{
    size_t count = w->path.count - first;
    int32_t *loop = w->path.data + first;
    double length = loop_length(w, loop, count);
    bool ok = true;
    for (size_t i = 0; i < count; i++) w->place[loop[i]] = -1;
    w->report->loops++;
    w->report->longest = fmax(w->report->longest, length);
    if (length <= w->limit && count >= 3 && count <= MOST_CORNERS) {
        ok = close_loop(w, loop, count);
        w->report->closed++;
    }
    w->path.count = first;
    return ok;
}

/* Follows the border from an edge on; wherever the path meets itself a loop is taken off it. */
static bool follow(hole_work *w, size_t edge)
{
    bool ok = true;
    array_clear(&w->path);
    while (ok && edge < w->count) {
        int32_t from = (int32_t)(w->ends[edge] >> 32), to = (int32_t)(w->ends[edge] & 0xffffffffu);
        w->used[edge] = true;
        if (w->place[from] < 0) {
            w->place[from] = (int32_t)w->path.count;
            ok = array_push(&w->path, from);
        }
        if (ok && w->place[to] >= 0) ok = take_loop(w, (size_t)w->place[to]);
        edge = find_start(w, to);
    }
    for (size_t i = 0; i < w->path.count; i++) w->place[w->path.data[i]] = -1;
    return ok;
}

static abut_status add_caps(mesh *m, const hole_work *w, abut_error *err)
{
    cell_block *block = &m->blocks[0];
    int32_t *nodes = mem_realloc(block->nodes, 3 * (block->count + w->caps.count), sizeof *nodes);
    if (!nodes) return error_memory(err, "closing holes");
    block->nodes = nodes;
    memcpy(nodes + 3 * block->count, w->caps.data, w->caps.count * sizeof *w->caps.data);
    block->count += w->caps.count;
    return ABUT_OK;
}

abut_status surface_holes(mesh *surface, double longest, hole_report *report, abut_error *err)
{
    *report = (hole_report){0};
    hole_work w = {.m = surface, .limit = longest, .report = report};
    abut_status status = list_border(&w, err);
    for (size_t e = 0; status == ABUT_OK && e < w.count; e++)
        if (!w.used[e] && !follow(&w, e)) status = error_memory(err, "closing holes");
    report->added = w.caps.count;
    if (status == ABUT_OK && w.caps.count) status = add_caps(surface, &w, err);
    mem_free(w.ends);
    mem_free(w.used);
    mem_free(w.place);
    array_free(&w.path);
    array_free(&w.caps);
    return status;
}
