#include "step/reactions.h"

#include "math/rotation.h"
#include "step/stepper_internal.h"
#include "term/element.h"

#include <string.h>

/* The augmented Lagrangian is no force of its own: it stands for the support. */
static bool is_force(const stepper *s, const term *t)
{
    return term_counts(s, t) && t != &s->augmented.term->base;
}

static bool is_contact(const stepper *s, const term *t)
{
    return s->contact && (t == &s->contact->base || t == &s->friction->base);
}

void stepper_find_reactions(stepper *s)
{
    double *sum = s->dirichlet.reaction;
    if (!sum) return;
    double factor = s->evaluation.force_factor;
    memset(sum, 0, s->state.scalars * sizeof *sum);
    /* Newmark's rule may give contact another factor. */
    for (int pass = 0; pass < 2; pass++) {
        double scale = pass == 0 ? factor / stepper_contact_factor(s) : 1 / factor;
        for (int i = 0; i < s->problem.term_count; i++) {
            const term *t = s->problem.terms[i];
            if (is_force(s, t) && is_contact(s, t) == (pass == 0))
                term_add_gradient(t, &s->evaluation, s->x, sum);
        }
        for (size_t i = 0; i < s->state.scalars; i++) sum[i] *= scale;
    }
}

static reaction at_point(vec3 position, vec3 force)
{
    return (reaction){force, vec3_cross(position, force)};
}

static void add(reaction *sum, reaction r)
{
    sum->force = vec3_add(sum->force, r.force);
    sum->moment = vec3_add(sum->moment, r.moment);
}

/* The components of the force on a block that a condition holds. */
static vec3 prescribed_part(const stepper *s, size_t block, int axes)
{
    const double *r = s->dirichlet.reaction + 3 * block;
    return (vec3){axes & 1 ? r[0] : 0, axes & 2 ? r[1] : 0, axes & 4 ? r[2] : 0};
}

/* Conditions of a step are those that were active when it began. */
static bool was_active(const stepper *s, const condition *c)
{
    return s->dirichlet.reaction && s->state.steps > 0 &&
           condition_active(c, (double)(s->state.steps - 1) * s->options.h);
}

reaction stepper_condition_reaction(const stepper *s, size_t number)
{
    const condition *c = &s->dirichlet.conditions.data[number];
    reaction sum = {.force = {0, 0, 0}};
    if (!was_active(s, c)) return sum;
    for (size_t i = 0; i < c->nodes.count; i++) {
        size_t block = (size_t)c->nodes.data[i];
        add(&sum, at_point(vec3_load(s->state.x + 3 * block), prescribed_part(s, block, c->axes)));
    }
    return sum;
}

/* Moment about the centre from the derivatives in the rotation vector: a turn by w about the
 * world's axes changes theta so that [w]x R = sum of dR/dtheta_k dtheta_k. */
static vec3 moment_of_rotation(vec3 theta, vec3 derivative)
{
    mat3 d[3], r = mat3_transpose(rotation_matrix(theta)), turn;
    rotation_first(theta, d);
    for (int k = 0; k < 3; k++) {
        mat3 w = mat3_mul(d[k], r);
        turn.m[0][k] = w.m[2][1];
        turn.m[1][k] = w.m[0][2];
        turn.m[2][k] = w.m[1][0];
    }
    return mat3_mul_vec(mat3_transpose(mat3_inverse(turn)), derivative);
}

static vec3 moment_about_center(const stepper *s, const rigid_body *body)
{
    const double *x = s->x + 3 * (size_t)body->block;
    const double *r = s->dirichlet.reaction + 3 * (size_t)body->block;
    if (!body->affine) return moment_of_rotation(vec3_load(x + 3), vec3_load(r + 3));
    vec3 sum = {0, 0, 0};
    for (int k = 1; k <= 3; k++)
        sum = vec3_add(sum, vec3_cross(vec3_load(x + 3 * k), vec3_load(r + 3 * k)));
    return sum;
}

reaction stepper_rigid_condition_reaction(const stepper *s, size_t number)
{
    const rigid_condition *c = &s->rigid.conditions.data[number];
    const rigid_body *body = &s->model->rigids.data[c->rigid];
    if (!was_active(s, &c->path)) return (reaction){.force = {0, 0, 0}};
    reaction sum = at_point(vec3_load(s->state.x + 3 * (size_t)body->block),
                            prescribed_part(s, (size_t)body->block, c->path.axes));
    /* Unknowns have no share in it: their derivative is 0. */
    if (c->rotation_axes && body->turns)
        sum.moment = vec3_add(sum.moment, moment_about_center(s, body));
    return sum;
}
