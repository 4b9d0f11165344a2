#include "scene/import_rigid.h"

#include "base/file.h"
#include "math/rotation.h"
#include "mesh/generate.h"

#include <stdio.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180;

/* Group of everything that does not move freely: such bodies never meet each other. */
enum { SHARED_GROUP = 0, FIRST_GROUP = 1 };

typedef enum body_motion_type { TYPE_DYNAMIC, TYPE_STATIC, TYPE_KINEMATIC } body_motion_type;
static const char *const type_words[] = {"dynamic", "static", "kinematic", NULL};

/* One entry of rigid_bodies, checked. */
typedef struct fixture_body {
    char place[64];
    body_motion_type type;
    bool split;
    bool fixed[6]; /* x, y, z, about x, y, z */
    double density, kinematic_until;
    vec3 position, rotation, scale;
    vec3 velocity, spin, force, torque; /* spin in degrees per second, torque in N m */
    int group;                          /* -1: its own */
    const json_t *poses;
} fixture_body;

static abut_status check_body_keys(const fixture *f, const char *place, const json_t *body)
{
    static const char *const known[] = {"mesh",
                                        "vertices",
                                        "edges",
                                        "faces",
                                        "position",
                                        "rotation",
                                        "scale",
                                        "dimensions",
                                        "density",
                                        "linear_velocity",
                                        "force",
                                        "torque",
                                        "is_dof_fixed",
                                        "angular_velocity",
                                        "type",
                                        "enabled",
                                        "group_id",
                                        "split_components",
                                        "kinematic_max_time",
                                        "kinematic_poses",
                                        NULL};
    /* Of older versions of that program, or of its two-dimensional restitution. */
    static const char *const ignored[] = {
        "oriented", "polygons", "masses", "time_stepper", "ipc_comparison_enabled", NULL};
    return fixture_check_keys(f, place, body, known, ignored);
}

static abut_status read_fixed(const fixture *f, fixture_body *b, const json_t *body)
{
    const json_t *value = json_object_get(body, "is_dof_fixed");
    static const int planar_index[] = {0, 1, 5};
    size_t count = f->planar ? 3 : 6;
    if (value && !json_is_boolean(value) && json_array_size(value) != count)
        return fixture_wrong(f, b->place, "is_dof_fixed",
                             f->planar ? "true, false or a list of 3 of them"
                                       : "true, false or a list of 6 of them",
                             value);
    for (size_t i = 0; value && i < count; i++) {
        const json_t *item = json_is_array(value) ? json_array_get(value, i) : value;
        if (!json_is_boolean(item))
            return fixture_wrong(f, b->place, "is_dof_fixed", "true or false for each", item);
        b->fixed[f->planar ? planar_index[i] : (int)i] = json_is_true(item);
    }
    if (f->planar) b->fixed[2] = b->fixed[3] = b->fixed[4] = true;
    bool all = true;
    for (int i = 0; i < 6; i++) all = all && b->fixed[i];
    if (all && b->type == TYPE_DYNAMIC) b->type = TYPE_STATIC;
    return ABUT_OK;
}

/* `dimensions`: extents that the mesh is brought to; an axis without extent takes the number as a
 * factor. */
static abut_status read_scale(const fixture *f, fixture_body *b, const json_t *body,
                              const mesh *shape)
{
    vec3 one = {1, 1, 1}, wanted = one, low, high;
    b->scale = one;
    TRY(fixture_vector(f, b->place, body, "scale", FIXTURE_FACTORS, &b->scale));
    if (!json_object_get(body, "dimensions")) return ABUT_OK;
    TRY(fixture_vector(f, b->place, body, "dimensions", FIXTURE_FACTORS, &wanted));
    mesh_bounds(shape, &low, &high);
    double extent[3], factor[3];
    vec3_store(extent, vec3_sub(high, low));
    vec3_store(factor, wanted);
    for (int i = 0; i < 3; i++)
        if (extent[i] > 0)
            factor[i] /= extent[i];
        else if (factor[i] == 0)
            factor[i] = 1;
    b->scale = vec3_load(factor);
    return ABUT_OK;
}

static abut_status read_group(const fixture *f, fixture_body *b, const json_t *body)
{
    double id = -1;
    TRY(fixture_number(f, b->place, body, "group_id", &id));
    char key[40];
    snprintf(key, sizeof key, "%.0f", id);
    bool shared = b->type != TYPE_DYNAMIC || json_object_get(f->shared_group, key);
    if (id != floor(id) || id < -1 || id > 1e9)
        return fixture_wrong(f, b->place, "group_id", "an integer from -1 on",
                             json_object_get(body, "group_id"));
    b->group = shared ? SHARED_GROUP : id >= 0 ? FIRST_GROUP + (int)id : -1;
    return ABUT_OK;
}

static abut_status read_body(const fixture *f, const json_t *body, fixture_body *b)
{
    int type = 0;
    TRY(check_body_keys(f, b->place, body));
    TRY(fixture_word(f, b->place, body, "type", type_words, &type));
    b->type = (body_motion_type)type;
    b->density = 1000;
    b->kinematic_until = -1;
    TRY(fixture_number(f, b->place, body, "density", &b->density));
    bool moved_by_forces = b->type == TYPE_DYNAMIC;
    if (b->density < 0 || (moved_by_forces && b->density == 0))
        return fixture_wrong(f, b->place, "density",
                             moved_by_forces ? "a number > 0" : "a number >= 0",
                             json_object_get(body, "density"));
    if (b->density == 0) b->density = 1000; /* no effect where the motion is given */
    TRY(fixture_number(f, b->place, body, "kinematic_max_time", &b->kinematic_until));
    TRY(fixture_bool(f, b->place, body, "split_components", &b->split));
    TRY(fixture_vector(f, b->place, body, "position", FIXTURE_LENGTHS, &b->position));
    TRY(fixture_vector(f, b->place, body, "rotation", FIXTURE_ANGLES, &b->rotation));
    TRY(fixture_vector(f, b->place, body, "linear_velocity", FIXTURE_LENGTHS, &b->velocity));
    TRY(fixture_vector(f, b->place, body, "angular_velocity", FIXTURE_ANGLES, &b->spin));
    TRY(fixture_vector(f, b->place, body, "force", FIXTURE_LENGTHS, &b->force));
    TRY(fixture_vector(f, b->place, body, "torque", FIXTURE_ANGLES, &b->torque));
    b->torque = vec3_scale(DEGREE, b->torque); /* they read it like an angle */
    b->poses = json_object_get(body, "kinematic_poses");
    if (b->poses && !json_is_array(b->poses))
        return fixture_wrong(f, b->place, "kinematic_poses", "a list", b->poses);
    TRY(read_fixed(f, b, body));
    return read_group(f, b, body);
}

/* --- Poses --- */

static void append_pose(json_t *list, vec3 translate, mat3 turn)
{
    json_t *pose = json_object();
    json_object_set_new(pose, "translate", fixture_json_vector(translate));
    json_object_set_new(pose, "turn",
                        fixture_json_vector(vec3_scale(1 / DEGREE, rotation_vector(turn))));
    json_array_append_new(list, pose);
}

/* Rotations of poses refer to the principal axes that the reference program found, which are those
 * of the world only when the inertia is diagonal and ascending. */
static bool axes_are_principal(mat3 inertia)
{
    double size = inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2], small = 1e-9 * size;
    return fabs(inertia.m[0][1]) <= small && fabs(inertia.m[0][2]) <= small &&
           fabs(inertia.m[1][2]) <= small && inertia.m[0][0] <= inertia.m[1][1] + small &&
           inertia.m[1][1] <= inertia.m[2][2] + small;
}

static abut_status pose_list(const fixture *f, const fixture_body *b, const fixture_weight *weight,
                             json_t **out)
{
    vec3 place = {0, 0, 0};
    mat3 turn = mat3_identity();
    *out = json_array();
    size_t count = json_array_size(b->poses);
    for (size_t i = 0; i < count; i++) {
        const json_t *pose = json_array_get(b->poses, i);
        vec3 position = {0, 0, 0}, rotation = {0, 0, 0};
        TRY(fixture_vector(f, b->place, pose, "position", FIXTURE_LENGTHS, &position));
        TRY(fixture_vector(f, b->place, pose, "rotation", FIXTURE_ANGLES, &rotation));
        if (!f->planar && !axes_are_principal(weight->inertia))
            return fixture_refuse(
                f, b->place, "kinematic_poses",
                "rotations are relative to principal axes, and those of this body "
                "are not the axes of the world");
        place = vec3_sub(position, weight->center);
        turn = rotation_matrix(rotation);
        append_pose(*out, place, turn);
    }
    /* When they are used up, the velocities count again. */
    bool moving = vec3_norm2(b->velocity) + vec3_norm2(b->spin) > 0;
    mat3 spin = rotation_matrix(vec3_scale(f->step * DEGREE, b->spin));
    double until = b->kinematic_until >= 0 ? b->kinematic_until : INFINITY;
    for (int64_t i = (int64_t)count; moving && i < f->steps && (double)i * f->step < until; i++) {
        place = vec3_mul_add(place, f->step, b->velocity);
        turn = mat3_mul(spin, turn);
        append_pose(*out, place, turn);
    }
    return ABUT_OK;
}

/* --- Native JSON --- */

static void set_name(fixture *f, json_t *out, const char *stem)
{
    char text[160];
    json_int_t count = json_integer_value(json_object_get(f->names, stem)) + 1;
    json_object_set_new(f->names, stem, json_integer(count));
    snprintf(text, sizeof text, count > 1 ? "%s %d" : "%s", stem, (int)count);
    json_object_set_new(out, "name", json_string(text));
}

static void set_vector(json_t *out, const char *key, vec3 value, vec3 default_value)
{
    if (vec3_norm2(vec3_sub(value, default_value)) > 0)
        json_object_set_new(out, key, fixture_json_vector(value));
}

/* The letters of the fixed axes among three. */
static json_t *axis_letters(const bool *fixed)
{
    char letters[4] = "";
    size_t count = 0;
    for (int i = 0; i < 3; i++)
        if (fixed[i]) letters[count++] = "xyz"[i];
    letters[count] = 0;
    return json_string(letters);
}

static void set_dynamic(json_t *out, const fixture_body *b)
{
    const vec3 zero = {0, 0, 0};
    bool any = false;
    set_vector(out, "velocity", b->velocity, zero);
    set_vector(out, "angular_velocity", b->spin, zero);
    for (int i = 0; i < 6; i++) any = any || b->fixed[i];
    if (any) {
        json_t *fix = json_object();
        json_object_set_new(fix, "axes", axis_letters(b->fixed));
        json_object_set_new(fix, "rotation_axes", axis_letters(b->fixed + 3));
        json_object_set_new(out, "fix", fix);
    }
    if (vec3_norm2(b->force) + vec3_norm2(b->torque) > 0) {
        json_t *load = json_object();
        set_vector(load, "force", b->force, zero);
        set_vector(load, "torque", b->torque, zero);
        json_object_set_new(out, "force", load);
    }
}

static void set_motion(json_t *out, const fixture_body *b)
{
    const vec3 zero = {0, 0, 0};
    json_t *motion = json_object();
    set_vector(motion, "velocity", b->velocity, zero);
    set_vector(motion, "angular_velocity", b->spin, zero);
    if (b->kinematic_until >= 0)
        json_object_set_new(motion, "until", json_real(b->kinematic_until));
    json_object_set_new(out, "motion", motion);
}

/* A kinematic body that never moves is a static one. */
static bool stands_still(const fixture_body *b)
{
    return b->type == TYPE_STATIC ||
           (b->type == TYPE_KINEMATIC && json_array_size(b->poses) == 0 &&
            (vec3_norm2(b->velocity) + vec3_norm2(b->spin) == 0 || b->kinematic_until == 0));
}

static abut_status append_native(fixture *f, const fixture_body *b, const char *name,
                                 json_t *mesh_source, const mesh *shape)
{
    json_t *out = json_object();
    json_array_append_new(f->bodies, out);
    set_name(f, out, name);
    bool still = stands_still(b);
    json_object_set_new(out, "type", json_string(still ? "obstacle" : "rigid"));
    json_object_set_new(out, "mesh", mesh_source);
    set_vector(out, "scale", b->scale, vec3_make(1, 1, 1));
    set_vector(out, "rotate", b->rotation, vec3_make(0, 0, 0));
    set_vector(out, "translate", b->position, vec3_make(0, 0, 0));
    if (b->group >= 0) json_object_set_new(out, "collision_group", json_integer(b->group));
    if (f->separation > 0) json_object_set_new(out, "offset", json_real(f->separation));
    mesh placed;
    TRY(mesh_copy(shape, &placed, f->err));
    mesh_transform(&placed, b->scale, b->rotation, b->position);
    vec3 low, high;
    mesh_bounds(&placed, &low, &high);
    f->low = vec3_min(f->low, low);
    f->high = vec3_max(f->high, high);
    fixture_weight weight;
    abut_status status = still ? ABUT_OK : fixture_weigh_mesh(&placed, &weight, f->err);
    mesh_free(&placed);
    if (still || status != ABUT_OK) return status;
    json_object_set_new(out, "density", json_real(b->density));
    json_object_set_new(out, "mass_from", json_string(weight.word));
    if (b->type == TYPE_DYNAMIC) set_dynamic(out, b);
    if (b->type == TYPE_KINEMATIC && json_array_size(b->poses) > 0) {
        json_t *poses = NULL;
        status = pose_list(f, b, &weight, &poses);
        json_object_set_new(out, "poses", poses);
    } else if (b->type == TYPE_KINEMATIC) {
        set_motion(out, b);
    }
    return status;
}

static abut_status append_parts(fixture *f, const fixture_body *b, const char *name,
                                const mesh *shape)
{
    mesh *parts;
    size_t count;
    abut_status status = fixture_components(shape, &parts, &count, f->err);
    for (size_t i = 0; status == ABUT_OK && i < count; i++)
        status = append_native(f, b, name, fixture_mesh_json(&parts[i]), &parts[i]);
    for (size_t i = 0; i < count; i++) mesh_free(&parts[i]);
    mem_free(parts);
    return status;
}

static json_t *file_json(const fixture_mesh *source)
{
    json_t *out = json_object();
    json_object_set_new(out, "file", json_string(source->path));
    if (source->weld) json_object_set_new(out, "weld", json_true());
    return out;
}

abut_status fixture_body_import(fixture *f, const json_t *body, size_t index)
{
    fixture_body b = {0};
    snprintf(b.place, sizeof b.place, "rigid_body_problem.rigid_bodies[%zu]", index);
    bool enabled = true;
    TRY(fixture_bool(f, b.place, body, "enabled", &enabled));
    if (!enabled) return ABUT_OK;
    TRY(read_body(f, body, &b));
    const json_t *file = json_object_get(body, "mesh");
    if (file && !json_is_string(file)) return fixture_wrong(f, b.place, "mesh", "a path", file);
    if (!file || !json_string_value(file)[0]) {
        mesh shape;
        TRY(fixture_inline_mesh(f, b.place, body, &shape));
        abut_status status = read_scale(f, &b, body, &shape);
        if (status == ABUT_OK)
            status = b.split ? append_parts(f, &b, "body", &shape)
                             : append_native(f, &b, "body", fixture_mesh_json(&shape), &shape);
        mesh_free(&shape);
        return status;
    }
    const fixture_mesh *source;
    TRY(fixture_load_mesh(f, b.place, json_string_value(file), &source));
    TRY(read_scale(f, &b, body, &source->shape));
    const char *name = path_name(source->path), *extension = path_extension(source->path);
    char stem[128];
    size_t length = strlen(name) - (extension[0] ? strlen(extension) + 1 : 0);
    snprintf(stem, sizeof stem, "%.*s", (int)(length < 120 ? length : 120), name);
    return b.split ? append_parts(f, &b, stem, &source->shape)
                   : append_native(f, &b, stem, file_json(source), &source->shape);
}
