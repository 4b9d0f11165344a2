/* Making OpenBLAS use the instructions that the processor has. */
#ifndef APP_BLAS_H
#define APP_BLAS_H

/* An OpenBLAS older than the processor may fall back to kernels of twenty years ago, four times
 * slower than need be. It reads its choice from OPENBLAS_CORETYPE when it is loaded, which CHOLMOD's
 * solver does: sets the variable where it is not set. Called before there are threads. */
void blas_choose_kernels(void);

#endif
