/* Energies, momenta and other measures of a step. */
#include "step/stepper_internal.h"

#include "constraint/joint_term.h"

#include <math.h>

void stepper_measure_potential(const stepper *s, step_statistics *out)
{
    double value = problem_value(&s->problem, &s->evaluation, s->x);
    for (size_t i = 0; i < s->state.scalars; i++) /* loads count by displacements */
        value += s->evaluation.load_factor * s->inertia->force[i] *
                 ((const double *)s->model->rest.data)[i];
    out->potential = value / motion_force_factor(&s->state, s->scratch.span.h);
    out->unknowns = 0;
    for (size_t i = 0; i < s->state.scalars; i++) out->unknowns += !s->dirichlet.fixed[i];
}

void stepper_measure(stepper *s, step_statistics *out)
{
    const double *x = s->state.x, *v = s->state.v;
    inertia_multiply(s->inertia, v, s->scratch.work);
    out->kinetic = out->gravity = 0;
    out->linear_momentum = out->angular_momentum = (vec3){0};
    for (size_t i = 0; i < s->model->rest.count; i++) {
        if (model_block_is_obstacle(s->model, i)) continue;
        vec3 position = vec3_load(x + 3 * i), momentum = vec3_load(s->scratch.work + 3 * i);
        out->kinetic += 0.5 * vec3_dot(momentum, vec3_load(v + 3 * i));
        if (!s->blocks.points[i]) continue;
        out->gravity -= s->model->load_mass.data[i] * vec3_dot(s->options.gravity, position);
        out->linear_momentum = vec3_add(out->linear_momentum, momentum);
        out->angular_momentum = vec3_add(out->angular_momentum, vec3_cross(position, momentum));
    }
    evaluation unit = evaluation_unit();
    out->elastic = s->elastic->base.class->value(&s->elastic->base, &unit, x);
    if (s->model->rigids.count > 0) {
        rigid_measures rigid = rigid_motion_measure(&s->rigid, &s->state);
        out->kinetic += rigid.kinetic;
        out->elastic += rigid.stored;
        out->angular_momentum = vec3_add(out->angular_momentum, rigid.angular_momentum);
    }
    for (size_t i = 0; i < s->terms.count; i++)
        if (!s->terms.data[i].row->is_load)
            out->elastic += s->terms.data[i].term->class->value(s->terms.data[i].term, &unit, x);
    const joint_term *joints = (const joint_term *)stepper_find_term(s, "joints");
    out->joint_violation = joints ? joint_worst_violation(joints, x) : 0;
    out->min_volume_ratio = elastic_min_volume_ratio(s->elastic, x);
    out->sheets = shell_stretch(s->model, x);
    out->max_stretch = elastic_max_stretch(s->elastic, x);
    if (s->model->codim.triangle_rest.count > 0)
        out->max_stretch = s->model->tet_count > 0 ? fmax(out->max_stretch, out->sheets.largest)
                                                   : out->sheets.largest;
    out->min_distance = INFINITY;
    if (!s->contact) return;
    out->min_distance = s->contact->min_distance;
    out->contacts = s->mlcp.solver ? s->mlcp.statistics.contacts : contact_count(s->contact);
    if (s->mlcp.solver) return;
    out->kappa = s->evaluation.kappa;
    /* kappa carries the integrator's factor on forces. */
    out->contact = s->contact->base.class->value(&s->contact->base, &s->evaluation, x) /
                   stepper_contact_factor(s);
}
