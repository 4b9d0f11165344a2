#include "scene/deprecated.h"

#include <stdio.h>
#include <string.h>

/* solver.true_hessian_after was a number of iterations, and 0 was never. */
static json_t *hessian_word(const json_t *value)
{
    bool never = json_is_integer(value) && json_integer_value(value) == 0;
    return json_string(never ? "projected" : "adaptive");
}

static const struct {
    const char *object, *old, *now;
    json_t *(*convert)(const json_t *value); /* NULL: the value stays */
} renamed[] = {
    {"contact", "prescribed_overlap", "dirichlet_overlap", NULL},
    {"contact", "check_moves", "check_every_trial", NULL},
    {"solver", "anchor", "proximal_weight", NULL},
    {"bodies", "weigh", "mass_from", NULL},
    {"solver", "true_hessian_after", "hessian", hessian_word},
};
enum { RENAMED = sizeof renamed / sizeof *renamed };

static bool rename_key(json_t *object, int row)
{
    json_t *value = json_object_get(object, renamed[row].old);
    if (!value || json_object_get(object, renamed[row].now)) return false;
    value = renamed[row].convert ? renamed[row].convert(value) : json_incref(value);
    return json_object_set_new(object, renamed[row].now, value) == 0 &&
           json_object_del(object, renamed[row].old) == 0;
}

void deprecated_rename(json_t *document, const char *file, const logger *log)
{
    for (int row = 0; row < RENAMED; row++) {
        json_t *object = json_object_get(document, renamed[row].object), *entry;
        bool found = rename_key(object, row);
        size_t i;
        json_array_foreach(object, i, entry) found = rename_key(entry, row) || found;
        if (found)
            log_message(log, ABUT_LOG_WARNING, "%s: %s: \"%s\" is deprecated; its name is \"%s\"",
                        file, renamed[row].object, renamed[row].old, renamed[row].now);
    }
}

/* Whether the path of an assignment is "object.old" or "object[3].old"; *key: where `old` begins.
 */
static bool is_assignment_of(const char *assignment, int row, size_t *key)
{
    size_t length = strlen(renamed[row].object);
    if (strncmp(assignment, renamed[row].object, length) != 0) return false;
    if (assignment[length] == '[') {
        length += 1 + strspn(assignment + length + 1, "0123456789");
        if (assignment[length++] != ']') return false;
    }
    if (assignment[length++] != '.') return false;
    size_t old = strlen(renamed[row].old);
    *key = length;
    return strncmp(assignment + length, renamed[row].old, old) == 0 &&
           assignment[length + old] == '=';
}

const char *deprecated_assignment(const char *assignment, char *text, size_t size,
                                  const logger *log)
{
    for (int row = 0; row < RENAMED; row++) {
        size_t key;
        if (!is_assignment_of(assignment, row, &key)) continue;
        int length = snprintf(text, size, "%.*s%s%s", (int)key, assignment, renamed[row].now,
                              assignment + key + strlen(renamed[row].old));
        if (length < 0 || (size_t)length >= size) return assignment;
        log_message(log, ABUT_LOG_WARNING, "--set: %s: \"%s\" is deprecated; its name is \"%s\"",
                    renamed[row].object, renamed[row].old, renamed[row].now);
        return text;
    }
    return assignment;
}
