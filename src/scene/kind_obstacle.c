/* Obstacles: surfaces, wires or points with given motion. */
#include "scene/body_source.h"

static abut_status add(const body_source *from, model *m, abut_error *err)
{
    return error_add_place(err, from->place,
                           model_add_obstacle(m, from->def->name, from->shape, err));
}

const body_row obstacle_kind = {.obstacle = true,
                                .inelastic = true,
                                .keys = KEYS_WHOLE | KEYS_OBSTACLE | KEYS_SEQUENCE,
                                .add = add};
