/* Continuous collision detection of one pair of primitives whose vertices move along straight lines
 * x(t) = (1 - t) x0 + t x1: the vocabulary that all methods share.
 *
 * The two primitives of a pair are parameterised by (u, v); the difference of their points is
 *
 *     point-triangle   F(t,u,v) = p - ((1-u-v) a + u b + v c)        u, v >= 0, u + v <= 1
 *     edge-edge        F(t,u,v) = (1-u) a + u b - ((1-v) c + v d)    0 <= u, v <= 1
 *
 * and they touch when F = 0. Point-point and point-edge are edge-edge with collapsed edges. With a
 * minimum separation d they "touch" when F is within d of zero.
 *
 * The contract of every method: `hit == false` proves that the pair keeps apart (by more than d)
 * for all t in [0, t_max]; `hit == true` comes with a time that is not later than the first touch,
 * and at that time the pair is within d + tolerance. Whatever goes wrong (too many checks, rounding
 * noise, coordinates that are not finite, no memory) is answered by such a hit, never by a miss. */
#ifndef CCD_CCD_H
#define CCD_CCD_H

#include "math/vec3.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ccd_kind {
    CCD_POINT_POINT,    /* p, q */
    CCD_POINT_EDGE,     /* p, a, b */
    CCD_POINT_TRIANGLE, /* p, a, b, c */
    CCD_EDGE_EDGE       /* a, b, c, d: edges ab and cd */
} ccd_kind;

/* Number of vertices of a kind, in the order of the comments above. */
static inline int ccd_vertex_count(ccd_kind kind)
{
    return kind == CCD_POINT_POINT ? 2 : kind == CCD_POINT_EDGE ? 3 : 4;
}

/* How the minimum separation is measured. The papers use the largest component; a pair that is
 * apart in that norm is also apart in the Euclidean one. */
typedef enum ccd_norm { CCD_NORM_MAX, CCD_NORM_EUCLIDEAN } ccd_norm;

/* Bound on the rounding error of F, per axis (see docs/theory/ccd.md).
 *   linear: C 2^k with 2^k >= max|x|; valid at every scale.
 *   paper:  C max(|x|, 1)^3; the published rule, for comparisons. */
typedef enum ccd_filter { CCD_FILTER_LINEAR, CCD_FILTER_PAPER } ccd_filter;

/* Instruction set of the eight-corner kernels. All give the same bits. */
typedef enum ccd_backend {
    CCD_BACKEND_AUTO,
    CCD_BACKEND_PORTABLE,
    CCD_BACKEND_AVX2,
    CCD_BACKEND_AVX512
} ccd_backend;

typedef struct ccd_options {
    double tolerance;   /* delta: how far apart a reported hit may be (beyond the separation) */
    int64_t max_checks; /* m_I: give up refining after so many checks; 0 = never */
    double separation;  /* d >= 0 */
    ccd_norm norm;      /* of the separation and the tolerance */
    double t_max;       /* only [0, t_max] is of interest */
    vec3 filter;        /* error bound per axis, e.g. scene-wide; negative: from the query itself */
    ccd_filter filter_rule;
    bool no_zero_toi; /* the pair is apart at t = 0: refine until the time is positive */
    ccd_backend backend;
} ccd_options;

/* tolerance 1e-6, 1e6 checks, no separation, maximum norm, t_max 1, linear filter per query. */
ccd_options ccd_default_options(void);

typedef enum ccd_status {
    CCD_MISS,       /* certified: no touch in [0, t_max] */
    CCD_CONVERGED,  /* hit, tolerance as asked */
    CCD_LIMIT,      /* hit; max_checks reached, tolerance may be larger than asked */
    CCD_STALLED,    /* hit; rounding noise or exhausted resolution stopped the refinement */
    CCD_TOUCHING,   /* hit at t = 0 that no_zero_toi could not refine away */
    CCD_NOT_FINITE, /* hit at t = 0: a coordinate or option is not finite */
    CCD_NO_MEMORY   /* hit at t = 0: the scratch memory could not grow */
} ccd_status;

typedef struct ccd_result {
    bool hit;
    double toi;       /* lower bound of the first time of impact; INFINITY for a miss */
    double tolerance; /* reached: at toi the pair is within separation + tolerance */
    int64_t checks;
    ccd_status status;
} ccd_result;

/* Filter for all queries among `count` vertices (give the positions at both ends of the step), so
 * that queries of one scene agree with each other. */
vec3 ccd_scene_filter(const vec3 *vertices, size_t count, ccd_kind kind, double separation,
                      ccd_filter rule);

/* The same from the largest absolute coordinates. */
vec3 ccd_filter_from_extent(vec3 extent, ccd_kind kind, double separation, ccd_filter rule);

/* Short English name of a status, for messages. Never NULL. */
const char *ccd_status_name(ccd_status status);

#endif
