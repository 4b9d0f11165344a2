#include "remesh/safe_project.h"

#include "remesh/volume_barrier.h"
#include "solve/newton.h"
#include "term/inertia.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 100 };
static const double LARGEST_LIMIT = 0.1; /* of cell ratios */
static const double TOLERANCE = 1e-10;   /* of the scene's extent */

typedef struct projector {
    stage_timer timer;
    problem problem;
    inertia_term *inertia;
    volume_barrier *volume;
    contact_term *contact;
    evaluation evaluation;
    linear_solver *linear;
    newton_solver newton;
} projector;

static void projector_free(projector *p)
{
    newton_free(&p->newton);
    problem_free(&p->problem);
    linear_destroy(p->linear);
    if (p->inertia) p->inertia->base.class->destroy(&p->inertia->base);
    if (p->volume) p->volume->base.class->destroy(&p->volume->base);
    if (p->contact) p->contact->base.class->destroy(&p->contact->base);
}

/* Forces that the barriers have to withstand: mass times the displacement to the goal. */
static double largest_nodal_force(const model *m, const double *goal, const double *x)
{
    double largest = 0;
    for (size_t i = 0; i < m->rest.count; i++) {
        double distance = vec3_norm(vec3_sub(vec3_load(goal + 3 * i), vec3_load(x + 3 * i)));
        largest = fmax(largest, distance * fabs(m->load_mass.data[i]));
    }
    return largest;
}

/* A barrier that is not there at the start, and that withstands this force where it has risen. */
static abut_status prepare_contact(projector *p, const model *m, const contact_term *like,
                                   const uint8_t *fixed, const double *goal, const double *x,
                                   safe_projection *result, abut_error *err)
{
    contact_options options = like->options;
    options.stiffness = 1;
    options.area_weighted = options.physical = false;
    TRY(contact_create(m, &options, &p->contact, err));
    for (size_t i = 0; i < like->planes.count; i++)
        TRY(contact_add_half_space(p->contact, like->planes.data[i], err));
    contact_set_fixed(p->contact, fixed);
    TRY(p->contact->base.class->update(&p->contact->base, x, err));
    double gap = p->contact->min_gap;
    if (!(gap > 0))
        return error_set(err, ABUT_ERROR_INFEASIBLE, "", "the start of a projection touches");
    double dhat = 0.5 * fmin(gap, options.dhat);
    p->contact->options.dhat = result->dhat = dhat;
    contact_begin_step(p->contact);
    /* Slope of the barrier at half of dhat, which is of the size of dhat^3. */
    p->evaluation.kappa = largest_nodal_force(m, goal, x) / (dhat * dhat * dhat);
    return problem_add_term(&p->problem, &p->contact->base, err);
}

static abut_status prepare(projector *p, const model *m, const contact_term *like,
                           const linear_options *linear, const uint8_t *fixed, const double *goal,
                           const double *x, safe_projection *result, abut_error *err)
{
    timer_start(&p->timer);
    TRY(problem_init(&p->problem, model_block_count(m), &p->timer, err));
    TRY(inertia_create(m, &p->inertia, err));
    memcpy(p->inertia->x_tilde, goal, 3 * m->rest.count * sizeof *goal);
    p->evaluation = evaluation_unit();
    p->evaluation.load_factor = 0;
    TRY(problem_add_term(&p->problem, &p->inertia->base, err));
    TRY(volume_barrier_create(m, &p->volume, err));
    double least = volume_barrier_smallest(p->volume, x);
    if (!(least > 0))
        return error_set(err, ABUT_ERROR_INFEASIBLE, "", "the start of a projection is inverted");
    p->volume->limit = result->limit = fmin(LARGEST_LIMIT, 0.5 * least);
    double size = m->planar ? m->extent * m->extent : m->extent * m->extent * m->extent;
    p->volume->stiffness = largest_nodal_force(m, goal, x) * m->extent / size;
    TRY(problem_add_term(&p->problem, &p->volume->base, err));
    if (like) TRY(prepare_contact(p, m, like, fixed, goal, x, result, err));
    TRY(problem_set_fixed(&p->problem, fixed, err));
    problem_begin_step(&p->problem);
    TRY(linear_create(linear, &p->linear, err));
    return newton_init(&p->newton, &p->problem, p->linear, NULL, err);
}

abut_status safe_project(const model *m, const contact_term *contact, const linear_options *linear,
                         const uint8_t *fixed, const double *goal, double *x,
                         safe_projection *result, abut_error *err)
{
    *result = (safe_projection){0};
    projector p = {0};
    abut_status status = prepare(&p, m, contact, linear, fixed, goal, x, result, err);
    if (status == ABUT_OK) {
        newton_options options = {.tolerance = TOLERANCE * m->extent,
                                  .max_iterations = MAX_ITERATIONS};
        newton_result found;
        status = newton_minimize(&p.newton, &p.evaluation, x, &options, NULL, &found, err);
        result->iterations = found.iterations;
        result->converged = status == ABUT_OK;
        /* What was reached is feasible, and nearer to the goal than the start. */
        if (status == ABUT_ERROR_NOT_CONVERGED) status = ABUT_OK;
    }
    projector_free(&p);
    for (size_t i = 0; i < 3 * m->rest.count; i++)
        if (!fixed[i]) result->distance = fmax(result->distance, fabs(x[i] - goal[i]));
    return status;
}
