#include "output/usd.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "mesh/topology.h"
#include "output/color.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Time codes per second. Programs for films take codes for the numbers of their pictures. */
enum { RATE = 24 };

typedef struct usd_writer {
    FILE *out;
    const body_poses *poses;
    const surface_parts *parts;
    int32_t *local; /* number of a point within its body */
} usd_writer;

static void put_number(FILE *out, double value)
{
    char text[NUMBER_TEXT_SIZE];
    number_write_double(text, value);
    fputs(text, out);
}

/* Nine digits read back the same float. */
static void put_place(FILE *out, const float x[3])
{
    fprintf(out, "(%.9g, %.9g, %.9g)", (double)x[0], (double)x[1], (double)x[2]);
}

/* Letters, digits and underscores; the number of the body makes it one of its own. */
static void put_name(FILE *out, const char *name, size_t body)
{
    fputs("body_", out);
    fprintf(out, "%zu", body);
    if (name) fputc('_', out);
    for (; name && *name; name++) fputc(isalnum((unsigned char)*name) ? *name : '_', out);
}

static void put_samples(const usd_writer *w, size_t body)
{
    const body_poses *p = w->poses;
    size_t points = p->first.frame.point_count;
    fputs("        point3f[] points.timeSamples = {\n", w->out);
    for (size_t f = 0; f < p->frame_count; f++) {
        bool first = true;
        fputs("            ", w->out);
        put_number(w->out, RATE * p->times[f]);
        fputs(": [", w->out);
        for (size_t i = 0; i < points; i++) {
            if (p->body[i] != (int32_t)body) continue;
            if (!first) fputs(", ", w->out);
            put_place(w->out, p->places[f * points + i]);
            first = false;
        }
        fputs("],\n", w->out);
    }
    fputs("        }\n", w->out);
}

/* The corners of the cells of a body as one list; returns how many cells. */
static size_t put_corners(const usd_writer *w, size_t body, const int32_t *nodes, size_t count,
                          size_t width)
{
    size_t written = 0;
    for (size_t c = 0; c < count; c++) {
        if (w->poses->body[nodes[c * width]] != (int32_t)body) continue;
        for (size_t k = 0; k < width; k++)
            fprintf(w->out, "%s%d", written + k ? ", " : "", w->local[nodes[c * width + k]]);
        written++;
    }
    return written;
}

static size_t count_triangles(const usd_writer *w, size_t body)
{
    size_t count = 0;
    for (size_t t = 0; t < w->parts->triangle_count; t++)
        count += w->poses->body[w->parts->triangles[t][0]] == (int32_t)body;
    return count;
}

static void put_mesh(const usd_writer *w, size_t body, size_t triangles)
{
    fputs("        int[] faceVertexCounts = [", w->out);
    for (size_t t = 0; t < triangles; t++) fputs(t ? ", 3" : "3", w->out);
    fputs("]\n        int[] faceVertexIndices = [", w->out);
    put_corners(w, body, &w->parts->triangles[0][0], w->parts->triangle_count, 3);
    fputs("]\n        uniform token subdivisionScheme = \"none\"\n", w->out);
}

static void put_body(const usd_writer *w, size_t body, const char *name)
{
    size_t triangles = count_triangles(w, body);
    color c = color_of_body((int)body);
    fprintf(w->out, "    def %s \"", triangles ? "Mesh" : "Points");
    put_name(w->out, name, body);
    fputs("\"\n    {\n", w->out);
    if (triangles) put_mesh(w, body, triangles);
    fprintf(w->out, "        color3f[] primvars:displayColor = [(%.4f, %.4f, %.4f)]\n",
            pow(c.r / 255.0, 2.2), pow(c.g / 255.0, 2.2), pow(c.b / 255.0, 2.2));
    put_samples(w, body);
    fputs("    }\n", w->out);
}

static void put_all(usd_writer *w, const char *const *names)
{
    const body_poses *p = w->poses;
    int32_t *next = w->local + p->first.frame.point_count; /* of every body */
    for (size_t i = 0; i < p->first.frame.point_count; i++) w->local[i] = next[p->body[i]]++;
    fputs("#usda 1.0\n(\n    defaultPrim = \"run\"\n    upAxis = \"Y\"\n    metersPerUnit = 1\n"
          "    timeCodesPerSecond = 24\n    framesPerSecond = 24\n    startTimeCode = ",
          w->out);
    put_number(w->out, RATE * p->times[0]);
    fputs("\n    endTimeCode = ", w->out);
    put_number(w->out, RATE * p->times[p->frame_count - 1]);
    fputs("\n)\n\ndef Xform \"run\"\n{\n", w->out);
    for (size_t b = 0; b < p->body_count; b++)
        if (p->tracks[b].point_count > 0) put_body(w, b, names ? names[b] : NULL);
    fputs("}\n", w->out);
}

abut_status usd_write(const body_poses *poses, const char *const *names, const char *path,
                      abut_error *err)
{
    const frame *f = &poses->first.frame;
    mesh shape = {.vertex_count = f->point_count, .vertices = poses->first.points};
    for (size_t b = 0; b < f->block_count && shape.block_count < MESH_MAX_BLOCKS; b++)
        shape.blocks[shape.block_count++] = f->blocks[b];
    surface_parts parts;
    TRY(mesh_surface(&shape, &parts, err));
    usd_writer w = {.poses = poses, .parts = &parts};
    w.local = mem_calloc(f->point_count + poses->body_count, sizeof *w.local);
    atomic_file file;
    abut_status status =
        w.local ? atomic_open(&file, path, err) : error_memory(err, "writing a film");
    if (status == ABUT_OK) {
        w.out = file.stream;
        put_all(&w, names);
        status = atomic_commit(&file, err);
    }
    mem_free(w.local);
    surface_parts_free(&parts);
    return status;
}
