/* Changes to a scene document before it is checked: "time.step=0.02",
 * "bodies[1].translate=[0,1,0]", "contact.dhat=1e-4 l". */
#ifndef SCENE_OVERRIDE_H
#define SCENE_OVERRIDE_H

#include "scene/schema.h"

/* Applies one "path=value" to the document. The path must exist in the schema; objects that the
 * document leaves out are made. The value is read as JSON, and taken as a string when it is none.
 * Setting one key of a choice removes the others ("time.steps" replaces "time.end"). Setting a word
 * removes the keys beside it that do not apply under it ("remesh.method"), with a warning for each.
 */
abut_status override_apply(json_t *document, const schema_type *type, const char *assignment,
                           const logger *log, abut_error *err);

#endif
