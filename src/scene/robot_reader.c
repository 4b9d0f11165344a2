#include "scene/robot_reader.h"

#include "base/number.h"
#include "math/eigen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

abut_status robot_bad(const robot_reader *r, int32_t element, const char *what, const char *name)
{
    char place[300];
    snprintf(place, sizeof place, "%.200s: line %d", r->path,
             element >= 0 ? r->xml.elements.data[element].line : 1);
    return error_set(r->err, ABUT_ERROR_INPUT, place, "%s%s%.80s%s", what, name ? " \"" : "",
                     name ? name : "", name ? "\"" : "");
}

abut_status robot_read_list(const robot_reader *r, int32_t element, const char *key,
                            const char *text, int most, double *out, int *count)
{
    static const char SPACE[] = " \t\r\n";
    const char *at = text, *end = text + strlen(text);
    for (*count = 0;; (*count)++) {
        while (at < end && strchr(SPACE, *at)) at++;
        if (at == end) return ABUT_OK;
        if (*count == most) return robot_bad(r, element, "too many numbers in the attribute", key);
        bool ok = number_read_double(&at, end, &out[*count]) == NUMBER_OK;
        if (!ok || !isfinite(out[*count]) || (at < end && !strchr(SPACE, *at)))
            return robot_bad(r, element, "not the numbers that are needed in the attribute", key);
    }
}

abut_status robot_copy_text(const robot_reader *r, const char *text, char **out)
{
    *out = mem_strdup(text);
    return *out ? ABUT_OK : error_memory(r->err, "reading a robot");
}

int32_t robot_find_link(const robot *r, const char *name)
{
    for (size_t i = 0; name && i < r->links.count; i++)
        if (strcmp(r->links.data[i].name, name) == 0) return (int32_t)i;
    return -1;
}

int32_t robot_find_joint(const robot *r, const char *name)
{
    for (size_t i = 0; name && i < r->joints.count; i++)
        if (strcmp(r->joints.data[i].name, name) == 0) return (int32_t)i;
    return -1;
}

abut_status robot_add_link(robot_reader *r, const char *name, int32_t *out)
{
    robot_link link = {.joint = -1};
    TRY(robot_copy_text(r, name, &link.name));
    if (!array_push(&r->robot->links, link)) {
        mem_free(link.name);
        return error_memory(r->err, "reading a robot");
    }
    *out = (int32_t)r->robot->links.count - 1;
    return ABUT_OK;
}

bool robot_is_inertia(mat3 inertia)
{
    double v[3];
    mat3 axes;
    eigen3(inertia, v, &axes);
    return v[0] > 0 && v[2] <= (v[0] + v[1]) * (1 + 1e-6);
}

abut_status robot_set_inertial(const robot_reader *r, int32_t element, const char *kind,
                               double mass, robot_frame at, mat3 tensor, robot_link *link)
{
    char what[120];
    snprintf(what, sizeof what, "the mass must be positive of %s", kind);
    if (!(mass > 0)) return robot_bad(r, element, what, link->name);
    snprintf(what, sizeof what,
             "the inertia is not that of a body (positive, no moment above the sum of the others) "
             "of %s",
             kind);
    if (!robot_is_inertia(tensor)) return robot_bad(r, element, what, link->name);
    link->has_inertial = true;
    link->inertial =
        (mass_properties){.mass = mass,
                          .center = at.origin,
                          .inertia = mat3_mul(mat3_mul(at.axes, tensor), mat3_transpose(at.axes))};
    return ABUT_OK;
}

abut_status robot_import(const char *path, robot_read_function *read, const logger *log,
                         json_t **native, abut_error *err)
{
    file_bytes bytes;
    robot r;
    TRY(file_read(path, &bytes, err));
    abut_status status = read(path, &bytes, log, &r, err);
    file_free(&bytes);
    TRY(status);
    status = robot_to_document(path, &r, native, err);
    robot_free(&r);
    return status;
}
