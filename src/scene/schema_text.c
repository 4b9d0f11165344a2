#include "base/number.h"
#include "base/text.h"
#include "scene/schema.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- Text that grows in a fixed buffer, cut at the end --- */

typedef struct writer {
    char *text;
    size_t size, length;
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(w->text + w->length, w->size - w->length, format, arguments);
    va_end(arguments);
    if (written > 0) w->length += (size_t)written;
    if (w->length >= w->size) w->length = w->size - 1;
}

/* --- Lookups --- */

size_t schema_word_count(const char *const *words)
{
    size_t count = 0;
    while (words[count]) count++;
    return count;
}

const schema_field *schema_find(const schema_type *type, const char *key)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (strcmp(type->fields[i].key, key) == 0) return &type->fields[i];
    return NULL;
}

const char *schema_choice_key(const schema_type *type, unsigned n)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].flags & SCHEMA_CHOICE && n-- == 0) return type->fields[i].key;
    return "";
}

const char *schema_closest_key(const schema_type *type, const char *key)
{
    const char *keys[64];
    size_t count = 0;
    for (size_t i = 0; i < type->field_count && count < 64; i++)
        keys[count++] = type->fields[i].key;
    return text_closest(key, keys, count);
}

/* --- What a field must be --- */

void schema_number_text(double value, char text[NUMBER_TEXT_SIZE])
{
    if (value == floor(value) && fabs(value) < 1e10)
        snprintf(text, NUMBER_TEXT_SIZE, "%.0f", value);
    else
        number_write_double(text, value);
}

static void put_bounds(writer *w, const schema_field *field)
{
    char low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE];
    schema_number_text(field->low, low);
    schema_number_text(field->high, high);
    unsigned b = field->bounds;
    if ((b & LOW_CLOSED) && (b & HIGH_CLOSED))
        put(w, " from %s to %s", low, high);
    else {
        if (b & (LOW_CLOSED | LOW_OPEN)) put(w, " %s %s", b & LOW_OPEN ? ">" : ">=", low);
        if ((b & (LOW_CLOSED | LOW_OPEN)) && (b & (HIGH_CLOSED | HIGH_OPEN))) put(w, " and");
        if (b & (HIGH_CLOSED | HIGH_OPEN)) put(w, " %s %s", b & HIGH_OPEN ? "<" : "<=", high);
    }
    if (b & NOT_ZERO) put(w, " other than 0");
    if (field->unit) put(w, " (%s)", field->unit);
}

static void put_words(writer *w, const char *const *words)
{
    for (size_t i = 0; words[i]; i++) put(w, "%s\"%s\"", i ? ", " : "", words[i]);
}

static void put_object(writer *w, const schema_field *field)
{
    if (field->flags & SCHEMA_OR_NAME)
        put(w, "the name of an entry of \"%s\" or an object", field->map);
    else if (field->type->shorthand)
        put(w, "a string (the %s) or an object", field->type->shorthand);
    else
        put(w, "an object");
}

static void put_list(writer *w, const schema_field *field, const char *what)
{
    if (field->count)
        put(w, "a list of %d %ss", field->count, what);
    else
        put(w, "a list of %ss", what);
    put_bounds(w, field);
}

void schema_expectation(const schema_field *field, char *text, size_t size)
{
    writer w = {text, size, 0};
    text[0] = 0;
    switch (field->kind) {
    case SCHEMA_BOOL: put(&w, "true or false"); break;
    case SCHEMA_TRUE: put(&w, "true"); break;
    case SCHEMA_INTEGER:
        if (field->low == field->high && field->bounds)
            put(&w, "%.0f", field->low);
        else {
            put(&w, "an integer");
            put_bounds(&w, field);
        }
        break;
    case SCHEMA_NUMBER:
        put(&w, "a number");
        put_bounds(&w, field);
        break;
    case SCHEMA_LENGTH:
        put(&w, "a number");
        put_bounds(&w, field);
        put(&w, " or a string such as \"1e-3 l\" (relative to the size of the scene)");
        break;
    case SCHEMA_STRING:
        put(&w, field->flags & SCHEMA_IS_NAME
                    ? "a string that is not empty, without slash or control characters"
                    : "a string");
        break;
    case SCHEMA_WORD:
        put(&w, "one of ");
        put_words(&w, field->words);
        break;
    case SCHEMA_WORDS:
        put(&w, "a list of words out of ");
        put_words(&w, field->words);
        break;
    case SCHEMA_AXES:
        put(&w, "a string of different letters out of x, y, z, such as \"xz\"");
        if (field->flags & SCHEMA_OR_NONE) put(&w, ", or \"\"");
        break;
    case SCHEMA_VECTOR:
        if (field->flags & SCHEMA_OR_NUMBER) put(&w, "a number or ");
        put_list(&w, field, "number");
        break;
    case SCHEMA_INTEGERS: put_list(&w, field, "integer"); break;
    case SCHEMA_ROWS:
        put(&w, "a list of lists of ");
        if (field->count) put(&w, "%d ", field->count);
        put(&w, "%s", field->flags & SCHEMA_WHOLE ? "integers" : "numbers");
        put_bounds(&w, field);
        break;
    case SCHEMA_EXPRESSION: put(&w, "a number or an expression in x, y, z, t"); break;
    case SCHEMA_EXPRESSIONS:
        put(&w, "a list of %d numbers or expressions in x, y, z, t", field->count);
        if (field->unit) put(&w, " (%s)", field->unit);
        break;
    case SCHEMA_BOX:
        put(&w, "two corners [[x, y, z], [x, y, z]], the first not above the second");
        if (field->unit) put(&w, " (%s)", field->unit);
        break;
    case SCHEMA_OBJECT: put_object(&w, field); break;
    case SCHEMA_LIST:
        put(&w,
            field->flags & SCHEMA_OR_ONE ? "an object or a list of objects" : "a list of objects");
        break;
    case SCHEMA_MAP: put(&w, "an object of named objects"); break;
    case SCHEMA_NUMBERS: put(&w, "an object of named numbers"); break;
    }
}

/* --- What was found --- */

static void put_string(writer *w, const char *string)
{
    enum { SHOWN = 40 };
    size_t length = strlen(string), shown = length > SHOWN ? SHOWN : length;
    while (shown > 0 && shown < length && ((unsigned char)string[shown] & 0xc0) == 0x80) shown--;
    put(w, "string \"");
    for (size_t i = 0; i < shown; i++)
        put(w, "%c", (unsigned char)string[i] < 0x20 || string[i] == 0x7f ? '?' : string[i]);
    put(w, "%s\"", shown < length ? "..." : "");
}

void schema_describe(const json_t *value, char *text, size_t size)
{
    writer w = {text, size, 0};
    text[0] = 0;
    char number[NUMBER_TEXT_SIZE];
    switch (json_typeof(value)) {
    case JSON_OBJECT: put(&w, json_object_size(value) ? "an object" : "an empty object"); break;
    case JSON_ARRAY:
        if (json_array_size(value) == 0)
            put(&w, "an empty list");
        else
            put(&w, "a list of %zu", json_array_size(value));
        break;
    case JSON_STRING: put_string(&w, json_string_value(value)); break;
    case JSON_INTEGER: put(&w, "%lld", (long long)json_integer_value(value)); break;
    case JSON_REAL:
        schema_number_text(json_real_value(value), number);
        put(&w, "%s", number);
        break;
    case JSON_TRUE: put(&w, "true"); break;
    case JSON_FALSE: put(&w, "false"); break;
    case JSON_NULL: put(&w, "null"); break;
    }
}

/* --- Lengths --- */

bool schema_parse_length(const char *text, double *value, bool *relative)
{
    const char *cursor = text, *end = text + strlen(text);
    if (number_read_double(&cursor, end, value) != NUMBER_OK) return false;
    while (*cursor == ' ') cursor++;
    *relative = *cursor == 'l';
    if (*relative) cursor++;
    while (*cursor == ' ') cursor++;
    return cursor == end;
}

/* --- Problems --- */

void problem_add(problem_list *list, const char *path, const char *format, ...)
{
    enum { MOST = 20 };
    list->count++;
    if (list->count > MOST) return;
    char message[sizeof list->err->message], place[sizeof list->err->place];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(place, sizeof place, "%.150s%s%.100s", list->file, path[0] ? ": " : "", path);
    if (list->count == 1)
        error_set(list->err, ABUT_ERROR_INPUT, place, "%s", message);
    else
        log_message(list->log, ABUT_LOG_ERROR, "%s: %s", place, message);
}
