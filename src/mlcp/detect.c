#include "ccd/tight_inclusion.h"
#include "mlcp/solver.h"

#include "base/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The path of a step may be longer than the one that candidates were found for. */
static const double PATH_MARGIN = 3;

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
    vec3 *far = s->contact->search->p; /* scratch of the term, which is not in use here */
    for (size_t i = 0; i < n; i++)
        far[i] = vec3_mul_add(s->start[i], PATH_MARGIN, vec3_sub(s->end[i], s->start[i]));
    broad_query query = {
        .y = s->start, .end = far, .inflation = 8 * s->options.tolerance, .tight = true};
    stage before = timer_switch(s->problem->timer, STAGE_BROAD_PHASE);
    abut_status status = broad_candidates(s->contact->broad, &query, &s->found.candidates, err);
    timer_switch(s->problem->timer, before);
    return status;
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

/* A step that failed may leave anything behind. */
static bool finite_multipliers(const mlcp_contact *c)
{
    double sum = c->lambda;
    for (int i = 0; i < 2; i++)
        sum += c->gamma[i] + c->slide.force[i] + c->slide.direction[i] + c->slide.history[i];
    return isfinite(sum);
}

abut_status mlcp_begin_contacts(mlcp_solver *s, abut_error *err)
{
    size_t kept = 0;
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact c = s->contacts.data[k];
        if (c.state == MLCP_OFF || !finite_multipliers(&c)) continue;
        c.fresh = false;
        set_unknowns(s, &c);
        if (c.kind != CCD_POINT_POINT) {
            vec3 normal;
            for (int i = 0; i < 4; i++) c.used[i] = s->start[c.vertex[i]];
            double distance = mlcp_geometry_at(c.kind, c.used, c.normal, c.weight, &normal);
            /* Far apart, or through each other after a step that was cut short. */
            if (distance > 4 * s->options.tolerance || distance <= 0) continue;
            mlcp_turn_frame(&c, normal);
        }
        if (!can_respond(&c)) continue;
        c.slide.turn = 0.01;
        c.slide.last_turn = 0;
        c.flips = c.refreshed = 0;
        mlcp_set_reference(&c);
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
        for (int32_t at = s->index.start.data[v]; at < s->index.start.data[v + 1]; at++) {
            mlcp_contact *other = &s->contacts.data[s->index.contacts.data[at]];
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
    if (old->kind == CCD_POINT_POINT || (!old->left && same_row(old, met))) return false;
    if (old->kind != met->kind || old->first != met->first || old->second != met->second)
        return false;
    for (int k = 0; k < 4; k++) {
        old->used[k] = met->used[k];
        old->weight[k] = met->weight[k];
    }
    mlcp_turn_frame(old, met->normal);
    mlcp_set_constants(s, old);
    old->refreshed += old->left ? 2 : 1; /* it has left, and yet it meets on the path */
    old->left = false;
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
    c.slide.turn = 0.01;
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

/* Impacts of the candidates of one kind, behind those that are there. */
static abut_status collect_impacts(mlcp_solver *s, ccd_kind kind, const pair_list *pairs,
                                   abut_error *err)
{
    if (!array_resize(&s->found.toi, pairs->count + 1))
        return error_memory(err, "detecting contacts");
    impact_work work = {s, kind, pairs->data, 0.25 * s->options.tolerance, s->found.toi.data};
    parallel_for(pairs->count, 64, impacts, &work);
    for (size_t i = 0; i < pairs->count; i++) {
        mlcp_impact impact = {s->found.toi.data[i], kind, pairs->data[i]};
        if (!(impact.toi <= 1)) continue;
        if (!array_push(&s->found.impacts, impact)) return error_memory(err, "detecting contacts");
    }
    return ABUT_OK;
}

static int earlier(const void *a, const void *b)
{
    const mlcp_impact *p = a, *q = b;
    if (p->toi != q->toi) return p->toi < q->toi ? -1 : 1;
    if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
    if (p->pair.first != q->pair.first) return p->pair.first < q->pair.first ? -1 : 1;
    return p->pair.second < q->pair.second ? -1 : p->pair.second > q->pair.second;
}

static bool fill_impact(mlcp_solver *s, const mlcp_impact *impact, mlcp_contact *c)
{
    *c = (mlcp_contact){.kind = impact->kind,
                        .first = impact->pair.first,
                        .second = impact->pair.second,
                        .count = 4};
    vec3 start[4], end[4];
    pair_vertices(s, c->kind, impact->pair, c->vertex);
    for (int k = 0; k < 4; k++) {
        start[k] = s->start[c->vertex[k]];
        end[k] = s->end[c->vertex[k]];
    }
    mlcp_impact_geometry(c, start, end, impact->toi, s->options.tolerance);
    set_unknowns(s, c);
    return can_respond(c);
}

/* Whether an impact came before this one between some of the same vertices. What follows a first
 * impact on a path that goes on into the other body means nothing: the faces through which the path
 * leaves have the opposite normals. The next pass finds what is still true. */
static bool too_late(mlcp_solver *s, const mlcp_contact *c, bool *memory)
{
    int sides = c->kind == CCD_EDGE_EDGE ? 2 : 1;
    bool late = false;
    for (int i = 0; i < sides; i++)
        for (int j = sides; j < 4; j++)
            if (vertex_pairs_contain(&s->found.met, c->vertex[i], c->vertex[j])) late = true;
    for (int i = 0; i < sides && !late; i++)
        for (int j = sides; j < 4; j++)
            if (!vertex_pairs_add(&s->found.met, c->vertex[i], c->vertex[j])) *memory = false;
    return late;
}

static abut_status detect_pairs(mlcp_solver *s, bool *added, abut_error *err)
{
    array_clear(&s->found.impacts);
    TRY(collect_impacts(s, CCD_POINT_TRIANGLE, &s->found.candidates.vt, err));
    TRY(collect_impacts(s, CCD_EDGE_EDGE, &s->found.candidates.ee, err));
    if (s->found.impacts.count > 1)
        qsort(s->found.impacts.data, s->found.impacts.count, sizeof *s->found.impacts.data,
              earlier);
    vertex_pairs_clear(&s->found.met);
    for (size_t i = 0; i < s->found.impacts.count; i++) {
        mlcp_contact c;
        bool memory = true;
        if (!fill_impact(s, &s->found.impacts.data[i], &c) || too_late(s, &c, &memory)) continue;
        if (!memory) return error_memory(err, "detecting contacts");
        TRY(add_contact(s, c, added, err));
    }
    return ABUT_OK;
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
            mlcp_set_tangents(&c, (vec3){1, 0, 0});
            TRY(add_contact(s, c, added, err));
        }
    }
    return ABUT_OK;
}

/* The path has left the boxes that candidates were found for. */
static bool left_boxes(const mlcp_solver *s)
{
    const vec3 *far = s->contact->search->p;
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
    stage before = timer_switch(s->problem->timer, STAGE_CCD);
    abut_status status = detect_pairs(s, added, err);
    if (status == ABUT_OK) status = detect_planes(s, added, err);
    timer_switch(s->problem->timer, before);
    return status;
}

abut_status mlcp_free_part(mlcp_solver *s, double *out, abut_error *err)
{
    /* A step that was broken off may have left what the candidates were found for. */
    if (left_boxes(s)) TRY(mlcp_find_candidates(s, err));
    stage before = timer_switch(s->problem->timer, STAGE_CCD);
    double part = 1;
    for (int list = 0; list < 2; list++) {
        const pair_list *pairs = list ? &s->found.candidates.ee : &s->found.candidates.vt;
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
    timer_switch(s->problem->timer, before);
    *out = fmax(0, part);
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Non-linear contact                                                                             */

abut_status mlcp_linearise(mlcp_solver *s, bool *changed, abut_error *err)
{
    *changed = false;
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact *c = &s->contacts.data[k];
        if (c->state == MLCP_OFF || c->kind == CCD_POINT_POINT) continue;
        vec3 x[4], normal;
        double weight[4];
        for (int i = 0; i < 4; i++) x[i] = s->end[c->vertex[i]];
        double distance = mlcp_geometry_at(c->kind, x, c->normal, weight, &normal);
        /* A row that detection has put back to the impact stays there: the pair meets on the path
         * although it is past each other in the end. */
        if (distance > 0 && (distance < s->options.tolerance || c->refreshed > 1)) continue;
        if (mlcp_blend_geometry(c, x))
            mlcp_set_constants(s, c);
        else if (distance > 0)
            mlcp_leave(c);
        else
            continue;
        *changed = true;
    }
    return *changed ? mlcp_prepare_rows(s, err) : ABUT_OK;
}
