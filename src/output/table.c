#include "output/table.h"

#include "base/array.h"
#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char header[] =
    "step,time,wall_s,newton_iters,friction_iters,contacts,min_distance,kappa,kinetic,elastic,"
    "gravity,contact,linear_momentum_x,linear_momentum_y,linear_momentum_z,angular_momentum_x,"
    "angular_momentum_y,angular_momentum_z\n";

enum { ROW_SIZE = 640 }; /* 18 numbers of at most 25 characters, with room */

static abut_status io_error(abut_error *err, const char *path, const char *what)
{
    return error_set(err, ABUT_ERROR_IO, path, "%s: %s", what, strerror(errno));
}

static int format_row(const step_row *r, char *out)
{
    vec3 p = r->linear_momentum, l = r->angular_momentum;
    return snprintf(out, ROW_SIZE,
                    "%" PRId64 ",%.17g,%.17g,%" PRId64 ",%" PRId64 ",%" PRId64
                    ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
                    r->step, r->time, r->wall_s, r->newton_iters, r->friction_iters, r->contacts,
                    r->min_distance, r->kappa, r->kinetic, r->elastic, r->gravity, r->contact, p.x,
                    p.y, p.z, l.x, l.y, l.z);
}

/* Reads a number and the separator behind it; false when either is wrong. */
static bool read_real(char **at, char separator, double *value)
{
    char *end;
    *value = strtod(*at, &end);
    if (end == *at || *end != separator) return false;
    *at = end + 1;
    return true;
}

static bool read_whole(char **at, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(*at, &end, 10);
    if (end == *at || *end != ',' || errno != 0) return false;
    *at = end + 1;
    return true;
}

/* `line` ends in a newline. */
static bool parse_row(char *line, step_row *r)
{
    double *reals[] = {&r->min_distance,
                       &r->kappa,
                       &r->kinetic,
                       &r->elastic,
                       &r->gravity,
                       &r->contact,
                       &r->linear_momentum.x,
                       &r->linear_momentum.y,
                       &r->linear_momentum.z,
                       &r->angular_momentum.x,
                       &r->angular_momentum.y,
                       &r->angular_momentum.z};
    const size_t count = sizeof reals / sizeof *reals;
    if (!read_whole(&line, &r->step) || !read_real(&line, ',', &r->time) ||
        !read_real(&line, ',', &r->wall_s) || !read_whole(&line, &r->newton_iters) ||
        !read_whole(&line, &r->friction_iters) || !read_whole(&line, &r->contacts))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!read_real(&line, i + 1 < count ? ',' : '\n', reals[i])) return false;
    return true;
}

static abut_status read_rows(const char *path, const file_bytes *bytes, step_row **rows,
                             size_t *count, size_t *good_size, abut_error *err)
{
    ARRAY(step_row) list = {0};
    size_t at = sizeof header - 1;
    if (bytes->size < at || memcmp(bytes->data, header, at) != 0)
        return error_set(err, ABUT_ERROR_INPUT, path,
                         "line 1: is not the header of a steps.csv of this version of abut");
    abut_status status = ABUT_OK;
    for (size_t line = 2; status == ABUT_OK && at < bytes->size; line++) {
        const char *end = memchr(bytes->data + at, '\n', bytes->size - at);
        if (!end) break; /* unfinished */
        size_t length = (size_t)(end - bytes->data) + 1 - at;
        char text[ROW_SIZE];
        step_row row;
        memcpy(text, bytes->data + at, length < ROW_SIZE ? length : 0);
        text[length < ROW_SIZE ? length : 0] = 0;
        if (!parse_row(text, &row))
            status = error_set(err, ABUT_ERROR_INPUT, path,
                               "line %zu: is not a row of 18 numbers separated by commas", line);
        else if (!array_push(&list, row))
            status = error_memory(err, "reading steps.csv");
        at += length;
        *good_size = at;
    }
    if (status != ABUT_OK) array_free(&list);
    *rows = list.data;
    *count = list.count;
    return status;
}

abut_status table_read(const char *path, step_row **rows, size_t *count, abut_error *err)
{
    file_bytes bytes;
    size_t good_size = 0;
    *rows = NULL;
    *count = 0;
    TRY(file_read(path, &bytes, err));
    abut_status status = read_rows(path, &bytes, rows, count, &good_size, err);
    file_free(&bytes);
    return status;
}

/* Replaces the file by its header and the rows up to last_step, character for character. */
static abut_status cut_file(const char *path, int64_t last_step, abut_error *err)
{
    step_row *rows;
    size_t count;
    TRY(table_read(path, &rows, &count, err));
    atomic_file file;
    abut_status status = atomic_open(&file, path, err);
    if (status == ABUT_OK) {
        fputs(header, file.stream);
        for (size_t i = 0; i < count && rows[i].step <= last_step; i++) {
            char text[ROW_SIZE];
            format_row(&rows[i], text);
            fputs(text, file.stream);
        }
        status = atomic_commit(&file, err);
    }
    mem_free(rows);
    return status;
}

abut_status table_open(step_table *table, const char *path, int64_t last_step, abut_error *err)
{
    memset(table, 0, sizeof *table);
    if (last_step >= 0 && file_exists(path))
        TRY(cut_file(path, last_step, err));
    else
        TRY(atomic_write(path, header, sizeof header - 1, err));
    table->path = mem_strdup(path);
    if (!table->path) return error_memory(err, "opening steps.csv");
    table->stream = fopen(path, "ab");
    if (!table->stream) {
        abut_status status = io_error(err, path, "cannot append");
        mem_free(table->path);
        table->path = NULL;
        return status;
    }
    setvbuf(table->stream, NULL, _IONBF, 0); /* a row is one write, so one row is all or nothing */
    fseek(table->stream, 0, SEEK_END);
    return ABUT_OK;
}

abut_status table_append(step_table *table, const step_row *row, abut_error *err)
{
    char text[ROW_SIZE];
    size_t length = (size_t)format_row(row, text);
    long before = ftell(table->stream);
    if (fwrite(text, 1, length, table->stream) == length && fflush(table->stream) == 0)
        return ABUT_OK;
    abut_status status = io_error(err, table->path, "cannot append a row");
    clearerr(table->stream);
    if (before >= 0 && ftruncate(fileno(table->stream), before) != 0)
        return io_error(err, table->path, "cannot append a row, nor remove its beginning");
    fseek(table->stream, 0, SEEK_END);
    return status;
}

abut_status table_close(step_table *table, abut_error *err)
{
    abut_status status = ABUT_OK;
    if (table->stream && (fsync(fileno(table->stream)) != 0 || fclose(table->stream) != 0))
        status = io_error(err, table->path, "cannot finish writing");
    mem_free(table->path);
    memset(table, 0, sizeof *table);
    return status;
}
