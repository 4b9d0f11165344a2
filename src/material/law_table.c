/* The table of elastic laws, and nothing else, so that a program with laws of its own can bring
 * another. */
#include "material/law.h"

#include <stddef.h>

#define ELASTIC_LAW(constant, row, word) extern const elastic_law row##_law;
#include "material/law_list.h"

const elastic_law *const elastic_laws[] = {
#define ELASTIC_LAW(constant, row, word) &row##_law,
#include "material/law_list.h"
    NULL};

const char *const elastic_law_words[] = {
#define ELASTIC_LAW(constant, row, word) word,
#include "material/law_list.h"
    NULL};
