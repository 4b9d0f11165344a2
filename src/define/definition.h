/* Definition structs of the public headers as rows of the scene table: a row says which key of
 * scenes a member is, and the table of the format has the rest. Defaults come from there, and a
 * filled struct becomes an object of a scene document, which is read like one from a file.
 */
#ifndef DEFINE_DEFINITION_H
#define DEFINE_DEFINITION_H

#include "scene/schema.h"

typedef struct definition_row {
    const char *path; /* of the key in an object of the type: "contact.dhat" */
    schema_place place;
    int default_width; /* rows of any width: where the struct says 0 */
} definition_row;

typedef struct definition {
    const schema_type *type;
    const definition_row *rows;
    size_t row_count;
    size_t size; /* of the struct */
} definition;

/* Of the structs of abut/define.h. */
extern const definition scene_definition, material_definition, body_definition, fix_definition,
    force_definition, joint_definition, attachment_definition, half_space_definition;

/* Fills a struct with the defaults of its keys; strings, arrays and what has no default become
 * zero, or what a key means that is not given. */
abut_status definition_defaults(const definition *d, void *out, abut_error *err);
/* A new object with the keys whose members differ from the defaults. Errors: numbers that are not
 * finite, arrays without data. */
abut_status definition_write(const definition *d, const void *in, json_t **out, abut_error *err);

/* The field of a path; NULL: there is none. */
const schema_field *definition_field(const schema_type *type, const char *path);

#endif
