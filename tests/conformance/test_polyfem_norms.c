/* Scenes of PolyFEM with a "tests" block: norms of the displacement after the first step (or all,
 * where the block says so and --all is given) against the stored ones, as a table. PolyFEM takes
 * these norms with the quadrature of its assembly: for linear elements the value at the centre.
 *
 * Arguments: words that the paths of the scenes must contain (all scenes without). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/point_norms.h"
#include "base/file.h"
#include "scene/build.h"
#include "scene/scene.h"

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
    const char *overrides[1] = {override};
    snprintf(override, sizeof override, "time.steps=%d", steps);
    scene_def *scene = NULL;
    stepper *s = NULL;
    abut_status status = scene_load(path, overrides, steps > 0 ? 1 : 0, NULL, &scene, &err);
    if (status == ABUT_OK) status = scene_build(scene, NULL, &s, &err);
    int count = scene ? (int)llround(scene->end_time / scene->time_step) : 0;
    step_statistics statistics;
    for (int i = 0; status == ABUT_OK && i < count; i++)
        status = stepper_advance(s, &statistics, &err);
    if (status != ABUT_OK) {
        printf("%-60s not run: %s\n", name, err.message);
        total->refused++;
    } else {
        point_norms n = point_norms_measure(s->model, s->state.x);
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
