/* Collision detection along curved paths: bounds of a path, known times, random and adversarial
 * pairs against sampling and interval arithmetic, the published regression queries. */
#include "base/random.h"
#include "ccd/curved.h"
#include "math/rotation.h"
#include "support/curved_oracle.h"
#include "test.h"

#include <dirent.h>
#include <jansson.h>

#define PI 3.14159265358979323846

static vec3 random_vector(random_state *r, double size)
{
    return (vec3){random_range(r, -size, size), random_range(r, -size, size),
                  random_range(r, -size, size)};
}

static ccd_path straight(vec3 from, vec3 to)
{
    return (ccd_path){.y = from, .p = vec3_sub(to, from)};
}

typedef struct body_motion {
    vec3 y, p, theta, dtheta;
} body_motion;

static ccd_path vertex_of(const body_motion *body, vec3 arm)
{
    return (ccd_path){body->y, body->p, body->theta, body->dtheta, arm, true};
}

/* The deviation bounds the true distance from the chord, and is sharp for small angles. */
TEST(deviation_bounds_the_path)
{
    random_state r = {.state = 1};
    double sharpest = 0;
    for (int n = 0; n < 3000; n++) {
        double turn = pow(10, random_range(&r, -4, 1.3));
        body_motion body = {random_vector(&r, 3), random_vector(&r, 2), random_vector(&r, 4),
                            vec3_scale(turn, vec3_normalize(random_vector(&r, 1)))};
        if (n % 2) body.theta = vec3_scale(random_range(&r, -3, 3), body.dtheta);
        vec3 arm = random_vector(&r, 1);
        if (n % 4 == 1) arm = vec3_cross(vec3_normalize(body.dtheta), arm);
        ccd_path path = vertex_of(&body, arm);
        double s0 = random_range(&r, 0, 0.9), s1 = random_range(&r, s0, 1);
        double bound = ccd_path_deviation(&path, s0, s1), most = 0;
        vec3 a = ccd_path_at(&path, s0), b = ccd_path_at(&path, s1);
        for (int i = 1; i < 64; i++) {
            double u = i / 64.0;
            vec3 on = vec3_mul_add(a, u, vec3_sub(b, a));
            vec3 off = vec3_sub(ccd_path_at(&path, s0 + u * (s1 - s0)), on);
            most = fmax(most, vec3_norm(off));
        }
        CHECK(most <= bound);
        if (turn * (s1 - s0) < 0.5) sharpest = fmax(sharpest, most / bound);
        double length = vec3_norm(vec3_sub(b, a));
        CHECK(length <= ccd_path_speed(&path) * (s1 - s0) + 1e-14);
    }
    CHECK(sharpest > 0.98);
    ccd_path line = straight(random_vector(&r, 1), random_vector(&r, 1));
    CHECK(ccd_path_deviation(&line, 0, 1) == 0);
}

TEST(boxes_contain_the_path)
{
    random_state r = {.state = 2};
    for (int n = 0; n < 3000; n++) {
        double turn = pow(10, random_range(&r, -4, 1.5)), limit = random_range(&r, 0, 1);
        body_motion body = {random_vector(&r, 3), random_vector(&r, n % 3), random_vector(&r, 4),
                            vec3_scale(turn, vec3_normalize(random_vector(&r, 1)))};
        ccd_path path = vertex_of(&body, random_vector(&r, 1));
        if (n % 10 == 0) path.curved = false;
        vec3 low, high;
        ccd_path_box(&path, limit, &low, &high);
        for (int i = 0; i <= 50; i++) {
            vec3 x = ccd_path_at(&path, i == 50 ? limit : limit * i / 50);
            CHECK(x.x >= low.x && x.y >= low.y && x.z >= low.z);
            CHECK(x.x <= high.x && x.y <= high.y && x.z <= high.z);
        }
        /* Small turns cost next to nothing. */
        if (turn < 1e-2 && path.curved) {
            vec3 a = ccd_path_at(&path, 0), b = ccd_path_at(&path, limit);
            CHECK(high.x - low.x <= fabs(a.x - b.x) + 1e-4);
        }
    }
}

/* A step of a pair must keep the promised distance; what it leaves unused must be little. */
typedef struct tally {
    int limited, free, proved, tried;
} tally;

static void check_pair(ccd_kind kind, const ccd_path *path, const step_options *options, tally *t,
                       bool prove)
{
    double d0 = oracle_curved_distance(kind, path, 0), gap = d0 - options->min_distance;
    step_result result = ccd_curved_pair_step(kind, path, options);
    CHECK(result.step >= 0 && result.step <= options->t_max);
    if (!(gap > 1e-12)) return;
    CHECK(result.step > 0 && !result.touching);
    double remain = fmin(options->keep * gap, options->cap);
    double target = options->min_distance + remain;
    double smallest = oracle_curved_smallest(kind, path, result.step, 400);
    CHECK(smallest >= target - 1e-6 * remain - 1e-13);
    if (prove && smallest > 1e-3) {
        t->tried++;
        t->proved +=
            oracle_curved_proves(kind, path, result.step, target * (1 - 1e-3) - 1e-9, 200000);
    }
    if (result.limited) {
        t->limited++;
        double left = oracle_curved_distance(kind, path, result.step) - target;
        double tolerance = fmin(options->tolerance, 0.25 * (gap - remain));
        CHECK(left <= 1.01 * fmax(tolerance, 0.25 * remain) + 1e-12);
    } else {
        t->free++;
        CHECK(result.step == options->t_max);
    }
}

static ccd_path random_vertex(random_state *r, const body_motion *body, bool bent)
{
    vec3 arm = random_vector(r, 1);
    if (bent) return vertex_of(body, arm);
    vec3 x = vec3_add(body->y, arm);
    return straight(x, vec3_add(x, random_vector(r, 1)));
}

/* Two bodies of size one, half a length apart, that turn by anything up to several times; in a
 * third of the cases one side is not rigid. */
static void random_pair(random_state *r, ccd_kind kind, ccd_path *path)
{
    double turn = pow(10, random_range(r, -3, 1)), shift = random_range(r, 0, 2);
    body_motion a = {random_vector(r, 1), random_vector(r, shift), random_vector(r, 3),
                     vec3_scale(turn, vec3_normalize(random_vector(r, 1)))};
    body_motion b = {random_vector(r, 1), random_vector(r, shift), random_vector(r, 3),
                     vec3_scale(turn, vec3_normalize(random_vector(r, 1)))};
    int rigid = (int)random_below(r, 6), first = kind == CCD_EDGE_EDGE ? 2 : 1;
    for (int i = 0; i < ccd_vertex_count(kind); i++)
        path[i] = i < first ? random_vertex(r, &a, rigid != 0) : random_vertex(r, &b, rigid != 1);
}

/* Moves the second primitive so that two of its points and of the first meet, or nearly so. */
static void make_meet(random_state *r, ccd_kind kind, ccd_path *path)
{
    int first = kind == CCD_EDGE_EDGE ? 2 : 1, count = ccd_vertex_count(kind);
    double s = random_range(r, 0.05, 1), weight[4], sum[2] = {0, 0};
    for (int i = 0; i < count; i++) {
        weight[i] = random_unit(r);
        sum[i >= first] += weight[i];
    }
    vec3 apart = random_vector(r, random_below(r, 2) ? 0 : 2e-3);
    for (int i = 0; i < count; i++)
        apart = vec3_mul_add(apart, (i < first ? weight[i] : -weight[i]) / sum[i >= first],
                             ccd_path_at(&path[i], s));
    for (int i = first; i < count; i++) path[i].y = vec3_add(path[i].y, apart);
}

TEST(random_pairs)
{
    static const double distances[] = {0.0, 1e-4, 1e-2};
    random_state r = {.state = 3};
    tally t = {0};
    for (int n = 0; n < 6000; n++) {
        ccd_kind kind = (ccd_kind)(n % 4);
        ccd_path path[4];
        random_pair(&r, kind, path);
        if (n % 3) make_meet(&r, kind, path);
        step_options options = step_default_options();
        options.min_distance = distances[random_below(&r, 3)];
        options.cap = n % 3 ? 1e-3 : 1e-2;
        if (n % 5 == 0) options.t_max = random_range(&r, 0.01, 1);
        check_pair(kind, path, &options, &t, n % 8 < 4);
    }
    printf("random pairs: %d limited, %d free, %d of %d proved\n", t.limited, t.free, t.proved,
           t.tried);
    CHECK(t.limited > 500 && t.free > 500);
    CHECK(t.tried > 500 && t.proved > 0.98 * t.tried);
}

/* What rigid scenes do all the time: long arms sliding at a tiny gap over a flat or curved face,
 * wheels in bearings, nearly parallel edges. */
static void sliding_pair(random_state *r, ccd_kind kind, double gap, double turn, ccd_path *path)
{
    body_motion a = {.dtheta = {0, 0, turn}}, b = {0};
    mat3 tilt = rotation_matrix(random_vector(r, 2));
    vec3 shift = random_vector(r, 5);
    /* Body a is a wheel of radius 1 about z; body b a tangent element just outside. */
    double angle = random_range(r, -0.2, 0.2);
    vec3 rim = vec3_make(cos(angle), sin(angle), random_range(r, -0.1, 0.1));
    vec3 corner[3] = {{1 + gap, -1, -1}, {1 + gap, 1, -1}, {1 + gap, 0, 2}};
    vec3 arm[4];
    int count = ccd_vertex_count(kind);
    if (kind == CCD_EDGE_EDGE) {
        arm[0] = vec3_make(rim.x, rim.y, -1);
        arm[1] = vec3_make(rim.x, rim.y, 1 + random_range(r, -1e-9, 1e-9));
        arm[2] = vec3_make(1 + gap, 0.1, -1.5);
        arm[3] = vec3_make(1 + gap, random_below(r, 2) ? 0.1 : 0.5, 1.5);
    } else {
        arm[0] = rim;
        for (int i = 1; i < count; i++) arm[i] = corner[i - 1];
    }
    int first = kind == CCD_EDGE_EDGE ? 2 : 1;
    /* The whole arrangement is turned and moved: theta = 0, the tilt is in arms and axis. */
    for (int i = 0; i < count; i++) {
        body_motion *body = i < first ? &a : &b;
        body->y = shift;
        path[i] = vertex_of(body, i < first ? arm[i] : mat3_mul_vec(tilt, arm[i]));
        if (i >= first) path[i].curved = random_below(r, 2);
        if (i >= first && !path[i].curved) path[i].y = vec3_add(shift, path[i].arm);
        if (i < first) path[i].dtheta = mat3_mul_vec(tilt, a.dtheta);
        if (i < first) path[i].arm = mat3_mul_vec(tilt, arm[i]);
    }
}

TEST(sliding_pairs)
{
    random_state r = {.state = 4};
    tally t = {0};
    for (int n = 0; n < 1500; n++) {
        ccd_kind kind = n % 3 == 0   ? CCD_EDGE_EDGE
                        : n % 3 == 1 ? CCD_POINT_TRIANGLE
                                     : CCD_POINT_EDGE;
        double gap = pow(10, random_range(&r, -7, -2)), turn = pow(10, random_range(&r, -3, 0));
        ccd_path path[4];
        sliding_pair(&r, kind, gap, random_below(&r, 2) ? turn : -turn, path);
        step_options options = step_default_options();
        check_pair(kind, path, &options, &t, n % 5 == 0);
    }
    CHECK(t.free > 300);
}

/* A vertex at radius 1 that starts 0.5 above an edge and turns by theta (3.3 of the digest). */
TEST(known_times)
{
    static const double angles[] = {PI / 2, PI, 2 * PI, 3.9, -4, -2 * PI, -1.7 * PI};
    for (int n = 0; n < 7; n++) {
        body_motion body = {.dtheta = {0, 0, angles[n]}};
        ccd_path path[3] = {vertex_of(&body, vec3_make(1, 0, 0)),
                            straight(vec3_make(-3, 0.5, 0), vec3_make(-3, 0.5, 0)),
                            straight(vec3_make(3, 0.5, 0), vec3_make(3, 0.5, 0))};
        step_options options = step_default_options();
        options.cap = 1e-9;
        options.tolerance = 1e-10;
        double expected = (angles[n] > 0 ? PI / 6 : -7 * PI / 6) / angles[n];
        step_result r = ccd_curved_pair_step(CCD_POINT_EDGE, path, &options);
        if (expected > 1) {
            CHECK(!r.limited && r.step == 1);
            continue;
        }
        CHECK(r.limited && r.step <= expected);
        CHECK_NEAR(r.step, expected, 1e-8);
    }
}

TEST(straight_paths_are_the_linear_query)
{
    random_state r = {.state = 5};
    for (int n = 0; n < 4000; n++) {
        ccd_kind kind = (ccd_kind)(n % 4);
        vec3 start[4], end[4];
        ccd_path path[4];
        for (int i = 0; i < 4; i++) {
            vec3 p = random_vector(&r, 1);
            start[i] = random_vector(&r, 1);
            end[i] = vec3_add(start[i], p);
            path[i] = (ccd_path){.y = start[i], .p = p};
        }
        step_options options = step_default_options();
        options.method = n % 8 < 4 ? CCD_TIGHT_INCLUSION : CCD_ADDITIVE;
        options.min_distance = n % 3 ? 0 : 1e-2;
        step_result a = ccd_pair_step(kind, start, end, &options);
        step_result b = ccd_curved_pair_step(kind, path, &options);
        CHECK(a.step == b.step && a.limited == b.limited && a.checks == b.checks);
    }
}

/* Steps toward a contact, one after the other: the gap shrinks, the step is never zero. */
TEST(repeated_steps_never_stick)
{
    random_state r = {.state = 6};
    for (int n = 0; n < 60; n++) {
        ccd_path path[4];
        ccd_kind kind = (ccd_kind)(n % 4);
        step_options options = step_default_options();
        do {
            random_pair(&r, kind, path);
            make_meet(&r, kind, path);
        } while (!ccd_curved_pair_step(kind, path, &options).limited);
        for (int round = 0; round < 12; round++) {
            double before = oracle_curved_distance(kind, path, 0);
            step_result result = ccd_curved_pair_step(kind, path, &options);
            if (!result.limited) break;
            CHECK(result.step > 0);
            for (int i = 0; i < ccd_vertex_count(kind); i++) {
                path[i].y = vec3_mul_add(path[i].y, result.step, path[i].p);
                path[i].theta = vec3_mul_add(path[i].theta, result.step, path[i].dtheta);
            }
            double after = oracle_curved_distance(kind, path, 0);
            CHECK(after > 0 && after < before);
        }
    }
}

TEST(half_spaces)
{
    random_state r = {.state = 7};
    int limited = 0;
    for (int n = 0; n < 2000; n++) {
        double turn = pow(10, random_range(&r, -3, 1));
        body_motion body = {vec3_make(0, random_range(&r, 0.5, 1.5), 0), random_vector(&r, 2),
                            random_vector(&r, 3), vec3_scale(turn, random_vector(&r, 1))};
        ccd_path path = vertex_of(&body, random_vector(&r, 1));
        if (n % 10 == 0) path.curved = false;
        vec3 origin = {3, 0, 2}, normal = {0, 1, 0};
        double d0 = ccd_path_at(&path, 0).y;
        double step = ccd_curved_plane_step(&path, origin, normal, 0.1, 1.0);
        CHECK(step >= 0 && step <= 1);
        if (d0 <= 0) {
            CHECK(step == 0);
            continue;
        }
        CHECK(step > 0);
        for (int i = 0; i <= 300; i++)
            CHECK(ccd_path_at(&path, step * i / 300).y >= 0.1 * d0 * (1 - 1e-9));
        if (step < 1) CHECK(ccd_path_at(&path, step).y <= 0.126 * d0);
        limited += step < 1;
    }
    CHECK(limited > 100);
}

TEST(bad_numbers_and_touching_pairs)
{
    body_motion body = {.dtheta = {0, 0, 1}};
    ccd_path path[2] = {vertex_of(&body, vec3_make(1, 0, 0)),
                        straight(vec3_make(1, 0, 0), vec3_make(2, 0, 0))};
    step_options options = step_default_options();
    step_result r = ccd_curved_pair_step(CCD_POINT_POINT, path, &options);
    CHECK(r.limited && r.touching && r.step == 0);
    path[1].y.x = 3;
    path[0].dtheta.x = NAN;
    r = ccd_curved_pair_step(CCD_POINT_POINT, path, &options);
    CHECK(r.limited && r.step == 0);
    path[0].dtheta.x = INFINITY;
    r = ccd_curved_pair_step(CCD_POINT_POINT, path, &options);
    CHECK(r.limited && r.step == 0);
    path[0].dtheta.x = 1e9; /* more turns than can be followed: safe, and soon */
    path[1].p = vec3_make(-2.5, 0, 0);
    r = ccd_curved_pair_step(CCD_POINT_POINT, path, &options);
    CHECK(r.step > 0 && r.step < 1);
    path[0].dtheta.x = 0; /* no turn at all */
    path[0].dtheta.z = 0;
    r = ccd_curved_pair_step(CCD_POINT_POINT, path, &options);
    CHECK_NEAR(r.step, (2 - 1e-4) / 2.5, 1e-6);
}

/* ---------------------------------------------------------------------------------------------- */
/* The regression queries published with the reference program                                    */

static vec3 json_vector(const json_t *array)
{
    vec3 v = {json_number_value(json_array_get(array, 0)),
              json_number_value(json_array_get(array, 1)),
              json_number_value(json_array_get(array, 2))};
    return v;
}

static void load_primitive(const json_t *object, const char *const *names, int count,
                           ccd_path *path)
{
    const json_t *pose0 = json_object_get(object, "pose_t0"),
                 *pose1 = json_object_get(object, "pose_t1");
    body_motion body = {.y = json_vector(json_object_get(pose0, "position")),
                        .theta = json_vector(json_object_get(pose0, "rotation"))};
    body.p = vec3_sub(json_vector(json_object_get(pose1, "position")), body.y);
    body.dtheta = vec3_sub(json_vector(json_object_get(pose1, "rotation")), body.theta);
    for (int i = 0; i < count; i++)
        path[i] = vertex_of(&body, json_vector(json_object_get(object, names[i])));
}

static bool load_query(const char *file, ccd_kind *kind, ccd_path *path)
{
    static const char *const names[] = {"vertex0", "vertex1", "vertex2"};
    static const char *const single[] = {"vertex"};
    json_t *root = json_load_file(file, 0, NULL);
    const char *type = json_string_value(json_object_get(root, "type"));
    bool known = type && (strcmp(type, "ee") == 0 || strcmp(type, "fv") == 0);
    if (known && type[0] == 'e') {
        *kind = CCD_EDGE_EDGE;
        load_primitive(json_object_get(root, "edge0"), names, 2, path);
        load_primitive(json_object_get(root, "edge1"), names, 2, path + 2);
    } else if (known) {
        *kind = CCD_POINT_TRIANGLE;
        load_primitive(json_object_get(root, "vertex"), single, 1, path);
        load_primitive(json_object_get(root, "face"), names, 3, path + 1);
    }
    json_decref(root);
    return known;
}

TEST(published_queries)
{
    const char *data = test_data_folder();
    if (!data) {
        printf("published_queries: skipped, no data folder\n");
        return;
    }
    static const char *const folders[] = {"", "/kinematic", "/wrecking-ball"};
    int found = 0, zero = 0;
    int64_t checks = 0;
    tally t = {0};
    for (int f = 0; f < 3; f++) {
        char folder[4096];
        snprintf(folder, sizeof folder, "%s/rigid-ipc/tests/data%s", data, folders[f]);
        DIR *directory = opendir(folder);
        if (!directory) continue;
        for (struct dirent *entry; (entry = readdir(directory));) {
            if (strncmp(entry->d_name, "ccd-test", 8) != 0) continue;
            char file[8192];
            snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
            ccd_kind kind = CCD_EDGE_EDGE;
            ccd_path path[4];
            CHECK(load_query(file, &kind, path));
            step_options options = step_default_options();
            step_result result = ccd_curved_pair_step(kind, path, &options);
            found++;
            zero += result.step == 0;
            checks += result.checks;
            check_pair(kind, path, &options, &t, false);
            /* The bare contact time, as the reference program asks for it. */
            options.keep = options.cap = 1e-9;
            check_pair(kind, path, &options, &t, false);
        }
        closedir(directory);
    }
    CHECK(found >= 189);
    CHECK(zero == 0);
    printf("published queries: %d, %d limited, %d free, %.1f checks per query\n", found, t.limited,
           t.free, (double)checks / found);
}

int main(void)
{
    RUN(deviation_bounds_the_path);
    RUN(boxes_contain_the_path);
    RUN(random_pairs);
    RUN(sliding_pairs);
    RUN(known_times);
    RUN(straight_paths_are_the_linear_query);
    RUN(repeated_steps_never_stick);
    RUN(half_spaces);
    RUN(bad_numbers_and_touching_pairs);
    RUN(published_queries);
    return TEST_END();
}
