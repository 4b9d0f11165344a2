/* One evaluation: the run, then backwards through its steps. */
#include "gradient/session.h"
#include "gradient/twin.h"

#include "scene/load.h"
#include "verify/verify_positions.h"

#include <math.h>
#include <string.h>

typedef struct sweep {
    abut_gradient *g;
    stepper *s;
    adjoint *adjoint;
    tape_step *steps; /* of the tape; with snapshots: see `kept` */
    size_t count;
    ARRAY(twin) twins;
    double *derivative;
    double *push;              /* 3 per block: y - x_tilde, or accelerations */
    double *after_x, *after_v; /* the state at the end of the step that is being gone back */
    bool is_last;
} sweep;

static objective_state state_after(const sweep *w)
{
    return (objective_state){w->after_x, w->after_v, w->s->scratch.span.end, w->is_last};
}

/* ---- what the adjoint asks ---- */

/* Objectives that are computed from rest positions as well. */
static abut_status add_rest_parts(sweep *w, const objective_state *at, abut_error *err)
{
    const abut_gradient *g = w->g;
    double *all = NULL;
    for (size_t k = 0; k < g->parameters.count; k++) {
        const parameter *p = &g->parameters.data[k];
        if (!p->row->is_rest) continue;
        if (!all) all = mem_alloc(w->s->state.scalars + 1, sizeof *all);
        if (!all) return error_memory(err, "computing an objective");
        memset(all, 0, w->s->state.scalars * sizeof *all);
        for (size_t i = 0; i < g->objectives.count; i++)
            objective_by_rest(&g->objectives.data[i], w->s, at, all);
        size_t first = 3 * (size_t)w->s->model->bodies.data[p->body].first_block;
        for (size_t i = 0; i < p->count; i++) w->derivative[p->first + i] += all[first + i];
    }
    mem_free(all);
    return ABUT_OK;
}

static abut_status on_objective(void *context, adjoint *a, const tape_step *t, abut_error *err)
{
    sweep *w = context;
    objective_state at = state_after(w);
    for (size_t i = 0; i < w->g->objectives.count; i++)
        TRY(objective_derivative(&w->g->objectives.data[i], w->s, &at, a->bar.nodes.x,
                                 a->bar.nodes.v, err));
    TRY(add_rest_parts(w, &at, err));
    for (size_t i = 0; i < w->twins.count; i++) {
        twin *k = &w->twins.data[i];
        TRY(twin_open(k, t, err));
        TRY(twin_objectives(k, w->g, t, &at, w->derivative + k->parameter->first, err));
    }
    return ABUT_OK;
}

static abut_status add_fields(sweep *w, const parameter_pass *at, abut_error *err)
{
    for (size_t i = 0; i < w->g->parameters.count; i++) {
        const parameter *p = &w->g->parameters.data[i];
        if (p->row->pass) TRY(p->row->pass(p, at, w->derivative + p->first, err));
    }
    return ABUT_OK;
}

static abut_status on_pass(void *context, adjoint *a, const tape_step *t, size_t pass,
                           const double *weights, abut_error *err)
{
    sweep *w = context;
    const stepper *s = a->s;
    const double *y = tape_positions(t, pass);
    for (size_t i = 0; i < s->state.scalars; i++) w->push[i] = y[i] - s->inertia->x_tilde[i];
    parameter_pass at = {w->s, &s->evaluation, y, weights, w->push};
    TRY(add_fields(w, &at, err));
    for (size_t i = 0; i < w->twins.count; i++) {
        twin *k = &w->twins.data[i];
        TRY(twin_pass(k, t, pass, weights, w->derivative + k->parameter->first, err));
        TRY(twin_rows(k, t, pass, &a->solver, w->derivative + k->parameter->first, err));
    }
    return ABUT_OK;
}

/* Accelerations that followed from forces: z . d(f - dE - M a)/dp. */
static abut_status add_accelerations(sweep *w, const tape_step *t, const double *z, abut_error *err)
{
    stepper *s = w->s;
    const double *y = tape_positions(t, tape_passes(t) - 1);
    evaluation unit = evaluation_unit();
    unit.h = s->scratch.span.h;
    TRY(motion_rule(&s->state)->has_accelerations ? ABUT_OK : ABUT_ERROR_INTERNAL);
    /* after_a of the step: kept behind the velocities. */
    memcpy(w->push, w->after_v + s->state.scalars, s->state.scalars * sizeof *w->push);
    parameter_pass at = {s, &unit, y, z, w->push};
    TRY(add_fields(w, &at, err));
    for (size_t i = 0; i < w->twins.count; i++)
        twin_accelerations(&w->twins.data[i], y, w->push, z,
                           w->derivative + w->twins.data[i].parameter->first);
    return ABUT_OK;
}

static abut_status on_step(void *context, adjoint *a, const tape_step *t, const double *target,
                           const double *z, abut_error *err)
{
    (void)a;
    sweep *w = context;
    for (size_t i = 0; i < w->twins.count; i++)
        twin_targets(&w->twins.data[i], target, w->derivative + w->twins.data[i].parameter->first);
    return z ? add_accelerations(w, t, z, err) : ABUT_OK;
}

/* ---- forwards ---- */

static abut_status add_objectives(sweep *w, double *value, abut_error *err)
{
    stepper *s = w->s;
    objective_state at = {s->state.x, s->state.v, s->time, (size_t)s->state.steps == w->count};
    for (size_t i = 0; i < w->g->objectives.count; i++) {
        double part;
        TRY(objective_value(&w->g->objectives.data[i], s, &at, &part, err));
        *value += part;
    }
    if (isfinite(*value)) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, "objective", "is no number at %g s", s->time);
}

static abut_status run(sweep *w, bool keep, double *value, abut_error *err)
{
    tape_step room = {0};
    abut_status status = ABUT_OK;
    *value = 0;
    for (size_t i = 0; status == ABUT_OK && i < w->count; i++) {
        size_t every = w->g->options.snapshots;
        tape_step *at = keep && every == 0 ? &w->steps[i] : &room;
        if (keep && every > 0 && i == 0) status = stepper_save(w->s, &w->steps[0].start, err);
        if (status == ABUT_OK) status = tape_record(w->s, at, err);
        if (status == ABUT_OK) status = add_objectives(w, value, err);
    }
    tape_step_free(&room);
    return status;
}

/* ---- backwards ---- */

static void take_after(sweep *w)
{
    const motion_state *m = &w->s->state;
    size_t n = m->scalars;
    memcpy(w->after_x, m->x, n * sizeof(double));
    memcpy(w->after_v, m->v, n * sizeof(double));
    memcpy(w->after_v + n, m->a, n * sizeof(double));
}

static size_t bytes_of(const tape_step *t)
{
    return (t->start.doubles.capacity + t->record.positions.capacity) * sizeof(double) +
           t->start.ints.capacity * sizeof(int32_t);
}

/* The step that begins where s is loaded from: backwards through it. */
static abut_status back_one(sweep *w, const tape_step *t, abut_error *err)
{
    w->g->info.tape_bytes += bytes_of(t);
    TRY(adjoint_step(w->adjoint, t, err));
    w->is_last = false;
    /* adjoint_step has loaded the state at the start, which is the end of the step before it. */
    TRY(stepper_load(w->s, &t->start, err));
    take_after(w);
    return ABUT_OK;
}

/* Steps begin..end-1, with the state at `begin` in from; `snapshots` more states may be kept. */
static abut_status back_range(sweep *w, const saved_state *from, size_t begin, size_t end,
                              size_t snapshots, abut_error *err)
{
    if (end == begin) return ABUT_OK;
    size_t split = tape_best_split(end - begin, snapshots);
    tape_step step = {0};
    saved_state middle = {0};
    abut_status status = stepper_load(w->s, from, err);
    size_t until = end - begin == 1 ? begin : split > 0 ? begin + split : end - 1;
    for (size_t i = begin; status == ABUT_OK && i < until; i++) {
        w->g->info.steps_again++;
        status = tape_record(w->s, &step, err); /* as it was made: recorded steps are polished */
    }
    if (status == ABUT_OK && until == end - 1) { /* the last of them, then those before it */
        w->g->info.steps_again++;
        status = tape_record(w->s, &step, err);
        if (status == ABUT_OK) status = back_one(w, &step, err);
        tape_step_free(&step);
        return status == ABUT_OK ? back_range(w, from, begin, end - 1, snapshots, err) : status;
    }
    tape_step_free(&step);
    if (status == ABUT_OK) status = stepper_save(w->s, &middle, err);
    if (status == ABUT_OK)
        status = back_range(w, &middle, until, end, snapshots > 0 ? snapshots - 1 : 0, err);
    saved_state_free(&middle);
    return status == ABUT_OK ? back_range(w, from, begin, until, snapshots, err) : status;
}

static abut_status back(sweep *w, abut_error *err)
{
    w->is_last = true;
    take_after(w);
    if (w->g->options.snapshots > 0)
        return back_range(w, &w->steps[0].start, 0, w->count, w->g->options.snapshots, err);
    for (size_t i = w->count; i-- > 0;) TRY(back_one(w, &w->steps[i], err));
    return ABUT_OK;
}

/* From the derivatives by the first state. */
static abut_status finish(sweep *w, abut_error *err)
{
    adjoint *a = w->adjoint;
    stepper *s = w->s;
    for (size_t i = 0; i < w->twins.count; i++)
        twin_start(&w->twins.data[i], &a->bar, w->derivative + w->twins.data[i].parameter->first);
    TRY(adjoint_start(a, err));
    for (size_t i = 0; i < w->g->parameters.count; i++) {
        const parameter *p = &w->g->parameters.data[i];
        double *out = w->derivative + p->first;
        if (p->row->start) p->row->start(p, s, &a->bar.nodes, out);
        if (!p->row->pass || !motion_rule(&s->state)->has_accelerations) continue;
        evaluation unit = evaluation_unit();
        memcpy(w->push, s->state.a, s->state.scalars * sizeof *w->push);
        parameter_pass at = {s, &unit, s->state.x, a->z, w->push};
        TRY(p->row->pass(p, &at, out, err));
    }
    return ABUT_OK;
}

static abut_status differentiate(sweep *w, const double *values, abut_error *err)
{
    adjoint_listener listener = {w, on_objective, on_pass, on_step};
    for (size_t i = 0; i < w->g->parameters.count; i++) {
        twin made;
        if (w->g->parameters.data[i].body >= 0) continue;
        TRY(twin_make(w->g, values, &w->g->parameters.data[i], &made, err));
        if (!array_push(&w->twins, made)) {
            twin_free(&made);
            return error_memory(err, "differentiating a run");
        }
    }
    TRY(adjoint_create(w->s, &listener, &w->adjoint, err));
    memset(w->derivative, 0, w->g->scalars * sizeof *w->derivative);
    TRY(back(w, err));
    w->g->info.solves = w->adjoint->solver.exact.solves;
    w->g->info.saddles = w->adjoint->solver.exact.saddles;
    w->g->info.worst_residual = w->adjoint->solver.exact.worst_residual;
    w->g->info.least_curvature = w->adjoint->solver.exact.least_curvature;
    return finish(w, err);
}

static abut_status prepare(sweep *w, const built_scene *built, abut_error *err)
{
    size_t n = built->stepper->state.scalars;
    w->count = session_step_count(w->g, built);
    w->steps = mem_calloc(w->count + 1, sizeof *w->steps);
    w->push = mem_calloc(n, sizeof *w->push);
    w->after_x = mem_calloc(n, sizeof *w->after_x);
    w->after_v = mem_calloc(2 * n, sizeof *w->after_v);
    return w->steps && w->push && w->after_x && w->after_v
               ? ABUT_OK
               : error_memory(err, "differentiating a run");
}

static void sweep_free(sweep *w)
{
    for (size_t i = 0; w->steps && i < w->count; i++) tape_step_free(&w->steps[i]);
    for (size_t i = 0; i < w->twins.count; i++) twin_free(&w->twins.data[i]);
    array_free(&w->twins);
    adjoint_destroy(w->adjoint);
    mem_free(w->steps);
    mem_free(w->push);
    mem_free(w->after_x);
    mem_free(w->after_v);
}

/* Fields enter the potential of steps; an objective that is computed from them as well would need a
 * derivative of its own. */
static abut_status check_pairs(const abut_gradient *g, abut_error *err)
{
    for (size_t i = 0; i < g->objectives.count; i++)
        for (size_t k = 0; k < g->parameters.count; k++) {
            const parameter_row *row = g->parameters.data[k].row;
            const objective *o = &g->objectives.data[i];
            if (!(objective_reads(o) & row->changes)) continue;
            if (row->is_rest && objective_has_rest(o)) continue;
            return error_set(err, ABUT_ERROR_UNSUPPORTED, "objective",
                             "\"%s\" has no derivative by \"%s\", which it is computed from; by "
                             "a parameter of kind \"key\" it has",
                             objective_name(&g->objectives.data[i]), row->name);
        }
    return ABUT_OK;
}

abut_status session_evaluate(abut_gradient *g, const double *values, double *value,
                             double *derivative, abut_error *err)
{
    built_scene built;
    sweep w = {.g = g, .derivative = derivative};
    if (g->objectives.count == 0)
        return error_set(err, ABUT_ERROR_INPUT, "objective", "there is none");
    if (derivative) TRY(check_pairs(g, err));
    if (!values) values = g->values.data;
    bool frozen = g->info.stiffness_frozen;
    g->info = (abut_gradient_info){.stiffness_frozen = frozen};
    abut_status status = session_build(g, values, NULL, 0, &built, err);
    if (status == ABUT_OK)
        status = verify_start(built.scene, built.stepper->model, built.stepper->state.x, &g->log,
                              NULL, err);
    if (status == ABUT_OK) {
        w.s = built.stepper;
        status = prepare(&w, &built, err);
    }
    if (status == ABUT_OK) {
        g->info.steps = (int64_t)w.count;
        status = run(&w, derivative != NULL, value, err);
    }
    if (status == ABUT_OK && derivative) status = differentiate(&w, values, err);
    sweep_free(&w);
    built_scene_free(&built);
    return status;
}
