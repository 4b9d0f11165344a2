/* The default CCD method: a directional form of Tight Inclusion.
 *
 * For a fixed (u, v) the function F is linear in t, and for a fixed t it is affine in (u, v). So on
 * a cell of the (u, v) domain, for any direction n, the smallest n.F over the cell at time t is the
 * smallest of the (three or four) corner values, and each of these is a linear function of t: one
 * direction proves the cell free of contact over a whole interval of time, whose end is the root of
 * a linear equation. The method keeps, per cell, the time up to which it is proved free, always
 * advances the cell that is behind, picks as direction the contact normal that Newton's method
 * predicts for the impact, and splits a cell where one direction does not reach far enough. It
 * stops when the pair is within the tolerance at the earliest time of all cells.
 *
 * The proof of each advance needs only the corner values and their rounding error; the choice of
 * directions and splits is heuristic and cannot make an answer wrong. No memory is allocated. The
 * argument is written out in docs/theory/ccd.md. */
#ifndef CCD_TIGHT_INCLUSION_H
#define CCD_TIGHT_INCLUSION_H

#include "ccd/ccd.h"

/* start and end hold ccd_vertex_count(kind) vertices. */
ccd_result tight_inclusion(ccd_kind kind, const vec3 *start, const vec3 *end,
                           const ccd_options *options);

/* For the ablation benchmark and tests: parts of the method that can be switched off without
 * touching its correctness. */
typedef struct tight_inclusion_tuning {
    bool no_axis_test;  /* skip the swept-box test before the search */
    bool no_prediction; /* use the present normal only, not the predicted one at impact */
    bool no_splitting;  /* one cell: pure advancement in time */
} tight_inclusion_tuning;

ccd_result tight_inclusion_tuned(ccd_kind kind, const vec3 *start, const vec3 *end,
                                 const ccd_options *options, tight_inclusion_tuning tuning);

#endif
