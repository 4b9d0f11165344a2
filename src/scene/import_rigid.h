/* Importer for the JSON fixtures of the Rigid IPC reference program (docs/import-rigid-ipc.md):
 * from a fixture to a native document of rigid bodies.
 *
 * import_rigid.c reads the document, import_rigid_body.c one body, import_rigid_mesh.c the meshes
 * (needed for `dimensions`, `split_components` and the size of the scene, which tolerances are
 * relative to), import_rigid_read.c has the readers of checked values. */
#ifndef SCENE_IMPORT_RIGID_H
#define SCENE_IMPORT_RIGID_H

#include "base/array.h"
#include "base/log.h"
#include "base/status.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#include <jansson.h>

/* A mesh file that was read, or the inline geometry of one body (path NULL). */
typedef struct fixture_mesh {
    char *path;
    bool weld;
    mesh shape;
} fixture_mesh;

typedef struct fixture {
    const char *path; /* of the file */
    const logger *log;
    abut_error *err;
    bool planar;
    double step;
    int64_t steps;
    double separation;    /* minimum distance of bodies */
    json_t *shared_group; /* explicit group ids of static and kinematic bodies, as keys */
    json_t *names;        /* counts by name */
    json_t *bodies;       /* the result */
    vec3 low, high;       /* of all bodies */
    ARRAY(fixture_mesh) meshes;
    ARRAY(char *) folders; /* where mesh files may be */
} fixture;

/* scene_importer of load.h. */
abut_status import_rigid(const char *path, const logger *log, json_t **native, abut_error *err);

/* --- One body --- */

/* Appends the native bodies of the entry number `index` of rigid_bodies. */
abut_status fixture_body_import(fixture *f, const json_t *body, size_t index);

/* --- Meshes --- */

/* The file a body names, from the cache. */
abut_status fixture_load_mesh(fixture *f, const char *place, const char *name,
                              const fixture_mesh **out);
/* Geometry given in the fixture itself. */
abut_status fixture_inline_mesh(fixture *f, const char *place, const json_t *body, mesh *out);
/* Native JSON of a mesh given by its vertices. */
json_t *fixture_mesh_json(const mesh *m);
/* One mesh for each connected component of the triangles; mem_free the list after mesh_free. */
abut_status fixture_components(const mesh *m, mesh **parts, size_t *count, abut_error *err);
/* What carries the mass of a transformed mesh by the rule of the reference program: the volume of
 * four triangles or more whose signed volume is positive, closed or not, otherwise their area, then
 * edges, then points. */
typedef struct fixture_weight {
    const char *word; /* native: "volume", "area", ... */
    vec3 center;
    mat3 inertia;
} fixture_weight;
abut_status fixture_weigh_mesh(const mesh *m, fixture_weight *out, abut_error *err);

/* --- Values --- */

/* Problems name the error place, "rigid_body_problem.rigid_bodies[3].scale", say. */
abut_status fixture_wrong(const fixture *f, const char *place, const char *key,
                          const char *expected, const json_t *found);
abut_status fixture_problem(const fixture *f, abut_status code, const char *place, const char *key,
                            const char *message);
static inline abut_status fixture_refuse(const fixture *f, const char *place, const char *key,
                                         const char *reason)
{
    return fixture_problem(f, ABUT_ERROR_UNSUPPORTED, place, key, reason);
}
/* The value stays what it is when the key is absent. */
abut_status fixture_number(const fixture *f, const char *place, const json_t *object,
                           const char *key, double *out);
abut_status fixture_bool(const fixture *f, const char *place, const json_t *object, const char *key,
                         bool *out);
/* A number (all components, `spread`; otherwise the last one) or a list of numbers; planar scenes
 * may give two, or one for angles (which is about z). */
typedef enum fixture_vector_kind {
    FIXTURE_LENGTHS, /* x, y or x, y, z */
    FIXTURE_FACTORS, /* or a number for all */
    FIXTURE_ANGLES   /* planar: a number or a list of one, about z */
} fixture_vector_kind;
abut_status fixture_vector(const fixture *f, const char *place, const json_t *object,
                           const char *key, fixture_vector_kind kind, vec3 *out);
/* One of the words of a list that ends with NULL; absent counts as the first one. */
abut_status fixture_word(const fixture *f, const char *place, const json_t *object, const char *key,
                         const char *const *words, int *out);
/* Refuses keys that are in none of the two lists, which end with NULL; comments (#key) pass. Keys
 * of the second list have no effect, which is said at a higher level of verbosity. */
abut_status fixture_check_keys(const fixture *f, const char *place, const json_t *object,
                               const char *const *known, const char *const *ignored);

json_t *fixture_json_vector(vec3 a);

#endif
