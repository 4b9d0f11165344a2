/* The toolkit layer's rules that set how strong contacts are: weights by area, physical scaling,
 * the start value and the growth of the stiffness. */
#include "test.h"

#include <abut/contact.h>

static abut_error err;

/* ---- Area weights and physical scaling ------------------------------------------------------ */

/* Pressure of two parallel square sheets of some resolution on each other, all vertices apart by
 * half of dhat. */
static double sheet_force(int side, double dhat, bool weighted)
{
    static double x[2 * 40 * 40 * 3], g[2 * 40 * 40 * 3];
    static int32_t triangles[2 * 2 * 39 * 39 * 3];
    int count = 0, sheet = side * side;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < side; i++)
            for (int j = 0; j < side; j++) {
                double *p = x + 3 * (k * sheet + i * side + j), cell = 1.0 / (side - 1);
                /* The upper one is shifted by half a cell: points face the inside of triangles. */
                p[0] = (i + 0.37 * k) * cell;
                p[1] = 0.5 * dhat * k;
                p[2] = (j + 0.41 * k) * cell;
                if (i + 1 == side || j + 1 == side) continue;
                int v = k * sheet + i * side + j;
                const int corners[6] = {v, v + 1, v + side + 1, v, v + side + 1, v + side};
                for (int c = 0; c < 6; c++) triangles[count++] = corners[c];
            }
    abut_collision_mesh_definition d = abut_default_collision_mesh();
    d.vertex_count = (size_t)(2 * sheet);
    d.triangles = triangles;
    d.triangle_count = (size_t)count / 3;
    d.rest = x;
    abut_collision_mesh *surface = NULL;
    abut_active_set *set = NULL;
    CHECK_OK(abut_collision_mesh_create(&d, &surface, &err), err);
    CHECK_OK(abut_active_set_create(&set, &err), err);
    abut_active_set_options options = {.area_weighted = weighted};
    CHECK_OK(abut_active_set_build(set, surface, x, dhat, NULL, &options, &err), err);
    abut_barrier b = {.kind = ABUT_BARRIER_C2, .stiffness = 1e5, .physical = true};
    CHECK_OK(abut_barrier_gradient(set, &b, g, &err), err);
    double force = 0;
    for (int v = sheet; v < 2 * sheet; v++) force -= g[3 * v + 1];
    abut_active_set_destroy(set);
    abut_collision_mesh_destroy(surface);
    return force;
}

TEST(area_weights_do_not_depend_on_resolution)
{
    /* Small against the cells, so that few points are near several triangles at a time. */
    const double dhat = 1e-4;
    double coarse = sheet_force(11, dhat, true), fine = sheet_force(31, dhat, true);
    CHECK(coarse > 0);
    CHECK_NEAR(fine, coarse, 0.15 * coarse);
    CHECK(sheet_force(31, dhat, false) > 5 * sheet_force(11, dhat, false));
    /* With physical scaling the pressure at a part of dhat does not depend on dhat either. */
    CHECK_NEAR(sheet_force(11, 0.1 * dhat, true), coarse, 0.02 * coarse);
}

/* ---- Stiffness ------------------------------------------------------------------------------ */

TEST(stiffness_rules)
{
    abut_barrier b = abut_default_barrier();
    abut_stiffness k;
    const double dhat = 1e-3, extent = 2, mass = 0.1;
    CHECK_OK(abut_initial_stiffness(&b, dhat, extent, mass, NULL, NULL, 0, &k, &err), err);
    CHECK(k.value == k.lowest && k.highest == 100 * k.lowest);
    /* 1e11 m / (4 s b''(s)), s = (1e-8 l)^2 limited to 1e-4 dhat^2, evaluated in another way. */
    double s = 4e-16, t = dhat * dhat;
    double second = -2 * log(s / t) + 4 * (t - s) / s + (t - s) * (t - s) / (s * s);
    CHECK_NEAR(k.lowest, 1e11 * mass / (4 * s * second), 1e-9 * k.lowest);
    /* Balance: the least-squares factor between the two gradients, within the bounds. */
    double gc[3] = {0, -1e-3, 0}, g[3] = {0.5, 5e-3 * k.lowest, 0};
    CHECK_OK(abut_initial_stiffness(&b, dhat, extent, mass, gc, g, 3, &k, &err), err);
    CHECK_NEAR(k.value, 5 * k.lowest, 1e-9 * k.value);
    g[1] = -g[1];
    CHECK_OK(abut_initial_stiffness(&b, dhat, extent, mass, gc, g, 3, &k, &err), err);
    CHECK(k.value == k.lowest);
    CHECK(abut_initial_stiffness(&b, 0, extent, mass, NULL, NULL, 0, &k, &err) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, "dhat") == 0);
}

TEST(stiffness_doubles_when_tiny_gaps_shrink)
{
    double x[12] = {0.2, 0.02, 0.2, 0, 0, 0, 0, 0, 1, 1, 0, 0};
    const int32_t triangle[3] = {1, 2, 3};
    abut_collision_mesh_definition d = abut_default_collision_mesh();
    d.vertex_count = 4;
    d.triangles = triangle;
    d.triangle_count = 1;
    d.rest = x;
    abut_collision_mesh *surface = NULL;
    abut_active_set *set = NULL;
    CHECK_OK(abut_collision_mesh_create(&d, &surface, &err), err);
    CHECK_OK(abut_active_set_create(&set, &err), err);
    abut_stiffness k = {.value = 3, .lowest = 1, .highest = 10};
    /* Distance after each iteration, in units of 1e-9 of the extent, and the stiffness after it. */
    const double gap[6] = {1e6, 0.5, 0.4, 0.45, 0.3, 0.2}, expected[6] = {3, 3, 6, 6, 10, 10};
    for (int i = 0; i < 6; i++) {
        x[1] = 1e-9 * gap[i] * 2;
        CHECK_OK(abut_active_set_build(set, surface, x, 0.1, NULL, NULL, &err), err);
        CHECK_OK(abut_adapt_stiffness(set, 2, &k, &err), err);
        CHECK(k.value == expected[i]);
    }
    abut_active_set_destroy(set);
    abut_collision_mesh_destroy(surface);
}

int main(void)
{
    RUN(area_weights_do_not_depend_on_resolution);
    RUN(stiffness_rules);
    RUN(stiffness_doubles_when_tiny_gaps_shrink);
    return TEST_END();
}
