#include "scene/build_attachment.h"

#include "body/follower.h"
#include "constraint/joint_kind.h"
#include "constraint/joint_make.h"
#include "scene/select.h"
#include "scene/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The point of a surface that is nearest to a point: up to three vertices with weights. */
typedef struct nearest_place {
    double distance;
    int count;
    int32_t vertex[3];
    double weight[3];
} nearest_place;

/* Barycentric coordinates of the point of a triangle nearest to p. */
static void nearest_in_triangle(vec3 p, const vec3 t[3], double w[3])
{
    vec3 u = vec3_sub(t[1], t[0]), v = vec3_sub(t[2], t[0]), d = vec3_sub(p, t[0]);
    double uu = vec3_dot(u, u), uv = vec3_dot(u, v), vv = vec3_dot(v, v);
    double du = vec3_dot(d, u), dv = vec3_dot(d, v), det = uu * vv - uv * uv;
    w[1] = det > 0 ? (vv * du - uv * dv) / det : 0;
    w[2] = det > 0 ? (uu * dv - uv * du) / det : 0;
    w[0] = 1 - w[1] - w[2];
    if (det > 0 && w[0] >= 0 && w[1] >= 0 && w[2] >= 0) return;
    double best = INFINITY; /* on one of the edges */
    double found[3] = {1, 0, 0};
    for (int e = 0; e < 3; e++) {
        int a = e, b = (e + 1) % 3;
        vec3 edge = vec3_sub(t[b], t[a]);
        double length2 = vec3_norm2(edge);
        double s = length2 > 0 ? vec3_dot(vec3_sub(p, t[a]), edge) / length2 : 0;
        s = fmax(0, fmin(1, s));
        double far2 = vec3_norm2(vec3_sub(p, vec3_mul_add(t[a], s, edge)));
        if (far2 >= best) continue;
        best = far2;
        found[a] = 1 - s;
        found[b] = s;
        found[3 - a - b] = 0;
    }
    memcpy(w, found, sizeof found);
}

static void try_place(vec3 p, const vec3 *y, const int32_t *vertex, int count, nearest_place *best)
{
    double w[3] = {1, 0, 0};
    vec3 x[3], at = {0};
    for (int k = 0; k < count; k++) x[k] = y[vertex[k]];
    if (count == 2) x[2] = x[1];
    if (count >= 2) nearest_in_triangle(p, x, w);
    if (count == 2) w[1] += w[2];
    for (int k = 0; k < count; k++) at = vec3_mul_add(at, w[k], x[k]);
    double distance = vec3_norm(vec3_sub(p, at));
    if (!(distance < best->distance)) return;
    *best = (nearest_place){.distance = distance, .count = count};
    for (int k = 0; k < count; k++) {
        best->vertex[k] = vertex[k];
        best->weight[k] = w[k];
    }
}

/* Over triangles, edges and vertices of the surface of a body. */
static nearest_place find_nearest(const model *m, const model_body *body, const vec3 *y, vec3 p)
{
    nearest_place best = {.distance = INFINITY};
    const body_surface *s = &body->surface;
    for (size_t k = 0; k < s->triangle_count; k++)
        try_place(p, y, m->surface.triangles.data + 3 * (s->first_triangle + k), 3, &best);
    for (size_t k = 0; s->triangle_count == 0 && k < s->edge_count; k++)
        try_place(p, y, m->surface.edges.data + 2 * (s->first_edge + k), 2, &best);
    for (size_t k = 0; s->triangle_count + s->edge_count == 0 && k < s->vertex_count; k++) {
        int32_t vertex = (int32_t)(s->first_vertex + k);
        try_place(p, y, &vertex, 1, &best);
    }
    return best;
}

/* A side that follows the nodes below a point of the surface. */
static abut_status side_on_surface(const model *m, const nearest_place *at, joint_side *out,
                                   abut_error *err)
{
    *out = (joint_side){.kind = SIDE_NODES, .rigid = -1, .triad = mat3_identity()};
    for (int k = 0; k < at->count; k++) {
        int32_t blocks[ROW_MAX_BLOCKS];
        if (at->weight[k] == 0) continue;
        if (m->surface.rows.data[at->vertex[k]].kind != ROW_NODE)
            return error_set(err, ABUT_ERROR_UNSUPPORTED, "to",
                             "nodes cannot be attached to the sampled surface of a body of higher "
                             "order yet; attach that body's nodes to the other one instead");
        surface_row_blocks(&m->surface, at->vertex[k], blocks);
        out->blocks[out->count] = blocks[0];
        out->weights[out->count++] = at->weight[k];
    }
    return ABUT_OK;
}

typedef struct attachment {
    const scene_def *scene;
    const attachment_def *def;
    model *m;
    const vec3 *y; /* surface at the start */
    int32_t to;    /* body of the model, -1: the world */
    double within;
    bool by_rows; /* followers, not joints */
    size_t made;
} attachment;

/* What is exact and does not break is eliminated, where rows of the surface can follow. */
static bool may_follow(const attachment *a, const model_body *body)
{
    int32_t rigid = a->to >= 0 ? a->m->bodies.data[a->to].rigid : -1;
    bool turning = rigid >= 0 && !a->m->rigids.data[rigid].affine;
    return !(a->def->stiffness > 0) && isinf(a->def->break_force) &&
           body_may_follow(a->m, body, turning);
}

static abut_status attach_node(attachment *a, int32_t block, abut_error *err)
{
    model *m = a->m;
    vec3 p = m->rest.data[block];
    model_joint j = joint_plain();
    j.kind = joint_kind_named("ball");
    j.stiffness = a->def->stiffness;
    j.damping = a->def->damping;
    j.break_force = a->def->break_force;
    j.side[1] = joint_side_node(block);
    const model_body *to = a->to >= 0 ? &m->bodies.data[a->to] : NULL;
    if (to && to->rigid >= 0 && isfinite(a->within) &&
        find_nearest(m, to, a->y, p).distance > a->within)
        return ABUT_OK;
    if (!to || to->rigid >= 0) {
        j.side[0] = joint_side_at(m, to ? to->rigid : -1, p, mat3_identity());
    } else {
        nearest_place at = find_nearest(m, to, a->y, p);
        if (at.distance > a->within) return ABUT_OK;
        TRY(side_on_surface(m, &at, &j.side[0], err));
        bool close = a->def->close;
        if (!close && at.distance > 1e-6 * m->extent)
            return error_set(err, ABUT_ERROR_INPUT, "close",
                             "a node is %.3g m from the surface of \"%.60s\" at the start; only "
                             "`close`, with a `stiffness`, bridges a gap",
                             at.distance, to->name);
        vec3 on = {0};
        for (int k = 0; k < j.side[0].count; k++)
            on = vec3_mul_add(on, j.side[0].weights[k], m->rest.data[j.side[0].blocks[k]]);
        if (!close) j.side[0].point = vec3_sub(p, on); /* rounding */
    }
    char name[120];
    snprintf(name, sizeof name, "%.80s.%zu", a->def->name, a->made++);
    if (a->by_rows)
        return model_add_follower(m, name, joint_kind_named("free"), block, &j.side[0], err);
    return model_add_joint(m, name, &j, err);
}

static abut_status attach_selected(attachment *a, const mesh *shape, size_t body, abut_error *err)
{
    int32_t *nodes = NULL;
    size_t count = 0;
    abut_status status =
        select_nodes(&a->def->nodes, &a->scene->bodies[body], shape, &nodes, &count, err);
    const model_body *built =
        &a->m->bodies.data[build_find_body(a->m, a->scene->bodies[body].name)];
    a->by_rows = may_follow(a, built);
    for (size_t k = 0; status == ABUT_OK && k < count; k++)
        if (built->block_of_vertex[nodes[k]] >= 0)
            status = attach_node(a, built->block_of_vertex[nodes[k]], err);
    mem_free(nodes);
    return status;
}

abut_status build_attachment(const scene_def *scene, size_t i, const mesh *meshes, model *m,
                             const logger *log, abut_error *err)
{
    const attachment_def *def = &scene->attachments[i];
    size_t body = 0;
    while (strcmp(scene->bodies[body].name, def->body) != 0) body++;
    attachment a = {.scene = scene, .def = def, .m = m, .within = INFINITY};
    a.to = build_find_body(m, def->to);
    if (def->has_within) a.within = start_length(def->within, m->extent);
    vec3 *y = mem_alloc(m->surface.rows.count + 1, sizeof *y);
    if (!y) return error_memory(err, "attaching nodes");
    collision_surface_positions(&m->surface, (const double *)m->rest.data, y);
    a.y = y;
    abut_status status = attach_selected(&a, &meshes[body], body, err);
    mem_free(y);
    char place[300];
    snprintf(place, sizeof place, "%.200s: attachments[%zu]", scene->path, i);
    if (status != ABUT_OK) return error_add_place(err, place, status);
    if (a.made == 0) log_message(log, ABUT_LOG_WARNING, "%s attaches no nodes", place);
    return ABUT_OK;
}
