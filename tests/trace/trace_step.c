/* Prints the addresses of the functions of a time step in the order of their first calls. The
 * sources of step, solve and contact are compiled for it with -finstrument-functions;
 * scripts/check-one-step gives the addresses their names and compares them with docs/one-step.md.
 */
#include "scene/build.h"
#include "scene/load.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 4096 };
static void *seen[MOST];
static int count;
static int recording;

#define UNTRACED __attribute__((no_instrument_function))

UNTRACED void __cyg_profile_func_enter(void *function, void *site);
UNTRACED void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    if (!recording || count == MOST) return;
    for (int i = 0; i < count; i++)
        if (seen[i] == function) return;
    seen[count++] = function;
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function;
    (void)site;
}

/* A soft box that is pushed against the ground by nodes that are moved, with friction. */
static const char text[] =
    "{\"abut\": 1, \"time\": {\"step\": 0.02, \"steps\": 4}, \"ground\": 0, \"contact\": "
    "{\"friction\": 0.3}, \"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": "
    "[2, 2, 2]}}, \"material\": {\"young\": 1e5, \"poisson\": 0.3}, \"translate\": [0, 0.101, 0], "
    "\"fix\": {\"nodes\": {\"box\": [[-1, 0.2, -1], [1, 1, 1]]}, \"motion\": {\"velocity\": [0.1, "
    "-0.5, 0]}}}]}";

int main(void)
{
    abut_error err;
    scene_def *scene = NULL;
    stepper *s = NULL;
    step_statistics statistics;
    file_bytes bytes = {.data = (char *)text, .size = strlen(text)};
    abut_status status = scene_load_bytes("step.json", &bytes, NULL, 0, NULL, &scene, &err);
    if (status == ABUT_OK) status = scene_build(scene, NULL, &s, &err);
    if (status == ABUT_OK) status = stepper_start(s, NULL, &err);
    for (int i = 0; status == ABUT_OK && i < 4; i++) {
        recording = i == 3;
        status = stepper_advance(s, &statistics, &err);
        recording = 0;
    }
    if (status != ABUT_OK) fprintf(stderr, "%s: %s\n", err.place, err.message);
    for (int i = 0; i < count; i++) printf("%p\n", seen[i]);
    stepper_destroy(s);
    scene_free(scene);
    return status == ABUT_OK ? 0 : 1;
}
