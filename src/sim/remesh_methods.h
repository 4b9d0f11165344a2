/* What changes the meshes of a simulation: the methods of the scene's `remesh`. Each looks at the
 * stepper after the first solution of a step (state at its start, s->x at its end) and fills in the
 * changes of the bodies, one entry per body of the scene. */
#ifndef SIM_REMESH_METHODS_H
#define SIM_REMESH_METHODS_H

#include "remesh/local_mesh.h"
#include "sim/remesh.h"
#include "sim/remesh_carry.h"

/* All cells of a body refined, levels times; sets of nodes follow the facets and cells that they
 * contain entirely. */
abut_status shape_refine(const body_shape *old, bool planar, int levels, body_shape *out,
                         abut_error *err);

/* The fields of a body in a local mesh: positions at the end of the step, then motion_arrays. */
enum { LOCAL_NEXT = 0, LOCAL_NOW = 1 };

/* A body as a local mesh with all its fields. */
abut_status shape_to_local(const stepper *s, const body_shape *shape, size_t built, local_mesh *out,
                           abut_error *err);
/* And back. */
abut_status local_to_change(const local_mesh *m, body_change *out, abut_error *err);

/* All cells refined, as often as max_cells allows. */
abut_status remesh_uniformly(abut_sim *sim, body_change *changes, remesh_counts *counts,
                             abut_error *err);

/* Splits and collapses by the sizing field (the baseline): see docs/remeshing.md. */
abut_status remesh_by_size(abut_sim *sim, body_change *changes, remesh_counts *counts,
                           abut_error *err);

/* Operations that lower the incremental potential of the step (remesh/criterion.h). */
abut_status remesh_by_energy(abut_sim *sim, body_change *changes, remesh_counts *counts,
                             abut_error *err);

#endif
