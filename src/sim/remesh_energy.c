/* The incremental potential as the judge of local operations (remesh/criterion.h). */
#include "sim/remesh_join.h"

#include <math.h>

enum { MAX_PATIENCE = 8 }; /* times `every` */
/* Part of the vertices that have to go for collapses alone to be worth it. */
static const double NOTABLY_SMALLER = 0.05;

static remesh_options options_of(const abut_sim *sim)
{
    const remesh_def *def = &sim->scene->remesh;
    remesh_options o = remesh_default_options();
    double shortest = INFINITY;
    for (size_t i = 0; i < sim->scene->body_count; i++)
        if (sim->scene->bodies[i].remesh) shortest = fmin(shortest, sim->remesh->shortest[i]);
    o.split = def->split;
    o.collapse = def->collapse;
    o.swap = def->swap;
    o.smooth = def->smooth;
    o.split_tolerance = def->split_tolerance;
    o.collapse_tolerance = o.quality_tolerance = -def->collapse_tolerance;
    o.screening = def->screening;
    o.split_threshold = def->split_threshold;
    o.collapse_threshold = def->collapse_threshold;
    o.split_depth = o.collapse_depth = def->depth;
    o.min_length = def->min_edge;
    o.max_collapse_length = def->max_edge * shortest;
    o.max_cells = (size_t)def->max_cells;
    o.min_quality = def->quality;
    return o;
}

static remesh_problem problem_of(const joined_bodies *j)
{
    const stepper *s = j->sim->stepper;
    double h = motion_rule(&s->state)->is_static ? 1 : s->scratch.span.h;
    return (remesh_problem){.scene = s->model,
                            .contact = s->contact,
                            .friction = s->friction,
                            .x = s->x,
                            .start = s->start,
                            .remeshed = j->remeshed,
                            .vertex_of_block = j->vertex_of_block,
                            .material_count = j->materials.count,
                            .materials = j->materials.data,
                            .mass_factor = s->evaluation.mass_factor,
                            .force_factor = s->evaluation.load_factor,
                            .kappa = s->evaluation.kappa,
                            .gravity = s->options.gravity,
                            .traction_count = j->tractions.count,
                            .tractions = j->tractions.data,
                            .flag_axes = j->flag_axes,
                            .field_x = FIELD_X,
                            .field_predictor = FIELD_PREDICTOR,
                            .field_start = s->contact ? FIELD_STATE : -1,
                            .field_safe = s->contact ? FIELD_SAFE : 0,
                            .lag = s->options.friction_iterations == 1 ? LAG_AT_START : LAG_AT_END,
                            .tolerance = s->options.tolerance * h,
                            .memory = &j->sim->remesh->memory};
}

static void take_report(const remesh_report *r, remesh_counts *counts)
{
    counts->splits += r->split.accepted;
    counts->collapses += r->collapse.accepted;
    counts->swaps += r->swap.accepted;
    counts->smoothings += r->smooth.accepted;
    counts->attempts += r->split.tried + r->collapse.tried + r->swap.tried + r->smooth.tried;
}

/* Whether all changes together are worth another solution of the step. */
static bool is_worth_it(const abut_sim *sim, const remesh_report *r)
{
    double gained = r->split.gained + r->swap.gained + r->smooth.gained;
    return gained >= sim->scene->remesh.least_gain * r->potential ||
           (double)r->collapse.accepted > NOTABLY_SMALLER * (double)r->vertices_before;
}

/* When nothing was to be gained, the next look has time. */
static void wait_for_more(abut_sim *sim, bool worth, double energy)
{
    sim_remesh *r = sim->remesh;
    r->patience = worth ? 1 : r->patience < MAX_PATIENCE ? 2 * r->patience : MAX_PATIENCE;
    r->last = sim->stepper->state.steps + 1;
    r->next = r->last + r->patience * sim->scene->remesh.every;
    r->look[1] = energy;
}

abut_status remesh_by_energy(abut_sim *sim, body_change *changes, remesh_counts *counts,
                             abut_error *err)
{
    joined_bodies j = {.sim = sim};
    local_export e = {0};
    remesh_report report = {0};
    abut_status status = bodies_join(&j, err);
    if (status == ABUT_OK && j.cell_count > 0) {
        remesh_problem potential = problem_of(&j);
        remesh_options options = options_of(sim);
        status = remesh_step(&j.mesh, &potential, &options, &sim->log, &report, err);
        take_report(&report, counts);
    }
    if (report.full && !sim->remesh->said_full) {
        sim->remesh->said_full = true;
        log_message(&sim->log, ABUT_LOG_WARNING,
                    "the meshes have reached remesh.max_cells (%d) and are not refined further",
                    sim->scene->remesh.max_cells);
    }
    size_t kept = counts->splits + counts->collapses + counts->swaps + counts->smoothings;
    bool worth = is_worth_it(sim, &report);
    wait_for_more(sim, worth, report.potential);
    if (!worth) {
        *counts = (remesh_counts){.attempts = counts->attempts};
        kept = 0;
    }
    if (status == ABUT_OK && kept > 0) {
        status = local_mesh_export(&j.mesh, &e, err);
        if (status == ABUT_OK) status = bodies_part(&j, &e, changes, err);
        local_export_free(&e);
    }
    joined_bodies_free(&j);
    return status;
}
