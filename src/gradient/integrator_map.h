/* What a time integrator does to one scalar, as a matrix. Rules are linear and treat all scalars
 * alike, so that their coefficients are found by asking them for unit states: derivatives of a rule
 * need nothing but the rule, whoever wrote it. */
#ifndef GRADIENT_INTEGRATOR_MAP_H
#define GRADIENT_INTEGRATOR_MAP_H

#include "step/integrator.h"

enum { MAP_MAX_ARRAYS = 5 + 2 * (MOTION_MAX_ORDER - 2) };

typedef struct integrator_map {
    size_t arrays;                  /* of the state, as motion_arrays lists them */
    double predict[MAP_MAX_ARRAYS]; /* x_tilde by the arrays */
    double advance[MAP_MAX_ARRAYS][MAP_MAX_ARRAYS + 2]; /* arrays at the end of the step by those at
                                                           its start, x_tilde and x_new */
} integrator_map;

/* Of the step of length h that the state `of` is about to make. */
abut_status integrator_map_make(const motion_state *of, double h, integrator_map *out,
                                abut_error *err);

/* Derivatives of an objective by the arrays at the end of a step become those by the arrays at its
 * start: first through the end of the step (bar is replaced, tilde and fresh are added to), then,
 * when tilde is complete, through the predictor. used: flags of the scalars that follow the rule;
 * NULL: all. */
void integrator_pull_advance(const integrator_map *map, motion_state *bar, const uint8_t *used,
                             double *tilde, double *fresh);
void integrator_pull_predict(const integrator_map *map, motion_state *bar, const uint8_t *used,
                             const double *tilde);

#endif
