/* What has no derivative is refused with its name. */
#include "gradient/adjoint.h"

#include <math.h>

static abut_status refuse(abut_error *err, const char *field, const char *what)
{
    return error_set(err, ABUT_ERROR_UNSUPPORTED, field, "no gradient: %s", what);
}

/* A term that carries something from step to step, or meets constraints by multipliers, must say
 * how that depends on the state; so far none does. */
static abut_status check_terms(const stepper *s, abut_error *err)
{
    for (size_t i = 0; i < s->terms.count; i++) {
        const term_class *c = s->terms.data[i].term->class;
        if (c->low_rank)
            return error_set(err, ABUT_ERROR_UNSUPPORTED, "", "no gradient: the term \"%s\"",
                             c->name);
        if ((c->tighten || c->end_step) && !c->constraints)
            return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                             "no gradient: the term \"%s\" carries numbers from step to step "
                             "without their derivatives",
                             c->name);
    }
    return ABUT_OK;
}

static abut_status check_joints(const stepper *s, abut_error *err)
{
    const model *m = s->model;
    if (m->joints.count > 0 && motion_rule(&s->state)->has_accelerations)
        return refuse(err, "time.integrator", "joints with an integrator of accelerations");
    for (size_t i = 0; i < m->joints.count; i++)
        if (!isinf(m->joints.data[i].break_force) || !isinf(m->joints.data[i].break_torque))
            return refuse(err, "joints.break", "when a joint breaks jumps with the state");
    return ABUT_OK;
}

static abut_status check_conditions(const stepper *s, abut_error *err)
{
    for (size_t k = 0; k < s->dirichlet.conditions.count; k++)
        if (s->dirichlet.conditions.data[k].has_release)
            return refuse(err, "bodies.fix.release",
                          "when a condition is released jumps with the state");
    for (size_t k = 0; k < s->rigid.conditions.count; k++) {
        const rigid_condition *c = &s->rigid.conditions.data[k];
        if (c->path.has_release)
            return refuse(err, "bodies.fix.release",
                          "when a condition is released jumps with the state");
        if (c->path.from > 0 && c->rotation_axes != 0)
            return refuse(err, "bodies.fix",
                          "a condition that begins late on the rotation of a rigid body");
    }
    return ABUT_OK;
}

abut_status adjoint_possible(const stepper *s, abut_error *err)
{
    const stepper_options *o = &s->options;
    if (s->mlcp.solver) return refuse(err, "stepper", "the stepper \"mlcp\"");
    if (s->problem.share) return refuse(err, "solver.linear", "a run divided over ranks");
    if (s->proximal) return refuse(err, "solver.proximal_weight", "the proximal term");
    if (o->split_limits) return refuse(err, "solver.strain_limits", "limits in a second solve");
    if (s->rigid.inertia && motion_rule(&s->state)->has_accelerations)
        return refuse(err, "time.integrator", "rigid bodies with an integrator of accelerations");
    if (s->loads.surfaces && s->loads.surfaces->base.group_count > 0)
        return refuse(err, "bodies.surface_loads", "a pressure that follows the surface");
    if (s->elastic->state.parts.count > 0)
        return refuse(err, "materials", "viscous, plastic, fibre and growing materials");
    if (s->contact && o->contact_options.improved_max && friction_possible(s->friction))
        return refuse(err, "contact.improved_max", "friction with the improved maximum");
    if (stepper_find_term(s, "mean dilatation"))
        return refuse(err, "materials.dilatation", "elements with a mean dilatation");
    if (s->loads.adhesions.count > 0) return refuse(err, "interface.adhesion", "adhesion");
    if (s->friction && s->friction->interfaces.count > 0)
        return refuse(err, "interface", "friction of interfaces");
    if (s->contact && o->contact_options.barrier != BARRIER_C2)
        return refuse(err, "contact.barrier", "a barrier that is not twice differentiable");
    TRY(check_terms(s, err));
    TRY(check_joints(s, err));
    return check_conditions(s, err);
}
