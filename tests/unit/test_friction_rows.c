/* Friction of a body of higher order that slides down a slope: pulled back to the nodes, its forces
 * stay in the plane of contact. */
#include "support/scene_text.h"

#include "term/element.h"

static abut_error err;

TEST(friction_stays_tangential_at_the_nodes)
{
    static const char text[] =
        "{'abut': 1, 'time': {'step': 0.01, 'steps': 30}, 'gravity': [4, -9, 1], 'contact': "
        "{'dhat': 2e-3, 'friction': 0.3}, 'half_spaces': [{'origin': [0, -0.1015, 0], 'normal': "
        "[0, 1, 0]}], 'bodies': [{'mesh': {'box': {'size': [0.2, 0.2, 0.2], 'cells': [1, 1, 1]}}, "
        "'order': 2, 'surface': {'segments': 3}, 'material': {'young': 1e6, 'poisson': 0.3}}]}";
    scene_def *scene;
    stepper *s = build_scene(text, &scene);
    if (!s) return;
    for (int k = 0; k < 30; k++) {
        step_statistics statistics;
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
    }
    CHECK(s->model->surface.general);
    size_t scalars = s->state.scalars;
    double *force = mem_calloc(scalars, sizeof *force), along = 0, across = 0;
    term_add_gradient(&s->friction->base, &s->evaluation, s->x, force);
    for (size_t i = 0; i < scalars / 3; i++) {
        along += fabs(force[3 * i]) + fabs(force[3 * i + 2]);
        across += fabs(force[3 * i + 1]);
    }
    CHECK(along > 0 && across <= 1e-12 * along);
    mem_free(force);
    drop_scene(s, scene);
}

int main(void)
{
    RUN(friction_stays_tangential_at_the_nodes);
    return TEST_END();
}
