/* Bodies of all dimensions in one solver: every pair of kinds meets and keeps apart; the stiffness
 * of strain limits adapts as published; no method of collision detection answers before the
 * earliest time that is possible. */
#include "test.h"

#include "base/file.h"
#include "base/random.h"
#include "ccd/additive.h"
#include "ccd/bisection.h"
#include "ccd/tight_inclusion.h"
#include "geometry/distance.h"
#include "scene/build.h"
#include "term/strain_limit.h"

#include <unistd.h>

static abut_error err;

#define CUBE "'mesh': {'box': {'size': [0.2, 0.2, 0.2], 'cells': [1, 1, 1]}}"

static const struct {
    const char *text;
    double top;
} kinds[] = {
    {"'type': 'obstacle', " CUBE, 0.1},
    {CUBE ", 'material': 'm'", 0.1},
    {"'type': 'rigid', 'material': 'm', " CUBE, 0.1},
    {"'type': 'affine', 'material': 'm', " CUBE, 0.1},
    {"'type': 'shell', 'material': 'm', 'shell': {'thickness': 1e-3}, 'mesh': {'grid': {'size': "
     "[0.2, 0.2], 'cells': [2, 2]}}",
     0},
    {"'type': 'rod', 'material': 'm', 'rod': {'diameter': 1e-2}, 'mesh': {'polyline': {'from': "
     "[-0.1, 0, 0], 'to': [0.1, 0, 0], 'segments': 3}}",
     0},
    {"'type': 'particles', 'material': 'm', 'particles': {'radius': 0.01}, 'mesh': {'lattice': "
     "{'counts': [1, 1, 1], 'spacing': 0.1}}",
     0},
};
enum { OBSTACLE = 0, KINDS = sizeof kinds / sizeof *kinds };

/* b falls on a from within dhat; thickness: the contact offset of both. */
static void meet(size_t a, size_t b, double thickness)
{
    char text[2000];
    double at = kinds[a].top + kinds[b].top + thickness + 5e-3;
    snprintf(
        text, sizeof text,
        "{'abut': 1, 'time': {'step': 5e-3, 'steps': 8}, 'contact': {'dhat': 0.01, 'friction': "
        "0.2}, 'materials': {'m': {'young': 1e6, 'poisson': 0.3}}, 'bodies': [{'name': 'a', "
        "'offset': %g, %s}, {'name': 'b', 'offset': %g, 'rotate': [0, 90, 0], 'translate': [0, "
        "%.17g, 0], 'velocity': [0, -2, 0], %s}]}",
        thickness, kinds[a].text, thickness, at, kinds[b].text);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    scene_def *scene = NULL;
    stepper *s = NULL;
    size_t contacts = 0;
    int before = test_failures_;
    CHECK_OK(atomic_write("pair.json", text, strlen(text), &err), err);
    CHECK_OK(scene_load("pair.json", NULL, 0, NULL, &scene, &err), err);
    if (scene) CHECK_OK(scene_build(scene, NULL, &s, &err), err);
    for (int k = 0; s && k < 8; k++) {
        step_statistics now;
        CHECK_OK(stepper_advance(s, &now, &err), err);
        CHECK(now.min_distance > 0);
        contacts += now.contacts;
    }
    CHECK(contacts > 0);
    if (s) { /* b has not passed a: it was thrown back, or a goes along */
        const double *v = s->state.v;
        int32_t low = s->model->bodies.data[0].first_block,
                up = s->model->bodies.data[1].first_block;
        CHECK(v[3 * up + 1] > -2 - 9.81 * 0.04 - 1e-9);
        CHECK(a == OBSTACLE ? v[3 * low + 1] == 0 : v[3 * low + 1] < -9.81 * 0.04);
    }
    if (test_failures_ > before) printf("  %s on %s\n", kinds[b].text, kinds[a].text);
    stepper_destroy(s);
    scene_free(scene);
}

TEST(every_pair_of_kinds_meets)
{
    for (size_t a = 0; a < KINDS; a++)
        for (size_t b = 1; b < KINDS; b++)
            for (int thick = 0; thick < 2; thick++) meet(a, b, thick * 4e-3);
}

/* kappa starts at 1 kPa, doubles when a triangle is within 1e-4 of the barrier's width in two
 * iterations in a row, and ends at 0.1 MPa. */
TEST(stiffness_of_strain_limits)
{
    static const char text[] =
        "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"bodies\": [{\"type\": "
        "\"shell\", "
        "\"mesh\": {\"grid\": {\"size\": [1, 1], \"cells\": [1, 1]}}, \"shell\": {\"preset\": "
        "\"cotton\", \"strain_limit\": {\"upper\": 1.1}}}]}";
    scene_def *scene = NULL;
    stepper *s = NULL;
    strain_limit_term *t = NULL;
    CHECK_OK(atomic_write("pair.json", text, sizeof text - 1, &err), err);
    CHECK_OK(scene_load("pair.json", NULL, 0, NULL, &scene, &err), err);
    if (scene) CHECK_OK(scene_build(scene, NULL, &s, &err), err);
    if (s) CHECK_OK(strain_limit_create(s->model, &t, &err), err);
    if (t) {
        double far[12], near[12];
        for (size_t i = 0; i < 12; i++) {
            far[i] = s->state.x[i] * (1.1 - 2e-4 * 0.1);
            near[i] = s->state.x[i] * (1.1 - 0.5e-4 * 0.1);
        }
        term *base = &t->element.base;
        CHECK(t->kappa == 1e3);
        CHECK(!base->class->adapt(base, near)); /* once is not enough */
        CHECK(!base->class->adapt(base, far) && !base->class->adapt(base, near));
        CHECK(base->class->adapt(base, near) && t->kappa == 2e3);
        strain_limit_begin_step(t);
        CHECK(!base->class->adapt(base, near) && t->kappa == 2e3);
        for (int k = 0; k < 20; k++) base->class->adapt(base, near);
        CHECK(t->kappa == 1e5 && !base->class->adapt(base, near));
        base->class->destroy(base);
    }
    stepper_destroy(s);
    scene_free(scene);
}

static double distance(ccd_kind kind, const vec3 *x)
{
    switch (kind) {
    case CCD_POINT_POINT: return sqrt(point_point_distance2(x[0], x[1]));
    case CCD_POINT_EDGE: return sqrt(point_edge_true_distance2(x[0], x[1], x[2]));
    case CCD_POINT_TRIANGLE: return sqrt(point_triangle_true_distance2(x[0], x[1], x[2], x[3]));
    case CCD_EDGE_EDGE: return sqrt(edge_edge_true_distance2(x[0], x[1], x[2], x[3]));
    }
    return 0.0;
}

/* The closing speed, computed anew: the largest difference of displacements of two end points. */
static double closing_speed(ccd_kind kind, const vec3 *start, const vec3 *end)
{
    int count = ccd_vertex_count(kind), first = kind == CCD_EDGE_EDGE ? 2 : 1;
    double largest = 0;
    for (int i = 0; i < first; i++)
        for (int k = first; k < count; k++)
            largest =
                fmax(largest,
                     vec3_norm(vec3_sub(vec3_sub(end[i], start[i]), vec3_sub(end[k], start[k]))));
    return largest;
}

/* A hit is reported where the pair is still apart by the method's tolerance (or the part of the gap
 * that it keeps): not before the time that this much takes at the closing speed. */
TEST(no_hit_before_the_earliest_time)
{
    random_state r = {.state = 11};
    bisection_scratch scratch = {0};
    int hits = 0;
    for (int n = 0; n < 4000; n++) {
        ccd_kind kind = (ccd_kind)(n % 4);
        vec3 start[4], end[4];
        for (int i = 0; i < 4; i++) {
            start[i] =
                (vec3){random_range(&r, -1, 1), random_range(&r, -1, 1), random_range(&r, -1, 1)};
            end[i] =
                (vec3){random_range(&r, -1, 1), random_range(&r, -1, 1), random_range(&r, -1, 1)};
        }
        if (n % 3 == 0) /* a head-on path, so that there are hits of all kinds */
            for (int i = 0; i < 4; i++) end[i] = vec3_scale(-1, start[3 - i]);
        double gap = distance(kind, start), speed = closing_speed(kind, start, end);
        double bound = additive_lower_bound(kind, start, end, 0);
        if (gap < 1e-3) continue;
        CHECK(bound <= gap / speed * (1 + 1e-12) && bound >= gap / speed * (1 - 1e-6));
        ccd_options options = ccd_default_options();
        additive_options additive = additive_default_options();
        ccd_result results[] = {tight_inclusion(kind, start, end, &options),
                                bisection_ccd(kind, start, end, &options, &scratch),
                                additive_ccd(kind, start, end, &additive)};
        for (int m = 0; m < 3; m++) {
            if (!results[m].hit) continue;
            double left = m == 2 ? 0.1 * gap : sqrt(3) * fmax(results[m].tolerance, 1e-6);
            hits++;
            CHECK(results[m].toi >= (gap - left) / speed * (1 - 1e-9));
        }
    }
    bisection_scratch_free(&scratch);
    CHECK(hits > 500);
}

int main(void)
{
    char folder[] = "/tmp/abut-codim-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0) return EXIT_FAILURE;
    RUN(every_pair_of_kinds_meets);
    RUN(stiffness_of_strain_limits);
    RUN(no_hit_before_the_earliest_time);
    if (unlink("pair.json") != 0 || rmdir(folder) != 0) printf("%s stays\n", folder);
    return TEST_END();
}
