#include "output/table.h"

#include "base/array.h"
#include "base/file.h"
#include "base/number.h"
#include "output/table_names.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

typedef struct column {
    const char *name;
    size_t offset; /* in step_row */
    bool whole;    /* int64_t; otherwise double */
} column;

#define WHOLE(name)                                                                                \
    {                                                                                              \
#name, offsetof(step_row, name), true                                                      \
    }
#define REAL(name)                                                                                 \
    {                                                                                              \
#name, offsetof(step_row, name), false                                                     \
    }
#define VECTOR(name)                                                                               \
    {#name "_x", offsetof(step_row, name.x), false},                                               \
        {#name "_y", offsetof(step_row, name.y), false},                                           \
    {                                                                                              \
#name "_z", offsetof(step_row, name.z), false                                              \
    }

static const column columns[] = {
    WHOLE(step),
    REAL(time),
    REAL(wall_seconds),
    WHOLE(newton_iterations),
    WHOLE(friction_iterations),
    WHOLE(contact_count),
    REAL(min_distance),
    REAL(kappa),
    REAL(kinetic),
    REAL(elastic),
    REAL(gravity),
    REAL(contact_energy),
    VECTOR(linear_momentum),
    VECTOR(angular_momentum),
    REAL(max_stretch),
    REAL(mean_stretch),
    REAL(min_stretch),
    REAL(mean_compression),
    REAL(potential),
    REAL(unknowns),
    REAL(splits),
    REAL(collapses),
    REAL(swaps),
    REAL(smoothings),
    REAL(friction_not_converged),
    REAL(truncated),
    REAL(newton_at_noise),
    REAL(substeps),
    REAL(joint_violation),
    REAL(unbalanced_force),
};
enum {
    COLUMNS = sizeof columns / sizeof *columns,
    ROW_SIZE = COLUMNS * NUMBER_TEXT_SIZE,
    REQUIRED = 2 /* step and time: without these a row says nothing */
};

/* Which columns a file has, and where: numbers in `columns`. Files of earlier versions have fewer.
 */
typedef struct layout {
    int column[COLUMNS];
    int count;
} layout;

static abut_status io_error(abut_error *err, const char *path, const char *what)
{
    return error_set(err, ABUT_ERROR_IO, path, "%s: %s", what, strerror(errno));
}

static size_t format_header(char *out)
{
    int at = 0;
    for (int i = 0; i < COLUMNS; i++)
        at += snprintf(out + at, ROW_SIZE - (size_t)at, "%s%s", i > 0 ? "," : "", columns[i].name);
    out[at++] = '\n';
    out[at] = 0;
    return (size_t)at;
}

/* Without regard to the locale, and each number so that it reads back to the same bits. */
static size_t format_row(const step_row *row, char *out)
{
    int at = 0;
    for (int i = 0; i < COLUMNS; i++) {
        const char *value = (const char *)row + columns[i].offset;
        if (i > 0) out[at++] = ',';
        if (columns[i].whole)
            at += snprintf(out + at, ROW_SIZE - (size_t)at, "%" PRId64, *(const int64_t *)value);
        else
            at += number_write_double(out + at, *(const double *)value);
    }
    out[at++] = '\n';
    out[at] = 0;
    return (size_t)at;
}

/* Reads a number and the separator behind it; false when either is wrong. */
static bool read_real(const char **at, const char *end, char separator, double *value)
{
    number_status status = number_read_double(at, end, value);
    return status != NUMBER_MISSING && status != NUMBER_OVERFLOW && *at < end &&
           *(*at)++ == separator;
}

static bool read_whole(const char **at, const char *end, char separator, int64_t *value)
{
    return number_read_int(at, end, value) == NUMBER_OK && *at < end && *(*at)++ == separator;
}

/* `end` is behind the newline. Reals of columns that the file lacks are NaN, counts 0. */
static bool parse_row(const char *at, const char *end, const layout *l, step_row *r)
{
    for (int i = 0; i < COLUMNS; i++) {
        char *value = (char *)r + columns[i].offset;
        if (columns[i].whole)
            *(int64_t *)value = 0;
        else
            *(double *)value = NAN;
    }
    for (int i = 0; i < l->count; i++) {
        const column *c = &columns[l->column[i]];
        char *value = (char *)r + c->offset, separator = i + 1 < l->count ? ',' : '\n';
        if (!(c->whole ? read_whole(&at, end, separator, (int64_t *)value)
                       : read_real(&at, end, separator, (double *)value)))
            return false;
    }
    return at == end;
}

static int find_column(const char *name, size_t length)
{
    name = table_name_now(name, &length);
    for (int i = 0; i < COLUMNS; i++)
        if (strlen(columns[i].name) == length && memcmp(columns[i].name, name, length) == 0)
            return i;
    return COLUMNS;
}

/* `end` is at the newline. */
static abut_status parse_header(const char *path, const char *at, const char *end, layout *l,
                                abut_error *err)
{
    bool seen[COLUMNS + 1] = {0};
    l->count = 0;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        int length = (int)((comma ? comma : end) - at);
        int found = find_column(at, (size_t)length);
        if (found == COLUMNS)
            return error_set(err, ABUT_ERROR_INPUT, path,
                             "line 1: '%.*s' is no column of a steps.csv of this version of abut",
                             length < 40 ? length : 40, at);
        if (seen[found])
            return error_set(err, ABUT_ERROR_INPUT, path, "line 1: the column '%s' is there twice",
                             columns[found].name);
        seen[found] = true;
        l->column[l->count++] = found;
        at += length + (comma != NULL);
    }
    for (int i = 0; i < REQUIRED; i++)
        if (!seen[i])
            return error_set(err, ABUT_ERROR_INPUT, path, "line 1: there is no column '%s'",
                             columns[i].name);
    return ABUT_OK;
}

static abut_status read_rows(const char *path, const file_bytes *bytes, step_row **rows,
                             size_t *count, abut_error *err)
{
    ARRAY(step_row) list = {0};
    layout l;
    const char *end = bytes->size ? memchr(bytes->data, '\n', bytes->size) : NULL;
    if (!end) return error_set(err, ABUT_ERROR_INPUT, path, "line 1: has no end");
    TRY(parse_header(path, bytes->data, end, &l, err));
    size_t at = (size_t)(end - bytes->data) + 1;
    abut_status status = ABUT_OK;
    for (size_t line = 2; status == ABUT_OK && at < bytes->size; line++) {
        end = memchr(bytes->data + at, '\n', bytes->size - at);
        if (!end) break; /* unfinished */
        step_row row;
        if (!parse_row(bytes->data + at, end + 1, &l, &row))
            status = error_set(err, ABUT_ERROR_INPUT, path,
                               "line %zu: is not a row of %d numbers separated by commas", line,
                               l.count);
        else if (!array_push(&list, row))
            status = error_memory(err, "reading steps.csv");
        at = (size_t)(end - bytes->data) + 1;
    }
    if (status != ABUT_OK) array_free(&list);
    *rows = list.data;
    *count = list.count;
    return status;
}

abut_status table_read(const char *path, step_row **rows, size_t *count, abut_error *err)
{
    file_bytes bytes;
    *rows = NULL;
    *count = 0;
    TRY(file_read(path, &bytes, err));
    abut_status status = read_rows(path, &bytes, rows, count, err);
    file_free(&bytes);
    return status;
}

/* Replaces the file by the present header and the rows up to last_step, character for character. */
static abut_status cut_file(const char *path, int64_t last_step, abut_error *err)
{
    step_row *rows;
    size_t count;
    TRY(table_read(path, &rows, &count, err));
    atomic_file file;
    abut_status status = atomic_open(&file, path, err);
    if (status == ABUT_OK) {
        char text[ROW_SIZE];
        format_header(text);
        fputs(text, file.stream);
        for (size_t i = 0; i < count && rows[i].step <= last_step; i++) {
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
    char header[ROW_SIZE];
    memset(table, 0, sizeof *table);
    if (last_step >= 0 && file_exists(path))
        TRY(cut_file(path, last_step, err));
    else
        TRY(atomic_write(path, header, format_header(header), err));
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
    size_t length = format_row(row, text);
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
