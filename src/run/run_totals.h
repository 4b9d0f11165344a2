/* Sums and worst values over the steps of a run: what run.json reports of all of them. */
#ifndef RUN_RUN_TOTALS_H
#define RUN_RUN_TOTALS_H

#include "sim/sim.h"
#include "step/accuracy.h"

/* What the linear-complementarity stepper did, part of the checkpoint. */
typedef struct mlcp_totals {
    double passes, unconverged_steps, halvings;
    double worst[3], sum[3]; /* of Fischer-Burmeister errors */
} mlcp_totals;
enum { MLCP_TOTALS = sizeof(mlcp_totals) / sizeof(double) };

typedef struct run_totals {
    int64_t newton_iterations, max_contacts, contact_sum, friction_not_converged_steps;
    int64_t truncated_steps;         /* ended with their budget */
    int64_t divided_steps, substeps; /* done in sub-steps, and in how many */
    int64_t overlap_steps;           /* in which prescribed bodies met, where that is allowed */
    double min_distance, max_stretch;
    mlcp_totals mlcp;
    /* since the start or the resumption, not in checkpoints */
    step_accuracy accuracy; /* the worst */
    int64_t measured_steps;
} run_totals;

run_totals run_totals_none(void);
/* The last step of the simulation. */
abut_status run_totals_add(run_totals *t, const abut_sim *sim, abut_error *err);

#endif
