#include "sim/carry_bodies.h"

#include "constraint/joint_term.h"
#include "step/saved_state.h"
#include "term/user_energy.h"

#include <string.h>

enum { NONE = -1 };

/* For things of the new stepper: their number in the old one, or NONE. */
typedef struct carry {
    stepper *from, *to;
    ARRAY(int32_t) body, block, condition, rigid_condition;
    bool same; /* everything has the number it had */
} carry;

static void carry_free(carry *c)
{
    array_free(&c->body);
    array_free(&c->block);
    array_free(&c->condition);
    array_free(&c->rigid_condition);
}

/* ---- Who is who ---- */

static int32_t find_body(const model *m, const char *name)
{
    for (size_t i = 0; i < m->bodies.count; i++)
        if (strcmp(m->bodies.data[i].name, name) == 0) return (int32_t)i;
    return NONE;
}

static abut_status match_body(carry *c, size_t k, abut_error *err)
{
    const model *old = c->from->model;
    const model_body *now = &c->to->model->bodies.data[k];
    int32_t at = find_body(old, now->name);
    c->body.data[k] = at;
    c->same = c->same && at == (int32_t)k;
    int32_t blocks = now->block_count + now->angle_count;
    if (at != NONE) {
        const model_body *before = &old->bodies.data[at];
        if (before->kind != now->kind || before->block_count != now->block_count ||
            before->angle_count != now->angle_count)
            return error_set(err, ABUT_ERROR_INPUT, now->name,
                             "the state of this body cannot be carried over: it is \"%s\" with %d "
                             "nodes, and was \"%s\" with %d; give it another name",
                             body_kind_words[now->kind], (int)now->block_count,
                             body_kind_words[before->kind], (int)before->block_count);
    }
    for (int32_t b = 0; b < blocks; b++)
        c->block.data[now->first_block + b] =
            at == NONE ? NONE : old->bodies.data[at].first_block + b;
    return ABUT_OK;
}

static abut_status match_bodies(carry *c, abut_error *err)
{
    const model *m = c->to->model;
    if (!array_resize(&c->body, m->bodies.count + 1) || !array_resize(&c->block, m->rest.count + 1))
        return error_memory(err, "carrying a state over");
    c->same = m->bodies.count == c->from->model->bodies.count;
    for (size_t k = 0; k < m->bodies.count; k++) TRY(match_body(c, k, err));
    return ABUT_OK;
}

/* The same nodes, prescribed by the same entry of the scene. */
static bool same_condition(const carry *c, const condition *now, const condition *before)
{
    if (c->body.data[now->body] != before->body || now->source != before->source ||
        now->nodes.count != before->nodes.count || now->axes != before->axes)
        return false;
    for (size_t i = 0; i < now->nodes.count; i++)
        if (c->block.data[now->nodes.data[i]] != before->nodes.data[i]) return false;
    return true;
}

static bool same_rigid_condition(const carry *c, const rigid_condition *now,
                                 const rigid_condition *before)
{
    int32_t body = c->to->model->rigids.data[now->rigid].body;
    return c->body.data[body] == c->from->model->rigids.data[before->rigid].body &&
           now->path.source == before->path.source && now->path.axes == before->path.axes &&
           now->rotation_axes == before->rotation_axes;
}

/* Motions count from their beginning: one that lies in the past would be a jump. */
static abut_status check_motions(const stepper *to, const condition *c, int32_t body, double now,
                                 abut_error *err)
{
    double earliest = now - 1e-9 * (1 + now); /* times are sums of steps */
    for (size_t k = 0; k < c->motions.count; k++)
        if (c->motions.data[k].from < earliest)
            return error_set(err, ABUT_ERROR_INPUT, to->model->bodies.data[body].name,
                             "its prescribed motion begins at %g s, before the present time, %g s: "
                             "give `from`",
                             c->motions.data[k].from, now);
    return ABUT_OK;
}

static abut_status match_conditions(carry *c, abut_error *err)
{
    const dirichlet_data *now = &c->to->dirichlet, *before = &c->from->dirichlet;
    if (!array_resize(&c->condition, now->conditions.count + 1))
        return error_memory(err, "carrying a state over");
    c->same = c->same && now->conditions.count == before->conditions.count;
    for (size_t i = 0; i < now->conditions.count; i++) {
        const condition *at = &now->conditions.data[i];
        c->condition.data[i] = NONE;
        for (size_t k = 0; k < before->conditions.count; k++)
            if (same_condition(c, at, &before->conditions.data[k]))
                c->condition.data[i] = (int32_t)k;
        c->same = c->same && c->condition.data[i] == (int32_t)i;
        if (c->condition.data[i] == NONE)
            TRY(check_motions(c->to, at, at->body, c->from->time, err));
    }
    return ABUT_OK;
}

static abut_status match_rigid_conditions(carry *c, abut_error *err)
{
    const rigid_motion *now = &c->to->rigid, *before = &c->from->rigid;
    if (!array_resize(&c->rigid_condition, now->conditions.count + 1))
        return error_memory(err, "carrying a state over");
    c->same = c->same && now->conditions.count == before->conditions.count;
    for (size_t i = 0; i < now->conditions.count; i++) {
        const rigid_condition *at = &now->conditions.data[i];
        c->rigid_condition.data[i] = NONE;
        for (size_t k = 0; k < before->conditions.count; k++)
            if (same_rigid_condition(c, at, &before->conditions.data[k]))
                c->rigid_condition.data[i] = (int32_t)k;
        c->same = c->same && c->rigid_condition.data[i] == (int32_t)i;
        int32_t body = c->to->model->rigids.data[at->rigid].body;
        if (c->rigid_condition.data[i] == NONE)
            TRY(check_motions(c->to, &at->path, body, c->from->time, err));
    }
    return ABUT_OK;
}

/* ---- Copying ---- */

static void copy_blocks(const carry *c, const double *from, double *to)
{
    for (size_t i = 0; i < c->to->model->rest.count; i++)
        if (c->block.data[i] != NONE)
            memcpy(to + 3 * i, from + 3 * (size_t)c->block.data[i], 3 * sizeof *to);
}

static void copy_motion(carry *c)
{
    enum { MOST = 2 * MOTION_MAX_ORDER + 4 };
    state_array from[MOST], to[MOST];
    size_t n = motion_arrays(&c->from->state, "", from, MOST);
    motion_arrays(&c->to->state, "", to, MOST);
    for (size_t k = 0; k < n; k++) copy_blocks(c, from[k].doubles, to[k].doubles);
}

/* Number of the rigid body of the old stepper that is body `rigid` of the new one. */
static int32_t old_rigid(const carry *c, int32_t rigid)
{
    int32_t body = c->body.data[c->to->model->rigids.data[rigid].body];
    return body == NONE ? NONE : c->from->model->bodies.data[body].rigid;
}

static int32_t turning_index(const stepper *s, int32_t rigid)
{
    const rigid_inertia_term *t = s->rigid.inertia;
    for (size_t k = 0; t && k < t->rigids.count; k++)
        if (t->rigids.data[k] == rigid) return (int32_t)k;
    return NONE;
}

static void copy_nine(const double *from, int32_t at, double *to, size_t k)
{
    memcpy(to + 9 * k, from + 9 * (size_t)at, 9 * sizeof *to);
}

static void copy_turns(carry *c)
{
    enum { MOST = 2 * MOTION_MAX_ORDER + 4 };
    state_array from[MOST], to[MOST];
    rigid_motion *now = &c->to->rigid, *before = &c->from->rigid;
    size_t n = now->inertia && before->inertia ? motion_arrays(&before->turn, "", from, MOST) : 0;
    if (n > 0) motion_arrays(&now->turn, "", to, MOST);
    for (size_t k = 0; n > 0 && k < now->inertia->rigids.count; k++) {
        int32_t rigid = old_rigid(c, now->inertia->rigids.data[k]);
        int32_t at = rigid == NONE ? NONE : turning_index(c->from, rigid);
        for (size_t a = 0; at != NONE && a < n; a++)
            copy_nine(from[a].doubles, at, to[a].doubles, k);
    }
}

/* Frames that were renewed: their bodies need the room for it in the new stepper, too. */
static abut_status copy_frames(carry *c, abut_error *err)
{
    rigid_motion *now = &c->to->rigid, *before = &c->from->rigid;
    for (size_t k = 0; before->frame.count > 0 && k < c->to->model->rigids.count; k++) {
        int32_t at = old_rigid(c, (int32_t)k);
        if (at == NONE) continue;
        if (now->frame.count > 0) {
            copy_nine(before->frame.data, at, now->frame.data, k);
            continue;
        }
        mat3 identity = mat3_identity();
        if (memcmp(before->frame.data + 9 * at, &identity, sizeof identity) != 0)
            return error_set(err, ABUT_ERROR_UNSUPPORTED,
                             c->to->model->bodies.data[c->to->model->rigids.data[k].body].name,
                             "the state of this body cannot be carried over without the conditions "
                             "on its rotation");
    }
    return ABUT_OK;
}

static void copy_conditions(carry *c)
{
    for (size_t i = 0; i < c->to->dirichlet.conditions.count; i++) {
        condition *to = &c->to->dirichlet.conditions.data[i];
        if (c->condition.data[i] == NONE) continue;
        const condition *from = &c->from->dirichlet.conditions.data[c->condition.data[i]];
        *to->began = *from->began;
        memcpy(to->start, from->start, 3 * to->nodes.count * sizeof *to->start);
    }
    for (size_t i = 0; i < c->to->rigid.conditions.count; i++) {
        rigid_condition *to = &c->to->rigid.conditions.data[i];
        if (c->rigid_condition.data[i] == NONE) continue;
        const rigid_condition *from = &c->from->rigid.conditions.data[c->rigid_condition.data[i]];
        *to->path.began = *from->path.began;
        memcpy(to->start, from->start, RIGID_CONDITION_START * sizeof *to->start);
    }
}

static void copy_stiffness(carry *c)
{
    if (!c->from->contact || !c->to->contact) return;
    c->to->evaluation.kappa = c->from->evaluation.kappa;
    c->to->contact->persistent_contact = c->from->contact->persistent_contact;
    c->to->contact->stiffness_backoff = c->from->contact->stiffness_backoff;
}

static joint_term *joints_of(const stepper *s)
{
    return (joint_term *)stepper_find_term(s, "joints");
}

static void copy_joints(const stepper *from, stepper *to, bool memory)
{
    const joint_term *old = joints_of(from);
    joint_term *now = joints_of(to);
    for (size_t i = 0; old && now && i < now->memory.count; i++)
        for (size_t k = 0; k < old->memory.count; k++) {
            if (strcmp(to->model->joints.data[i].name, from->model->joints.data[k].name) != 0)
                continue;
            if (memory) now->memory.data[i] = old->memory.data[k];
            memcpy(now->commands.data + JOINT_COORDINATES * i,
                   old->commands.data + JOINT_COORDINATES * k,
                   JOINT_COORDINATES * sizeof *now->commands.data);
        }
}

/* Other terms that remember something do so by element or for the whole scene. */
static abut_status copy_terms(carry *c, abut_error *err)
{
    copy_joints(c->from, c->to, true);
    for (size_t i = 0; i < c->to->terms.count; i++) {
        term *now = c->to->terms.data[i].term;
        term *before = stepper_find_term(c->from, now->class->name);
        if (!now->class->state || !before || now == (term *)joints_of(c->to)) continue;
        term_state to = now->class->state(now), from = before->class->state(before);
        if (to.count != from.count || (to.count > 1 && !c->same))
            return error_set(err, ABUT_ERROR_UNSUPPORTED, to.name,
                             "the state of \"%s\" cannot be carried over when bodies are added or "
                             "removed",
                             now->class->name);
        memcpy(to.values, from.values, to.count * sizeof *to.values);
    }
    return ABUT_OK;
}

/* ---- What the caller has set ---- */

static abut_status copy_targets(const carry *c, abut_error *err)
{
    const stepper *from = c->from;
    stepper *to = c->to;
    if (from->dirichlet.user) {
        TRY(stepper_want_targets(to, err));
        copy_blocks(c, from->dirichlet.user, to->dirichlet.user);
    }
    if (!from->loads.user) return ABUT_OK;
    if (!to->loads.user) to->loads.user = mem_calloc(to->state.scalars, sizeof *to->loads.user);
    if (!to->loads.user) return error_memory(err, "carrying forces over");
    copy_blocks(c, from->loads.user, to->loads.user);
    return ABUT_OK;
}

static int32_t new_block(const carry *c, int32_t old)
{
    for (size_t i = 0; i < c->to->model->rest.count; i++)
        if (c->block.data[i] == old) return (int32_t)i;
    return NONE;
}

static abut_status copy_energy(const carry *c, const user_energy *old, abut_error *err)
{
    size_t count = old->count * (size_t)old->width;
    int32_t *blocks = mem_alloc(count + 1, sizeof *blocks);
    if (!blocks) return error_memory(err, "carrying an energy over");
    abut_status status = ABUT_OK;
    for (size_t i = 0; status == ABUT_OK && i < count; i++) {
        blocks[i] = c->same ? old->blocks[i] : new_block(c, old->blocks[i]);
        const model *m = c->from->model;
        if (blocks[i] == NONE)
            status =
                error_set(err, ABUT_ERROR_INPUT, old->name, "this energy needs the body \"%.60s\"",
                          m->bodies.data[m->body.data[old->blocks[i]]].name);
    }
    user_energy now = *old;
    now.blocks = blocks;
    term *t;
    if (status == ABUT_OK) status = user_energy_create(c->to->model, &now, &t, err);
    if (status == ABUT_OK) status = stepper_add_term(c->to, t, &user_energy_row, err);
    mem_free(blocks);
    return status;
}

static abut_status copy_settings(const carry *c, abut_error *err)
{
    TRY(copy_targets(c, err));
    copy_joints(c->from, c->to, false);
    for (size_t i = 0; i < c->from->terms.count; i++) {
        const user_energy *energy = user_energy_of(c->from->terms.data[i].term);
        if (energy) TRY(copy_energy(c, energy, err));
    }
    return ABUT_OK;
}

/* ---- All of it ---- */

static abut_status carry_whole(carry *c, abut_error *err)
{
    saved_state saved = {0};
    abut_status status = stepper_save(c->from, &saved, err);
    if (status == ABUT_OK) status = stepper_load(c->to, &saved, err);
    saved_state_free(&saved);
    return status;
}

static abut_status carry_parts(carry *c, abut_error *err)
{
    copy_motion(c);
    copy_turns(c);
    TRY(copy_frames(c, err));
    copy_conditions(c);
    copy_stiffness(c);
    TRY(copy_terms(c, err));
    return stepper_restore(c->to, c->from->state.steps, err);
}

/* Whether all arrays of the state are as long in both. */
static bool arrays_fit(carry *c)
{
    state_array from[STEPPER_MAX_ARRAYS], to[STEPPER_MAX_ARRAYS];
    size_t n = stepper_state(c->from, from, STEPPER_MAX_ARRAYS);
    if (stepper_state(c->to, to, STEPPER_MAX_ARRAYS) != n) return false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(from[i].name, to[i].name) != 0 || from[i].count != to[i].count) return false;
    return true;
}

static abut_status match(carry *c, abut_error *err)
{
    TRY(match_bodies(c, err));
    TRY(match_conditions(c, err));
    return match_rigid_conditions(c, err);
}

abut_status carry_bodies(stepper *from, stepper *to, abut_error *err)
{
    carry c = {.from = from, .to = to};
    abut_status status = match(&c, err);
    if (status == ABUT_OK) {
        c.same = c.same && arrays_fit(&c);
        status = c.same ? carry_whole(&c, err) : carry_parts(&c, err);
    }
    if (status == ABUT_OK) status = copy_settings(&c, err);
    carry_free(&c);
    return status;
}

abut_status carry_settings(const stepper *from, stepper *to, abut_error *err)
{
    carry c = {.from = (stepper *)from, .to = to}; /* only read */
    abut_status status = match_bodies(&c, err);
    if (status == ABUT_OK) status = copy_settings(&c, err);
    carry_free(&c);
    return status;
}
