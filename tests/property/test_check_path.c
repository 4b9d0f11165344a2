/* The verifier's own exact arithmetic and its proofs that moving pairs stay apart, against rational
 * arithmetic. */
#include "test.h"

#include "base/memory.h"
#include "base/random.h"
#include "geometry/check_exact.h"
#include "geometry/check_path.h"
#include "math/rotation.h"
#include "support/ccd_oracle.h"
#include "support/ccd_random.h"
#include "support/rational.h"

/* ---- Signs ---- */

/* A coordinate: on a lattice, anywhere, next to a lattice, of any size that a double has, or on one
 * of two lattices of which the finer one is lost in differences that are rounded. */
static double random_coordinate(random_state *r, int family)
{
    double x = (double)random_below(r, 5) - 2;
    if (family == 0) return x;
    if (family == 1) return random_range(r, -1, 1);
    if (family == 2) return x * (1 + 0x1p-52 * (double)random_below(r, 3));
    if (family == 4) return random_below(r, 2) ? x : x * 0x1p-54;
    return ldexp(random_range(r, -1, 1), (int)random_below(r, 2000) - 1050);
}

static vec3 random_point(random_state *r, int family)
{
    double x = random_coordinate(r, family), y = random_coordinate(r, family);
    return vec3_make(x, y, random_coordinate(r, family));
}

TEST(signs_and_intersections_are_exact)
{
    random_state r = {7};
    int hits = 0, zeros = 0;
    for (int i = 0; i < 8000; i++) {
        vec3 x[5];
        for (int k = 0; k < 5; k++) x[k] = random_point(&r, i % 5);
        if (i % 16 < 4) x[4] = x[random_below(&r, 4)]; /* flat triangles, touching corners */
        int sign = check_volume_sign(x[0], x[1], x[2], x[3]);
        CHECK(sign == rational_orient3d(x[0], x[1], x[2], x[3]));
        zeros += sign == 0;
        CHECK(check_area_sign(2, x[0], x[1], x[2]) ==
              rational_orient2d(x[0].x, x[0].y, x[1].x, x[1].y, x[2].x, x[2].y));
        bool hit = check_segment_meets_triangle(x, x + 2);
        CHECK(hit == rational_segment_hits_triangle(x[0], x[1], x[2], x[3], x[4]));
        hits += hit;
        if (i % 5 == 3) continue; /* distances of such sizes need not be doubles */
        CHECK(check_segments_meet(x, x + 2) ==
              (rational_segment_segment_d(x[0], x[1], x[2], x[3]) == 0));
        CHECK(check_point_on_triangle(x[0], x + 1) ==
              (rational_point_triangle_d(x[0], x[1], x[2], x[3]) == 0));
        CHECK(check_point_on_segment(x[0], x[1], x[2]) ==
              (rational_point_segment_d(x[0], x[1], x[2]) == 0));
    }
    printf("  %d meet, %d flat\n", hits, zeros);
    CHECK(hits > 100 && zeros > 100);
}

/* Flat sets in sloped planes and sets one unit in the last place off them, with an own unit for
 * each axis; corners far apart, so that the differences have more bits than the coordinates. */
TEST(signs_of_nearly_flat_sets_are_exact)
{
    random_state r = {9};
    int signs[3] = {0};
    for (int i = 0; i < 9000; i++) {
        double range = i % 3 == 0 ? 8 : i % 3 == 1 ? 1 << 20 : 0x1p50;
        double far = i % 9 == 1 ? 0x1p52 : 0; /* then volumes have few bits */
        vec3 x[4];
        double coordinate[4][3];
        for (int k = 0; k < 3; k++) {
            double unit = ldexp(1, (int)random_below(&r, 80) - 40), at[4];
            for (int c = 0; c < 3; c++) at[c] = far + floor(random_range(&r, -range, range));
            at[3] = at[1] + at[2] - at[0]; /* a parallelogram */
            if (i % 2 && k == i % 4 / 2) at[3] = nextafter(at[3], i % 8 < 4 ? 1e300 : -1e300);
            for (int c = 0; c < 4; c++) coordinate[c][k] = at[c] * unit;
        }
        for (int c = 0; c < 4; c++)
            x[c] = vec3_make(coordinate[c][0], coordinate[c][1], coordinate[c][2]);
        int sign = check_volume_sign(x[0], x[1], x[2], x[3]);
        CHECK(sign == rational_orient3d(x[0], x[1], x[2], x[3]));
        signs[sign + 1]++;
        CHECK(check_area_sign(2, x[1], x[2], x[3]) ==
              rational_orient2d(x[1].x, x[1].y, x[2].x, x[2].y, x[3].x, x[3].y));
    }
    CHECK(signs[0] > 1000 && signs[1] > 3000 && signs[2] > 1000);
}

/* Three points of a line and three nearly of one. */
TEST(signs_of_nearly_straight_sets_are_exact)
{
    random_state r = {10};
    int signs[3] = {0};
    for (int i = 0; i < 6000; i++) {
        double range = i % 2 ? 0x1p49 : 100;
        vec3 x[3] = {{0}};
        for (int k = 0; k < 2; k++) {
            double a = floor(random_range(&r, -range, range));
            double b = floor(random_range(&r, -range, range)), c = 2 * b - a;
            if (i % 3 == 1 && k == 0) c = nextafter(c, 1e300);
            if (i % 3 == 2 && k == 0) c = nextafter(c, -1e300);
            const double at[3] = {a, b, c};
            for (int p = 0; p < 3; p++) *(k ? &x[p].y : &x[p].x) = at[p];
        }
        int sign = check_area_sign(2, x[0], x[1], x[2]);
        CHECK(sign == rational_orient2d(x[0].x, x[0].y, x[1].x, x[1].y, x[2].x, x[2].y));
        signs[sign + 1]++;
    }
    CHECK(signs[0] > 1000 && signs[1] > 1500 && signs[2] > 1000);
}

/* Far from the origin only the last bits tell: the filter must pass on to the integers. */
TEST(signs_of_motions_are_exact)
{
    random_state r = {8};
    int zeros = 0, differs = 0;
    for (int i = 0; i < 4000; i++) {
        vec3 n = random_point(&r, 0), a[2], b[2];
        double t = (double)random_below(&r, 9) / 8, shift = i % 2 ? 0 : 1e6;
        for (int s = 0; s < 2; s++) {
            a[s] = random_point(&r, i % 3);
            b[s] = random_point(&r, i % 3);
            a[s].x += shift;
            b[s].y += shift;
        }
        mpq_t sum, part, weight;
        mpq_inits(sum, part, weight, NULL);
        double rounded = 0;
        for (int k = 0; k < 3; k++)
            for (int s = 0; s < 2; s++) {
                mpq_set_d(part, vec3_get(a[s], k));
                mpq_set_d(weight, vec3_get(b[s], k));
                mpq_sub(part, part, weight);
                mpq_set_d(weight, (s ? t : 1 - t) * vec3_get(n, k)); /* exact: few bits */
                mpq_mul(part, part, weight);
                mpq_add(sum, sum, part);
                rounded +=
                    vec3_get(n, k) * ((s ? t : 1 - t) * (vec3_get(a[s], k) - vec3_get(b[s], k)));
            }
        int sign = check_motion_sign(n, a, b, t);
        CHECK(sign == mpq_sgn(sum));
        zeros += sign == 0;
        differs += sign != (rounded > 0) - (rounded < 0);
        mpq_clears(sum, part, weight, NULL);
    }
    CHECK(zeros > 50 && differs > 0);
}

/* ---- Moving pairs ---- */

static bool proven(const ccd_random_query *q, double gap, double *time)
{
    int count = ccd_vertex_count(q->kind), na = q->kind == CCD_EDGE_EDGE ? 2 : 1;
    vec3 x[4][2];
    for (int i = 0; i < count; i++) {
        x[i][0] = q->start[i];
        x[i][1] = q->end[i];
    }
    return check_pair_stays_apart((const vec3(*)[2])x, na, (const vec3(*)[2])(x + na), count - na,
                                  gap, time);
}

/* What is accepted is apart; what is apart is accepted; what is not is refused in time. */
TEST(proofs_agree_with_the_oracle)
{
    ccd_oracle *oracle = ccd_oracle_new();
    random_state r = {9};
    int hits = 0, misses = 0, refused = 0;
    for (int i = 0; i < 6000; i++) {
        ccd_random_query q;
        double time = 0;
        ccd_random_make(&r, i % CCD_RANDOM_FAMILIES, &q);
        bool hit = ccd_oracle_hit(oracle, q.kind, q.start, q.end), free = proven(&q, 0, &time);
        CHECK(!(hit && free));
        if (hit) CHECK(ccd_oracle_not_later(oracle, time));
        hits += hit;
        misses += !hit;
        bool near = strcmp(ccd_random_family_name(q.family), "near miss") == 0;
        CHECK(hit || free || near); /* near misses may be apart by one rounding error */
        refused += !hit && !free;
    }
    printf("  %d touch, %d do not, %d of these not proven\n", hits, misses, refused);
    CHECK(hits > 1000 && misses > 1000);
    CHECK(refused * 20 <= misses);
    ccd_oracle_free(oracle);
}

/* With a gap: nothing within it is accepted at any of some moments. */
TEST(gaps_are_kept)
{
    ccd_oracle *oracle = ccd_oracle_new();
    random_state r = {10};
    int accepted = 0;
    for (int i = 0; i < 4000; i++) {
        ccd_random_query q;
        double time = 0;
        ccd_random_make(&r, i % CCD_RANDOM_FAMILIES, &q);
        double gap = q.scale * ldexp(1, -(int)random_below(&r, 8));
        if (!proven(&q, gap, &time)) continue;
        accepted++;
        CHECK(!ccd_oracle_hit(oracle, q.kind, q.start, q.end));
        /* within gap / sqrt(3) in the maximum norm is within gap */
        for (int k = 0; k <= 4; k++)
            CHECK(!ccd_oracle_within(oracle, q.kind, q.start, q.end, k / 4.0, 0.577 * gap));
    }
    CHECK(accepted > 200);
    ccd_oracle_free(oracle);
}

/* ---- Surfaces ---- */

/* A rod above a triangle turns by half a turn about its middle; its ends dip below the triangle's
 * plane on the path, which both ends of the motion and their chord do not show. */
static size_t turning_rod_about(vec3 theta, double height, size_t *looked_at)
{
    vec3 configurations[10];
    const int32_t triangle[1][3] = {{0, 1, 2}};
    const int32_t edges[4][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}}, body[5] = {0, 0, 0, 1, 1};
    check_turn turns[2] = {{0}, {.turns = true}};
    turns[1].q[0] = turns[1].q[1] = vec3_make(0, height, 0);
    turns[1].theta[1] = theta;
    vec3 arms[5] = {{0}};
    arms[3] = vec3_make(-1, 0, 0);
    arms[4] = vec3_make(1, 0, 0);
    for (int k = 0; k < 2; k++) {
        vec3 *x = configurations + 5 * k;
        x[0] = vec3_make(-5, 0, -5);
        x[1] = vec3_make(5, 0, -5);
        x[2] = vec3_make(0, 0, 5);
        mat3 turn = rotation_matrix(turns[1].theta[k]);
        for (int i = 3; i < 5; i++) x[i] = vec3_add(turns[1].q[0], mat3_mul_vec(turn, arms[i]));
    }
    check_surface s = {.vertices = configurations,
                       .vertex_count = 5,
                       .triangles = triangle,
                       .triangle_count = 1,
                       .edges = edges,
                       .edge_count = 4,
                       .body = body};
    check_path path = {.configurations = configurations,
                       .configuration_count = 2,
                       .turns = turns,
                       .body_count = 2,
                       .arms = arms};
    check_meeting *found;
    size_t count = 0;
    abut_error err;
    CHECK_OK(check_along_path(&s, &path, &found, &count, looked_at, &err), err);
    mem_free(found);
    return count;
}

static size_t turning_rod(double height, double angle, size_t *looked_at)
{
    return turning_rod_about(vec3_make(0, 0, angle), height, looked_at);
}

/* Turning flat above the triangle it stays as near as that all along. */
TEST(turning_bodies_may_be_very_near)
{
    size_t looked_at;
    CHECK(turning_rod_about(vec3_make(0, 2, 0), 1e-9, &looked_at) == 0 && looked_at > 0);
}

/* A triangle of which two corners move along its normal by `tilt`, the third so far in the other
 * direction that one point of it stays; a point at `gap` from there, and both slide along. */
static bool point_near_tilting_triangle(random_state *r, double gap, double tilt)
{
    vec3 t[3][2], p[1][2], n, slide;
    double w[3] = {random_range(r, 0.2, 0.4), random_range(r, 0.2, 0.4)}, time;
    w[2] = 1 - w[0] - w[1];
    for (int k = 0; k < 3; k++) t[k][0] = random_point(r, 1);
    n = vec3_cross(vec3_sub(t[1][0], t[0][0]), vec3_sub(t[2][0], t[0][0]));
    if (vec3_norm(n) < 0.1) return true;
    n = vec3_scale(1 / vec3_norm(n), n);
    slide = vec3_scale(0.1, random_point(r, 1));
    double off[3] = {tilt, -tilt, tilt * (w[1] - w[0]) / w[2]};
    p[0][0] = vec3_scale(gap, n);
    for (int k = 0; k < 3; k++) {
        t[k][1] = vec3_add(vec3_mul_add(t[k][0], off[k], n), slide);
        p[0][0] = vec3_mul_add(p[0][0], w[k], t[k][0]);
    }
    p[0][1] = vec3_add(p[0][0], slide);
    return check_pair_stays_apart((const vec3(*)[2])p, 1, (const vec3(*)[2])t, 3, 0, &time);
}

/* Two sticks, one across the other at `gap`, that slide along each other. */
static bool sliding_sticks(random_state *r, double gap)
{
    vec3 a[2][2], b[2][2];
    vec3 u = random_point(r, 1), v = random_point(r, 1), n = vec3_cross(u, v);
    double time;
    if (vec3_norm(n) < 0.1) return true;
    n = vec3_scale(gap / vec3_norm(n), n);
    for (int k = 0; k < 2; k++) {
        a[k][0] = vec3_add(vec3_scale(2 * k - 1, u), n);
        b[k][0] = vec3_scale(2 * k - 1, v);
        a[k][1] = vec3_add(a[k][0], vec3_scale(0.3, v));
        b[k][1] = vec3_add(b[k][0], vec3_scale(0.2, u));
    }
    return check_pair_stays_apart((const vec3(*)[2])a, 2, (const vec3(*)[2])b, 2, 0, &time);
}

/* At gaps of 1e-12 of their size the direction between closest points is noise, and one that stays
 * as it is serves for 1e-8 of the motion. */
TEST(pairs_may_be_very_near)
{
    random_state r = {21};
    for (int i = 0; i < 50; i++) {
        CHECK(point_near_tilting_triangle(&r, 1e-12, 0));
        CHECK(point_near_tilting_triangle(&r, 1e-12, 1e-4));
        CHECK(sliding_sticks(&r, 1e-12));
    }
}

TEST(curves_of_turning_bodies)
{
    size_t looked_at;
    CHECK(turning_rod(0.5, 3.0, &looked_at) > 0 && looked_at > 0);
    CHECK(turning_rod(1.001, 3.0, &looked_at) == 0 && looked_at > 0);
    CHECK(turning_rod(0.999, 3.0, &looked_at) > 0);
    CHECK(turning_rod(0.5, 0.5, &looked_at) == 0); /* sin 0.5 = 0.479 */
    CHECK(turning_rod(0.479, 0.5, &looked_at) > 0);
}

int main(void)
{
    RUN(signs_and_intersections_are_exact);
    RUN(signs_of_nearly_flat_sets_are_exact);
    RUN(signs_of_nearly_straight_sets_are_exact);
    RUN(signs_of_motions_are_exact);
    RUN(proofs_agree_with_the_oracle);
    RUN(gaps_are_kept);
    RUN(curves_of_turning_bodies);
    RUN(turning_bodies_may_be_very_near);
    RUN(pairs_may_be_very_near);
    return TEST_END();
}
