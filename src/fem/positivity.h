/* Where is the Jacobian determinant of a cell's map positive? Answers that are true everywhere in
 * the cell, not at sample points only.
 *
 * The determinant is a polynomial; it is sampled on a lattice and converted to Bernstein form,
 * whose coefficients bound it from below. Along a motion x + t p it is a polynomial in the point
 * and in t, and bounded alike. Where the bound is not good enough the cell is subdivided. All
 * rounding errors are counted against the answer. */
#ifndef FEM_POSITIVITY_H
#define FEM_POSITIVITY_H

#include "base/status.h"
#include "mesh/cell.h"

typedef struct positivity {
    cell_kind kind;
    int order;  /* of the map */
    int nodes;  /* of a cell */
    int degree; /* of the determinant: in total on simplices, per axis on quads and hexes */
    int count;  /* lattice points = Bernstein coefficients */
    double (*points)[3];
    double (*gradients)[3]; /* count x nodes reference gradients */
    double *to_bernstein;   /* count x count, from samples to coefficients */
    double amplification;   /* largest absolute row sum of to_bernstein */
    /* The same tables for loops over all points of the whole cell at once: */
    int padded;      /* count, up to a multiple of four */
    double *by_node; /* nodes x 3 x padded gradients */
    double *columns; /* count x padded: columns of to_bernstein */
} positivity;

enum { POSITIVITY_MAX_COUNT = 220 };

/* A part of the reference cell: image of the reference cell itself under corner + axes. */
typedef struct positivity_part {
    double corner[3], axes[3][3]; /* axes[k]: image of the k-th unit vector */
    int depth;
} positivity_part;

static const positivity_part positivity_whole = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
/* Halving all edges makes so many parts of a part; part number i of them. */
int positivity_child_count(const positivity *p);
positivity_part positivity_child(const positivity *p, const positivity_part *q, int i);
/* Lattice point i of a part in the reference cell. */
void positivity_point(const positivity *p, const positivity_part *q, int i, double xi[3]);
/* Bernstein coefficients over a part from the determinants at its lattice points; both have room
 * for POSITIVITY_MAX_COUNT. */
void positivity_coefficients(const positivity *p, const double *sample, double *out);

abut_status positivity_init(positivity *p, cell_kind kind, int order, abut_error *err);
void positivity_free(positivity *p);

typedef enum positivity_answer {
    POSITIVE, /* everywhere */
    NEGATIVE, /* not positive at some point */
    UNDECIDED /* too close to zero somewhere to decide */
} positivity_answer;

/* Sign of det dx/dxi over the whole cell (planar cells: of the x-y part). */
positivity_answer positivity_check(const positivity *p, const vec3 *nodes);

/* The largest t <= limit that can be shown to have det(x + s direction) > fraction det(x)
 * everywhere in the cell for all s in [0, t]; 0 when the determinant at x cannot be shown to be
 * positive. Not necessarily the largest possible, never larger. */
double positivity_max_step(const positivity *p, const vec3 *nodes, const vec3 *direction,
                           double limit, double fraction);

/* A point of the cell where the same cannot be shown for all s in [0, step]; false: it can. */
bool positivity_weak_point(const positivity *p, const vec3 *nodes, const vec3 *direction,
                           double step, double fraction, double xi[3]);

#endif
