/* XML through libxml2, which is loaded when a file asks for it: a plain tree of elements and
 * attributes. Nothing but the bytes given is ever read: no document type, no entities of its own,
 * no other files, no network. */
#ifndef SCENE_XML_H
#define SCENE_XML_H

#include "base/array.h"
#include "base/file.h"
#include "base/status.h"

typedef struct xml_attribute {
    char *name, *value;
} xml_attribute;

typedef struct xml_element {
    char *name;
    int line;
    int32_t parent, first_child, next; /* numbers of elements; -1: none */
    size_t first_attribute, attribute_count;
} xml_element;

typedef struct xml_document {
    ARRAY(xml_element) elements; /* the root first */
    ARRAY(xml_attribute) attributes;
} xml_document;

/* ABUT_ERROR_INPUT names the line; ABUT_ERROR_UNSUPPORTED when libxml2 is not installed. */
abut_status xml_read(const char *path, const file_bytes *bytes, xml_document *out, abut_error *err);
void xml_free(xml_document *d);

/* NULL: not there. */
const char *xml_attribute_of(const xml_document *d, int32_t element, const char *name);
/* The first child of this name from `child` on (-1: none); -1 when there is none. */
int32_t xml_child(const xml_document *d, int32_t element, const char *name);
int32_t xml_next(const xml_document *d, int32_t child, const char *name);

#endif
