#include "scene/import_ipc.h"

#include "base/file.h"
#include "math/rotation.h"

#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
/* The reference program fixes the friction threshold with this step, whatever the scene has. */
static const double THRESHOLD_STEP = 0.025;

/* --- JSON --- */

json_t *ipc_json_vector(vec3 a)
{
    /* Adding 0 turns -0 into 0. */
    return json_pack("[f, f, f]", a.x + 0.0, a.y + 0.0, a.z + 0.0);
}

json_t *ipc_json_motion(const ipc_motion *m)
{
    json_t *out = json_object();
    if (m->from > 0) json_object_set_new(out, "from", json_real(m->from));
    if (isfinite(m->until)) json_object_set_new(out, "until", json_real(m->until));
    if (vec3_norm2(m->velocity) > 0)
        json_object_set_new(out, "velocity", ipc_json_vector(m->velocity));
    if (vec3_norm2(m->spin) > 0) {
        json_object_set_new(out, "angular_velocity", ipc_json_vector(m->spin));
        if (m->has_center) json_object_set_new(out, "center", ipc_json_vector(m->center));
    }
    return out;
}

static void set_place(json_t *body, vec3 size, mat3 orientation, vec3 offset)
{
    vec3 angles = vec3_scale(180 / PI, rotation_angles(orientation));
    json_object_set_new(body, "scale", ipc_json_vector(size));
    if (vec3_norm2(angles) > 0) json_object_set_new(body, "rotate", ipc_json_vector(angles));
    json_object_set_new(body, "translate", ipc_json_vector(offset));
}

static json_t *mesh_json(const char *path, const char *only)
{
    json_t *out = json_object();
    json_object_set_new(out, "file", json_string(path));
    if (only) json_object_set_new(out, "only", json_string(only));
    return out;
}

/* "cube", "cube 2", ...: the name of the mesh file, counted where it comes again. */
static void set_name(json_t *body, const char *path, json_t *counts)
{
    const char *name = path_name(path), *extension = path_extension(path);
    char stem[128], text[160];
    size_t length = strlen(name) - (extension[0] ? strlen(extension) + 1 : 0);
    snprintf(stem, sizeof stem, "%.*s", (int)(length < 120 ? length : 120), name);
    json_int_t count = json_integer_value(json_object_get(counts, stem)) + 1;
    json_object_set_new(counts, stem, json_integer(count));
    snprintf(text, sizeof text, count > 1 ? "%s %d" : "%s", stem, (int)count);
    json_object_set_new(body, "name", json_string(text));
}

static json_t *material_json(const ipc_script *s, const ipc_shape *shape)
{
    json_t *out = json_object();
    json_object_set_new(out, "model",
                        json_string(s->corotated ? "fixed-corotated" : "neo-hookean"));
    const ipc_material *material = shape->has_material ? &shape->material : &s->material;
    json_object_set_new(out, "young", json_real(material->young));
    json_object_set_new(out, "poisson", json_real(material->poisson));
    json_object_set_new(out, "density", json_real(material->density));
    /* There the damping matrix is dampingStiff / h times the stiffness; here it is the integrator's
     * factor on forces over h times the damping. */
    double h = s->step, factor = s->newmark ? s->newmark_beta * h * h : h * h;
    double stiffness =
        s->damping_ratio > 0 ? s->damping_ratio * h * h * h * 3 / 4 : s->damping_stiffness;
    if (stiffness > 0) json_object_set_new(out, "damping", json_real(stiffness / factor));
    return out;
}

static void set_list(json_t *body, const char *key, json_t *list)
{
    if (json_array_size(list) > 0) json_object_set(body, key, list);
}

static json_t *shape_json(const ipc_script *s, const ipc_shape *shape, json_t *counts)
{
    json_t *body = json_object();
    set_name(body, shape->path, counts);
    json_object_set_new(body, "type",
                        json_string(shape->dimension == 3 ? "deformable" : "obstacle"));
    json_object_set_new(body, "mesh", mesh_json(shape->path, shape->only));
    set_place(body, shape->placed.size, shape->placed.orientation, shape->placed.offset);
    if (shape->dimension == 3) {
        json_object_set_new(body, "material", material_json(s, shape));
        if (vec3_norm2(shape->placed.velocity) > 0)
            json_object_set_new(body, "velocity", ipc_json_vector(shape->placed.velocity));
        if (vec3_norm2(shape->placed.spin) > 0)
            json_object_set_new(body, "angular_velocity",
                                ipc_json_vector(vec3_scale(180 / PI, shape->placed.spin)));
        set_list(body, "fix", shape->fixes);
        set_list(body, "force", shape->forces);
    } else {
        set_list(body, "motion", shape->motions);
    }
    if (shape->frames) json_object_set(body, "sequence", shape->frames);
    return body;
}

/* The reference program knows no friction with these obstacles, whatever the script says. */
static json_t *collider_json(const ipc_script *s, const ipc_collider *c, json_t *counts)
{
    json_t *body = json_object();
    if (c->friction > 0)
        log_message(s->log, ABUT_LOG_INFO,
                    "%s:%d: meshCO: the friction %g has no effect, as in the IPC program", s->path,
                    c->line, c->friction);
    set_name(body, c->path, counts);
    json_object_set_new(body, "type", json_string("obstacle"));
    json_object_set_new(body, "mesh", mesh_json(c->path, NULL));
    set_place(body, vec3_make(c->factor, c->factor, c->factor), c->rotate, c->offset);
    json_object_set_new(body, "friction", json_real(0));
    set_list(body, "motion", c->motions);
    return body;
}

/* A half space that moves is a sheet here: large, and about the middle of the scene. */
static json_t *sheet_json(const ipc_script *s, const ipc_plane *p)
{
    static const double TIMES = 20;
    vec3 center = vec3_scale(0.5, vec3_add(s->placed.low, s->placed.high)), up = {0, 1, 0};
    vec3 normal = vec3_normalize(p->normal), axis = vec3_cross(up, normal);
    double side = TIMES * vec3_norm(vec3_sub(s->placed.high, s->placed.low)) + 2 * s->duration;
    vec3 place = vec3_mul_add(center, -vec3_dot(vec3_sub(center, p->origin), normal), normal);
    double angle = atan2(vec3_norm(axis), normal.y);
    if (vec3_norm(axis) < 1e-12) axis = vec3_make(1, 0, 0);
    mat3 turn = rotation_matrix(vec3_scale(angle, vec3_normalize(axis)));
    json_t *body = json_pack("{s:s, s:{s:{s:[f,f], s:[i,i]}}}", "type", "obstacle", "mesh", "grid",
                             "size", side, side, "cells", 1, 1);
    set_place(body, vec3_make(1, 1, 1), turn, place);
    json_object_set_new(body, "friction", json_real(p->friction));
    set_list(body, "motion", p->motions);
    return body;
}

static json_t *bodies_json(const ipc_script *s)
{
    json_t *list = json_array(), *counts = json_object();
    for (size_t i = 0; i < s->shapes.count; i++)
        json_array_append_new(list, shape_json(s, &s->shapes.data[i], counts));
    for (size_t i = 0; i < s->colliders.count; i++)
        json_array_append_new(list, collider_json(s, &s->colliders.data[i], counts));
    for (size_t i = 0; i < s->planes.count; i++)
        if (s->planes.data[i].motions)
            json_array_append_new(list, sheet_json(s, &s->planes.data[i]));
    json_decref(counts);
    return list;
}

static json_t *planes_json(const ipc_script *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->planes.count; i++) {
        const ipc_plane *p = &s->planes.data[i];
        if (p->motions) continue;
        json_t *plane = json_object();
        json_object_set_new(plane, "origin", ipc_json_vector(p->origin));
        json_object_set_new(plane, "normal", ipc_json_vector(p->normal));
        json_object_set_new(plane, "friction", json_real(p->friction));
        json_array_append_new(list, plane);
    }
    return list;
}

static json_t *time_json(const ipc_script *s)
{
    json_t *out = json_object();
    double steps = ceil(s->duration / s->step * (1 - 1e-12));
    json_object_set_new(out, "step", json_real(s->step));
    json_object_set_new(out, "steps", json_integer((json_int_t)fmin(steps, 2e9)));
    if (s->newmark) {
        json_object_set_new(out, "integrator", json_string("newmark"));
        json_object_set_new(out, "newmark_beta", json_real(s->newmark_beta));
        json_object_set_new(out, "newmark_gamma", json_real(s->newmark_gamma));
        json_object_set_new(out, "newmark_contact", json_string("plain"));
    }
    return out;
}

static json_t *contact_json(const ipc_script *s)
{
    double l = s->contact.absolute ? 1 : s->placed.l;
    json_t *out = json_object();
    json_object_set_new(out, "dhat", json_real(s->contact.dhat * l));
    json_object_set_new(out, "stiffness_rule", json_string("balanced"));
    json_object_set_new(out, "friction", json_real(s->contact.self_friction));
    json_object_set_new(out, "eps_v", json_real(s->contact.eps_v * l * THRESHOLD_STEP / s->step));
    json_object_set_new(out, "friction_iterations", json_integer(s->contact.friction_iterations));
    bool any = s->contact.self || s->colliders.count > 0 || s->planes.count > 0;
    if (!any) json_object_set_new(out, "enabled", json_false());
    return out;
}

static json_t *document_json(const ipc_script *s)
{
    json_t *out = json_object(), *solver = json_object();
    json_object_set_new(out, "abut", json_integer(1));
    json_object_set_new(out, "time", time_json(s));
    json_object_set_new(out, "gravity",
                        ipc_json_vector(vec3_make(0, s->gravity ? -9.80665 : 0, 0)));
    json_object_set_new(out, "contact", contact_json(s));
    json_object_set_new(solver, "tolerance",
                        json_real(s->tolerance * (s->contact.absolute ? 1 : s->placed.l)));
    /* The reference stops early where projected Hessians creep (tetTet rebounds with 32 J, at
     * tighter tolerances with 53, with true ones 39): its results are those of projected ones. */
    json_object_set_new(solver, "hessian", json_string("projected"));
    json_object_set_new(solver, "look_ahead", json_false()); /* 45 J there, for the same reason */
    json_object_set_new(solver, "warm_start", json_false()); /* 41 J */
    json_object_set_new(solver, "linear", json_string(s->linear_solver));
    json_object_set_new(out, "solver", solver);
    json_object_set_new(out, "bodies", bodies_json(s));
    if (s->planes.count > 0) json_object_set_new(out, "half_spaces", planes_json(s));
    return out;
}

/* --- The importer --- */

static ipc_script defaults(const char *path, const logger *log)
{
    return (ipc_script){
        .path = path,
        .log = log,
        .gravity = true,
        .newmark_beta = 0.25,
        .newmark_gamma = 0.5,
        .size = -1,
        .duration = 5,
        .step = 0.025,
        .material = {.density = 1000, .young = 1e5, .poisson = 0.4},
        .contact = {.self = true, .dhat = 1e-3, .eps_v = 1e-3, .friction_iterations = 1},
        .tolerance = 1e-2,
        .handle_ratio = 0.01,
        .fix.until = INFINITY,
        .force.until = INFINITY,
        .linear_solver = "auto",
        .kind.word = "null",
        .placed.release_beyond = NAN};
}

static abut_status import_text(const char *path, const file_bytes *bytes, const logger *log,
                               json_t **native, abut_error *err)
{
    ipc_script s = defaults(path, log);
    abut_status status = ipc_read_text(path, bytes->data, bytes->size, &s, err);
    if (status == ABUT_OK && !s.contact.self && s.colliders.count + s.planes.count > 0)
        status = error_set(err, ABUT_ERROR_UNSUPPORTED, path,
                           "selfCollisionOff: contact with obstacles only is not supported; take "
                           "it away, or the obstacles");
    if (status == ABUT_OK) status = ipc_transform(&s, err);
    if (status == ABUT_OK) status = ipc_apply_kind(&s, err);
    if (status == ABUT_OK) {
        *native = document_json(&s);
        if (!*native) status = error_memory(err, "reading a script");
    }
    ipc_script_free(&s);
    return status;
}

/* Follows a link stored as text; true when *path was replaced. */
static abut_status follow(const char *path, const file_bytes *bytes, char **target, abut_error *err)
{
    char name[600];
    snprintf(name, sizeof name, "%.*s", (int)(bytes->size < 590 ? bytes->size : 590), bytes->data);
    name[strcspn(name, " \t\r\n")] = 0;
    *target = ipc_resolve(path, name);
    if (!*target) return error_memory(err, "reading a script");
    if (!file_exists(*target))
        return error_set(err, ABUT_ERROR_IO, path,
                         "this file stands for \"%.250s\", which is not there", name);
    return ABUT_OK;
}

abut_status import_ipc(const char *path, const logger *log, json_t **native, abut_error *err)
{
    *native = NULL;
    file_bytes bytes;
    char *target = NULL;
    TRY(file_read(path, &bytes, err));
    abut_status status = ABUT_OK;
    if (ipc_is_link(bytes.data, bytes.size)) {
        status = follow(path, &bytes, &target, err);
        file_free(&bytes);
        if (status == ABUT_OK) status = file_read(target, &bytes, err);
    }
    if (status == ABUT_OK) {
        status = import_text(target ? target : path, &bytes, log, native, err);
        file_free(&bytes);
    }
    mem_free(target);
    return status;
}
