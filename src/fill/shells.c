#include "fill/shells.h"

#include "base/memory.h"
#include "fill/surface.h"
#include "fill/winding.h"
#include "mesh/cell.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

/* Triangles looked at to find out which shell is in which; beyond, it stays unknown. */
static const double MOST_NESTING_WORK = 4e7;
enum { MOST_GROUPS = 1000 };

void shells_free(shell_list *shells)
{
    mem_free(shells->data);
    mem_free(shells->of_vertex);
    *shells = (shell_list){0};
}

static int32_t shell_of(const shell_list *s, const int32_t *triangle)
{
    return s->of_vertex[triangle[0]];
}

/* Six times the signed volume between a triangle and a point. */
static double wedge_volume(const mesh *m, const int32_t *t, vec3 origin)
{
    vec3 a = vec3_sub(m->vertices[t[0]], origin), b = vec3_sub(m->vertices[t[1]], origin),
         c = vec3_sub(m->vertices[t[2]], origin);
    return vec3_dot(a, vec3_cross(b, c));
}

static abut_status list_shells(const mesh *m, shell_list *out, abut_error *err)
{
    *out = (shell_list){.of_vertex = mem_alloc(m->vertex_count, sizeof *out->of_vertex)};
    if (!out->of_vertex) return error_memory(err, "finding shells");
    TRY(connected_components(m, out->of_vertex, &out->count, err));
    out->data = mem_calloc(out->count, sizeof *out->data);
    if (!out->data) return error_memory(err, "finding shells");
    for (size_t s = 0; s < out->count; s++) {
        out->data[s].low = (vec3){INFINITY, INFINITY, INFINITY};
        out->data[s].high = (vec3){-INFINITY, -INFINITY, -INFINITY};
        out->data[s].container = -1;
        out->data[s].closed = true;
    }
    for (size_t v = 0; v < m->vertex_count; v++) {
        surface_shell *s = &out->data[out->of_vertex[v]];
        s->low = vec3_min(s->low, m->vertices[v]);
        s->high = vec3_max(s->high, m->vertices[v]);
        s->point = m->vertices[v];
    }
    return ABUT_OK;
}

static vec3 shell_middle(const surface_shell *s)
{
    return vec3_scale(0.5, vec3_add(s->low, s->high));
}

/* Volumes of all shells as the triangles are now, about the middles of their boxes: for open ones
 * the sign still tells which direction they face. */
static void add_volumes(const mesh *m, shell_list *list, bool given)
{
    const int32_t(*t)[3] = surface_triangles(m);
    for (size_t i = 0; i < surface_triangle_count(m); i++) {
        surface_shell *s = &list->data[shell_of(list, t[i])];
        double volume = wedge_volume(m, t[i], shell_middle(s)) / 6;
        if (given)
            s->given_volume += volume;
        else
            s->volume += volume;
        s->triangles += given;
    }
}

/* Finds out which shells had triangles that disagree: those whose triangles were flipped in part.
 */
static void note_mixed(const int32_t (*before)[3], const mesh *m, shell_list *list, size_t *flips)
{
    const int32_t(*t)[3] = surface_triangles(m);
    for (size_t i = 0; i < surface_triangle_count(m); i++)
        flips[shell_of(list, t[i])] += memcmp(before[i], t[i], sizeof t[i]) != 0;
    for (size_t s = 0; s < list->count; s++)
        list->data[s].mixed = flips[s] > 0 && flips[s] < list->data[s].triangles;
}

/* Open shells: those with an edge that is not run along equally often in both directions. */
static abut_status note_open(const mesh *m, shell_list *list, abut_error *err)
{
    size_t n = 3 * surface_triangle_count(m);
    const int32_t(*t)[3] = surface_triangles(m);
    surface_edges all;
    TRY(surface_count_edges(t, surface_triangle_count(m), &all, err));
    if (all.unbalanced == 0) return ABUT_OK;
    /* Per shell: the sums of two numbers of every directed edge cancel where it is closed. */
    uint64_t *sum = mem_calloc(2 * list->count, sizeof *sum);
    if (!sum) return error_memory(err, "finding shells");
    for (size_t i = 0; i < n; i++) {
        uint64_t a = (uint64_t)t[i / 3][i % 3], b = (uint64_t)t[i / 3][(i + 1) % 3];
        uint64_t low = a < b ? a : b, high = a < b ? b : a;
        uint64_t h = (low << 32 | high) * UINT64_C(0x9e3779b97f4a7c15);
        uint64_t g = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
        size_t s = (size_t)shell_of(list, t[i / 3]);
        sum[2 * s] += a < b ? h : -h;
        sum[2 * s + 1] += a < b ? g : -g;
    }
    for (size_t s = 0; s < list->count; s++)
        list->data[s].closed = sum[2 * s] == 0 && sum[2 * s + 1] == 0;
    mem_free(sum);
    return ABUT_OK;
}

static void turn_marked(mesh *m, const shell_list *list)
{
    cell_block *block = &m->blocks[0];
    for (size_t i = 0; i < block->count; i++) {
        int32_t *t = block->nodes + 3 * i;
        if (!list->data[shell_of(list, t)].turned) continue;
        int32_t swap = t[1];
        t[1] = t[2];
        t[2] = swap;
    }
}

/* ---- nesting ---- */

static bool box_within(const surface_shell *inner, const surface_shell *outer)
{
    vec3 a = inner->low, b = inner->high, c = outer->low, d = outer->high;
    return a.x >= c.x && a.y >= c.y && a.z >= c.z && b.x <= d.x && b.y <= d.y && b.z <= d.z;
}

static double box_volume(const surface_shell *s)
{
    vec3 size = vec3_sub(s->high, s->low);
    return size.x * size.y * size.z;
}

static double nesting_work(const shell_list *list)
{
    double work = 0;
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < list->count && work <= MOST_NESTING_WORK; k++) {
            work += 1;
            if (i != k && box_within(&list->data[i], &list->data[k]))
                work += (double)list->data[k].triangles;
        }
    return work;
}

/* The triangles of one shell as a tree. */
static abut_status shell_tree(const mesh *m, const shell_list *list, size_t number,
                              winding_tree *out, abut_error *err)
{
    const int32_t(*t)[3] = surface_triangles(m);
    size_t count = 0;
    int32_t(*own)[3] = mem_alloc(list->data[number].triangles, sizeof *own);
    if (!own) return error_memory(err, "finding shells");
    for (size_t i = 0; i < surface_triangle_count(m); i++)
        if (shell_of(list, t[i]) == (int32_t)number) memcpy(own[count++], t[i], sizeof *own);
    abut_status status = winding_build(out, m->vertices, (const int32_t(*)[3])own, count, err);
    mem_free(own);
    return status;
}

static abut_status find_containers(const mesh *m, shell_list *list, abut_error *err)
{
    for (size_t k = 0; k < list->count; k++) {
        winding_tree tree = {0};
        bool built = false;
        for (size_t i = 0; i < list->count; i++) {
            surface_shell *inner = &list->data[i];
            if (i == k || !box_within(inner, &list->data[k])) continue;
            if (!built) TRY(shell_tree(m, list, k, &tree, err));
            built = true;
            if (!(fabs(winding_number(&tree, inner->point, 4, NULL)) > 0.5)) continue;
            inner->depth++;
            if (inner->container < 0 ||
                box_volume(&list->data[k]) < box_volume(&list->data[inner->container]))
                inner->container = (int32_t)k;
        }
        winding_free(&tree);
    }
    return ABUT_OK;
}

/* Whether an inner shell is hollow: given with the opposite orientation of the outermost one. */
static bool is_cavity(const shell_list *list, const surface_shell *s)
{
    const surface_shell *outer = s;
    bool mixed = s->mixed;
    for (int32_t d = 0; d < s->depth && outer->container >= 0; d++) {
        outer = &list->data[outer->container];
        mixed = mixed || outer->mixed;
    }
    if (outer == s) return false;
    return mixed ? s->depth % 2 == 1 : (s->given_volume < 0) != (outer->given_volume < 0);
}

static void settle(shell_list *list, shell_report *report)
{
    for (size_t i = 0; i < list->count; i++) {
        surface_shell *s = &list->data[i];
        bool cavity = is_cavity(list, s);
        s->turned = (s->volume < 0) != cavity;
        report->cavities += cavity;
        report->unions += s->depth > 0 && !cavity;
        report->closed += s->closed;
    }
}

static abut_status orient(mesh *surface, int32_t (*before)[3], size_t *flips, shell_list *list,
                          shell_report *report, abut_error *err)
{
    size_t flipped;
    bool orientable;
    add_volumes(surface, list, true);
    TRY(orient_triangles(surface, &flipped, &orientable, err));
    report->unorientable = !orientable;
    note_mixed((const int32_t(*)[3])before, surface, list, flips);
    add_volumes(surface, list, false);
    TRY(note_open(surface, list, err));
    report->nesting_known = nesting_work(list) <= MOST_NESTING_WORK;
    if (report->nesting_known) TRY(find_containers(surface, list, err));
    settle(list, report);
    turn_marked(surface, list);
    const int32_t(*t)[3] = surface_triangles(surface);
    for (size_t i = 0; i < surface_triangle_count(surface); i++) {
        const int32_t *b = before[i];
        bool same = (t[i][0] == b[0] && t[i][1] == b[1]) || (t[i][0] == b[1] && t[i][1] == b[2]) ||
                    (t[i][0] == b[2] && t[i][1] == b[0]);
        report->flipped += !same;
    }
    return ABUT_OK;
}

abut_status shells_orient(mesh *surface, shell_list *out, shell_report *report, abut_error *err)
{
    *report = (shell_report){0};
    abut_status status = list_shells(surface, out, err);
    size_t count = surface_triangle_count(surface);
    report->shells = out->count;
    int32_t(*before)[3] = mem_alloc(count, sizeof *before);
    size_t *flips = mem_calloc(out->count, sizeof *flips);
    if (status == ABUT_OK && (!before || !flips)) status = error_memory(err, "finding shells");
    if (status == ABUT_OK) {
        memcpy(before, surface_triangles(surface), count * sizeof *before);
        status = orient(surface, before, flips, out, report, err);
    }
    mem_free(before);
    mem_free(flips);
    if (status != ABUT_OK) shells_free(out);
    return status;
}

/* ---- groups ---- */

static int32_t root_of(shell_list *list, int32_t s)
{
    while (list->data[s].group != s)
        s = list->data[s].group = list->data[list->data[s].group].group;
    return s;
}

static void join(shell_list *list, int32_t a, int32_t b)
{
    a = root_of(list, a);
    b = root_of(list, b);
    if (a != b) list->data[a > b ? a : b].group = a > b ? b : a;
}

static bool boxes_meet(const surface_shell *a, const surface_shell *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* Open shells close each other's holes, so they stay together, with what is near them. */
static void join_open(shell_list *list)
{
    int32_t first = -1;
    surface_shell all = {.low = {INFINITY, INFINITY, INFINITY},
                         .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < list->count; i++) {
        if (list->data[i].closed) continue;
        if (first < 0) first = (int32_t)i;
        join(list, first, (int32_t)i);
        all.low = vec3_min(all.low, list->data[i].low);
        all.high = vec3_max(all.high, list->data[i].high);
    }
    for (size_t i = 0; first >= 0 && i < list->count; i++)
        if (boxes_meet(&all, &list->data[i])) join(list, first, (int32_t)i);
}

void shells_group(const mesh *surface, const int32_t (*crossings)[2], size_t crossing_count,
                  shell_list *shells, shell_report *report)
{
    const int32_t(*t)[3] = surface_triangles(surface);
    for (size_t i = 0; i < shells->count; i++) shells->data[i].group = (int32_t)i;
    for (size_t i = 0; i < shells->count; i++)
        if (shells->data[i].container >= 0) join(shells, (int32_t)i, shells->data[i].container);
    for (size_t i = 0; i < crossing_count; i++)
        join(shells, shell_of(shells, t[crossings[i][0]]), shell_of(shells, t[crossings[i][1]]));
    join_open(shells);
    int32_t groups = 0;
    for (size_t i = 0; i < shells->count; i++) {
        int32_t root = root_of(shells, (int32_t)i);
        shells->data[i].group = root;
        groups += root == (int32_t)i;
    }
    /* Numbered in the order of their first shells, which are the roots. */
    int32_t next = 0;
    for (size_t i = 0; i < shells->count; i++) {
        int32_t root = shells->data[i].group;
        shells->data[i].group = root == (int32_t)i ? -1 - next++ : shells->data[root].group;
    }
    bool one = groups > MOST_GROUPS || !report->nesting_known;
    for (size_t i = 0; i < shells->count; i++)
        shells->data[i].group = one ? 0 : -1 - shells->data[i].group;
    report->groups = one ? 1 : (size_t)groups;
}
