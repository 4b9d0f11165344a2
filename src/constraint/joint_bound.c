#include "constraint/joint_bound.h"

#include "constraint/axis_law.h"

#include <math.h>

/* ---------------------------------------------------------------------------------------------- */
/* Steps                                                                                          */

/* Speeds along p, per unit of the step: of the centre, and how fast directions turn. A rotation
 * vector that moves by p turns the body by at most |p|. Columns of an affine body that are near to
 * a rotation turn by at most twice their change. */
typedef struct side_speed {
    double center, turn, arm;
} side_speed;

static side_speed speed_of(const model *m, const joint_side *s, const double *p)
{
    side_speed v = {0};
    for (int i = 0; s->kind == SIDE_NODES && i < s->count; i++)
        v.center += fabs(s->weights[i]) * vec3_norm(vec3_load(p + 3 * (size_t)s->blocks[i]));
    if (s->kind != SIDE_BODY) return v;
    const rigid_body *b = &m->rigids.data[s->rigid];
    const double *at = p + 3 * (size_t)b->block;
    v.center = vec3_norm(vec3_load(at));
    v.arm = vec3_norm(s->point);
    if (!b->affine) {
        v.turn = vec3_norm(vec3_load(at + 3));
        return v;
    }
    for (int k = 1; k <= 3; k++) v.turn += vec3_norm2(vec3_load(at + 3 * k));
    v.turn = 2 * sqrt(v.turn);
    return v;
}

/* Conservative advancement: a coordinate that changes by at most `rate` per unit cannot use up its
 * gap within gap / rate. */
static double advance(const joint_set *set, size_t joint, joint_coordinate which, double rate,
                      const double *x, const double *p, double limit)
{
    enum { ROUNDS = 40 };
    static const double SHARE = 0.9, LEFT = 0.1;
    const model_joint *j = &set->model->joints.data[joint];
    double start = set->steps[joint].start[which], at = 0, first = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double u[JET_SIZE];
        joint_features_along(set->model, j, x, p, at, u);
        double gap = axis_gap(&j->axis[which], joint_coordinate_value(j, which, start, u));
        if (round == 0) first = gap;
        if (!(gap > LEFT * first)) break;
        at += SHARE * gap / rate;
        if (at >= limit) return limit;
    }
    return at;
}

double joint_max_step(const joint_set *set, size_t joint, const double *x, const double *p,
                      double limit)
{
    static const double MOST_TURN = 2; /* rad */
    const model_joint *j = &set->model->joints.data[joint];
    if (item_is_coupling(j) || set->steps[joint].broken) return limit;
    side_speed a = speed_of(set->model, &j->side[0], p), b = speed_of(set->model, &j->side[1], p);
    double turn = a.turn + b.turn;
    if (joint_has(j, JOINT_TURN) && turn * limit > MOST_TURN) limit = MOST_TURN / turn;
    double u[JET_SIZE];
    joint_features(set->model, j, x, u);
    double d = vec3_norm(vec3_sub(vec3_load(u + 3 * FEATURES), vec3_load(u)));
    double apart = a.center + b.center + b.arm * b.turn + a.arm * a.turn;
    double rates[JOINT_COORDINATES] = {turn, apart + (d + apart * limit) * a.turn};
    for (int y = 0; y < JOINT_COORDINATES; y++) {
        const joint_axis *axis = &j->axis[y];
        if (!joint_has(j, (joint_coordinate)y) || !(rates[y] > 0)) continue;
        if (isfinite(axis->lower) || isfinite(axis->upper))
            limit = advance(set, joint, (joint_coordinate)y, rates[y], x, p, limit);
    }
    return limit;
}

/* ---------------------------------------------------------------------------------------------- */
/* Masses                                                                                         */

static vec3 center_of(const model *m, const joint_side *s, const double *x)
{
    return vec3_load(x + 3 * (size_t)m->rigids.data[s->rigid].block);
}

/* Adds what a unit of force and of torque moves a side by, per unit of time squared; lever: from
 * the centre to where the force acts. */
static void add_mobility(const model *m, const joint_side *s, const double *x, vec3 point,
                         double *linear, double *angular)
{
    for (int i = 0; s->kind == SIDE_NODES && i < s->count; i++)
        *linear += s->weights[i] * s->weights[i] / m->mass.data[s->blocks[i]];
    if (s->kind != SIDE_BODY) return;
    const rigid_body *b = &m->rigids.data[s->rigid];
    double trace = b->moment.m[0][0] + b->moment.m[1][1] + b->moment.m[2][2];
    double inertia = fmax(2 * trace / 3, 1e-12 * b->mass);
    double lever2 = vec3_norm2(vec3_sub(point, center_of(m, s, x)));
    *linear += 1 / b->mass + 2.0 / 3 * lever2 / inertia;
    *angular += 1 / inertia;
}

static void side_masses(const model *m, const model_joint *j, const double *x, double *mass,
                        double *inertia)
{
    double linear = 0, angular = 0, u[JET_SIZE];
    joint_features(m, j, x, u);
    vec3 point = vec3_load(u + 3 * FEATURES);
    for (int k = 0; k < 2; k++) add_mobility(m, &j->side[k], x, point, &linear, &angular);
    *mass = linear > 0 ? 1 / linear : 1;
    *inertia = angular > 0 ? 1 / angular : *mass;
}

void joint_masses(const model *m, size_t joint, const double *x, double *mass, double *inertia)
{
    const model_joint *j = &m->joints.data[joint];
    if (!item_is_coupling(j)) {
        side_masses(m, j, x, mass, inertia);
        return;
    }
    double other_mass, other_inertia;
    side_masses(m, &m->joints.data[j->coupled[0]], x, mass, inertia);
    side_masses(m, &m->joints.data[j->coupled[1]], x, &other_mass, &other_inertia);
    double r2 = j->ratio * j->ratio;
    double moved = j->coordinate[1] == JOINT_TURN ? other_inertia : other_mass;
    *mass = 1 / (1 / *mass + r2 / moved);
    *inertia = 1 / (1 / *inertia + r2 / moved);
}
