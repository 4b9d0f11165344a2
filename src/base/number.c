#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

/* ---- the powers of five -------------------------------------------------------------------- */

enum {
    SMALLEST_POWER = -342, /* 10^-343 times any 64-bit integer is below half the least subnormal */
    LARGEST_POWER = 308,
    POWERS = LARGEST_POWER - SMALLEST_POWER + 1,
    LIMBS = 19 /* 1216 bits: 2^1215 / 5^342 and 5^308 both keep more than 128 bits */
};

__extension__ typedef unsigned __int128 uint128;

typedef struct wide {
    uint64_t high, low;
} wide;

/* The first 128 bits of 5^q. Positive powers are cut off; negative ones are rounded up down to
 * q = -27 and cut off below, as the proof of the method wants it. */
static wide powers[POWERS];
static once_flag powers_once = ONCE_FLAG_INIT;

/* The 128 bits from the leading one of a number of little-endian limbs. */
static wide leading_bits(const uint64_t *limbs)
{
    int top = LIMBS - 1;
    while (limbs[top] == 0) top--;
    uint64_t a = limbs[top], b = top > 0 ? limbs[top - 1] : 0, c = top > 1 ? limbs[top - 2] : 0;
    int shift = __builtin_clzll(a);
    if (shift == 0) return (wide){a, b};
    return (wide){a << shift | b >> (64 - shift), b << shift | c >> (64 - shift)};
}

static void compute_powers(void)
{
    uint64_t number[LIMBS] = {1};
    for (int q = 0; q <= LARGEST_POWER; q++) {
        powers[q - SMALLEST_POWER] = leading_bits(number);
        uint128 carry = 0;
        for (int i = 0; i < LIMBS; i++) {
            carry += (uint128)number[i] * 5;
            number[i] = (uint64_t)carry;
            carry >>= 64;
        }
    }
    memset(number, 0, sizeof number);
    number[LIMBS - 1] = UINT64_C(1) << 63;
    for (int q = -1; q >= SMALLEST_POWER; q--) {
        uint128 remainder = 0;
        for (int i = LIMBS - 1; i >= 0; i--) {
            remainder = remainder << 64 | number[i];
            number[i] = (uint64_t)(remainder / 5);
            remainder %= 5;
        }
        wide bits = leading_bits(number);
        if (q >= -27 && ++bits.low == 0) bits.high++;
        powers[q - SMALLEST_POWER] = bits;
    }
}

/* ---- w * 10^q ------------------------------------------------------------------------------ */

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double pack(uint64_t mantissa, int exponent)
{
    return from_bits((uint64_t)exponent << 52 | (mantissa & ((UINT64_C(1) << 52) - 1)));
}

/* The double nearest to w * 10^q; false in the rare cases that 128 bits cannot decide. */
static bool scale_by_power(uint64_t w, int64_t q, double *out)
{
    if (w == 0 || q < SMALLEST_POWER) {
        *out = 0.0;
        return true;
    }
    if (q > LARGEST_POWER) {
        *out = INFINITY;
        return true;
    }
    call_once(&powers_once, compute_powers);
    wide five = powers[q - SMALLEST_POWER];
    int shift = __builtin_clzll(w);
    w <<= shift;
    uint128 product = (uint128)w * five.high;
    /* 55 bits are needed (53, one to round, one for the leading zero). If the 9 below them are all
     * ones, the second half of the power may still carry into them. */
    if (((uint64_t)(product >> 64) & 0x1ff) == 0x1ff)
        product += (uint64_t)(((uint128)w * five.low) >> 64);
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if (low == UINT64_MAX && (q < -27 || q > 55)) return false;

    int carry = (int)(high >> 63);
    uint64_t mantissa = high >> (carry + 9);
    /* floor(q log2(10)) by a fraction that is exact in this range, then the exponent's bias. */
    int exponent = (int)((217706 * q) >> 16) + 63 + carry - shift + 1023;
    if (exponent <= 0) {
        if (exponent <= -63) {
            *out = 0.0;
            return true;
        }
        mantissa >>= 1 - exponent;
        mantissa = (mantissa + (mantissa & 1)) >> 1;
        *out = pack(mantissa, mantissa < UINT64_C(1) << 52 ? 0 : 1);
        return true;
    }
    /* Exactly in the middle of two doubles: only possible for these powers. Round to even. */
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (carry + 9) == high)
        mantissa &= ~UINT64_C(1);
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa == UINT64_C(1) << 53) {
        mantissa >>= 1;
        exponent++;
    }
    *out = exponent >= 2047 ? INFINITY : pack(mantissa, exponent);
    return true;
}

/* ---- the text ------------------------------------------------------------------------------ */

/* Where the digits of a number are: all from first to last, with at most one point among them. */
typedef struct decimal {
    const char *first, *last;
    int64_t exponent; /* of ten, as written behind the e */
} decimal;

static bool is_digit(char c) { return (unsigned)(unsigned char)c - '0' <= 9; }

/* The significant digits without point and leading zeros, at most `room` of them, into `digits`.
 * *exponent is the power of ten of the last one stored; *rest tells of digits other than 0 that
 * were left out. Returns how many. */
static int collect_digits(const decimal *number, char *digits, int room, int64_t *exponent,
                          bool *rest)
{
    int count = 0;
    bool behind_point = false;
    int64_t power = number->exponent;
    *rest = false;
    for (const char *p = number->first; p < number->last; p++) {
        if (*p == '.') {
            behind_point = true;
            continue;
        }
        bool stored = count < room && (count > 0 || *p != '0');
        if (stored)
            digits[count++] = *p;
        else if (count > 0 && *p != '0')
            *rest = true;
        bool leading = count == 0;
        if (behind_point && (stored || leading)) power--;
        if (!behind_point && !stored && !leading) power++;
    }
    *exponent = power;
    return count;
}

/* More than 767 significant digits never matter beyond being more than nothing. As an integer with
 * an exponent the text has no decimal point, so that no locale can change its meaning. */
static double slow_value(const decimal *number)
{
    enum { ROOM = 780 };
    char text[ROOM + 40];
    int64_t exponent;
    bool rest;
    int count = collect_digits(number, text, ROOM, &exponent, &rest);
    if (count == 0) return 0.0;
    if (rest) {
        text[count++] = '1';
        exponent--;
    }
    snprintf(text + count, 40, "e%lld", (long long)exponent);
    int saved = errno;
    double value = strtod(text, NULL);
    errno = saved;
    return value;
}

/* More than 19 digits: the value lies between w and w + 1 units of the 19th digit. */
static double long_value(const decimal *number)
{
    char digits[19];
    int64_t exponent;
    bool rest;
    int count = collect_digits(number, digits, 19, &exponent, &rest);
    uint64_t w = 0;
    for (int i = 0; i < count; i++) w = w * 10 + (uint64_t)(digits[i] - '0');
    double low, high;
    if (!scale_by_power(w, exponent, &low)) return slow_value(number);
    if (!rest) return low;
    if (!scale_by_power(w + 1, exponent, &high) || low != high) return slow_value(number);
    return low;
}

static bool match_word(const char **cursor, const char *end, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(end - *cursor) < length) return false;
    for (size_t i = 0; i < length; i++)
        if (((*cursor)[i] | 0x20) != word[i]) return false;
    *cursor += length;
    return true;
}

static number_status read_word(const char **cursor, const char *p, const char *end, bool negative,
                               double *out)
{
    if (match_word(&p, end, "nan")) {
        *cursor = p;
        *out = NAN;
        return NUMBER_NAN;
    }
    if (!match_word(&p, end, "inf")) return NUMBER_MISSING;
    match_word(&p, end, "inity");
    *cursor = p;
    *out = negative ? -INFINITY : INFINITY;
    return NUMBER_INFINITY;
}

static uint64_t load_eight(const char *p)
{
    uint64_t chunk;
    memcpy(&chunk, p, sizeof chunk);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    chunk = __builtin_bswap64(chunk);
#endif
    return chunk;
}

/* All eight bytes are in '0'..'9': their high halves are 3, and still are after adding 6. */
static bool eight_digits(uint64_t chunk)
{
    const uint64_t high = UINT64_C(0xf0f0f0f0f0f0f0f0), three = UINT64_C(0x3030303030303030);
    return (chunk & high) == three && ((chunk + UINT64_C(0x0606060606060606)) & high) == three;
}

/* Pairs, then fours, then all eight digits are joined, the first byte being the highest digit. */
static uint64_t join_eight(uint64_t chunk)
{
    chunk = (chunk & UINT64_C(0x0f0f0f0f0f0f0f0f)) * 2561 >> 8;
    chunk = (chunk & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
    return (chunk & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
}

/* Digits from p on are added to *w (which wraps around when they are too many). */
static const char *read_digits(const char *p, const char *end, uint64_t *w)
{
    uint64_t value = *w;
    while (end - p >= 8) {
        uint64_t chunk = load_eight(p);
        if (!eight_digits(chunk)) break;
        value = value * 100000000 + join_eight(chunk);
        p += 8;
    }
    while (p < end && is_digit(*p)) value = value * 10 + (uint64_t)(*p++ - '0');
    *w = value;
    return p;
}

/* The exponent behind an e, limited so that it cannot overflow; p when there is none. */
static const char *read_exponent(const char *p, const char *end, int64_t *exponent)
{
    const char *start = p;
    if (p == end || (*p != 'e' && *p != 'E')) return start;
    p++;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end || !is_digit(*p)) return start;
    int64_t value = 0;
    for (; p < end && is_digit(*p); p++)
        if (value < INT64_C(1000000000000000)) value = value * 10 + (*p - '0');
    *exponent = negative ? -value : value;
    return p;
}

number_status number_read_double(const char **cursor, const char *end, double *out)
{
    static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *p = *cursor;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    decimal number = {.first = p};
    uint64_t w = 0;
    p = read_digits(p, end, &w);
    ptrdiff_t digits = p - number.first;
    int64_t point = 0;
    if (p < end && *p == '.') {
        const char *fraction = p + 1;
        const char *after = read_digits(fraction, end, &w);
        point = fraction - after;
        digits += after - fraction;
        if (digits > 0) p = after;
    }
    if (digits == 0) return read_word(cursor, p, end, negative, out);
    number.last = p;
    *cursor = p = read_exponent(p, end, &number.exponent);

    double value;
    int64_t q = number.exponent + point;
    if (digits > 19)
        value = long_value(&number);
    else if (w <= UINT64_C(1) << 53 && q >= -22 && q <= 22)
        value = q < 0 ? (double)w / exact_powers[-q] : (double)w * exact_powers[q];
    else if (!scale_by_power(w, q, &value))
        value = slow_value(&number);
    *out = negative ? -value : value;
    return isinf(value) ? NUMBER_OVERFLOW : NUMBER_OK;
}

/* ---- writing ------------------------------------------------------------------------------- */

/* Whole numbers, as counts and zeros are, without printf; returns 0 for others. */
static int write_whole(char text[NUMBER_TEXT_SIZE], double value)
{
    char digits[16];
    int length = 0, count = 0;
    if (!(fabs(value) < 1e15) || value != trunc(value)) return 0;
    if (signbit(value)) text[length++] = '-';
    int64_t rest = (int64_t)fabs(value);
    do digits[count++] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    while (count > 0) text[length++] = digits[--count];
    text[length] = 0;
    return length;
}

int number_write_double(char text[NUMBER_TEXT_SIZE], double value)
{
    int whole = write_whole(text, value);
    if (whole > 0) return whole;
    for (int digits = 15;; digits++) {
        char raw[NUMBER_TEXT_SIZE];
        int length = snprintf(raw, sizeof raw, "%.*g", digits, value), written = 0;
        /* The locale's decimal point is whatever is neither a digit, a sign nor a letter. */
        bool pointed = false;
        for (int i = 0; i < length; i++) {
            bool plain = is_digit(raw[i]) || raw[i] == '-' || raw[i] == '+' ||
                         (raw[i] >= 'a' && raw[i] <= 'z');
            if (plain)
                text[written++] = raw[i];
            else if (!pointed)
                text[written++] = '.', pointed = true;
        }
        text[written] = 0;
        double again = 0.0;
        const char *p = text;
        if (digits == 17 || number_read_double(&p, text + written, &again) != NUMBER_OK ||
            again == value)
            return written;
    }
}
