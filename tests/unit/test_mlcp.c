/* The linear-complementarity stepper: friction on a slope is exact at all steps, contacts carry the
 * weight, and after every solve the conditions hold, checked with sums of their own. */
#include "test.h"

#include "geometry/check.h"
#include "mesh/generate.h"
#include "step/stepper.h"
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

static stepper *blocks(const block_place *places, int count, vec3 gravity, double mu, double h,
                       mlcp_preconditioner preconditioner)
{
    model *m = mem_calloc(1, sizeof *m);
    for (int k = 0; k < count; k++) {
        char name[20];
        mesh shape;
        snprintf(name, sizeof name, "block %d", k);
        need_ok(generate_box(places[k].size, places[k].cells, &shape, &err));
        mesh_transform(&shape, (vec3){1, 1, 1}, places[k].turn, places[k].at);
        need_ok(model_add_deformable(
            m, name, &shape, elastic_from_young(ELASTIC_FIXED_COROTATED, 5e5, 0.2), 1000, &err));
        mesh_free(&shape);
    }
    need_ok(model_finish(m, &err));
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, h);
    options.gravity = gravity;
    options.contact = true;
    options.contact_options = (contact_options){.dhat = 1e-3};
    options.friction = mu;
    options.use_mlcp = true;
    options.mlcp = mlcp_default_options();
    options.mlcp.preconditioner = preconditioner;
    stepper *s = make_stepper(m, &options);
    need_ok(contact_add_half_space(s->contact, (half_space){.normal = {0, 1, 0}, .friction = -1},
                                   &err));
    need_ok(stepper_start(s, NULL, &err));
    return s;
}

static const block_place on_ground = {{0.2, 0.1, 0.2}, {0, 0.05001, 0}, {0, 0, 0}, {3, 2, 3}};

static double total_mass(const stepper *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->model->mass.count; i++) sum += s->model->mass.data[i];
    return sum;
}

/* Conditions of every contact after a converged step. */
static void check_contacts(const stepper *s)
{
    size_t count;
    const mlcp_contact *contacts = mlcp_contacts(s->mlcp, &count);
    double tolerance = s->options.mlcp.tolerance;
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
        if (c->state == MLCP_OFF) {
            CHECK(gap > 0 && c->lambda == 0);
            continue;
        }
        CHECK(gap > 0.2 * tolerance && gap < 0.8 * tolerance);
        double cone = c->mu * fmax(0, c->lambda);
        double small = 1e-3 * cone + 1e-12 / c->scale_t[0] + 2e-6 / c->scale_t[0];
        CHECK(c->scale_n * c->lambda > -tolerance);
        if (c->state == MLCP_STICKS)
            CHECK(hypot(c->gamma[0], c->gamma[1]) <= cone + small);
        else
            CHECK(hypot(c->force[0], c->force[1]) <= cone + small);
        if (c->state == MLCP_STICKS && !c->fresh)
            CHECK(fabs(vec3_dot(moved, c->tangent[0])) < tolerance);
    }
}

/* Sum of the forces of all contacts with the ground. */
static vec3 ground_force(const stepper *s)
{
    size_t count;
    const mlcp_contact *contacts = mlcp_contacts(s->mlcp, &count);
    vec3 sum = {0};
    for (size_t k = 0; k < count; k++) {
        const mlcp_contact *c = &contacts[k];
        if (c->state == MLCP_OFF || c->kind != CCD_POINT_POINT) continue;
        const double *g = c->state == MLCP_STICKS ? c->gamma : c->force;
        sum = vec3_mul_add(sum, c->lambda, c->normal);
        sum = vec3_mul_add(sum, -g[0], c->tangent[0]);
        sum = vec3_mul_add(sum, -g[1], c->tangent[1]);
    }
    return vec3_scale(1 / (s->options.h * s->options.h), sum);
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

TEST(slope)
{
    static const double steps[] = {0.0005, 0.001, 0.004};
    for (int k = 0; k < 3; k++) {
        double h = steps[k];
        int half = (int)round(0.12 / h);
        stepper *s = blocks(&on_ground, 1, slope_gravity(), 0.2, h, MLCP_FULL);
        run_steps(s, half);
        double before = speed(s);
        run_steps(s, half);
        double a = (speed(s) - before) / (half * h);
        CHECK_NEAR(a, 9.81 * (sin(ANGLE) - 0.2 * cos(ANGLE)), 0.01 * 9.81 * sin(ANGLE));
        stepper_destroy(s);
        s = blocks(&on_ground, 1, slope_gravity(), 0.5, h, MLCP_FULL);
        run_steps(s, 2 * half);
        double x = s->state.x[0];
        run_steps(s, half);
        CHECK(fabs(s->state.x[0] - x) < 2e-4); /* no creep beyond the ringing of the block */
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

TEST(stack_of_turned_blocks)
{
    static const block_place places[] = {
        {{0.2, 0.1, 0.2}, {0, 0.05001, 0}, {0, 0, 0}, {2, 1, 2}},
        {{0.2, 0.1, 0.2}, {0.02, 0.152, 0.01}, {0, 20, 0}, {2, 1, 2}},
        {{0.1, 0.1, 0.1}, {0.03, 0.28, 0}, {10, 30, 5}, {2, 2, 2}},
    };
    stepper *s = blocks(places, 3, (vec3){0, -9.81, 0}, 0.5, 0.002, MLCP_FULL);
    step_statistics statistics;
    int unconverged = 0;
    for (int i = 0; i < 150; i++) {
        need_ok(stepper_advance(s, &statistics, &err));
        unconverged += statistics.unconverged;
        CHECK(!intersects(s));
        for (size_t k = 0; k < s->state.scalars; k++) CHECK(isfinite(s->state.x[k]));
    }
    CHECK(unconverged <= 2);
    stepper_destroy(s);
}

int main(void)
{
    RUN(rest_carries_the_weight);
    RUN(slope);
    RUN(friction_is_isotropic);
    RUN(stack_of_turned_blocks);
    return TEST_END();
}
