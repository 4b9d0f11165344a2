/* A run as a text file of Universal Scene Description (.usda): one mesh, curves or points per body,
 * with the positions of its points in every frame as time samples, 24 to a second. */
#ifndef OUTPUT_USD_H
#define OUTPUT_USD_H

#include "output/body_poses.h"

/* names may be NULL. */
abut_status usd_write(const body_poses *poses, const char *const *names, const char *path,
                      abut_error *err);

#endif
