#include "scene/separate.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Directions that are tried: 26 of a cube, and normals of triangles that meet, the first so many
 * that differ. Of a convex pair one of its normals, or of its pairs of edges, is the best one. */
enum { CUBE = 26, NORMALS = 38, DIRECTIONS = CUBE + NORMALS, ROUNDS = 200 };
static const double ALIKE = 0.999, PARALLEL = 1e-12;

typedef struct mover {
    const start_surface *surface;
    check_surface view; /* of the primitives of the body and of the others; pairs between them */
    ARRAY(start_triangle) triangles;
    ARRAY(start_edge) edges;
    ARRAY(int32_t) points;
    ARRAY(uint8_t) flags;
    ARRAY(int32_t) sides; /* per vertex: 0 the body, 1 the others; the two bodies of the view */
    vec3 *start;          /* all vertices before the move */
    vec3 *vertices;
    int32_t body;
    size_t places; /* pairs that met at the start */
} mover;

static void mover_free(mover *m)
{
    array_free(&m->triangles);
    array_free(&m->edges);
    array_free(&m->points);
    array_free(&m->flags);
    array_free(&m->sides);
    mem_free(m->start);
    mem_free(m->vertices);
}

/* Whether two bodies collide at all. */
static bool collide(const check_surface *all, int32_t a, int32_t b)
{
    bool obstacles = all->body_flags[a] & all->body_flags[b] & CHECK_BODY_OBSTACLE;
    bool group = all->body_group[a] >= 0 && all->body_group[a] == all->body_group[b];
    return a != b && !obstacles && !group && !check_excludes(all, a < b ? a : b, a < b ? b : a);
}

/* The body, and `other`, or all others (-1). */
static abut_status mover_make(const start_surface *s, int32_t body, int32_t other, mover *m,
                              abut_error *err)
{
    memset(m, 0, sizeof *m);
    m->surface = s;
    m->body = body;
    check_surface all = start_surface_view(s);
    size_t n = s->vertices.count, bodies = s->flags.count;
    m->start = mem_alloc(n + 1, sizeof *m->start);
    m->vertices = mem_alloc(n + 1, sizeof *m->vertices);
    uint8_t *part = mem_calloc(bodies + 1, sizeof *part);
    bool ok = m->start && m->vertices && part && array_resize(&m->sides, n) &&
              array_push(&m->flags, CHECK_BODY_RIGID) && array_push(&m->flags, CHECK_BODY_RIGID);
    for (size_t b = 0; ok && b < bodies; b++)
        part[b] = (int32_t)b == body ||
                  ((other < 0 || (int32_t)b == other) && collide(&all, body, (int32_t)b));
    for (size_t v = 0; ok && v < n; v++) m->sides.data[v] = s->body.data[v] == body ? 0 : 1;
    for (size_t i = 0; ok && i < s->triangles.count; i++)
        if (part[s->body.data[s->triangles.data[i][0]]]) {
            ok = array_resize(&m->triangles, m->triangles.count + 1);
            if (ok)
                memcpy(m->triangles.data[m->triangles.count - 1], s->triangles.data[i],
                       sizeof(start_triangle));
        }
    for (size_t i = 0; ok && i < s->edges.count; i++)
        if (part[s->body.data[s->edges.data[i][0]]]) {
            ok = array_resize(&m->edges, m->edges.count + 1);
            if (ok) memcpy(m->edges.data[m->edges.count - 1], s->edges.data[i], sizeof(start_edge));
        }
    for (size_t i = 0; ok && i < s->points.count; i++)
        if (part[s->body.data[s->points.data[i]]]) ok = array_push(&m->points, s->points.data[i]);
    mem_free(part);
    if (!ok) return error_memory(err, "separating bodies");
    memcpy(m->start, s->vertices.data, n * sizeof *m->start);
    memcpy(m->vertices, s->vertices.data, n * sizeof *m->vertices);
    m->view = (check_surface){.vertices = m->vertices,
                              .vertex_count = n,
                              .triangles = (const start_triangle *)m->triangles.data,
                              .triangle_count = m->triangles.count,
                              .edges = (const start_edge *)m->edges.data,
                              .edge_count = m->edges.count,
                              .points = m->points.data,
                              .point_count = m->points.count,
                              .body = m->sides.data,
                              .body_flags = m->flags.data};
    return ABUT_OK;
}

static void place(mover *m, vec3 d, double t)
{
    for (size_t v = 0; v < m->view.vertex_count; v++)
        m->vertices[v] = m->sides.data[v] ? m->start[v] : vec3_add(m->start[v], vec3_scale(t, d));
}

/* ---------------------------------------------------------------------------------------------- */
/* When two primitives part                                                                       */

/* Two primitives of one to three corners; b moves by t d. */
typedef struct corners {
    vec3 a[3], b[3];
    int a_count, b_count;
} corners;

/* Shortens *last, the end of the times at which no axis separates them. */
static void try_axis(const corners *c, vec3 axis, vec3 d, double *last)
{
    double length = vec3_norm(axis), rate = vec3_dot(axis, d);
    if (!(length > 0) || fabs(rate) <= PARALLEL * length) return;
    double alow = INFINITY, ahigh = -INFINITY, blow = INFINITY, bhigh = -INFINITY;
    for (int i = 0; i < c->a_count; i++) {
        alow = fmin(alow, vec3_dot(axis, c->a[i]));
        ahigh = fmax(ahigh, vec3_dot(axis, c->a[i]));
    }
    for (int i = 0; i < c->b_count; i++) {
        blow = fmin(blow, vec3_dot(axis, c->b[i]));
        bhigh = fmax(bhigh, vec3_dot(axis, c->b[i]));
    }
    *last = fmin(*last, rate > 0 ? (ahigh - blow) / rate : (bhigh - alow) / -rate);
}

/* Separating axes of convex primitives: normals, and products of edges. In a plane, and for
 * primitives in one plane, normals of edges in it as well. */
static double time_of_parting(const corners *c, vec3 d)
{
    double last = INFINITY;
    vec3 edge[6], normal[2] = {{0}};
    int edges = 0, of_a;
    for (int i = 0; i + 1 < c->a_count + (c->a_count == 3); i++)
        edge[edges++] = vec3_sub(c->a[(i + 1) % c->a_count], c->a[i]);
    of_a = edges;
    for (int i = 0; i + 1 < c->b_count + (c->b_count == 3); i++)
        edge[edges++] = vec3_sub(c->b[(i + 1) % c->b_count], c->b[i]);
    if (c->a_count == 3) normal[0] = vec3_cross(edge[0], edge[1]);
    if (c->b_count == 3) normal[1] = vec3_cross(edge[of_a], edge[of_a + 1]);
    for (int k = 0; k < 2; k++) {
        try_axis(c, normal[k], d, &last);
        for (int i = 0; i < edges; i++) try_axis(c, vec3_cross(normal[k], edge[i]), d, &last);
    }
    for (int i = 0; i < of_a; i++)
        for (int j = of_a; j < edges; j++) try_axis(c, vec3_cross(edge[i], edge[j]), d, &last);
    for (int i = 0; i < edges; i++) /* across an edge, in the plane of it and the move */
        try_axis(c,
                 vec3_sub(d, vec3_scale(vec3_dot(d, edge[i]) / fmax(vec3_norm2(edge[i]), 1e-300),
                                        edge[i])),
                 d, &last);
    try_axis(c, d, d, &last);
    return last;
}

/* How far the body has to go on from where it is until this pair is apart. */
static double rest_of_pair(const mover *m, const check_pair *pair, vec3 d)
{
    int32_t first[3], second[3];
    size_t second_count, first_count;
    corners c = {0};
    first_count = check_pair_vertices(&m->view, pair, first, second, &second_count);
    bool first_moves = m->sides.data[first[0]] == 0;
    const int32_t *still = first_moves ? second : first, *moved = first_moves ? first : second;
    c.a_count = (int)(first_moves ? second_count : first_count);
    c.b_count = (int)(first_moves ? first_count : second_count);
    for (int i = 0; i < c.a_count; i++) c.a[i] = m->vertices[still[i]];
    for (int i = 0; i < c.b_count; i++) c.b[i] = m->vertices[moved[i]];
    return time_of_parting(&c, d);
}

/* ---------------------------------------------------------------------------------------------- */
/* Inside                                                                                         */

/* How often the triangles of a body wind around a point. */
static double winding(const mover *m, int32_t body, vec3 at)
{
    double sum = 0;
    for (size_t i = 0; i < m->triangles.count; i++) {
        const int32_t *t = m->triangles.data[i];
        if (m->surface->body.data[t[0]] != body) continue;
        vec3 a = vec3_sub(m->vertices[t[0]], at), b = vec3_sub(m->vertices[t[1]], at);
        vec3 c = vec3_sub(m->vertices[t[2]], at);
        double x = vec3_norm(a), y = vec3_norm(b), z = vec3_norm(c);
        sum += 2 * atan2(vec3_dot(a, vec3_cross(b, c)),
                         x * y * z + vec3_dot(a, b) * z + vec3_dot(b, c) * x + vec3_dot(c, a) * y);
    }
    return sum / (4 * 3.14159265358979323846);
}

/* Whether the first point of the body lies in another, or that of another in it. */
static bool is_swallowed(const mover *m)
{
    static const double INSIDE = 0.5;
    int32_t before = -1, own = -1;
    for (size_t i = 0; i < m->points.count && own < 0; i++)
        if (m->sides.data[m->points.data[i]] == 0) own = m->points.data[i];
    for (size_t i = 0; own >= 0 && i < m->points.count; i++) {
        int32_t v = m->points.data[i], body = m->surface->body.data[v];
        if (body == m->body || body == before) continue;
        before = body;
        if (fabs(winding(m, m->body, m->vertices[v])) > INSIDE ||
            fabs(winding(m, body, m->vertices[own])) > INSIDE)
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------- */
/* A direction                                                                                    */

/* The range of t in which the body is above all half spaces by the gap. */
static void bound_by_planes(const scene_def *scene, const mover *m, vec3 d, double gap, double *low,
                            double *high)
{
    for (size_t h = 0; h < scene->half_space_count; h++) {
        const half_space_def *plane = &scene->half_spaces[h];
        double least = INFINITY, rate = vec3_dot(plane->normal, d);
        for (size_t i = 0; i < m->points.count; i++) {
            int32_t v = m->points.data[i];
            if (m->sides.data[v]) continue;
            least = fmin(least, vec3_dot(plane->normal, vec3_sub(m->start[v], plane->origin)));
        }
        double need = gap - least;
        if (fabs(rate) <= PARALLEL) {
            if (need > 0 && !(least > 0)) *high = -1;
        } else if (rate > 0)
            *low = fmax(*low, need / rate);
        else if (least > 0)
            *high = fmin(*high, fmax(need, 0) > 0 ? 0 : need / rate);
        else
            *high = -1;
    }
}

/* The least t from *t on at which the body, moved by t d, meets nothing and has the gap; INFINITY
 * beyond `most`. *depth: without the gap. */
static abut_status leave_along(mover *m, vec3 d, double gap, double most, double *t, double *depth,
                               abut_error *err)
{
    double touching = *t;
    for (int round = 0; round < ROUNDS && *t < most; round++) {
        check_pair *pairs;
        size_t count;
        place(m, d, *t);
        TRY(check_intersections(&m->view, &pairs, &count, err));
        double on = 0;
        for (size_t i = 0; i < count; i++) on = fmax(on, rest_of_pair(m, &pairs[i], d));
        mem_free(pairs);
        if (count > 0) {
            touching = *t + on;
            *t = touching + 1e-9 * (gap + touching); /* beyond rounding */
            continue;
        }
        check_gap found;
        TRY(check_min_distance(&m->view, gap, &found, err));
        *depth = touching;
        if (!(found.distance < gap * (1 - 1e-6))) return ABUT_OK;
        *t += fmax(gap - found.distance, 1e-3 * gap);
    }
    *t = INFINITY;
    return ABUT_OK;
}

static int list_directions(const mover *m, const check_pair *pairs, size_t count, bool planar,
                           vec3 out[DIRECTIONS])
{
    int n = 0;
    for (int i = 0; i < 27; i++) {
        vec3 d = {i % 3 - 1, i / 3 % 3 - 1, planar ? 0 : i / 9 - 1};
        if ((planar && i / 9 != 1) || vec3_norm2(d) == 0) continue;
        out[n++] = vec3_scale(1 / vec3_norm(d), d);
    }
    for (size_t i = 0; i < count && n + 1 < DIRECTIONS && !planar; i++) {
        if (pairs[i].kind != CHECK_EDGE_TRIANGLE) continue;
        const int32_t *t = m->triangles.data[pairs[i].second];
        vec3 normal = vec3_cross(vec3_sub(m->start[t[1]], m->start[t[0]]),
                                 vec3_sub(m->start[t[2]], m->start[t[0]]));
        double length = vec3_norm(normal);
        bool known = !(length > 0);
        for (int k = 0; k < n && !known; k++)
            known = fabs(vec3_dot(out[k], normal)) > ALIKE * length;
        if (known) continue;
        out[n++] = vec3_scale(1 / length, normal);
        out[n++] = vec3_scale(-1 / length, normal);
    }
    return n;
}

/* The shortest of all directions; gap and half spaces as above. */
static abut_status shortest_move(const scene_def *scene, mover *m, double gap, bool planes,
                                 separation *out, abut_error *err)
{
    check_pair *pairs;
    TRY(check_intersections(&m->view, &pairs, &m->places, err));
    vec3 directions[DIRECTIONS];
    int n = list_directions(m, pairs, m->places, scene->planar, directions);
    mem_free(pairs);
    double best = INFINITY;
    abut_status status = ABUT_OK;
    out->found = false;
    for (int k = 0; k < n && status == ABUT_OK; k++) {
        double t = 0, high = best, depth = 0;
        if (planes) bound_by_planes(scene, m, directions[k], gap, &t, &high);
        status = leave_along(m, directions[k], gap, fmin(high, best), &t, &depth, err);
        if (!(t < best) || t > high || is_swallowed(m)) continue;
        best = t;
        out->found = true;
        out->move = vec3_scale(t, directions[k]);
        out->depth = depth;
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------- */
/* Pairs of bodies                                                                                */

static double diagonal(const start_surface *s, int32_t body)
{
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t v = 0; v < s->vertices.count; v++)
        if (s->body.data[v] == body) {
            low = vec3_min(low, s->vertices.data[v]);
            high = vec3_max(high, s->vertices.data[v]);
        }
    return vec3_norm(vec3_sub(high, low));
}

/* Conditions and motions stay where they are, so that their bodies are moved last. */
static int32_t choose_moved(const scene_def *scene, const start_surface *s, int32_t a, int32_t b)
{
    const body_def *first = &scene->bodies[a], *second = &scene->bodies[b];
    if (body_rows[first->type]->obstacle) return b;
    if (body_rows[second->type]->obstacle) return a;
    bool kept_a = first->dirichlet.fix_count > 0, kept_b = second->dirichlet.fix_count > 0;
    if (kept_a != kept_b) return kept_a ? b : a;
    return diagonal(s, b) <= diagonal(s, a) ? b : a;
}

/* The bodies of all pairs that meet, each pair once, and where how often. */
static abut_status list_pairs(const start_surface *s, separation_list *out, abut_error *err)
{
    check_surface view = start_surface_view(s);
    check_pair *pairs;
    size_t count;
    TRY(check_intersections(&view, &pairs, &count, err));
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        int32_t first[3], second[3];
        size_t n, k = 0;
        check_pair_vertices(&view, &pairs[i], first, second, &n);
        int32_t a = s->body.data[first[0]], b = s->body.data[second[0]];
        int32_t low = a < b ? a : b, high = a < b ? b : a;
        while (k < out->count && (out->data[k].first != low || out->data[k].second != high)) k++;
        if (k == out->count) ok = array_push(out, ((separation){.first = low, .second = high}));
        if (ok) out->data[k].places++;
    }
    mem_free(pairs);
    return ok ? ABUT_OK : error_memory(err, "separating bodies");
}

static abut_status move_out(const scene_def *scene, const start_surface *s, int32_t body,
                            int32_t other, double gap, separation *out, abut_error *err)
{
    mover m;
    abut_status status = mover_make(s, body, other, &m, err);
    if (status == ABUT_OK) status = shortest_move(scene, &m, gap, other < 0, out, err);
    out->moved = body;
    mover_free(&m);
    return status;
}

abut_status find_separations(const scene_def *scene, start_surface *s, double gap,
                             separation_list *out, abut_error *err)
{
    TRY(list_pairs(s, out, err));
    for (size_t i = 0; i < out->count; i++) {
        separation *p = &out->data[i];
        p->moved = -1;
        if (p->first == p->second) continue;
        int32_t body = choose_moved(scene, s, p->first, p->second);
        TRY(move_out(scene, s, body, body == p->first ? p->second : p->first, gap, p, err));
    }
    return ABUT_OK;
}

/* A body that is behind a half space, or -1. */
static int32_t find_behind(const scene_def *scene, const start_surface *s)
{
    for (size_t i = 0; i < s->points.count; i++) {
        int32_t v = s->points.data[i], body = s->body.data[v];
        if (body_rows[scene->bodies[body].type]->obstacle) continue;
        for (size_t h = 0; h < scene->half_space_count; h++)
            if (vec3_dot(scene->half_spaces[h].normal,
                         vec3_sub(s->vertices.data[v], scene->half_spaces[h].origin)) <= 0)
                return body;
    }
    return -1;
}

/* Moves one of the two out of everything; false when neither can. */
static abut_status free_one(const scene_def *scene, start_surface *s, int32_t a, int32_t b,
                            double gap, vec3 *moves, bool *done, abut_error *err)
{
    *done = false;
    int32_t order[2] = {a == b ? a : choose_moved(scene, s, a, b), -1};
    if (a != b) order[1] = order[0] == a ? b : a;
    for (int k = 0; k < 2 && !*done; k++) {
        separation move;
        if (order[k] < 0 || body_rows[scene->bodies[order[k]].type]->obstacle) continue;
        TRY(move_out(scene, s, order[k], -1, gap, &move, err));
        if (!move.found) continue;
        moves[order[k]] = vec3_add(moves[order[k]], move.move);
        for (size_t v = 0; v < s->vertices.count; v++)
            if (s->body.data[v] == order[k])
                s->vertices.data[v] = vec3_add(s->vertices.data[v], move.move);
        *done = true;
    }
    return ABUT_OK;
}

abut_status free_start(const scene_def *scene, start_surface *s, double gap, vec3 *moves,
                       bool *free, abut_error *err)
{
    memset(moves, 0, scene->body_count * sizeof *moves);
    *free = true;
    /* Every move frees a body of all others, so that there are no more rounds than bodies. */
    for (size_t round = 0; *free && round <= scene->body_count; round++) {
        separation_list pairs = {0};
        abut_status status = list_pairs(s, &pairs, err);
        int32_t a = pairs.count > 0 ? pairs.data[0].first : find_behind(scene, s);
        int32_t b = pairs.count > 0 ? pairs.data[0].second : a;
        bool itself = pairs.count > 0 && a == b;
        array_free(&pairs);
        TRY(status);
        if (a < 0) return ABUT_OK;
        *free = !itself;
        if (*free) TRY(free_one(scene, s, a, b, gap, moves, free, err));
    }
    *free = false;
    return ABUT_OK;
}
