#include "base/parallel.h"

#include "base/signals.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { MAX_CHUNKS = PARALLEL_MAX_PARTIALS, MIN_CHUNK = 256, MAX_THREADS = 256 };

/* How often a helper looks for new work before it sleeps (around a tenth of a millisecond). */
enum { PATIENCE = 2000 };

/* One set of helper threads serves the process. They come to a loop that a thread has opened, take
 * chunks as long as there are any, and leave. The thread itself takes chunks, too, and waits only
 * for chunks that are being worked on: a helper that the machine does not let run delays no loop.
 * Where another thread has the helpers, a loop runs without them. */
static struct {
    pthread_mutex_t owner; /* locked by the thread whose loop is open */
    pthread_mutex_t lock;  /* of what follows, for sleeping and starting helpers */
    pthread_cond_t wake;
    atomic_uint generation; /* counts the loops */
    atomic_int sleepers;
    int helpers;
    /* Bit 0: a loop is open; above it: twice the number of helpers inside. */
    atomic_uint gate;
    /* The open loop. */
    parallel_body body;
    void *context;
    size_t n, chunk;
    int threads;
    atomic_size_t next;
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER};

static _Thread_local int threads_wanted; /* 0: not set */
static _Thread_local int worker;
static _Thread_local bool inside; /* a loop's body is running on this thread */

static int default_threads(void)
{
    const char *text = getenv("OMP_NUM_THREADS"); /* the custom of numerical programs */
    int threads = text ? atoi(text) : 0;
    cpu_set_t set;
    if (threads < 1 && sched_getaffinity(0, sizeof set, &set) == 0) threads = CPU_COUNT(&set);
    return threads < 1 ? 1 : threads < MAX_THREADS ? threads : MAX_THREADS;
}

int parallel_threads(void)
{
    if (threads_wanted == 0) threads_wanted = default_threads();
    return threads_wanted;
}

void parallel_set_threads(int threads)
{
    if (threads > 0) threads_wanted = threads < MAX_THREADS ? threads : MAX_THREADS;
}

int parallel_worker(void) { return worker; }

static void relax(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* Takes chunks of the open loop until there are none. */
static void take_chunks(void)
{
    inside = true;
    for (;;) {
        size_t begin = atomic_fetch_add(&pool.next, 1) * pool.chunk;
        if (begin >= pool.n) break;
        size_t end = pool.n - begin > pool.chunk ? begin + pool.chunk : pool.n;
        pool.body(pool.context, begin, end);
    }
    inside = false;
}

/* Enters the open loop; false when none is open. */
static bool enter(void)
{
    unsigned gate = atomic_load(&pool.gate);
    while (gate & 1u)
        if (atomic_compare_exchange_weak(&pool.gate, &gate, gate + 2)) return true;
    return false;
}

static void sleep_until_next(unsigned seen)
{
    for (int k = 0; k < PATIENCE; k++) {
        if (atomic_load_explicit(&pool.generation, memory_order_relaxed) != seen) return;
        relax();
    }
    pthread_mutex_lock(&pool.lock);
    atomic_fetch_add(&pool.sleepers, 1);
    while (atomic_load(&pool.generation) == seen) pthread_cond_wait(&pool.wake, &pool.lock);
    atomic_fetch_sub(&pool.sleepers, 1);
    pthread_mutex_unlock(&pool.lock);
}

static void *help(void *index)
{
    worker = (int)(intptr_t)index;
    for (;;) {
        unsigned seen = atomic_load(&pool.generation);
        if (enter()) {
            threads_wanted = pool.threads; /* for what a body may do inside */
            if (worker < pool.threads) take_chunks();
            atomic_fetch_sub(&pool.gate, 2);
        }
        sleep_until_next(seen);
    }
    return NULL;
}

/* Helpers that cannot be started are done without. Called by the owner. */
static void start_helpers(int wanted)
{
    while (pool.helpers < wanted) {
        pthread_attr_t attributes;
        pthread_t thread;
        if (pthread_attr_init(&attributes) != 0) return;
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        sigset_t before;
        signals_begin_threads(&before);
        int failed =
            pthread_create(&thread, &attributes, help, (void *)(intptr_t)(pool.helpers + 1));
        signals_end_threads(&before);
        pthread_attr_destroy(&attributes);
        if (failed) return;
        pool.helpers++;
    }
}

static void run_shared(size_t n, size_t chunk, parallel_body body, void *context, int threads)
{
    start_helpers(threads - 1);
    pool.body = body;
    pool.context = context;
    pool.n = n;
    pool.chunk = chunk;
    pool.threads = threads;
    atomic_store(&pool.next, 0);
    atomic_fetch_or(&pool.gate, 1u);
    atomic_fetch_add(&pool.generation, 1);
    if (atomic_load(&pool.sleepers) > 0) {
        pthread_mutex_lock(&pool.lock);
        pthread_cond_broadcast(&pool.wake);
        pthread_mutex_unlock(&pool.lock);
    }
    int before = worker;
    worker = 0;
    take_chunks();
    worker = before;
    atomic_fetch_and(&pool.gate, ~1u);
    for (int k = 0; atomic_load(&pool.gate) != 0; k++) {
        if (k < PATIENCE)
            relax();
        else
            sched_yield();
    }
}

void parallel_for(size_t n, size_t chunk, parallel_body body, void *context)
{
    if (n == 0) return;
    if (chunk == 0) chunk = MIN_CHUNK;
    int threads = parallel_threads();
    if (n > chunk && threads > 1 && !inside && pthread_mutex_trylock(&pool.owner) == 0) {
        run_shared(n, chunk, body, context, threads);
        pthread_mutex_unlock(&pool.owner);
        return;
    }
    for (size_t begin = 0; begin < n; begin += chunk)
        body(context, begin, n - begin > chunk ? begin + chunk : n);
}

static size_t reduction_chunk(size_t n)
{
    size_t chunk = (n + MAX_CHUNKS - 1) / MAX_CHUNKS;
    return chunk < MIN_CHUNK ? MIN_CHUNK : chunk;
}

size_t parallel_partial_count(size_t n)
{
    size_t chunk = reduction_chunk(n);
    return (n + chunk - 1) / chunk;
}

typedef struct reduction {
    parallel_partial partial;
    void *context;
    size_t n, chunk, first;
    double *table;
} reduction;

static void evaluate_chunk(void *context, size_t begin, size_t end)
{
    const reduction *r = context;
    for (size_t i = r->first + begin; i < r->first + end; i++) {
        size_t last = (i + 1) * r->chunk < r->n ? (i + 1) * r->chunk : r->n;
        r->table[i] = r->partial(r->context, i * r->chunk, last);
    }
}

void parallel_partials(size_t n, parallel_partial partial, void *context, size_t begin, size_t end,
                       double *table)
{
    reduction r = {partial, context, n, reduction_chunk(n), begin, table};
    parallel_for(end - begin, 1, evaluate_chunk, &r);
}

/* Evaluates the partial of every chunk into a table on the stack; returns the number of chunks. */
static size_t evaluate_chunks(size_t n, parallel_partial partial, void *context, double *table)
{
    size_t count = parallel_partial_count(n);
    parallel_partials(n, partial, context, 0, count, table);
    return count;
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
