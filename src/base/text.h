/* Small helpers for words in messages: the nearest known word to a mistyped one. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>

/* The choice nearest to `word` by edit distance (insertions, deletions, replacements and swaps of
 * neighbours; case and the difference between '-' and '_' do not count), or NULL when none is near
 * enough to be worth suggesting. The first of equally near choices wins. */
const char *text_closest(const char *word, const char *const *choices, size_t count);

#endif
