#include "contact/near_pairs.h"

#include "contact/pair_geometry.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

static const ccd_kind kinds[PAIR_KINDS] = {CCD_POINT_TRIANGLE, CCD_EDGE_EDGE, CCD_POINT_EDGE,
                                           CCD_POINT_POINT};

static const pair_list *list_of(const candidate_set *set, int kind)
{
    const pair_list *const lists[PAIR_KINDS] = {&set->vt, &set->ee, &set->ve, &set->vv};
    return lists[kind];
}

/* ---- lifecycle ------------------------------------------------------------------------------ */

abut_status near_pairs_create(near_pairs *n, const swept_cover *t, double dhat, abut_error *err)
{
    const collision_surface *s = t->surface;
    *n = (near_pairs){.swept_cover = t, .dhat = dhat};
    if (!array_resize(&n->body, s->rows.count + 1)) return error_memory(err, "listing near pairs");
    int32_t poses = (int32_t)s->poses.count, bodies = poses;
    for (size_t i = 0; i < s->rows.count; i++) {
        const surface_row *row = &s->rows.data[i];
        int32_t body = row->kind == ROW_RIGID ? row->first : poses + s->vertex_body.data[i];
        if (body >= bodies) bodies = body + 1;
        n->body.data[i] = body;
    }
    for (int k = 0; k < 3; k++)
        if (!array_resize(&n->poses[k], (size_t)bodies + 1))
            return error_memory(err, "listing near pairs");
    return ABUT_OK;
}

void near_pairs_free(near_pairs *n)
{
    array_free(&n->body);
    for (int k = 0; k < 3; k++) array_free(&n->poses[k]);
    array_free(&n->groups);
    array_free(&n->table);
    for (int k = 0; k < PAIR_KINDS; k++) {
        array_free(&n->lists[k].slack);
        array_free(&n->lists[k].group);
        array_free(&n->lists[k].measured);
    }
    candidate_set_free(&n->near);
}

/* ---- groups --------------------------------------------------------------------------------- */

static size_t slot_of(const near_pairs *n, int32_t first, int32_t second)
{
    uint64_t key = (uint64_t)(uint32_t)first << 32 | (uint32_t)second;
    size_t mask = n->table.count - 1, slot = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & mask;
    for (;; slot = (slot + 1) & mask) {
        int32_t g = n->table.data[slot];
        if (g < 0) return slot;
        const int32_t *body = n->groups.data[g].body;
        if (body[0] == first && body[1] == second) return slot;
    }
}

/* An empty table of twice the size, with the groups there are. */
static bool grow_table(near_pairs *n)
{
    size_t size = n->table.count > 0 ? 2 * n->table.count : 64;
    if (!array_resize(&n->table, size)) return false;
    for (size_t i = 0; i < size; i++) n->table.data[i] = -1;
    for (size_t g = 0; g < n->groups.count; g++) {
        const int32_t *body = n->groups.data[g].body;
        n->table.data[slot_of(n, body[0], body[1])] = (int32_t)g;
    }
    return true;
}

/* Index of the group of two bodies, a new one if need be; -1 without memory. */
static int32_t group_of(near_pairs *n, int32_t first, int32_t second)
{
    if (2 * (n->groups.count + 1) > n->table.count && !grow_table(n)) return -1;
    size_t slot = slot_of(n, first, second);
    if (n->table.data[slot] < 0) {
        near_group group = {.body = {first, second},
                            .low = {INFINITY, INFINITY, INFINITY},
                            .high = {-INFINITY, -INFINITY, -INFINITY}};
        if (!array_push(&n->groups, group)) return -1;
        n->table.data[slot] = (int32_t)n->groups.count - 1;
    }
    return n->table.data[slot];
}

/* ---- slack ---------------------------------------------------------------------------------- */

/* What is left of a distance when all that counts as contact is taken away. */
static double slack_of(const near_pairs *n, ccd_kind kind, const int32_t *v, double distance2)
{
    int count = ccd_vertex_count(kind), first = kind == CCD_EDGE_EDGE ? 2 : 1;
    double xi = surface_pair_thickness(n->swept_cover->surface, v, first, v + first, count - first);
    return sqrt(distance2) - (n->dhat + xi) * (1 + 1e-9);
}

static void load_pair(const near_pairs *n, ccd_kind kind, index_pair pair, int32_t *v, vec3 *x)
{
    pair_vertices(n->swept_cover->surface, kind, pair, v);
    for (int k = 0; k < ccd_vertex_count(kind); k++) x[k] = n->swept_cover->y[v[k]];
}

static bool is_rigid(const near_pairs *n, int32_t body)
{
    return (size_t)body < n->swept_cover->surface->poses.count;
}

/* Where all bodies are at a moment of a path. */
static void find_poses(const near_pairs *n, const coordinate_path *path, double at, body_pose *out)
{
    const swept_cover *t = n->swept_cover;
    for (size_t f = 0; f < t->surface->poses.count; f++) {
        vec3 theta = swept_cover_pose_at(t, path, f, at, &out[f].origin);
        out[f].rotation = rotation_matrix(theta);
        out[f].turn = swept_cover_pose_turn(t, f, theta);
    }
    for (size_t b = t->surface->poses.count; b < n->poses[0].count; b++) out[b].beyond = -1;
    for (size_t i = 0; i < swept_cover_linear_count(t); i++) {
        size_t v = swept_cover_linear_vertex(t, i);
        body_pose *pose = &out[n->body.data[v]];
        vec3 moved =
            path ? vec3_sub(coordinate_path_vertex(path, v, at), t->y[v]) : vec3_make(0, 0, 0);
        if (pose->beyond < 0) *pose = (body_pose){.origin = moved}; /* the first tells */
        pose->beyond = fmax(pose->beyond, vec3_norm(vec3_sub(moved, pose->origin)));
    }
}

/* The centres of the groups as the bodies see them. */
static void set_arms(near_pairs *n)
{
    for (size_t i = 0; i < n->groups.count; i++) {
        near_group *g = &n->groups.data[i];
        vec3 center = vec3_scale(0.5, vec3_add(g->low, g->high));
        g->radius = 0.5 * vec3_norm(vec3_sub(g->high, g->low)) * (1 + 1e-12);
        for (int k = 0; k < 2; k++) {
            const body_pose *pose = &n->poses[0].data[g->body[k]];
            g->arm[k] = center;
            if (is_rigid(n, g->body[k]))
                g->arm[k] = mat3_tmul_vec(pose->rotation, vec3_sub(center, pose->origin));
        }
    }
}

static void widen(near_group *g, const vec3 *x, int count)
{
    for (int k = 0; k < count; k++) {
        g->low = vec3_min(g->low, x[k]);
        g->high = vec3_max(g->high, x[k]);
    }
}

abut_status near_pairs_set(near_pairs *n, const candidate_set *all, abut_error *err)
{
    n->all = all;
    array_clear(&n->groups);
    for (size_t i = 0; i < n->table.count; i++) n->table.data[i] = -1;
    for (int k = 0; k < PAIR_KINDS; k++) {
        const pair_list *list = list_of(all, k);
        near_list *own = &n->lists[k];
        if (!array_resize(&own->slack, list->count) || !array_resize(&own->group, list->count) ||
            !array_resize(&own->measured, list->count))
            return error_memory(err, "listing near pairs");
        for (size_t i = 0; i < list->count; i++) {
            int32_t v[4];
            vec3 x[4];
            load_pair(n, kinds[k], list->data[i], v, x);
            int first = kinds[k] == CCD_EDGE_EDGE ? 2 : 1;
            int32_t group = group_of(n, n->body.data[v[0]], n->body.data[v[first]]);
            if (group < 0) return error_memory(err, "listing near pairs");
            widen(&n->groups.data[group], x, ccd_vertex_count(kinds[k]));
            own->group.data[i] = group;
            own->slack.data[i] = slack_of(n, kinds[k], v, pair_box_distance2(kinds[k], x));
            own->measured.data[i] = 0;
        }
    }
    find_poses(n, NULL, 0, n->poses[0].data);
    set_arms(n);
    return ABUT_OK;
}

/* ---- motion --------------------------------------------------------------------------------- */

/* By how much a distance of the group may have shrunk from the start of the cover to a
 * configuration. */
static double bound_at(const near_pairs *n, const near_group *g, const body_pose *poses)
{
    vec3 moved[2];
    double rest = 0;
    for (int k = 0; k < 2; k++) {
        const body_pose *pose = &poses[g->body[k]];
        vec3 at = is_rigid(n, g->body[k]) ? mat3_mul_vec(pose->rotation, g->arm[k]) : g->arm[k];
        moved[k] = vec3_add(pose->origin, at);
        rest += is_rigid(n, g->body[k]) ? g->radius * pose->turn : pose->beyond;
    }
    return (vec3_norm(vec3_sub(moved[0], moved[1])) + rest) * (1 + 1e-12);
}

/* On a path the centres move along arcs, this much off the straight line between their ends. */
static double bent(const near_pairs *n, const near_group *g, const coordinate_path *path)
{
    double off = 0;
    for (int k = 0; k < 2; k++) {
        if (!is_rigid(n, g->body[k])) continue;
        const double *p =
            path->direction + 3 * (size_t)n->swept_cover->surface->poses.data[g->body[k]];
        double turn2 = vec3_norm2(vec3_load(p + 3)) * path->limit * path->limit;
        off += turn2 * vec3_norm(g->arm[k]) / 8;
    }
    return off * (1 + 1e-12);
}

static void set_bounds(near_pairs *n, const coordinate_path *path)
{
    find_poses(n, path, 0, n->poses[1].data);
    if (path->direction) find_poses(n, path, path->limit, n->poses[2].data);
    for (size_t i = 0; i < n->groups.count; i++) {
        near_group *g = &n->groups.data[i];
        g->bound = bound_at(n, g, n->poses[1].data);
        if (path->direction)
            g->bound = fmax(g->bound, bound_at(n, g, n->poses[2].data)) + bent(n, g, path);
    }
}

static bool is_near(near_pairs *n, int kind, size_t i)
{
    near_list *own = &n->lists[kind];
    double bound = n->groups.data[own->group.data[i]].bound;
    if (own->slack.data[i] > bound) return false;
    if (own->measured.data[i]) return true;
    int32_t v[4];
    vec3 x[4];
    load_pair(n, kinds[kind], list_of(n->all, kind)->data[i], v, x);
    own->measured.data[i] = 1;
    own->slack.data[i] = slack_of(n, kinds[kind], v, pair_distance2(kinds[kind], x));
    return !(own->slack.data[i] > bound);
}

abut_status near_pairs_choose(near_pairs *n, const coordinate_path *path, abut_error *err)
{
    pair_list *const out[PAIR_KINDS] = {&n->near.vt, &n->near.ee, &n->near.ve, &n->near.vv};
    set_bounds(n, path);
    for (int k = 0; k < PAIR_KINDS; k++) {
        const pair_list *list = list_of(n->all, k);
        array_clear(out[k]);
        for (size_t i = 0; i < list->count; i++)
            if (is_near(n, k, i) && !array_push(out[k], list->data[i]))
                return error_memory(err, "listing near pairs");
    }
    n->near.inflation = n->all->inflation;
    n->near.largest = n->all->largest;
    n->near.divided = n->all->divided;
    return ABUT_OK;
}
