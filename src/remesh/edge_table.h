/* What is remembered about edges during one remeshing, and the queue of those to look at. */
#ifndef REMESH_EDGE_TABLE_H
#define REMESH_EDGE_TABLE_H

#include "remesh/local_mesh.h"

/* Ranks by energy, frozen at the state before the first operation, as bits: when all edges are
 * candidates for splits, those of little energy are candidates for collapses as well. */
enum { RANK_TOP = 1, RANK_BOTTOM = 2 };

typedef struct edge_note {
    uint64_t key;  /* of the two vertices */
    uint8_t rank;  /* bits RANK_TOP, RANK_BOTTOM */
    int8_t depth;  /* generations from an edge of the imported mesh */
    uint8_t tried; /* bits: kinds of operations that were tried */
} edge_note;

typedef struct edge_table {
    ARRAY(edge_note) notes;
    ARRAY(int32_t) slots; /* hash -> note, -1: empty */
} edge_table;

void edge_table_free(edge_table *t);
/* NULL: not known. The pointer is valid until the next insertion. */
edge_note *edge_table_find(const edge_table *t, int32_t a, int32_t b);
/* The note of an edge, made (of no rank) if there is none. NULL: out of memory. */
edge_note *edge_table_note(edge_table *t, int32_t a, int32_t b);

/* Largest priority first, ties by the vertices. b is -1 for vertices. */
typedef struct queue_item {
    double priority;
    int32_t a, b;
} queue_item;

typedef ARRAY(queue_item) edge_queue;

bool edge_queue_push(edge_queue *q, queue_item item);
bool edge_queue_pop(edge_queue *q, queue_item *out); /* false: empty */

#endif
