#include "gradient/surface_map.h"

#include "math/rotation.h"

static vec3 block_of(const double *x, int32_t block) { return vec3_load(x + 3 * (size_t)block); }

static void add_to(double *out, int32_t block, double weight, vec3 a)
{
    double *at = out + 3 * (size_t)block;
    vec3_store(at, vec3_mul_add(vec3_load(at), weight, a));
}

void surface_push(const collision_surface *s, const double *x, const double *w, vec3 *out)
{
    for (size_t v = 0; v < s->rows.count; v++) {
        const surface_row *row = &s->rows.data[v];
        out[v] = row->kind == ROW_COMBINATION ? (vec3){0} : block_of(w, row->block);
        for (int j = 0; row->kind == ROW_COMBINATION && j < row->count; j++) {
            const row_entry *e = &s->entries.data[row->first + j];
            out[v] = vec3_mul_add(out[v], e->weight, block_of(w, e->block));
        }
        if (row->kind != ROW_RIGID) continue;
        mat3 first[3];
        vec3 turn = block_of(w, row->block + 1);
        rotation_first(block_of(x, row->block + 1), first);
        for (int k = 0; k < 3; k++)
            out[v] =
                vec3_mul_add(out[v], vec3_get(turn, k), mat3_mul_vec(first[k], s->arms.data[v]));
    }
}

void surface_pull(const collision_surface *s, const double *x, const vec3 *bar, double *out)
{
    for (size_t v = 0; v < s->rows.count; v++) {
        const surface_row *row = &s->rows.data[v];
        if (bar[v].x == 0 && bar[v].y == 0 && bar[v].z == 0) continue;
        if (row->kind != ROW_COMBINATION) add_to(out, row->block, 1, bar[v]);
        for (int j = 0; row->kind == ROW_COMBINATION && j < row->count; j++) {
            const row_entry *e = &s->entries.data[row->first + j];
            add_to(out, e->block, e->weight, bar[v]);
        }
        if (row->kind != ROW_RIGID) continue;
        mat3 first[3];
        rotation_first(block_of(x, row->block + 1), first);
        vec3 turn;
        double part[3];
        for (int k = 0; k < 3; k++)
            part[k] = vec3_dot(bar[v], mat3_mul_vec(first[k], s->arms.data[v]));
        turn = vec3_load(part);
        add_to(out, row->block + 1, 1, turn);
    }
}
