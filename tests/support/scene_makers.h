/* Small models and steppers for tests of the solver, without a scene file. */
#ifndef SCENE_MAKERS_H
#define SCENE_MAKERS_H

#include "body/model.h"
#include "step/stepper.h"

enum { MAKER_DENSITY = 1000 };
static const double MAKER_YOUNG = 1e5, MAKER_POISSON = 0.3;

/* A deformable box around the origin. Exits on failure: it cannot fail but by lack of memory. */
model *make_box_model(vec3 size, int nx, int ny, int nz, elastic_model elastic);
/* One tet of edge length 1 at the axes. */
model *make_tet_model(elastic_model elastic);
/* Two cubes with sides of `size`, the second above the first with a gap, each of cells^3 cubes. */
model *make_stacked_model(double size, int cells, double gap);
/* Two primitives of 1 to 3 vertices (0: none) as obstacles: points, edges, triangles. */
model *make_obstacle_model(const int counts[2], const vec3 *x);
void free_model(model *m);

/* Options as a scene without settings has them: implicit Euler, no contact, no gravity. */
stepper_options maker_options(integrator kind, double h);
/* Takes the model over; conditions can be added before stepper_start. */
stepper *make_stepper(model *m, const stepper_options *options);
/* Adds a condition on the nodes with low <= rest <= high; returns it for adding motions. */
condition *add_condition(stepper *s, vec3 low, vec3 high, double from, double until);

/* Signed volumes of all tets from the positions, by code of its own; the smallest is returned. */
double smallest_volume(const model *m, const double *x);

#endif
