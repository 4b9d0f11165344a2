#include "gradient/scene_key.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The next part of a path: a key, or what stands in brackets. */
typedef struct path_part {
    char text[128];
    bool in_brackets;
} path_part;

static bool next_part(const char **at, path_part *out)
{
    if (**at == '.') (*at)++;
    out->in_brackets = **at == '[';
    if (out->in_brackets) (*at)++;
    size_t n = strcspn(*at, out->in_brackets ? "]" : ".[");
    if (n == 0 || n >= sizeof out->text) return false;
    memcpy(out->text, *at, n);
    out->text[n] = 0;
    *at += n;
    if (out->in_brackets && **at != ']') return false;
    if (out->in_brackets) (*at)++;
    return true;
}

static json_t *entry_of(json_t *list, const char *text)
{
    if (isdigit((unsigned char)text[0])) return json_array_get(list, (size_t)atol(text));
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry)
    {
        const char *name = json_string_value(json_object_get(entry, "name"));
        if (name && strcmp(name, text) == 0) return entry;
    }
    return NULL;
}

static json_t *find(json_t *document, const char *path)
{
    json_t *at = document;
    const char *rest = path;
    while (at && *rest) {
        path_part part;
        if (!next_part(&rest, &part)) return NULL;
        at = json_is_array(at) ? entry_of(at, part.text) : json_object_get(at, part.text);
    }
    return at;
}

abut_status scene_key_read(json_t *document, const char *path, double *out, abut_error *err)
{
    json_t *value = find(document, path);
    if (!value) return error_set(err, ABUT_ERROR_INPUT, path, "the scene has no such number");
    if (!json_is_number(value))
        return error_set(err, ABUT_ERROR_INPUT, path, "is no number and cannot be a parameter");
    *out = json_number_value(value);
    return ABUT_OK;
}

abut_status scene_key_write(json_t *document, const char *path, double value, abut_error *err)
{
    json_t *at = find(document, path);
    double before;
    TRY(scene_key_read(document, path, &before, err));
    if (!isfinite(value)) return error_set(err, ABUT_ERROR_INPUT, path, "not a finite number");
    if (json_is_real(at)) return json_real_set(at, value) == 0 ? ABUT_OK : ABUT_ERROR_INTERNAL;
    /* An integer of the text: what contains it gets a real instead. */
    char holder[512];
    size_t length = strlen(path);
    const char *cut =
        strrchr(path, '[') > strrchr(path, '.') ? strrchr(path, '[') : strrchr(path, '.');
    size_t n = cut ? (size_t)(cut - path) : 0;
    if (length >= sizeof holder) return error_set(err, ABUT_ERROR_INPUT, path, "too long");
    memcpy(holder, path, n);
    holder[n] = 0;
    json_t *parent = n ? find(document, holder) : document;
    path_part part;
    const char *last = path + n;
    bool ok = next_part(&last, &part);
    if (ok && json_is_array(parent))
        ok = json_array_set_new(parent, (size_t)atol(part.text), json_real(value)) == 0;
    else if (ok)
        ok = json_object_set_new(parent, part.text, json_real(value)) == 0;
    return ok ? ABUT_OK : error_set(err, ABUT_ERROR_INTERNAL, path, "cannot be set");
}
