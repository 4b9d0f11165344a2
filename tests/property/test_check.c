/* The independent checker against brute force and rational arithmetic on small soups, and on meshes
 * of a hundred thousand triangles with planted defects. */
#include "test.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/timer.h"
#include "geometry/box_tree.h"
#include "geometry/check.h"
#include "geometry/check_gap.h"
#include "support/rational.h"

#include <float.h>

static vec3 random_vec3(random_state *r, double size)
{
    double x = random_range(r, -size, size), y = random_range(r, -size, size);
    return vec3_make(x, y, random_range(r, -size, size));
}

/* ---- Small soups ---- */

enum { VERTICES = 60, TRIANGLES = 10, RODS = 6, GRAINS = 6 };

/* Triangles and rods with own vertices, some sharing one, and grains; on a lattice now and then, so
 * that they touch. */
typedef struct soup {
    vec3 vertices[VERTICES];
    int32_t triangles[TRIANGLES][3], edges[3 * TRIANGLES + RODS][2], points[GRAINS];
    int32_t body[VERTICES];
    check_surface surface;
} soup;

static void soup_make(random_state *r, bool lattice, soup *s)
{
    int v = 0, e = 0;
    for (int i = 0; i < VERTICES; i++) {
        s->vertices[i] = random_vec3(r, lattice ? 3.0 : 1.0);
        if (lattice)
            s->vertices[i] = vec3_make(round(s->vertices[i].x), round(s->vertices[i].y),
                                       round(s->vertices[i].z));
        s->body[i] = i % 3;
    }
    for (int i = 0; i < TRIANGLES; i++)
        for (int k = 0; k < 3; k++)
            s->triangles[i][k] = (k == 0 && i % 2 == 1) ? s->triangles[i - 1][1] : v++;
    for (int i = 0; i < TRIANGLES; i++)
        for (int k = 0; k < 3; k++, e++) {
            s->edges[e][0] = s->triangles[i][k];
            s->edges[e][1] = s->triangles[i][(k + 1) % 3];
        }
    for (int i = 0; i < RODS; i++, e++) {
        s->edges[e][0] = i % 2 ? s->edges[e - 1][1] : v++;
        s->edges[e][1] = v++;
    }
    for (int i = 0; i < GRAINS; i++) s->points[i] = v++;
    s->surface = (check_surface){.vertices = s->vertices,
                                 .vertex_count = VERTICES,
                                 .triangles = (const int32_t(*)[3])s->triangles,
                                 .triangle_count = TRIANGLES,
                                 .edges = (const int32_t(*)[2])s->edges,
                                 .edge_count = 3 * TRIANGLES + RODS,
                                 .points = s->points,
                                 .point_count = GRAINS};
}

static bool share(const int32_t *a, int na, const int32_t *b, int nb)
{
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++)
            if (a[i] == b[j]) return true;
    return false;
}

static bool listed(const check_pair *pairs, size_t count, check_kind kind, int first, int second)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[i].kind == kind && pairs[i].first == first && pairs[i].second == second)
            return true;
    return false;
}

/* Every pair by rational arithmetic; returns how many intersect. */
static size_t check_by_brute_force(const soup *s, const check_pair *pairs, size_t count,
                                   size_t kinds[5])
{
    const vec3 *x = s->vertices;
    size_t total = 0;
    int edges = 3 * TRIANGLES + RODS, free_edge = 3 * TRIANGLES;
    for (int e = 0; e < edges; e++) {
        const int32_t *a = s->edges[e];
        for (int t = 0; t < TRIANGLES; t++) {
            const int32_t *b = s->triangles[t];
            bool hit = !share(a, 2, b, 3) &&
                       rational_segment_hits_triangle(x[a[0]], x[a[1]], x[b[0]], x[b[1]], x[b[2]]);
            CHECK(listed(pairs, count, CHECK_EDGE_TRIANGLE, e, t) == hit);
            kinds[CHECK_EDGE_TRIANGLE] += hit;
            total += hit;
        }
        for (int f = e + 1; e >= free_edge && f < edges; f++) {
            const int32_t *b = s->edges[f];
            bool hit = !share(a, 2, b, 2) &&
                       rational_segment_segment_d(x[a[0]], x[a[1]], x[b[0]], x[b[1]]) == 0.0;
            CHECK(listed(pairs, count, CHECK_EDGE_EDGE, e, f) == hit);
            kinds[CHECK_EDGE_EDGE] += hit;
            total += hit;
        }
    }
    for (int p = 0; p < GRAINS; p++) {
        int v = s->points[p];
        for (int t = 0; t < TRIANGLES; t++) {
            const int32_t *b = s->triangles[t];
            bool hit = rational_point_triangle_d(x[v], x[b[0]], x[b[1]], x[b[2]]) == 0.0;
            CHECK(listed(pairs, count, CHECK_POINT_TRIANGLE, v, t) == hit);
            kinds[CHECK_POINT_TRIANGLE] += hit;
            total += hit;
        }
        for (int e = free_edge; e < edges; e++) {
            bool hit = rational_point_segment_d(x[v], x[s->edges[e][0]], x[s->edges[e][1]]) == 0.0;
            CHECK(listed(pairs, count, CHECK_POINT_EDGE, v, e) == hit);
            kinds[CHECK_POINT_EDGE] += hit;
            total += hit;
        }
        for (int q = p + 1; q < GRAINS; q++) {
            bool hit = vec3_norm(vec3_sub(x[v], x[s->points[q]])) == 0.0;
            CHECK(listed(pairs, count, CHECK_POINT_POINT, v, s->points[q]) == hit);
            kinds[CHECK_POINT_POINT] += hit;
            total += hit;
        }
    }
    return total;
}

TEST(soups_by_brute_force)
{
    random_state r = {1};
    size_t kinds[5] = {0};
    for (int trial = 0; trial < 30; trial++) {
        soup s;
        abut_error err;
        check_pair *pairs;
        size_t count;
        soup_make(&r, trial % 3 != 0, &s);
        CHECK_OK(check_intersections(&s.surface, &pairs, &count, &err), err);
        CHECK(check_by_brute_force(&s, pairs, count, kinds) == count);
        mem_free(pairs);
    }
    for (int k = 0; k < 5; k++) CHECK(kinds[k] > 0);
}

/* With marks: the pairs of all that have a marked vertex, each once. */
TEST(marked_vertices_only)
{
    random_state r = {5};
    size_t left_out = 0, hits = 0;
    for (int trial = 0; trial < 30; trial++) {
        soup s;
        abut_error err;
        uint8_t only[VERTICES];
        check_pair *all, *pairs;
        size_t all_count, count, n = 0;
        soup_make(&r, trial % 3 != 0, &s);
        for (int v = 0; v < VERTICES; v++) only[v] = random_below(&r, 4) == 0;
        CHECK_OK(check_intersections(&s.surface, &all, &all_count, &err), err);
        s.surface.only = only;
        CHECK_OK(check_intersections(&s.surface, &pairs, &count, &err), err);
        for (size_t i = 0; i < all_count; i++) {
            int32_t v[2][3];
            size_t nb, na = check_pair_vertices(&s.surface, &all[i], v[0], v[1], &nb);
            bool marked = false;
            for (size_t k = 0; k < na; k++) marked = marked || only[v[0][k]];
            for (size_t k = 0; k < nb; k++) marked = marked || only[v[1][k]];
            if (marked)
                CHECK(n < count && memcmp(&pairs[n++], &all[i], sizeof *all) == 0);
            else
                left_out++;
        }
        CHECK(n == count);
        hits += count;
        mem_free(all);
        mem_free(pairs);
    }
    CHECK(left_out > 20 && hits > 100);
}

/* Pairs that are found once for boxes around the vertices serve all positions in them. */
TEST(candidates_for_many_states)
{
    random_state r = {4};
    size_t hits = 0;
    for (int trial = 0; trial < 20; trial++) {
        soup s;
        abut_error err;
        vec3 low[VERTICES], high[VERTICES];
        check_pair *candidates, *listed, *pairs;
        size_t candidate_count, listed_count, count;
        soup_make(&r, trial % 3 != 0, &s);
        for (int v = 0; v < VERTICES; v++) {
            low[v] = vec3_sub(s.vertices[v], vec3_make(1, 1, 0));
            high[v] = vec3_add(s.vertices[v], vec3_make(0, 1, 1));
        }
        CHECK_OK(check_candidates_in(&s.surface, low, high, &candidates, &candidate_count, &err),
                 err);
        for (int state = 0; state < 6; state++) {
            for (int v = 0; v < VERTICES; v++) {
                vec3 share = vec3_make(random_range(&r, 0, 1), random_range(&r, 0, 1),
                                       random_range(&r, 0, 1));
                if (trial % 3 != 0)
                    share = vec3_make(round(share.x), round(share.y), share.z > 0.5);
                vec3 span = vec3_sub(high[v], low[v]);
                s.vertices[v] = vec3_add(
                    low[v], vec3_make(share.x * span.x, share.y * span.y, share.z * span.z));
            }
            CHECK_OK(check_intersections(&s.surface, &pairs, &count, &err), err);
            CHECK_OK(
                check_listed(&s.surface, candidates, candidate_count, &listed, &listed_count, &err),
                err);
            CHECK(count == listed_count &&
                  (count == 0 || memcmp(pairs, listed, count * sizeof *pairs) == 0));
            hits += count;
            mem_free(pairs);
            mem_free(listed);
        }
        mem_free(candidates);
    }
    CHECK(hits > 100);
}

/* The smallest distance of the soup by rational arithmetic. */
static double min_by_brute_force(const soup *s)
{
    const vec3 *x = s->vertices;
    double best = INFINITY;
    int edges = 3 * TRIANGLES + RODS, used = s->points[GRAINS - 1] + 1;
    for (int v = 0; v < used; v++) {
        for (int t = 0; t < TRIANGLES; t++) {
            const int32_t *b = s->triangles[t];
            if (!share(&v, 1, b, 3))
                best = fmin(best, rational_point_triangle_d(x[v], x[b[0]], x[b[1]], x[b[2]]));
        }
        for (int e = 3 * TRIANGLES; e < edges; e++) {
            const int32_t *b = s->edges[e];
            if (!share(&v, 1, b, 2))
                best = fmin(best, rational_point_segment_d(x[v], x[b[0]], x[b[1]]));
        }
    }
    for (int e = 0; e < edges; e++)
        for (int f = 0; f < e; f++) {
            const int32_t *a = s->edges[e], *b = s->edges[f];
            if (!share(a, 2, b, 2))
                best = fmin(best, rational_segment_segment_d(x[a[0]], x[a[1]], x[b[0]], x[b[1]]));
        }
    for (int p = 0; p < GRAINS; p++)
        for (int q = 0; q < p; q++)
            best = fmin(best, vec3_norm2(vec3_sub(x[s->points[p]], x[s->points[q]])));
    return sqrt(best);
}

TEST(distances_by_brute_force)
{
    random_state r = {2};
    int apart = 0;
    for (int trial = 0; trial < 12; trial++) {
        soup s;
        abut_error err;
        check_gap gap;
        soup_make(&r, false, &s);
        /* Spread the triangles so that not everything intersects. */
        for (int i = 0; i < VERTICES; i++)
            s.vertices[i] = vec3_mul_add(s.vertices[i], 1.0, vec3_make(1.2 * (i / 3), 0, 0));
        double truth = min_by_brute_force(&s);
        CHECK_OK(check_min_distance(&s.surface, 10.0, &gap, &err), err);
        CHECK_NEAR(gap.distance, truth, 1e-14);
        CHECK_OK(check_min_distance(&s.surface, INFINITY, &gap, &err), err);
        CHECK_NEAR(gap.distance, truth, 1e-14);
        CHECK_OK(check_min_distance(&s.surface, truth + 1e-9, &gap, &err), err);
        CHECK_NEAR(gap.distance, truth, 1e-14);
        CHECK(gap.pair.first >= 0 && gap.pair.second >= 0);
        if (truth == 0.0) continue;
        apart++;
        CHECK_OK(check_min_distance(&s.surface, 0.9 * truth, &gap, &err), err);
        CHECK(gap.distance == INFINITY);
    }
    CHECK(apart > 3);
}

TEST(gaps_against_rationals)
{
    random_state r = {3};
    for (int trial = 0; trial < 3000; trial++) {
        vec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = random_vec3(&r, 1.0);
        if (trial % 3 == 0) /* nearly parallel */
            x[3] = vec3_mul_add(vec3_add(x[2], vec3_sub(x[1], x[0])), 1e-9, random_vec3(&r, 1.0));
        CHECK_NEAR(gap_point_triangle(x[0], x + 1),
                   sqrt(rational_point_triangle_d(x[0], x[1], x[2], x[3])), 1e-15);
        CHECK_NEAR(gap_segment_segment(x, x + 2),
                   sqrt(rational_segment_segment_d(x[0], x[1], x[2], x[3])), 1e-15);
        CHECK_NEAR(gap_point_segment(x[0], x[1], x[2]),
                   sqrt(rational_point_segment_d(x[0], x[1], x[2])), 1e-15);
    }
}

TEST(bodies)
{
    /* Two crossed squares of one triangle each. */
    vec3 x[6] = {{-1, -1, 0}, {3, -1, 0}, {0, 3, 0}, {0, 0, -1}, {0.5, 0, 2}, {0, 0.5, 2}};
    int32_t t[2][3] = {{0, 1, 2}, {3, 4, 5}};
    int32_t e[6][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}};
    int32_t body[6] = {0, 0, 0, 1, 1, 1}, one_body[6] = {0};
    check_surface s = {x,
                       6,
                       (const int32_t(*)[3])t,
                       2,
                       (const int32_t(*)[2])e,
                       6,
                       NULL,
                       0,
                       NULL,
                       NULL,
                       NULL,
                       NULL,
                       0,
                       NULL};
    const struct {
        const int32_t *body;
        uint8_t flags[2];
        size_t expected;
        int32_t group[2];
    } cases[] = {
        {NULL, {0, 0}, 2, {-1, -1}},
        {body, {0, 0}, 2, {-1, -1}},
        {body, {0, 0}, 2, {3, 4}},
        {body, {0, 0}, 0, {4, 4}},
        {body, {CHECK_BODY_OBSTACLE, 0}, 2, {-1, -1}},
        {body, {CHECK_BODY_OBSTACLE, CHECK_BODY_OBSTACLE}, 0, {-1, -1}},
        {body, {CHECK_BODY_RIGID, CHECK_BODY_RIGID}, 2, {-1, -1}},
        {one_body, {CHECK_BODY_RIGID, 0}, 0, {-1, -1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_pair *pairs;
        size_t count;
        abut_error err;
        s.body = cases[i].body;
        s.body_flags = cases[i].flags;
        s.body_group = cases[i].group;
        CHECK_OK(check_intersections(&s, &pairs, &count, &err), err);
        CHECK(count == cases[i].expected);
        if (count == 2) {
            CHECK(pairs[0].kind == CHECK_EDGE_TRIANGLE && pairs[0].first == 3);
            CHECK(pairs[1].first == 5 && pairs[1].second == 0);
        }
        mem_free(pairs);
    }
    CHECK(strcmp(check_kind_name(CHECK_POINT_EDGE), "point-edge") == 0);
}

/* What is left out before distances are measured is further away than the radius. */
TEST(radius_is_kept)
{
    random_state r = {31};
    uint8_t flags[2] = {CHECK_BODY_RIGID, CHECK_BODY_RIGID};
    int32_t points[2] = {0, 1}, body[2] = {0, 1};
    for (int trial = 0; trial < 200; trial++) {
        vec3 x[2] = {random_vec3(&r, 10), {0, 0, 0}}, away = random_vec3(&r, 1);
        double radius = 0.01 * (1 + trial % 7), near = random_range(&r, 0.3, 0.99) * radius;
        x[1] = vec3_mul_add(x[0], near / vec3_norm(away), away);
        check_surface s = {.vertices = x,
                           .vertex_count = 2,
                           .points = points,
                           .point_count = 2,
                           .body = body,
                           .body_flags = flags};
        check_gap gap;
        abut_error err;
        CHECK_OK(check_min_distance(&s, radius, &gap, &err), err);
        CHECK_NEAR(gap.distance, near, 1e-14);
        x[1] = vec3_mul_add(x[0], 1.01 * radius / vec3_norm(away), away);
        CHECK_OK(check_min_distance(&s, radius, &gap, &err), err);
        CHECK(gap.distance == INFINITY);
    }
}

TEST(wrong_input_is_named)
{
    vec3 x[3] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}};
    int32_t e[1][2] = {{0, 7}}, tet[4] = {0, 1, 2, 3};
    check_surface s = {.vertices = x, .vertex_count = 3};
    check_pair *pairs;
    check_gap gap;
    size_t count;
    abut_error err;
    CHECK(check_intersections(&s, &pairs, &count, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "vertex 2 is not finite"));
    x[2].y = 1;
    s.edges = (const int32_t(*)[2])e;
    s.edge_count = 1;
    CHECK(check_min_distance(&s, 1.0, &gap, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "edge 0 has vertex 7, but there are 3 vertices"));
    CHECK(check_inverted_tets(x, 3, tet, 4, 1, NULL, &count, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "tet 0 has vertex 3"));
    s.edge_count = 0;
    CHECK_OK(check_intersections(&s, &pairs, &count, &err), err);
    CHECK(count == 0);
    mem_free(pairs);
}

TEST(inverted_tets)
{
    vec3 x[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.25, 0.25, 0}, {0.1, 0.2, -1e-300}};
    int32_t tets[4][5] = {{0, 1, 2, 3, 9}, {1, 0, 2, 3, 9}, {0, 1, 2, 4, 9}, {0, 1, 2, 5, 9}};
    int32_t *list;
    size_t count;
    abut_error err;
    CHECK_OK(check_inverted_tets(x, 6, tets[0], 5, 4, &list, &count, &err), err);
    CHECK(count == 3 && list[0] == 1 && list[1] == 2 && list[2] == 3);
    mem_free(list);
    CHECK_OK(check_inverted_tets(x, 6, tets[0], 5, 1, &list, &count, &err), err);
    CHECK(count == 0);
    mem_free(list);
}

/* Boxes of all sizes over many orders of magnitude, against brute force. */
TEST(grid_of_all_sizes)
{
    enum { BOXES = 400 };
    random_state r = {6};
    for (int trial = 0; trial < 20; trial++) {
        static tree_box boxes[BOXES];
        double spread = random_range(&r, 0.0, 12.0);
        for (int i = 0; i < BOXES; i++) {
            double size = pow(10.0, -random_range(&r, 0.0, spread));
            vec3 low = random_vec3(&r, 10.0 * size), s = random_vec3(&r, 0.5 * size);
            boxes[i].low = trial % 2 ? low : vec3_make(round(low.x), round(low.y), round(low.z));
            boxes[i].high = vec3_add(boxes[i].low, vec3_max(s, vec3_neg(s)));
        }
        box_tree tree = {0};
        abut_error err;
        box_list found = {0};
        size_t pairs = 0, expected_pairs = 0;
        if (!array_resize(&tree.boxes, BOXES)) abort();
        memcpy(tree.boxes.data, boxes, sizeof boxes);
        CHECK_OK(box_tree_build(&tree, &err), err);
        for (int i = 0; i < BOXES; i++) {
            size_t expected = 0;
            for (int j = 0; j < BOXES; j++)
                expected +=
                    boxes[i].low.x <= boxes[j].high.x && boxes[j].low.x <= boxes[i].high.x &&
                    boxes[i].low.y <= boxes[j].high.y && boxes[j].low.y <= boxes[i].high.y &&
                    boxes[i].low.z <= boxes[j].high.z && boxes[j].low.z <= boxes[i].high.z;
            array_clear(&found);
            CHECK(box_tree_collect(&tree, &boxes[i], 0, &found));
            CHECK(found.count == expected && expected > 0);
            expected_pairs += expected - 1;
            array_clear(&found);
            CHECK(box_tree_collect(&tree, &boxes[tree.order.data[i]], (size_t)i + 1, &found));
            pairs += found.count;
        }
        CHECK(2 * pairs == expected_pairs);
        array_free(&found);
        box_tree_free(&tree);
    }
}

/* ---- Large meshes ---- */

typedef struct sheets {
    vec3 *vertices;
    int32_t (*triangles)[3], (*edges)[2];
    check_surface surface;
} sheets;

static size_t sheet_add(sheets *m, int cells, double size, double height)
{
    size_t first = m->surface.vertex_count, n = (size_t)cells + 1;
    size_t t = m->surface.triangle_count, e = m->surface.edge_count;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double x = size * (double)i / cells, y = size * (double)j / cells;
            size_t v = first + j * n + i;
            m->vertices[v] = vec3_make(x, y, height + 0.05 * sin(7 * x) * cos(5 * y));
            int32_t a = (int32_t)v, b = a + 1, c = a + (int32_t)n, d = c + 1;
            if (i + 1 < n && j + 1 < n) {
                memcpy(m->triangles[t++], (int32_t[]){a, b, d}, sizeof *m->triangles);
                memcpy(m->triangles[t++], (int32_t[]){a, d, c}, sizeof *m->triangles);
                memcpy(m->edges[e++], (int32_t[]){a, d}, sizeof *m->edges);
            }
            if (i + 1 < n) memcpy(m->edges[e++], (int32_t[]){a, b}, sizeof *m->edges);
            if (j + 1 < n) memcpy(m->edges[e++], (int32_t[]){a, c}, sizeof *m->edges);
        }
    m->surface.vertex_count += n * n;
    m->surface.triangle_count = t;
    m->surface.edge_count = e;
    return first;
}

static void sheets_make(sheets *m)
{
    *m = (sheets){0};
    m->vertices = mem_alloc(200000, sizeof *m->vertices);
    m->triangles = mem_alloc(200000, sizeof *m->triangles);
    m->edges = mem_alloc(400000, sizeof *m->edges);
    m->surface.vertices = m->vertices;
    m->surface.triangles = (const int32_t(*)[3])m->triangles;
    m->surface.edges = (const int32_t(*)[2])m->edges;
}

static void sheets_free(sheets *m)
{
    mem_free(m->vertices);
    mem_free(m->triangles);
    mem_free(m->edges);
}

/* Two sheets of 51200 triangles, one a hair above the other, over a floor of two huge triangles. */
TEST(hundred_thousand_triangles)
{
    sheets m;
    abut_error err;
    check_pair *pairs;
    check_gap gap;
    size_t count;
    sheets_make(&m);
    sheet_add(&m, 160, 1.0, 0.0);
    size_t upper = sheet_add(&m, 160, 1.0, 1e-5);
    size_t floor_at = sheet_add(&m, 1, 1000.0, -0.5);
    for (size_t v = floor_at; v < m.surface.vertex_count; v++)
        m.vertices[v] = vec3_make(m.vertices[v].x - 500, m.vertices[v].y - 500, -0.5);
    CHECK(m.surface.triangle_count == 102402);
    double start = timer_now();
    CHECK_OK(check_intersections(&m.surface, &pairs, &count, &err), err);
    double middle = timer_now();
    CHECK(count == 0);
    mem_free(pairs);
    CHECK_OK(check_min_distance(&m.surface, 1e-3, &gap, &err), err);
    double end = timer_now();
    CHECK(gap.distance <= 1e-5 && gap.distance > 0.5e-5);
    printf("  %zu triangles: intersections %.2f s, distance %.2f s\n", m.surface.triangle_count,
           middle - start, end - middle);
    CHECK(end - start < 60.0);

    /* Push one vertex of the upper sheet through the lower one. Its six edges now cross. */
    size_t pushed = upper + 80 * 161 + 80;
    m.vertices[pushed].z -= 2e-5;
    for (int threads = 1; threads <= 3; threads += 2) {
        parallel_set_threads(threads);
        CHECK_OK(check_intersections(&m.surface, &pairs, &count, &err), err);
        CHECK(count >= 6);
        for (size_t i = 0; i < count; i++) {
            const int32_t *e = m.edges[pairs[i].first], *t = m.triangles[pairs[i].second];
            bool near = e[0] == (int32_t)pushed || e[1] == (int32_t)pushed;
            for (int k = 0; k < 3; k++) near = near || t[k] == (int32_t)pushed;
            CHECK(near);
        }
        mem_free(pairs);
        CHECK_OK(check_min_distance(&m.surface, 1e-3, &gap, &err), err);
        CHECK_NEAR(gap.distance, 0.0, 1e-12);
    }
    sheets_free(&m);
}

TEST(allocation_failures)
{
    random_state r = {5};
    soup s;
    soup_make(&r, true, &s);
    for (int64_t n = 0; n < 200; n++) {
        check_pair *pairs;
        size_t count;
        abut_error err;
        check_gap gap;
        parallel_set_threads(1);
        mem_fail_after(n);
        abut_status status = check_intersections(&s.surface, &pairs, &count, &err);
        CHECK(status == (mem_failure_happened() ? ABUT_ERROR_MEMORY : ABUT_OK));
        if (status == ABUT_OK) mem_free(pairs);
        mem_fail_after(n);
        status = check_min_distance(&s.surface, 1.0, &gap, &err);
        CHECK(status == (mem_failure_happened() ? ABUT_ERROR_MEMORY : ABUT_OK));
        mem_fail_after(-1);
    }
}

int main(void)
{
    RUN(soups_by_brute_force);
    RUN(marked_vertices_only);
    RUN(candidates_for_many_states);
    RUN(distances_by_brute_force);
    RUN(gaps_against_rationals);
    RUN(bodies);
    RUN(radius_is_kept);
    RUN(wrong_input_is_named);
    RUN(inverted_tets);
    RUN(grid_of_all_sizes);
    RUN(hundred_thousand_triangles);
    RUN(allocation_failures);
    return TEST_END();
}
