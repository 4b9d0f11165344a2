/* How far a pair may move along a search direction (Provably robust CCD, section "line search", in
 * the form per pair): the distance must not fall below
 *
 *     min_distance + min(keep (d0 - min_distance), cap)        d0 = distance at the start
 *
 * so that repeated line searches approach a contact without ever sticking at a step of zero. The
 * tolerance of the query shrinks with the gap, and the separation is Euclidean like the distance,
 * so a pair that is apart by more than rounding always gets a positive step. */
#ifndef CCD_LINE_SEARCH_H
#define CCD_LINE_SEARCH_H

#include "base/words.h"
#include "ccd/ccd.h"

#define CCD_METHODS(ROW) ROW(CCD_TIGHT_INCLUSION, "tight-inclusion") ROW(CCD_ADDITIVE, "additive")
typedef enum ccd_method { CCD_METHODS(WORD_CONSTANT) } ccd_method;
extern const char *const ccd_method_words[];

typedef struct step_options {
    ccd_method method;
    double min_distance; /* xi: may not be reached, ever */
    double keep;         /* part of the gap that must remain: 0.2 for IPC, 0.1 for codimensional */
    double cap;          /* but not more than this */
    double tolerance;    /* delta, an upper limit */
    int64_t max_checks;
    double t_max; /* largest step of interest */
} step_options;

/* Tight inclusion, no minimum distance, keep 0.2, cap 1e-4, tolerance 1e-6, 1e6 checks, t_max 1. */
step_options step_default_options(void);

typedef struct step_result {
    double step;   /* 0 .. t_max; the motion up to here is free of contact */
    bool limited;  /* the pair, not t_max, sets the step */
    bool touching; /* no gap at the start (beyond rounding): the step is 0 */
    int64_t checks;
    double tolerance; /* reached */
} step_result;

step_result ccd_pair_step(ccd_kind kind, const vec3 *start, const vec3 *end,
                          const step_options *options);

/* A pair of a whole set: vertices index into the position arrays. */
typedef struct ccd_pair {
    ccd_kind kind;
    int32_t vertex[4];
    double min_distance;
} ccd_pair;

typedef struct step_report {
    double step;
    size_t limiting; /* index of the pair that sets the step; SIZE_MAX when none does */
    size_t touching; /* number of pairs without a gap */
    int64_t checks;
} step_report;

/* Largest step of all pairs (options->min_distance is added to that of each pair). Pairs are
 * handled in blocks of a fixed size; each block looks no further than the step found before it. The
 * answer does not depend on the number of threads. */
step_report ccd_largest_step(const vec3 *start, const vec3 *end, const ccd_pair *pairs,
                             size_t count, const step_options *options);

#endif
