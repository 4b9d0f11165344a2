#include "body/follower.h"

#include <math.h>

bool body_may_follow(const model *m, const model_body *body)
{
    if (!body->nodal || body->by_surface || body_rows[body->kind]->obstacle) return false;
    int32_t number = (int32_t)(body - m->bodies.data);
    for (size_t i = 0; i < m->sets.count; i++)
        for (size_t e = 0; e < m->sets.data[i].count; e++)
            if (m->sets.data[i].body.data[e] == number) return false;
    for (size_t v = 0; v < body->surface.vertex_count; v++)
        if (m->surface.rows.data[body->surface.first_vertex + v].kind != ROW_NODE) return false;
    return true;
}

static const char *body_name(const model *m, int32_t block)
{
    return m->bodies.data[m->body.data[block]].name;
}

/* The body that all nodes of a leader follow, and where on it the leader's point is. */
static bool common_body(const model *m, const joint_side *s, joint_side *out)
{
    vec3 point = s->point;
    for (int k = 0; k < s->count; k++) {
        int32_t f = model_follower_of(m, s->blocks[k]);
        if (f < 0 || m->joints.data[f].side[0].kind != SIDE_BODY) return false;
        const joint_side *own = &m->joints.data[f].side[0];
        if (k > 0 && own->rigid != out->rigid) return false;
        if (k == 0) *out = *own;
        point = vec3_mul_add(point, s->weights[k], own->point);
    }
    out->point = point;
    return s->count > 0;
}

static abut_status resolve(const model *m, int32_t block, joint_side *leader, abut_error *err)
{
    bool follows = false;
    joint_side body;
    for (int k = 0; leader->kind == SIDE_NODES && k < leader->count; k++)
        follows = follows || model_follower_of(m, leader->blocks[k]) >= 0;
    if (!follows) return ABUT_OK;
    if (common_body(m, leader, &body)) {
        *leader = body;
        return ABUT_OK;
    }
    return error_set(err, ABUT_ERROR_INPUT, "to",
                     "a node of \"%.60s\" is attached to nodes of \"%.60s\" of which some are "
                     "attached themselves; attach it to what these are attached to",
                     body_name(m, block), body_name(m, leader->blocks[0]));
}

/* Nothing that leads may become a follower later: rows would have to be written again. */
static abut_status check_leads(const model *m, int32_t block, abut_error *err)
{
    for (size_t i = 0; i < m->joints.count; i++) {
        const joint_side *s = &m->joints.data[i].side[0];
        if (!joint_follows(&m->joints.data[i])) continue;
        for (int k = 0; s->kind == SIDE_NODES && k < s->count; k++)
            if (s->blocks[k] == block)
                return error_set(err, ABUT_ERROR_INPUT, "body",
                                 "a node of \"%.60s\" has a node of \"%.60s\" attached to it and "
                                 "cannot be attached itself after that; write its attachment first",
                                 body_name(m, block),
                                 body_name(m, follower_block(&m->joints.data[i])));
    }
    return ABUT_OK;
}

int32_t model_follower_of(const model *m, int32_t block)
{
    for (size_t i = 0; i < m->joints.count; i++)
        if (joint_follows(&m->joints.data[i]) && follower_block(&m->joints.data[i]) == block)
            return (int32_t)i;
    return -1;
}

bool model_has_followers(const model *m)
{
    for (size_t i = 0; i < m->joints.count; i++)
        if (joint_follows(&m->joints.data[i])) return true;
    return false;
}

int32_t *model_follower_map(const model *m)
{
    int32_t *map = mem_alloc(m->rest.count + 1, sizeof *map);
    for (size_t i = 0; map && i < m->rest.count; i++) map[i] = -1;
    for (size_t i = 0; map && i < m->joints.count; i++)
        if (joint_follows(&m->joints.data[i])) map[follower_block(&m->joints.data[i])] = (int32_t)i;
    return map;
}

abut_status model_add_follower(model *m, const char *name, int kind, int32_t block,
                               const joint_side *leader, abut_error *err)
{
    model_joint j = joint_plain();
    j.kind = kind;
    j.follows = true;
    j.side[0] = *leader;
    j.side[1] = (joint_side){.kind = SIDE_NODES,
                             .rigid = -1,
                             .count = 1,
                             .blocks = {block},
                             .weights = {1},
                             .triad = mat3_identity()};
    TRY(resolve(m, block, &j.side[0], err));
    TRY(check_leads(m, block, err));
    if (model_follower_of(m, block) >= 0)
        return error_set(err, ABUT_ERROR_INPUT, "nodes",
                         "a node of \"%.60s\" is attached twice without a `stiffness`",
                         body_name(m, block));
    j.name = mem_strdup(name);
    if (j.name && array_push(&m->joints, j)) return ABUT_OK;
    joint_free(&j);
    return error_memory(err, "attaching nodes");
}

/* ---------------------------------------------------------------------------------------------- */
/* Rows                                                                                           */

static abut_status combine(collision_surface *s, size_t vertex, const row_entry *entries, int count,
                           vec3 offset, abut_error *err)
{
    surface_row *row = &s->rows.data[vertex];
    *row = (surface_row){ROW_COMBINATION, entries[0].block, (int32_t)s->entries.count, count};
    for (int k = 0; k < count; k++)
        if (!array_push(&s->entries, entries[k])) return error_memory(err, "attaching nodes");
    while (s->offsets.count <= vertex)
        if (!array_push(&s->offsets, ((vec3){0}))) return error_memory(err, "attaching nodes");
    s->offsets.data[vertex] = offset;
    s->general = true;
    return ABUT_OK;
}

static abut_status follow_rigid(model *m, size_t vertex, const joint_side *leader, abut_error *err)
{
    collision_surface *s = &m->surface;
    rigid_body *body = &m->rigids.data[leader->rigid];
    vec3 arm = leader->point;
    body->radius = fmax(body->radius, vec3_norm(arm));
    body->reach = vec3_max(body->reach, (vec3){fabs(arm.x), fabs(arm.y), fabs(arm.z)});
    if (body->affine) {
        row_entry entries[] = {{body->block, 1},
                               {body->block + 1, arm.x},
                               {body->block + 2, arm.y},
                               {body->block + 3, arm.z}};
        return combine(s, vertex, entries, 4, (vec3){0}, err);
    }
    int32_t pose = 0;
    while ((size_t)pose < s->poses.count && s->poses.data[pose] != body->block) pose++;
    if ((size_t)pose == s->poses.count) TRY(surface_add_pose(s, body->block, &pose, err));
    while (s->arms.count < s->rows.count)
        if (!array_push(&s->arms, ((vec3){0}))) return error_memory(err, "attaching nodes");
    s->arms.data[vertex] = arm;
    s->rows.data[vertex] = (surface_row){ROW_RIGID, body->block, pose, 0};
    s->general = true;
    return ABUT_OK;
}

static abut_status lead_vertex(model *m, size_t vertex, const joint_side *leader, abut_error *err)
{
    row_entry entries[JOINT_SIDE_BLOCKS] = {{0}};
    if (leader->kind == SIDE_WORLD) return ABUT_OK; /* it stays where it is */
    m->surface.follower.data[vertex] = m->surface.rows.data[vertex].block;
    if (leader->kind == SIDE_BODY) return follow_rigid(m, vertex, leader, err);
    for (int k = 0; k < leader->count; k++)
        entries[k] = (row_entry){leader->blocks[k], leader->weights[k]};
    return combine(&m->surface, vertex, entries, leader->count, leader->point, err);
}

abut_status model_lead_surface(model *m, abut_error *err)
{
    collision_surface *s = &m->surface;
    if (!model_has_followers(m)) return ABUT_OK;
    int32_t *map = model_follower_map(m);
    bool ok = map && array_resize(&s->follower, s->rows.count);
    abut_status status = ok ? ABUT_OK : error_memory(err, "attaching nodes");
    for (size_t v = 0; ok && v < s->rows.count; v++) s->follower.data[v] = -1;
    for (size_t v = 0; status == ABUT_OK && v < s->rows.count; v++) {
        const surface_row *row = &s->rows.data[v];
        int32_t f = row->kind == ROW_NODE ? map[row->block] : -1;
        if (f >= 0) status = lead_vertex(m, v, &m->joints.data[f].side[0], err);
    }
    mem_free(map);
    return status;
}
