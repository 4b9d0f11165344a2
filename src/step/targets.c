/* Targets that a caller sets between steps, on top of those of the scene. */
#include "step/stepper_internal.h"

#include "math/rotation.h"

#include <math.h>

abut_status stepper_want_targets(stepper *s, abut_error *err)
{
    if (s->dirichlet.user) return ABUT_OK;
    s->dirichlet.user = mem_alloc(s->state.scalars, sizeof *s->dirichlet.user);
    if (!s->dirichlet.user) return error_memory(err, "setting targets");
    for (size_t i = 0; i < s->state.scalars; i++) s->dirichlet.user[i] = NAN;
    return ABUT_OK;
}

abut_status stepper_check_targets(const stepper *s, abut_error *err)
{
    for (size_t i = 0; s->dirichlet.user && i < s->state.scalars; i++)
        if (isinf(s->dirichlet.user[i]))
            return error_set(err, ABUT_ERROR_INPUT, "targets", "that of node %zu is infinite",
                             i / 3);
    return ABUT_OK;
}

/* Rotation vectors that are given whole mean an orientation: the one of the branch that is nearest.
 */
static vec3 nearest_turn(vec3 goal, vec3 now)
{
    return rotation_vector_near(rotation_matrix(goal), now);
}

/* How much of the path that is left of the whole step is done at `end`: sub-steps go along a
 * straight line. */
static double share_of_step(const stepper *s, double end)
{
    double whole = (double)(s->state.steps + 1) * s->options.h;
    return end < whole && s->time < whole ? (end - s->time) / (whole - s->time) : 1;
}

static void prescribe_block(stepper *s, size_t block, vec3 goal, double share)
{
    for (int axis = 0; axis < 3; axis++) {
        size_t at = 3 * block + (size_t)axis;
        double to = vec3_get(goal, axis), now = s->state.x[at];
        if (isnan(to)) continue;
        s->dirichlet.target[at] = share == 1 ? to : now + share * (to - now);
        s->dirichlet.fixed[at] = 1;
    }
}

void stepper_set_user_targets(stepper *s, double end)
{
    const double *user = s->dirichlet.user;
    if (!user) return;
    double share = share_of_step(s, end);
    for (size_t i = 0; i < s->model->rest.count; i++) {
        const model_body *body = &s->model->bodies.data[s->model->body.data[i]];
        bool turn = body->rigid >= 0 && !s->model->rigids.data[body->rigid].affine &&
                    (int32_t)i == body->first_block + 1;
        vec3 goal = vec3_load(user + 3 * i);
        bool whole = !isnan(goal.x) && !isnan(goal.y) && !isnan(goal.z);
        if (turn && whole) goal = nearest_turn(goal, vec3_load(s->state.x + 3 * i));
        prescribe_block(s, i, goal, share);
    }
}
