/* The stiffness of the barrier by PolyFEM's rule, against its formulas by hand. */
#include "support/scene_text.h"

#include "base/file.h"
#include "support/scratch.h"

#include <math.h>

static abut_error err;

static const double DHAT = 1e-2, H = 0.1, GRAVITY = 9.81;

/* A tetrahedron with its lowest corner over the middle of a fixed triangle, `gap` above it. */
static stepper *tet_over_triangle(double gap, const char *method, const char *contact,
                                  scene_def **scene)
{
    char folder[100], path[200], text[1200];
    snprintf(folder, sizeof folder, "%s/stiffness", test_scratch());
    CHECK_OK(directory_create(folder, &err), err);
    const char *triangle = "v -1 0 -1\nv 2 0 -1\nv -1 0 2\nf 1 2 3\n";
    const char *tet =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 1 0\n3 -1 1 -1\n"
        "4 -1 1 1\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n";
    snprintf(path, sizeof path, "%s/triangle.obj", folder);
    CHECK_OK(atomic_write(path, triangle, strlen(triangle), &err), err);
    snprintf(path, sizeof path, "%s/tet.msh", folder);
    CHECK_OK(atomic_write(path, tet, strlen(tet), &err), err);
    snprintf(text, sizeof text,
             "{'abut': 1, 'time': {'step': %g, 'steps': 3, 'integrator': '%s'}, 'gravity': [0, %g, "
             "0], 'contact': {'dhat': %g, %s}, 'bodies': [{'mesh': '%s/tet.msh', 'translate': [0, "
             "%.17g, 0], 'material': {'young': 1e6, 'poisson': 0.3, 'density': 60}}, {'type': "
             "'obstacle', 'mesh': '%s/triangle.obj'}]}",
             H, method, -GRAVITY, DHAT, contact, folder, gap, folder);
    return build_scene(text, scene);
}

/* 60 kg/m^3 times the volume 4/6, on four of seven nodes. */
static const double MASS = 60 * 4 / 6.0;

/* 1e11 m / (4 s b''(s)) at the squared distance s = (1e-8 l)^2. */
static double lowest(double gap)
{
    double diagonal2 = 9 + 9 + (1 + gap) * (1 + gap), s = 1e-16 * diagonal2, shat = DHAT * DHAT;
    double second = -2 * log(s / shat) + (shat - s) * (shat + 3 * s) / (s * s);
    return 1e11 * (MASS / 7) / (4 * s * second);
}

static double kappa_after(int steps, double gap, const char *method, const char *contact)
{
    scene_def *scene;
    stepper *s = tet_over_triangle(gap, method, contact, &scene);
    step_statistics statistics;
    if (!s) return NAN;
    for (int i = 0; i < steps; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    double kappa = s->evaluation.kappa;
    drop_scene(s, scene);
    return kappa;
}

#define POLYFEM "'stiffness_rule': 'polyfem'"

TEST(obstacles_count_in_the_bounds)
{
    double kappa = kappa_after(1, 0.5, "implicit-euler", POLYFEM);
    CHECK(lowest(0.5) > 1);
    CHECK_NEAR(kappa, lowest(0.5), 1e-9 * kappa);
    /* Scaled like the potential, which has no factor h^2 here. */
    kappa = kappa_after(1, 0.5, "newmark", POLYFEM);
    CHECK_NEAR(kappa, lowest(0.5), 1e-9 * kappa);
}

TEST(balance_at_the_start_over_all_nodes)
{
    double d = 0.5 * DHAT, s = d * d, shat = DHAT * DHAT;
    double first = (shat - s) * (2 * log(s / shat) - shat / s + 1);
    /* The force on the corner, and a third of it on each corner of the triangle. */
    double force = -2 * d * first, expected = H * H * MASS / 4 * GRAVITY / (force * (1 + 3 / 9.0));
    CHECK(expected > lowest(d) && expected < 100 * lowest(d));
    double kappa = kappa_after(1, d, "implicit-euler", POLYFEM);
    CHECK_NEAR(kappa, expected, 1e-9 * expected);
}

/* Where contact only begins its force is small, and the balance would be stiffer than allowed. */
TEST(balance_has_a_bound)
{
    double d = 0.999 * DHAT, kappa = kappa_after(1, d, "implicit-euler", POLYFEM);
    CHECK_NEAR(kappa, 100 * lowest(d), 1e-9 * kappa);
}

TEST(given_stiffness_has_the_factor_of_the_integrator)
{
    const char *given = POLYFEM ", 'stiffness': 5";
    CHECK_NEAR(kappa_after(1, 0.5, "implicit-euler", given), 5 * H * H, 1e-12);
    CHECK_NEAR(kappa_after(3, 5, "bdf2", given), 5 * 4 / 9.0 * H * H, 1e-12);
    CHECK_NEAR(kappa_after(1, 0.5, "implicit-euler", "'stiffness': 5"), 5, 1e-12);
    given = POLYFEM ", 'stiffness': 5, 'area_weighted': true, 'physical': true";
    CHECK_NEAR(kappa_after(1, 0.5, "implicit-euler", given), 5 * H * H / pow(DHAT, 3), 1e-6);
}

/* The convergent formulation: the same force at the start, by the ratio of the potentials. */
TEST(convergent_formulation)
{
    double d = 0.5 * DHAT;
    scene_def *scene;
    stepper *s = tet_over_triangle(d, "implicit-euler",
                                   POLYFEM ", 'area_weighted': true, "
                                           "'physical': true, 'improved_max': true",
                                   &scene);
    if (!s) return;
    double weight = 0.25 * s->contact->areas.vertex.data[0];
    drop_scene(s, scene);
    double plain = kappa_after(1, d, "implicit-euler", POLYFEM);
    double kappa = kappa_after(1, d, "implicit-euler",
                               POLYFEM ", 'area_weighted': true, 'physical': true, "
                                       "'improved_max': true");
    /* The bounds hold for the barrier scaled to a length, which is another one. */
    double scale = 1 / pow(DHAT, 3),
           bounded = fmin(fmax(plain / scale, lowest(d)), 100 * lowest(d));
    CHECK_NEAR(kappa, bounded * scale / weight, 1e-6 * kappa);
}

int main(void)
{
    RUN(obstacles_count_in_the_bounds);
    RUN(balance_at_the_start_over_all_nodes);
    RUN(balance_has_a_bound);
    RUN(given_stiffness_has_the_factor_of_the_integrator);
    RUN(convergent_formulation);
    return TEST_END();
}
