/* checkpoint.h5: everything a run needs to go on bit for bit. An HDF5 file behind a 512-byte text
 * header that holds the format version and a SHA-256 of the rest, so that a damaged file is
 * recognised before HDF5 sees it; HDF5's own tools skip the header. The library does not say what
 * is in the arrays: the simulator names them.
 *
 *     checkpoint_writer w = {.step = 12, .time = 0.12, .scene_hash = hash};
 *     checkpoint_add_doubles(&w, "x", x, n);
 *     status = checkpoint_write(&w, path, err);
 *     checkpoint_writer_free(&w);
 */
#ifndef OUTPUT_CHECKPOINT_H
#define OUTPUT_CHECKPOINT_H

#include "base/array.h"
#include "base/hash.h"
#include "base/status.h"

enum { CHECKPOINT_FORMAT = 1, CHECKPOINT_NAME_SIZE = 64 };

typedef enum checkpoint_type {
    CHECKPOINT_DOUBLES,
    CHECKPOINT_INTS,
    CHECKPOINT_LONGS
} checkpoint_type;

typedef struct checkpoint_array {
    char name[CHECKPOINT_NAME_SIZE];
    checkpoint_type type;
    size_t count;
    const void *data;
} checkpoint_array;

typedef ARRAY(checkpoint_array) checkpoint_arrays;

/* The data of arrays is borrowed until checkpoint_write. */
typedef struct checkpoint_writer {
    int64_t step;
    double time;
    const char *scene_hash; /* of the resolved scene: sha256_of */
    checkpoint_arrays arrays;
    /* What keeps checkpoint_write from writing: */
    bool no_memory;
    bool refused; /* an array has a name that is not allowed: */
    char refused_name[CHECKPOINT_NAME_SIZE];
} checkpoint_writer;

/* Names are at most 63 characters without '/', each used once; checkpoint_write refuses others. */
void checkpoint_add_doubles(checkpoint_writer *w, const char *name, const double *data, size_t n);
void checkpoint_add_ints(checkpoint_writer *w, const char *name, const int32_t *data, size_t n);
void checkpoint_add_longs(checkpoint_writer *w, const char *name, const int64_t *data, size_t n);
/* Atomic. The same contents give the same bytes. */
abut_status checkpoint_write(const checkpoint_writer *w, const char *path, abut_error *err);
void checkpoint_writer_free(checkpoint_writer *w);

typedef struct checkpoint_reader {
    char *path;
    int64_t step;
    double time;
    char abut_version[32];
    char scene_hash[SHA256_TEXT_SIZE];
    checkpoint_arrays arrays; /* by name, with their data */
} checkpoint_reader;

/* Reads and checks the whole file. scene_hash: of the scene to go on with; NULL accepts any. A
 * missing file is ABUT_ERROR_IO; a damaged one, another format, another scene: ABUT_ERROR_INPUT. */
abut_status checkpoint_read(const char *path, const char *scene_hash, checkpoint_reader *out,
                            abut_error *err);
/* The same from and to bytes in memory; those written are from mem_alloc. `path` is for messages.
 */
abut_status checkpoint_to_memory(const checkpoint_writer *w, unsigned char **bytes, size_t *size,
                                 abut_error *err);
abut_status checkpoint_from_memory(const char *path, const void *bytes, size_t size,
                                   const char *scene_hash, checkpoint_reader *out, abut_error *err);
void checkpoint_free(checkpoint_reader *r);

/* The array of that name; ABUT_ERROR_INPUT when it is missing or has another type. The data belongs
 * to the reader. */
bool checkpoint_has(const checkpoint_reader *r, const char *name);
abut_status checkpoint_get_doubles(const checkpoint_reader *r, const char *name,
                                   const double **data, size_t *n, abut_error *err);
abut_status checkpoint_get_ints(const checkpoint_reader *r, const char *name, const int32_t **data,
                                size_t *n, abut_error *err);
abut_status checkpoint_get_longs(const checkpoint_reader *r, const char *name, const int64_t **data,
                                 size_t *n, abut_error *err);
/* Copies an array that must have exactly n entries: for filling existing state. */
abut_status checkpoint_copy_doubles(const checkpoint_reader *r, const char *name, double *to,
                                    size_t n, abut_error *err);
abut_status checkpoint_copy_ints(const checkpoint_reader *r, const char *name, int32_t *to,
                                 size_t n, abut_error *err);
abut_status checkpoint_copy_longs(const checkpoint_reader *r, const char *name, int64_t *to,
                                  size_t n, abut_error *err);

#endif
