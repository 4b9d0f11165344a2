/* Everything that is open during a run; shared by the files of the run. */
#ifndef RUN_RUN_INTERNAL_H
#define RUN_RUN_INTERNAL_H

#include "base/hash.h"
#include "measure/probe_list.h"
#include "measure/reaction_list.h"
#include "output/named_table.h"
#include "output/summary.h"
#include "output/table.h"
#include "run/run_frames.h"
#include "run/run_totals.h"

/* reactions.csv; closed where the scene does not ask for it. */
typedef struct run_reactions {
    named_table table;
    reaction_list list;
    ARRAY(double) values;
} run_reactions;

/* probes.csv; closed where the scene has no probes. */
typedef struct run_probes {
    named_table table;
    probe_list list;
} run_probes;

typedef struct run {
    abut_sim *sim;
    const abut_run_options *options;
    char scene_hash[SHA256_TEXT_SIZE];
    char checkpoint_path[4096];
    step_table table;
    run_frames frames;
    run_totals totals;
    run_reactions reactions;
    run_probes probes;
    double started, wall_before; /* wall clock at the start; seconds of earlier parts of the run */
    double checkpoint_time;      /* wall clock */
    ARRAY(size_t) rss;           /* peak memory of the ranks after the last step */
} run;

/* Of all parts of the run. */
double run_wall_seconds(const run *r);

abut_status run_save_checkpoint(run *r, abut_error *err);
/* State and totals from the checkpoint of an earlier part. */
abut_status run_load_checkpoint(run *r, abut_error *err);

/* Forces of supports (run_reactions.c), where the scene asks for them. */
abut_status run_reactions_open(run *r, int64_t last, abut_error *err);
abut_status run_reactions_append(run *r, abut_error *err);
abut_status run_reactions_close(run *r, abut_error *err);

/* Probes (run_probes.c), where the scene has any. */
abut_status run_probes_open(run *r, int64_t last, abut_error *err);
abut_status run_probes_append(run *r, abut_error *err);
abut_status run_probes_close(run *r, abut_error *err);

abut_status run_append_row(run *r, abut_error *err);
abut_status run_write_summary(run *r, abut_status result, const char *message, abut_error *err);

#endif
