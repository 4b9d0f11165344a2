/* What the tests of the mesh readers share: reading a text, tables of bad files, and failing
 * allocations. */
#ifndef SUPPORT_MESH_CASES_H
#define SUPPORT_MESH_CASES_H

#include "mesh/read.h"

/* A file that must be refused: the place must be as given, the message must contain the words. */
typedef struct bad_file {
    const char *text;
    const char *place;
    const char *message;
    size_t size; /* 0: up to the end of the string */
} bad_file;

/* Reads the text with a copy that has no terminator (so that the sanitizer sees every overrun). */
abut_status read_text(mesh_format format, const char *text, size_t size, mesh *m,
                      abut_error *error);

/* Number of entries that were not refused as they should; each is printed. */
int count_accepted(mesh_format format, const bad_file *files, size_t count);

/* Reads again and again with the first, second, ... allocation failing until none fails. Returns
 * the number of failed rounds, or -1 when a round did not report the failure as it should. */
int exhaust_memory(mesh_format format, const char *data, size_t size);

/* Reads every proper beginning of the bytes; returns how many were accepted. None may crash. */
int count_accepted_beginnings(mesh_format format, const char *data, size_t size);

/* Bytes put together piece by piece, for binary files. */
typedef struct byte_list {
    char *data;
    size_t size, capacity;
} byte_list;

void bytes_text(byte_list *b, const char *text);
void bytes_int(byte_list *b, int32_t value, bool swap);
void bytes_long(byte_list *b, int64_t value, bool swap);
void bytes_float(byte_list *b, float value, bool swap);
void bytes_double(byte_list *b, double value, bool swap);
void bytes_short(byte_list *b, int value, bool swap);
void bytes_raw(byte_list *b, const void *data, size_t size);
void bytes_free(byte_list *b);

#endif
