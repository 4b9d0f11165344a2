#include "scene/schema.h"

#include "base/expression.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* An object that is being looked at, and the one around it. */
typedef struct frame {
    const schema_type *type;
    const json_t *object;
    const struct frame *outer;
} frame;

/* State of one walk through a document. */
struct schema_walk {
    const frame *inner;
    problem_list *problems;
    const json_t *root;
    size_t index; /* in the innermost list of objects */
    bool out_of_memory;
    size_t path_length;
    char path[200];
};

static json_t *resolve_object(schema_walk *w, const schema_type *type, const json_t *value,
                              const schema_field *field);

/* --- The path to the value at hand --- */

static size_t push(schema_walk *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static size_t push(schema_walk *w, const char *format, ...)
{
    size_t before = w->path_length;
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(w->path + before, sizeof w->path - before, format, arguments);
    va_end(arguments);
    if (written > 0) w->path_length += (size_t)written;
    if (w->path_length >= sizeof w->path) w->path_length = sizeof w->path - 1;
    return before;
}

static size_t push_key(schema_walk *w, const char *key)
{
    return push(w, "%s%s", w->path_length ? "." : "", key);
}

static size_t push_index(schema_walk *w, size_t index) { return push(w, "[%zu]", index); }

static void pop(schema_walk *w, size_t before)
{
    w->path_length = before;
    w->path[before] = 0;
}

/* A resolved number may be whole or not. */
bool schema_same(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) return json_number_value(a) == json_number_value(b);
    if (!json_is_array(a) || !json_is_array(b)) return json_equal(a, b);
    size_t count = json_array_size(a);
    bool same = count == json_array_size(b);
    for (size_t i = 0; same && i < count; i++)
        same = schema_same(json_array_get(a, i), json_array_get(b, i));
    return same;
}

/* --- Problems --- */

/* "must be ..., found ..." for the value at the current path. */
static json_t *wrong(schema_walk *w, const schema_field *field, const json_t *value)
{
    char expected[400], found[120];
    schema_expectation(field, expected, sizeof expected);
    schema_describe(value, found, sizeof found);
    problem_add(w->problems, w->path, "must be %s, found %s", expected, found);
    return NULL;
}

static json_t *no_memory(schema_walk *w)
{
    w->out_of_memory = true;
    return NULL;
}

/* NULL (out of memory) passes through and is remembered. */
static json_t *made(schema_walk *w, json_t *value)
{
    if (!value) w->out_of_memory = true;
    return value;
}

/* Appends to a list; an item of NULL (a problem was reported) is left out. */
static void append(schema_walk *w, json_t *list, json_t *item)
{
    if (item && json_array_append_new(list, item) != 0) w->out_of_memory = true;
}

static void set(schema_walk *w, json_t *object, const char *key, json_t *item)
{
    if (item && json_object_set_new(object, key, item) != 0) w->out_of_memory = true;
}

void schema_rule_problem(schema_walk *walk, const char *key, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t before = key ? push_key(walk, key) : walk->path_length;
    problem_add(walk->problems, walk->path, "%s", message);
    pop(walk, before);
}

void schema_rule_no_memory(schema_walk *walk) { walk->out_of_memory = true; }

/* --- Values without parts --- */

static bool in_bounds(const schema_field *f, double x)
{
    if ((f->bounds & LOW_CLOSED) && !(x >= f->low)) return false;
    if ((f->bounds & LOW_OPEN) && !(x > f->low)) return false;
    if ((f->bounds & HIGH_CLOSED) && !(x <= f->high)) return false;
    if ((f->bounds & HIGH_OPEN) && !(x < f->high)) return false;
    if ((f->bounds & NOT_ZERO) && x == 0) return false;
    return isfinite(x);
}

static json_t *resolve_number(schema_walk *w, const schema_field *field, const json_t *value)
{
    if (!json_is_number(value) || !in_bounds(field, json_number_value(value)))
        return wrong(w, field, value);
    return json_incref((json_t *)value);
}

/* 1e3 is an integer, too. */
static json_t *resolve_integer(schema_walk *w, const schema_field *field, const json_t *value)
{
    if (!json_is_number(value)) return wrong(w, field, value);
    double x = json_number_value(value);
    if (!in_bounds(field, x) || x != floor(x) || fabs(x) > 0x1p53) return wrong(w, field, value);
    if (json_is_integer(value)) return json_incref((json_t *)value);
    return made(w, json_integer((json_int_t)x));
}

static json_t *resolve_length(schema_walk *w, const schema_field *field, const json_t *value)
{
    if (json_is_number(value)) return resolve_number(w, field, value);
    double number;
    bool relative;
    if (!json_is_string(value) ||
        !schema_parse_length(json_string_value(value), &number, &relative) ||
        !in_bounds(field, number))
        return wrong(w, field, value);
    if (!relative) return made(w, json_real(number));
    char digits[NUMBER_TEXT_SIZE], text[40];
    schema_number_text(number, digits);
    snprintf(text, sizeof text, "%s l", digits);
    return made(w, json_string(text));
}

static bool usable_name(const char *text)
{
    if (!text[0]) return false;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f || *c == '/') return false;
    return true;
}

static json_t *resolve_string(schema_walk *w, const schema_field *field, const json_t *value)
{
    if (!json_is_string(value)) return wrong(w, field, value);
    if ((field->flags & SCHEMA_IS_NAME) && !usable_name(json_string_value(value)))
        return wrong(w, field, value);
    return json_incref((json_t *)value);
}

static json_t *resolve_word(schema_walk *w, const schema_field *field, const json_t *value)
{
    if (!json_is_string(value)) return wrong(w, field, value);
    const char *word = json_string_value(value);
    size_t count = schema_word_count(field->words);
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, field->words[i]) == 0) return json_incref((json_t *)value);
    const char *near = text_closest(word, field->words, count);
    char expected[400], found[120];
    schema_expectation(field, expected, sizeof expected);
    schema_describe(value, found, sizeof found);
    problem_add(w->problems, w->path, "must be %s, found %s%s%s%s", expected, found,
                near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return NULL;
}

static json_t *resolve_axes(schema_walk *w, const schema_field *field, const json_t *value)
{
    if (!json_is_string(value)) return wrong(w, field, value);
    bool seen[3] = {false, false, false};
    const char *text = json_string_value(value);
    if (!text[0] && !(field->flags & SCHEMA_OR_NONE)) return wrong(w, field, value);
    for (const char *c = text; *c; c++) {
        if (*c < 'x' || *c > 'z' || seen[*c - 'x']) return wrong(w, field, value);
        seen[*c - 'x'] = true;
    }
    return json_incref((json_t *)value);
}

static json_t *resolve_expression(schema_walk *w, const schema_field *field, const json_t *value)
{
    if (json_is_number(value)) return json_incref((json_t *)value);
    if (!json_is_string(value)) return wrong(w, field, value);
    expression *parsed = NULL;
    abut_error err;
    abut_status status = expression_parse(json_string_value(value), &parsed, &err);
    expression_free(parsed);
    if (status == ABUT_OK) return json_incref((json_t *)value);
    problem_add(w->problems, w->path, "%s", err.message);
    return NULL;
}

/* --- Lists of values --- */

static json_t *repeat_number(schema_walk *w, const schema_field *field, const json_t *value)
{
    if (!in_bounds(field, json_number_value(value))) return wrong(w, field, value);
    json_t *list = made(w, json_array());
    for (int i = 0; list && i < field->count; i++) append(w, list, json_incref((json_t *)value));
    return list;
}

typedef json_t *(*resolve_item)(schema_walk *w, const schema_field *field, const json_t *value);

/* A list whose entries obey the field itself, read with the kind `item_kind`. */
static json_t *resolve_items(schema_walk *w, const schema_field *field, const json_t *value,
                             schema_kind item_kind, resolve_item resolve)
{
    if (!json_is_array(value)) return wrong(w, field, value);
    size_t count = json_array_size(value);
    if (field->count && count != (size_t)field->count) return wrong(w, field, value);
    json_t *list = made(w, json_array());
    if (!list) return NULL;
    schema_field item = *field;
    item.kind = item_kind;
    item.flags = 0;
    for (size_t i = 0; i < count && !w->out_of_memory; i++) {
        size_t before = push_index(w, i);
        append(w, list, resolve(w, &item, json_array_get(value, i)));
        pop(w, before);
    }
    return list;
}

/* Checked without a copy: these lists are long. */
static json_t *resolve_rows(schema_walk *w, const schema_field *field, const json_t *value)
{
    if (!json_is_array(value)) return wrong(w, field, value);
    size_t width = field->count ? (size_t)field->count : json_array_size(json_array_get(value, 0));
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *row = json_array_get(value, i);
        bool right = json_is_array(row) && json_array_size(row) == width;
        for (size_t k = 0; right && k < width; k++) {
            const json_t *item = json_array_get(row, k);
            right = (field->flags & SCHEMA_WHOLE ? json_is_integer(item) : json_is_number(item)) &&
                    in_bounds(field, json_number_value(item));
        }
        if (right) continue;
        size_t before = push_index(w, i);
        schema_field one = *field;
        one.kind = field->flags & SCHEMA_WHOLE ? SCHEMA_INTEGERS : SCHEMA_VECTOR;
        one.flags = 0;
        one.count = (int)width;
        wrong(w, &one, row);
        pop(w, before);
        return NULL;
    }
    return json_incref((json_t *)value);
}

static bool is_corner(const json_t *value)
{
    if (!json_is_array(value) || json_array_size(value) != 3) return false;
    for (size_t i = 0; i < 3; i++)
        if (!json_is_number(json_array_get(value, i))) return false;
    return true;
}

static json_t *resolve_box(schema_walk *w, const schema_field *field, const json_t *value)
{
    if (!json_is_array(value) || json_array_size(value) != 2) return wrong(w, field, value);
    const json_t *low = json_array_get(value, 0), *high = json_array_get(value, 1);
    if (!is_corner(low) || !is_corner(high)) return wrong(w, field, value);
    for (size_t i = 0; i < 3; i++) {
        double a = json_number_value(json_array_get(low, i));
        double b = json_number_value(json_array_get(high, i));
        if (a <= b) continue;
        char first[NUMBER_TEXT_SIZE], second[NUMBER_TEXT_SIZE];
        schema_number_text(a, first);
        schema_number_text(b, second);
        problem_add(w->problems, w->path,
                    "the first corner must not be above the second, but in %c it is %s and the "
                    "second %s",
                    "xyz"[i], first, second);
        return NULL;
    }
    return json_incref((json_t *)value);
}

static json_t *resolve_list(schema_walk *w, const schema_field *field, const json_t *value)
{
    bool one = (field->flags & SCHEMA_OR_ONE) && json_is_object(value);
    if (!one && !json_is_array(value)) return wrong(w, field, value);
    json_t *list = made(w, json_array());
    if (!list) return NULL;
    size_t count = one ? 1 : json_array_size(value), outer_index = w->index;
    for (size_t i = 0; i < count && !w->out_of_memory; i++) {
        const json_t *item = one ? value : json_array_get(value, i);
        size_t before = one ? w->path_length : push_index(w, i);
        w->index = i;
        append(w, list, resolve_object(w, field->type, item, NULL));
        pop(w, before);
    }
    w->index = outer_index;
    return list;
}

static json_t *resolve_map(schema_walk *w, const schema_field *field, const json_t *value)
{
    if (!json_is_object(value)) return wrong(w, field, value);
    json_t *map = made(w, json_object());
    if (!map) return NULL;
    const char *key;
    json_t *item;
    json_object_foreach((json_t *)value, key, item)
    {
        size_t before = push_key(w, key);
        set(w, map, key, resolve_object(w, field->type, item, NULL));
        pop(w, before);
    }
    return map;
}

static json_t *resolve_numbers(schema_walk *w, const schema_field *field, const json_t *value)
{
    if (!json_is_object(value)) return wrong(w, field, value);
    const schema_field number = {.key = field->key, .kind = SCHEMA_NUMBER};
    json_t *numbers = made(w, json_object());
    if (!numbers) return NULL;
    const char *key;
    json_t *item;
    json_object_foreach((json_t *)value, key, item)
    {
        size_t before = push_key(w, key);
        set(w, numbers, key, resolve_number(w, &number, item));
        pop(w, before);
    }
    return numbers;
}

/* --- Objects --- */

/* The keys of a map, for "did you mean". */
static const char *closest_entry(const json_t *map, const char *word)
{
    const char *keys[64], *key;
    size_t count = 0;
    json_t *item;
    json_object_foreach((json_t *)map, key, item) if (count < 64) keys[count++] = key;
    return text_closest(word, keys, count);
}

/* "; there are "soft", "firm"", as far as there is room. */
static void list_entries(const json_t *map, char *text, size_t size)
{
    const char *name;
    json_t *value;
    size_t length = 0;
    text[0] = 0;
    json_object_foreach((json_t *)map, name, value)
    {
        int written = snprintf(text + length, size - length, "%s\"%.40s\"",
                               length ? ", " : "; there are ", name);
        if (written < 0 || length + (size_t)written >= size) {
            text[length] = 0;
            return;
        }
        length += (size_t)written;
    }
}

/* The name of an entry of a top-level map stays a name, so that entries stay shared. */
static json_t *resolve_reference(schema_walk *w, const schema_field *field, const json_t *value)
{
    const json_t *map = json_object_get(w->root, field->map);
    if (json_object_get(map, json_string_value(value))) return json_incref((json_t *)value);
    const char *near = closest_entry(map, json_string_value(value));
    char found[120], known[200];
    schema_describe(value, found, sizeof found);
    list_entries(near ? NULL : map, known, sizeof known);
    problem_add(w->problems, w->path, "\"%s\" has no entry of the name given here, %s%s%s%s%s",
                field->map, found, near ? "; did you mean \"" : "", near ? near : "",
                near ? "\"?" : "", known);
    return NULL;
}

/* Writes out {"file": "a.obj"} for "a.obj", or {"all": true} for "all"; NULL when the string is
 * not a shorthand or memory has run out. */
static json_t *expand_shorthand(schema_walk *w, const schema_type *type, const json_t *value)
{
    const char *text = json_string_value(value);
    if (type->shorthand) return made(w, json_pack("{s:O}", type->shorthand, (json_t *)value));
    const schema_field *field = type->word_choice ? schema_find(type, text) : NULL;
    if (field && field->kind == SCHEMA_TRUE) return made(w, json_pack("{s:b}", text, 1));
    return NULL;
}

/* "; the keys here are `file`, `fill`", as far as there is room. */
static void list_keys(const schema_type *type, char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    for (size_t i = 0; i < type->field_count; i++) {
        int written = snprintf(text + length, size - length, "%s`%s`",
                               length ? ", " : "; the keys here are ", type->fields[i].key);
        if (written < 0 || length + (size_t)written >= size - 4) {
            snprintf(text + length, size - length, " ...");
            return;
        }
        length += (size_t)written;
    }
}

static void report_unknown_keys(schema_walk *w, const schema_type *type, const json_t *value)
{
    const char *key;
    json_t *item;
    json_object_foreach((json_t *)value, key, item)
    {
        if (schema_find(type, key)) continue;
        const char *near = schema_closest_key(type, key);
        char known[240] = "";
        if (!near) list_keys(type, known, sizeof known);
        problem_add(w->problems, w->path, "unknown key \"%.60s\"%s%s%s%s", key,
                    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "", known);
    }
}

/* The words "a", "b" and "c" for the keys of the choice. */
static void choice_keys(const schema_type *type, char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    for (size_t i = 0; i < type->field_count; i++) {
        if (!(type->fields[i].flags & SCHEMA_CHOICE)) continue;
        int written = snprintf(text + length, size - length, "%s\"%s\"", length ? ", " : "",
                               type->fields[i].key);
        if (written > 0 && length + (size_t)written < size) length += (size_t)written;
    }
}

static void check_choice(schema_walk *w, const schema_type *type, const json_t *value)
{
    bool any = false;
    const char *first = NULL, *second = NULL;
    for (size_t i = 0; i < type->field_count; i++) {
        const schema_field *field = &type->fields[i];
        if (!(field->flags & SCHEMA_CHOICE)) continue;
        any = true;
        if (!json_object_get(value, field->key)) continue;
        if (!first)
            first = field->key;
        else if (!second)
            second = field->key;
    }
    char keys[300];
    choice_keys(type, keys, sizeof keys);
    if (any && !first) problem_add(w->problems, w->path, "must have one of the keys %s", keys);
    if (second)
        problem_add(w->problems, w->path, "has both \"%s\" and \"%s\", but only one is allowed",
                    first, second);
}

/* New reference to the default; NULL when there is none (or memory has run out). */
static json_t *initial_value(schema_walk *w, const schema_field *field)
{
    if (field->make_initial) return made(w, field->make_initial(w->problems->file, w->index));
    if (!field->initial) return NULL;
    return made(w, json_loads(field->initial, JSON_DECODE_ANY, NULL));
}

static json_t *resolve_value(schema_walk *w, const schema_field *field, const json_t *value)
{
    switch (field->kind) {
    case SCHEMA_BOOL:
        return json_is_boolean(value) ? json_incref((json_t *)value) : wrong(w, field, value);
    case SCHEMA_TRUE:
        return json_is_true(value) ? json_incref((json_t *)value) : wrong(w, field, value);
    case SCHEMA_INTEGER: return resolve_integer(w, field, value);
    case SCHEMA_NUMBER: return resolve_number(w, field, value);
    case SCHEMA_LENGTH: return resolve_length(w, field, value);
    case SCHEMA_STRING: return resolve_string(w, field, value);
    case SCHEMA_WORD: return resolve_word(w, field, value);
    case SCHEMA_WORDS: return resolve_items(w, field, value, SCHEMA_WORD, resolve_word);
    case SCHEMA_AXES: return resolve_axes(w, field, value);
    case SCHEMA_VECTOR:
        if ((field->flags & SCHEMA_OR_NUMBER) && json_is_number(value))
            return repeat_number(w, field, value);
        return resolve_items(w, field, value, SCHEMA_NUMBER, resolve_number);
    case SCHEMA_INTEGERS: return resolve_items(w, field, value, SCHEMA_INTEGER, resolve_integer);
    case SCHEMA_ROWS: return resolve_rows(w, field, value);
    case SCHEMA_EXPRESSION: return resolve_expression(w, field, value);
    case SCHEMA_EXPRESSIONS:
        return resolve_items(w, field, value, SCHEMA_EXPRESSION, resolve_expression);
    case SCHEMA_BOX: return resolve_box(w, field, value);
    case SCHEMA_OBJECT:
        if ((field->flags & SCHEMA_OR_NAME) && json_is_string(value))
            return resolve_reference(w, field, value);
        return resolve_object(w, field->type, value, field);
    case SCHEMA_LIST: return resolve_list(w, field, value);
    case SCHEMA_MAP: return resolve_map(w, field, value);
    case SCHEMA_NUMBERS: return resolve_numbers(w, field, value);
    }
    return NULL;
}

/* --- Keys that only hold under another key's value --- */

bool schema_holds(const schema_field *field, const char *word)
{
    if (field->has) return field->has(word, field->group);
    for (const char *const *value = field->values; value && *value; value++)
        if (strcmp(*value, word) == 0) return true;
    return !field->values;
}

void schema_list_values(const schema_field *field, char quote, char *text, size_t size)
{
    size_t length = 0;
    const char *const *list = field->has ? field->among : field->values;
    text[0] = 0;
    for (; list && *list && length < size; list++)
        if (schema_holds(field, *list))
            length += (size_t)snprintf(text + length, size - length, "%s%c%s%c", length ? ", " : "",
                                       quote, *list, quote);
}

/* The word that the field `key` has around here, given or by default; "" where it is no word. */
static void word_around(const schema_walk *w, const char *key, char *word, size_t size)
{
    word[0] = 0;
    for (const frame *f = w->inner; f; f = f->outer) {
        const schema_field *field = schema_find(f->type, key);
        if (!field) continue;
        const json_t *given = json_object_get(f->object, key);
        if (json_is_string(given))
            snprintf(word, size, "%s", json_string_value(given));
        else if (!given && field->initial) /* a word in quotes */
            snprintf(word, size, "%.*s", (int)strlen(field->initial) - 2, field->initial + 1);
        return;
    }
}

/* False, and a problem unless the value is what it would be anyway: documents that were written out
 * by earlier versions have all defaults. Fields under a word that is wrong itself are left alone.
 */
static bool holds_here(schema_walk *w, const schema_field *field, const json_t *given)
{
    char word[60], list[300];
    if (!field->under) return true;
    word_around(w, field->under, word, sizeof word);
    if (!word[0] || schema_holds(field, word)) return true;
    json_t *initial = given ? initial_value(w, field) : NULL;
    json_t *same = initial ? resolve_value(w, field, initial) : NULL;
    size_t before = w->problems->count;
    json_t *value = given ? resolve_value(w, field, given) : NULL;
    bool idle = !given || w->problems->count > before || schema_same(value, same);
    json_decref(value);
    json_decref(same);
    json_decref(initial);
    if (idle) return false;
    schema_list_values(field, '"', list, sizeof list);
    problem_add(w->problems, w->path, "is not for the %s \"%s\"%s%s%s%s", field->under, word,
                list[0] ? ", only for " : "", list, field->instead ? "; " : "",
                field->instead ? field->instead : "");
    return false;
}

/* One field of an object: given, filled in, or missing. */
static void resolve_field(schema_walk *w, const schema_field *field, const json_t *object,
                          json_t *result)
{
    json_t *given = json_incref(json_object_get(object, field->key));
    bool needed_absent = field->needs && !json_object_get(object, field->needs);
    size_t before = push_key(w, field->key);
    bool holds = holds_here(w, field, given);
    if (given && needed_absent)
        problem_add(w->problems, w->path, "is only allowed together with \"%s\"", field->needs);
    if (!given && !needed_absent && holds) given = initial_value(w, field);
    if (given && holds)
        set(w, result, field->key, resolve_value(w, field, given));
    else if (holds && field->flags & SCHEMA_REQUIRED) {
        char expected[400];
        schema_expectation(field, expected, sizeof expected);
        char word[60], where[120] = "";
        if (field->under) {
            word_around(w, field->under, word, sizeof word);
            snprintf(where, sizeof where, "the %s \"%s\" needs it; ", field->under, word);
        }
        problem_add(w->problems, w->path, "is missing; %smust be %s", where, expected);
    }
    json_decref(given);
    pop(w, before);
}

static json_t *resolve_fields(schema_walk *w, const schema_type *type, const json_t *value)
{
    size_t problems_before = w->problems->count;
    json_t *result = made(w, json_object());
    if (!result) return NULL;
    frame here = {type, value, w->inner};
    w->inner = &here;
    report_unknown_keys(w, type, value);
    check_choice(w, type, value);
    for (size_t i = 0; i < type->field_count && !w->out_of_memory; i++)
        resolve_field(w, &type->fields[i], value, result);
    w->inner = here.outer;
    if (type->rule && !w->out_of_memory && w->problems->count == problems_before)
        type->rule(w, result);
    return result;
}

/* field: the field that holds the object, for messages; NULL for entries of lists and maps. */
static json_t *resolve_object(schema_walk *w, const schema_type *type, const json_t *value,
                              const schema_field *field)
{
    if (json_is_object(value)) return resolve_fields(w, type, value);
    json_t *expanded = json_is_string(value) ? expand_shorthand(w, type, value) : NULL;
    if (expanded) {
        json_t *result = resolve_fields(w, type, expanded);
        json_decref(expanded);
        return result;
    }
    if (w->out_of_memory) return no_memory(w);
    const schema_field plain = {.kind = SCHEMA_OBJECT, .type = type};
    return wrong(w, field ? field : &plain, value);
}

abut_status schema_resolve(const schema_type *type, const json_t *document, problem_list *problems,
                           json_t **resolved)
{
    assert(problems->file && document);
    schema_walk walk = {.problems = problems, .root = document};
    *resolved = resolve_object(&walk, type, document, NULL);
    if (!walk.out_of_memory && problems->count == 0) return ABUT_OK;
    json_decref(*resolved);
    *resolved = NULL;
    if (walk.out_of_memory) return error_memory(problems->err, "checking the scene");
    return ABUT_ERROR_INPUT;
}
