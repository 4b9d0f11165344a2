/* The processes ("ranks") that share one run, where it was started with mpirun.
 *
 * All ranks hold the same state and take the same decisions; they divide the work. What a rank has
 * computed of a divided whole is gathered by all, in the order of the ranks. A program started
 * alone is one rank of one, and nothing here costs anything then. All functions that exchange
 * something must be called by all ranks, in the same order, from one thread each.
 *
 * The transport (MPI) is outside: linear/petsc_module.h. */
#ifndef BASE_RANKS_H
#define BASE_RANKS_H

#include "base/parallel.h"

#include <stdbool.h>
#include <stdint.h>

/* What the transport provides. A failing transport ends the process: nothing is returned. */
typedef struct rank_transport {
    int index, count;
    /* In place: rank r has the bytes [start[r], start[r + 1]), all get all. */
    void (*gather)(void *data, const size_t *start);
    double (*minimum)(double value);
    /* How this rank ended: 0 or an exit code. Waits for the others (not for long unless it is 0)
     * and tells the largest code; *speaker: the first rank that failed, or this one when it is
     * alone. */
    int (*end)(int code, int *speaker);
    bool (*all_ended)(void); /* the others came, too */
    /* Ends all ranks. */
    void (*abort)(int code);
} rank_transport;

/* NULL: alone. Once, before anything is divided; *transport must stay. */
void ranks_set_transport(const rank_transport *transport);
const rank_transport *ranks_transport(void);

int ranks_count(void);
int ranks_index(void);
static inline bool ranks_divided(void) { return ranks_count() > 1; }

/* The share of rank r in n equal items: [ranks_begin(n, r), ranks_begin(n, r + 1)). */
static inline size_t ranks_begin(size_t n, int rank)
{
    size_t count = (size_t)ranks_count(), r = (size_t)rank;
    return n / count * r + n % count * r / count;
}

/* In place: rank r has the items [start[r], start[r + 1]) of `size` bytes each, all get all. */
void ranks_gather(void *data, size_t size, const size_t *start);
/* One value of every rank: value[count]. */
void ranks_gather_counts(size_t own, size_t *all);
/* Where the share of every rank begins when each has `own`, and at the end their sum: ranks_count()
 * + 1 numbers. */
void ranks_gather_starts(size_t own, size_t *start);
double ranks_minimum(double value);
bool ranks_any(bool value);
/* True when all ranks have the same 64 bits. */
bool ranks_agree(uint64_t value);

/* parallel_sum and so on with the chunks divided over the ranks. The bits are those of one rank. */
double ranks_sum_of(size_t n, parallel_partial partial, void *context);
double ranks_max_of(size_t n, parallel_partial partial, void *context);
double ranks_min_of(size_t n, parallel_partial partial, void *context);

#endif
