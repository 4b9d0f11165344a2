#include "app/file_kind.h"
#include "app/print_document.h"
#include "base/memory.h"
#include "mesh/generate.h"
#include "mesh/measure.h"
#include "mesh/read.h"
#include "mesh/topology.h"

#include <jansson.h>
#include <stdio.h>

enum { MOST_TAGS = 20 }; /* more of them are only counted */

static bool recognise_mesh(const char *path, const file_bytes *bytes)
{
    return mesh_recognize(path, bytes->data, bytes->size) != MESH_FORMAT_UNKNOWN;
}

/* ---- human-readable ----------------------------------------------------------------------------
 */

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

static void print_cells(const mesh *m)
{
    bool any = false;
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        if (block->count == 0) continue;
        printf("%s%zu %s%s", any ? ", " : "  cells       ", block->count,
               cell_kind_name(block->kind), plural(block->count));
        if (block->order > 1) printf(" of order %d", block->order);
        any = true;
    }
    printf(any ? "\n" : "  cells       none\n");
}

static void print_surface(const mesh_measures *s)
{
    printf("  surface     %zu triangle%s, %zu edge%s, %zu point%s", s->surface_triangles,
           plural(s->surface_triangles), s->surface_edges, plural(s->surface_edges),
           s->surface_points, plural(s->surface_points));
    if (s->surface_triangles > 0) {
        printf(s->closed ? "; closed" : "; open (%zu border, %zu non-manifold edges)",
               s->border_edges, s->nonmanifold_edges);
        printf(s->oriented ? ", oriented" : ", not oriented (%zu edges)", s->unoriented_edges);
    }
    if (s->free_edges > 0) printf("; %zu free edge%s", s->free_edges, plural(s->free_edges));
    printf("\n");
    if (s->surface_triangles > 0) printf("  area        %.10g\n", s->area);
    if (isfinite(s->volume)) printf("  volume      %.10g\n", s->volume);
}

static abut_status print_tags(const mesh *m, abut_error *err)
{
    for (int b = 0; b < m->block_count; b++) {
        tag_count *tags;
        size_t count;
        const cell_block *block = &m->blocks[b];
        TRY(block_tags(block, &tags, &count, err));
        for (size_t t = 0; t < count && t < MOST_TAGS; t++)
            printf("%s%d (%zu %s%s)", t == 0 ? "  tags        " : ", ", tags[t].tag, tags[t].cells,
                   cell_kind_name(block->kind), plural(tags[t].cells));
        if (count > MOST_TAGS) printf(", and %zu more", count - MOST_TAGS);
        if (count > 0) printf("\n");
        mem_free(tags);
    }
    return ABUT_OK;
}

static abut_status print_mesh(const char *path, mesh_format format, const mesh *m,
                              const mesh_measures *s, abut_error *err)
{
    printf("%s: %s mesh\n", path, mesh_format_name(format));
    printf("  vertices    %zu", m->vertex_count);
    if (s->unused_vertices > 0) printf(" (%zu in no cell)", s->unused_vertices);
    printf("\n");
    print_cells(m);
    printf("  bounds      (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g), diagonal %.6g\n", s->low.x,
           s->low.y, s->low.z, s->high.x, s->high.y, s->high.z, s->diagonal);
    printf("  components  %zu\n", s->components);
    print_surface(s);
    if (isfinite(s->min_edge))
        printf("  edges       %.6g to %.6g long\n", s->min_edge, s->max_edge);
    printf("  quality     %zu inverted, %zu degenerate cell%s\n", s->inverted, s->degenerate,
           plural(s->degenerate));
    if (m->rest) printf("  rest shape  from texture coordinates\n");
    if (m->stitch_count > 0) printf("  stitches    %zu\n", m->stitch_count);
    return print_tags(m, err);
}

/* ---- for programs -------------------------------------------------------------------------- */

static json_t *json_point(vec3 x) { return json_pack("[f, f, f]", x.x, x.y, x.z); }

/* null for values that are not finite, which JSON cannot express. */
static json_t *json_number_or_null(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *json_cells(const mesh *m, abut_error *err)
{
    json_t *list = json_array();
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        if (block->count == 0) continue;
        json_t *entry = json_pack("{s:s, s:i, s:I}", "kind", cell_kind_name(block->kind), "order",
                                  block->order, "count", (json_int_t)block->count);
        tag_count *tags;
        size_t count;
        if (block_tags(block, &tags, &count, err) != ABUT_OK) {
            json_decref(entry);
            json_decref(list);
            return NULL;
        }
        if (count > 0) {
            json_t *counts = json_object();
            for (size_t t = 0; t < count; t++) {
                char name[16];
                snprintf(name, sizeof name, "%d", tags[t].tag);
                json_object_set_new(counts, name, json_integer((json_int_t)tags[t].cells));
            }
            json_object_set_new(entry, "tags", counts);
        }
        mem_free(tags);
        json_array_append_new(list, entry);
    }
    return list;
}

static abut_status print_mesh_json(const char *path, mesh_format format, const mesh *m,
                                   const mesh_measures *s, abut_error *err)
{
    json_t *cells = json_cells(m, err);
    if (!cells) return ABUT_ERROR_MEMORY;
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:[o, o], s:f, s:I}", "file", path, "type",
                  "mesh", "format", mesh_format_name(format), "vertices",
                  (json_int_t)m->vertex_count, "unused_vertices", (json_int_t)s->unused_vertices,
                  "cells", cells, "bounds", json_point(s->low), json_point(s->high), "diagonal",
                  s->diagonal, "components", (json_int_t)s->components);
    json_t *surface =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b}", "triangles",
                  (json_int_t)s->surface_triangles, "edges", (json_int_t)s->surface_edges, "points",
                  (json_int_t)s->surface_points, "free_edges", (json_int_t)s->free_edges,
                  "border_edges", (json_int_t)s->border_edges, "nonmanifold_edges",
                  (json_int_t)s->nonmanifold_edges, "closed", s->closed, "oriented", s->oriented);
    json_t *more =
        json_pack("{s:o, s:f, s:o, s:o, s:o, s:I, s:I, s:b, s:I}", "surface", surface, "area",
                  s->area, "volume", json_number_or_null(s->volume), "min_edge",
                  json_number_or_null(s->min_edge), "max_edge", json_number_or_null(s->max_edge),
                  "inverted", (json_int_t)s->inverted, "degenerate", (json_int_t)s->degenerate,
                  "rest_shape", m->rest != NULL, "stitches", (json_int_t)m->stitch_count);
    if (!root || !more || json_object_update(root, more) != 0) {
        json_decref(root);
        root = NULL;
    }
    json_decref(more);
    return print_document(root, err);
}

static abut_status describe_mesh(const char *path, const file_bytes *bytes, bool json,
                                 abut_error *err)
{
    mesh m;
    mesh_measures measures;
    mesh_format format = mesh_recognize(path, bytes->data, bytes->size);
    TRY(mesh_read_memory(format, path, bytes->data, bytes->size, NULL, &m, err));
    abut_status status = error_add_place(err, path, mesh_measure(&m, &measures, err));
    if (status == ABUT_OK)
        status = json ? print_mesh_json(path, format, &m, &measures, err)
                      : print_mesh(path, format, &m, &measures, err);
    mesh_free(&m);
    return status;
}

/* ---- conversion ---------------------------------------------------------------------------- */

static abut_status transform(mesh *m, const command_line *line, abut_error *err)
{
    vec3 scale = {1, 1, 1}, rotate = {0, 0, 0}, translate = {0, 0, 0};
    TRY(line_vector(line, "--scale", true, &scale, err));
    TRY(line_vector(line, "--rotate", false, &rotate, err));
    TRY(line_vector(line, "--translate", false, &translate, err));
    if (scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0)
        return error_set(err, ABUT_ERROR_INPUT, line->command->name, "--scale must not be 0");
    mesh_transform(m, scale, rotate, translate);
    return ABUT_OK;
}

static abut_status replace_by_surface(mesh *m, abut_error *err)
{
    mesh surface;
    TRY(mesh_extract_surface(m, &surface, err));
    mesh_free(m);
    *m = surface;
    return ABUT_OK;
}

static abut_status convert_mesh(const char *path, const file_bytes *bytes, const char *out,
                                const command_line *line, abut_error *err)
{
    mesh_read_options options = {.weld = line_has(line, "--weld")};
    if (line_has(line, "--weld-tolerance")) options.weld = true;
    TRY(line_number(line, "--weld-tolerance", 0.0, 1.0, &options.weld_tolerance, err));
    mesh m;
    TRY(mesh_read_memory(mesh_recognize(path, bytes->data, bytes->size), path, bytes->data,
                         bytes->size, &options, &m, err));
    abut_status status = transform(&m, line, err);
    if (status == ABUT_OK && line_has(line, "--surface"))
        status = error_add_place(err, path, replace_by_surface(&m, err));
    if (status == ABUT_OK) status = mesh_write(out, &m, err);
    mesh_free(&m);
    return status;
}

const file_kind kind_mesh = {"mesh", recognise_mesh, describe_mesh, convert_mesh};
