#include "output/gltf.h"

#include "base/array.h"
#include "base/file.h"
#include "base/json_text.h"
#include "mesh/topology.h"
#include "output/color.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of the format. */
enum {
    COMPONENT_UINT = 5125,
    COMPONENT_FLOAT = 5126,
    TARGET_VERTICES = 34962,
    TARGET_INDICES = 34963,
    MODE_POINTS = 0,
    MODE_LINES = 1,
    MODE_TRIANGLES = 4
};

typedef struct writer {
    const body_poses *poses;
    ARRAY(char) data; /* the buffer */
    json_t *views, *accessors, *meshes, *nodes, *materials, *samplers, *channels;
    ARRAY(int32_t) local; /* number of a point within its body */
    int all_times;        /* accessor of the times of all frames; -1: none yet */
    gltf_report report;
    bool out_of_memory;
} writer;

static void put(writer *w, const void *bytes, size_t size)
{
    size_t at = w->data.count;
    if (!array_resize(&w->data, at + size))
        w->out_of_memory = true;
    else
        memcpy(w->data.data + at, bytes, size);
}

static void put_float(writer *w, double x)
{
    float narrow = (float)x;
    put(w, &narrow, sizeof narrow);
}

/* Describes what was put since `begin`; returns the number of the accessor. */
static int add_accessor(writer *w, size_t begin, int target, int component, size_t count,
                        const char *type)
{
    json_t *view = json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)begin,
                             "byteLength", (json_int_t)(w->data.count - begin));
    if (target) json_object_set_new(view, "target", json_integer(target));
    json_array_append_new(w->views, view);
    json_array_append_new(w->accessors,
                          json_pack("{s:I, s:i, s:I, s:s}", "bufferView",
                                    (json_int_t)json_array_size(w->views) - 1, "componentType",
                                    component, "count", (json_int_t)count, "type", type));
    return (int)json_array_size(w->accessors) - 1;
}

static void set_bounds(writer *w, int accessor, json_t *low, json_t *high)
{
    json_t *a = json_array_get(w->accessors, (size_t)accessor);
    json_object_set_new(a, "min", low);
    json_object_set_new(a, "max", high);
}

static json_t *float_list(const double *x, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_real((double)(float)x[i]));
    return list;
}

/* --- Meshes --- */

/* Positions from the centre of the body; bounds are those of the rounded numbers. */
static int add_positions(writer *w, size_t body)
{
    const body_poses *p = w->poses;
    size_t begin = w->data.count, count = 0;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < p->first.frame.point_count; i++) {
        if (p->body[i] != (int32_t)body) continue;
        double x[3];
        vec3_store(x, vec3_sub(p->first.points[i], p->tracks[body].poses[0].center));
        w->local.data[i] = (int32_t)count++;
        for (int k = 0; k < 3; k++) {
            put_float(w, x[k]);
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
    }
    int accessor = add_accessor(w, begin, TARGET_VERTICES, COMPONENT_FLOAT, count, "VEC3");
    set_bounds(w, accessor, float_list(low, 3), float_list(high, 3));
    return accessor;
}

/* The shapes of a body in all frames but the first, as differences from it, for all its primitives.
 */
static json_t *add_shapes(writer *w, size_t body)
{
    const body_poses *p = w->poses;
    json_t *targets = json_array();
    size_t points = p->first.frame.point_count;
    for (size_t f = 1; f < p->frame_count && !w->out_of_memory; f++) {
        size_t begin = w->data.count, count = 0;
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (size_t i = 0; i < points; i++) {
            if (p->body[i] != (int32_t)body) continue;
            for (int k = 0; k < 3; k++) {
                double d = (double)p->places[f * points + i][k] - (double)p->places[i][k];
                put_float(w, d);
                low[k] = fmin(low[k], d);
                high[k] = fmax(high[k], d);
            }
            count++;
        }
        int accessor = add_accessor(w, begin, TARGET_VERTICES, COMPONENT_FLOAT, count, "VEC3");
        set_bounds(w, accessor, float_list(low, 3), float_list(high, 3));
        json_array_append_new(targets, json_pack("{s:i}", "POSITION", accessor));
    }
    return targets;
}

static void add_primitive(writer *w, json_t *primitives, size_t body, int positions, int mode,
                          const int32_t *nodes, size_t count, size_t width)
{
    size_t begin = w->data.count, written = 0;
    for (size_t i = 0; i < count; i++) {
        if (w->poses->body[nodes[i * width]] != (int32_t)body) continue;
        for (size_t k = 0; k < width; k++)
            put(w, &w->local.data[nodes[i * width + k]], sizeof(int32_t));
        written += width;
    }
    if (written == 0) return;
    int indices = add_accessor(w, begin, TARGET_INDICES, COMPONENT_UINT, written, "SCALAR");
    json_array_append_new(primitives,
                          json_pack("{s:{s:i}, s:i, s:i, s:I}", "attributes", "POSITION", positions,
                                    "indices", indices, "mode", mode, "material",
                                    (json_int_t)json_array_size(w->materials) - 1));
}

static void add_material(writer *w, size_t body)
{
    color c = color_of_body((int)body);
    double rgb[3] = {c.r, c.g, c.b};
    for (int k = 0; k < 3; k++)
        rgb[k] = pow(rgb[k] / 255, 2.2); /* the format wants linear values */
    json_array_append_new(w->materials, json_pack("{s:{s:[f, f, f, f], s:f, s:f}, s:b}",
                                                  "pbrMetallicRoughness", "baseColorFactor", rgb[0],
                                                  rgb[1], rgb[2], 1.0, "metallicFactor", 0.1,
                                                  "roughnessFactor", 0.7, "doubleSided", 1));
}

static bool deforms(const writer *w, size_t body)
{
    return w->poses->frame_count > 1 && !body_track_is_rigid(&w->poses->tracks[body]);
}

/* Every primitive of a mesh has the same shapes, and none of them at first. */
static void share_shapes(writer *w, size_t body, json_t *own)
{
    json_t *targets = add_shapes(w, body), *weights = json_array(), *primitive;
    size_t i;
    json_array_foreach(json_object_get(own, "primitives"), i, primitive)
        json_object_set(primitive, "targets", targets);
    for (i = 0; i < json_array_size(targets); i++) json_array_append_new(weights, json_real(0));
    json_object_set_new(own, "weights", weights);
    json_decref(targets);
}

/* The number of the mesh, or -1 for a body without points. */
static int add_mesh(writer *w, size_t body, const surface_parts *parts)
{
    if (w->poses->tracks[body].point_count == 0) return -1;
    json_t *primitives = json_array();
    add_material(w, body);
    int positions = add_positions(w, body);
    add_primitive(w, primitives, body, positions, MODE_TRIANGLES, &parts->triangles[0][0],
                  parts->triangle_count, 3);
    size_t free_edges = parts->edge_count - parts->free_edge_first;
    if (free_edges > 0)
        add_primitive(w, primitives, body, positions, MODE_LINES,
                      &parts->edges[parts->free_edge_first][0], free_edges, 2);
    if (json_array_size(primitives) == 0)
        add_primitive(w, primitives, body, positions, MODE_POINTS, parts->points,
                      parts->point_count, 1);
    if (json_array_size(primitives) == 0) {
        json_decref(primitives);
        return -1;
    }
    json_t *own = json_pack("{s:o}", "primitives", primitives);
    if (deforms(w, body)) share_shapes(w, body, own);
    json_array_append_new(w->meshes, own);
    return (int)json_array_size(w->meshes) - 1;
}

/* --- Motion --- */

static double pose_difference(const body_track *t, size_t a, size_t b)
{
    const body_pose *p = &t->poses[a], *q = &t->poses[b];
    double dot = p->turn.w * q->turn.w + p->turn.x * q->turn.x + p->turn.y * q->turn.y +
                 p->turn.z * q->turn.z;
    double half2 = fmax(0, 1 - dot * dot); /* squared sine of half the angle */
    return vec3_norm(vec3_sub(p->center, q->center)) + 2 * sqrt(half2) * t->size;
}

/* Frames whose pose is not that of both neighbours: a body at rest costs two of them. */
static size_t choose_keys(const body_track *t, size_t frames, bool *keep)
{
    double small = 1e-6 * t->size;
    size_t kept = 0;
    for (size_t f = 0; f < frames; f++) {
        keep[f] = f == 0 || f + 1 == frames || pose_difference(t, f, f - 1) > small ||
                  pose_difference(t, f, f + 1) > small;
        kept += keep[f];
    }
    return kept;
}

static int add_times(writer *w, const bool *keep, size_t kept)
{
    const body_poses *p = w->poses;
    bool all = kept == p->frame_count;
    if (all && w->all_times >= 0) return w->all_times;
    size_t begin = w->data.count;
    for (size_t f = 0; f < p->frame_count; f++)
        if (keep[f]) put_float(w, p->times[f] - p->times[0]);
    int accessor = add_accessor(w, begin, 0, COMPONENT_FLOAT, kept, "SCALAR");
    double first = 0, last = p->times[p->frame_count - 1] - p->times[0];
    set_bounds(w, accessor, float_list(&first, 1), float_list(&last, 1));
    if (all) w->all_times = accessor;
    return accessor;
}

static void add_channel(writer *w, size_t node, int times, int values, const char *path)
{
    json_array_append_new(w->samplers, json_pack("{s:i, s:i, s:s}", "input", times, "output",
                                                 values, "interpolation", "LINEAR"));
    json_array_append_new(w->channels, json_pack("{s:I, s:{s:I, s:s}}", "sampler",
                                                 (json_int_t)json_array_size(w->samplers) - 1,
                                                 "target", "node", (json_int_t)node, "path", path));
}

static void add_motion(writer *w, size_t body, size_t node, bool *keep)
{
    const body_poses *p = w->poses;
    const body_track *t = &p->tracks[body];
    double farthest = 0;
    for (size_t f = 1; f < p->frame_count; f++) farthest = fmax(farthest, pose_difference(t, f, 0));
    if (!(farthest > 1e-6 * t->size)) return;
    size_t kept = choose_keys(t, p->frame_count, keep);
    int times = add_times(w, keep, kept);
    size_t begin = w->data.count;
    for (size_t f = 0; f < p->frame_count; f++) {
        if (!keep[f]) continue;
        put_float(w, t->poses[f].center.x);
        put_float(w, t->poses[f].center.y);
        put_float(w, t->poses[f].center.z);
    }
    add_channel(w, node, times, add_accessor(w, begin, 0, COMPONENT_FLOAT, kept, "VEC3"),
                "translation");
    begin = w->data.count;
    quaternion last = {1, 0, 0, 0};
    for (size_t f = 0; f < p->frame_count; f++) {
        if (!keep[f]) continue;
        quaternion q = t->poses[f].turn;
        /* Of the two that mean the same, the one on the shorter arc. */
        double dot = q.w * last.w + q.x * last.x + q.y * last.y + q.z * last.z;
        double sign = dot < 0 ? -1 : 1;
        last = (quaternion){sign * q.w, sign * q.x, sign * q.y, sign * q.z};
        put_float(w, last.x);
        put_float(w, last.y);
        put_float(w, last.z);
        put_float(w, last.w);
    }
    add_channel(w, node, times, add_accessor(w, begin, 0, COMPONENT_FLOAT, kept, "VEC4"),
                "rotation");
    w->report.moving++;
    w->report.keys += kept;
}

/* In frame f the shape of that frame counts fully and no other one. */
static void add_blending(writer *w, size_t node, bool *keep)
{
    size_t frames = w->poses->frame_count;
    for (size_t f = 0; f < frames; f++) keep[f] = true;
    int times = add_times(w, keep, frames);
    size_t begin = w->data.count;
    for (size_t f = 0; f < frames; f++)
        for (size_t s = 1; s < frames; s++) put_float(w, s == f);
    int values = add_accessor(w, begin, 0, COMPONENT_FLOAT, frames * (frames - 1), "SCALAR");
    add_channel(w, node, times, values, "weights");
}

static void add_body(writer *w, size_t body, const char *name, const surface_parts *parts,
                     bool *keep)
{
    const body_track *t = &w->poses->tracks[body];
    int number = add_mesh(w, body, parts);
    if (number < 0) return;
    char default_name[40];
    double center[3];
    vec3_store(center, t->poses[0].center);
    snprintf(default_name, sizeof default_name, "body%zu", body);
    json_array_append_new(w->nodes,
                          json_pack("{s:s, s:i, s:o}", "name", name ? name : default_name, "mesh",
                                    number, "translation", float_list(center, 3)));
    w->report.bodies++;
    size_t node = json_array_size(w->nodes) - 1;
    if (deforms(w, body)) {
        add_blending(w, node, keep);
        w->report.deforming++;
    } else if (body_track_is_rigid(t)) {
        add_motion(w, body, node, keep);
    }
}

/* --- The file --- */

static json_t *document(writer *w)
{
    json_t *order = json_array();
    for (size_t i = 0; i < json_array_size(w->nodes); i++)
        json_array_append_new(order, json_integer((json_int_t)i));
    json_t *root = json_pack("{s:{s:s, s:s}, s:i, s:[{s:o}], s:O, s:O, s:O, s:O, s:O, s:[{s:I}]}",
                             "asset", "version", "2.0", "generator", "abut", "scene", 0, "scenes",
                             "nodes", order, "nodes", w->nodes, "meshes", w->meshes, "materials",
                             w->materials, "accessors", w->accessors, "bufferViews", w->views,
                             "buffers", "byteLength", (json_int_t)w->data.count);
    if (root && json_array_size(w->channels) > 0)
        json_object_set_new(root, "animations",
                            json_pack("[{s:s, s:O, s:O}]", "name", "run", "samplers", w->samplers,
                                      "channels", w->channels));
    return root;
}

/* Chunks of a binary file are padded to four bytes: JSON with blanks, the buffer with zeros. */
static void write_chunk(FILE *stream, const char *tag, const char *bytes, size_t size, int padding)
{
    uint32_t padded = (uint32_t)((size + 3) / 4 * 4);
    fwrite(&padded, 4, 1, stream);
    fwrite(tag, 1, 4, stream);
    fwrite(bytes, 1, size, stream);
    for (size_t i = size; i < padded; i++) fputc(padding, stream);
}

static void write_binary(FILE *stream, const char *text, const writer *w)
{
    size_t length = strlen(text);
    uint32_t header[3] = {0x46546c67, 2, /* "glTF" */
                          (uint32_t)(28 + (length + 3) / 4 * 4 + (w->data.count + 3) / 4 * 4)};
    fwrite(header, sizeof header, 1, stream);
    write_chunk(stream, "JSON", text, length, ' ');
    write_chunk(stream, "BIN\0", w->data.data, w->data.count, 0);
}

static char *base64_uri(const char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char head[] = "data:application/octet-stream;base64,";
    char *text = mem_alloc(sizeof head + (size + 2) / 3 * 4, 1);
    if (!text) return NULL;
    memcpy(text, head, sizeof head);
    char *out = text + sizeof head - 1;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t block = 0;
        for (size_t k = 0; k < 3; k++)
            block = block << 8 | (i + k < size ? (unsigned char)bytes[i + k] : 0);
        for (int k = 0; k < 4; k++)
            *out++ = (size_t)k > size - i ? '=' : digits[block >> (18 - 6 * k) & 63];
    }
    *out = 0;
    return text;
}

static abut_status write_file(writer *w, const char *path, abut_error *err)
{
    bool binary = strcmp(path_extension(path), "gltf") != 0;
    if (w->data.count > UINT32_MAX - (1u << 28))
        return error_set(err, ABUT_ERROR_UNSUPPORTED, path, "more than glTF can hold (4 GB)");
    json_t *root = document(w);
    char *uri = binary ? NULL : base64_uri(w->data.data, w->data.count);
    if (uri)
        json_object_set_new(json_array_get(json_object_get(root, "buffers"), 0), "uri",
                            json_string(uri));
    char *text = root ? json_text(root, JSON_COMPACT) : NULL;
    atomic_file file;
    abut_status status = text && (binary || uri) && !w->out_of_memory
                             ? atomic_open(&file, path, err)
                             : error_memory(err, "writing glTF");
    if (status == ABUT_OK) {
        if (binary)
            write_binary(file.stream, text, w);
        else
            fputs(text, file.stream);
        status = atomic_commit(&file, err);
    }
    free(text);
    mem_free(uri);
    json_decref(root);
    return status;
}

static abut_status add_all(writer *w, const char *const *names, abut_error *err)
{
    const frame *f = &w->poses->first.frame;
    mesh shape = {.vertex_count = f->point_count, .vertices = w->poses->first.points};
    for (size_t b = 0; b < f->block_count && shape.block_count < MESH_MAX_BLOCKS; b++)
        shape.blocks[shape.block_count++] = f->blocks[b];
    surface_parts parts;
    TRY(mesh_surface(&shape, &parts, err));
    bool *keep = mem_alloc(w->poses->frame_count, sizeof *keep);
    if (!keep || !array_resize(&w->local, f->point_count)) w->out_of_memory = true;
    for (size_t b = 0; b < w->poses->body_count && !w->out_of_memory; b++)
        add_body(w, b, names ? names[b] : NULL, &parts, keep);
    mem_free(keep);
    surface_parts_free(&parts);
    return w->out_of_memory ? error_memory(err, "writing glTF") : ABUT_OK;
}

abut_status gltf_write(const body_poses *poses, const char *const *names, const char *path,
                       gltf_report *report, abut_error *err)
{
    writer w = {.poses = poses,
                .views = json_array(),
                .accessors = json_array(),
                .meshes = json_array(),
                .nodes = json_array(),
                .materials = json_array(),
                .samplers = json_array(),
                .channels = json_array(),
                .all_times = -1};
    abut_status status = add_all(&w, names, err);
    w.report.bytes = w.data.count;
    if (status == ABUT_OK) status = write_file(&w, path, err);
    if (report) *report = w.report;
    json_t *lists[] = {w.views,     w.accessors, w.meshes,  w.nodes,
                       w.materials, w.samplers,  w.channels};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) json_decref(lists[i]);
    array_free(&w.data);
    array_free(&w.local);
    return status;
}
