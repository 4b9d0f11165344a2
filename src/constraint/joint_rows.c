#include "constraint/joint_rows.h"

#include <math.h>
#include <string.h>

static const double TURN = 6.28318530717958647692;

static double stiffness_of(const joint_step *step, bool angular)
{
    return step->stiffness[angular ? 1 : 0];
}

/* The force of the next row of this value: lambda + K c, and K. False: it only counts. */
static bool add_value(const joint_step *step, double value, bool angular, joint_sum *sum,
                      double *force, double *stiffness)
{
    int i = sum->rows++;
    sum->value[i] = value;
    sum->angular[i] = angular;
    if (!sum->multiplier) return false;
    *stiffness = stiffness_of(step, angular);
    *force = sum->multiplier[i] + *stiffness * value;
    sum->energy += (sum->multiplier[i] + 0.5 * *stiffness * value) * value;
    return sum->derivatives;
}

/* Rows u_i - u_k, component by component. */
static void add_difference(const joint_step *step, const double *u, int i, int k, bool angular,
                           joint_sum *sum)
{
    for (int c = 0; c < 3; c++) {
        int a = 3 * i + c, b = 3 * k + c;
        double force, stiffness;
        if (sum->jacobian) {
            memset(sum->jacobian[sum->rows], 0, sizeof *sum->jacobian);
            sum->jacobian[sum->rows][a] = 1;
            sum->jacobian[sum->rows][b] = -1;
        }
        if (!add_value(step, u[a] - u[b], angular, sum, &force, &stiffness)) continue;
        sum->gradient[a] += force;
        sum->gradient[b] -= force;
        sum->hessian[a][a] += stiffness;
        sum->hessian[b][b] += stiffness;
        sum->hessian[a][b] -= stiffness;
        sum->hessian[b][a] -= stiffness;
    }
}

static void add_jet(const joint_step *step, const jet *row, bool angular, joint_sum *sum)
{
    double force, stiffness;
    if (sum->jacobian) memcpy(sum->jacobian[sum->rows], row->gradient, sizeof *sum->jacobian);
    if (!add_value(step, row->value, angular, sum, &force, &stiffness)) return;
    for (int i = 0; i < JET_SIZE; i++) {
        sum->gradient[i] += force * row->gradient[i];
        for (int k = 0; k < JET_SIZE; k++)
            sum->hessian[i][k] +=
                stiffness * row->gradient[i] * row->gradient[k] + force * row->hessian[i][k];
    }
}

/* direction of side A . d */
static void along(const double *u, int direction, jet *out)
{
    jet_zero(out);
    jet_add_dot(out, 1, u, feature_of(0, direction), feature_of(1, FEATURE_POINT));
    jet_add_dot(out, -1, u, feature_of(0, direction), feature_of(0, FEATURE_POINT));
}

static void distance(const double *u, double length, jet *out)
{
    int a = feature_of(0, FEATURE_POINT), b = feature_of(1, FEATURE_POINT);
    jet_zero(out);
    jet_add_dot(out, 1, u, a, a);
    jet_add_dot(out, 1, u, b, b);
    jet_add_dot(out, -2, u, a, b);
    double d2 = 0; /* without the cancellation of the three products */
    for (int c = 0; c < 3; c++) d2 += (u[3 * b + c] - u[3 * a + c]) * (u[3 * b + c] - u[3 * a + c]);
    double d = sqrt(d2);
    if (d > 0)
        jet_compose(out, d - length, 0.5 / d, -0.25 / (d2 * d));
    else
        jet_compose(out, -length, 0, 0);
}

/* Sine and cosine of the angle about the axis, each times the same factor. */
static void turn_parts(const double *u, jet *sine, jet *cosine)
{
    int na = feature_of(0, FEATURE_N), ba = feature_of(0, FEATURE_B);
    int nb = feature_of(1, FEATURE_N), bb = feature_of(1, FEATURE_B);
    jet_zero(sine);
    jet_zero(cosine);
    jet_add_dot(cosine, 1, u, na, nb);
    jet_add_dot(cosine, 1, u, ba, bb);
    jet_add_dot(sine, 1, u, ba, nb);
    jet_add_dot(sine, -1, u, na, bb);
}

/* The angle nearest to the one at the start of the step: turns are counted. */
static double unwrap(double angle, double start) { return start + remainder(angle - start, TURN); }

bool joint_has(const model_joint *j, joint_coordinate which)
{
    unsigned has = joint_kinds[j->kind].has;
    return which == JOINT_TURN ? has & HAS_TURN : has & (HAS_SLIDE | HAS_LENGTH);
}

void joint_coordinate_jet(const model_joint *j, joint_coordinate which, double start,
                          const double u[JET_SIZE], jet *out)
{
    if (which == JOINT_SLIDE) {
        if (joint_kinds[j->kind].has & HAS_LENGTH)
            distance(u, j->length, out);
        else
            along(u, FEATURE_A, out);
        return;
    }
    jet sine, cosine;
    turn_parts(u, &sine, &cosine);
    jet_atan2(&sine, &cosine, out);
    out->value = unwrap(out->value, start);
}

static double dot_of(const double *u, int i, int k)
{
    return u[3 * i] * u[3 * k] + u[3 * i + 1] * u[3 * k + 1] + u[3 * i + 2] * u[3 * k + 2];
}

double joint_coordinate_value(const model_joint *j, joint_coordinate which, double start,
                              const double u[JET_SIZE])
{
    vec3 d = vec3_sub(vec3_load(u + 3 * feature_of(1, FEATURE_POINT)), vec3_load(u));
    if (which == JOINT_SLIDE && joint_kinds[j->kind].has & HAS_LENGTH)
        return vec3_norm(d) - j->length;
    if (which == JOINT_SLIDE) return vec3_dot(vec3_load(u + 3 * FEATURE_A), d);
    int na = feature_of(0, FEATURE_N), ba = feature_of(0, FEATURE_B);
    int nb = feature_of(1, FEATURE_N), bb = feature_of(1, FEATURE_B);
    return unwrap(
        atan2(dot_of(u, ba, nb) - dot_of(u, na, bb), dot_of(u, na, nb) + dot_of(u, ba, bb)), start);
}

bool joint_drive_is_exact(const joint_axis *axis)
{
    return axis->drive.kind == DRIVE_POSITION && !(axis->drive.stiffness > 0);
}

static void add_screw(const model_joint *j, const joint_step *step, const double *u, joint_sum *sum)
{
    jet turn, slide;
    joint_coordinate_jet(j, JOINT_TURN, step->start[JOINT_TURN], u, &turn);
    along(u, FEATURE_A, &slide);
    double pitch = j->lead / TURN;
    slide.value -= pitch * turn.value;
    for (int i = 0; i < JET_SIZE; i++) {
        slide.gradient[i] -= pitch * turn.gradient[i];
        for (int k = 0; k < JET_SIZE; k++) slide.hessian[i][k] -= pitch * turn.hessian[i][k];
    }
    add_jet(step, &slide, false, sum);
}

static void add_drives(const model_joint *j, const joint_step *step, const double *u,
                       joint_sum *sum)
{
    for (int y = 0; y < JOINT_COORDINATES; y++) {
        if (!joint_has(j, (joint_coordinate)y) || !joint_drive_is_exact(&j->axis[y])) continue;
        jet row;
        joint_coordinate_jet(j, (joint_coordinate)y, step->start[y], u, &row);
        row.value -= step->target[y];
        add_jet(step, &row, y == JOINT_TURN, sum);
    }
}

void joint_add_rows(const model_joint *j, const joint_step *step, const double u[JET_SIZE],
                    joint_sum *sum)
{
    unsigned holds = joint_kinds[j->kind].holds;
    jet row;
    if (holds & HOLDS_POINT && !(j->stiffness > 0))
        add_difference(step, u, feature_of(1, FEATURE_POINT), feature_of(0, FEATURE_POINT), false,
                       sum);
    if (holds & HOLDS_LINE)
        for (int f = FEATURE_N; f <= FEATURE_B; f++) {
            along(u, f, &row);
            add_jet(step, &row, false, sum);
        }
    if (holds & HOLDS_PLANE) {
        along(u, FEATURE_A, &row);
        add_jet(step, &row, false, sum);
    }
    for (int f = FEATURE_N; f <= FEATURE_A; f++)
        if (holds & HOLDS_FRAME || (holds & HOLDS_AXIS && f == FEATURE_A))
            add_difference(step, u, feature_of(1, f), feature_of(0, f), true, sum);
    if (holds & HOLDS_CROSS) {
        jet_zero(&row);
        jet_add_dot(&row, 1, u, feature_of(0, FEATURE_A), feature_of(1, FEATURE_N));
        add_jet(step, &row, true, sum);
    }
    if (holds & HOLDS_LENGTH) {
        distance(u, j->length, &row);
        add_jet(step, &row, false, sum);
    }
    if (holds & HOLDS_SCREW) add_screw(j, step, u, sum);
    add_drives(j, step, u, sum);
}
