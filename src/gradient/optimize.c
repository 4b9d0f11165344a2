#include "gradient/optimize.h"

#include "base/file.h"
#include "gradient/evaluations.h"
#include "gradient/forward.h"
#include "gradient/levenberg.h"
#include "gradient/nlopt_library.h"
#include "gradient/optimize_files.h"

#include <math.h>
#include <string.h>

/* ---- from numbers of the scene to those of the method, and back ---- */

static double to_method(const variable *v, double p) { return v->log ? log(p) : p / v->size; }

static double from_method(const variable *v, double z)
{
    double p = v->log ? exp(z) : z * v->size;
    return fmin(fmax(p, v->low), v->high); /* rounding must not leave the bounds */
}

static double slope_by_method(const variable *v, double p, double slope)
{
    return slope * (v->log ? p : v->size);
}

/* ---- an evaluation ---- */

/* Whether a run that cannot be made only shortens the step. */
static bool shortens(const optimization *o, abut_status status)
{
    bool possible = status == ABUT_ERROR_INFEASIBLE || status == ABUT_ERROR_NOT_CONVERGED ||
                    status == ABUT_ERROR_OVERLAP || status == ABUT_ERROR_INPUT;
    return possible && o->has_best;
}

static abut_status evaluate(optimization *o, evaluation_record *r, bool *again, abut_error *failure,
                            abut_error *err)
{
    TRY(evaluation_read(o->folder, o->count, o->n, r, again, err));
    if (*again) return ABUT_OK;
    r->status =
        o->square ? forward_evaluate(o->gradient, r->point, &r->value, r->slope, o->square, failure)
                  : session_evaluate(o->gradient, r->point, &r->value, r->slope, failure);
    if (r->status != ABUT_OK && !shortens(o, r->status)) {
        if (err) *err = *failure;
        return (abut_status)r->status;
    }
    return evaluation_write(o->folder, o->count, o->n, r, err);
}

/* A parabola through the best point, as high as needed to be above all values so far: methods turn
 * back towards the best point. */
static double wall(const optimization *o, const double *z, double *slope)
{
    double distance = 0, height = o->worst + (o->worst - o->best) + fabs(o->best);
    for (size_t i = 0; i < o->n; i++) distance += pow(z[i] - o->best_z[i], 2);
    for (size_t i = 0; slope && i < o->n; i++)
        slope[i] = 2 * (height - o->best) * (z[i] - o->best_z[i]) / fmax(distance, 1e-300);
    return height;
}

static void keep_best(optimization *o, const double *z, const double *p, double value)
{
    if (!o->has_best) o->first = o->worst = value;
    o->worst = fmax(o->worst, value);
    if (o->has_best && !(value < o->best)) return;
    o->has_best = true;
    o->best = value;
    memcpy(o->best_z, z, o->n * sizeof *z);
    memcpy(o->best_point, p, o->n * sizeof *p);
}

static double function(unsigned n, const double *z, double *slope, void *data)
{
    optimization *o = data;
    abut_error failure = {0};
    bool again = false;
    evaluation_record r = {.point = o->point, .slope = o->slope, .square = o->square};
    /* Methods that look at their limits between two line searches only are stopped here. */
    if (o->status != ABUT_OK || o->count == o->limit) {
        o->exhausted = o->status == ABUT_OK;
        return -HUGE_VAL;
    }
    o->count++;
    for (size_t i = 0; i < n; i++) o->point[i] = from_method(&o->variables[i], z[i]);
    o->status = evaluate(o, &r, &again, &failure, o->err);
    if (o->status != ABUT_OK) return HUGE_VAL;
    optimize_report report = {.evaluation = o->count, .scalars = n, .again = again};
    double value = r.value;
    if (r.status == ABUT_OK) {
        keep_best(o, z, o->point, value);
        for (size_t i = 0; i < n; i++) {
            double by_z = slope_by_method(&o->variables[i], o->point[i], o->slope[i]);
            report.slope = fmax(report.slope, fabs(by_z));
            if (slope) slope[i] = by_z;
        }
    } else {
        value = wall(o, z, slope);
        report.failure_word = abut_status_name((abut_status)r.status);
        report.failure = again ? report.failure_word : failure.message;
    }
    report.value = r.status == ABUT_OK ? r.value : NAN;
    report.best = o->best;
    o->status = optimize_write(o, &report, o->err);
    bool go_on = o->status == ABUT_OK &&
                 (!o->options->progress || o->options->progress(o->options->user, &report));
    if (!go_on && o->status == ABUT_OK) o->status = ABUT_INTERRUPTED;
    return o->status == ABUT_OK ? value : -HUGE_VAL; /* below every goal: the method ends */
}

/* The same for least squares. */
static double squares(unsigned n, const double *z, double *slope, double *square, void *data)
{
    optimization *o = data;
    double value = function(n, z, slope, data);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            square[i * n + j] = slope_by_method(&o->variables[i], o->point[i], 1) *
                                slope_by_method(&o->variables[j], o->point[j], 1) *
                                o->square[i * n + j];
    return value;
}

/* ---- the problem ---- */

static abut_status add_objective(abut_gradient *g, const objective_def *d, abut_error *err)
{
    abut_objective o = abut_default_objective();
    ARRAY(double) targets = {0}, times = {0};
    static const abut_objective_kind kinds[] = {
        [OBJECTIVE_POSITIONS] = ABUT_OBJECTIVE_POSITIONS,
        [OBJECTIVE_VELOCITIES] = ABUT_OBJECTIVE_VELOCITIES,
        [OBJECTIVE_CENTER] = ABUT_OBJECTIVE_CENTER,
        [OBJECTIVE_KINETIC] = ABUT_OBJECTIVE_KINETIC,
        [OBJECTIVE_ELASTIC] = ABUT_OBJECTIVE_ELASTIC,
        [OBJECTIVE_CONTACT_FORCE] = ABUT_OBJECTIVE_CONTACT_FORCE,
        [OBJECTIVE_CLOUD] = ABUT_OBJECTIVE_CLOUD,
        [OBJECTIVE_STRESS] = ABUT_OBJECTIVE_STRESS,
    };
    o.kind = kinds[d->kind], o.body = d->body, o.weight = d->weight;
    o.last = !d->has_from && !d->has_until;
    o.from = d->has_from ? d->from : 0;
    o.until = d->has_until ? d->until : INFINITY;
    o.target = d->targets, o.target_count = 3 * d->target_count;
    bool room = array_resize(&targets, 3 * d->trajectory_count) &&
                array_resize(&times, d->trajectory_count);
    for (size_t i = 0; room && i < d->trajectory_count; i++) {
        times.data[i] = d->trajectory[4 * i];
        memcpy(targets.data + 3 * i, d->trajectory + 4 * i + 1, 3 * sizeof(double));
    }
    if (d->trajectory_count > 0) {
        o.target = targets.data, o.target_count = targets.count;
        o.times = times.data, o.time_count = times.count;
    }
    abut_status status =
        room ? session_add_objective(g, &o, err) : error_memory(err, "adding an objective");
    array_free(&targets);
    array_free(&times);
    return status;
}

static abut_status bad(abut_error *err, size_t k, const char *what, double a, double b)
{
    return error_set(err, ABUT_ERROR_INPUT, "optimize.parameters", "[%zu]: %s %g, %g", k, what, a,
                     b);
}

/* Bounds and scale of the scalars of one parameter. */
static abut_status add_variables(optimization *o, size_t k, const parameter_def *d, abut_error *err)
{
    const parameter *p = &o->gradient->parameters.data[k];
    const double *values = o->gradient->values.data + p->first;
    double size = d->size;
    for (size_t i = 0; d->size == 0 && i < p->count; i++) size = fmax(size, fabs(values[i]));
    for (size_t i = 0; i < p->count; i++) {
        variable v = {.log = d->log, .size = size > 0 ? size : 1};
        v.low = fmax(d->low, values[i] - d->change);
        v.high = fmin(d->high, values[i] + d->change);
        if (d->log && !(values[i] > 0))
            return bad(err, k, "`log` needs positive values, from the scene:", values[i], 0);
        if (d->log && !(v.low > 0)) v.low = 0; /* the logarithm of which is no bound */
        if (!(v.low < v.high)) return bad(err, k, "no value is allowed between", v.low, v.high);
        if (!(values[i] >= v.low && values[i] <= v.high))
            return bad(err, k, "the value of the scene and the bound that it is beyond:", values[i],
                       values[i] < v.low ? v.low : v.high);
        o->variables[p->first + i] = v;
    }
    return ABUT_OK;
}

static abut_status fill(optimization *o, const optimize_def *d, abut_error *err)
{
    for (size_t i = 0; i < d->objective_count; i++)
        TRY(add_objective(o->gradient, &d->objectives[i], err));
    static const char *const fields[] = {PARAMETER_FIELDS(WORD_TEXT)};
    for (size_t i = 0; i < d->parameter_count; i++)
        TRY(session_add_parameter(o->gradient, fields[d->parameters[i].field],
                                  d->parameters[i].name, err));
    o->n = o->gradient->scalars;
    o->variables = mem_calloc(o->n + 1, sizeof *o->variables);
    o->numbers = mem_calloc(7 * o->n + 1, sizeof *o->numbers);
    if (!o->variables || !o->numbers) return error_memory(err, "optimising");
    double **parts[] = {&o->point, &o->slope, &o->best_point, &o->best_z, &o->z, &o->low, &o->high};
    for (size_t i = 0; i < 7; i++) *parts[i] = o->numbers + i * o->n;
    for (size_t i = 0; i < d->parameter_count; i++)
        TRY(add_variables(o, i, &d->parameters[i], err));
    for (size_t i = 0; i < o->n; i++) {
        const variable *v = &o->variables[i];
        o->z[i] = to_method(v, o->gradient->values.data[i]);
        o->low[i] = to_method(v, v->low);
        o->high[i] = to_method(v, v->high);
    }
    return ABUT_OK;
}

static abut_status minimise_squares(optimization *o, const optimize_def *d, const char **reason,
                                    abut_error *err)
{
    levenberg_problem p = {.n = (unsigned)o->n,
                           .low = o->low,
                           .high = o->high,
                           .tolerance = d->tolerance,
                           .goal = d->goal,
                           .function = squares,
                           .data = o};
    o->square = mem_calloc(o->n * o->n + 1, sizeof *o->square);
    return o->square ? levenberg_minimise(&p, o->z, reason, err) : error_memory(err, "optimising");
}

static abut_status minimise(optimization *o, const optimize_def *d, optimize_result *out,
                            abut_error *err)
{
    static const char *const names[] = {[OPTIMIZE_LBFGS] = "LD_LBFGS",
                                        [OPTIMIZE_SLSQP] = "LD_SLSQP",
                                        [OPTIMIZE_MMA] = "LD_MMA",
                                        [OPTIMIZE_LEVENBERG] = NULL};
    nlopt_problem p = {.method = names[d->method],
                       .n = (unsigned)o->n,
                       .low = o->low,
                       .high = o->high,
                       .tolerance = d->tolerance,
                       .goal = d->goal,
                       .evaluations = d->evaluations,
                       .function = function,
                       .data = o};
    o->err = err;
    o->limit = d->evaluations;
    if (d->method == OPTIMIZE_LEVENBERG)
        TRY(minimise_squares(o, d, &out->reason, err));
    else
        TRY(nlopt_minimise(&p, o->z, &out->reason, err));
    *out = (optimize_result){o->count, o->first, o->best, out->reason};
    if (o->exhausted) out->reason = "evaluations";
    return o->status;
}

abut_status optimize_scene(const char *path, const optimize_options *options, optimize_result *out,
                           abut_error *err)
{
    optimization o = {.options = options, .folder = options->folder};
    scene_def *scene = NULL;
    abut_gradient_options g = abut_default_gradient_options();
    TRY(scene_load(path, options->overrides, options->override_count, &options->log, &scene, err));
    const optimize_def *d = &scene->optimize;
    g.overrides = options->overrides, g.override_count = options->override_count;
    g.tolerance = d->newton_tolerance;
    g.snapshots = (size_t)d->snapshots;
    abut_status status = ABUT_OK;
    if (!d->on)
        status = error_set(err, ABUT_ERROR_INPUT, "optimize",
                           "is missing: it says what is changed, and what is made small");
    if (status == ABUT_OK) status = session_create(path, NULL, &g, &o.gradient, err);
    if (status == ABUT_OK) status = fill(&o, d, err);
    if (status == ABUT_OK) status = optimize_open(&o, err);
    if (status == ABUT_OK) status = minimise(&o, d, out, err);
    optimize_close(&o);
    session_destroy(o.gradient);
    mem_free(o.variables);
    mem_free(o.numbers);
    mem_free(o.square);
    scene_free(scene);
    return status;
}
