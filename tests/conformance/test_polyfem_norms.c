/* Scenes of PolyFEM with a "tests" block: norms of the displacement against the stored ones, after
 * as many steps as the block says (all of them, or one), as a table. PolyFEM takes these norms with
 * the quadrature of its assembly: for linear elements the value at the centre.
 *
 * Where a scene as it is gives something else, a second run with other settings shows why; the
 * settings and the reason are listed below and in docs/import-polyfem.md.
 *
 * Arguments: words that the paths of the scenes must contain (all scenes without). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "measure/point_norms.h"
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

static const double AGREES = 1e-4;

typedef struct exception {
    const char *scene;
    const char *settings[2];
    double limit; /* on what the second run differs by */
    const char *reason;
} exception;

#define THEIR_NEWTON "solver.true_hessian_first=true"

static const char SADDLE[] =
    "a balance that is no minimum, in which PolyFEM's Newton (true Hessian first) stays";
static const char BRANCH[] =
    "two minima after a bounce, whatever the tolerance: PolyFEM's Newton leads to the other one";
static const char STALE[] = "stored after 5 steps of 0.02 s in free fall, not 200 of 0.025 s";

static const exception exceptions[] = {
    {"2D/unit-tests/vertex-vertex.json", {THEIR_NEWTON}, AGREES, SADDLE},
    {"3D/large-ratios/large-mass-ratio.json", {THEIR_NEWTON}, AGREES, SADDLE},
    {"3D/unit-tests/erleben/spike-and-wedge.json", {THEIR_NEWTON}, AGREES, SADDLE},
    {"3D/unit-tests/erleben/spikes.json", {THEIR_NEWTON}, AGREES, SADDLE},
    {"3D/unit-tests/erleben/wedge-in-crack.json", {THEIR_NEWTON}, AGREES, BRANCH},
    {"3D/unit-tests/erleben/wedges.json", {THEIR_NEWTON}, AGREES, SADDLE},
    {"3D/unit-tests/5-cubes-hex-fast.json", {"time.steps=5", "time.step=0.02"}, AGREES, STALE},
    {"3D/unit-tests/5-cubes-hex.json", {"time.steps=5", "time.step=0.02"}, AGREES, STALE},
    {"2D/unit-tests/erleben/cliff-edges.json",
     {0},
     1e-3,
     "corners exactly on corners: how fast it slides off is decided by the iterates of a bounce"},
    {"3D/friction/high-school-physics-slopetest-mu=0.50.json",
     {0},
     4e-2,
     "tan of the slope is mu: it creeps, by less than eps_v times the time (2.5e-5 m)"},
};

static const exception *find_exception(const char *scene)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (strcmp(exceptions[i].scene, scene) == 0) return &exceptions[i];
    return NULL;
}

typedef struct totals {
    int run, agree, explained, refused;
} totals;

/* Runs a scene and prints its row; *worst: by how much it differs. steps 0: as many as it has. */
static bool compare(const char *path, const json_t *stored, int steps, const char *const *settings,
                    double limit, double *worst)
{
    const char *name = path + strlen(root) + 1;
    char count_override[40];
    const char *overrides[3];
    int given = 0;
    snprintf(count_override, sizeof count_override, "time.steps=%d", steps);
    if (steps > 0) overrides[given++] = count_override;
    for (int i = 0; settings && i < 2 && settings[i]; i++) overrides[given++] = settings[i];
    scene_def *scene = NULL;
    stepper *s = NULL;
    abut_status status = scene_load(path, overrides, given, NULL, &scene, &err);
    if (status == ABUT_OK) status = scene_build(scene, NULL, &s, &err);
    int count = scene ? (int)llround(scene->end_time / scene->options.h) : 0;
    step_statistics statistics;
    for (int i = 0; status == ABUT_OK && i < count; i++)
        status = stepper_advance(s, &statistics, &err);
    if (status != ABUT_OK) {
        printf("%-60s not run: %s\n", name, err.message);
    } else {
        displacement_norms n = point_norms_measure(s->model, s->state.x);
        double l2 = json_number_value(json_object_get(stored, "err_l2"));
        double h1 = json_number_value(json_object_get(stored, "err_h1_semi"));
        double linf = json_number_value(json_object_get(stored, "err_linf"));
        *worst = fmax(relative(n.l2, l2, linf),
                      fmax(h1 > 1e-12 || n.h1_semi > 1e-9 ? relative(n.h1_semi, h1, l2) : 0,
                           relative(n.linf, linf, linf)));
        printf("%-60s %4d %13.6g %13.6g %13.6g %13.6g %13.6g %13.6g  %8.1e%s\n", name, count, l2,
               n.l2, h1, n.h1_semi, linf, n.linf, *worst, *worst < limit ? "" : "  DIFFERS");
    }
    stepper_destroy(s);
    scene_free(scene);
    return status == ABUT_OK;
}

/* As it is, then, where an exception is listed, with its settings. An exception that is not needed
 * any more is as wrong as a scene that differs. */
static void compare_scene(const char *path, const json_t *stored, int steps, totals *total)
{
    const exception *e = find_exception(path + strlen(root) + 1);
    double worst = 0;
    if (!compare(path, stored, steps, NULL, AGREES, &worst)) {
        total->refused++;
        return;
    }
    total->run++;
    total->agree += !e && worst < AGREES;
    if (!e) return;
    printf("    %s%s%s\n", e->settings[0] ? e->settings[0] : "", e->settings[0] ? ": " : "",
           e->reason);
    bool needed = worst >= AGREES;
    if (e->settings[0] && !compare(path, stored, steps, e->settings, e->limit, &worst)) return;
    total->explained += needed && worst < e->limit;
    if (!needed) printf("    this exception is not needed any more\n");
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
    nftw(root, visit, 8, FTW_PHYS);
    qsort(files, (size_t)file_count, sizeof *files, compare_paths);
    totals total = {0};
    printf("%-60s %4s %13s %13s %13s %13s %13s %13s  %8s\n", "scene", "step", "l2 stored",
           "l2 ours", "h1 stored", "h1 ours", "linf stored", "linf ours", "worst");
    for (int i = 0; i < file_count; i++) {
        json_t *document = json_load_file(files[i], 0, NULL);
        const json_t *stored = json_object_get(document, "tests");
        const json_t *steps = json_object_get(stored, "time_steps");
        int count = json_is_string(steps)    ? 0
                    : json_is_integer(steps) ? (int)json_integer_value(steps)
                                             : 1;
        if (stored && wanted(files[i], argc, argv)) compare_scene(files[i], stored, count, &total);
        json_decref(document);
        fflush(stdout);
    }
    printf("%d scenes compared, %d agree to %g, %d as listed; %d could not be run\n", total.run,
           total.agree, AGREES, total.explained, total.refused);
    for (int i = 0; i < file_count; i++) free(files[i]);
    return total.agree + total.explained < total.run || total.run == 0;
}
