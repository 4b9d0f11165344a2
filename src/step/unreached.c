#include "step/unreached.h"

#include "contact/barrier_stencil.h"

#include <math.h>
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

/* A contact: the bodies on both sides, of which the second may be a half-space, its position and
 * gap.
 */
typedef struct tight_contact {
    int32_t body[2]; /* the second is -1 for half-spaces */
    vec3 place;
    double gap;
} tight_contact;

/* Keeps the tighter of two contacts; of those with `body` if that is not negative, and with another
 * partner than `but`. */
static void keep_tighter(tight_contact *best, tight_contact c, int32_t body, int32_t but)
{
    bool first = c.body[0] == body, other = (first ? c.body[1] : c.body[0]) != but;
    if (body >= 0 && !((first || c.body[1] == body) && other && c.body[0] != c.body[1])) return;
    if (c.gap < best->gap) *best = c;
}

static tight_contact tightest(const contact_term *t, int32_t body, int32_t but)
{
    const collision_surface *s = &t->model->surface;
    tight_contact best = {.gap = INFINITY};
    for (int k = 0; k < STENCIL_LISTS; k++)
        for (size_t i = 0; i < t->active.lists[k].count; i++) {
            const contact_stencil *c = &t->active.lists[k].data[i];
            int width = stencil_list_width[k];
            tight_contact found = {
                {s->vertex_body.data[c->vertex[0]], s->vertex_body.data[c->vertex[width - 1]]},
                t->y[c->vertex[0]],
                sqrt(c->distance2) - c->thickness};
            keep_tighter(&best, found, body, but);
        }
    for (size_t i = 0; i < t->plane_contacts.count; i++) {
        const plane_contact *c = &t->plane_contacts.data[i];
        tight_contact found = {
            {s->vertex_body.data[c->vertex], -1}, t->y[c->vertex], c->distance - c->thickness};
        keep_tighter(&best, found, body, but);
    }
    return best;
}

static void name_body(const model *m, int32_t body, char *out, size_t size)
{
    if (body < 0)
        snprintf(out, size, "a half-space");
    else
        snprintf(out, size, "\"%.60s\"", m->bodies.data[body].name);
}

static void append(abut_error *err, const char *text)
{
    size_t length = strlen(err->message);
    snprintf(err->message + length, sizeof err->message - length, "%s", text);
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
        char text[160];
        snprintf(text, sizeof text,
                 "; no condition fixes body \"%.60s\", so that without inertia only contact can "
                 "say where it is",
                 m->bodies.data[b].name);
        append(err, text);
        return;
    }
}

void name_tightest_contact(const contact_term *t, const uint8_t *fixed, abut_error *err)
{
    if (!err) return;
    char text[400], name[3][80];
    const model *m = t->model;
    tight_contact c = tightest(t, -1, -1);
    if (!(c.gap < INFINITY)) return;
    for (int k = 0; k < 2; k++) name_body(m, c.body[k], name[k], sizeof name[k]);
    snprintf(text, sizeof text,
             "; the smallest gap is %.3g m, between %s and %s at (%.4g, %.4g, %.4g)", c.gap,
             name[0], name[1], c.place.x, c.place.y, c.place.z);
    append(err, text);
    int free = c.body[1] < 0 || is_fixed(m, &m->bodies.data[c.body[1]], fixed) ? 0 : 1;
    tight_contact other = tightest(t, c.body[free], c.body[1 - free]);
    if (c.body[0] != c.body[1] && other.gap < INFINITY) {
        name_body(m, other.body[other.body[0] == c.body[free]], name[2], sizeof name[2]);
        snprintf(text, sizeof text, ", while %s also touches %s at (%.4g, %.4g, %.4g)", name[free],
                 name[2], other.place.x, other.place.y, other.place.z);
        append(err, text);
    }
    append(err, "; end prescribed motions earlier or slow them down, give the bodies room, or make "
                "time.step smaller");
}
