#include "constraint/axis_law.h"

#include <math.h>

/* Speeds below which friction counts as static: rad/s, and shares of the scene's size per second.
 */
static const double STICKING = 1e-3;

double axis_limit_range(const joint_axis *axis, joint_coordinate which, double length_scale)
{
    double most = which == JOINT_TURN ? 0.05 : 0.01 * length_scale;
    return fmin(most, 0.05 * (axis->upper - axis->lower));
}

double axis_gap(const joint_axis *axis, double y) { return fmin(y - axis->lower, axis->upper - y); }

bool axis_law_needed(const joint_axis *axis)
{
    return isfinite(axis->lower) || isfinite(axis->upper) || axis->friction > 0 ||
           axis->damping > 0 || axis->stiffness > 0 ||
           (axis->drive.kind != DRIVE_NONE && !joint_drive_is_exact(axis));
}

/* sign: +1 for the lower limit, where the gap grows with y. */
static void add_limit(double gap, double sign, double range, double kappa, law_value *v)
{
    double s = gap / range;
    if (!(s < 1)) return;
    if (!(s > 0)) {
        v->energy = INFINITY;
        return;
    }
    double l = log(s), t = s - 1;
    v->energy += -kappa * t * t * l;
    v->first += sign * kappa / range * (-2 * t * l - t * t / s);
    v->second += kappa / (range * range) * (-2 * l - 4 * t / s + t * t / (s * s));
}

static void add_friction(double force, double e, double u, law_value *v)
{
    double a = fabs(u);
    if (a >= e) {
        v->energy += force * a;
        v->first += copysign(force, u);
        return;
    }
    v->energy += force * (a * a / e - a * a * a / (3 * e * e) + e / 3);
    v->first += copysign(force * (2 * a / e - a * a / (e * e)), u);
    v->second += force * (2 / e - 2 * a / (e * e));
}

/* Quadratic about y0, or with a slope that tends to `most`. */
static void add_servo(double stiffness, double most, double e, law_value *v)
{
    if (isinf(most)) {
        v->energy += 0.5 * stiffness * e * e;
        v->first += stiffness * e;
        v->second += stiffness;
        return;
    }
    double w = most / stiffness, r = sqrt(1 + e / w * (e / w));
    v->energy += most * w * (e / w * (e / w)) / (r + 1);
    v->first += stiffness * e / r;
    v->second += stiffness / (r * r * r);
}

static void add_drive(const joint_drive *d, const joint_step *step, joint_coordinate which,
                      double y, law_value *v)
{
    double target = step->target[which], start = step->start[which], h = step->h;
    if (d->kind == DRIVE_EFFORT) {
        v->energy -= target * (y - start);
        v->first -= target;
        return;
    }
    bool position = d->kind == DRIVE_POSITION;
    double kp = position ? d->stiffness : 0, stiffness = kp + d->damping / h;
    if (!(stiffness > 0)) return;
    double speed = position ? 0 : target;
    double y0 = (kp * target * (position ? 1 : 0) + d->damping * (start / h + speed)) / stiffness;
    add_servo(stiffness, d->most, y - y0, v);
}

law_value axis_law(const joint_axis *axis, joint_coordinate which, const joint_step *step, double y)
{
    law_value v = {0};
    double u = y - step->start[which], h = step->h;
    if (isfinite(axis->lower) || isfinite(axis->upper)) {
        double range = axis_limit_range(axis, which, step->length_scale);
        double kappa = step->inertia[which] / (h * h) * range * range;
        add_limit(y - axis->lower, 1, range, kappa, &v);
        add_limit(axis->upper - y, -1, range, kappa, &v);
    }
    double rest = y - axis->rest;
    v.energy += 0.5 * axis->stiffness * rest * rest + 0.5 * axis->damping / h * u * u;
    v.first += axis->stiffness * rest + axis->damping / h * u;
    v.second += axis->stiffness + axis->damping / h;
    double sticking = STICKING * (which == JOINT_TURN ? 1 : step->length_scale);
    if (axis->friction > 0) add_friction(axis->friction, h * sticking, u, &v);
    if (axis->drive.kind != DRIVE_NONE && !joint_drive_is_exact(axis))
        add_drive(&axis->drive, step, which, y, &v);
    return v;
}

double axis_drive_effort(const joint_axis *axis, joint_coordinate which, const joint_step *step,
                         double y)
{
    law_value v = {0};
    if (axis->drive.kind != DRIVE_NONE && !joint_drive_is_exact(axis))
        add_drive(&axis->drive, step, which, y, &v);
    return -v.first;
}
