#include "output/film_files.h"

#include "base/file.h"
#include "base/memory.h"
#include "mesh/topology.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = 4096, NAME_ROOM = 64 };

typedef struct film {
    const body_poses *poses;
    const char *const *names;
    surface_parts parts;
    int32_t *local; /* number of a point within its body */
} film;

static abut_status film_begin(film *f, const body_poses *poses, const char *const *names,
                              abut_error *err)
{
    const frame *first = &poses->first.frame;
    mesh shape = {.vertex_count = first->point_count, .vertices = poses->first.points};
    for (size_t b = 0; b < first->block_count && shape.block_count < MESH_MAX_BLOCKS; b++)
        shape.blocks[shape.block_count++] = first->blocks[b];
    *f = (film){.poses = poses, .names = names};
    TRY(mesh_surface(&shape, &f->parts, err));
    f->local = mem_calloc(first->point_count + poses->body_count + 1, sizeof *f->local);
    if (!f->local) {
        surface_parts_free(&f->parts);
        return error_memory(err, "writing a film");
    }
    int32_t *next = f->local + first->point_count;
    for (size_t i = 0; i < first->point_count; i++) f->local[i] = next[poses->body[i]]++;
    return ABUT_OK;
}

static void film_end(film *f)
{
    surface_parts_free(&f->parts);
    mem_free(f->local);
}

/* Letters, digits, '-' and '_' of a body's name. */
static void clean_name(const film *f, size_t body, char *out)
{
    const char *name = f->names && f->names[body] ? f->names[body] : "body";
    size_t i = 0;
    for (; name[i] && i + 1 < NAME_ROOM; i++)
        out[i] = isalnum((unsigned char)name[i]) || name[i] == '-' ? name[i] : '_';
    out[i] = 0;
}

/* `path` without its extension. */
static int stem_of(const char *path)
{
    return (int)(strlen(path) - strlen(path_extension(path)) - 1);
}

static const float *position(const film *f, size_t frame_number, size_t point)
{
    return f->poses->places[frame_number * f->poses->first.frame.point_count + point];
}

/* ---- OBJ ---- */

/* Triangles, free edges and points of a body; corners are numbered from `base` on. */
static void put_obj_cells(const film *f, FILE *out, size_t body, size_t base, bool local)
{
    const surface_parts *s = &f->parts;
    const int32_t *of = f->poses->body;
#define CORNER(i) (base + (size_t)(local ? f->local[i] : (i)) + 1)
    for (size_t t = 0; t < s->triangle_count; t++) {
        const int32_t *v = s->triangles[t];
        if (of[v[0]] == (int32_t)body)
            fprintf(out, "f %zu %zu %zu\n", CORNER(v[0]), CORNER(v[1]), CORNER(v[2]));
    }
    for (size_t e = s->free_edge_first; e < s->edge_count; e++) {
        const int32_t *v = s->edges[e];
        if (of[v[0]] == (int32_t)body) fprintf(out, "l %zu %zu\n", CORNER(v[0]), CORNER(v[1]));
    }
#undef CORNER
}

static void put_obj_points(const film *f, FILE *out, size_t number, const size_t *body)
{
    for (size_t i = 0; i < f->poses->first.frame.point_count; i++) {
        const float *x = position(f, number, i);
        if (!body || f->poses->body[i] == (int32_t)*body)
            fprintf(out, "v %.9g %.9g %.9g\n", (double)x[0], (double)x[1], (double)x[2]);
    }
}

static abut_status put_obj(const film *f, size_t number, const char *path, abut_error *err)
{
    atomic_file file;
    TRY(atomic_open(&file, path, err));
    put_obj_points(f, file.stream, number, NULL);
    for (size_t b = 0; b < f->poses->body_count; b++) {
        char name[NAME_ROOM];
        clean_name(f, b, name);
        fprintf(file.stream, "o %s\n", name);
        put_obj_cells(f, file.stream, b, 0, false);
    }
    return atomic_commit(&file, err);
}

/* ---- PLY ---- */

static abut_status put_ply(const film *f, size_t number, const char *path, abut_error *err)
{
    atomic_file file;
    size_t points = f->poses->first.frame.point_count;
    TRY(atomic_open(&file, path, err));
    fprintf(file.stream, "ply\nformat binary_little_endian 1.0\n");
    for (size_t b = 0; b < f->poses->body_count; b++) {
        char name[NAME_ROOM];
        clean_name(f, b, name);
        fprintf(file.stream, "comment body %zu %s\n", b, name);
    }
    fprintf(file.stream,
            "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\n"
            "property int body\nelement face %zu\nproperty list uchar int vertex_indices\n"
            "end_header\n",
            points, f->parts.triangle_count);
    for (size_t i = 0; i < points; i++) {
        fwrite(position(f, number, i), sizeof(float), 3, file.stream);
        fwrite(&f->poses->body[i], sizeof(int32_t), 1, file.stream);
    }
    for (size_t t = 0; t < f->parts.triangle_count; t++) {
        fputc(3, file.stream);
        fwrite(f->parts.triangles[t], sizeof(int32_t), 3, file.stream);
    }
    return atomic_commit(&file, err);
}

static abut_status put_sequence(const body_poses *poses, const char *const *names, const char *path,
                                abut_status (*put)(const film *, size_t, const char *,
                                                   abut_error *),
                                size_t *files, abut_error *err)
{
    film f;
    *files = 0;
    TRY(film_begin(&f, poses, names, err));
    abut_status status = ABUT_OK;
    for (size_t i = 0; status == ABUT_OK && i < poses->frame_count; i++) {
        char at[PATH_ROOM];
        snprintf(at, sizeof at, "%.*s_%06zu.%s", stem_of(path), path, i, path_extension(path));
        status = put(&f, i, at, err);
        *files += status == ABUT_OK;
    }
    film_end(&f);
    return status;
}

abut_status film_write_obj(const body_poses *poses, const char *const *names, const char *path,
                           size_t *files, abut_error *err)
{
    return put_sequence(poses, names, path, put_obj, files, err);
}

abut_status film_write_ply(const body_poses *poses, const char *const *names, const char *path,
                           size_t *files, abut_error *err)
{
    return put_sequence(poses, names, path, put_ply, files, err);
}

/* ---- PC2 ---- */

static abut_status put_shape(const film *f, size_t body, const char *path, abut_error *err)
{
    atomic_file file;
    char name[NAME_ROOM];
    clean_name(f, body, name);
    TRY(atomic_open(&file, path, err));
    fprintf(file.stream, "o %s\n", name);
    put_obj_points(f, file.stream, 0, &body);
    put_obj_cells(f, file.stream, body, 0, true);
    return atomic_commit(&file, err);
}

/* The samples of the cache are the frames of the run: their numbers from 0 on, one by one. */
static abut_status put_cache(const film *f, size_t body, const char *path, abut_error *err)
{
    const body_poses *p = f->poses;
    int32_t head[2] = {1, (int32_t)p->tracks[body].point_count}, samples = (int32_t)p->frame_count;
    float range[2] = {0, 1};
    atomic_file file;
    TRY(atomic_open(&file, path, err));
    fwrite("POINTCACHE2", 1, 12, file.stream);
    fwrite(head, sizeof *head, 2, file.stream);
    fwrite(range, sizeof *range, 2, file.stream);
    fwrite(&samples, sizeof samples, 1, file.stream);
    for (size_t n = 0; n < p->frame_count; n++)
        for (size_t i = 0; i < p->first.frame.point_count; i++)
            if (p->body[i] == (int32_t)body)
                fwrite(position(f, n, i), sizeof(float), 3, file.stream);
    return atomic_commit(&file, err);
}

abut_status film_write_pc2(const body_poses *poses, const char *const *names, const char *path,
                           size_t *files, abut_error *err)
{
    film f;
    *files = 0;
    TRY(film_begin(&f, poses, names, err));
    abut_status status = ABUT_OK;
    for (size_t b = 0; status == ABUT_OK && b < poses->body_count; b++) {
        char name[NAME_ROOM], at[PATH_ROOM];
        if (poses->tracks[b].point_count == 0) continue;
        clean_name(&f, b, name);
        snprintf(at, sizeof at, "%.*s_%zu_%s.obj", stem_of(path), path, b, name);
        status = put_shape(&f, b, at, err);
        snprintf(at, sizeof at, "%.*s_%zu_%s.pc2", stem_of(path), path, b, name);
        if (status == ABUT_OK) status = put_cache(&f, b, at, err);
        *files += status == ABUT_OK ? 2 : 0;
    }
    film_end(&f);
    return status;
}
