#include "step/motion_groups.h"

#include <math.h>
#include <string.h>

enum { STAYS = 0 }; /* number of the first group */

void motion_groups_free(motion_groups *g)
{
    array_free(&g->groups);
    array_free(&g->of_block);
    array_free(&g->of_vertex);
    array_free(&g->covers);
    memset(g, 0, sizeof *g);
}

/* ---------------------------------------------------------------------------------------------- */
/* Blocks                                                                                         */

bool condition_moves(const condition *c)
{
    return c->motions.count > 0 || c->frames.count > 0 || c->displacement[0];
}

bool rigid_condition_moves(const rigid_condition *c)
{
    return condition_moves(&c->path) || c->poses.count > 0;
}

static double turn_per_step(const condition *c, double h)
{
    double turn = 0;
    for (size_t k = 0; k < c->motions.count; k++)
        turn += h * vec3_norm(c->motions.data[k].angular_velocity);
    return turn;
}

/* All points follow one motion of the whole. Nodes go from step to step along chords, which keep
 * them apart as long as a step turns them by less than half a turn. */
static const double MOST_TURN = 2;

static bool is_one_motion(const condition *c, double h)
{
    return c->frames.count == 0 && !c->displacement[0] && turn_per_step(c, h) < MOST_TURN;
}

static bool same_motions(const condition *a, const condition *b)
{
    return a->motions.count == b->motions.count &&
           memcmp(a->motions.data, b->motions.data, a->motions.count * sizeof *a->motions.data) ==
               0;
}

static motion_box empty_box(void)
{
    vec3 far = {INFINITY, INFINITY, INFINITY};
    return (motion_box){far, vec3_neg(far)};
}

static bool is_empty(const motion_box *b) { return b->low.x > b->high.x; }

static bool add_group(motion_groups *g, const condition *path, const rigid_condition *body)
{
    motion_group group = {.path = path, .body = body, .start = {empty_box(), empty_box()}};
    return array_push(&g->groups, group);
}

/* The group of what follows these motions, new or not; groups.count when there is no memory. */
static int32_t group_of_path(motion_groups *g, const condition *path)
{
    size_t k = 0;
    while (k < g->groups.count &&
           !(g->groups.data[k].path && same_motions(g->groups.data[k].path, path)))
        k++;
    if (k == g->groups.count) add_group(g, path, NULL);
    return (int32_t)k;
}

/* Rotation vectors make other paths than chords. */
static int32_t group_of_body(motion_groups *g, const rigid_condition *c, double h)
{
    bool affine = g->rigid->model->rigids.data[c->rigid].affine;
    bool as_nodes = c->poses.count == 0 && (affine || turn_per_step(&c->path, h) == 0);
    if (as_nodes)
        return is_one_motion(&c->path, h) ? group_of_path(g, &c->path) : (int32_t)MOTION_ALONE;
    add_group(g, NULL, c);
    return (int32_t)g->groups.count - 1;
}

static int32_t body_blocks(const rigid_body *b) { return b->affine ? 4 : 2; }

static void cover(motion_groups *g, const motion_source *from)
{
    memset(g->covers.data, 0, g->covers.count * sizeof *g->covers.data);
    for (size_t k = 0; k < from->condition_count; k++)
        for (size_t i = 0; i < from->conditions[k].nodes.count; i++)
            g->covers.data[from->conditions[k].nodes.data[i]]++;
    for (size_t k = 0; k < from->rigid->conditions.count; k++)
        g->covers.data[g->rigid->model->rigids.data[from->rigid->conditions.data[k].rigid].block]++;
}

static void assign_nodes(motion_groups *g, const motion_source *from)
{
    for (size_t k = 0; k < from->condition_count; k++) {
        const condition *c = &from->conditions[k];
        if (!condition_moves(c)) continue;
        int32_t group = is_one_motion(c, from->h) ? group_of_path(g, c) : (int32_t)MOTION_ALONE;
        for (size_t i = 0; i < c->nodes.count; i++) {
            size_t block = (size_t)c->nodes.data[i];
            g->of_block.data[block] = g->covers.data[block] == 1 ? group : (int32_t)MOTION_ALONE;
        }
    }
}

static void assign_bodies(motion_groups *g, const motion_source *from)
{
    for (size_t k = 0; k < from->rigid->conditions.count; k++) {
        const rigid_condition *c = &from->rigid->conditions.data[k];
        const rigid_body *b = &g->rigid->model->rigids.data[c->rigid];
        if (!rigid_condition_moves(c)) continue;
        bool alone = g->covers.data[b->block] > 1;
        int32_t group = alone ? (int32_t)MOTION_ALONE : group_of_body(g, c, from->h);
        for (int32_t i = 0; i < body_blocks(b); i++) g->of_block.data[b->block + i] = group;
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Vertices                                                                                       */

static int32_t vertex_group(const motion_groups *g, const uint8_t *known, size_t vertex)
{
    int32_t blocks[ROW_MAX_BLOCKS];
    if (!contact_vertex_is_fixed(g->contact, vertex, known)) return MOTION_UNKNOWN;
    int count = surface_row_blocks(&g->contact->model->surface, (int32_t)vertex, blocks);
    int32_t group = g->of_block.data[blocks[0]];
    for (int k = 1; k < count; k++)
        if (g->of_block.data[blocks[k]] != group) return MOTION_ALONE;
    return group;
}

static void widen(motion_box *b, vec3 low, vec3 high)
{
    b->low = vec3_min(b->low, low);
    b->high = vec3_max(b->high, high);
}

/* A body that turns about its centre: a cube about the ball about it. */
static void widen_about(motion_box *b, vec3 center, double radius)
{
    double present = is_empty(b) ? 0 : 0.5 * (b->high.x - b->low.x);
    double r = fmax(present, radius);
    *b = (motion_box){vec3_sub(center, (vec3){r, r, r}), vec3_add(center, (vec3){r, r, r})};
}

static void bound_vertex(motion_groups *g, const motion_source *from, size_t vertex, vec3 y)
{
    const model *m = g->contact->model;
    motion_group *group = &g->groups.data[g->of_vertex.data[vertex]];
    bool obstacle = body_rows[m->bodies.data[m->surface.vertex_body.data[vertex]].kind]->obstacle;
    double xi = m->surface.thickness.count > 0 ? m->surface.thickness.data[vertex] : 0;
    double width = 0.5 * xi * (1 + 1e-12) + 1e-9 * m->extent; /* far more than rounding */
    for (int k = 0; k < (obstacle ? 1 : 2); k++) {
        if (group->body) {
            vec3 center = vec3_load(from->x + 3 * (size_t)m->rigids.data[group->body->rigid].block);
            widen_about(&group->start[k], center, vec3_norm(vec3_sub(y, center)) + width);
        } else {
            vec3 wide = {width, width, width};
            widen(&group->start[k], vec3_sub(y, wide), vec3_add(y, wide));
        }
    }
}

static abut_status bound_vertices(motion_groups *g, const motion_source *from, abut_error *err)
{
    const collision_surface *s = &g->contact->model->surface;
    vec3 *y = mem_alloc(s->rows.count, sizeof *y);
    if (!y) return error_memory(err, "following prescribed motions");
    collision_surface_positions(s, from->x, y);
    for (size_t i = 0; i < s->rows.count; i++) {
        g->of_vertex.data[i] = vertex_group(g, from->known, i);
        g->alone = g->alone || g->of_vertex.data[i] == MOTION_ALONE;
        if (g->of_vertex.data[i] >= 0) bound_vertex(g, from, i, y[i]);
    }
    mem_free(y);
    for (size_t k = 0; k < g->groups.count; k++)
        memcpy(g->groups.data[k].now, g->groups.data[k].start, sizeof g->groups.data[k].now);
    return ABUT_OK;
}

abut_status motion_groups_make(motion_groups *g, const motion_source *from, abut_error *err)
{
    const model *m = from->contact->model;
    g->contact = from->contact;
    g->rigid = from->rigid;
    size_t most = 1 + from->condition_count + from->rigid->conditions.count;
    if (!array_reserve(&g->groups, most) || !array_resize(&g->of_block, m->rest.count) ||
        !array_resize(&g->covers, m->rest.count) ||
        !array_resize(&g->of_vertex, m->surface.rows.count) || !add_group(g, NULL, NULL))
        return error_memory(err, "following prescribed motions");
    for (size_t i = 0; i < m->rest.count; i++) g->of_block.data[i] = STAYS;
    cover(g, from);
    assign_nodes(g, from);
    assign_bodies(g, from);
    return bound_vertices(g, from, err);
}

/* ---------------------------------------------------------------------------------------------- */
/* Time                                                                                           */

static motion_box box_at(const motion_groups *g, const motion_group *group, int k, double time)
{
    const motion_box *b = &group->start[k];
    if (is_empty(b)) return *b;
    vec3 mid = vec3_scale(0.5, vec3_add(b->low, b->high)), half = vec3_sub(b->high, mid);
    if (group->body) {
        const rigid_body *body = &g->rigid->model->rigids.data[group->body->rigid];
        mat3 frame;
        rigid_condition_pose(g->rigid, group->body, body, time, &mid, &frame);
    } else if (group->path) {
        mat3 r = condition_rotation(group->path, time);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) r.m[i][j] = fabs(r.m[i][j]);
        mid = condition_target(group->path, mid, time);
        half = mat3_mul_vec(r, half);
    }
    return (motion_box){vec3_sub(mid, half), vec3_add(mid, half)};
}

static bool overlap(const motion_box *a, const motion_box *b)
{
    vec3 gap = vec3_max(vec3_sub(a->low, b->high), vec3_sub(b->low, a->high));
    return !is_empty(a) && !is_empty(b) && fmax(gap.x, fmax(gap.y, gap.z)) <= 0;
}

static bool meets_plane(const contact_term *c, const motion_box *b)
{
    if (is_empty(b)) return false;
    vec3 mid = vec3_scale(0.5, vec3_add(b->low, b->high)), half = vec3_sub(b->high, mid);
    for (size_t k = 0; k < c->planes.count; k++) {
        vec3 n = c->planes.data[k].normal;
        double reach = fabs(n.x) * half.x + fabs(n.y) * half.y + fabs(n.z) * half.z;
        if (half_space_distance(mid, c->planes.data[k].origin, n) <= reach) return true;
    }
    return false;
}

static void go_to(const motion_groups *g, motion_group *group, double time)
{
    for (int k = 0; k < 2; k++) {
        group->swept[k] = group->now[k];
        group->now[k] = box_at(g, group, k, time);
        if (!is_empty(&group->now[k]))
            widen(&group->swept[k], group->now[k].low, group->now[k].high);
    }
}

bool motion_groups_may_meet(motion_groups *g, double time)
{
    bool may = false;
    for (size_t i = 0; i < g->groups.count; i++) {
        motion_group *a = &g->groups.data[i];
        go_to(g, a, time);
        if (i == STAYS) continue;
        may = may || meets_plane(g->contact, &a->now[1]);
        for (size_t j = 0; j < i && !may; j++) {
            const motion_group *b = &g->groups.data[j];
            may = overlap(&a->swept[1], &b->swept[0]) || overlap(&a->swept[0], &b->swept[1]);
        }
    }
    return may;
}

double motion_groups_work(const motion_groups *g)
{
    double n = (double)g->groups.count;
    return 0.5 * n * (n - 1);
}
