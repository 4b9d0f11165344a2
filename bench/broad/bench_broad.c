/* Times of the broad phase, as CSV on standard output.
 *
 *     bench_broad [--quick] [--only NAME]
 *
 * Scenes: stacked wavy sheets of growing size (NAME "sheets-<triangles>"), and the frames of the
 * public sample of the scalable CCD data set where it is present ($ABUT_DATA or ../shared/data).
 * Methods: "bvh" is src/broad ("bvh-tight" with diagonals); "select" narrows a set that covers the
 * query; "grid" is a uniform grid and "brute" tests all pairs, both on one thread for comparison.
 * The first query orders the primitives and finds out how much memory is needed; then come the
 * median and the best of the repeated ones, and the median of the processor time of all threads
 * together (what counts on a machine that is busy with other work; set OMP_WAIT_POLICY=passive to
 * leave out waiting). */
#include "base/parallel.h"
#include "base/random.h"
#include "base/timer.h"
#include "broad/candidates.h"
#include "grid.h"
#include "mesh/mesh_io.h"
#include "mesh/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct bench_scene {
    char name[64];
    size_t vertex_count, edge_count, triangle_count;
    vec3 *y, *p;
    int32_t (*edges)[2];
    int32_t (*triangles)[3];
    double inflation;
} bench_scene;

static void *must(void *pointer)
{
    if (pointer) return pointer;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

static void must_work(abut_status status, const abut_error *err)
{
    if (status == ABUT_OK) return;
    fprintf(stderr, "%s: %s\n", err->place, err->message);
    exit(1);
}

static void free_scene(bench_scene *s)
{
    mem_free(s->y);
    mem_free(s->p);
    mem_free(s->edges);
    mem_free(s->triangles);
}

/* ---- scenes --------------------------------------------------------------------------------- */

static void fill_sheet(bench_scene *s, int n, int layer, double cell, random_state *r)
{
    int32_t first = (int32_t)s->vertex_count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double x = i * cell, z = j * cell, wave = 0.05 * sin(9.0 * x) * cos(7.0 * z);
            double height = wave + layer * 1.5e-3 + random_range(r, -2e-4, 2e-4);
            s->y[s->vertex_count] = vec3_make(x, height, z);
            s->p[s->vertex_count++] = vec3_make(2e-4 * sin(5.0 * z + layer),
                                                random_range(r, -1e-3, 1e-3), 2e-4 * cos(4.0 * x));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int32_t v = first + i * n + j;
            const int32_t to[3] = {v + n, v + 1, v + n + 1};
            const bool there[3] = {i + 1 < n, j + 1 < n, i + 1 < n && j + 1 < n};
            for (int k = 0; k < 3; k++) {
                if (!there[k]) continue;
                s->edges[s->edge_count][0] = v;
                s->edges[s->edge_count++][1] = to[k];
            }
            if (!there[2]) continue;
            int32_t(*t)[3] = &s->triangles[s->triangle_count];
            memcpy(t[0], (int32_t[3]){v, to[0], to[2]}, sizeof t[0]);
            memcpy(t[1], (int32_t[3]){v, to[2], to[1]}, sizeof t[1]);
            s->triangle_count += 2;
        }
}

/* Two layers of n x n vertices over the unit square, 1.5 mm apart; everything moves by about 1 mm.
 */
static bench_scene make_sheets(int n)
{
    bench_scene s = {.inflation = 1e-3};
    size_t vertices = 2 * (size_t)n * (size_t)n;
    s.y = must(mem_alloc(vertices, sizeof *s.y));
    s.p = must(mem_alloc(vertices, sizeof *s.p));
    s.edges = must(mem_alloc(3 * vertices, sizeof *s.edges));
    s.triangles = must(mem_alloc(2 * vertices, sizeof *s.triangles));
    random_state r = {1};
    for (int layer = 0; layer < 2; layer++) fill_sheet(&s, n, layer, 1.0 / (n - 1), &r);
    snprintf(s.name, sizeof s.name, "sheets-%zu", s.triangle_count);
    return s;
}

static bool load_frames(const char *name, int frame, bench_scene *s)
{
    const char *data = getenv("ABUT_DATA");
    abut_error err = {0};
    mesh from = {0}, to = {0};
    char path[2][4096];
    if (!data) data = "../shared/data";
    for (int i = 0; i < 2; i++)
        snprintf(path[i], sizeof path[i], "%s/ccd-scalable/%s/frames/%d.ply", data, name,
                 frame + i);
    if (mesh_read(path[0], NULL, &from, &err) != ABUT_OK) return false;
    must_work(mesh_read(path[1], NULL, &to, &err), &err);
    const cell_block *triangles = mesh_find(&from, CELL_TRIANGLE);
    *s = (bench_scene){.vertex_count = from.vertex_count, .triangle_count = triangles->count};
    snprintf(s->name, sizeof s->name, "%s", name);
    s->y = must(mem_alloc(s->vertex_count, sizeof *s->y));
    s->p = must(mem_alloc(s->vertex_count, sizeof *s->p));
    s->triangles = must(mem_alloc(s->triangle_count, sizeof *s->triangles));
    for (size_t v = 0; v < s->vertex_count; v++) {
        s->y[v] = from.vertices[v];
        s->p[v] = vec3_sub(to.vertices[v], from.vertices[v]);
    }
    memcpy(s->triangles, triangles->nodes, s->triangle_count * sizeof *s->triangles);
    must_work(unique_edges((const int32_t(*)[3])s->triangles, s->triangle_count, NULL, 0, &s->edges,
                           &s->edge_count, &err),
              &err);
    mesh_free(&from);
    mesh_free(&to);
    return true;
}

/* ---- timing --------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { MAX_REPEATS = 101 };

/* Seconds of repeated runs: by the clock, and of all processors together. */
typedef struct timing {
    double wall[MAX_REPEATS], processor[MAX_REPEATS];
    int count;
    double wall_start, processor_start;
} timing;

static double processor_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void timing_begin(timing *t)
{
    t->processor_start = processor_now();
    t->wall_start = timer_now();
}

static double timing_end(timing *t)
{
    t->wall[t->count] = timer_now() - t->wall_start;
    t->processor[t->count] = processor_now() - t->processor_start;
    return t->wall[t->count++];
}

static void print_row(const bench_scene *s, const char *method, int threads, const char *query,
                      double first, timing *t, size_t vt, size_t ee)
{
    qsort(t->wall, (size_t)t->count, sizeof *t->wall, compare_doubles);
    qsort(t->processor, (size_t)t->count, sizeof *t->processor, compare_doubles);
    printf("%s,%zu,%zu,%zu,%s,%d,%s,%.4f,%.4f,%.4f,%.4f,%zu,%zu\n", s->name, s->vertex_count,
           s->edge_count, s->triangle_count, method, threads, query, 1e3 * first,
           1e3 * t->wall[t->count / 2], 1e3 * t->wall[0], 1e3 * t->processor[t->count / 2], vt, ee);
    fflush(stdout);
}

/* As many repeats as fit half a second, within bounds. */
static int repeats_for(double seconds)
{
    double fit = 0.5 / (seconds + 1e-6);
    return fit > MAX_REPEATS ? MAX_REPEATS : fit < 3.0 ? 3 : (int)fit;
}

static broad_surface surface_of(const bench_scene *s)
{
    return (broad_surface){.vertex_count = s->vertex_count,
                           .edge_count = s->edge_count,
                           .edges = (const int32_t(*)[2])s->edges,
                           .triangle_count = s->triangle_count,
                           .triangles = (const int32_t(*)[3])s->triangles};
}

static void bench_bvh(const bench_scene *s, const broad_query *q, int threads)
{
    abut_error err = {0};
    broad_surface surface = surface_of(s);
    broad_phase *broad = NULL;
    candidate_set set = {0}, part = {0};
    timing t = {.count = 0};
    parallel_set_threads(threads);
    must_work(broad_create(&surface, &broad, &err), &err);
    timing_begin(&t);
    must_work(broad_candidates(broad, q, &set, &err), &err);
    double first = timing_end(&t);
    int repeats = repeats_for(first / 4.0);
    t.count = 0;
    for (int i = 0; i < repeats; i++) {
        timing_begin(&t);
        must_work(broad_candidates(broad, q, &set, &err), &err);
        timing_end(&t);
    }
    const char *kind = q->p ? "swept" : "static";
    print_row(s, q->tight ? "bvh-tight" : "bvh", threads, kind, first, &t, set.vt.count,
              set.ee.count);
    if (!q->p) {
        broad_query wide = *q;
        wide.inflation *= 2.0;
        must_work(broad_candidates(broad, &wide, &set, &err), &err);
        t.count = 0;
        for (int i = 0; i < repeats; i++) {
            timing_begin(&t);
            must_work(broad_select(broad, q, &set, &part, &err), &err);
            timing_end(&t);
        }
        print_row(s, "select", threads, kind, t.wall[0], &t, part.vt.count, part.ee.count);
    }
    candidate_set_free(&set);
    candidate_set_free(&part);
    broad_destroy(broad);
}

static void bench_others(const bench_scene *s, const broad_query *q)
{
    broad_surface surface = surface_of(s);
    const char *kind = q->p ? "swept" : "static";
    size_t vt, ee;
    timing t = {.count = 0};
    timing_begin(&t);
    grid_candidates(&surface, q, &vt, &ee);
    print_row(s, "grid", 1, kind, timing_end(&t), &t, vt, ee);
    if (s->triangle_count > 25000) return;
    t.count = 0;
    timing_begin(&t);
    brute_candidates(&surface, q, &vt, &ee);
    print_row(s, "brute", 1, kind, timing_end(&t), &t, vt, ee);
}

static void bench_scene_all(const bench_scene *s, int threads)
{
    broad_query swept = {.y = s->y, .p = s->p, .alpha = 1.0, .inflation = s->inflation};
    broad_query fixed = {.y = s->y, .inflation = s->inflation};
    for (int t = 1; t <= threads; t *= 2) {
        bench_bvh(s, &swept, t);
        bench_bvh(s, &fixed, t);
        swept.tight = true;
        bench_bvh(s, &swept, t);
        swept.tight = false;
    }
    bench_others(s, &swept);
}

int main(int argc, char **argv)
{
    bool quick = false;
    const char *only = "";
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) quick = true;
        if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) only = argv[++i];
    }
    int threads = parallel_threads();
    printf("scene,vertices,edges,triangles,method,threads,query,first_ms,median_ms,best_ms,cpu_ms,"
           "vt,ee\n");
    const int sides[] = {5, 16, 35, 71, 159, 225, 502};
    for (size_t i = 0; i < sizeof sides / sizeof *sides - (quick ? 3 : 0); i++) {
        bench_scene s = make_sheets(sides[i]);
        if (strstr(s.name, only)) bench_scene_all(&s, threads);
        free_scene(&s);
    }
    const struct {
        const char *name;
        int frame;
    } frames[] = {{"cloth-funnel", 227}, {"rod-twist", 3036}};
    for (size_t i = 0; i < 2; i++) {
        bench_scene s;
        if (!load_frames(frames[i].name, frames[i].frame, &s)) continue;
        if (strstr(s.name, only)) bench_scene_all(&s, threads);
        free_scene(&s);
    }
    return 0;
}
