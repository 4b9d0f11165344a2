#include "output/checkpoint.h"

#include "base/file.h"
#include "base/memory.h"

#include <abut/version.h>
#include <hdf5.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The text header in front of the HDF5 image. HDF5 looks for its signature at 0, 512, 1024, ... so
 * its tools can open the file as it is. */
enum { HEADER_SIZE = 512 };

static const size_t item_sizes[] = {sizeof(double), sizeof(int32_t), sizeof(int64_t)};

/* Debian's HDF5 is not thread-safe, and simulations in one process may run in several threads. */
static pthread_mutex_t hdf5_lock = PTHREAD_MUTEX_INITIALIZER;

/* HDF5 prints its errors unless that is turned off; the setting of the surrounding program is put
 * back. */
typedef struct hdf5_session {
    H5E_auto2_t function;
    void *data;
} hdf5_session;

static void hdf5_begin(hdf5_session *session)
{
    pthread_mutex_lock(&hdf5_lock);
    H5Eget_auto2(H5E_DEFAULT, &session->function, &session->data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void hdf5_end(const hdf5_session *session)
{
    H5Eset_auto2(H5E_DEFAULT, session->function, session->data);
    pthread_mutex_unlock(&hdf5_lock);
}

/* H5T_NATIVE_* are expressions, so this cannot be a table. */
static hid_t hdf5_type(checkpoint_type type)
{
    switch (type) {
    case CHECKPOINT_DOUBLES: return H5T_NATIVE_DOUBLE;
    case CHECKPOINT_INTS: return H5T_NATIVE_INT32;
    case CHECKPOINT_LONGS: return H5T_NATIVE_INT64;
    }
    return -1;
}

/* ---- writing ---- */

static void add_array(checkpoint_writer *w, const char *name, checkpoint_type type,
                      const void *data, size_t n)
{
    if (strlen(name) >= CHECKPOINT_NAME_SIZE || name[0] == 0 || strchr(name, '/')) {
        w->refused = true;
        snprintf(w->refused_name, sizeof w->refused_name, "%s", name);
        return;
    }
    checkpoint_array a = {.type = type, .count = n, .data = data};
    memcpy(a.name, name, strlen(name) + 1);
    if (!array_push(&w->arrays, a)) w->no_memory = true;
}

void checkpoint_writer_free(checkpoint_writer *w) { array_free(&w->arrays); }

void checkpoint_add_doubles(checkpoint_writer *w, const char *name, const double *data, size_t n)
{
    add_array(w, name, CHECKPOINT_DOUBLES, data, n);
}

void checkpoint_add_ints(checkpoint_writer *w, const char *name, const int32_t *data, size_t n)
{
    add_array(w, name, CHECKPOINT_INTS, data, n);
}

void checkpoint_add_longs(checkpoint_writer *w, const char *name, const int64_t *data, size_t n)
{
    add_array(w, name, CHECKPOINT_LONGS, data, n);
}

static bool put_attribute(hid_t file, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

static bool put_text(hid_t file, const char *name, const char *value)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    bool good = H5Tset_size(type, strlen(value) + 1) >= 0 && put_attribute(file, name, type, value);
    H5Tclose(type);
    return good;
}

static bool put_array(hid_t group, hid_t creation, const checkpoint_array *a)
{
    hsize_t size = a->count;
    hid_t type = hdf5_type(a->type), space = H5Screate_simple(1, &size, NULL);
    hid_t set = H5Dcreate2(group, a->name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool good = set >= 0 &&
                (a->count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    return good;
}

static bool put_contents(hid_t file, const checkpoint_writer *w)
{
    bool good = put_text(file, "abut_version", ABUT_VERSION_STRING) &&
                put_text(file, "scene_hash", w->scene_hash ? w->scene_hash : "") &&
                put_attribute(file, "step", H5T_NATIVE_INT64, &w->step) &&
                put_attribute(file, "time", H5T_NATIVE_DOUBLE, &w->time);
    hid_t group_creation = H5Pcreate(H5P_GROUP_CREATE), creation = H5Pcreate(H5P_DATASET_CREATE);
    /* Without times of change, so that equal contents give equal bytes. */
    H5Pset_obj_track_times(group_creation, false);
    H5Pset_obj_track_times(creation, false);
    hid_t group = H5Gcreate2(file, "arrays", H5P_DEFAULT, group_creation, H5P_DEFAULT);
    for (size_t i = 0; good && i < w->arrays.count; i++)
        good = put_array(group, creation, &w->arrays.data[i]);
    H5Gclose(group);
    H5Pclose(creation);
    H5Pclose(group_creation);
    return good;
}

/* A file in memory only; `image` (may be NULL) is copied. */
static hid_t memory_access(const void *image, size_t size)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, false);
    if (image) H5Pset_file_image(access, (void *)image, size);
    return access;
}

/* The HDF5 image behind HEADER_SIZE free bytes, from mem_alloc. */
static abut_status build_image(const checkpoint_writer *w, unsigned char **out, size_t *size,
                               abut_error *err)
{
    abut_status status = ABUT_OK;
    hid_t access = memory_access(NULL, 0);
    hid_t file = H5Fcreate("abut-checkpoint", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    bool good = file >= 0 && put_contents(file, w) && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    ssize_t length = good ? H5Fget_file_image(file, NULL, 0) : -1;
    *out = NULL;
    if (length < 0) {
        status = error_set(err, ABUT_ERROR_INTERNAL, "", "HDF5 cannot build the checkpoint");
    } else {
        *size = HEADER_SIZE + (size_t)length;
        *out = mem_alloc(*size, 1);
        if (!*out)
            status = error_memory(err, "writing a checkpoint");
        else if (H5Fget_file_image(file, *out + HEADER_SIZE, (size_t)length) != length)
            status = error_set(err, ABUT_ERROR_INTERNAL, "", "HDF5 cannot copy the checkpoint");
    }
    H5Fclose(file);
    H5Pclose(access);
    return status;
}

static void fill_header(unsigned char *bytes, size_t size)
{
    char hash[SHA256_TEXT_SIZE];
    sha256_of(bytes + HEADER_SIZE, size - HEADER_SIZE, hash);
    memset(bytes, ' ', HEADER_SIZE);
    int length = snprintf((char *)bytes, HEADER_SIZE,
                          "abut checkpoint\nformat %d\nabut %s\nbytes %zu\nsha256 %s\n",
                          CHECKPOINT_FORMAT, ABUT_VERSION_STRING, size - HEADER_SIZE, hash);
    bytes[length] = ' ';
    bytes[HEADER_SIZE - 1] = '\n';
}

abut_status checkpoint_to_memory(const checkpoint_writer *w, unsigned char **bytes, size_t *size,
                                 abut_error *err)
{
    *bytes = NULL;
    *size = 0;
    if (w->refused)
        return error_set(err, ABUT_ERROR_INTERNAL, "",
                         "array \"%s\" has a name that is not allowed", w->refused_name);
    if (w->no_memory) return error_memory(err, "writing a checkpoint");
    hdf5_session session;
    hdf5_begin(&session);
    abut_status status = build_image(w, bytes, size, err);
    hdf5_end(&session);
    if (status == ABUT_OK) {
        fill_header(*bytes, *size);
    } else {
        mem_free(*bytes);
        *bytes = NULL;
    }
    return status;
}

abut_status checkpoint_write(const checkpoint_writer *w, const char *path, abut_error *err)
{
    unsigned char *bytes;
    size_t size;
    abut_status status = checkpoint_to_memory(w, &bytes, &size, err);
    if (status != ABUT_OK) return error_add_place(err, path, status);
    status = atomic_write(path, bytes, size, err);
    mem_free(bytes);
    return status;
}

/* ---- reading ---- */

static abut_status damaged(const char *path, const char *what, abut_error *err)
{
    return error_set(err, ABUT_ERROR_INPUT, path, "the checkpoint is damaged: %s", what);
}

/* Checks the text header and that the rest is what was written. */
static abut_status check_header(const char *path, const file_bytes *bytes, abut_error *err)
{
    static const char magic[] = "abut checkpoint\n";
    char header[HEADER_SIZE + 1] = "", expected[SHA256_TEXT_SIZE] = "", hash[SHA256_TEXT_SIZE];
    size_t start = bytes->size < HEADER_SIZE ? bytes->size : HEADER_SIZE, size = 0;
    memcpy(header, bytes->data, start);
    if (strncmp(header, magic, sizeof magic - 1) != 0)
        return error_set(err, ABUT_ERROR_INPUT, path, "is not a checkpoint of abut");
    int format = 0;
    if (sscanf(header + sizeof magic - 1, "format %d", &format) != 1)
        return damaged(path, "its header does not name a format", err);
    if (format != CHECKPOINT_FORMAT)
        return error_set(err, ABUT_ERROR_INPUT, path,
                         "is a checkpoint of format %d; this version of abut reads format %d",
                         format, CHECKPOINT_FORMAT);
    if (sscanf(header + sizeof magic - 1, "format %*d abut %*31s bytes %zu sha256 %64s", &size,
               expected) != 2)
        return damaged(path, "its header is incomplete", err);
    if (bytes->size < HEADER_SIZE || bytes->size - HEADER_SIZE != size)
        return error_set(err, ABUT_ERROR_INPUT, path,
                         "the checkpoint is damaged: it has %zu bytes, and should have %zu",
                         bytes->size, size + HEADER_SIZE);
    sha256_of(bytes->data + HEADER_SIZE, size, hash);
    return strcmp(hash, expected) == 0 ? ABUT_OK
                                       : damaged(path, "its checksum does not match", err);
}

static bool get_attribute(hid_t file, const char *name, hid_t type, void *value)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Aread(attribute, type, value) >= 0;
    H5Aclose(attribute);
    return good;
}

/* Fixed-length text; longer values are cut. */
static bool get_text(hid_t file, const char *name, char *out, size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    bool good = H5Tset_size(type, size) >= 0 && get_attribute(file, name, type, out);
    H5Tclose(type);
    out[size - 1] = 0;
    return good;
}

static bool find_type(hid_t set, checkpoint_type *type)
{
    hid_t stored = H5Dget_type(set);
    bool found = false;
    for (int t = CHECKPOINT_DOUBLES; t <= CHECKPOINT_LONGS && !found; t++)
        if (H5Tequal(stored, hdf5_type((checkpoint_type)t)) > 0) {
            *type = (checkpoint_type)t;
            found = true;
        }
    H5Tclose(stored);
    return found;
}

static abut_status get_array(const char *path, hid_t group, hsize_t index, checkpoint_array *a,
                             abut_error *err)
{
    ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, index, a->name,
                                        sizeof a->name, H5P_DEFAULT);
    if (length <= 0 || (size_t)length >= sizeof a->name)
        return damaged(path, "an array has no proper name", err);
    hid_t set = H5Dopen2(group, a->name, H5P_DEFAULT), space = H5Dget_space(set);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    abut_status status = ABUT_OK;
    if (count < 0 || !find_type(set, &a->type)) {
        status = damaged(path, "an array has no proper type", err);
    } else {
        a->count = (size_t)count;
        void *data = mem_alloc(a->count, item_sizes[a->type]);
        a->data = data;
        if (!data)
            status = error_memory(err, "reading a checkpoint");
        else if (count > 0 &&
                 H5Dread(set, hdf5_type(a->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
            status = damaged(path, "an array cannot be read", err);
    }
    H5Sclose(space);
    H5Dclose(set);
    return status;
}

static abut_status get_arrays(hid_t file, checkpoint_reader *out, abut_error *err)
{
    H5G_info_t info;
    hid_t group = H5Gopen2(file, "arrays", H5P_DEFAULT);
    abut_status status = ABUT_OK;
    if (group < 0 || H5Gget_info(group, &info) < 0)
        status = damaged(out->path, "its list of arrays cannot be read", err);
    else if (!array_reserve(&out->arrays, (size_t)info.nlinks))
        status = error_memory(err, "reading a checkpoint");
    for (hsize_t i = 0; status == ABUT_OK && i < info.nlinks; i++) {
        checkpoint_array *a = &out->arrays.data[out->arrays.count++];
        memset(a, 0, sizeof *a);
        status = get_array(out->path, group, i, a, err);
    }
    H5Gclose(group);
    return status;
}

static abut_status read_image(const file_bytes *bytes, checkpoint_reader *out, abut_error *err)
{
    hid_t access = memory_access(bytes->data + HEADER_SIZE, bytes->size - HEADER_SIZE);
    hid_t file = H5Fopen("abut-checkpoint", H5F_ACC_RDONLY, access);
    abut_status status = ABUT_OK;
    if (file < 0 || !get_text(file, "abut_version", out->abut_version, sizeof out->abut_version) ||
        !get_text(file, "scene_hash", out->scene_hash, sizeof out->scene_hash) ||
        !get_attribute(file, "step", H5T_NATIVE_INT64, &out->step) ||
        !get_attribute(file, "time", H5T_NATIVE_DOUBLE, &out->time))
        status = damaged(out->path, "HDF5 cannot open it", err);
    if (status == ABUT_OK) status = get_arrays(file, out, err);
    H5Fclose(file);
    H5Pclose(access);
    return status;
}

static abut_status read_checked(const file_bytes *bytes, const char *scene_hash,
                                checkpoint_reader *out, abut_error *err)
{
    TRY(check_header(out->path, bytes, err));
    hdf5_session session;
    hdf5_begin(&session);
    abut_status status = read_image(bytes, out, err);
    hdf5_end(&session);
    if (status == ABUT_OK && scene_hash && strcmp(scene_hash, out->scene_hash) != 0)
        status = error_set(err, ABUT_ERROR_INPUT, out->path,
                           "the checkpoint belongs to another scene, or to this one before it was "
                           "changed (%.12s..., this one is %.12s...); start again without --resume",
                           out->scene_hash, scene_hash);
    return status;
}

abut_status checkpoint_from_memory(const char *path, const void *bytes, size_t size,
                                   const char *scene_hash, checkpoint_reader *out, abut_error *err)
{
    file_bytes view = {.data = (char *)bytes, .size = size}; /* only read */
    memset(out, 0, sizeof *out);
    out->path = mem_strdup(path);
    abut_status status = out->path ? read_checked(&view, scene_hash, out, err)
                                   : error_memory(err, "reading a checkpoint");
    if (status != ABUT_OK) checkpoint_free(out);
    return status;
}

abut_status checkpoint_read(const char *path, const char *scene_hash, checkpoint_reader *out,
                            abut_error *err)
{
    file_bytes bytes;
    memset(out, 0, sizeof *out);
    TRY(file_read(path, &bytes, err));
    abut_status status = checkpoint_from_memory(path, bytes.data, bytes.size, scene_hash, out, err);
    file_free(&bytes);
    return status;
}

void checkpoint_free(checkpoint_reader *r)
{
    for (size_t i = 0; i < r->arrays.count; i++) mem_free((void *)r->arrays.data[i].data);
    array_free(&r->arrays);
    mem_free(r->path);
    memset(r, 0, sizeof *r);
}

/* ---- looking up ---- */

static int by_name(const void *name, const void *array)
{
    return strcmp(name, ((const checkpoint_array *)array)->name);
}

/* HDF5 lists arrays in the order of strcmp. */
static const checkpoint_array *find(const checkpoint_reader *r, const char *name)
{
    if (r->arrays.count == 0) return NULL;
    return bsearch(name, r->arrays.data, r->arrays.count, sizeof *r->arrays.data, by_name);
}

bool checkpoint_has(const checkpoint_reader *r, const char *name) { return find(r, name) != NULL; }

static abut_status get(const checkpoint_reader *r, const char *name, checkpoint_type type,
                       const checkpoint_array **out, abut_error *err)
{
    static const char *const type_names[] = {"doubles", "32-bit integers", "64-bit integers"};
    const checkpoint_array *a = find(r, name);
    if (!a)
        return error_set(err, ABUT_ERROR_INPUT, r->path,
                         "there is no array \"%s\" in the checkpoint", name);
    if (a->type != type)
        return error_set(err, ABUT_ERROR_INPUT, r->path, "array \"%s\" has %s, expected %s", name,
                         type_names[a->type], type_names[type]);
    *out = a;
    return ABUT_OK;
}

abut_status checkpoint_get_doubles(const checkpoint_reader *r, const char *name,
                                   const double **data, size_t *n, abut_error *err)
{
    const checkpoint_array *a = NULL;
    TRY(get(r, name, CHECKPOINT_DOUBLES, &a, err));
    *data = a->data;
    *n = a->count;
    return ABUT_OK;
}

abut_status checkpoint_get_ints(const checkpoint_reader *r, const char *name, const int32_t **data,
                                size_t *n, abut_error *err)
{
    const checkpoint_array *a = NULL;
    TRY(get(r, name, CHECKPOINT_INTS, &a, err));
    *data = a->data;
    *n = a->count;
    return ABUT_OK;
}

abut_status checkpoint_get_longs(const checkpoint_reader *r, const char *name, const int64_t **data,
                                 size_t *n, abut_error *err)
{
    const checkpoint_array *a = NULL;
    TRY(get(r, name, CHECKPOINT_LONGS, &a, err));
    *data = a->data;
    *n = a->count;
    return ABUT_OK;
}

static abut_status copy(const checkpoint_reader *r, const char *name, checkpoint_type type,
                        void *to, size_t n, abut_error *err)
{
    const checkpoint_array *a = NULL;
    TRY(get(r, name, type, &a, err));
    if (a->count != n)
        return error_set(err, ABUT_ERROR_INPUT, r->path,
                         "array \"%s\" has %zu entries, the scene needs %zu", name, a->count, n);
    memcpy(to, a->data, n * item_sizes[type]);
    return ABUT_OK;
}

abut_status checkpoint_copy_doubles(const checkpoint_reader *r, const char *name, double *to,
                                    size_t n, abut_error *err)
{
    return copy(r, name, CHECKPOINT_DOUBLES, to, n, err);
}

abut_status checkpoint_copy_ints(const checkpoint_reader *r, const char *name, int32_t *to,
                                 size_t n, abut_error *err)
{
    return copy(r, name, CHECKPOINT_INTS, to, n, err);
}

abut_status checkpoint_copy_longs(const checkpoint_reader *r, const char *name, int64_t *to,
                                  size_t n, abut_error *err)
{
    return copy(r, name, CHECKPOINT_LONGS, to, n, err);
}
