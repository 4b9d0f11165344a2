#include "body/kind.h"

#include <string.h>

const body_row *body_row_named(const char *word)
{
    for (size_t i = 0; word && body_kind_words[i]; i++)
        if (strcmp(body_kind_words[i], word) == 0) return body_rows[i];
    return NULL;
}
