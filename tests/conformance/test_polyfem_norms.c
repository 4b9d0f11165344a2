/* Scenes of PolyFEM with a "tests" block: norms of the displacement after the first step (or all,
 * where the block says so and --all is given) against the stored ones, as a table. PolyFEM takes
 * these norms with the quadrature of its assembly: for linear elements the value at the centre.
 *
 * Arguments: words that the paths of the scenes must contain (all scenes without). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "fem/lagrange.h"
#include "scene/build.h"
#include "scene/scene.h"
#include "term/element.h"

#include <ftw.h>
#include <jansson.h>

static abut_error err;
static char root[1000];
static char *files[1000];
static int file_count;

static int visit(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)place;
    size_t length = strlen(path);
    if (kind == FTW_F && length > 5 && strcmp(path + length - 5, ".json") == 0 && file_count < 1000)
        files[file_count++] = strdup(path);
    return 0;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef struct norms {
    double l2, h1_semi, linf;
} norms;

/* Element sets: with the points of the elastic energy. */
static void measure_set(const element_set *set, const stepper *s, norms *n)
{
    const model *m = s->model;
    for (size_t e = 0; e < set->count; e++) {
        double u[3 * ELEMENT_MAX_STRIDE], value[ELEMENT_MAX_NODES];
        element_gather(set, e, s->state.x, m->rest.data, u);
        for (int i = 0; i < set->elastic_points; i++) {
            double weight =
                set->points.data[set->affine ? e : e * (size_t)set->rule.count + (size_t)i].measure;
            if (set->affine) weight *= set->rule.weights[i];
            lagrange_evaluate(set->kind, set->order, set->rule.points[i], value, NULL);
            vec3 at = {0};
            for (int a = 0; a < set->nodes; a++)
                at = vec3_mul_add(at, value[a],
                                  (vec3){u[a], u[set->stride + a], u[2 * set->stride + a]});
            mat3 gradient = mat3_sub(element_deformation(set, e, u, i), mat3_identity());
            n->l2 += weight * vec3_norm2(at);
            n->h1_semi += weight * mat3_norm2(gradient);
            n->linf = fmax(n->linf, vec3_norm(at));
        }
    }
}

/* Over the linear cells, with the value at their centres. */
static norms measure(const stepper *s)
{
    const model *m = s->model;
    norms n = {0};
    for (size_t k = 0; k < m->sets.count; k++) measure_set(&m->sets.data[k], s, &n);
    for (size_t e = 0; e < m->tet_count; e++) {
        const int32_t *nodes = m->tets.data + 4 * e;
        vec3 u[4], center = {0};
        for (int k = 0; k < 4; k++) {
            u[k] = vec3_sub(vec3_load(s->state.x + 3 * (size_t)nodes[k]), m->rest.data[nodes[k]]);
            center = vec3_mul_add(center, 0.25, u[k]);
        }
        mat3 d;
        for (int k = 0; k < 3; k++) {
            vec3 column = vec3_sub(u[k + 1], u[0]);
            d.m[0][k] = column.x;
            d.m[1][k] = column.y;
            d.m[2][k] = column.z;
        }
        double volume = m->tet_rest.data[e].volume;
        n.l2 += volume * vec3_norm2(center);
        n.h1_semi += volume * mat3_norm2(mat3_mul(d, m->tet_rest.data[e].dm_inverse));
        n.linf = fmax(n.linf, vec3_norm(center));
    }
    n.l2 = sqrt(n.l2);
    n.h1_semi = sqrt(n.h1_semi);
    return n;
}

static double relative(double ours, double stored, double scale)
{
    if (fabs(ours) < 1e-14 && fabs(stored) < 1e-14) return 0;
    return fabs(ours - stored) / fmax(fabs(stored), 1e-9 * scale);
}

typedef struct totals {
    int run, agree, refused;
} totals;

static void compare(const char *path, const json_t *stored, int steps, totals *total)
{
    const char *name = path + strlen(root) + 1;
    char override[40];
    const char *overrides[2] = {override, "solver.tolerance=\"1e-7 l\""};
    snprintf(override, sizeof override, "time.steps=%d", steps);
    scene_def *scene = NULL;
    stepper *s = NULL;
    abut_status status = scene_load(path, overrides, steps > 0 ? 2 : 0, NULL, &scene, &err);
    if (status == ABUT_OK) status = scene_build(scene, NULL, &s, &err);
    int count = scene ? (int)llround(scene->end_time / scene->time_step) : 0;
    step_statistics statistics;
    for (int i = 0; status == ABUT_OK && i < count; i++)
        status = stepper_advance(s, &statistics, &err);
    if (status != ABUT_OK) {
        printf("%-60s not run: %s\n", name, err.message);
        total->refused++;
    } else {
        norms n = measure(s);
        double l2 = json_number_value(json_object_get(stored, "err_l2"));
        double h1 = json_number_value(json_object_get(stored, "err_h1_semi"));
        double linf = json_number_value(json_object_get(stored, "err_linf"));
        double worst = fmax(relative(n.l2, l2, linf),
                            fmax(h1 > 1e-12 || n.h1_semi > 1e-9 ? relative(n.h1_semi, h1, l2) : 0,
                                 relative(n.linf, linf, linf)));
        printf("%-60s %4d %13.6g %13.6g %13.6g %13.6g %13.6g %13.6g  %8.1e%s\n", name, count, l2,
               n.l2, h1, n.h1_semi, linf, n.linf, worst, worst < 1e-4 ? "" : "  DIFFERS");
        total->run++;
        total->agree += worst < 1e-4;
    }
    stepper_destroy(s);
    scene_free(scene);
}

static bool wanted(const char *path, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '-' && !strstr(path, argv[i])) return false;
    return true;
}

int main(int argc, char **argv)
{
    const char *data = getenv("ABUT_DATA");
    snprintf(root, sizeof root, "%s/polyfem/contact/examples", data ? data : "../shared/data");
    if (!file_is_directory(root)) {
        printf("skipped: there is no folder %s\n", root);
        return 77;
    }
    bool all = argc > 1 && strcmp(argv[argc - 1], "--all") == 0;
    nftw(root, visit, 8, FTW_PHYS);
    qsort(files, (size_t)file_count, sizeof *files, compare_paths);
    totals total = {0};
    printf("%-60s %4s %13s %13s %13s %13s %13s %13s  %8s\n", "scene", "step", "l2 stored",
           "l2 ours", "h1 stored", "h1 ours", "linf stored", "linf ours", "worst");
    for (int i = 0; i < file_count; i++) {
        json_t *document = json_load_file(files[i], 0, NULL);
        const json_t *stored = json_object_get(document, "tests");
        const json_t *steps = json_object_get(stored, "time_steps");
        bool every = json_is_string(steps);
        if (stored && wanted(files[i], argc, argv) && (!every || all))
            compare(files[i], stored, every ? 0 : 1, &total);
        json_decref(document);
        fflush(stdout);
    }
    printf("%d scenes compared, %d agree to 1e-4; %d could not be run\n", total.run, total.agree,
           total.refused);
    for (int i = 0; i < file_count; i++) free(files[i]);
    return total.agree < total.run || total.run == 0;
}
