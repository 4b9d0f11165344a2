#include "app/commands.h"
#include "app/print_document.h"
#include "base/file.h"
#include "fill/fill.h"
#include "mesh/mesh_io.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- report ---- */

static void print_surface(const fill_result *r)
{
    const surface_report *s = &r->taken;
    vec3 size = vec3_sub(s->high, s->low);
    printf("  surface     %zu triangles, %zu vertices, %.6g x %.6g x %.6g m\n", s->triangles,
           s->vertices, size.x, size.y, size.z);
    if (s->given_vertices != s->vertices)
        printf("  welded      %zu vertices to %zu, within %.3g m\n", s->given_vertices, s->vertices,
               s->weld);
    if (s->degenerate + s->repeated + s->cancelled > 0)
        printf("  dropped     %zu triangles without area, %zu repeated, %zu that cancel each "
               "other\n",
               s->degenerate, s->repeated, s->cancelled);
    printf("  shells      %zu, %zu of them closed", r->shells.shells, r->shells.closed);
    if (r->shells.cavities) printf(", %zu cavities", r->shells.cavities);
    if (r->shells.unions) printf(", %zu solids within others", r->shells.unions);
    if (!r->shells.nesting_known) printf(", too many to look for cavities");
    printf("\n");
    if (r->shells.flipped) printf("  turned      %zu triangles\n", r->shells.flipped);
    if (r->shells.unorientable) printf("  one-sided   a shell has only one side\n");
    if (r->holes.loops)
        printf("  holes       %zu, up to %.6g m around; closed %zu of them with %zu triangles "
               "(%.3g m2)\n",
               r->holes.loops, r->holes.longest, r->holes.closed, r->holes.added,
               r->holes.cap_area);
    if (r->cage.edges.nonmanifold)
        printf("  edges       %zu with more than two triangles\n", r->cage.edges.nonmanifold);
    if (r->cage.crossings)
        printf("  crossings   %zu, first at (%.6g, %.6g, %.6g)\n", r->cage.crossings,
               r->cage.first_crossing.x, r->cage.first_crossing.y, r->cage.first_crossing.z);
}

static void print_solid(const fill_result *r)
{
    const tet_quality *q = &r->cage.quality;
    printf("  solid       %zu tetrahedra, %zu vertices, cells of %.6g m, %zu piece%s\n", q->count,
           r->solid.vertex_count, r->cage.size, r->cage.pieces, r->cage.pieces == 1 ? "" : "s");
    printf("  volume      %.6g m3 of tetrahedra", q->volume);
    if (r->cage.embedded) printf(", %.6g m3 within the surface", r->cage.solid_volume);
    printf("\n  angles      %.2f to %.2f degrees between faces; by the smallest of a "
           "tetrahedron:\n",
           q->smallest, q->largest);
    for (int k = 0; k < 18; k++)
        if (q->histogram[k])
            printf("              %2d to %2d  %zu\n", 10 * k, 10 * k + 10, q->histogram[k]);
    printf("  shape       %.3f at worst, %.3f on average (1: regular)\n", q->worst, q->mean);
    printf("  edges       %.6g to %.6g m\n", q->shortest, q->longest);
    if (r->cage.dropped) printf("  crumbs      %zu tetrahedra dropped\n", r->cage.dropped);
}

static json_t *count(size_t n) { return json_integer((json_int_t)n); }

static abut_status print_json(const fill_result *r, bool filled, abut_error *err)
{
    const surface_report *s = &r->taken;
    json_t *root =
        json_pack("{s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, "
                  "s:o, s:o, s:o}",
                  "given_vertices", count(s->given_vertices), "given_triangles",
                  count(s->given_triangles), "vertices", count(s->vertices), "triangles",
                  count(s->triangles), "weld", s->weld, "degenerate", count(s->degenerate),
                  "repeated", count(s->repeated), "cancelled", count(s->cancelled), "shells",
                  count(r->shells.shells), "closed_shells", count(r->shells.closed), "flipped",
                  count(r->shells.flipped), "cavities", count(r->shells.cavities), "solids_within",
                  count(r->shells.unions), "holes", count(r->holes.loops), "longest_hole",
                  r->holes.longest, "closed_holes", count(r->holes.closed), "open_edges",
                  count(r->cage.edges.border), "crossings", count(r->cage.crossings));
    const tet_quality *q = &r->cage.quality;
    if (root && filled) {
        json_t *bins = json_array();
        for (int k = 0; bins && k < 18; k++) json_array_append_new(bins, count(q->histogram[k]));
        json_t *solid = json_pack("{s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:b, s:o}", "tets",
                                  count(q->count), "cell_size", r->cage.size, "volume", q->volume,
                                  "solid_volume", r->cage.solid_volume, "smallest_angle",
                                  q->smallest, "largest_angle", q->largest, "worst_shape", q->worst,
                                  "mean_shape", q->mean, "pieces", count(r->cage.pieces), "around",
                                  r->cage.embedded, "angle_histogram", bins);
        if (!solid || json_object_set_new(root, "solid", solid) != 0) {
            json_decref(root);
            root = NULL;
        }
    }
    return print_document(root, err);
}

/* ---- options ---- */

static abut_status read_options(const command_line *line, fill_options *o, abut_error *err)
{
    int64_t cells = o->cells;
    const char *method = line_value(line, "--method");
    if (method) {
        int k = 0;
        while (fill_method_words[k] && strcmp(fill_method_words[k], method) != 0) k++;
        if (!fill_method_words[k])
            return error_set(err, ABUT_ERROR_INPUT, "--method", "must be cage or gmsh, found %s",
                             method);
        o->method = (fill_method)k;
    }
    if (line_has(line, "--cells") && line_has(line, "--size"))
        return error_set(err, ABUT_ERROR_INPUT, "--size", "cannot be given together with --cells");
    TRY(line_integer(line, "--cells", 1, 1000, &cells, err));
    TRY(line_number(line, "--size", 1e-300, 1e300, &o->size, err));
    TRY(line_number(line, "--weld-tolerance", 0, 0.1, &o->weld, err));
    TRY(line_number(line, "--winding", 0.01, 0.99, &o->winding, err));
    o->cells = (int)cells;
    o->graded = !line_has(line, "--uniform");
    o->collide = line_has(line, "--around") ? FILL_COLLIDE_SURFACE : FILL_COLLIDE_CAGE;
    if (line_has(line, "--repair")) o->close = 0.3;
    return line_number(line, "--close", 0, 1e6, &o->close, err);
}

static bool holds_tets(const char *path)
{
    const char *extension = path_extension(path);
    return strcasecmp(extension, "obj") != 0 && strcasecmp(extension, "ply") != 0;
}

static abut_status run(const command_line *line, abut_error *err)
{
    const char *in = line->arguments[0], *to = line->arguments[1];
    fill_options options = fill_defaults();
    fill_result r;
    mesh m;
    bool filled = holds_tets(to);
    TRY(read_options(line, &options, err));
    TRY(mesh_read(in, NULL, &m, err));
    abut_status status =
        filled ? fill_surface(&m, &options, &r, err) : fill_repair(&m, &options, &r, err);
    mesh_free(&m);
    if (status != ABUT_OK) return error_add_place(err, in, status);
    status = mesh_write(to, filled ? &r.solid : &r.surface, err);
    if (status == ABUT_OK && line_has(line, "--json")) {
        status = print_json(&r, filled, err);
    } else if (status == ABUT_OK) {
        printf("%s\n", to);
        print_surface(&r);
        if (filled) print_solid(&r);
    }
    fill_free(&r);
    return status;
}

static const option_def options[] = {
    {"--repair", NULL, NULL,
     "close holes that are not longer around than 0.3 times the diagonal of the surface",
     COMPLETE_NOTHING},
    {"--close", NULL, "R", "close holes up to R times the diagonal around", COMPLETE_NOTHING},
    {"--method", NULL, "M", "cage (the default), or gmsh, which follows the surface exactly",
     COMPLETE_NOTHING},
    {"--cells", NULL, "N", "cells along the longest side (20)", COMPLETE_NOTHING},
    {"--size", NULL, "H", "size of the cells, in the units of IN", COMPLETE_NOTHING},
    {"--around", NULL, NULL,
     "make the cage a little larger, so that IN fits into it, as `surface` of a body",
     COMPLETE_NOTHING},
    {"--uniform", NULL, NULL, "cells inside are not larger than at the surface", COMPLETE_NOTHING},
    {"--winding", NULL, "W", "inside is where the surface winds around a point more often (0.5)",
     COMPLETE_NOTHING},
    {"--weld-tolerance", NULL, "R",
     "merge vertices closer than R times the diagonal of the bounding box", COMPLETE_NOTHING},
    {"--json", NULL, NULL, "print the report as JSON", COMPLETE_NOTHING},
};

const command_def command_mesh = {
    .name = "mesh",
    .summary = "fill a surface with tetrahedra, or repair it",
    .arguments = "IN OUT",
    .details =
        "Reads a surface of triangles (STL, OBJ, PLY, OFF and all other formats of `convert`), "
        "merges vertices, drops triangles that are there twice or have no area, and turns those "
        "that face inward. OUT with the extension msh, msh2 or vtu gets tetrahedra; obj and "
        "ply, which have none, get the repaired surface. Holes, crossings and missing parts are no "
        "obstacle for a cage; gmsh needs a closed surface and Gmsh's library. The report says what "
        "was found and done, with the angles of the tetrahedra.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 2,
    .max_arguments = 2,
    .complete = COMPLETE_FILE,
    .run = run,
};
