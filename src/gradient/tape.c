#include "gradient/tape.h"

#include <math.h>
#include <string.h>

/* A coordinate that is further from where its forces balance, in units of the scene, spoils the
 * derivatives: steps that can be polished end a thousand times nearer. */
static const double BALANCED = 1e-7;

void tape_step_free(tape_step *t)
{
    saved_state_free(&t->start);
    step_record_free(&t->record);
    array_free(&t->adapted);
}

bool tape_has_friction(const stepper *s) { return s->contact && friction_possible(s->friction); }

/* Terms whose numbers grow within a step and mean the same in the next one. */
static term_state adapted_of(const stepper *s, size_t i)
{
    term *t = s->terms.data[i].term;
    if (!t->class->state || t->class->end_step) return (term_state){0};
    return t->class->state(t);
}

static bool keep_adapted(const stepper *s, tape_step *out)
{
    array_clear(&out->adapted);
    for (size_t i = 0; i < s->terms.count; i++) {
        term_state state = adapted_of(s, i);
        for (size_t k = 0; k < state.count; k++)
            if (!array_push(&out->adapted, state.values[k])) return false;
    }
    return true;
}

void tape_take_adapted(stepper *s, const tape_step *t)
{
    size_t at = 0;
    for (size_t i = 0; i < s->terms.count; i++) {
        term_state state = adapted_of(s, i);
        for (size_t k = 0; k < state.count; k++) state.values[k] = t->adapted.data[at++];
    }
}

static abut_status refuse_step(const stepper *s, const char *why, abut_error *err)
{
    return error_set(err, ABUT_ERROR_UNSUPPORTED, "", "no gradient: the step to %g s %s", s->time,
                     why);
}

/* Terms that a step made up as it went on. */
static const char *passing_term(const stepper *s)
{
    const term *t = stepper_find_term(s, "inversion barrier");
    for (int g = 0; t && g < t->group_count; g++)
        if (t->groups[g].count > 0) return "needed an inversion barrier between quadrature points";
    return NULL;
}

/* Largest distance of positions from the first one. */
static double extent_of(const stepper *s)
{
    const model *m = s->model;
    double most = 0;
    for (size_t i = 1; i < m->rest.count; i++)
        if (model_block_is_position(m, i))
            most = fmax(most, vec3_norm(vec3_sub(m->rest.data[i], m->rest.data[0])));
    return most > 0 ? most : 1;
}

static abut_status check_balance(const stepper *s, const step_record *r, abut_error *err)
{
    if (r->left <= BALANCED * extent_of(s)) return ABUT_OK;
    return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                     "no gradient: the step to %g s ends where forces do not balance (coordinates "
                     "are up to %.2g m from where theirs would), at a saddle or where nothing "
                     "holds a body: fix it, give it friction or a dynamic `time.integrator`",
                     s->time, r->left);
}

abut_status tape_record(stepper *s, tape_step *out, abut_error *err)
{
    step_statistics statistics;
    TRY(stepper_save(s, &out->start, err));
    s->scratch.record = &out->record;
    abut_status status = stepper_advance(s, &statistics, err);
    s->scratch.record = NULL;
    TRY(status);
    const char *passing = passing_term(s);
    if (statistics.substeps > 1) return refuse_step(s, "was done in sub-steps", err);
    if (statistics.truncated) return refuse_step(s, "ended with its budget of iterations", err);
    if (out->record.attached)
        return refuse_step(s, "ended before all prescribed nodes had arrived", err);
    TRY(check_balance(s, &out->record, err));
    if (passing) return refuse_step(s, passing, err);
    if (!keep_adapted(s, out)) return error_memory(err, "recording a step");
    return ABUT_OK;
}

abut_status tape_open(stepper *s, const tape_step *t, abut_error *err)
{
    TRY(stepper_load(s, &t->start, err));
    for (size_t i = 0; i < s->terms.count; i++) {
        term *of = s->terms.data[i].term;
        if (of->class->constraints) of->class->constraints->take_start(of, s->state.x);
    }
    TRY(stepper_begin_step(s, s->scratch.span.end, err));
    tape_take_adapted(s, t);
    return ABUT_OK;
}

static void restore_multipliers(const stepper *s, const tape_step *t, size_t pass)
{
    size_t at = pass * (t->record.multipliers.count / tape_passes(t));
    for (size_t i = 0; i < s->terms.count; i++) {
        term *of = s->terms.data[i].term;
        if (!of->class->constraints) continue;
        term_state forces = of->class->constraints->multipliers(of);
        memcpy(forces.values, t->record.multipliers.data + at, forces.count * sizeof(double));
        at += forces.count;
    }
}

size_t tape_passes(const tape_step *t) { return t->record.kappa.count; }

const double *tape_positions(const tape_step *t, size_t pass)
{
    return t->record.positions.data + pass * t->record.scalars;
}

const double *tape_lag(const stepper *s, const tape_step *t, size_t pass)
{
    return pass == 0 ? s->start : tape_positions(t, pass - 1);
}

abut_status tape_set_pass(stepper *s, const tape_step *t, size_t pass, abut_error *err)
{
    return tape_set_pass_at(s, t, pass, tape_lag(s, t, pass), tape_positions(t, pass), err);
}

abut_status tape_set_pass_at(stepper *s, const tape_step *t, size_t pass, const double *lag,
                             const double *x, abut_error *err)
{
    bool friction = tape_has_friction(s);
    if (friction != (t->record.lag_kappa.count > 0))
        return error_set(err, ABUT_ERROR_INPUT, "contact.friction",
                         "a coefficient of 0 cannot be a parameter: at it friction begins");
    if (friction) TRY(stepper_take_friction(s, lag, t->record.lag_kappa.data[pass], err));
    s->evaluation.kappa = t->record.kappa.data[pass];
    restore_multipliers(s, t, pass);
    return problem_update(&s->problem, &s->evaluation, x, err);
}

/* (c + r over c), as far as a double counts. */
static double binomial(size_t c, size_t r)
{
    double value = 1;
    for (size_t k = 1; k <= r; k++) value *= (double)(c + k) / (double)k;
    return value;
}

/* With c snapshots and r repetitions of a step at most, (c + r over c) steps can be gone back. The
 * first snapshot is taken so that what lies before it needs one repetition less, what lies behind
 * it one snapshot less. */
size_t tape_best_split(size_t steps, size_t snapshots)
{
    if (steps < 2) return steps;
    if (snapshots == 0) return 0;
    size_t r = 1;
    while (binomial(snapshots, r) < (double)steps) r++;
    double split = binomial(snapshots, r - 1);
    if (!(split < (double)steps)) split = (double)(steps - 1);
    return split < 1 ? 1 : (size_t)split;
}
