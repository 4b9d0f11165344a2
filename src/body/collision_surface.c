#include "body/collision_surface.h"

#include "base/parallel.h"

#include <string.h>

void collision_surface_free(collision_surface *s)
{
    array_free(&s->rows);
    array_free(&s->vertex_body);
    array_free(&s->edges);
    array_free(&s->triangles);
    array_free(&s->edge_length2);
    array_free(&s->vertex_on_edge);
    memset(s, 0, sizeof *s);
}

typedef struct positions_work {
    const collision_surface *s;
    const double *x;
    vec3 *y;
} positions_work;

static void positions_range(void *context, size_t begin, size_t end)
{
    const positions_work *w = context;
    for (size_t i = begin; i < end; i++)
        w->y[i] = vec3_load(w->x + 3 * (size_t)w->s->rows.data[i].block);
}

void collision_surface_positions(const collision_surface *s, const double *x, vec3 *y)
{
    positions_work work = {s, x, y};
    parallel_for(s->rows.count, 8192, positions_range, &work);
}
