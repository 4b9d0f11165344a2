#include "step/stepper_internal.h"

#include "base/ranks.h"
#include "step/twist_motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FRICTION_ITERATIONS = 100 };

/* Mean lumped mass of the simulated nodes; those of rigid and affine bodies have the mass of the
 * whole body, which per_vertex divides among the vertices of its surface. */
static double mean_mass(const model *m, double *per_vertex)
{
    double total = 0;
    size_t count = 0, vertices = 0;
    for (size_t i = 0; i < m->mass.count; i++) {
        if (m->bodies.data[m->body.data[i]].kind == BODY_KIND_OBSTACLE) continue;
        if (!model_block_is_position(m, i)) continue;
        total += m->mass.data[i];
        count++;
        vertices += m->bodies.data[m->body.data[i]].rigid < 0;
    }
    for (size_t i = 0; i < m->surface.rows.count; i++)
        vertices += m->bodies.data[m->surface.vertex_body.data[i]].rigid >= 0;
    *per_vertex = vertices ? total / (double)vertices : 1;
    return count ? total / (double)count : 1;
}

static abut_status add_contact(stepper *s, abut_error *err)
{
    const stepper_options *o = &s->options;
    TRY(contact_create(s->model, &o->contact_options, &s->contact, err));
    double vertex_mass, block_mass = mean_mass(s->model, &vertex_mass);
    s->evaluation.kappa = contact_set_stiffness_bounds(s->contact, block_mass, vertex_mass);
    TRY(friction_create(s->contact, o->friction, o->friction_kind, &s->friction, err));
    s->friction->eps = o->eps_v * o->h;
    s->friction->h = o->h;
    TRY(guard_create(s->contact, &s->guard, err));
    prescribed_watch_init(&s->watch, s->contact);
    if (o->use_mlcp)
        return mlcp_create(s->model, &s->problem, s->contact, s->friction, &o->mlcp, &s->mlcp, err);
    TRY(problem_add_term(&s->problem, &s->contact->base, err));
    TRY(problem_add_term(&s->problem, &s->friction->base, err));
    return problem_add_term(&s->problem, &s->guard->base, err);
}

/* The terms of the table that the model needs. */
static abut_status add_terms(stepper *s, abut_error *err)
{
    for (size_t i = 0; term_rows[i]; i++) {
        made_term made = {NULL, term_rows[i]};
        if (!made.row->needed(s->model)) continue;
        TRY(made.row->create(s->model, &made.term, err));
        if (!array_push(&s->terms, made)) {
            made.term->class->destroy(made.term);
            return error_memory(err, "creating the terms of a step");
        }
        bool bending = made.row->damping == TERM_DAMPED_BENDING;
        if (s->damping && made.row->damping != TERM_UNDAMPED)
            TRY(damping_add_term(s->damping, made.term, bending, err));
        TRY(problem_add_term(&s->problem, made.term, err));
    }
    return ABUT_OK;
}

term *stepper_find_term(const stepper *s, const char *name)
{
    for (size_t i = 0; i < s->terms.count; i++)
        if (strcmp(s->terms.data[i].term->class->name, name) == 0) return s->terms.data[i].term;
    return NULL;
}

void stepper_restart_terms(stepper *s)
{
    for (size_t i = 0; i < s->terms.count; i++) {
        term *t = s->terms.data[i].term;
        if (t->class->restart) t->class->restart(t, s->state.x);
    }
}

/* The linear-complementarity stepper cannot keep elements from inverting: it has no line search. */
static void extrapolate_materials(model *m)
{
    for (size_t i = 0; i < m->bodies.count; i++)
        elastic_extrapolate(&m->bodies.data[i].material, MLCP_LEAST_VOLUME);
    for (size_t i = 0; i < m->sets.count; i++)
        for (size_t e = 0; e < m->sets.data[i].count; e++)
            elastic_extrapolate(&m->sets.data[i].material.data[e], MLCP_LEAST_VOLUME);
}

/* The linear solver, and whether the ranks of a run divide the problem. */
static abut_status choose_linear(stepper *s, abut_error *err)
{
    s->options.linear.log = s->log;
    TRY(linear_create(&s->options.linear, &s->linear, err));
    bool rows = linear_wants_rows(s->linear);
    if (ranks_divided() && !rows)
        return error_set(err, ABUT_ERROR_INPUT, "solver.linear",
                         "\"%s\" cannot be divided over %d ranks; \"petsc\" can",
                         s->options.linear.name, ranks_count());
    if (rows && s->mlcp)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "solver.linear",
                         "the stepper \"mlcp\" does not use PETSc and runs on one rank");
    return rows ? problem_divide(&s->problem, err) : ABUT_OK;
}

/* Terms that count in some stages of a step only. */
static void leave_out_passing_terms(stepper *s)
{
    s->evaluation.without |= term_bit(&s->attachment->base);
    if (s->friction) s->evaluation.without |= term_bit(&s->friction->base);
    if (s->guard && !s->options.check_moves) s->evaluation.without |= term_bit(&s->guard->base);
}

static abut_status add_anchor(stepper *s, abut_error *err)
{
    TRY(anchor_create(s->model, s->options.anchor, s->start, &s->anchor, err));
    return problem_add_term(&s->problem, &s->anchor->base, err);
}

abut_status stepper_create(model *m, const stepper_options *options, const logger *log,
                           stepper **out, abut_error *err)
{
    stepper *s = mem_calloc(1, sizeof *s);
    if (!s) {
        model_free(m);
        mem_free(m);
        return error_memory(err, "creating the stepper");
    }
    s->model = m;
    s->options = *options;
    s->log = log;
    timer_start(&s->timer);
    s->evaluation = evaluation_unit();
    if (options->use_mlcp) extrapolate_materials(m);
    size_t scalars = 3 * m->rest.count;
    abut_status status = motion_init(&s->state, options->integrator, options->newmark_beta,
                                     options->newmark_gamma, scalars, err);
    if (status == ABUT_OK) status = inertia_create(m, &s->inertia, err);
    if (status == ABUT_OK) status = elastic_create(m, &s->elastic, err);
    if (status == ABUT_OK) status = attachment_create(&s->attachment, err);
    if (status == ABUT_OK && damping_needed(m)) status = damping_create(m, &s->damping, err);
    if (status == ABUT_OK) status = problem_init(&s->problem, model_block_count(m), &s->timer, err);
    if (status == ABUT_OK) status = problem_add_term(&s->problem, &s->inertia->base, err);
    if (status == ABUT_OK) status = problem_add_term(&s->problem, &s->elastic->base, err);
    if (status == ABUT_OK) status = add_terms(s, err);
    if (status == ABUT_OK) status = problem_add_term(&s->problem, &s->attachment->base, err);
    if (status == ABUT_OK && s->damping)
        status = problem_add_term(&s->problem, &s->damping->base, err);
    if (status == ABUT_OK && m->rigids.count > 0)
        status = rigid_motion_init(&s->rigid, m, &s->state, s->inertia->x_tilde, &s->problem, err);
    if (status == ABUT_OK && options->contact) status = add_contact(s, err);
    if (status == ABUT_OK) leave_out_passing_terms(s);
    if (status == ABUT_OK) status = choose_linear(s, err);
    if (status == ABUT_OK && options->true_first && !linear_can_solve_again(s->linear))
        log_message(log, ABUT_LOG_WARNING,
                    "solver.true_hessian_first has no effect with the linear solver \"%s\"",
                    linear_name(s->linear));
    if (status == ABUT_OK) status = newton_init(&s->newton, &s->problem, s->linear, log, err);
    s->lengths = mem_calloc(m->rest.count, sizeof(double));
    s->points = mem_calloc(m->rest.count, 1);
    s->holder = mem_calloc(m->rest.count, sizeof *s->holder);
    s->fixed = mem_calloc(scalars, 1);
    s->target = mem_calloc(scalars, sizeof(double));
    s->x = mem_calloc(scalars, sizeof(double));
    s->start = mem_calloc(scalars, sizeof(double));
    s->work = mem_calloc(scalars, sizeof(double));
    s->gradient = mem_calloc(scalars, sizeof(double));
    if (status == ABUT_OK && !(s->lengths && s->points && s->holder && s->fixed && s->target &&
                               s->x && s->start && s->work && s->gradient))
        status = error_memory(err, "creating the stepper");
    if (status == ABUT_OK && options->anchor > 0) status = add_anchor(s, err);
    if (status != ABUT_OK) {
        stepper_destroy(s);
        return status;
    }
    memcpy(s->state.x, m->rest.data, scalars * sizeof(double));
    for (size_t i = 0; i < m->rest.count; i++) {
        s->lengths[i] = rigid_block_length(m, i);
        s->points[i] = model_block_is_position(m, i);
    }
    twist_set_lengths(m, s->lengths);
    s->problem.lengths = s->lengths;
    s->problem.points = s->points;
    *out = s;
    return ABUT_OK;
}

void stepper_end_terms(stepper *s)
{
    for (size_t i = 0; i < s->terms.count; i++) {
        term *t = s->terms.data[i].term;
        if (t->class->end_step) t->class->end_step(t, s->state.x);
    }
}

static void destroy_term(term *t)
{
    if (t) t->class->destroy(t);
}

void stepper_destroy(stepper *s)
{
    if (!s) return;
    newton_free(&s->newton);
    problem_free(&s->problem);
    linear_destroy(s->linear);
    destroy_term((term *)s->inertia);
    destroy_term((term *)s->elastic);
    for (size_t i = 0; i < s->terms.count; i++) destroy_term(s->terms.data[i].term);
    array_free(&s->terms);
    destroy_term((term *)s->attachment);
    destroy_term((term *)s->damping);
    destroy_term((term *)s->anchor);
    destroy_term((term *)s->surface_load);
    mlcp_destroy(s->mlcp);
    destroy_term((term *)s->guard);
    prescribed_watch_free(&s->watch);
    destroy_term((term *)s->friction);
    destroy_term((term *)s->contact);
    rigid_motion_free(&s->rigid);
    motion_free(&s->state);
    for (size_t i = 0; i < s->conditions.count; i++) condition_free(&s->conditions.data[i]);
    for (size_t i = 0; i < s->loads.count; i++) {
        array_free(&s->loads.data[i].nodes);
        array_free(&s->loads.data[i].share);
        for (int k = 0; k < 3; k++) expression_free(s->loads.data[i].field[k]);
    }
    array_free(&s->conditions);
    array_free(&s->condition_start);
    array_free(&s->condition_began);
    array_free(&s->linear_order);
    array_free(&s->loads);
    mem_free(s->lengths);
    mem_free(s->points);
    mem_free(s->holder);
    mem_free(s->fixed);
    mem_free(s->target);
    mem_free(s->x);
    mem_free(s->start);
    mem_free(s->work);
    mem_free(s->user_force);
    mem_free(s->gradient);
    step_way_free(&s->way);
    model_free(s->model);
    mem_free(s->model);
    mem_free(s);
}

abut_status stepper_add_surface_load(stepper *s, surface_load added, const mesh *m,
                                     const side_list *sides, const int32_t *block_of_vertex,
                                     abut_error *err)
{
    if (!s->surface_load) {
        TRY(surface_load_create(s->model, &s->surface_load, err));
        TRY(problem_add_term(&s->problem, &s->surface_load->base, err));
    }
    return surface_load_add(s->surface_load, added, m, sides, block_of_vertex, err);
}

static vec3 load_field(const load *l, vec3 x, double time)
{
    if (!l->field[0]) return (vec3){0};
    return (vec3){expression_value(l->field[0], x.x, x.y, x.z, time),
                  expression_value(l->field[1], x.x, x.y, x.z, time),
                  expression_value(l->field[2], x.x, x.y, x.z, time)};
}

/* Gravity and loads of the step from `time` to `end`. */
static void set_forces(stepper *s, double time, double end)
{
    double *f = s->inertia->force;
    for (size_t i = 0; i < s->model->rest.count; i++)
        vec3_store(f + 3 * i, vec3_scale(s->model->load_mass.data[i], s->options.gravity));
    for (size_t k = 0; k < s->loads.count; k++) {
        const load *l = &s->loads.data[k];
        if (!time_within(time, l->from, l->until)) continue;
        for (size_t i = 0; i < l->nodes.count; i++) {
            size_t at = (size_t)l->nodes.data[i];
            vec3 force = l->share.count ? vec3_scale(l->share.data[i], l->force) : l->force;
            vec3 acceleration =
                vec3_add(l->acceleration, load_field(l, s->model->rest.data[at], end));
            force = vec3_mul_add(force, s->model->load_mass.data[at], acceleration);
            vec3_store(f + 3 * at, vec3_add(vec3_load(f + 3 * at), force));
        }
    }
    for (size_t i = 0; s->user_force && i < 3 * s->model->rest.count; i++) f[i] += s->user_force[i];
    if (s->surface_load) surface_load_begin_step(s->surface_load, s->state.x, time, end, f);
}

/* Room for what the conditions remember. */
static abut_status prepare_conditions(stepper *s, abut_error *err)
{
    size_t nodes = 0;
    for (size_t k = 0; k < s->conditions.count; k++) nodes += s->conditions.data[k].nodes.count;
    if (!array_resize(&s->condition_start, 3 * nodes) ||
        !array_resize(&s->condition_began, s->conditions.count))
        return error_memory(err, "preparing conditions");
    if (nodes) memset(s->condition_start.data, 0, 3 * nodes * sizeof(double));
    size_t first = 0;
    for (size_t k = 0; k < s->conditions.count; k++) {
        condition *c = &s->conditions.data[k];
        c->start = s->condition_start.data + first;
        c->began = &s->condition_began.data[k];
        *c->began = 0;
        first += 3 * c->nodes.count;
    }
    return ABUT_OK;
}

abut_status stepper_start(stepper *s, const double *velocity, abut_error *err)
{
    TRY(prepare_conditions(s, err));
    size_t scalars = s->state.scalars;
    if (velocity) memcpy(s->state.v, velocity, scalars * sizeof *velocity);
    if (motion_rule(&s->state)->has_accelerations) {
        set_forces(s, 0, 0);
        TRY(stepper_start_accelerations(s, err));
    }
    if (s->model->rigids.count > 0) TRY(rigid_motion_start(&s->rigid, &s->state, s->state.a, err));
    return ABUT_OK;
}

static vec3 lowest_corner(const stepper *s)
{
    vec3 low = {INFINITY, INFINITY, INFINITY};
    for (size_t i = 0; i < s->model->rest.count; i++)
        if (s->model->bodies.data[s->model->body.data[i]].kind != BODY_KIND_OBSTACLE &&
            model_block_is_position(s->model, i))
            low = vec3_min(low, vec3_load(s->state.x + 3 * i));
    return low;
}

/* In the plane: z of all nodes stays, rigid bodies turn about z only, affine ones keep A's third
 * row and column. */
static void hold_plane(stepper *s)
{
    enum { PRESCRIBED = 2 }; /* turning in the plane stays free unless it was prescribed */
    const model *m = s->model;
    for (size_t r = 0; r < m->rigids.count; r++) {
        uint8_t *turn = s->fixed + 3 * ((size_t)m->rigids.data[r].block + 1) + 2;
        *turn = *turn ? PRESCRIBED : 0;
    }
    for (size_t i = 0; i < m->rest.count; i++) s->fixed[3 * i + 2] |= 1;
    for (size_t r = 0; r < m->rigids.count; r++) {
        const rigid_body *body = &m->rigids.data[r];
        uint8_t *second = s->fixed + 3 * ((size_t)body->block + 1);
        if (body->affine) {
            second[2] = 1;
            memset(second + 6, 1, 3);
        } else {
            second[2] = second[2] & PRESCRIBED ? 1 : 0;
            second[0] = second[1] = 1;
        }
    }
}

void stepper_set_targets(stepper *s, double time)
{
    size_t scalars = s->state.scalars;
    memset(s->fixed, 0, scalars);
    memcpy(s->target, s->state.x, scalars * sizeof *s->target);
    for (size_t k = 0; k < s->conditions.count; k++) {
        condition *c = &s->conditions.data[k];
        if (c->has_release) condition_release(c, lowest_corner(s));
        if (!condition_active(c, s->time)) continue;
        condition_begin(c, s->state.x);
        for (size_t i = 0; i < c->nodes.count; i++) {
            vec3 to = condition_node_target(c, i, time);
            double *target = s->target + 3 * (size_t)c->nodes.data[i];
            for (int axis = 0; axis < 3; axis++) {
                if (!(c->axes & 1 << axis)) continue;
                target[axis] = vec3_get(to, axis);
                s->fixed[3 * (size_t)c->nodes.data[i] + (size_t)axis] = 1;
            }
        }
    }
    for (size_t k = 0; k < s->rigid.conditions.count; k++) {
        condition *path = &s->rigid.conditions.data[k].path;
        if (path->has_release) condition_release(path, lowest_corner(s));
    }
    if (s->model->rigids.count > 0)
        rigid_motion_prescribe(&s->rigid, s->state.x, s->time, time, s->fixed, s->target);
    if (s->model->codim.angle_rest.count > 0)
        twist_prescribe(s->model, s->conditions.data, s->conditions.count, s->state.x, s->time,
                        time, s->holder, s->fixed, s->target);
    if (s->model->planar) hold_plane(s);
}

double stepper_convergence_length(const stepper *s)
{
    return motion_rule(&s->state)->is_static ? s->options.tolerance
                                             : s->options.tolerance * s->options.h;
}

static bool counts(const stepper *s, const term *t)
{
    return !(s->evaluation.without & term_bit(t));
}

static void set_counts(stepper *s, const term *t, bool on)
{
    if (on)
        s->evaluation.without &= ~term_bit(t);
    else
        s->evaluation.without |= term_bit(t);
}

/* Every place counts, also those of iterations on a part of the unknowns. */
static abut_status note_move(void *context, const double *x, abut_error *err)
{
    return step_way_add(&((stepper *)context)->way, x, err);
}

static abut_status after_iteration(void *context, const double *x, double direction, bool *changed,
                                   bool *may_stop, abut_error *err)
{
    stepper *s = context;
    if (s->contact && counts(s, &s->friction->base)) friction_note_iterate(s->friction);
    if (s->contact && counts(s, &s->contact->base) &&
        contact_adapt_stiffness(s->contact, &s->evaluation.kappa))
        *changed = true;
    if (problem_adapt(&s->problem, &s->evaluation, x)) *changed = true;
    return s->attached ? stepper_pull(s, x, direction, changed, may_stop, err) : ABUT_OK;
}

/* Normal forces and frames of friction from the positions x. */
static abut_status lag_friction(stepper *s, const double *x, abut_error *err)
{
    TRY(problem_update(&s->problem, &s->evaluation, x, err));
    return friction_lag(s->friction, s->evaluation.kappa, err);
}

/* Notes how far the forces of another pass moved the state. Lagging need not converge (IPC, section
 * 4): when the moves of eight passes have not shrunk by half, further ones change nothing for the
 * better. */
static bool lagging_in_circles(double *moves, int pass, double move)
{
    enum { WINDOW = 8 };
    moves[pass] = move;
    return pass >= WINDOW && move > 0.5 * moves[pass - WINDOW];
}

/* How late true Hessians come decides how impacts rebound at a rough tolerance, for which a scene
 * may ask to wait; it is no reason to wait under a lasting load. */
static int true_hessian_after(const stepper *s)
{
    enum { SOON = 2 };
    bool pressed = s->contact && contact_under_lasting_load(s->contact);
    return pressed && s->options.true_hessian_after > SOON ? SOON : s->options.true_hessian_after;
}

/* Newton, repeated with new friction forces as often as asked. */
static abut_status solve_step(stepper *s, bool friction, step_statistics *statistics,
                              abut_error *err)
{
    newton_options options = {.tolerance = stepper_convergence_length(s),
                              .max_iterations = s->options.max_iterations,
                              .true_hessian_after = true_hessian_after(s),
                              .true_first = s->options.true_first,
                              .measure = s->options.measure,
                              .forcing = s->options.forcing,
                              .local = s->options.measure == NEWTON_LARGEST};
    newton_hooks hooks = {s, after_iteration};
    s->newton.on_move = note_move;
    s->newton.on_move_context = s;
    int passes = s->options.friction_iterations > 0 ? s->options.friction_iterations
                                                    : MAX_FRICTION_ITERATIONS;
    double moves[MAX_FRICTION_ITERATIONS];
    for (int pass = 0; pass < (friction ? passes : 1); pass++) {
        newton_result result;
        abut_status status =
            newton_minimize(&s->newton, &s->evaluation, s->x, &options, &hooks, &result, err);
        statistics->newton_iterations += result.iterations;
        if (status == ABUT_ERROR_NOT_CONVERGED && s->attached)
            return report_unreached(s->model, s->attachment, s->x, stepper_pull_progress(s, s->x),
                                    statistics->newton_iterations, err);
        TRY(status);
        if (!friction) break;
        statistics->friction_iterations = pass + 1;
        /* One iteration means that the refreshed forces left the state as it is. */
        if (pass > 0 && result.iterations <= 1) break;
        bool until_converged = s->options.friction_iterations == 0;
        if (pass + 1 == passes || (until_converged && pass > 0 &&
                                   lagging_in_circles(moves, pass - 1, result.first_direction))) {
            statistics->friction_unsettled = until_converged;
            break;
        }
        TRY(lag_friction(s, s->x, err));
        TRY(stepper_renew_stiffness(s, s->x, err));
    }
    return ABUT_OK;
}

/* Newmark's rule makes the accelerations of nodes that are moved with a jump in velocity grow
 * without bound; once released they would fly off. Prescribed nodes have the velocity of their
 * motion and no acceleration. */
static void settle_prescribed(stepper *s)
{
    if (!motion_rule(&s->state)->has_accelerations) return;
    for (size_t i = 0; i < s->state.scalars; i++) {
        if (!s->fixed[i]) continue;
        s->state.v[i] = (s->x[i] - s->start[i]) / s->options.h;
        s->state.a[i] = 0;
    }
}

/* Elasticity on, contact and limits off, or the other way round. */
static void enable_elasticity(stepper *s, bool on)
{
    for (size_t i = 0; i < s->terms.count; i++)
        set_counts(s, s->terms.data[i].term, s->terms.data[i].row->is_limit ? !on : on);
    if (s->damping) set_counts(s, &s->damping->base, on);
    if (s->contact) set_counts(s, &s->contact->base, !on);
}

static bool has_limit(const stepper *s)
{
    for (size_t i = 0; i < s->terms.count; i++)
        if (s->terms.data[i].row->is_limit) return true;
    return false;
}

/* Split strain limits, as other methods have them (Codimensional IPC, section 6.3): the elastic
 * step alone, x_hat, then the feasible positions nearest to it in the norm of the masses, with
 * contact and friction. Makes x_hat the target of inertia; the second solve is the caller's. */
static abut_status solve_elastic_part(stepper *s, step_statistics *statistics, abut_error *err)
{
    bool guarded = s->guard && counts(s, &s->guard->base);
    if (guarded) set_counts(s, &s->guard->base, false);
    enable_elasticity(s, true);
    abut_status status = stepper_move_prescribed(s, err);
    if (status == ABUT_OK) status = solve_step(s, false, statistics, err);
    if (guarded) set_counts(s, &s->guard->base, true);
    enable_elasticity(s, false);
    TRY(status);
    memcpy(s->inertia->x_tilde, s->x, s->state.scalars * sizeof *s->x);
    memcpy(s->x, s->start, s->state.scalars * sizeof *s->x);
    s->evaluation.load_factor = 0;
    return step_way_begin(&s->way, s->x, s->state.scalars, err); /* elastic places do not count */
}

/* What the update of the velocities and the next measure expect. */
static void join_split(stepper *s)
{
    for (size_t i = 0; i < s->terms.count; i++) set_counts(s, s->terms.data[i].term, true);
    if (s->damping) set_counts(s, &s->damping->base, true);
    if (s->contact) set_counts(s, &s->contact->base, true);
    motion_predict(&s->state, s->options.h, s->inertia->x_tilde);
    s->evaluation.load_factor = motion_force_factor(&s->state, s->options.h);
}

abut_status stepper_find_positions(stepper *s, double end, step_statistics *statistics,
                                   abut_error *err)
{
    double h = s->options.h;
    size_t scalars = s->state.scalars;
    int64_t reframed = s->rigid.reframed;
    rigid_motion_reframe(&s->rigid, s->model, &s->state, s->time);
    if (s->contact && s->rigid.reframed > reframed) TRY(contact_renew_frames(s->contact, err));
    memcpy(s->start, s->state.x, scalars * sizeof *s->start);
    memcpy(s->x, s->guess ? s->guess : s->state.x, scalars * sizeof *s->x);
    TRY(step_way_begin(&s->way, s->x, scalars, err));
    double factor = motion_force_factor(&s->state, h);
    motion_predict(&s->state, h, s->inertia->x_tilde);
    set_forces(s, s->time, end);
    s->evaluation.mass_factor = motion_rule(&s->state)->is_static ? 0 : 1;
    s->evaluation.load_factor = s->evaluation.force_factor = factor;
    s->evaluation.h = h;
    if (s->damping) damping_lag(s->damping, s->start);
    if (s->model->rigids.count > 0) rigid_motion_predict(&s->rigid, &s->state, s->time, h, factor);
    stepper_set_targets(s, end);
    bool friction = s->contact && friction_possible(s->friction);
    if (s->contact) set_counts(s, &s->friction->base, false);
    TRY(problem_set_fixed(&s->problem, s->fixed, err));
    /* Pairs of which no vertex can respond are no contacts, also while some of them are pulled. */
    if (s->contact) contact_set_fixed(s->contact, s->fixed);
    if (s->contact) contact_begin_step(s->contact);
    for (size_t i = 0; i < s->terms.count; i++) {
        term *t = s->terms.data[i].term;
        if (t->class->begin_step) t->class->begin_step(t);
    }
    problem_begin_step(&s->problem);
    linear_begin_step(s->linear);
    if (s->mlcp) return stepper_solve_mlcp(s, statistics, err);
    if (friction) {
        friction_set_start(s->friction, s->start);
        TRY(stepper_choose_first_stiffness(s, err));
        TRY(lag_friction(s, s->start, err));
    }
    bool split = s->options.split_limits && has_limit(s);
    if (split) TRY(solve_elastic_part(s, statistics, err));
    TRY(stepper_move_prescribed(s, err));
    if (s->contact) TRY(stepper_choose_stiffness(s, err));
    if (friction) {
        TRY(problem_update(&s->problem, &s->evaluation, s->x, err));
        set_counts(s, &s->friction->base, true);
    }
    abut_status status = solve_step(s, friction, statistics, err);
    if (split) join_split(s);
    return status;
}

/* The exact check of the positions found. Should it fail, the step is repeated with a check of
 * every position on the way. */
static abut_status check_positions(stepper *s, double end, step_statistics *statistics,
                                   abut_error *err)
{
    while (s->guard) {
        bool found;
        guard_finding finding;
        stage before = timer_switch(&s->timer, STAGE_CHECK);
        abut_status status = guard_check(s->guard, s->x, &found, &finding, err);
        timer_switch(&s->timer, before);
        TRY(status);
        if (!found) break;
        char text[320];
        guard_describe(s->guard, &finding, text, sizeof text);
        if (statistics->repeats++ > 0)
            return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                             "the result of the step fails the exact check: %s", text);
        log_message(s->log, ABUT_LOG_WARNING,
                    "the step to %g s failed the exact check and is repeated: %s", end, text);
        set_counts(s, &s->guard->base, true);
        status = stepper_find_positions(s, end, statistics, err);
        set_counts(s, &s->guard->base, s->options.check_moves);
        TRY(status);
    }
    return ABUT_OK;
}

abut_status stepper_solve(stepper *s, const double *guess, step_statistics *statistics,
                          abut_error *err)
{
    double end = (double)(s->state.steps + 1) * s->options.h;
    s->guess = guess;
    abut_status status = stepper_find_positions(s, end, statistics, err);
    if (status == ABUT_OK) status = check_positions(s, end, statistics, err);
    s->guess = NULL;
    TRY(status);
    if (s->contact) TRY(step_way_join(&s->way, &s->problem, &s->evaluation, err));
    TRY(problem_update(&s->problem, &s->evaluation, s->x, err));
    double value = problem_value(&s->problem, &s->evaluation, s->x);
    for (size_t i = 0; i < s->state.scalars; i++) /* loads count by displacements */
        value += s->evaluation.load_factor * s->inertia->force[i] *
                 ((const double *)s->model->rest.data)[i];
    statistics->potential = value / motion_force_factor(&s->state, s->options.h);
    statistics->unknowns = 0;
    for (size_t i = 0; i < s->state.scalars; i++) statistics->unknowns += !s->fixed[i];
    return ABUT_OK;
}

abut_status stepper_finish(stepper *s, step_statistics *statistics, abut_error *err)
{
    linear_end_step(s->linear);
    if (s->contact) contact_end_step(s->contact, statistics->newton_iterations);
    double h = s->options.h, end = (double)(s->state.steps + 1) * h;
    motion_advance(&s->state, h, s->inertia->x_tilde, s->x);
    settle_prescribed(s);
    if (s->model->rigids.count > 0)
        rigid_motion_advance(&s->rigid, &s->state, h, s->start, s->fixed);
    TRY(stepper_drop_contact_accelerations(s, err));
    stepper_end_terms(s);
    s->time = end;
    stepper_measure(s, statistics);
    return ABUT_OK;
}

abut_status stepper_advance(stepper *s, step_statistics *statistics, abut_error *err)
{
    if (s->mlcp) return stepper_advance_mlcp(s, statistics, err);
    *statistics = (step_statistics){0};
    abut_status status = stepper_solve(s, NULL, statistics, err);
    if (status == ABUT_ERROR_NOT_CONVERGED && s->options.integrator == INTEGRATE_QUASI_STATIC)
        name_free_body(s->model, s->fixed, err);
    TRY(status);
    TRY(stepper_watch(s, s->x, statistics, err));
    return stepper_finish(s, statistics, err);
}

void stepper_measure(stepper *s, step_statistics *out)
{
    const double *x = s->state.x, *v = s->state.v;
    inertia_multiply(s->inertia, v, s->work);
    out->kinetic = out->gravity = 0;
    out->linear_momentum = out->angular_momentum = (vec3){0};
    for (size_t i = 0; i < s->model->rest.count; i++) {
        if (s->model->bodies.data[s->model->body.data[i]].kind == BODY_KIND_OBSTACLE) continue;
        vec3 position = vec3_load(x + 3 * i), momentum = vec3_load(s->work + 3 * i);
        out->kinetic += 0.5 * vec3_dot(momentum, vec3_load(v + 3 * i));
        if (!s->points[i]) continue;
        out->gravity -= s->model->load_mass.data[i] * vec3_dot(s->options.gravity, position);
        out->linear_momentum = vec3_add(out->linear_momentum, momentum);
        out->angular_momentum = vec3_add(out->angular_momentum, vec3_cross(position, momentum));
    }
    evaluation unit = evaluation_unit();
    out->elastic = s->elastic->base.class->value(&s->elastic->base, &unit, x);
    if (s->model->rigids.count > 0) {
        rigid_measures rigid = rigid_motion_measure(&s->rigid, &s->state);
        out->kinetic += rigid.kinetic;
        out->elastic += rigid.stored;
        out->angular_momentum = vec3_add(out->angular_momentum, rigid.angular_momentum);
    }
    for (size_t i = 0; i < s->terms.count; i++)
        out->elastic += s->terms.data[i].term->class->value(s->terms.data[i].term, &unit, x);
    out->min_volume_ratio = elastic_min_volume_ratio(s->elastic, x);
    out->sheets = shell_stretch(s->model, x);
    out->max_stretch = elastic_max_stretch(s->elastic, x);
    if (s->model->codim.triangle_rest.count > 0)
        out->max_stretch = s->model->tet_count > 0 ? fmax(out->max_stretch, out->sheets.largest)
                                                   : out->sheets.largest;
    out->min_distance = INFINITY;
    if (!s->contact) return;
    out->min_distance = s->contact->min_distance;
    out->contacts = s->mlcp ? s->mlcp_statistics.contacts : contact_count(s->contact);
    if (s->mlcp) return;
    out->kappa = s->evaluation.kappa;
    /* kappa carries the integrator's factor on forces. */
    out->contact = s->contact->base.class->value(&s->contact->base, &s->evaluation, x) /
                   stepper_contact_factor(s);
}
