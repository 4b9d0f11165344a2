/* Objectives: numbers that are read off the states of a run, with their derivatives. One row of the
 * table per kind (objective.c). */
#ifndef GRADIENT_OBJECTIVE_H
#define GRADIENT_OBJECTIVE_H

#include "gradient/adjoint.h"

#include <abut/gradient.h>

typedef struct objective {
    abut_objective_kind kind;
    int32_t body; /* -1: all */
    double weight, from, until;
    bool last; /* counts at the end of the run only */
    ARRAY(double) target;
    ARRAY(double) times; /* of a trajectory: each with a part of the target */
    size_t part;         /* numbers of a target at one time */
    abut_objective_function function;
    void *user;
} objective;

/* The state that an objective is read off. */
typedef struct objective_state {
    const double *x, *v; /* 3 per block */
    double time;
    bool is_last;
} objective_state;

/* Numbers r of which objectives are |r|^2 / 2. */
typedef struct residual_list {
    ARRAY(double) values;
} residual_list;

/* What an objective is computed from besides positions and velocities. */
enum {
    OBJECTIVE_READS_MASS = 1,
    OBJECTIVE_READS_MATERIAL = 2,
    OBJECTIVE_READS_SHAPE = 4, /* at rest */
    OBJECTIVE_READS_CONTACT = 8
};
unsigned objective_reads(const objective *o);
const char *objective_name(const objective *o);

void objective_free(objective *o);
/* By its name in scenes. */
bool objective_find(const char *name, abut_objective_kind *out);
/* Checks a definition against the scene. */
abut_status objective_make(const abut_objective *from, const stepper *s, objective *out,
                           abut_error *err);

/* Its value at the end of a step, 0 where it does not count. The terms of s are updated there. */
abut_status objective_value(const objective *o, stepper *s, const objective_state *at,
                            double *value, abut_error *err);
/* Whether it is half a sum of squares; appends what is squared, weights included. */
bool objective_is_square(const objective *o);
abut_status objective_residuals(const objective *o, stepper *s, const objective_state *at,
                                residual_list *out, abut_error *err);
/* Derivatives by rest positions at fixed x, where it is computed from these: out (3 per block). */
bool objective_has_rest(const objective *o);
void objective_by_rest(const objective *o, stepper *s, const objective_state *at, double *out);
/* Adds its derivatives by x and v (3 per block each). */
abut_status objective_derivative(const objective *o, stepper *s, const objective_state *at,
                                 double *by_x, double *by_v, abut_error *err);

#endif
