#include "scene/complete.h"

#include "step/integrator.h"

#include <math.h>

/* Where nothing but forces tells an equilibrium; docs/theory/newton.md, "When it ends". */
static const double STATIC_FORCE_TOLERANCE = 1e-5;

const law_parameter *law_names(const void *material, int *count)
{
    const elastic_law *law = elastic_laws[((const material_def *)material)->model];
    *count = law->parameter_count;
    return law->parameters;
}

const law_parameter *kind_names(const void *body, int *count)
{
    const body_row *row = body_rows[((const body_def *)body)->type];
    *count = row->parameter_count;
    return row->parameters;
}

void complete_half_space(void *out)
{
    half_space_def *plane = out;
    plane->normal = vec3_normalize(plane->normal);
}

void complete_thin_damping(body_def *body, double damping, double bending_damping)
{
    if (damping >= 0) body->damping = damping;
    body->bending_damping = bending_damping >= 0 ? bending_damping : body->damping;
}

void complete_body(void *out)
{
    body_def *body = out;
    const body_row *row = body_rows[body->type];
    if (body->density > 0) body->material.density = body->density;
    body->damping = body->bending_damping = body->material.damping;
    if (!(row->keys & KEYS_SHELL)) body->shell.limit.upper = INFINITY;
    if (row->complete) row->complete(body);
}

/* Which bodies are remeshed, and what that asks for: a sum over pairs would grow with every split
 * for the same shape. */
static void complete_remesh(scene_def *scene)
{
    contact_options *contact = &scene->options.contact_options;
    if (scene->remesh.on) contact->area_weighted = true;
    /* The energy of a trial must not depend on how the masses are divided among its nodes. */
    if (scene->remesh.on && contact->rule == STIFFNESS_LOCAL) contact->rule = STIFFNESS_BALANCED;
    for (size_t i = 0; i < scene->body_count; i++) {
        body_def *body = &scene->bodies[i];
        body->remesh =
            scene->remesh.on && body->remesh && body->enabled && body_rows[body->type]->solid;
        body->consistent_mass = body->consistent_mass || body->remesh;
    }
}

void complete_scene(void *out)
{
    scene_def *scene = out;
    if (scene->steps > 0) scene->end_time = scene->steps * scene->options.h;
    double *force_tolerance = &scene->options.stop.force_tolerance;
    bool is_static = integrator_rules[scene->options.integrator]->is_static;
    if (*force_tolerance < 0) *force_tolerance = is_static ? STATIC_FORCE_TOLERANCE : 0;
    complete_remesh(scene);
}
