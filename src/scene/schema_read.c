/* From resolved documents to definition structs, and the defaults of these, by the offsets of the
 * table. */
#include "base/file.h"
#include "base/memory.h"
#include "material/law.h"
#include "scene/schema.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

typedef struct reader {
    const schema_source *from;
    abut_error *err;
} reader;

static void *member(const schema_place *place, void *out) { return (char *)out + place->offset; }

static abut_status no_memory(reader *r) { return error_memory(r->err, "reading the scene"); }

int schema_word_index(const char *const *words, const char *word)
{
    for (int i = 0; word && words[i]; i++)
        if (strcmp(words[i], word) == 0) return i;
    return -1;
}

/* --- Values without parts --- */

static void store_number(const schema_field *f, double value, void *out)
{
    void *to = member(&f->place, out);
    bool opposite = f->flags & SCHEMA_OPPOSITE;
    switch (f->place.member) {
    case MEMBER_BOOL: *(bool *)to = (value != 0) != opposite; break;
    case MEMBER_INT: *(int *)to = (int)value; break;
    case MEMBER_ENUM: *(unsigned *)to = (unsigned)value; break;
    case MEMBER_DOUBLE: *(double *)to = value; break;
    case MEMBER_LENGTH: *(length_def *)to = (length_def){value, false}; break;
    case MEMBER_BOOLS:
        for (int k = 0; k < 3; k++) ((bool *)to)[k] = (unsigned)value >> k & 1;
        break;
    default: break;
    }
}

static void store_length(const schema_field *f, const json_t *value, void *out)
{
    length_def *to = member(&f->place, out);
    *to = (length_def){json_number_value(value), false};
    if (json_is_string(value))
        schema_parse_length(json_string_value(value), &to->value, &to->relative);
}

/* Words of a list are bits, letters of axes as well. */
static void store_bits(const schema_field *f, const json_t *value, void *out)
{
    unsigned bits = 0;
    for (size_t i = 0; i < json_array_size(value); i++)
        bits |= 1u << schema_word_index(f->words, json_string_value(json_array_get(value, i)));
    for (const char *axis = json_string_value(value); axis && *axis; axis++)
        bits |= 1u << (*axis - 'x');
    store_number(f, bits, out);
}

static void store_word(const schema_field *f, const json_t *value, void *out)
{
    int index = schema_word_index(f->words, json_string_value(value));
    if (f->place.member == MEMBER_TEXT)
        *(const char **)member(&f->place, out) = f->words[index];
    else
        store_number(f, index, out);
}

static abut_status store_string(reader *r, const schema_field *f, const json_t *value, void *out)
{
    const char **to = member(&f->place, out), *text = json_string_value(value);
    *to = text;
    if (!(f->flags & SCHEMA_PATH)) return ABUT_OK;
    size_t size = strlen(r->from->folder) + strlen(text) + 2;
    char *path = mem_alloc(size, 1);
    *to = path;
    if (!path) return no_memory(r);
    path_join(path, size, r->from->folder, text);
    return ABUT_OK;
}

static abut_status store_expression(reader *r, const json_t *value, expression **to)
{
    if (json_is_string(value)) return expression_parse(json_string_value(value), to, r->err);
    *to = expression_constant(json_number_value(value));
    return *to ? ABUT_OK : no_memory(r);
}

/* --- Lists of values --- */

static vec3 to_vector(const json_t *list)
{
    return vec3_make(json_number_value(json_array_get(list, 0)),
                     json_number_value(json_array_get(list, 1)),
                     json_number_value(json_array_get(list, 2)));
}

static void store_vector(const schema_field *f, const json_t *value, void *out)
{
    void *to = member(&f->place, out);
    size_t count = json_array_size(value);
    if (f->place.member == MEMBER_VEC3) {
        *(vec3 *)to = to_vector(value);
        return;
    }
    for (size_t i = 0; i < count && i * sizeof(double) < f->place.room; i++)
        ((double *)to)[i] = json_number_value(json_array_get(value, i));
    if (f->count == 0) *(int *)((char *)out + f->place.count_offset) = (int)count;
}

/* Room for the entries of a list; an empty one has none. */
static abut_status make_list(reader *r, const schema_field *f, size_t count, size_t size, void *out)
{
    if (count == 0) return ABUT_OK;
    void **to = member(&f->place, out);
    *to = mem_calloc(count, size);
    if (!*to) return no_memory(r);
    *(size_t *)((char *)out + f->place.count_offset) = count;
    return ABUT_OK;
}

static abut_status store_integers(reader *r, const schema_field *f, const json_t *value, void *out)
{
    size_t count = json_array_size(value);
    int32_t *to = member(&f->place, out);
    if (f->place.member == MEMBER_LIST) {
        TRY(make_list(r, f, count, sizeof *to, out));
        to = *(int32_t **)member(&f->place, out);
    }
    for (size_t i = 0; i < count; i++)
        to[i] = (int32_t)json_integer_value(json_array_get(value, i));
    return ABUT_OK;
}

static abut_status store_rows(reader *r, const schema_field *f, const json_t *value, void *out)
{
    size_t count = json_array_size(value);
    size_t width = f->count ? (size_t)f->count : json_array_size(json_array_get(value, 0));
    if (f->count == 0) *(int *)((char *)out + f->place.width_offset) = (int)width;
    bool whole = f->flags & SCHEMA_WHOLE;
    TRY(make_list(r, f, count, width * (whole ? sizeof(int32_t) : sizeof(double)), out));
    void *to = *(void **)member(&f->place, out);
    for (size_t i = 0; i < count * width; i++) {
        const json_t *item = json_array_get(json_array_get(value, i / width), i % width);
        if (whole)
            ((int32_t *)to)[i] = (int32_t)json_integer_value(item);
        else
            ((double *)to)[i] = json_number_value(item);
    }
    return ABUT_OK;
}

static void store_numbers(const schema_field *f, const json_t *value, void *out)
{
    double *to = member(&f->place, out);
    int count;
    const law_parameter *names = f->names(out, &count);
    for (int i = 0; i < count; i++)
        to[i] = json_number_value(json_object_get(value, names[i].name));
}

/* --- Objects --- */

static abut_status read_object(reader *r, const schema_type *type, const json_t *object, void *out);

static abut_status store_object(reader *r, const schema_field *f, const json_t *value, void *out)
{
    void *to = member(&f->place, out);
    if (json_is_string(value)) {
        const char *name = json_string_value(value);
        *(const char **)member(&f->type->named, to) = name;
        value = json_object_get(json_object_get(r->from->root, f->map), name);
    }
    return read_object(r, f->type, value, to);
}

static abut_status store_objects(reader *r, const schema_field *f, const json_t *list, void *out)
{
    size_t count = json_array_size(list);
    TRY(make_list(r, f, count, f->type->size, out));
    char *items = *(char **)member(&f->place, out);
    for (size_t i = 0; i < count; i++)
        TRY(read_object(r, f->type, json_array_get(list, i), items + i * f->type->size));
    return ABUT_OK;
}

static abut_status store(reader *r, const schema_field *f, const json_t *value, void *out)
{
    switch (f->kind) {
    case SCHEMA_BOOL: store_number(f, json_is_true(value), out); break;
    case SCHEMA_INTEGER: store_number(f, (double)json_integer_value(value), out); break;
    case SCHEMA_NUMBER: store_number(f, json_number_value(value), out); break;
    case SCHEMA_LENGTH: store_length(f, value, out); break;
    case SCHEMA_STRING: return store_string(r, f, value, out);
    case SCHEMA_WORD: store_word(f, value, out); break;
    case SCHEMA_WORDS:
    case SCHEMA_AXES: store_bits(f, value, out); break;
    case SCHEMA_VECTOR: store_vector(f, value, out); break;
    case SCHEMA_INTEGERS: return store_integers(r, f, value, out);
    case SCHEMA_ROWS: return store_rows(r, f, value, out);
    case SCHEMA_EXPRESSION: return store_expression(r, value, member(&f->place, out));
    case SCHEMA_EXPRESSIONS:
        for (size_t k = 0; k < json_array_size(value); k++)
            TRY(store_expression(r, json_array_get(value, k),
                                 (expression **)member(&f->place, out) + k));
        break;
    case SCHEMA_BOX:
        for (size_t k = 0; k < 2; k++)
            ((vec3 *)member(&f->place, out))[k] = to_vector(json_array_get(value, k));
        break;
    case SCHEMA_OBJECT: return store_object(r, f, value, out);
    case SCHEMA_LIST: return store_objects(r, f, value, out);
    case SCHEMA_NUMBERS: store_numbers(f, value, out); break;
    case SCHEMA_TRUE:
    case SCHEMA_MAP: break; /* a choice; entries are read where they are named */
    }
    return ABUT_OK;
}

/* A plain value that is not there. Strings and lists are in the document where they hold. */
static abut_status store_default(reader *r, const schema_field *f, void *out)
{
    bool empty = f->kind == SCHEMA_STRING || f->kind == SCHEMA_LIST || f->kind == SCHEMA_ROWS ||
                 f->kind == SCHEMA_OBJECT;
    if (f->flags & SCHEMA_CHOICE || empty) return ABUT_OK;
    if (!f->initial) {
        store_number(f, f->otherwise, out);
        return ABUT_OK;
    }
    json_t *value = json_loads(f->initial, JSON_DECODE_ANY, NULL);
    abut_status status = value ? store(r, f, value, out) : no_memory(r);
    json_decref(value);
    return status;
}

static void store_choice(const schema_type *type, const json_t *object, void *out)
{
    unsigned number = 0;
    for (size_t i = 0; i < type->field_count; i++) {
        if (!(type->fields[i].flags & SCHEMA_CHOICE)) continue;
        if (json_object_get(object, type->fields[i].key)) break;
        number++;
    }
    *(unsigned *)member(&type->choice, out) = number;
}

static abut_status read_object(reader *r, const schema_type *type, const json_t *object, void *out)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const schema_field *f = &type->fields[i];
        const json_t *value = json_object_get(object, f->key);
        if (f->given.member) *(bool *)member(&f->given, out) = value != NULL;
        if (f->place.member) TRY(value ? store(r, f, value, out) : store_default(r, f, out));
    }
    if (type->choice.member) store_choice(type, object, out);
    if (type->complete) type->complete(out);
    return ABUT_OK;
}

abut_status schema_read(const schema_type *type, const json_t *object, const schema_source *from,
                        void *out, abut_error *err)
{
    reader r = {from, err};
    return read_object(&r, type, object, out);
}

abut_status schema_store_default(const schema_field *field, void *out, abut_error *err)
{
    reader r = {NULL, err};
    return store_default(&r, field, out);
}

abut_status schema_defaults(const schema_type *type, void *out, abut_error *err)
{
    reader r = {NULL, err};
    for (size_t i = 0; i < type->field_count; i++) {
        const schema_field *f = &type->fields[i];
        if (!f->place.member) continue;
        if (f->kind == SCHEMA_OBJECT && f->initial)
            TRY(schema_defaults(f->type, member(&f->place, out), err));
        else
            TRY(store_default(&r, f, out));
    }
    return ABUT_OK;
}

/* --- Memory --- */

static void free_expressions(expression **list, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        expression_free(list[k]);
        list[k] = NULL;
    }
}

static void free_list(const schema_field *f, void *out)
{
    void **items = member(&f->place, out);
    size_t *count = (size_t *)((char *)out + f->place.count_offset);
    for (size_t i = 0; f->kind == SCHEMA_LIST && i < *count; i++)
        schema_release(f->type, (char *)*items + i * f->type->size);
    mem_free(*items);
    *items = NULL;
    *count = 0;
}

void schema_release(const schema_type *type, void *out)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const schema_field *f = &type->fields[i];
        void *to = member(&f->place, out);
        if (f->place.member == MEMBER_LIST) free_list(f, out);
        if (f->place.member == MEMBER_STRUCT && f->kind == SCHEMA_OBJECT)
            schema_release(f->type, to);
        if (f->place.member == MEMBER_EXPRESSION) free_expressions(to, 1);
        if (f->place.member == MEMBER_EXPRESSIONS) free_expressions(to, (size_t)f->count);
        if (f->place.member == MEMBER_TEXT && f->flags & SCHEMA_PATH) {
            mem_free(*(char **)to);
            *(char **)to = NULL;
        }
    }
}
