#include "scene/import_ipc.h"

#include "base/file.h"
#include "math/rotation.h"
#include "mesh/mesh_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

void ipc_script_free(ipc_script *s)
{
    for (size_t i = 0; i < s->shapes.count; i++) {
        ipc_shape *shape = &s->shapes.data[i];
        mem_free(shape->path);
        mem_free(shape->sequence);
        mem_free(shape->placed.rest);
        mem_free(shape->placed.position);
        array_free(&shape->conditions);
        mesh_free(&shape->placed.mesh);
        json_decref(shape->fixes);
        json_decref(shape->motions);
        json_decref(shape->forces);
        json_decref(shape->frames);
    }
    for (size_t i = 0; i < s->colliders.count; i++) {
        mem_free(s->colliders.data[i].path);
        mesh_free(&s->colliders.data[i].shape);
        json_decref(s->colliders.data[i].motions);
    }
    for (size_t i = 0; i < s->planes.count; i++) json_decref(s->planes.data[i].motions);
    mem_free(s->kind.folder);
    array_free(&s->kind.parameters);
    array_free(&s->shapes);
    array_free(&s->colliders);
    array_free(&s->planes);
    memset(s, 0, sizeof *s);
}

/* --- Files --- */

static char *joined(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = mem_alloc(size, 1);
    if (path) path_join(path, size, folder, name);
    return path;
}

/* The folder of the absolute path that contains its last component "input", cut off in place;
 * false when there is none. */
static bool cut_at_input(char *path)
{
    for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
        bool found = strcmp(slash, "/input") == 0;
        *slash = 0;
        if (found) return true;
    }
    return false;
}

char *ipc_resolve(const char *script_path, const char *name)
{
    if (name[0] == '/') return mem_strdup(name);
    char *real = realpath(script_path, NULL);
    char *base = mem_strdup(real ? real : script_path);
    free(real);
    if (!base) return NULL;
    char *slash = strrchr(base, '/');
    if (slash)
        *slash = 0;
    else
        strcpy(base, "."); /* a name has at least one character */
    char *beside = joined(base, name);
    if (beside && !file_exists(beside) && !file_is_directory(beside) && cut_at_input(base)) {
        mem_free(beside);
        beside = joined(base, name);
    }
    mem_free(base);
    return beside;
}

static abut_status shape_error(const ipc_script *s, int line, abut_status code, abut_error *err,
                               const char *message, const char *what)
{
    char place[256];
    snprintf(place, sizeof place, "%.200s:%d", s->path, line);
    return error_set(err, code, place, "%s \"%.250s\"", message, what);
}

/* The path with another extension, when there is such a file and none of the name given. */
static abut_status use_obj_instead(char **path, bool *replaced, abut_error *err)
{
    *replaced = false;
    if (file_exists(*path)) return ABUT_OK;
    size_t stem = strlen(*path) - strlen(path_extension(*path));
    char *other = mem_alloc(stem + 4, 1);
    if (!other) return error_memory(err, "reading a script");
    memcpy(other, *path, stem);
    strcpy(other + stem, "obj");
    if (!file_exists(other)) {
        mem_free(other);
        return ABUT_OK;
    }
    mem_free(*path);
    *path = other;
    *replaced = true;
    return ABUT_OK;
}

/* Solids are simulated; surfaces, segments and points are obstacles. Segments and points may stand
 * for the edges and vertices of an OBJ file of the same name. */
static abut_status classify(const ipc_script *s, ipc_shape *shape, abut_error *err)
{
    const char *extension = path_extension(shape->path);
    bool replaced = false;
    if (strcmp(extension, "msh") == 0) {
        shape->dimension = 3;
    } else if (strcmp(extension, "obj") == 0) {
        shape->dimension = 2;
    } else if (strcmp(extension, "seg") == 0) {
        shape->dimension = 1;
        TRY(use_obj_instead(&shape->path, &replaced, err));
        if (replaced) shape->only = "edges";
    } else if (strcmp(extension, "pt") == 0) {
        shape->dimension = 0;
        TRY(use_obj_instead(&shape->path, &replaced, err));
        shape->only = "points";
    } else {
        return shape_error(s, shape->line, ABUT_ERROR_UNSUPPORTED, err,
                           "shapes are .msh, .obj, .seg or .pt files, not", shape->path);
    }
    return ABUT_OK;
}

static abut_status read_file(const ipc_script *s, int line, const char *path, mesh *out,
                             abut_error *err)
{
    if (!file_exists(path))
        return shape_error(s, line, ABUT_ERROR_IO, err, "there is no file", path);
    TRY(mesh_read(path, NULL, out, err));
    if (out->vertex_count == 0)
        return shape_error(s, line, ABUT_ERROR_INPUT, err, "no vertices in", path);
    return ABUT_OK;
}

/* --- Transforms --- */

static vec3 times(vec3 a, vec3 b) { return vec3_make(a.x * b.x, a.y * b.y, a.z * b.z); }

static abut_status transform_shape(ipc_script *s, ipc_shape *shape, abut_error *err)
{
    TRY(classify(s, shape, err));
    TRY(read_file(s, shape->line, shape->path, &shape->placed.mesh, err));
    if (shape->dimension == 3 && !mesh_find(&shape->placed.mesh, CELL_TET))
        return shape_error(s, shape->line, ABUT_ERROR_INPUT, err, "no tetrahedra in", shape->path);
    size_t count = shape->placed.mesh.vertex_count;
    shape->placed.rest = mem_alloc(count, sizeof *shape->placed.rest);
    shape->placed.position = mem_alloc(count, sizeof *shape->placed.position);
    shape->fixes = json_array();
    shape->motions = json_array();
    shape->forces = json_array();
    if (!shape->placed.rest || !shape->placed.position || !shape->fixes || !shape->motions ||
        !shape->forces)
        return error_memory(err, "reading a script");
    shape->placed.orientation = shape->rotate;
    shape->placed.size = shape->scale;
    shape->placed.offset = shape->translate;
    for (size_t i = 0; i < count; i++)
        shape->placed.position[i] = shape->placed.rest[i] = vec3_add(
            mat3_mul_vec(shape->rotate, times(shape->scale, shape->placed.mesh.vertices[i])),
            shape->translate);
    return ABUT_OK;
}

static void bounds_of(const vec3 *x, size_t count, vec3 *low, vec3 *high)
{
    for (size_t i = 0; i < count; i++) {
        *low = vec3_min(*low, x[i]);
        *high = vec3_max(*high, x[i]);
    }
}

void ipc_update_bounds(ipc_script *s)
{
    s->placed.low = vec3_make(INFINITY, INFINITY, INFINITY);
    s->placed.high = vec3_neg(s->placed.low);
    for (size_t i = 0; i < s->shapes.count; i++)
        bounds_of(s->shapes.data[i].placed.position, s->shapes.data[i].placed.mesh.vertex_count,
                  &s->placed.low, &s->placed.high);
}

vec3 ipc_center(const ipc_shape *shape)
{
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    bounds_of(shape->placed.position, shape->placed.mesh.vertex_count, &low, &high);
    return vec3_scale(0.5, vec3_add(low, high));
}

/* rotateModel turns all shapes about half of the extent of the scene (not its centre). */
static void rotate_model(ipc_script *s)
{
    if (s->model_degrees == 0) return;
    vec3 axis = vec3_normalize(s->model_axis);
    mat3 turn = rotation_matrix(vec3_scale(s->model_degrees / 180 * PI, axis));
    vec3 center = vec3_scale(0.5, vec3_sub(s->placed.high, s->placed.low));
    for (size_t i = 0; i < s->shapes.count; i++) {
        ipc_shape *shape = &s->shapes.data[i];
        for (size_t v = 0; v < shape->placed.mesh.vertex_count; v++)
            shape->placed.position[v] =
                vec3_add(center, mat3_mul_vec(turn, vec3_sub(shape->placed.position[v], center)));
        shape->placed.orientation = mat3_mul(turn, shape->placed.orientation);
        shape->placed.offset =
            vec3_add(center, mat3_mul_vec(turn, vec3_sub(shape->placed.offset, center)));
    }
    ipc_update_bounds(s);
}

/* size scales the scene until its longest side has this length, and puts its corner at 0. */
static void resize_model(ipc_script *s)
{
    double longest = vec3_max_abs(vec3_sub(s->placed.high, s->placed.low));
    if (!(s->size > 0) || !(longest > 0)) return;
    double factor = s->size / longest;
    vec3 corner = vec3_scale(factor, s->placed.low);
    for (size_t i = 0; i < s->shapes.count; i++) {
        ipc_shape *shape = &s->shapes.data[i];
        for (size_t v = 0; v < shape->placed.mesh.vertex_count; v++) {
            shape->placed.position[v] =
                vec3_sub(vec3_scale(factor, shape->placed.position[v]), corner);
            shape->placed.rest[v] = vec3_sub(vec3_scale(factor, shape->placed.rest[v]), corner);
        }
        shape->placed.size = vec3_scale(factor, shape->placed.size);
        shape->placed.offset = vec3_sub(vec3_scale(factor, shape->placed.offset), corner);
    }
    ipc_update_bounds(s);
}

/* l: diagonal of all solids, without obstacles. */
static abut_status measure(ipc_script *s, abut_error *err)
{
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    bool any = false;
    for (size_t i = 0; i < s->shapes.count; i++) {
        const ipc_shape *shape = &s->shapes.data[i];
        if (shape->dimension != 3) continue;
        any = true;
        bounds_of(shape->placed.rest, shape->placed.mesh.vertex_count, &low, &high);
    }
    if (!any)
        return error_set(err, ABUT_ERROR_INPUT, s->path,
                         "the script has no solid shape (.msh): nothing would be simulated");
    s->placed.l = vec3_norm(vec3_sub(high, low));
    return ABUT_OK;
}

static abut_status transform_collider(ipc_script *s, ipc_collider *c, abut_error *err)
{
    TRY(read_file(s, c->line, c->path, &c->shape, err));
    vec3 mean = {0}, low, high;
    for (size_t i = 0; i < c->shape.vertex_count; i++) mean = vec3_add(mean, c->shape.vertices[i]);
    mean = vec3_scale(1 / (double)c->shape.vertex_count, mean);
    mesh_bounds(&c->shape, &low, &high);
    double longest = vec3_max_abs(vec3_sub(high, low));
    if (!(longest > 0))
        return shape_error(s, c->line, ABUT_ERROR_INPUT, err, "no extent has the mesh", c->path);
    c->factor = c->scale / longest;
    c->offset = vec3_sub(c->origin, vec3_scale(c->factor, mat3_mul_vec(c->rotate, mean)));
    c->low = vec3_make(INFINITY, INFINITY, INFINITY);
    c->high = vec3_neg(c->low);
    for (size_t i = 0; i < c->shape.vertex_count; i++) {
        vec3 x = mat3_mul_vec(c->rotate, vec3_scale(c->factor, c->shape.vertices[i]));
        x = vec3_add(x, c->offset);
        bounds_of(&x, 1, &c->low, &c->high);
    }
    c->motions = json_array();
    return c->motions ? ABUT_OK : error_memory(err, "reading a script");
}

abut_status ipc_transform(ipc_script *s, abut_error *err)
{
    for (size_t i = 0; i < s->shapes.count; i++) TRY(transform_shape(s, &s->shapes.data[i], err));
    ipc_update_bounds(s);
    rotate_model(s);
    resize_model(s);
    TRY(measure(s, err));
    for (size_t i = 0; i < s->colliders.count; i++)
        TRY(transform_collider(s, &s->colliders.data[i], err));
    return ABUT_OK;
}
