/* Mass properties against closed formulas, against each other, and under rigid motions. */
#include "test.h"

#include "base/random.h"
#include "geometry/mass.h"

static vec3 random_vec3(random_state *r, double size)
{
    double x = random_range(r, -size, size), y = random_range(r, -size, size);
    return vec3_make(x, y, random_range(r, -size, size));
}

static void check_mat3(mat3 a, mat3 b, double tolerance)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) CHECK_NEAR(a.m[i][j], b.m[i][j], tolerance);
}

static void check_vec3(vec3 a, vec3 b, double tolerance)
{
    for (int k = 0; k < 3; k++) CHECK_NEAR(vec3_get(a, k), vec3_get(b, k), tolerance);
}

/* A box a x b x c with its low corner at o. */
static const int32_t box_triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                             {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                             {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
static const int32_t box_tets[6][4] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 4, 5, 7},
                                       {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}};

static void box_vertices(vec3 o, vec3 size, vec3 x[8])
{
    for (int i = 0; i < 8; i++)
        x[i] = vec3_make(o.x + (i & 1 ? size.x : 0), o.y + (i & 2 ? size.y : 0),
                         o.z + (i & 4 ? size.z : 0));
}

TEST(box)
{
    vec3 o = {10, -3, 1e4}, s = {1, 2, 3}, x[8];
    box_vertices(o, s, x);
    CHECK(surface_is_closed(box_triangles, 12));
    CHECK(!surface_is_closed(box_triangles, 11));
    double density = 5.0, mass = 30.0;
    mass_properties by_surface = mass_of_closed_surface(x, box_triangles, 12, density);
    mass_properties by_tets = mass_of_tets(x, box_tets[0], 4, 6, density);
    mat3 inertia = mat3_zero();
    inertia.m[0][0] = mass / 12 * (4 + 9);
    inertia.m[1][1] = mass / 12 * (1 + 9);
    inertia.m[2][2] = mass / 12 * (1 + 4);
    const mass_properties *both[2] = {&by_surface, &by_tets};
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(both[k]->measure, 6.0, 1e-12);
        CHECK_NEAR(both[k]->mass, mass, 1e-11);
        check_vec3(both[k]->center, vec3_mul_add(o, 0.5, s), 1e-11);
        check_mat3(both[k]->inertia, inertia, 1e-10);
    }
    mat3 second = mass_second_moment(&by_surface);
    CHECK_NEAR(second.m[0][0], mass / 12 * 1, 1e-10);
    CHECK_NEAR(second.m[1][1], mass / 12 * 4, 1e-10);
    CHECK_NEAR(second.m[2][2], mass / 12 * 9, 1e-10);
    /* Turned inside out the volume is negative. */
    int32_t inside_out[12][3];
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 3; k++) inside_out[i][k] = box_triangles[i][2 - k];
    CHECK_NEAR(mass_of_closed_surface(x, (const int32_t(*)[3])inside_out, 12, density).measure,
               -6.0, 1e-12);
}

/* Exact dyadic numbers in, exact numbers out. */
TEST(corner_tet)
{
    vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int32_t tet[1][4] = {{0, 1, 2, 3}};
    mass_properties m = mass_of_tets(x, tet[0], 4, 1, 1.0);
    CHECK_NEAR(m.measure, 1.0 / 6, 1e-16);
    check_vec3(m.center, vec3_make(0.25, 0.25, 0.25), 1e-15);
    mat3 about_origin = mass_inertia_about(&m, x[0]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(about_origin.m[i][j], i == j ? 1.0 / 30 : -1.0 / 120, 1e-16);
}

TEST(wires_sheets_points)
{
    vec3 x[4] = {{0, 0, 0}, {2, 0, 0}, {2, 4, 0}, {0, 4, 0}};
    int32_t edge[1][2] = {{0, 1}}, sheet[2][3] = {{0, 1, 2}, {0, 2, 3}}, points[4] = {3, 1, 0, 2};
    mass_properties rod = mass_of_edges(x, (const int32_t(*)[2])edge, 1, 3.0);
    CHECK_NEAR(rod.mass, 6.0, 1e-15);
    check_vec3(rod.center, vec3_make(1, 0, 0), 1e-15);
    CHECK_NEAR(rod.inertia.m[0][0], 0.0, 1e-15);
    CHECK_NEAR(rod.inertia.m[1][1], 6.0 * 4 / 12, 1e-14);
    mass_properties plate = mass_of_surface(x, (const int32_t(*)[3])sheet, 2, 0.5);
    CHECK_NEAR(plate.measure, 8.0, 1e-14);
    check_vec3(plate.center, vec3_make(1, 2, 0), 1e-15);
    CHECK_NEAR(plate.inertia.m[0][0], 4.0 * 16 / 12, 1e-13);
    CHECK_NEAR(plate.inertia.m[1][1], 4.0 * 4 / 12, 1e-13);
    CHECK_NEAR(plate.inertia.m[2][2], 4.0 * 20 / 12, 1e-13);
    mass_properties four = mass_of_points(x, points, 4, 0.25),
                    same = mass_of_points(x, NULL, 4, 0.25);
    CHECK_NEAR(four.mass, 1.0, 1e-16);
    CHECK_NEAR(four.inertia.m[2][2], 1 + 4, 1e-14);
    check_mat3(four.inertia, same.inertia, 1e-14);
    CHECK(mass_of_points(x, NULL, 0, 1.0).mass == 0.0);
}

static mat3 random_rotation(random_state *r)
{
    vec3 a = vec3_normalize(random_vec3(r, 1.0));
    vec3 b = vec3_normalize(vec3_cross(a, random_vec3(r, 1.0)));
    return mat3_from_columns(a, b, vec3_cross(a, b));
}

/* Random tets: closed surface and solid agree; a rigid motion turns the inertia with it. */
TEST(rigid_motion)
{
    static const int32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    static const int32_t tet[4] = {0, 1, 2, 3};
    random_state r = {1};
    for (int trial = 0; trial < 500; trial++) {
        vec3 x[4], y[4], shift = random_vec3(&r, 100.0);
        mat3 turn = random_rotation(&r);
        for (int i = 0; i < 4; i++) x[i] = random_vec3(&r, 1.0);
        for (int i = 0; i < 4; i++) y[i] = vec3_add(mat3_mul_vec(turn, x[i]), shift);
        mass_properties solid = mass_of_tets(x, tet, 4, 1, 2.0);
        mass_properties shell = mass_of_closed_surface(x, faces, 4, 2.0);
        mass_properties moved = mass_of_tets(y, tet, 4, 1, 2.0);
        CHECK_NEAR(solid.mass, shell.mass, 1e-14);
        check_mat3(solid.inertia, shell.inertia, 1e-13);
        CHECK_NEAR(moved.mass, solid.mass, 1e-12);
        if (fabs(solid.measure) < 1e-3) continue;
        check_vec3(moved.center, vec3_add(mat3_mul_vec(turn, solid.center), shift), 1e-9);
        check_mat3(moved.inertia, mat3_mul(turn, mat3_mul(solid.inertia, mat3_transpose(turn))),
                   1e-11);
    }
}

/* Every edge of a closed surface is passed once in each direction. */
TEST(closed)
{
    int32_t t[24][3];
    memcpy(t, box_triangles, 12 * sizeof t[0]);
    memcpy(t + 12, box_triangles, 12 * sizeof t[0]);
    CHECK(surface_is_closed((const int32_t(*)[3])t, 12));
    CHECK(!surface_is_closed((const int32_t(*)[3])t, 11));
    CHECK(!surface_is_closed((const int32_t(*)[3])t, 24)); /* each triangle is there twice */
    CHECK(!surface_is_closed((const int32_t(*)[3])t, 0));
    int32_t swap = t[3][0];
    t[3][0] = t[3][1];
    t[3][1] = swap;
    CHECK(!surface_is_closed((const int32_t(*)[3])t, 12));
}

/* Parts of a body add up to the whole. */
TEST(parts)
{
    vec3 o = {1, 1, 1}, s = {2, 1, 4}, x[8];
    box_vertices(o, s, x);
    mass_properties sum = mass_of_tets(x, box_tets[0], 4, 1, 3.0);
    for (int i = 1; i < 6; i++) {
        mass_properties part = mass_of_tets(x, box_tets[i], 4, 1, 3.0);
        sum = mass_add(&sum, &part);
    }
    mass_properties whole = mass_of_closed_surface(x, box_triangles, 12, 3.0);
    CHECK_NEAR(sum.mass, whole.mass, 1e-13);
    check_vec3(sum.center, whole.center, 1e-14);
    check_mat3(sum.inertia, whole.inertia, 1e-12);
}

/* A fine sphere comes near the ball formulas with the right order. */
TEST(ball)
{
    double previous = 0.0;
    for (int level = 0; level < 2; level++) {
        int rings = 16 << level, segments = 32 << level;
        static vec3 x[64 * 64 + 2];
        static int32_t t[2 * 64 * 64][3];
        size_t count = 0;
        int south = rings * segments;
        for (int i = 0; i < rings; i++)
            for (int j = 0; j < segments; j++) {
                double theta = M_PI * (i + 0.5) / rings, phi = 2 * M_PI * j / segments;
                x[i * segments + j] =
                    vec3_make(sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta));
            }
        x[south] = vec3_make(0, 0, -1);
        x[south + 1] = vec3_make(0, 0, 1);
        for (int j = 0; j < segments; j++) {
            int k = (j + 1) % segments, last = (rings - 1) * segments;
            memcpy(t[count++], (int32_t[]){south + 1, j, k}, sizeof t[0]);
            memcpy(t[count++], (int32_t[]){south, last + k, last + j}, sizeof t[0]);
            for (int i = 0; i + 1 < rings; i++) {
                int a = i * segments + j, b = i * segments + k;
                memcpy(t[count++], (int32_t[]){a, a + segments, b + segments}, sizeof t[0]);
                memcpy(t[count++], (int32_t[]){a, b + segments, b}, sizeof t[0]);
            }
        }
        CHECK(surface_is_closed((const int32_t(*)[3])t, count));
        mass_properties m = mass_of_closed_surface(x, (const int32_t(*)[3])t, count, 1.0);
        double error = fabs(m.mass - 4.0 / 3.0 * M_PI);
        CHECK(error < 0.08);
        CHECK_NEAR(m.inertia.m[0][0] / m.mass, 0.4, 0.02);
        if (level) CHECK_NEAR(previous / error, 4.0, 0.3);
        previous = error;
    }
}

int main(void)
{
    RUN(box);
    RUN(corner_tet);
    RUN(wires_sheets_points);
    RUN(rigid_motion);
    RUN(closed);
    RUN(parts);
    RUN(ball);
    return TEST_END();
}
