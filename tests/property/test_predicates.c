/* Orientation predicates against rational arithmetic: lattices, nearly flat input, one unit in the
 * last place off a plane, the whole exponent range. */
#include "test.h"

#include "base/random.h"
#include "geometry/predicates.h"
#include "support/rational.h"

static double lattice(random_state *r, int size)
{
    return (double)((int)random_below(r, (uint64_t)(2 * size + 1)) - size);
}

static vec3 lattice_vec3(random_state *r, int size)
{
    double x = lattice(r, size), y = lattice(r, size);
    return vec3_make(x, y, lattice(r, size));
}

static void check3(vec3 a, vec3 b, vec3 c, vec3 d, int *zeros)
{
    int truth = rational_orient3d(a, b, c, d);
    CHECK(orient3d(a, b, c, d) == truth);
    CHECK(orient3d_exact(a, b, c, d) == truth);
    CHECK(orient3d(b, a, c, d) == -truth);
    CHECK(orient3d(c, d, a, b) == truth);
    *zeros += truth == 0;
}

TEST(signs_of_known_tets)
{
    vec3 o = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    CHECK(orient3d(o, x, y, z) == 1);
    CHECK(orient3d(o, y, x, z) == -1);
    CHECK(orient3d(o, x, y, vec3_make(5, 7, 0)) == 0);
    CHECK(orient2d(0, 0, 1, 0, 0, 1) == 1);
    CHECK(orient2d(0, 0, 0, 1, 1, 0) == -1);
    CHECK(orient2d_dropped(0, o, y, z) == 1);
    CHECK(orient2d_dropped(1, o, z, x) == 1);
    CHECK(orient2d_dropped(2, o, x, y) == 1);
}

TEST(lattice_3d)
{
    random_state r = {1};
    int zeros = 0;
    for (int trial = 0; trial < 20000; trial++) {
        int size = 1 + trial % 3;
        check3(lattice_vec3(&r, size), lattice_vec3(&r, size), lattice_vec3(&r, size),
               lattice_vec3(&r, size), &zeros);
    }
    CHECK(zeros > 2000);
}

/* d = a + s (b - a) + t (c - a) rounded: nearly in the plane; each coordinate then moved by up to
 * one unit in the last place. */
TEST(nearly_flat_3d)
{
    random_state r = {2};
    int zeros = 0, signs[3] = {0};
    for (int trial = 0; trial < 20000; trial++) {
        vec3 x[3];
        for (int i = 0; i < 3; i++) {
            double shift = trial % 2 ? 1000.0 : 0.0;
            double a = random_unit(&r), b = random_unit(&r);
            x[i] = vec3_make(a + shift, b + shift, random_unit(&r) + shift);
        }
        double s = random_range(&r, -1, 2), t = random_range(&r, -1, 2);
        vec3 d = vec3_mul_add(vec3_mul_add(x[0], s, vec3_sub(x[1], x[0])), t, vec3_sub(x[2], x[0]));
        if (trial % 4 == 0) d.x = nextafter(d.x, random_range(&r, -2, 2) > 0 ? 1e9 : -1e9);
        if (trial % 4 == 1) d.z = nextafter(d.z, random_range(&r, -2, 2) > 0 ? 1e9 : -1e9);
        check3(x[0], x[1], x[2], d, &zeros);
        signs[orient3d(x[0], x[1], x[2], d) + 1]++;
    }
    CHECK(signs[0] > 1000 && signs[2] > 1000);
}

/* Exponents over the whole range of doubles, subnormal numbers included. */
TEST(extreme_exponents)
{
    random_state r = {3};
    int zeros = 0;
    for (int trial = 0; trial < 5000; trial++) {
        vec3 x[4];
        int spread = trial % 3 == 0 ? 1000 : trial % 3 == 1 ? 30 : 2;
        int base = (int)random_range(&r, -1060, 1000);
        for (int i = 0; i < 4; i++) {
            double c[3];
            for (int k = 0; k < 3; k++) {
                int e = base + (int)random_range(&r, -spread, spread);
                e = e < -1070 ? -1070 : e > 1020 ? 1020 : e;
                c[k] = ldexp(lattice(&r, 3), e);
            }
            x[i] = vec3_make(c[0], c[1], c[2]);
        }
        if (trial % 5 == 0) x[3] = x[2]; /* exactly degenerate */
        check3(x[0], x[1], x[2], x[3], &zeros);
    }
    CHECK(zeros > 1000);
    /* u_x v_y = 1.5 times the smallest number is rounded to 2 times it, and w_z makes that large.
     */
    vec3 p = {0, 0, 0}, u = {0x1.8p-537, 0, 1.75}, v = {0, 0x1p-537, 0}, w = {0x1p63, 0, 0x1p600};
    CHECK(rational_orient3d(p, u, v, w) == -1);
    CHECK(orient3d(p, u, v, w) == -1);
    vec3 tiny = {5e-324, 0, 0}, huge = {1.7e308, 0, 0}, other = {0, 5e-324, 0}, o = {0, 0, 0};
    CHECK(orient3d(o, tiny, other, vec3_make(0, 0, 5e-324)) == 1);
    CHECK(orient3d(vec3_neg(huge), huge, other, vec3_make(0, 0, 1.7e308)) == 1);
}

/* Products of two small differences keep few bits; a large third factor hides that. */
TEST(products_that_vanish)
{
    random_state r = {8};
    int zeros = 0, decided = 0;
    for (int trial = 0; trial < 5000; trial++) {
        vec3 x[4];
        for (int i = 0; i < 4; i++) {
            double a = ldexp(random_range(&r, -1, 1), -536),
                   b = ldexp(random_range(&r, -1, 1), -536);
            x[i] = vec3_make(a, b, ldexp(random_range(&r, -1, 1), 300));
        }
        x[0] = vec3_make(0, 0, 0);
        check3(x[0], x[1], x[2], x[3], &zeros);
        decided += orient3d(x[0], x[1], x[2], x[3]) != 0;
    }
    CHECK(decided > 4000);
}

TEST(plane_2d)
{
    random_state r = {4};
    int zeros = 0;
    for (int trial = 0; trial < 40000; trial++) {
        double x[6];
        for (int k = 0; k < 6; k++) {
            if (trial % 3 == 0)
                x[k] = lattice(&r, 2);
            else if (trial % 3 == 1)
                x[k] = ldexp(lattice(&r, 100), (int)random_range(&r, -1070, 1000));
            else
                x[k] = random_unit(&r);
        }
        if (trial % 3 == 2) { /* nearly collinear */
            double s = random_range(&r, -1, 2);
            x[4] = x[0] + s * (x[2] - x[0]);
            x[5] = x[1] + s * (x[3] - x[1]);
        }
        int truth = rational_orient2d(x[0], x[1], x[2], x[3], x[4], x[5]);
        CHECK(orient2d(x[0], x[1], x[2], x[3], x[4], x[5]) == truth);
        CHECK(orient2d_exact(x[0], x[1], x[2], x[3], x[4], x[5]) == truth);
        CHECK(orient2d(x[2], x[3], x[0], x[1], x[4], x[5]) == -truth);
        zeros += truth == 0;
    }
    CHECK(zeros > 1000);
}

int main(void)
{
    RUN(signs_of_known_tets);
    RUN(lattice_3d);
    RUN(nearly_flat_3d);
    RUN(extreme_exponents);
    RUN(products_that_vanish);
    RUN(plane_2d);
    return TEST_END();
}
