/* What friction of a contact that slides has beside Coulomb's law: a kinetic coefficient below the
 * static one, or coefficients by a table of speeds. Both are a further energy of the tangential
 * displacement y beyond eps = eps_v h, where the smoothed law (friction_stencil.h) is mu lambda y:
 *
 *   kinetic:  -(mu_s - mu_k) lambda g(y - eps), g' = 3 t^2 - 2 t^3 with t = (y - eps) / (4 eps), 1
 * from t = 1 on, so that the force is largest, mu_s lambda, at eps_v and mu_k lambda from 5 eps_v
 * on; table:    lambda int (mu(s / h) - mu_s) ds.
 *
 * Forces are continuous. Where they fall with the speed the energy is concave, and Newton's matrix
 * leaves that out. */
#ifndef CONTACT_FRICTION_SLIP_H
#define CONTACT_FRICTION_SLIP_H

#include "base/status.h"

#include <stddef.h>

/* Coefficients over speeds, linear between them, the last one beyond; the first speed is 0. */
typedef struct friction_table {
    size_t count;
    double *speed, *coefficient, *integral; /* the last: of the coefficient, up to each speed */
} friction_table;

/* rows: `count` pairs of speed (m/s) and coefficient, speeds ascending from above 0. */
abut_status friction_table_make(friction_table *t, double at_rest, const double *rows, size_t count,
                                abut_error *err);
void friction_table_free(friction_table *t);

typedef struct friction_slip {
    double drop;                 /* (mu_s - mu_k) lambda */
    const friction_table *table; /* NULL: none */
    double normal, h;            /* with a table: lambda; length of the step, s */
} friction_slip;

/* The further energy and its first and second derivative by y. */
typedef struct slip_energy {
    double value, slope, bend;
} slip_energy;
slip_energy friction_slip_energy(const friction_slip *s, double y, double eps);

#endif
