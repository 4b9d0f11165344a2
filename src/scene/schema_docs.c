/* The table as a JSON Schema for editors, and as a reference page. */
#include "base/array.h"
#include "base/memory.h"
#include "scene/schema.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- All types, each once, in the order of their first use --- */

enum { MOST_TYPES = 128 };

typedef struct type_list {
    const schema_type *types[MOST_TYPES];
    size_t count;
} type_list;

static bool contains(const type_list *list, const schema_type *type)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->types[i] == type) return true;
    return false;
}

/* The types are few and nested a handful of levels deep. */
static void collect_types(const schema_type *type, type_list *list)
{
    if (contains(list, type) || list->count == MOST_TYPES) return;
    list->types[list->count++] = type;
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].type) collect_types(type->fields[i].type, list);
}

/* --- JSON Schema --- */

/* Sets a key to an item that the caller gives away; false when memory has run out. */
static bool set(json_t *object, const char *key, json_t *item)
{
    return item && json_object_set_new(object, key, item) == 0;
}

static json_t *number(double x)
{
    return x == floor(x) && fabs(x) < 1e15 ? json_integer((json_int_t)x) : json_real(x);
}

static json_t *reference(const schema_type *type)
{
    return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", type->name));
}

static json_t *either(json_t *a, json_t *b)
{
    if (a && b) return json_pack("{s:[o,o]}", "anyOf", a, b);
    json_decref(a);
    json_decref(b);
    return NULL;
}

static json_t *number_schema(const schema_field *f, const char *type)
{
    json_t *s = json_pack("{s:s}", "type", type);
    bool good = s != NULL;
    if (good && (f->bounds & LOW_CLOSED)) good = set(s, "minimum", number(f->low));
    if (good && (f->bounds & LOW_OPEN)) good = set(s, "exclusiveMinimum", number(f->low));
    if (good && (f->bounds & HIGH_CLOSED)) good = set(s, "maximum", number(f->high));
    if (good && (f->bounds & HIGH_OPEN)) good = set(s, "exclusiveMaximum", number(f->high));
    if (good && (f->bounds & NOT_ZERO)) good = set(s, "not", json_pack("{s:i}", "const", 0));
    if (good) return s;
    json_decref(s);
    return NULL;
}

static json_t *words_schema(const char *const *words)
{
    json_t *list = json_array();
    for (size_t i = 0; list && words[i]; i++)
        if (json_array_append_new(list, json_string(words[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list ? json_pack("{s:o}", "enum", list) : NULL;
}

/* A list of `count` items (any number when 0). */
static json_t *list_schema(json_t *items, int count)
{
    if (!items) return NULL;
    if (count == 0) return json_pack("{s:s, s:o}", "type", "array", "items", items);
    return json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items", items, "minItems", count,
                     "maxItems", count);
}

static json_t *pattern(const char *regex)
{
    return json_pack("{s:s, s:s}", "type", "string", "pattern", regex);
}

static json_t *value_schema(const schema_field *f)
{
    json_t *value;
    switch (f->kind) {
    case SCHEMA_BOOL: return json_pack("{s:s}", "type", "boolean");
    case SCHEMA_TRUE: return json_pack("{s:b}", "const", 1);
    case SCHEMA_INTEGER:
        if (f->bounds && f->low == f->high) return json_pack("{s:o}", "const", number(f->low));
        return number_schema(f, "integer");
    case SCHEMA_NUMBER: return number_schema(f, "number");
    case SCHEMA_LENGTH:
        return either(number_schema(f, "number"),
                      pattern("^-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)? *l? *$"));
    case SCHEMA_STRING:
        if (f->flags & SCHEMA_IS_NAME) return pattern("^[^/\\u0000-\\u001f\\u007f]+$");
        return json_pack("{s:s}", "type", "string");
    case SCHEMA_WORD: return words_schema(f->words);
    case SCHEMA_WORDS: return list_schema(words_schema(f->words), 0);
    case SCHEMA_AXES:
        return pattern(f->flags & SCHEMA_OR_NONE ? "^(?!.*(.).*\\1)[xyz]{0,3}$"
                                                 : "^(?!.*(.).*\\1)[xyz]{1,3}$");
    case SCHEMA_VECTOR:
        value = list_schema(number_schema(f, "number"), f->count);
        return f->flags & SCHEMA_OR_NUMBER ? either(number_schema(f, "number"), value) : value;
    case SCHEMA_INTEGERS: return list_schema(number_schema(f, "integer"), f->count);
    case SCHEMA_ROWS:
        value = number_schema(f, f->flags & SCHEMA_WHOLE ? "integer" : "number");
        return list_schema(list_schema(value, f->count), 0);
    case SCHEMA_EXPRESSION: return json_pack("{s:[s, s]}", "type", "number", "string");
    case SCHEMA_EXPRESSIONS:
        return list_schema(json_pack("{s:[s, s]}", "type", "number", "string"), f->count);
    case SCHEMA_BOX: return list_schema(list_schema(number_schema(f, "number"), 3), 2);
    case SCHEMA_OBJECT:
        if (f->flags & SCHEMA_OR_NAME)
            return either(json_pack("{s:s}", "type", "string"), reference(f->type));
        return reference(f->type);
    case SCHEMA_LIST:
        value = list_schema(reference(f->type), 0);
        return f->flags & SCHEMA_OR_ONE ? either(reference(f->type), value) : value;
    case SCHEMA_MAP:
        return json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
                         reference(f->type));
    case SCHEMA_NUMBERS:
        return json_pack("{s:s, s:{s:s}}", "type", "object", "additionalProperties", "type",
                         "number");
    }
    return NULL;
}

static json_t *property(const schema_field *f)
{
    char values[300], only[400] = "";
    schema_list_values(f, '`', values, sizeof values);
    if (f->under)
        snprintf(only, sizeof only, values[0] ? " Only for the %s %s." : " For no %s of these.%s",
                 f->under, values);
    json_t *s = value_schema(f);
    bool good = s && set(s, "description",
                         f->unit ? json_sprintf("%s Unit: %s.%s", f->doc, f->unit, only)
                                 : json_sprintf("%s%s", f->doc, only));
    if (good && f->initial) good = set(s, "default", json_loads(f->initial, JSON_DECODE_ANY, NULL));
    if (good) return s;
    json_decref(s);
    return NULL;
}

/* Lists of keys: those required, and one alternative per key of the choice. */
static bool add_key_rules(json_t *schema, const schema_type *type)
{
    json_t *required = json_array(), *one_of = json_array(), *needs = json_object();
    bool good = required && one_of && needs;
    for (size_t i = 0; good && i < type->field_count; i++) {
        const schema_field *f = &type->fields[i];
        if ((f->flags & SCHEMA_REQUIRED) && !f->under)
            good = json_array_append_new(required, json_string(f->key)) == 0;
        if (good && (f->flags & SCHEMA_CHOICE))
            good = json_array_append_new(one_of, json_pack("{s:[s]}", "required", f->key)) == 0;
        if (good && f->needs) good = set(needs, f->key, json_pack("[s]", f->needs));
    }
    if (good && json_array_size(required)) good = set(schema, "required", json_incref(required));
    if (good && json_array_size(one_of)) good = set(schema, "oneOf", json_incref(one_of));
    if (good && json_object_size(needs))
        good = set(schema, "dependentRequired", json_incref(needs));
    json_decref(required);
    json_decref(one_of);
    json_decref(needs);
    return good;
}

static bool add_object(json_t *schema, const schema_type *type)
{
    json_t *properties = json_object();
    bool good = properties != NULL;
    for (size_t i = 0; good && i < type->field_count; i++)
        good = set(properties, type->fields[i].key, property(&type->fields[i]));
    good = good && set(schema, "description", json_string(type->doc)) &&
           set(schema, "type", json_string("object")) &&
           set(schema, "properties", json_incref(properties)) &&
           set(schema, "additionalProperties", json_false()) && add_key_rules(schema, type);
    json_decref(properties);
    return good;
}

/* The strings that may stand for an object of this type; NULL when there are none. */
static json_t *shorthand_schema(const schema_type *type)
{
    if (type->shorthand) return json_pack("{s:s}", "type", "string");
    const char *words[MOST_TYPES] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < type->field_count && count + 1 < MOST_TYPES; i++)
        if (type->fields[i].kind == SCHEMA_TRUE) words[count++] = type->fields[i].key;
    return words_schema(words);
}

static json_t *definition(const schema_type *type)
{
    json_t *object = json_object();
    if (!object || !add_object(object, type)) {
        json_decref(object);
        return NULL;
    }
    if (!type->shorthand && !type->word_choice) return object;
    return either(shorthand_schema(type), object);
}

abut_status schema_to_json(const schema_type *type, json_t **out, abut_error *err)
{
    type_list list = {.count = 0};
    collect_types(type, &list);
    json_t *schema = json_object(), *definitions = json_object();
    bool good =
        schema && definitions &&
        set(schema, "$schema", json_string("https://json-schema.org/draft/2020-12/schema")) &&
        set(schema, "title", json_sprintf("abut %s", type->name)) && add_object(schema, type);
    for (size_t i = 1; good && i < list.count; i++)
        good = set(definitions, list.types[i]->name, definition(list.types[i]));
    if (good) good = set(schema, "$defs", json_incref(definitions));
    json_decref(definitions);
    *out = good ? schema : NULL;
    if (good) return ABUT_OK;
    json_decref(schema);
    return error_memory(err, "writing the JSON Schema");
}

/* --- Markdown --- */

typedef struct page {
    ARRAY(char) text;
    bool failed;
} page;

static void put(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(page *p, const char *format, ...)
{
    char line[2000];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || p->failed) return;
    size_t size = (size_t)length < sizeof line ? (size_t)length : sizeof line - 1;
    if (!array_reserve(&p->text, p->text.count + size + 1)) {
        p->failed = true;
        return;
    }
    memcpy(p->text.data + p->text.count, line, size);
    p->text.count += size;
    p->text.data[p->text.count] = 0;
}

static void put_value(page *p, const schema_field *f)
{
    char expected[600];
    schema_expectation(f, expected, sizeof expected);
    put(p, "%s", expected);
    if (f->type) put(p, ": [%s](#%s)", f->type->name, f->type->name);
}

static void put_default(page *p, const schema_field *f)
{
    if (f->flags & SCHEMA_REQUIRED)
        put(p, "required");
    else if (f->flags & SCHEMA_CHOICE)
        put(p, "choice");
    else if (f->initial)
        put(p, "`%s`", f->initial);
    else
        put(p, "%s", f->absent ? f->absent : "none");
}

static void put_type(page *p, const schema_type *type)
{
    put(p, "\n## %s\n\n%s\n\n", type->name, type->doc);
    bool choice = false, columns = false;
    char values[300];
    const char *under = "";
    for (size_t i = 0; i < type->field_count && !columns; i++) {
        columns = type->fields[i].under != NULL;
        if (columns) under = type->fields[i].under;
    }
    put(p, "| key | value | default | meaning |");
    if (columns) put(p, " for the %s |", under);
    put(p, "\n|---|---|---|---|%s\n", columns ? "---|" : "");
    for (size_t i = 0; i < type->field_count; i++) {
        const schema_field *f = &type->fields[i];
        put(p, "| `%s` | ", f->key);
        put_value(p, f);
        put(p, " | ");
        put_default(p, f);
        put(p, " | %s", f->doc);
        if (f->needs) put(p, " Only together with `%s`.", f->needs);
        schema_list_values(f, '`', values, sizeof values);
        if (columns) put(p, " | %s", !f->under ? "all" : values[0] ? values : "none of these");
        put(p, " |\n");
        choice = choice || (f->flags & SCHEMA_CHOICE);
    }
    if (choice) put(p, "\nExactly one of the keys marked \"choice\" must be given.\n");
    if (type->rule_doc) put(p, "\n%s\n", type->rule_doc);
}

abut_status schema_to_markdown(const schema_type *type, char **out, abut_error *err)
{
    type_list list = {.count = 0};
    collect_types(type, &list);
    page p = {.failed = false};
    put(&p, "# Scene reference\n\n"
            "Written by `abut schema --markdown` from the table that the program checks scenes "
            "with; do not edit.\nUnknown keys are errors. Every field can be changed on the "
            "command line, as in `--set time.step=0.02`,\n`--set materials.jelly.young=2e5` or "
            "`--set 'bodies[1].translate=[0, 1, 0]'`.\n");
    for (size_t i = 0; i < list.count; i++) put_type(&p, list.types[i]);
    if (p.failed) {
        array_free(&p.text);
        *out = NULL;
        return error_memory(err, "writing the scene reference");
    }
    *out = p.text.data;
    return ABUT_OK;
}
