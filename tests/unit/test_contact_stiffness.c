/* The toolkit layer's rules that set how strong contacts are: weights by area, physical scaling,
 * the start value and the growth of the stiffness. */
#include "test.h"

#include <abut/contact.h>

static abut_error err;

/* ---- Area weights and physical scaling ------------------------------------------------------ */

enum { MOST = 31, LEAST = 11 }; /* vertices along a side */

typedef struct sheets {
    int side;
    double dhat;
    double x[2 * MOST * MOST * 3];
    int32_t triangles[2 * 2 * (MOST - 1) * (MOST - 1) * 3];
    size_t count; /* of triangles, the first half of the lower sheet */
} sheets;

/* Two parallel unit sheets, all vertices apart by half of dhat. The upper one is shifted by a part
 * of a cell, so that points face the inside of triangles, and edges cross. */
static void make_sheets(sheets *s, int side, double dhat)
{
    int sheet = side * side, count = 0;
    s->side = side;
    s->dhat = dhat;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < side; i++)
            for (int j = 0; j < side; j++) {
                double *p = s->x + 3 * (k * sheet + i * side + j), cell = 1.0 / (side - 1);
                p[0] = (i + 0.37 * k) * cell;
                p[1] = 0.5 * dhat * k;
                p[2] = (j + 0.41 * k) * cell;
                if (i + 1 == side || j + 1 == side) continue;
                int v = k * sheet + i * side + j;
                const int corners[6] = {v, v + 1, v + side + 1, v, v + side + 1, v + side};
                for (int c = 0; c < 6; c++) s->triangles[count++] = corners[c];
            }
    s->count = (size_t)count / 3;
}

/* Force on the upper sheet. */
static double sheet_force(const sheets *s, bool weighted)
{
    static double g[2 * MOST * MOST * 3];
    size_t sheet = (size_t)(s->side * s->side);
    abut_collision_mesh_definition d = abut_default_collision_mesh();
    d.vertex_count = 2 * sheet;
    d.triangles = s->triangles;
    d.triangle_count = s->count;
    d.rest = s->x;
    abut_collision_mesh *surface = NULL;
    abut_active_set *set = NULL;
    CHECK_OK(abut_collision_mesh_create(&d, &surface, &err), err);
    CHECK_OK(abut_active_set_create(&set, &err), err);
    abut_active_set_options options = {.area_weighted = weighted};
    CHECK_OK(abut_active_set_build(set, surface, s->x, s->dhat, NULL, &options, &err), err);
    abut_barrier b = {.kind = ABUT_BARRIER_C2, .stiffness = 1e5, .physical = true};
    CHECK_OK(abut_barrier_gradient(set, &b, g, &err), err);
    double force = 0;
    for (size_t v = sheet; v < 2 * sheet; v++) force -= g[3 * v + 1];
    abut_active_set_destroy(set);
    abut_collision_mesh_destroy(surface);
    return force;
}

/* Twice the area of a triangle as seen from above. */
static double turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0]);
}

/* Third of the area of all triangles that have the vertices a and b (the same: one vertex). */
static double third_of_area(const sheets *s, int32_t a, int32_t b)
{
    double sum = 0;
    for (size_t t = 0; t < s->count; t++) {
        const int32_t *v = s->triangles + 3 * t;
        bool has_a = v[0] == a || v[1] == a || v[2] == a;
        bool has_b = v[0] == b || v[1] == b || v[2] == b;
        if (has_a && has_b)
            sum += fabs(turn(s->x + 3 * v[0], s->x + 3 * v[1], s->x + 3 * v[2])) / 6;
    }
    return sum;
}

/* What the areas of all pairs that face each other sum to, by looking at all of them: a quarter of
 * the area of every vertex before a triangle, and of both edges of every crossing. */
static double facing_weight(const sheets *s)
{
    static int32_t edges[2][3 * MOST * MOST][2];
    static double area[2][3 * MOST * MOST];
    int n = s->side, sheet = n * n, count[2] = {0};
    double sum = 0;
    for (int v = 0; v < 2 * sheet; v++) {
        size_t half = s->count / 2, first = v < sheet ? half : 0;
        const double *p = s->x + 3 * v;
        for (size_t t = first; t < first + half; t++) {
            const double *a = s->x + 3 * s->triangles[3 * t],
                         *b = s->x + 3 * s->triangles[3 * t + 1];
            const double *c = s->x + 3 * s->triangles[3 * t + 2];
            bool left = turn(a, b, p) > 0 && turn(b, c, p) > 0 && turn(c, a, p) > 0;
            bool right = turn(a, b, p) < 0 && turn(b, c, p) < 0 && turn(c, a, p) < 0;
            if (left || right) sum += third_of_area(s, v, v) / 4;
        }
        const int32_t next[3] = {v + 1, v + n, v + n + 1};
        int i = v % sheet / n, j = v % n, k = v / sheet;
        const bool there[3] = {j + 1 < n, i + 1 < n, i + 1 < n && j + 1 < n};
        for (int e = 0; e < 3; e++) {
            if (!there[e]) continue;
            edges[k][count[k]][0] = v;
            edges[k][count[k]][1] = next[e];
            area[k][count[k]++] = third_of_area(s, v, next[e]);
        }
    }
    for (int e = 0; e < count[0]; e++)
        for (int f = 0; f < count[1]; f++) {
            const double *a = s->x + 3 * edges[0][e][0], *b = s->x + 3 * edges[0][e][1];
            const double *c = s->x + 3 * edges[1][f][0], *d = s->x + 3 * edges[1][f][1];
            if (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0)
                sum += (area[0][e] + area[1][f]) / 4;
        }
    return sum;
}

/* At half of dhat, with physical scaling: kappa dhat^-3 (-d/dd b(d^2)) per area. */
static double pressure(void)
{
    double q = 0.25; /* (d/dhat)^2 */
    return 1e5 * (1 - q) * (1 / q - 1 - 2 * log(q)) * 2 * 0.5;
}

TEST(area_weights_do_not_depend_on_resolution)
{
    /* Small against the cells, so that no point is near several triangles at a time. */
    static sheets s;
    double weight[2], plain[2];
    for (int k = 0; k < 2; k++) {
        make_sheets(&s, k ? MOST : LEAST, 1e-4);
        weight[k] = facing_weight(&s);
        plain[k] = sheet_force(&s, false);
        double force = sheet_force(&s, true);
        CHECK_NEAR(force, weight[k] * pressure(), 1e-9 * force);
        /* With physical scaling the pressure at a part of dhat does not depend on dhat. */
        make_sheets(&s, k ? MOST : LEAST, 1e-5);
        CHECK_NEAR(sheet_force(&s, true), force, 1e-9 * force);
    }
    /* Half the area by vertices and, as these edges cross, all of it by edges; but for the border,
     * where a part of a cell has no partner: a third of that where cells are a third as long. */
    CHECK_NEAR(weight[1], 1.5, 0.05);
    CHECK_NEAR((1.5 - weight[1]) / (1.5 - weight[0]), 1.0 / 3, 0.02);
    CHECK(plain[1] > 5 * plain[0]);
}

/* ---- Stiffness ------------------------------------------------------------------------------ */

TEST(stiffness_rules)
{
    abut_barrier b = abut_default_barrier();
    abut_stiffness k;
    const double dhat = 1e-3, extent = 2, mass = 0.1;
    CHECK_OK(abut_initial_stiffness(&b, dhat, extent, mass, NULL, NULL, 0, &k, &err), err);
    CHECK(k.value == k.lowest && k.highest == 100 * k.lowest);
    /* 1e11 m / (4 s b''(s)), s = (1e-8 l)^2 limited to 1e-4 dhat^2, evaluated differently. */
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
    const double gap[8] = {1e6, 3, 2, 0.5, 0.4, 0.45, 0.3, 0.2};
    const double expected[8] = {3, 3, 3, 3, 6, 6, 10, 10};
    for (int i = 0; i < 8; i++) {
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
