/* Forces on supports and bodies after a step, by name, for reactions.csv: what every `fix` and
 * every prescribed body is supported by, what contact does to every body and half-space. The names
 * stay the same during a run. */
#ifndef MEASURE_REACTION_LIST_H
#define MEASURE_REACTION_LIST_H

#include "step/reactions.h"

typedef struct named_reaction {
    char name[96];
    reaction value; /* moment about the origin */
} named_reaction;

typedef struct reaction_list {
    ARRAY(named_reaction) rows;
    ARRAY(vec3) force; /* per surface vertex, scratch */
} reaction_list;

/* Of the last step of s, which has them enabled. */
abut_status reaction_list_measure(reaction_list *list, const stepper *s, abut_error *err);
void reaction_list_free(reaction_list *list);

#endif
