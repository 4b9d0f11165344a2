#include "app/scene_hints.h"

#include "base/file.h"
#include "base/memory.h"
#include "body/kind.h"
#include "math/vec3.h"

#include <jansson.h>
#include <string.h>

static bool get_vector(const json_t *list, vec3 *out)
{
    if (json_array_size(list) != 3) return false;
    double values[3];
    for (size_t i = 0; i < 3; i++) {
        if (!json_is_number(json_array_get(list, i))) return false;
        values[i] = json_number_value(json_array_get(list, i));
    }
    *out = vec3_load(values);
    return true;
}

static void find_up(scene_hints *h, const json_t *scene)
{
    vec3 g = {0, 0, 0};
    h->up_axis = 1;
    if (!get_vector(json_object_get(scene, "gravity"), &g) || vec3_max_abs(g) == 0.0) return;
    h->gravity = true;
    for (int axis = 0; axis < 3; axis++)
        if (fabs(vec3_get(g, axis)) == vec3_max_abs(g)) h->up_axis = axis;
    h->up_negative = vec3_get(g, h->up_axis) > 0.0;
}

/* The highest half space whose normal points up. */
static void find_floor(scene_hints *h, const json_t *scene)
{
    const json_t *ground = json_object_get(scene, "ground"), *item;
    size_t i;
    if (json_is_number(ground) && h->up_axis == 1 && !h->up_negative) {
        h->floor = true;
        h->floor_height = json_number_value(ground);
    }
    json_array_foreach(json_object_get(scene, "half_spaces"), i, item)
    {
        vec3 origin, normal;
        if (!get_vector(json_object_get(item, "origin"), &origin) ||
            !get_vector(json_object_get(item, "normal"), &normal))
            continue;
        double sign = h->up_negative ? -1.0 : 1.0;
        double cosine = sign * vec3_get(normal, h->up_axis) / vec3_norm(normal);
        double height = sign * vec3_get(origin, h->up_axis);
        if (!(cosine > 0.999) || (h->floor && height <= h->floor_height)) continue;
        h->floor = true;
        h->floor_height = height;
    }
}

static double find_diameter(const json_t *body)
{
    const json_t *rod = json_object_get(body, "rod"), *grains = json_object_get(body, "particles");
    double material = rod      ? json_number_value(json_object_get(rod, "diameter"))
                      : grains ? 2 * json_number_value(json_object_get(grains, "radius"))
                               : 0;
    double contact = json_number_value(json_object_get(body, "offset"));
    return rod || grains ? fmax(material, contact) : 0;
}

static abut_status find_bodies(scene_hints *h, const json_t *scene, abut_error *err)
{
    const json_t *bodies = json_object_get(scene, "bodies"), *body;
    size_t i;
    h->body_count = json_array_size(bodies);
    h->obstacle = mem_calloc(h->body_count, sizeof *h->obstacle);
    h->diameter = mem_calloc(h->body_count, sizeof *h->diameter);
    if (!h->obstacle || !h->diameter) return error_memory(err, "reading a scene");
    size_t built = 0; /* frames count the bodies without those that are switched off */
    json_array_foreach(bodies, i, body)
    {
        const char *type = json_string_value(json_object_get(body, "type"));
        if (json_is_false(json_object_get(body, "enabled"))) continue;
        h->diameter[built] = find_diameter(body);
        const body_row *row = body_row_named(type);
        h->obstacle[built++] = row && row->obstacle;
    }
    h->body_count = built;
    return ABUT_OK;
}

abut_status scene_hints_read(scene_hints *hints, const char *run_folder, abut_error *err)
{
    char path[4096];
    json_error_t reason;
    memset(hints, 0, sizeof *hints);
    path_join(path, sizeof path, run_folder, "scene.json");
    if (!file_exists(path)) return ABUT_OK;
    json_t *scene = json_load_file(path, 0, &reason);
    if (!scene)
        return error_set(err, ABUT_ERROR_INPUT, path, "line %d: %s", reason.line, reason.text);
    hints->found = true;
    find_up(hints, scene);
    find_floor(hints, scene);
    abut_status status = find_bodies(hints, scene, err);
    json_decref(scene);
    return status;
}

void scene_hints_free(scene_hints *hints)
{
    mem_free(hints->obstacle);
    mem_free(hints->diameter);
    memset(hints, 0, sizeof *hints);
}
