#include "scene/import_rigid.h"

#include "base/text.h"
#include "scene/schema.h"

#include <stdio.h>
#include <string.h>

static void full_place(const fixture *f, const char *place, const char *key, char *text,
                       size_t size)
{
    const char *name = strlen(f->path) > 120 ? strrchr(f->path, '/') : NULL;
    snprintf(text, size, "%.150s: %s%s%s", name ? name + 1 : f->path, place, place[0] ? "." : "",
             key);
}

abut_status fixture_wrong(const fixture *f, const char *place, const char *key,
                          const char *expected, const json_t *found)
{
    char where[400], what[120] = "nothing";
    full_place(f, place, key, where, sizeof where);
    if (found) schema_describe(found, what, sizeof what);
    return error_set(f->err, ABUT_ERROR_INPUT, where, "must be %s, found %s", expected, what);
}

abut_status fixture_problem(const fixture *f, abut_status code, const char *place, const char *key,
                            const char *message)
{
    char where[400];
    full_place(f, place, key, where, sizeof where);
    return error_set(f->err, code, where, "%s", message);
}

abut_status fixture_number(const fixture *f, const char *place, const json_t *object,
                           const char *key, double *out)
{
    const json_t *value = json_object_get(object, key);
    if (!value) return ABUT_OK;
    if (!json_is_number(value) || !isfinite(json_number_value(value)))
        return fixture_wrong(f, place, key, "a number", value);
    *out = json_number_value(value);
    return ABUT_OK;
}

abut_status fixture_bool(const fixture *f, const char *place, const json_t *object, const char *key,
                         bool *out)
{
    const json_t *value = json_object_get(object, key);
    if (!value) return ABUT_OK;
    if (!json_is_boolean(value)) return fixture_wrong(f, place, key, "true or false", value);
    *out = json_is_true(value);
    return ABUT_OK;
}

static bool all_numbers(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_number(item) || !isfinite(json_number_value(item))) return false;
    }
    return true;
}

abut_status fixture_vector(const fixture *f, const char *place, const json_t *object,
                           const char *key, fixture_vector_kind kind, vec3 *out)
{
    const json_t *value = json_object_get(object, key);
    if (!value) return ABUT_OK;
    size_t count = json_array_size(value);
    bool planar_angle = kind == FIXTURE_ANGLES && f->planar;
    if (json_is_number(value) && (kind == FIXTURE_FACTORS || planar_angle)) {
        double x = json_number_value(value);
        *out = planar_angle ? vec3_make(0, 0, x) : vec3_make(x, x, x);
        return ABUT_OK;
    }
    bool right = json_is_array(value) && all_numbers(value) &&
                 (count == 3 || (planar_angle ? count == 1 : f->planar && count == 2));
    if (!right)
        return fixture_wrong(f, place, key,
                             planar_angle              ? "a number or a list of one (degrees)"
                             : kind == FIXTURE_FACTORS ? "a number or a list of one per axis"
                             : f->planar               ? "a list of 2 numbers"
                                                       : "a list of 3 numbers",
                             value);
    double x[3] = {0, 0, out->z};
    for (size_t i = 0; i < count; i++) x[i] = json_number_value(json_array_get(value, i));
    *out = planar_angle && count == 1 ? vec3_make(0, 0, x[0]) : vec3_load(x);
    return ABUT_OK;
}

abut_status fixture_word(const fixture *f, const char *place, const json_t *object, const char *key,
                         const char *const *words, int *out)
{
    const json_t *value = json_object_get(object, key);
    *out = 0;
    if (!value) return ABUT_OK;
    char expected[300] = "one of";
    for (int i = 0; words[i]; i++) {
        if (json_is_string(value) && strcmp(json_string_value(value), words[i]) == 0) {
            *out = i;
            return ABUT_OK;
        }
        size_t length = strlen(expected);
        snprintf(expected + length, sizeof expected - length, "%s \"%s\"", i ? "," : "", words[i]);
    }
    return fixture_wrong(f, place, key, expected, value);
}

static bool listed(const char *const *keys, const char *key)
{
    for (; *keys; keys++)
        if (strcmp(*keys, key) == 0) return true;
    return false;
}

abut_status fixture_check_keys(const fixture *f, const char *place, const json_t *object,
                               const char *const *known, const char *const *ignored)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        char where[400];
        if (key[0] == '#' || listed(known, key)) continue;
        full_place(f, place, key, where, sizeof where);
        if (listed(ignored, key)) {
            log_message(f->log, ABUT_LOG_DEBUG, "%s: has no effect", where);
            continue;
        }
        size_t count = 0;
        while (known[count]) count++;
        const char *near = text_closest(key, known, count);
        return error_set(f->err, ABUT_ERROR_INPUT, where, "unknown key%s%s%s",
                         near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    return ABUT_OK;
}

json_t *fixture_json_vector(vec3 a)
{
    /* Adding 0 turns -0 into 0. */
    return json_pack("[f, f, f]", a.x + 0.0, a.y + 0.0, a.z + 0.0);
}
