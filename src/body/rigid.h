/* Rigid and affine bodies: mass properties of whatever geometry, and their blocks in the model.
 *
 * The body frame has its origin at the centre of mass and the axes of the world at the start, so
 * that the start is q = centre, theta = 0 (rigid; y = q + R(theta) X, 2 blocks) or c = centre,
 * A = I (affine; y = c + A X, 4 blocks: c and the columns of A). Inertia enters by the second
 * moment J = int X X^T dm, which is a full matrix in this frame: 1/2 tr(Q' J Q'^T) needs no
 * principal axes (Rigid IPC, equation 4.6). */
#ifndef BODY_RIGID_H
#define BODY_RIGID_H

#include "body/model.h"
#include "geometry/mass.h"

typedef struct rigid_options {
    rigid_weigh weigh;
    double density;    /* kg per m^3, m^2, m or point, by what is weighed */
    double total_mass; /* kg; positive: instead of the density */
    double stiffness;  /* affine: J/kg, of the orthogonality potential */
    bool given;        /* mass, centre and inertia are known, in the axes of the mesh */
    mass_properties own;
} rigid_options;

/* Mass, centre and inertia in the axes of the mesh. Errors name the body: nothing to weigh, an
 * inside-out surface, edges of more than two triangles, neighbours that disagree. */
abut_status rigid_weigh_mesh(const char *name, const mesh *shape, const rigid_options *options,
                             mass_properties *out, abut_error *err);

/* Principal moments of inertia, ascending, and the rotation whose columns are their axes. */
void rigid_principal(const mass_properties *m, double moments[3], mat3 *axes);

abut_status model_add_rigid(model *m, const char *name, const mesh *shape,
                            const rigid_options *options, abut_error *err);
abut_status model_add_affine(model *m, const char *name, const mesh *shape,
                             const rigid_options *options, abut_error *err);

/* Rotation or affine map of a body at x. */
mat3 rigid_frame(const rigid_body *r, const double *x);
/* Its derivatives by the three scalars of the block behind the centre of a rigid body (not affine).
 */
void rigid_frame_first(const rigid_body *r, const double *x, mat3 first[3]);
/* Matrix of its kinetic energy over the scalars of its blocks, row by row with this stride. */
void rigid_inertia_matrix(const rigid_body *r, const double *x, double *out, int stride);
void rigid_frame_second(const rigid_body *r, const double *x, mat3 second[3][3]);

#endif
