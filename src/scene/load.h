/* Recognising scene files, and the list of importers. An importer turns a foreign file into a
 * native document; from there on all scenes are handled alike. */
#ifndef SCENE_LOAD_H
#define SCENE_LOAD_H

#include "base/file.h"
#include "base/log.h"
#include "base/status.h"

#include "scene/scene.h"

#include <jansson.h>

typedef enum scene_kind {
    SCENE_NATIVE,
    SCENE_POLYFEM,
    SCENE_RIGID_IPC,
    SCENE_IPC_TEXT,
    SCENE_URDF,
    SCENE_MJCF,
    SCENE_UNKNOWN
} scene_kind;

/* "native scene", "PolyFEM JSON", ... */
const char *scene_kind_name(scene_kind kind);

/* Recognises the kind of a scene from the content of a file. JSON is parsed for that; *document is
 * the new document (NULL for text) and *syntax tells what is wrong when it is no valid JSON. */
scene_kind scene_recognise(const file_bytes *bytes, json_t **document, json_error_t *syntax);

/* Cheap guess from the first bytes: JSON of any kind, or a script of the IPC program. */
bool scene_looks_like(const file_bytes *bytes);

/* Reads the file of any kind as a native document, not yet checked. */
abut_status scene_read_document(const char *path, const logger *log, json_t **native,
                                abut_error *err);

/* scene_load for a file that is in memory; `path` serves messages and relative mesh paths. */
abut_status scene_load_bytes(const char *path, const file_bytes *bytes,
                             const char *const *overrides, size_t override_count, const logger *log,
                             scene_def **out, abut_error *err);

/* scene_load for a native document, which is taken over, also on failure. */
abut_status scene_from_document(const char *path, json_t *document, const char *const *overrides,
                                size_t override_count, const logger *log, scene_def **out,
                                abut_error *err);

typedef abut_status (*scene_importer)(const char *path, const logger *log, json_t **native,
                                      abut_error *err);

#endif
