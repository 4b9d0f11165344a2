/* Making OpenBLAS use the instructions that the processor has. */
#ifndef APP_BLAS_H
#define APP_BLAS_H

/* An OpenBLAS older than the processor may fall back to kernels of twenty years ago, four times
 * slower than need be. It reads its choice from the environment before main starts: where that
 * happened, the process starts itself again with OPENBLAS_CORETYPE set. Does nothing when the
 * variable is set. */
void blas_choose_kernels(char **arguments);

#endif
