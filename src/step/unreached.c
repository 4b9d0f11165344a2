#include "step/unreached.h"

#include <stdio.h>
#include <string.h>

/* A two-hundredth of the path that is left counts as progress; so many iterations without it do not
 * happen in motions that succeed. */
static const double LEAST_GAIN = 5e-3;
enum { PATIENCE = 500 };

bool lagrangian_progress_note(lagrangian_progress *progress_so_far, double progress)
{
    if (progress > progress_so_far->best + LEAST_GAIN * (1 - progress_so_far->best)) {
        progress_so_far->best = progress;
        progress_so_far->stale = 0;
    } else if (++progress_so_far->stale > PATIENCE) {
        progress_so_far->unreachable = true;
    }
    return !progress_so_far->unreachable;
}

abut_status report_unreached(const model *m, const augmented_lagrangian_term *lagrangian,
                             const double *x, double progress, int iterations, abut_error *err)
{
    double furthest = 0;
    int32_t block = lagrangian->nodes.data[0];
    for (size_t i = 0; i < lagrangian->nodes.count; i++) {
        double short_by = lagrangian->length.data[i] * augmented_lagrangian_gap(lagrangian, x, i);
        if (short_by <= furthest) continue;
        furthest = short_by;
        block = lagrangian->nodes.data[i];
    }
    const model_body *body = &m->bodies.data[m->body.data[block]];
    char what[40], cause[400] = "";
    if (err && err->code == ABUT_ERROR_NOT_CONVERGED)
        snprintf(cause, sizeof cause, "%.399s", err->message);
    if (block >= body->first_block + body->block_count)
        snprintf(what, sizeof what, "the section of edge %d",
                 block - body->first_block - body->block_count);
    else if (body->nodal)
        snprintf(what, sizeof what, "node %d", block - body->first_block);
    else
        snprintf(what, sizeof what, block == body->first_block ? "its centre" : "its surface");
    return error_set(
        err, ABUT_ERROR_NOT_CONVERGED, body->name,
        "the prescribed motion cannot be reached within this step: %.3g %% of the path "
        "is done after %d Newton iterations, %s is %.3g m short of its target; "
        "bodies or strain limits block the path%s%s%s",
        100 * progress, iterations, what, furthest, cause[0] ? " (" : "", cause,
        cause[0] ? ")" : "");
}

/* In the plane, z is fixed for all. */
static bool is_fixed(const model *m, const model_body *body, const uint8_t *fixed)
{
    int axes = m->planar ? 2 : 3;
    for (int32_t i = 0; i < body->block_count; i++) {
        size_t block = (size_t)(body->first_block + i);
        if (!model_block_is_position(m, block)) continue;
        for (int axis = 0; axis < axes; axis++)
            if (fixed[3 * block + (size_t)axis]) return true;
    }
    return body_rows[body->kind]->obstacle;
}

void name_free_body(const model *m, const uint8_t *fixed, abut_error *err)
{
    if (!err) return;
    for (size_t b = 0; b < m->bodies.count; b++) {
        if (is_fixed(m, &m->bodies.data[b], fixed)) continue;
        size_t length = strlen(err->message);
        snprintf(err->message + length, sizeof err->message - length,
                 "; no condition fixes body \"%.60s\", so that without inertia only contact can "
                 "say where it is",
                 m->bodies.data[b].name);
        return;
    }
}
