#include "output/table_names.h"

#include "base/array.h"
#include "base/json_text.h"
#include "base/memory.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *old, *now;
} renamed[] = {
    {"wall_s", "wall_seconds"},
    {"newton_iters", "newton_iterations"},
    {"friction_iters", "friction_iterations"},
    {"contacts", "contact_count"},
    {"contact", "contact_energy"},
    {"max_contacts", "max_contact_count"},
    {"mean_contacts", "mean_contact_count"},
    {"friction_unsettled", "friction_not_converged"},
    {"friction_unsettled_steps", "friction_not_converged_steps"},
    {"prescribed_overlap_steps", "dirichlet_overlap_steps"},
};
enum { RENAMED = sizeof renamed / sizeof *renamed };

const char *table_name_now(const char *name, size_t *length)
{
    for (int i = 0; i < RENAMED; i++)
        if (strlen(renamed[i].old) == *length && memcmp(renamed[i].old, name, *length) == 0) {
            *length = strlen(renamed[i].now);
            return renamed[i].now;
        }
    return name;
}

typedef ARRAY(char) characters;

static bool append(characters *out, const char *text, size_t length)
{
    if (!array_reserve(out, out->count + length)) return false;
    memcpy(out->data + out->count, text, length);
    out->count += length;
    return true;
}

static bool renew_header(const char *text, size_t size, characters *out)
{
    const char *end = memchr(text, '\n', size), *at = text;
    if (!end) end = text + size;
    bool ok = true;
    while (ok && at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t length = (size_t)((comma ? comma : end) - at), now = length;
        const char *name = table_name_now(at, &now);
        ok = append(out, name, now) && (!comma || append(out, ",", 1));
        at += length + (comma != NULL);
    }
    return ok && append(out, end, size - (size_t)(end - text));
}

static bool renew_keys(const char *before, size_t size, json_t *root, characters *out)
{
    bool ok = true, found = false;
    for (int i = 0; i < RENAMED; i++) {
        json_t *value = json_object_get(root, renamed[i].old);
        if (!value) continue;
        found = true;
        ok = ok && json_object_set(root, renamed[i].now, value) == 0 &&
             json_object_del(root, renamed[i].old) == 0;
    }
    if (!found) return append(out, before, size);
    char *text = ok ? json_text(root, JSON_INDENT(2)) : NULL;
    ok = text && append(out, text, strlen(text)) && append(out, "\n", 1);
    free(text);
    return ok;
}

abut_status table_names_renew(char **text, size_t *size, abut_error *err)
{
    characters out = {0};
    json_t *root = json_loadb(*text, *size, 0, NULL);
    bool ok = root ? renew_keys(*text, *size, root, &out) : renew_header(*text, *size, &out);
    json_decref(root);
    if (!ok) {
        array_free(&out);
        return error_memory(err, "reading the results of a run");
    }
    mem_free(*text);
    *text = out.data;
    *size = out.count;
    return ABUT_OK;
}
