/* MuJoCo's MJCF, the plain subset: bodies, geoms, joints, actuators, with classes of defaults. What
 * is not read and changes the physics is an error that names it; what only draws, measures or tunes
 * MuJoCo's solver is named once and left out. */
#include "base/number.h"
#include "math/rotation.h"
#include "mesh/mesh_io.h"
#include "mesh/topology.h"
#include "scene/robot.h"
#include "scene/xml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct mjcf_reader {
    const char *path;
    xml_document xml;
    robot *robot;
    const logger *log;
    abut_error *err;
    double angle; /* rad per unit of angles */
    const char *euler, *mesh_folder;
    bool automatic_limits, inertia_from_geoms, inertia_never;
    char left_out[400]; /* names of what is not read */
} mjcf_reader;

static abut_status bad(const mjcf_reader *r, int32_t element, const char *what, const char *name)
{
    char place[300];
    snprintf(place, sizeof place, "%.200s: line %d", r->path,
             element >= 0 ? r->xml.elements.data[element].line : 1);
    return error_set(r->err, ABUT_ERROR_INPUT, place, "%s%s%.80s%s", what, name ? " \"" : "",
                     name ? name : "", name ? "\"" : "");
}

static abut_status refuse(const mjcf_reader *r, int32_t element, const char *what)
{
    char place[300];
    snprintf(place, sizeof place, "%.200s: line %d", r->path, r->xml.elements.data[element].line);
    return error_set(r->err, ABUT_ERROR_UNSUPPORTED, place, "%s \"%.80s\" of MJCF is not supported",
                     what[0] == '@' ? "the attribute" : "the element",
                     what[0] == '@' ? what + 1 : what);
}

static void leave_out(mjcf_reader *r, const char *name)
{
    if (strstr(r->left_out, name) || strlen(r->left_out) + strlen(name) + 2 > sizeof r->left_out)
        return;
    strcat(strcat(r->left_out, " "), name);
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0) return true;
    return false;
}

static const char *name_of(const mjcf_reader *r, int32_t element)
{
    return r->xml.elements.data[element].name;
}

/* ---------------------------------------------------------------------------------------------- */
/* Defaults                                                                                       */

/* The element <default> of a class: depth first; "main" or no name is the outermost. */
static int32_t find_class(const mjcf_reader *r, const char *class)
{
    for (size_t i = 0; i < r->xml.elements.count; i++) {
        if (strcmp(r->xml.elements.data[i].name, "default") != 0) continue;
        const char *own = xml_attribute_of(&r->xml, (int32_t)i, "class");
        bool outermost = r->xml.elements.data[i].parent == 0;
        if (class ? own && strcmp(own, class) == 0 : outermost) return (int32_t)i;
        if (class && outermost && !own && strcmp(class, "main") == 0) return (int32_t)i;
    }
    return -1;
}

/* The class that holds for an element: its own, or the childclass around it. */
static const char *class_of(const mjcf_reader *r, int32_t element)
{
    const char *own = xml_attribute_of(&r->xml, element, "class");
    for (int32_t e = r->xml.elements.data[element].parent; !own && e >= 0;
         e = r->xml.elements.data[e].parent)
        own = xml_attribute_of(&r->xml, e, "childclass");
    return own;
}

/* An attribute of an element, or that of its class, or of those around the class; NULL: none. */
static const char *attribute(const mjcf_reader *r, int32_t element, const char *key)
{
    const char *text = xml_attribute_of(&r->xml, element, key);
    int32_t at = text ? -1 : find_class(r, class_of(r, element));
    for (; !text && at > 0 && strcmp(name_of(r, at), "default") == 0;
         at = r->xml.elements.data[at].parent) {
        int32_t child = xml_child(&r->xml, at, name_of(r, element));
        if (child >= 0) text = xml_attribute_of(&r->xml, child, key);
    }
    return text;
}

static abut_status check_class(const mjcf_reader *r, int32_t element)
{
    const char *class = class_of(r, element);
    return !class || find_class(r, class) >= 0 || strcmp(class, "main") == 0
               ? ABUT_OK
               : bad(r, element, "there is no class of defaults", class);
}

/* Every attribute of an element and of its class must be known: `read`, or left out. */
static abut_status check_attributes(mjcf_reader *r, int32_t element, const char *const *read,
                                    const char *const *unused)
{
    TRY(check_class(r, element));
    int32_t at = element;
    for (bool own = true; at > 0; own = false) {
        int32_t from = own ? at : xml_child(&r->xml, at, name_of(r, element));
        for (size_t k = 0; from >= 0 && k < r->xml.elements.data[from].attribute_count; k++) {
            const char *key =
                r->xml.attributes.data[r->xml.elements.data[from].first_attribute + k].name;
            char named[100];
            if (is_one_of(key, read)) continue;
            snprintf(named, sizeof named, "@%s.%s", name_of(r, element), key);
            if (!is_one_of(key, unused)) return refuse(r, from, named);
            leave_out(r, named + 1);
        }
        at = own ? find_class(r, class_of(r, element)) : r->xml.elements.data[at].parent;
        if (at > 0 && strcmp(name_of(r, at), "default") != 0) break;
    }
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Numbers                                                                                        */

/* Up to `most` numbers; *count: how many there are (0: no attribute), at least `least`. */
static abut_status list_numbers(const mjcf_reader *r, int32_t element, const char *key, int least,
                                int most, double *out, int *count)
{
    const char *text = attribute(r, element, key), *at = text;
    *count = 0;
    if (!text) return ABUT_OK;
    const char *end = text + strlen(text);
    for (;;) {
        while (at < end && strchr(" \t\r\n", *at)) at++;
        if (at == end) break;
        double value;
        if (*count == most) return bad(r, element, "too many numbers in the attribute", key);
        if (number_read_double(&at, end, &value) != NUMBER_OK || !isfinite(value) ||
            (at < end && !strchr(" \t\r\n", *at)))
            return bad(r, element, "not the numbers that are needed in the attribute", key);
        out[(*count)++] = value;
    }
    return *count >= least ? ABUT_OK : bad(r, element, "too few numbers in the attribute", key);
}

static abut_status numbers(const mjcf_reader *r, int32_t element, const char *key, int count,
                           double *out)
{
    int found;
    double values[12];
    TRY(list_numbers(r, element, key, count, count, values, &found));
    if (found) memcpy(out, values, (size_t)count * sizeof *out);
    return ABUT_OK;
}

static abut_status truth(const mjcf_reader *r, int32_t element, const char *key, bool *out)
{
    const char *text = attribute(r, element, key);
    if (!text || strcmp(text, "auto") == 0) return ABUT_OK;
    *out = strcmp(text, "true") == 0;
    return *out || strcmp(text, "false") == 0
               ? ABUT_OK
               : bad(r, element, "neither \"true\" nor \"false\" in the attribute", key);
}

static abut_status copy_text(const mjcf_reader *r, const char *text, char **out)
{
    *out = mem_strdup(text);
    return *out ? ABUT_OK : error_memory(r->err, "reading a robot");
}

/* The rotation that takes z to a direction. */
static mat3 from_z_axis(vec3 z)
{
    vec3 a = vec3_normalize(z), up = {0, 0, 1}, axis = vec3_cross(up, a);
    double sine = vec3_norm(axis), cosine = a.z;
    if (sine < 1e-12) return cosine > 0 ? mat3_identity() : rotation_matrix((vec3){M_PI, 0, 0});
    return rotation_matrix(vec3_scale(atan2(sine, cosine) / sine, axis));
}

static abut_status read_euler(const mjcf_reader *r, int32_t element, mat3 *out)
{
    double angles[3] = {0};
    TRY(numbers(r, element, "euler", 3, angles));
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
        if (!attribute(r, element, keys[k])) continue;
        if (which >= 0) return bad(r, element, "two orientations, one is", keys[k]);
        which = k;
        TRY(numbers(r, element, keys[k], counts[k], v));
    }
    vec3 first = vec3_load(v), second = vec3_load(v + 3);
    bool none = which == 0   ? vec3_norm(first) + fabs(v[3]) == 0
                : which == 2 ? vec3_norm(vec3_cross(first, second)) == 0
                : which == 4 ? false
                             : vec3_norm(first) == 0;
    if (which >= 0 && none) return bad(r, element, "a direction has no length in", keys[which]);
    if (which == 0) *out = rotation_from_quaternion((quaternion){v[0], v[1], v[2], v[3]});
    if (which == 1) *out = rotation_matrix(vec3_scale(r->angle * v[3], vec3_normalize(first)));
    if (which == 2) {
        vec3 x = vec3_normalize(first);
        vec3 y = vec3_normalize(vec3_mul_add(second, -vec3_dot(x, second), x));
        *out = mat3_from_columns(x, y, vec3_cross(x, y));
    }
    if (which == 3) *out = from_z_axis(first);
    return which == 4 ? read_euler(r, element, out) : ABUT_OK;
}

static abut_status read_place(const mjcf_reader *r, int32_t element, robot_frame *out)
{
    double at[3] = {0};
    TRY(numbers(r, element, "pos", 3, at));
    out->origin = vec3_load(at);
    return read_orientation(r, element, &out->axes);
}

/* ---------------------------------------------------------------------------------------------- */
/* Geoms                                                                                          */

static abut_status read_mesh_file(const mjcf_reader *r, int32_t element, robot_shape *s)
{
    const char *name = attribute(r, element, "mesh");
    if (!name) return bad(r, element, "a geom of type \"mesh\" without a mesh", NULL);
    for (size_t i = 0; i < r->xml.elements.count; i++) {
        int32_t e = (int32_t)i, parent = r->xml.elements.data[i].parent;
        if (strcmp(name_of(r, e), "mesh") != 0 || parent < 0) continue;
        if (strcmp(name_of(r, parent), "asset") != 0) continue;
        const char *own = xml_attribute_of(&r->xml, e, "name");
        const char *file = xml_attribute_of(&r->xml, e, "file");
        const char *slash = file ? strrchr(file, '/') : NULL, *base = slash ? slash + 1 : file;
        const char *dot = base ? strrchr(base, '.') : NULL;
        size_t length = dot ? (size_t)(dot - base) : base ? strlen(base) : 0;
        bool match = own ? strcmp(own, name) == 0
                         : base && strlen(name) == length && strncmp(base, name, length) == 0;
        if (!match) continue;
        if (!file) return bad(r, e, "a mesh without a file", name);
        double scale[3] = {1, 1, 1};
        char joined[600];
        TRY(numbers(r, e, "scale", 3, scale));
        snprintf(joined, sizeof joined, "%.250s%s%.300s", r->mesh_folder ? r->mesh_folder : "",
                 r->mesh_folder && r->mesh_folder[0] ? "/" : "", file);
        s->kind = ROBOT_MESH;
        s->size = vec3_load(scale);
        return copy_text(r, joined, &s->file);
    }
    return bad(r, element, "there is no asset for the mesh", name);
}

/* From one point to another: capsules and cylinders along z. */
static abut_status read_ends(const mjcf_reader *r, int32_t element, const double *size,
                             robot_shape *s)
{
    double ends[6] = {0};
    TRY(numbers(r, element, "fromto", 6, ends));
    vec3 a = vec3_load(ends), b = vec3_load(ends + 3), along = vec3_sub(b, a);
    if (!(vec3_norm(along) > 0)) return bad(r, element, "no length in the attribute", "fromto");
    s->at = (robot_frame){vec3_scale(0.5, vec3_add(a, b)), from_z_axis(along)};
    s->size = (vec3){size[0], vec3_norm(along), 0};
    return ABUT_OK;
}

static abut_status read_shape(const mjcf_reader *r, int32_t element, robot_shape *s)
{
    const char *type = attribute(r, element, "type");
    double size[3] = {0};
    int count;
    if (!type) type = attribute(r, element, "mesh") ? "mesh" : "sphere";
    TRY(read_place(r, element, &s->at));
    if (strcmp(type, "mesh") == 0) return read_mesh_file(r, element, s);
    TRY(list_numbers(r, element, "size", 1, 3, size, &count));
    bool ends = attribute(r, element, "fromto") != NULL, round = false;
    int needed = 1;
    if (strcmp(type, "sphere") == 0) {
        s->kind = ROBOT_SPHERE;
        s->size = (vec3){size[0], 0, 0};
    } else if (strcmp(type, "box") == 0) {
        s->kind = ROBOT_BOX;
        s->size = vec3_scale(2, vec3_load(size));
        needed = 3;
    } else if (strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0) {
        s->kind = type[1] == 'a' ? ROBOT_CAPSULE : ROBOT_CYLINDER;
        s->size = (vec3){size[0], 2 * size[1], 0};
        needed = ends ? 1 : 2;
        round = true;
    } else {
        return refuse(r, element, type);
    }
    if (count < needed) return bad(r, element, "too few numbers in the attribute", "size");
    for (int k = 0; k < needed; k++)
        if (!(size[k] > 0)) return bad(r, element, "sizes must be positive", NULL);
    if (ends && !round) return refuse(r, element, "@geom.fromto of a box or sphere");
    return ends ? read_ends(r, element, size, s) : ABUT_OK;
}

static mat3 diagonal(double x, double y, double z)
{
    return (mat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}

/* Of a geom of density 1, in the frame of its shape. */
static mass_properties shape_mass(const robot_shape *s)
{
    double a = s->size.x, b = s->size.y, c = s->size.z, r2 = a * a;
    mass_properties m = {0};
    double x = 0, z = 0; /* moments per mass */
    if (s->kind == ROBOT_BOX) {
        m.mass = a * b * c;
        m.inertia = mat3_scale(m.mass / 12, diagonal(b * b + c * c, a * a + c * c, a * a + b * b));
        return m;
    }
    if (s->kind == ROBOT_SPHERE) {
        m.mass = 4 * M_PI / 3 * r2 * a;
        x = z = 0.4 * r2;
    } else if (s->kind == ROBOT_CYLINDER) {
        m.mass = M_PI * r2 * b;
        x = (3 * r2 + b * b) / 12;
        z = 0.5 * r2;
    } else { /* a capsule: a cylinder and the two halves of a ball */
        double tube = M_PI * r2 * b, ball = 4 * M_PI / 3 * r2 * a;
        m.mass = tube + ball;
        z = (0.5 * tube + 0.4 * ball) * r2 / m.mass;
        x = (tube * (3 * r2 + b * b) / 12 + ball * (0.4 * r2 + 0.25 * b * b + 0.375 * a * b)) /
            m.mass;
    }
    m.inertia = mat3_scale(m.mass, diagonal(x, x, z));
    return m;
}

/* A geom's share of the inertia of its link. */
static abut_status add_mass(mjcf_reader *r, int32_t element, const robot_shape *s, robot_link *link,
                            mass_properties *sum)
{
    double density = 1000, mass = -1;
    TRY(numbers(r, element, "density", 1, &density));
    TRY(numbers(r, element, "mass", 1, &mass));
    if (density < 0 || (mass < 0 && attribute(r, element, "mass")))
        return bad(r, element, "mass and density must not be negative in link", link->name);
    if (s->kind == ROBOT_MESH)
        return error_set(r->err, ABUT_ERROR_UNSUPPORTED, r->path,
                         "body \"%.80s\" has a mesh and no <inertial>; inertia from meshes is not "
                         "supported",
                         link->name);
    mass_properties own = shape_mass(s);
    double factor = mass >= 0 ? mass / own.mass : density;
    own.mass *= factor;
    own.inertia = mat3_scale(factor, own.inertia);
    own.center = s->at.origin;
    own.inertia = mat3_mul(mat3_mul(s->at.axes, own.inertia), mat3_transpose(s->at.axes));
    if (own.mass > 0) *sum = sum->mass > 0 ? mass_add(sum, &own) : own;
    return ABUT_OK;
}

static abut_status add_plane(mjcf_reader *r, int32_t element, int32_t link)
{
    robot_frame at;
    TRY(read_place(r, element, &at));
    if (link != r->robot->root) return refuse(r, element, "plane outside of the worldbody");
    robot_plane plane = {at.origin, mat3_column(at.axes, 2)};
    return array_push(&r->robot->planes, plane) ? ABUT_OK : error_memory(r->err, "reading a robot");
}

static abut_status read_geom(mjcf_reader *r, int32_t element, int32_t link, mass_properties *sum)
{
    static const char *const read[] = {"name",        "class",     "type",   "size",     "pos",
                                       "quat",        "axisangle", "xyaxes", "zaxis",    "euler",
                                       "fromto",      "mass",      "mesh",   "density",  "contype",
                                       "conaffinity", "group",     "rgba",   "friction", NULL};
    static const char *const unused[] = {"condim", "solmix",   "solref",   "solimp", "margin",
                                         "gap",    "priority", "material", "user",   NULL};
    TRY(check_attributes(r, element, read, unused));
    const char *type = attribute(r, element, "type");
    if (type && strcmp(type, "plane") == 0) return add_plane(r, element, link);
    double kinds[2] = {1, 1}, friction[3] = {1, 0, 0};
    int count;
    TRY(numbers(r, element, "contype", 1, kinds));
    TRY(numbers(r, element, "conaffinity", 1, kinds + 1));
    TRY(list_numbers(r, element, "friction", 1, 3, friction, &count));
    if (kinds[0] != kinds[1] || (kinds[0] != 0 && kinds[0] != 1))
        return refuse(r, element, "@contype and conaffinity other than both 1 or both 0");
    if (friction[0] < 0) return bad(r, element, "the friction must not be negative", NULL);
    robot_shape s = {.link = link, .visual = kinds[0] == 0};
    abut_status status = read_shape(r, element, &s);
    robot_link *owner = &r->robot->links.data[link];
    if (status == ABUT_OK && !s.visual) owner->friction = fmax(owner->friction, friction[0]);
    if (status == ABUT_OK && link != r->robot->root &&
        (!owner->has_inertial || r->inertia_from_geoms) && !r->inertia_never)
        status = add_mass(r, element, &s, owner, sum);
    if (status == ABUT_OK && !array_push(&r->robot->shapes, s))
        status = error_memory(r->err, "reading a robot");
    if (status != ABUT_OK) mem_free(s.file);
    return status;
}

/* ---------------------------------------------------------------------------------------------- */
/* Bodies                                                                                         */

static abut_status read_inertial(mjcf_reader *r, int32_t element, robot_link *link)
{
    robot_frame at;
    double mass = 0, d[6] = {0};
    int full, diagonal;
    if (!attribute(r, element, "pos")) return bad(r, element, "there is no attribute", "pos");
    TRY(read_place(r, element, &at));
    TRY(numbers(r, element, "mass", 1, &mass));
    TRY(list_numbers(r, element, "fullinertia", 6, 6, d, &full));
    if (!full) TRY(list_numbers(r, element, "diaginertia", 3, 3, d, &diagonal));
    mat3 tensor = {{{d[0], d[3], d[4]}, {d[3], d[1], d[5]}, {d[4], d[5], d[2]}}};
    if (!(mass > 0)) return bad(r, element, "the mass must be positive of body", link->name);
    if (!robot_is_inertia(tensor))
        return bad(r, element,
                   "the inertia is not that of a body (positive, no moment above the sum of the "
                   "others) of body",
                   link->name);
    link->has_inertial = true;
    link->inertial =
        (mass_properties){.mass = mass,
                          .center = at.origin,
                          .inertia = mat3_mul(mat3_mul(at.axes, tensor), mat3_transpose(at.axes))};
    return ABUT_OK;
}

static int32_t find_link(const robot *r, const char *name)
{
    for (size_t i = 0; i < r->links.count; i++)
        if (strcmp(r->links.data[i].name, name) == 0) return (int32_t)i;
    return -1;
}

static int32_t find_joint(const robot *r, const char *name)
{
    for (size_t i = 0; name && i < r->joints.count; i++)
        if (strcmp(r->joints.data[i].name, name) == 0) return (int32_t)i;
    return -1;
}

static abut_status read_kind(mjcf_reader *r, int32_t element, robot_joint *j)
{
    const char *type = attribute(r, element, "type");
    bool free = strcmp(name_of(r, element), "freejoint") == 0;
    if (free || (type && strcmp(type, "free") == 0))
        j->kind = ROBOT_FLOATING;
    else if (!type || strcmp(type, "hinge") == 0)
        j->kind = ROBOT_CONTINUOUS;
    else if (strcmp(type, "slide") == 0)
        j->kind = ROBOT_PRISMATIC;
    else if (strcmp(type, "ball") == 0)
        j->kind = ROBOT_BALL;
    else
        return bad(r, element, "there is no type of joints", type);
    if (j->kind == ROBOT_FLOATING && j->parent != r->robot->root)
        return bad(r, element, "a free joint below another body, in", j->name);
    return ABUT_OK;
}

static abut_status read_range(mjcf_reader *r, int32_t element, double unit, robot_joint *j)
{
    double range[2] = {0};
    bool limited = r->automatic_limits && attribute(r, element, "range");
    TRY(truth(r, element, "limited", &limited));
    TRY(numbers(r, element, "range", 2, range));
    j->lower = -INFINITY;
    j->upper = INFINITY;
    if (!limited) return ABUT_OK;
    if (j->kind == ROBOT_BALL) return refuse(r, element, "@range of a ball joint");
    if (!(range[0] < range[1]))
        return bad(r, element, "the first of `range` must be below the second of joint", j->name);
    j->lower = unit * range[0];
    j->upper = unit * range[1];
    if (j->kind == ROBOT_CONTINUOUS) j->kind = ROBOT_REVOLUTE;
    double margin = 0.01 * (j->upper - j->lower);
    j->start = fmin(fmax(j->reference, j->lower + margin), j->upper - margin);
    if (j->start != j->reference)
        log_message(r->log, ABUT_LOG_INFO, "%s: joint \"%.60s\" starts at %g, within its limits",
                    r->path, j->name, j->start);
    return ABUT_OK;
}

static abut_status fill_joint(mjcf_reader *r, int32_t element, robot_joint *j)
{
    double axis[3] = {0, 0, 1}, at[3] = {0};
    TRY(read_kind(r, element, j));
    if (j->kind == ROBOT_FLOATING) return ABUT_OK;
    double unit = j->kind == ROBOT_PRISMATIC ? 1 : r->angle;
    TRY(numbers(r, element, "axis", 3, axis));
    TRY(numbers(r, element, "pos", 3, at));
    j->axis = vec3_load(axis);
    j->anchor = vec3_load(at);
    if (!(vec3_norm(j->axis) > 0))
        return bad(r, element, "the axis has no length of joint", j->name);
    j->axis = vec3_normalize(j->axis);
    TRY(numbers(r, element, "ref", 1, &j->reference));
    TRY(numbers(r, element, "springref", 1, &j->rest));
    TRY(numbers(r, element, "stiffness", 1, &j->stiffness));
    TRY(numbers(r, element, "damping", 1, &j->damping));
    TRY(numbers(r, element, "frictionloss", 1, &j->friction));
    j->reference *= unit;
    j->rest *= unit;
    j->start = j->reference;
    if (j->damping < 0 || j->friction < 0 || j->stiffness < 0)
        return bad(r, element, "stiffness, damping and friction must not be negative of joint",
                   j->name);
    double armature = 0;
    TRY(numbers(r, element, "armature", 1, &armature));
    if (armature != 0) return refuse(r, element, "@joint.armature");
    if (j->kind == ROBOT_BALL && (j->damping > 0 || j->friction > 0 || j->stiffness > 0))
        return refuse(r, element, "@damping, friction or stiffness of a ball joint");
    return read_range(r, element, unit, j);
}

/* The joint that leads to a link; without an element it is fixed. */
static abut_status read_joint(mjcf_reader *r, int32_t element, int32_t link, int32_t parent,
                              robot_frame at)
{
    static const char *const read[] = {
        "name",  "class",     "type",      "pos",     "axis",         "range",    "limited", "ref",
        "group", "springref", "stiffness", "damping", "frictionloss", "armature", NULL};
    static const char *const unused[] = {
        "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin", "user", NULL};
    robot_joint j = {.kind = ROBOT_FIXED, .parent = parent, .child = link, .at = at};
    j.multiplier = 1;
    const char *own = element >= 0 ? xml_attribute_of(&r->xml, element, "name") : NULL;
    char name[200];
    snprintf(name, sizeof name, "%.180s_joint", r->robot->links.data[link].name);
    if (find_joint(r->robot, own ? own : name) >= 0)
        return bad(r, element, "there are two joints", own ? own : name);
    if (element >= 0) TRY(check_attributes(r, element, read, unused));
    abut_status status = copy_text(r, own ? own : name, &j.name);
    if (status == ABUT_OK && element >= 0) status = fill_joint(r, element, &j);
    if (status == ABUT_OK && !array_push(&r->robot->joints, j))
        status = error_memory(r->err, "reading a robot");
    if (status != ABUT_OK) {
        mem_free(j.name);
        return status;
    }
    r->robot->links.data[link].joint = (int32_t)r->robot->joints.count - 1;
    return ABUT_OK;
}

static abut_status add_link(mjcf_reader *r, int32_t element, const char *name, int32_t *out)
{
    robot_link link = {.joint = -1};
    if (find_link(r->robot, name) >= 0) return bad(r, element, "there are two bodies", name);
    TRY(copy_text(r, name, &link.name));
    if (!array_push(&r->robot->links, link)) {
        mem_free(link.name);
        return error_memory(r->err, "reading a robot");
    }
    *out = (int32_t)r->robot->links.count - 1;
    return ABUT_OK;
}

static abut_status check_body_attributes(mjcf_reader *r, int32_t element)
{
    static const char *const read[] = {"name",  "pos",   "quat",       "axisangle", "xyaxes",
                                       "zaxis", "euler", "childclass", NULL};
    for (size_t k = 0; k < r->xml.elements.data[element].attribute_count; k++) {
        const xml_attribute *a =
            &r->xml.attributes.data[r->xml.elements.data[element].first_attribute + k];
        char named[100];
        snprintf(named, sizeof named, "@body.%s", a->name);
        if (is_one_of(a->name, read)) continue;
        if (strcmp(a->name, "user") != 0) return refuse(r, element, named);
    }
    return ABUT_OK;
}

/* What a body holds; joints have been read. */
static abut_status read_contents(mjcf_reader *r, int32_t element, int32_t link)
{
    static const char *const drawn[] = {"site", "camera", "light", NULL};
    static const char *const elsewhere[] = {"body", "joint", "freejoint", NULL};
    mass_properties sum = {0};
    int32_t inertial = xml_child(&r->xml, element, "inertial");
    if (inertial >= 0 && link != r->robot->root)
        TRY(read_inertial(r, inertial, &r->robot->links.data[link]));
    for (int32_t e = r->xml.elements.data[element].first_child; e >= 0;
         e = r->xml.elements.data[e].next) {
        const char *name = name_of(r, e);
        if (strcmp(name, "geom") == 0)
            TRY(read_geom(r, e, link, &sum));
        else if (is_one_of(name, drawn))
            leave_out(r, name);
        else if (e != inertial && !is_one_of(name, elsewhere))
            return refuse(r, e, name);
    }
    if (sum.mass > 0) {
        r->robot->links.data[link].has_inertial = true;
        r->robot->links.data[link].inertial = sum;
    }
    return ABUT_OK;
}

static abut_status read_body(mjcf_reader *r, int32_t element, int32_t parent, int depth)
{
    enum { DEEPEST = 128 };
    const char *own = xml_attribute_of(&r->xml, element, "name");
    char name[100];
    robot_frame at;
    int32_t link;
    if (depth > DEEPEST) return bad(r, element, "bodies are nested too deeply", NULL);
    snprintf(name, sizeof name, "body%zu", r->robot->links.count);
    TRY(check_body_attributes(r, element));
    TRY(read_place(r, element, &at));
    TRY(add_link(r, element, own ? own : name, &link));
    int32_t joint = xml_child(&r->xml, element, "joint");
    int32_t free = xml_child(&r->xml, element, "freejoint");
    if (joint >= 0 && (free >= 0 || xml_next(&r->xml, joint, "joint") >= 0))
        return refuse(r, joint, "several joints in one body");
    TRY(read_joint(r, joint >= 0 ? joint : free, link, parent, at));
    TRY(read_contents(r, element, link));
    for (int32_t e = xml_child(&r->xml, element, "body"); e >= 0; e = xml_next(&r->xml, e, "body"))
        TRY(read_body(r, e, link, depth + 1));
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Actuators                                                                                      */

static abut_status read_force_range(mjcf_reader *r, int32_t element, double gear, double *most)
{
    double range[2] = {0};
    bool limited = r->automatic_limits && attribute(r, element, "forcerange");
    TRY(truth(r, element, "forcelimited", &limited));
    TRY(numbers(r, element, "forcerange", 2, range));
    *most = INFINITY;
    if (!limited) return ABUT_OK;
    if (!(range[1] > 0) || fabs(range[0] + range[1]) > 1e-9 * range[1])
        return refuse(r, element, "@forcerange that is not the same in both directions");
    *most = fabs(gear) * range[1];
    return ABUT_OK;
}

static abut_status read_actuator(mjcf_reader *r, int32_t element)
{
    static const char *const read[] = {"name", "class", "joint",      "gear",         "kp",
                                       "kv",   "group", "forcerange", "forcelimited", NULL};
    static const char *const unused[] = {"ctrlrange", "ctrllimited", "inheritrange", "user", NULL};
    const char *kind = name_of(r, element);
    bool motor = strcmp(kind, "motor") == 0, position = strcmp(kind, "position") == 0;
    if (!motor && !position && strcmp(kind, "velocity") != 0) return refuse(r, element, kind);
    TRY(check_attributes(r, element, read, unused));
    const char *name = attribute(r, element, "joint");
    int32_t joint = find_joint(r->robot, name);
    if (joint < 0) return bad(r, element, "there is no joint", name ? name : "");
    robot_joint *j = &r->robot->joints.data[joint];
    if (j->kind != ROBOT_REVOLUTE && j->kind != ROBOT_CONTINUOUS && j->kind != ROBOT_PRISMATIC)
        return refuse(r, element, "an actuator of a ball or free joint");
    if (j->drive.kind != ROBOT_NO_DRIVE) return refuse(r, element, "a second actuator of a joint");
    double gear[6] = {1}, kp = 1, kv = position ? 0 : 1;
    int count;
    TRY(list_numbers(r, element, "gear", 1, 6, gear, &count));
    TRY(numbers(r, element, "kp", 1, &kp));
    TRY(numbers(r, element, "kv", 1, &kv));
    if (gear[0] == 0 || kp < 0 || kv < 0)
        return bad(r, element, "the gear must not be 0, kp and kv not negative, of joint", name);
    double g2 = gear[0] * gear[0];
    j->drive.kind = motor ? ROBOT_EFFORT : position ? ROBOT_POSITION : ROBOT_VELOCITY;
    j->drive.stiffness = kp * g2;
    j->drive.damping = kv * g2;
    TRY(read_force_range(r, element, gear[0], &j->drive.most));
    if (motor) j->drive.most = INFINITY; /* its effort is what the program asks for */
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* The file                                                                                       */

static abut_status read_compiler(mjcf_reader *r, int32_t element)
{
    static const char *const read[] = {"angle",   "eulerseq",        "coordinate", "autolimits",
                                       "meshdir", "inertiafromgeom", NULL};
    static const char *const unused[] = {
        "texturedir", "strippath", "discardvisual", "usethread", "fitaabb", "convexhull", NULL};
    TRY(check_attributes(r, element, read, unused));
    const char *angle = xml_attribute_of(&r->xml, element, "angle");
    const char *euler = xml_attribute_of(&r->xml, element, "eulerseq");
    const char *coordinate = xml_attribute_of(&r->xml, element, "coordinate");
    const char *inertia = xml_attribute_of(&r->xml, element, "inertiafromgeom");
    const char *folder = xml_attribute_of(&r->xml, element, "meshdir");
    if (folder) r->mesh_folder = folder;
    if (angle && strcmp(angle, "radian") == 0)
        r->angle = 1;
    else if (angle && strcmp(angle, "degree") != 0)
        return bad(r, element, "neither \"degree\" nor \"radian\" in the attribute", "angle");
    if (euler && (strlen(euler) != 3 || strspn(euler, "xyzXYZ") != 3))
        return bad(r, element, "not three of the letters x, y, z in the attribute", "eulerseq");
    if (euler) r->euler = euler;
    if (coordinate && strcmp(coordinate, "local") != 0)
        return refuse(r, element, "@compiler.coordinate other than local");
    r->inertia_from_geoms = inertia && strcmp(inertia, "true") == 0;
    r->inertia_never = inertia && strcmp(inertia, "false") == 0;
    return truth(r, element, "autolimits", &r->automatic_limits);
}

static abut_status read_option(mjcf_reader *r, int32_t element)
{
    static const char *const read[] = {"gravity", "timestep", "density", "viscosity", "wind", NULL};
    static const char *const unused[] = {
        "integrator",       "cone",           "jacobian",       "solver",
        "iterations",       "tolerance",      "impratio",       "apirate",
        "magnetic",         "ls_iterations",  "ls_tolerance",   "noslip_iterations",
        "noslip_tolerance", "ccd_iterations", "ccd_tolerance",  "mpr_iterations",
        "mpr_tolerance",    "sdf_iterations", "sdf_initpoints", NULL};
    double gravity[3] = {0, 0, -9.81}, wind[3] = {0}, fluid[2] = {0};
    TRY(check_attributes(r, element, read, unused));
    TRY(numbers(r, element, "gravity", 3, gravity));
    TRY(numbers(r, element, "timestep", 1, &r->robot->step));
    TRY(numbers(r, element, "wind", 3, wind));
    TRY(numbers(r, element, "density", 1, fluid));
    TRY(numbers(r, element, "viscosity", 1, fluid + 1));
    if (vec3_norm(vec3_load(wind)) + fabs(fluid[0]) + fabs(fluid[1]) > 0)
        return refuse(r, element, "@wind, density or viscosity of a medium");
    if (!(r->robot->step > 0)) return bad(r, element, "the time step must be positive", NULL);
    r->robot->gravity = vec3_load(gravity);
    int32_t child = r->xml.elements.data[element].first_child;
    return child >= 0 ? refuse(r, child, name_of(r, child)) : ABUT_OK;
}

static abut_status read_top(mjcf_reader *r)
{
    static const char *const elsewhere[] = {"compiler",  "option",   "default",
                                            "worldbody", "actuator", NULL};
    static const char *const unused[] = {"visual", "statistic", "sensor", "keyframe",
                                         "size",   "custom",    NULL};
    static const char *const drawn[] = {"texture", "material", "mesh", NULL};
    for (int32_t e = r->xml.elements.data[0].first_child; e >= 0;
         e = r->xml.elements.data[e].next) {
        const char *name = name_of(r, e);
        if (strcmp(name, "asset") == 0) {
            for (int32_t a = r->xml.elements.data[e].first_child; a >= 0;
                 a = r->xml.elements.data[a].next)
                if (!is_one_of(name_of(r, a), drawn)) return refuse(r, a, name_of(r, a));
        } else if (is_one_of(name, unused)) {
            leave_out(r, name);
        } else if (!is_one_of(name, elsewhere)) {
            return refuse(r, e, name);
        }
        if (strcmp(name, "compiler") == 0) TRY(read_compiler(r, e));
    }
    return ABUT_OK;
}

static abut_status read_file(mjcf_reader *r)
{
    const xml_document *xml = &r->xml;
    if (strcmp(xml->elements.data[0].name, "mujoco") != 0)
        return bad(r, 0, "the root of an MJCF file is <mujoco>, found", xml->elements.data[0].name);
    const char *name = xml_attribute_of(xml, 0, "model");
    TRY(copy_text(r, name && name[0] ? name : "robot", &r->robot->name));
    TRY(read_top(r));
    for (int32_t e = xml_child(xml, 0, "option"); e >= 0; e = xml_next(xml, e, "option"))
        TRY(read_option(r, e));
    TRY(add_link(r, 0, "worldbody", &r->robot->root));
    for (int32_t e = xml_child(xml, 0, "worldbody"); e >= 0; e = xml_next(xml, e, "worldbody")) {
        TRY(read_contents(r, e, r->robot->root));
        for (int32_t b = xml_child(xml, e, "body"); b >= 0; b = xml_next(xml, b, "body"))
            TRY(read_body(r, b, r->robot->root, 0));
    }
    if (r->robot->links.count < 2) return bad(r, 0, "there is no body", NULL);
    for (int32_t e = xml_child(xml, 0, "actuator"); e >= 0; e = xml_next(xml, e, "actuator"))
        for (int32_t a = xml->elements.data[e].first_child; a >= 0; a = xml->elements.data[a].next)
            TRY(read_actuator(r, a));
    if (r->left_out[0])
        log_message(r->log, ABUT_LOG_WARNING, "%s: what is not read:%s", r->path, r->left_out);
    return ABUT_OK;
}

abut_status mjcf_read(const char *path, const file_bytes *bytes, const logger *log, robot *out,
                      abut_error *err)
{
    *out = (robot){.gravity = {0, 0, -9.81}, .step = 0.002, .friction = 1, .root_is_world = true};
    mjcf_reader r = {.path = path,
                     .robot = out,
                     .log = log,
                     .err = err,
                     .angle = M_PI / 180,
                     .euler = "xyz",
                     .automatic_limits = true};
    TRY(xml_read(path, bytes, &r.xml, err));
    abut_status status = read_file(&r);
    xml_free(&r.xml);
    if (status != ABUT_OK) robot_free(out);
    return status;
}

abut_status import_mjcf(const char *path, const logger *log, json_t **native, abut_error *err)
{
    file_bytes bytes;
    robot r;
    TRY(file_read(path, &bytes, err));
    abut_status status = mjcf_read(path, &bytes, log, &r, err);
    file_free(&bytes);
    TRY(status);
    status = robot_to_document(path, &r, native, err);
    robot_free(&r);
    return status;
}
