/* A robot as bodies and joints of a native scene. Links that fixed joints join are one body. */
#include "scene/robot.h"

#include "math/rotation.h"
#include "mesh/generate.h"
#include "mesh/mesh_io.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180;

typedef struct robot_writer {
    const char *path;
    const robot *robot;
    robot_frame *frames; /* of the links in the world at the start */
    int32_t *body;       /* link that stands for the body of each link */
    json_t *bodies, *joints;
    abut_error *err;
} robot_writer;

/* ---------------------------------------------------------------------------------------------- */
/* Kinematics                                                                                     */

/* What the joint adds at its start. */
static robot_frame moved(const robot_joint *j)
{
    robot_frame f = {{0}, mat3_identity()};
    double by = j->start - j->reference;
    if (by == 0) return f;
    if (j->kind == ROBOT_PRISMATIC) f.origin = vec3_scale(by, j->axis);
    if (j->kind == ROBOT_REVOLUTE) {
        f.axes = rotation_matrix(vec3_scale(by, j->axis));
        f.origin = vec3_sub(j->anchor, mat3_mul_vec(f.axes, j->anchor));
    }
    return f;
}

static void place_link(robot_writer *w, int32_t link)
{
    const robot *r = w->robot;
    robot_frame at = {{0}, mat3_identity()};
    int32_t k = link;
    for (; r->links.data[k].joint >= 0; k = r->joints.data[r->links.data[k].joint].parent) {
        const robot_joint *j = &r->joints.data[r->links.data[k].joint];
        at = robot_frame_mul(robot_frame_mul(j->at, moved(j)), at);
    }
    w->frames[link] = at;
    k = link;
    while (r->links.data[k].joint >= 0 &&
           r->joints.data[r->links.data[k].joint].kind == ROBOT_FIXED)
        k = r->joints.data[r->links.data[k].joint].parent;
    w->body[link] = k;
}

/* ---------------------------------------------------------------------------------------------- */
/* Shapes                                                                                         */

/* File names stay below the folder of the robot. */
static abut_status mesh_path(const robot_writer *w, const char *name, char *out, size_t size)
{
    if (strstr(name, "://") || name[0] == '/')
        return error_set(
            w->err, ABUT_ERROR_UNSUPPORTED, w->path,
            "mesh \"%.120s\": only paths relative to the folder of the robot's file are "
            "read",
            name);
    char folder[4096], joined[4200];
    path_folder(folder, sizeof folder, w->path);
    path_join(joined, sizeof joined, folder[0] ? folder : ".", name);
    char *base = realpath(folder[0] ? folder : ".", NULL), *real = realpath(joined, NULL);
    bool inside = base && real && strncmp(base, real, strlen(base)) == 0;
    bool missing = !real;
    snprintf(out, size, "%s", joined);
    free(base);
    free(real);
    if (missing)
        return error_set(w->err, ABUT_ERROR_INPUT, w->path, "there is no mesh \"%.200s\"", joined);
    if (!inside)
        return error_set(w->err, ABUT_ERROR_INPUT, w->path,
                         "mesh \"%.120s\" is outside of the folder of the robot's file", name);
    return ABUT_OK;
}

static abut_status make_shape(const robot_writer *w, const robot_shape *s, mesh *out)
{
    const int one[3] = {1, 1, 1};
    char path[4200];
    switch (s->kind) {
    case ROBOT_BOX: return generate_box(s->size, one, out, w->err);
    case ROBOT_SPHERE: return generate_icosphere(s->size.x, 2, out, w->err);
    case ROBOT_CYLINDER:
        TRY(generate_rod(s->size.y, s->size.x, 1, 3, out, w->err));
        mesh_transform(out, (vec3){1, 1, 1}, (vec3){0, -90, 0}, (vec3){0}); /* along z */
        return ABUT_OK;
    case ROBOT_CAPSULE:
        TRY(generate_icosphere(s->size.x, 2, out, w->err));
        for (size_t v = 0; v < out->vertex_count; v++) /* the two halves of a ball, drawn apart */
            out->vertices[v].z += out->vertices[v].z < 0 ? -0.5 * s->size.y : 0.5 * s->size.y;
        return ABUT_OK;
    case ROBOT_MESH: break;
    }
    TRY(mesh_path(w, s->file, path, sizeof path));
    mesh_read_options options = {.weld = true};
    TRY(mesh_read(path, &options, out, w->err));
    mesh_transform(out, s->size, (vec3){0}, (vec3){0});
    return ABUT_OK;
}

static json_t *numbers_of(const double *v, int count)
{
    json_t *list = json_array();
    for (int k = 0; list && k < count; k++) json_array_append_new(list, json_real(v[k]));
    return list;
}

static json_t *vector(vec3 v) { return numbers_of((const double[]){v.x, v.y, v.z}, 3); }

/* Triangles of a shape, in the world. */
static abut_status append_shape(const robot_writer *w, const robot_shape *s, json_t *vertices,
                                json_t *triangles)
{
    mesh shape;
    surface_parts parts;
    TRY(make_shape(w, s, &shape));
    abut_status status = mesh_surface(&shape, &parts, w->err);
    if (status != ABUT_OK) {
        mesh_free(&shape);
        return status;
    }
    robot_frame at = robot_frame_mul(w->frames[s->link], s->at);
    bool mirrored = s->kind == ROBOT_MESH && s->size.x * s->size.y * s->size.z < 0;
    json_int_t first = (json_int_t)json_array_size(vertices);
    for (size_t v = 0; v < shape.vertex_count; v++)
        json_array_append_new(
            vertices, vector(vec3_add(at.origin, mat3_mul_vec(at.axes, shape.vertices[v]))));
    for (size_t t = 0; t < parts.triangle_count; t++) {
        json_t *row = json_array();
        for (int k = 0; k < 3; k++)
            json_array_append_new(row,
                                  json_integer(first + parts.triangles[t][mirrored ? 2 - k : k]));
        json_array_append_new(triangles, row);
    }
    surface_parts_free(&parts);
    mesh_free(&shape);
    return ABUT_OK;
}

/* What collides of a body; what is seen, where nothing does. */
static abut_status body_shape(const robot_writer *w, int32_t body, json_t **out)
{
    json_t *vertices = json_array(), *triangles = json_array();
    abut_status status = ABUT_OK;
    for (int visual = 0; visual < 2 && json_array_size(triangles) == 0; visual++)
        for (size_t i = 0; status == ABUT_OK && i < w->robot->shapes.count; i++) {
            const robot_shape *s = &w->robot->shapes.data[i];
            if (w->body[s->link] == body && s->visual == (visual == 1))
                status = append_shape(w, s, vertices, triangles);
        }
    bool any = json_array_size(triangles) > 0;
    *out = status == ABUT_OK && any
               ? json_pack("{s:{s:o,s:o}}", "given", "vertices", vertices, "triangles", triangles)
               : NULL;
    if (!*out) {
        json_decref(vertices);
        json_decref(triangles);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------- */
/* Bodies and joints                                                                              */

/* Of all links of a body, in the world; false: none has any. */
static bool body_mass(const robot_writer *w, int32_t body, mass_properties *out)
{
    bool any = false;
    for (size_t i = 0; i < w->robot->links.count; i++) {
        const robot_link *link = &w->robot->links.data[i];
        if (w->body[i] != body || !link->has_inertial) continue;
        robot_frame at = w->frames[i];
        mass_properties own = link->inertial;
        own.center = vec3_add(at.origin, mat3_mul_vec(at.axes, own.center));
        own.inertia = mat3_mul(mat3_mul(at.axes, own.inertia), mat3_transpose(at.axes));
        *out = any ? mass_add(out, &own) : own;
        any = true;
    }
    return any;
}

static abut_status add_body(robot_writer *w, int32_t link, bool *there)
{
    const robot *r = w->robot;
    const char *name = r->links.data[link].name;
    mass_properties mass;
    json_t *shape;
    bool heavy = body_mass(w, link, &mass) && !(link == r->root && r->root_is_world);
    TRY(body_shape(w, link, &shape));
    *there = heavy || shape;
    if (!heavy && link != r->root) {
        json_decref(shape);
        return error_set(w->err, ABUT_ERROR_INPUT, w->path,
                         "link \"%.80s\" has no mass; only the root and links that are fixed to "
                         "others may have none",
                         name);
    }
    if (heavy && !shape)
        return error_set(w->err, ABUT_ERROR_INPUT, w->path,
                         "link \"%.80s\" has neither collision nor visual geometry", name);
    if (!shape) return ABUT_OK;
    json_t *body = json_pack("{s:s,s:s,s:o}", "name", name, "type", heavy ? "rigid" : "obstacle",
                             "mesh", shape);
    if (body && heavy && r->links.data[link].friction > 0)
        json_object_set_new(body, "friction", json_real(r->links.data[link].friction));
    if (body && heavy) {
        const mat3 *i = &mass.inertia;
        const double six[6] = {i->m[0][0], i->m[1][1], i->m[2][2],
                               i->m[0][1], i->m[0][2], i->m[1][2]};
        json_object_set_new(body, "inertial",
                            json_pack("{s:f,s:o,s:o}", "mass", mass.mass, "center",
                                      vector(mass.center), "inertia", numbers_of(six, 6)));
    }
    return body && json_array_append_new(w->bodies, body) == 0
               ? ABUT_OK
               : error_memory(w->err, "importing a robot");
}

/* Targets are 0 until a program sets others. */
static json_t *drive_of(const robot_drive *d)
{
    static const char *const keys[] = {"", "effort", "position", "velocity"};
    json_t *drive = json_pack("{s:s}", keys[d->kind], "0");
    if (d->kind == ROBOT_POSITION) json_object_set_new(drive, "stiffness", json_real(d->stiffness));
    if (d->kind != ROBOT_EFFORT) json_object_set_new(drive, "damping", json_real(d->damping));
    if (isfinite(d->most)) json_object_set_new(drive, "max_effort", json_real(d->most));
    return drive;
}

static json_t *axis_of(const robot_joint *j, double unit)
{
    json_t *axis = json_pack("{s:f,s:f}", "damping", j->damping, "friction", j->friction);
    if (j->start != 0) json_object_set_new(axis, "start", json_real(j->start / unit));
    if (isfinite(j->lower))
        json_object_set_new(axis, "limits", json_pack("[f,f]", j->lower / unit, j->upper / unit));
    if (j->stiffness > 0) {
        json_object_set_new(axis, "stiffness", json_real(j->stiffness));
        json_object_set_new(axis, "rest", json_real(j->rest / unit));
    }
    if (j->drive.kind != ROBOT_NO_DRIVE) json_object_set_new(axis, "drive", drive_of(&j->drive));
    return axis;
}

static abut_status add_joint(robot_writer *w, const robot_joint *j, bool has_base)
{
    static const char *const types[] = {[ROBOT_REVOLUTE] = "hinge",
                                        [ROBOT_CONTINUOUS] = "hinge",
                                        [ROBOT_PRISMATIC] = "slider",
                                        [ROBOT_PLANAR] = "planar",
                                        [ROBOT_BALL] = "ball"};
    if (j->kind == ROBOT_FIXED || j->kind == ROBOT_FLOATING) return ABUT_OK;
    const robot *r = w->robot;
    int32_t parent = w->body[j->parent];
    bool world = parent == r->root && !has_base;
    bool collides = parent == r->root && r->root_is_world;
    robot_frame at = w->frames[j->child];
    json_t *out = json_pack("{s:s,s:s,s:s,s:s,s:o,s:s}", "name", j->name, "type", types[j->kind],
                            "body", r->links.data[w->body[j->child]].name, "to",
                            world ? "world" : r->links.data[parent].name, "point",
                            vector(vec3_add(at.origin, mat3_mul_vec(at.axes, j->anchor))),
                            "collide", collides ? "auto" : "never");
    if (!out) return error_memory(w->err, "importing a robot");
    bool slides = j->kind == ROBOT_PRISMATIC;
    if (j->kind != ROBOT_BALL)
        json_object_set_new(out, "axis", vector(mat3_mul_vec(at.axes, j->axis)));
    if (j->kind != ROBOT_PLANAR && j->kind != ROBOT_BALL)
        json_object_set_new(out, slides ? "slide" : "turn", axis_of(j, slides ? 1 : DEGREE));
    return json_array_append_new(w->joints, out) == 0 ? ABUT_OK
                                                      : error_memory(w->err, "importing a robot");
}

static abut_status add_mimics(robot_writer *w)
{
    const robot *r = w->robot;
    for (size_t i = 0; i < r->joints.count; i++) {
        const robot_joint *j = &r->joints.data[i];
        if (!j->mimic || j->kind == ROBOT_FIXED) continue;
        double unit = j->kind == ROBOT_PRISMATIC ? 1 : DEGREE;
        const robot_joint *other = &r->joints.data[0];
        while (strcmp(other->name, j->mimic) != 0) other++;
        double off = j->start - j->multiplier * other->start - j->offset;
        if (fabs(off) > 1e-9)
            return error_set(w->err, ABUT_ERROR_UNSUPPORTED, w->path,
                             "joint \"%.60s\" mimics \"%.60s\", but cannot start at %g, where its "
                             "limits begin and that of the other joint end",
                             j->name, other->name, j->multiplier * other->start + j->offset);
        json_t *gear = json_pack("{s:s++,s:s,s:s,s:s,s:f,s:f}", "name", j->name, " mimics ",
                                 j->mimic, "type", "gear", "first", j->name, "second", j->mimic,
                                 "ratio", j->multiplier, "offset", j->offset / unit);
        if (!gear || json_array_append_new(w->joints, gear) != 0)
            return error_memory(w->err, "importing a robot");
    }
    return ABUT_OK;
}

static abut_status write_robot(robot_writer *w)
{
    const robot *r = w->robot;
    bool has_base = false;
    for (size_t i = 0; i < r->links.count; i++) place_link(w, (int32_t)i);
    for (size_t i = 0; i < r->links.count; i++) {
        bool there;
        if (w->body[i] != (int32_t)i) continue;
        TRY(add_body(w, (int32_t)i, &there));
        if ((int32_t)i == r->root) has_base = there;
    }
    for (size_t i = 0; i < r->joints.count; i++) TRY(add_joint(w, &r->joints.data[i], has_base));
    return add_mimics(w);
}

/* Half-spaces and friction. */
static bool add_surroundings(const robot *r, json_t *native)
{
    json_t *planes = json_array();
    for (size_t i = 0; i < r->planes.count; i++)
        json_array_append_new(planes,
                              json_pack("{s:o,s:o}", "origin", vector(r->planes.data[i].origin),
                                        "normal", vector(r->planes.data[i].normal)));
    if (!planes) return false;
    if (r->planes.count > 0)
        json_object_set_new(native, "half_spaces", planes);
    else
        json_decref(planes);
    return r->friction <= 0 ||
           json_object_set_new(native, "contact", json_pack("{s:f}", "friction", r->friction)) == 0;
}

abut_status robot_to_document(const char *path, const robot *r, json_t **native, abut_error *err)
{
    robot_writer w = {.path = path, .robot = r, .err = err};
    w.frames = mem_calloc(r->links.count + 1, sizeof *w.frames);
    w.body = mem_calloc(r->links.count + 1, sizeof *w.body);
    w.bodies = json_array();
    w.joints = json_array();
    abut_status status = w.frames && w.body && w.bodies && w.joints
                             ? write_robot(&w)
                             : error_memory(err, "importing a robot");
    *native = NULL;
    if (status == ABUT_OK) {
        *native = json_pack("{s:i,s:s,s:{s:f,s:f},s:o,s:O,s:O}", "abut", 1, "name", r->name, "time",
                            "step", r->step, "end", 1.0, "gravity", vector(r->gravity), "bodies",
                            w.bodies, "joints", w.joints);
        if (!*native || !add_surroundings(r, *native))
            status = error_memory(err, "importing a robot");
    }
    json_decref(w.bodies);
    json_decref(w.joints);
    mem_free(w.frames);
    mem_free(w.body);
    return status;
}
