#include "define/definition.h"

#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 100 };

/* --- Fields --- */

const schema_field *definition_field(const schema_type *type, const char *path)
{
    const schema_field *field = NULL;
    while (type && *path) {
        char key[PATH_SIZE];
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        field = schema_find(type, key);
        if (!field) return NULL;
        type = field->type;
        path += length + (path[length] == '.');
    }
    return *path ? NULL : field;
}

/* The field of a row, with its offset in the public struct, and the width of rows that it has. */
static schema_field field_of(const definition *d, const definition_row *row, const void *in)
{
    schema_field field = *definition_field(d->type, row->path);
    field.place = row->place;
    if (field.kind == SCHEMA_ROWS && field.count == 0) {
        int width = *(const int *)((const char *)in + row->place.width_offset);
        field.count = width > 0 ? width : row->default_width;
    }
    field.flags &= ~(unsigned)(SCHEMA_OPPOSITE | SCHEMA_PATH);
    return field;
}

abut_status definition_defaults(const definition *d, void *out, abut_error *err)
{
    memset(out, 0, d->size);
    for (size_t i = 0; i < d->row_count; i++) {
        schema_field field = field_of(d, &d->rows[i], out);
        TRY(schema_store_default(&field, out, err));
    }
    return ABUT_OK;
}

/* --- Values --- */

static const void *member(const schema_place *place, const void *in)
{
    return (const char *)in + place->offset;
}

static json_t *length_json(abut_length length)
{
    char digits[NUMBER_TEXT_SIZE];
    if (!length.relative) return json_real(length.value);
    schema_number_text(length.value, digits);
    return json_sprintf("%s l", digits);
}

/* Numbers from `first` on, in a list. */
static json_t *numbers_json(const void *data, bool whole, size_t first, size_t count)
{
    json_t *list = json_array();
    for (size_t i = first; list && i < first + count; i++) {
        json_t *item =
            whole ? json_integer(((const int32_t *)data)[i]) : json_real(((const double *)data)[i]);
        if (!item || json_array_append_new(list, item) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *rows_json(const void *data, bool whole, size_t width, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < count; i++)
        if (json_array_append_new(list, numbers_json(data, whole, i * width, width)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static size_t entries(const schema_field *f, const void *in)
{
    return *(const size_t *)((const char *)in + f->place.count_offset);
}

static json_t *value_json(const schema_field *f, const void *in)
{
    const void *from = member(&f->place, in);
    bool whole = f->kind == SCHEMA_INTEGERS || f->flags & SCHEMA_WHOLE;
    switch (f->place.member) {
    case MEMBER_BOOL: return json_boolean(*(const bool *)from);
    case MEMBER_INT: return json_integer(*(const int *)from);
    case MEMBER_DOUBLE: return json_real(*(const double *)from);
    case MEMBER_LENGTH: return length_json(*(const abut_length *)from);
    case MEMBER_TEXT: return json_string(*(const char *const *)from);
    case MEMBER_DOUBLES: return numbers_json(from, false, 0, (size_t)f->count);
    case MEMBER_LIST:
        from = *(const void *const *)from;
        return f->kind == SCHEMA_ROWS ? rows_json(from, whole, (size_t)f->count, entries(f, in))
                                      : numbers_json(from, whole, 0, entries(f, in));
    default: return NULL;
    }
}

/* Whether a member says something else than the default. */
static bool is_given(const schema_field *f, const void *in, const void *defaults)
{
    const void *a = member(&f->place, in), *b = member(&f->place, defaults);
    if (f->place.member == MEMBER_LIST) return entries(f, in) > 0;
    if (f->place.member == MEMBER_LENGTH) {
        const abut_length *x = a, *y = b;
        return x->value != y->value || x->relative != y->relative;
    }
    if (f->place.member != MEMBER_TEXT) return memcmp(a, b, f->place.room) != 0;
    const char *text = *(const char *const *)a, *other = *(const char *const *)b;
    return text && (!other || strcmp(text, other) != 0);
}

static abut_status not_finite(const char *path, size_t entry, bool listed, abut_error *err)
{
    char place[PATH_SIZE + 32];
    snprintf(place, sizeof place, listed ? "%s[%zu]" : "%s", path, entry);
    return error_set(err, ABUT_ERROR_INPUT, place, "is not a finite number");
}

static abut_status check_numbers(const double *x, size_t count, size_t width, bool listed,
                                 const char *path, abut_error *err)
{
    for (size_t i = 0; i < count * width; i++)
        if (!isfinite(x[i])) return not_finite(path, i / width, listed, err);
    return ABUT_OK;
}

/* What JSON cannot say. Everything else is for the checks of the scene. */
static abut_status check(const schema_field *f, const void *in, const char *path, abut_error *err)
{
    const void *from = member(&f->place, in);
    switch (f->place.member) {
    case MEMBER_DOUBLE:
    case MEMBER_LENGTH: return check_numbers(from, 1, 1, false, path, err);
    case MEMBER_DOUBLES: return check_numbers(from, (size_t)f->count, 1, true, path, err);
    case MEMBER_LIST:
        from = *(const void *const *)from;
        if (!from)
            return error_set(err, ABUT_ERROR_INPUT, path, "has %zu entries, but no array",
                             entries(f, in));
        if (f->kind == SCHEMA_ROWS && !(f->flags & SCHEMA_WHOLE))
            return check_numbers(from, entries(f, in), (size_t)f->count, true, path, err);
        return ABUT_OK;
    default: return ABUT_OK;
    }
}

/* Puts a value, which is taken over, where the path says, with the objects above it. */
static bool put(json_t *object, const char *path, json_t *value)
{
    char key[PATH_SIZE];
    size_t length = strcspn(path, ".");
    snprintf(key, sizeof key, "%.*s", (int)length, path);
    if (!value || !path[length]) return json_object_set_new(object, key, value) == 0;
    if (!json_object_get(object, key) && json_object_set_new(object, key, json_object()) != 0) {
        json_decref(value);
        return false;
    }
    return put(json_object_get(object, key), path + length + 1, value);
}

static abut_status write_rows(const definition *d, const void *in, const void *defaults,
                              json_t *object, abut_error *err)
{
    for (size_t i = 0; i < d->row_count; i++) {
        schema_field field = field_of(d, &d->rows[i], in);
        if (!is_given(&field, in, defaults)) continue;
        TRY(check(&field, in, d->rows[i].path, err));
        bool text = field.place.member == MEMBER_TEXT;
        json_t *value = value_json(&field, in);
        if (!value && text) /* strings are all that can be wrong now, but for memory */
            return error_set(err, ABUT_ERROR_INPUT, d->rows[i].path, "is not UTF-8");
        if (!put(object, d->rows[i].path, value)) return error_memory(err, "defining a scene");
    }
    return ABUT_OK;
}

abut_status definition_write(const definition *d, const void *in, json_t **out, abut_error *err)
{
    *out = NULL;
    void *defaults = mem_alloc(1, d->size);
    json_t *object = json_object();
    abut_status status = defaults && object ? ABUT_OK : error_memory(err, "defining a scene");
    if (status == ABUT_OK) status = definition_defaults(d, defaults, err);
    if (status == ABUT_OK) status = write_rows(d, in, defaults, object, err);
    mem_free(defaults);
    if (status == ABUT_OK)
        *out = object;
    else
        json_decref(object);
    return status;
}
