/* Options with which tests solve complementarity problems: those of the papers' scenes. */
#ifndef SUPPORT_MLCP_OPTIONS_H
#define SUPPORT_MLCP_OPTIONS_H

#include "mlcp/mlcp.h"

static inline mlcp_options mlcp_test_options(void)
{
    return (mlcp_options){.residual = 5e-5,
                          .tolerance = 5e-6,
                          .preconditioner = MLCP_FULL,
                          .max_iterations = 20000,
                          .max_passes = 60};
}

#endif
