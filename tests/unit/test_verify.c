/* Checks of one saved moment (verify/verify_frame.h), and where a pair meets (geometry/check.h). */
#include "test.h"
#include "verify/verify_frame.h"

static abut_error error;

/* A unit corner tet, and one with its tip a depth of 0.25 inside the first one's slanted face. */
static const vec3 crossing[8] = {{0, 0, 0},       {1, 0, 0},        {0, 1, 0},
                                 {0, 0, 1},       {0.1, 0.1, 0.25}, {0.2, 0.1, 2.0},
                                 {0.1, 0.2, 2.0}, {0.1, 0.1, 2.0}};
static int32_t tets[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static const int32_t bodies[8] = {0, 0, 0, 0, 1, 1, 1, 1};

static frame make_frame(const vec3 *points, cell_block *block)
{
    *block = (cell_block){CELL_TET, 1, 4, 2, tets, NULL};
    frame f = {.step = 7, .time = 0.5, .point_count = 8, .points = points};
    f.block_count = 1;
    f.blocks = block;
    frame_add_ints(&f, FRAME_POINTS, FIELD_BODY, 1, bodies);
    return f;
}

static void check(const vec3 *points, verify_setup setup, verify_result *result,
                  verify_problems *problems)
{
    cell_block block;
    frame f = make_frame(points, &block);
    array_clear(problems);
    CHECK_OK(verify_frame(&f, &setup, 100, result, problems, &error), error);
}

static uint8_t flags[2];
static const verify_setup default_setup = {
    .contact = true, .body_count = 2, .body_flags = flags, .radius = 10};

TEST(crossing_tets)
{
    verify_result result;
    verify_problems problems = {0};
    check(crossing, default_setup, &result, &problems);
    CHECK(result.intersections == 3 && result.behind_planes == 0);
    CHECK(result.step == 7 && result.time == 0.5 && result.min_distance == 0);
    CHECK(problems.count == result.intersections + result.inverted + result.inside);
    CHECK(result.inside == 1);
    for (size_t i = 0; i < problems.count; i++) {
        const verify_problem *p = &problems.data[i];
        if (p->kind != VERIFY_INTERSECTION) continue;
        CHECK(p->pair == CHECK_EDGE_TRIANGLE && p->first_body == 1 && p->second_body == 0);
        /* All three edges pass through x + y + z = 1, the tip is 0.55 / sqrt(3) below it. */
        CHECK_NEAR(p->position.x + p->position.y + p->position.z, 1, 1e-14);
        CHECK_NEAR(p->depth, 0.55 / sqrt(3), 1e-14);
    }
    array_free(&problems);
}

/* A tet that is turned inside out counts where its material does not allow it; a node inside such
 * a body is then no violation either, but it is where no tet of the body is turned. */
TEST(allowed_inversions)
{
    vec3 points[8];
    memcpy(points, crossing, sizeof points);
    points[5] = (vec3){0.2, 0.1, -1}; /* the second tet is inverted and stays inside the first */
    points[6] = (vec3){0.1, 0.2, -1};
    points[7] = (vec3){0.1, 0.1, -1};
    uint8_t invertible[2] = {1, 1};
    verify_setup setup = default_setup;
    verify_result result;
    verify_problems problems = {0};
    check(points, setup, &result, &problems);
    CHECK(result.inverted == 1 && result.allowed_inverted == 0 && result.inside == 1);
    setup.invertible = invertible;
    check(points, setup, &result, &problems);
    CHECK(result.inverted == 0 && result.allowed_inverted == 1);
    CHECK(result.inside == 1 && result.allowed_inside == 0); /* in the first body, not turned */
    points[3].z = -2;
    check(points, setup, &result, &problems);
    CHECK(result.inverted == 0 && result.allowed_inverted == 2 && result.inside == 0);
    invertible[0] = 0;
    check(points, setup, &result, &problems);
    CHECK(result.inverted == 1 && result.allowed_inverted == 1);
    array_free(&problems);
}

TEST(obstacles_and_contact_off)
{
    verify_result result;
    verify_problems problems = {0};
    flags[0] = flags[1] = CHECK_BODY_OBSTACLE;
    check(crossing, default_setup, &result, &problems);
    CHECK(result.intersections == 0);
    flags[0] = flags[1] = 0;
    verify_setup off = default_setup;
    off.contact = false;
    check(crossing, off, &result, &problems);
    CHECK(result.intersections == 0 && isinf(result.min_distance));
    array_free(&problems);
}

TEST(apart_and_behind_a_plane)
{
    vec3 points[8];
    memcpy(points, crossing, sizeof points);
    points[4].z = 1.5;
    verify_result result;
    verify_problems problems = {0};
    flags[0] = flags[1] = CHECK_BODY_RIGID;
    check(points, default_setup, &result, &problems);
    CHECK(result.intersections == 0);
    CHECK_NEAR(result.min_distance, sqrt(0.1 * 0.1 + 0.1 * 0.1 + 0.5 * 0.5), 1e-12);
    verify_plane plane = {{0, 0, 1.75}, {0, 0, 1}};
    verify_setup with_plane = default_setup;
    with_plane.planes = &plane;
    with_plane.plane_count = 1;
    flags[0] = CHECK_BODY_OBSTACLE;
    check(points, with_plane, &result, &problems);
    flags[0] = flags[1] = 0;
    CHECK(result.behind_planes == 1 && result.min_distance == 0);
    const verify_problem *last = &problems.data[problems.count - 1];
    CHECK(last->kind == VERIFY_BEHIND_PLANE && last->first[0] == 4);
    CHECK_NEAR(last->depth, 0.25, 1e-15);
    const char *names[] = {"base", "tip"};
    char text[200];
    verify_describe(last, names, text, sizeof text);
    CHECK(strcmp(text,
                 "node 4 of \"tip\" is behind half space 0 at (0.1, 0.1, 1.5), 0.25 m deep") == 0);
    array_free(&problems);
}

TEST(inverted_tets)
{
    vec3 points[8];
    memcpy(points, crossing, sizeof points);
    verify_result result;
    verify_problems problems = {0};
    verify_setup off = default_setup;
    off.contact = false;
    points[3].z = -1;
    check(points, off, &result, &problems);
    size_t with = result.inverted;
    points[3].z = 1;
    check(points, off, &result, &problems);
    CHECK(with == result.inverted + 1);
    points[3].z = 0; /* flat counts as inverted */
    check(points, off, &result, &problems);
    CHECK(with == result.inverted);
    CHECK(problems.data[0].kind == VERIFY_INVERTED && problems.data[0].tet == 0);
    array_free(&problems);
}

TEST(wrong_frames)
{
    verify_result result;
    verify_problems problems = {0};
    verify_setup one = default_setup;
    one.body_count = 1;
    cell_block block;
    frame f = make_frame(crossing, &block);
    CHECK(verify_frame(&f, &one, 9, &result, &problems, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "point 4 belongs to body 1") != NULL);
    f.field_count = 0;
    CHECK(verify_frame(&f, &default_setup, 9, &result, &problems, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "no field \"body\"") != NULL);
    array_free(&problems);
}

int main(void)
{
    RUN(crossing_tets);
    RUN(allowed_inversions);
    RUN(obstacles_and_contact_off);
    RUN(apart_and_behind_a_plane);
    RUN(inverted_tets);
    RUN(wrong_frames);
    return TEST_END();
}
