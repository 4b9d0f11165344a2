/* A scene with objectives and parameters, and the scenes that are built from it. */
#include "gradient/session.h"

#include "gradient/scene_key.h"
#include "scene/load.h"
#include "verify/verify_positions.h"

#include <math.h>
#include <string.h>

static const double TOLERANCE = 1e-6; /* m/s, or m; recorded steps are polished beyond it */

void built_scene_free(built_scene *b)
{
    stepper_destroy(b->stepper);
    scene_free(b->scene);
    *b = (built_scene){0};
}

/* Steps that can be differentiated are solved to the end, in one piece. */
static void set_options(const abut_gradient *g, stepper_options *o)
{
    o->tolerance = g->options.tolerance > 0 ? g->options.tolerance : TOLERANCE;
    o->substeps.halvings = 0;
    o->budget = 0;
    o->forcing = 0;
    o->look_ahead = false;
    if (o->friction_iterations == 0) o->friction_iterations = 1; /* refused before */
}

static abut_status apply_fields(const abut_gradient *g, const double *values, built_scene *out,
                                abut_error *err)
{
    stepper *s = out->stepper;
    bool restart = false;
    for (size_t i = 0; i < g->parameters.count; i++) {
        const parameter *p = &g->parameters.data[i];
        if (p->body < 0) continue;
        for (size_t k = 0; k < p->count; k++)
            if (!isfinite(values[p->first + k]))
                return error_set(err, ABUT_ERROR_INPUT, p->row->name, "not a finite number");
        TRY(p->row->apply(p, s, values + p->first, err));
        restart = true;
    }
    if (!restart) return ABUT_OK;
    for (size_t i = 0; i < s->terms.count; i++) { /* where joints begin */
        term *t = s->terms.data[i].term;
        if (t->class->constraints) t->class->constraints->take_start(t, s->state.x);
    }
    return stepper_start(s, NULL, err);
}

static abut_status put_keys(const abut_gradient *g, const double *values, const parameter *except,
                            double at, json_t *document, abut_error *err)
{
    for (size_t i = 0; i < g->parameters.count; i++) {
        const parameter *p = &g->parameters.data[i];
        if (p->body >= 0) continue;
        double value = p == except ? at : values[p->first];
        /* What was not changed keeps its digits, and its kind of number. */
        if (value != g->values.data[p->first]) TRY(scene_key_write(document, p->name, value, err));
    }
    return ABUT_OK;
}

abut_status session_build(const abut_gradient *g, const double *values, const parameter *except,
                          double at, built_scene *out, abut_error *err)
{
    *out = (built_scene){0};
    if (!values) values = g->values.data;
    json_t *document = json_deep_copy(g->document);
    if (!document) return error_memory(err, "building a scene");
    abut_status status = put_keys(g, values, except, at, document, err);
    if (status != ABUT_OK) {
        json_decref(document);
        return status;
    }
    TRY(scene_from_document(g->path, document, NULL, 0, &g->log, &out->scene, err));
    set_options(g, &out->scene->options);
    TRY(scene_build(out->scene, &g->log, &out->stepper, err));
    for (size_t i = 0; i < out->stepper->terms.count; i++) {
        term *t = out->stepper->terms.data[i].term;
        if (t->class->constraints) t->class->constraints->sharpen(t);
    }
    return apply_fields(g, values, out, err);
}

size_t session_step_count(const abut_gradient *g, const built_scene *built)
{
    double steps = built->scene->end_time / built->scene->options.h;
    int64_t asked = g->options.steps;
    return asked > 0 ? (size_t)asked : (size_t)ceil(steps - 1e-9 * (1 + steps));
}

/* ---- making ---- */

static abut_status refuse_scene(const scene_def *scene, abut_error *err)
{
    if (scene->remesh.on)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "remesh",
                         "runs with remeshing have no gradient");
    if (scene->options.use_mlcp)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "stepper",
                         "the stepper \"mlcp\" has no gradient");
    if (scene->options.friction_iterations == 0 && scene->options.contact)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "contact.friction_iterations",
                         "gradients need a fixed number of passes of friction, not 0");
    if (scene->options.friction_form.anchors && scene->options.contact)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "contact.stick_anchors",
                         "friction that remembers where it stuck has no gradient");
    return ABUT_OK;
}

static abut_status fill(abut_gradient *g, const char *path, const file_bytes *bytes,
                        abut_error *err)
{
    const abut_gradient_options *o = &g->options;
    scene_def *scene = NULL;
    abut_status status =
        bytes ? scene_load_bytes(path, bytes, o->overrides, o->override_count, &g->log, &scene, err)
              : scene_load(path, o->overrides, o->override_count, &g->log, &scene, err);
    TRY(status);
    g->document = json_deep_copy(scene->resolved);
    g->path = mem_strdup(path);
    g->info.stiffness_frozen =
        scene->options.contact && !(scene->options.contact_options.stiffness > 0);
    status = refuse_scene(scene, err);
    scene_free(scene);
    if (status == ABUT_OK && (!g->document || !g->path))
        status = error_memory(err, "reading a scene");
    TRY(status);
    built_scene built;
    status = session_build(g, NULL, NULL, 0, &built, err);
    if (status == ABUT_OK) status = adjoint_possible(built.stepper, err);
    if (status == ABUT_OK)
        status = verify_start(built.scene, built.stepper->model, built.stepper->state.x, &g->log,
                              NULL, err);
    built_scene_free(&built);
    return status;
}

abut_status session_create(const char *path, const file_bytes *bytes,
                           const abut_gradient_options *options, abut_gradient **out,
                           abut_error *err)
{
    *out = NULL;
    abut_gradient *g = mem_calloc(1, sizeof *g);
    if (!g) return error_memory(err, "differentiating a scene");
    g->options = *options;
    g->log = (logger){options->log, options->log_user, options->log_level};
    abut_status status = fill(g, path, bytes, err);
    if (status != ABUT_OK) {
        session_destroy(g);
        return status;
    }
    *out = g;
    return ABUT_OK;
}

void session_destroy(abut_gradient *g)
{
    if (!g) return;
    for (size_t i = 0; i < g->objectives.count; i++) objective_free(&g->objectives.data[i]);
    for (size_t i = 0; i < g->parameters.count; i++) mem_free(g->parameters.data[i].name);
    array_free(&g->objectives);
    array_free(&g->parameters);
    array_free(&g->values);
    json_decref(g->document);
    mem_free(g->path);
    mem_free(g);
}

/* Times that no step would ever reach are mistakes. */
static abut_status check_times(const abut_gradient *g, const built_scene *built, const objective *o,
                               abut_error *err)
{
    double h = built->scene->options.h, end = built->scene->end_time;
    if (g->options.steps > 0) end = h * (double)g->options.steps;
    for (size_t i = 1; i < o->times.count; i++)
        if (o->times.data[i] - o->times.data[i - 1] < h * (1 - 1e-9))
            return error_set(err, ABUT_ERROR_INPUT, "objective.times",
                             "%g s and %g s fall into one step of %g s", o->times.data[i - 1],
                             o->times.data[i], h);
    for (size_t i = 0; i < o->times.count; i++)
        if (!(o->times.data[i] > 0.5 * h && o->times.data[i] < end + 0.5 * h))
            return error_set(err, ABUT_ERROR_INPUT, "objective.times",
                             "no step ends at %g s; the run goes to %g s in steps of %g s",
                             o->times.data[i], end, h);
    return ABUT_OK;
}

abut_status session_add_objective(abut_gradient *g, const abut_objective *o, abut_error *err)
{
    built_scene built;
    objective made = {0};
    abut_status status = session_build(g, NULL, NULL, 0, &built, err);
    if (status == ABUT_OK) status = objective_make(o, built.stepper, &made, err);
    if (status == ABUT_OK) status = check_times(g, &built, &made, err);
    built_scene_free(&built);
    if (status == ABUT_OK && !array_push(&g->objectives, made))
        status = error_memory(err, "adding an objective");
    if (status != ABUT_OK) objective_free(&made);
    return status;
}

static abut_status find_body(const stepper *s, const char *kind, const char *name, int32_t *out,
                             abut_error *err)
{
    for (size_t i = 0; i < s->model->bodies.count; i++)
        if (strcmp(s->model->bodies.data[i].name, name) == 0) {
            *out = (int32_t)i;
            return ABUT_OK;
        }
    return error_set(err, ABUT_ERROR_INPUT, kind, "there is no body \"%s\"", name);
}

static abut_status read_values(abut_gradient *g, parameter *p, const stepper *s, abut_error *err)
{
    p->first = g->scalars;
    p->count = 1;
    if (p->body >= 0) TRY(p->row->count(s, p->body, &p->count, err));
    if (!array_resize(&g->values, g->scalars + p->count))
        return error_memory(err, "adding a parameter");
    if (p->body >= 0)
        p->row->read(p, s, g->values.data + p->first);
    else
        TRY(scene_key_read(g->document, p->name, &g->values.data[p->first], err));
    return ABUT_OK;
}

abut_status session_add_parameter(abut_gradient *g, const char *kind, const char *name,
                                  abut_error *err)
{
    parameter p = {.row = parameter_find(kind), .body = -1};
    if (!p.row)
        return error_set(err, ABUT_ERROR_INPUT, "parameter", "there is no kind \"%s\"", kind);
    built_scene built;
    p.name = mem_strdup(name);
    if (!p.name) return error_memory(err, "adding a parameter");
    abut_status status = session_build(g, NULL, NULL, 0, &built, err);
    if (status == ABUT_OK && p.row != &parameter_key)
        status = find_body(built.stepper, kind, name, &p.body, err);
    if (status == ABUT_OK) status = read_values(g, &p, built.stepper, err);
    if (status == ABUT_OK && !array_push(&g->parameters, p))
        status = error_memory(err, "adding a parameter");
    built_scene_free(&built);
    if (status != ABUT_OK) {
        mem_free(p.name);
        g->values.count = g->scalars;
        return status;
    }
    g->scalars += p.count;
    return ABUT_OK;
}

char *session_scene(const abut_gradient *g, const double *values)
{
    json_t *document = json_deep_copy(g->document);
    bool ok = document != NULL;
    for (size_t i = 0; ok && i < g->parameters.count; i++) {
        const parameter *p = &g->parameters.data[i];
        if (p->body < 0) ok = scene_key_write(document, p->name, values[p->first], NULL) == ABUT_OK;
    }
    char *text = ok ? json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(document);
    return text;
}
