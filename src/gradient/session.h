/* What abut/gradient.h works with: a scene, objectives, parameters, and one evaluation of them. */
#ifndef GRADIENT_SESSION_H
#define GRADIENT_SESSION_H

#include "base/file.h"
#include "gradient/objective.h"
#include "gradient/parameter.h"
#include "scene/build.h"

struct abut_gradient {
    json_t *document; /* the scene with all defaults */
    char *path;
    logger log;
    abut_gradient_options options;
    ARRAY(objective) objectives;
    ARRAY(parameter) parameters;
    size_t scalars;
    ARRAY(double) values; /* of the scene */
    abut_gradient_info info;
};

/* A scene that was built with values of the parameters. */
typedef struct built_scene {
    scene_def *scene;
    stepper *stepper;
} built_scene;

void built_scene_free(built_scene *b);
/* values: of all parameters; NULL: those of the scene. except: this key has another value (`at`);
 * NULL: none. */
abut_status session_build(const abut_gradient *g, const double *values, const parameter *except,
                          double at, built_scene *out, abut_error *err);
/* Steps of a run. */
size_t session_step_count(const abut_gradient *g, const built_scene *built);
abut_status session_create(const char *path, const file_bytes *bytes,
                           const abut_gradient_options *options, abut_gradient **out,
                           abut_error *err);
void session_destroy(abut_gradient *g);
abut_status session_add_objective(abut_gradient *g, const abut_objective *o, abut_error *err);
abut_status session_add_parameter(abut_gradient *g, const char *kind, const char *name,
                                  abut_error *err);
/* derivative may be NULL. */
abut_status session_evaluate(abut_gradient *g, const double *values, double *value,
                             double *derivative, abut_error *err);
/* The scene with values of keys put in, as JSON: free() it. */
char *session_scene(const abut_gradient *g, const double *values);

#endif
