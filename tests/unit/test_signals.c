/* Signals from outside while other libraries work: METIS, whose own handlers jump, sees none of
 * them, threads of the library get none, and the program's handlers stay as they were. */
#include "base/memory.h"
#include "base/parallel.h"
#include "linear/order.h"
#include "linear/scatter.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static abut_error err;
static pthread_t program;
static atomic_int received, elsewhere;

static void count_signal(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    if (info->si_pid == 0 || !pthread_equal(pthread_self(), program)) elsewhere++;
    received++;
}

/* A process that terminates this one again and again. */
static pid_t start_sender(void)
{
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        for (;;) {
            if (kill(parent, SIGTERM) != 0) _exit(0);
            usleep(200);
        }
    }
    return child;
}

static void make_grid(block_matrix *m, int32_t side)
{
    key_list keys = {0};
    for (int32_t i = 0; i < side; i++)
        for (int32_t j = 0; j < side; j++) {
            int32_t at = i * side + j;
            if (j + 1 < side) CHECK(array_push(&keys, block_key(at + 1, at)));
            if (i + 1 < side) CHECK(array_push(&keys, block_key(at + side, at)));
        }
    key_list_unique(&keys);
    CHECK_OK(block_matrix_set_pattern(m, side * side, keys.data, keys.count, &err), err);
    array_free(&keys);
}

static void spend_time(void *context, size_t begin, size_t end)
{
    volatile double *sum = context;
    for (size_t i = begin; i < end; i++)
        for (int k = 0; k < 2000; k++) sum[i] += k;
}

TEST(orderings_and_threads_see_no_signals)
{
    enum { SIDE = 60, ROUNDS = 40, LOOP = 64 };
    int32_t *first = mem_alloc(SIDE * SIDE, sizeof *first),
            *order = mem_alloc(SIDE * SIDE, sizeof *order);
    double *sums = mem_calloc(LOOP, sizeof *sums);
    block_matrix m = {0};
    make_grid(&m, SIDE);
    CHECK_OK(order_by_dissection(&m, first, &err), err);
    struct sigaction action = {.sa_sigaction = count_signal, .sa_flags = SA_SIGINFO}, before, after;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR2);
    program = pthread_self();
    sigaction(SIGTERM, &action, &before);
    int threads = parallel_threads();
    parallel_set_threads(3);
    parallel_for(LOOP, 1, spend_time, sums); /* starts the threads */
    pid_t sender = start_sender();
    for (int i = 0; i < ROUNDS; i++) {
        memset(order, 0, SIDE * SIDE * sizeof *order);
        CHECK_OK(order_by_dissection(&m, order, &err), err);
        CHECK(memcmp(first, order, SIDE * SIDE * sizeof *order) == 0);
        parallel_for(LOOP, 1, spend_time, sums);
    }
    kill(sender, SIGKILL);
    waitpid(sender, NULL, 0);
    parallel_set_threads(threads);
    sigaction(SIGTERM, &before, &after);
    CHECK(received > 0);
    CHECK(elsewhere == 0);
    /* METIS puts handlers back without flags and mask. */
    CHECK(after.sa_sigaction == count_signal && (after.sa_flags & SA_SIGINFO));
    CHECK(sigismember(&after.sa_mask, SIGUSR2) == 1);
    block_matrix_free(&m);
    mem_free(first);
    mem_free(order);
    mem_free(sums);
}

int main(void)
{
    RUN(orderings_and_threads_see_no_signals);
    return TEST_END();
}
