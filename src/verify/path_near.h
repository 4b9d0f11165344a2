/* Which points of a path have to be kept. Most of a surface may as well go straight from frame to
 * frame: nothing is met on that path either. Where the proof of that fails (geometry/check_path.h),
 * points are kept at their positions in the accepted iterates, and with them their neighbours where
 * the mixture fails, until nothing does or all points are kept. Whatever is chosen, `abut verify`
 * checks what was written, independently. */
#ifndef VERIFY_PATH_NEAR_H
#define VERIFY_PATH_NEAR_H

#include "mesh/topology.h"
#include "verify/verify_frame.h"

/* positions: of all points of f, one after the other. near: per point, set to 1 or 0; *any: one is.
 */
abut_status path_find_near(const frame *f, const verify_setup *setup, const surface_parts *parts,
                           const vec3 *configurations, size_t configuration_count, uint8_t *near,
                           bool *any, abut_error *err);

#endif
