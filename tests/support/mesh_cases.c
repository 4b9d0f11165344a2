#include "mesh_cases.h"

#include <stdlib.h>

abut_status read_text(mesh_format format, const char *text, size_t size, mesh *m, abut_error *error)
{
    char *copy = calloc(size ? size : 1, 1);
    if (size) memcpy(copy, text, size);
    abut_status status = mesh_read_memory(format, "file", copy, size, NULL, m, error);
    free(copy);
    return status;
}

static bool refused_as_expected(mesh_format format, const bad_file *file)
{
    mesh m;
    abut_error error = {0};
    size_t size = file->size ? file->size : strlen(file->text);
    abut_status status = read_text(format, file->text, size, &m, &error);
    if (status == ABUT_OK) {
        mesh_free(&m);
        printf("accepted: %.60s\n", file->text);
        return false;
    }
    bool fine = status == ABUT_ERROR_INPUT || status == ABUT_ERROR_UNSUPPORTED;
    fine = fine && error.code == status && strcmp(error.place, file->place) == 0;
    fine = fine && strstr(error.message, file->message) != NULL;
    fine = fine && m.vertices == NULL && m.block_count == 0;
    if (!fine)
        printf("%s: \"%s\" instead of %s: \"%s\"\n", error.place, error.message, file->place,
               file->message);
    return fine;
}

int count_accepted(mesh_format format, const bad_file *files, size_t count)
{
    int wrong = 0;
    for (size_t i = 0; i < count; i++) wrong += !refused_as_expected(format, &files[i]);
    return wrong;
}

int exhaust_memory(mesh_format format, const char *data, size_t size)
{
    for (int round = 0; round < 10000; round++) {
        mesh m;
        abut_error error = {0};
        mem_fail_after(round);
        abut_status status = mesh_read_memory(format, "file", data, size, NULL, &m, &error);
        bool failed = mem_failure_happened();
        mem_fail_after(-1);
        if (status == ABUT_OK) mesh_free(&m);
        if (!failed) return status == ABUT_OK ? round : -1;
        if (status != ABUT_ERROR_MEMORY || error.code != status) {
            printf("allocation %d failed, but the reader says: %d %s\n", round, (int)status,
                   error.message);
            return -1;
        }
    }
    return -1;
}

int count_accepted_beginnings(mesh_format format, const char *data, size_t size)
{
    int accepted = 0;
    for (size_t length = 0; length < size; length++) {
        mesh m;
        if (read_text(format, data, length, &m, NULL) != ABUT_OK) continue;
        mesh_free(&m);
        accepted++;
    }
    return accepted;
}

void bytes_raw(byte_list *b, const void *data, size_t size)
{
    if (size == 0) return;
    if (b->size + size > b->capacity) {
        b->capacity = 2 * (b->size + size);
        b->data = realloc(b->data, b->capacity);
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void bytes_swapped(byte_list *b, const void *data, size_t size, bool swap)
{
    char copy[8];
    for (size_t i = 0; i < size; i++) copy[i] = ((const char *)data)[swap ? size - 1 - i : i];
    bytes_raw(b, copy, size);
}

void bytes_text(byte_list *b, const char *text) { bytes_raw(b, text, strlen(text)); }
void bytes_int(byte_list *b, int32_t value, bool swap) { bytes_swapped(b, &value, 4, swap); }
void bytes_long(byte_list *b, int64_t value, bool swap) { bytes_swapped(b, &value, 8, swap); }
void bytes_float(byte_list *b, float value, bool swap) { bytes_swapped(b, &value, 4, swap); }
void bytes_double(byte_list *b, double value, bool swap) { bytes_swapped(b, &value, 8, swap); }
void bytes_short(byte_list *b, int value, bool swap)
{
    int16_t narrow = (int16_t)value;
    bytes_swapped(b, &narrow, 2, swap);
}

void bytes_free(byte_list *b)
{
    free(b->data);
    *b = (byte_list){0};
}
