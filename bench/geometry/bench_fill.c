/* CPU seconds of one core for filling surfaces, as CSV: work, triangles, vertices, cells, seconds.
 *
 *   fill          200,000 triangles of a bumpy ball into a cage of about 50,000 tetrahedra
 *   find          a surface of 20,000 vertices in the 25,000 cells of a body, most of it inside
 *   find_outside  the same where half of the vertices are outside of all cells */
#include "base/parallel.h"
#include "body/proxy.h"
#include "fill/fill.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static abut_error err;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const double pi = 3.14159265358979323846;

static vec3 bumpy(double radius, double polar, double around)
{
    double r = radius * (1 + 0.1 * sin(7 * polar) * cos(5 * around));
    return (vec3){r * sin(polar) * cos(around), r * cos(polar), r * sin(polar) * sin(around)};
}

/* Rings of vertices between two poles: rings * around + 2 vertices, 2 rings * around triangles. */
static bool make_ball(double radius, int rings, int around, mesh *out)
{
    size_t vertices = (size_t)rings * (size_t)around + 2, used = 0;
    cell_block *block;
    if (mesh_init(out, vertices, &err) != ABUT_OK ||
        mesh_add_block(out, CELL_TRIANGLE, 1, 2 * (vertices - 2), false, &block, &err) != ABUT_OK)
        return false;
    int32_t *n = block->nodes;
    for (int i = 0; i < rings; i++)
        for (int j = 0; j < around; j++)
            out->vertices[i * around + j] =
                bumpy(radius, pi * (i + 1) / (rings + 1), 2 * pi * j / around);
    int32_t top = (int32_t)vertices - 2, bottom = top + 1;
    out->vertices[top] = bumpy(radius, 0, 0);
    out->vertices[bottom] = bumpy(radius, pi, 0);
    for (int j = 0; j < around; j++) {
        int k = (j + 1) % around, last = (rings - 1) * around;
        int32_t caps[] = {top, k, j, bottom, last + j, last + k};
        memcpy(n + used, caps, sizeof caps);
        used += 6;
        for (int i = 0; i + 1 < rings; i++) {
            int a = i * around, b = a + around;
            int32_t quad[] = {a + j, a + k, b + j, a + k, b + k, b + j};
            memcpy(n + used, quad, sizeof quad);
            used += 6;
        }
    }
    return true;
}

static bool measure_fill(void)
{
    mesh ball;
    fill_options options = fill_defaults();
    fill_result r;
    options.cells = 24;
    if (!make_ball(1, 316, 316, &ball)) return false;
    double start = now();
    bool ok = fill_surface(&ball, &options, &r, &err) == ABUT_OK;
    if (ok)
        printf("fill,%zu,%zu,%zu,%.3f\n", ball.blocks[0].count, ball.vertex_count,
               r.solid.blocks[0].count, now() - start);
    if (ok) fill_free(&r);
    mesh_free(&ball);
    return ok;
}

static bool measure_find(const char *name, double radius)
{
    mesh ball, surface;
    fill_options options = fill_defaults();
    options.cells = 17;
    options.collide = FILL_COLLIDE_CAGE;
    options.graded = false;
    fill_result r;
    proxy found;
    if (!make_ball(1, 40, 80, &ball)) return false;
    bool ok = fill_surface(&ball, &options, &r, &err) == ABUT_OK;
    mesh_free(&ball);
    if (!ok || !make_ball(radius, 140, 143, &surface)) return false;
    double start = now();
    ok = proxy_of_surface(&r.solid, &r.solid, 3, &surface, &found, &err) == ABUT_OK;
    if (ok)
        printf("%s,%zu,%zu,%zu,%.3f\n", name, surface.blocks[0].count, surface.vertex_count,
               r.solid.blocks[0].count, now() - start);
    if (ok) fprintf(stderr, "%s: %zu of the vertices are outside\n", name, found.outside);
    if (ok) proxy_free(&found);
    mesh_free(&surface);
    fill_free(&r);
    return ok;
}

int main(void)
{
    parallel_set_threads(1);
    printf("work,triangles,vertices,cells,seconds\n");
    bool ok = measure_fill() && measure_find("find", 0.97) && measure_find("find_outside", 1);
    if (!ok) fprintf(stderr, "%s: %s\n", err.place, err.message);
    return !ok;
}
