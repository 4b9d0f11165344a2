/* What really happens to a pair of primitives along curved paths, by means that the method under
 * test does not use: dense sampling with local refinement, and a proof by interval arithmetic. */
#ifndef CURVED_ORACLE_H
#define CURVED_ORACLE_H

#include "ccd/curved.h"

/* Distance of the pair at s, in extended precision, by comparing all features. */
double oracle_curved_distance(ccd_kind kind, const ccd_path *path, double s);

/* Smallest distance over [0, end] that `samples` samples and a search around the lowest of them
 * find: an upper bound of the true minimum, nearly always the minimum itself. */
double oracle_curved_smallest(ccd_kind kind, const ccd_path *path, double end, int samples);

/* Whether interval arithmetic proves that the distance stays above `bound` over [0, end]; false
 * also when `most` intervals did not suffice. */
bool oracle_curved_proves(ccd_kind kind, const ccd_path *path, double end, double bound, long most);

#endif
