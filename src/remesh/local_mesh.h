/* A simplicial mesh that is changed by local operations: edge split, edge collapse, swaps, vertex
 * smoothing, in the plane (triangles, z = 0) and in space (tets) by the same code.
 *
 * A mesh has a rest position X per vertex and any number of further vectors per vertex, the fields:
 * positions (x of the present iterate, x of earlier steps) and others (velocities, accelerations).
 * Cells have a number of their owner's (material, body), boundary facets a tag, vertices a set of
 * flags (one bit for each Dirichlet condition, load, selection, ...).
 *
 * Vertices and cells are never overwritten: an operation marks what goes as dead and appends what
 * comes. Numbers are therefore stable; everything since a mark can be undone, and what was there
 * before is then the same bit for bit, including the order in which neighbours are visited.
 *
 * What every operation keeps:
 *  - the rest shape: boundary and interfaces between attributes move by nothing but rounding (flat
 *    parts are retriangulated, creases along themselves), so volumes per attribute stay;
 *  - tags: children of a facet have its tag, only facets of one tag and one combination of flags
 * are merged; a new vertex has a flag where the facet (or the cell) that it lies on has it at all
 *    corners;
 *  - the topology (link condition, the outside counting as one more vertex);
 *  - positive volumes of rest shape and of every field that is a position.
 * An operation that would break one of these is refused and leaves no trace. Whether surfaces of
 * different parts come to intersect is for the caller to look at: this mesh knows only itself.
 *
 *     local_mesh m = {0};
 *     TRY(local_mesh_import(&m, &definition, err));
 *     local_mark before = local_mesh_mark(&m);
 *     local_change change;
 *     TRY(local_mesh_split(&m, a, b, &change, err));
 *     if (change.outcome == LOCAL_DONE && !worth_it(&m, change.vertex)) local_mesh_rollback(&m,
 * before);
 *     ...
 *     local_export out = {0};
 *     TRY(local_mesh_export(&m, &out, err));   // compact arrays
 */
#ifndef REMESH_LOCAL_MESH_H
#define REMESH_LOCAL_MESH_H

#include "base/array.h"
#include "base/status.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "remesh/flag_sets.h"

#include <stdbool.h>
#include <stdint.h>

/* Tags of facets. Boundary facets have tags >= 0. */
enum { LOCAL_INTERIOR = -1, LOCAL_INTERFACE = -2 /* between cells of different attributes */ };

enum { LOCAL_MAX_FIELDS = 32 };

typedef struct local_cell {
    int32_t vertex[4]; /* the first dimension + 1 count; positive orientation */
    int32_t facet[4];  /* tag of the facet opposite to the vertex */
    int32_t attribute; /* the owner's; never changes */
    int32_t origin;    /* cell of the imported mesh that it lies in, -1: not in one alone */
    int32_t next[4], before[4]; /* ring of the cells of each vertex: 4 cell + corner, -1: end */
    bool alive;
} local_cell;

typedef struct local_vertex {
    vec3 rest;
    flag_set flags; /* in the mesh's flag_sets */
    int32_t origin; /* vertex of the imported mesh that it is, or -1 */
    int32_t part;   /* of local_mesh_import_parts; 0 otherwise */
    int32_t first;  /* ring of its cells: 4 cell + corner, -1: none */
    bool alive;
    bool pinched; /* its cells hang together in a point or an edge only: it is neither merged nor
                     are its edges swapped */
} local_vertex;

typedef struct local_record local_record; /* of the undo log */

typedef ARRAY(int32_t) local_list;
typedef ARRAY(uint64_t) local_keys;

typedef struct local_mesh {
    int dimension; /* 2 or 3 */
    int field_count;
    bool is_position[LOCAL_MAX_FIELDS]; /* fields that must not be inverted */
    ARRAY(local_vertex) vertices;
    ARRAY(vec3) fields; /* field_count per vertex */
    ARRAY(local_cell) cells;
    size_t imported_vertices, imported_cells; /* the first ones are those of the imported mesh */
    local_list part_start; /* two per part: its first vertex and cell in the imported mesh */
    /* Shape below which operations are refused unless they make the worst cell better, 0 .. 1. */
    double min_quality;
    flag_sets *flags; /* combinations that occur; a cache, also where the mesh is only read */
    struct {
        local_record *data;
        size_t count, capacity;
    } log;
    local_list work[6];  /* scratch of the operations */
    local_keys links[3]; /* scratch of the link condition */
} local_mesh;

/* What a local mesh is made from; all arrays are copied. Cells of negative orientation are errors.
 */
typedef struct local_definition {
    int dimension;
    size_t vertex_count, cell_count;
    const vec3 *rest;
    const int32_t *cells;     /* dimension + 1 vertices each */
    const int32_t *attribute; /* per cell; NULL: 0 */
    const uint64_t *flags;    /* flag_words per vertex (base/bits.h); NULL: none */
    size_t flag_words;        /* 0: one */
    /* Tags of boundary facets: dimension vertices each, in any order. Those not listed have tag 0.
     */
    size_t facet_count;
    const int32_t *facets;
    const int32_t *facet_tags;
    int field_count;
    const vec3 *const *fields; /* field_count arrays of vertex_count vectors */
    const bool *is_position;   /* field_count */
    bool smooth;               /* known to have no pinched vertices: they are not looked for */
} local_definition;

/* Errors (ABUT_ERROR_INPUT, with numbers of cells and vertices): facets of more than two cells,
 * neighbours that overlap, parts that hang together in a point only, flat or inverted cells
 * (local_cell_quality up to 1e-9), inverted cells in a field that is a position. Vertices
 * that no cell uses are allowed and dead. */
abut_status local_mesh_import(local_mesh *m, const local_definition *def, abut_error *err);
/* Several bodies as parts of one mesh, so that operations on one see the others as they are now.
 * Numbers of vertices and cells count through the parts; attributes should differ between parts
 * where they mean different things, and so should flags. All parts have the same dimension and
 * fields.
 */
abut_status local_mesh_import_parts(local_mesh *m, const local_definition *parts, size_t count,
                                    abut_error *err);
void local_mesh_free(local_mesh *m);
/* With the same numbers and the same order of neighbours; nothing can be undone in the copy. */
abut_status local_mesh_copy(const local_mesh *from, local_mesh *to, abut_error *err);

/* --- reading ------------------------------------------------------------------------------- */

static inline int local_corners(const local_mesh *m) { return m->dimension + 1; }
static inline vec3 *local_field(const local_mesh *m, int32_t vertex, int field)
{
    return &m->fields.data[(size_t)vertex * (size_t)m->field_count + (size_t)field];
}
/* Signed area or volume; field -1: the rest shape. */
double local_cell_volume(const local_mesh *m, int32_t cell, int field);
/* Shape of a simplex at rest: 1 for regular ones, 0 for flat, negative for inverted ones
 * (2D: 4 sqrt(3) A / sum l^2; 3D: 12 (3 V)^(2/3) / sum l^2). */
double local_cell_quality(const local_mesh *m, int32_t cell);
double local_edge_length(const local_mesh *m, int32_t a, int32_t b); /* at rest */

/* Cells around a vertex or an edge, neighbours of a vertex (ascending). Appended to out. */
abut_status local_mesh_star(const local_mesh *m, int32_t vertex, local_list *out, abut_error *err);
abut_status local_mesh_edge_star(const local_mesh *m, int32_t a, int32_t b, local_list *out,
                                 abut_error *err);
abut_status local_mesh_neighbours(const local_mesh *m, int32_t vertex, local_list *out,
                                  abut_error *err);
/* The cell behind a facet (opposite corner `corner` of the cell), -1: none. */
int32_t local_mesh_across(const local_mesh *m, int32_t cell, int corner);
bool local_mesh_is_edge(const local_mesh *m, int32_t a, int32_t b);
/* On the boundary, or with `interfaces` on an interface as well. */
bool local_vertex_on_boundary(const local_mesh *m, int32_t vertex, bool interfaces);
bool local_edge_on_boundary(const local_mesh *m, int32_t a, int32_t b, bool interfaces);

/* All edges, two vertices each, lower first, ascending. */
abut_status local_mesh_edges(const local_mesh *m, local_list *out, abut_error *err);

/* --- changing ------------------------------------------------------------------------------ */

typedef struct local_mark {
    size_t log, vertices, cells;
} local_mark;

/* Everything after the mark can be undone until local_mesh_commit. */
local_mark local_mesh_mark(const local_mesh *m);
void local_mesh_rollback(local_mesh *m, local_mark mark);
/* Forgets how to undo (marks taken before become useless). */
void local_mesh_commit(local_mesh *m);
/* Cells that were there at the mark and are not any more; those that came are numbered from
 * mark.cells on (some may have died again). */
abut_status local_mesh_removed_since(const local_mesh *m, local_mark mark, local_list *out,
                                     abut_error *err);

/* Changes a field of a vertex; undone like everything else. */
abut_status local_mesh_set_field(local_mesh *m, int32_t vertex, int field, vec3 value,
                                 abut_error *err);

typedef enum local_outcome {
    LOCAL_DONE,
    LOCAL_NO_SUCH,  /* no such edge, facet or vertex */
    LOCAL_TOPOLOGY, /* link condition; a swap would create an edge that exists */
    LOCAL_SURFACE,  /* boundary, interface, tags or flags would change */
    LOCAL_INVERTED, /* a cell without volume at rest or in a position field */
    LOCAL_QUALITY   /* below min_quality, or no improvement (swap, smoothing) */
} local_outcome;
const char *local_outcome_name(local_outcome outcome);

typedef struct local_change {
    local_outcome outcome;
    int32_t
        vertex; /* split: the new one; collapse: what is left; smoothing: the moved one; or -1 */
} local_change;

/* Each returns an error only when memory runs out; a refusal is an outcome. */

/* A vertex in the middle of the edge; every cell around it becomes two. Fields are averaged. */
abut_status local_mesh_split(local_mesh *m, int32_t a, int32_t b, local_change *out,
                             abut_error *err);
/* Merges a and b: inside in the middle; onto the one on the boundary if one is; on the boundary
 * only where the rest shape stays (in a flat part, along a straight crease), in the middle if both
 * may go. Fields are those of the one that stays, or averages. */
abut_status local_mesh_collapse(local_mesh *m, int32_t a, int32_t b, local_change *out,
                                abut_error *err);
/* Removes an interior edge. 2D: the other diagonal; the new triangles have at least a tenth of the
 * area. 3D: the cells around the edge (3 to 7) become those over the best triangulation of the ring
 * (3-2, 4-4, 5-6, ... swaps). `improve`: refused unless the worst shape gets better. */
abut_status local_mesh_swap_edge(local_mesh *m, int32_t a, int32_t b, bool improve,
                                 local_change *out, abut_error *err);
/* Moves an interior vertex (without flags) at rest to where the shape of its worst cells is best;
 * fields are those of the old mesh at the new position. The vertex gets a new number. */
abut_status local_mesh_smooth(local_mesh *m, int32_t vertex, local_change *out, abut_error *err);
/* The same to a position of the caller's choice within the star. */
abut_status local_mesh_move(local_mesh *m, int32_t vertex, vec3 rest, local_change *out,
                            abut_error *err);

/* --- the result ---------------------------------------------------------------------------- */

/* Compact arrays: vertices of the imported mesh that are left first, in their order, then new ones
 * in the order of their birth; cells likewise. Owned; local_export_free. */
typedef struct local_export {
    int dimension, field_count;
    size_t vertex_count, cell_count, facet_count;
    vec3 *rest;
    vec3 *fields[LOCAL_MAX_FIELDS];
    uint64_t *flags; /* flag_words per vertex */
    size_t flag_words;
    int32_t *cells, *attribute;
    int32_t *cell_origin; /* old cell that contains the new one, -1: reaches over several */
    bool *cell_kept;      /* the very cell of the old mesh, cell_origin says which */
    int32_t *facets;      /* boundary facets, dimension vertices each, oriented outward */
    int32_t *facet_tags;
    bool nested; /* every cell lies within one old cell: fields are exact */
} local_export;

abut_status local_mesh_export(const local_mesh *m, local_export *out, abut_error *err);
void local_export_free(local_export *e);
/* A mesh of linear cells with the attributes as tags. */
abut_status local_export_mesh(const local_export *e, mesh *out, abut_error *err);

/* Looks at everything anew: rings, facets and their tags, orientation, dead parts, volumes. An
 * ABUT_ERROR_CHECK says what is wrong. For tests and debugging; time is that of sorting. */
abut_status local_mesh_check(const local_mesh *m, abut_error *err);

#endif
