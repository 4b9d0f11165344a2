#include "base/file.h"
#include "base/number.h"
#include "output/surface.h"

static void put_points(FILE *out, const frame *f)
{
    char text[3][NUMBER_TEXT_SIZE];
    for (size_t i = 0; i < f->point_count; i++) {
        for (int k = 0; k < 3; k++) number_write_double(text[k], vec3_get(f->points[i], k));
        fprintf(out, "v %s %s %s\n", text[0], text[1], text[2]);
    }
}

/* OBJ counts from 1. */
static void put_surface(FILE *out, const surface *s)
{
    for (size_t i = 0; i < s->triangles.count; i++) {
        const int32_t *n = s->triangles.data[i].nodes;
        fprintf(out, "f %d %d %d\n", n[0] + 1, n[1] + 1, n[2] + 1);
    }
    for (size_t i = 0; i < s->lines.count; i++)
        fprintf(out, "l %d %d\n", s->lines.data[i].nodes[0] + 1, s->lines.data[i].nodes[1] + 1);
    for (size_t i = 0; i < s->points.count; i++) fprintf(out, "p %d\n", s->points.data[i].node + 1);
}

abut_status frame_write_obj(const frame *f, const char *path, abut_error *err)
{
    surface s = {0};
    atomic_file file;
    abut_status status = surface_extract(&s, f, err);
    if (status == ABUT_OK) status = atomic_open(&file, path, err);
    if (status == ABUT_OK) {
        put_points(file.stream, f);
        put_surface(file.stream, &s);
        status = atomic_commit(&file, err);
    }
    surface_free(&s);
    return status;
}
