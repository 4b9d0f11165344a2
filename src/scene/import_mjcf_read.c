/* Reading of MJCF: classes of defaults, what is refused or left out, numbers, frames. */
#include "math/rotation.h"
#include "scene/import_mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

abut_status mjcf_refuse(const mjcf_reader *r, int32_t element, const char *what)
{
    char place[300];
    snprintf(place, sizeof place, "%.200s: line %d", r->base.path,
             r->base.xml.elements.data[element].line);
    return error_set(
        r->base.err, ABUT_ERROR_UNSUPPORTED, place, "%s \"%.80s\" of MJCF is not supported",
        what[0] == '@' ? "the attribute" : "the element", what[0] == '@' ? what + 1 : what);
}

void mjcf_leave_out(mjcf_reader *r, const char *name)
{
    if (strstr(r->left_out, name) || strlen(r->left_out) + strlen(name) + 2 > sizeof r->left_out)
        return;
    strcat(strcat(r->left_out, " "), name);
}

bool mjcf_is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0) return true;
    return false;
}

const char *mjcf_name(const mjcf_reader *r, int32_t element)
{
    return r->base.xml.elements.data[element].name;
}

/* ---------------------------------------------------------------------------------------------- */
/* Defaults                                                                                       */

/* The element <default> of a class: depth first; "main" or no name is the outermost. */
static int32_t find_class(const mjcf_reader *r, const char *class)
{
    for (size_t i = 0; i < r->base.xml.elements.count; i++) {
        if (strcmp(r->base.xml.elements.data[i].name, "default") != 0) continue;
        const char *own = xml_attribute_of(&r->base.xml, (int32_t)i, "class");
        bool outermost = r->base.xml.elements.data[i].parent == 0;
        if (class ? own && strcmp(own, class) == 0 : outermost) return (int32_t)i;
        if (class && outermost && !own && strcmp(class, "main") == 0) return (int32_t)i;
    }
    return -1;
}

/* The class that holds for an element: its own, or the childclass around it. */
static const char *class_of(const mjcf_reader *r, int32_t element)
{
    const char *own = xml_attribute_of(&r->base.xml, element, "class");
    for (int32_t e = r->base.xml.elements.data[element].parent; !own && e >= 0;
         e = r->base.xml.elements.data[e].parent)
        own = xml_attribute_of(&r->base.xml, e, "childclass");
    return own;
}

/* An attribute of an element, or that of its class, or of those around the class; NULL: none. */
const char *mjcf_attribute(const mjcf_reader *r, int32_t element, const char *key)
{
    const char *text = xml_attribute_of(&r->base.xml, element, key);
    int32_t at = text ? -1 : find_class(r, class_of(r, element));
    for (; !text && at > 0 && strcmp(mjcf_name(r, at), "default") == 0;
         at = r->base.xml.elements.data[at].parent) {
        int32_t child = xml_child(&r->base.xml, at, mjcf_name(r, element));
        if (child >= 0) text = xml_attribute_of(&r->base.xml, child, key);
    }
    return text;
}

static abut_status check_class(const mjcf_reader *r, int32_t element)
{
    const char *class = class_of(r, element);
    return !class || find_class(r, class) >= 0 || strcmp(class, "main") == 0
               ? ABUT_OK
               : robot_bad(&r->base, element, "there is no class of defaults", class);
}

/* Every attribute of an element and of its class must be known: `read`, or left out. */
abut_status mjcf_check_attributes(mjcf_reader *r, int32_t element, const char *const *read,
                                  const char *const *unused)
{
    TRY(check_class(r, element));
    int32_t at = element;
    for (bool own = true; at > 0; own = false) {
        int32_t from = own ? at : xml_child(&r->base.xml, at, mjcf_name(r, element));
        for (size_t k = 0; from >= 0 && k < r->base.xml.elements.data[from].attribute_count; k++) {
            const char *key =
                r->base.xml.attributes.data[r->base.xml.elements.data[from].first_attribute + k]
                    .name;
            char named[100];
            if (mjcf_is_one_of(key, read)) continue;
            snprintf(named, sizeof named, "@%s.%s", mjcf_name(r, element), key);
            if (!mjcf_is_one_of(key, unused)) return mjcf_refuse(r, from, named);
            mjcf_leave_out(r, named + 1);
        }
        at = own ? find_class(r, class_of(r, element)) : r->base.xml.elements.data[at].parent;
        if (at > 0 && strcmp(mjcf_name(r, at), "default") != 0) break;
    }
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Numbers                                                                                        */

/* Up to `most` numbers; *count: how many there are (0: no attribute), at least `least`. */
abut_status mjcf_list(const mjcf_reader *r, int32_t element, const char *key, int least, int most,
                      double *out, int *count)
{
    const char *text = mjcf_attribute(r, element, key);
    *count = 0;
    if (!text) return ABUT_OK;
    TRY(robot_read_list(&r->base, element, key, text, most, out, count));
    return *count >= least ? ABUT_OK
                           : robot_bad(&r->base, element, "too few numbers in the attribute", key);
}

abut_status mjcf_numbers(const mjcf_reader *r, int32_t element, const char *key, int count,
                         double *out)
{
    int found;
    double values[12];
    TRY(mjcf_list(r, element, key, count, count, values, &found));
    if (found) memcpy(out, values, (size_t)count * sizeof *out);
    return ABUT_OK;
}

abut_status mjcf_truth(const mjcf_reader *r, int32_t element, const char *key, bool *out)
{
    const char *text = mjcf_attribute(r, element, key);
    if (!text || strcmp(text, "auto") == 0) return ABUT_OK;
    *out = strcmp(text, "true") == 0;
    return *out || strcmp(text, "false") == 0
               ? ABUT_OK
               : robot_bad(&r->base, element, "neither \"true\" nor \"false\" in the attribute",
                           key);
}

/* The rotation that takes z to a direction. */
mat3 mjcf_from_z_axis(vec3 z)
{
    vec3 a = vec3_normalize(z), up = {0, 0, 1}, axis = vec3_cross(up, a);
    double sine = vec3_norm(axis), cosine = a.z;
    if (sine < 1e-12) return cosine > 0 ? mat3_identity() : rotation_matrix((vec3){M_PI, 0, 0});
    return rotation_matrix(vec3_scale(atan2(sine, cosine) / sine, axis));
}

static abut_status read_euler(const mjcf_reader *r, int32_t element, mat3 *out)
{
    double angles[3] = {0};
    TRY(mjcf_numbers(r, element, "euler", 3, angles));
    mat3 sum = mat3_identity();
    for (int k = 0; k < 3; k++) {
        char axis = r->euler[k];
        vec3 v = {0};
        double a = r->angle * angles[k];
        if (axis == 'x' || axis == 'X') v.x = a;
        if (axis == 'y' || axis == 'Y') v.y = a;
        if (axis == 'z' || axis == 'Z') v.z = a;
        mat3 turn = rotation_matrix(v); /* small letters turn with the frame */
        sum = axis >= 'a' ? mat3_mul(sum, turn) : mat3_mul(turn, sum);
    }
    *out = sum;
    return ABUT_OK;
}

static abut_status read_orientation(const mjcf_reader *r, int32_t element, mat3 *out)
{
    static const char *const keys[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    static const int counts[] = {4, 4, 6, 3, 3};
    int which = -1;
    double v[6] = {0};
    *out = mat3_identity();
    for (int k = 0; k < 5; k++) {
        if (!mjcf_attribute(r, element, keys[k])) continue;
        if (which >= 0) return robot_bad(&r->base, element, "two orientations, one is", keys[k]);
        which = k;
        TRY(mjcf_numbers(r, element, keys[k], counts[k], v));
    }
    vec3 first = vec3_load(v), second = vec3_load(v + 3);
    bool none = which == 0   ? vec3_norm(first) + fabs(v[3]) == 0
                : which == 2 ? vec3_norm(vec3_cross(first, second)) == 0
                : which == 4 ? false
                             : vec3_norm(first) == 0;
    if (which >= 0 && none)
        return robot_bad(&r->base, element, "a direction has no length in", keys[which]);
    if (which == 0) *out = rotation_from_quaternion((quaternion){v[0], v[1], v[2], v[3]});
    if (which == 1) *out = rotation_matrix(vec3_scale(r->angle * v[3], vec3_normalize(first)));
    if (which == 2) {
        vec3 x = vec3_normalize(first);
        vec3 y = vec3_normalize(vec3_mul_add(second, -vec3_dot(x, second), x));
        *out = mat3_from_columns(x, y, vec3_cross(x, y));
    }
    if (which == 3) *out = mjcf_from_z_axis(first);
    return which == 4 ? read_euler(r, element, out) : ABUT_OK;
}

abut_status mjcf_read_frame(const mjcf_reader *r, int32_t element, robot_frame *out)
{
    double at[3] = {0};
    TRY(mjcf_numbers(r, element, "pos", 3, at));
    out->origin = vec3_load(at);
    return read_orientation(r, element, &out->axes);
}
