#include "step/dirichlet_data.h"

#include "math/rotation.h"

#include <math.h>
#include <string.h>

void condition_free(condition *c)
{
    array_free(&c->nodes);
    array_free(&c->motions);
    array_free(&c->frames);
    for (int k = 0; k < 3; k++) expression_free(c->displacement[k]);
    memset(c, 0, sizeof *c);
}

/* Step times are sums of steps: a limit of 0.5 must not miss 0.49999999999. */
static double slack(double time) { return 1e-9 * (1 + fabs(time)); }

bool time_within(double time, double from, double until)
{
    return time >= from - slack(time) && time < until - slack(time);
}

bool condition_active(const condition *c, double time)
{
    return *c->began != CONDITION_RELEASED && time_within(time, c->from, c->until);
}

void condition_release(condition *c, vec3 lowest)
{
    if (c->has_release && vec3_get(lowest, c->release_axis) > c->release_beyond)
        *c->began = CONDITION_RELEASED;
}

/* How long a motion has lasted at `time`. */
static double duration(const motion *m, double time)
{
    return fmax(0, (time < m->until ? time : m->until) - m->from);
}

/* Applies one motion, as far as it has come at `time`. */
static vec3 apply(const motion *m, vec3 center, vec3 p, double time)
{
    double tau = duration(m, time);
    if (tau <= 0) return p;
    mat3 r = rotation_matrix(vec3_scale(tau, m->angular_velocity));
    vec3 turned = vec3_add(center, mat3_mul_vec(r, vec3_sub(p, center)));
    return vec3_mul_add(turned, tau, m->velocity);
}

vec3 condition_target(const condition *c, vec3 start, double time)
{
    vec3 p = start;
    for (size_t k = 0; k < c->motions.count; k++) {
        /* The centre rides on the motions before this one. */
        vec3 center = c->motions.data[k].center;
        for (size_t j = 0; j < k; j++)
            center = apply(&c->motions.data[j], c->motions.data[j].center, center, time);
        p = apply(&c->motions.data[k], center, p, time);
    }
    return p;
}

mat3 condition_rotation(const condition *c, double time)
{
    mat3 r = mat3_identity();
    for (size_t k = 0; k < c->motions.count; k++) {
        const motion *m = &c->motions.data[k];
        r = mat3_mul(rotation_matrix(vec3_scale(duration(m, time), m->angular_velocity)), r);
    }
    return r;
}

size_t condition_frame(double steps, size_t count, double *share)
{
    static const double ROUNDING = 1e-6;
    double frame = fmax(1, fmin(ceil(steps - ROUNDING), (double)count));
    *share = steps > frame - ROUNDING ? 1 : fmax(0, steps - (frame - 1));
    return (size_t)frame;
}

vec3 condition_node_target(const condition *c, size_t i, double time)
{
    size_t count = c->frames.count / (3 * c->nodes.count);
    vec3 start = vec3_load(c->start + 3 * i);
    if (c->displacement[0]) {
        vec3 u = {expression_value(c->displacement[0], start.x, start.y, start.z, time),
                  expression_value(c->displacement[1], start.x, start.y, start.z, time),
                  expression_value(c->displacement[2], start.x, start.y, start.z, time)};
        return vec3_add(start, u);
    }
    if (count == 0) return condition_target(c, start, time);
    if (c->frames_between) {
        double frame = fmin(fmax(time / c->frame_step, 0), (double)(count - 1)),
               first = floor(frame);
        const double *at = c->frames.data + 3 * ((size_t)first * c->nodes.count + i);
        if (frame == first) return vec3_load(at);
        vec3 from = vec3_load(at), to = vec3_load(at + 3 * c->nodes.count);
        return vec3_mul_add(from, frame - first, vec3_sub(to, from));
    }
    double share;
    size_t frame = condition_frame(time / c->frame_step, count, &share);
    vec3 to = vec3_load(c->frames.data + 3 * ((frame - 1) * c->nodes.count + i));
    if (share == 1) return to;
    vec3 from =
        frame == 1 ? start : vec3_load(c->frames.data + 3 * ((frame - 2) * c->nodes.count + i));
    return vec3_mul_add(from, share, vec3_sub(to, from));
}

void condition_begin(condition *c, const double *x)
{
    if (*c->began) return;
    for (size_t i = 0; i < c->nodes.count; i++)
        memcpy(c->start + 3 * i, x + 3 * (size_t)c->nodes.data[i], 3 * sizeof(double));
    *c->began = 1;
}
