/* Making a stepper: its terms, its solver, its memory. */
#include "step/followers.h"
#include "step/saved_state.h"
#include "step/stepper_internal.h"

#include "base/ranks.h"
#include "step/twist_motion.h"

#include <math.h>
#include <string.h>

/* Mean lumped mass of the simulated nodes; those of rigid and affine bodies have the mass of the
 * whole body, which per_vertex divides among the vertices of its surface. */
static double mean_mass(const model *m, double *per_vertex)
{
    double total = 0;
    size_t count = 0, vertices = 0;
    for (size_t i = 0; i < m->mass.count; i++) {
        if (model_block_is_obstacle(m, i)) continue;
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
    /* Without inertia nothing is accelerated. */
    if (!motion_rule(&s->state)->is_static) TRY(contact_weigh_pairs(s->contact, block_mass, err));
    s->evaluation.kappa = contact_set_stiffness_bounds(s->contact, block_mass, vertex_mass);
    TRY(friction_create(s->contact, o->friction, o->friction_form.kind, &s->friction, err));
    s->friction->sticks = o->friction_form.anchors;
    TRY(guard_create(s->contact, &s->guard, err));
    dirichlet_overlap_init(&s->dirichlet_overlap, s->contact);
    if (o->use_mlcp)
        return mlcp_create(s->model, &s->problem, s->contact, s->friction, &o->mlcp,
                           &s->mlcp.solver, err);
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
        TRY(stepper_add_term(s, made.term, made.row, err));
        bool bending = made.row->damping == TERM_DAMPED_BENDING;
        if (s->damping && made.row->damping != TERM_UNDAMPED)
            TRY(damping_add_term(s->damping, made.term, bending, err));
    }
    return ABUT_OK;
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
    s->options.linear.factor = s->options.true_first;
    TRY(linear_create(&s->options.linear, &s->linear, err));
    bool rows = linear_wants_rows(s->linear);
    if (ranks_divided() && !rows)
        return error_set(err, ABUT_ERROR_INPUT, "solver.linear",
                         "\"%s\" cannot be divided over %d ranks; \"petsc\" can",
                         s->options.linear.name, ranks_count());
    if (rows && s->mlcp.solver)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "solver.linear",
                         "the stepper \"mlcp\" does not use PETSc and runs on one rank");
    return rows ? problem_divide(&s->problem, err) : ABUT_OK;
}

/* Terms that count in some stages of a step only. */
static void leave_out_passing_terms(stepper *s)
{
    s->evaluation.without |= term_bit(&s->augmented.term->base);
    if (s->friction) s->evaluation.without |= term_bit(&s->friction->base);
    if (s->guard && !s->options.check_every_trial)
        s->evaluation.without |= term_bit(&s->guard->base);
}

static abut_status add_proximal(stepper *s, abut_error *err)
{
    TRY(proximal_create(s->model, s->options.proximal_weight, s->start, &s->proximal, err));
    return problem_add_term(&s->problem, &s->proximal->base, err);
}

/* Arrays over the blocks. */
static bool allocate_arrays(stepper *s, size_t blocks)
{
    size_t scalars = 3 * blocks;
    s->blocks.lengths = mem_calloc(blocks, sizeof(double));
    s->blocks.points = mem_calloc(blocks, 1);
    s->dirichlet.condition_of = mem_calloc(blocks, sizeof *s->dirichlet.condition_of);
    s->dirichlet.fixed = mem_calloc(scalars, 1);
    s->dirichlet.target = mem_calloc(scalars, sizeof(double));
    if (s->options.reactions) s->dirichlet.reaction = mem_calloc(scalars + 1, sizeof(double));
    s->x = mem_calloc(scalars, sizeof(double));
    s->start = mem_calloc(scalars, sizeof(double));
    s->scratch.work = mem_calloc(scalars, sizeof(double));
    s->scratch.gradient = mem_calloc(scalars, sizeof(double));
    return s->blocks.lengths && s->blocks.points && s->dirichlet.condition_of &&
           s->dirichlet.fixed && s->dirichlet.target &&
           (s->dirichlet.reaction || !s->options.reactions) && s->x && s->start &&
           s->scratch.work && s->scratch.gradient;
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
    if (status == ABUT_OK) status = augmented_lagrangian_create(&s->augmented.term, err);
    if (status == ABUT_OK && damping_needed(m))
        status = damping_create(m, s->elastic, &s->damping, err);
    if (status == ABUT_OK) status = problem_init(&s->problem, model_block_count(m), &s->timer, err);
    if (status == ABUT_OK) status = problem_add_term(&s->problem, &s->inertia->base, err);
    if (status == ABUT_OK) status = problem_add_term(&s->problem, &s->elastic->base, err);
    if (status == ABUT_OK) status = add_terms(s, err);
    if (status == ABUT_OK) status = problem_add_term(&s->problem, &s->augmented.term->base, err);
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
    if (!allocate_arrays(s, m->rest.count) && status == ABUT_OK)
        status = error_memory(err, "creating the stepper");
    if (status == ABUT_OK && options->proximal_weight > 0) status = add_proximal(s, err);
    if (status != ABUT_OK) {
        stepper_destroy(s);
        return status;
    }
    memcpy(s->state.x, m->rest.data, scalars * sizeof(double));
    stepper_begin_span(s);
    for (size_t i = 0; i < m->rest.count; i++) {
        s->blocks.lengths[i] = rigid_block_length(m, i);
        s->blocks.points[i] = model_block_is_position(m, i);
    }
    twist_set_lengths(m, s->blocks.lengths);
    s->problem.lengths = s->blocks.lengths;
    s->problem.points = s->blocks.points;
    *out = s;
    return ABUT_OK;
}

abut_status stepper_add_term(stepper *s, term *t, const term_row *row, abut_error *err)
{
    if (!array_push(&s->terms, (made_term){t, row})) {
        t->class->destroy(t);
        return error_memory(err, "adding a term");
    }
    abut_status status = problem_add_term(&s->problem, t, err);
    if (status != ABUT_OK) {
        s->terms.count--;
        t->class->destroy(t);
    }
    return status;
}

term *stepper_find_term(const stepper *s, const char *name)
{
    for (size_t i = 0; i < s->terms.count; i++)
        if (strcmp(s->terms.data[i].term->class->name, name) == 0) return s->terms.data[i].term;
    return NULL;
}

void stepper_restart_terms(stepper *s)
{
    s->elastic->base.class->restart(&s->elastic->base, s->state.x);
    for (size_t i = 0; i < s->terms.count; i++) {
        term *t = s->terms.data[i].term;
        if (t->class->restart) t->class->restart(t, s->state.x);
    }
}

void stepper_end_terms(stepper *s)
{
    s->elastic->base.class->end_step(&s->elastic->base, s->state.x);
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
    destroy_term((term *)s->augmented.term);
    destroy_term((term *)s->damping);
    destroy_term((term *)s->proximal);
    destroy_term((term *)s->loads.surfaces);
    for (size_t i = 0; i < s->loads.adhesions.count; i++)
        destroy_term(&s->loads.adhesions.data[i]->base);
    array_free(&s->loads.adhesions);
    mlcp_destroy(s->mlcp.solver);
    destroy_term((term *)s->guard);
    dirichlet_overlap_free(&s->dirichlet_overlap);
    destroy_term((term *)s->friction);
    destroy_term((term *)s->contact);
    rigid_motion_free(&s->rigid);
    motion_free(&s->state);
    for (size_t i = 0; i < s->dirichlet.conditions.count; i++)
        condition_free(&s->dirichlet.conditions.data[i]);
    for (size_t i = 0; i < s->loads.nodes.count; i++) {
        array_free(&s->loads.nodes.data[i].nodes);
        array_free(&s->loads.nodes.data[i].share);
        for (int k = 0; k < 3; k++) expression_free(s->loads.nodes.data[i].field[k]);
    }
    array_free(&s->dirichlet.conditions);
    array_free(&s->dirichlet.start);
    array_free(&s->dirichlet.began);
    array_free(&s->memory.order);
    array_free(&s->loads.nodes);
    mem_free(s->blocks.lengths);
    mem_free(s->blocks.points);
    mem_free(s->dirichlet.condition_of);
    mem_free(s->dirichlet.reaction);
    mem_free(s->dirichlet.fixed);
    mem_free(s->dirichlet.target);
    mem_free(s->dirichlet.user);
    mem_free(s->x);
    mem_free(s->start);
    mem_free(s->scratch.work);
    mem_free(s->loads.user);
    mem_free(s->scratch.gradient);
    step_path_free(&s->path);
    if (s->scratch.before) saved_state_free(s->scratch.before);
    mem_free(s->scratch.before);
    model_free(s->model);
    mem_free(s->model);
    mem_free(s);
}

void stepper_rest(stepper *s)
{
    linear_rest(s->linear);
    if (s->scratch.before) saved_state_free(s->scratch.before);
}

abut_status stepper_start(stepper *s, const double *velocity, abut_error *err)
{
    TRY(stepper_prepare_conditions(s, err));
    TRY(stepper_lead_followers(s, err));
    size_t scalars = s->state.scalars;
    if (velocity) memcpy(s->state.v, velocity, scalars * sizeof *velocity);
    if (motion_rule(&s->state)->has_accelerations) {
        stepper_set_forces(s, 0, 0);
        TRY(stepper_start_accelerations(s, err));
    }
    if (s->model->rigids.count > 0) TRY(rigid_motion_start(&s->rigid, &s->state, s->state.a, err));
    return ABUT_OK;
}
