/* What the files of the local mesh share. */
#ifndef REMESH_LOCAL_INTERNAL_H
#define REMESH_LOCAL_INTERNAL_H

#include "remesh/local_mesh.h"

typedef enum local_record_kind {
    RECORD_CELL_BORN,
    RECORD_CELL_DEAD,
    RECORD_VERTEX_BORN,
    RECORD_VERTEX_DEAD,
    RECORD_FIELD
} local_record_kind;

struct local_record {
    local_record_kind kind;
    int32_t index, field;
    vec3 value; /* of the field before */
};

/* Births and deaths, logged. */
abut_status local_cell_birth(local_mesh *m, const int32_t *vertex, const int32_t *facet,
                             int32_t attribute, int32_t origin, int32_t *out, abut_error *err);
abut_status local_cell_death(local_mesh *m, int32_t cell, abut_error *err);
/* A vertex without cells; its fields are not set. */
abut_status local_vertex_birth(local_mesh *m, int32_t part, vec3 rest, flag_set flags, int32_t *out,
                               abut_error *err);
abut_status local_vertex_death(local_mesh *m, int32_t vertex, abut_error *err);

/* Ends an operation: looks at the cells that came since `begin` and undoes everything when one is
 * inverted, of a worse shape than allowed and than those that went (improve: than those at all), or
 * when volumes per attribute differ. */
abut_status local_finish(local_mesh *m, local_mark begin, bool improve, local_change *out,
                         abut_error *err);

/* Corner of a vertex in a cell, -1: none. */
static inline int local_corner_of(const local_mesh *m, const local_cell *c, int32_t vertex)
{
    for (int k = 0; k <= m->dimension; k++)
        if (c->vertex[k] == vertex) return k;
    return -1;
}

/* Flags that all corners but `without` (-1: none left out) have. */
flag_set local_common_flags(const local_mesh *m, const local_cell *c, int without);

/* Rest measure of the facet opposite a corner: area, or length in the plane. */
double local_facet_area(const local_mesh *m, const local_cell *c, int corner);
/* Flags of the middle of an edge: of the facets (on the boundary) or cells (inside) around it that
 * have a flag at all corners; on a crease those of its two ends. */
flag_set local_middle_flags(const local_mesh *m, int32_t a, int32_t b, const local_list *star);

/* Barycentric coordinates of a point in a simplex of the dimension. False when it is flat. */
bool local_barycentric(int dimension, const vec3 *corner, vec3 point, double *weight);
double local_simplex_volume(int dimension, const vec3 *p);
double local_simplex_quality(int dimension, const vec3 *p);

/* Iteration over the ring of a vertex: for (r = first; r >= 0; r = local_next(m, r)); the cell is
 * r / 4, the corner r % 4. */
static inline int32_t local_next(const local_mesh *m, int32_t ring)
{
    return m->cells.data[ring / 4].next[ring % 4];
}

#endif
