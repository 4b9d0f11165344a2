/* What a picture wants to know about the scene of a run: where up is, a floor, which bodies are
 * obstacles, how
 * thick rods and particles are. Taken from scene.json as far as it says. */
#ifndef APP_SCENE_HINTS_H
#define APP_SCENE_HINTS_H

#include <abut/base.h>

typedef struct scene_hints {
    bool found; /* there was a scene.json */
    bool gravity;
    int up_axis; /* against gravity */
    bool up_negative;
    bool floor; /* a half space that looks up */
    double floor_height;
    size_t body_count;
    bool *obstacle; /* per body */
    double
        *diameter; /* per body: of rods and particles, material or contact, the larger; 0: none */
} scene_hints;

/* A missing scene.json is fine; one that is not JSON is an error. */
abut_status scene_hints_read(scene_hints *hints, const char *run_folder, abut_error *err);
void scene_hints_free(scene_hints *hints);

#endif
