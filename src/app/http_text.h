/* What requests of a browser say in words: parts of a file, names of hosts. */
#ifndef APP_HTTP_TEXT_H
#define APP_HTTP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum http_range_kind {
    HTTP_RANGE_ALL,
    HTTP_RANGE_PART,
    HTTP_RANGE_OUTSIDE
} http_range_kind;

typedef struct http_range {
    size_t first, length;
} http_range;

/* A Range header ("bytes=0-99", "bytes=100-", "bytes=-50") for something of `size` bytes. Several
 * ranges, other units and what cannot be read ask for all of it, as RFC 9110 allows; a part that
 * begins behind the end is HTTP_RANGE_OUTSIDE. text may be NULL. */
http_range_kind http_range_parse(const char *text, size_t size, http_range *out);

/* The host of a Host header without its port, in lower case and without brackets; false when it is
 * no host, or does not fit. */
bool http_host_name(const char *given, char *out, size_t size);
/* True for an IPv4 or IPv6 address. */
bool http_is_address(const char *name);

#endif
