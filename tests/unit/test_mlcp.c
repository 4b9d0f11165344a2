/* The linear-complementarity stepper: friction on a slope is exact at all steps, contacts carry the
 * weight, and after every solve the conditions hold, checked with sums of their own. */
#include "test.h"

#include "geometry/check.h"
#include "geometry/distance.h"
#include "mesh/generate.h"
#include "mlcp/solver.h"
#include "step/stepper_internal.h"
#include "support/mlcp_options.h"
#include "support/scene_makers.h"

static abut_error err;

static void need_ok(abut_status status)
{
    CHECK_OK(status, err);
    if (status != ABUT_OK) exit(EXIT_FAILURE);
}

typedef struct block_place {
    vec3 size, at, turn;
    int cells[3];
} block_place;

static elastic_parameters soft(void)
{
    return elastic_from_young(ELASTIC_FIXED_COROTATED, 5e5, 0.2);
}

static stepper *blocks_of(const block_place *places, int count, elastic_parameters material,
                          vec3 gravity, double mu, double h, mlcp_options solver)
{
    model *m = mem_calloc(1, sizeof *m);
    for (int k = 0; k < count; k++) {
        char name[20];
        mesh shape;
        snprintf(name, sizeof name, "block %d", k);
        need_ok(generate_box(places[k].size, places[k].cells, &shape, &err));
        mesh_transform(&shape, (vec3){1, 1, 1}, places[k].turn, places[k].at);
        need_ok(model_add_deformable(m, name, &shape, material, 1000, &err));
        mesh_free(&shape);
    }
    need_ok(model_finish(m, &err));
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, h);
    options.gravity = gravity;
    options.contact = true;
    options.contact_options = (contact_options){.dhat = 1e-3};
    options.friction = mu;
    options.use_mlcp = true;
    options.mlcp = solver;
    stepper *s = make_stepper(m, &options);
    need_ok(contact_add_half_space(s->contact, (half_space){.normal = {0, 1, 0}, .friction = -1},
                                   &err));
    need_ok(stepper_start(s, NULL, &err));
    return s;
}

static stepper *blocks(const block_place *places, int count, vec3 gravity, double mu, double h,
                       mlcp_preconditioner preconditioner)
{
    mlcp_options solver = mlcp_test_options();
    solver.preconditioner = preconditioner;
    return blocks_of(places, count, soft(), gravity, mu, h, solver);
}

static const block_place on_ground = {{0.2, 0.1, 0.2}, {0, 0.05001, 0}, {0, 0, 0}, {3, 2, 3}};

static double total_mass(const stepper *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->model->mass.count; i++) sum += s->model->mass.data[i];
    return sum;
}

/* Adds A u of the stored triangle of the matrix, block by block. */
static void add_product(const block_matrix *a, const double *u, double factor, double *out)
{
    for (int32_t j = 0; j < a->size; j++) {
        size_t stride = (size_t)block_matrix_stride(a, j);
        for (int32_t k = a->column_start[j]; k < a->column_start[j + 1]; k++) {
            const double *block = a->value + block_matrix_offset(a, j, k);
            size_t row = 3 * (size_t)a->row[k], column = 3 * (size_t)j;
            bool diagonal = a->row[k] == j;
            for (size_t c = 0; c < 3; c++)
                for (size_t r = diagonal ? c : 0; r < 3; r++) {
                    double value = factor * block[c * stride + r];
                    out[row + r] += value * u[column + c];
                    if (row + r != column + c) out[column + c] += value * u[row + r];
                }
        }
    }
}

/* Balance of forces: the residual of A u = b + N^T lambda - T^T gamma over the length of b. */
static double force_residual(const stepper *s)
{
    const problem *p = &s->problem;
    size_t n = 3 * (size_t)p->free_count, count;
    double *u = mem_calloc(n, sizeof *u), *r = mem_calloc(n, sizeof *r), above = 0, below = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = 3 * (size_t)p->free_block[i / 3] + i % 3;
        u[i] = s->state.x[at] - s->start[at];
        r[i] = -p->gradient[i];
        below += r[i] * r[i];
    }
    add_product(&p->matrix, u, -1, r);
    const mlcp_contact *contacts = mlcp_contacts(s->mlcp.solver, &count);
    for (size_t k = 0; k < count; k++) {
        const mlcp_contact *c = &contacts[k];
        if (c->state == MLCP_OFF) continue;
        const double *g = c->state == MLCP_STICKS ? c->gamma : c->slide.force;
        vec3 force = vec3_scale(c->lambda, c->normal);
        for (int i = 0; i < 2; i++) force = vec3_mul_add(force, -g[i], c->tangent[i]);
        for (int i = 0; i < c->count; i++) {
            int32_t free = p->free_index[s->model->surface.rows.data[c->vertex[i]].block];
            if (free < 0) continue;
            double *to = r + 3 * (size_t)free;
            vec3_store(to, vec3_mul_add(vec3_load(to), c->weight[i], force));
        }
    }
    for (size_t i = 0; i < n; i++) above += r[i] * r[i];
    mem_free(u);
    mem_free(r);
    return sqrt(above / fmax(below, 1e-300));
}

/* f(a, b) = a + b - sqrt(a^2 + b^2) is 0 where both are at least 0 and one of them is 0. */
static double complementarity(double a, double b) { return fabs(a + b - hypot(a, b)); }

static double pair_distance(const stepper *s, const mlcp_contact *c)
{
    vec3 x[4];
    if (c->kind == CCD_POINT_POINT) return 0;
    for (int i = 0; i < 4; i++)
        x[i] = vec3_load(s->state.x + 3 * (size_t)s->model->surface.rows.data[c->vertex[i]].block);
    return sqrt(c->kind == CCD_EDGE_EDGE ? edge_edge_true_distance2(x[0], x[1], x[2], x[3])
                                         : point_triangle_true_distance2(x[0], x[1], x[2], x[3]));
}

/* Conditions of every contact after a converged step, with sums of their own. */
static void check_contacts(const stepper *s)
{
    size_t count;
    const mlcp_contact *contacts = mlcp_contacts(s->mlcp.solver, &count);
    double tolerance = s->options.mlcp.tolerance;
    CHECK(force_residual(s) < 1.01 * s->options.mlcp.residual);
    for (size_t k = 0; k < count; k++) {
        const mlcp_contact *c = &contacts[k];
        vec3 apart = {0}, moved = {0};
        for (int i = 0; i < c->count; i++) {
            size_t block = (size_t)s->model->surface.rows.data[c->vertex[i]].block;
            vec3 x = vec3_load(s->state.x + 3 * block);
            apart = vec3_mul_add(apart, c->weight[i], x);
            moved = vec3_mul_add(moved, c->weight[i], vec3_sub(x, vec3_load(s->start + 3 * block)));
        }
        double gap = vec3_dot(c->normal, apart);
        if (!c->left)
            CHECK(complementarity(c->scale_n * c->lambda, gap - 0.5 * tolerance) < tolerance);
        if (c->state == MLCP_OFF) {
            CHECK((gap > 0 || c->left) && c->lambda == 0);
            continue;
        }
        CHECK(gap > 0 && gap < tolerance);
        /* The pair itself, not only the planes of its row, unless it met on the path and is past.
         */
        if (c->refreshed <= 1) CHECK(pair_distance(s, c) < tolerance);
        CHECK(c->scale_n * c->lambda > -0.02 * tolerance);
        bool sticks = c->state == MLCP_STICKS;
        const double *g = sticks ? c->gamma : c->slide.force;
        double cone = c->mu * fmax(0, c->lambda), force = hypot(g[0], g[1]);
        CHECK(c->scale_t[0] * (force - cone) < tolerance);
        /* What slides has all the friction there is. */
        if (!sticks && c->slide.has_direction) CHECK(c->scale_t[0] * (cone - force) < tolerance);
        double slip[2] = {vec3_dot(moved, c->tangent[0]), vec3_dot(moved, c->tangent[1])};
        double speed = hypot(slip[0], slip[1]);
        if (c->fresh) continue; /* slips from its impact on */
        if (sticks) CHECK(speed < tolerance);
        if (!sticks && speed > 20 * tolerance)
            CHECK(g[0] * slip[0] + g[1] * slip[1] >= 0.999 * force * speed); /* dissipates */
    }
}

/* Sum of the forces of all contacts with the ground. */
static vec3 ground_force(const stepper *s)
{
    size_t count;
    const mlcp_contact *contacts = mlcp_contacts(s->mlcp.solver, &count);
    vec3 sum = {0};
    for (size_t k = 0; k < count; k++) {
        const mlcp_contact *c = &contacts[k];
        if (c->state == MLCP_OFF || c->kind != CCD_POINT_POINT) continue;
        const double *g = c->state == MLCP_STICKS ? c->gamma : c->slide.force;
        sum = vec3_mul_add(sum, c->lambda, c->normal);
        sum = vec3_mul_add(sum, -g[0], c->tangent[0]);
        sum = vec3_mul_add(sum, -g[1], c->tangent[1]);
    }
    return vec3_scale(1 / (s->options.h * s->options.h), sum);
}

/* A step that claims to have converged has no contact that is off by more than the tolerance. */
static void check_errors(const stepper *s)
{
    const mlcp_statistics *m = &s->mlcp.statistics;
    double tolerance = s->options.mlcp.tolerance;
    if (!m->converged) return;
    CHECK(m->error_normal <= tolerance);
    CHECK(m->error_stick <= tolerance);
    CHECK(m->error_slide <= tolerance);
}

static void run_steps(stepper *s, int steps)
{
    step_statistics statistics;
    for (int i = 0; i < steps; i++) {
        need_ok(stepper_advance(s, &statistics, &err));
        CHECK(!statistics.unconverged);
        check_contacts(s);
    }
}

TEST(rest_carries_the_weight)
{
    for (int kind = 0; kind < 2; kind++) {
        stepper *s = blocks(&on_ground, 1, (vec3){0, -9.81, 0}, 0.5, 0.002,
                            kind ? MLCP_DIAGONAL : MLCP_FULL);
        run_steps(s, 150);
        CHECK_NEAR(ground_force(s).y, 9.81 * total_mass(s), 0.02 * 9.81 * total_mass(s));
        vec3 *force = mem_calloc(s->model->surface.rows.count, sizeof *force), sum = {0};
        mlcp_add_forces(s->mlcp.solver, force);
        for (size_t i = 0; i < s->model->surface.rows.count; i++) sum = vec3_add(sum, force[i]);
        mem_free(force);
        CHECK_NEAR(sum.y, ground_force(s).y, 1e-6 * sum.y);
        stepper_destroy(s);
    }
}

static const double ANGLE = 20 * 3.14159265358979323846 / 180;

static vec3 slope_gravity(void) { return (vec3){9.81 * sin(ANGLE), -9.81 * cos(ANGLE), 0}; }

static double speed(const stepper *s)
{
    double sum = 0, mass = 0;
    for (size_t i = 0; i < s->model->mass.count; i++) {
        sum += s->model->mass.data[i] * s->state.v[3 * i];
        mass += s->model->mass.data[i];
    }
    return sum / mass;
}

TEST(sliding_down_a_slope)
{
    static const double steps[] = {0.0005, 0.001, 0.004, 0.01, 0.02};
    for (int k = 0; k < 5; k++) {
        double h = steps[k];
        int half = (int)round(0.12 / h);
        stepper *s = blocks(&on_ground, 1, slope_gravity(), 0.2, h, MLCP_FULL);
        run_steps(s, half);
        double before = speed(s);
        run_steps(s, half);
        double a = (speed(s) - before) / (half * h);
        CHECK_NEAR(a, 9.81 * (sin(ANGLE) - 0.2 * cos(ANGLE)), 0.003 * 9.81 * sin(ANGLE));
        stepper_destroy(s);
    }
}

/* Sum over the nodes at the bottom, which carry the block. */
static double bottom_place(const stepper *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->model->rest.count; i++)
        if (s->model->rest.data[i].y < 1e-3) sum += s->state.x[3 * i];
    return sum;
}

/* What sticks does not creep: not by a thousandth of a millimetre per step, but not at all. */
TEST(sticking_on_a_slope)
{
    static const double steps[] = {0.0005, 0.001, 0.004};
    for (int k = 0; k < 3; k++) {
        double h = steps[k];
        int half = (int)round(0.12 / h);
        stepper *s = blocks(&on_ground, 1, slope_gravity(), 0.5, h, MLCP_FULL);
        run_steps(s, 3 * half);
        double x = bottom_place(s);
        run_steps(s, half);
        CHECK(fabs(bottom_place(s) - x) < 16 * 5e-7); /* of 16 nodes */
        CHECK(fabs(speed(s)) < 1e-2);
        stepper_destroy(s);
    }
}

/* T-3 of the digest: with a dead band of the tolerance in metres friction stays 0 at small steps,
 * or keeps what it had at the impact. */
TEST(no_dead_band)
{
    static const double steps[] = {0.0005, 0.004};
    for (int k = 0; k < 2; k++) {
        stepper *s = blocks(&on_ground, 1, slope_gravity(), 0.2, steps[k], MLCP_FULL);
        run_steps(s, (int)round(0.1 / steps[k]));
        double friction = 0, weight = 0;
        for (int i = 0; i < 40; i++) {
            run_steps(s, 1);
            friction -= ground_force(s).x;
            weight += ground_force(s).y;
        }
        CHECK_NEAR(friction / weight, 0.2, 0.002);
        stepper_destroy(s);
    }
}

/* T-4: turns of a fixed size make the direction of sliding flip between two values for ever when
 * the tolerance is tight. */
TEST(no_limit_cycle)
{
    for (int kind = 0; kind < 2; kind++) {
        mlcp_options solver = mlcp_test_options();
        solver.tolerance = 1e-9;
        solver.residual = 1e-8;
        solver.preconditioner = kind ? MLCP_DIAGONAL : MLCP_FULL;
        vec3 g = slope_gravity();
        g.z = 0.3;
        stepper *s = blocks_of(&on_ground, 1, soft(), g, 0.2, 0.001, solver);
        step_statistics statistics;
        long iterations = 0;
        for (int i = 0; i < 120; i++) {
            need_ok(stepper_advance(s, &statistics, &err));
            CHECK(!statistics.unconverged && s->mlcp.statistics.halvings == 0);
            iterations += statistics.newton_iterations;
        }
        CHECK(iterations < 120 * 400);
        stepper_destroy(s);
    }
}

/* Gravity in any direction along the plane: friction is a cone, not a pyramid. */
TEST(friction_is_isotropic)
{
    double largest = 0, smallest = INFINITY;
    for (int k = 0; k < 5; k++) {
        double turn = 0.31 * k;
        vec3 g = slope_gravity();
        g = (vec3){g.x * cos(turn), g.y, g.x * sin(turn)};
        stepper *s = blocks(&on_ground, 1, g, 0.2, 0.002, MLCP_FULL);
        run_steps(s, 80);
        vec3 force = ground_force(s);
        double size = hypot(force.x, force.z) / force.y;
        largest = fmax(largest, size);
        smallest = fmin(smallest, size);
        stepper_destroy(s);
    }
    CHECK(largest < 0.2 * 1.01 && smallest > 0.2 * 0.97);
}

static bool intersects(const stepper *s)
{
    const collision_surface *surface = &s->model->surface;
    vec3 *y = mem_alloc(surface->rows.count, sizeof *y);
    collision_surface_positions(surface, s->state.x, y);
    check_surface shape = {.vertices = y,
                           .vertex_count = surface->rows.count,
                           .edges = (const int32_t(*)[2])surface->edges.data,
                           .edge_count = surface->edges.count / 2,
                           .triangles = (const int32_t(*)[3])surface->triangles.data,
                           .triangle_count = surface->triangles.count / 3};
    check_pair *found = NULL;
    size_t count = 0;
    need_ok(check_intersections(&shape, &found, &count, &err));
    mem_free(found);
    mem_free(y);
    return count > 0;
}

static const block_place stack[] = {
    {{0.2, 0.1, 0.2}, {0, 0.05001, 0}, {0, 0, 0}, {2, 1, 2}},
    {{0.2, 0.1, 0.2}, {0.02, 0.152, 0.01}, {0, 20, 0}, {2, 1, 2}},
    {{0.1, 0.1, 0.1}, {0.03, 0.28, 0}, {10, 30, 5}, {2, 2, 2}},
};

TEST(stack_of_turned_blocks)
{
    stepper *s = blocks(stack, 3, (vec3){0, -9.81, 0}, 0.5, 0.002, MLCP_FULL);
    for (int i = 0; i < 150; i++) {
        run_steps(s, 1);
        CHECK(!intersects(s));
        for (size_t k = 0; k < s->state.scalars; k++) CHECK(isfinite(s->state.x[k]));
    }
    stepper_destroy(s);
}

/* A block slides off a plate: contacts go with the faces that they are on, and behind the edge it
 * falls as if there were no plate. */
TEST(contacts_end_with_their_faces)
{
    model *m = mem_calloc(1, sizeof *m);
    mesh plate, block;
    need_ok(generate_grid(0.3, 0.3, (int[2]){2, 2}, &plate, &err));
    need_ok(model_add_obstacle(m, "plate", &plate, &err));
    mesh_free(&plate);
    need_ok(generate_box((vec3){0.06, 0.06, 0.06}, (int[3]){2, 2, 2}, &block, &err));
    mesh_transform(&block, (vec3){1, 1, 1}, (vec3){0, 20, 0}, (vec3){0, 0.03001, 0.01});
    need_ok(model_add_deformable(m, "block", &block, soft(), 1000, &err));
    mesh_free(&block);
    need_ok(model_finish(m, &err));
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.002);
    options.gravity = (vec3){0, -9.81, 0};
    options.contact = true;
    options.contact_options = (contact_options){.dhat = 1e-3};
    options.friction = 0.1;
    options.use_mlcp = true;
    options.mlcp = mlcp_test_options();
    stepper *s = make_stepper(m, &options);
    add_condition(s, (vec3){-1, -1e-6, -1}, (vec3){1, 1e-6, 1}, 0, INFINITY); /* the plate */
    need_ok(stepper_start(s, NULL, &err));
    for (size_t i = 0; i < m->rest.count; i++)
        if (m->body.data[i] == 1) s->state.v[3 * i] = 3;
    size_t most = 0;
    for (int i = 0; i < 100; i++) {
        run_steps(s, 1);
        most = s->mlcp.statistics.contacts > most ? s->mlcp.statistics.contacts : most;
        CHECK(!intersects(s));
    }
    size_t count;
    (void)mlcp_contacts(s->mlcp.solver, &count);
    CHECK(most >= 3);
    CHECK(count == 0 && s->mlcp.statistics.contacts == 0);
    /* 0.15 m to the edge at nearly 3 m/s, then 0.12 to 0.15 s of falling */
    double y = 0, mass = 0;
    for (size_t i = 0; i < m->mass.count; i++) {
        if (m->body.data[i] != 1) continue;
        y += m->mass.data[i] * s->state.x[3 * i + 1];
        mass += m->mass.data[i];
    }
    CHECK(y / mass < 0.03 - 0.5 * 9.81 * 0.12 * 0.12);
    stepper_destroy(s);
}

/* Materials, stiffnesses and steps that are too much for one linearisation: whatever happens, the
 * state is finite and free of intersections, and a step that did not converge says so. */
TEST(never_a_nan)
{
    static const elastic_model models[] = {ELASTIC_LINEAR, ELASTIC_COROTATED, ELASTIC_NEO_HOOKEAN,
                                           ELASTIC_OGDEN};
    static const double steps[] = {0.001, 0.02}, young[] = {5e3, 5e7};
    for (int k = 0; k < 16; k++) {
        elastic_parameters material = elastic_from_young(models[k / 4], young[k % 2], 0.3);
        stepper *s = blocks_of(stack, 3, material, (vec3){0, -9.81, 0}, 0.5, steps[k / 2 % 2],
                               mlcp_test_options());
        for (size_t i = 0; i < s->model->rest.count; i++)
            if (s->model->body.data[i] == 2)
                s->state.v[3 * i + 1] = -10; /* the top one is thrown */
        step_statistics statistics;
        for (int i = 0; i < 15; i++) {
            need_ok(stepper_advance(s, &statistics, &err));
            CHECK(statistics.unconverged == !s->mlcp.statistics.converged);
            check_errors(s);
            CHECK(!intersects(s));
            for (size_t n = 0; n < s->state.scalars; n++)
                CHECK(isfinite(s->state.x[n]) && isfinite(s->state.v[n]));
        }
        stepper_destroy(s);
    }
}

/* Pressed flat: the hyper-elastic energy has to be there for every volume, inverted ones included.
 */
TEST(compressed_beyond_the_material)
{
    static const elastic_model models[] = {ELASTIC_NEO_HOOKEAN, ELASTIC_OGDEN};
    for (int k = 0; k < 2; k++) {
        elastic_parameters material = elastic_from_young(models[k], 5e4, 0.2);
        stepper *s = blocks_of(&on_ground, 1, material, (vec3){0, -9.81, 0}, 0.5, 0.004,
                               mlcp_test_options());
        CHECK(s->model->bodies.data[0].material.extrapolate_below == MLCP_LEAST_VOLUME);
        for (size_t i = 0; i < s->model->rest.count; i++) {
            bool top = s->model->rest.data[i].y > 0.09;
            s->state.v[3 * i + 1] = top ? -25 : 0; /* through the bottom, if nothing resisted */
        }
        step_statistics statistics;
        double least = 1, last = 0;
        for (int i = 0; i < 60; i++) {
            need_ok(stepper_advance(s, &statistics, &err));
            least = fmin(least, statistics.min_volume_ratio);
            last = statistics.min_volume_ratio;
            for (size_t n = 0; n < s->state.scalars; n++) CHECK(isfinite(s->state.x[n]));
        }
        CHECK(least < 0.7 && last > 0.5); /* was beyond the threshold, and came back */
        stepper_destroy(s);
    }
}

/* A run that goes on from saved contacts has the same bits. */
TEST(going_on_bit_for_bit)
{
    stepper *first = blocks(stack, 3, (vec3){0, -9.81, 0}, 0.5, 0.002, MLCP_FULL);
    run_steps(first, 60);
    stepper *second = blocks(stack, 3, (vec3){0, -9.81, 0}, 0.5, 0.002, MLCP_FULL);
    state_array from[16], to[16];
    size_t arrays = stepper_state(first, from, 16);
    CHECK(stepper_state(second, to, 16) == arrays);
    for (size_t i = 0; i < arrays; i++) {
        CHECK(from[i].count == to[i].count);
        if (from[i].doubles)
            memcpy(to[i].doubles, from[i].doubles, from[i].count * sizeof(double));
        else
            memcpy(to[i].ints, from[i].ints, from[i].count * sizeof(int32_t));
    }
    saved_numbers saved;
    need_ok(mlcp_save(first->mlcp.solver, &saved, &err));
    CHECK(saved.int_count > 0);
    need_ok(mlcp_restore(second->mlcp.solver, &saved, &err));
    need_ok(stepper_restore(second, first->state.steps, &err));
    run_steps(first, 30);
    run_steps(second, 30);
    CHECK(memcmp(first->state.x, second->state.x, first->state.scalars * sizeof(double)) == 0);
    CHECK(memcmp(first->state.v, second->state.v, first->state.scalars * sizeof(double)) == 0);
    stepper_destroy(first);
    stepper_destroy(second);
}

/* Numbers that are no contacts of the scene are refused. */
TEST(damaged_contacts)
{
    stepper *s = blocks(&on_ground, 1, (vec3){0, -9.81, 0}, 0.5, 0.002, MLCP_FULL);
    run_steps(s, 20);
    saved_numbers saved;
    need_ok(mlcp_save(s->mlcp.solver, &saved, &err));
    saved_numbers shorter = saved;
    shorter.int_count--;
    CHECK(mlcp_restore(s->mlcp.solver, &shorter, &err) == ABUT_ERROR_INPUT);
    int32_t *ints = mem_alloc(saved.int_count, sizeof *ints);
    static const struct {
        int at, value;
    } wrong[] = {{0, 77}, {1, -1}, {1, 1000000}, {2, 5}, {3, 4}, {4, 1 << 20}, {8, 9}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        memcpy(ints, saved.ints, saved.int_count * sizeof *ints);
        ints[wrong[k].at] = wrong[k].value;
        saved_numbers changed = saved;
        changed.ints = ints;
        CHECK(mlcp_restore(s->mlcp.solver, &changed, &err) == ABUT_ERROR_INPUT);
    }
    mem_free(ints);
    stepper_destroy(s);
}

/* Forces stay when the length of the step changes: multipliers carry its square. */
TEST(multipliers_follow_the_length_of_steps)
{
    stepper *s = blocks(&on_ground, 1, (vec3){0, -9.81, 0}, 0.5, 0.01, MLCP_DIAGONAL);
    step_statistics now;
    for (int i = 0; i < 10; i++) need_ok(stepper_advance(s, &now, &err));
    mlcp_solver *solver = s->mlcp.solver;
    mlcp_contact before[64];
    size_t count = solver->contacts.count, compared = 0;
    CHECK(count > 8 && count <= 64);
    memcpy(before, solver->contacts.data, count * sizeof *before);
    solver->options.max_iterations = solver->options.max_passes = 0; /* nothing is solved */
    s->scratch.span.h *= 0.5;
    need_ok(stepper_find_positions(s, s->time + s->scratch.span.h, &now, &err));
    for (size_t k = 0; k < solver->contacts.count; k++)
        for (size_t o = 0; o < count; o++) {
            const mlcp_contact *c = &solver->contacts.data[k];
            if (c->first != before[o].first || c->second != before[o].second) continue;
            CHECK_NEAR(c->lambda, 0.25 * before[o].lambda, 1e-14 * fabs(before[o].lambda));
            compared += c->lambda > 0;
        }
    CHECK(compared > 4);
    stepper_destroy(s);
}

/* Contacts are kept from step to step while their pairs are near, and no longer. */
TEST(contacts_that_are_apart_are_forgotten)
{
    const block_place stacked[2] = {on_ground,
                                    {{0.1, 0.1, 0.1}, {0.01, 0.15002, 0.01}, {0, 0, 0}, {2, 1, 2}}};
    static const double lifts[] = {1, 10};
    for (int lift = 0; lift < 2; lift++) {
        stepper *s = blocks(stacked, 2, (vec3){0, -9.81, 0}, 0.5, 0.01, MLCP_DIAGONAL);
        step_statistics now;
        for (int i = 0; i < 10; i++) need_ok(stepper_advance(s, &now, &err));
        mlcp_solver *solver = s->mlcp.solver;
        double up = lifts[lift] * solver->options.tolerance;
        for (size_t i = 0; i < s->model->rest.count; i++)
            if (s->model->body.data[i] == 1) s->state.x[3 * i + 1] += up;
        solver->x_start = solver->x_end = s->state.x;
        collision_surface_positions(&s->model->surface, s->state.x, solver->start);
        need_ok(mlcp_begin_contacts(solver, &err));
        size_t between = 0;
        for (size_t k = 0; k < solver->contacts.count; k++)
            between += solver->contacts.data[k].kind != CCD_POINT_POINT;
        CHECK((between > 0) == (lift == 0));
        stepper_destroy(s);
    }
}

int main(void)
{
    RUN(multipliers_follow_the_length_of_steps);
    RUN(contacts_that_are_apart_are_forgotten);
    RUN(rest_carries_the_weight);
    RUN(sliding_down_a_slope);
    RUN(sticking_on_a_slope);
    RUN(no_dead_band);
    RUN(no_limit_cycle);
    RUN(friction_is_isotropic);
    RUN(stack_of_turned_blocks);
    RUN(contacts_end_with_their_faces);
    RUN(never_a_nan);
    RUN(compressed_beyond_the_material);
    RUN(going_on_bit_for_bit);
    RUN(damaged_contacts);
    return TEST_END();
}
