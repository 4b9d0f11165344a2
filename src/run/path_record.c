#include "run/path_record.h"

#include "output/frame_path.h"
#include "verify/path_near.h"

#include <string.h>

void path_record_enable(path_record *r, const abut_sim *sim)
{
    stepper *s = sim->stepper;
    const scene_def *scene = sim->scene;
    bool turning = s->model->rigids.count > 0, each = scene->output.frame_every == 1;
    /* Meshes may change in any step; a path of several ones is written for one mesh only. */
    bool all = !sim->remesh && (turning || scene->output.paths == PATHS_ALL);
    r->enabled = scene->output.paths != PATHS_NONE && scene_writes(scene, FORMAT_VTU) &&
                 scene->output.frame_every > 0 && s->contact && !s->mlcp.solver && (each || all);
    s->path.enabled = r->enabled;
    s->path.joins = turning;
}

void path_record_change_mesh(path_record *r)
{
    if (r->has_parts) surface_parts_free(&r->parts);
    r->has_parts = false;
    r->changed = true;
}

void path_record_free(path_record *r)
{
    array_free(&r->configurations);
    array_free(&r->counts);
    array_free(&r->numbers);
    array_free(&r->kinds);
    array_free(&r->near_points);
    array_free(&r->written);
    array_free(&r->chosen);
    array_free(&r->points);
    array_free(&r->near);
    if (r->has_parts) surface_parts_free(&r->parts);
    if (r->has_verifier) scene_verifier_free(&r->verifier);
}

static abut_status append(path_record *r, const double *configurations, size_t length,
                          abut_error *err)
{
    size_t at = r->configurations.count;
    if (!array_resize(&r->configurations, at + length))
        return error_memory(err, "recording the path of a step");
    if (length > 0)
        memcpy(r->configurations.data + at, configurations, length * sizeof *configurations);
    return ABUT_OK;
}

abut_status path_record_note(path_record *r, const stepper *s, abut_error *err)
{
    if (!r->enabled) return ABUT_OK;
    r->mixed = r->mixed || (s->rigid.reframed != r->reframed && r->counts.count > 0);
    r->reframed = s->rigid.reframed;
    r->scalars = s->state.scalars;
    TRY(append(r, s->path.configurations.data, s->path.configurations.count, err));
    for (size_t k = 0; k < s->path.stretches.count; k++)
        if (!array_push(&r->counts, (int32_t)step_path_stretch(&s->path, k)))
            return error_memory(err, "recording the path of a step");
    return ABUT_OK;
}

/* Whether the coordinates of a body change in the record. */
static bool body_moves(const path_record *r, const model_body *body)
{
    size_t first = 3 * (size_t)body->first_block, count = 3 * (size_t)body->block_count;
    for (size_t at = r->scalars; at < r->configurations.count; at += r->scalars)
        if (memcmp(r->configurations.data + first, r->configurations.data + at + first,
                   count * sizeof *r->configurations.data) != 0)
            return true;
    return false;
}

static abut_status choose_kinds(path_record *r, const model *m, bool partial, abut_error *err)
{
    if (!array_resize(&r->kinds, m->bodies.count)) return error_memory(err, "writing paths");
    for (size_t b = 0; b < m->bodies.count; b++) {
        const model_body *body = &m->bodies.data[b];
        path_kind kind = PATH_STAYS;
        if (body_moves(r, body))
            kind = body->rigid < 0                      ? partial ? PATH_NEAR : PATH_POINTS
                   : m->rigids.data[body->rigid].affine ? PATH_AFFINE
                                                        : PATH_RIGID;
        r->kinds.data[b] = kind;
    }
    return ABUT_OK;
}

static bool add_numbers(path_record *r, const double *numbers, size_t count)
{
    size_t at = r->numbers.count;
    if (!array_resize(&r->numbers, at + count)) return false;
    memcpy(r->numbers.data + at, numbers, count * sizeof *numbers);
    return true;
}

/* The numbers of one configuration, body by body; points: those of the frame there. */
static bool add_configuration(path_record *r, const model_frame *mf, const model *m,
                              const double *x, const vec3 *points)
{
    bool ok = true;
    size_t point = 0;
    for (size_t b = 0; ok && b < m->bodies.count; b++) {
        size_t first = point;
        int32_t kind = r->kinds.data[b];
        while (point < mf->body.count && (size_t)mf->body.data[point] == b) point++;
        if (kind == PATH_POINTS)
            ok = add_numbers(r, (const double *)(points + first), 3 * (point - first));
        for (size_t i = first; ok && kind == PATH_NEAR && i < point; i++)
            if (r->near.data[i]) ok = add_numbers(r, (const double *)(points + i), 3);
        if (kind == PATH_RIGID || kind == PATH_AFFINE)
            ok = add_numbers(r, x + 3 * (size_t)m->bodies.data[b].first_block, (size_t)kind);
    }
    return ok;
}

/* The choice of points looks at the surface as the independent check does. */
static abut_status prepare_choice(path_record *r, const abut_sim *sim, const frame *f,
                                  abut_error *err)
{
    if (!r->has_verifier)
        TRY(scene_verifier_init(&r->verifier, sim->scene, sim->stepper->model->extent, err));
    r->has_verifier = true;
    if (!r->has_parts) TRY(verify_surface(f, &r->parts, err));
    r->has_parts = true;
    return array_resize(&r->near, f->point_count + 1) ? ABUT_OK
                                                      : error_memory(err, "writing paths");
}

/* Which points are near; *straight: none is, so that only the ends of the path matter. */
static abut_status choose_points(path_record *r, model_frame *mf, const abut_sim *sim,
                                 const frame *f, bool *straight, abut_error *err)
{
    size_t points = f->point_count, configuration = 0, count = 0;
    TRY(prepare_choice(r, sim, f, err));
    for (size_t i = 0; i < r->counts.count; i++)
        for (int32_t k = 0; k < r->counts.data[i]; k++, configuration++) {
            if (i > 0 && k == 0) continue; /* where the step before ended */
            if (!array_resize(&r->points, (count + 1) * points + 1))
                return error_memory(err, "writing paths");
            model_frame_positions(mf, sim->stepper->model,
                                  r->configurations.data + configuration * r->scalars,
                                  r->points.data + count++ * points);
        }
    bool any;
    TRY(path_find_near(f, &r->verifier.setup, &r->parts, r->points.data, count, r->near.data, &any,
                       err));
    *straight = !any;
    array_clear(&r->near_points);
    for (size_t i = 0; i < points; i++) {
        r->near.data[i] = r->near.data[i] && r->kinds.data[mf->body.data[i]] == PATH_NEAR;
        if (r->near.data[i] && !array_push(&r->near_points, (int32_t)i))
            return error_memory(err, "writing paths");
    }
    return ABUT_OK;
}

/* All configurations; or only the ends of the path, where the steps after the first one stay. */
static abut_status choose_configurations(path_record *r, bool straight, abut_error *err)
{
    size_t steps = r->counts.count, configurations = r->configurations.count / r->scalars;
    straight = straight && configurations > steps; /* otherwise nothing moves */
    size_t count = straight ? steps + 1 : configurations;
    if (!array_resize(&r->written, steps) || !array_resize(&r->chosen, count))
        return error_memory(err, "writing paths");
    for (size_t i = 0; i < steps; i++)
        r->written.data[i] = straight ? 1 + (i == 0) : r->counts.data[i];
    for (size_t i = 0; i < count; i++)
        r->chosen.data[i] = straight ? (i > 0) * (configurations - 1) : i;
    return ABUT_OK;
}

/* Numbers up to which a path is written with all its points: finding those that are near takes
 * longer than to write 24 kB. */
enum { MOST_WRITTEN_WHOLE = 3000 };

abut_status path_record_give(path_record *r, model_frame *mf, const abut_sim *sim, frame *f,
                             abut_error *err)
{
    if (r->counts.count == 0 || r->mixed) return ABUT_OK;
    const model *m = sim->stepper->model;
    /* The step's own detection has found that all may go straight. */
    bool straight = m->rigids.count == 0 && r->counts.count == 1 && r->counts.data[0] <= 2;
    /* Steps that turn bodies have been joined; their pieces cannot be left out by straight lines.
     */
    bool choice =
        m->rigids.count == 0 && (straight || r->configurations.count > MOST_WRITTEN_WHOLE);
    TRY(choose_kinds(r, m, choice && !r->changed, err));
    array_clear(&r->near_points);
    if (choice && !straight) TRY(choose_points(r, mf, sim, f, &straight, err));
    TRY(choose_configurations(r, straight, err));
    array_clear(&r->numbers);
    if (!array_resize(&r->points, mf->source.count + 1)) return error_memory(err, "writing paths");
    bool partial = choice && !r->changed;
    for (size_t i = 0; i < r->chosen.count && !(partial && r->near_points.count == 0); i++) {
        const double *x = r->configurations.data + r->chosen.data[i] * r->scalars;
        model_frame_positions(mf, m, x, r->points.data);
        if (!add_configuration(r, mf, m, x, r->points.data))
            return error_memory(err, "writing paths");
    }
    f->path = (frame_paths){.numbers = r->numbers.data,
                            .number_count = r->numbers.count,
                            .configurations = r->written.data,
                            .step_count = r->written.count,
                            .kinds = r->kinds.data,
                            .body_count = r->kinds.count,
                            .near = r->near_points.data,
                            .near_count = r->near_points.count};
    return ABUT_OK;
}

void path_record_clear(path_record *r)
{
    r->mixed = false;
    array_clear(&r->configurations);
    array_clear(&r->counts);
    r->changed = false;
}

void path_record_save(const path_record *r, checkpoint_writer *w)
{
    if (!r->enabled) return;
    checkpoint_add_doubles(w, "run_path", r->configurations.data, r->configurations.count);
    checkpoint_add_ints(w, "run_path_configurations", r->counts.data, r->counts.count);
}

abut_status path_record_load(path_record *r, const checkpoint_reader *c, abut_error *err)
{
    path_record_clear(r);
    if (!r->enabled) return ABUT_OK;
    const double *configurations;
    const int32_t *counts;
    size_t length, steps;
    bool earlier = checkpoint_has(c, "run_way"); /* names of earlier versions */
    TRY(checkpoint_get_doubles(c, earlier ? "run_way" : "run_path", &configurations, &length, err));
    TRY(checkpoint_get_ints(c, earlier ? "run_way_places" : "run_path_configurations", &counts,
                            &steps, err));
    TRY(append(r, configurations, length, err));
    if (!array_resize(&r->counts, steps)) return error_memory(err, "reading a checkpoint");
    if (steps > 0) memcpy(r->counts.data, counts, steps * sizeof *counts);
    return ABUT_OK;
}
