#include "support/fill_check.h"

#include "base/memory.h"
#include "geometry/check.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

typedef struct face {
    int32_t corner[3];
    int odd;
} face;

static int compare_faces(const void *left, const void *right)
{
    return memcmp(((const face *)left)->corner, ((const face *)right)->corner, 3 * sizeof(int32_t));
}

static face face_of(int32_t a, int32_t b, int32_t c)
{
    face f = {{a, b, c}, 0};
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < 2; k++)
            if (f.corner[k] > f.corner[k + 1]) {
                int32_t swap = f.corner[k];
                f.corner[k] = f.corner[k + 1];
                f.corner[k + 1] = swap;
                f.odd = !f.odd;
            }
    return f;
}

static size_t count_torn(const int32_t *tets, size_t count)
{
    static const int sides[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    face *faces = malloc((4 * count + 1) * sizeof *faces);
    size_t torn = 0;
    for (size_t i = 0; i < 4 * count; i++) {
        const int32_t *t = tets + i / 4 * 4;
        const int *s = sides[i % 4];
        faces[i] = face_of(t[s[0]], t[s[1]], t[s[2]]);
    }
    qsort(faces, 4 * count, sizeof *faces, compare_faces);
    for (size_t begin = 0, end; begin < 4 * count; begin = end) {
        for (end = begin + 1; end < 4 * count && !compare_faces(&faces[begin], &faces[end]);) end++;
        torn += end - begin > 2 || (end - begin == 2 && faces[begin].odd == faces[begin + 1].odd);
    }
    free(faces);
    return torn;
}

static void measure_angles(const mesh *m, cage_check *out)
{
    const cell_block *block = &m->blocks[0];
    out->smallest = 180;
    for (size_t c = 0; c < block->count; c++) {
        vec3 x[4], n[4];
        for (int k = 0; k < 4; k++) x[k] = m->vertices[block->nodes[4 * c + (size_t)k]];
        for (int k = 0; k < 4; k++) { /* outward normals of the faces */
            vec3 a = x[(k + 1) % 4], b = x[(k + 2) % 4], d = x[(k + 3) % 4];
            n[k] = vec3_normalize(vec3_cross(vec3_sub(b, a), vec3_sub(d, a)));
            if (vec3_dot(n[k], vec3_sub(x[k], a)) > 0) n[k] = vec3_neg(n[k]);
        }
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < i; k++) {
                double angle =
                    180 - acos(fmax(-1, fmin(1, vec3_dot(n[i], n[k])))) * 57.29577951308232;
                out->smallest = fmin(out->smallest, angle);
                out->largest = fmax(out->largest, angle);
            }
        out->volume += tet_volume(x[0], x[1], x[2], x[3]);
    }
}

static size_t count_crossings(const mesh *m)
{
    surface_parts parts;
    abut_error err;
    if (mesh_surface(m, &parts, &err) != ABUT_OK) return SIZE_MAX;
    check_surface s = {.vertices = m->vertices,
                       .vertex_count = m->vertex_count,
                       .triangles = (const int32_t(*)[3])parts.triangles,
                       .triangle_count = parts.triangle_count,
                       .edges = (const int32_t(*)[2])parts.edges,
                       .edge_count = parts.edge_count};
    check_pair *pairs = NULL;
    size_t count = 0;
    if (check_intersections(&s, &pairs, &count, &err) != ABUT_OK) count = SIZE_MAX;
    mem_free(pairs);
    surface_parts_free(&parts);
    return count;
}

void check_cage(const mesh *m, int with_crossings, cage_check *out)
{
    memset(out, 0, sizeof *out);
    const cell_block *block = &m->blocks[0];
    abut_error err;
    if (check_inverted_tets(m->vertices, m->vertex_count, block->nodes, 4, block->count, NULL,
                            &out->inverted, &err) != ABUT_OK)
        out->inverted = SIZE_MAX;
    out->torn = count_torn(block->nodes, block->count);
    measure_angles(m, out);
    if (with_crossings) out->crossings = count_crossings(m);
}
