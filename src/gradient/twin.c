#include "gradient/twin.h"

#include "term/element.h"

#include <math.h>
#include <string.h>

static const double STEP = 1e-6; /* of the number, or of its unit where that is less */

void twin_free(twin *t)
{
    built_scene_free(&t->side[0]);
    built_scene_free(&t->side[1]);
    array_free(&t->start);
}

/* Arrays of a first state that can differ. */
static size_t list_start(const stepper *s, const double *arrays[6], size_t counts[6])
{
    const motion_state *m[2] = {&s->state, &s->rigid.turn};
    size_t n = 0;
    for (size_t k = 0; k < 2; k++) {
        if (k == 1 && !s->rigid.inertia) continue;
        const double *of[3] = {m[k]->x, m[k]->v, m[k]->a};
        for (size_t i = 0; i < 3; i++, n++) {
            arrays[n] = of[i];
            counts[n] = m[k]->scalars;
        }
    }
    return n;
}

static abut_status keep_start(twin *t, abut_error *err)
{
    const double *less[6], *more[6];
    size_t counts[6], n = list_start(t->side[0].stepper, less, counts);
    list_start(t->side[1].stepper, more, counts);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < counts[k]; i++)
            if (!array_push(&t->start, more[k][i] - less[k][i]))
                return error_memory(err, "building twins of a scene");
    return ABUT_OK;
}

/* Two sides of the number; where one of them is no scene, the number itself is that side. */
static abut_status build_sides(const abut_gradient *g, const double *values, const parameter *p,
                               double at, twin *out, abut_error *err)
{
    double step = STEP * fmax(fabs(at), 1), sides[2] = {at - step, at + step};
    for (int k = 0; k < 2; k++) {
        if (session_build(g, values, p, sides[k], &out->side[k], err) == ABUT_OK) continue;
        built_scene_free(&out->side[k]);
        out->side[k] = (built_scene){0};
        sides[k] = at;
        TRY(session_build(g, values, p, at, &out->side[k], err));
    }
    out->difference = sides[1] - sides[0];
    if (out->difference > 0) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, p->name,
                     "no scene with a little more or less of it can be built");
}

abut_status twin_make(const abut_gradient *g, const double *values, const parameter *p, twin *out,
                      abut_error *err)
{
    *out = (twin){.parameter = p};
    abut_status status = build_sides(g, values, p, values[p->first], out, err);
    if (status == ABUT_OK &&
        out->side[0].stepper->state.scalars != out->side[1].stepper->state.scalars)
        status = error_set(err, ABUT_ERROR_UNSUPPORTED, p->name, "changes the number of nodes");
    if (status == ABUT_OK) status = keep_start(out, err);
    if (status != ABUT_OK) twin_free(out);
    return status;
}

abut_status twin_open(twin *t, const tape_step *step, abut_error *err)
{
    for (int k = 0; k < 2; k++)
        if (tape_open(t->side[k].stepper, step, err) != ABUT_OK)
            return error_set(err, ABUT_ERROR_UNSUPPORTED, t->parameter->name,
                             "changes what a state consists of, and cannot be a parameter");
    return ABUT_OK;
}

abut_status twin_pass(twin *t, const tape_step *step, size_t pass, const double *w, double *out,
                      abut_error *err)
{
    double work[2];
    for (int k = 0; k < 2; k++) {
        stepper *s = t->side[k].stepper;
        problem *p = &s->problem;
        TRY(tape_set_pass(s, step, pass, err));
        TRY(problem_derivatives(p, &s->evaluation, tape_positions(step, pass), false, err));
        work[k] = 0;
        for (int32_t i = 0; i < p->free_count; i++)
            for (size_t c = 0; c < 3; c++)
                work[k] += p->gradient[3 * (size_t)i + c] * w[3 * (size_t)p->free_block[i] + c];
    }
    *out -= (work[1] - work[0]) / t->difference;
    return ABUT_OK;
}

abut_status twin_rows(twin *t, const tape_step *step, size_t pass, const constrained_solver *c,
                      double *out, abut_error *err)
{
    ARRAY(double) value = {0};
    double work[2] = {0};
    abut_status status = ABUT_OK;
    if (c->rows == 0) return ABUT_OK;
    if (!array_resize(&value, c->rows)) return error_memory(err, "differentiating joints");
    for (int k = 0; status == ABUT_OK && k < 2; k++) {
        size_t rows = 0;
        status = constraints_collect(t->side[k].stepper, tape_positions(step, pass), &rows, err);
        if (status == ABUT_OK && rows != c->rows)
            status = error_set(err, ABUT_ERROR_UNSUPPORTED, t->parameter->name,
                               "changes what joints hold");
        if (status != ABUT_OK) break;
        constraints_values(t->side[k].stepper, rows, value.data);
        for (size_t i = 0; i < rows; i++) work[k] += c->force.data[i] * value.data[i];
    }
    array_free(&value);
    TRY(status);
    *out -= (work[1] - work[0]) / t->difference;
    return ABUT_OK;
}

abut_status twin_objectives(twin *t, const abut_gradient *g, const tape_step *step,
                            const objective_state *at, double *out, abut_error *err)
{
    for (size_t i = 0; i < g->objectives.count; i++) {
        const objective *o = &g->objectives.data[i];
        bool state_only = objective_reads(o) == 0;
        double value[2];
        for (int k = 0; !state_only && k < 2; k++) {
            stepper *s = t->side[k].stepper;
            TRY(tape_set_pass(s, step, tape_passes(step) - 1, err));
            TRY(objective_value(o, s, at, &value[k], err));
        }
        if (!state_only) *out += (value[1] - value[0]) / t->difference;
    }
    return ABUT_OK;
}

void twin_targets(const twin *t, const double *target, double *out)
{
    const stepper *less = t->side[0].stepper, *more = t->side[1].stepper;
    double sum = 0;
    for (size_t i = 0; i < less->state.scalars; i++)
        if (less->dirichlet.fixed[i])
            sum += target[i] * (more->dirichlet.target[i] - less->dirichlet.target[i]);
    *out += sum / t->difference;
}

/* z . (f - dE - M a) */
static double acceleration_work(stepper *s, const double *x, const double *a, const double *z)
{
    size_t n = s->state.scalars;
    double *work = s->scratch.work, sum = 0;
    evaluation unit = evaluation_unit();
    unit.h = s->scratch.span.h;
    inertia_multiply(s->inertia, a, work);
    term_add_gradient(&s->elastic->base, &unit, x, work);
    for (size_t i = 0; i < s->terms.count; i++)
        term_add_gradient(s->terms.data[i].term, &unit, x, work);
    if (s->damping) term_add_gradient(&s->damping->base, &unit, x, work);
    for (size_t i = 0; i < n; i++) sum += z[i] * (s->inertia->force[i] - work[i]);
    return sum;
}

void twin_accelerations(twin *t, const double *x, const double *acceleration, const double *z,
                        double *out)
{
    double less = acceleration_work(t->side[0].stepper, x, acceleration, z);
    double more = acceleration_work(t->side[1].stepper, x, acceleration, z);
    *out += (more - less) / t->difference;
}

void twin_start(const twin *t, const state_bar *bar, double *out)
{
    const motion_state *m[2] = {&bar->nodes, &bar->turn};
    double sum = 0;
    size_t at = 0;
    for (size_t k = 0; k < 2; k++) {
        const double *of[3] = {m[k]->x, m[k]->v, m[k]->a};
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < m[k]->scalars; j++) sum += of[i][j] * t->start.data[at++];
    }
    *out += sum / t->difference;
}
