#include "base/signals.h"

#include <pthread.h>

/* Handlers belong to the process, so that two threads must not save and restore them at a time. */
static pthread_mutex_t handlers = PTHREAD_MUTEX_INITIALIZER;

void signal_guard_begin(signal_guard *g)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    pthread_mutex_lock(&handlers);
    pthread_sigmask(SIG_BLOCK, &blocked, &g->mask);
    sigaction(SIGTERM, NULL, &g->term);
    sigaction(SIGABRT, NULL, &g->abort);
}

void signal_guard_end(const signal_guard *g)
{
    sigaction(SIGTERM, &g->term, NULL);
    sigaction(SIGABRT, &g->abort, NULL);
    pthread_sigmask(SIG_SETMASK, &g->mask, NULL);
    pthread_mutex_unlock(&handlers);
}

void signals_begin_threads(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                 SIGABRT, SIGTRAP, SIGSYS, SIGPROF};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, before);
}

void signals_end_threads(const sigset_t *before) { pthread_sigmask(SIG_SETMASK, before, NULL); }
