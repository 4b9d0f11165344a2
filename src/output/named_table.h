/* A CSV file with one row per step and columns that the scene decides: the step, the time, and
 * numbers by name, each with as many digits as needed to read back to the same bits. */
#ifndef OUTPUT_NAMED_TABLE_H
#define OUTPUT_NAMED_TABLE_H

#include "base/array.h"
#include "base/status.h"

#include <stdio.h>

typedef struct named_table {
    FILE *stream;
    char *path;
    size_t columns;   /* without step and time */
    ARRAY(char) text; /* of the row that is written */
} named_table;

enum { NAMED_TABLE_NEW = -1 };

/* Opens the file for appending. Rows after last_step are dropped (all for NAMED_TABLE_NEW), and so
 * is one that a crash left unfinished. A file with other columns is an error. */
abut_status named_table_open(named_table *t, const char *path, const char *const *names,
                             size_t count, int64_t last_step, abut_error *err);
/* Writes and flushes one row of `columns` numbers. */
abut_status named_table_append(named_table *t, int64_t step, double time, const double *values,
                               abut_error *err);
abut_status named_table_close(named_table *t, abut_error *err);

#endif
