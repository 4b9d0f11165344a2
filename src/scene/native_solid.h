/* Reading the native format: boundary parts, places of regions, loads on surfaces. */
#ifndef SCENE_NATIVE_SOLID_H
#define SCENE_NATIVE_SOLID_H

#include "scene/scene.h"

/* Three numbers. */
static inline vec3 native_to_vector(const json_t *list)
{
    return vec3_make(json_number_value(json_array_get(list, 0)),
                     json_number_value(json_array_get(list, 1)),
                     json_number_value(json_array_get(list, 2)));
}

static inline vec3 native_get_vector(const json_t *object, const char *key)
{
    return native_to_vector(json_object_get(object, key));
}

abut_status native_read_boundaries(const json_t *list, body_def *out, abut_error *err);
/* The place of an object with one of the keys all, box, sphere, cylinder, side, nodes. */
abut_status native_read_transform(const json_t *object, boundary_def *out, abut_error *err);
abut_status native_read_surface_loads(const json_t *list, body_def *out, abut_error *err);
/* Frees what these made, and the regions. */
void native_free_solid(body_def *body);

#endif
