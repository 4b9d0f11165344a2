#include "base/parallel.h"

#include <math.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { MAX_CHUNKS = 4096, MIN_CHUNK = 256 };

int parallel_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

void parallel_set_threads(int threads)
{
#ifdef _OPENMP
    if (threads > 0) omp_set_num_threads(threads);
#else
    (void)threads;
#endif
}

int parallel_worker(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

void parallel_for(size_t n, size_t chunk, parallel_body body, void *context)
{
    if (n == 0) return;
    if (chunk == 0) chunk = MIN_CHUNK;
    if (n <= chunk) {
        body(context, 0, n);
        return;
    }
    ptrdiff_t chunks = (ptrdiff_t)((n + chunk - 1) / chunk);
#pragma omp parallel for schedule(dynamic, 1)
    for (ptrdiff_t i = 0; i < chunks; i++) {
        size_t begin = (size_t)i * chunk;
        size_t end = begin + chunk < n ? begin + chunk : n;
        body(context, begin, end);
    }
}

static size_t reduction_chunk(size_t n)
{
    size_t chunk = (n + MAX_CHUNKS - 1) / MAX_CHUNKS;
    return chunk < MIN_CHUNK ? MIN_CHUNK : chunk;
}

/* Evaluates the partial of every chunk into a table on the stack; returns the number of chunks. */
static size_t evaluate_chunks(size_t n, parallel_partial partial, void *context, double *table)
{
    size_t chunk = reduction_chunk(n);
    ptrdiff_t chunks = (ptrdiff_t)((n + chunk - 1) / chunk);
#pragma omp parallel for schedule(dynamic, 1) if (chunks > 1)
    for (ptrdiff_t i = 0; i < chunks; i++) {
        size_t begin = (size_t)i * chunk;
        size_t end = begin + chunk < n ? begin + chunk : n;
        table[i] = partial(context, begin, end);
    }
    return (size_t)chunks;
}

double parallel_sum(size_t n, parallel_partial partial, void *context)
{
    double table[MAX_CHUNKS];
    size_t chunks = evaluate_chunks(n, partial, context, table);
    double sum = 0.0;
    for (size_t i = 0; i < chunks; i++) sum += table[i];
    return sum;
}

double parallel_max(size_t n, parallel_partial partial, void *context)
{
    double table[MAX_CHUNKS];
    size_t chunks = evaluate_chunks(n, partial, context, table);
    double best = -INFINITY;
    for (size_t i = 0; i < chunks; i++)
        if (table[i] > best) best = table[i];
    return best;
}

double parallel_min(size_t n, parallel_partial partial, void *context)
{
    double table[MAX_CHUNKS];
    size_t chunks = evaluate_chunks(n, partial, context, table);
    double best = INFINITY;
    for (size_t i = 0; i < chunks; i++)
        if (table[i] < best) best = table[i];
    return best;
}
