/* Values of PolyFEM's conditions: numbers and expressions, and the "interpolation" in time that
 * multiplies them. All of it becomes expressions in x, y, z and t. */
#include "scene/import_polyfem.h"

#include "base/memory.h"
#include "math/spline.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 1 << 16 };

/* Text that grows in a fixed space; false from the moment that it did not fit. */
typedef struct writer {
    char *text;
    size_t length;
    bool fits;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = TEXT_SIZE - w->length;
    int n = vsnprintf(w->text + w->length, room, format, arguments);
    va_end(arguments);
    w->fits = w->fits && n >= 0 && (size_t)n < room;
    if (w->fits) w->length += (size_t)n;
}

typedef enum curve_kind { CURVE_STEPS, CURVE_LINES, CURVE_CUBICS } curve_kind;

typedef struct curve {
    size_t count;
    const json_t *points, *values;
    curve_kind kind;
    const char *extend; /* beyond the ends */
} curve;

static double at(const json_t *list, size_t i)
{
    return json_number_value(json_array_get(list, i));
}

/* The curve at a time that is written as `time`; a sum without nesting. */
static void put_curve(writer *w, const curve *c, const char *time)
{
    bool beyond = strcmp(c->extend, "extrapolate") == 0;
    put(w, "(%.17g", at(c->values, 0));
    for (size_t i = 0; i + 1 < c->count; i++) {
        double p = at(c->points, i), q = at(c->points, i + 1);
        double jump = at(c->values, i + 1) - at(c->values, i);
        if (c->kind == CURVE_STEPS) {
            put(w, "+(%.17g)*if(%s-(%.17g),1,0)", jump, time, q);
            continue;
        }
        bool first = i == 0 && beyond, last = i + 2 == c->count && beyond;
        put(w, "+(%.17g)*(", jump / (q - p));
        if (first && last)
            put(w, "%s", time);
        else if (first)
            put(w, "min(%s,%.17g)", time, q);
        else if (last)
            put(w, "max(%s,%.17g)", time, p);
        else
            put(w, "min(max(%s,%.17g),%.17g)", time, p, q);
        put(w, "-(%.17g))", p);
    }
    put(w, ")");
}

/* The same for a spline: a sum of polynomials, each in a time that stands still beyond the ends of
 * its piece. As there, the ends of the spline follow from how it goes on. */
static bool put_spline(writer *w, const curve *c, const char *time)
{
    bool straight = strcmp(c->extend, "extrapolate") == 0;
    spline_ends ends = straight                             ? SPLINE_NATURAL
                       : strcmp(c->extend, "constant") == 0 ? SPLINE_FLAT
                                                            : SPLINE_PERIODIC;
    double *x = mem_alloc(3 * c->count, sizeof *x);
    if (!x) return false;
    double *y = x + c->count, *slope = y + c->count;
    for (size_t i = 0; i < c->count; i++) {
        x[i] = at(c->points, i);
        y[i] = at(c->values, i);
    }
    bool ok = spline_slopes(c->count, x, y, ends, slope);
    put(w, "(%.17g", y[0]);
    for (size_t i = 0; ok && i + 1 < c->count; i++) {
        char s[256];
        double k[3];
        spline_piece(x + i, y + i, slope + i, k);
        snprintf(s, sizeof s, "(min(max(%s,%.17g),%.17g)-(%.17g))", time, x[i], x[i + 1], x[i]);
        put(w, "+%s*(%.17g+%s*(%.17g+%s*(%.17g)))", s, k[0], s, k[1], s, k[2]);
    }
    if (straight)
        put(w, "+(%.17g)*min(%s-(%.17g),0)+(%.17g)*max(%s-(%.17g),0)", slope[0], time, x[0],
            slope[c->count - 1], time, x[c->count - 1]);
    put(w, ")");
    mem_free(x);
    return ok;
}

static bool put_one_period(writer *w, const curve *c, const char *time)
{
    if (c->kind == CURVE_CUBICS) return put_spline(w, c, time);
    put_curve(w, c, time);
    return true;
}

static bool read_curve(const json_t *item, curve_kind kind, curve *out)
{
    const char *extend = json_string_value(polyfem_get(item, "extend"));
    *out = (curve){.points = polyfem_get(item, "points"),
                   .values = polyfem_get(item, "values"),
                   .kind = kind,
                   .extend = extend ? extend : "constant"};
    out->count = json_array_size(out->points);
    bool ok = out->count >= 2 && json_array_size(out->values) == out->count;
    for (size_t i = 0; ok && i < out->count; i++)
        ok = json_is_number(json_array_get(out->points, i)) &&
             json_is_number(json_array_get(out->values, i)) &&
             (i == 0 || at(out->points, i) > at(out->points, i - 1));
    return ok;
}

static bool put_piecewise(writer *w, const json_t *item, curve_kind kind)
{
    static const char *const words[] = {"constant", "extrapolate", "repeat", "repeat_offset"};
    curve c;
    if (!read_curve(item, kind, &c)) return false;
    int word = 0;
    while (word < 4 && strcmp(c.extend, words[word]) != 0) word++;
    if (word == 4) return false;
    if (word < 2) return put_one_period(w, &c, "t");
    double begin = at(c.points, 0), length = at(c.points, c.count - 1) - begin;
    char time[160];
    snprintf(time, sizeof time, "(t-(%.17g)*floor((t-(%.17g))/(%.17g)))", length, begin, length);
    if (!put_one_period(w, &c, time)) return false;
    if (word == 3)
        put(w, "+(%.17g)*floor((t-(%.17g))/(%.17g))", at(c.values, c.count - 1) - at(c.values, 0),
            begin, length);
    return true;
}

/* The factor of one interpolation; false when it is not understood. */
static bool put_factor(writer *w, const json_t *item)
{
    const char *type = json_string_value(json_is_string(item) ? item : polyfem_get(item, "type"));
    if (!type || strcmp(type, "none") == 0) {
        put(w, "1");
    } else if (strcmp(type, "linear") == 0) {
        put(w, "t");
    } else if (strcmp(type, "linear_ramp") == 0) {
        double from = polyfem_number(item, "from", 0), to = polyfem_number(item, "to", 1e30);
        /* Theirs jumps from to - from to `to` at the end. */
        put(w, "if(t-(%.17g),%.17g,max(t-(%.17g),0))", to, to, from);
    } else if (strcmp(type, "piecewise_constant") == 0) {
        return put_piecewise(w, item, CURVE_STEPS);
    } else if (strcmp(type, "piecewise_linear") == 0) {
        return put_piecewise(w, item, CURVE_LINES);
    } else if (strcmp(type, "piecewise_cubic") == 0) {
        return put_piecewise(w, item, CURVE_CUBICS);
    } else {
        return false;
    }
    return true;
}

/* One value times its factor. */
static json_t *scaled(const json_t *value, const json_t *factor)
{
    if (!factor) return json_incref((json_t *)value);
    if (json_is_number(value) && json_number_value(value) == 0) return json_integer(0);
    writer w = {.text = mem_alloc(TEXT_SIZE, 1), .fits = true};
    if (!w.text) return NULL;
    if (json_is_string(value))
        put(&w, "(%s)*(", json_string_value(value));
    else
        put(&w, "(%.17g)*(", json_number_value(value));
    bool known = put_factor(&w, factor);
    put(&w, ")");
    json_t *out = known && w.fits ? json_string(w.text) : NULL;
    mem_free(w.text);
    return out;
}

/* The interpolation of component k; one stands for all. */
static const json_t *factor_of(const json_t *item, size_t k)
{
    const json_t *list = polyfem_get(item, "interpolation");
    if (!json_is_array(list)) return list;
    size_t count = json_array_size(list);
    return count == 0 ? NULL : json_array_get(list, count == 1 ? 0 : k);
}

static const char *factor_name(const json_t *item)
{
    const char *type = json_string_value(json_is_string(item) ? item : polyfem_get(item, "type"));
    return type ? type : "";
}

abut_status polyfem_values(const polyfem_scene *s, const json_t *item, const char *field,
                           json_t **out, abut_error *err)
{
    const json_t *value = polyfem_get(item, "value");
    json_t *list = json_array();
    for (size_t k = 0; k < 3; k++) {
        const json_t *entry = json_is_array(value) ? json_array_get(value, k) : NULL;
        json_t *made = NULL;
        if (!entry) {
            made = json_integer(0);
        } else if (!json_is_number(entry) && !json_is_string(entry)) {
            json_decref(list);
            return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                                 "the value must be a list of numbers or expressions", err);
        } else {
            made = scaled(entry, factor_of(item, k));
        }
        if (!made) {
            json_decref(list);
            return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                                 "the interpolation of component %zu (\"%s\") is not understood",
                                 err, k, factor_name(factor_of(item, k)));
        }
        json_array_append_new(list, made);
    }
    *out = list;
    return ABUT_OK;
}

abut_status polyfem_scalar(const polyfem_scene *s, const json_t *item, const char *field,
                           json_t **out, abut_error *err)
{
    const json_t *value = polyfem_get(item, "value");
    if (!json_is_number(value) && !json_is_string(value))
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                             "the value must be a number or an expression", err);
    *out = scaled(value, factor_of(item, 0));
    return *out ? ABUT_OK
                : polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field,
                                "the interpolation (\"%s\") is not understood", err,
                                factor_name(factor_of(item, 0)));
}

bool polyfem_all_zero(const json_t *values)
{
    for (size_t k = 0; k < 3; k++) {
        const json_t *item = json_array_get(values, k);
        if (!json_is_number(item) || json_number_value(item) != 0) return false;
    }
    return true;
}
