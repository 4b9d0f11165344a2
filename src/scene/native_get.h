/* Reading values of a resolved document, which are known to be there and right. */
#ifndef SCENE_NATIVE_GET_H
#define SCENE_NATIVE_GET_H

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

static inline const json_t *get(const json_t *object, const char *key)
{
    return json_object_get(object, key);
}

static inline double get_number(const json_t *object, const char *key)
{
    return json_number_value(get(object, key));
}

/* Of a field that may be absent. */
static inline double get_number_or(const json_t *object, const char *key, double otherwise)
{
    return get(object, key) ? get_number(object, key) : otherwise;
}

static inline int get_int(const json_t *object, const char *key)
{
    return (int)json_integer_value(get(object, key));
}

static inline bool get_bool(const json_t *object, const char *key)
{
    return json_is_true(get(object, key));
}

static inline const char *get_string(const json_t *object, const char *key)
{
    return json_string_value(get(object, key));
}

/* Position of the word in its list, which is the value of the enum; 0 where the key does not hold.
 */
static inline int get_word(const json_t *object, const char *key, const char *const *words)
{
    const char *word = get_string(object, key);
    int i = 0;
    while (word && words[i] && strcmp(words[i], word) != 0) i++;
    return i;
}

#endif
