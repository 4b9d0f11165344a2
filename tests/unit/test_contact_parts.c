/* Parts of contact and friction, each by itself: which coefficient holds, which pairs are mollified
 * and how they are weighted, gaps beyond the thickness, how far a step may go. */
#include "contact/barrier_stencil.h"
#include "contact/contact_step.h"
#include "contact/contact_term.h"
#include "contact/friction_term.h"
#include "contact/max_operator.h"
#include "solve/problem.h"
#include "support/evaluation.h"
#include "support/scene_makers.h"
#include "support/scene_text.h"
#include "test.h"

static abut_error err;
static stage_timer timer;

typedef struct world {
    model *m;
    contact_term *contact;
    friction_term *friction;
    double x[18];
} world;

/* Two primitives of up to three vertices; thickness 0: none. */
static void make_world(world *w, const int counts[2], const vec3 *x, contact_options options,
                       double thickness)
{
    w->m = make_obstacle_model(counts, x);
    size_t n = w->m->surface.rows.count;
    if (thickness > 0) {
        CHECK(array_resize(&w->m->surface.thickness, n));
        for (size_t i = 0; i < n; i++) w->m->surface.thickness.data[i] = thickness;
    }
    CHECK_OK(contact_create(w->m, &options, &w->contact, &err), err);
    CHECK_OK(friction_create(w->contact, 0.4, FRICTION_C1, &w->friction, &err), err);
    memcpy(w->x, x, 3 * n * sizeof *w->x);
}

static void update(world *w)
{
    term *t = &w->contact->base;
    CHECK_OK(t->class->update(t, w->x, &err), err);
}

/* Largest step from x along p. */
static double step_along(contact_term *t, const double *x, const double *p)
{
    step_bound bound = {.alpha = -1, .group = -1};
    contact_begin_step(t);
    CHECK_OK(contact_max_step(&t->base, x, p, 1, &bound, &timer, &err), err);
    return bound.alpha;
}

static void free_world(world *w)
{
    w->friction->base.class->destroy(&w->friction->base);
    w->contact->base.class->destroy(&w->contact->base);
    free_model(w->m);
}

static const vec3 crossed[] = {
    {-0.4, 0.05, 0.02}, {0.5, 0.06, 0}, {0.03, 0, -0.5}, {-0.02, 0, 0.4}};

TEST(coefficients)
{
    world w;
    make_world(&w, (const int[2]){2, 2}, crossed, (contact_options){.dhat = 0.1}, 0);
    model_body *body = w.m->bodies.data;
    body[0].kind = BODY_DEFORMABLE;
    CHECK(friction_between(w.friction, 0, 1) == 0.4); /* that of the scene */
    body[0].friction = 0.2;
    CHECK_NEAR(friction_between(w.friction, 0, 1), 0.3, 1e-15);
    body[1].friction = 0.7; /* an obstacle decides, whichever comes first */
    CHECK(friction_between(w.friction, 0, 1) == 0.7 && friction_between(w.friction, 1, 0) == 0.7);
    body[1].kind = BODY_DEFORMABLE;
    CHECK_NEAR(friction_between(w.friction, 0, 1), 0.45, 1e-15);
    CHECK_OK(friction_set_pair(w.friction, 1, 0, 0.9, &err), err);
    CHECK(friction_between(w.friction, 0, 1) == 0.9 && friction_between(w.friction, 1, 0) == 0.9);
    /* The two bodies of crossed edges are those of the edges, not of one edge's ends. */
    update(&w);
    friction_set_start(w.friction, w.x);
    CHECK_OK(friction_lag(w.friction, 100, &err), err);
    CHECK(w.contact->active.lists[LIST_EE].count == 1 && w.friction->lists[3].count == 1);
    const contact_stencil *c = &w.contact->active.lists[LIST_EE].data[0];
    barrier_law law = {BARRIER_C2, 0.01, 100};
    double normal = barrier_normal_force(&law, c->distance2, 0, 1);
    CHECK_NEAR(w.friction->lists[3].data[0].force, 0.9 * normal, 1e-12 * normal);
    free_world(&w);
}

/* Edges at angles of sine^2 below and above 1e-3, and edges that are parallel and touch. */
TEST(mollified_angles)
{
    static const double sines[] = {0.01, 0.03, 0.033, 0.1};
    for (int k = 0; k < 4; k++) {
        vec3 x[4] = {{-0.5, 0.005, 0}, {0.5, 0.005, 0}};
        double s = 0.5 * sines[k], c = 0.5 * sqrt(1 - sines[k] * sines[k]);
        x[2] = vec3_make(-c, 0, -s);
        x[3] = vec3_make(c, 0, s);
        world w;
        make_world(&w, (const int[2]){2, 2}, x, (contact_options){.dhat = 0.01}, 0);
        update(&w);
        const stencil_array *lists = w.contact->active.lists;
        CHECK(lists[LIST_EE_MOLLIFIED].count == (k < 2) && lists[LIST_EE].count == (k >= 2));
        free_world(&w);
    }
    vec3 touching[4] = {{-0.5, 0, 0}, {0.5, 0, 0}, {-0.4, 0, 0}, {0.6, 0, 0}};
    world w;
    make_world(&w, (const int[2]){2, 2}, touching, (contact_options){.dhat = 0.01}, 0);
    update(&w);
    CHECK(w.contact->base.class->value(&w.contact->base, &test_evaluation, w.x) == INFINITY);
    free_world(&w);
}

/* A pair of edges has a quarter of the areas of both, a third of each triangle at an edge. */
TEST(weights_of_edges)
{
    vec3 x[6] = {{0, 0, 0},         {1, 0, 0},        {0, 0, 1},
                 {-0.5, 0.01, 0.4}, {1.5, 0.01, 0.3}, {0.5, 0.01, 3}};
    world w;
    make_world(&w, (const int[2]){3, 3}, x, (contact_options){.dhat = 0.05, .area_weighted = true},
               0);
    update(&w);
    double area[2];
    for (int k = 0; k < 2; k++)
        area[k] = 0.5 * vec3_norm(vec3_cross(vec3_sub(x[3 * k + 1], x[3 * k]),
                                             vec3_sub(x[3 * k + 2], x[3 * k])));
    const stencil_array *list = &w.contact->active.lists[LIST_EE];
    CHECK(list->count >= 2);
    for (size_t i = 0; i < list->count; i++)
        CHECK_NEAR(list->data[i].multiplicity, 0.25 * (area[0] + area[1]) / 3, 1e-14);
    free_world(&w);
}

/* Gaps are what is left beyond the thickness, between bodies and above a half-space; a step leaves
 * a tenth of the latter. */
TEST(gaps)
{
    vec3 x[4] = {{0.05, 0.07, 0.05}, {-0.3, 0, -0.3}, {0.5, 0, -0.2}, {0.1, 0, 0.5}};
    for (int thick = 0; thick < 2; thick++) {
        double xi = thick ? 0.03 : 0;
        world w;
        make_world(&w, (const int[2]){1, 3}, x, (contact_options){.dhat = 0.1}, xi);
        update(&w);
        CHECK_NEAR(w.contact->min_distance, 0.07, 1e-14);
        CHECK_NEAR(w.contact->min_gap, 0.07 - xi, 1e-14);
        half_space plane = {{0, -0.05, 0}, {0, 2, 0}, {0, 0, 0}, 0};
        CHECK_OK(contact_add_half_space(w.contact, plane, &err), err);
        double p[12] = {0};
        for (int i = 0; i < 4; i++) p[3 * i + 1] = -2;
        CHECK_NEAR(step_along(w.contact, w.x, p), 0.9 * (0.05 - 0.5 * xi) / 2, 1e-14);
        free_world(&w);
    }
}

/* Pairs closer than dhat, of those that share no vertex, one by one. */
static size_t close_pairs_of(const collision_surface *s, const vec3 *y, double dhat)
{
    const int32_t *f = s->triangles.data, *e = s->edges.data;
    size_t count = 0;
    for (size_t t = 0; t < s->triangles.count; t += 3)
        for (int32_t v = 0; v < (int32_t)s->rows.count; v++)
            if (v != f[t] && v != f[t + 1] && v != f[t + 2])
                count += point_triangle_true_distance2(y[v], y[f[t]], y[f[t + 1]], y[f[t + 2]]) <
                         dhat * dhat;
    for (size_t a = 0; a < s->edges.count; a += 2)
        for (size_t b = a + 2; b < s->edges.count; b += 2)
            if (e[a] != e[b] && e[a] != e[b + 1] && e[a + 1] != e[b] && e[a + 1] != e[b + 1])
                count += edge_edge_true_distance2(y[e[a]], y[e[a + 1]], y[e[b]], y[e[b + 1]]) <
                         dhat * dhat;
    return count;
}

static bool in_order(const contact_stencil *a, const contact_stencil *b)
{
    for (int k = 0; k < 3; k++)
        if (a->vertex[k] != b->vertex[k]) return a->vertex[k] < b->vertex[k];
    return false;
}

/* Sheets on each other, node on node: most features are the closest of several pairs, and stand in
 * the lists once, with their number. */
TEST(equal_features_are_one_stencil)
{
    scene_def *scene;
    stepper *s = build_scene(
        "{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'contact': {'dhat': 0.02}, 'materials': "
        "{'a': {'model': 'neo-hookean', 'young': 1e6, 'poisson': 0.4, 'density': 1000}}, 'bodies': "
        "[{'material': 'a', 'mesh': {'box': {'size': [1, 0.5, 1], 'cells': [5, 1, 5]}}}, "
        "{'material': 'a', 'mesh': {'box': {'size': [1, 0.5, 1], 'cells': [5, 1, 5]}}, "
        "'translate': [0.2, 0.51, 0]}]}",
        &scene);
    if (!s) return;
    contact_term *c = s->contact;
    CHECK_OK(contact_update(c, s->state.x, (pair_weights){0}, &err), err);
    double pairs = 0;
    size_t stencils = 0;
    for (int k = 0; k < STENCIL_LISTS; k++) {
        const stencil_array *list = &c->active.lists[k];
        stencils += list->count;
        for (size_t i = 0; i < list->count; i++) pairs += list->data[i].multiplicity;
        for (size_t i = 1; i < list->count && k <= LIST_PE; i++)
            CHECK(in_order(&list->data[i - 1], &list->data[i]));
    }
    CHECK(pairs == (double)close_pairs_of(&s->model->surface, c->y, c->options.dhat));
    CHECK(stencils > 50 && (double)stencils < 0.5 * pairs);
    drop_scene(s, scene);
}

/* A particle and a wire: neither has triangles, and still they do not pass each other. */
TEST(points_and_wires)
{
    vec3 x[3] = {{0.1, 0.05, 0}, {-0.4, 0, 0.02}, {0.5, 0.01, 0}};
    world w;
    make_world(&w, (const int[2]){1, 2}, x, (contact_options){.dhat = 0.01}, 0);
    double p[9] = {0, -1, 0, 0, 0, 0, 0, 0, 0};
    double alpha = step_along(w.contact, w.x, p);
    CHECK(alpha > 0.01 && alpha < 0.045);
    p[1] = 1;
    CHECK(step_along(w.contact, w.x, p) == 1);
    free_world(&w);
}

/* A rigid rod that turns once and ends where it began: its vertices move by nothing, and through
 * what is beside it. */
TEST(whole_turns)
{
    scene_def *scene;
    stepper *s = build_scene(
        "{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'contact': {'dhat': 0.001}, 'bodies': "
        "[{'type': 'rigid', 'density': 1000, 'mesh': {'box': {'size': [1, 0.02, 0.02], 'cells': "
        "[1, "
        "1, 1]}}}, {'type': 'obstacle', 'mesh': {'sphere': {'radius': 0.05, 'level': 1}}, "
        "'translate': [0, 0.4, 0]}]}",
        &scene);
    if (!s) return;
    double *p = mem_calloc(s->state.scalars, sizeof *p);
    double alpha = 0;
    p[5] = 2 * 3.14159265358979323846; /* about z */
    alpha = step_along(s->contact, s->state.x, p);
    CHECK(alpha > 0.1 && alpha < 0.25);
    p[5] = 0.1;
    CHECK(step_along(s->contact, s->state.x, p) == 1);
    mem_free(p);
    drop_scene(s, scene);
}

/* A vertex of a fan against the other triangles of the fan, dhat longer than the edges. They meet
 * at the middle, which is joined to the vertex: the sum over them is that of a strip with three
 * inner edges and no inner vertex. */
TEST(neighbours_are_no_inner_vertices)
{
    enum { RIM = 6, VERTICES = RIM + 1 };
    collision_surface s = {0};
    surface_links links = {0};
    vec3 y[VERTICES] = {{0, 0, 0}};
    candidate_set candidates = {0};
    for (int32_t k = 0; k < RIM; k++) {
        double angle = 2 * 3.14159265358979323846 * k / RIM;
        int32_t next = 1 + (k + 1) % RIM, t[3] = {0, next, 1 + k};
        y[k + 1] = (vec3){cos(angle), 0, sin(angle)};
        for (int i = 0; i < 3; i++) CHECK(array_push(&s.triangles, t[i]));
        CHECK(array_push(&s.edges, 0) && array_push(&s.edges, 1 + k));
        CHECK(array_push(&s.edges, 1 + k) && array_push(&s.edges, next));
        if (k == 0 || next == 1) continue; /* those have vertex 1 */
        CHECK(array_resize(&candidates.vt, candidates.vt.count + 1));
        candidates.vt.data[candidates.vt.count - 1] = (index_pair){1, k};
    }
    CHECK_OK(surface_links_make(&links, &s, VERTICES, &err), err);
    active_set set = {0};
    const double dhat = 1.3;
    CHECK_OK(
        active_set_build(&set, &s, &candidates, (pair_weights){.links = &links}, y, dhat, &err),
        err);
    barrier_law law = {BARRIER_C2, dhat * dhat, 1};
    double sum = 0;
    for (int l = 0; l < STENCIL_LISTS; l++)
        for (size_t i = 0; i < set.lists[l].count; i++)
            sum += barrier_stencil_value(&law, (stencil_list)l, &set.lists[l].data[i], y);
    /* Four triangles, two of them nearest at an edge, two at the middle, where three edges end. */
    double edge = barrier_value(BARRIER_C2, 0.75, law.shat);
    double middle = barrier_value(BARRIER_C2, 1, law.shat);
    CHECK_NEAR(sum, 2 * edge - middle, 1e-12);
    candidate_set_free(&candidates);
    active_set_free(&set);
    surface_links_free(&links);
    collision_surface_free(&s);
}

/* The stiffness balances the other forces within its bounds, and doubles up to the upper one when a
 * tiny gap shrinks. */
TEST(stiffness)
{
    world w;
    vec3 x[2] = {{0, 1, 0}, {0, 0, 0}};
    make_world(&w, (const int[2]){1, 1}, x,
               (contact_options){.dhat = 0.1, .rule = STIFFNESS_BALANCED}, 0);
    contact_term *t = w.contact;
    t->kappa_min = 1;
    t->kappa_max = 10;
    static const double balanced[] = {0.5, 4, 50}, expected[] = {1, 4, 10};
    for (int k = 0; k < 3; k++) {
        double contact[6] = {0, -2, 0, 0, 2, 0}, other[6] = {7, 2 * balanced[k], 0, 0};
        other[4] = -other[1];
        CHECK_NEAR(contact_balance_stiffness(t, contact, other, 6, 0), expected[k], 1e-12);
    }
    double now = 3;
    static const double gap[] = {3, 2, 0.5, 0.4, 0.45, 0.3, 0.2}; /* in units of 1e-9 */
    static const double kappa[] = {3, 3, 3, 6, 6, 10, 10};
    for (int k = 0; k < 7; k++) {
        w.x[1] = 1e-9 * gap[k] * w.m->extent;
        update(&w);
        CHECK(contact_adapt_stiffness(t, &now) == (k > 0 && kappa[k] > kappa[k - 1]));
        CHECK(now == kappa[k]);
    }
    free_world(&w);
}

/* What can move decides which pairs are contacts, at once. */
TEST(fixed_pairs)
{
    world w;
    make_world(&w, (const int[2]){2, 2}, crossed, (contact_options){.dhat = 0.1}, 0);
    uint8_t fixed[12];
    for (int k = 0; k < 4; k++) {
        memset(fixed, k % 2 == 0, sizeof fixed);
        contact_set_fixed(w.contact, fixed);
        update(&w);
        CHECK(contact_count(w.contact) == (size_t)(k % 2));
    }
    free_world(&w);
}

/* Candidates for a path serve another one only if both of its ends are near. */
TEST(both_ends_are_covered)
{
    world w;
    make_world(&w, (const int[2]){2, 2}, crossed, (contact_options){.dhat = 0.1}, 0);
    swept_cover *t = &w.contact->search->swept_cover;
    vec3 far[4], back[4], still[4] = {{0}};
    for (int i = 0; i < 4; i++) {
        far[i] = vec3_add(crossed[i], vec3_make(1, 0, 0));
        back[i] = vec3_make(-1, 0, 0);
    }
    coordinate_path here = {w.x, w.x, crossed, still, 1}, arrives = {w.x, w.x, far, back, 1},
                    leaves = {w.x, w.x, crossed, back, 1}, near = {w.x, w.x, crossed, back, 0.01};
    swept_cover_set(t, &here);
    CHECK(swept_cover_contains(t, &here, 0.02) && swept_cover_contains(t, &near, 0.02));
    CHECK(!swept_cover_contains(t, &arrives, 0.02) && !swept_cover_contains(t, &leaves, 0.02));
    free_world(&w);
}

int main(void)
{
    RUN(stiffness);
    RUN(fixed_pairs);
    RUN(both_ends_are_covered);
    RUN(coefficients);
    RUN(mollified_angles);
    RUN(weights_of_edges);
    RUN(gaps);
    RUN(equal_features_are_one_stencil);
    RUN(points_and_wires);
    RUN(whole_turns);
    RUN(neighbours_are_no_inner_vertices);
    return TEST_END();
}
