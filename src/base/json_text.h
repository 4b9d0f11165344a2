/* Documents as text, with the shortest numbers that read back to the same bits: 0.1, not
 * 0.10000000000000001. */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <jansson.h>

/* As json_dumps with these flags (those of precision are set here); to be freed by free. NULL when
 * out of memory, and for NULL. */
char *json_text(const json_t *value, size_t flags);

#endif
