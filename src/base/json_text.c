#include "base/json_text.h"

#include "base/number.h"

#include <stdbool.h>
#include <string.h>

/* A number as JSON: with a point or an exponent, so that it stays a real one, and no more in the
 * exponent than it takes. */
static size_t write_real(double value, char text[NUMBER_TEXT_SIZE + 2])
{
    size_t length = (size_t)number_write_double(text, value);
    char *exponent = memchr(text, 'e', length);
    if (!exponent) {
        if (memchr(text, '.', length)) return length;
        memcpy(text + length, ".0", 2);
        return length + 2;
    }
    char *to = exponent + 1, *from = to, *end = text + length;
    if (*from == '-') *to++ = *from++;
    while (from < end - 1 && (*from == '+' || *from == '0')) from++;
    memmove(to, from, (size_t)(end - from));
    return (size_t)(to - text) + (size_t)(end - from);
}

static size_t token_length(const char *p) { return strspn(p, "+-.eE0123456789"); }

/* Moves a real number that begins at *from to *to, shorter if it can be; neither passes the other.
 */
static void shorten(char **from, char **to)
{
    size_t length = token_length(*from), written = length;
    char text[NUMBER_TEXT_SIZE + 2];
    const char *cursor = *from;
    double value;
    const char *source = *from;
    bool real = memchr(*from, '.', length) || memchr(*from, 'e', length);
    if (real && number_read_double(&cursor, *from + length, &value) == NUMBER_OK) {
        size_t shorter = write_real(value, text);
        if (shorter < length) {
            source = text;
            written = shorter;
        }
    }
    memmove(*to, source, written);
    *from += length;
    *to += written;
}

char *json_text(const json_t *value, size_t flags)
{
    char *text = json_dumps(value, flags | JSON_REAL_PRECISION(17));
    if (!text) return NULL;
    char *from = text, *to = text;
    bool quoted = false;
    while (*from) {
        bool number = *from == '-' || (*from >= '0' && *from <= '9');
        if (!quoted && number) {
            shorten(&from, &to);
            continue;
        }
        if (*from == '"') quoted = !quoted;
        if (quoted && *from == '\\') *to++ = *from++; /* and what it escapes */
        *to++ = *from++;
    }
    *to = 0;
    return text;
}
