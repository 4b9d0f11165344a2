/* One job beside the caller's own work: writing a file while the next step is computed.
 *
 * A second job waits for the first. On one thread, and where the machine gives no other, a job is
 * done at once. What a job uses must not change until beside_wait. */
#ifndef BASE_BESIDE_H
#define BASE_BESIDE_H

#include "base/status.h"

#include <pthread.h>
#include <stdbool.h>

typedef abut_status (*beside_job)(void *context, abut_error *err);

/* Zero at first. */
typedef struct beside {
    bool running;
    pthread_t thread;
    beside_job job;
    void *context;
    abut_status status; /* of the last job, until someone has waited for it */
    abut_error error;
} beside;

/* No job may be running: beside_wait first. */
void beside_start(beside *b, beside_job job, void *context);
/* The result of the last job; ABUT_OK when there was none since the last time. */
abut_status beside_wait(beside *b, abut_error *err);

#endif
