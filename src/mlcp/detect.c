#include "ccd/tight_inclusion.h"
#include "mlcp/solver.h"

#include "base/parallel.h"
#include "geometry/tangent.h"

#include <math.h>
#include <string.h>

/* The way of a step may turn out longer than the one that candidates were found for. */
static const double WAY_MARGIN = 3;
static const double LARGEST_TURN = 0.96592583; /* cos 15 degrees */

static void pair_vertices(const mlcp_solver *s, ccd_kind kind, index_pair pair, int32_t v[4])
{
    const int32_t *triangles = s->model->surface.triangles.data;
    const int32_t *edges = s->model->surface.edges.data;
    if (kind == CCD_POINT_TRIANGLE) {
        v[0] = pair.first;
        memcpy(v + 1, triangles + 3 * (size_t)pair.second, 3 * sizeof *v);
    } else {
        memcpy(v, edges + 2 * (size_t)pair.first, 2 * sizeof *v);
        memcpy(v + 2, edges + 2 * (size_t)pair.second, 2 * sizeof *v);
    }
}

void mlcp_update_end(mlcp_solver *s)
{
    const problem *p = s->problem;
    for (size_t k = 0; k < (size_t)p->free_count; k++) {
        size_t block = (size_t)p->free_block[k];
        for (size_t c = 0; c < 3; c++) {
            size_t at = 3 * block + c;
            if (!(p->any_mask && p->mask[3 * k + c]))
                s->x_end[at] = s->x_start[at] + s->u[3 * k + c];
        }
    }
    collision_surface_positions(&s->model->surface, s->x_end, s->end);
}

abut_status mlcp_find_candidates(mlcp_solver *s, abut_error *err)
{
    size_t n = s->model->surface.rows.count;
    vec3 *far = s->contact->p; /* scratch of the term, which is not in use here */
    for (size_t i = 0; i < n; i++)
        far[i] = vec3_mul_add(s->start[i], WAY_MARGIN, vec3_sub(s->end[i], s->start[i]));
    broad_query query = {
        .y = s->start, .end = far, .inflation = 8 * s->options.tolerance, .tight = true};
    return broad_candidates(s->contact->broad, &query, &s->candidates, err);
}

/* ---------------------------------------------------------------------------------------------- */
/* Geometry                                                                                       */

/* Two unit vectors orthogonal to the normal; the first near `like` where that is possible. */
static void set_tangents(mlcp_contact *c, vec3 like)
{
    vec3 t = vec3_mul_add(like, -vec3_dot(like, c->normal), c->normal);
    if (vec3_norm2(t) < 1e-6) {
        vec3 axis = fabs(c->normal.x) < 0.6 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
        t = vec3_mul_add(axis, -vec3_dot(axis, c->normal), c->normal);
    }
    c->tangent[0] = vec3_normalize(t);
    c->tangent[1] = vec3_cross(c->normal, c->tangent[0]);
}

/* Tangential quantities are kept as vectors over a change of the frame. */
static void turn_frame(mlcp_contact *c, vec3 normal)
{
    double *lists[] = {c->gamma, c->force, c->direction};
    vec3 as_vector[3];
    for (int k = 0; k < 3; k++)
        as_vector[k] = vec3_add(vec3_scale(lists[k][0], c->tangent[0]),
                                vec3_scale(lists[k][1], c->tangent[1]));
    vec3 like = c->tangent[0];
    c->normal = normal;
    set_tangents(c, like);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++) lists[k][i] = vec3_dot(as_vector[k], c->tangent[i]);
    double length = hypot(c->direction[0], c->direction[1]);
    for (int i = 0; i < 2; i++) c->direction[i] = length > 0 ? c->direction[i] / length : 0;
    c->has_direction = c->has_direction && length > 0;
}

/* Closest points of a pair at given positions: signed weights, and the distance along `side`
 * (negative behind it). The normal is `side` where the pair touches. */
static double geometry_at(ccd_kind kind, const vec3 *x, vec3 side, double weight[4], vec3 *normal)
{
    if (kind == CCD_POINT_TRIANGLE)
        point_triangle_closest(x[0], x[1], x[2], x[3], NULL, weight);
    else
        edge_edge_closest(x[0], x[1], x[2], x[3], NULL, weight);
    vec3 apart = {0};
    for (int k = 0; k < 4; k++) apart = vec3_mul_add(apart, weight[k], x[k]);
    double distance = vec3_norm(apart), size = 0;
    for (int k = 0; k < 4; k++) size = fmax(size, vec3_norm(x[k]));
    if (!(distance > 1e-14 * size)) {
        *normal = side;
        return 0;
    }
    *normal = vec3_scale(1 / distance, apart);
    if (vec3_dot(*normal, side) >= 0) return distance;
    *normal = vec3_scale(-1, *normal);
    return -distance;
}

static void set_unknowns(const mlcp_solver *s, mlcp_contact *c)
{
    for (int k = 0; k < c->count; k++)
        c->unknown[k] = s->problem->free_index[s->model->surface.rows.data[c->vertex[k]].block];
}

static bool can_respond(const mlcp_contact *c)
{
    for (int k = 0; k < c->count; k++)
        if (c->unknown[k] >= 0 && c->weight[k] != 0) return true;
    return false;
}

static double coefficient(const mlcp_solver *s, const mlcp_contact *c)
{
    const int32_t *body = s->model->surface.vertex_body.data;
    if (c->kind == CCD_POINT_POINT)
        return friction_on_plane(s->friction, body[c->vertex[0]], c->second);
    int second = c->kind == CCD_EDGE_EDGE ? 2 : 1;
    return friction_between(s->friction, body[c->vertex[0]], body[c->vertex[second]]);
}

/* ---------------------------------------------------------------------------------------------- */
/* Contacts of the step before                                                                    */

abut_status mlcp_begin_contacts(mlcp_solver *s, abut_error *err)
{
    size_t kept = 0;
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact c = s->contacts.data[k];
        if (c.state == MLCP_OFF) continue;
        c.fresh = false;
        set_unknowns(s, &c);
        if (c.kind != CCD_POINT_POINT) {
            vec3 normal;
            for (int i = 0; i < 4; i++) c.used[i] = s->start[c.vertex[i]];
            double distance = geometry_at(c.kind, c.used, c.normal, c.weight, &normal);
            /* Far apart, or through each other after a step that was cut short. */
            if (distance > 4 * s->options.tolerance || distance <= 0) continue;
            turn_frame(&c, normal);
        }
        if (!can_respond(&c)) continue;
        c.turn = 0.01;
        c.last_turn = 0;
        mlcp_set_constants(s, &c);
        s->contacts.data[kept++] = c;
    }
    s->contacts.count = kept;
    return mlcp_prepare_rows(s, err);
}

/* ---------------------------------------------------------------------------------------------- */
/* New contacts                                                                                   */

/* The same vertices with the same weights: one pair reduces to the features of another. */
static bool same_row(const mlcp_contact *a, const mlcp_contact *b)
{
    for (int i = 0; i < a->count; i++) {
        double other = 0;
        for (int j = 0; j < b->count; j++)
            if (b->vertex[j] == a->vertex[i]) other = b->weight[j];
        if (fabs(fabs(a->weight[i]) - fabs(other)) > 1e-6) return false;
    }
    return fabs(vec3_dot(a->normal, b->normal)) > 1 - 1e-9;
}

/* The contact of the same pair, or one that has the same row; NULL when there is none. */
static mlcp_contact *find_known(const mlcp_solver *s, const mlcp_contact *c)
{
    for (int i = 0; i < c->count; i++) {
        int32_t v = c->vertex[i];
        for (int32_t at = s->by_vertex_start.data[v]; at < s->by_vertex_start.data[v + 1]; at++) {
            mlcp_contact *other = &s->contacts.data[s->by_vertex.data[at]];
            if (other->kind == c->kind && other->first == c->first && other->second == c->second)
                return other;
            if (other->kind != CCD_POINT_POINT && c->kind != CCD_POINT_POINT && same_row(c, other))
                return other;
        }
    }
    return NULL;
}

/* A pair that meets although it has a contact: its row is out of date, and gets the geometry of
 * the impact. */
static bool refresh(mlcp_solver *s, mlcp_contact *old, const mlcp_contact *met)
{
    if (old->kind == CCD_POINT_POINT || same_row(old, met)) return false;
    if (old->kind != met->kind || old->first != met->first || old->second != met->second)
        return false;
    for (int k = 0; k < 4; k++) {
        old->used[k] = met->used[k];
        old->weight[k] = met->weight[k];
    }
    turn_frame(old, met->normal);
    mlcp_set_constants(s, old);
    return true;
}

static abut_status add_contact(mlcp_solver *s, mlcp_contact c, bool *added, abut_error *err)
{
    set_unknowns(s, &c);
    if (!can_respond(&c)) return ABUT_OK;
    mlcp_contact *old = find_known(s, &c);
    if (old) {
        if (refresh(s, old, &c)) *added = true;
        return ABUT_OK;
    }
    c.mu = coefficient(s, &c);
    c.state = MLCP_SLIDES;
    c.turn = 0.01;
    c.fresh = true;
    mlcp_set_constants(s, &c);
    if (!array_push(&s->contacts, c)) return error_memory(err, "adding contacts");
    *added = true;
    return ABUT_OK;
}

typedef struct impact_work {
    const mlcp_solver *s;
    ccd_kind kind;
    const index_pair *pairs;
    double separation;
    double *toi;
} impact_work;

static void impacts(void *context, size_t begin, size_t end)
{
    const impact_work *w = context;
    ccd_options options = ccd_default_options();
    options.separation = w->separation;
    options.norm = CCD_NORM_EUCLIDEAN;
    options.tolerance = 0.25 * w->separation;
    for (size_t i = begin; i < end; i++) {
        int32_t v[4];
        vec3 a[4], b[4];
        pair_vertices(w->s, w->kind, w->pairs[i], v);
        for (int k = 0; k < 4; k++) {
            a[k] = w->s->start[v[k]];
            b[k] = w->s->end[v[k]];
        }
        ccd_result result = tight_inclusion(w->kind, a, b, &options);
        w->toi[i] = result.hit ? result.toi : INFINITY;
    }
}

static abut_status detect_pairs(mlcp_solver *s, ccd_kind kind, const pair_list *pairs, bool *added,
                                abut_error *err)
{
    typedef ARRAY(double) double_list;
    double_list toi = {0};
    if (!array_resize(&toi, pairs->count + 1)) return error_memory(err, "detecting contacts");
    impact_work work = {s, kind, pairs->data, 0.25 * s->options.tolerance, toi.data};
    parallel_for(pairs->count, 64, impacts, &work);
    abut_status status = ABUT_OK;
    for (size_t i = 0; status == ABUT_OK && i < pairs->count; i++) {
        if (!(toi.data[i] <= 1)) continue;
        mlcp_contact c = {.kind = kind,
                          .first = pairs->data[i].first,
                          .second = pairs->data[i].second,
                          .count = 4};
        vec3 start[4], normal, at_start;
        double ignored[4];
        pair_vertices(s, kind, pairs->data[i], c.vertex);
        for (int k = 0; k < 4; k++) {
            start[k] = s->start[c.vertex[k]];
            vec3 way = vec3_sub(s->end[c.vertex[k]], start[k]);
            c.used[k] = vec3_mul_add(start[k], toi.data[i], way);
        }
        /* The side is that of the impact, and where that is not clear, of the start. */
        geometry_at(kind, start, (vec3){0, 1, 0}, ignored, &at_start);
        double far = geometry_at(kind, start, at_start, ignored, &at_start);
        if (far < 0) at_start = vec3_scale(-1, at_start);
        double distance = geometry_at(kind, c.used, at_start, c.weight, &normal);
        c.normal = distance < 0 ? vec3_scale(-1, normal) : normal;
        set_tangents(&c, (vec3){1, 0, 0});
        status = add_contact(s, c, added, err);
    }
    array_free(&toi);
    return status;
}

static abut_status detect_planes(mlcp_solver *s, bool *added, abut_error *err)
{
    double limit = 0.25 * s->options.tolerance;
    for (size_t p = 0; p < s->contact->planes.count; p++) {
        const half_space *plane = &s->contact->planes.data[p];
        for (size_t i = 0; i < s->model->surface.rows.count; i++) {
            if (half_space_distance(s->end[i], plane->origin, plane->normal) > limit) continue;
            mlcp_contact c = {.kind = CCD_POINT_POINT,
                              .first = (int32_t)i,
                              .second = (int32_t)p,
                              .count = 1,
                              .vertex = {(int32_t)i},
                              .weight = {1},
                              .normal = plane->normal};
            set_tangents(&c, (vec3){1, 0, 0});
            TRY(add_contact(s, c, added, err));
        }
    }
    return ABUT_OK;
}

/* The way has left the boxes that candidates were found for. */
static bool left_boxes(const mlcp_solver *s)
{
    const vec3 *far = s->contact->p;
    for (size_t i = 0; i < s->model->surface.rows.count; i++) {
        vec3 low = vec3_min(s->start[i], far[i]), high = vec3_max(s->start[i], far[i]);
        vec3 x = s->end[i];
        double room = 3 * s->options.tolerance;
        if (x.x < low.x - room || x.y < low.y - room || x.z < low.z - room || x.x > high.x + room ||
            x.y > high.y + room || x.z > high.z + room)
            return true;
    }
    return false;
}

abut_status mlcp_detect(mlcp_solver *s, bool *added, abut_error *err)
{
    *added = false;
    mlcp_update_end(s);
    if (left_boxes(s)) TRY(mlcp_find_candidates(s, err));
    TRY(detect_pairs(s, CCD_POINT_TRIANGLE, &s->candidates.vt, added, err));
    TRY(detect_pairs(s, CCD_EDGE_EDGE, &s->candidates.ee, added, err));
    return detect_planes(s, added, err);
}

double mlcp_free_part(const mlcp_solver *s)
{
    double part = 1;
    for (int list = 0; list < 2; list++) {
        const pair_list *pairs = list ? &s->candidates.ee : &s->candidates.vt;
        ccd_kind kind = list ? CCD_EDGE_EDGE : CCD_POINT_TRIANGLE;
        step_options options = step_default_options();
        options.keep = 0.1;
        for (size_t i = 0; i < pairs->count; i++) {
            int32_t v[4];
            vec3 a[4], b[4];
            pair_vertices(s, kind, pairs->data[i], v);
            for (int k = 0; k < 4; k++) {
                a[k] = s->start[v[k]];
                b[k] = s->end[v[k]];
            }
            options.t_max = part;
            options.cap = 0.1 * s->options.tolerance;
            part = fmin(part, ccd_pair_step(kind, a, b, &options).step);
        }
    }
    for (size_t p = 0; p < s->contact->planes.count; p++) {
        const half_space *plane = &s->contact->planes.data[p];
        for (size_t i = 0; i < s->model->surface.rows.count; i++) {
            double d0 = half_space_distance(s->start[i], plane->origin, plane->normal);
            double d1 = half_space_distance(s->end[i], plane->origin, plane->normal);
            double keep = fmin(0.1 * d0, 0.1 * s->options.tolerance);
            if (d0 > 0 && d1 < keep && d0 > d1) part = fmin(part, (d0 - keep) / (d0 - d1));
        }
    }
    return fmax(0, part);
}

/* ---------------------------------------------------------------------------------------------- */
/* Non-linear contact                                                                             */

/* Takes the geometry from positions between the ones used and the new ones, as far towards the new
 * ones as the normal may turn. False when the normal cannot be followed at all. */
static bool blend(mlcp_contact *c, const vec3 *target)
{
    for (double part = 1; part > 1e-3; part *= 0.5) {
        vec3 x[4], normal;
        double weight[4];
        for (int k = 0; k < 4; k++)
            x[k] = vec3_add(vec3_scale(1 - part, c->used[k]), vec3_scale(part, target[k]));
        double distance = geometry_at(c->kind, x, c->normal, weight, &normal);
        if (distance == 0 && part == 1) continue; /* no direction of its own there */
        if (vec3_dot(normal, c->normal) < LARGEST_TURN) continue;
        for (int k = 0; k < 4; k++) {
            c->used[k] = x[k];
            c->weight[k] = weight[k];
        }
        turn_frame(c, normal);
        return true;
    }
    return false;
}

abut_status mlcp_linearise(mlcp_solver *s, int pass, bool *changed, abut_error *err)
{
    /* Contacts between two features may change between them for ever: less is asked of them then.
     */
    double most = s->options.tolerance * (1 + 0.2 * pass);
    *changed = false;
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact *c = &s->contacts.data[k];
        if (c->state == MLCP_OFF || c->kind == CCD_POINT_POINT) continue;
        vec3 x[4], normal;
        double weight[4];
        for (int i = 0; i < 4; i++) x[i] = s->end[c->vertex[i]];
        double distance = geometry_at(c->kind, x, c->normal, weight, &normal);
        if (distance > 0 && distance < most) continue;
        if (!blend(c, x)) continue;
        mlcp_set_constants(s, c);
        *changed = true;
    }
    return *changed ? mlcp_prepare_rows(s, err) : ABUT_OK;
}
