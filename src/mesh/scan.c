#include "mesh/scan.h"

#include <stdarg.h>
#include <string.h>

void scan_init(scan *s, const char *name, const char *data, size_t size, abut_error *err)
{
    *s = (scan){.p = data, .begin = data, .end = data + size, .name = name, .released = data};
    s->err = err;
}

/* ---- errors -------------------------------------------------------------------------------- */

static size_t line_of(const scan *s, const char *at)
{
    size_t line = 1;
    for (const char *p = s->begin; p < at; p++) {
        p = memchr(p, '\n', (size_t)(at - p));
        if (!p) break;
        line++;
    }
    return line;
}

static abut_status fail_at(const scan *s, const char *at, abut_status code, const char *format,
                           va_list arguments)
{
    if (!s->err) return code;
    /* A long path loses its beginning rather than the line number. */
    const char *name = s->name;
    size_t length = strlen(name);
    const char *cut = length > 200 ? "..." : "";
    if (length > 200) name += length - 200;
    char place[sizeof s->err->place], message[sizeof s->err->message];
    if (s->binary)
        snprintf(place, sizeof place, "%s%s: byte %zu", cut, name, (size_t)(at - s->begin));
    else
        snprintf(place, sizeof place, "%s%s:%zu", cut, name, line_of(s, at));
    vsnprintf(message, sizeof message, format, arguments);
    return error_set(s->err, code, place, "%s", message);
}

abut_status scan_fail(const scan *s, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    abut_status status = fail_at(s, at, ABUT_ERROR_INPUT, format, arguments);
    va_end(arguments);
    return status;
}

abut_status scan_unsupported(const scan *s, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    abut_status status = fail_at(s, at, ABUT_ERROR_UNSUPPORTED, format, arguments);
    va_end(arguments);
    return status;
}

abut_status scan_memory(const scan *s)
{
    return error_add_place(s->err, s->name, error_memory(s->err, "reading a mesh"));
}

scan_text scan_found(const scan *s, const char *at)
{
    scan_text found;
    if (at >= s->end) {
        snprintf(found.text, sizeof found.text, "the end of the file");
        return found;
    }
    if (*at == '\n' || *at == '\r') {
        snprintf(found.text, sizeof found.text, "the end of the line");
        return found;
    }
    size_t n = 0;
    found.text[n++] = '\'';
    for (; at < s->end && !scan_is_space(*at) && n < 33; at++)
        found.text[n++] = *at >= ' ' && *at <= '~' ? *at : '?';
    if (n == 33) {
        memcpy(found.text + n, "...", 3);
        n += 3;
    }
    found.text[n++] = '\'';
    found.text[n] = 0;
    return found;
}

abut_status scan_bad_real(const scan *s, const char *at, number_status status, const char *what)
{
    scan_text found = scan_found(s, at);
    if (status == NUMBER_NAN || status == NUMBER_INFINITY || status == NUMBER_OVERFLOW)
        return scan_fail(s, at, "%s is %s; it must be finite", what, found.text);
    return scan_fail(s, at, "expected a number (%s), found %s", what, found.text);
}

abut_status scan_bad_integer(const scan *s, const char *at, number_status status, const char *what,
                             int64_t low, int64_t high)
{
    scan_text found = scan_found(s, at);
    const char *p = at;
    int64_t ignored;
    bool whole = status != NUMBER_MISSING &&
                 number_read_int(&p, s->end, &ignored) != NUMBER_MISSING &&
                 (p == s->end || scan_is_space(*p));
    if (!whole) return scan_fail(s, at, "expected a whole number (%s), found %s", what, found.text);
    return scan_fail(s, at, "%s is %s; allowed are %lld to %lld", what, found.text, (long long)low,
                     (long long)high);
}

/* ---- memory -------------------------------------------------------------------------------- */

void scan_release_now(scan *s)
{
    if (s->file) file_forget(s->file, (size_t)(s->released - s->begin), (size_t)(s->p - s->begin));
    s->released = s->p;
}

/* ---- text ---------------------------------------------------------------------------------- */

void scan_skip_line(scan *s)
{
    const char *newline = memchr(s->p, '\n', scan_left(s));
    s->p = newline ? newline + 1 : s->end;
}

static scan_token take_word(scan *s)
{
    scan_token token = {s->p, 0};
    while (s->p < s->end && !scan_is_space(*s->p)) s->p++;
    token.length = (size_t)(s->p - token.text);
    return token;
}

scan_token scan_word(scan *s)
{
    scan_ends(s);
    return take_word(s);
}

scan_token scan_line_word(scan *s)
{
    if (scan_line_ends(s)) return (scan_token){s->p, 0};
    return take_word(s);
}

bool token_is(scan_token token, const char *word)
{
    return token.length == strlen(word) && memcmp(token.text, word, token.length) == 0;
}

bool scan_accept(scan *s, const char *word)
{
    const char *before = s->p;
    if (token_is(scan_word(s), word)) return true;
    s->p = before;
    return false;
}

abut_status scan_expect(scan *s, const char *word)
{
    if (scan_accept(s, word)) return ABUT_OK;
    scan_ends(s);
    return scan_fail(s, s->p, "expected %s, found %s", word, scan_found(s, s->p).text);
}

abut_status scan_check_count(const scan *s, const char *at, int64_t count, const char *what,
                             size_t least_bytes)
{
    if (count < 0)
        return scan_fail(s, at, "the %s is %lld; it must not be negative", what, (long long)count);
    if (count > INT32_MAX)
        return scan_fail(s, at, "the %s is %lld; at most %d are allowed", what, (long long)count,
                         INT32_MAX);
    /* The last item of a text file may lack its newline. */
    if ((uint64_t)count * least_bytes > scan_left(s) + !s->binary)
        return scan_fail(s, at, "the %s is %lld, but the rest of the file has only %zu bytes", what,
                         (long long)count, scan_left(s));
    return ABUT_OK;
}

abut_status scan_count(scan *s, const char *what, size_t least_bytes, size_t *out)
{
    int64_t count;
    scan_ends(s);
    const char *at = s->p;
    TRY(scan_integer(s, what, 0, INT64_MAX, &count));
    TRY(scan_check_count(s, at, count, what, least_bytes));
    *out = (size_t)count;
    return ABUT_OK;
}

/* ---- binary -------------------------------------------------------------------------------- */

abut_status scan_bytes(scan *s, const char *what, size_t count, size_t size, const char **out)
{
    if (size > 0 && count > scan_left(s) / size)
        return scan_fail(s, s->p,
                         "the file ends within %s: %zu times %zu bytes are needed, %zu are left",
                         what, count, size, scan_left(s));
    *out = s->p;
    s->p += count * size;
    return ABUT_OK;
}
