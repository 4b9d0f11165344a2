/* Moments between frames: rigid bodies turn along curves, deformation is linear. */
#include "test.h"

#include "base/random.h"
#include "math/rotation.h"
#include "output/between.h"

enum { POINTS = 12 };

static abut_error err;
static int32_t bodies[2 * POINTS];

static vec3 random_vector(random_state *r, double size)
{
    return (vec3){random_range(r, -size, size), random_range(r, -size, size),
                  random_range(r, -size, size)};
}

static frame make_frame(const vec3 *x)
{
    frame f = {.point_count = 2 * POINTS, .points = x};
    frame_add_ints(&f, FRAME_POINTS, FIELD_BODY, 1, bodies);
    return f;
}

TEST(rigid_bodies_turn)
{
    random_state r = {.state = 1};
    vec3 start[2 * POINTS], end[2 * POINTS], middle[2 * POINTS];
    for (int n = 0; n < 50; n++) {
        vec3 turn[2], shift[2], center[2] = {{0, 0, 0}, {0, 0, 0}};
        for (int b = 0; b < 2; b++) {
            turn[b] = random_vector(&r, 1.5);
            shift[b] = random_vector(&r, 4);
            for (int i = 0; i < POINTS; i++) {
                bodies[b * POINTS + i] = b;
                start[b * POINTS + i] = random_vector(&r, 1);
                center[b] = vec3_mul_add(center[b], 1.0 / POINTS, start[b * POINTS + i]);
            }
        }
        double s = random_unit(&r);
        for (int i = 0; i < 2 * POINTS; i++) {
            int b = bodies[i];
            vec3 x = vec3_sub(start[i], center[b]), c = vec3_add(center[b], shift[b]);
            end[i] = vec3_add(c, mat3_mul_vec(rotation_matrix(turn[b]), x));
        }
        frame a = make_frame(start), z = make_frame(end);
        CHECK_OK(frame_between(&a, &z, s, middle, &err), err);
        for (int i = 0; i < 2 * POINTS; i++) {
            int b = bodies[i];
            mat3 part = rotation_matrix(vec3_scale(s, turn[b]));
            vec3 expected = vec3_add(vec3_mul_add(center[b], s, shift[b]),
                                     mat3_mul_vec(part, vec3_sub(start[i], center[b])));
            CHECK(vec3_norm(vec3_sub(middle[i], expected)) < 1e-12);
        }
        CHECK_OK(frame_between(&a, &z, 0, middle, &err), err);
        for (int i = 0; i < 2 * POINTS; i++)
            CHECK(vec3_norm(vec3_sub(middle[i], start[i])) < 1e-14);
        CHECK_OK(frame_between(&a, &z, 1, middle, &err), err);
        for (int i = 0; i < 2 * POINTS; i++) CHECK(vec3_norm(vec3_sub(middle[i], end[i])) < 1e-13);
    }
}

/* Stretching without a turn is linear; both ends are met whatever happens. */
TEST(deformation_is_linear)
{
    random_state r = {.state = 2};
    vec3 start[2 * POINTS], end[2 * POINTS], middle[2 * POINTS];
    for (int i = 0; i < 2 * POINTS; i++) {
        bodies[i] = 0;
        start[i] = random_vector(&r, 1);
        end[i] = vec3_make(2 * start[i].x, start[i].y, 0.5 * start[i].z);
    }
    frame a = make_frame(start), z = make_frame(end);
    for (int k = 0; k <= 4; k++) {
        CHECK_OK(frame_between(&a, &z, k / 4.0, middle, &err), err);
        if (k == 4)
            for (int i = 0; i < 2 * POINTS; i++)
                CHECK(vec3_norm(vec3_sub(middle[i], end[i])) < 1e-13);
    }
    bodies[3] = -1;
    CHECK(frame_between(&a, &z, 0.5, middle, &err) == ABUT_ERROR_INPUT);
}

int main(void)
{
    RUN(rigid_bodies_turn);
    RUN(deformation_is_linear);
    return TEST_END();
}
