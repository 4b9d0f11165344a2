#include "gradient/optimize_files.h"

#include "base/file.h"
#include "base/number.h"
#include "gradient/evaluations.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 20 }; /* of values in history.csv: more are in best.csv only */

static bool append(optimization *o, const char *format, ...)
{
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t n = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    size_t before = o->history.count;
    if (length < 0 || !array_resize(&o->history, before + n)) return false;
    memcpy(o->history.data + before, text, n);
    return true;
}

static bool append_number(optimization *o, double value)
{
    char text[NUMBER_TEXT_SIZE];
    number_write_double(text, value);
    return append(o, ",%s", text);
}

static const parameter *parameter_of(const optimization *o, size_t scalar, size_t *index)
{
    const parameter *p = o->gradient->parameters.data;
    while (scalar >= p->first + p->count) p++;
    *index = scalar - p->first;
    return p;
}

static abut_status begin_history(optimization *o, abut_error *err)
{
    bool ok = append(o, "evaluation,objective,best,slope,failure");
    for (size_t i = 0; ok && i < o->n && i < MOST_COLUMNS; i++) {
        size_t index;
        const parameter *p = parameter_of(o, i, &index);
        ok = p->count == 1 ? append(o, ",%s", p->name)
                           : append(o, ",%s of %s %zu", p->row->name, p->name, index);
    }
    return ok && append(o, "\n") ? ABUT_OK : error_memory(err, "writing the history");
}

abut_status optimize_open(optimization *o, abut_error *err)
{
    char folder[4200];
    snprintf(folder, sizeof folder, "%s/evaluations", o->folder);
    TRY(directory_create(folder, err));
    if (!o->options->resume) evaluations_clear(o->folder);
    atomic_remove_leftovers(folder);
    return begin_history(o, err);
}

/* All values of the best point, one per line. */
static abut_status write_values(const optimization *o, abut_error *err)
{
    char path[4200], text[NUMBER_TEXT_SIZE];
    atomic_file file;
    snprintf(path, sizeof path, "%s/best.csv", o->folder);
    TRY(atomic_open(&file, path, err));
    fprintf(file.stream, "parameter,name,index,value\n");
    for (size_t i = 0; i < o->n; i++) {
        size_t index;
        const parameter *p = parameter_of(o, i, &index);
        number_write_double(text, o->best_point[i]);
        fprintf(file.stream, "%s,%s,%zu,%s\n", p->row->name, p->name, index, text);
    }
    return atomic_commit(&file, err);
}

static abut_status write_best(const optimization *o, abut_error *err)
{
    char path[4200];
    char *text = session_scene(o->gradient, o->best_point);
    if (!text) return error_memory(err, "writing the best scene");
    snprintf(path, sizeof path, "%s/best.json", o->folder);
    abut_status status = atomic_write(path, text, strlen(text), err);
    free(text);
    return status == ABUT_OK ? write_values(o, err) : status;
}

abut_status optimize_write(optimization *o, const optimize_report *r, abut_error *err)
{
    char path[4200];
    bool ok = append(o, "%d", r->evaluation) &&
              (r->failure ? append(o, ",") : append_number(o, r->value)) &&
              append_number(o, r->best) && append_number(o, r->slope) &&
              append(o, ",%s", r->failure ? r->failure_word : "");
    for (size_t i = 0; ok && i < o->n && i < MOST_COLUMNS; i++) ok = append_number(o, o->point[i]);
    if (!ok || !append(o, "\n")) return error_memory(err, "writing the history");
    snprintf(path, sizeof path, "%s/history.csv", o->folder);
    TRY(atomic_write(path, o->history.data, o->history.count, err));
    return !r->failure && r->value == r->best ? write_best(o, err) : ABUT_OK;
}

void optimize_close(optimization *o) { array_free(&o->history); }
