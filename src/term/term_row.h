/* What the step must know of a term to use it; everything else is in its class (term.h). */
#ifndef TERM_TERM_ROW_H
#define TERM_TERM_ROW_H

#include "body/model.h"
#include "term/term.h"

/* By which of a body's two coefficients its elements are damped. */
typedef enum term_damping { TERM_UNDAMPED, TERM_DAMPED_STRETCH, TERM_DAMPED_BENDING } term_damping;

typedef struct term_row {
    /* Whether this model has any of its elements. */
    bool (*needed)(const model *m);
    abut_status (*create)(const model *m, term **out, abut_error *err);
    term_damping damping;
    bool is_load;  /* its energy is none of the model's: no column of energies has it */
    bool is_limit; /* a constraint, which split solves leave to their second part */
} term_row;

extern const term_row *const term_rows[]; /* ends with NULL */

#endif
