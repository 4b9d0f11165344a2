/* States of the points of all elements whose material has parts (material/point.h): made at rest,
 * moved at the end of a step, kept in checkpoints. */
#ifndef TERM_ELASTIC_STATE_H
#define TERM_ELASTIC_STATE_H

#include "body/model.h"
#include "term/term.h"

enum { ELASTIC_GROUPS = 1 + ELEMENT_MAX_SETS }; /* linear tets, element sets */

/* What a material must not be in a step. */
typedef struct bad_moment {
    const char *key; /* NULL: all is well */
    double value, time;
    int32_t body;
} bad_moment;

typedef struct elastic_state {
    /* Growth and tension of every material, then the points: all that a checkpoint keeps. */
    ARRAY(double) values;
    ARRAY(const material_parts *) parts; /* the materials that have some */
    ARRAY(int32_t) body;                 /* the first with each of them */
    ARRAY(material_moment) moments;
    ARRAY(state_place) places[ELASTIC_GROUPS];
    point_states of[ELASTIC_GROUPS]; /* what elements are evaluated with */
    bad_moment bad;
} elastic_state;

abut_status elastic_state_init(elastic_state *s, const model *m, abut_error *err);
void elastic_state_free(elastic_state *s);
/* NULL where no material of the model has parts. */
const point_states *elastic_state_of(const elastic_state *s, int group);
/* Growth and tensions at the end of a step that begins; an error where they are not allowed. */
void elastic_state_begin(elastic_state *s, const term_step *at);
abut_status elastic_state_check(const elastic_state *s, const model *m, abut_error *err);
/* x: the result of the step. */
void elastic_state_advance(elastic_state *s, const model *m, const double *x);
/* After `values` were loaded. */
void elastic_state_restart(elastic_state *s);
/* Energy dissipated in all elements since the start, J. */
double elastic_state_dissipated(const elastic_state *s, const model *m);

#endif
