/* Which kernels OpenBLAS computes with. Releases older than the processor take it for one of the
 * first of its kind and compute several times slower than they could. */
#ifndef LINEAR_BLAS_KERNELS_H
#define LINEAR_BLAS_KERNELS_H

#include <stdbool.h>

/* Name of the kernels that fit this processor better than those chosen, or NULL. Never against what
 * the environment variable OPENBLAS_CORETYPE asks for. */
const char *blas_better_kernels(void);

/* Makes OpenBLAS choose again, these kernels. False when it cannot be told at run time. Nothing may
 * compute with BLAS at the same time. */
bool blas_switch_kernels(const char *name);

#endif
