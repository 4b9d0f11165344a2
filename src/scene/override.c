#include "scene/override.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One assignment, followed down the document. */
typedef struct target {
    const char *assignment;
    const char *rest;          /* what is left of the path */
    const char *end;           /* of the path */
    const schema_type *type;   /* of the object at hand; NULL inside plain lists */
    const schema_field *field; /* that holds the value at hand; NULL at the top */
    bool in_list;              /* the value at hand is an entry of the list `field` */
    json_t *value;             /* at hand, borrowed */
    const logger *log;
    abut_error *err;
} target;

static abut_status fail(const target *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static abut_status fail(const target *t, const char *format, ...)
{
    char place[200], message[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(place, sizeof place, "override \"%.150s\"", t->assignment);
    return error_set(t->err, ABUT_ERROR_INPUT, place, "%s", message);
}

static abut_status no_memory(const target *t) { return error_memory(t->err, "changing the scene"); }

/* Stores an item that the caller owns; the old one goes. */
static abut_status store_key(const target *t, json_t *object, const char *key, json_t *item)
{
    if (!item || json_object_set_new(object, key, item) != 0) return no_memory(t);
    return ABUT_OK;
}

static abut_status store_index(const target *t, json_t *list, size_t index, json_t *item)
{
    if (!item) return no_memory(t);
    int failed = index == json_array_size(list) ? json_array_append_new(list, item)
                                                : json_array_set_new(list, index, item);
    return failed ? no_memory(t) : ABUT_OK;
}

/* --- One step of the path --- */

typedef struct step {
    bool is_index;
    size_t index;
    char key[100];
} step;

static abut_status read_index(target *t, step *out)
{
    const char *at = t->rest + 1;
    if (at >= t->end || *at < '0' || *at > '9')
        return fail(t, "\"[\" must be followed by a number");
    char *after;
    unsigned long long index = strtoull(at, &after, 10);
    if (after >= t->end || *after != ']') return fail(t, "an index must be closed by \"]\"");
    out->is_index = true;
    out->index = index > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)index;
    t->rest = after + 1;
    return ABUT_OK;
}

static abut_status read_key(target *t, step *out)
{
    const char *start = t->rest;
    while (t->rest < t->end && *t->rest != '.' && *t->rest != '[') t->rest++;
    size_t length = (size_t)(t->rest - start);
    if (length == 0) return fail(t, "the path has an empty key");
    if (length >= sizeof out->key) return fail(t, "the path has a key that is too long");
    out->is_index = false;
    memcpy(out->key, start, length);
    out->key[length] = 0;
    return ABUT_OK;
}

static abut_status read_step(target *t, bool first, step *out)
{
    if (*t->rest == '[' && !first) return read_index(t, out);
    if (!first) {
        if (*t->rest != '.') return fail(t, "a key must be followed by \".\", \"[\" or \"=\"");
        t->rest++;
    }
    return read_key(t, out);
}

/* --- Descending --- */

static abut_status unknown_key(const target *t, const char *key)
{
    const char *near = schema_closest_key(t->type, key);
    return fail(t, "unknown key \"%s\" in %s%s%s%s", key, t->field ? t->field->key : "the scene",
                near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* A string instead of an object: the path of a mesh is written out, the word of a choice is
 * replaced by the key that is set now, the name of a material is refused. */
static abut_status open_string(target *t, json_t *parent, const step *from)
{
    if (t->field->flags & SCHEMA_OR_NAME)
        return fail(t, "%s is the name \"%s\" here; change %s.%s instead", t->field->key,
                    json_string_value(t->value), t->field->map, json_string_value(t->value));
    json_t *written_out =
        t->type->shorthand ? json_pack("{s:O}", t->type->shorthand, t->value) : json_object();
    t->value = written_out;
    return store_key(t, parent, from->key, written_out);
}

/* Takes away the keys beside a word that do not apply under its new value. */
static void drop_others(const target *t, const schema_type *type, json_t *object, const char *key,
                        const json_t *word)
{
    for (size_t i = 0; json_is_string(word) && i < type->field_count; i++) {
        const schema_field *other = &type->fields[i];
        if (!other->under || strcmp(other->under, key) != 0 ||
            !json_object_get(object, other->key) || schema_holds(other, json_string_value(word)))
            continue;
        json_object_del(object, other->key);
        log_message(t->log, ABUT_LOG_WARNING,
                    "override \"%.150s\" removes \"%s\", which is not for it", t->assignment,
                    other->key);
    }
}

/* Goes to the field `key` of the object at hand, making it when it is absent and `last` is false.
 */
static abut_status enter_key(target *t, const step *s, bool last, json_t *new_value)
{
    if (t->field && t->field->kind == SCHEMA_LIST && !t->in_list && json_is_array(t->value))
        return fail(t, "%s is a list of %zu here; give an index, as in %s[0].%s", t->field->key,
                    json_array_size(t->value), t->field->key, s->key);
    if (!t->type) return fail(t, "%s has no keys", t->field->key);
    if (!json_is_object(t->value))
        return fail(t, "%s is not an object here", t->field ? t->field->key : "the scene");

    bool named_entry = t->field && t->field->kind == SCHEMA_MAP && !t->in_list;
    const schema_field *field = named_entry ? t->field : schema_find(t->type, s->key);
    if (!field) return unknown_key(t, s->key);
    if (field->flags & SCHEMA_CHOICE)
        for (size_t i = 0; i < t->type->field_count; i++)
            if ((t->type->fields[i].flags & SCHEMA_CHOICE) && &t->type->fields[i] != field)
                json_object_del(t->value, t->type->fields[i].key);

    json_t *object = t->value;
    if (last && field->kind == SCHEMA_WORD) drop_others(t, t->type, object, s->key, new_value);
    t->field = field;
    t->in_list = named_entry;
    t->type = field->type;
    if (last) return store_key(t, object, s->key, json_incref(new_value));
    t->value = json_object_get(object, s->key);
    if (!t->value) {
        json_t *made = !named_entry && field->initial && !(field->flags & SCHEMA_CHOICE)
                           ? json_loads(field->initial, JSON_DECODE_ANY, NULL)
                           : json_object();
        t->value = made;
        TRY(store_key(t, object, s->key, made));
    }
    if (json_is_string(t->value) && t->type) return open_string(t, object, s);
    return ABUT_OK;
}

/* Goes to an entry of the list at hand. Lists of objects may grow by one. */
static abut_status enter_index(target *t, const step *s, bool last, json_t *new_value,
                               json_t *parent, const char *key)
{
    bool objects = t->field->kind == SCHEMA_LIST && !t->in_list;
    if (objects && json_is_object(t->value) && (t->field->flags & SCHEMA_OR_ONE)) {
        json_t *list = json_pack("[O]", t->value);
        t->value = list;
        TRY(store_key(t, parent, key, list));
    }
    if (!json_is_array(t->value)) return fail(t, "%s is not a list here", t->field->key);
    size_t count = json_array_size(t->value), limit = count + (objects && last ? 1 : 0);
    if (s->index >= limit)
        return fail(t, "%s has %zu entries here, so the index %zu is too large", t->field->key,
                    count, s->index);
    t->in_list = true;
    if (last) return store_index(t, t->value, s->index, json_incref(new_value));
    t->value = json_array_get(t->value, s->index);
    return ABUT_OK;
}

static abut_status assign(target *t, json_t *new_value)
{
    json_t *parent = NULL;
    char key[sizeof((step *)0)->key] = "";
    for (bool first = true; first || t->rest < t->end; first = false) {
        step s;
        TRY(read_step(t, first, &s));
        bool last = t->rest >= t->end;
        json_t *here = t->value;
        if (s.is_index)
            TRY(enter_index(t, &s, last, new_value, parent, key));
        else {
            TRY(enter_key(t, &s, last, new_value));
            parent = here;
            memcpy(key, s.key, sizeof key);
        }
    }
    return ABUT_OK;
}

abut_status override_apply(json_t *document, const schema_type *type, const char *assignment,
                           const logger *log, abut_error *err)
{
    target t = {.assignment = assignment,
                .rest = assignment,
                .type = type,
                .value = document,
                .log = log,
                .err = err};
    t.end = strchr(assignment, '=');
    if (!t.end || t.end == assignment)
        return fail(&t, "must have the form path=value, for example time.step=0.01");
    const char *text = t.end + 1;
    json_error_t syntax = {0};
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &syntax);
    if (!value && !syntax.text[0]) return no_memory(&t);
    if (!value) value = json_string(text);
    if (!value) return fail(&t, "the value is not valid UTF-8 text");
    abut_status status = assign(&t, value);
    json_decref(value);
    return status;
}
