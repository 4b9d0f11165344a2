/* Loops over threads whose results do not depend on the number of threads.
 *
 * The range [0, n) is cut into chunks of a fixed size (never a function of the thread count). A
 * worker handles whole chunks; reductions add the chunk results in chunk order. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

/* Number of threads that loops started from this thread will use: what was set, else the
 * environment's OMP_NUM_THREADS, else the cores that the process may use. */
int parallel_threads(void);
void parallel_set_threads(int threads);

/* Index of the calling worker, 0 .. parallel_threads()-1, for per-thread scratch memory. */
int parallel_worker(void);

/* Calls body(context, begin, end) for each chunk of at most `chunk` indices. A loop inside a body,
 * and one that is started while another thread's loop is running, runs on its thread alone. */
typedef void (*parallel_body)(void *context, size_t begin, size_t end);
void parallel_for(size_t n, size_t chunk, parallel_body body, void *context);

/* Sum, and maximum or minimum, of a per-index function over chunks, in a fixed order. Up to 4096
 * chunks are used, so no memory is allocated; the chunk size depends on n only. */
typedef double (*parallel_partial)(void *context, size_t begin, size_t end);
double parallel_sum(size_t n, parallel_partial partial, void *context);
double parallel_max(size_t n, parallel_partial partial, void *context); /* -INFINITY when n = 0 */
double parallel_min(size_t n, parallel_partial partial, void *context); /* +INFINITY when n = 0 */

/* The values of the chunks [begin, end) of such a reduction, for those who divide it further. */
enum { PARALLEL_MAX_PARTIALS = 4096 };
size_t parallel_partial_count(size_t n);
void parallel_partials(size_t n, parallel_partial partial, void *context, size_t begin, size_t end,
                       double *table);

#endif
