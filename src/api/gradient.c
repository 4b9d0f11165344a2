/* The functions of gradient.h. */
#include "gradient/forward.h"
#include "gradient/session.h"

#include <string.h>

abut_gradient_options abut_default_gradient_options(void)
{
    return (abut_gradient_options){.log_level = ABUT_LOG_WARNING};
}

abut_objective abut_default_objective(void)
{
    return (abut_objective){.kind = ABUT_OBJECTIVE_POSITIONS, .weight = 1, .last = true};
}

abut_status abut_gradient_create(const char *scene_path, const abut_gradient_options *options,
                                 abut_gradient **out, abut_error *error)
{
    abut_gradient_options defaults = abut_default_gradient_options();
    return session_create(scene_path, NULL, options ? options : &defaults, out, error);
}

abut_status abut_gradient_create_text(const char *text, size_t length, const char *path,
                                      const abut_gradient_options *options, abut_gradient **out,
                                      abut_error *error)
{
    abut_gradient_options defaults = abut_default_gradient_options();
    file_bytes bytes = {.data = (char *)text, .size = length}; /* only read */
    return session_create(path ? path : "scene.json", &bytes, options ? options : &defaults, out,
                          error);
}

void abut_gradient_destroy(abut_gradient *g) { session_destroy(g); }

abut_status abut_gradient_add_objective(abut_gradient *g, const abut_objective *o,
                                        abut_error *error)
{
    return session_add_objective(g, o, error);
}

abut_status abut_gradient_add_parameter(abut_gradient *g, const char *kind, const char *name,
                                        abut_error *error)
{
    return session_add_parameter(g, kind, name, error);
}

size_t abut_gradient_scalar_count(const abut_gradient *g) { return g->scalars; }

void abut_gradient_values(const abut_gradient *g, double *values)
{
    if (g->scalars) memcpy(values, g->values.data, g->scalars * sizeof *values);
}

abut_status abut_gradient_evaluate(abut_gradient *g, const double *values, double *value,
                                   double *derivative, abut_error *error)
{
    return session_evaluate(g, values, value, derivative, error);
}

abut_status abut_gradient_evaluate_forward(abut_gradient *g, const double *values, double *value,
                                           double *derivative, double *square, abut_error *error)
{
    return forward_evaluate(g, values, value, derivative, square, error);
}

void abut_gradient_get_info(const abut_gradient *g, abut_gradient_info *out) { *out = g->info; }

char *abut_gradient_scene(const abut_gradient *g, const double *values)
{
    return session_scene(g, values);
}
