#include "base/beside.h"

#include "base/parallel.h"

#include <assert.h>
#include <signal.h>

static void *work(void *context)
{
    beside *b = context;
    parallel_set_threads(1); /* the helpers belong to the step */
    b->status = b->job(b->context, &b->error);
    return NULL;
}

/* Signals are for the threads that were there before. */
static bool start_thread(beside *b)
{
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    bool started = pthread_create(&b->thread, NULL, work, b) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void beside_start(beside *b, beside_job job, void *context)
{
    assert(!b->running);
    b->job = job;
    b->context = context;
    b->status = ABUT_OK;
    b->running = parallel_threads() > 1 && start_thread(b);
    if (!b->running) b->status = job(context, &b->error);
}

abut_status beside_wait(beside *b, abut_error *err)
{
    if (b->running) pthread_join(b->thread, NULL);
    b->running = false;
    abut_status status = b->status;
    b->status = ABUT_OK;
    if (status != ABUT_OK && err) *err = b->error;
    return status;
}
