/* Rotation vectors: the matrix, its derivatives by finite differences, and the inverse map. */
#include "base/random.h"
#include "math/rotation.h"
#include "test.h"

#define PI 3.14159265358979323846

static vec3 random_direction(random_state *r)
{
    for (;;) {
        vec3 v = {random_range(r, -1, 1), random_range(r, -1, 1), random_range(r, -1, 1)};
        double n = vec3_norm(v);
        if (n > 0.1 && n <= 1.0) return vec3_scale(1.0 / n, v);
    }
}

static double difference(mat3 a, mat3 b)
{
    double most = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) most = fmax(most, fabs(a.m[i][j] - b.m[i][j]));
    return most;
}

static vec3 shifted(vec3 theta, int k, double by)
{
    double v[3];
    vec3_store(v, theta);
    v[k] += by;
    return vec3_load(v);
}

/* Angles on both sides of every change of formula, and where the map is singular. */
static const double angles[] = {0.0,       1e-300,    1e-160, 1e-12,         1e-9,      1e-5,
                                0.9999e-4, 1.0001e-4, 1e-3,   0.1,           1.0,       1.999999,
                                2.000001,  3.0,       PI,     PI - 1e-7,     PI + 1e-7, 4.0,
                                2 * PI,    6.0,       6.5,    2 * PI - 1e-9, 4 * PI,    20.0};
enum { ANGLES = sizeof angles / sizeof *angles };

TEST(known_rotations)
{
    vec3 e = mat3_mul_vec(rotation_matrix(vec3_make(0, 0, PI / 2)), vec3_make(1, 0, 0));
    CHECK_NEAR(e.x, 0.0, 1e-15);
    CHECK_NEAR(e.y, 1.0, 1e-15);
    double s = 2 * PI / 3 / sqrt(3.0); /* a third of a turn about (1,1,1) permutes the axes */
    mat3 cycle = rotation_matrix(vec3_make(s, s, s));
    mat3 expected = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
    CHECK(difference(cycle, expected) < 1e-15);
    CHECK(difference(rotation_matrix(vec3_make(0, 0, 0)), mat3_identity()) == 0.0);
}

TEST(matrices_are_rotations)
{
    random_state r = {.state = 1};
    for (int n = 0; n < 2000; n++) {
        vec3 theta = vec3_scale(angles[n % ANGLES], random_direction(&r));
        mat3 m = rotation_matrix(theta);
        CHECK(difference(mat3_mul(m, mat3_transpose(m)), mat3_identity()) < 4e-15);
        CHECK_NEAR(mat3_determinant(m), 1.0, 4e-15);
        /* Rotations about the same axis add up. */
        mat3 twice = rotation_matrix(vec3_scale(2.0, theta));
        CHECK(difference(mat3_mul(m, m), twice) < 2e-14);
    }
}

TEST(first_derivatives)
{
    random_state r = {.state = 2};
    for (int n = 0; n < 2400; n++) {
        vec3 theta = vec3_scale(angles[n % ANGLES], random_direction(&r));
        mat3 d[3];
        rotation_first(theta, d);
        for (int k = 0; k < 3; k++) {
            /* Fourth order: the error of the difference is about 1e-13 / h. */
            double h = 1e-3;
            mat3 near = mat3_sub(rotation_matrix(shifted(theta, k, h)),
                                 rotation_matrix(shifted(theta, k, -h)));
            mat3 far = mat3_sub(rotation_matrix(shifted(theta, k, 2 * h)),
                                rotation_matrix(shifted(theta, k, -2 * h)));
            mat3 numeric = mat3_scale(1 / (12 * h), mat3_sub(mat3_scale(8.0, near), far));
            CHECK(difference(d[k], numeric) < 8e-12);
        }
    }
}

TEST(second_derivatives)
{
    random_state r = {.state = 3};
    for (int n = 0; n < 2400; n++) {
        vec3 theta = vec3_scale(angles[n % ANGLES], random_direction(&r));
        mat3 d2[3][3];
        rotation_second(theta, d2);
        for (int k = 0; k < 3; k++) {
            double h = 1e-3;
            mat3 p[3], m[3], pp[3], mm[3];
            rotation_first(shifted(theta, k, h), p);
            rotation_first(shifted(theta, k, -h), m);
            rotation_first(shifted(theta, k, 2 * h), pp);
            rotation_first(shifted(theta, k, -2 * h), mm);
            for (int l = 0; l < 3; l++) {
                mat3 numeric =
                    mat3_scale(1 / (12 * h), mat3_sub(mat3_scale(8.0, mat3_sub(p[l], m[l])),
                                                      mat3_sub(pp[l], mm[l])));
                CHECK(difference(d2[k][l], numeric) < 4e-12);
                CHECK(difference(d2[k][l], d2[l][k]) == 0.0);
            }
        }
    }
}

/* Where one formula hands over to the other the values agree to rounding. */
TEST(no_jump_between_series_and_closed_form)
{
    random_state r = {.state = 4};
    for (int n = 0; n < 100; n++) {
        vec3 direction = random_direction(&r);
        vec3 low = vec3_scale(2.0 * (1 - 1e-15), direction);
        vec3 high = vec3_scale(2.0 * (1 + 1e-15), direction);
        mat3 a[3], b[3], a2[3][3], b2[3][3];
        rotation_first(low, a);
        rotation_first(high, b);
        rotation_second(low, a2);
        rotation_second(high, b2);
        for (int k = 0; k < 3; k++) {
            CHECK(difference(a[k], b[k]) < 2e-14);
            for (int l = 0; l < 3; l++) CHECK(difference(a2[k][l], b2[k][l]) < 4e-14);
        }
    }
}

/* The bounds that the curved collision detection rests on: along a straight line of rotation
 * vectors the matrix changes at most by |dtheta|, and bends at most by |dtheta|^2. */
TEST(derivatives_along_a_line_are_bounded)
{
    random_state r = {.state = 5};
    double most_first = 0.0, most_second = 0.0;
    for (int n = 0; n < 20000; n++) {
        vec3 theta = vec3_scale(random_range(&r, 0, 15), random_direction(&r));
        vec3 along = random_direction(&r), arm = random_direction(&r);
        if (n % 3 == 0) along = vec3_normalize(theta);
        mat3 d[3], d2[3][3];
        rotation_first(theta, d);
        rotation_second(theta, d2);
        vec3 first = {0, 0, 0}, second = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            first = vec3_mul_add(first, vec3_get(along, k), mat3_mul_vec(d[k], arm));
            for (int l = 0; l < 3; l++)
                second = vec3_mul_add(second, vec3_get(along, k) * vec3_get(along, l),
                                      mat3_mul_vec(d2[k][l], arm));
        }
        most_first = fmax(most_first, vec3_norm(first));
        most_second = fmax(most_second, vec3_norm(second));
    }
    CHECK(most_first <= 1.0 + 1e-13 && most_first > 0.99);
    CHECK(most_second <= 1.0 + 1e-13 && most_second > 0.99);
}

TEST(back_from_the_matrix)
{
    random_state r = {.state = 6};
    for (int n = 0; n < 4800; n++) {
        vec3 direction =
            n % 7 ? random_direction(&r) : vec3_make(n % 3 == 0, n % 3 == 1, n % 3 == 2);
        vec3 theta = vec3_scale(angles[n % ANGLES], direction);
        mat3 m = rotation_matrix(theta);
        vec3 back = rotation_vector(m);
        CHECK(vec3_norm(back) <= PI * (1 + 1e-15));
        CHECK(difference(rotation_matrix(back), m) < 8e-15);
        if (vec3_norm(theta) < 3.0)
            CHECK(vec3_norm(vec3_sub(back, theta)) < 1e-14 * (1e-290 + vec3_norm(theta)) + 4e-16);
        quaternion q = rotation_quaternion(m);
        CHECK(q.w >= 0.0);
        CHECK_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1.0, 1e-15);
        CHECK(difference(rotation_from_quaternion(q), m) < 8e-15);
        quaternion longer = {-3 * q.w, -3 * q.x, -3 * q.y, -3 * q.z};
        CHECK(difference(rotation_from_quaternion(longer), m) < 8e-15);
    }
}

TEST(wrapping_keeps_the_rotation)
{
    random_state r = {.state = 7};
    for (int n = 0; n < 2000; n++) {
        vec3 theta = vec3_scale(random_range(&r, 0, 40), random_direction(&r));
        vec3 wrapped = rotation_wrap(theta);
        CHECK(vec3_norm(wrapped) <= PI * (1 + 1e-14));
        CHECK(difference(rotation_matrix(wrapped), rotation_matrix(theta)) < 1e-13);
        if (vec3_norm(theta) < PI) CHECK(vec3_norm(vec3_sub(theta, wrapped)) == 0.0);
    }
    vec3 zero = rotation_wrap(vec3_make(0, 0, 0));
    CHECK(vec3_norm(zero) == 0.0);
    vec3 turn = rotation_wrap(vec3_make(0, 2 * PI, 0));
    CHECK(vec3_norm(turn) < 1e-14);
}

/* Of all rotation vectors of a rotation, the one nearest to where the body was. */
TEST(nearest_branch)
{
    random_state r = {.state = 8};
    for (int n = 0; n < 2000; n++) {
        vec3 near = vec3_scale(random_range(&r, 0, 20), random_direction(&r));
        mat3 m = rotation_matrix(vec3_add(near, vec3_scale(0.3, random_direction(&r))));
        vec3 found = rotation_vector_near(m, near);
        CHECK(difference(rotation_matrix(found), m) < 1e-13);
        vec3 principal = rotation_vector(m);
        vec3 direction = vec3_normalize(principal);
        for (int turns = -5; turns <= 5; turns++) {
            vec3 other = vec3_mul_add(principal, 2 * PI * turns, direction);
            CHECK(vec3_norm(vec3_sub(found, near)) <=
                  vec3_norm(vec3_sub(other, near)) * (1 + 1e-9) + 1e-12);
        }
    }
    vec3 turned = rotation_vector_near(mat3_identity(), vec3_make(0, 0, 6.2));
    CHECK_NEAR(turned.z, 2 * PI, 1e-14);
    CHECK(vec3_norm(rotation_vector_near(mat3_identity(), vec3_make(0, 0, 0))) == 0.0);
}

int main(void)
{
    RUN(known_rotations);
    RUN(matrices_are_rotations);
    RUN(first_derivatives);
    RUN(second_derivatives);
    RUN(no_jump_between_series_and_closed_form);
    RUN(derivatives_along_a_line_are_bounded);
    RUN(back_from_the_matrix);
    RUN(wrapping_keeps_the_rotation);
    RUN(nearest_branch);
    return TEST_END();
}
