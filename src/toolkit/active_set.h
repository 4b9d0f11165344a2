/* What an abut_active_set holds; shared by the files that implement barrier and friction. */
#ifndef TOOLKIT_ACTIVE_SET_H
#define TOOLKIT_ACTIVE_SET_H

#include "contact/barrier_stencil.h"
#include "contact/stiffness.h"
#include "toolkit/stencil_assembly.h"

struct abut_active_set {
    const abut_collision_mesh *mesh; /* NULL before the first build */
    active_set set;
    double dhat;
    ARRAY(vec3) y; /* positions of the build */
    ARRAY(int32_t) vertices[STENCIL_LISTS];
    candidate_set candidates; /* scratch */
    close_pairs close;
    stencil_assembly assembly;
};

/* The barrier as the shared formulas take it; checks what the caller gave. */
abut_status barrier_law_of(const abut_active_set *set, const abut_barrier *barrier,
                           barrier_law *out, abut_error *error);

/* The public name of a list of stencils. */
abut_pair_kind stencil_pair_kind(stencil_list list);

/* Number `index` of all lists: which list, which item. False when out of range. */
bool active_set_locate(const active_set *set, size_t index, stencil_list *list, size_t *item);

#endif
