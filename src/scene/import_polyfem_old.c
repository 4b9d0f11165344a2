/* Scenes written for PolyFEM before 2022: the same things under other keys. The document is turned
 * into one with the present keys; what is left over is refused like any other unknown key. */
#include "scene/import_polyfem.h"

#include <string.h>

/* Keys that move as they are. */
static const struct {
    const char *from, *to;
} moved[] = {
    {"tend", "time/tend"},
    {"dt", "time/dt"},
    {"time_steps", "time/time_steps"},
    {"dhat", "contact/dhat"},
    {"mu", "contact/friction_coefficient"},
    {"epsv", "contact/epsv"},
    {"has_collision", "contact/enabled"},
    {"collision_mesh", "contact/collision_mesh"},
    {"discr_order", "space/discr_order"},
    {"friction_iterations", "solver/contact/friction_iterations"},
    {"skip_frame", "output/paraview/skip_frame"},
    {"vismesh_rel_area", "output/paraview/vismesh_rel_area"},
    {"problem_params/rhs", "boundary_conditions/rhs"},
    {"problem_params/dirichlet_boundary", "boundary_conditions/dirichlet_boundary"},
    {"problem_params/initial_velocity", "initial_conditions/velocity"},
    {"bc_method", "space/advanced/bc_method"},
};

/* Keys without an effect on the result here. */
static const char *const dropped[] = {
    "solver_params", "al_weight", "max_al_weight", "export", "boundary_id_threshold", NULL};

/* The object that the last part of a path is in, made where `create`; *last is that part. */
static json_t *parent_of(json_t *document, const char *path, bool create, const char **last)
{
    json_t *at = document;
    for (const char *slash; (slash = strchr(path, '/')); path = slash + 1) {
        char key[64];
        size_t length = (size_t)(slash - path);
        memcpy(key, path, length);
        key[length] = 0;
        json_t *next = json_object_get(at, key);
        if (!json_is_object(next)) {
            if (!create) return NULL;
            json_object_set_new(at, key, json_object());
            next = json_object_get(at, key);
        }
        at = next;
    }
    *last = path;
    return at;
}

static void move(json_t *document, const char *from, const char *to)
{
    const char *old_key = NULL, *new_key = NULL;
    json_t *old = parent_of(document, from, false, &old_key);
    json_t *value = old ? json_incref(json_object_get(old, old_key)) : NULL;
    if (!value) return;
    json_t *new_place = parent_of(document, to, true, &new_key);
    json_object_set_new(new_place, new_key, value);
    json_object_del(old, old_key);
}

/* One entry of "meshes" or "obstacles" as a geometry. */
static json_t *geometry_of(const json_t *old, int obstacle_id, const json_t *sidesets)
{
    static const char *const places[][2] = {{"position", "translation"},
                                            {"rotation", "rotation"},
                                            {"rotation_mode", "rotation_mode"},
                                            {"scale", "scale"},
                                            {"dimensions", "dimensions"}};
    static const char *const same[] = {"mesh", "enabled", "n_refs", NULL};
    json_t *out = json_object(), *transformation = json_object();
    json_object_set_new(out, "transformation", transformation);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)old, key, value)
    {
        bool known = key[0] == '#' || (obstacle_id >= 0 && strcmp(key, "displacement") == 0);
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            if (strcmp(key, places[i][0]) == 0) {
                json_object_set(transformation, places[i][1], value);
                known = true;
            }
        for (int i = 0; same[i]; i++)
            if (strcmp(key, same[i]) == 0) {
                json_object_set(out, key, value);
                known = true;
            }
        if (strcmp(key, "body_id") == 0) {
            json_object_set(out, "volume_selection", value);
            known = true;
        }
        if (!known) json_object_set(out, key, value); /* refused later, by name */
    }
    if (obstacle_id >= 0) {
        json_object_set_new(out, "is_obstacle", json_true());
        json_object_set_new(out, "surface_selection", json_integer(obstacle_id));
    } else if (sidesets) {
        json_object_set(out, "surface_selection", (json_t *)sidesets);
    }
    return out;
}

void polyfem_upgrade(json_t *document)
{
    enum { FIRST_OBSTACLE = 1000000 }; /* ids that no scene uses */
    const json_t *meshes = json_object_get(document, "meshes");
    const json_t *obstacles = json_object_get(document, "obstacles");
    if (!meshes && !json_object_get(document, "body_params")) return;
    json_t *geometry = json_array(), *displacements = json_array();
    for (size_t i = 0; i < json_array_size(meshes); i++)
        json_array_append_new(geometry,
                              geometry_of(json_array_get(meshes, i), -1,
                                          json_object_get(document, "boundary_sidesets")));
    for (size_t i = 0; i < json_array_size(obstacles); i++) {
        const json_t *old = json_array_get(obstacles, i);
        int id = FIRST_OBSTACLE + (int)i;
        json_array_append_new(geometry, geometry_of(old, id, NULL));
        json_t *old_value = json_object_get(old, "displacement");
        if (old_value)
            json_array_append_new(displacements,
                                  json_pack("{s:i, s:O}", "id", id, "value", old_value));
    }
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++)
        move(document, moved[i].from, moved[i].to);
    json_t *materials = json_object_get(document, "body_params");
    for (size_t i = 0; i < json_array_size(materials); i++) {
        json_t *material = json_array_get(materials, i);
        if (!json_object_get(material, "type"))
            json_object_set_new(material, "type", json_string("NeoHookean"));
    }
    if (materials) json_object_set(document, "materials", materials);
    json_object_set_new(document, "geometry", geometry);
    const char *key;
    json_t *conditions =
        parent_of(document, "boundary_conditions/obstacle_displacements", true, &key);
    if (json_array_size(displacements) > 0)
        json_object_set_new(conditions, key, displacements);
    else
        json_decref(displacements);
    static const char *const old_lists[] = {"meshes", "obstacles", "body_params",
                                            "boundary_sidesets", NULL};
    for (int i = 0; old_lists[i]; i++) json_object_del(document, old_lists[i]);
    for (int i = 0; dropped[i]; i++) json_object_del(document, dropped[i]);
    if (json_object_size(json_object_get(document, "problem_params")) == 0)
        json_object_del(document, "problem_params");
}
