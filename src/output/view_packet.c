#include "output/view_packet.h"
#include "base/json_text.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the surface ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t mix_ints(uint64_t hash, const int32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) hash = mix(hash, (uint32_t)values[i]);
    return hash;
}

static const int32_t *point_bodies(const frame *f)
{
    const frame_field *body = frame_find(f, FRAME_POINTS, FIELD_BODY);
    return body && body->ints && body->components == 1 ? body->ints : NULL;
}

static void identify(const frame *f, char id[VIEW_ID_SIZE])
{
    uint64_t hash = mix(1, f->point_count);
    for (size_t b = 0; b < f->block_count; b++) {
        const cell_block *block = &f->blocks[b];
        hash = mix(hash, (uint64_t)block->kind << 32 | (uint32_t)block->nodes_per_cell);
        hash = mix_ints(hash, block->nodes, block->count * (size_t)block->nodes_per_cell);
    }
    if (point_bodies(f)) hash = mix_ints(hash, point_bodies(f), f->point_count);
    snprintf(id, VIEW_ID_SIZE, "%016" PRIx64, hash);
}

/* Numbers the points that can be seen. */
static bool number_points(view_surface *s, size_t point_count)
{
    if (!array_resize(&s->index_of, point_count)) return false;
    int32_t *index = s->index_of.data;
    memset(index, 0, point_count * sizeof *index);
    for (size_t i = 0; i < s->surface.triangles.count; i++)
        for (int k = 0; k < 3; k++) index[s->surface.triangles.data[i].nodes[k]] = 1;
    for (size_t i = 0; i < s->surface.lines.count; i++)
        for (int k = 0; k < 2; k++) index[s->surface.lines.data[i].nodes[k]] = 1;
    for (size_t i = 0; i < s->surface.points.count; i++) index[s->surface.points.data[i].node] = 1;
    array_clear(&s->points);
    for (size_t i = 0; i < point_count; i++) {
        bool seen = index[i] == 1;
        index[i] = seen ? (int32_t)s->points.count : -1;
        if (seen && !array_push(&s->points, (int32_t)i)) return false;
    }
    return true;
}

static bool note_bodies(view_surface *s, const frame *f)
{
    const int32_t *body = point_bodies(f);
    if (!array_resize(&s->bodies, s->points.count)) return false;
    for (size_t i = 0; i < s->points.count; i++)
        s->bodies.data[i] = body ? body[s->points.data[i]] : 0;
    return true;
}

abut_status view_surface_update(view_surface *s, const frame *f, abut_error *err)
{
    char id[VIEW_ID_SIZE];
    identify(f, id);
    if (strcmp(id, s->id) == 0) return ABUT_OK;
    s->id[0] = 0;
    TRY(surface_extract(&s->surface, f, err));
    if (!number_points(s, f->point_count) || !note_bodies(s, f))
        return error_memory(err, "preparing a frame");
    memcpy(s->id, id, sizeof id);
    return ABUT_OK;
}

void view_surface_free(view_surface *s)
{
    surface_free(&s->surface);
    array_free(&s->points);
    array_free(&s->index_of);
    array_free(&s->bodies);
    s->id[0] = 0;
}

/* ---- packets ---- */

typedef struct packet_writer {
    json_t *header, *arrays;
    ARRAY(unsigned char) data;
    bool failed;
} packet_writer;

static void writer_start(packet_writer *w)
{
    memset(w, 0, sizeof *w);
    w->header = json_object();
    w->arrays = json_array();
    w->failed = !w->header || !w->arrays;
}

static void writer_set(packet_writer *w, const char *name, json_t *value)
{
    if (json_object_set_new(w->header, name, value) != 0) w->failed = true;
}

/* Lists an array that begins at the end of the data. */
static void list_array(packet_writer *w, const char *name, const char *type, size_t components,
                       size_t count)
{
    size_t offset = w->data.count;
    json_t *item =
        json_pack("{s:s,s:s,s:I,s:I,s:I}", "name", name, "type", type, "components",
                  (json_int_t)components, "count", (json_int_t)count, "offset", (json_int_t)offset);
    if (json_array_append_new(w->arrays, item) != 0) w->failed = true;
}

/* Room for an array of numbers of 4 bytes; NULL when out of memory. */
static void *writer_add(packet_writer *w, const char *name, const char *type, size_t components,
                        size_t count)
{
    size_t offset = w->data.count, bytes = 4 * components * count;
    if (w->failed || !array_reserve(&w->data, offset + bytes + 4)) {
        w->failed = true;
        return NULL;
    }
    list_array(w, name, type, components, count);
    w->data.count = offset + bytes;
    return w->data.data + offset;
}

static bool assemble(const packet_writer *w, const char *header, packet *out)
{
    size_t length = strlen(header), padded = (length + 3) / 4 * 4;
    uint32_t length32 = (uint32_t)padded;
    out->size = 8 + padded + w->data.count;
    out->bytes = mem_alloc(out->size, 1);
    if (!out->bytes) return false;
    memcpy(out->bytes, "ABUT", 4);
    memcpy(out->bytes + 4, &length32, 4);
    memcpy(out->bytes + 8, header, length);
    memset(out->bytes + 8 + length, ' ', padded - length);
    if (w->data.count > 0) memcpy(out->bytes + 8 + padded, w->data.data, w->data.count);
    return true;
}

static abut_status writer_finish(packet_writer *w, packet *out, abut_error *err)
{
    char *header = NULL;
    *out = (packet){0};
    if (json_object_set(w->header, "arrays", w->arrays) != 0) w->failed = true;
    if (!w->failed) header = json_text(w->header, JSON_COMPACT);
    bool good = header && assemble(w, header, out);
    free(header);
    json_decref(w->header);
    json_decref(w->arrays);
    array_free(&w->data);
    return good ? ABUT_OK : error_memory(err, "preparing a frame");
}

/* ---- topology ---- */

static void add_bodies(packet_writer *w, const view_surface *s)
{
    int32_t *out = writer_add(w, "body", "i32", 1, s->points.count);
    if (out && s->points.count > 0) memcpy(out, s->bodies.data, s->points.count * sizeof *out);
}

static void add_cells(packet_writer *w, const view_surface *s)
{
    const int32_t *index = s->index_of.data;
    size_t triangles = s->surface.triangles.count, lines = s->surface.lines.count;
    int32_t *out = writer_add(w, "triangles", "i32", 3, triangles);
    for (size_t i = 0; out && i < triangles; i++)
        for (int k = 0; k < 3; k++) *out++ = index[s->surface.triangles.data[i].nodes[k]];
    out = writer_add(w, "hidden", "i32", 1, triangles);
    for (size_t i = 0; out && i < triangles; i++) out[i] = s->surface.triangles.data[i].hidden;
    out = writer_add(w, "lines", "i32", 2, lines);
    for (size_t i = 0; out && i < lines; i++)
        for (int k = 0; k < 2; k++) *out++ = index[s->surface.lines.data[i].nodes[k]];
    out = writer_add(w, "dots", "i32", 1, s->surface.points.count);
    for (size_t i = 0; out && i < s->surface.points.count; i++)
        out[i] = index[s->surface.points.data[i].node];
}

abut_status view_topology_packet(const view_surface *s, packet *out, abut_error *err)
{
    packet_writer w;
    writer_start(&w);
    writer_set(&w, "kind", json_string("topology"));
    writer_set(&w, "topology", json_string(s->id));
    add_bodies(&w, s);
    add_cells(&w, s);
    return writer_finish(&w, out, err);
}

/* ---- frames ---- */

static double number_or_zero(double value) { return isfinite(value) ? value : 0.0; }

typedef struct bounds {
    vec3 low, high;
} bounds;

static bounds find_bounds(const view_surface *s, const frame *f, vec3 origin)
{
    bounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < s->points.count; i++) {
        vec3 p = vec3_sub(f->points[s->points.data[i]], origin);
        b.low = vec3_min(b.low, p);
        b.high = vec3_max(b.high, p);
    }
    return b;
}

static void set_box(packet_writer *w, const char *name, vec3 low, vec3 high)
{
    json_t *list = json_array();
    for (int k = 0; k < 6; k++)
        json_array_append_new(
            list, json_real(number_or_zero(k < 3 ? vec3_get(low, k) : vec3_get(high, k - 3))));
    writer_set(w, name, list);
}

static void add_points(packet_writer *w, const view_surface *s, const frame *f, vec3 origin)
{
    float *out = writer_add(w, "points", "f32", 3, s->points.count);
    for (size_t i = 0; out && i < s->points.count; i++)
        for (int k = 0; k < 3; k++)
            *out++ = (float)(vec3_get(f->points[s->points.data[i]], k) - vec3_get(origin, k));
}

static const grid_points *place_points(const view_surface *s, const frame *f, vec3 origin, bounds b,
                                       const view_request *request, const grid_points **before)
{
    size_t count = s->points.count;
    vec3 *points = mem_alloc(count + 1, sizeof *points);
    if (!points) return NULL;
    for (size_t i = 0; i < count; i++) points[i] = vec3_sub(f->points[s->points.data[i]], origin);
    const grid_points *now = grid_place(request->grids, strtoull(s->id, NULL, 16), points, count,
                                        b.low, b.high, request->base, before);
    mem_free(points);
    return now;
}

static void add_grid_points(packet_writer *w, const grid_points *now, const grid_points *before)
{
    grid_bytes bytes = {0};
    size_t offset = w->data.count;
    bool good = !w->failed && grid_pack(now, before, &bytes) &&
                array_reserve(&w->data, offset + bytes.count + 1);
    if (good) {
        set_box(w, "grid", now->low, now->high);
        writer_set(w, "sent", json_integer((json_int_t)now->id));
        if (before) writer_set(w, "base", json_integer((json_int_t)before->id));
        list_array(w, "points", "grid", 3, now->count);
        if (bytes.count > 0) memcpy(w->data.data + offset, bytes.data, bytes.count);
        w->data.count = offset + bytes.count;
    } else {
        w->failed = true;
    }
    array_free(&bytes);
}

static double field_component(const frame_field *field, size_t index)
{
    return field->ints ? field->ints[index] : field->doubles[index];
}

static void point_values(const view_surface *s, const frame_field *field, float *out)
{
    size_t n = (size_t)field->components;
    for (size_t i = 0; i < s->points.count; i++)
        for (size_t k = 0; k < n; k++)
            *out++ = (float)field_component(field, n * (size_t)s->points.data[i] + k);
}

/* Means over the cells around each point; sums has room for the components and a count. */
static void cell_values(const view_surface *s, const frame *f, const frame_field *field,
                        double *sums, float *out)
{
    size_t n = (size_t)field->components, count = s->points.count, cell = 0;
    for (size_t b = 0; b < f->block_count; b++) {
        const cell_block *block = &f->blocks[b];
        size_t nodes = (size_t)block->nodes_per_cell;
        for (size_t i = 0; i < block->count; i++, cell++)
            for (size_t k = 0; k < nodes; k++) {
                int32_t index = s->index_of.data[block->nodes[i * nodes + k]];
                if (index < 0) continue;
                double *sum = sums + (size_t)index * (n + 1);
                for (size_t c = 0; c < n; c++) sum[c] += field_component(field, n * cell + c);
                sum[n] += 1.0;
            }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < n; c++)
            out[n * i + c] = (float)(sums[i * (n + 1) + c] / fmax(1.0, sums[i * (n + 1) + n]));
}

bool view_field_values(const view_surface *s, const frame *f, const char *name, int *components,
                       float_values *out)
{
    *components = 0;
    const frame_field *field = frame_find(f, FRAME_POINTS, name);
    bool cells = !field && (field = frame_find(f, FRAME_CELLS, name));
    if (!field || (!field->doubles && !field->ints)) return false;
    size_t n = (size_t)field->components, count = s->points.count;
    *components = field->components;
    if (!array_resize(out, n * count + 1)) return false;
    out->count = n * count;
    if (!cells) {
        point_values(s, field, out->data);
        return true;
    }
    double *sums = mem_calloc(count * (n + 1) + 1, sizeof *sums);
    if (sums) cell_values(s, f, field, sums, out->data);
    mem_free(sums);
    return sums != NULL;
}

static void add_field(packet_writer *w, const view_surface *s, const frame *f, const char *name)
{
    float_values values = {0};
    int components = 0;
    if (view_field_values(s, f, name, &components, &values)) {
        float *out = writer_add(w, name, "f32", (size_t)components, s->points.count);
        if (out && values.count > 0) memcpy(out, values.data, values.count * sizeof *out);
    } else if (components > 0) {
        w->failed = true;
    }
    array_free(&values);
}

static void list_fields(packet_writer *w, const frame *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->field_count; i++)
        json_array_append_new(list, json_pack("{s:s,s:i}", "name", f->fields[i].name, "components",
                                              f->fields[i].components));
    writer_set(w, "fields", list);
}

abut_status view_frame_packet(const view_surface *s, const frame *f, vec3 origin,
                              const view_request *request, packet *out, abut_error *err)
{
    packet_writer w;
    bounds b = find_bounds(s, f, origin);
    writer_start(&w);
    writer_set(&w, "kind", json_string("frame"));
    writer_set(&w, "topology", json_string(s->id));
    writer_set(&w, "step", json_integer(f->step));
    writer_set(&w, "time", json_real(number_or_zero(f->time)));
    writer_set(&w, "origin", json_pack("[f,f,f]", origin.x, origin.y, origin.z));
    list_fields(&w, f);
    set_box(&w, "bounds", b.low, b.high);
    for (size_t i = 0; i < request->field_count; i++) add_field(&w, s, f, request->fields[i]);
    const grid_points *before, *now = NULL;
    if (request->grids) now = place_points(s, f, origin, b, request, &before);
    if (now)
        add_grid_points(&w, now, before);
    else if (request->grids)
        w.failed = true;
    else
        add_points(&w, s, f, origin);
    return writer_finish(&w, out, err);
}
