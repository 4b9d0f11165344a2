/* run.json: what a run did, in one object, replaced atomically. */
#ifndef OUTPUT_SUMMARY_H
#define OUTPUT_SUMMARY_H

#include "base/status.h"
#include "base/timer.h"
#include "linear/solver.h"
#include "math/vec3.h"

/* Final state of one body. */
typedef struct body_summary {
    const char *name, *type;
    vec3 center_of_mass;
    vec3 low, high; /* bounding box */
} body_summary;

/* Of the displacement from the rest positions, over the solid bodies. */
typedef struct displacement_norms {
    double l2, h1, h1_semi, linf;
} displacement_norms;

/* Contact over all steps; intersections: of the last state. */
typedef struct contact_summary {
    int64_t max_count;
    double mean_count;
    double min_distance;                  /* infinite when nothing came near: null in the file */
    int64_t friction_not_converged_steps; /* whose passes of friction ended before its forces
                                             converged */
    int64_t intersections;
    int64_t overlap_steps; /* in which prescribed bodies met, where that is allowed */
} contact_summary;

/* The collision surface. */
typedef struct surface_summary {
    int64_t vertices, edges, triangles;
} surface_summary;

/* What solved the linear systems, since the start or the resumption. */
typedef struct linear_summary {
    const char *name, *reason; /* NULL: not known */
    linear_statistics statistics;
    uint64_t subset_solves;                /* linear systems of subset solves, not counted above */
    uint64_t true_hessians, true_products; /* of the trust region (solve/trust_region.h) */
} linear_summary;

/* Worst values of the steps that were measured, where the scene asks for it. */
typedef struct accuracy_summary {
    int64_t steps; /* 0: not measured */
    double momentum, smallest_force, largest_force, complementarity, slackness;
    double min_volume_ratio;
    bool admissible;
} accuracy_summary;

/* Of scenes that are remeshed. */
typedef struct remesh_summary {
    bool on;
    int64_t splits, collapses, swaps, smoothings, attempts, projections, changed_steps;
    int64_t max_unknowns;
    double mean_unknowns, seconds;
} remesh_summary;

/* Of the linear-complementarity stepper. */
typedef struct mlcp_summary {
    bool used;
    int64_t passes, halvings, unconverged_steps;
    double worst[3], mean[3]; /* Fischer-Burmeister errors of the steps, m: distance, sticking,
                                 sliding */
} mlcp_summary;

typedef struct run_summary {
    abut_status result;  /* ABUT_OK, ..._NOT_CONVERGED, ..._OVERLAP and ABUT_INTERRUPTED name the
                            status; other values give "error" */
    const char *scene;   /* name of the scene, or NULL */
    const char *message; /* why the run ended early, or NULL */
    int64_t steps;
    int64_t truncated_steps;         /* that ended with their budget */
    int64_t divided_steps, substeps; /* of these: done in sub-steps, and in how many */
    double simulated_seconds, wall_seconds;
    int64_t newton_iterations;
    double max_stretch;
    contact_summary contact;
    int64_t inverted_elements;
    int64_t elements; /* of solid bodies */
    surface_summary surface;
    uint64_t peak_rss_bytes; /* see summary_peak_rss */
    int threads, ranks;
    const size_t *rank_rss; /* peak memory of every rank after the last step; NULL: one rank */
    linear_summary linear;
    double stage_seconds[STAGE_COUNT];
    displacement_norms norms, norms_at_points; /* exact; as PolyFEM takes them */
    accuracy_summary accuracy;
    remesh_summary remesh;
    mlcp_summary mlcp;
    size_t body_count;
    const body_summary *bodies;
} run_summary;

/* Values that are not finite become null. */
abut_status summary_write(const char *path, const run_summary *summary, abut_error *err);

/* Largest resident memory of this process so far, in bytes. */
uint64_t summary_peak_rss(void);

#endif
