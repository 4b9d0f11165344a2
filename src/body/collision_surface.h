/* The collision surface: points, edges and triangles of one linear mesh with vertices y = phi(x).
 *
 * A row of phi says how a vertex follows the coordinates. Contact code sees vertices only, and
 * pulls its derivatives back through the rows. */
#ifndef BODY_COLLISION_SURFACE_H
#define BODY_COLLISION_SURFACE_H

#include "base/array.h"
#include "base/status.h"
#include "math/vec3.h"

#include <stdbool.h>

typedef enum row_kind {
    ROW_NODE,        /* y = x_block */
    ROW_COMBINATION, /* y = offset + sum of weight times x_block over the row's entries */
    ROW_RIGID        /* y = x_block + R(x_(block + 1)) arm, the second block a rotation vector */
} row_kind;

typedef struct surface_row {
    row_kind kind;
    int32_t block; /* combination: that of the first entry */
    int32_t first; /* combination: first entry; rigid: index of the frame */
    int32_t count; /* combination: number of entries */
} surface_row;

/* One summand of a combination row. */
typedef struct row_entry {
    int32_t block;
    double weight;
} row_entry;

enum { ROW_MAX_BLOCKS = 640 }; /* that one row may follow: dense maps of coarse bodies */

typedef struct collision_surface {
    ARRAY(surface_row) rows;  /* one per vertex */
    ARRAY(row_entry) entries; /* of the combination rows */
    ARRAY(vec3)
    offsets;              /* of the combination rows, by vertex; vertices behind the last
                             have none */
    ARRAY(vec3) arms;     /* of the rigid rows, by vertex; empty without rigid rows */
    ARRAY(int32_t) poses; /* first block of every rigid frame */
    bool general;         /* some row is not a node */
    ARRAY(int32_t)
    follower;                      /* block of the node whose vertex has the row of what it follows,
                                      else -1; empty: none (body/follower.h) */
    ARRAY(int32_t) vertex_body;    /* body of every vertex */
    ARRAY(int32_t) vertex_group;   /* a number that vertices of bodies that do not meet share */
    ARRAY(uint64_t) excluded;      /* pairs of bodies that do not collide (broad_pair), ascending */
    ARRAY(int32_t) edges;          /* 2 vertices each */
    ARRAY(int32_t) triangles;      /* 3 vertices each */
    ARRAY(double) edge_length2;    /* squared rest length of every edge */
    ARRAY(uint8_t) vertex_on_edge; /* vertex belongs to some edge (else it is a free point) */
    ARRAY(double) thickness;       /* xi of every vertex; empty: all 0 */
    ARRAY(double) width; /* of rods and grains at every vertex, m; 0 or empty: not known */
} collision_surface;

/* xi of a pair of primitives: the mean of the two, that of a primitive the largest of its vertices.
 */
static inline double surface_pair_thickness(const collision_surface *s, const int32_t *a, int na,
                                            const int32_t *b, int nb)
{
    if (s->thickness.count == 0) return 0;
    double first = 0, second = 0;
    for (int k = 0; k < na; k++)
        if (s->thickness.data[a[k]] > first) first = s->thickness.data[a[k]];
    for (int k = 0; k < nb; k++)
        if (s->thickness.data[b[k]] > second) second = s->thickness.data[b[k]];
    return 0.5 * (first + second);
}

void collision_surface_free(collision_surface *s);
/* Rows for a further vertex; its body must follow in vertex_body. */
abut_status surface_add_node(collision_surface *s, int32_t block, abut_error *err);
abut_status surface_add_combination(collision_surface *s, const row_entry *entries, int count,
                                    abut_error *err);
/* Offset of the last row, a combination (0 unless set): for surfaces that are not where the weights
 * would put them at rest. */
abut_status surface_set_offset(collision_surface *s, vec3 offset, abut_error *err);
/* frame: from surface_add_pose. */
abut_status surface_add_rigid(collision_surface *s, int32_t pose, vec3 arm, abut_error *err);
/* A rigid frame whose origin is `block` and whose rotation vector is the block after it. */
abut_status surface_add_pose(collision_surface *s, int32_t block, int32_t *pose, abut_error *err);

/* The blocks that a vertex follows; returns their number, at most ROW_MAX_BLOCKS. */
int surface_row_blocks(const collision_surface *s, int32_t vertex, int32_t *blocks);

/* Positions of the vertices at x. */
void collision_surface_positions(const collision_surface *s, const double *x, vec3 *y);
/* Of these vertices only. */
void collision_surface_some_positions(const collision_surface *s, const double *x,
                                      const int32_t *vertices, size_t count, vec3 *y);

/* How the vertices move when x moves by p: the rows without their offsets. Not meant for rigid
 * rows, whose motion is not linear; they are treated as by collision_surface_positions. */
void collision_surface_directions(const collision_surface *s, const double *p, vec3 *out);

/* Velocities of the vertices; v holds the angular velocity (about world axes) where x holds a
 * rotation vector. */
void collision_surface_velocities(const collision_surface *s, const double *x, const double *v,
                                  vec3 *out);

#endif
