#include "app/blas.h"

#include "linear/blas_kernels.h"

#include <stdlib.h>
#include <unistd.h>

void blas_choose_kernels(char **arguments)
{
    const char *better = blas_better_kernels();
    if (!better || setenv("OPENBLAS_CORETYPE", better, 1) != 0) return;
    execv("/proc/self/exe", arguments); /* on failure: go on with the slow kernels */
}
