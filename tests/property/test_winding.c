/* Winding numbers and distances by the tree against sums and minima over all triangles. */
#include "test.h"

#include "base/random.h"
#include "fill/surface.h"
#include "fill/winding.h"
#include "geometry/distance.h"
#include "mesh/generate.h"
#include "support/surface_maker.h"

static abut_error err;

static vec3 random_point(random_state *r, vec3 low, vec3 high)
{
    vec3 size = vec3_sub(high, low);
    return vec3_make(low.x + random_range(r, -0.5, 1.5) * size.x,
                     low.y + random_range(r, -0.5, 1.5) * size.y,
                     low.z + random_range(r, -0.5, 1.5) * size.z);
}

/* The bound of the error holds, signs are those of the sum wherever that is not itself in doubt,
 * and distances are the smallest of all. */
TEST(tree_is_the_sum)
{
    double worst = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        mesh m;
        char text[MADE_TEXT];
        winding_tree tree;
        make_surface(seed, 1500, &m, text);
        const int32_t(*t)[3] = surface_triangles(&m);
        size_t count = surface_triangle_count(&m);
        CHECK_OK(winding_build(&tree, m.vertices, t, count, &err), err);
        random_state random = {seed + 99};
        vec3 low, high;
        mesh_bounds(&m, &low, &high);
        for (int k = 0; k < 60; k++) {
            vec3 q = random_point(&random, low, high);
            double error, exact = winding_exact(&tree, q), far = k % 2 ? 2 : 4;
            double w = winding_number(&tree, q, far, &error);
            CHECK(fabs(w - exact) <= error + 1e-10);
            if (error > 0) worst = fmax(worst, fabs(w - exact) / error);
            if (fabs(exact - 0.5) > 1e-9) CHECK(winding_inside(&tree, q, 0.5) == (exact > 0.5));
            double nearest = INFINITY;
            for (size_t i = 0; i < count; i++)
                nearest = fmin(nearest, point_triangle_true_distance2(q, m.vertices[t[i][0]],
                                                                      m.vertices[t[i][1]],
                                                                      m.vertices[t[i][2]]));
            nearest = sqrt(nearest);
            CHECK_NEAR(winding_distance(&tree, q, INFINITY), nearest, 1e-12 * (1 + nearest));
            CHECK_NEAR(winding_distance(&tree, q, 1.001 * nearest), nearest, 1e-12 * (1 + nearest));
        }
        winding_free(&tree);
        mesh_free(&m);
    }
    printf("errors up to %.2f of their bound\n", worst);
}

/* Where a hole makes w pass through the threshold, clusters are opened until the sign is certain.
 */
TEST(signs_at_the_threshold)
{
    mesh m;
    winding_tree tree;
    CHECK_OK(generate_icosphere(1, 4, &m, &err), err);
    CHECK_OK(winding_build(&tree, m.vertices, surface_triangles(&m),
                           surface_triangle_count(&m) * 2 / 3, &err),
             err);
    random_state random = {8};
    int crossed = 0;
    for (int k = 0; k < 200; k++) {
        vec3 low = random_point(&random, vec3_make(-1, -1, -1), vec3_make(1, 1, 1));
        vec3 high = random_point(&random, vec3_make(-1, -1, -1), vec3_make(1, 1, 1));
        if ((winding_exact(&tree, low) > 0.5) == (winding_exact(&tree, high) > 0.5)) continue;
        bool low_inside = winding_exact(&tree, low) > 0.5;
        for (int i = 0; i < 16; i++) {
            vec3 q = vec3_scale(0.5, vec3_add(low, high));
            double exact = winding_exact(&tree, q);
            if (fabs(exact - 0.5) > 1e-9) CHECK(winding_inside(&tree, q, 0.5) == (exact > 0.5));
            if ((exact > 0.5) == low_inside)
                low = q;
            else
                high = q;
        }
        crossed++;
    }
    CHECK(crossed > 5);
    winding_free(&tree);
    mesh_free(&m);
}

TEST(whole_numbers)
{
    mesh m;
    winding_tree tree;
    CHECK_OK(generate_icosphere(1, 3, &m, &err), err);
    CHECK_OK(
        winding_build(&tree, m.vertices, surface_triangles(&m), surface_triangle_count(&m), &err),
        err);
    random_state random = {1};
    for (int k = 0; k < 200; k++) {
        vec3 q = random_point(&random, vec3_make(-1, -1, -1), vec3_make(1, 1, 1));
        double r = vec3_norm(q);
        if (r > 0.97 && r < 1.01) continue;
        CHECK_NEAR(winding_exact(&tree, q), r < 1 ? 1 : 0, 1e-12);
        CHECK(winding_inside(&tree, q, 0.5) == (r < 1));
    }
    winding_free(&tree);
    mesh_free(&m);
}

int main(void)
{
    RUN(tree_is_the_sum);
    RUN(signs_at_the_threshold);
    RUN(whole_numbers);
    return TEST_END();
}
