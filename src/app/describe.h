/* `abut info` recognises what a file is and describes it. One entry per kind of file in the table
 * of cmd_info.c; the first whose `recognise` says yes describes the file. */
#ifndef APP_DESCRIBE_H
#define APP_DESCRIBE_H

#include "base/file.h"

typedef struct file_kind {
    const char *name;
    bool (*recognise)(const char *path, const file_bytes *bytes);
    /* Prints to stdout: lines for people, or one JSON object. */
    abut_status (*describe)(const char *path, const file_bytes *bytes, bool json, abut_error *err);
} file_kind;

bool recognise_scene(const char *path, const file_bytes *bytes);
abut_status describe_scene(const char *path, const file_bytes *bytes, bool json, abut_error *err);

bool recognise_mesh(const char *path, const file_bytes *bytes);
abut_status describe_mesh(const char *path, const file_bytes *bytes, bool json, abut_error *err);

#endif
