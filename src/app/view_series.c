#include "app/view_series.h"

#include "app/view_source.h"
#include "base/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Per answer: enough for a small run at once, a few tenths of a second for a large one. */
enum { POINTS_PER_ANSWER = 1000000, FRAMES_PER_ANSWER = 100 };
enum { SAMPLES_PER_FRAME = 2048, MAX_NAMES = 16 };

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t stamp_of(const view_source *s, size_t count)
{
    uint64_t stamp = 1;
    for (size_t i = 0; i < count; i++) {
        stamp = mix(stamp, (uint64_t)s->entries.data[i].step);
        stamp = mix(stamp, (uint64_t)s->entries.data[i].version);
    }
    return stamp;
}

/* What the page shows of a vector. */
static double shown_value(const float *v, int components, int component)
{
    if (components == 1) return v[0];
    if (component >= 0) return component < components ? v[component] : NAN;
    double sum = 0.0;
    for (int k = 0; k < components; k++) sum += (double)v[k] * v[k];
    return sqrt(sum);
}

/* ---- the range of a field ---- */

static void scan_restart(field_scan *scan)
{
    scan->done = 0;
    scan->stamp = stamp_of(NULL, 0);
    scan->low = INFINITY;
    scan->high = -INFINITY;
    array_clear(&scan->samples);
}

static field_scan *find_scan(view_source *s, const char *field, int component)
{
    view_scans *all = &s->scans;
    for (size_t i = 0; i < SCAN_COUNT; i++)
        if (strcmp(all->scan[i].field, field) == 0 && all->scan[i].component == component)
            return &all->scan[i];
    field_scan *scan = &all->scan[all->next++ % SCAN_COUNT];
    snprintf(scan->field, sizeof scan->field, "%s", field);
    scan->component = component;
    scan_restart(scan);
    return scan;
}

static bool scan_add(field_scan *scan, const float_values *values, int components)
{
    size_t count = values->count / (size_t)components;
    size_t stride = count / SAMPLES_PER_FRAME + 1;
    for (size_t i = 0; i < count; i++) {
        double value =
            shown_value(values->data + i * (size_t)components, components, scan->component);
        if (!isfinite(value)) continue;
        scan->low = fmin(scan->low, value);
        scan->high = fmax(scan->high, value);
        if (i % stride == 0 && !array_push(&scan->samples, (float)value)) return false;
    }
    return true;
}

static abut_status scan_frame(view_source *s, field_scan *scan, size_t *work, abut_error *err)
{
    stored_frame f;
    float_values values = {0};
    int components = 1;
    abut_status status = view_source_read(s, s->entries.data[scan->done].step,
                                          (const char *const[]){scan->field}, 1, &f, NULL);
    if (status == ABUT_OK) { /* a frame that cannot be read now has no values */
        *work += f.frame.point_count;
        bool have = view_field_values(&s->surface, &f.frame, scan->field, &components, &values);
        if (have ? !scan_add(scan, &values, components) : components > 0)
            status = error_memory(err, "looking for a range");
        stored_frame_free(&f);
    } else {
        status = ABUT_OK;
    }
    array_free(&values);
    scan->done++;
    return status;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double percentile(const float_values *sorted, double part)
{
    size_t at = (size_t)(part * (double)sorted->count);
    return sorted->count == 0 ? 0.0 : sorted->data[at < sorted->count ? at : sorted->count - 1];
}

static abut_status write_text(json_t *value, char **text, abut_error *err)
{
    *text = json_text(value, JSON_COMPACT);
    json_decref(value);
    return *text ? ABUT_OK : error_memory(err, "describing a run");
}

abut_status view_source_range(view_source *s, const char *field, const char *component, char **text,
                              abut_error *err)
{
    *text = NULL;
    if (strlen(field) >= SCAN_NAME_SIZE)
        return error_set(err, ABUT_ERROR_INPUT, "field", "the name is too long");
    bool part = component && component[0] >= '0' && component[0] <= '2' && component[1] == 0;
    TRY(view_source_look(s, err));
    field_scan *scan = find_scan(s, field, part ? component[0] - '0' : -1);
    if (scan->done > s->entries.count || stamp_of(s, scan->done) != scan->stamp) scan_restart(scan);
    size_t work = 0, first = scan->done;
    while (scan->done < s->entries.count && work < POINTS_PER_ANSWER &&
           scan->done - first < FRAMES_PER_ANSWER)
        TRY(scan_frame(s, scan, &work, err));
    scan->stamp = stamp_of(s, scan->done);
    if (scan->samples.count > 0)
        qsort(scan->samples.data, scan->samples.count, sizeof *scan->samples.data, compare_floats);
    bool any = scan->high >= scan->low;
    return write_text(json_pack("{s:I,s:I,s:f,s:f,s:f,s:f}", "done", (json_int_t)scan->done,
                                "frames", (json_int_t)s->entries.count, "low",
                                any ? scan->low : 0.0, "high", any ? scan->high : 0.0, "p2",
                                percentile(&scan->samples, 0.02), "p98",
                                percentile(&scan->samples, 0.98)),
                      text, err);
}

void view_scans_free(view_scans *scans)
{
    for (size_t i = 0; i < SCAN_COUNT; i++) array_free(&scans->scan[i].samples);
}

/* ---- one point over time ---- */

typedef struct point_query {
    size_t point;
    const char *topology;
    const char *names[MAX_NAMES];
    size_t name_count;
} point_query;

static void add_number(json_t *row, double value)
{
    json_array_append_new(row, isfinite(value) ? json_real(value) : json_null());
}

static void add_row(const view_source *s, const frame *f, const point_query *q, json_t *rows)
{
    if (q->point >= s->surface.points.count || strcmp(s->surface.id, q->topology) != 0) return;
    vec3 p = f->points[s->surface.points.data[q->point]];
    json_t *row = json_pack("[I,f]", (json_int_t)f->step, isfinite(f->time) ? f->time : 0.0);
    for (int k = 0; k < 3; k++) add_number(row, vec3_get(p, k));
    for (size_t i = 0; i < q->name_count; i++) {
        float_values values = {0};
        int n = 1;
        bool have = view_field_values(&s->surface, f, q->names[i], &n, &values);
        add_number(row, have ? shown_value(values.data + q->point * (size_t)n, n, -1) : NAN);
        array_free(&values);
    }
    json_array_append_new(rows, row);
}

abut_status view_source_history(view_source *s, size_t point, const char *topology,
                                const char *fields, size_t from, char **text, abut_error *err)
{
    char names[512], *rest = NULL;
    point_query q = {.point = point, .topology = topology};
    *text = NULL;
    snprintf(names, sizeof names, "%s", fields ? fields : "");
    for (char *name = strtok_r(names, ",", &rest); name && q.name_count < MAX_NAMES;
         name = strtok_r(NULL, ",", &rest))
        q.names[q.name_count++] = name;
    TRY(view_source_look(s, err));
    json_t *rows = json_array();
    size_t at = from, work = 0;
    while (at < s->entries.count && work < POINTS_PER_ANSWER && at - from < FRAMES_PER_ANSWER) {
        stored_frame f;
        if (view_source_read(s, s->entries.data[at++].step, q.names, q.name_count, &f, NULL) !=
            ABUT_OK)
            continue;
        work += f.frame.point_count;
        add_row(s, &f.frame, &q, rows);
        stored_frame_free(&f);
    }
    return write_text(json_pack("{s:o,s:I}", "rows", rows, "next", (json_int_t)at), text, err);
}
