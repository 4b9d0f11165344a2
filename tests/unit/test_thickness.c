/* Thickness in contact: the offset barrier against finite differences, distances that never fall to
 * the thickness, and no thickness at all as the plain path bit by bit. */
#include "base/random.h"
#include "contact/barrier_stencil.h"
#include "geometry/check_gap.h"
#include "mesh/generate.h"
#include "support/scene_makers.h"
#include "test.h"

static abut_error err;

static model *new_model(void) { return mem_calloc(1, sizeof(model)); }

/* ---------------------------------------------------------------------------------------------- */
/* One stencil                                                                                    */

typedef struct pair_case {
    stencil_list list;
    vec3 x[4];
} pair_case;

/* Distances of about 0.3, thickness 0.25, dhat 0.2. */
static const pair_case cases[] = {
    {LIST_PP, {{0, 0, 0}, {0.1, 0.28, 0.05}}},
    {LIST_PE, {{0.1, 0.3, 0.02}, {-1, 0, 0}, {1.2, 0, 0.1}}},
    {LIST_PT, {{0.1, 0.31, 0.05}, {-1, 0, -1}, {1.3, 0.05, -1}, {0.1, -0.02, 1.4}}},
    {LIST_EE, {{-1, 0, 0.1}, {1, 0.04, 0}, {0.1, 0.32, -1}, {0, 0.3, 1.1}}},
    {LIST_EE_MOLLIFIED, {{-1, 0, 0}, {1, 0.02, 0.01}, {-1.1, 0.3, -0.02}, {1.2, 0.33, 0.03}}},
};

/* y may be moved; the closest features must stay what they are. */
static contact_stencil stencil_of(const pair_case *c, const vec3 *y)
{
    contact_stencil s = {
        .vertex = {0, 1, 2, 3}, .multiplicity = 2, .thickness = 0.25, .threshold = 0.05};
    vec3 x[4];
    memcpy(x, y, sizeof x);
    if (c->list == LIST_EE_MOLLIFIED || c->list == LIST_EE)
        s.distance2 = edge_edge_closest(x[0], x[1], x[2], x[3], &s.type, NULL);
    else
        s.distance2 = stencil_distance2(stencil_list_kind[c->list], x);
    return s;
}

TEST(offset_barrier)
{
    for (int kind = BARRIER_C2; kind <= BARRIER_C2; kind++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const pair_case *c = &cases[i];
            barrier_law law = {(barrier_kind)kind, 0.2 * 0.2, 3};
            int n = 3 * stencil_list_width[c->list];
            vec3 y[4];
            memcpy(y, c->x, sizeof y);
            contact_stencil s = stencil_of(c, y);
            CHECK(sqrt(s.distance2) > 0.25 && sqrt(s.distance2) < 0.45);
            double g[12], h[144], gp[12], gm[12];
            CHECK(barrier_stencil_value(&law, c->list, &s, y) > 0);
            barrier_stencil_derivatives(&law, c->list, &s, y, false, g, h);
            double scale = 0, curve = 0;
            for (int k = 0; k < n; k++) scale = fmax(scale, fabs(g[k]));
            for (int k = 0; k < n * n; k++) curve = fmax(curve, fabs(h[k]));
            for (int k = 0; k < n; k++) {
                double *entry = (double *)y + k, before = *entry, step = 1e-5;
                *entry = before + step;
                s = stencil_of(c, y);
                double plus = barrier_stencil_value(&law, c->list, &s, y);
                barrier_stencil_derivatives(&law, c->list, &s, y, false, gp, NULL);
                *entry = before - step;
                s = stencil_of(c, y);
                double minus = barrier_stencil_value(&law, c->list, &s, y);
                barrier_stencil_derivatives(&law, c->list, &s, y, false, gm, NULL);
                *entry = before;
                CHECK_NEAR(g[k], (plus - minus) / (2 * step), 1e-6 * scale);
                for (int l = 0; l < n; l++)
                    CHECK_NEAR(h[n * k + l], (gp[l] - gm[l]) / (2 * step), 1e-5 * curve);
            }
        }
}

/* The force is minus the derivative of the energy by the distance, and ends at xi + dhat. */
TEST(offset_force)
{
    barrier_law law = {BARRIER_C2, 1e-6, 5};
    double xi = 2e-3, d = 2.3e-3, step = 1e-9;
    contact_stencil a = {.multiplicity = 1, .distance2 = (d + step) * (d + step), .thickness = xi};
    contact_stencil b = {.multiplicity = 1, .distance2 = (d - step) * (d - step), .thickness = xi};
    double slope = (barrier_stencil_value(&law, LIST_PP, &a, NULL) -
                    barrier_stencil_value(&law, LIST_PP, &b, NULL)) /
                   (2 * step);
    double force = barrier_normal_force(&law, d * d, xi, 1);
    CHECK(force > 0);
    CHECK_NEAR(force, -slope, 1e-5 * force);
    CHECK(barrier_normal_force(&law, 3.0001e-3 * 3.0001e-3, xi, 1) == 0);
    a.distance2 = xi * xi * (1 - 1e-12);
    CHECK(barrier_stencil_value(&law, LIST_PP, &a, NULL) == INFINITY);
}

/* ---------------------------------------------------------------------------------------------- */
/* Bodies                                                                                         */

static stepper_options contact_options_of(double h, double dhat)
{
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, h);
    options.contact = true;
    options.contact_options.dhat = dhat;
    options.gravity = vec3_make(0, -9.81, 0);
    options.tolerance = 1e-3;
    return options;
}

/* Two sheets fall on a third that is fixed: the pile is as high as thickness and dhat say. */
static double pile_height(double xi, double dhat)
{
    model *m = new_model();
    shell_definition shell = shell_from_young(MEMBRANE_NEO_HOOKEAN, 1e5, 0.3, 500, 1e-3);
    for (int k = 0; k < 3; k++) {
        mesh grid;
        CHECK_OK(generate_grid(0.1, 0.1, (const int[2]){3, 3}, &grid, &err), err);
        mesh_transform(&grid, vec3_make(1, 1, 1), vec3_make(0, 13 * k, 0),
                       vec3_make(0, 0.013 * k, 0));
        CHECK_OK(model_add_shell(m, "sheet", &grid, &shell, &err), err);
        m->bodies.data[k].offset = xi;
        mesh_free(&grid);
    }
    CHECK_OK(model_finish(m, &err), err);
    stepper_options options = contact_options_of(0.02, dhat);
    stepper *s = make_stepper(m, &options);
    add_condition(s, vec3_make(-1, -1, -1), vec3_make(1, 1e-9, 1), 0, 1e9);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    double height = 0;
    for (int i = 0; i < 20; i++) {
        step_statistics statistics;
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        CHECK(statistics.min_distance > xi);
    }
    for (int32_t k = 0; k < m->bodies.data[2].block_count; k++)
        height += s->state.x[3 * (m->bodies.data[2].first_block + k) + 1];
    height /= m->bodies.data[2].block_count;
    stepper_destroy(s);
    return height;
}

TEST(piles)
{
    double thin = pile_height(0, 1e-3), wide = pile_height(0, 3e-3),
           thick = pile_height(4e-3, 1e-3);
    CHECK(thin > 0 && thin < 2 * 1e-3);
    CHECK(wide > 1.2 * thin && wide < 2 * 3e-3); /* elastic thickness alone */
    CHECK(thick > 2 * 4e-3 && thick < 2 * 5e-3);
}

/* Particles of different thickness and a rod fall on a floor and a half-space: every pair keeps
 * the mean of its two. */
TEST(every_pair_keeps_its_mean)
{
    model *m = new_model();
    mesh grains, line, floor;
    CHECK_OK(generate_lattice((const int[3]){2, 3, 2}, vec3_make(6e-3, 6e-3, 6e-3), &grains, &err),
             err);
    mesh_jitter(&grains, 5e-4);
    mesh_transform(&grains, vec3_make(1, 1, 1), vec3_make(0, 0, 0), vec3_make(0, 0.02, 0));
    CHECK_OK(model_add_particles(m, "grains", &grains, 1600, 1e-3, &err), err);
    CHECK_OK(
        generate_polyline(vec3_make(-0.03, 0.04, 1e-3), vec3_make(0.03, 0.04, 0), 10, &line, &err),
        err);
    rod_definition rod = {
        .young = 1e6, .density = 1000, .diameter = 2e-3, .stretch_scale = 1, .bend_scale = 1};
    CHECK_OK(model_add_rod(m, "rod", &line, &rod, &err), err);
    CHECK_OK(generate_grid(0.1, 0.1, (const int[2]){4, 4}, &floor, &err), err);
    CHECK_OK(model_add_obstacle(m, "floor", &floor, &err), err);
    m->bodies.data[0].offset = 4e-3;
    m->bodies.data[1].offset = 2e-3;
    CHECK_OK(model_finish(m, &err), err);
    stepper_options options = contact_options_of(0.01, 1e-3);
    options.friction = 0.1;
    stepper *s = make_stepper(m, &options);
    add_condition(s, vec3_make(-1, -1e-9, -1), vec3_make(1, 1e-9, 1), 0, 1e9);
    CHECK_OK(contact_add_half_space(s->contact,
                                    (half_space){{0, 0.0005, 0}, {0, 1, 0}, {0, 0, 0}, -1}, &err),
             err);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    size_t contacts = 0;
    for (int i = 0; i < 25; i++) {
        step_statistics statistics;
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        contacts = statistics.contacts > contacts ? statistics.contacts : contacts;
        const vec3 *x = (const vec3 *)s->state.x;
        const vec3 *ball = x + m->bodies.data[0].first_block,
                   *node = x + m->bodies.data[1].first_block;
        for (int a = 0; a < 12; a++) {
            CHECK(ball[a].y > 2e-3 + 0.0005); /* half of 4 mm above the plane */
            for (int b = 0; b < a; b++) CHECK(gap_point_point(ball[a], ball[b]) > 4e-3);
            for (int k = 0; k < 10; k++)
                CHECK(gap_point_segment(ball[a], node[k], node[k + 1]) > 3e-3);
        }
        for (int k = 0; k <= 10; k++) CHECK(node[k].y > 1e-3 + 0.0005);
    }
    CHECK(contacts > 20);
    stepper_destroy(s);
    mesh_free(&grains);
    mesh_free(&line);
    mesh_free(&floor);
}

/* A thickness of zero, given, gives the same as none, bit by bit. */
TEST(zero_thickness)
{
    double *result[2];
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        model *m = make_stacked_model(1, 2, 1e-2);
        if (pass == 1) {
            CHECK(array_resize(&m->surface.thickness, m->surface.rows.count));
            memset(m->surface.thickness.data, 0, m->surface.rows.count * sizeof(double));
        }
        stepper_options options = contact_options_of(0.02, 1e-2);
        options.friction = 0.3;
        stepper *s = make_stepper(m, &options);
        add_condition(s, vec3_make(-1, -1, -1), vec3_make(1, -0.49, 1), 0, 1e9);
        CHECK_OK(stepper_start(s, NULL, &err), err);
        step_statistics statistics = {0};
        for (int i = 0; i < 12; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
        CHECK(statistics.contacts > 0);
        count = s->state.scalars;
        result[pass] = mem_alloc(count, sizeof(double));
        memcpy(result[pass], s->state.x, count * sizeof(double));
        stepper_destroy(s);
    }
    CHECK(memcmp(result[0], result[1], count * sizeof(double)) == 0);
    mem_free(result[0]);
    mem_free(result[1]);
}

/* Energy of two points whose gap beyond the thickness is given, in units of the plain barrier. */
static double energy_at(double gap, double thickness)
{
    contact_stencil c = {.multiplicity = 1,
                         .thickness = thickness,
                         .distance2 = (gap + thickness) * (gap + thickness)};
    barrier_law law = {.kind = BARRIER_C2, .shat = 1e-6, .factor = 1};
    return barrier_stencil_value(&law, LIST_PP, &c, NULL);
}

/* One stiffness serves pairs of any thickness: near contact all have the same curvature in the gap.
 */
static void test_stiffness_for_any_thickness(void)
{
    double dhat = 1e-3, gap = 1e-3 * dhat, h = 0.01 * gap, curvature[4];
    static const double thickness[4] = {0, 1e-4, 1e-2, 1};
    for (int i = 0; i < 4; i++)
        curvature[i] = (energy_at(gap + h, thickness[i]) - 2 * energy_at(gap, thickness[i]) +
                        energy_at(gap - h, thickness[i])) /
                       (h * h);
    for (int i = 1; i < 4; i++) {
        CHECK(curvature[i] > 0.5 * curvature[0]);
        CHECK(curvature[i] < 2.5 * curvature[0]);
    }
}

int main(void)
{
    RUN(stiffness_for_any_thickness);
    RUN(offset_barrier);
    RUN(offset_force);
    RUN(piles);
    RUN(every_pair_keeps_its_mean);
    RUN(zero_thickness);
    return TEST_END();
}
