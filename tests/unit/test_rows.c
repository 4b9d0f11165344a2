/* Contact and friction of vertices that follow several blocks or a rigid frame: derivatives through
 * the rows against finite differences, and steps that keep curved paths apart. */
#include "base/random.h"
#include "body/model_build.h"
#include "contact/contact_term.h"
#include "contact/friction_term.h"
#include "geometry/distance.h"
#include "math/rotation.h"
#include "support/differences.h"

static abut_error err;
static stage_timer timer;

typedef enum follow { FOLLOW_NODE, FOLLOW_AFFINE, FOLLOW_RIGID, FOLLOW_KINDS } follow;

typedef struct row_context {
    const mesh *shape;
    follow kind;
    int32_t block; /* first */
    int32_t frame;
    vec3 origin;
} row_context;

static abut_status make_row(collision_surface *s, const void *context, int32_t vertex,
                            abut_error *e)
{
    const row_context *c = context;
    vec3 arm = vec3_sub(c->shape->vertices[vertex], c->origin);
    if (c->kind == FOLLOW_RIGID) return surface_add_rigid(s, c->frame, arm, e);
    row_entry entries[4] = {
        {c->block, 1}, {c->block + 1, arm.x}, {c->block + 2, arm.y}, {c->block + 3, arm.z}};
    return surface_add_combination(s, entries, 4, e);
}

/* A primitive of `count` vertices that follows blocks as given. */
static void add_primitive(model *m, follow kind, const vec3 *x, int count)
{
    static const cell_kind kinds[] = {CELL_POINT, CELL_POINT, CELL_EDGE, CELL_TRIANGLE};
    mesh shape;
    cell_block *block;
    CHECK_OK(mesh_init(&shape, (size_t)count, &err), err);
    memcpy(shape.vertices, x, (size_t)count * sizeof *x);
    CHECK_OK(mesh_add_block(&shape, kinds[count], 1, 1, false, &block, &err), err);
    for (int i = 0; i < count; i++) block->nodes[i] = i;
    if (kind == FOLLOW_NODE) {
        CHECK_OK(model_add_obstacle(m, "nodes", &shape, &err), err);
        mesh_free(&shape);
        return;
    }
    model_body *body = NULL;
    CHECK_OK(model_begin_body(m, "frame", BODY_OBSTACLE, &shape, &body, &err), err);
    body->nodal = false;
    body->no_self_contact = true;
    row_context context = {.shape = &shape, .kind = kind, .origin = {0.05, -0.2, 0.1}};
    static const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int32_t other;
    CHECK_OK(model_add_block(m, context.origin, 0, &context.block, &err), err);
    for (int k = 0; kind == FOLLOW_AFFINE && k < 3; k++)
        CHECK_OK(model_add_block(m, axes[k], 0, &other, &err), err);
    if (kind == FOLLOW_RIGID) {
        CHECK_OK(model_add_block(m, (vec3){0, 0, 0}, 0, &other, &err), err);
        CHECK_OK(surface_add_pose(&m->surface, context.block, &context.frame, &err), err);
    }
    surface_parts parts;
    CHECK_OK(mesh_surface(&shape, &parts, &err), err);
    CHECK_OK(model_add_surface(m, body, &parts, shape.vertices, make_row, &context, &err), err);
    surface_parts_free(&parts);
    mesh_free(&shape);
}

typedef struct pair_case {
    int counts[2];
    vec3 x[4];
    int list; /* -1: half-space */
    double dhat;
} pair_case;

static const pair_case cases[] = {
    {{1, 1}, {{0.01, 0.05, 0.02}, {0, 0, 0}}, LIST_PP, 0.1},
    {{1, 2}, {{0.1, 0.05, 0.01}, {-0.4, 0, 0.02}, {0.5, 0.01, 0}}, LIST_PE, 0.1},
    {{1, 3}, {{0.05, 0.05, 0.06}, {-0.3, 0, -0.3}, {0.5, 0.01, -0.2}, {0.1, 0, 0.5}}, LIST_PT, 0.1},
    {{2, 2}, {{-0.4, 0.05, 0.02}, {0.5, 0.06, 0}, {0.03, 0, -0.5}, {-0.02, 0, 0.4}}, LIST_EE, 0.1},
    {{2, 2},
     {{-0.5, 0.005, -0.007}, {0.5, 0.0052, 0.007}, {-0.5, 0, 0.007}, {0.5, 0, -0.007}},
     LIST_EE_MOLLIFIED,
     0.01},
    {{1, 0}, {{0.1, 0.03, 0.2}}, -1, 0.1},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct row_scene {
    model m;
    contact_term *contact;
    friction_term *friction;
    problem p;
    double x[MAX_N];
} row_scene;

static void scene_make(row_scene *s, int which, follow first, follow second)
{
    const pair_case *c = &cases[which];
    memset(s, 0, sizeof *s);
    add_primitive(&s->m, first, c->x, c->counts[0]);
    if (c->counts[1]) add_primitive(&s->m, second, c->x + c->counts[0], c->counts[1]);
    CHECK_OK(model_finish(&s->m, &err), err);
    contact_options options = {.dhat = c->dhat};
    CHECK_OK(contact_create(&s->m, &options, &s->contact, &err), err);
    test_evaluation.kappa = 100;
    if (c->list < 0) {
        half_space plane = {{0, 0.005, 0}, {0.1, 1, -0.05}, {0, 0, 0}, 0.4};
        CHECK_OK(contact_add_half_space(s->contact, plane, &err), err);
    }
    CHECK_OK(friction_create(s->contact, 0.4, FRICTION_C1, &s->friction, &err), err);
    CHECK_OK(problem_init(&s->p, model_block_count(&s->m), &timer, &err), err);
    CHECK_OK(problem_add_term(&s->p, &s->contact->base, &err), err);
    CHECK_OK(problem_add_term(&s->p, &s->friction->base, &err), err);
    test_evaluation.without = term_bit(&s->friction->base);
    memcpy(s->x, s->m.rest.data, s->m.rest.count * sizeof(vec3));
    CHECK_OK(problem_update(&s->p, &test_evaluation, s->x, &err), err);
    CHECK(contact_count(s->contact) == 1);
    if (c->list >= 0) CHECK(s->contact->active.lists[c->list].count == 1);
}

/* Turns the rigid bodies and stretches the affine ones, as little as the contact bears. */
static void disturb(row_scene *s, double amount)
{
    random_state r = {7};
    for (size_t i = 0; i < 3 * s->m.rest.count; i++) s->x[i] += random_range(&r, -amount, amount);
}

static void scene_free(row_scene *s)
{
    problem_free(&s->p);
    s->friction->base.class->destroy(&s->friction->base);
    s->contact->base.class->destroy(&s->contact->base);
    model_free(&s->m);
}

static bool has_rigid(follow a, follow b) { return a == FOLLOW_RIGID || b == FOLLOW_RIGID; }

TEST(contact_through_rows)
{
    for (int which = 0; which < CASES; which++)
        for (int a = 0; a < FOLLOW_KINDS; a++)
            for (int b = 0; b < FOLLOW_KINDS; b++) {
                row_scene s;
                scene_make(&s, which, (follow)a, (follow)b);
                disturb(&s, 0.02 * cases[which].dhat);
                double h = 1e-4 * cases[which].dhat;
                check_gradient(&s.p, s.x, h, 1e-5);
                /* Projected at the vertices, and the curvature of rigid rows on its own. */
                check_majorant(&s.p, s.x, h, 1e-5);
                CHECK_OK(problem_update(&s.p, &test_evaluation, s.x, &err), err);
                CHECK_OK(problem_derivatives(&s.p, &test_evaluation, s.x, true, &err), err);
                dense_matrix(&s.p.matrix, full);
                check_definite(3 * s.p.block_count, full);
                scene_free(&s);
            }
}

TEST(friction_through_rows)
{
    for (int which = 0; which < CASES; which++)
        for (int a = 0; a < FOLLOW_KINDS; a++)
            for (int b = 0; b < FOLLOW_KINDS; b++) {
                if (cases[which].list == LIST_EE_MOLLIFIED) continue;
                row_scene s;
                scene_make(&s, which, (follow)a, (follow)b);
                s.friction->eps = 1e-3;
                s.friction->h = 0.01;
                friction_set_start(s.friction, s.x);
                CHECK_OK(friction_lag(s.friction, test_evaluation.kappa, &err), err);
                test_evaluation.without = term_bit(&s.contact->base);
                disturb(&s, 2e-3);
                check_gradient(&s.p, s.x, 1e-5, 1e-4);
                if (has_rigid((follow)a, (follow)b))
                    check_majorant(&s.p, s.x, 1e-5, 1e-3);
                else
                    check_hessian(&s.p, s.x, 1e-5, 1e-3, false);
                scene_free(&s);
            }
}

/* The first primitive turns towards or through the second, with all kinds of rotations: what is
 * left of the path has no distance below the promised one, by dense sampling. */
TEST(steps_along_curved_paths)
{
    random_state r = {3};
    int limited = 0, in_pieces = 0, differ = 0;
    for (int trial = 0; trial < 400; trial++) {
        int which = trial % CASES, second = trial / CASES % FOLLOW_KINDS;
        row_scene s;
        scene_make(&s, which, FOLLOW_RIGID, (follow)second);
        double p[MAX_N] = {0}, scale = trial % 3 == 0 ? 4 : 0.5;
        for (size_t i = 0; i < 3 * s.m.rest.count; i++) p[i] = random_range(&r, -scale, scale);
        double start = s.contact->min_distance;
        step_bound bound = {.group = -1};
        CHECK_OK(s.contact->base.class->max_step(&s.contact->base, s.x, p, 1, &bound, &timer, &err),
                 err);
        double whole = bound.alpha;
        CHECK(whole > 0 && whole <= 1);
        limited += whole < 1;
        /* The same in pieces, as after an iteration that was stopped at once. */
        contact_begin_step(s.contact);
        s.contact->search->stopped = 0;
        s.contact->edge = 0.02;
        size_t searches = s.contact->search->broad_queries;
        CHECK_OK(s.contact->base.class->max_step(&s.contact->base, s.x, p, 1, &bound, &timer, &err),
                 err);
        double alpha = bound.alpha;
        in_pieces += s.contact->search->broad_queries > searches + 1;
        differ += !(alpha > 0.7 * whole && alpha < whole / 0.7);
        CHECK((s.contact->search->stopped == INFINITY) == (alpha == 1));
        for (int k = 0; k <= 200; k++) {
            double x[MAX_N];
            for (size_t i = 0; i < 3 * s.m.rest.count; i++) x[i] = s.x[i] + alpha * k / 200 * p[i];
            contact_begin_step(s.contact);
            CHECK_OK(problem_update(&s.p, &test_evaluation, x, &err), err);
            CHECK(s.contact->min_distance >= 0.0999 * start);
        }
        scene_free(&s);
    }
    CHECK(limited > 100 && in_pieces > 100);
    CHECK(differ < 8); /* who passes by at the least distance allowed may be stopped there or not */
}

/* Candidates found for one path serve the next points on it: the same contacts as found afresh. */
TEST(candidates_cover_curved_paths)
{
    random_state r = {5};
    for (int trial = 0; trial < 200; trial++) {
        row_scene s;
        scene_make(&s, trial % CASES, FOLLOW_RIGID, FOLLOW_RIGID);
        double p[MAX_N] = {0}, x[MAX_N];
        step_bound bound = {.group = -1};
        for (size_t i = 0; i < 3 * s.m.rest.count; i++) p[i] = random_range(&r, -0.6, 0.6);
        CHECK_OK(s.contact->base.class->max_step(&s.contact->base, s.x, p, 1, &bound, &timer, &err),
                 err);
        for (int k = 1; k <= 4; k++) {
            for (size_t i = 0; i < 3 * s.m.rest.count; i++)
                x[i] = s.x[i] + bound.alpha * k / 4 * p[i];
            double reused = value_at(&s.p, x);
            contact_begin_step(s.contact);
            CHECK(value_at(&s.p, x) == reused);
            CHECK_OK(
                s.contact->base.class->max_step(&s.contact->base, s.x, p, 1, &bound, &timer, &err),
                err);
        }
        scene_free(&s);
    }
}

int main(void)
{
    RUN(contact_through_rows);
    RUN(friction_through_rows);
    RUN(steps_along_curved_paths);
    RUN(candidates_cover_curved_paths);
    return TEST_END();
}
