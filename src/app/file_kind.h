/* The kinds of files that `abut info` describes and `abut convert` reads: one entry each in the
 * table of file_kind.c. The kind is recognised from the content and, where that says nothing, the
 * name. */
#ifndef APP_FILE_KIND_H
#define APP_FILE_KIND_H

#include "app/command.h"
#include "base/file.h"

typedef struct file_kind {
    const char *name; /* "mesh" */
    bool (*recognise)(const char *path, const file_bytes *bytes);
    /* Prints to stdout: human-readable lines, or one JSON object. */
    abut_status (*describe)(const char *path, const file_bytes *bytes, bool json, abut_error *err);
    /* Writes the file in another format; the options are those of `abut convert`. NULL: it cannot
     * be converted. */
    abut_status (*convert)(const char *path, const file_bytes *bytes, const char *out,
                           const command_line *line, abut_error *err);
} file_kind;

extern const file_kind kind_scene, kind_mesh;

/* Reads the file and finds its kind; an input error for one that is none of them. */
abut_status file_kind_open(const char *path, file_bytes *bytes, const file_kind **kind,
                           abut_error *err);

#endif
