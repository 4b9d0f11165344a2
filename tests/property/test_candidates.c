/* The broad phase against brute force: the same set of pairs on scenes of every kind, static and
 * swept, for any number of threads, after refitting, and without allocation once warmed up. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "broad/candidates.h"
#include "support/broad_cases.h"
#include "test.h"

/* ---- tests ---------------------------------------------------------------------------------- */

TEST(mixed_scene_equals_brute_force)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        random_state r = {seed};
        make_mixed(&r);
        CHECK(check_scene(1.0) > 10000);
    }
}

TEST(soups_equal_brute_force)
{
    const int counts[] = {1, 2, 7, 8, 9, 63, 64, 65, 300, 660};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        random_state r = {77 + i};
        clear_scene();
        add_soup(&r, counts[i], 0.2, 1.0);
        set_motion(&r, 0.1);
        check_scene(1.0);
    }
}

/* One triangle over everything, many small ones. */
TEST(very_different_sizes)
{
    random_state r = {5};
    clear_scene();
    add_soup(&r, 2, 50.0, 1.0);
    add_sheet(&r, 20, vec3_make(-1.0, 0.0, -1.0), 0.1, 0.01, 0);
    add_soup(&r, 60, 1e-5, 1.0);
    set_motion(&r, 0.02);
    CHECK(check_scene(0.1) > 1000);
}

/* Features about as small as floats can tell apart in this scene: the doubles must decide. */
TEST(clusters_below_the_resolution_of_floats)
{
    random_state r = {6};
    clear_scene();
    add_soup(&r, 2, 50.0, 1.0);
    add_soup(&r, 120, 3e-5, 4e-5);
    add_particles(&r, 60, 4e-5, 0);
    set_motion(&r, 1e-5);
    CHECK(check_scene(1e-4) > 1000);
}

TEST(single_kinds)
{
    random_state r = {9};
    clear_scene();
    add_particles(&r, 700, 1.0, 0);
    set_motion(&r, 0.1);
    CHECK(check_scene(4.0) > 100);
    clear_scene();
    for (int i = 0; i < 20; i++) add_rod(&r, 50, random_vec3(&r, 1.0), 0.1, i % 3 ? 0 : 1);
    set_motion(&r, 0.1);
    CHECK(check_scene(1.0) > 100);
    clear_scene();
    CHECK(check_scene(1.0) == 0);
    add_particles(&r, 1, 1.0, 0);
    set_motion(&r, 0.1);
    CHECK(check_scene(1.0) == 0);
}

TEST(planar_scene_has_vertex_edge_pairs_only)
{
    random_state r = {11};
    clear_scene();
    s.planar = true;
    for (int i = 0; i < 6; i++) add_sheet(&r, 9, random_vec3(&r, 0.5), 0.1, 0.03, i % 2 ? 1 : 0);
    add_particles(&r, 50, 0.5, 0);
    set_motion(&r, 0.05);
    for (size_t v = 0; v < s.vertices; v++) s.y[v].z = s.p[v].z = 0.0;
    CHECK(check_scene(1.0) > 1000);
}

TEST(flat_scene)
{
    random_state r = {12};
    make_mixed(&r);
    for (size_t v = 0; v < s.vertices; v++) s.y[v].z = s.p[v].z = 0.0;
    CHECK(check_scene(1.0) > 1000);
}

/* Coordinates on a coarse lattice: boxes touch exactly, again and again. */
TEST(touching_boxes)
{
    random_state r = {13};
    make_mixed(&r);
    for (size_t v = 0; v < s.vertices; v++) {
        s.y[v] = vec3_make(floor(8 * s.y[v].x), floor(8 * s.y[v].y), floor(8 * s.y[v].z));
        s.p[v] = vec3_make(floor(20 * s.p[v].x), floor(20 * s.p[v].y), floor(20 * s.p[v].z));
    }
    CHECK(check_scene(1.0) > 10000);
}

TEST(all_vertices_coincide)
{
    random_state r = {14};
    clear_scene();
    add_soup(&r, 80, 1.0, 1.0);
    add_rod(&r, 40, vec3_make(0, 0, 0), 1.0, 0);
    add_particles(&r, 40, 1.0, 0);
    set_motion(&r, 0.0);
    const vec3 places[] = {{0, 0, 0}, {1.5, -2.5, 1e-300}, {1e12, 1e12, -1e12}};
    for (int i = 0; i < 3; i++) {
        for (size_t v = 0; v < s.vertices; v++) s.y[v] = places[i];
        CHECK(check_scene(1.0) > 10000);
    }
}

TEST(huge_and_tiny_coordinates)
{
    const struct {
        double scale;
        vec3 shift;
    } cases[] = {{1e12, {0, 0, 0}},     {1e-12, {0, 0, 0}},         {1.0, {1e12, -1e12, 3e11}},
                 {1e-3, {1e7, 0, 0}},   {1e300, {0, 0, 0}},         {1e-300, {0, 0, 0}},
                 {1e-12, {1, 1, 1e-9}}, {1e307, {1e307, -1e307, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        random_state r = {20 + i};
        clear_scene();
        add_soup(&r, 120, 0.1, 1.0);
        add_rod(&r, 60, vec3_make(0, 0, 0), 0.1, 0);
        add_particles(&r, 60, 1.0, 0);
        set_motion(&r, 0.05);
        transform(cases[i].scale, cases[i].shift);
        CHECK(check_scene(cases[i].scale) > 100);
    }
}

/* The widened box holds the exact one, in exact arithmetic of long doubles (64 bits suffice for
 * one addition of values within a factor 2^10 of each other). */
TEST(inflation_is_rounded_outward)
{
    random_state r = {30};
    for (int i = 0; i < 20000; i++) {
        vec3 y = vec3_scale(pow(2.0, random_range(&r, -4, 4)), random_vec3(&r, 1.0));
        broad_query q = {.y = &y, .inflation = pow(2.0, random_range(&r, -6, 2))};
        exact_box b = vertex_exact_box(&q, 0);
        const double x[3] = {y.x, y.y, y.z};
        for (int d = 0; d < 3; d++) {
            long double half = 0.5L * q.inflation, margin = 1e-15L * (fabsl(x[d]) + half);
            CHECK((long double)b.low[d] <= x[d] - half && b.low[d] >= x[d] - half - margin);
            CHECK((long double)b.high[d] >= x[d] + half && b.high[d] <= x[d] + half + margin);
        }
    }
}

/* The same along the diagonals: the ball of the radius around the whole path is inside. */
TEST(diagonals_are_rounded_outward)
{
    random_state r = {31};
    const double root = 1.41421356237309504880;
    const int sign[6][3] = {{1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}};
    for (int i = 0; i < 20000; i++) {
        vec3 y = vec3_scale(pow(2.0, random_range(&r, -4, 4)), random_vec3(&r, 1.0));
        vec3 p = random_vec3(&r, 1.0);
        broad_query q = {.y = &y, .p = &p, .alpha = 0.5, .inflation = random_range(&r, 0.0, 0.5)};
        exact_diagonals b = vertex_exact_diagonals(&q, 0);
        vec3 to = vec3_mul_add(y, 0.5, p);
        for (int d = 0; d < 6; d++) {
            const int *n = sign[d];
            long double from =
                n[0] * (long double)y.x + n[1] * (long double)y.y + n[2] * (long double)y.z;
            long double end =
                n[0] * (long double)to.x + n[1] * (long double)to.y + n[2] * (long double)to.z;
            long double half = 0.70710678118654752440L * q.inflation;
            long double low = fminl(from, end) - half, high = fmaxl(from, end) + half;
            CHECK(b.low[d] <= low && b.low[d] >= low - 1e-13L);
            CHECK(b.high[d] >= high && b.high[d] <= high + 1e-13L);
        }
    }
    CHECK(0x1.6a09e667f3bcdp0 * 0x1.6a09e667f3bcdp0 >= 2.0 &&
          fabs(root - 0x1.6a09e667f3bcdp0) < 1e-15);
}

/* A tight set leaves out many pairs, but none that is close: distances are sampled on the path. */
TEST(tight_set_holds_all_close_pairs)
{
    random_state r = {32};
    make_mixed(&r);
    memset(s.kinematic, 0, sizeof s.kinematic);
    abut_error err = {0};
    broad_surface surf = surface();
    broad_phase *broad = NULL;
    candidate_set loose = {0}, tight = {0};
    CHECK_OK(broad_create(&surf, &broad, &err), err);
    broad_query q = {.y = s.y, .p = s.p, .alpha = 1.0, .inflation = 0.01};
    CHECK_OK(broad_candidates(broad, &q, &loose, &err), err);
    q.tight = true;
    CHECK_OK(broad_candidates(broad, &q, &tight, &err), err);
    CHECK(tight.ee.count < loose.ee.count && tight.vt.count < loose.vt.count);
    size_t next = 0, close = 0;
    for (size_t i = 0; i < loose.ee.count; i++) {
        index_pair pair = loose.ee.data[i];
        bool listed = next < tight.ee.count && tight.ee.data[next].first == pair.first &&
                      tight.ee.data[next].second == pair.second;
        next += listed;
        double least = INFINITY;
        for (int k = 0; k < 64 && !listed; k++) {
            vec3 x[4];
            for (int c = 0; c < 4; c++) {
                int32_t v = c < 2 ? s.edge[pair.first][c] : s.edge[pair.second][c - 2];
                x[c] = vec3_mul_add(s.y[v], (k % 4) / 3.0, s.p[v]);
            }
            double u = (k / 4 % 4) / 3.0, w = (k / 16) / 3.0;
            vec3 a = vec3_add(vec3_scale(1.0 - u, x[0]), vec3_scale(u, x[1]));
            vec3 b = vec3_add(vec3_scale(1.0 - w, x[2]), vec3_scale(w, x[3]));
            least = fmin(least, vec3_norm(vec3_sub(a, b)));
        }
        close += least <= q.inflation;
    }
    CHECK(next == tight.ee.count);
    CHECK(close == 0);
    candidate_set_free(&loose);
    candidate_set_free(&tight);
    broad_destroy(broad);
}

TEST(any_number_of_threads_gives_the_same_lists)
{
    random_state r = {40};
    make_mixed(&r);
    abut_error err = {0};
    broad_surface surf = surface();
    int threads_before = parallel_threads();
    candidate_set reference = {0};
    for (int threads = 1; threads <= 4; threads++) {
        parallel_set_threads(threads);
        broad_phase *broad = NULL;
        candidate_set set = {0};
        CHECK_OK(broad_create(&surf, &broad, &err), err);
        broad_query q = {.y = s.y, .p = s.p, .alpha = 1.0, .inflation = 0.03};
        for (int repeat = 0; repeat < 5; repeat++) {
            CHECK_OK(broad_candidates(broad, &q, &set, &err), err);
            if (threads == 1 && repeat == 0)
                CHECK_OK(broad_candidates(broad, &q, &reference, &err), err);
            CHECK(candidate_set_count(&set) > 10000);
            CHECK(same_set(&set, &reference));
        }
        candidate_set_free(&set);
        broad_destroy(broad);
    }
    parallel_set_threads(threads_before);
    candidate_set_free(&reference);
}

/* Motion far away from where the trees were built, in small and in large steps. */
TEST(refit_equals_rebuild)
{
    random_state r = {50};
    make_mixed(&r);
    abut_error err = {0};
    broad_surface surf = surface();
    broad_phase *kept = NULL;
    candidate_set set = {0}, fresh_set = {0};
    CHECK_OK(broad_create(&surf, &kept, &err), err);
    int rebuilds = 0, queries_without = 0;
    for (int step = 0; step < 40; step++) {
        for (size_t v = 0; v < s.vertices; v++)
            s.y[v] = vec3_add(s.y[v], random_vec3(&r, step < 20 ? 0.005 : 0.05));
        broad_query q = {.y = s.y, .p = s.p, .alpha = 0.2, .inflation = 0.01};
        broad_phase *fresh = NULL;
        CHECK_OK(broad_create(&surf, &fresh, &err), err);
        CHECK_OK(broad_candidates(kept, &q, &set, &err), err);
        CHECK_OK(broad_candidates(fresh, &q, &fresh_set, &err), err);
        CHECK(same_set(&set, &fresh_set));
        if (step > 0) rebuilds += set.rebuilds;
        queries_without += set.rebuilds == 0;
        broad_destroy(fresh);
    }
    CHECK(rebuilds > 0 && queries_without > 20);
    candidate_set_free(&set);
    candidate_set_free(&fresh_set);
    broad_destroy(kept);
}

TEST(no_allocation_after_warm_up)
{
    random_state r = {60};
    make_mixed(&r);
    abut_error err = {0};
    broad_surface surf = surface();
    broad_phase *broad = NULL;
    candidate_set set = {0}, part = {0};
    CHECK_OK(broad_create(&surf, &broad, &err), err);
    uint64_t before = 0;
    for (int i = 0; i < 60; i++) {
        if (i == 2) before = mem_allocation_count();
        broad_query q = {
            .y = s.y, .p = s.p, .alpha = 1.0 - 0.01 * i, .inflation = 0.02, .tight = i % 2};
        CHECK_OK(broad_candidates(broad, &q, &set, &err), err);
        q.inflation = 0.01;
        CHECK_OK(broad_select(broad, &q, &set, &part, &err), err);
    }
    CHECK(mem_allocation_count() == before);
    candidate_set_free(&set);
    candidate_set_free(&part);
    broad_destroy(broad);
}

TEST(selection_from_a_covering_set_equals_a_query)
{
    random_state r = {70};
    make_mixed(&r);
    abut_error err = {0};
    broad_surface surf = surface();
    broad_phase *broad = NULL;
    candidate_set wide = {0}, direct = {0}, selected = {0};
    static vec3 start[MAX_VERTICES];
    memcpy(start, s.y, sizeof start);
    CHECK_OK(broad_create(&surf, &broad, &err), err);
    broad_query q = {.y = s.y, .inflation = 0.08};
    CHECK_OK(broad_candidates(broad, &q, &wide, &err), err);
    bool covered = true;
    for (int step = 0; covered; step++) {
        for (size_t v = 0; v < s.vertices; v++)
            s.y[v] = vec3_add(start[v], random_vec3(&r, 0.003 * step));
        double moved = broad_displacement(start, s.y, s.vertices);
        q.inflation = 0.02;
        covered = candidate_set_covers(&wide, moved, q.inflation);
        CHECK(covered == (moved < 0.03));
        if (!covered) break;
        CHECK_OK(broad_candidates(broad, &q, &direct, &err), err);
        CHECK_OK(broad_select(broad, &q, &wide, &selected, &err), err);
        CHECK(same_set(&direct, &selected));
        q.tight = true;
        CHECK_OK(broad_candidates(broad, &q, &direct, &err), err);
        CHECK_OK(broad_select(broad, &q, &wide, &selected, &err), err);
        CHECK(same_set(&direct, &selected));
        q.tight = false;
        CHECK(candidate_set_count(&wide) > candidate_set_count(&direct));
        CHECK(step < 10);
    }
    CHECK(candidate_set_reach(&wide, 0.09) < 0.0);
    CHECK(!candidate_set_covers(&wide, 0.0, 0.09));
    candidate_set_free(&wide);
    candidate_set_free(&direct);
    candidate_set_free(&selected);
    broad_destroy(broad);
}

TEST(filter_can_change)
{
    random_state r = {80};
    make_mixed(&r);
    abut_error err = {0};
    broad_surface surf = surface();
    broad_phase *broad = NULL;
    candidate_set set = {0};
    CHECK_OK(broad_create(&surf, &broad, &err), err);
    broad_query q = {.y = s.y, .inflation = 0.02};
    CHECK_OK(broad_candidates(broad, &q, &set, &err), err);
    size_t before = check_against_brute_force(&q, &set);
    for (size_t v = 0; v < s.vertices; v += 2) s.kinematic[v] = 1;
    s.flags[0] = BROAD_GROUP_NO_SELF;
    broad_update_filter(broad);
    CHECK_OK(broad_candidates(broad, &q, &set, &err), err);
    CHECK(check_against_brute_force(&q, &set) < before);
    candidate_set_free(&set);
    broad_destroy(broad);
}

TEST(path_may_be_given_by_its_end)
{
    random_state r = {84};
    make_mixed(&r);
    static vec3 end[MAX_VERTICES];
    for (size_t v = 0; v < s.vertices; v++) end[v] = vec3_mul_add(s.y[v], 0.7, s.p[v]);
    abut_error err = {0};
    broad_surface surf = surface();
    broad_phase *broad = NULL;
    candidate_set by_direction = {0}, by_end = {0};
    CHECK_OK(broad_create(&surf, &broad, &err), err);
    for (int tight = 0; tight < 2; tight++) {
        broad_query q = {.y = s.y, .p = s.p, .alpha = 0.7, .inflation = 0.01, .tight = tight};
        CHECK_OK(broad_candidates(broad, &q, &by_direction, &err), err);
        q.p = NULL;
        q.end = end;
        CHECK_OK(broad_candidates(broad, &q, &by_end, &err), err);
        CHECK(same_set(&by_direction, &by_end));
        q.end = NULL;
        CHECK_OK(broad_candidates(broad, &q, &by_end, &err), err);
        CHECK(candidate_set_count(&by_direction) > candidate_set_count(&by_end));
    }
    candidate_set_free(&by_direction);
    candidate_set_free(&by_end);
    broad_destroy(broad);
}

TEST(another_surface_in_the_same_memory)
{
    random_state r = {81};
    make_mixed(&r);
    abut_error err = {0};
    broad_surface surf = surface();
    broad_phase *broad = NULL;
    candidate_set set = {0};
    CHECK_OK(broad_create(&surf, &broad, &err), err);
    for (int i = 0; i < 4; i++) {
        if (i > 0) {
            clear_scene();
            add_soup(&r, 50 * i, 0.1, 0.5);
            add_rod(&r, 30, vec3_make(0, 0, 0), 0.1, 0);
            set_motion(&r, 0.05);
            surf = surface();
            CHECK_OK(broad_set_surface(broad, &surf, &err), err);
        }
        broad_query q = {.y = s.y, .p = s.p, .alpha = 1.0, .inflation = 0.02};
        CHECK_OK(broad_candidates(broad, &q, &set, &err), err);
        CHECK(check_against_brute_force(&q, &set) > 0);
    }
    candidate_set_free(&set);
    broad_destroy(broad);
}

TEST(points_may_be_a_subset)
{
    random_state r = {82};
    clear_scene();
    add_sheet(&r, 10, vec3_make(0, 0, 0), 0.1, 0.02, 0);
    add_particles(&r, 100, 0.3, 0);
    set_motion(&r, 0.01);
    abut_error err = {0};
    broad_surface surf = surface();
    int32_t points[MAX_VERTICES];
    for (size_t v = 0; v < s.vertices; v += 3) points[surf.point_count++] = (int32_t)v;
    surf.points = points;
    broad_phase *broad = NULL;
    candidate_set set = {0};
    CHECK_OK(broad_create(&surf, &broad, &err), err);
    broad_query q = {.y = s.y, .inflation = 0.1};
    CHECK_OK(broad_candidates(broad, &q, &set, &err), err);
    CHECK(set.vt.count > 100 && set.vv.count > 10);
    for (size_t i = 0; i < set.vt.count; i++) CHECK(set.vt.data[i].first % 3 == 0);
    for (size_t i = 0; i < set.vv.count; i++)
        CHECK(set.vv.data[i].first % 3 == 0 && set.vv.data[i].second % 3 == 0);
    candidate_set_free(&set);
    broad_destroy(broad);
}

TEST(largest_coordinate_covers_the_whole_path)
{
    random_state r = {83};
    make_mixed(&r);
    s.y[5] = vec3_make(-3.0, 0.0, 2.0);
    s.p[5] = vec3_make(-1.0, 7.0, 0.0);
    abut_error err = {0};
    broad_surface surf = surface();
    broad_phase *broad = NULL;
    candidate_set set = {0};
    CHECK_OK(broad_create(&surf, &broad, &err), err);
    broad_query q = {.y = s.y, .p = s.p, .alpha = 0.5};
    CHECK_OK(broad_candidates(broad, &q, &set, &err), err);
    CHECK(set.largest.x == 3.5 && set.largest.y == 3.5);
    candidate_set_free(&set);
    broad_destroy(broad);
}

TEST(wrong_input_is_refused)
{
    random_state r = {90};
    make_mixed(&r);
    abut_error err = {0};
    broad_surface surf = surface();
    broad_phase *broad = NULL;
    candidate_set set = {0};
    CHECK_OK(broad_create(&surf, &broad, &err), err);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        broad_query q = {.y = s.y, .p = s.p, .alpha = 1.0, .inflation = 0.01, .extra = s.extra};
        double keep = s.y[700].y;
        s.y[700].y = bad[i];
        CHECK(broad_candidates(broad, &q, &set, &err) == ABUT_ERROR_INPUT);
        CHECK(strstr(err.message, "vertex 700 is at") != NULL);
        CHECK(broad_select(broad, &q, &set, &set, &err) == ABUT_ERROR_INPUT);
        s.y[700].y = keep;
        keep = s.p[3].z;
        s.p[3].z = bad[i];
        CHECK(broad_candidates(broad, &q, &set, &err) == ABUT_ERROR_INPUT);
        CHECK(strstr(err.message, "vertex 3 moves") != NULL);
        s.p[3].z = keep;
        keep = s.extra[4];
        s.extra[4] = i == 0 ? -1.0 : bad[i];
        CHECK(broad_candidates(broad, &q, &set, &err) == ABUT_ERROR_INPUT);
        CHECK(strstr(err.message, "vertex 4 has the thickness") != NULL);
        s.extra[4] = keep;
        q.inflation = i == 0 ? -1.0 : bad[i];
        CHECK(broad_candidates(broad, &q, &set, &err) == ABUT_ERROR_INPUT);
        CHECK(strstr(err.message, "inflation") != NULL);
        q.inflation = 0.0;
        q.alpha = bad[i];
        CHECK(broad_candidates(broad, &q, &set, &err) == ABUT_ERROR_INPUT);
    }
    broad_query q = {.y = s.y, .p = s.p, .alpha = 1.0, .inflation = 0.01};
    CHECK_OK(broad_candidates(broad, &q, &set, &err), err);
    check_against_brute_force(&q, &set);
    broad_destroy(broad);
    candidate_set_free(&set);
    s.edge[3][1] = (int32_t)s.vertices;
    CHECK(broad_create(&surf, &broad, &err) == ABUT_ERROR_INPUT && broad == NULL);
    CHECK(strstr(err.message, "edge 3 has vertex") != NULL);
    s.triangle[7][2] = -1;
    s.edge[3][1] = 0;
    CHECK(broad_create(&surf, &broad, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "triangle 7 has vertex -1") != NULL);
}

/* Every allocation fails once; nothing leaks (the sanitizer looks) and the next query is right. */
TEST(running_out_of_memory)
{
    random_state r = {91};
    clear_scene();
    add_soup(&r, 100, 0.2, 1.0);
    add_rod(&r, 30, vec3_make(0, 0, 0), 0.2, 0);
    set_motion(&r, 0.1);
    broad_surface surf = surface();
    abut_error err = {0};
    bool failed = true;
    for (int64_t n = 0; failed && n < 1000; n++) {
        broad_phase *broad = NULL;
        candidate_set set = {0};
        broad_query q = {.y = s.y, .p = s.p, .alpha = 1.0, .inflation = 0.02};
        mem_fail_after(n);
        abut_status status = broad_create(&surf, &broad, &err);
        if (status == ABUT_OK) status = broad_candidates(broad, &q, &set, &err);
        failed = mem_failure_happened();
        mem_fail_after(-1);
        CHECK((status == ABUT_ERROR_MEMORY) == failed);
        if (broad) {
            CHECK_OK(broad_candidates(broad, &q, &set, &err), err);
            check_against_brute_force(&q, &set);
        }
        broad_destroy(broad);
        candidate_set_free(&set);
    }
    CHECK(!failed);
}

int main(void)
{
    RUN(mixed_scene_equals_brute_force);
    RUN(soups_equal_brute_force);
    RUN(very_different_sizes);
    RUN(clusters_below_the_resolution_of_floats);
    RUN(single_kinds);
    RUN(planar_scene_has_vertex_edge_pairs_only);
    RUN(flat_scene);
    RUN(touching_boxes);
    RUN(all_vertices_coincide);
    RUN(huge_and_tiny_coordinates);
    RUN(inflation_is_rounded_outward);
    RUN(diagonals_are_rounded_outward);
    RUN(tight_set_holds_all_close_pairs);
    RUN(any_number_of_threads_gives_the_same_lists);
    RUN(refit_equals_rebuild);
    RUN(no_allocation_after_warm_up);
    RUN(selection_from_a_covering_set_equals_a_query);
    RUN(filter_can_change);
    RUN(path_may_be_given_by_its_end);
    RUN(another_surface_in_the_same_memory);
    RUN(points_may_be_a_subset);
    RUN(largest_coordinate_covers_the_whole_path);
    RUN(wrong_input_is_refused);
    RUN(running_out_of_memory);
    return TEST_END();
}
