#include "run/run_totals.h"

#include <math.h>

run_totals run_totals_none(void)
{
    return (run_totals){.min_distance = INFINITY, .max_stretch = 1, .accuracy = accuracy_none()};
}

static void count_step(run_totals *t, const step_statistics *l)
{
    t->newton_iterations += l->newton_iterations;
    t->friction_not_converged_steps += l->friction_not_converged;
    t->truncated_steps += l->truncated;
    t->divided_steps += l->substeps > 1;
    t->substeps += l->substeps > 1 ? l->substeps : 0;
    t->contact_sum += (int64_t)l->contacts;
    if ((int64_t)l->contacts > t->max_contacts) t->max_contacts = (int64_t)l->contacts;
    t->min_distance = fmin(t->min_distance, l->min_distance);
    t->max_stretch = fmax(t->max_stretch, l->max_stretch);
    t->overlap_steps += l->dirichlet_overlap;
}

static void count_mlcp(run_totals *t, const mlcp_statistics *m)
{
    const double errors[3] = {m->error_normal, m->error_stick, m->error_slide};
    t->mlcp.passes += m->passes;
    t->mlcp.halvings += m->halvings;
    t->mlcp.unconverged_steps += !m->converged;
    for (int i = 0; i < 3; i++) {
        t->mlcp.worst[i] = fmax(t->mlcp.worst[i], errors[i]);
        t->mlcp.sum[i] += errors[i];
    }
}

static abut_status measure_step(run_totals *t, stepper *s, abut_error *err)
{
    step_accuracy now;
    TRY(stepper_accuracy(s, &now, err));
    t->accuracy = accuracy_worse(&t->accuracy, &now);
    t->measured_steps++;
    return ABUT_OK;
}

abut_status run_totals_add(run_totals *t, const abut_sim *sim, abut_error *err)
{
    stepper *s = sim->stepper;
    count_step(t, &sim->last);
    if (s->mlcp.solver) count_mlcp(t, &s->mlcp.statistics);
    return sim->scene->output.measures ? measure_step(t, s, err) : ABUT_OK;
}
