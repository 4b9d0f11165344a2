#include "body/follower.h"

#include <math.h>

bool body_may_follow(const model *m, const model_body *body, bool turning)
{
    if (!body->nodal || body_rows[body->kind]->obstacle) return false;
    for (size_t v = 0; turning && v < body->surface.vertex_count; v++)
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

/* A body is as large as what follows it. */
static void extend(rigid_body *body, vec3 arm)
{
    body->radius = fmax(body->radius, vec3_norm(arm));
    body->reach = vec3_max(body->reach, (vec3){fabs(arm.x), fabs(arm.y), fabs(arm.z)});
}

/* The frame of an affine body and its columns, with the weights that an arm has. */
static int affine_entries(const rigid_body *body, vec3 arm, row_entry out[4])
{
    const double weights[] = {1, arm.x, arm.y, arm.z};
    for (int k = 0; k < 4; k++) out[k] = (row_entry){body->block + k, weights[k]};
    return 4;
}

static abut_status follow_rigid(model *m, size_t vertex, const joint_side *leader, abut_error *err)
{
    collision_surface *s = &m->surface;
    rigid_body *body = &m->rigids.data[leader->rigid];
    vec3 arm = leader->point;
    extend(body, arm);
    if (body->affine) {
        row_entry entries[4];
        return combine(s, vertex, entries, affine_entries(body, arm, entries), (vec3){0}, err);
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

/* A sum of rows while it is put together: each block once. */
typedef struct row_sum {
    row_entry entries[ROW_MAX_BLOCKS];
    int count;
    vec3 offset;
    bool full;
} row_sum;

static void add_entry(row_sum *sum, int32_t block, double weight)
{
    int k = 0;
    while (k < sum->count && sum->entries[k].block != block) k++;
    if (k == ROW_MAX_BLOCKS) {
        sum->full = true;
        return;
    }
    if (k == sum->count) sum->entries[sum->count++] = (row_entry){block, 0};
    sum->entries[k].weight += weight;
}

/* Adds what a follower contributes to a vertex with this weight. One of the world stays a block of
 * its own, which never moves. */
static abut_status add_follower(model *m, const model_joint *j, double weight, row_sum *sum,
                                abut_error *err)
{
    const joint_side *leader = &j->side[0];
    if (leader->kind == SIDE_WORLD) {
        add_entry(sum, follower_block(j), weight);
        return ABUT_OK;
    }
    if (leader->kind == SIDE_NODES) {
        for (int k = 0; k < leader->count; k++)
            add_entry(sum, leader->blocks[k], weight * leader->weights[k]);
        sum->offset = vec3_mul_add(sum->offset, weight, leader->point);
        return ABUT_OK;
    }
    rigid_body *body = &m->rigids.data[leader->rigid];
    if (!body->affine)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "to",
                         "\"%.60s\" collides by points between its nodes, which cannot follow the "
                         "rigid \"%.60s\" through another body; give the attachment a "
                         "`break_force`, with which it is kept by forces",
                         body_name(m, follower_block(j)), body_name(m, body->block));
    row_entry entries[4];
    int count = affine_entries(body, leader->point, entries);
    extend(body, leader->point);
    for (int k = 0; k < count; k++) add_entry(sum, entries[k].block, weight * entries[k].weight);
    return ABUT_OK;
}

/* A vertex that depends on several nodes, some of which follow. */
static abut_status lead_combination(model *m, size_t vertex, const int32_t *map, abut_error *err)
{
    collision_surface *s = &m->surface;
    surface_row row = s->rows.data[vertex];
    bool follows = false;
    for (int k = 0; k < row.count; k++)
        follows = follows || map[s->entries.data[row.first + k].block] >= 0;
    if (!follows) return ABUT_OK;
    row_sum *sum = mem_calloc(1, sizeof *sum);
    if (!sum) return error_memory(err, "attaching nodes");
    if (vertex < s->offsets.count) sum->offset = s->offsets.data[vertex];
    abut_status status = ABUT_OK;
    for (int k = 0; status == ABUT_OK && k < row.count; k++) {
        row_entry entry = s->entries.data[row.first + k];
        int32_t f = map[entry.block];
        if (f < 0)
            add_entry(sum, entry.block, entry.weight);
        else
            status = add_follower(m, &m->joints.data[f], entry.weight, sum, err);
    }
    if (status == ABUT_OK && sum->full)
        status = error_set(err, ABUT_ERROR_UNSUPPORTED, "to",
                           "a collision vertex of attached nodes follows more than %d others",
                           ROW_MAX_BLOCKS);
    if (status == ABUT_OK) status = combine(s, vertex, sum->entries, sum->count, sum->offset, err);
    mem_free(sum);
    return status;
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
        if (row->kind == ROW_COMBINATION)
            status = lead_combination(m, v, map, err);
        else if (f >= 0)
            status = lead_vertex(m, v, &m->joints.data[f].side[0], err);
    }
    mem_free(map);
    return status;
}
