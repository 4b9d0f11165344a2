/* Which kernels OpenBLAS computes with, inside CHOLMOD. Releases older than the processor take it
 * for one of the first of its kind and compute several times slower than they could. */
#ifndef LINEAR_BLAS_KERNELS_H
#define LINEAR_BLAS_KERNELS_H

/* Sets OPENBLAS_CORETYPE, which OpenBLAS reads when it is loaded, to the kernels that fit this
 * processor; leaves it alone where it is set. Changes the environment: call it before there are
 * other threads. */
void blas_choose_kernels(void);

#endif
