/* The toolkit layer of contact.h, as a user sees it. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "geometry/check.h"
#include "test.h"

#include <abut/contact.h>

static const abut_pair_kind KINDS[4] = {ABUT_POINT_POINT, ABUT_POINT_EDGE, ABUT_POINT_TRIANGLE,
                                        ABUT_EDGE_EDGE};

static void random_values(random_state *r, double *x, int count, double size)
{
    for (int i = 0; i < count; i++) x[i] = random_range(r, -size, size);
}

/* ---- pairs ---------------------------------------------------------------------------------- */

TEST(known_distances)
{
    const double pp[6] = {0, 0, 0, 3, 4, 0}, pe[9] = {0, 2, 0, -1, 0, 0, 1, 0, 0};
    const double pt[12] = {0.2, 0.3, 5, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double ee[12] = {-1, 0, 0, 1, 0, 0, 0, -1, 3, 0, 1, 3};
    double w[4];
    CHECK(abut_distance_squared(ABUT_POINT_POINT, pp, w, NULL, NULL) == 25.0);
    CHECK(w[0] == 1.0 && w[1] == -1.0);
    CHECK_NEAR(abut_distance_squared(ABUT_POINT_EDGE, pe, w, NULL, NULL), 4.0, 1e-14);
    CHECK_NEAR(abut_distance_squared(ABUT_POINT_TRIANGLE, pt, w, NULL, NULL), 25.0, 1e-13);
    CHECK_NEAR(w[1], -0.5, 1e-14);
    CHECK_NEAR(w[2], -0.2, 1e-14);
    CHECK_NEAR(abut_distance_squared(ABUT_EDGE_EDGE, ee, NULL, NULL, NULL), 9.0, 1e-14);
    double bad[12] = {0};
    bad[7] = NAN;
    CHECK(isnan(abut_distance_squared(ABUT_POINT_TRIANGLE, bad, NULL, NULL, NULL)));
    CHECK(isnan(abut_distance_squared((abut_pair_kind)9, pt, NULL, NULL, NULL)));
    CHECK(abut_pair_vertex_count((abut_pair_kind)9) == 0);
}

/* Central differences; configurations where another feature becomes closest nearby are rare. */
TEST(derivatives_match_differences)
{
    random_state r = {1};
    size_t wrong = 0;
    for (int round = 0; round < 400; round++) {
        abut_pair_kind kind = KINDS[round % 4];
        int n = 3 * abut_pair_vertex_count(kind);
        double x[12], g[12], h[144], up[12], down[12], error = 0.0;
        random_values(&r, x, n, 1.0);
        double d2 = abut_distance_squared(kind, x, NULL, g, h);
        double same[12];
        abut_distance_squared(kind, x, NULL, same, NULL);
        CHECK(memcmp(same, g, (size_t)n * sizeof *g) == 0);
        for (int i = 0; i < n; i++) {
            const double step = 1e-6;
            double keep = x[i];
            x[i] = keep + step;
            double high = abut_distance_squared(kind, x, NULL, up, NULL);
            x[i] = keep - step;
            double low = abut_distance_squared(kind, x, NULL, down, NULL);
            x[i] = keep;
            error = fmax(error, fabs((high - low) / (2 * step) - g[i]));
            for (int j = 0; j < n; j++)
                error = fmax(error, 1e-2 * fabs((up[j] - down[j]) / (2 * step) - h[i * n + j]));
        }
        wrong += error > 1e-5 * (1.0 + d2);
    }
    CHECK(wrong <= 4);
}

TEST(weights_lead_from_second_to_first)
{
    random_state r = {2};
    for (int round = 0; round < 400; round++) {
        abut_pair_kind kind = KINDS[round % 4];
        int n = abut_pair_vertex_count(kind);
        double x[12], w[4], length = 0.0;
        random_values(&r, x, 3 * n, 1.0);
        double d2 = abut_distance_squared(kind, x, w, NULL, NULL);
        for (int d = 0; d < 3; d++) {
            double sum = 0.0;
            for (int i = 0; i < n; i++) sum += w[i] * x[3 * i + d];
            length += sum * sum;
        }
        CHECK_NEAR(length, d2, 1e-12);
    }
}

TEST(collision_of_one_pair)
{
    const double start[12] = {0.2, 0.2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double end[12] = {0.2, 0.2, -1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double away[12] = {0.2, 0.2, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    abut_error err = {0};
    abut_ccd_result out;
    for (int method = 0; method < 2; method++) {
        abut_ccd_options o = abut_default_ccd_options();
        o.method = (abut_ccd_method)method;
        CHECK_OK(abut_ccd_pair(ABUT_POINT_TRIANGLE, start, end, &o, &out, &err), err);
        CHECK(out.hit && out.time <= 0.5 && out.time > 0.49999);
        CHECK_OK(abut_ccd_pair(ABUT_POINT_TRIANGLE, start, away, &o, &out, &err), err);
        CHECK(!out.hit && out.time == INFINITY);
        o.t_max = 0.4;
        CHECK_OK(abut_ccd_pair(ABUT_POINT_TRIANGLE, start, end, &o, &out, &err), err);
        CHECK(!out.hit);
        o.t_max = 1.0;
        o.separation = 0.5;
        CHECK_OK(abut_ccd_pair(ABUT_POINT_TRIANGLE, start, end, &o, &out, &err), err);
        CHECK(out.hit && out.time <= 0.25 && out.time > 0.24999);
        o.max_iterations = 0;
        CHECK_OK(abut_ccd_pair(ABUT_POINT_TRIANGLE, start, end, &o, &out, &err), err);
        CHECK(out.hit && out.time <= 0.25 && out.time > 0.24999);
    }
}

TEST(many_pairs_are_as_one_by_one)
{
    enum { COUNT = 500 };
    static double start[12 * COUNT], end[12 * COUNT];
    static abut_ccd_result results[COUNT];
    random_state r = {3};
    abut_error err = {0};
    int hits = 0;
    for (int k = 0; k < 4; k++) {
        int n = 3 * abut_pair_vertex_count(KINDS[k]);
        random_values(&r, start, n * COUNT, 1.0);
        random_values(&r, end, n * COUNT, 1.0);
        abut_ccd_options o = abut_default_ccd_options();
        o.separation = 0.1;
        CHECK_OK(abut_ccd_pairs(KINDS[k], COUNT, start, end, &o, results, &err), err);
        for (int i = 0; i < COUNT; i++) {
            abut_ccd_result one;
            CHECK_OK(abut_ccd_pair(KINDS[k], start + n * i, end + n * i, &o, &one, &err), err);
            CHECK(one.hit == results[i].hit && one.time == results[i].time);
            hits += one.hit;
        }
    }
    CHECK(hits > 100 && hits < 1900);
}

/* Algorithm 3.4 (active set of constraints) by the toolkit: pairs and times with an offset, and the
 * closest points at these times. */
TEST(contacts_at_their_times)
{
    enum { COUNT = 300 };
    static const double OFFSET = 1e-3;
    double start[12], end[12], at[12], weights[4];
    random_state r = {4};
    int hits = 0;
    for (int i = 0; i < 4 * COUNT; i++) {
        abut_pair_kind kind = KINDS[i % 4];
        int vertices = abut_pair_vertex_count(kind);
        random_values(&r, start, 3 * vertices, 1.0);
        random_values(&r, end, 3 * vertices, 1.0);
        abut_ccd_options o = abut_default_ccd_options();
        o.separation = OFFSET;
        abut_ccd_result c;
        CHECK(abut_ccd_pair(kind, start, end, &o, &c, NULL) == ABUT_OK);
        if (!c.hit || !(abut_distance_squared(kind, start, NULL, NULL, NULL) > 4 * OFFSET * OFFSET))
            continue;
        hits++;
        for (int k = 0; k < 3 * vertices; k++) at[k] = start[k] + c.time * (end[k] - start[k]);
        double distance = sqrt(abut_distance_squared(kind, at, weights, NULL, NULL)), sum = 0;
        CHECK(c.time > 0 && c.time <= 1);
        CHECK(distance > 0.9 * OFFSET && distance <= OFFSET + c.tolerance + 1e-12);
        for (int axis = 0; axis < 3; axis++) { /* the normal has the length of the gap */
            double n = 0;
            for (int k = 0; k < vertices; k++) n += weights[k] * at[3 * k + axis];
            sum += n * n;
        }
        CHECK_NEAR(sqrt(sum), distance, 1e-12);
    }
    CHECK(hits > 20);
}

TEST(wrong_pairs_are_refused)
{
    double start[12] = {0}, end[12] = {0};
    abut_error err = {0};
    abut_ccd_result out;
    abut_ccd_options o = abut_default_ccd_options();
    end[5] = INFINITY;
    CHECK(abut_ccd_pair(ABUT_EDGE_EDGE, start, end, &o, &out, &err) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, "end") == 0 && strstr(err.message, "value 5"));
    end[5] = 0.0;
    CHECK(abut_ccd_pair((abut_pair_kind)7, start, end, &o, &out, &err) == ABUT_ERROR_INPUT);
    o.tolerance = 0.0;
    CHECK(abut_ccd_pair(ABUT_EDGE_EDGE, start, end, &o, &out, &err) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, "tolerance") == 0);
    o = abut_default_ccd_options();
    o.separation = -1.0;
    CHECK(abut_ccd_pair(ABUT_EDGE_EDGE, start, end, &o, &out, NULL) == ABUT_ERROR_INPUT);
    o = abut_default_ccd_options();
    o.t_max = NAN;
    CHECK(abut_ccd_pair(ABUT_EDGE_EDGE, start, end, &o, &out, NULL) == ABUT_ERROR_INPUT);
    o = abut_default_ccd_options();
    o.method = (abut_ccd_method)5;
    CHECK(abut_ccd_pair(ABUT_EDGE_EDGE, start, end, &o, &out, NULL) == ABUT_ERROR_INPUT);
    o = abut_default_ccd_options();
    o.max_iterations = -1;
    CHECK(abut_ccd_pair(ABUT_EDGE_EDGE, start, end, &o, &out, NULL) == ABUT_ERROR_INPUT);
    CHECK(abut_ccd_pairs(ABUT_EDGE_EDGE, 0, NULL, NULL, NULL, NULL, NULL) == ABUT_OK);
}

/* ---- meshes --------------------------------------------------------------------------------- */

enum { TETS = 30, RODS = 20, DUST = 20, VERTICES = 4 * TETS + 2 * RODS + DUST };

static double positions[VERTICES][3];
static int32_t triangles[4 * TETS][3], rods[RODS][2], groups[VERTICES];

/* Small tets, rods and particles scattered in a box, apart from each other. */
static abut_collision_mesh_definition scatter(uint64_t seed)
{
    static const int32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    random_state r = {seed};
    for (int i = 0; i < VERTICES; i++) {
        int body = i < 4 * TETS              ? i / 4
                   : i < 4 * TETS + 2 * RODS ? TETS + (i - 4 * TETS) / 2
                                             : i - 4 * TETS - 2 * RODS + TETS + RODS;
        groups[i] = body;
        const int cell[3] = {body % 5, body / 5 % 5, body / 25};
        for (int d = 0; d < 3; d++) positions[i][d] = cell[d] + random_range(&r, 0.05, 0.95);
    }
    for (int t = 0; t < 4 * TETS; t++)
        for (int c = 0; c < 3; c++) triangles[t][c] = 4 * (t / 4) + faces[t % 4][c];
    for (int e = 0; e < RODS; e++)
        for (int c = 0; c < 2; c++) rods[e][c] = 4 * TETS + 2 * e + c;
    abut_collision_mesh_definition d = abut_default_collision_mesh();
    d.vertex_count = VERTICES;
    d.triangles = triangles[0];
    d.triangle_count = 4 * TETS;
    d.edges = rods[0];
    d.edge_count = RODS;
    return d;
}

TEST(edges_are_unique_and_sorted)
{
    abut_collision_mesh_definition d = scatter(1);
    abut_collision_mesh *mesh = NULL;
    abut_error err = {0};
    CHECK_OK(abut_collision_mesh_create(&d, &mesh, &err), err);
    size_t count = 0;
    const int32_t *edges = abut_collision_mesh_edges(mesh, &count);
    CHECK(count == 6 * TETS + RODS);
    for (size_t e = 0; e < count; e++) {
        CHECK(edges[2 * e] < edges[2 * e + 1]);
        if (e > 0)
            CHECK(edges[2 * e - 2] < edges[2 * e] ||
                  (edges[2 * e - 2] == edges[2 * e] && edges[2 * e - 1] < edges[2 * e + 1]));
    }
    int32_t v[4];
    CHECK(abut_pair_vertices(mesh, (abut_pair){ABUT_POINT_TRIANGLE, 9, 2}, v) == 4);
    CHECK(v[0] == 9 && v[1] == triangles[2][0] && v[3] == triangles[2][2]);
    CHECK(abut_pair_vertices(mesh, (abut_pair){ABUT_POINT_TRIANGLE, 9, 4 * TETS}, v) == 0);
    CHECK(abut_pair_vertices(mesh, (abut_pair){ABUT_EDGE_EDGE, -1, 0}, v) == 0);
    CHECK(abut_pair_vertices(mesh, (abut_pair){ABUT_POINT_EDGE, 3, 5}, v) == 3);
    CHECK(abut_pair_vertices(mesh, (abut_pair){ABUT_POINT_POINT, 3, 5}, v) == 2 && v[1] == 5);
    abut_collision_mesh_destroy(mesh);
    abut_collision_mesh_destroy(NULL);
}

/* Every pair that is really within the distance is among the candidates. */
TEST(candidates_hold_all_close_pairs)
{
    abut_collision_mesh_definition d = scatter(2);
    abut_collision_mesh *mesh = NULL;
    abut_candidates *candidates = NULL;
    abut_error err = {0};
    CHECK_OK(abut_collision_mesh_create(&d, &mesh, &err), err);
    CHECK_OK(abut_candidates_create(&candidates, &err), err);
    CHECK_OK(abut_find_candidates(mesh, positions[0], NULL, 0.2, candidates, &err), err);
    size_t close = 0, missing = 0, count;
    const int32_t *list = abut_candidates_list(candidates, ABUT_POINT_TRIANGLE, &count);
    CHECK(count > 10);
    for (int32_t v = 0; v < VERTICES; v++)
        for (int32_t t = 0; t < 4 * TETS; t++) {
            int32_t vertices[4];
            double x[12];
            abut_pair_vertices(mesh, (abut_pair){ABUT_POINT_TRIANGLE, v, t}, vertices);
            if (v == vertices[1] || v == vertices[2] || v == vertices[3]) continue;
            for (int k = 0; k < 4; k++) memcpy(x + 3 * k, positions[vertices[k]], 24);
            if (abut_distance_squared(ABUT_POINT_TRIANGLE, x, NULL, NULL, NULL) > 0.04) continue;
            close++;
            bool there = false;
            for (size_t i = 0; i < count; i++) there |= list[2 * i] == v && list[2 * i + 1] == t;
            missing += !there;
        }
    CHECK(close > 10 && missing == 0);
    CHECK(abut_candidates_list(candidates, (abut_pair_kind)8, &count) == NULL && count == 0);
    abut_candidates_destroy(candidates);
    abut_collision_mesh_destroy(mesh);
}

static double own_smallest_distance(void)
{
    static int32_t points[VERTICES];
    for (int i = 0; i < VERTICES; i++) points[i] = i;
    static int32_t edges[6 * TETS + RODS][2];
    static const int corners[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (int e = 0; e < 6 * TETS + RODS; e++)
        for (int c = 0; c < 2; c++)
            edges[e][c] = e < 6 * TETS ? 4 * (e / 6) + corners[e % 6][c] : rods[e - 6 * TETS][c];
    check_surface surface = {.vertices = (const vec3 *)(const void *)positions,
                             .vertex_count = VERTICES,
                             .triangles = (const int32_t(*)[3])triangles,
                             .triangle_count = 4 * TETS,
                             .edges = (const int32_t(*)[2])edges,
                             .edge_count = 6 * TETS + RODS,
                             .points = points,
                             .point_count = VERTICES};
    check_gap gap;
    return check_min_distance(&surface, 1.0, &gap, NULL) == ABUT_OK ? gap.distance : NAN;
}

TEST(smallest_distance_is_that_of_the_checker)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        abut_collision_mesh_definition d = scatter(seed);
        abut_collision_mesh *mesh = NULL;
        abut_error err = {0};
        double distance;
        abut_pair pair;
        CHECK_OK(abut_collision_mesh_create(&d, &mesh, &err), err);
        CHECK_OK(abut_smallest_distance(mesh, positions[0], 1.0, &distance, &pair, &err), err);
        CHECK_NEAR(distance, own_smallest_distance(), 1e-12);
        int32_t v[4];
        double x[12];
        int n = abut_pair_vertices(mesh, pair, v);
        CHECK(n >= 2);
        for (int k = 0; k < n; k++) memcpy(x + 3 * k, positions[v[k]], 24);
        CHECK(sqrt(abut_distance_squared(pair.kind, x, NULL, NULL, NULL)) == distance);
        double half = 0.5 * distance;
        CHECK_OK(abut_smallest_distance(mesh, positions[0], half, &distance, &pair, &err), err);
        CHECK(distance == INFINITY && pair.first == -1);
        abut_collision_mesh_destroy(mesh);
    }
}

/* Everything rushes to the middle, in as many steps as it takes: nothing ever intersects, gaps stay
 * open, and each step makes progress. */
static void rush_to_the_middle(abut_ccd_method method, double radius)
{
    abut_collision_mesh_definition d = scatter(7);
    static double thickness[VERTICES], target[VERTICES][3];
    for (int i = 0; i < VERTICES; i++) thickness[i] = radius;
    if (radius > 0.0) {
        d.thickness = thickness;
        d.group = groups; /* thick bodies overlap themselves */
        static uint8_t flags[VERTICES];
        memset(flags, ABUT_GROUP_NO_SELF, sizeof flags);
        d.group_flags = flags;
        d.group_count = TETS + RODS + DUST;
    }
    abut_collision_mesh *mesh = NULL;
    abut_error err = {0};
    CHECK_OK(abut_collision_mesh_create(&d, &mesh, &err), err);
    abut_step_options o = abut_default_step_options();
    o.method = method;
    abut_step_report report;
    size_t limited = 0, intersections;
    for (int i = 0; i < VERTICES; i++)
        for (int k = 0; k < 3; k++)
            target[i][k] = positions[i][k] - 0.8 * (groups[i] % 5 + 0.5 - 2.5) * (k == 0);
    for (int n = 0; n < 12; n++) {
        double step;
        CHECK_OK(abut_collision_free_step(mesh, positions[0], target[0], &o, &step, &report, &err),
                 err);
        CHECK(step > 0.0 && step <= 1.0 && report.touching == 0);
        CHECK(report.limited == (step < 1.0));
        if (report.limited) CHECK(report.limiting.first >= 0 && report.candidates > 0);
        limited += report.limited;
        for (int i = 0; i < VERTICES; i++)
            for (int k = 0; k < 3; k++) positions[i][k] += step * (target[i][k] - positions[i][k]);
        CHECK_OK(abut_find_intersections(mesh, positions[0], NULL, 0, &intersections, &err), err);
        CHECK(intersections == 0);
    }
    CHECK(limited > 3);
    double distance;
    CHECK_OK(abut_smallest_distance(mesh, positions[0], 1.0, &distance, NULL, &err), err);
    CHECK(distance > 2.0 * radius && distance < 2.0 * radius + 1e-2);
    abut_collision_mesh_destroy(mesh);
}

TEST(steps_are_free_of_collisions) { rush_to_the_middle(ABUT_CCD_TIGHT_INCLUSION, 0.0); }
TEST(steps_by_additive_ccd) { rush_to_the_middle(ABUT_CCD_ADDITIVE, 0.0); }
TEST(steps_respect_thickness) { rush_to_the_middle(ABUT_CCD_TIGHT_INCLUSION, 0.01); }

TEST(intersections_are_found_and_groups_count)
{
    abut_collision_mesh_definition d = scatter(3);
    abut_collision_mesh *mesh = NULL;
    abut_error err = {0};
    size_t count = 0, again = 0;
    abut_intersection found[2] = {{.second = -1}, {.second = -1}};
    CHECK_OK(abut_collision_mesh_create(&d, &mesh, &err), err);
    CHECK_OK(abut_find_intersections(mesh, positions[0], NULL, 0, &count, &err), err);
    CHECK(count == 0);
    /* The second tet in place of the first, a little off. */
    for (int i = 0; i < 12; i++)
        positions[4 + i / 3][i % 3] = positions[i / 3][i % 3] + 0.01 * (i % 3 + 1);
    CHECK_OK(abut_find_intersections(mesh, positions[0], found, 1, &count, &err), err);
    CHECK(count >= 2);
    CHECK(found[0].kind == ABUT_INTERSECT_EDGE_TRIANGLE && found[0].second < 8);
    CHECK(found[1].second == -1);
    abut_collision_mesh_destroy(mesh);
    /* Bodies of one group that does not collide with itself: nothing to report. */
    static const uint8_t flags[1] = {ABUT_GROUP_NO_SELF};
    static int32_t all_one[VERTICES];
    d.group = all_one;
    d.group_flags = flags;
    d.group_count = 1;
    CHECK_OK(abut_collision_mesh_create(&d, &mesh, &err), err);
    CHECK_OK(abut_find_intersections(mesh, positions[0], found, 2, &again, &err), err);
    CHECK(again == 0);
    double step;
    static double target[VERTICES][3];
    CHECK_OK(abut_collision_free_step(mesh, positions[0], target[0], NULL, &step, NULL, &err), err);
    CHECK(step == 1.0);
    abut_collision_mesh_destroy(mesh);
}

TEST(threads_do_not_matter)
{
    abut_collision_mesh_definition d = scatter(4);
    static double target[VERTICES][3];
    abut_collision_mesh *mesh = NULL;
    abut_error err = {0};
    int before = parallel_threads();
    double steps[4];
    abut_step_report reports[4];
    CHECK_OK(abut_collision_mesh_create(&d, &mesh, &err), err);
    for (int t = 0; t < 4; t++) {
        parallel_set_threads(t + 1);
        CHECK_OK(abut_collision_free_step(mesh, positions[0], target[0], NULL, &steps[t],
                                          &reports[t], &err),
                 err);
        CHECK(steps[t] == steps[0] && reports[t].limiting.first == reports[0].limiting.first);
    }
    CHECK(steps[0] < 1.0);
    parallel_set_threads(before);
    abut_collision_mesh_destroy(mesh);
}

TEST(wrong_meshes_are_refused)
{
    abut_collision_mesh_definition good = scatter(5), d = good;
    abut_collision_mesh *mesh = NULL;
    abut_error err = {0};
    triangles[3][1] = VERTICES;
    CHECK(abut_collision_mesh_create(&d, &mesh, &err) == ABUT_ERROR_INPUT && !mesh);
    CHECK(strcmp(err.place, "triangles") == 0 && strstr(err.message, "number 3 has vertex"));
    d = good = scatter(5);
    rods[2][0] = -4;
    CHECK(abut_collision_mesh_create(&d, &mesh, &err) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, "edges") == 0);
    d = good = scatter(5);
    d.edges = NULL;
    CHECK(abut_collision_mesh_create(&d, &mesh, &err) == ABUT_ERROR_INPUT);
    static double thickness[VERTICES];
    thickness[5] = -1.0;
    d = good;
    d.thickness = thickness;
    CHECK(abut_collision_mesh_create(&d, &mesh, &err) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, "thickness") == 0 && strstr(err.message, "vertex 5"));
    static const uint8_t flags[2];
    d = good;
    d.group = groups;
    d.group_flags = flags;
    d.group_count = 2;
    CHECK(abut_collision_mesh_create(&d, &mesh, &err) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, "group") == 0);

    CHECK_OK(abut_collision_mesh_create(&good, &mesh, &err), err);
    double step;
    abut_step_options o = abut_default_step_options();
    o.keep = 1.0;
    CHECK(abut_collision_free_step(mesh, positions[0], positions[0], &o, &step, NULL, &err) ==
          ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, "keep") == 0);
    o = abut_default_step_options();
    o.cap = INFINITY;
    CHECK(abut_collision_free_step(mesh, positions[0], positions[0], &o, &step, NULL, &err) ==
          ABUT_ERROR_INPUT);
    positions[7][1] = NAN;
    CHECK(abut_collision_free_step(mesh, positions[0], positions[0], NULL, &step, NULL, &err) ==
          ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "vertex 7"));
    size_t count;
    CHECK(abut_find_intersections(mesh, positions[0], NULL, 0, &count, &err) != ABUT_OK);
    abut_collision_mesh_destroy(mesh);
}

TEST(an_empty_mesh_is_free)
{
    abut_collision_mesh_definition d = abut_default_collision_mesh();
    abut_collision_mesh *mesh = NULL;
    abut_error err = {0};
    double step, distance, nothing[3] = {0};
    size_t count = 7;
    CHECK_OK(abut_collision_mesh_create(&d, &mesh, &err), err);
    CHECK_OK(abut_collision_free_step(mesh, nothing, nothing, NULL, &step, NULL, &err), err);
    CHECK(step == 1.0);
    CHECK_OK(abut_find_intersections(mesh, nothing, NULL, 0, &count, &err), err);
    CHECK(count == 0);
    CHECK_OK(abut_smallest_distance(mesh, nothing, 1.0, &distance, NULL, &err), err);
    CHECK(distance == INFINITY);
    CHECK(abut_collision_mesh_edges(mesh, &count) == NULL && count == 0);
    abut_collision_mesh_destroy(mesh);
}

TEST(running_out_of_memory)
{
    abut_collision_mesh_definition d = scatter(6);
    static double target[VERTICES][3];
    abut_error err = {0};
    bool failed = true;
    for (int64_t n = 0; failed && n < 2000; n++) {
        abut_collision_mesh *mesh = NULL;
        double step, distance;
        size_t count;
        mem_fail_after(n);
        abut_status status = abut_collision_mesh_create(&d, &mesh, &err);
        if (status == ABUT_OK)
            status =
                abut_collision_free_step(mesh, positions[0], target[0], NULL, &step, NULL, &err);
        if (status == ABUT_OK)
            status = abut_smallest_distance(mesh, positions[0], 0.1, &distance, NULL, &err);
        if (status == ABUT_OK)
            status = abut_find_intersections(mesh, positions[0], NULL, 0, &count, &err);
        failed = mem_failure_happened();
        mem_fail_after(-1);
        CHECK((status == ABUT_ERROR_MEMORY) == failed);
        abut_collision_mesh_destroy(mesh);
    }
    CHECK(!failed);
}

int main(void)
{
    RUN(known_distances);
    RUN(derivatives_match_differences);
    RUN(weights_lead_from_second_to_first);
    RUN(collision_of_one_pair);
    RUN(many_pairs_are_as_one_by_one);
    RUN(contacts_at_their_times);
    RUN(wrong_pairs_are_refused);
    RUN(edges_are_unique_and_sorted);
    RUN(candidates_hold_all_close_pairs);
    RUN(smallest_distance_is_that_of_the_checker);
    RUN(steps_are_free_of_collisions);
    RUN(steps_by_additive_ccd);
    RUN(steps_respect_thickness);
    RUN(intersections_are_found_and_groups_count);
    RUN(threads_do_not_matter);
    RUN(wrong_meshes_are_refused);
    RUN(an_empty_mesh_is_free);
    RUN(running_out_of_memory);
    return TEST_END();
}
