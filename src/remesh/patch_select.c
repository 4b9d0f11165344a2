#include "remesh/patch.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

void number_map_clear(number_map *m) { m->now++; }

int32_t number_map_get(const number_map *m, int32_t key)
{
    if ((size_t)key >= m->stamp.count || m->stamp.data[key] != m->now) return -1;
    return m->value.data[key];
}

bool number_map_set(number_map *m, int32_t key, int32_t value)
{
    size_t before = m->stamp.count, needed = (size_t)key + 1;
    if (needed > before) {
        if (needed < 2 * before) needed = 2 * before;
        if (!array_resize(&m->stamp, needed) || !array_resize(&m->value, needed)) return false;
        memset(m->stamp.data + before, 0, (needed - before) * sizeof *m->stamp.data);
    }
    m->stamp.data[key] = m->now;
    m->value.data[key] = value;
    return true;
}

void number_map_free(number_map *m)
{
    array_free(&m->value);
    array_free(&m->stamp);
}

/* Grows the patch by the cells of its vertices from `first` cell on. */
static abut_status grow(const local_mesh *m, number_map *cells_in, number_map *vertices_in,
                        size_t first, local_list *out, double *volume, abut_error *err)
{
    size_t end = out->count;
    for (size_t i = first; i < end; i++)
        for (int k = 0; k <= m->dimension; k++) {
            int32_t v = m->cells.data[out->data[i]].vertex[k];
            if (number_map_get(vertices_in, v) >= 0) continue;
            if (!number_map_set(vertices_in, v, 0)) return error_memory(err, "choosing a patch");
            for (int32_t r = m->vertices.data[v].first; r >= 0;
                 r = m->cells.data[r / 4].next[r % 4]) {
                if (number_map_get(cells_in, r / 4) >= 0) continue;
                if (!number_map_set(cells_in, r / 4, 0) || !array_push(out, r / 4))
                    return error_memory(err, "choosing a patch");
                *volume += local_cell_volume(m, r / 4, -1);
            }
        }
    return ABUT_OK;
}

abut_status patch_select(const local_mesh *m, int32_t a, int32_t b, int rings, double volume,
                         patch_scratch *scratch, local_list *out, abut_error *err)
{
    number_map *cells_in = &scratch->cells, *vertices_in = &scratch->vertices;
    number_map_clear(cells_in);
    number_map_clear(vertices_in);
    double reached = 0;
    array_clear(out);
    bool ok = true;
    if (rings == 0) {
        TRY(local_mesh_edge_star(m, a, b, out, err));
        qsort(out->data, out->count, sizeof *out->data, compare_int32);
        return ABUT_OK;
    }
    for (int side = 0; side < 2; side++) {
        int32_t v = side ? b : a;
        if (v < 0) continue;
        for (int32_t r = m->vertices.data[v].first; ok && r >= 0;
             r = m->cells.data[r / 4].next[r % 4]) {
            if (number_map_get(cells_in, r / 4) >= 0) continue;
            ok = number_map_set(cells_in, r / 4, 0) && array_push(out, r / 4);
            if (ok) reached += local_cell_volume(m, r / 4, -1);
        }
        ok = ok && number_map_set(vertices_in, v, 0);
    }
    abut_status status = ok ? ABUT_OK : error_memory(err, "choosing a patch");
    size_t first = 0;
    for (int ring = 1; status == ABUT_OK && (ring < rings || reached < volume); ring++) {
        size_t before = out->count;
        status = grow(m, cells_in, vertices_in, first, out, &reached, err);
        first = before;
        if (out->count == before) break;
    }
    if (out->count) qsort(out->data, out->count, sizeof *out->data, compare_int32);
    return status;
}
