/* MuJoCo's MJCF, the plain subset: bodies, geoms, joints, actuators, with classes of defaults. What
 * is not read and changes the physics is an error that names it; what only draws, measures or tunes
 * MuJoCo's solver is named once and left out. */
#include "scene/import_mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------- */
/* Bodies                                                                                         */

static abut_status read_inertial(mjcf_reader *r, int32_t element, robot_link *link)
{
    robot_frame at;
    double mass = 0, d[6] = {0};
    int full, diagonal;
    if (!mjcf_attribute(r, element, "pos"))
        return robot_bad(&r->base, element, "there is no attribute", "pos");
    TRY(mjcf_read_frame(r, element, &at));
    TRY(mjcf_numbers(r, element, "mass", 1, &mass));
    TRY(mjcf_list(r, element, "fullinertia", 6, 6, d, &full));
    if (!full) TRY(mjcf_list(r, element, "diaginertia", 3, 3, d, &diagonal));
    mat3 tensor = {{{d[0], d[3], d[4]}, {d[3], d[1], d[5]}, {d[4], d[5], d[2]}}};
    return robot_set_inertial(&r->base, element, "body", mass, at, tensor, link);
}

static abut_status read_kind(mjcf_reader *r, int32_t element, robot_joint *j)
{
    const char *type = mjcf_attribute(r, element, "type");
    bool free = strcmp(mjcf_name(r, element), "freejoint") == 0;
    if (free || (type && strcmp(type, "free") == 0))
        j->kind = ROBOT_FLOATING;
    else if (!type || strcmp(type, "hinge") == 0)
        j->kind = ROBOT_CONTINUOUS;
    else if (strcmp(type, "slide") == 0)
        j->kind = ROBOT_PRISMATIC;
    else if (strcmp(type, "ball") == 0)
        j->kind = ROBOT_BALL;
    else
        return robot_bad(&r->base, element, "there is no type of joints", type);
    if (j->kind == ROBOT_FLOATING && j->parent != r->base.robot->root)
        return robot_bad(&r->base, element, "a free joint below another body, in", j->name);
    return ABUT_OK;
}

static abut_status read_range(mjcf_reader *r, int32_t element, double unit, robot_joint *j)
{
    double range[2] = {0};
    bool limited = r->automatic_limits && mjcf_attribute(r, element, "range");
    TRY(mjcf_truth(r, element, "limited", &limited));
    TRY(mjcf_numbers(r, element, "range", 2, range));
    j->lower = -INFINITY;
    j->upper = INFINITY;
    if (!limited) return ABUT_OK;
    if (j->kind == ROBOT_BALL) return mjcf_refuse(r, element, "@range of a ball joint");
    if (!(range[0] < range[1]))
        return robot_bad(&r->base, element,
                         "the first of `range` must be below the second of joint", j->name);
    j->lower = unit * range[0];
    j->upper = unit * range[1];
    if (j->kind == ROBOT_CONTINUOUS) j->kind = ROBOT_REVOLUTE;
    double margin = 0.01 * (j->upper - j->lower);
    j->start = fmin(fmax(j->reference, j->lower + margin), j->upper - margin);
    if (j->start != j->reference)
        log_message(r->base.log, ABUT_LOG_INFO,
                    "%s: joint \"%.60s\" starts at %g, within its limits", r->base.path, j->name,
                    j->start);
    return ABUT_OK;
}

static abut_status fill_joint(mjcf_reader *r, int32_t element, robot_joint *j)
{
    double axis[3] = {0, 0, 1}, at[3] = {0};
    TRY(read_kind(r, element, j));
    if (j->kind == ROBOT_FLOATING) return ABUT_OK;
    double unit = j->kind == ROBOT_PRISMATIC ? 1 : r->angle;
    TRY(mjcf_numbers(r, element, "axis", 3, axis));
    TRY(mjcf_numbers(r, element, "pos", 3, at));
    j->axis = vec3_load(axis);
    j->anchor = vec3_load(at);
    if (!(vec3_norm(j->axis) > 0))
        return robot_bad(&r->base, element, "the axis has no length of joint", j->name);
    j->axis = vec3_normalize(j->axis);
    TRY(mjcf_numbers(r, element, "ref", 1, &j->reference));
    TRY(mjcf_numbers(r, element, "springref", 1, &j->rest));
    TRY(mjcf_numbers(r, element, "stiffness", 1, &j->stiffness));
    TRY(mjcf_numbers(r, element, "damping", 1, &j->damping));
    TRY(mjcf_numbers(r, element, "frictionloss", 1, &j->friction));
    j->reference *= unit;
    j->rest *= unit;
    j->start = j->reference;
    if (j->damping < 0 || j->friction < 0 || j->stiffness < 0)
        return robot_bad(&r->base, element,
                         "stiffness, damping and friction must not be negative of joint", j->name);
    double armature = 0;
    TRY(mjcf_numbers(r, element, "armature", 1, &armature));
    if (armature != 0) return mjcf_refuse(r, element, "@joint.armature");
    if (j->kind == ROBOT_BALL && (j->damping > 0 || j->friction > 0 || j->stiffness > 0))
        return mjcf_refuse(r, element, "@damping, friction or stiffness of a ball joint");
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
    const char *own = element >= 0 ? xml_attribute_of(&r->base.xml, element, "name") : NULL;
    char name[200];
    snprintf(name, sizeof name, "%.180s_joint", r->base.robot->links.data[link].name);
    if (robot_find_joint(r->base.robot, own ? own : name) >= 0)
        return robot_bad(&r->base, element, "there are two joints", own ? own : name);
    if (element >= 0) TRY(mjcf_check_attributes(r, element, read, unused));
    abut_status status = robot_copy_text(&r->base, own ? own : name, &j.name);
    if (status == ABUT_OK && element >= 0) status = fill_joint(r, element, &j);
    if (status == ABUT_OK && !array_push(&r->base.robot->joints, j))
        status = error_memory(r->base.err, "reading a robot");
    if (status != ABUT_OK) {
        mem_free(j.name);
        return status;
    }
    r->base.robot->links.data[link].joint = (int32_t)r->base.robot->joints.count - 1;
    return ABUT_OK;
}

static abut_status add_link(mjcf_reader *r, int32_t element, const char *name, int32_t *out)
{
    return robot_find_link(r->base.robot, name) >= 0
               ? robot_bad(&r->base, element, "there are two bodies", name)
               : robot_add_link(&r->base, name, out);
}

static abut_status check_body_attributes(mjcf_reader *r, int32_t element)
{
    static const char *const read[] = {"name",  "pos",   "quat",       "axisangle", "xyaxes",
                                       "zaxis", "euler", "childclass", NULL};
    for (size_t k = 0; k < r->base.xml.elements.data[element].attribute_count; k++) {
        const xml_attribute *a =
            &r->base.xml.attributes.data[r->base.xml.elements.data[element].first_attribute + k];
        char named[100];
        snprintf(named, sizeof named, "@body.%s", a->name);
        if (mjcf_is_one_of(a->name, read)) continue;
        if (strcmp(a->name, "user") != 0) return mjcf_refuse(r, element, named);
    }
    return ABUT_OK;
}

/* What a body holds; joints have been read. */
static abut_status read_contents(mjcf_reader *r, int32_t element, int32_t link)
{
    static const char *const drawn[] = {"site", "camera", "light", NULL};
    static const char *const elsewhere[] = {"body", "joint", "freejoint", NULL};
    mass_properties sum = {0};
    int32_t inertial = xml_child(&r->base.xml, element, "inertial");
    if (inertial >= 0 && link != r->base.robot->root)
        TRY(read_inertial(r, inertial, &r->base.robot->links.data[link]));
    for (int32_t e = r->base.xml.elements.data[element].first_child; e >= 0;
         e = r->base.xml.elements.data[e].next) {
        const char *name = mjcf_name(r, e);
        if (strcmp(name, "geom") == 0)
            TRY(mjcf_read_geom(r, e, link, &sum));
        else if (mjcf_is_one_of(name, drawn))
            mjcf_leave_out(r, name);
        else if (e != inertial && !mjcf_is_one_of(name, elsewhere))
            return mjcf_refuse(r, e, name);
    }
    if (sum.mass > 0) {
        r->base.robot->links.data[link].has_inertial = true;
        r->base.robot->links.data[link].inertial = sum;
    }
    return ABUT_OK;
}

static abut_status read_body(mjcf_reader *r, int32_t element, int32_t parent, int depth)
{
    enum { DEEPEST = 128 };
    const char *own = xml_attribute_of(&r->base.xml, element, "name");
    char name[100];
    robot_frame at;
    int32_t link;
    if (depth > DEEPEST) return robot_bad(&r->base, element, "bodies are nested too deeply", NULL);
    snprintf(name, sizeof name, "body%zu", r->base.robot->links.count);
    TRY(check_body_attributes(r, element));
    TRY(mjcf_read_frame(r, element, &at));
    TRY(add_link(r, element, own ? own : name, &link));
    int32_t joint = xml_child(&r->base.xml, element, "joint");
    int32_t free = xml_child(&r->base.xml, element, "freejoint");
    if (joint >= 0 && (free >= 0 || xml_next(&r->base.xml, joint, "joint") >= 0))
        return mjcf_refuse(r, joint, "several joints in one body");
    TRY(read_joint(r, joint >= 0 ? joint : free, link, parent, at));
    TRY(read_contents(r, element, link));
    for (int32_t e = xml_child(&r->base.xml, element, "body"); e >= 0;
         e = xml_next(&r->base.xml, e, "body"))
        TRY(read_body(r, e, link, depth + 1));
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Actuators                                                                                      */

static abut_status read_force_range(mjcf_reader *r, int32_t element, double gear, double *most)
{
    double range[2] = {0};
    bool limited = r->automatic_limits && mjcf_attribute(r, element, "forcerange");
    TRY(mjcf_truth(r, element, "forcelimited", &limited));
    TRY(mjcf_numbers(r, element, "forcerange", 2, range));
    *most = INFINITY;
    if (!limited) return ABUT_OK;
    if (!(range[1] > 0) || fabs(range[0] + range[1]) > 1e-9 * range[1])
        return mjcf_refuse(r, element, "@forcerange that is not the same in both directions");
    *most = fabs(gear) * range[1];
    return ABUT_OK;
}

static abut_status read_actuator(mjcf_reader *r, int32_t element)
{
    static const char *const read[] = {"name", "class", "joint",      "gear",         "kp",
                                       "kv",   "group", "forcerange", "forcelimited", NULL};
    static const char *const unused[] = {"ctrlrange", "ctrllimited", "inheritrange", "user", NULL};
    const char *kind = mjcf_name(r, element);
    bool motor = strcmp(kind, "motor") == 0, position = strcmp(kind, "position") == 0;
    if (!motor && !position && strcmp(kind, "velocity") != 0) return mjcf_refuse(r, element, kind);
    TRY(mjcf_check_attributes(r, element, read, unused));
    const char *name = mjcf_attribute(r, element, "joint");
    int32_t joint = robot_find_joint(r->base.robot, name);
    if (joint < 0) return robot_bad(&r->base, element, "there is no joint", name ? name : "");
    robot_joint *j = &r->base.robot->joints.data[joint];
    if (j->kind != ROBOT_REVOLUTE && j->kind != ROBOT_CONTINUOUS && j->kind != ROBOT_PRISMATIC)
        return mjcf_refuse(r, element, "an actuator of a ball or free joint");
    if (j->drive.kind != ROBOT_NO_DRIVE)
        return mjcf_refuse(r, element, "a second actuator of a joint");
    double gear[6] = {1}, kp = 1, kv = position ? 0 : 1;
    int count;
    TRY(mjcf_list(r, element, "gear", 1, 6, gear, &count));
    TRY(mjcf_numbers(r, element, "kp", 1, &kp));
    TRY(mjcf_numbers(r, element, "kv", 1, &kv));
    if (gear[0] == 0 || kp < 0 || kv < 0)
        return robot_bad(&r->base, element,
                         "the gear must not be 0, kp and kv not negative, of joint", name);
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
    TRY(mjcf_check_attributes(r, element, read, unused));
    const char *angle = xml_attribute_of(&r->base.xml, element, "angle");
    const char *euler = xml_attribute_of(&r->base.xml, element, "eulerseq");
    const char *coordinate = xml_attribute_of(&r->base.xml, element, "coordinate");
    const char *inertia = xml_attribute_of(&r->base.xml, element, "inertiafromgeom");
    const char *folder = xml_attribute_of(&r->base.xml, element, "meshdir");
    if (folder) r->mesh_folder = folder;
    if (angle && strcmp(angle, "radian") == 0)
        r->angle = 1;
    else if (angle && strcmp(angle, "degree") != 0)
        return robot_bad(&r->base, element, "neither \"degree\" nor \"radian\" in the attribute",
                         "angle");
    if (euler && (strlen(euler) != 3 || strspn(euler, "xyzXYZ") != 3))
        return robot_bad(&r->base, element, "not three of the letters x, y, z in the attribute",
                         "eulerseq");
    if (euler) r->euler = euler;
    if (coordinate && strcmp(coordinate, "local") != 0)
        return mjcf_refuse(r, element, "@compiler.coordinate other than local");
    r->inertia_from_geoms = inertia && strcmp(inertia, "true") == 0;
    r->inertia_never = inertia && strcmp(inertia, "false") == 0;
    return mjcf_truth(r, element, "autolimits", &r->automatic_limits);
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
    TRY(mjcf_check_attributes(r, element, read, unused));
    TRY(mjcf_numbers(r, element, "gravity", 3, gravity));
    TRY(mjcf_numbers(r, element, "timestep", 1, &r->base.robot->step));
    TRY(mjcf_numbers(r, element, "wind", 3, wind));
    TRY(mjcf_numbers(r, element, "density", 1, fluid));
    TRY(mjcf_numbers(r, element, "viscosity", 1, fluid + 1));
    if (vec3_norm(vec3_load(wind)) + fabs(fluid[0]) + fabs(fluid[1]) > 0)
        return mjcf_refuse(r, element, "@wind, density or viscosity of a medium");
    if (!(r->base.robot->step > 0))
        return robot_bad(&r->base, element, "the time step must be positive", NULL);
    r->base.robot->gravity = vec3_load(gravity);
    int32_t child = r->base.xml.elements.data[element].first_child;
    return child >= 0 ? mjcf_refuse(r, child, mjcf_name(r, child)) : ABUT_OK;
}

static abut_status read_top(mjcf_reader *r)
{
    static const char *const elsewhere[] = {"compiler",  "option",   "default",
                                            "worldbody", "actuator", NULL};
    static const char *const unused[] = {"visual", "statistic", "sensor", "keyframe",
                                         "size",   "custom",    NULL};
    static const char *const drawn[] = {"texture", "material", "mesh", NULL};
    for (int32_t e = r->base.xml.elements.data[0].first_child; e >= 0;
         e = r->base.xml.elements.data[e].next) {
        const char *name = mjcf_name(r, e);
        if (strcmp(name, "asset") == 0) {
            for (int32_t a = r->base.xml.elements.data[e].first_child; a >= 0;
                 a = r->base.xml.elements.data[a].next)
                if (!mjcf_is_one_of(mjcf_name(r, a), drawn))
                    return mjcf_refuse(r, a, mjcf_name(r, a));
        } else if (mjcf_is_one_of(name, unused)) {
            mjcf_leave_out(r, name);
        } else if (!mjcf_is_one_of(name, elsewhere)) {
            return mjcf_refuse(r, e, name);
        }
        if (strcmp(name, "compiler") == 0) TRY(read_compiler(r, e));
    }
    return ABUT_OK;
}

static abut_status read_file(mjcf_reader *r)
{
    const xml_document *xml = &r->base.xml;
    if (strcmp(xml->elements.data[0].name, "mujoco") != 0)
        return robot_bad(&r->base, 0, "the root of an MJCF file is <mujoco>, found",
                         xml->elements.data[0].name);
    const char *name = xml_attribute_of(xml, 0, "model");
    TRY(robot_copy_text(&r->base, name && name[0] ? name : "robot", &r->base.robot->name));
    TRY(read_top(r));
    for (int32_t e = xml_child(xml, 0, "option"); e >= 0; e = xml_next(xml, e, "option"))
        TRY(read_option(r, e));
    TRY(add_link(r, 0, "worldbody", &r->base.robot->root));
    for (int32_t e = xml_child(xml, 0, "worldbody"); e >= 0; e = xml_next(xml, e, "worldbody")) {
        TRY(read_contents(r, e, r->base.robot->root));
        for (int32_t b = xml_child(xml, e, "body"); b >= 0; b = xml_next(xml, b, "body"))
            TRY(read_body(r, b, r->base.robot->root, 0));
    }
    if (r->base.robot->links.count < 2) return robot_bad(&r->base, 0, "there is no body", NULL);
    for (int32_t e = xml_child(xml, 0, "actuator"); e >= 0; e = xml_next(xml, e, "actuator"))
        for (int32_t a = xml->elements.data[e].first_child; a >= 0; a = xml->elements.data[a].next)
            TRY(read_actuator(r, a));
    if (r->left_out[0])
        log_message(r->base.log, ABUT_LOG_WARNING, "%s: what is not read:%s", r->base.path,
                    r->left_out);
    return ABUT_OK;
}

abut_status mjcf_read(const char *path, const file_bytes *bytes, const logger *log, robot *out,
                      abut_error *err)
{
    *out = (robot){.gravity = {0, 0, -9.81}, .step = 0.002, .friction = 1, .root_is_world = true};
    mjcf_reader r = {.base = {.path = path, .robot = out, .log = log, .err = err},
                     .angle = M_PI / 180,
                     .euler = "xyz",
                     .automatic_limits = true};
    TRY(xml_read(path, bytes, &r.base.xml, err));
    abut_status status = read_file(&r);
    xml_free(&r.base.xml);
    if (status != ABUT_OK) robot_free(out);
    return status;
}

abut_status import_mjcf(const char *path, const logger *log, json_t **native, abut_error *err)
{
    return robot_import(path, mjcf_read, log, native, err);
}
