/* Keys of scenes that have another name now (docs/glossary.md). Old names are read, with a warning;
 * everything after this step sees the new ones. */
#ifndef SCENE_DEPRECATED_H
#define SCENE_DEPRECATED_H

#include "base/log.h"

#include <jansson.h>
#include <stddef.h>

/* Renames deprecated keys of a native document. A document with both names keeps both, and the
 * check of keys refuses the old one. */
void deprecated_rename(json_t *document, const char *file, const logger *log);
/* The same for the path of one "path=value": the assignment with the new name in `text`, or the
 * assignment itself. */
const char *deprecated_assignment(const char *assignment, char *text, size_t size,
                                  const logger *log);

#endif
