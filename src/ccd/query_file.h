/* Files of CCD queries as published with the Tight-Inclusion benchmark: CSV, eight rows per query
 * (four vertices at t = 0, the same four at t = 1), each row three rational coordinates as
 * `numerator,denominator` and, optionally, the exact answer 0 or 1. Without that column the answers
 * may stand in `../mma_bool/NAME_mma_bool.json` beside the file. Coordinates are doubles written as
 * fractions: denominators are powers of two and every value is read exactly. */
#ifndef CCD_QUERY_FILE_H
#define CCD_QUERY_FILE_H

#include "base/status.h"
#include "ccd/ccd.h"

typedef struct query_file {
    ccd_kind kind; /* CCD_POINT_TRIANGLE or CCD_EDGE_EDGE */
    size_t count;
    vec3 *points; /* 8 per query: start of the 4 vertices, then end */
    bool *truth;  /* per query; NULL when has_truth is false */
    bool has_truth;
} query_file;

/* The kind of queries a path announces: a folder named edge-edge or vertex-face, or a file name
 * ending in ee or vf before the extension. False when the path does not tell. */
bool query_file_kind(const char *path, ccd_kind *kind);

/* ABUT_ERROR_INPUT with "file:line" for anything that is not such a file. */
abut_status query_file_read(const char *path, query_file *out, abut_error *err);
void query_file_free(query_file *file);

#endif
