/* Loops over threads: every index once, workers apart from each other, loops inside loops, and
 * loops of several threads at the same time. */
#include "base/memory.h"
#include "base/parallel.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { N = 10007, THREADS = 8 };

typedef struct visit {
    atomic_int *count;
    atomic_int inside[THREADS];
    atomic_int trouble, most;
} visit;

static void count_visit(void *context, size_t begin, size_t end)
{
    visit *v = context;
    int worker = parallel_worker();
    if (worker < 0 || worker >= parallel_threads() || worker >= THREADS) {
        v->trouble++;
        return;
    }
    if (v->inside[worker]++ != 0) v->trouble++; /* two threads with one index */
    if (worker > v->most) v->most = worker;
    for (size_t i = begin; i < end; i++) v->count[i]++;
    if (begin % 64 == 0) sched_yield();
    v->inside[worker]--;
}

TEST(every_index_once)
{
    int before = parallel_threads();
    atomic_int *count = mem_calloc(N, sizeof *count);
    int rounds = 0;
    for (int threads = 1; threads <= THREADS; threads++)
        for (size_t chunk = 1; chunk < 3 * N; chunk = 3 * chunk + 1, rounds++) {
            visit v = {.count = count};
            parallel_set_threads(threads);
            CHECK(parallel_threads() == threads);
            parallel_for(N, chunk, count_visit, &v);
            CHECK(v.trouble == 0 && v.most < threads);
            bool all = true;
            for (int i = 0; i < N; i++) all = all && count[i] == rounds + 1;
            CHECK(all);
        }
    parallel_for(0, 1, count_visit, NULL);
    parallel_set_threads(before);
    CHECK(parallel_worker() == 0);
    mem_free(count);
}

static void add_one(void *context, size_t begin, size_t end)
{
    *(atomic_long *)context += (long)(end - begin);
}

static void loop_inside(void *context, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) parallel_for(100, 7, add_one, context);
}

TEST(loops_inside_loops)
{
    int before = parallel_threads();
    atomic_long sum = 0;
    parallel_set_threads(4);
    parallel_for(500, 3, loop_inside, &sum);
    CHECK(sum == 50000);
    parallel_set_threads(before);
}

static void *many_loops(void *context)
{
    parallel_set_threads(3);
    for (int k = 0; k < 2000; k++) parallel_for(64, 4, add_one, context);
    return NULL;
}

TEST(loops_of_several_threads)
{
    pthread_t threads[4];
    atomic_long sums[4] = {0};
    for (int k = 0; k < 4; k++) CHECK(pthread_create(&threads[k], NULL, many_loops, &sums[k]) == 0);
    for (int k = 0; k < 4; k++) {
        CHECK(pthread_join(threads[k], NULL) == 0);
        CHECK(sums[k] == 2000 * 64);
    }
}

int main(void)
{
    RUN(every_index_once);
    RUN(loops_inside_loops);
    RUN(loops_of_several_threads);
    return TEST_END();
}
