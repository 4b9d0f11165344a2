/* The criterion with contact: soft blocks on each other and on a ball. The potential of the local
 * mesh is that of the step; what patches gain is what the whole gains; every state is free of
 * intersections and inversions by the independent check, at the end and at the start of the step,
 * also when operations are forced. */
#include "body/solid.h"
#include "geometry/check.h"
#include "geometry/predicates.h"
#include "mesh/generate.h"
#include "mesh/topology.h"
#include "remesh/criterion.h"
#include "support/scene_makers.h"
#include "test.h"

enum { FIELD_X, FIELD_PREDICTOR, FIELD_START, FIELDS };

static abut_error err;

static const elastic_parameters *soft(void)
{
    static elastic_parameters material;
    material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 2e4, 0.4);
    return &material;
}

static void add_block(model *m, const char *name, vec3 at, const int cells[3])
{
    mesh shape;
    CHECK_OK(generate_box(vec3_make(0.4, 0.16, 0.4), cells, &shape, &err), err);
    mesh_transform(&shape, vec3_make(1, 1, 1), vec3_make(0, 7, 0), at);
    CHECK_OK(model_add_deformable(m, name, &shape, *soft(), 1000, &err), err);
    m->bodies.data[m->bodies.count - 1].consistent_mass = true;
    mesh_free(&shape);
}

/* A ball that stands still, a block over it, and another block on that one. */
static stepper *make_scene(double friction)
{
    model *m = mem_calloc(1, sizeof *m);
    mesh ball;
    add_block(m, "lower", vec3_make(0, 0.1805, 0), (const int[]){3, 2, 3});
    add_block(m, "upper", vec3_make(0.05, 0.3425, 0.02), (const int[]){2, 1, 2});
    CHECK_OK(generate_icosphere(0.1, 1, &ball, &err), err);
    CHECK_OK(model_add_obstacle(m, "ball", &ball, &err), err);
    mesh_free(&ball);
    CHECK_OK(model_finish(m, &err), err);
    stepper_options o = maker_options(INTEGRATE_IMPLICIT_EULER, 0.02);
    o.gravity = vec3_make(0, -9.81, 0);
    o.contact = true;
    o.contact_options.dhat = 5e-3;
    o.contact_options.area_weighted = o.contact_options.physical = true;
    o.contact_options.stiffness = 0.1 * 2e4 * 0.02 * 0.02;
    o.friction = friction;
    o.friction_iterations = 1;
    o.eps_v = 1e-3;
    o.tolerance = 1e-7;
    stepper *s = make_stepper(m, &o);
    for (size_t i = 0; i < m->rest.count; i++)
        if (m->body.data[i] == 2) CHECK(true);
    add_condition(s, vec3_make(-0.11, -0.11, -0.11), vec3_make(0.11, 0.1001, 0.11), 0, 1e9);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    return s;
}

static void to_local(const stepper *s, local_mesh *out)
{
    const model *m = s->model;
    local_definition parts[2];
    const vec3 *fields[2][FIELDS];
    static int32_t cells[2][4 * 400];
    bool positions[FIELDS] = {true, false, true};
    for (int b = 0; b < 2; b++) {
        const model_body *body = &m->bodies.data[b];
        size_t first = (size_t)body->first_block;
        for (size_t i = 0; i < 4 * body->tet_count; i++)
            cells[b][i] = m->tets.data[4 * body->first_tet + i] - body->first_block;
        const double *from[FIELDS] = {s->x, s->inertia->x_tilde, s->state.x};
        for (int f = 0; f < FIELDS; f++) fields[b][f] = (const vec3 *)(const void *)from[f] + first;
        parts[b] = (local_definition){.dimension = 3,
                                      .vertex_count = (size_t)body->block_count,
                                      .cell_count = body->tet_count,
                                      .rest = m->rest.data + first,
                                      .cells = cells[b],
                                      .field_count = FIELDS,
                                      .fields = fields[b],
                                      .is_position = positions};
    }
    int32_t second[400];
    for (size_t i = 0; i < 400; i++) second[i] = 1;
    parts[1].attribute = second;
    CHECK_OK(local_mesh_import_parts(out, parts, 2, &err), err);
}

static remesh_material materials[2];
static const uint8_t remeshed[3] = {1, 1, 0};

static remesh_problem make_problem(const stepper *s)
{
    for (int b = 0; b < 2; b++) materials[b] = (remesh_material){b, *soft(), 1000, 0};
    return (remesh_problem){.scene = s->model,
                            .contact = s->contact,
                            .friction = s->friction,
                            .x = s->x,
                            .start = s->state.x,
                            .remeshed = remeshed,
                            .material_count = 2,
                            .materials = materials,
                            .mass_factor = 1,
                            .force_factor = s->options.h * s->options.h,
                            .kappa = s->evaluation.kappa,
                            .gravity = s->options.gravity,
                            .field_x = FIELD_X,
                            .field_predictor = FIELD_PREDICTOR,
                            .field_start = FIELD_START,
                            .tolerance = 1e-7};
}

/* The surface of the local mesh and the ball at a field, by code of its own. */
static void check_state(const stepper *s, const local_mesh *m, int field)
{
    local_export e;
    CHECK_OK(local_mesh_export(m, &e, &err), err);
    const collision_surface *all = &s->model->surface;
    const model_body *ball = &s->model->bodies.data[2];
    size_t n = e.vertex_count, triangles = e.facet_count + ball->surface.triangle_count;
    vec3 *y = mem_alloc(n + ball->surface.vertex_count, sizeof *y);
    int32_t(*tri)[3] = mem_alloc(triangles, sizeof *tri);
    int32_t *body = mem_calloc(n + ball->surface.vertex_count, sizeof *body);
    const double *x = field == FIELD_X ? s->x : s->state.x;
    memcpy(y, e.fields[field], n * sizeof *y);
    for (size_t i = 0; i < ball->surface.vertex_count; i++) {
        y[n + i] = vec3_load(x + 3 * (size_t)all->rows.data[ball->surface.first_vertex + i].block);
        body[n + i] = 1;
    }
    memcpy(tri, e.facets, e.facet_count * sizeof *tri);
    for (size_t i = 0; i < ball->surface.triangle_count; i++)
        for (size_t k = 0; k < 3; k++)
            tri[e.facet_count + i][k] =
                all->triangles.data[3 * (ball->surface.first_triangle + i) + k] -
                (int32_t)ball->surface.first_vertex + (int32_t)n;
    int32_t(*edges)[2];
    size_t edge_count, found;
    CHECK_OK(unique_edges((const int32_t(*)[3])tri, triangles, NULL, 0, &edges, &edge_count, &err),
             err);
    const uint8_t flags[2] = {0, CHECK_BODY_OBSTACLE};
    check_surface surface = {.vertices = y,
                             .vertex_count = n + ball->surface.vertex_count,
                             .triangles = (const int32_t(*)[3])tri,
                             .triangle_count = triangles,
                             .edges = (const int32_t(*)[2])edges,
                             .edge_count = edge_count,
                             .body = body,
                             .body_flags = flags};
    check_pair *pairs = NULL;
    CHECK_OK(check_intersections(&surface, &pairs, &found, &err), err);
    CHECK(found == 0);
    for (size_t i = 0; i < e.cell_count; i++) {
        const int32_t *v = e.cells + 4 * i;
        const vec3 *p = e.fields[field];
        CHECK(tet_volume(p[v[0]], p[v[1]], p[v[2]], p[v[3]]) > 0);
    }
    mem_free(pairs);
    mem_free(edges);
    mem_free(y);
    mem_free(tri);
    mem_free(body);
    local_export_free(&e);
}

/* A scene in the middle of its first contacts, the present step solved. */
static stepper *make_touching(double friction, int steps)
{
    stepper *s = make_scene(friction);
    step_statistics statistics;
    for (int i = 0; i < steps; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    CHECK_OK(stepper_solve(s, NULL, &statistics, &err), err);
    CHECK(contact_count(s->contact) > 20);
    return s;
}

static void compare_potentials(double friction)
{
    stepper *s = make_touching(friction, friction > 0 ? 14 : 12);
    local_mesh m;
    to_local(s, &m);
    remesh_problem q = make_problem(s);
    double potential, energy;
    CHECK_OK(problem_update(&s->problem, &s->evaluation, s->x, &err), err);
    energy = problem_value(&s->problem, &s->evaluation, s->x);
    CHECK_OK(remesh_potential(&m, &q, false, &potential, &err), err);
    CHECK(s->contact->base.class->value(&s->contact->base, &s->evaluation, s->x) >
          1e-3 * fabs(energy));
    if (friction > 0)
        CHECK(s->friction->base.class->value(&s->friction->base, &s->evaluation, s->x) >
              1e-6 * fabs(energy));
    CHECK_NEAR(potential * q.force_factor, energy, 1e-12 * fabs(energy));
    /* It is the solution of the step already. */
    double relaxed;
    CHECK_OK(remesh_potential(&m, &q, true, &relaxed, &err), err);
    CHECK_NEAR(relaxed, potential, 1e-9 * fabs(potential));
    local_mesh_free(&m);
    stepper_destroy(s);
}

/* Forces of friction are those of the step as well. */
TEST(potential_is_that_of_the_step)
{
    compare_potentials(0);
    compare_potentials(0.4);
}

static void print_report(const char *what, const remesh_report *r)
{
    printf("  %s: %zu splits of %zu (%.3g J, jump %.3g), %zu collapses of %zu (%zu refused), %zu "
           "swaps, "
           "%zu smoothed, %zu -> %zu cells, %zu iterations, %.1f free vertices per patch, %.2f s\n",
           what, r->split.accepted, r->split.tried, r->split.gained, r->split.jump,
           r->collapse.accepted, r->collapse.tried, r->collapse.refused, r->swap.accepted,
           r->smooth.accepted, r->cells_before, r->cells_after, r->newton_iterations,
           (double)r->patch_vertices / (double)(r->patches ? r->patches : 1), r->seconds);
}

static void sum_gains(double friction)
{
    stepper *s = make_touching(friction, friction > 0 ? 14 : 12);
    local_mesh m;
    to_local(s, &m);
    remesh_problem q = make_problem(s);
    remesh_options o = remesh_default_options();
    o.split_tolerance = 1e-3;
    o.split_depth = 2;
    double before, after;
    remesh_report report;
    CHECK_OK(remesh_potential(&m, &q, false, &before, &err), err);
    CHECK_OK(remesh_step(&m, &q, &o, NULL, &report, &err), err);
    print_report("adaptive", &report);
    CHECK_OK(remesh_potential(&m, &q, false, &after, &err), err);
    CHECK(report.split.accepted > 5);
    CHECK_NEAR(before - after, report.split.gained + report.collapse.gained, 1e-9 * fabs(before));
    CHECK(before - after > (double)report.split.accepted * o.split_tolerance);
    CHECK_OK(local_mesh_check(&m, &err), err);
    check_state(s, &m, FIELD_X);
    check_state(s, &m, FIELD_START);
    local_mesh_free(&m);
    stepper_destroy(s);
}

TEST(patches_gain_what_the_whole_gains)
{
    sum_gains(0);
    sum_gains(0.4);
}

/* Everything that is possible is done, whatever it costs: only geometry refuses. */
TEST(forced_operations_do_not_intersect)
{
    for (int friction = 0; friction < 2; friction++) {
        stepper *s = make_touching(0.4 * friction, 14);
        local_mesh m;
        to_local(s, &m);
        remesh_problem q = make_problem(s);
        remesh_options o = remesh_default_options();
        o.split_tolerance = o.collapse_tolerance = o.quality_tolerance = -1e6;
        o.split_threshold = 0.9;
        o.split_depth = 2;
        o.trial_iterations_contact = o.max_iterations = 2;
        remesh_report report;
        o.collapse = false;
        o.max_cells = 800;
        CHECK_OK(remesh_step(&m, &q, &o, NULL, &report, &err), err);
        print_report(friction ? "splits, with friction" : "splits", &report);
        CHECK(report.split.accepted > 100);
        check_state(s, &m, FIELD_X);
        o.split = false;
        o.collapse = o.smooth = true;
        o.split_threshold = o.collapse_threshold = 1;
        o.max_collapse_length = 0.12;
        CHECK_OK(remesh_step(&m, &q, &o, NULL, &report, &err), err);
        print_report("the rest", &report);
        CHECK(report.collapse.accepted > 50 && report.smooth.accepted > 0);
        o.collapse = o.smooth = false;
        o.swap = true;
        o.collapse_threshold = -1;
        CHECK_OK(remesh_step(&m, &q, &o, NULL, &report, &err), err);
        print_report("swaps", &report);
        CHECK(report.swap.accepted > 20);
        CHECK_OK(local_mesh_check(&m, &err), err);
        check_state(s, &m, FIELD_X);
        check_state(s, &m, FIELD_START);
        local_mesh_free(&m);
        stepper_destroy(s);
    }
}

TEST(growth_is_bounded)
{
    stepper *s = make_touching(0, 12);
    local_mesh m;
    to_local(s, &m);
    remesh_problem q = make_problem(s);
    remesh_options o = remesh_default_options();
    o.split_tolerance = -1e6;
    o.split_threshold = 0;
    o.collapse = false;
    o.max_iterations = 1;
    o.max_cells = 250;
    remesh_report report;
    CHECK_OK(remesh_step(&m, &q, &o, NULL, &report, &err), err);
    CHECK(report.full);
    CHECK(report.cells_after >= 250 && report.cells_after < 300);
    local_mesh_free(&m);
    stepper_destroy(s);
}

/* Forced operations respect lengths: none is split below the least, none collapsed above the
 * largest. */
TEST(lengths_are_bounded)
{
    for (int k = 0; k < 4; k++) {
        stepper *s = make_touching(0, 12);
        local_mesh m;
        to_local(s, &m);
        remesh_problem q = make_problem(s);
        remesh_options o = remesh_default_options();
        o.split_tolerance = -1e6;
        o.collapse_tolerance = -1e6;
        o.split_threshold = 0;
        o.collapse_threshold = 1;
        o.split = k < 2;
        o.collapse = k >= 2;
        o.swap = o.smooth = false;
        o.max_iterations = 1;
        o.max_cells = 160;
        o.min_length = k == 0 ? 1 : 0;
        o.max_collapse_length = k == 2 ? 1e-3 : 1; /* edges are longer than 0.05 */
        remesh_report report;
        CHECK_OK(remesh_step(&m, &q, &o, NULL, &report, &err), err);
        if (k == 0) CHECK(report.split.candidates == 0);
        if (k == 1) CHECK(report.split.candidates > 0);
        if (k == 2) CHECK(report.collapse.candidates == 0);
        if (k == 3) CHECK(report.collapse.candidates > 0);
        local_mesh_free(&m);
        stepper_destroy(s);
    }
}

/* Candidates for collapsing are the edges below the largest length, however small their cells. */
TEST(long_edges_are_not_collapsed)
{
    const double most = 0.13; /* the cells of the lower block are as small as regular ones of it */
    stepper *s = make_touching(0, 12);
    local_mesh m;
    to_local(s, &m);
    remesh_problem q = make_problem(s);
    remesh_options o = remesh_default_options();
    o.split = o.swap = o.smooth = false;
    o.collapse_tolerance = 1e6; /* none is worth it */
    o.collapse_threshold = 1;
    o.max_collapse_length = most;
    local_list edges = {0};
    size_t expected = 0;
    CHECK_OK(local_mesh_edges(&m, &edges, &err), err);
    for (size_t i = 0; i + 1 < edges.count; i += 2) {
        vec3 a = m.vertices.data[edges.data[i]].rest, b = m.vertices.data[edges.data[i + 1]].rest;
        expected += vec3_norm(vec3_sub(a, b)) < 0.999 * most;
    }
    remesh_report report;
    CHECK_OK(remesh_step(&m, &q, &o, NULL, &report, &err), err);
    CHECK(report.collapse.accepted == 0 && expected > 20 && expected < edges.count / 4);
    CHECK(report.collapse.candidates == expected);
    array_free(&edges);
    local_mesh_free(&m);
    stepper_destroy(s);
}

/* --- in the plane --------------------------------------------------------------------------- */

static void make_rectangle(vec3 at, vec3 size, int nx, int ny, mesh *out)
{
    cell_block *b;
    CHECK_OK(mesh_init(out, (size_t)((nx + 1) * (ny + 1)), &err), err);
    CHECK_OK(mesh_add_block(out, CELL_TRIANGLE, 1, (size_t)(2 * nx * ny), false, &b, &err), err);
    for (int j = 0; j <= ny; j++)
        for (int i = 0; i <= nx; i++)
            out->vertices[j * (nx + 1) + i] =
                vec3_make(at.x + size.x * i / nx, at.y + size.y * j / ny, 0);
    int32_t *to = b->nodes;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            int32_t a = j * (nx + 1) + i, c = a + nx + 2, d = a + nx + 1;
            const int32_t cut[6] = {a, a + 1, c, a, c, d};
            memcpy(to, cut, sizeof cut);
            to += 6;
        }
}

/* A beam on a narrow support. */
static stepper *make_planar_scene(mesh *beam)
{
    model *m = mem_calloc(1, sizeof *m);
    mesh support;
    m->planar = true;
    make_rectangle(vec3_make(-0.5, 0.002, 0), vec3_make(1, 0.2, 0), 8, 2, beam);
    make_rectangle(vec3_make(-0.1, -0.2, 0), vec3_make(0.23, 0.2, 0), 1, 1, &support);
    solid_definition def = {.shape = beam, .nodes = beam, .material = *soft(), .density = 1000};
    CHECK_OK(model_add_solid(m, "beam", &def, &err), err);
    m->bodies.data[0].consistent_mass = true;
    mesh edges;
    cell_block *b;
    CHECK_OK(mesh_init(&edges, 4, &err), err);
    CHECK_OK(mesh_add_block(&edges, CELL_EDGE, 1, 4, false, &b, &err), err);
    const int32_t around[8] = {0, 1, 1, 3, 3, 2, 2, 0};
    memcpy(b->nodes, around, sizeof around);
    memcpy(edges.vertices, support.vertices, 4 * sizeof *edges.vertices);
    CHECK_OK(model_add_obstacle(m, "support", &edges, &err), err);
    mesh_free(&edges);
    mesh_free(&support);
    CHECK_OK(model_finish(m, &err), err);
    stepper_options o = maker_options(INTEGRATE_IMPLICIT_EULER, 0.02);
    o.gravity = vec3_make(0, -9.81, 0);
    o.contact = true;
    o.contact_options.dhat = 5e-3;
    o.contact_options.area_weighted = o.contact_options.physical = true;
    o.contact_options.stiffness = 0.1 * 2e4 * 0.02 * 0.02;
    o.tolerance = 1e-7;
    stepper *s = make_stepper(m, &o);
    add_condition(s, vec3_make(-0.2, -0.3, -1), vec3_make(0.2, 0.001, 1), 0, 1e9);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    step_statistics statistics;
    for (int i = 0; i < 12; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    CHECK_OK(stepper_solve(s, NULL, &statistics, &err), err);
    CHECK(contact_count(s->contact) > 3);
    return s;
}

/* Edges of the boundary that cross each other or the support. */
static size_t count_crossings(const local_mesh *m, int field)
{
    local_export e;
    CHECK_OK(local_mesh_export(m, &e, &err), err);
    size_t found = 0;
    const vec3 *y = e.fields[field];
    for (size_t i = 0; i < e.facet_count; i++)
        for (size_t k = 0; k < i; k++) {
            const int32_t *p = e.facets + 2 * i, *q = e.facets + 2 * k;
            if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) continue;
            vec3 a = y[p[0]], b = y[p[1]], c = y[q[0]], d = y[q[1]];
            int one =
                orient2d(a.x, a.y, b.x, b.y, c.x, c.y) * orient2d(a.x, a.y, b.x, b.y, d.x, d.y);
            int two =
                orient2d(c.x, c.y, d.x, d.y, a.x, a.y) * orient2d(c.x, c.y, d.x, d.y, b.x, b.y);
            /* Halves of one straight edge are on one line, but apart. */
            bool apart = fmax(a.x, b.x) < fmin(c.x, d.x) || fmax(c.x, d.x) < fmin(a.x, b.x);
            found += one <= 0 && two <= 0 && !apart;
        }
    for (size_t i = 0; i < e.vertex_count; i++)
        found += y[i].x > -0.1 && y[i].x < 0.13 && y[i].y <= 0;
    local_export_free(&e);
    return found;
}

TEST(the_plane)
{
    mesh beam;
    stepper *s = make_planar_scene(&beam);
    const cell_block *cells = mesh_find(&beam, CELL_TRIANGLE);
    const vec3 *fields[FIELDS] = {(const vec3 *)(const void *)s->x,
                                  (const vec3 *)(const void *)s->inertia->x_tilde,
                                  (const vec3 *)(const void *)s->state.x};
    bool positions[FIELDS] = {true, false, true};
    local_definition def = {.dimension = 2,
                            .vertex_count = beam.vertex_count,
                            .cell_count = cells->count,
                            .rest = beam.vertices,
                            .cells = cells->nodes,
                            .field_count = FIELDS,
                            .fields = fields,
                            .is_position = positions};
    local_mesh m;
    CHECK_OK(local_mesh_import(&m, &def, &err), err);
    static const uint8_t only_first[2] = {1, 0};
    remesh_problem q = make_problem(s);
    q.remeshed = only_first;
    q.material_count = 1;
    double potential, after, energy;
    CHECK_OK(problem_update(&s->problem, &s->evaluation, s->x, &err), err);
    energy = problem_value(&s->problem, &s->evaluation, s->x);
    for (size_t i = beam.vertex_count; i < s->model->rest.count; i++) /* weight of the support */
        energy += q.force_factor *
                  vec3_dot(vec3_load(s->inertia->force + 3 * i), vec3_load(s->x + 3 * i));
    CHECK_OK(remesh_potential(&m, &q, false, &potential, &err), err);
    CHECK(s->contact->base.class->value(&s->contact->base, &s->evaluation, s->x) >
          1e-3 * fabs(energy));
    CHECK_NEAR(potential * q.force_factor, energy, 1e-11 * fabs(energy));
    remesh_options o = remesh_default_options();
    o.split_tolerance = 1e-2;
    o.swap = o.smooth = true;
    remesh_report report;
    CHECK_OK(remesh_step(&m, &q, &o, NULL, &report, &err), err);
    print_report("plane", &report);
    CHECK(report.split.accepted > 5);
    CHECK_OK(remesh_potential(&m, &q, false, &after, &err), err);
    CHECK_NEAR(potential - after,
               report.split.gained + report.collapse.gained + report.swap.gained +
                   report.smooth.gained,
               1e-9 * fabs(potential));
    /* Now as coarse as it can be. */
    o.split = false;
    o.collapse_tolerance = -1e6;
    o.split_threshold = 0; /* candidates for splits are candidates for collapses all the same */
    o.collapse_threshold = 1;
    o.max_collapse_length = 0.5;
    CHECK_OK(remesh_step(&m, &q, &o, NULL, &report, &err), err);
    print_report("plane, coarsened", &report);
    CHECK(report.collapse.accepted > 5);
    CHECK_OK(local_mesh_check(&m, &err), err);
    CHECK(count_crossings(&m, FIELD_X) == 0);
    CHECK(count_crossings(&m, FIELD_START) == 0);
    local_mesh_free(&m);
    stepper_destroy(s);
    mesh_free(&beam);
}

int main(void)
{
    RUN(potential_is_that_of_the_step);
    RUN(patches_gain_what_the_whole_gains);
    RUN(forced_operations_do_not_intersect);
    RUN(growth_is_bounded);
    RUN(lengths_are_bounded);
    RUN(long_edges_are_not_collapsed);
    RUN(the_plane);
    return TEST_END();
}
