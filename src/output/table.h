/* steps.csv: one row of statistics per step, numbers with as many digits as needed to read back to
 * the same bits, so that two runs can be compared bit for bit. */
#ifndef OUTPUT_TABLE_H
#define OUTPUT_TABLE_H

#include "base/status.h"
#include "math/vec3.h"

#include <stdio.h>

typedef struct step_row {
    int64_t step;
    double time, wall_seconds; /* s simulated so far; s of wall clock so far */
    int64_t newton_iterations, friction_iterations, contact_count;
    double min_distance, kappa;
    double kinetic, elastic, gravity, contact_energy; /* energies, J */
    vec3 linear_momentum, angular_momentum;
    /* Singular values of deformation gradients: largest, mean of those of sheets above 1, smallest
     * of sheets, mean of those below 1. */
    double max_stretch, mean_stretch, min_stretch, mean_compression;
    double potential; /* incremental potential, J */
    /* Numbers of unknowns, and of the operations of remeshing that were kept. */
    double unknowns, splits, collapses, swaps, smoothings;
    double friction_not_converged; /* 1: the passes of friction ended before its forces converged */
    double substeps;               /* that the step was done in */
    double truncated;              /* 1: it ended with its budget */
    double newton_at_noise;        /* 1: Newton ended at the rounding of the energy */
    double unbalanced_force;       /* share of the largest force; NaN: not measured */
    double joint_violation;        /* worst of all joints: rad, or as a share of the scene's size */
} step_row;

typedef struct step_table {
    FILE *stream;
    char *path;
} step_table;

enum { TABLE_NEW = -1 };

/* Opens the table for appending. Rows after last_step are dropped (all of them for TABLE_NEW), and
 * so is a row that a crash left unfinished. A file with unknown columns is an error; one of an
 * earlier version (output/table_names.h) gets the present header. */
abut_status table_open(step_table *table, const char *path, int64_t last_step, abut_error *err);
/* Writes and flushes one row. On failure the file ends in the row before. */
abut_status table_append(step_table *table, const step_row *row, abut_error *err);
abut_status table_close(step_table *table, abut_error *err);

/* Reads all finished rows, also of earlier versions, whose missing columns are NaN (reals) or 0;
 * *rows comes from mem_alloc. */
abut_status table_read(const char *path, step_row **rows, size_t *count, abut_error *err);

#endif
