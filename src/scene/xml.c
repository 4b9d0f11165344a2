#include "scene/xml.h"

#include "base/library.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BYTES = 64 << 20, MAX_ELEMENTS = 1000000 };

typedef struct xml_functions {
    library from;
    xmlParserCtxtPtr (*new_context)(void);
    xmlDocPtr (*read)(xmlParserCtxtPtr, const char *, int, const char *, const char *, int);
    xmlErrorPtr (*last_error)(void *);
    void (*free_context)(xmlParserCtxtPtr);
    void (*free_document)(xmlDocPtr);
    xmlNodePtr (*root)(xmlDocPtr);
    xmlChar *(*value)(xmlDocPtr, xmlNodePtr, int);
    xmlFreeFunc *release;
} xml_functions;

static void load(xml_functions *f)
{
    *f = (xml_functions){0};
    library_open(&f->from, "libxml2.so.2", "libxml2.so");
    library_need(&f->from, "xmlNewParserCtxt", &f->new_context);
    library_need(&f->from, "xmlCtxtReadMemory", &f->read);
    library_need(&f->from, "xmlCtxtGetLastError", &f->last_error);
    library_need(&f->from, "xmlFreeParserCtxt", &f->free_context);
    library_need(&f->from, "xmlFreeDoc", &f->free_document);
    library_need(&f->from, "xmlDocGetRootElement", &f->root);
    library_need(&f->from, "xmlNodeListGetString", &f->value);
    library_need(&f->from, "xmlFree", &f->release);
}

/* ---------------------------------------------------------------------------------------------- */
/* The tree                                                                                       */

static bool copy_attributes(const xml_functions *f, xmlDocPtr doc, const xmlNode *from,
                            xml_document *d)
{
    for (const xmlAttr *a = from->properties; a; a = a->next) {
        xmlChar *text = f->value(doc, a->children, 1);
        xml_attribute copy = {mem_strdup((const char *)a->name),
                              mem_strdup(text ? (const char *)text : "")};
        if (text) (*f->release)(text);
        if (copy.name && copy.value && array_push(&d->attributes, copy)) continue;
        mem_free(copy.name);
        mem_free(copy.value);
        return false;
    }
    return true;
}

/* In the order of the file, without recursion. */
static bool copy_tree(const xml_functions *f, xmlDocPtr doc, xml_document *d)
{
    int32_t parent = -1, last = -1; /* element below which, and behind which, the next one is */
    const xmlNode *node = f->root(doc);
    while (node) {
        if (node->type == XML_ELEMENT_NODE) {
            if (d->elements.count >= MAX_ELEMENTS) return false;
            xml_element e = {.name = mem_strdup((const char *)node->name),
                             .line = node->line,
                             .parent = parent,
                             .first_child = -1,
                             .next = -1,
                             .first_attribute = d->attributes.count};
            if (!e.name || !array_push(&d->elements, e)) {
                mem_free(e.name);
                return false;
            }
            int32_t now = (int32_t)d->elements.count - 1;
            if (!copy_attributes(f, doc, node, d)) return false;
            d->elements.data[now].attribute_count = d->attributes.count - e.first_attribute;
            if (last >= 0)
                d->elements.data[last].next = now;
            else if (parent >= 0)
                d->elements.data[parent].first_child = now;
            last = now;
            if (node->children) {
                parent = now;
                last = -1;
                node = node->children;
                continue;
            }
        }
        while (node && !node->next) {
            node = node->parent;
            if (!node || parent < 0) return true;
            last = parent;
            parent = d->elements.data[parent].parent;
        }
        if (node) node = node->next;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------- */
/* Reading                                                                                        */

static bool contains(const file_bytes *bytes, const char *text)
{
    return bytes->size > 0 && memmem(bytes->data, bytes->size, text, strlen(text)) != NULL;
}

static abut_status refuse_unsafe(const char *path, const file_bytes *bytes, abut_error *err)
{
    if (bytes->size > MAX_BYTES)
        return error_set(err, ABUT_ERROR_INPUT, path,
                         "has %zu bytes; XML files may have at most 64 MiB", bytes->size);
    if (contains(bytes, "<!DOCTYPE") || contains(bytes, "<!ENTITY"))
        return error_set(err, ABUT_ERROR_INPUT, path,
                         "declares a document type or entities, which are not read");
    return ABUT_OK;
}

static abut_status parse(const xml_functions *f, const char *path, const file_bytes *bytes,
                         xml_document *out, abut_error *err)
{
    int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA;
    xmlParserCtxtPtr context = f->new_context();
    if (!context) return error_memory(err, "reading XML");
    /* As UTF-8, whatever the file says: converters write messages of their own to stderr. */
    xmlDocPtr doc = f->read(context, bytes->data, (int)bytes->size, NULL, "UTF-8", options);
    abut_status status = ABUT_OK;
    if (!doc) {
        const xmlError *error = f->last_error(context);
        char text[200], place[300];
        snprintf(text, sizeof text, "%.190s", error && error->message ? error->message : "");
        text[strcspn(text, "\n")] = 0;
        snprintf(place, sizeof place, "%.200s: line %d", path, error ? error->line : 0);
        status = error_set(err, ABUT_ERROR_INPUT, place, "not valid XML: %s", text);
    } else if (doc->intSubset || doc->extSubset) {
        status = error_set(err, ABUT_ERROR_INPUT, path, "declares a document type");
    } else if (!copy_tree(f, doc, out)) {
        status = out->elements.count >= MAX_ELEMENTS
                     ? error_set(err, ABUT_ERROR_INPUT, path, "has more than 1e6 elements")
                     : error_memory(err, "reading XML");
    }
    if (doc) f->free_document(doc);
    f->free_context(context);
    return status;
}

abut_status xml_read(const char *path, const file_bytes *bytes, xml_document *out, abut_error *err)
{
    *out = (xml_document){0};
    TRY(refuse_unsafe(path, bytes, err));
    xml_functions f;
    load(&f);
    if (f.from.failure[0])
        return error_set(err, ABUT_ERROR_UNSUPPORTED, path,
                         "XML is read with libxml2, which cannot be used: %s", f.from.failure);
    abut_status status = parse(&f, path, bytes, out, err);
    if (status != ABUT_OK) xml_free(out);
    return status;
}

void xml_free(xml_document *d)
{
    for (size_t i = 0; i < d->elements.count; i++) mem_free(d->elements.data[i].name);
    for (size_t i = 0; i < d->attributes.count; i++) {
        mem_free(d->attributes.data[i].name);
        mem_free(d->attributes.data[i].value);
    }
    array_free(&d->elements);
    array_free(&d->attributes);
}

const char *xml_attribute_of(const xml_document *d, int32_t element, const char *name)
{
    const xml_element *e = &d->elements.data[element];
    for (size_t i = 0; i < e->attribute_count; i++) {
        const xml_attribute *a = &d->attributes.data[e->first_attribute + i];
        if (strcmp(a->name, name) == 0) return a->value;
    }
    return NULL;
}

static int32_t from_on(const xml_document *d, int32_t at, const char *name)
{
    while (at >= 0 && strcmp(d->elements.data[at].name, name) != 0) at = d->elements.data[at].next;
    return at;
}

int32_t xml_child(const xml_document *d, int32_t element, const char *name)
{
    return element < 0 ? -1 : from_on(d, d->elements.data[element].first_child, name);
}

int32_t xml_next(const xml_document *d, int32_t child, const char *name)
{
    return from_on(d, d->elements.data[child].next, name);
}
