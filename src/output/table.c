#include "output/table.h"

#include "base/array.h"
#include "base/file.h"
#include "base/number.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const char header[] =
    "step,time,wall_s,newton_iters,friction_iters,contacts,min_distance,kappa,kinetic,elastic,"
    "gravity,contact,linear_momentum_x,linear_momentum_y,linear_momentum_z,angular_momentum_x,"
    "angular_momentum_y,angular_momentum_z,max_stretch,mean_stretch,min_stretch,"
    "mean_compression,potential,unknowns,splits,collapses,swaps,smoothings,friction_unsettled\n";

enum { REAL_COUNT = 25, ROW_SIZE = (REAL_COUNT + 4) * NUMBER_TEXT_SIZE };

static abut_status io_error(abut_error *err, const char *path, const char *what)
{
    return error_set(err, ABUT_ERROR_IO, path, "%s: %s", what, strerror(errno));
}

/* The columns of real numbers: time and wall_s, and those after the counts. */
static void list_reals(step_row *r, double *reals[REAL_COUNT])
{
    double *list[REAL_COUNT] = {&r->time,
                                &r->wall_s,
                                &r->min_distance,
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
                                &r->angular_momentum.z,
                                &r->max_stretch,
                                &r->mean_stretch,
                                &r->min_stretch,
                                &r->mean_compression,
                                &r->potential,
                                &r->unknowns,
                                &r->splits,
                                &r->collapses,
                                &r->swaps,
                                &r->smoothings,
                                &r->friction_unsettled};
    memcpy(reals, list, sizeof list);
}

/* Without regard to the locale, and each number so that it reads back to the same bits. */
static size_t format_row(const step_row *row, char *out)
{
    step_row r = *row;
    double *reals[REAL_COUNT];
    list_reals(&r, reals);
    int at = snprintf(out, ROW_SIZE, "%" PRId64, r.step);
    for (int i = 0; i < REAL_COUNT; i++) {
        if (i == 2)
            at += snprintf(out + at, ROW_SIZE - (size_t)at, ",%" PRId64 ",%" PRId64 ",%" PRId64,
                           r.newton_iters, r.friction_iters, r.contacts);
        out[at++] = ',';
        at += number_write_double(out + at, *reals[i]);
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

static bool read_whole(const char **at, const char *end, int64_t *value)
{
    return number_read_int(at, end, value) == NUMBER_OK && *at < end && *(*at)++ == ',';
}

/* `end` is behind the newline. */
static bool parse_row(const char *at, const char *end, step_row *r)
{
    double *reals[REAL_COUNT];
    list_reals(r, reals);
    if (!read_whole(&at, end, &r->step)) return false;
    for (int i = 0; i < REAL_COUNT; i++) {
        if (i == 2 &&
            (!read_whole(&at, end, &r->newton_iters) || !read_whole(&at, end, &r->friction_iters) ||
             !read_whole(&at, end, &r->contacts)))
            return false;
        if (!read_real(&at, end, i + 1 < REAL_COUNT ? ',' : '\n', reals[i])) return false;
    }
    return at == end;
}

static abut_status read_rows(const char *path, const file_bytes *bytes, step_row **rows,
                             size_t *count, abut_error *err)
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
        step_row row;
        if (!parse_row(bytes->data + at, end + 1, &row))
            status = error_set(err, ABUT_ERROR_INPUT, path,
                               "line %zu: is not a row of 29 numbers separated by commas", line);
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
