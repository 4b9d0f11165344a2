/* What `abut check` and `abut info` say about a scene: its options in absolute numbers, and for
 * each body its mesh, mass, bounds and conditions. */
#ifndef APP_SCENE_SUMMARY_H
#define APP_SCENE_SUMMARY_H

#include "base/log.h"
#include "body/model.h"
#include "mesh/measure.h"
#include "scene/scene.h"

typedef struct body_summary {
    mesh_measures measures;
    double mass;         /* NAN when it is not known, or the body has none */
    const char *measure; /* what the mass goes by; NULL: not known */
    size_t fixed_count;  /* nodes that are fixed or moved at the start */
} body_summary;

typedef struct scene_summary {
    const scene_def *scene;
    mesh *meshes; /* per body; empty when it could not be loaded or is not enabled */
    body_summary *bodies;
    double size; /* l */
    /* Errors and warnings that were found; the status is that of the first error. */
    size_t error_count, warning_count;
    abut_status status;
    abut_error first;
} scene_summary;

/* A log that prints to stderr, as the command reports errors. */
logger stderr_log(void);

/* Loads the meshes of all enabled bodies and looks at them. Problems of the scene are printed to
 * stderr and counted; only running out of memory makes the function itself fail. */
abut_status summary_make(const scene_def *scene, scene_summary *out, abut_error *err);
void summary_free(scene_summary *summary);

/* Takes over the masses of the bodies as they were built. */
void summary_weigh(scene_summary *summary, const model *built);

/* Prints one error at once, except the first, which is kept for the end of the command. */
void summary_error(scene_summary *summary, const abut_error *found);
void summary_warning(scene_summary *summary, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Human-readable lines, and the same as JSON (a new reference; NULL when out of memory). */
void summary_print(const scene_summary *summary);
json_t *summary_json(const scene_summary *summary);

#endif
