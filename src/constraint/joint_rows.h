/* The rows c(x) = 0 of a joint and its coordinates, as functions of its features, and the augmented
 * Lagrangian sum of lambda_i c_i + K_i/2 c_i^2 over the rows. */
#ifndef CONSTRAINT_JOINT_ROWS_H
#define CONSTRAINT_JOINT_ROWS_H

#include "constraint/features.h"
#include "constraint/joint_kind.h"

/* A fixed joint has twelve rows; a drive that holds its coordinate exactly adds one. */
enum { JOINT_MAX_ROWS = 13 };

/* What of a joint is known at the start of a step and stays through it. */
typedef struct joint_step {
    double start[JOINT_COORDINATES];   /* y at the start of the step, turns counted */
    double target[JOINT_COORDINATES];  /* of drives, at its end */
    double stiffness[2];               /* K of rows in m, and of rows without unit (N/m, N m) */
    double inertia[JOINT_COORDINATES]; /* seen along a coordinate, kg m^2 or kg */
    vec3 apart; /* p_B - p_A at the start of the step, for the damping of points pulled together */
    double h;
    double length_scale; /* of the scene, m */
    bool broken;
} joint_step;

/* Sums over the rows and laws of a joint, in J. */
typedef struct joint_sum {
    int rows;
    double value[JOINT_MAX_ROWS];
    bool angular[JOINT_MAX_ROWS]; /* the row has no unit (an angle), otherwise m */
    const double *multiplier;     /* N, N m; NULL: only the values of the rows are wanted */
    double (*jacobian)[JET_SIZE]; /* d row / d features, row by row; NULL: not wanted */
    double energy;
    bool derivatives;
    double gradient[JET_SIZE];
    double hessian[JET_SIZE][JET_SIZE];
} joint_sum;

/* Rows of the joint at features u. The sum must be zeroed but for `multiplier`, `jacobian`
 * and `derivatives`. */
void joint_add_rows(const model_joint *j, const joint_step *step, const double u[JET_SIZE],
                    joint_sum *sum);

/* Whether the joint has this coordinate; it with its derivatives. */
bool joint_has(const model_joint *j, joint_coordinate which);
void joint_coordinate_jet(const model_joint *j, joint_coordinate which, double start,
                          const double u[JET_SIZE], jet *out);
double joint_coordinate_value(const model_joint *j, joint_coordinate which, double start,
                              const double u[JET_SIZE]);

/* Whether the drive of a coordinate holds it exactly, by a row of its own. */
bool joint_drive_is_exact(const joint_axis *axis);

#endif
