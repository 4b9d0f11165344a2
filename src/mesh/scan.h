/* A cursor over the bytes of a mesh file, text or binary, with errors that name file and line (or
 * byte). Nothing is read beyond `end`, and every count that a file claims is bounded by the bytes
 * that are left to hold it, so that a lying file cannot make a reader allocate. */
#ifndef MESH_SCAN_H
#define MESH_SCAN_H

#include "base/file.h"
#include "base/number.h"
#include "base/status.h"

typedef struct scan {
    const char *p; /* the cursor */
    const char *begin, *end;
    const char *name;       /* of the file, for messages */
    const char *released;   /* bytes before this need not stay in memory */
    const file_bytes *file; /* what holds the bytes, or NULL */
    abut_error *err;
    char comment; /* text from this character to the end of the line counts as blank; 0 = none */
    bool binary;  /* errors name the byte instead of the line */
} scan;

void scan_init(scan *s, const char *name, const char *data, size_t size, abut_error *err);

/* Fills s->err with an input error at the position `at` and returns its code. */
abut_status scan_fail(const scan *s, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for something that is understood, but that abut cannot use. */
abut_status scan_unsupported(const scan *s, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
abut_status scan_memory(const scan *s);

/* What stands at `at`, in quotes and printable, for messages: "'abc'" or "the end of the file". */
typedef struct scan_text {
    char text[48];
} scan_text;
scan_text scan_found(const scan *s, const char *at);

static inline size_t scan_left(const scan *s) { return (size_t)(s->end - s->p); }
static inline bool scan_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static inline bool scan_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Releases the memory behind the cursor. Call it now and then in long loops; it is cheap. */
void scan_release_now(scan *s);
static inline void scan_release(scan *s)
{
    enum { STEP = 1 << 22 };
    if (s->p - s->released > STEP) scan_release_now(s);
}

/* ---- text ---------------------------------------------------------------------------------- */

void scan_skip_line(scan *s); /* to behind the next newline */

/* Skips blanks within the line; true at its end (or at a comment). */
static inline bool scan_line_ends(scan *s)
{
    while (s->p < s->end && scan_is_blank(*s->p)) s->p++;
    return s->p == s->end || *s->p == '\n' || (s->comment && *s->p == s->comment);
}

/* Skips blanks, newlines and comments; true at the end of the file. */
static inline bool scan_ends(scan *s)
{
    for (;;) {
        while (s->p < s->end && scan_is_space(*s->p)) s->p++;
        if (s->p == s->end) return true;
        if (!s->comment || *s->p != s->comment) return false;
        scan_skip_line(s);
    }
}

/* The next word (up to a blank), or length 0 at the end of the file. */
typedef struct scan_token {
    const char *text;
    size_t length;
} scan_token;
scan_token scan_word(scan *s);
/* The next word of this line only. */
scan_token scan_line_word(scan *s);
bool token_is(scan_token token, const char *word);
/* Moves on only when the next word is this one. */
bool scan_accept(scan *s, const char *word);
abut_status scan_expect(scan *s, const char *word);

abut_status scan_bad_real(const scan *s, const char *at, number_status status, const char *what);
abut_status scan_bad_integer(const scan *s, const char *at, number_status status, const char *what,
                             int64_t low, int64_t high);

/* A finite number; `what` says in messages what was expected. */
static inline abut_status scan_real(scan *s, const char *what, double *out)
{
    *out = 0.0;
    scan_ends(s);
    const char *start = s->p;
    number_status status = number_read_double(&s->p, s->end, out);
    if (status != NUMBER_OK || (s->p < s->end && !scan_is_space(*s->p)))
        return scan_bad_real(s, start, status, what);
    return ABUT_OK;
}

static inline abut_status scan_integer(scan *s, const char *what, int64_t low, int64_t high,
                                       int64_t *out)
{
    *out = 0;
    scan_ends(s);
    const char *start = s->p;
    number_status status = number_read_int(&s->p, s->end, out);
    if (status != NUMBER_OK || *out < low || *out > high ||
        (s->p < s->end && !scan_is_space(*s->p)))
        return scan_bad_integer(s, start, status, what, low, high);
    return ABUT_OK;
}

/* A number of items, each of which must take at least `least_bytes` of the rest of the file. */
abut_status scan_count(scan *s, const char *what, size_t least_bytes, size_t *out);
/* The same check for a number that was read already, at `at`. */
abut_status scan_check_count(const scan *s, const char *at, int64_t count, const char *what,
                             size_t least_bytes);

/* ---- binary -------------------------------------------------------------------------------- */

/* The next count * size bytes, and the cursor behind them; `what` ("the header") is cut short if
 * they are not there. */
abut_status scan_bytes(scan *s, const char *what, size_t count, size_t size, const char **out);

static inline uint16_t load_u16(const char *p, bool swap)
{
    uint16_t value;
    __builtin_memcpy(&value, p, sizeof value);
    return swap ? __builtin_bswap16(value) : value;
}
static inline uint32_t load_u32(const char *p, bool swap)
{
    uint32_t value;
    __builtin_memcpy(&value, p, sizeof value);
    return swap ? __builtin_bswap32(value) : value;
}
static inline uint64_t load_u64(const char *p, bool swap)
{
    uint64_t value;
    __builtin_memcpy(&value, p, sizeof value);
    return swap ? __builtin_bswap64(value) : value;
}
static inline float load_f32(const char *p, bool swap)
{
    uint32_t bits = load_u32(p, swap);
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
static inline double load_f64(const char *p, bool swap)
{
    uint64_t bits = load_u64(p, swap);
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
/* True on a machine whose own order is big-endian. */
static inline bool machine_is_big_endian(void) { return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; }

#endif
