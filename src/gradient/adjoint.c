#include "gradient/adjoint.h"

#include "body/follower.h"
#include "constraint/follow.h"
#include "contact/friction_by_lag.h"
#include "gradient/surface_map.h"
#include "step/followers.h"
#include "term/element.h"

#include <math.h>
#include <string.h>

static bool allocate(adjoint *a, size_t scalars, size_t vertices, size_t turns)
{
    double **arrays[] = {&a->y, &a->tilde, &a->start, &a->lag, &a->target,
                         &a->w, &a->work,  &a->z,     &a->led};
    bool ok = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = mem_calloc(scalars + 1, sizeof(double));
        ok = ok && *arrays[i];
    }
    a->integrated = mem_alloc(scalars + 1, 1);
    a->turn_tilde = mem_calloc(turns + 1, sizeof(double));
    a->turn_new = mem_calloc(turns + 1, sizeof(double));
    a->moved = mem_calloc(vertices + 1, sizeof *a->moved);
    a->direction = mem_calloc(vertices + 1, sizeof *a->direction);
    a->pull = mem_calloc(vertices + 1, sizeof *a->pull);
    return ok && a->integrated && a->turn_tilde && a->turn_new && a->moved && a->direction &&
           a->pull;
}

static abut_status fill(adjoint *a, stepper *s, abut_error *err)
{
    const motion_state *m = &s->state, *turn = &s->rigid.turn;
    size_t starts = s->dirichlet.start.count, rigid = s->rigid.conditions.count;
    TRY(motion_init(&a->bar.nodes, m->kind, m->beta, m->gamma, m->scalars, err));
    if (s->rigid.inertia)
        TRY(motion_init(&a->bar.turn, m->kind, m->beta, m->gamma, turn->scalars, err));
    if (!allocate(a, m->scalars, s->model->surface.rows.count, turn->scalars) ||
        !array_resize(&a->bar.conditions, starts + 1) ||
        !array_resize(&a->bar.rigid_conditions, 3 * rigid + 1))
        return error_memory(err, "differentiating a run");
    memset(a->bar.conditions.data, 0, (starts + 1) * sizeof(double));
    memset(a->bar.rigid_conditions.data, 0, (3 * rigid + 1) * sizeof(double));
    memset(a->integrated, 1, m->scalars);
    for (size_t i = 0; i < s->model->rigids.count; i++) {
        const rigid_body *b = &s->model->rigids.data[i];
        if (!b->affine) memset(a->integrated + 3 * ((size_t)b->block + 1), 0, 3);
    }
    return ABUT_OK;
}

abut_status adjoint_create(stepper *s, const adjoint_listener *listener, adjoint **out,
                           abut_error *err)
{
    adjoint *a = mem_calloc(1, sizeof *a);
    if (!a) return error_memory(err, "differentiating a run");
    a->s = s;
    a->listener = listener;
    a->solver.exact.least_curvature = INFINITY;
    abut_status status = fill(a, s, err);
    if (status != ABUT_OK) {
        adjoint_destroy(a);
        return status;
    }
    *out = a;
    return ABUT_OK;
}

void adjoint_destroy(adjoint *a)
{
    if (!a) return;
    void *arrays[] = {a->y,     a->tilde, a->start,      a->lag,      a->target,
                      a->w,     a->work,  a->z,          a->led,      a->integrated,
                      a->moved, a->pull,  a->turn_tilde, a->turn_new, a->direction};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(arrays[i]);
    motion_free(&a->bar.nodes);
    motion_free(&a->bar.turn);
    array_free(&a->bar.conditions);
    array_free(&a->bar.rigid_conditions);
    constrained_solver_free(&a->solver);
    mem_free(a);
}

static void clear(double *v, size_t n) { memset(v, 0, n * sizeof *v); }

static bool is_prescribed(const stepper *s, size_t i)
{
    return s->dirichlet.fixed[i] && s->dirichlet.fixed[i] != FIXED_FOLLOWS;
}

static bool any_prescribed(const stepper *s)
{
    size_t i = 0;
    while (i < s->state.scalars && !is_prescribed(s, i)) i++;
    return i < s->state.scalars;
}

/* ---- Newmark's accelerations (step/accelerations.c) ---- */

/* Accelerations that were computed from forces, M acc = f - dE(x), of the scalars in which z is not
 * 0 so far; then z = M^-1 z, and x of that moment gets -K z. */
static abut_status pull_accelerations(adjoint *a, const double *x, bool damped, double *x_bar,
                                      abut_error *err)
{
    stepper *s = a->s;
    memcpy(a->work, a->z, s->state.scalars * sizeof *a->z);
    TRY(inertia_solve(s->inertia, s->dirichlet.fixed, a->work, a->z, err));
    evaluation unit = evaluation_unit();
    unit.h = s->scratch.span.h;
    clear(a->work, s->state.scalars);
    TRY(hessian_times(s, &(hessian_part){&s->elastic->base, &unit, NULL}, x, a->z, a->work, err));
    for (size_t i = 0; i < s->terms.count; i++)
        TRY(hessian_times(s, &(hessian_part){s->terms.data[i].term, &unit, NULL}, x, a->z, a->work,
                          err));
    if (damped && s->damping)
        TRY(hessian_times(s, &(hessian_part){&s->damping->base, &unit, NULL}, x, a->z, a->work,
                          err));
    for (size_t i = 0; i < s->state.scalars; i++) x_bar[i] -= a->work[i];
    if (!damped || !s->damping) return ABUT_OK;
    clear(a->work, s->state.scalars);
    TRY(s->damping->base.class->by_start(&s->damping->base, &unit, x, a->z, a->work, err));
    for (size_t i = 0; i < s->state.scalars; i++) a->start[i] -= a->work[i];
    return ABUT_OK;
}

static void flag_blocks(const stepper *s, const term *t, uint8_t *touched)
{
    bool counts = !(s->evaluation.without & term_bit(t));
    for (int k = 0; counts && k < t->group_count; k++)
        for (size_t i = 0; i < t->groups[k].count * (size_t)t->groups[k].width; i++)
            if (t->groups[k].blocks[i] >= 0) touched[t->groups[k].blocks[i]] = 1;
}

/* Nodes in contact take the accelerations that they would have without it: v' = v + rest (acc - a),
 * a' = acc. */
static abut_status pull_contact_accelerations(adjoint *a, const double *x, bool *any,
                                              abut_error *err)
{
    stepper *s = a->s;
    motion_state *bar = &a->bar.nodes;
    double rest = s->scratch.span.h * (s->state.gamma - 2 * s->state.beta);
    uint8_t *touched = mem_calloc(s->model->rest.count + 1, 1);
    if (!touched) return error_memory(err, "differentiating a step");
    flag_blocks(s, &s->contact->base, touched);
    flag_blocks(s, &s->friction->base, touched);
    clear(a->z, s->state.scalars);
    *any = memchr(touched, 1, s->model->rest.count) != NULL;
    for (size_t i = 0; *any && i < s->state.scalars; i++) {
        if (!touched[i / 3] || !s->blocks.points[i / 3] || s->dirichlet.fixed[i]) continue;
        a->z[i] = bar->a[i] + rest * bar->v[i];
        bar->a[i] = -rest * bar->v[i];
    }
    mem_free(touched);
    return *any ? pull_accelerations(a, x, true, bar->x, err) : ABUT_OK;
}

/* Prescribed nodes: v' = (y - x) / h, a' = 0. */
static void pull_dirichlet_velocities(adjoint *a)
{
    const stepper *s = a->s;
    motion_state *bar = &a->bar.nodes;
    for (size_t i = 0; i < s->state.scalars; i++) {
        if (!is_prescribed(s, i)) continue;
        bar->x[i] += bar->v[i] / s->scratch.span.h;
        a->start[i] -= bar->v[i] / s->scratch.span.h;
        bar->v[i] = bar->a[i] = 0;
    }
}

/* ---- one pass of friction ---- */

/* What friction forces take from the start of the step and from the lag. */
static abut_status pull_friction(adjoint *a, const tape_step *t, size_t pass, abut_error *err)
{
    stepper *s = a->s;
    const collision_surface *surface = &s->model->surface;
    const double *y = tape_positions(t, pass), *lag = tape_lag(s, t, pass);
    size_t n = surface->rows.count;
    collision_surface_positions(surface, y, a->moved);
    for (size_t v = 0; v < n; v++) a->moved[v] = vec3_sub(a->moved[v], s->friction->start[v]);
    surface_push(surface, y, a->w, a->direction);
    memset(a->pull, 0, n * sizeof *a->pull);
    friction_by_start(s->friction, a->moved, a->direction, a->pull);
    clear(a->work, s->state.scalars);
    surface_pull(surface, s->start, a->pull, a->work);
    for (size_t i = 0; i < s->state.scalars; i++) a->start[i] -= a->work[i];
    TRY(problem_update(&s->problem, &s->evaluation, lag, err));
    memset(a->pull, 0, n * sizeof *a->pull);
    friction_by_lag(s->friction, t->record.lag_kappa.data[pass], a->moved, a->direction, a->pull);
    clear(a->lag, s->state.scalars);
    surface_pull(surface, lag, a->pull, a->lag);
    for (size_t i = 0; i < s->state.scalars; i++) a->lag[i] = -a->lag[i];
    return ABUT_OK;
}

/* The rows of the prescribed scalars: their targets enter the forces on the others. */
static abut_status pull_fixed(adjoint *a, const double *y, abut_error *err)
{
    const stepper *s = a->s;
    if (!any_prescribed(s)) return ABUT_OK;
    clear(a->work, s->state.scalars);
    hessian_part part = {NULL, &s->evaluation, s->dirichlet.fixed};
    for (size_t i = 0; i < s->state.scalars; i++)
        a->led[i] = s->dirichlet.fixed[i] == FIXED_FOLLOWS ? 0 : a->w[i];
    TRY(hessian_times(s, &part, y, a->led, a->work, err));
    clear(a->led, s->state.scalars);
    if (a->solver.rows > 0) constraints_pull(s, a->solver.force.data, a->led);
    if (model_has_followers(s->model)) followers_pull(s->model, y, a->led);
    for (size_t i = 0; i < s->state.scalars; i++)
        if (is_prescribed(s, i)) a->target[i] += a->y[i] - a->work[i] - a->led[i];
    return ABUT_OK;
}

/* Terms that keep something of the start of the step. */
static abut_status pull_start(adjoint *a, const double *y, abut_error *err)
{
    const stepper *s = a->s;
    for (int k = 0; k < s->problem.term_count; k++) {
        term *t = s->problem.terms[k];
        if (!t->class->by_start || s->evaluation.without & term_bit(t)) continue;
        clear(a->work, s->state.scalars);
        TRY(t->class->by_start(t, &s->evaluation, y, a->w, a->work, err));
        for (size_t i = 0; i < s->state.scalars; i++) a->start[i] -= a->work[i];
    }
    return ABUT_OK;
}

/* Inertia: the predictor gets M w. */
static void pull_inertia(adjoint *a, const double *y)
{
    const stepper *s = a->s;
    double factor = s->evaluation.mass_factor;
    inertia_multiply(s->inertia, a->w, a->work);
    for (size_t i = 0; i < s->state.scalars; i++) a->tilde[i] += factor * a->work[i];
    for (size_t i = 0; i < s->model->rigids.count; i++) {
        const rigid_body *b = &s->model->rigids.data[i];
        for (size_t k = 0; b->affine && k < 9; k++)
            for (size_t l = 0; l < 3; l++)
                a->tilde[3 * ((size_t)b->block + 1) + k] +=
                    factor * b->moment.m[k / 3][l] * a->w[3 * ((size_t)b->block + 1 + l) + k % 3];
    }
    adjoint_add_turn_tilde(a, y, a->w);
}

static abut_status pull_pass(adjoint *a, const tape_step *t, size_t pass, abut_error *err)
{
    stepper *s = a->s;
    const double *y = tape_positions(t, pass);
    if (pass + 1 < tape_passes(t)) TRY(tape_set_pass(s, t, pass, err));
    if (model_has_followers(s->model)) followers_pull(s->model, y, a->y);
    TRY(constrained_solve(&a->solver, s, y, a->y, a->w, err));
    TRY(pull_fixed(a, y, err));
    TRY(pull_start(a, y, err));
    pull_inertia(a, y);
    if (a->listener->pass) TRY(a->listener->pass(a->listener->context, a, t, pass, a->w, err));
    clear(a->lag, s->state.scalars);
    if (tape_has_friction(s)) TRY(pull_friction(a, t, pass, err));
    memcpy(a->y, a->lag, s->state.scalars * sizeof *a->y);
    return ABUT_OK;
}

/* ---- the step ---- */

/* From the state at the end to the positions found: velocities, accelerations, rotations. */
static abut_status pull_end(adjoint *a, const double *y, bool *accelerations, abut_error *err)
{
    stepper *s = a->s;
    bool newmark = motion_rule(&s->state)->has_accelerations;
    integrator_map map;
    *accelerations = false;
    if (newmark && s->contact && !s->options.newmark_plain)
        TRY(pull_contact_accelerations(a, y, accelerations, err));
    if (newmark) pull_dirichlet_velocities(a);
    TRY(integrator_map_make(&s->state, s->scratch.span.h, &map, err));
    integrator_pull_advance(&map, &a->bar.nodes, a->integrated, a->tilde, a->y);
    return adjoint_pull_turns(a, y, err);
}

static abut_status pull_step(adjoint *a, const tape_step *t, abut_error *err)
{
    stepper *s = a->s;
    size_t n = s->state.scalars, last = tape_passes(t) - 1;
    bool accelerations;
    integrator_map map;
    TRY(tape_set_pass(s, t, last, err));
    if (a->listener->objective) TRY(a->listener->objective(a->listener->context, a, t, err));
    double *cleared[] = {a->y, a->tilde, a->start, a->target};
    for (size_t i = 0; i < 4; i++) clear(cleared[i], n);
    clear(a->turn_tilde, s->rigid.turn.scalars);
    clear(a->turn_new, s->rigid.turn.scalars);
    TRY(pull_end(a, tape_positions(t, last), &accelerations, err));
    for (size_t pass = last + 1; pass-- > 0;) TRY(pull_pass(a, t, pass, err));
    for (size_t i = 0; i < n; i++) a->start[i] += a->y[i]; /* the first lag is the start */
    TRY(integrator_map_make(&s->state, s->scratch.span.h, &map, err));
    integrator_pull_predict(&map, &a->bar.nodes, a->integrated, a->tilde);
    TRY(adjoint_finish_turns(a, err));
    if (a->listener->step)
        TRY(a->listener->step(a->listener->context, a, t, a->target, accelerations ? a->z : NULL,
                              err));
    return ABUT_OK;
}

abut_status adjoint_step(adjoint *a, const tape_step *t, abut_error *err)
{
    stepper *s = a->s;
    ARRAY(int32_t) began = {0};
    TRY(stepper_load(s, &t->start, err));
    size_t nodes = s->dirichlet.began.count, rigid = s->rigid.condition_began.count;
    if (!array_resize(&began, nodes + rigid + 1)) return error_memory(err, "differentiating");
    if (nodes) memcpy(began.data, s->dirichlet.began.data, nodes * sizeof *began.data);
    if (rigid)
        memcpy(began.data + nodes, s->rigid.condition_began.data, rigid * sizeof *began.data);
    abut_status status = tape_open(s, t, err);
    if (status == ABUT_OK) status = pull_step(a, t, err);
    if (status == ABUT_OK) {
        adjoint_pull_targets(a, began.data, began.data + nodes);
        for (size_t i = 0; i < s->state.scalars; i++) a->bar.nodes.x[i] += a->start[i];
    }
    array_free(&began);
    return status;
}

abut_status adjoint_start(adjoint *a, abut_error *err)
{
    stepper *s = a->s;
    if (s->rigid.inertia) adjoint_start_turns(a);
    clear(a->z, s->state.scalars);
    if (!motion_rule(&s->state)->has_accelerations) return ABUT_OK;
    for (size_t i = 0; i < s->state.scalars; i++)
        if (!s->dirichlet.fixed[i]) a->z[i] = a->bar.nodes.a[i];
    clear(a->start, s->state.scalars);
    return pull_accelerations(a, s->state.x, false, a->bar.nodes.x, err);
}
