/* The table of terms, and nothing else, so that a program with terms of its own can bring another.
 */
#include "term/term_row.h"

#define TERM_ROW(row) extern const term_row row##_row;
#include "term/term_list.h"

const term_row *const term_rows[] = {
#define TERM_ROW(row) &row##_row,
#include "term/term_list.h"
    NULL};
