/* Signals are the process's own: what other libraries do with them, and which threads get them. */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <signal.h>

/* METIS has SIGTERM and SIGABRT jump to its start while it works. A SIGTERM from outside would end
 * the ordering (another one is then taken, with other bits) and be lost; on another thread, the
 * jump leads into a foreign stack. Afterwards it puts the handlers back without their flags.
 * Between these two calls SIGTERM waits, and the handlers come back as they were. Not for threads
 * of other programs that accept SIGTERM themselves. */
typedef struct signal_guard {
    sigset_t mask;
    struct sigaction term, abort;
} signal_guard;

void signal_guard_begin(signal_guard *g);
void signal_guard_end(const signal_guard *g);

/* Threads that are created between these two calls get no signals but those of their own faults:
 * the program's own threads handle what comes from outside. */
void signals_begin_threads(sigset_t *before);
void signals_end_threads(const sigset_t *before);

#endif
