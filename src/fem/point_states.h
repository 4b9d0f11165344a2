/* Where the states of the points of elements with parts are (material/point.h). */
#ifndef FEM_POINT_STATES_H
#define FEM_POINT_STATES_H

#include "material/point.h"

#include <stddef.h>
#include <stdint.h>

/* One of an element: its first number in `values`, those of its points one after the other, and
 * the number of its material among `moments`. */
typedef struct state_place {
    size_t first;
    int32_t moment;
} state_place;

/* Of the elements of one kind. NULL in place of it: none has parts. */
typedef struct point_states {
    const state_place *places; /* per element; nothing useful for elements without parts */
    const material_moment *moments;
    const double *values;
} point_states;

static inline material_point point_state(const point_states *s, const elastic_parameters *material,
                                         size_t element, int point)
{
    if (!material->parts) return (material_point){0};
    const state_place *at = &s->places[element];
    size_t first = at->first + (size_t)point * material_state_size(material->parts);
    return (material_point){s->values + first, &s->moments[at->moment]};
}

#endif
