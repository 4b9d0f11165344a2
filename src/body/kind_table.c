/* The table of the kinds of bodies, and nothing else, so that a program with kinds of its own can
 * bring another. */
#include "body/kind.h"

#include <stddef.h>

#define BODY_KIND(constant, row, word) extern const body_row row##_kind;
#include "body/kind_list.h"

const body_row *const body_rows[] = {
#define BODY_KIND(constant, row, word) &row##_kind,
#include "body/kind_list.h"
    NULL};

const char *const body_kind_words[] = {
#define BODY_KIND(constant, row, word) word,
#include "body/kind_list.h"
    NULL};
