#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Longer words are never suggested nor corrected: no key of ours comes near this. */
enum { LONGEST_WORD = 63 };

static char folded(char c)
{
    if (c == '-' || c == ' ') return '_';
    return (char)tolower((unsigned char)c);
}

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Optimal string alignment distance, with three rolling rows. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST_WORD + 1];
    for (size_t j = 0; j <= b_length; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            bool same = folded(a[i - 1]) == folded(b[j - 1]);
            row[j] = smallest(above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1));
            bool swapped = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                           folded(a[i - 2]) == folded(b[j - 1]);
            if (swapped && above2[j - 2] + 1 < row[j]) row[j] = above2[j - 2] + 1;
        }
    }
    return rows[a_length % 3][b_length];
}

const char *text_closest(const char *word, const char *const *choices, size_t count)
{
    size_t length = strlen(word);
    if (length == 0 || length > LONGEST_WORD) return NULL;
    const char *best = NULL;
    size_t best_distance = length / 3 + 2; /* one past the largest distance worth suggesting */
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(choices[i]);
        if (other > LONGEST_WORD) continue;
        size_t distance = edit_distance(word, length, choices[i], other);
        /* A suggestion that keeps no letter of the word is no help. */
        if (distance < best_distance && distance < length && distance < other) {
            best = choices[i];
            best_distance = distance;
        }
    }
    return best;
}
