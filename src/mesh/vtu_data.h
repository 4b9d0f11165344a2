/* The numbers of a VTU file's data arrays: written as text, as base64 within the XML, or as base64
 * or raw bytes behind it; plain or in zlib-compressed blocks. */
#ifndef MESH_VTU_DATA_H
#define MESH_VTU_DATA_H

#include "mesh/scan.h"

typedef enum vtu_number {
    VTU_NUMBER_I8,
    VTU_NUMBER_U8,
    VTU_NUMBER_I16,
    VTU_NUMBER_U16,
    VTU_NUMBER_I32,
    VTU_NUMBER_U32,
    VTU_NUMBER_I64,
    VTU_NUMBER_U64,
    VTU_NUMBER_F32,
    VTU_NUMBER_F64
} vtu_number;

bool vtu_number_type(scan_token name, vtu_number *out); /* "Float64", ... */
size_t vtu_number_size(vtu_number type);

typedef enum vtu_encoding { VTU_TEXT, VTU_BASE64, VTU_RAW } vtu_encoding;

/* Where an array is in the file, and how the file encodes its binary arrays. */
typedef struct vtu_source {
    vtu_encoding encoding;
    bool compressed, swap;
    size_t header_size;      /* 4 or 8: bytes of the numbers in front of the data */
    const char *begin, *end; /* the array begins here and is over at the latest there */
    vtu_number type;
} vtu_source;

/* Decoded values, in the byte order of the file. */
typedef struct vtu_values {
    char *data; /* from mem_alloc, or NULL when the values lie in the file itself */
    const char *bytes;
    size_t count;
    vtu_number type;
    bool swap;
    size_t consumed; /* bytes of the file that were decoded */
} vtu_values;

/* `name` is for messages. No more is allocated than the file can hold, or zlib can pack into it. */
abut_status vtu_decode(const scan *s, const char *name, const vtu_source *source, vtu_values *out);
void vtu_values_free(vtu_values *values);

double vtu_real(const vtu_values *values, size_t i);
/* False for a value that is no whole number of 64 bits. */
bool vtu_whole(const vtu_values *values, size_t i, int64_t *out);

#endif
