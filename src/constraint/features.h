/* How a joint sees its two sides: a point p and the directions n, b (across) and a (the axis) of
 * each, as functions of the coordinate blocks, and the chain rule back to the blocks.
 *
 * Nothing else in this folder knows how a body's pose is written: rigid bodies enter by
 * rigid_frame and its derivatives (body/rigid.h) alone. */
#ifndef CONSTRAINT_FEATURES_H
#define CONSTRAINT_FEATURES_H

#include "body/model.h"
#include "constraint/jet.h"

/* Numbers of the features; those of the second side come behind the first's. */
enum { FEATURE_POINT, FEATURE_N, FEATURE_B, FEATURE_A };
static inline int feature_of(int side, int which) { return side * FEATURES + which; }

enum { JOINT_MAX_BLOCKS = 2 * JOINT_SIDE_BLOCKS, JOINT_MAX_SCALARS = 3 * JOINT_MAX_BLOCKS };

/* The blocks that a joint depends on, those of side 0 first; returns their number. */
int joint_blocks(const model *m, const model_joint *j, int32_t blocks[JOINT_MAX_BLOCKS]);

/* Values of all features at x. */
void joint_features(const model *m, const model_joint *j, const double *x, double u[JET_SIZE]);
/* At x + s p. */
void joint_features_along(const model *m, const model_joint *j, const double *x, const double *p,
                          double s, double u[JET_SIZE]);

/* d features / d scalars of the blocks, row by row of `scalars` numbers. */
typedef struct feature_map {
    int blocks, scalars;
    double jacobian[JET_SIZE][JOINT_MAX_SCALARS];
} feature_map;
void joint_feature_map(const model *m, const model_joint *j, const double *x, feature_map *out);

/* gradient (of `scalars` numbers) = J^T g. */
void features_pull_gradient(const feature_map *map, const double g[JET_SIZE], double *gradient);
/* hessian (scalars x scalars) = J^T h J + g . (second derivatives of the features at x). */
void features_pull_hessian(const model *m, const model_joint *j, const double *x,
                           const feature_map *map, const double g[JET_SIZE],
                           const double h[JET_SIZE][JET_SIZE], double *hessian);

#endif
