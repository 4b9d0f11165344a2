/* Loads on parts of the boundary of volume elements of any order.
 *
 * Tractions are forces per area at rest: they enter the dead loads of the inertia term. A pressure
 * follows the surface; its energy is p V with V = 1/3 int x.n da, whose gradient is p n da where
 * the loaded surface is closed or its border is fixed and p is uniform. What the gradient has
 * beyond that (the border's part) is taken at the start of a step and subtracted as a dead load, so
 * that the force is right at the start of every step in all cases. In the plane V = 1/2 int x.n ds,
 * with the depth of one metre. */
#ifndef TERM_SURFACE_LOAD_H
#define TERM_SURFACE_LOAD_H

#include "base/expression.h"
#include "body/model.h"
#include "fem/quadrature.h"
#include "fem/sides.h"
#include "term/term.h"

typedef enum traction_kind { TRACTION_VECTOR, TRACTION_NORMAL, TRACTION_PRESSURE } traction_kind;

typedef struct surface_load {
    traction_kind kind;
    double from, until;
    expression *value[3]; /* Pa, owned; the last two kinds have one */
} surface_load;

/* Loaded sides of one kind and order. */
typedef struct load_sides {
    cell_kind kind;
    int order, nodes;
    quadrature rule;
    double *value;          /* points x nodes */
    double (*gradient)[3];  /* points x nodes */
    ARRAY(int32_t) blocks;  /* sides x nodes */
    ARRAY(int32_t) load;    /* per side */
    ARRAY(double) pressure; /* per side and point: times the weight of the point */
} load_sides;

enum { SURFACE_LOAD_GROUPS = 12 };

typedef struct surface_load_term {
    term base;
    const model *model;
    ARRAY(surface_load) loads;
    load_sides sides[SURFACE_LOAD_GROUPS]; /* under pressure: the groups of the term */
    load_sides dead[SURFACE_LOAD_GROUPS];  /* with tractions, which no derivative needs */
    int dead_count;
    vec3 center; /* that V is taken about */
} surface_load_term;

abut_status surface_load_create(const model *m, surface_load_term **out, abut_error *err);
/* A load on sides of a mesh; block_of_vertex gives the blocks of its vertices. Takes the
 * expressions over, also on failure. */
abut_status surface_load_add(surface_load_term *t, surface_load load, const mesh *m,
                             const side_list *sides, const int32_t *block_of_vertex,
                             abut_error *err);
/* Values of a step: whether loads act is decided by its start, how large they are by its end. Adds
 * the dead loads to force (3 per block) and prepares the pressures. */
void surface_load_begin_step(surface_load_term *t, const double *start, double start_time,
                             double end_time, double *force);

#endif
