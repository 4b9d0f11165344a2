/* The symbolic times of impact published with the simulation queries: compressed archives of WXF
 * files, one per colliding query, each a list of solutions {t -> ..., ...} where t is
 * Root[polynomial &, k, 0] or an expression of integers, fractions and square roots. */
#ifndef SYMBOLIC_ROOTS_H
#define SYMBOLIC_ROOTS_H

#include <stddef.h>

/* Calls visit with the index of the query and its earliest time, for every file of the archive that
 * can be read. Returns how many, or -1 when the archive cannot be opened. *unread counts files that
 * are not understood. */
int symbolic_roots_visit(const char *archive, void (*visit)(size_t query, double t, void *context),
                         void *context, int *unread);

#endif
