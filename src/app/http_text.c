#include "app/http_text.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* Digits as a number, at most SIZE_MAX; false when there are none. */
static bool read_count(const char **at, size_t *value)
{
    const char *start = *at;
    *value = 0;
    for (; isdigit((unsigned char)**at); (*at)++) {
        size_t digit = (size_t)(**at - '0');
        *value = *value > (SIZE_MAX - digit) / 10 ? SIZE_MAX : 10 * *value + digit;
    }
    return *at != start;
}

http_range_kind http_range_parse(const char *text, size_t size, http_range *out)
{
    static const char unit[] = "bytes=";
    *out = (http_range){0, size};
    if (!text || strncmp(text, unit, sizeof unit - 1) != 0) return HTTP_RANGE_ALL;
    const char *at = text + sizeof unit - 1;
    size_t first, last = SIZE_MAX;
    bool has_first = read_count(&at, &first);
    if (*at++ != '-') return HTTP_RANGE_ALL;
    bool has_last = read_count(&at, &last);
    if (*at != 0 || (!has_first && !has_last)) return HTTP_RANGE_ALL;
    if (!has_first) { /* the last so many bytes */
        if (last == 0 || size == 0) return HTTP_RANGE_OUTSIDE;
        first = last < size ? size - last : 0;
        last = SIZE_MAX;
    }
    if (!has_last) last = SIZE_MAX;
    if (last < first) return HTTP_RANGE_ALL;
    if (first >= size) return HTTP_RANGE_OUTSIDE;
    *out = (http_range){first, (last < size - 1 ? last : size - 1) - first + 1};
    return HTTP_RANGE_PART;
}

bool http_host_name(const char *given, char *out, size_t size)
{
    bool bracket = given[0] == '[';
    const char *start = given + bracket;
    const char *end = start + strcspn(start, bracket ? "]" : ":");
    size_t length = (size_t)(end - start);
    if (length == 0 || length >= size || (bracket && *end != ']')) return false;
    end += bracket;
    if (*end == ':')
        for (end++; isdigit((unsigned char)*end);) end++;
    if (*end != 0) return false;
    for (size_t i = 0; i < length; i++) out[i] = (char)tolower((unsigned char)start[i]);
    out[length] = 0;
    return true;
}

bool http_is_address(const char *name)
{
    unsigned char bytes[16];
    return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}
