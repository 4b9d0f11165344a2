/* Scenes written down in tests, with ' in place of ". */
#ifndef SCENE_TEXT_H
#define SCENE_TEXT_H

#include "test.h"

#include "scene/build.h"
#include "scene/load.h"

static inline void use_double_quotes(char *text)
{
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
}

/* A stepper of a scene; both are to be given back by drop_scene. NULL after a failed check. */
static inline stepper *build_scene(const char *text, scene_def **scene)
{
    char buffer[2000];
    abut_error err;
    snprintf(buffer, sizeof buffer, "%s", text);
    use_double_quotes(buffer);
    file_bytes bytes = {.data = buffer, .size = strlen(buffer)};
    stepper *s = NULL;
    *scene = NULL;
    CHECK_OK(scene_load_bytes("test.json", &bytes, NULL, 0, NULL, scene, &err), err);
    if (*scene) CHECK_OK(scene_build(*scene, NULL, &s, &err), err);
    return s;
}

static inline void drop_scene(stepper *s, scene_def *scene)
{
    stepper_destroy(s);
    scene_free(scene);
}

#endif
