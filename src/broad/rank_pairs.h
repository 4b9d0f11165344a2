/* Pairs that the ranks of a run found each for themselves, as one list on all of them. */
#ifndef BROAD_RANK_PAIRS_H
#define BROAD_RANK_PAIRS_H

#include "broad/pairs.h"

/* The lists are sorted by first, then second index, and so is the result: it does not depend on
 * which rank found what. scratch is kept by the caller from call to call. */
abut_status rank_pairs_gather(pair_list *list, pair_list *scratch, abut_error *err);

#endif
