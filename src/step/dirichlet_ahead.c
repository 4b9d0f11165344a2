/* Prescribed bodies that meet: in a step, and found ahead at the start. */
#include "math/rotation.h"
#include "step/motion_groups.h"
#include "step/stepper_internal.h"

#include <stdio.h>
#include <string.h>

/* Vertices times steps that are followed ahead, a second or so. What comes later is seen in the
 * steps themselves. */
static const double MOST_WORK = 1e7;

static void describe(const stepper *s, const dirichlet_finding *finding, double end, char *text,
                     size_t size)
{
    char what[256];
    dirichlet_describe(&s->dirichlet_overlap, finding, what, sizeof what);
    snprintf(text, size, "%s, between %.6g and %.6g s", what, end - s->scratch.span.h, end);
}

static const char ADVICE[] = "bodies of one collision_group pass each other; otherwise change the "
                             "motion, or allow it with contact.dirichlet_overlap";

abut_status stepper_check_dirichlet_overlap(stepper *s, const double *to,
                                            step_statistics *statistics, abut_error *err)
{
    dirichlet_finding finding;
    char text[320];
    double end = s->scratch.span.end;
    if (!s->contact) return ABUT_OK;
    stage before = timer_switch(&s->timer, STAGE_CHECK);
    abut_status status = dirichlet_overlap_find(&s->dirichlet_overlap, s->start, to,
                                                s->dirichlet.fixed, &finding, err);
    timer_switch(&s->timer, before);
    TRY(status);
    statistics->dirichlet_overlap |= finding.found;
    if (!finding.found) return ABUT_OK;
    describe(s, &finding, end, text, sizeof text);
    if (!s->options.dirichlet_overlap)
        return error_set(err, ABUT_ERROR_OVERLAP, "", "%s; %s", text, ADVICE);
    if (!s->dirichlet_overlap.told) log_message(s->log, ABUT_LOG_WARNING, "%s (allowed)", text);
    s->dirichlet_overlap.told = true;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */

/* What following the motion ahead changes, and its own data. */
typedef struct dirichlet_ahead {
    ARRAY(double) x, start, rigid_start;
    ARRAY(int32_t) began, rigid_began;
    ARRAY(uint8_t) known; /* per scalar: prescribed since the start, and not by the run */
    double time;
    motion_groups groups;
    dirichlet_overlap overlap;
    bool bounded; /* boxes of the groups tell which steps have to be looked at */
} dirichlet_ahead;

static void dirichlet_ahead_free(dirichlet_ahead *f)
{
    array_free(&f->x);
    array_free(&f->start);
    array_free(&f->rigid_start);
    array_free(&f->began);
    array_free(&f->rigid_began);
    array_free(&f->known);
    motion_groups_free(&f->groups);
    dirichlet_overlap_free(&f->overlap);
}

/* memcpy that may be of nothing. */
static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes > 0) memcpy(to, from, bytes);
}

static bool dirichlet_ahead_save(dirichlet_ahead *f, const stepper *s)
{
    const rigid_motion *r = &s->rigid;
    if (!array_resize(&f->x, s->state.scalars) || !array_resize(&f->known, s->state.scalars) ||
        !array_resize(&f->start, s->dirichlet.start.count) ||
        !array_resize(&f->began, s->dirichlet.began.count) ||
        !array_resize(&f->rigid_start, r->condition_start.count) ||
        !array_resize(&f->rigid_began, r->condition_began.count))
        return false;
    copy(f->x.data, s->state.x, s->state.scalars * sizeof(double));
    copy(f->start.data, s->dirichlet.start.data, f->start.count * sizeof(double));
    copy(f->began.data, s->dirichlet.began.data, f->began.count * sizeof(int32_t));
    copy(f->rigid_start.data, r->condition_start.data, f->rigid_start.count * sizeof(double));
    copy(f->rigid_began.data, r->condition_began.data, f->rigid_began.count * sizeof(int32_t));
    f->time = s->time;
    memset(f->known.data, 1, f->known.count);
    return true;
}

static void dirichlet_ahead_restore(const dirichlet_ahead *f, stepper *s)
{
    rigid_motion *r = &s->rigid;
    copy(s->state.x, f->x.data, f->x.count * sizeof(double));
    copy(s->dirichlet.start.data, f->start.data, f->start.count * sizeof(double));
    copy(s->dirichlet.began.data, f->began.data, f->began.count * sizeof(int32_t));
    copy(r->condition_start.data, f->rigid_start.data, f->rigid_start.count * sizeof(double));
    copy(r->condition_began.data, f->rigid_began.data, f->rigid_began.count * sizeof(int32_t));
    s->time = f->time;
}

/* Whether anything is moved at all. What ends by a release depends on the run. */
static bool something_moves(const stepper *s, dirichlet_ahead *f)
{
    bool moves = false;
    for (size_t k = 0; k < s->dirichlet.conditions.count; k++) {
        const condition *c = &s->dirichlet.conditions.data[k];
        moves = moves || condition_moves(c);
        for (size_t i = 0; c->has_release && i < c->nodes.count; i++)
            memset(f->known.data + 3 * (size_t)c->nodes.data[i], 0, 3);
    }
    for (size_t k = 0; k < s->rigid.conditions.count; k++) {
        const rigid_condition *c = &s->rigid.conditions.data[k];
        moves = moves || rigid_condition_moves(c);
        const rigid_body *b = &s->model->rigids.data[c->rigid];
        if (c->path.has_release) memset(f->known.data + 3 * (size_t)b->block, 0, 3);
    }
    return moves;
}

static void forget_deformable(const model *m, dirichlet_ahead *f)
{
    for (size_t i = 0; i < m->rest.count; i++)
        if (body_rows[m->bodies.data[m->body.data[i]].kind]->solid)
            memset(f->known.data + 3 * i, 0, 3);
}

/* Rotation vectors are wrapped between steps, as rigid_motion_advance does. */
static void wrap_rotations(stepper *s)
{
    for (size_t i = 0; i < s->model->rigids.count; i++) {
        const rigid_body *b = &s->model->rigids.data[i];
        double *theta = s->state.x + 3 * ((size_t)b->block + 1);
        if (!b->affine) vec3_store(theta, rotation_wrap(vec3_load(theta)));
    }
}

/* Targets at `end` of the step from s->time, of what is known. */
static void set_known_targets(stepper *s, dirichlet_ahead *f, double end)
{
    stepper_set_targets(s, end);
    for (size_t i = 0; i < f->known.count; i++) {
        f->known.data[i] = f->known.data[i] && s->dirichlet.fixed[i];
        if (!f->known.data[i]) s->dirichlet.target[i] = s->state.x[i];
    }
}

static void go_to_targets(stepper *s)
{
    copy(s->state.x, s->dirichlet.target, s->state.scalars * sizeof(double));
    wrap_rotations(s);
}

/* One step of what is known. */
static abut_status follow(stepper *s, dirichlet_ahead *f, double end, bool *found, abut_error *err)
{
    dirichlet_finding finding;
    set_known_targets(s, f, end);
    TRY(dirichlet_overlap_find(&f->overlap, s->state.x, s->dirichlet.target, f->known.data,
                               &finding, err));
    go_to_targets(s);
    *found = finding.found;
    if (!finding.found) return ABUT_OK;
    char text[320];
    describe(s, &finding, end, text, sizeof text);
    if (!s->options.dirichlet_overlap)
        return error_set(err, ABUT_ERROR_INFEASIBLE, "", "%s; %s", text, ADVICE);
    log_message(s->log, ABUT_LOG_WARNING, "%s (allowed)", text);
    s->dirichlet_overlap.told = true;
    return ABUT_OK;
}

/* What moves together. Where all that is prescribed is bounded by boxes, these choose the steps
 * that are followed, unless there are so many that looking at them is more work than following. */
static abut_status gather(stepper *s, dirichlet_ahead *f, abut_error *err)
{
    set_known_targets(s, f, s->options.h); /* the conditions begin */
    motion_source from = {.contact = s->contact,
                          .rigid = &s->rigid,
                          .conditions = s->dirichlet.conditions.data,
                          .condition_count = s->dirichlet.conditions.count,
                          .x = s->state.x,
                          .known = f->known.data,
                          .h = s->options.h};
    dirichlet_overlap_init(&f->overlap, s->contact);
    TRY(motion_groups_make(&f->groups, &from, err));
    f->overlap.groups = f->groups.of_vertex.data;
    f->bounded = !s->dirichlet.user && !f->groups.alone &&
                 motion_groups_work(&f->groups) <= (double)s->model->surface.rows.count;
    return ABUT_OK;
}

/* The steps from the start on, until something is found. */
static abut_status follow_all(stepper *s, dirichlet_ahead *f, double end, abut_error *err)
{
    double h = s->options.h, work = 0;
    double step_work = (double)(s->model->surface.rows.count + s->model->rest.count);
    int64_t reached = 0; /* the step whose start the state is at */
    bool found = false;
    TRY(gather(s, f, err));
    for (int64_t k = 0; !found && work <= MOST_WORK && (double)k * h < end * (1 - 1e-9); k++) {
        double next = (double)(k + 1) * h;
        bool look = !f->bounded || motion_groups_may_meet(&f->groups, next);
        work += look ? step_work : motion_groups_work(&f->groups);
        if (!look) continue;
        if (reached < k) {
            s->time = (double)(k - 1) * h;
            set_known_targets(s, f, (double)k * h);
            go_to_targets(s);
        }
        s->time = (double)k * h;
        TRY(follow(s, f, next, &found, err));
        reached = k + 1;
    }
    return ABUT_OK;
}

abut_status stepper_check_dirichlet_ahead(stepper *s, double end, bool remeshed, abut_error *err)
{
    if (!s->contact) return ABUT_OK;
    dirichlet_ahead f = {0};
    abut_status status = ABUT_OK;
    if (!dirichlet_ahead_save(&f, s))
        status = error_memory(err, "following prescribed motions");
    else if (remeshed)
        forget_deformable(s->model, &f);
    if (status == ABUT_OK && something_moves(s, &f)) {
        status = follow_all(s, &f, end, err);
        dirichlet_ahead_restore(&f, s);
    }
    dirichlet_ahead_free(&f);
    return status;
}
