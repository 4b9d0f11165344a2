/* URDF files: links, inertials, shapes, joints, limits, mimics. */
#include "math/rotation.h"
#include "scene/robot_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------- */
/* Numbers                                                                                        */

/* `count` numbers of an attribute; absent: what is there stays. */
static abut_status numbers(const robot_reader *r, int32_t element, const char *key, int count,
                           double *out)
{
    const char *text = element >= 0 ? xml_attribute_of(&r->xml, element, key) : NULL;
    int found;
    if (!text) return ABUT_OK;
    TRY(robot_read_list(r, element, key, text, count, out, &found));
    return found == count
               ? ABUT_OK
               : robot_bad(r, element, "not the numbers that are needed in the attribute", key);
}

/* R = Rz(yaw) Ry(pitch) Rx(roll). */
static mat3 from_rpy(vec3 a)
{
    mat3 x = rotation_matrix((vec3){a.x, 0, 0}), y = rotation_matrix((vec3){0, a.y, 0});
    return mat3_mul(rotation_matrix((vec3){0, 0, a.z}), mat3_mul(y, x));
}

static abut_status read_origin(robot_reader *r, int32_t owner, robot_frame *out)
{
    double xyz[3] = {0}, rpy[3] = {0};
    int32_t origin = xml_child(&r->xml, owner, "origin");
    TRY(numbers(r, origin, "xyz", 3, xyz));
    TRY(numbers(r, origin, "rpy", 3, rpy));
    *out = (robot_frame){vec3_load(xyz), from_rpy(vec3_load(rpy))};
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Links                                                                                          */

static abut_status read_inertial(robot_reader *r, int32_t element, robot_link *link)
{
    int32_t inertial = xml_child(&r->xml, element, "inertial");
    if (inertial < 0) return ABUT_OK;
    robot_frame at;
    double mass = 0, i[6] = {0};
    static const char *const keys[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    int32_t inertia = xml_child(&r->xml, inertial, "inertia");
    TRY(read_origin(r, inertial, &at));
    TRY(numbers(r, xml_child(&r->xml, inertial, "mass"), "value", 1, &mass));
    for (int k = 0; k < 6; k++) TRY(numbers(r, inertia, keys[k], 1, &i[k]));
    if (mass == 0 && i[0] == 0 && i[1] == 0 && i[2] == 0) return ABUT_OK; /* a frame */
    mat3 tensor = {{{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}};
    return robot_set_inertial(r, inertial, "link", mass, at, tensor, link);
}

static abut_status read_geometry(robot_reader *r, int32_t geometry, robot_shape *s)
{
    int32_t box = xml_child(&r->xml, geometry, "box"), mesh = xml_child(&r->xml, geometry, "mesh");
    int32_t cylinder = xml_child(&r->xml, geometry, "cylinder");
    int32_t sphere = xml_child(&r->xml, geometry, "sphere");
    double v[3] = {0};
    if (box >= 0) TRY(numbers(r, box, "size", 3, v));
    if (sphere >= 0) TRY(numbers(r, sphere, "radius", 1, v));
    if (cylinder >= 0) TRY(numbers(r, cylinder, "radius", 1, v));
    if (cylinder >= 0) TRY(numbers(r, cylinder, "length", 1, v + 1));
    if (mesh >= 0) {
        const char *file = xml_attribute_of(&r->xml, mesh, "filename");
        if (!file) return robot_bad(r, mesh, "a mesh without a filename", NULL);
        v[0] = v[1] = v[2] = 1;
        TRY(numbers(r, mesh, "scale", 3, v));
        TRY(robot_copy_text(r, file, &s->file));
    }
    s->kind = box >= 0 ? ROBOT_BOX : cylinder >= 0 ? ROBOT_CYLINDER : ROBOT_SPHERE;
    if (mesh >= 0) s->kind = ROBOT_MESH;
    if (box < 0 && mesh < 0 && cylinder < 0 && sphere < 0)
        return robot_bad(r, geometry, "geometry is a box, a cylinder, a sphere or a mesh", NULL);
    s->size = vec3_load(v);
    bool positive =
        v[0] > 0 && (s->kind == ROBOT_SPHERE || v[1] > 0) && (s->kind != ROBOT_BOX || v[2] > 0);
    if (!positive && s->kind != ROBOT_MESH)
        return robot_bad(r, geometry, "sizes must be positive", NULL);
    if (s->kind == ROBOT_MESH && v[0] * v[1] * v[2] == 0)
        return robot_bad(r, mesh, "the scale must not be 0", NULL);
    return ABUT_OK;
}

static abut_status read_shapes(robot_reader *r, int32_t element, int32_t link, bool visual)
{
    const char *name = visual ? "visual" : "collision";
    for (int32_t e = xml_child(&r->xml, element, name); e >= 0; e = xml_next(&r->xml, e, name)) {
        robot_shape s = {.link = link, .visual = visual};
        int32_t geometry = xml_child(&r->xml, e, "geometry");
        if (geometry < 0) return robot_bad(r, e, "there is no geometry in the element", name);
        TRY(read_origin(r, e, &s.at));
        abut_status status = read_geometry(r, geometry, &s);
        if (status == ABUT_OK && !array_push(&r->robot->shapes, s))
            status = error_memory(r->err, "reading a robot");
        if (status != ABUT_OK) mem_free(s.file);
        TRY(status);
    }
    return ABUT_OK;
}

static abut_status read_link(robot_reader *r, int32_t element)
{
    const char *name = xml_attribute_of(&r->xml, element, "name");
    int32_t number;
    if (!name || !name[0]) return robot_bad(r, element, "a link without a name", NULL);
    if (robot_find_link(r->robot, name) >= 0)
        return robot_bad(r, element, "there are two links", name);
    TRY(robot_add_link(r, name, &number));
    TRY(read_inertial(r, element, &r->robot->links.data[number]));
    TRY(read_shapes(r, element, number, false));
    return read_shapes(r, element, number, true);
}

/* ---------------------------------------------------------------------------------------------- */
/* Joints                                                                                         */

static abut_status read_kind(robot_reader *r, int32_t element, robot_joint *j)
{
    static const char *const words[] = {"revolute", "continuous", "prismatic",
                                        "fixed",    "floating",   "planar"};
    const char *type = xml_attribute_of(&r->xml, element, "type");
    for (int k = 0; type && k < 6; k++)
        if (strcmp(words[k], type) == 0) {
            j->kind = (robot_joint_kind)k;
            return ABUT_OK;
        }
    return robot_bad(r, element, "there is no type of joints", type ? type : "");
}

static abut_status read_limits(robot_reader *r, int32_t element, robot_joint *j)
{
    int32_t limit = xml_child(&r->xml, element, "limit");
    j->lower = -INFINITY;
    j->upper = INFINITY;
    if (j->kind != ROBOT_REVOLUTE && j->kind != ROBOT_PRISMATIC) return ABUT_OK;
    if (limit < 0) return robot_bad(r, element, "there is no limit in the joint", j->name);
    j->lower = j->upper = 0;
    TRY(numbers(r, limit, "lower", 1, &j->lower));
    TRY(numbers(r, limit, "upper", 1, &j->upper));
    if (j->lower > j->upper)
        return robot_bad(r, limit, "the lower limit is above the upper one of joint", j->name);
    if (j->lower == j->upper) j->kind = ROBOT_FIXED; /* locked */
    /* The start must be between the limits; 0 where it can. */
    double margin = 0.01 * (j->upper - j->lower);
    if (isfinite(margin)) j->start = fmin(fmax(0, j->lower + margin), j->upper - margin);
    if (j->start != 0)
        log_message(r->log, ABUT_LOG_INFO, "%s: joint \"%.60s\" starts at %g, within its limits",
                    r->path, j->name, j->start);
    return ABUT_OK;
}

static abut_status read_mimic(robot_reader *r, int32_t element, robot_joint *j)
{
    int32_t mimic = xml_child(&r->xml, element, "mimic");
    j->multiplier = 1;
    if (mimic < 0) return ABUT_OK;
    const char *other = xml_attribute_of(&r->xml, mimic, "joint");
    TRY(numbers(r, mimic, "multiplier", 1, &j->multiplier));
    TRY(numbers(r, mimic, "offset", 1, &j->offset));
    return robot_copy_text(r, other ? other : "", &j->mimic);
}

static abut_status fill_joint(robot_reader *r, int32_t element, robot_joint *j)
{
    double axis[3] = {1, 0, 0};
    int32_t parent = xml_child(&r->xml, element, "parent");
    int32_t child = xml_child(&r->xml, element, "child");
    const char *from = parent >= 0 ? xml_attribute_of(&r->xml, parent, "link") : NULL;
    const char *to = child >= 0 ? xml_attribute_of(&r->xml, child, "link") : NULL;
    TRY(read_kind(r, element, j));
    j->parent = robot_find_link(r->robot, from);
    j->child = robot_find_link(r->robot, to);
    if (j->parent < 0) return robot_bad(r, element, "there is no link", from ? from : "");
    if (j->child < 0) return robot_bad(r, element, "there is no link", to ? to : "");
    if (r->robot->links.data[j->child].joint >= 0)
        return robot_bad(r, element, "two joints lead to link", to);
    TRY(read_origin(r, element, &j->at));
    TRY(numbers(r, xml_child(&r->xml, element, "axis"), "xyz", 3, axis));
    j->axis = vec3_load(axis);
    if (!(vec3_norm(j->axis) > 0))
        return robot_bad(r, element, "the axis has no length of joint", j->name);
    j->axis = vec3_normalize(j->axis);
    int32_t dynamics = xml_child(&r->xml, element, "dynamics");
    TRY(numbers(r, dynamics, "damping", 1, &j->damping));
    TRY(numbers(r, dynamics, "friction", 1, &j->friction));
    if (j->damping < 0 || j->friction < 0)
        return robot_bad(r, dynamics, "damping and friction must not be negative of joint",
                         j->name);
    TRY(read_limits(r, element, j));
    return read_mimic(r, element, j);
}

static abut_status read_joint(robot_reader *r, int32_t element)
{
    const char *name = xml_attribute_of(&r->xml, element, "name");
    robot_joint j = {0};
    if (!name || !name[0]) return robot_bad(r, element, "a joint without a name", NULL);
    if (robot_find_joint(r->robot, name) >= 0)
        return robot_bad(r, element, "there are two joints", name);
    abut_status status = robot_copy_text(r, name, &j.name);
    if (status == ABUT_OK) status = fill_joint(r, element, &j);
    if (status == ABUT_OK && !array_push(&r->robot->joints, j))
        status = error_memory(r->err, "reading a robot");
    if (status != ABUT_OK) {
        mem_free(j.name);
        mem_free(j.mimic);
        return status;
    }
    r->robot->links.data[j.child].joint = (int32_t)r->robot->joints.count - 1;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* The robot                                                                                      */

static abut_status check_tree(robot_reader *r)
{
    robot *all = r->robot;
    all->root = -1;
    for (size_t i = 0; i < all->links.count; i++) {
        int32_t at = (int32_t)i;
        for (size_t steps = 0; all->links.data[at].joint >= 0; steps++) {
            if (steps > all->links.count)
                return robot_bad(r, 0, "the joints go in a circle at link",
                                 all->links.data[i].name);
            at = all->joints.data[all->links.data[at].joint].parent;
        }
        if (all->root >= 0 && all->root != at)
            return robot_bad(r, 0, "two links have no joint that leads to them, one is",
                             all->links.data[at].name);
        all->root = at;
    }
    if (all->root < 0) return robot_bad(r, 0, "there is no link", NULL);
    for (size_t i = 0; i < all->joints.count; i++) {
        int32_t at = (int32_t)i;
        for (size_t steps = 0; at >= 0 && all->joints.data[at].mimic; steps++) {
            const robot_joint *j = &all->joints.data[at];
            at = robot_find_joint(all, j->mimic);
            if (at < 0) return robot_bad(r, 0, "there is no joint to mimic", j->mimic);
            if (steps > all->joints.count)
                return robot_bad(r, 0, "joints mimic each other in a circle, one is", j->name);
        }
    }
    return ABUT_OK;
}

static void name_unknown(robot_reader *r)
{
    static const char *const known[] = {"link", "joint", "material"};
    char seen[200] = "";
    for (int32_t e = r->xml.elements.data[0].first_child; e >= 0;
         e = r->xml.elements.data[e].next) {
        const char *name = r->xml.elements.data[e].name;
        bool ignored = strstr(seen, name) != NULL;
        for (int k = 0; k < 3; k++) ignored = ignored || strcmp(known[k], name) == 0;
        if (ignored || strlen(seen) + strlen(name) + 3 > sizeof seen) continue;
        strcat(strcat(seen, " "), name);
    }
    if (seen[0])
        log_message(r->log, ABUT_LOG_WARNING, "%s: elements that are not read:%s", r->path, seen);
}

static abut_status read_robot(robot_reader *r)
{
    const xml_document *xml = &r->xml;
    if (strcmp(xml->elements.data[0].name, "robot") != 0)
        return robot_bad(r, 0, "the root of a URDF file is <robot>, found",
                         xml->elements.data[0].name);
    const char *name = xml_attribute_of(xml, 0, "name");
    TRY(robot_copy_text(r, name && name[0] ? name : "robot", &r->robot->name));
    for (int32_t e = xml_child(xml, 0, "link"); e >= 0; e = xml_next(xml, e, "link"))
        TRY(read_link(r, e));
    for (int32_t e = xml_child(xml, 0, "joint"); e >= 0; e = xml_next(xml, e, "joint"))
        TRY(read_joint(r, e));
    name_unknown(r);
    return check_tree(r);
}

abut_status urdf_read(const char *path, const file_bytes *bytes, const logger *log, robot *out,
                      abut_error *err)
{
    *out = (robot){.gravity = {0, 0, -9.81}, .step = 0.01};
    robot_reader r = {.path = path, .robot = out, .log = log, .err = err};
    if (memmem(bytes->data, bytes->size, "xmlns:xacro", 11))
        return error_set(err, ABUT_ERROR_UNSUPPORTED, path,
                         "is a xacro file; convert it to URDF with the program xacro first");
    TRY(xml_read(path, bytes, &r.xml, err));
    abut_status status = read_robot(&r);
    xml_free(&r.xml);
    if (status != ABUT_OK) robot_free(out);
    return status;
}

void robot_free(robot *r)
{
    for (size_t i = 0; i < r->links.count; i++) mem_free(r->links.data[i].name);
    for (size_t i = 0; i < r->joints.count; i++) {
        mem_free(r->joints.data[i].name);
        mem_free(r->joints.data[i].mimic);
    }
    for (size_t i = 0; i < r->shapes.count; i++) mem_free(r->shapes.data[i].file);
    array_free(&r->links);
    array_free(&r->joints);
    array_free(&r->shapes);
    array_free(&r->planes);
    mem_free(r->name);
    *r = (robot){0};
}

abut_status import_urdf(const char *path, const logger *log, json_t **native, abut_error *err)
{
    return robot_import(path, urdf_read, log, native, err);
}
