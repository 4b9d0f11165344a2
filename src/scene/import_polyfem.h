/* Importer for the JSON scenes of PolyFEM: from its document to a native one.
 *
 * The steps: the file, its "common" files and its patches become one document
 * (import_polyfem_document.c), whose keys are checked against a table of what is understood
 * (import_polyfem_keys.c); its geometries become bodies (import_polyfem_geometry.c) with parts and
 * regions (_select.c), materials (_materials.c) and conditions (_conditions.c, _values.c); time and
 * contact follow (import_polyfem.c). docs/import-polyfem.md says what becomes of every key. */
#ifndef SCENE_IMPORT_POLYFEM_H
#define SCENE_IMPORT_POLYFEM_H

#include "base/log.h"
#include "base/status.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#include <jansson.h>

/* scene_importer of load.h. */
abut_status import_polyfem(const char *path, const logger *log, json_t **native, abut_error *err);

typedef struct polyfem_scene {
    const char *path; /* of the file, for messages */
    const logger *log;
    json_t *document;             /* with everything merged */
    json_t *folders;              /* list of folders in which files are looked for, in this order */
    int dimension;                /* 2 or 3 */
    int solid_count;              /* geometries that are simulated */
    json_t *bodies, *half_spaces; /* native */
    json_t *names;                /* how often a name has been given */
    json_t *matched;              /* conditions, by field, whose id some selection has */
} polyfem_scene;

/* Reads the file and what it is based on. */
abut_status polyfem_read(polyfem_scene *s, abut_error *err);
/* Turns a document with the keys from before 2022 into one with the present ones. */
void polyfem_upgrade(json_t *document);
/* Refuses keys that are not understood, by name. */
abut_status polyfem_check_keys(const polyfem_scene *s, abut_error *err);
/* The part on remeshing. */
abut_status polyfem_set_remesh(const polyfem_scene *s, json_t *native, abut_error *err);
/* Fills bodies and half_spaces. */
abut_status polyfem_add_geometry(polyfem_scene *s, abut_error *err);

/* --- Shared --- */

/* Error about a field, which is a path such as "/geometry/0/mesh". */
abut_status polyfem_error(const polyfem_scene *s, abut_status code, const char *field,
                          const char *format, abut_error *err, ...)
    __attribute__((format(printf, 4, 6)));
/* Path of a file that the scene names (mem_free), or NULL when there is none. */
char *polyfem_find_file(const polyfem_scene *s, const char *name);

/* The value at a path of keys separated by slashes, or NULL. null counts as absent. */
const json_t *polyfem_get(const json_t *object, const char *path);
double polyfem_number(const json_t *object, const char *path, double otherwise);
bool polyfem_flag(const json_t *object, const char *path, bool otherwise);
/* Up to three numbers of a list; missing ones are `otherwise`. A number stands for all three. */
vec3 polyfem_vector(const json_t *value, double otherwise);
json_t *polyfem_json_vector(vec3 a);
/* True when an entry of a list is an expression. */
bool polyfem_vector_has_text(const json_t *value);
/* Length of a step as the scene gives it; 1 for static problems. */
double polyfem_time_step(const polyfem_scene *s);

/* "value" of a condition with its "interpolation": three numbers or expressions (missing ones are
 * 0), or one. New references. */
abut_status polyfem_values(const polyfem_scene *s, const json_t *item, const char *field,
                           json_t **out, abut_error *err);
abut_status polyfem_scalar(const polyfem_scene *s, const json_t *item, const char *field,
                           json_t **out, abut_error *err);
bool polyfem_all_zero(const json_t *values);

/* The material of a volume id as native JSON. */
abut_status polyfem_material(const polyfem_scene *s, int id, const char *field, json_t **out,
                             abut_error *err);

#endif
