/* Contacts as plain numbers, so that a run can go on from a checkpoint bit for bit. */
#include "mlcp/solver.h"

#include <math.h>

enum { INTS = 11, REALS = 26 };

static void write_contact(const mlcp_contact *c, int32_t *ints, double *reals)
{
    const mlcp_slide *d = &c->slide;
    const int32_t whole[INTS] = {
        (int32_t)c->kind, c->first,     c->second,    c->count,          c->vertex[0],
        c->vertex[1],     c->vertex[2], c->vertex[3], (int32_t)c->state, (int32_t)d->has_direction,
        d->history_count};
    const double real[REALS] = {c->weight[0],    c->weight[1],    c->weight[2],    c->weight[3],
                                c->normal.x,     c->normal.y,     c->normal.z,     c->tangent[0].x,
                                c->tangent[0].y, c->tangent[0].z, c->tangent[1].x, c->tangent[1].y,
                                c->tangent[1].z, c->mu,           c->lambda,       c->gamma[0],
                                c->gamma[1],     d->force[0],     d->force[1],     d->direction[0],
                                d->direction[1], d->history[0],   d->history[1],   c->reference[0],
                                c->reference[1], c->reference[2]};
    for (int i = 0; i < INTS; i++) ints[i] = whole[i];
    for (int i = 0; i < REALS; i++) reals[i] = real[i];
}

static mlcp_contact read_contact(const int32_t *ints, const double *reals)
{
    const double *r = reals;
    return (mlcp_contact){.kind = (ccd_kind)ints[0],
                          .first = ints[1],
                          .second = ints[2],
                          .count = ints[3],
                          .vertex = {ints[4], ints[5], ints[6], ints[7]},
                          .state = (mlcp_state)ints[8],
                          .slide.has_direction = ints[9] != 0,
                          .slide.history_count = ints[10],
                          .weight = {r[0], r[1], r[2], r[3]},
                          .normal = {r[4], r[5], r[6]},
                          .tangent = {{r[7], r[8], r[9]}, {r[10], r[11], r[12]}},
                          .mu = r[13],
                          .lambda = r[14],
                          .gamma = {r[15], r[16]},
                          .slide.force = {r[17], r[18]},
                          .slide.direction = {r[19], r[20]},
                          .slide.history = {r[21], r[22]},
                          .reference = {r[23], r[24], r[25]}};
}

/* Whether the numbers can be a contact of this scene. */
static bool possible(const mlcp_solver *s, const int32_t *ints, const double *reals)
{
    const collision_surface *surface = &s->model->surface;
    int32_t vertices = (int32_t)surface->rows.count;
    bool plane = ints[0] == CCD_POINT_POINT, face = ints[0] == CCD_POINT_TRIANGLE;
    if (!plane && !face && ints[0] != CCD_EDGE_EDGE) return false;
    if (ints[3] != (plane ? 1 : 4)) return false;
    size_t first = plane || face ? surface->rows.count : surface->edges.count / 2;
    size_t second = plane  ? s->contact->planes.count
                    : face ? surface->triangles.count / 3
                           : surface->edges.count / 2;
    if (ints[1] < 0 || ints[2] < 0 || (size_t)ints[1] >= first || (size_t)ints[2] >= second)
        return false;
    for (int i = 0; i < 4; i++)
        if (ints[4 + i] < 0 || ints[4 + i] >= vertices) return false;
    for (int i = 0; i < REALS; i++)
        if (!isfinite(reals[i])) return false;
    return ints[8] >= MLCP_OFF && ints[8] <= MLCP_SLIDES && ints[10] >= 0;
}

abut_status mlcp_save(mlcp_solver *s, saved_numbers *out, abut_error *err)
{
    size_t count = s->contacts.count;
    if (!array_resize(&s->saved.ints, INTS * count + 1) ||
        !array_resize(&s->saved.reals, REALS * count + 1))
        return error_memory(err, "saving contacts");
    s->saved.reals.data[REALS * count] = s->h;
    for (size_t k = 0; k < count; k++)
        write_contact(&s->contacts.data[k], s->saved.ints.data + INTS * k,
                      s->saved.reals.data + REALS * k);
    *out =
        (saved_numbers){s->saved.ints.data, INTS * count, s->saved.reals.data, REALS * count + 1};
    return ABUT_OK;
}

abut_status mlcp_restore(mlcp_solver *s, const saved_numbers *saved, abut_error *err)
{
    size_t count = saved->int_count / INTS;
    if (saved->int_count != INTS * count || saved->real_count != REALS * count + 1)
        return error_set(err, ABUT_ERROR_INPUT, "mlcp_contacts", "not a state of this scene");
    array_clear(&s->contacts);
    s->h = saved->reals[REALS * count];
    if (!(s->h >= 0 && isfinite(s->h)))
        return error_set(err, ABUT_ERROR_INPUT, "mlcp_reals", "not a state of this scene");
    for (size_t k = 0; k < count; k++) {
        const int32_t *ints = saved->ints + INTS * k;
        const double *reals = saved->reals + REALS * k;
        if (!possible(s, ints, reals))
            return error_set(err, ABUT_ERROR_INPUT, "mlcp_contacts",
                             "contact %zu is none of this scene", k);
        if (!array_push(&s->contacts, read_contact(ints, reals)))
            return error_memory(err, "restoring contacts");
    }
    return ABUT_OK;
}
