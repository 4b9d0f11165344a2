/* Pairs count by the inertia of their softer side. */
#include "support/scene_text.h"

#include "contact/pair_stiffness.h"
#include "sim/sim.h"

static abut_error err;

/* A light and a heavy soft cube side by side on a plane, and a rigid box beside them. */
static const char text[] =
    "{'abut': 1, 'ground': 0, 'time': {'step': 0.01, 'steps': 400%s}, 'contact': {'dhat': 2e-3%s}, "
    "'bodies': [{'name': 'light', 'material': {'young': 1e5, 'poisson': 0.4, 'density': 10}, "
    "'mesh': {'box': {'size': [0.1, 0.1, 0.1], 'cells': [1, 1, 1]}}, 'translate': [0, 0.051, 0]}, "
    "{'name': 'heavy', 'material': {'young': 1e5, 'poisson': 0.4, 'density': 10000}, 'mesh': "
    "{'box': {'size': [0.1, 0.1, 0.1], 'cells': [1, 1, 1]}}, 'translate': [0.101, 0.051, 0]}, "
    "{'name': 'box', 'type': 'rigid', 'density': 1000, 'mesh': {'box': {'size': [0.1, 0.2, 0.3], "
    "'cells': [1, 1, 1]}}, 'translate': [5, 0.101, 0]}]}";

static stepper *begin(const char *time, const char *more, scene_def **scene)
{
    char scene_text[1500];
    snprintf(scene_text, sizeof scene_text, text, time, more);
    stepper *s = build_scene(scene_text, scene);
    if (s) CHECK_OK(problem_update(&s->problem, &s->evaluation, s->state.x, &err), err);
    return s;
}

static double node_mass(const stepper *s, int32_t vertex)
{
    return s->model->mass.data[s->model->surface.rows.data[vertex].block];
}

TEST(soft_bodies_count_by_their_nodes)
{
    scene_def *scene;
    stepper *s = begin("", "", &scene);
    if (!s) return;
    const contact_term *c = s->contact;
    const int32_t *body = s->model->surface.vertex_body.data;
    double unit = 0;
    size_t light = 0, heavy = 0, between = 0;
    for (size_t i = 0; i < c->plane_contacts.count; i++) {
        const plane_contact *p = &c->plane_contacts.data[i];
        if (body[p->vertex] == 2) continue;
        double now = p->weight / node_mass(s, p->vertex);
        if (unit == 0) unit = now;
        CHECK_NEAR(now, unit, 1e-12 * unit);
        *(body[p->vertex] == 0 ? &light : &heavy) += 1;
    }
    CHECK(light == 4 && heavy == 4 && unit > 0);
    /* The lighter side decides: 8 vertices of either side face a triangle or its features. */
    for (int k = 0; k < STENCIL_LISTS; k++)
        for (size_t i = 0; i < c->active.lists[k].count; i++, between++)
            CHECK(c->active.lists[k].data[i].multiplicity < 1e-2 * unit * 10000 * 1e-3);
    CHECK(between > 0);
    drop_scene(s, scene);
}

/* The vertex of a box moves by 1/m + 1/3 sum r_perp^2 / I under a unit impulse, in the mean over
 * its directions. */
TEST(rigid_bodies_count_by_their_compliance)
{
    scene_def *scene;
    stepper *s = begin("", "", &scene);
    if (!s) return;
    double m = 1000 * 0.1 * 0.2 * 0.3, a = 0.1, b = 0.2, d = 0.3;
    double moments[3] = {m / 12 * (b * b + d * d), m / 12 * (a * a + d * d),
                         m / 12 * (a * a + b * b)};
    double expected = 1 / m, *found = mem_calloc(s->model->surface.rows.count, sizeof *found);
    expected += ((b * b + d * d) / 4 / moments[0] + (a * a + d * d) / 4 / moments[1] +
                 (a * a + b * b) / 4 / moments[2]) /
                3;
    vertex_compliances(s->model, 1, found);
    size_t checked = 0;
    for (size_t i = 0; i < s->model->surface.rows.count; i++)
        if (s->model->surface.vertex_body.data[i] == 2) {
            CHECK_NEAR(found[i], expected, 1e-9 * expected);
            checked++;
        }
    CHECK(checked == 8);
    mem_free(found);
    drop_scene(s, scene);
}

/* y = q + A X: a unit impulse at X moves it by 1/m + sum X_i^2 / J_ii. */
TEST(affine_bodies_count_by_their_compliance)
{
    static const char cube[] =
        "{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'bodies': [{'type': 'affine', 'density': "
        "1000, 'mesh': {'box': {'size': [0.1, "
        "0.2, 0.3], 'cells': [1, 1, 1]}}}, {'name': 'wall', 'type': 'obstacle', 'mesh': {'box': "
        "{'size': [1, "
        "1, 1], 'cells': [1, 1, 1]}}, 'translate': [3, 0, 0]}]}";
    scene_def *scene;
    stepper *s = build_scene(cube, &scene);
    if (!s) return;
    double m = 6, found[16], expected = (1 + 3 * 0.25 * 12) / m;
    CHECK(s->model->surface.rows.count == 16);
    vertex_compliances(s->model, 1, found);
    for (size_t i = 0; i < 8; i++) CHECK_NEAR(found[i], expected, 1e-9 * expected);
    for (size_t i = 8; i < 16; i++) CHECK(found[i] == 0); /* obstacles do not yield */
    drop_scene(s, scene);
}

static bool has_weights(const char *time, const char *more)
{
    scene_def *scene;
    stepper *s = begin(time, more, &scene);
    if (!s) return false;
    bool has = s->contact->weights.compliance != NULL;
    drop_scene(s, scene);
    return has;
}

TEST(other_rules_have_none)
{
    CHECK(has_weights("", ""));
    CHECK(!has_weights("", ", 'stiffness_rule': 'balanced'"));
    CHECK(!has_weights("", ", 'stiffness': 1e8"));
    CHECK(!has_weights("", ", 'improved_max': true"));
    CHECK(!has_weights(", 'integrator': 'quasi-static'", ""));
}

/* Iterations of 30 steps of examples/contact/mass-ratio. */
static int iterations(const char *rule)
{
    const char *overrides[] = {rule};
    abut_sim_options options = abut_default_sim_options();
    options.overrides = overrides;
    options.override_count = 1;
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_load("examples/contact/mass-ratio/scene.json", &options, &sim, &err), err);
    int sum = 0;
    for (int k = 0; sim && k < 30; k++) {
        CHECK_OK(abut_sim_step(sim, &err), err);
        sum += sim->last.newton_iterations;
    }
    abut_sim_destroy(sim);
    return sum;
}

TEST(mixed_masses_take_fewer_iterations)
{
    int local = iterations("contact.stiffness_rule=\"local\"");
    int balanced = iterations("contact.stiffness_rule=\"balanced\"");
    CHECK(local > 30 && local < 0.75 * balanced);
}

int main(void)
{
    RUN(soft_bodies_count_by_their_nodes);
    RUN(rigid_bodies_count_by_their_compliance);
    RUN(affine_bodies_count_by_their_compliance);
    RUN(other_rules_have_none);
    RUN(mixed_masses_take_fewer_iterations);
    return TEST_END();
}
