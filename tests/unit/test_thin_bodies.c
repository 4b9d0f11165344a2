/* Shells, rods and particles as bodies: masses, errors, whole sheets and rods against plate and
 * beam theory, and strain limits that hold while a sheet hangs. */
#include "mesh/generate.h"
#include "support/evaluation.h"
#include "support/scene_makers.h"
#include "support/scene_text.h"
#include "term/shell.h"
#include "test.h"

static abut_error err;
static const double PI = 3.14159265358979323846, G = 9.81;

static model *new_model(void) { return mem_calloc(1, sizeof(model)); }

static double total_mass(const model *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->mass.count; i++) sum += m->mass.data[i];
    return sum;
}

static mesh make_grid(double x, double z, int nx, int nz)
{
    mesh shape;
    CHECK_OK(generate_grid(x, z, (const int[2]){nx, nz}, &shape, &err), err);
    return shape;
}

TEST(masses)
{
    model *m = new_model();
    mesh grid = make_grid(2, 3, 4, 5), line, lattice;
    shell_definition shell = shell_from_young(MEMBRANE_SVK, 1e5, 0.3, 500, 1e-3);
    CHECK_OK(model_add_shell(m, "sheet", &grid, &shell, &err), err);
    CHECK_NEAR(total_mass(m), 2 * 3 * 1e-3 * 500, 1e-12);
    CHECK(m->codim.triangle_rest.count == 40 && m->codim.hinge_rest.count == 51);
    CHECK(m->surface.edges.count / 2 == 69 && m->surface.triangles.count / 3 == 40);
    double before = total_mass(m);
    CHECK_OK(generate_polyline(vec3_make(0, 5, 0), vec3_make(4, 5, 0), 8, &line, &err), err);
    rod_definition rod = {
        .young = 1e6, .density = 700, .diameter = 0.01, .stretch_scale = 1, .bend_scale = 1};
    CHECK_OK(model_add_rod(m, "rod", &line, &rod, &err), err);
    CHECK_NEAR(total_mass(m) - before, PI * 1e-4 / 4 * 4 * 700, 1e-12);
    CHECK(m->codim.segment_rest.count == 8 && m->codim.joint_stiffness.count == 7);
    before = total_mass(m);
    CHECK_OK(generate_lattice((const int[3]){2, 2, 2}, vec3_make(1, 1, 1), &lattice, &err), err);
    CHECK_OK(model_add_particles(m, "sand", &lattice, 1600, 0.01, &err), err);
    CHECK_NEAR(total_mass(m) - before, 8 * 1600 * 4.0 / 3 * PI * 1e-6, 1e-12);
    CHECK_OK(model_finish(m, &err), err);
    mesh_free(&grid);
    mesh_free(&line);
    mesh_free(&lattice);
    free_model(m);
}

/* A lone particle has no bounding box to take lengths from: it is as large as it is. It falls as
 * implicit Euler falls, and comes to rest below dhat. */
TEST(lone_particle_comes_to_rest)
{
    scene_def *scene;
    stepper *s = build_scene(
        "{'abut': 1, 'time': {'step': 0.01, 'steps': 60}, 'gravity': [0, -10, 0], 'ground': 0, "
        "'bodies': [{'type': 'particles', 'mesh': {'lattice': {'counts': [1, 1, 1], 'spacing': "
        "1}}, 'density': 1000, 'particles': {'radius': 0.02}, 'translate': [0, 0.1, 0]}]}",
        &scene);
    if (!s) return;
    CHECK_NEAR(s->model->extent, 0.04, 1e-15);
    double dhat = s->options.contact_options.dhat;
    CHECK_NEAR(dhat, 4e-5, 1e-18);
    for (int n = 1; n <= 60; n++) {
        step_statistics statistics;
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        CHECK(s->state.x[1] > 0);
        if (n <= 12) CHECK_NEAR(s->state.x[1], 0.1 - 1e-3 * n * (n + 1) / 2, 1e-9);
    }
    CHECK(s->state.x[1] < dhat);
    CHECK_NEAR(s->state.v[1], 0, s->options.tolerance);
    drop_scene(s, scene);
}

TEST(bad_bodies)
{
    model *m = new_model();
    mesh grid = make_grid(1, 1, 1, 1);
    shell_definition shell = shell_from_young(MEMBRANE_NEO_HOOKEAN, 1e5, 0.3, 500, 1e-3);
    shell.pattern = true;
    CHECK(model_add_shell(m, "sheet", &grid, &shell, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "texture") != NULL);
    shell.pattern = false;
    grid.vertices[1] = grid.vertices[0];
    CHECK(model_add_shell(m, "sheet", &grid, &shell, &err) == ABUT_ERROR_INFEASIBLE);
    CHECK(strstr(err.message, "have no area at rest") != NULL);
    mesh_free(&grid);
    mesh line;
    CHECK_OK(generate_polyline(vec3_make(0, 0, 0), vec3_make(1, 0, 0), 2, &line, &err), err);
    line.vertices[1] = line.vertices[0];
    rod_definition rod = {
        .young = 1e6, .density = 700, .diameter = 0.01, .stretch_scale = 1, .bend_scale = 1};
    CHECK(model_add_rod(m, "rod", &line, &rod, &err) == ABUT_ERROR_INFEASIBLE);
    CHECK(strstr(err.message, "1 of 2 edges have no length: 0") != NULL);
    mesh_free(&line);
    free_model(m);
}

/* A start beyond the limit: the pattern is smaller than the sheet. */
TEST(stretched_start)
{
    model *m = new_model();
    mesh grid = make_grid(1, 1, 2, 2);
    shell_definition shell = shell_from_young(MEMBRANE_SVK, 1e5, 0.3, 500, 1e-3);
    shell.pattern = true;
    shell.limit = (strain_limit){1.1, 1, 0, 0};
    grid.rest = mem_alloc(grid.vertex_count, sizeof *grid.rest);
    for (size_t i = 0; i < grid.vertex_count; i++)
        grid.rest[i] = vec3_scale(1 / 1.2, grid.vertices[i]);
    CHECK(model_add_shell(m, "sheet", &grid, &shell, &err) == ABUT_ERROR_INFEASIBLE);
    CHECK(strstr(err.message, "8 of 8 triangles are collapsed or beyond the strain limit") != NULL);
    mesh_free(&grid);
    free_model(m);
}

/* Equilibrium under gravity; the lowest node's y. */
static double lowest(stepper *s, int steps)
{
    step_statistics statistics;
    for (int i = 0; i < steps; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    double low = INFINITY;
    for (size_t i = 0; i < s->model->rest.count; i++) low = fmin(low, s->state.x[3 * i + 1]);
    return low;
}

/* A flat grid bent to part of a cylinder has the plate's energy D/2 curvature^2 per area, whatever
 * the diagonals. */
TEST(cylinder_energy)
{
    const double curvature = 0.5, rigidity = 3e9 * pow(2e-3, 3) / 12;
    for (int same = 0; same < 2; same++) {
        model *m = new_model();
        mesh grid;
        CHECK_OK(
            (same ? generate_grid_same : generate_grid)(1, 0.5, (const int[2]){60, 7}, &grid, &err),
            err);
        shell_definition shell = shell_from_young(MEMBRANE_SVK, 3e9, 0, 1000, 2e-3);
        CHECK_OK(model_add_shell(m, "strip", &grid, &shell, &err), err);
        double *x = mem_alloc(3 * m->rest.count, sizeof *x);
        for (size_t i = 0; i < m->rest.count; i++) {
            double angle = curvature * m->rest.data[i].x;
            vec3_store(x + 3 * i, vec3_make(sin(angle) / curvature, (1 - cos(angle)) / curvature,
                                            m->rest.data[i].z));
        }
        term *bending;
        CHECK_OK(bending_create(m, &bending, &err), err);
        /* The first and the last half cell have no hinge. */
        double expected = 0.5 * rigidity * curvature * curvature * 0.5 * (1 - 1.0 / 60);
        CHECK_NEAR(bending->class->value(bending, &test_evaluation, x), expected, 1e-3 * expected);
        bending->class->destroy(bending);
        mem_free(x);
        mesh_free(&grid);
        free_model(m);
    }
}

/* A plate clamped at one side and three times as wide as long, so that it bends to a cylinder: its
 * tip sinks by q L^4 / (8 D). The hinge at the clamp stands for half a cell on either side of it.
 */
TEST(cantilever_plate)
{
    const double length = 0.1, width = 0.3, thickness = 1e-3, density = 1000;
    const int cells = 16;
    for (int kind = MEMBRANE_NEO_HOOKEAN; kind <= MEMBRANE_SVK; kind++) {
        model *m = new_model();
        mesh grid;
        CHECK_OK(generate_grid_same(length, width, (const int[2]){cells, 3 * cells}, &grid, &err),
                 err);
        shell_definition shell = shell_from_young((membrane_model)kind, 1e8, 0, density, thickness);
        CHECK_OK(model_add_shell(m, "plate", &grid, &shell, &err), err);
        CHECK_OK(model_finish(m, &err), err);
        stepper_options options = maker_options(INTEGRATE_QUASI_STATIC, 1);
        options.gravity = vec3_make(0, -G, 0);
        options.tolerance = 1e-7;
        stepper *s = make_stepper(m, &options);
        double cell = length / cells, clamp = -0.5 * length + cell;
        add_condition(s, vec3_make(-1, -1, -1), vec3_make(clamp + 1e-9, 1, 1), 0, 1e9);
        CHECK_OK(stepper_start(s, NULL, &err), err);
        step_statistics statistics;
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        double expected =
            density * thickness * G * pow(length - 0.5 * cell, 4) / (8 * shell.rigidity);
        double found = 0;
        for (size_t i = 0; i < m->rest.count; i++) /* the middle of the free side */
            if (m->rest.data[i].x > 0.5 * length - 1e-9 && fabs(m->rest.data[i].z) < 1e-9)
                found = -s->state.x[3 * i + 1];
        CHECK_NEAR(found, expected, 0.03 * expected);
        stepper_destroy(s);
        mesh_free(&grid);
    }
}

TEST(cantilever_rod)
{
    const double length = 0.3, diameter = 2e-3, density = 1000, young = 5e9;
    const int cells = 40;
    model *m = new_model();
    mesh line;
    CHECK_OK(generate_polyline(vec3_make(0, 0, 0), vec3_make(length, 0, 0), cells, &line, &err),
             err);
    rod_definition rod = {.young = young,
                          .density = density,
                          .diameter = diameter,
                          .stretch_scale = 1,
                          .bend_scale = 1};
    CHECK_OK(model_add_rod(m, "rod", &line, &rod, &err), err);
    CHECK_OK(model_finish(m, &err), err);
    stepper_options options = maker_options(INTEGRATE_QUASI_STATIC, 1);
    options.gravity = vec3_make(0, -G, 0);
    stepper *s = make_stepper(m, &options);
    double cell = length / cells;
    add_condition(s, vec3_make(-1, -1, -1), vec3_make(cell + 1e-9, 1, 1), 0, 1e9);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    double area = PI * diameter * diameter / 4, inertia = PI * pow(diameter, 4) / 64;
    double expected = density * area * G * pow(length - 0.5 * cell, 4) / (8 * young * inertia);
    double found = -lowest(s, 1);
    CHECK_NEAR(found, expected, 0.02 * expected);
    stepper_destroy(s);
    mesh_free(&line);
}

/* A weak sheet, to be fixed at two corners, at large steps. */
static stepper *hanging_sheet(strain_limit limit, const stepper_options *options)
{
    model *m = new_model();
    mesh grid = make_grid(1, 1, 8, 8);
    shell_definition shell =
        shell_from_young(MEMBRANE_NEO_HOOKEAN, 0.821e6 * 0.01, 0.243, 472.6, 0.318e-3);
    shell.limit = limit;
    CHECK_OK(model_add_shell(m, "sheet", &grid, &shell, &err), err);
    CHECK_OK(model_finish(m, &err), err);
    stepper *s = make_stepper(m, options);
    add_condition(s, vec3_make(-0.51, -1, -0.51), vec3_make(-0.49, 1, -0.49), 0, 1e9);
    add_condition(s, vec3_make(0.49, -1, -0.51), vec3_make(0.51, 1, -0.49), 0, 1e9);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    mesh_free(&grid);
    return s;
}

static stepper_options hanging_options(void)
{
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.04);
    options.gravity = vec3_make(0, -G, 0);
    options.tolerance = 1e-3;
    return options;
}

/* The limit holds strictly after every step, and the sheet does stretch. */
static void hang(double upper, int steps, bool split)
{
    stepper_options options = hanging_options();
    options.split_limits = split;
    stepper *s = hanging_sheet((strain_limit){upper, 1, 0, 0}, &options);
    double most = 1;
    for (int i = 0; i < steps; i++) {
        step_statistics statistics;
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        CHECK(statistics.sheets.largest < upper);
        most = fmax(most, statistics.sheets.largest);
    }
    CHECK(most > 1 + 0.1 * (upper - 1));
    stepper_destroy(s);
}

TEST(hanging_cloth) { hang(1.1, 30, false); }
TEST(hanging_cloth_tenth_percent) { hang(1.001, 20, false); }
TEST(split_limits_hold) { hang(1.1, 30, true); }

/* Largest difference between the final positions of two methods to hang the same sheet. */
static double hanging_difference(strain_limit limit, const stepper_options *one,
                                 const stepper_options *other, int steps, int iterations[2])
{
    stepper *s[2] = {hanging_sheet(limit, one), hanging_sheet(limit, other)};
    step_statistics statistics;
    double most = 0;
    iterations[0] = iterations[1] = 0;
    for (int i = 0; i < steps; i++)
        for (int k = 0; k < 2; k++) {
            CHECK_OK(stepper_advance(s[k], &statistics, &err), err);
            iterations[k] += statistics.newton_iterations;
        }
    for (size_t i = 0; i < s[0]->state.scalars; i++)
        most = fmax(most, fabs(s[0]->state.x[i] - s[1]->state.x[i]));
    for (int k = 0; k < 2; k++) stepper_destroy(s[k]);
    return most;
}

/* The projection onto limits that nothing comes near leaves the elastic step as it is; that onto
 * narrow limits gives other positions than the coupled solve. */
TEST(split_is_a_projection)
{
    stepper_options coupled = hanging_options(), split = coupled;
    coupled.tolerance = split.tolerance = 1e-8;
    split.split_limits = true;
    int iterations[2];
    strain_limit loose = {30, 20, 0, 0}, narrow = {1.02, 1, 0, 0};
    CHECK(hanging_difference(loose, &coupled, &split, 10, iterations) < 1e-6);
    CHECK(hanging_difference(narrow, &coupled, &split, 10, iterations) > 1e-3);
}

/* The looser measure ends near the same place; tightened, it takes more iterations. */
TEST(rms_measure)
{
    stepper_options largest = hanging_options(), rms = largest;
    rms.stop.measure = NEWTON_RMS;
    int iterations[2];
    strain_limit limit = {1.05, 1, 0, 0};
    CHECK(hanging_difference(limit, &largest, &rms, 12, iterations) < 5e-3);
    CHECK(iterations[1] >= 3 * 12); /* three passes in every step */
    rms.tolerance = 1e-9;
    CHECK(hanging_difference(limit, &largest, &rms, 4, iterations) < 1e-3);
    CHECK(iterations[1] > iterations[0]);
}

/* A sheet on a slope (a half-space under tilted gravity): it stays below tan(slope) = mu and slides
 * with g (sin - mu cos) above. */
static double slide(double mu, double slope, int steps, double h)
{
    model *m = new_model();
    mesh grid = make_grid(0.1, 0.1, 2, 2);
    mesh_transform(&grid, vec3_make(1, 1, 1), vec3_make(0, 0, 0), vec3_make(0, 0.9e-3, 0));
    shell_definition shell = shell_from_young(MEMBRANE_NEO_HOOKEAN, 1e6, 0.3, 500, 1e-3);
    CHECK_OK(model_add_shell(m, "sheet", &grid, &shell, &err), err);
    CHECK_OK(model_finish(m, &err), err);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, h);
    double angle = atan(slope);
    options.gravity = vec3_make(G * sin(angle), -G * cos(angle), 0);
    options.contact = true;
    options.contact_options.dhat = 1e-3;
    options.friction = mu;
    options.friction_iterations = 0;
    options.eps_v = 1e-5;
    options.tolerance = 1e-7;
    stepper *s = make_stepper(m, &options);
    CHECK_OK(
        contact_add_half_space(s->contact, (half_space){{0, 0, 0}, {0, 1, 0}, {0, 0, 0}, -1}, &err),
        err);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    step_statistics statistics;
    for (int i = 0; i < steps; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    double start = s->state.x[0];
    for (int i = 0; i < steps; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    double moved = s->state.x[0] - start;
    stepper_destroy(s);
    mesh_free(&grid);
    return moved;
}

TEST(friction_threshold)
{
    const double mu = 0.3, h = 0.01;
    const int steps = 20;
    CHECK(fabs(slide(mu, 0.98 * mu, steps, h)) < 1.1e-5 * steps * h); /* creeps at eps_v at most */
    double slope = 1.2 * mu, angle = atan(slope), time = steps * h;
    double acceleration = G * (sin(angle) - mu * cos(angle));
    double expected = acceleration * (time * time + 0.5 * time * time);
    CHECK_NEAR(slide(mu, slope, steps, h), expected, 0.06 * expected);
}

/* Two triangles, stitched: the node ends at its place on the edge up to the contact between them.
 */
TEST(stitches)
{
    model *m = new_model();
    mesh two;
    cell_block *block;
    CHECK_OK(mesh_init(&two, 6, &err), err);
    const vec3 x[6] = {{0, 0, 0},        {1, 0, 0},    {0, 0, 1},
                       {0.5, 0.2, -0.3}, {0, 0.2, -1}, {1, 0.2, -1}};
    memcpy(two.vertices, x, sizeof x);
    CHECK_OK(mesh_add_block(&two, CELL_TRIANGLE, 1, 2, false, &block, &err), err);
    for (int i = 0; i < 6; i++) block->nodes[i] = i;
    two.stitch_count = 1;
    two.stitch_vertices = mem_alloc(1, sizeof *two.stitch_vertices);
    two.stitch_ratio = mem_alloc(1, sizeof *two.stitch_ratio);
    two.stitch_vertices[0][0] = 3;
    two.stitch_vertices[0][1] = 0;
    two.stitch_vertices[0][2] = 1;
    two.stitch_ratio[0] = 0.25;
    shell_definition shell = shell_from_young(MEMBRANE_NEO_HOOKEAN, 1e5, 0.3, 500, 1e-3);
    shell.stitch = 100;
    CHECK_OK(model_add_shell(m, "seam", &two, &shell, &err), err);
    CHECK(m->codim.stitch_rest.count == 1);
    CHECK_OK(model_finish(m, &err), err);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.05);
    options.contact = true;
    options.contact_options.dhat = 1e-2;
    options.tolerance = 1e-5;
    stepper *s = make_stepper(m, &options);
    add_condition(s, vec3_make(-1, -0.1, -0.1), vec3_make(2, 0.1, 2), 0, 1e9);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    step_statistics statistics;
    for (int i = 0; i < 100; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    vec3 gap = vec3_sub(vec3_load(s->state.x + 9), vec3_make(0.25, 0, 0));
    CHECK(vec3_norm(gap) < 1.01e-2 && statistics.min_distance > 0);
    stepper_destroy(s);
    mesh_free(&two);
}

int main(void)
{
    RUN(friction_threshold);
    RUN(stitches);
    RUN(masses);
    RUN(lone_particle_comes_to_rest);
    RUN(bad_bodies);
    RUN(stretched_start);
    RUN(cylinder_energy);
    RUN(cantilever_plate);
    RUN(cantilever_rod);
    RUN(hanging_cloth);
    RUN(hanging_cloth_tenth_percent);
    RUN(split_limits_hold);
    RUN(split_is_a_projection);
    RUN(rms_measure);
    return TEST_END();
}
