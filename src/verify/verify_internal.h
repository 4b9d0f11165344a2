/* Parts of verify_frame. */
#ifndef VERIFY_VERIFY_INTERNAL_H
#define VERIFY_VERIFY_INTERNAL_H

#include "verify/verify_frame.h"

/* Adds a problem to the list unless it has `most` already. */
abut_status verify_keep(verify_problems *problems, size_t most, verify_problem problem,
                        abut_error *err);

/* Triangles beyond the limits of their bodies; body: of every point. */
abut_status verify_strains(const frame *f, const int32_t *body, const verify_setup *setup,
                           size_t most, verify_result *result, verify_problems *problems,
                           abut_error *err);

#endif
