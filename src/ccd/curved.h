/* Continuous collision detection along curved paths: vertices of rigid bodies whose rotation vector
 * and origin are interpolated linearly (Rigid IPC, section 4.4), alone or against vertices that
 * move along straight lines.
 *
 * A sub-interval of a path stays within a known distance of its chord, so the pair is handed to the
 * linear method over that chord with the sum of the two distances added to the separation
 * (Algorithm 4.1). The distance is not found by interval arithmetic but from the bend of the path:
 * along a line of rotation vectors |R''| <= |dtheta|^2, hence
 *
 *     deviation <= |arm| |dtheta|^2 (s1 - s0)^2 / 8
 *
 * which is of second order, so that the length of the next sub-interval is known without trial
 * (docs/theory/ccd.md, section 7). All answers are on the safe side, rounding included. */
#ifndef CCD_CURVED_H
#define CCD_CURVED_H

#include "ccd/ccd.h"
#include "ccd/line_search.h"

/* position(s) = y + s p + R(theta + s dtheta) arm; a straight path has curved == false, y is then
 * the vertex itself and the last three are not looked at. */
typedef struct ccd_path {
    vec3 y, p;
    vec3 theta, dtheta;
    vec3 arm;
    bool curved;
} ccd_path;

vec3 ccd_path_at(const ccd_path *path, double s);
/* The same in two parts: vertices of one body share the rotation. */
mat3 ccd_path_rotation(const ccd_path *path, double s);
vec3 ccd_path_turned(const ccd_path *path, double s, const mat3 *rotation);

/* Bound of the distance between the path over [s0, s1] and the motion along the chord between the
 * computed positions at s0 and s1. Zero for a straight path. */
double ccd_path_deviation(const ccd_path *path, double s0, double s1);

/* Bound of the length of the path over a unit of s. */
double ccd_path_speed(const ccd_path *path);

/* Contains the path over [0, limit]. */
void ccd_path_box(const ccd_path *path, double limit, vec3 *low, vec3 *high);

/* Like ccd_pair_step, for ccd_vertex_count(kind) paths and 0 <= s <= t_max <= 1; for straight paths
 * the same as ccd_pair_step, bit by bit. step_result.checks counts the checks of all linear
 * queries. Curved pairs are always answered by Tight Inclusion. */
step_result ccd_curved_pair_step(ccd_kind kind, const ccd_path *path, const step_options *options);

/* Largest part of [0, limit] over which the vertex keeps the part `keep` of its present distance
 * to the half-space (x - origin).normal > 0, normal of length one. */
double ccd_curved_plane_step(const ccd_path *path, vec3 origin, vec3 normal, double keep,
                             double limit);

#endif
