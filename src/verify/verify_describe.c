/* Problems that the check found, in a sentence. */
#include "verify/verify_frame.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct sentence {
    char *text;
    size_t size, length;
} sentence;

static void add(sentence *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(sentence *s, const char *format, ...)
{
    if (s->length >= s->size) return;
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(s->text + s->length, s->size - s->length, format, arguments);
    va_end(arguments);
    if (written > 0) s->length += (size_t)written;
}

static void add_points(sentence *s, const int32_t *points, size_t count, const char *body)
{
    static const char *const names[] = {"", "node", "edge", "triangle", "tet"};
    add(s, "%s", names[count]);
    for (size_t i = 0; i < count; i++) add(s, " %d", (int)points[i]);
    add(s, " of \"%.60s\"", body);
}

void verify_describe(const verify_problem *problem, const char *const *names, char *text,
                     size_t size)
{
    sentence s = {text, size, 0};
    add_points(&s, problem->first, problem->first_count, names[problem->first_body]);
    if (problem->kind == VERIFY_INTERSECTION || problem->kind == VERIFY_TOO_CLOSE ||
        problem->kind == VERIFY_MEETING) {
        add(&s, problem->kind == VERIFY_TOO_CLOSE ? " is too close to "
                : problem->kind == VERIFY_MEETING ? " is not kept apart from "
                                                  : " meets ");
        add_points(&s, problem->second, problem->second_count, names[problem->second_body]);
    } else if (problem->kind == VERIFY_INSIDE) {
        add(&s, " is inside ");
        add_points(&s, problem->second, problem->second_count, names[problem->second_body]);
    } else if (problem->kind == VERIFY_BEHIND_PLANE) {
        add(&s, " is behind half space %d", (int)problem->second_body);
    } else if (problem->kind == VERIFY_STRAINED) {
        add(&s, " is strained to %.9g, beyond its limit,", problem->depth);
    } else {
        add(&s, " is inverted");
    }
    add(&s, " at (%.6g, %.6g, %.6g)", problem->position.x, problem->position.y,
        problem->position.z);
    if (problem->kind == VERIFY_INVERTED)
        add(&s, ", volume %.3g m^3", -problem->depth);
    else if (problem->kind == VERIFY_TOO_CLOSE)
        add(&s, ", not further apart than %.6g m", problem->depth);
    else if (problem->kind != VERIFY_INSIDE && problem->kind != VERIFY_STRAINED &&
             problem->kind != VERIFY_MEETING)
        add(&s, ", %.3g m deep", problem->depth);
}
