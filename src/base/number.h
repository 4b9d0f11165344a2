/* Reading decimal numbers from text that need not end in a 0 byte, exactly rounded and without
 * regard to the locale; and writing them so that they read back to the same bits.
 *
 * Doubles: at most 19 digits with a small exponent are exact in one operation (Clinger 1990); all
 * others go through a 128-bit product with a table of powers of five (Lemire, "Number parsing at a
 * gigabyte per second", 2021); what that cannot decide goes to strtod. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdint.h>

typedef enum number_status {
    NUMBER_OK,
    NUMBER_MISSING,  /* no number starts here; the cursor did not move */
    NUMBER_OVERFLOW, /* too large: the value is +-infinity, or the nearest int64_t */
    NUMBER_INFINITY, /* the word inf or infinity, in any case */
    NUMBER_NAN       /* the word nan */
} number_status;

/* Reads the longest number at *cursor, which moves behind it. There is no skipping of blanks, no
 * hexadecimal form; "1e" reads as 1 and leaves the e. Too small numbers become (signed) 0. */
number_status number_read_double(const char **cursor, const char *end, double *out);

/* Reads [+-]digits. */
static inline number_status number_read_int(const char **cursor, const char *end, int64_t *out)
{
    const char *p = *cursor;
    int negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *first = p;
    uint64_t value = 0;
    int overflow = 0;
    for (; p < end; p++) {
        unsigned digit = (unsigned)(unsigned char)*p - '0';
        if (digit > 9) break;
        if (value >= UINT64_C(922337203685477580))
            overflow |= value > 922337203685477580 || digit > 7;
        value = value * 10 + digit;
    }
    if (p == first) return NUMBER_MISSING;
    *cursor = p;
    if (overflow) {
        *out = negative ? INT64_MIN : INT64_MAX;
        return NUMBER_OVERFLOW;
    }
    *out = negative ? -(int64_t)value : (int64_t)value;
    return NUMBER_OK;
}

enum { NUMBER_TEXT_SIZE = 32 };

/* Writes the fewest of 15, 16 or 17 digits that read back to the same double, with a point whatever
 * the locale says, and a final 0 byte. Returns the length. */
int number_write_double(char text[NUMBER_TEXT_SIZE], double value);

#endif
