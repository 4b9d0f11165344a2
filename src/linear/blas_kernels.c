#include "linear/blas_kernels.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern char *openblas_get_corename(void);

const char *blas_better_kernels(void)
{
#if defined(__x86_64__)
    static const char *const oldest[] = {"Prescott", "Core2", "Northwood", "Katmai", "Generic"};
    if (getenv("OPENBLAS_CORETYPE")) return NULL;
    const char *chosen = openblas_get_corename();
    bool outdated = false;
    for (size_t i = 0; i < sizeof oldest / sizeof *oldest; i++)
        outdated = outdated || (chosen && strcasecmp(chosen, oldest[i]) == 0);
    __builtin_cpu_init();
    if (!outdated || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return NULL;
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    return wide ? "SkylakeX" : "Haswell";
#else
    return NULL;
#endif
}

bool blas_switch_kernels(const char *name)
{
    /* Exported by OpenBLAS with kernels for many processors, and by nothing else. */
    void (*quit)(void), (*begin)(void);
    *(void **)&quit = dlsym(RTLD_DEFAULT, "gotoblas_dynamic_quit");
    *(void **)&begin = dlsym(RTLD_DEFAULT, "gotoblas_dynamic_init");
    if (!quit || !begin || setenv("OPENBLAS_CORETYPE", name, 1) != 0) return false;
    quit();
    begin();
    return strcasecmp(openblas_get_corename(), name) == 0;
}
