/* What did not pay before: an operation that was tried and turned down need not be tried again in
 * the next step when nothing has changed nearby. Operations are known by their kind and by the
 * rest positions of the vertices around, the state by how much strength there was to gain. */
#ifndef REMESH_MEMORY_H
#define REMESH_MEMORY_H

#include "base/array.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct remembered {
    uint64_t key; /* 0: empty */
    double strength;
    bool seen; /* since remesh_memory_begin */
} remembered;

typedef struct remesh_memory {
    ARRAY(remembered) slots; /* hashed by key, a power of two of them */
    size_t count;
} remesh_memory;

void remesh_memory_free(remesh_memory *m);
/* NULL: not known. Marks it as seen. */
const double *remesh_memory_find(remesh_memory *m, uint64_t key);
abut_status remesh_memory_put(remesh_memory *m, uint64_t key, double strength, abut_error *err);
/* A new step begins: nothing is seen yet. */
void remesh_memory_begin(remesh_memory *m);
/* It ends: forgets what was not seen. */
abut_status remesh_memory_end(remesh_memory *m, abut_error *err);

/* What it holds, for checkpoints: ARRAYs of the same length, in an order that does not matter. */
typedef struct remesh_memory_list {
    ARRAY(int64_t) keys;
    ARRAY(double) strengths;
} remesh_memory_list;
abut_status remesh_memory_write(const remesh_memory *m, remesh_memory_list *out, abut_error *err);

#endif
