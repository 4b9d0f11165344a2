#include "contact/part_boxes.h"

#include "base/parallel.h"
#include "broad/attached.h"
#include "ccd/curved.h"
#include "math/rotation.h"

#include <math.h>

/* Computed positions are right to this part of their size. */
static const double ROUNDING = 1e-12;

bool part_boxes_possible(const model *m)
{
    if (m->surface.poses.count == 0 ||
        broad_has_attached(m->surface.excluded.data, m->surface.excluded.count))
        return false;
    for (size_t b = 0; b < m->bodies.count; b++)
        if (!body_rows[m->bodies.data[b].kind]->obstacle && !m->bodies.data[b].no_self_contact)
            return false;
    return true;
}

typedef struct boxes_work {
    broad_parts *parts;
    const collision_surface *s;
    const broad_query *query;
    const double *x, *direction;
    vec3 drift;
} boxes_work;

/* A rigid frame at the two ends of its path. */
typedef struct pose_ends {
    int32_t pose;
    vec3 from, to;
    mat3 turn_from, turn_to;
    ccd_path path; /* without an arm */
} pose_ends;

static pose_ends ends_of(const boxes_work *w, const surface_row *row)
{
    const double *x = w->x + 3 * (size_t)row->block;
    pose_ends e = {.pose = row->first, .from = vec3_load(x)};
    e.path = (ccd_path){.y = e.from, .theta = vec3_load(x + 3)};
    e.turn_from = rotation_matrix(e.path.theta);
    e.to = e.from;
    e.turn_to = e.turn_from;
    if (!w->direction) return e;
    const double *p = w->direction + 3 * (size_t)row->block;
    double alpha = w->query->alpha;
    e.path.p = vec3_load(p);
    e.path.dtheta = vec3_load(p + 3);
    e.path.curved = vec3_norm2(e.path.dtheta) > 0;
    e.to = vec3_mul_add(e.from, alpha, vec3_sub(e.path.p, w->drift));
    if (e.path.curved)
        e.turn_to = rotation_matrix(vec3_mul_add(e.path.theta, alpha, e.path.dtheta));
    return e;
}

/* Half extents along the axes of the world of a box that was turned. */
static vec3 turned(mat3 r, vec3 half)
{
    double h[3];
    for (int i = 0; i < 3; i++)
        h[i] = fabs(r.m[i][0]) * half.x + fabs(r.m[i][1]) * half.y + fabs(r.m[i][2]) * half.z;
    return vec3_load(h);
}

static double thickness_of(const boxes_work *w, size_t part)
{
    if (w->s->thickness.count == 0) return 0;
    size_t count;
    const int32_t *v = broad_parts_vertices(w->parts, part, &count);
    double largest = 0;
    for (size_t k = 0; k < count; k++) largest = fmax(largest, w->s->thickness.data[v[k]]);
    return largest;
}

static part_box rigid_box(const boxes_work *w, const broad_part *part, size_t index,
                          const pose_ends *e)
{
    vec3 arm = vec3_add(part->arm, w->s->arms.data[part->vertex]);
    vec3 from = vec3_add(e->from, mat3_mul_vec(e->turn_from, arm));
    vec3 to = vec3_add(e->to, mat3_mul_vec(e->turn_to, arm));
    vec3 a = turned(e->turn_from, part->half), b = turned(e->turn_to, part->half);
    double reach = vec3_norm(arm) + vec3_norm(part->half);
    double size = vec3_max_abs(e->from) + vec3_max_abs(e->to) + 2 * reach;
    double room = 0.5 * w->query->inflation + 0.5 * thickness_of(w, index);
    if (e->path.curved) {
        ccd_path path = e->path;
        path.arm = (vec3){reach * (1 + ROUNDING), 0, 0};
        room += ccd_path_deviation(&path, 0, w->query->alpha);
    }
    room += ROUNDING * (size + room);
    vec3 wide = {room, room, room};
    return (part_box){vec3_sub(vec3_min(vec3_sub(from, a), vec3_sub(to, b)), wide),
                      vec3_add(vec3_max(vec3_add(from, a), vec3_add(to, b)), wide)};
}

static part_box vertices_box(const boxes_work *w, size_t part)
{
    size_t count;
    const int32_t *v = broad_parts_vertices(w->parts, part, &count);
    exact_box box = vertex_exact_box(w->query, (size_t)v[0]);
    for (size_t k = 1; k < count; k++) {
        exact_box next = vertex_exact_box(w->query, (size_t)v[k]);
        exact_box_include(&box, &next);
    }
    return (part_box){vec3_load(box.low), vec3_load(box.high)};
}

static void fill_range(void *context, size_t begin, size_t end)
{
    const boxes_work *w = context;
    const broad_part *list = broad_parts_list(w->parts);
    part_box *boxes = broad_parts_boxes(w->parts);
    pose_ends ends = {.pose = -1}; /* parts of a body stand together */
    for (size_t i = begin; i < end; i++) {
        const surface_row *row = &w->s->rows.data[list[i].vertex];
        if (row->kind != ROW_RIGID) {
            boxes[i] = vertices_box(w, i);
            continue;
        }
        if (row->first != ends.pose) ends = ends_of(w, row);
        boxes[i] = rigid_box(w, &list[i], i, &ends);
    }
}

void part_boxes_fill(broad_parts *parts, const collision_surface *s, const broad_query *query,
                     const double *x, const double *direction, vec3 drift)
{
    boxes_work work = {parts, s, query, x, direction, drift};
    parallel_for(broad_parts_count(parts), 256, fill_range, &work);
}
