#include "body/collision_surface.h"

#include "base/parallel.h"
#include "math/rotation.h"

#include <string.h>

void collision_surface_free(collision_surface *s)
{
    array_free(&s->rows);
    array_free(&s->entries);
    array_free(&s->offsets);
    array_free(&s->arms);
    array_free(&s->poses);
    array_free(&s->follower);
    array_free(&s->vertex_body);
    array_free(&s->vertex_group);
    array_free(&s->excluded);
    array_free(&s->edges);
    array_free(&s->triangles);
    array_free(&s->edge_length2);
    array_free(&s->vertex_on_edge);
    array_free(&s->thickness);
    array_free(&s->width);
    memset(s, 0, sizeof *s);
}

/* ---------------------------------------------------------------------------------------------- */
/* Building                                                                                       */

static abut_status add_row(collision_surface *s, surface_row row, abut_error *err)
{
    bool ok = array_push(&s->rows, row);
    /* Once there are arms, every vertex has one, so that they need no index of their own. */
    if (ok && s->poses.count > 0)
        while (ok && s->arms.count < s->rows.count) ok = array_push(&s->arms, (vec3){0});
    if (row.kind != ROW_NODE) s->general = true;
    return ok ? ABUT_OK : error_memory(err, "adding a vertex of the collision surface");
}

abut_status surface_add_node(collision_surface *s, int32_t block, abut_error *err)
{
    return add_row(s, (surface_row){.kind = ROW_NODE, .block = block}, err);
}

abut_status surface_add_combination(collision_surface *s, const row_entry *entries, int count,
                                    abut_error *err)
{
    if (count < 1 || count > ROW_MAX_BLOCKS)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                         "a collision vertex follows %d nodes; 1 to %d are supported", count,
                         ROW_MAX_BLOCKS);
    surface_row row = {.kind = ROW_COMBINATION,
                       .block = entries[0].block,
                       .first = (int32_t)s->entries.count,
                       .count = count};
    for (int k = 0; k < count; k++)
        if (!array_push(&s->entries, entries[k]))
            return error_memory(err, "adding a vertex of the collision surface");
    return add_row(s, row, err);
}

abut_status surface_set_offset(collision_surface *s, vec3 offset, abut_error *err)
{
    while (s->offsets.count < s->rows.count)
        if (!array_push(&s->offsets, (vec3){0}))
            return error_memory(err, "adding a vertex of the collision surface");
    s->offsets.data[s->rows.count - 1] = offset;
    return ABUT_OK;
}

abut_status surface_add_pose(collision_surface *s, int32_t block, int32_t *pose, abut_error *err)
{
    *pose = (int32_t)s->poses.count;
    bool ok = array_push(&s->poses, block);
    while (ok && s->arms.count < s->rows.count) ok = array_push(&s->arms, (vec3){0});
    return ok ? ABUT_OK : error_memory(err, "adding a rigid frame");
}

abut_status surface_add_rigid(collision_surface *s, int32_t pose, vec3 arm, abut_error *err)
{
    surface_row row = {.kind = ROW_RIGID, .block = s->poses.data[pose], .first = pose};
    TRY(add_row(s, row, err));
    s->arms.data[s->arms.count - 1] = arm;
    return ABUT_OK;
}

int surface_row_blocks(const collision_surface *s, int32_t vertex, int32_t *blocks)
{
    const surface_row *row = &s->rows.data[vertex];
    switch (row->kind) {
    case ROW_NODE: break;
    case ROW_COMBINATION:
        for (int k = 0; k < row->count; k++) blocks[k] = s->entries.data[row->first + k].block;
        return row->count;
    case ROW_RIGID:
        blocks[0] = row->block;
        blocks[1] = row->block + 1;
        return 2;
    }
    blocks[0] = row->block;
    return 1;
}

/* ---------------------------------------------------------------------------------------------- */
/* Evaluation                                                                                     */

typedef struct positions_work {
    const int32_t *vertices; /* these only; NULL: all */
    const collision_surface *s;
    const double *x, *v;
    vec3 *y;
    bool with_offsets;
} positions_work;

static vec3 combination(const collision_surface *s, const surface_row *row, const double *x)
{
    vec3 y = {0};
    for (int k = 0; k < row->count; k++) {
        const row_entry *e = &s->entries.data[row->first + k];
        y = vec3_mul_add(y, e->weight, vec3_load(x + 3 * (size_t)e->block));
    }
    return y;
}

static void positions_range(void *context, size_t begin, size_t end)
{
    const positions_work *w = context;
    int32_t pose = -1; /* vertices of a body stand together: one rotation serves many */
    mat3 rotation = mat3_identity();
    for (size_t k = begin; k < end; k++) {
        size_t i = w->vertices ? (size_t)w->vertices[k] : k;
        const surface_row *row = &w->s->rows.data[i];
        switch (row->kind) {
        case ROW_NODE: w->y[k] = vec3_load(w->x + 3 * (size_t)row->block); break;
        case ROW_COMBINATION:
            w->y[k] = combination(w->s, row, w->x);
            if (w->with_offsets && i < w->s->offsets.count)
                w->y[k] = vec3_add(w->s->offsets.data[i], w->y[k]);
            break;
        case ROW_RIGID:
            if (row->first != pose)
                rotation = rotation_matrix(vec3_load(w->x + 3 * (size_t)row->block + 3));
            pose = row->first;
            w->y[k] = vec3_add(vec3_load(w->x + 3 * (size_t)row->block),
                               mat3_mul_vec(rotation, w->s->arms.data[i]));
            break;
        }
    }
}

static void velocities_range(void *context, size_t begin, size_t end)
{
    const positions_work *w = context;
    int32_t pose = -1;
    mat3 rotation = mat3_identity();
    for (size_t i = begin; i < end; i++) {
        const surface_row *row = &w->s->rows.data[i];
        const double *v = w->v + 3 * (size_t)row->block;
        switch (row->kind) {
        case ROW_NODE: w->y[i] = vec3_load(v); break;
        case ROW_COMBINATION: w->y[i] = combination(w->s, row, w->v); break;
        case ROW_RIGID:
            if (row->first != pose)
                rotation = rotation_matrix(vec3_load(w->x + 3 * (size_t)row->block + 3));
            pose = row->first;
            w->y[i] =
                vec3_add(vec3_load(v),
                         vec3_cross(vec3_load(v + 3), mat3_mul_vec(rotation, w->s->arms.data[i])));
            break;
        }
    }
}

void collision_surface_positions(const collision_surface *s, const double *x, vec3 *y)
{
    positions_work work = {.s = s, .x = x, .y = y, .with_offsets = true};
    parallel_for(s->rows.count, 8192, positions_range, &work);
}

void collision_surface_some_positions(const collision_surface *s, const double *x,
                                      const int32_t *vertices, size_t count, vec3 *y)
{
    positions_work work = {.s = s, .x = x, .vertices = vertices, .y = y, .with_offsets = true};
    parallel_for(count, 8192, positions_range, &work);
}

void collision_surface_directions(const collision_surface *s, const double *p, vec3 *out)
{
    positions_work work = {.s = s, .x = p, .y = out};
    parallel_for(s->rows.count, 8192, positions_range, &work);
}

void collision_surface_velocities(const collision_surface *s, const double *x, const double *v,
                                  vec3 *out)
{
    positions_work work = {.s = s, .x = x, .v = v, .y = out};
    parallel_for(s->rows.count, 8192, velocities_range, &work);
}
