#include "scene/native.h"
#include "scene/native_get.h"
#include "scene/native_solid.h"

#include "base/file.h"
#include "base/memory.h"
#include "material/law.h"
#include "mesh/components.h"
#include "scene/body_mesh.h"
#include "scene/schema.h"
#include "scene/schema_table.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* --- Reading values that are known to be there and right --- */

static length_def get_length(const json_t *object, const char *key)
{
    const json_t *value = get(object, key);
    length_def length = {json_number_value(value), false};
    if (json_is_string(value))
        schema_parse_length(json_string_value(value), &length.value, &length.relative);
    return length;
}

/* Room for the entries of a list; NULL and a count of 0 for an empty one. */
static abut_status allocate_list(const json_t *list, size_t item_size, void **items, size_t *count,
                                 abut_error *err)
{
    size_t n = json_array_size(list);
    *items = NULL;
    *count = 0;
    if (n == 0) return ABUT_OK;
    *items = mem_calloc(n, item_size);
    if (!*items) return error_memory(err, "reading the scene");
    *count = n;
    return ABUT_OK;
}

/* --- Conditions --- */

static abut_status read_selector(const json_t *object, selector_def *out, abut_error *err)
{
    int kind = 0;
    while (!get(object, selector_words[kind])) kind++;
    const json_t *value = get(object, selector_words[kind]);
    out->kind = (selector_kind)kind;
    switch (out->kind) {
    case SELECT_ALL: break;
    case SELECT_BOX:
    case SELECT_RELATIVE_BOX:
        out->low = native_to_vector(json_array_get(value, 0));
        out->high = native_to_vector(json_array_get(value, 1));
        break;
    case SELECT_SPHERE:
        out->center = native_get_vector(value, "center");
        out->radius = get_number(value, "radius");
        break;
    case SELECT_LIST:
        TRY(allocate_list(value, sizeof *out->list, (void **)&out->list, &out->count, err));
        for (size_t i = 0; i < out->count; i++)
            out->list[i] = (int32_t)json_integer_value(json_array_get(value, i));
        break;
    case SELECT_TAG:
    case SELECT_BOUNDARY: out->tag = (int32_t)json_integer_value(value); break;
    }
    return ABUT_OK;
}

/* Three expressions of a field that may be absent. */
static abut_status read_expressions(const json_t *list, expression *out[3], abut_error *err)
{
    for (size_t k = 0; list && k < 3; k++) {
        const json_t *item = json_array_get(list, k);
        if (json_is_string(item)) {
            TRY(expression_parse(json_string_value(item), &out[k], err));
        } else {
            out[k] = expression_constant(json_number_value(item));
            if (!out[k]) return error_memory(err, "reading the scene");
        }
    }
    return ABUT_OK;
}

static void free_expressions(expression *list[3])
{
    for (int k = 0; k < 3; k++) expression_free(list[k]);
}

static abut_status read_motions(const json_t *list, motion_def **out, size_t *count,
                                abut_error *err)
{
    TRY(allocate_list(list, sizeof **out, (void **)out, count, err));
    for (size_t i = 0; i < *count; i++) {
        const json_t *object = json_array_get(list, i);
        motion_def *motion = &(*out)[i];
        motion->from = get_number(object, "from");
        motion->until = get_number_or(object, "until", INFINITY);
        motion->velocity = native_get_vector(object, "velocity");
        motion->angular_velocity = native_get_vector(object, "angular_velocity");
        motion->center = native_get_vector(object, "center");
        motion->center_given = get(object, "center") != NULL;
    }
    return ABUT_OK;
}

static abut_status read_fix(const json_t *object, fix_def *out, abut_error *err)
{
    out->from = get_number(object, "from");
    out->until = get_number_or(object, "until", INFINITY);
    for (const char *axis = get_string(object, "axes"); *axis; axis++)
        out->axes[*axis - 'x'] = true;
    const json_t *turns = get(object, "rotation_axes");
    for (const char *axis = turns ? json_string_value(turns) : "xyz"; *axis; axis++)
        out->rotation_axes[*axis - 'x'] = true;
    out->takes_over = get_bool(object, "takes_over");
    const json_t *release = get(object, "release");
    out->has_release = release != NULL;
    if (release) {
        out->release_axis = get_word(release, "axis", axis_words);
        out->release_beyond = get_number(release, "beyond");
    }
    TRY(read_selector(get(object, "nodes"), &out->nodes, err));
    TRY(read_expressions(get(object, "displacement"), out->displacement, err));
    return read_motions(get(object, "motion"), &out->motions, &out->motion_count, err);
}

static abut_status read_force(const json_t *object, force_def *out, abut_error *err)
{
    out->from = get_number(object, "from");
    out->until = get_number_or(object, "until", INFINITY);
    out->acceleration = native_get_vector(object, "acceleration");
    TRY(read_expressions(get(object, "acceleration_field"), out->field, err));
    out->force = native_get_vector(object, "force");
    out->torque = native_get_vector(object, "torque");
    return read_selector(get(object, "nodes"), &out->nodes, err);
}

/* --- Meshes --- */

static void get_cells(const json_t *object, const char *key, int cells[3])
{
    const json_t *list = get(object, key);
    for (size_t i = 0; i < json_array_size(list); i++)
        cells[i] = (int)json_integer_value(json_array_get(list, i));
}

/* Keys of generated meshes that are taken as they are. */
typedef enum shape_value {
    SHAPE_NUMBER,
    SHAPE_INT,
    SHAPE_BOOL,
    SHAPE_VECTOR,
    SHAPE_COUNTS
} shape_value;

static const struct {
    mesh_source source;
    const char *key;
    shape_value value;
    size_t offset; /* in mesh_def */
} shape_keys[] = {
    {MESH_BOX, "size", SHAPE_VECTOR, offsetof(mesh_def, size)},
    {MESH_BOX, "cells", SHAPE_COUNTS, offsetof(mesh_def, cells)},
    {MESH_MAT, "size", SHAPE_VECTOR, offsetof(mesh_def, size)},
    {MESH_MAT, "nodes", SHAPE_COUNTS, offsetof(mesh_def, cells)},
    {MESH_ROD, "length", SHAPE_NUMBER, offsetof(mesh_def, length)},
    {MESH_ROD, "radius", SHAPE_NUMBER, offsetof(mesh_def, radius)},
    {MESH_ROD, "cells", SHAPE_INT, offsetof(mesh_def, cells[0])},
    {MESH_ROD, "rings", SHAPE_INT, offsetof(mesh_def, cells[1])},
    {MESH_BALL, "radius", SHAPE_NUMBER, offsetof(mesh_def, radius)},
    {MESH_BALL, "cells", SHAPE_INT, offsetof(mesh_def, cells[0])},
    {MESH_TORUS, "ring_radius", SHAPE_NUMBER, offsetof(mesh_def, radius)},
    {MESH_TORUS, "tube_radius", SHAPE_NUMBER, offsetof(mesh_def, radius2)},
    {MESH_TORUS, "ring_cells", SHAPE_INT, offsetof(mesh_def, cells[0])},
    {MESH_TORUS, "tube_cells", SHAPE_INT, offsetof(mesh_def, cells[1])},
    {MESH_GRID, "cells", SHAPE_COUNTS, offsetof(mesh_def, cells)},
    {MESH_SPHERE, "radius", SHAPE_NUMBER, offsetof(mesh_def, radius)},
    {MESH_SPHERE, "level", SHAPE_INT, offsetof(mesh_def, cells[0])},
    {MESH_CONE, "bottom_radius", SHAPE_NUMBER, offsetof(mesh_def, radius)},
    {MESH_CONE, "top_radius", SHAPE_NUMBER, offsetof(mesh_def, radius2)},
    {MESH_CONE, "height", SHAPE_NUMBER, offsetof(mesh_def, length)},
    {MESH_CONE, "around", SHAPE_INT, offsetof(mesh_def, cells[0])},
    {MESH_CONE, "along", SHAPE_INT, offsetof(mesh_def, cells[1])},
    {MESH_TUBE, "radius", SHAPE_NUMBER, offsetof(mesh_def, radius)},
    {MESH_TUBE, "length", SHAPE_NUMBER, offsetof(mesh_def, length)},
    {MESH_TUBE, "around", SHAPE_INT, offsetof(mesh_def, cells[0])},
    {MESH_TUBE, "along", SHAPE_INT, offsetof(mesh_def, cells[1])},
    {MESH_POLYLINE, "from", SHAPE_VECTOR, offsetof(mesh_def, from)},
    {MESH_POLYLINE, "to", SHAPE_VECTOR, offsetof(mesh_def, to)},
    {MESH_POLYLINE, "segments", SHAPE_INT, offsetof(mesh_def, cells[0])},
    {MESH_LATTICE, "counts", SHAPE_COUNTS, offsetof(mesh_def, cells)},
    {MESH_LATTICE, "spacing", SHAPE_VECTOR, offsetof(mesh_def, to)},
    {MESH_LATTICE, "jitter", SHAPE_NUMBER, offsetof(mesh_def, jitter)},
    {MESH_HELIX, "radius", SHAPE_NUMBER, offsetof(mesh_def, radius)},
    {MESH_HELIX, "pitch", SHAPE_NUMBER, offsetof(mesh_def, length)},
    {MESH_HELIX, "turns", SHAPE_NUMBER, offsetof(mesh_def, radius2)},
    {MESH_HELIX, "segments", SHAPE_INT, offsetof(mesh_def, cells[0])},
    {MESH_BUNDLE, "from", SHAPE_VECTOR, offsetof(mesh_def, from)},
    {MESH_BUNDLE, "to", SHAPE_VECTOR, offsetof(mesh_def, to)},
    {MESH_BUNDLE, "segments", SHAPE_INT, offsetof(mesh_def, cells[0])},
    {MESH_BUNDLE, "counts", SHAPE_COUNTS, offsetof(mesh_def, counts)},
    {MESH_BUNDLE, "spacing", SHAPE_VECTOR, offsetof(mesh_def, spacing)},
    {MESH_BUNDLE, "round", SHAPE_BOOL, offsetof(mesh_def, round)},
};

static void read_shape(const json_t *p, mesh_def *out)
{
    for (size_t k = 0; k < sizeof shape_keys / sizeof *shape_keys; k++) {
        if (shape_keys[k].source != out->source) continue;
        const char *key = shape_keys[k].key;
        void *to = (char *)out + shape_keys[k].offset;
        switch (shape_keys[k].value) {
        case SHAPE_NUMBER: *(double *)to = get_number(p, key); break;
        case SHAPE_INT: *(int *)to = get_int(p, key); break;
        case SHAPE_BOOL: *(bool *)to = get_bool(p, key); break;
        case SHAPE_VECTOR: *(vec3 *)to = native_get_vector(p, key); break;
        case SHAPE_COUNTS: get_cells(p, key, to); break;
        }
    }
    if (out->source == MESH_BALL) {
        out->level = get(p, "level") ? get_int(p, "level") : -1;
        out->order = get(p, "order") ? get_int(p, "order") : 1;
    }
    if (out->source == MESH_GRID) {
        out->size.x = json_number_value(json_array_get(get(p, "size"), 0));
        out->size.z = json_number_value(json_array_get(get(p, "size"), 1));
        out->diagonals = (diagonal_word)get_word(p, "diagonals", diagonal_words);
    }
    if (out->source == MESH_GIVEN) out->given = p;
}

/* A new string: the path of a file that the scene names. */
static abut_status resolve_path(const char *folder, const char *name, const char **out,
                                abut_error *err)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = mem_alloc(size, 1);
    if (!path) return error_memory(err, "reading the scene");
    path_join(path, size, folder, name);
    *out = path;
    return ABUT_OK;
}

static abut_status read_mesh(const json_t *object, const char *folder, mesh_def *out,
                             abut_error *err)
{
    int source = 0;
    while (!get(object, mesh_source_words[source])) source++;
    out->source = (mesh_source)source;
    out->refine = get_int(object, "refine");
    out->only = (mesh_only)get_word(object, "only", mesh_only_words);
    out->component = get_int(object, "component");
    if (out->source != MESH_FILE) {
        read_shape(get(object, mesh_source_words[source]), out);
        return ABUT_OK;
    }
    out->weld = get_bool(object, "weld");
    return resolve_path(folder, get_string(object, "file"), &out->path, err);
}

/* --- Bodies --- */

static void read_ogden(const json_t *material, material_def *out)
{
    out->c1 = get_number_or(material, "c1", 0);
    out->c2 = get_number_or(material, "c2", 0);
    out->bulk = get_number_or(material, "bulk", 0);
    const json_t *factors = get(material, "coefficients"), *powers = get(material, "exponents");
    for (size_t i = 0; i < json_array_size(factors) && i < 4; i++) {
        out->coefficient[i] = json_number_value(json_array_get(factors, i));
        out->exponent[i] = json_number_value(json_array_get(powers, i));
        out->terms++;
    }
}

static void read_own_parameters(const json_t *material, material_def *out)
{
    const elastic_law *law = elastic_laws[out->model];
    const json_t *own = get(material, "parameters");
    for (int i = 0; i < law->parameter_count; i++)
        out->own[i] = json_number_value(json_object_get(own, law->parameters[i].name));
}

static void read_material(const json_t *body, const json_t *materials, material_def *out)
{
    const json_t *material = get(body, "material");
    if (json_is_string(material)) {
        out->name = json_string_value(material);
        material = get(materials, out->name);
    }
    if (material) {
        out->model = (elastic_model)get_word(material, "model", elastic_law_words);
        out->young = get_number_or(material, "young", 0);
        out->poisson = get_number_or(material, "poisson", 0);
        read_ogden(material, out);
        read_own_parameters(material, out);
        out->density = get_number(material, "density");
        out->damping = get_number(material, "damping");
        out->barrier = get_number(material, "barrier");
        out->barrier_below = get_number(material, "barrier_below");
    }
    out->density = get_number_or(body, "density", out->density);
}

static abut_status read_conditions(const json_t *object, body_def *out, abut_error *err)
{
    const json_t *fixes = get(object, "fix"), *forces = get(object, "force");
    TRY(read_expressions(get(object, "displacement"), out->dirichlet.displacement, err));
    TRY(read_expressions(get(object, "velocity_field"), out->velocity_field, err));
    TRY(native_read_boundaries(get(object, "boundary"), out, err));
    TRY(native_read_surface_loads(get(object, "surface_loads"), out, err));
    TRY(allocate_list(fixes, sizeof *out->dirichlet.fixes, (void **)&out->dirichlet.fixes,
                      &out->dirichlet.fix_count, err));
    for (size_t i = 0; i < out->dirichlet.fix_count; i++)
        TRY(read_fix(json_array_get(fixes, i), &out->dirichlet.fixes[i], err));
    TRY(allocate_list(forces, sizeof *out->loads.forces, (void **)&out->loads.forces,
                      &out->loads.force_count, err));
    for (size_t i = 0; i < out->loads.force_count; i++)
        TRY(read_force(json_array_get(forces, i), &out->loads.forces[i], err));
    return read_motions(get(object, "motion"), &out->dirichlet.motions,
                        &out->dirichlet.motion_count, err);
}

static abut_status read_rigid(const json_t *object, body_def *out, abut_error *err)
{
    out->rigid.total_mass = get_number_or(object, "total_mass", 0);
    out->rigid.weigh = (weigh_word)get_word(object, "weigh", weigh_words);
    out->rigid.orthogonality = get_number(object, "orthogonality");
    out->collision_group = get_int(object, "collision_group");
    const json_t *list = get(object, "poses");
    TRY(allocate_list(list, sizeof *out->rigid.poses, (void **)&out->rigid.poses,
                      &out->rigid.pose_count, err));
    for (size_t i = 0; i < out->rigid.pose_count; i++) {
        const json_t *pose = json_array_get(list, i);
        out->rigid.poses[i] =
            (pose_def){native_get_vector(pose, "translate"), native_get_vector(pose, "turn")};
    }
    return ABUT_OK;
}

static abut_status read_solid(const json_t *object, const scene_def *scene, solid_def *out,
                              abut_error *err)
{
    const json_t *surface = get(object, "surface"), *regions = get(object, "regions");
    out->order = get(object, "order") ? get_int(object, "order") : 0;
    if (surface && get(surface, "segments")) out->segments = get_int(surface, "segments");
    if (surface) out->max_edge = get_number_or(surface, "max_edge", 0);
    if (surface && get(surface, "file"))
        TRY(resolve_path(scene->folder, get_string(surface, "file"), &out->surface_path, err));
    out->surface_piece = surface && get(surface, "piece") ? get_int(surface, "piece") + 1 : 0;
    if (surface && get(surface, "map"))
        TRY(resolve_path(scene->folder, get_string(surface, "map"), &out->map_path, err));
    if (get(object, "densities"))
        TRY(resolve_path(scene->folder, get_string(object, "densities"), &out->densities_path,
                         err));
    if (get(object, "mass_like"))
        TRY(resolve_path(scene->folder, get_string(object, "mass_like"), &out->like_path, err));
    TRY(allocate_list(regions, sizeof *out->regions, (void **)&out->regions, &out->region_count,
                      err));
    for (size_t i = 0; i < out->region_count; i++) {
        const json_t *region = json_array_get(regions, i);
        out->regions[i].by_place = !get(region, "tag");
        if (out->regions[i].by_place)
            TRY(native_read_transform(region, &out->regions[i].place, err));
        else
            out->regions[i].tag = get_int(region, "tag");
        read_material(region, get(scene->resolved, "materials"), &out->regions[i].material);
    }
    return ABUT_OK;
}

static abut_status read_sequence(const json_t *object, const char *folder, body_def *out,
                                 abut_error *err)
{
    if (!object) return ABUT_OK;
    out->sequence.extension = get_string(object, "extension");
    out->sequence.first = get_int(object, "first");
    out->sequence.given = true;
    out->sequence.files = get(object, "files");
    out->sequence.fps = get_number_or(object, "fps", 0);
    out->sequence.transform = get_bool(object, "transform");
    if (out->sequence.files) return ABUT_OK;
    return resolve_path(folder, get_string(object, "folder"), &out->sequence.folder, err);
}

static abut_status read_weights(const json_t *list, body_def *out, abut_error *err)
{
    TRY(allocate_list(list, sizeof *out->weights, (void **)&out->weights, &out->weight_count, err));
    for (size_t i = 0; i < out->weight_count; i++) {
        const json_t *object = json_array_get(list, i);
        out->weights[i].mass = get_number(object, "mass");
        TRY(read_selector(get(object, "nodes"), &out->weights[i].nodes, err));
    }
    return ABUT_OK;
}

/* What the kind of the body says. */
static void read_own(const json_t *object, body_def *out)
{
    const body_row *row = body_rows[out->type];
    const json_t *own = get(object, "parameters");
    out->damping = out->bending_damping = out->material.damping;
    out->shell.upper = INFINITY;
    for (int i = 0; i < row->parameter_count; i++)
        out->own[i] = get_number(own, row->parameters[i].name);
    if (row->read) row->read(object, out);
}

static abut_status read_body(const json_t *object, const scene_def *scene, body_def *out,
                             abut_error *err)
{
    out->name = get_string(object, "name");
    out->type = (body_kind)get_word(object, "type", body_kind_words);
    out->enabled = get_bool(object, "enabled");
    out->scale = native_get_vector(object, "scale");
    out->rotate = native_get_vector(object, "rotate");
    out->translate = native_get_vector(object, "translate");
    out->velocity = native_get_vector(object, "velocity");
    out->angular_velocity = native_get_vector(object, "angular_velocity");
    out->friction = get_number_or(object, "friction", -1);
    out->consistent_mass = get(object, "mass") && schema_has_word(object, "mass", "consistent");
    read_material(object, get(scene->resolved, "materials"), &out->material);
    out->offset = get_number(object, "offset");
    read_own(object, out);
    TRY(read_weights(get(object, "weights"), out, err));
    TRY(read_mesh(get(object, "mesh"), scene->folder, &out->mesh, err));
    TRY(read_sequence(get(object, "sequence"), scene->folder, out, err));
    TRY(read_rigid(object, out, err));
    TRY(read_solid(object, scene, &out->solid, err));
    return read_conditions(object, out, err);
}

static abut_status count_pieces(const json_t *body, const scene_def *scene, size_t *count,
                                abut_error *err)
{
    mesh_def def = {0};
    mesh shape;
    TRY(read_mesh(get(body, "mesh"), scene->folder, &def, err));
    abut_status status = body_mesh_make(&def, NULL, &shape, err);
    if (status == ABUT_OK) {
        status = mesh_count_components(&shape, count, err);
        mesh_free(&shape);
    }
    mem_free((char *)def.path);
    return status == ABUT_OK ? ABUT_OK : error_add_place(err, get_string(body, "name"), status);
}

/* A body for every piece of the mesh. */
static abut_status append_pieces(json_t *list, json_t *body, size_t count, abut_error *err)
{
    bool ok = json_object_set_new(body, "split", json_false()) == 0;
    for (size_t k = 0; ok && k < count; k++) {
        json_t *piece = json_deep_copy(body);
        ok = piece && json_object_set_new(piece, "name",
                                          json_sprintf("%s.%zu", get_string(body, "name"), k)) == 0;
        ok = ok && json_object_set_new(json_object_get(piece, "mesh"), "component",
                                       json_integer((json_int_t)k)) == 0;
        ok = ok && json_array_append(list, piece) == 0;
        json_decref(piece);
    }
    return ok ? ABUT_OK : error_memory(err, "splitting a body");
}

/* Replaces bodies that are to be split by their pieces. */
static abut_status split_bodies(scene_def *scene, abut_error *err)
{
    json_t *old = json_object_get(scene->resolved, "bodies"), *list = json_array();
    abut_status status = list ? ABUT_OK : error_memory(err, "splitting bodies");
    for (size_t i = 0; status == ABUT_OK && i < json_array_size(old); i++) {
        json_t *body = json_array_get(old, i);
        size_t count = 0;
        if (!get_bool(body, "split")) {
            if (json_array_append(list, body) != 0) status = error_memory(err, "splitting bodies");
            continue;
        }
        status = count_pieces(body, scene, &count, err);
        if (status == ABUT_OK) status = append_pieces(list, body, count, err);
    }
    if (status == ABUT_OK && json_object_set(scene->resolved, "bodies", list) != 0)
        status = error_memory(err, "splitting bodies");
    json_decref(list);
    return status;
}

static abut_status read_bodies(scene_def *scene, abut_error *err)
{
    TRY(split_bodies(scene, err));
    const json_t *list = get(scene->resolved, "bodies");
    TRY(allocate_list(list, sizeof *scene->bodies, (void **)&scene->bodies, &scene->body_count,
                      err));
    for (size_t i = 0; i < scene->body_count; i++)
        TRY(read_body(json_array_get(list, i), scene, &scene->bodies[i], err));
    return ABUT_OK;
}

/* --- The scene --- */

/* The listed half spaces, then the one that "ground" stands for. */
static abut_status read_half_spaces(scene_def *scene, abut_error *err)
{
    const json_t *list = get(scene->resolved, "half_spaces");
    const json_t *ground = get(scene->resolved, "ground");
    size_t listed = json_array_size(list), count = listed + (ground ? 1 : 0);
    if (count == 0) return ABUT_OK;
    scene->half_spaces = mem_calloc(count, sizeof *scene->half_spaces);
    if (!scene->half_spaces) return error_memory(err, "reading the scene");
    scene->half_space_count = count;
    for (size_t i = 0; i < listed; i++) {
        const json_t *object = json_array_get(list, i);
        half_space_def *plane = &scene->half_spaces[i];
        plane->origin = native_get_vector(object, "origin");
        plane->normal = vec3_normalize(native_get_vector(object, "normal"));
        plane->friction = get_number_or(object, "friction", -1);
        plane->velocity = native_get_vector(object, "velocity");
    }
    if (ground)
        scene->half_spaces[listed] = (half_space_def){
            .origin = {0, json_number_value(ground), 0}, .normal = {0, 1, 0}, .friction = -1};
    return ABUT_OK;
}

bool scene_names(const scene_def *scene, const char *name, size_t body)
{
    if (strcmp(scene->bodies[body].name, name) == 0) return true;
    if (!schema_piece_of(scene->bodies[body].name, name)) return false;
    for (size_t i = 0; i < scene->body_count; i++)
        if (strcmp(scene->bodies[i].name, name) == 0) return false;
    return true;
}

/* After the bodies; the rules of the schema have checked the names. */
static abut_status read_friction_pairs(scene_def *scene, abut_error *err)
{
    const json_t *list = get(get(scene->resolved, "contact"), "friction_pairs");
    size_t count = json_array_size(list);
    if (count == 0) return ABUT_OK;
    scene->contact.friction_pairs = mem_calloc(count, sizeof *scene->contact.friction_pairs);
    if (!scene->contact.friction_pairs) return error_memory(err, "reading the scene");
    scene->contact.friction_pair_count = count;
    for (size_t i = 0; i < count; i++) {
        const json_t *object = json_array_get(list, i);
        scene->contact.friction_pairs[i] =
            (friction_pair_def){get_string(object, "first"), get_string(object, "second"),
                                get_number(object, "coefficient")};
    }
    return ABUT_OK;
}

static void read_options(scene_def *scene)
{
    const json_t *time = get(scene->resolved, "time"), *contact = get(scene->resolved, "contact");
    const json_t *solver = get(scene->resolved, "solver");
    scene->name = get_string(scene->resolved, "name");
    scene->planar = get_bool(scene->resolved, "planar");
    scene->gravity = native_get_vector(scene->resolved, "gravity");
    scene->time_step = get_number(time, "step");
    scene->end_time = get_number_or(time, "end", get_number(time, "steps") * scene->time_step);
    scene->integrator = (integrator)get_word(time, "integrator", integrator_words);
    scene->newmark_beta = get_number(time, "newmark_beta");
    scene->newmark_gamma = get_number(time, "newmark_gamma");
    scene->newmark_plain = get_word(time, "newmark_contact", newmark_contact_words) == 1;
    scene->contact.enabled = get_bool(contact, "enabled");
    scene->contact.dhat = get_length(contact, "dhat");
    scene->contact.check_moves = get_bool(contact, "check_moves");
    scene->contact.prescribed_overlap = get_bool(contact, "prescribed_overlap");
    scene->contact.eps_v = get_length(contact, "eps_v");
    scene->contact.stiffness = get_number_or(contact, "stiffness", 0);
    scene->contact.stiffness_rule =
        (stiffness_rule_word)get_word(contact, "stiffness_rule", stiffness_rule_words);
    scene->contact.area_weighted = get_bool(contact, "area_weighted");
    scene->contact.physical = get_bool(contact, "physical");
    scene->contact.improved_max = get_bool(contact, "improved_max");
    scene->contact.friction = get_number(contact, "friction");
    scene->contact.friction_iterations = get_int(contact, "friction_iterations");
    scene->stepper = (stepper_word)get_word(scene->resolved, "stepper", stepper_words);
    const json_t *mlcp = get(scene->resolved, "mlcp");
    scene->mlcp.residual = get_number(mlcp, "residual");
    scene->mlcp.tolerance = get_number(mlcp, "tolerance");
    scene->mlcp.preconditioner =
        (preconditioner_word)get_word(mlcp, "preconditioner", preconditioner_words);
    scene->mlcp.max_iterations = get_int(mlcp, "max_iterations");
    scene->mlcp.max_passes = get_int(mlcp, "max_passes");
    scene->contact.barrier = (barrier_word)get_word(contact, "barrier", barrier_words);
    scene->contact.friction_smoothing =
        (smoothing_word)get_word(contact, "friction_smoothing", smoothing_words);
    scene->contact.ccd = (ccd_word)get_word(contact, "ccd", ccd_words);
    scene->contact.reuse_candidates = get_bool(contact, "reuse_candidates");
    scene->solver.tolerance = get_length(solver, "tolerance");
    scene->solver.max_iterations = get_int(solver, "max_iterations");
    scene->solver.true_hessian_after = get_int(solver, "true_hessian_after");
    scene->solver.anchor = get_number(solver, "anchor");
    scene->solver.true_hessian_first = get_bool(solver, "true_hessian_first");
    scene->solver.rms_measure = strcmp(get_string(solver, "measure"), "rms") == 0;
    scene->solver.split_limits = strcmp(get_string(solver, "strain_limits"), "split") == 0;
    scene->solver.linear = get_string(solver, "linear");
    scene->solver.linear_tolerance = get_number(solver, "linear_tolerance");
    scene->solver.forcing = get_number(solver, "forcing");
    scene->solver.reproducible = get_bool(solver, "reproducible");
}

static void read_output(scene_def *scene)
{
    const json_t *output = get(scene->resolved, "output"), *formats = get(output, "formats");
    scene->output.frame_every = get_int(output, "every");
    scene->output.checkpoint_every = get_int(output, "checkpoint_every");
    scene->output.measures = get_bool(output, "measures");
    scene->output.paths = (paths_word)get_word(output, "paths", paths_words);
    for (size_t i = 0; i < json_array_size(formats); i++) {
        const char *format = json_string_value(json_array_get(formats, i));
        if (strcmp(format, "vtu") == 0) scene->output.write_vtu = true;
        if (strcmp(format, "obj") == 0) scene->output.write_obj = true;
        if (strcmp(format, "volume") == 0) scene->output.write_volume = true;
    }
    const json_t *fields = get(output, "fields");
    for (size_t i = 0; i < json_array_size(fields); i++)
        for (int k = 0; frame_field_words[k]; k++)
            if (strcmp(json_string_value(json_array_get(fields, i)), frame_field_words[k]) == 0)
                scene->output.frame_fields |= 1u << k;
}

static abut_status fill(scene_def *scene, const char *path, abut_error *err)
{
    size_t size = strlen(path) + 2;
    scene->folder = mem_alloc(size, 1);
    if (!scene->folder) return error_memory(err, "reading the scene");
    path_folder(scene->folder, size, path);
    scene->path = mem_strdup(path);
    if (!scene->path) return error_memory(err, "reading the scene");
    read_options(scene);
    read_output(scene);
    TRY(read_half_spaces(scene, err));
    TRY(read_bodies(scene, err));
    TRY(read_friction_pairs(scene, err));
    native_read_remesh(scene);
    return ABUT_OK;
}

abut_status native_to_scene(const char *path, json_t *resolved, scene_def **out, abut_error *err)
{
    *out = NULL;
    scene_def *scene = mem_calloc(1, sizeof *scene);
    if (!scene) {
        json_decref(resolved);
        return error_memory(err, "reading the scene");
    }
    scene->resolved = resolved;
    scene->pieces = mem_calloc(1, sizeof *scene->pieces);
    abut_status status =
        scene->pieces ? fill(scene, path, err) : error_memory(err, "reading the scene");
    if (status == ABUT_OK)
        *out = scene;
    else
        scene_free(scene);
    return status;
}

static void free_body(body_def *body)
{
    for (size_t i = 0; i < body->dirichlet.fix_count; i++) {
        mem_free(body->dirichlet.fixes[i].nodes.list);
        mem_free(body->dirichlet.fixes[i].motions);
        free_expressions(body->dirichlet.fixes[i].displacement);
    }
    for (size_t i = 0; i < body->loads.force_count; i++) {
        mem_free(body->loads.forces[i].nodes.list);
        free_expressions(body->loads.forces[i].field);
    }
    for (size_t i = 0; i < body->weight_count; i++) mem_free(body->weights[i].nodes.list);
    mem_free(body->weights);
    mem_free(body->dirichlet.fixes);
    mem_free(body->loads.forces);
    mem_free(body->dirichlet.motions);
    free_expressions(body->dirichlet.displacement);
    free_expressions(body->velocity_field);
    native_free_solid(body);
    mem_free(body->rigid.poses);
    mem_free((char *)body->mesh.path);
    mem_free((char *)body->sequence.folder);
    mem_free((char *)body->solid.surface_path);
    mem_free((char *)body->solid.map_path);
    mem_free((char *)body->solid.densities_path);
    mem_free((char *)body->solid.like_path);
}

void scene_free(scene_def *scene)
{
    if (!scene) return;
    for (size_t i = 0; i < scene->body_count; i++) free_body(&scene->bodies[i]);
    mem_free(scene->bodies);
    mem_free(scene->half_spaces);
    mem_free(scene->contact.friction_pairs);
    mem_free(scene->folder);
    mem_free(scene->path);
    piece_cache_free(scene->pieces);
    json_decref(scene->resolved);
    mem_free(scene);
}
