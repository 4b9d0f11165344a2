/* A set of unordered pairs of vertices, for the order of impacts. */
#ifndef MLCP_VERTEX_PAIRS_H
#define MLCP_VERTEX_PAIRS_H

#include "base/array.h"

typedef struct vertex_pairs {
    ARRAY(uint64_t) slots; /* a power of two; 0: free */
    size_t count;
} vertex_pairs;

/* Forgets all pairs and keeps the room. */
void vertex_pairs_clear(vertex_pairs *set);
bool vertex_pairs_contain(const vertex_pairs *set, int32_t a, int32_t b);
/* False when memory has run out. */
bool vertex_pairs_add(vertex_pairs *set, int32_t a, int32_t b);
void vertex_pairs_free(vertex_pairs *set);

#endif
