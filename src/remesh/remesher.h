/* What the files of the criterion share.
 *
 * Operations are tried in small batches whose patches do not touch each other, so that they can be
 * tried at the same time. Every worker has a mesh of its own to try them on; what is kept is done
 * on all of them in the same order. Which operations form a batch depends on the queue alone, so
 * that results do not depend on the number of threads. */
#ifndef REMESH_REMESHER_H
#define REMESH_REMESHER_H

#include "remesh/edge_table.h"
#include "remesh/quick_patch.h"

typedef enum operation {
    OPERATION_SPLIT,
    OPERATION_COLLAPSE,
    OPERATION_SWAP,
    OPERATION_SMOOTH
} operation;

enum {
    MAX_BATCH = 4,  /* operations tried at the same time */
    LOOK_AHEAD = 8, /* candidates looked at for a batch */
};

/* What a thread needs for itself. */
typedef struct worker {
    local_mesh *mesh;
    local_mesh copy; /* unless it is the caller's mesh */
    surround around;
    patch before, after;
    quick_patch quick; /* of operations that touch nothing */
    local_list next_cells, near;
} worker;

typedef struct relaxed_vertex {
    int32_t vertex; /* from the vertices of the mesh on: new ones */
    vec3 x;
} relaxed_vertex;

/* An operation of a batch, and what came out. */
typedef struct trial {
    operation what;
    int32_t a, b; /* an edge, or the vertex a */
    bool shaped;  /* a swap that makes shapes better */
    int depth;
    uint8_t rank;
    local_list cells;   /* of the patch */
    surround_box where; /* what may be touched */
    bool bounded;       /* the patch is on the surface */
    bool quick;         /* contact has no part in it */
    uint64_t key;       /* for the memory of what did not pay */
    double strength;
    bool worth;
    double before, jumped, after; /* E_t on the patch */
    size_t iterations, free_vertices, refused, trials;
    size_t vertex_count; /* of the mesh when it was tried */
    ARRAY(relaxed_vertex) moved;
    abut_status status;
    abut_error error;
} trial;

typedef struct remesher {
    local_mesh *mesh; /* that of the first worker */
    const remesh_problem *problem;
    const remesh_options *options;
    remesh_report *report;
    bool contact;
    worker *workers;
    int worker_count;
    trial batch[MAX_BATCH];
    size_t batch_count;
    number_map taken; /* cells of the batch's patches */
    number_map moved; /* vertices that operations have moved */
    edge_table edges;
    edge_queue queue;
    ARRAY(queue_item) deferred;
    double volume, potential;    /* of all cells */
    double collapse_limit;       /* m */
    double floor;                /* of boundary edges next to contact, m; 0: none */
    double thickness;            /* largest of the bodies, m */
    size_t living;               /* cells */
    double *cell_energy;         /* ranks: elastic, J, by cell of the imported mesh */
    ARRAY(uint8_t) touched;      /* per vertex: it takes part in a contact */
    ARRAY(middle_terms) spread;  /* per vertex: contact that is spread over the surface around it */
    ARRAY(vec3) pushed;          /* per edge, by its note: contact between its ends */
    ARRAY(middle_terms) middles; /* per edge of the imported mesh, by its note */
    patch_scratch scratch;
    local_list near, star;
} remesher;

/* Elastic energy of a cell, J; and with inertia, as the potential has it, J. */
double cell_elastic_energy(const remesher *r, int32_t cell);
double cell_potential(const remesher *r, int32_t cell);

/* Notes the ranks of all edges at the present state. */
abut_status rank_edges(remesher *r, abut_error *err);

/* Derivatives of the potential at the middles of all edges (quick_patch.h). */
abut_status measure_middles(remesher *r, abut_error *err);
/* What a split is worth to second order, in units of E_t: that of an edge that has its derivatives
 * measured, or measured now. */
double noted_gain(remesher *r, size_t note, int32_t a, int32_t b);
abut_status split_gain(remesher *r, int32_t a, int32_t b, double *gain, abut_error *err);
/* Contact at vertices and edges as it was found. */
abut_status measure_contact_at(remesher *r, const contact_term *t, const int32_t *vertex_of_block,
                               abut_error *err);
bool is_touched(const remesher *r, int32_t vertex);
/* The boundary at this edge is in contact. */
bool edge_is_touched(const remesher *r, int32_t a, int32_t b);
/* New vertices on a surface in contact are in contact. */
abut_status note_touched(remesher *r, int32_t vertex, int32_t a, int32_t b, abut_error *err);

/* Whether an operation was tried before with as little to gain. *key and *strength for
 * remember_failure. */
bool is_remembered(const remesher *r, operation what, const queue_item *item, uint64_t *key,
                   double *strength);
abut_status remember_failure(const remesher *r, const trial *t, abut_error *err);

/* Meshes, surroundings and patches of the workers. */
abut_status workers_init(remesher *r, int count, abut_error *err);
void workers_free(remesher *r);

/* Adds an operation to the batch; *added is false when its patch touches those of others. */
abut_status batch_add(remesher *r, operation what, queue_item item, const edge_note *note,
                      bool *added, abut_error *err);
/* Tries all operations of the batch. */
abut_status batch_try(remesher *r, abut_error *err);
/* Does an operation that was found worth it on all meshes; *change as from the operation. */
abut_status batch_keep(remesher *r, trial *t, local_change *change, abut_error *err);
void batch_clear(remesher *r);

#endif
