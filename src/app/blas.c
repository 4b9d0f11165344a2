#include "app/blas.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

extern char *openblas_get_corename(void);

void blas_choose_kernels(char **arguments)
{
#if defined(__x86_64__)
    static const char *const oldest[] = {"Prescott", "Core2", "Northwood", "Katmai", "Generic"};
    if (getenv("OPENBLAS_CORETYPE")) return;
    const char *chosen = openblas_get_corename();
    bool outdated = false;
    for (size_t i = 0; i < sizeof oldest / sizeof *oldest; i++)
        outdated = outdated || (chosen && strcasecmp(chosen, oldest[i]) == 0);
    __builtin_cpu_init();
    if (!outdated || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return;
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    if (setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell", 1) != 0) return;
    execv("/proc/self/exe", arguments); /* on failure: go on with the slow kernels */
#else
    (void)arguments;
#endif
}
