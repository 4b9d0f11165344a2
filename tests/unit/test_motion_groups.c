/* What is prescribed, gathered by how it moves: the boxes of the groups hold all their vertices,
 * and only steps in which boxes meet are followed. */
#include "step/motion_groups.h"
#include "step/stepper_internal.h"
#include "support/scene_text.h"

static abut_error err;

#define SCENE(bodies)                                                                              \
    "{'abut': 1, 'time': {'step': 0.01, 'steps': 200}, 'gravity': [0, 0, 0], 'contact': {'dhat': " \
    "1e-3}, 'materials': {'m': {'young': 1e5, 'poisson': 0.4, 'density': 1000}}, 'bodies': "       \
    "[" bodies "]}"
#define CUBE "'mesh': {'box': {'size': [1, 1, 1], 'cells': [1, 1, 1]}}"
/* A soft bar along x from -2 to 2, both ends of which turn about the same axis against each other.
 */
#define BAR(name, y)                                                                               \
    "{'name': '" name "', 'material': 'm', 'mesh': {'box': {'size': [4, 1, 1], 'cells': [8, 2, "   \
    "2]}}, 'translate': [0, " y ", 0], 'fix': [{'nodes': {'box': [[-3, -9, -9], [-1.9, 9, 9]]}, "  \
    "'motion': {'angular_velocity': [90, 0, 0], 'center': [0, 0, 0]}}, {'nodes': {'box': [[1.9, "  \
    "-9, -9], [3, 9, 9]]}, 'motion': {'angular_velocity': [-90, 0, 0], 'center': [0, 0, 0]}}]}"

static const double H = 0.01;

/* Sets the targets of the first step, after which the conditions have begun. */
static bool make_groups(stepper *s, motion_groups *g)
{
    stepper_set_targets(s, H);
    motion_source from = {.contact = s->contact,
                          .rigid = &s->rigid,
                          .conditions = s->dirichlet.conditions.data,
                          .condition_count = s->dirichlet.conditions.count,
                          .x = s->state.x,
                          .known = s->dirichlet.fixed,
                          .h = H};
    abut_status status = motion_groups_make(g, &from, &err);
    CHECK_OK(status, err);
    return status == ABUT_OK;
}

static bool holds(const motion_box *b, vec3 p)
{
    return p.x >= b->low.x && p.y >= b->low.y && p.z >= b->low.z && p.x <= b->high.x &&
           p.y <= b->high.y && p.z <= b->high.z;
}

/* Goes on to the targets at `time` and compares boxes with vertices; returns whether all hold. */
static void go_and_compare(stepper *s, motion_groups *g, vec3 *before, vec3 *after, int step)
{
    const collision_surface *surface = &s->model->surface;
    s->time = (step - 1) * H;
    collision_surface_positions(surface, s->state.x, before);
    stepper_set_targets(s, step * H);
    memcpy(s->state.x, s->dirichlet.target, s->state.scalars * sizeof(double));
    collision_surface_positions(surface, s->state.x, after);
    motion_groups_may_meet(g, step * H);
    int bad = 0;
    for (size_t i = 0; i < surface->rows.count; i++) {
        int32_t group = g->of_vertex.data[i];
        if (group < 0) continue;
        const motion_group *of = &g->groups.data[group];
        bad += !holds(&of->now[0], after[i]) || !holds(&of->swept[0], after[i]) ||
               !holds(&of->swept[0], before[i]);
    }
    CHECK(bad == 0);
}

static void compare_boxes(const char *text, size_t groups, int grouped)
{
    scene_def *scene;
    stepper *s = build_scene(text, &scene);
    motion_groups g = {0};
    if (!s) return;
    if (make_groups(s, &g)) {
        size_t n = s->model->surface.rows.count;
        vec3 *y = mem_alloc(2 * n, sizeof *y);
        int count = 0;
        for (size_t i = 0; i < n; i++) count += g.of_vertex.data[i] >= 0;
        CHECK(g.groups.count == groups && count == grouped && !g.alone);
        for (int step = 1; y && step <= 100; step++) go_and_compare(s, &g, y, y + n, step);
        mem_free(y);
    }
    motion_groups_free(&g);
    drop_scene(s, scene);
}

TEST(boxes_hold_their_vertices)
{
    /* Two bars: two groups of clamps and what stays, which is nothing. */
    compare_boxes(SCENE(BAR("a", "1") "," BAR("b", "-1")), 3, 4 * 9);
    compare_boxes(
        SCENE("{'name': 'a', 'type': 'rigid', 'density': 1000, " CUBE
              ", 'translate': [0, 3, 0], 'motion': {'velocity': [1, 0.5, 0], "
              "'angular_velocity': [0, 70, 200]}}, {'name': 'wall', 'type': 'obstacle', " CUBE
              "}, {'name': 'o', 'type': 'obstacle', " CUBE
              ", 'translate': [5, 0, 0], 'motion': {'angular_velocity': [100, 20, 0], "
              "'velocity': [1, 2, 3]}}, {'name': 'p', 'type': 'affine', 'density': 1000, " CUBE
              ", 'translate': [9, 9, 9], 'poses': [{'translate': [1, 2, 3], 'turn': [0, "
              "0, 90]}, {'translate': [-1, 0, 0], 'turn': [40, 0, 0]}]}"),
        4, 4 * 8);
}

/* Steps in which the exact search is asked: only those in which the boxes are near. */
TEST(bodies_that_move_together_are_not_looked_at)
{
    scene_def *scene;
    stepper *s = build_scene(SCENE(BAR("a", "1") "," BAR("b", "-1")), &scene);
    motion_groups g = {0};
    if (!s) return;
    if (make_groups(s, &g))
        for (int step = 1; step <= 100; step++) CHECK(!motion_groups_may_meet(&g, step * H));
    motion_groups_free(&g);
    drop_scene(s, scene);
    /* A cube that comes to a wall: from the step in which its box meets that of the wall. */
    s = build_scene(SCENE("{'name': 'a', 'type': 'rigid', 'density': 1000, " CUBE
                          ", 'motion': {'velocity': [20, 0, 0]}}, {'name': 'wall', 'type': "
                          "'obstacle', " CUBE ", 'translate': [3.05, 0.1, 0.2]}"),
                    &scene);
    if (!s) return;
    if (make_groups(s, &g))
        for (int step = 1; step <= 30; step++) /* apart by 2.05 m, clear of it after 4.05 m */
            CHECK(motion_groups_may_meet(&g, step * H) == (step >= 11 && step <= 21));
    motion_groups_free(&g);
    drop_scene(s, scene);
}

/* Obstacles may overlap; half-spaces are looked at. */
TEST(obstacles_and_half_spaces)
{
    scene_def *scene;
    stepper *s = build_scene(SCENE("{'name': 'a', 'type': 'obstacle', " CUBE
                                   ", 'motion': {'velocity': [1, 0, 0]}}, {'name': 'b', 'type': "
                                   "'obstacle', " CUBE "}"),
                             &scene);
    motion_groups g = {0};
    if (!s) return;
    if (s->contact && make_groups(s, &g)) CHECK(!motion_groups_may_meet(&g, H));
    motion_groups_free(&g);
    drop_scene(s, scene);
    s = build_scene("{'abut': 1, 'time': {'step': 0.01, 'steps': 200}, 'ground': 0, 'bodies': "
                    "[{'name': 'a', 'type': 'rigid', 'density': 1000, " CUBE
                    ", 'translate': [0, 1, 0], 'motion': {'velocity': [0, -1, 0]}}]}",
                    &scene);
    if (!s) return;
    if (make_groups(s, &g))
        for (int step = 1; step <= 60; step++)
            CHECK(motion_groups_may_meet(&g, step * H) == (step >= 50));
    motion_groups_free(&g);
    drop_scene(s, scene);
}

/* Whether some vertex has no box, and whether all vertices are prescribed. */
static void find_alone(const char *text, bool alone)
{
    scene_def *scene;
    stepper *s = build_scene(text, &scene);
    motion_groups g = {0};
    if (!s) return;
    if (make_groups(s, &g)) {
        CHECK(g.alone == alone);
        for (size_t i = 0; i < g.of_vertex.count; i++) CHECK(g.of_vertex.data[i] != MOTION_UNKNOWN);
    }
    motion_groups_free(&g);
    drop_scene(s, scene);
}

#define FIXED(more, fix) SCENE("{'name': 'a', 'material': 'm', " CUBE more ", 'fix': " fix "}")
#define LEFT "'nodes': {'box': [[-1, -1, -1], [-0.2, 1, 1]]}"
#define RIGHT "'nodes': {'box': [[-0.2, -1, -1], [1, 1, 1]]}"

/* By an expression, by two conditions one after the other, and where a vertex of the surface
 * follows nodes of different motions. */
TEST(what_moves_otherwise_is_told)
{
    find_alone(FIXED("", "{'nodes': 'all', 'displacement': ['t', 't*x', '0']}"), true);
    find_alone(FIXED("", "{'nodes': 'all', 'motion': {'velocity': [1, 0, 0]}}"), false);
    find_alone(FIXED("", "[{'nodes': 'all', 'until': 0.1, 'motion': {'velocity': [1, 0, 0]}}, "
                         "{'nodes': 'all', 'from': 0.1, 'motion': {'from': 0.1, 'velocity': [0, 1, "
                         "0]}}]"),
               true);
    find_alone(FIXED("", "[{" LEFT ", 'motion': {'velocity': [1, 0, 0]}}, {" RIGHT "}]"), false);
    find_alone(FIXED(", 'order': 2, 'surface': {'segments': 4}",
                     "[{" LEFT ", 'motion': {'velocity': [1, 0, 0]}}, {" RIGHT "}]"),
               true);
}

int main(void)
{
    RUN(boxes_hold_their_vertices);
    RUN(bodies_that_move_together_are_not_looked_at);
    RUN(obstacles_and_half_spaces);
    RUN(what_moves_otherwise_is_told);
    return TEST_END();
}
