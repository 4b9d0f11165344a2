/* The state of a stepper on other meshes. */
#ifndef SIM_REMESH_CARRY_H
#define SIM_REMESH_CARRY_H

#include "remesh/overlap.h"
#include "scene/build.h"

enum { CARRY_MAX_FIELDS = 24 };

/* A body of the scene with a new mesh. The fields are those of motion_arrays, in that order, three
 * doubles per vertex: interpolated values, of which the positions must be feasible. */
typedef struct body_change {
    bool changed;
    bool nested; /* every new cell lies in an old one: nothing has to be projected */
    body_shape now;
    double *next; /* positions at the end of the step, to start from */
    double *safe; /* the same before anything was relaxed, without intersections; NULL: as next */
    size_t field_count;
    double *field[CARRY_MAX_FIELDS];
} body_change;

void body_change_free(body_change *c);

/* A mesh of linear simplices as the projection wants it (borrowed). */
simplex_mesh simplex_view(const mesh *shape, bool planar);

/* Which of the fields are positions that must be feasible: those that the next step depends on. */
bool carried_position(const motion_state *s, size_t field);

/* Fills next and fields by interpolation of the stepper's: for meshes that come from elsewhere. */
abut_status body_change_interpolate(const stepper *s, const body_shape *old, size_t built,
                                    body_change *c, abut_error *err);

/* Everything from one stepper to another of the same scene with other meshes. changes: per body of
 * the scene; old: the meshes before. Fields of meshes that are not nested are projected; positions
 * safely, and their number of solves goes to *projections. guess: 3 doubles per block of `to`. */
abut_status carry_state(stepper *from, stepper *to, const scene_def *scene, const body_shapes *old,
                        const body_change *changes, double *guess, size_t *projections,
                        abut_error *err);

/* The positions at the end of the step that are safe to start from. */
void carry_safe_positions(const stepper *from, const stepper *to, const scene_def *scene,
                          const body_change *changes, double *out);

/* Number of the model's body for body i of the scene. */
size_t built_body(const scene_def *scene, size_t i);

#endif
