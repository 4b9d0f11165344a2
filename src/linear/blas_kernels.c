#include "linear/blas_kernels.h"

#include <stdbool.h>
#include <stdlib.h>

void blas_choose_kernels(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return;
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell", 0); /* failure: slow kernels */
#endif
}
