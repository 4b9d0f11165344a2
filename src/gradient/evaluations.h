/* Evaluations of an optimisation on disk: one file each, so that what was computed before a kill is
 * there again. Methods are deterministic: fed with the same values they ask for the same points. */
#ifndef GRADIENT_EVALUATIONS_H
#define GRADIENT_EVALUATIONS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct evaluation_record {
    int32_t status; /* ABUT_OK, or why there is no value */
    double value;
    double *point, *slope; /* of the caller, n each */
    double *square;        /* n x n, for least squares; NULL: none */
} evaluation_record;

/* Number k, from 1. */
abut_status evaluation_write(const char *folder, int k, size_t n, const evaluation_record *r,
                             abut_error *err);
/* *found: there is one. It must have the same point, else the folder is of another optimisation. */
abut_status evaluation_read(const char *folder, int k, size_t n, evaluation_record *r, bool *found,
                            abut_error *err);
/* Removes all records. */
void evaluations_clear(const char *folder);

#endif
