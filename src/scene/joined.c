#include "scene/joined.h"

#include "geometry/check.h"
#include "mesh/measure.h"
#include "mesh/topology.h"
#include "scene/attached.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int32_t find_body(const scene_def *scene, const char *name)
{
    for (size_t i = 0; i < scene->body_count; i++)
        if (strcmp(scene->bodies[i].name, name) == 0) return (int32_t)i;
    return -1;
}

/* The two surfaces one after the other. */
typedef struct two_surfaces {
    ARRAY(vec3) vertices;
    ARRAY(int32_t) body, triangles, edges, points;
} two_surfaces;

static bool append(two_surfaces *s, const mesh *m, const surface_parts *parts, int32_t body)
{
    int32_t at = (int32_t)s->vertices.count;
    bool ok = true;
    for (size_t v = 0; ok && v < m->vertex_count; v++)
        ok = array_push(&s->vertices, m->vertices[v]) && array_push(&s->body, body);
    for (size_t i = 0; ok && i < 3 * parts->triangle_count; i++)
        ok = array_push(&s->triangles, at + parts->triangles[i / 3][i % 3]);
    for (size_t i = 0; ok && i < 2 * parts->edge_count; i++)
        ok = array_push(&s->edges, at + parts->edges[i / 2][i % 2]);
    for (size_t i = 0; ok && i < parts->point_count; i++)
        ok = array_push(&s->points, at + parts->points[i]);
    return ok;
}

static abut_status add_surface(const scene_def *scene, int32_t body, int32_t number,
                               two_surfaces *s, abut_error *err)
{
    mesh shape;
    surface_parts parts;
    TRY(scene_body_mesh(scene, (size_t)body, &shape, err));
    abut_status status = mesh_surface(&shape, &parts, err);
    if (status == ABUT_OK) {
        if (!append(s, &shape, &parts, number))
            status = error_memory(err, "looking at joined bodies");
        surface_parts_free(&parts);
    }
    mesh_free(&shape);
    return status;
}

static double size_of(const two_surfaces *s)
{
    vec3 low = s->vertices.data[0], high = low;
    for (size_t i = 0; i < s->vertices.count; i++) {
        low = vec3_min(low, s->vertices.data[i]);
        high = vec3_max(high, s->vertices.data[i]);
    }
    return vec3_norm(vec3_sub(high, low));
}

/* Whether two bodies touch or intersect, up to a millionth of their size. */
static abut_status touch(const scene_def *scene, body_pair pair, bool *yes, abut_error *err)
{
    static const uint8_t flags[2] = {CHECK_BODY_RIGID, CHECK_BODY_RIGID};
    two_surfaces s = {0};
    abut_status status = add_surface(scene, pair.first, 0, &s, err);
    if (status == ABUT_OK) status = add_surface(scene, pair.second, 1, &s, err);
    *yes = false;
    if (status == ABUT_OK && s.vertices.count > 0) {
        check_surface surface = {.vertices = s.vertices.data,
                                 .vertex_count = s.vertices.count,
                                 .triangles = (const int32_t(*)[3])s.triangles.data,
                                 .triangle_count = s.triangles.count / 3,
                                 .edges = (const int32_t(*)[2])s.edges.data,
                                 .edge_count = s.edges.count / 2,
                                 .points = s.points.data,
                                 .point_count = s.points.count,
                                 .body = s.body.data,
                                 .body_flags = flags};
        check_pair *pairs = NULL;
        size_t count = 0;
        check_gap gap = {.distance = INFINITY};
        double size = size_of(&s);
        status = check_intersections(&surface, &pairs, &count, err);
        mem_free(pairs);
        if (status == ABUT_OK && count == 0)
            status = check_min_distance(&surface, 1e-6 * size, &gap, err);
        *yes = count > 0 || gap.distance <= 1e-6 * size;
    }
    array_free(&s.vertices);
    array_free(&s.body);
    array_free(&s.triangles);
    array_free(&s.edges);
    array_free(&s.points);
    return status;
}

static int compare(const void *a, const void *b)
{
    const body_pair *p = a, *q = b;
    if (p->first != q->first) return p->first < q->first ? -1 : 1;
    return (p->second > q->second) - (p->second < q->second);
}

static abut_status add_pair(const scene_def *scene, const char *one, const char *other,
                            collide_choice collide, body_pair_list *out, abut_error *err)
{
    int32_t a = one ? find_body(scene, one) : -1, b = other ? find_body(scene, other) : -1;
    if (a < 0 || b < 0 || collide == COLLIDE_ALWAYS) return ABUT_OK;
    body_pair pair = a < b ? (body_pair){a, b} : (body_pair){b, a};
    bool apart = collide == COLLIDE_NEVER;
    if (!apart) TRY(touch(scene, pair, &apart, err));
    if (apart && !array_push(out, pair)) return error_memory(err, "looking at joined bodies");
    return ABUT_OK;
}

abut_status scene_joined_pairs(const scene_def *scene, body_pair_list *out, abut_error *err)
{
    array_clear(out);
    if (!scene->options.contact) return ABUT_OK;
    for (size_t i = 0; i < scene->joint_count; i++) {
        const joint_def *j = &scene->joints[i];
        TRY(add_pair(scene, j->body, j->to, j->collide, out, err));
    }
    for (size_t i = 0; i < scene->attachment_count; i++) {
        const attachment_def *a = &scene->attachments[i];
        bool by_nodes = true; /* then only what is attached does not collide */
        int32_t body = find_body(scene, a->body);
        if (body >= 0) TRY(body_collides_by_nodes(scene, (size_t)body, &by_nodes, err));
        if (!by_nodes) TRY(add_pair(scene, a->body, a->to, COLLIDE_NEVER, out, err));
    }
    if (out->count > 1) qsort(out->data, out->count, sizeof *out->data, compare);
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (i == 0 || compare(&out->data[i], &out->data[kept - 1]) != 0)
            out->data[kept++] = out->data[i];
    out->count = kept;
    return ABUT_OK;
}

abut_status scene_joined_built(const scene_def *scene, body_pair_list *out, abut_error *err)
{
    TRY(scene_joined_pairs(scene, out, err));
    for (size_t i = 0; i < out->count; i++) {
        int32_t *numbers[2] = {&out->data[i].first, &out->data[i].second};
        for (int k = 0; k < 2; k++) {
            int32_t built = 0;
            for (int32_t b = 0; b < *numbers[k]; b++) built += scene->bodies[b].enabled;
            *numbers[k] = built;
        }
    }
    return ABUT_OK;
}
