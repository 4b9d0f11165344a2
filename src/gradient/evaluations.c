#include "gradient/evaluations.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char MAGIC[8] = "abutev1";

static void path_of(const char *folder, int k, char *out, size_t size)
{
    snprintf(out, size, "%s/evaluations/%06d.bin", folder, k);
}

static size_t size_of(size_t n, const evaluation_record *r)
{
    size_t square = r->square ? n * n : 0;
    return sizeof MAGIC + 4 * sizeof(double) + (2 * n + square) * sizeof(double);
}

abut_status evaluation_write(const char *folder, int k, size_t n, const evaluation_record *r,
                             abut_error *err)
{
    char path[4200];
    double head[4] = {(double)n, (double)r->status, r->value, 0};
    char *bytes = mem_alloc(size_of(n, r), 1);
    if (!bytes) return error_memory(err, "writing an evaluation");
    char *at = bytes;
    memcpy(at, MAGIC, sizeof MAGIC), at += sizeof MAGIC;
    memcpy(at, head, sizeof head), at += sizeof head;
    memcpy(at, r->point, n * sizeof(double)), at += n * sizeof(double);
    memcpy(at, r->slope, n * sizeof(double)), at += n * sizeof(double);
    if (r->square) memcpy(at, r->square, n * n * sizeof(double));
    path_of(folder, k, path, sizeof path);
    abut_status status = atomic_write(path, bytes, size_of(n, r), err);
    mem_free(bytes);
    return status;
}

static abut_status take(const file_bytes *bytes, const char *path, size_t n, evaluation_record *r,
                        abut_error *err)
{
    double head[4];
    const char *at = bytes->data + sizeof MAGIC;
    bool fits = bytes->size == size_of(n, r) && memcmp(bytes->data, MAGIC, sizeof MAGIC) == 0;
    if (fits) memcpy(head, at, sizeof head), at += sizeof head;
    if (!fits || head[0] != (double)n || memcmp(at, r->point, n * sizeof(double)) != 0)
        return error_set(err, ABUT_ERROR_INPUT, path,
                         "is an evaluation of another optimisation (the scene or its `optimize` "
                         "has changed); start anew without --resume");
    r->status = (int32_t)head[1];
    r->value = head[2];
    memcpy(r->slope, at + n * sizeof(double), n * sizeof(double));
    if (r->square) memcpy(r->square, at + 2 * n * sizeof(double), n * n * sizeof(double));
    return ABUT_OK;
}

abut_status evaluation_read(const char *folder, int k, size_t n, evaluation_record *r, bool *found,
                            abut_error *err)
{
    char path[4200];
    file_bytes bytes;
    path_of(folder, k, path, sizeof path);
    *found = file_exists(path);
    if (!*found) return ABUT_OK;
    TRY(file_read(path, &bytes, err));
    abut_status status = take(&bytes, path, n, r, err);
    file_free(&bytes);
    return status;
}

void evaluations_clear(const char *folder)
{
    char path[4200];
    path_of(folder, 1, path, sizeof path);
    for (int k = 1; file_exists(path); path_of(folder, ++k, path, sizeof path)) unlink(path);
}
