/* The exact check of accepted steps (contact/guard_term.h), and motions that cannot be reached. */
#include "support/scene_makers.h"
#include "test.h"

static abut_error err;

static stepper *checked_cubes(double gap, double dhat, bool check_every_trial)
{
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.02);
    options.contact = true;
    options.contact_options = (contact_options){.dhat = dhat};
    options.tolerance = 1e-4;
    options.check_every_trial = check_every_trial;
    return make_stepper(make_stacked_model(1, 2, gap), &options);
}

static stepper *two_cubes(double gap, double dhat) { return checked_cubes(gap, dhat, false); }

static bool check(stepper *s, const double *x, guard_finding *finding)
{
    bool found = false;
    CHECK_OK(guard_check(s->guard, x, &found, finding, &err), err);
    return found;
}

/* Moves the upper cube. */
static void shift(stepper *s, double *x, double by)
{
    const model_body *upper = &s->model->bodies.data[1];
    for (int32_t i = 0; i < upper->block_count; i++)
        x[3 * (size_t)(upper->first_block + i) + 1] += by;
}

TEST(finds_crossings)
{
    stepper *s = two_cubes(0.1, 1e-2);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    guard_finding finding;
    double *x = s->state.x;
    CHECK(!check(s, x, &finding));
    shift(s, x, -0.0999999); /* a tenth of a micrometre apart */
    CHECK(!check(s, x, &finding));
    shift(s, x, -0.0000002);
    CHECK(check(s, x, &finding));
    CHECK(finding.edge >= 0 && finding.triangle >= 0 && finding.plane < 0);
    char text[300];
    guard_describe(s->guard, &finding, text, sizeof text);
    CHECK(strstr(text, "passes through triangle") && strstr(text, "\"upper\"") &&
          strstr(text, "\"lower\""));
    /* Between bodies that are both prescribed nothing is looked for. */
    memset(s->dirichlet.fixed, 1, s->state.scalars);
    contact_set_fixed(s->contact, s->dirichlet.fixed);
    CHECK(!check(s, x, &finding));
    stepper_destroy(s);
}

TEST(finds_what_is_behind_planes)
{
    stepper *s = two_cubes(0.1, 1e-2);
    half_space floor = {.origin = {0, -0.501, 0}, .normal = {0, 1, 0}, .friction = -1};
    CHECK_OK(contact_add_half_space(s->contact, floor, &err), err);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    guard_finding finding;
    CHECK(!check(s, s->state.x, &finding));
    s->state.x[1] = -0.502;
    CHECK(check(s, s->state.x, &finding));
    CHECK(finding.plane == 0 && finding.vertex >= 0 && finding.edge < 0);
    char text[300];
    guard_describe(s->guard, &finding, text, sizeof text);
    CHECK(strstr(text, "of \"lower\" is behind half space 0"));
    stepper_destroy(s);
}

/* Contact whose collision detection sees nothing, as if it had a bug: the check finds the
 * intersection, and the repeated step ends without one; with a check of every move none is found
 * at the end, and no step is repeated. */
static void advance_blindly(bool check_every_trial)
{
    stepper *s = checked_cubes(0.02, 1e-4, check_every_trial);
    term_class blind = *s->contact->base.class;
    blind.max_step = NULL;
    s->contact->base.class = &blind;
    double *v = mem_calloc(s->state.scalars, sizeof *v);
    const model_body *upper = &s->model->bodies.data[1];
    for (int32_t i = 0; i < upper->block_count; i++)
        v[3 * (size_t)(upper->first_block + i) + 1] = -2;
    CHECK_OK(stepper_start(s, v, &err), err);
    int repeats = 0;
    for (int n = 0; n < 6; n++) {
        step_statistics now;
        guard_finding finding;
        CHECK_OK(stepper_advance(s, &now, &err), err);
        repeats += now.repeats;
        CHECK(!check(s, s->state.x, &finding));
        CHECK(!(s->evaluation.without & term_bit(&s->guard->base)) == check_every_trial);
    }
    CHECK((repeats > 0) == !check_every_trial);
    CHECK(s->timer.seconds[STAGE_CHECK] > 0);
    mem_free(v);
    stepper_destroy(s);
}

TEST(repeats_bad_steps) { advance_blindly(false); }

TEST(checks_every_move_on_request) { advance_blindly(true); }

/* ---------------------------------------------------------------------------------------------- */

TEST(notices_lack_of_progress)
{
    lagrangian_progress watch = {0};
    for (int i = 0; i < 400; i++) CHECK(lagrangian_progress_note(&watch, 0.3));
    CHECK(lagrangian_progress_note(&watch, 0.31)); /* that is progress */
    bool goes_on = true;
    int notes = 0;
    for (; goes_on && notes < 5000; notes++) goes_on = lagrangian_progress_note(&watch, 0.311);
    CHECK(!goes_on && notes > 400 && notes < 2000);
}

/* A body that fills a closed press: the lid has to go where there is no room. Volume cannot vanish,
 * so the step fails, says what is stuck, and leaves the state before it. */
TEST(unreachable_motion)
{
    model *m = make_box_model((vec3){1, 1, 1}, 2, 2, 2, ELASTIC_NEO_HOOKEAN);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.1);
    options.tolerance = 1e-3;
    options.max_iterations = 3000;
    stepper *s = make_stepper(m, &options);
    add_condition(s, (vec3){-1, -1, -1}, (vec3){1, -0.49, 1}, 0, INFINITY);
    condition *lid = add_condition(s, (vec3){-1, 0.49, -1}, (vec3){1, 1, 1}, 0, INFINITY);
    motion down = {.until = INFINITY, .velocity = {0, -2, 0}};
    if (!array_push(&lid->motions, down)) exit(EXIT_FAILURE);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    abut_status status = ABUT_OK;
    double *before = mem_alloc(s->state.scalars, sizeof *before);
    double time = 0;
    for (int n = 0; n < 8 && status == ABUT_OK; n++) {
        memcpy(before, s->state.x, s->state.scalars * sizeof *before);
        time = s->time;
        step_statistics now;
        status = stepper_advance(s, &now, &err);
        CHECK(smallest_volume(m, s->state.x) > 0);
    }
    CHECK(status == ABUT_ERROR_NOT_CONVERGED);
    CHECK(memcmp(before, s->state.x, s->state.scalars * sizeof *before) == 0);
    CHECK(s->time == time && time >= 0.3 - 1e-9);
    CHECK(strstr(err.message, "prescribed motion cannot be reached within this step"));
    CHECK(strstr(err.message, "m short of its target"));
    CHECK(strcmp(err.place, m->bodies.data[0].name) == 0);
    mem_free(before);
    stepper_destroy(s);
}

int main(void)
{
    RUN(finds_crossings);
    RUN(finds_what_is_behind_planes);
    RUN(repeats_bad_steps);
    RUN(checks_every_move_on_request);
    RUN(notices_lack_of_progress);
    RUN(unreachable_motion);
    return TEST_END();
}
