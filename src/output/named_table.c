#include "output/named_table.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static abut_status io_error(abut_error *err, const char *path, const char *what)
{
    return error_set(err, ABUT_ERROR_IO, path, "%s: %s", what, strerror(errno));
}

/* The part of the file that is kept: header and rows up to last_step; its length. */
static abut_status kept_part(const char *path, const file_bytes *bytes, const char *header,
                             size_t header_length, int64_t last_step, size_t *kept, abut_error *err)
{
    if (bytes->size < header_length || memcmp(bytes->data, header, header_length) != 0)
        return error_set(err, ABUT_ERROR_INPUT, path,
                         "line 1: the columns are not those of this scene");
    size_t at = header_length;
    while (at < bytes->size) {
        const char *row = bytes->data + at, *end = memchr(row, '\n', bytes->size - at);
        int64_t step;
        if (!end || number_read_int(&row, end, &step) != NUMBER_OK || step > last_step) break;
        at = (size_t)(end - bytes->data) + 1;
    }
    *kept = at;
    return ABUT_OK;
}

static abut_status cut_file(const char *path, const char *header, size_t header_length,
                            int64_t last_step, abut_error *err)
{
    file_bytes bytes;
    size_t kept = 0;
    TRY(file_read(path, &bytes, err));
    abut_status status = kept_part(path, &bytes, header, header_length, last_step, &kept, err);
    if (status == ABUT_OK) status = atomic_write(path, bytes.data, kept, err);
    file_free(&bytes);
    return status;
}

static bool append_text(named_table *t, const char *text)
{
    size_t length = strlen(text);
    if (!array_reserve(&t->text, t->text.count + length + 1)) return false;
    memcpy(t->text.data + t->text.count, text, length + 1);
    t->text.count += length;
    return true;
}

static bool format_header(named_table *t, const char *const *names, size_t count)
{
    bool ok = append_text(t, "step,time");
    for (size_t i = 0; ok && i < count; i++) ok = append_text(t, ",") && append_text(t, names[i]);
    return ok && append_text(t, "\n");
}

abut_status named_table_open(named_table *t, const char *path, const char *const *names,
                             size_t count, int64_t last_step, abut_error *err)
{
    *t = (named_table){.columns = count, .path = mem_strdup(path)};
    if (!t->path || !format_header(t, names, count)) return error_memory(err, "opening a table");
    if (last_step >= 0 && file_exists(path))
        TRY(cut_file(path, t->text.data, t->text.count, last_step, err));
    else
        TRY(atomic_write(path, t->text.data, t->text.count, err));
    t->stream = fopen(path, "ab");
    if (!t->stream) return io_error(err, path, "cannot append");
    setvbuf(t->stream, NULL, _IONBF, 0); /* a row is one write */
    fseek(t->stream, 0, SEEK_END);
    return ABUT_OK;
}

static bool format_row(named_table *t, int64_t step, double time, const double *values)
{
    char number[NUMBER_TEXT_SIZE + 24];
    t->text.count = 0;
    snprintf(number, sizeof number, "%" PRId64 ",", step);
    bool ok = append_text(t, number);
    for (size_t i = 0; ok && i <= t->columns; i++) {
        int length = number_write_double(number, i == 0 ? time : values[i - 1]);
        number[length++] = i < t->columns ? ',' : '\n';
        number[length] = 0;
        ok = append_text(t, number);
    }
    return ok;
}

abut_status named_table_append(named_table *t, int64_t step, double time, const double *values,
                               abut_error *err)
{
    if (!format_row(t, step, time, values)) return error_memory(err, "writing a table");
    long before = ftell(t->stream);
    if (fwrite(t->text.data, 1, t->text.count, t->stream) == t->text.count &&
        fflush(t->stream) == 0)
        return ABUT_OK;
    abut_status status = io_error(err, t->path, "cannot append a row");
    clearerr(t->stream);
    if (before >= 0 && ftruncate(fileno(t->stream), before) != 0)
        return io_error(err, t->path, "cannot append a row, nor remove its beginning");
    fseek(t->stream, 0, SEEK_END);
    return status;
}

abut_status named_table_close(named_table *t, abut_error *err)
{
    abut_status status = ABUT_OK;
    if (t->stream && (fsync(fileno(t->stream)) != 0 || fclose(t->stream) != 0))
        status = io_error(err, t->path, "cannot finish writing");
    mem_free(t->path);
    array_free(&t->text);
    memset(t, 0, sizeof *t);
    return status;
}
