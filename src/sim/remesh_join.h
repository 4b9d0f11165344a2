/* All bodies that are remeshed as one local mesh, with everything that the potential of the step
 * needs, and back body by body. */
#ifndef SIM_REMESH_JOIN_H
#define SIM_REMESH_JOIN_H

#include "remesh/criterion.h"
#include "sim/remesh_methods.h"

/* Fields of the local mesh: the solution on the old mesh, which is relaxed, the predictor, the
 * solution once more, which is interpolated only; then those of motion_arrays, positions first. */
enum { FIELD_X = 0, FIELD_PREDICTOR = 1, FIELD_SAFE = 2, FIELD_STATE = 3 };

/* One value of `attribute`: a material of a body. */
typedef struct attribute_def {
    size_t body; /* of the scene */
    int32_t tag; /* of its cells */
} attribute_def;

typedef struct joined_bodies {
    abut_sim *sim;
    size_t vertex_count, cell_count;
    vec3 *rest;
    int32_t *cells, *attribute;
    uint64_t *flags; /* flag_words per vertex: as many as the body with most needs */
    size_t flag_words;
    vec3 *fields[CARRY_MAX_FIELDS + FIELD_STATE];
    size_t field_count;
    size_t *first_flag; /* per body of the scene, in flag_axes */
    uint8_t *remeshed;
    int32_t *vertex_of_block; /* of the scene's model, -1: not remeshed */
    uint8_t *flag_axes;       /* per entry of fix, force and surface_loads of all bodies */
    ARRAY(attribute_def) attributes;
    ARRAY(remesh_material) materials;
    ARRAY(remesh_traction) tractions;
    local_mesh mesh;
} joined_bodies;

/* j: zero but for sim. Freed by the caller, after a failure as well. */
abut_status bodies_join(joined_bodies *j, abut_error *err);
void joined_bodies_free(joined_bodies *j);

/* changes: per body of the scene; filled for those whose cells are others than before. */
abut_status bodies_part(const joined_bodies *j, const local_export *e, body_change *changes,
                        abut_error *err);

#endif
