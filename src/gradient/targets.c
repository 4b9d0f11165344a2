/* Prescribed scalars: where their targets come from. */
#include "gradient/adjoint.h"

#include <math.h>

/* Targets are smooth functions of where a condition began, most of them affine ones. */
static double difference_step(double at) { return 1e-5 * (1 + fabs(at)); }

/* Takes the derivatives by the targets of one node, and adds what they are by its start. */
static void pull_node(adjoint *a, condition *c, size_t i, double *start_bar)
{
    const stepper *s = a->s;
    double *target = a->target + 3 * (size_t)c->nodes.data[i], bar[3] = {0};
    for (int axis = 0; axis < 3; axis++)
        if (c->axes & 1 << axis) {
            bar[axis] = target[axis];
            target[axis] = 0;
        }
    if (bar[0] == 0 && bar[1] == 0 && bar[2] == 0) return;
    for (int k = 0; k < 3; k++) {
        double *at = &c->start[3 * i + (size_t)k], kept = *at, h = difference_step(kept);
        *at = kept + h;
        vec3 up = condition_node_target(c, i, s->scratch.span.end);
        *at = kept - h;
        vec3 down = condition_node_target(c, i, s->scratch.span.end);
        *at = kept;
        start_bar[3 * i + (size_t)k] += vec3_dot(vec3_load(bar), vec3_sub(up, down)) / (2 * h);
    }
}

/* The centre of a rigid body follows that of the start of its condition. */
static void pull_rigid(adjoint *a, rigid_condition *c, double *start_bar)
{
    const stepper *s = a->s;
    const rigid_body *b = &s->model->rigids.data[c->rigid];
    double *target = a->target + 3 * (size_t)b->block, bar[3] = {0};
    for (int axis = 0; axis < 3; axis++)
        if (c->path.axes & 1 << axis) {
            bar[axis] = target[axis];
            target[axis] = 0;
        }
    for (int k = 0; k < 3; k++) {
        double kept = c->start[k], h = difference_step(kept);
        vec3 up, down;
        mat3 frame;
        c->start[k] = kept + h;
        rigid_condition_pose(&s->rigid, c, b, s->scratch.span.end, &up, &frame);
        c->start[k] = kept - h;
        rigid_condition_pose(&s->rigid, c, b, s->scratch.span.end, &down, &frame);
        c->start[k] = kept;
        start_bar[k] += vec3_dot(vec3_load(bar), vec3_sub(up, down)) / (2 * h);
    }
    bool moves = c->path.motions.count > 0 || c->poses.count > 0;
    size_t turned = b->affine ? 9 : 3;
    for (size_t k = 0; moves && k < turned; k++) /* given by the motion alone: it began unturned */
        target[3 + k] = 0;
}

void adjoint_pull_targets(adjoint *a, const int32_t *began, const int32_t *rigid_began)
{
    stepper *s = a->s;
    /* Of several conditions on a node the last one counts. */
    for (size_t k = s->rigid.conditions.count; k-- > 0;) {
        rigid_condition *c = &s->rigid.conditions.data[k];
        double *bar = a->bar.rigid_conditions.data + 3 * k;
        if (condition_active(&c->path, s->time)) pull_rigid(a, c, bar);
        if (rigid_began[k] || !condition_active(&c->path, s->time)) continue;
        double *at = a->start + 3 * (size_t)s->model->rigids.data[c->rigid].block;
        for (int i = 0; i < 3; i++) {
            at[i] += bar[i];
            bar[i] = 0;
        }
    }
    for (size_t k = s->dirichlet.conditions.count; k-- > 0;) {
        condition *c = &s->dirichlet.conditions.data[k];
        double *bar = a->bar.conditions.data + (c->start - s->dirichlet.start.data);
        if (!condition_active(c, s->time)) continue;
        for (size_t i = 0; i < c->nodes.count; i++) pull_node(a, c, i, bar);
        for (size_t i = 0; !began[k] && i < 3 * c->nodes.count; i++) {
            a->start[3 * (size_t)c->nodes.data[i / 3] + i % 3] += bar[i];
            bar[i] = 0;
        }
    }
    /* What is prescribed without a condition stays where it is. */
    for (size_t i = 0; i < s->state.scalars; i++) a->start[i] += a->target[i];
}
