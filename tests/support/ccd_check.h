/* The contract of a CCD answer, checked against the exact oracle. */
#ifndef CCD_CHECK_H
#define CCD_CHECK_H

#include "support/ccd_oracle.h"

typedef enum ccd_fault {
    CCD_FAULT_NONE,
    CCD_FAULT_MISSED,   /* a contact was not reported */
    CCD_FAULT_LATE,     /* reported after it happens */
    CCD_FAULT_FAR,      /* reported a hit that is farther away than the tolerance it claims */
    CCD_FAULT_MALFORMED /* numbers that make no sense */
} ccd_fault;

/* `truth` is the oracle's answer to this query, which must be its last one. The distance is checked
 * only on request (it is slow). */
ccd_fault ccd_check_result(ccd_oracle *oracle, bool truth, ccd_kind kind, const vec3 *start,
                           const vec3 *end, const ccd_options *options, const ccd_result *result,
                           bool check_distance);

const char *ccd_fault_name(ccd_fault fault);

/* Prints a query so that it can be pasted into a test. */
void ccd_print_query(ccd_kind kind, const vec3 *start, const vec3 *end, const ccd_options *options,
                     const ccd_result *result);

#endif
