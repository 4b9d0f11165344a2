/* One geometry of a PolyFEM scene while it becomes a body: what the files of the importer share. */
#ifndef SCENE_IMPORT_POLYFEM_SHAPE_H
#define SCENE_IMPORT_POLYFEM_SHAPE_H

#include "scene/import_polyfem.h"

/* One geometry: its mesh as read, and where it goes. */
typedef struct polyfem_shape {
    const json_t *json;
    char field[40]; /* "/geometry/3" */
    char *path;
    mesh file;
    bool has_mesh;
    vec3 scale, rotate, translate; /* native: factors, degrees, m */
    mat3 rotation;
    vec3 low, high;   /* of the transformed mesh */
    int volume;       /* id of the cells that are in no region */
    json_t *regions;  /* native list of cells with other materials */
    json_t *ids;      /* their ids */
    json_t *sequence; /* files of a moving obstacle, or NULL */
} polyfem_shape;

/* --- import_polyfem_sequence.c --- */

/* Finds the files of a "mesh_sequence". */
abut_status polyfem_find_sequence(const polyfem_scene *s, polyfem_shape *shape, abut_error *err);
/* The native sequence (new reference). */
json_t *polyfem_sequence_json(const polyfem_shape *shape);

/* --- import_polyfem_select.c --- */

/* A point of the mesh file after the transform. */
vec3 polyfem_transform(const polyfem_shape *shape, vec3 x);
/* Boundary parts of a body: native list (new reference). */
abut_status polyfem_boundary(const polyfem_scene *s, const polyfem_shape *shape, json_t **out,
                             abut_error *err);
/* A native selector of the nodes in a box or sphere, appended to a list. */
abut_status polyfem_select_region(const polyfem_scene *s, const polyfem_shape *shape,
                                  const json_t *selection, const char *field, json_t *list,
                                  abut_error *err);
/* Native selectors of the nodes of a point_selection with one of these ids, appended to a list. */
abut_status polyfem_select_points(const polyfem_scene *s, const polyfem_shape *shape,
                                  const json_t *ids, json_t *list, abut_error *err);
/* Finds volume, regions and ids. */
abut_status polyfem_find_volume(const polyfem_scene *s, polyfem_shape *shape, abut_error *err);
/* True when `ids` (a number, a list, "all") has this one. */
bool polyfem_has_id(const json_t *ids, int id);

/* --- import_polyfem_conditions.c --- */

abut_status polyfem_add_fixes(const polyfem_scene *s, const polyfem_shape *shape,
                              const json_t *parts, json_t *body, abut_error *err);
abut_status polyfem_add_loads(const polyfem_scene *s, const json_t *parts, json_t *body,
                              abut_error *err);
abut_status polyfem_add_velocity(const polyfem_scene *s, const polyfem_shape *shape, json_t *body,
                                 abut_error *err);
/* Warns of conditions that are on nothing. */
void polyfem_mention_unmatched(const polyfem_scene *s);
/* Body forces that are expressions. */
void polyfem_add_body_force(const polyfem_scene *s, json_t *body);
/* Of an obstacle. */
abut_status polyfem_add_displacement(const polyfem_scene *s, const polyfem_shape *shape,
                                     json_t *body, abut_error *err);

#endif
