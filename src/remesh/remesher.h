/* What the files of the criterion share. */
#ifndef REMESH_REMESHER_H
#define REMESH_REMESHER_H

#include "remesh/edge_table.h"
#include "remesh/patch.h"

typedef enum operation {
    OPERATION_SPLIT,
    OPERATION_COLLAPSE,
    OPERATION_SWAP,
    OPERATION_SMOOTH
} operation;

typedef struct remesher {
    local_mesh *mesh;
    const remesh_problem *problem;
    const remesh_options *options;
    const logger *log;
    remesh_report *report;
    surround around;
    bool contact;
    patch before, after;
    edge_table edges;
    edge_queue queue;
    double volume;         /* of all cells */
    double collapse_limit; /* m */
    double floor;          /* of boundary edges next to contact, m; 0: none */
    size_t living;         /* cells */
    double *cell_energy;   /* ranks: elastic, J, by cell of the imported mesh */
    local_list cells, next_cells, near;
} remesher;

/* Elastic energy of a cell, J; and with inertia, as the potential has it, J. */
double cell_elastic_energy(const remesher *r, int32_t cell);
double cell_potential(const remesher *r, int32_t cell);

/* Notes the ranks of all edges at the present state. */
abut_status rank_edges(remesher *r, abut_error *err);

/* Tries an operation on an edge (or on vertex a): kept if the potential falls by more than the
 * tolerance (J; negative: rises by less). `shaped`: only if shapes get better (swaps). */
abut_status try_operation(remesher *r, operation what, int32_t a, int32_t b, bool shaped,
                          double tolerance, remesh_count *count, local_change *change,
                          abut_error *err);

#endif
