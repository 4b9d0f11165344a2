#include "mesh_check.h"

#include <stdlib.h>
#include <string.h>

typedef struct tuple {
    int32_t sorted[3]; /* an edge has -1 in front */
    int32_t ordered[3];
} tuple;

static int compare_int(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static int compare_tuple(const void *a, const void *b)
{
    const tuple *x = a, *y = b;
    for (int i = 0; i < 3; i++)
        if (x->sorted[i] != y->sorted[i]) return x->sorted[i] < y->sorted[i] ? -1 : 1;
    return 0;
}

static tuple make_tuple(int32_t a, int32_t b, int32_t c)
{
    tuple t = {{a, b, c}, {a, b, c}};
    qsort(t.sorted, 3, sizeof(int32_t), compare_int);
    return t;
}

static size_t group_end(const tuple *list, size_t count, size_t begin)
{
    size_t end = begin + 1;
    while (end < count && compare_tuple(&list[begin], &list[end]) == 0) end++;
    return end;
}

static size_t count_groups(tuple *list, size_t count)
{
    size_t groups = 0;
    qsort(list, count, sizeof *list, compare_tuple);
    for (size_t begin = 0; begin < count; begin = group_end(list, count, begin)) groups++;
    return groups;
}

static double dihedral(vec3 a, vec3 b, vec3 c, vec3 d)
{
    vec3 n1 = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    vec3 n2 = vec3_cross(vec3_sub(b, a), vec3_sub(d, a));
    double sine = vec3_norm(vec3_cross(n1, n2)), cosine = vec3_dot(n1, n2);
    return atan2(sine, cosine) * 180.0 / 3.14159265358979323846;
}

static void measure_tets(const mesh *m, const cell_block *block, mesh_facts *f)
{
    static const int edges[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                    {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    f->min_dihedral = 180.0;
    for (size_t t = 0; t < block->count; t++) {
        const int32_t *n = block->nodes + t * (size_t)block->nodes_per_cell;
        vec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = m->vertices[n[i]];
        mat3 e =
            mat3_from_columns(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]), vec3_sub(x[3], x[0]));
        double volume = mat3_determinant(e) / 6.0;
        f->volume += volume;
        if (volume <= 0.0) f->nonpositive_tets++;
        for (int k = 0; k < 6; k++) {
            double angle = dihedral(x[edges[k][0]], x[edges[k][1]], x[edges[k][2]], x[edges[k][3]]);
            f->min_dihedral = fmin(f->min_dihedral, angle);
            f->max_dihedral = fmax(f->max_dihedral, angle);
        }
    }
}

/* Area, enclosed volume, edges and vertices of the boundary. */
static void measure_boundary(const mesh *m, const tuple *boundary, size_t count, mesh_facts *f)
{
    tuple *edges = malloc((3 * count + 1) * sizeof *edges);
    bool *used = calloc(m->vertex_count + 1, sizeof *used);
    for (size_t t = 0; t < count; t++) {
        const int32_t *n = boundary[t].ordered;
        vec3 a = m->vertices[n[0]], b = m->vertices[n[1]], c = m->vertices[n[2]];
        f->area += 0.5 * vec3_norm(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
        f->enclosed += vec3_dot(a, vec3_cross(b, c)) / 6.0;
        for (int i = 0; i < 3; i++) {
            edges[3 * t + (size_t)i] = make_tuple(n[i], n[(i + 1) % 3], -1);
            used[n[i]] = true;
        }
    }
    for (size_t v = 0; v < m->vertex_count; v++) f->boundary_vertices += used[v];
    f->boundary_edges = count_groups(edges, 3 * count);
    for (size_t begin = 0, end; begin < 3 * count; begin = end) {
        end = group_end(edges, 3 * count, begin);
        bool opposite = end - begin == 2 && edges[begin].ordered[0] == edges[begin + 1].ordered[1];
        if (!opposite) f->bad_edges++;
    }
    f->boundary_faces = count;
    free(edges);
    free(used);
}

mesh_facts mesh_facts_of(const mesh *m)
{
    static const int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    mesh_facts f = {0};
    const cell_block *block = mesh_find(m, CELL_TET);
    bool solid = block != NULL;
    if (!block) block = mesh_find(m, CELL_TRIANGLE);
    if (!block) return f;
    int corners = solid ? 4 : 3, faces_per_cell = solid ? 4 : 1;
    size_t n = block->count * (size_t)faces_per_cell;
    tuple *all = malloc((n + 1) * sizeof *all),
          *edges = malloc((6 * block->count + 1) * sizeof *edges);
    bool *used = calloc(m->vertex_count + 1, sizeof *used);
    size_t edge_count = 0;
    for (size_t c = 0; c < block->count; c++) {
        const int32_t *v = block->nodes + c * (size_t)block->nodes_per_cell;
        for (int k = 0; k < faces_per_cell; k++)
            all[c * (size_t)faces_per_cell + (size_t)k] =
                solid ? make_tuple(v[faces[k][0]], v[faces[k][1]], v[faces[k][2]])
                      : make_tuple(v[0], v[1], v[2]);
        for (int i = 0; i < corners; i++) {
            used[v[i]] = true;
            for (int j = i + 1; j < corners; j++) edges[edge_count++] = make_tuple(v[i], v[j], -1);
        }
    }
    for (size_t v = 0; v < m->vertex_count; v++) f.used_vertices += used[v];
    f.edges = count_groups(edges, edge_count);
    f.faces = count_groups(all, n);
    f.tets = solid ? block->count : 0;
    size_t boundary = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        end = group_end(all, n, begin);
        if (end - begin == 1) all[boundary++] = all[begin];
        if (end - begin > 2) f.overused_faces++;
    }
    measure_boundary(m, all, boundary, &f);
    if (solid)
        measure_tets(m, block, &f);
    else
        f.volume = f.enclosed;
    free(all);
    free(edges);
    free(used);
    return f;
}

long mesh_euler(const mesh_facts *f)
{
    return (long)f->used_vertices - (long)f->edges + (long)f->faces - (long)f->tets;
}

long boundary_euler(const mesh_facts *f)
{
    return (long)f->boundary_vertices - (long)f->boundary_edges + (long)f->boundary_faces;
}
