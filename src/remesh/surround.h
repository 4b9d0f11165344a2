/* What is near a patch: the facets of the collision surface in a grid of boxes, those of the local
 * mesh as well as what is not remeshed, so that the cost of a patch does not grow with the scene.
 *
 * Boxes bound a facet at all positions that must stay free of intersections. Facets of the local
 * mesh are known by cell and corner; what has died is skipped, what came or moved is entered again.
 */
#ifndef REMESH_SURROUND_H
#define REMESH_SURROUND_H

#include "remesh/criterion.h"

#include <math.h>

typedef struct surround_entry {
    uint64_t box;  /* hashed cell of the grid */
    int32_t facet; /* local: 4 cell + corner; scene: see `kind` */
    int32_t kind;  /* surround_kind */
    int32_t next;  /* in the chain of its slot, -1: end */
} surround_entry;

typedef enum surround_kind {
    SURROUND_LOCAL,    /* 4 cell + corner */
    SURROUND_TRIANGLE, /* numbers of the scene's surface */
    SURROUND_EDGE,
    SURROUND_POINT,
    SURROUND_KINDS
} surround_kind;

/* An edge of the scene's surface by its vertices. */
typedef struct scene_edge {
    uint64_t key;
    int32_t edge;
} scene_edge;

typedef struct surround {
    const remesh_problem *problem;
    const local_mesh *mesh;
    vec3 *now, *start;       /* vertices of the scene's surface */
    vec3 *rest;              /* the same at rest */
    ARRAY(scene_edge) edges; /* of the scene, by key */
    uint8_t *in_triangle;    /* per edge of the scene's surface: it belongs to a triangle */
    double size;             /* of a box of the grid */
    ARRAY(surround_entry) entries;
    ARRAY(int32_t) slots; /* hash -> entry */
    local_list large;     /* pairs kind, facet: too large for the grid, looked at always */
    local_list stamps[SURROUND_KINDS]; /* number of the query that last saw the facet */
    int32_t query;
} surround;

typedef struct surround_box {
    vec3 low, high;
} surround_box;

/* The facets found, in the order of their numbers. */
typedef struct surround_near {
    local_list found[SURROUND_KINDS];
} surround_near;

abut_status surround_init(surround *s, const local_mesh *m, const remesh_problem *problem,
                          abut_error *err);
void surround_free(surround *s);
/* Enters the boundary facets of a cell again, after they came or moved. */
abut_status surround_enter(surround *s, int32_t cell, abut_error *err);
abut_status surround_find(surround *s, surround_box where, surround_near *out, abut_error *err);
void surround_near_free(surround_near *n);
/* Number of an edge of the scene's surface, -1: none. */
int32_t surround_scene_edge(const surround *s, int32_t a, int32_t b);

/* Bounds of a vertex of the local mesh at all its positions that are checked. */
void surround_add_vertex(const surround *s, int32_t vertex, surround_box *box);
static inline surround_box surround_empty(void)
{
    return (surround_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

#endif
