/* Dirichlet data of a step: which scalars are prescribed, and where they are at its end. */
#include "step/followers.h"
#include "step/stepper_internal.h"
#include "step/twist_motion.h"

#include <math.h>
#include <string.h>

/* Room for what the conditions remember. */
abut_status stepper_prepare_conditions(stepper *s, abut_error *err)
{
    size_t nodes = 0;
    for (size_t k = 0; k < s->dirichlet.conditions.count; k++)
        nodes += s->dirichlet.conditions.data[k].nodes.count;
    if (!array_resize(&s->dirichlet.start, 3 * nodes) ||
        !array_resize(&s->dirichlet.began, s->dirichlet.conditions.count))
        return error_memory(err, "preparing conditions");
    if (nodes) memset(s->dirichlet.start.data, 0, 3 * nodes * sizeof(double));
    size_t first = 0;
    for (size_t k = 0; k < s->dirichlet.conditions.count; k++) {
        condition *c = &s->dirichlet.conditions.data[k];
        c->start = s->dirichlet.start.data + first;
        c->began = &s->dirichlet.began.data[k];
        *c->began = 0;
        first += 3 * c->nodes.count;
    }
    return ABUT_OK;
}

static vec3 lowest_corner(const stepper *s)
{
    vec3 low = {INFINITY, INFINITY, INFINITY};
    for (size_t i = 0; i < s->model->rest.count; i++)
        if (!model_block_is_obstacle(s->model, i) && model_block_is_position(s->model, i))
            low = vec3_min(low, vec3_load(s->state.x + 3 * i));
    return low;
}

/* In the plane: z of all nodes stays, rigid bodies turn about z only, affine ones keep A's third
 * row and column. */
static void fix_plane(stepper *s)
{
    enum { PRESCRIBED = 2 }; /* turning in the plane stays free unless it was prescribed */
    const model *m = s->model;
    for (size_t r = 0; r < m->rigids.count; r++) {
        uint8_t *turn = s->dirichlet.fixed + 3 * ((size_t)m->rigids.data[r].block + 1) + 2;
        *turn = *turn ? PRESCRIBED : 0;
    }
    for (size_t i = 0; i < m->rest.count; i++) s->dirichlet.fixed[3 * i + 2] |= 1;
    for (size_t r = 0; r < m->rigids.count; r++) {
        const rigid_body *body = &m->rigids.data[r];
        uint8_t *second = s->dirichlet.fixed + 3 * ((size_t)body->block + 1);
        if (body->affine) {
            second[2] = 1;
            memset(second + 6, 1, 3);
        } else {
            second[2] = second[2] & PRESCRIBED ? 1 : 0;
            second[0] = second[1] = 1;
        }
    }
}

void stepper_set_targets(stepper *s, double time)
{
    size_t scalars = s->state.scalars;
    memset(s->dirichlet.fixed, 0, scalars);
    memcpy(s->dirichlet.target, s->state.x, scalars * sizeof *s->dirichlet.target);
    for (size_t k = 0; k < s->dirichlet.conditions.count; k++) {
        condition *c = &s->dirichlet.conditions.data[k];
        if (c->has_release) condition_release(c, lowest_corner(s));
        if (!condition_active(c, s->time)) continue;
        condition_begin(c, s->state.x);
        for (size_t i = 0; i < c->nodes.count; i++) {
            vec3 to = condition_node_target(c, i, time);
            double *target = s->dirichlet.target + 3 * (size_t)c->nodes.data[i];
            for (int axis = 0; axis < 3; axis++) {
                if (!(c->axes & 1 << axis)) continue;
                target[axis] = vec3_get(to, axis);
                s->dirichlet.fixed[3 * (size_t)c->nodes.data[i] + (size_t)axis] = 1;
            }
        }
    }
    for (size_t k = 0; k < s->rigid.conditions.count; k++) {
        condition *path = &s->rigid.conditions.data[k].path;
        if (path->has_release) condition_release(path, lowest_corner(s));
    }
    if (s->model->rigids.count > 0)
        rigid_motion_prescribe(&s->rigid, s->state.x, s->time, time, s->dirichlet.fixed,
                               s->dirichlet.target);
    if (s->model->codim.angle_rest.count > 0)
        twist_prescribe(s->model, s->dirichlet.conditions.data, s->dirichlet.conditions.count,
                        s->state.x, s->time, time, s->dirichlet.condition_of, s->dirichlet.fixed,
                        s->dirichlet.target);
    stepper_set_user_targets(s, time);
    if (s->model->planar) fix_plane(s);
    stepper_fix_followers(s);
}
