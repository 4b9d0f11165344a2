/* Which rank owns which unknowns, where a run is divided over ranks.
 *
 * Blocks of coordinates are divided so that ranks have equal work and few stencils in common
 * (METIS on the graph of the stencils). Free unknowns are numbered anew, rank by rank, so that a
 * rank owns adjacent rows of the matrix. */
#ifndef SOLVE_RANK_SHARE_H
#define SOLVE_RANK_SHARE_H

#include "linear/row_matrix.h"
#include "term/term.h"

typedef struct rank_share {
    ARRAY(int32_t) home;       /* per block: its rank when there are no contacts */
    ARRAY(int32_t) owner;      /* per block: its rank now */
    ARRAY(double) work;        /* scratch of the balance: per rank */
    ARRAY(double) static_work; /* per rank: of the static stencils, with home */
    ARRAY(size_t) first;       /* ranks + 1: the rows of rank r are [first[r], first[r + 1]) */
    ARRAY(int32_t) row;        /* free unknown -> row */
    ARRAY(int32_t) unknown;    /* row -> free unknown */
    ARRAY(uint8_t) mask;       /* 3 per row */
    ARRAY(double) rows;        /* scratch: 3 per row */
    ARRAY(double) position;    /* 3 per row of this rank */
    row_matrix matrix;
} rank_share;

void rank_share_free(rank_share *s);

/* The graph of the stencils. Groups are added one after the other. */
typedef struct stencil_graph {
    key_list keys;
    ARRAY(int32_t) weight; /* per block */
} stencil_graph;
abut_status stencil_graph_begin(stencil_graph *g, int32_t block_count, abut_error *err);
abut_status stencil_graph_add(stencil_graph *g, const stencil_group *group, abut_error *err);
void stencil_graph_free(stencil_graph *g);

/* Divides the blocks; owner has room for all. Every rank finds the same. */
abut_status rank_share_divide(stencil_graph *g, int32_t block_count, int32_t *owner,
                              abut_error *err);

/* Adds the work that a group means for each rank. */
void rank_share_add_work(const int32_t *owner, const stencil_group *group, double *work);
/* Largest work of a rank over the mean. */
double rank_share_imbalance(const double *work);

/* Numbers the rows for these unknowns (free_block: unknown -> block). mask: 3 per unknown. */
abut_status rank_share_number(rank_share *s, int32_t free_count, const int32_t *free_block,
                              const uint8_t *mask, abut_error *err);

static inline int32_t rank_share_first(const rank_share *s, int rank)
{
    return (int32_t)s->first.data[rank];
}

#endif
