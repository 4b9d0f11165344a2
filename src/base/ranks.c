#include "base/ranks.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* One transport serves the process, as one set of threads does: MPI is started once only. */
static const rank_transport *transport;

void ranks_set_transport(const rank_transport *t) { transport = t; }
const rank_transport *ranks_transport(void) { return transport; }

int ranks_count(void) { return transport ? transport->count : 1; }
int ranks_index(void) { return transport ? transport->index : 0; }

void ranks_gather(void *data, size_t size, const size_t *start)
{
    if (!ranks_divided()) return;
    size_t few[64], count = (size_t)ranks_count();
    size_t *bytes = count < 64 ? few : mem_alloc(count + 1, sizeof *bytes);
    if (!bytes) transport->abort(1);
    for (size_t r = 0; r <= count; r++) bytes[r] = size * start[r];
    transport->gather(data, bytes);
    if (bytes != few) mem_free(bytes);
}

void ranks_gather_counts(size_t own, size_t *all)
{
    size_t few[64], count = (size_t)ranks_count();
    all[ranks_index()] = own;
    if (count == 1) return;
    size_t *start = count < 64 ? few : mem_alloc(count + 1, sizeof *start);
    if (!start) transport->abort(1);
    for (size_t r = 0; r <= count; r++) start[r] = r;
    ranks_gather(all, sizeof *all, start);
    if (start != few) mem_free(start);
}

void ranks_gather_starts(size_t own, size_t *start)
{
    size_t ranks = (size_t)ranks_count(), sum = 0;
    ranks_gather_counts(own, start);
    for (size_t r = 0; r < ranks; r++) {
        size_t count = start[r];
        start[r] = sum;
        sum += count;
    }
    start[ranks] = sum;
}

double ranks_minimum(double value) { return ranks_divided() ? transport->minimum(value) : value; }

bool ranks_any(bool value)
{
    return ranks_divided() ? transport->minimum(value ? 0 : 1) < 0.5 : value;
}

bool ranks_agree(uint64_t value)
{
    bool same = true;
    for (int half = 0; half < 2 && ranks_divided(); half++) {
        double part = (double)(uint32_t)(value >> 32 * half);
        same = same && transport->minimum(part) == part;
        same = !ranks_any(!same);
    }
    return same;
}

/* Values of all chunks, each computed by one rank. */
static size_t divide_chunks(size_t n, parallel_partial partial, void *context, double *table)
{
    size_t chunks = parallel_partial_count(n);
    if (!ranks_divided() || chunks < 2) {
        parallel_partials(n, partial, context, 0, chunks, table);
        return chunks;
    }
    size_t few[64], count = (size_t)ranks_count();
    size_t *start = count < 64 ? few : mem_alloc(count + 1, sizeof *start);
    if (!start) transport->abort(1);
    for (size_t r = 0; r <= count; r++) start[r] = ranks_begin(chunks, (int)r);
    int own = ranks_index();
    parallel_partials(n, partial, context, start[own], start[own + 1], table);
    ranks_gather(table, sizeof *table, start);
    if (start != few) mem_free(start);
    return chunks;
}

double ranks_sum_of(size_t n, parallel_partial partial, void *context)
{
    double table[PARALLEL_MAX_PARTIALS], sum = 0.0;
    size_t chunks = divide_chunks(n, partial, context, table);
    for (size_t i = 0; i < chunks; i++) sum += table[i];
    return sum;
}

double ranks_max_of(size_t n, parallel_partial partial, void *context)
{
    double table[PARALLEL_MAX_PARTIALS], best = -INFINITY;
    size_t chunks = divide_chunks(n, partial, context, table);
    for (size_t i = 0; i < chunks; i++)
        if (table[i] > best) best = table[i];
    return best;
}

double ranks_min_of(size_t n, parallel_partial partial, void *context)
{
    double table[PARALLEL_MAX_PARTIALS], best = INFINITY;
    size_t chunks = divide_chunks(n, partial, context, table);
    for (size_t i = 0; i < chunks; i++)
        if (table[i] < best) best = table[i];
    return best;
}
