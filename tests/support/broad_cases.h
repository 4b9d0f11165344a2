/* Scenes for tests of the broad phase, and the same candidates by brute force. One scene at a time,
 * in the variable `s`. */
#ifndef SUPPORT_BROAD_CASES_H
#define SUPPORT_BROAD_CASES_H

#include "base/random.h"
#include "broad/candidates.h"
#include "test.h"

enum { MAX_VERTICES = 4000, MAX_EDGES = 4000, MAX_TRIANGLES = 2500, MAX_GROUPS = 64 };

typedef struct scene {
    size_t vertices, edges, triangles, groups;
    vec3 y[MAX_VERTICES], p[MAX_VERTICES];
    double extra[MAX_VERTICES];
    int32_t edge[MAX_EDGES][2], triangle[MAX_TRIANGLES][3], group[MAX_VERTICES];
    uint8_t flags[MAX_GROUPS], kinematic[MAX_VERTICES];
    bool planar;
} scene;

static scene s; /* too large for the stack */

/* ---- scenes --------------------------------------------------------------------------------- */

static vec3 random_vec3(random_state *r, double size)
{
    double x = random_range(r, -size, size), y = random_range(r, -size, size);
    return vec3_make(x, y, random_range(r, -size, size));
}

static int32_t add_vertex(vec3 position)
{
    s.y[s.vertices] = position;
    s.group[s.vertices] = (int32_t)s.groups;
    return (int32_t)s.vertices++;
}

static void add_edge(int32_t a, int32_t b)
{
    s.edge[s.edges][0] = a;
    s.edge[s.edges++][1] = b;
}

static void add_triangle(int32_t a, int32_t b, int32_t c)
{
    int32_t *t = s.triangle[s.triangles++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static void end_body(uint8_t flags) { s.flags[s.groups++] = flags; }

static void add_soup(random_state *r, int count, double size, double reach)
{
    for (int i = 0; i < count; i++) {
        vec3 c = random_vec3(r, reach);
        int32_t a = add_vertex(vec3_add(c, random_vec3(r, size)));
        int32_t b = add_vertex(vec3_add(c, random_vec3(r, size)));
        int32_t d = add_vertex(vec3_add(c, random_vec3(r, size)));
        add_triangle(a, b, d);
        add_edge(a, b);
        add_edge(d, b);
        add_edge(a, d);
    }
    end_body(0);
}

/* A bumpy sheet of n x n vertices with all its edges. */
static void add_sheet(random_state *r, int n, vec3 origin, double cell, double bump, uint8_t flags)
{
    int32_t first = (int32_t)s.vertices;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            add_vertex(
                vec3_add(origin, vec3_make(i * cell, random_range(r, -bump, bump), j * cell)));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int32_t v = first + i * n + j;
            if (i + 1 < n) add_edge(v, v + n);
            if (j + 1 < n) add_edge(v, v + 1);
            if (i + 1 == n || j + 1 == n) continue;
            add_edge(v, v + n + 1);
            add_triangle(v, v + n, v + n + 1);
            add_triangle(v, v + n + 1, v + 1);
        }
    end_body(flags);
}

static void add_rod(random_state *r, int nodes, vec3 at, double step, uint8_t flags)
{
    for (int i = 0; i < nodes; i++) {
        int32_t v = add_vertex(at);
        if (i > 0) add_edge(v - 1, v);
        at = vec3_add(at, random_vec3(r, step));
    }
    end_body(flags);
}

static void add_particles(random_state *r, int count, double reach, uint8_t flags)
{
    for (int i = 0; i < count; i++) add_vertex(random_vec3(r, reach));
    end_body(flags);
}

static void set_motion(random_state *r, double size)
{
    for (size_t v = 0; v < s.vertices; v++) {
        s.p[v] = random_vec3(r, size);
        s.extra[v] = random_range(r, 0.0, 0.2 * size);
        s.kinematic[v] = random_below(r, 10) == 0;
    }
}

static void transform(double scale, vec3 shift)
{
    for (size_t v = 0; v < s.vertices; v++) {
        s.y[v] = vec3_add(vec3_scale(scale, s.y[v]), shift);
        s.p[v] = vec3_scale(scale, s.p[v]);
        s.extra[v] *= scale;
    }
}

static void clear_scene(void)
{
    s.vertices = s.edges = s.triangles = s.groups = 0;
    s.planar = false;
}

static void make_mixed(random_state *r)
{
    clear_scene();
    add_sheet(r, 12, vec3_make(0.0, 0.0, 0.0), 0.1, 0.05, 0);
    add_sheet(r, 9, vec3_make(0.2, 0.04, 0.1), 0.1, 0.02, BROAD_GROUP_NO_SELF);
    add_sheet(r, 8, vec3_make(0.3, -0.04, 0.3), 0.1, 0.02, BROAD_GROUP_KINEMATIC);
    add_rod(r, 120, vec3_make(0.5, 0.0, 0.5), 0.06, 0);
    add_rod(r, 60, vec3_make(0.4, 0.0, 0.5), 0.06, BROAD_GROUP_NO_SELF);
    add_particles(r, 150, 0.6, 0);
    add_particles(r, 30, 0.6, BROAD_GROUP_NO_SELF);
    add_soup(r, 60, 0.1, 0.6);
    set_motion(r, 0.05);
}

/* ---- brute force ---------------------------------------------------------------------------- */

static exact_box brute_box(const broad_query *q, const int32_t *vertices, int count)
{
    exact_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < count; i++) {
        exact_box b = vertex_exact_box(q, (size_t)vertices[i]);
        for (int d = 0; d < 3; d++) {
            box.low[d] = fmin(box.low[d], b.low[d]);
            box.high[d] = fmax(box.high[d], b.high[d]);
        }
    }
    return box;
}

static bool refused(const int32_t *a, int na, const int32_t *b, int nb)
{
    bool all_kinematic = true;
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++)
            if (a[i] == b[j]) return true;
    for (int i = 0; i < na; i++)
        all_kinematic &= s.kinematic[a[i]] || s.flags[s.group[a[i]]] & BROAD_GROUP_KINEMATIC;
    for (int j = 0; j < nb; j++)
        all_kinematic &= s.kinematic[b[j]] || s.flags[s.group[b[j]]] & BROAD_GROUP_KINEMATIC;
    return all_kinematic ||
           (s.group[a[0]] == s.group[b[0]] && s.flags[s.group[a[0]]] & BROAD_GROUP_NO_SELF);
}

static exact_diagonals brute_diagonals(const broad_query *q, const int32_t *vertices, int count)
{
    exact_diagonals box;
    for (int d = 0; d < 8; d++) {
        box.low[d] = INFINITY;
        box.high[d] = -INFINITY;
    }
    for (int i = 0; i < count; i++) {
        exact_diagonals b = vertex_exact_diagonals(q, (size_t)vertices[i]);
        for (int d = 0; d < 8; d++) {
            box.low[d] = fmin(box.low[d], b.low[d]);
            box.high[d] = fmax(box.high[d], b.high[d]);
        }
    }
    return box;
}

static const broad_query *brute_query;
static exact_box vertex_boxes_of[MAX_VERTICES], edge_boxes[MAX_EDGES],
    triangle_boxes[MAX_TRIANGLES];

static bool brute_pair(const exact_box *x, const int32_t *a, int na, const exact_box *y,
                       const int32_t *b, int nb)
{
    for (int d = 0; d < 3; d++)
        if (x->low[d] > y->high[d] || y->low[d] > x->high[d]) return false;
    if (refused(a, na, b, nb)) return false;
    if (!brute_query->tight) return true;
    exact_diagonals v = brute_diagonals(brute_query, a, na),
                    w = brute_diagonals(brute_query, b, nb);
    for (int d = 0; d < DIAGONAL_COUNT; d++)
        if (v.low[d] > w.high[d] || w.low[d] > v.high[d]) return false;
    return true;
}

static bool brute_vt(int32_t v, int32_t t)
{
    return brute_pair(&vertex_boxes_of[v], &v, 1, &triangle_boxes[t], s.triangle[t], 3);
}

static bool brute_ve(int32_t v, int32_t e)
{
    return brute_pair(&vertex_boxes_of[v], &v, 1, &edge_boxes[e], s.edge[e], 2);
}

static bool brute_vv(int32_t v, int32_t w)
{
    return brute_pair(&vertex_boxes_of[v], &v, 1, &vertex_boxes_of[w], &w, 1);
}

static bool brute_ee(int32_t e, int32_t f)
{
    return brute_pair(&edge_boxes[e], s.edge[e], 2, &edge_boxes[f], s.edge[f], 2);
}

static bool in_triangle[MAX_VERTICES], in_edge[MAX_VERTICES], rod_edge[MAX_EDGES];

static void classify(const broad_query *q)
{
    brute_query = q;
    for (int32_t v = 0; v < (int32_t)s.vertices; v++) vertex_boxes_of[v] = brute_box(q, &v, 1);
    for (size_t e = 0; e < s.edges; e++) edge_boxes[e] = brute_box(q, s.edge[e], 2);
    for (size_t t = 0; t < s.triangles; t++) triangle_boxes[t] = brute_box(q, s.triangle[t], 3);
    memset(in_triangle, 0, sizeof in_triangle);
    memset(in_edge, 0, sizeof in_edge);
    for (size_t t = 0; t < s.triangles; t++)
        for (int c = 0; c < 3; c++) in_triangle[s.triangle[t][c]] = true;
    for (size_t e = 0; e < s.edges; e++) {
        in_edge[s.edge[e][0]] = in_edge[s.edge[e][1]] = true;
        rod_edge[e] = true;
        for (size_t t = 0; t < s.triangles; t++) {
            int shared = 0;
            for (int c = 0; c < 3; c++)
                shared += s.triangle[t][c] == s.edge[e][0] || s.triangle[t][c] == s.edge[e][1];
            if (shared == 2) rod_edge[e] = false;
        }
    }
}

/* Compares one sorted list with all pairs (i, j), in order. */
typedef struct list_reader {
    const pair_list *list;
    size_t next, missing, extra, expected;
} list_reader;

static void expect(list_reader *r, bool wanted, int32_t i, int32_t j)
{
    bool there = r->next < r->list->count && r->list->data[r->next].first == i &&
                 r->list->data[r->next].second == j;
    r->next += there;
    r->expected += wanted;
    r->missing += wanted && !there;
    r->extra += there && !wanted;
}

static size_t finish(list_reader *r, const char *what)
{
    if (r->missing || r->extra || r->next != r->list->count)
        printf("%s: %zu listed, %zu missing, %zu unwanted, read to %zu\n", what, r->list->count,
               r->missing, r->extra, r->next);
    CHECK(r->missing == 0 && r->extra == 0);
    CHECK(r->next == r->list->count);
    return r->expected;
}

/* Returns the number of pairs expected. */
static size_t check_against_brute_force(const broad_query *q, const candidate_set *set)
{
    classify(q);
    list_reader vt = {.list = &set->vt}, ee = {.list = &set->ee}, ve = {.list = &set->ve},
                vv = {.list = &set->vv};
    for (int32_t v = 0; v < (int32_t)s.vertices; v++) {
        for (int32_t t = 0; !s.planar && t < (int32_t)s.triangles; t++)
            expect(&vt, brute_vt(v, t), v, t);
        for (int32_t e = 0; e < (int32_t)s.edges; e++)
            if (s.planar || (rod_edge[e] && !in_triangle[v])) expect(&ve, brute_ve(v, e), v, e);
        for (int32_t w = v + 1; w < (int32_t)s.vertices; w++)
            if (!in_triangle[v] && !in_triangle[w] && !in_edge[v] && !in_edge[w])
                expect(&vv, brute_vv(v, w), v, w);
    }
    for (int32_t e = 0; !s.planar && e < (int32_t)s.edges; e++)
        for (int32_t f = e + 1; f < (int32_t)s.edges; f++) expect(&ee, brute_ee(e, f), e, f);
    return finish(&vt, "vt") + finish(&ee, "ee") + finish(&ve, "ve") + finish(&vv, "vv");
}

static broad_surface surface(void)
{
    return (broad_surface){.vertex_count = s.vertices,
                           .edge_count = s.edges,
                           .edges = (const int32_t(*)[2])s.edge,
                           .triangle_count = s.triangles,
                           .triangles = (const int32_t(*)[3])s.triangle,
                           .group = s.group,
                           .group_count = s.groups,
                           .group_flags = s.flags,
                           .kinematic = s.kinematic,
                           .planar = s.planar};
}

static bool same_list(const pair_list *a, const pair_list *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->data, b->data, a->count * sizeof *a->data) == 0);
}

static bool same_set(const candidate_set *a, const candidate_set *b)
{
    return same_list(&a->vt, &b->vt) && same_list(&a->ee, &b->ee) && same_list(&a->ve, &b->ve) &&
           same_list(&a->vv, &b->vv);
}

/* Static and swept queries of several sizes against brute force; returns all pairs expected. */
static size_t check_scene(double length)
{
    abut_error err = {0};
    broad_surface surf = surface();
    broad_phase *broad = NULL;
    candidate_set set = {0};
    CHECK_OK(broad_create(&surf, &broad, &err), err);
    size_t expected = 0;
    for (int i = 0; i < 12; i++) {
        broad_query q = {.y = s.y, .inflation = i % 2 ? 0.02 * length : 0.0, .tight = i >= 6};
        if (i % 6 >= 2) {
            q.p = s.p;
            q.alpha = i % 6 >= 4 ? 1.0 : 0.37;
        }
        if (i % 6 == 1 || i % 6 == 5) q.extra = s.extra;
        CHECK_OK(broad_candidates(broad, &q, &set, &err), err);
        expected += check_against_brute_force(&q, &set);
    }
    candidate_set_free(&set);
    broad_destroy(broad);
    return expected;
}

#endif
