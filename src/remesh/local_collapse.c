/* Edge collapse: where the merged vertex may lie, the link condition, and the merging itself. */
#include "remesh/local_internal.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Facets are in one plane, edges on one line, when their normals agree to this. */
static const double PARALLEL = 1 - 1e-10;

/* --- the surface at a vertex ---------------------------------------------------------------- */

/* A facet of boundary or interface at a vertex: what must agree for it to be merged with others. */
typedef struct outer_facet {
    vec3 normal;
    int32_t tag;
    flag_set flags;
    int32_t vertex[3];
} outer_facet;

static outer_facet read_facet(const local_mesh *m, const local_cell *c, int corner)
{
    outer_facet f = {.tag = c->facet[corner], .flags = local_common_flags(m, c, corner)};
    vec3 p[3];
    int n = 0;
    for (int k = 0; k <= m->dimension; k++)
        if (k != corner) {
            f.vertex[n] = c->vertex[k];
            p[n++] = m->vertices.data[c->vertex[k]].rest;
        }
    vec3 along = vec3_sub(p[1], p[0]);
    f.normal = m->dimension == 2 ? vec3_make(-along.y, along.x, 0)
                                 : vec3_cross(along, vec3_sub(p[2], p[0]));
    f.normal = vec3_normalize(f.normal);
    return f;
}

static bool facets_merge(const outer_facet *a, const outer_facet *b)
{
    return a->tag == b->tag && a->flags == b->flags &&
           fabs(vec3_dot(a->normal, b->normal)) > PARALLEL;
}

static bool facet_has(const outer_facet *f, int count, int32_t vertex)
{
    for (int k = 0; k < count; k++)
        if (f->vertex[k] == vertex) return true;
    return false;
}

/* Facets of one of the two kinds at a vertex, and edges between them. */
typedef struct surface_scan {
    outer_facet kind[2];
    int kinds;
    bool many; /* more than two kinds */
} surface_scan;

static int kind_of(surface_scan *s, const outer_facet *f)
{
    for (int k = 0; k < s->kinds; k++)
        if (facets_merge(&s->kind[k], f)) return k;
    if (s->kinds == 2) {
        s->many = true;
        return 0;
    }
    s->kind[s->kinds] = *f;
    return s->kinds++;
}

/* Which kinds of facets the edge vertex-other belongs to, as bits. */
static int kinds_at_edge(const local_mesh *m, surface_scan *s, int32_t vertex, int32_t other)
{
    int bits = 0;
    for (int32_t r = m->vertices.data[vertex].first; r >= 0; r = local_next(m, r)) {
        const local_cell *c = &m->cells.data[r / 4];
        for (int k = 0; k <= m->dimension; k++) {
            if (k == r % 4 || c->facet[k] == LOCAL_INTERIOR) continue;
            outer_facet f = read_facet(m, c, k);
            if (facet_has(&f, m->dimension, other)) bits |= 1 << kind_of(s, &f);
        }
    }
    return bits;
}

/* A straight crease: all edges between the two kinds of facets at the vertex are the one to
 * `toward` and one that continues it. */
static bool on_straight_crease(const local_mesh *m, surface_scan *s, int32_t vertex, int32_t toward)
{
    if (kinds_at_edge(m, s, vertex, toward) != 3) return false;
    vec3 at = m->vertices.data[vertex].rest;
    vec3 along = vec3_normalize(vec3_sub(m->vertices.data[toward].rest, at));
    bool continues = false;
    for (int32_t r = m->vertices.data[vertex].first; r >= 0; r = local_next(m, r))
        for (int k = 0; k <= m->dimension; k++) {
            int32_t other = m->cells.data[r / 4].vertex[k];
            if (other == vertex || other == toward) continue;
            if (kinds_at_edge(m, s, vertex, other) != 3) continue;
            vec3 to = vec3_normalize(vec3_sub(m->vertices.data[other].rest, at));
            if (vec3_dot(to, along) > -PARALLEL) return false;
            continues = true;
        }
    return continues;
}

/* True when a vertex of the boundary or an interface may be moved along the edge to `toward` (an
 * edge of boundary or interface) without changing the rest shape. */
static bool may_vanish(const local_mesh *m, int32_t vertex, int32_t toward)
{
    surface_scan s = {0};
    for (int32_t r = m->vertices.data[vertex].first; r >= 0; r = local_next(m, r)) {
        const local_cell *c = &m->cells.data[r / 4];
        for (int k = 0; k <= m->dimension && !s.many; k++) {
            if (k == r % 4 || c->facet[k] == LOCAL_INTERIOR) continue;
            outer_facet f = read_facet(m, c, k);
            kind_of(&s, &f);
        }
    }
    if (s.many) return false;
    if (s.kinds == 1) return true;
    return m->dimension == 3 && on_straight_crease(m, &s, vertex, toward);
}

/* --- where to ------------------------------------------------------------------------------- */

typedef enum target_choice { TARGET_NOWHERE, TARGET_A, TARGET_B, TARGET_MIDDLE } target_choice;

static target_choice choose_target(const local_mesh *m, int32_t a, int32_t b)
{
    flag_set fa = m->vertices.data[a].flags, fb = m->vertices.data[b].flags;
    flag_set both = flag_sets_union(m->flags, fa, fb);
    bool outer_a = local_vertex_on_boundary(m, a, true);
    bool outer_b = local_vertex_on_boundary(m, b, true);
    if (outer_a && outer_b) {
        if (fa != fb || !local_edge_on_boundary(m, a, b, true)) return TARGET_NOWHERE;
        bool a_goes = may_vanish(m, a, b), b_goes = may_vanish(m, b, a);
        if (a_goes && b_goes) return TARGET_MIDDLE;
        return a_goes ? TARGET_B : b_goes ? TARGET_A : TARGET_NOWHERE;
    }
    if (outer_a) return both == fa ? TARGET_A : TARGET_NOWHERE;
    if (outer_b) return both == fb ? TARGET_B : TARGET_NOWHERE;
    if (fa == fb) return TARGET_MIDDLE;
    return both == fa ? TARGET_A : both == fb ? TARGET_B : TARGET_NOWHERE;
}

/* --- the link condition --------------------------------------------------------------------- */

enum { OUTSIDE = INT32_MAX }; /* the vertex that all boundary facets are joined to */

/* A vertex or an edge as a number; vertices have an upper half of 0. */
static uint64_t simplex_key(int32_t p, int32_t q)
{
    uint32_t low = (uint32_t)(p < q ? p : q), high = (uint32_t)(p < q ? q : p);
    return q < 0 ? (uint64_t)(uint32_t)p : ((uint64_t)low + 1) << 32 | high;
}

static bool add_faces(local_keys *keys, const int32_t *vertex, int count)
{
    for (int i = 0; i < count; i++) {
        if (!array_push(keys, simplex_key(vertex[i], -1))) return false;
        for (int k = 0; k < i; k++)
            if (!array_push(keys, simplex_key(vertex[i], vertex[k]))) return false;
    }
    return true;
}

/* Vertices and edges of the link of a vertex, or of an edge when b >= 0; sorted, each once. With
 * `surface` only what is on boundary and interfaces counts, and there is no outside. */
static abut_status link_of(const local_mesh *m, int32_t a, int32_t b, bool surface,
                           local_keys *keys, abut_error *err)
{
    array_clear(keys);
    for (int32_t r = m->vertices.data[a].first; r >= 0; r = local_next(m, r)) {
        const local_cell *c = &m->cells.data[r / 4];
        if (b >= 0 && local_corner_of(m, c, b) < 0) continue;
        int32_t rest[4];
        int n = 0;
        for (int k = 0; k <= m->dimension; k++)
            if (c->vertex[k] != a && c->vertex[k] != b) rest[n++] = c->vertex[k];
        if (!surface && !add_faces(keys, rest, n)) return error_memory(err, "changing a mesh");
        for (int k = 0; k <= m->dimension; k++) {
            if (c->vertex[k] == a || c->vertex[k] == b) continue;
            if (surface ? c->facet[k] == LOCAL_INTERIOR : c->facet[k] < 0) continue;
            n = 0;
            for (int j = 0; j <= m->dimension; j++)
                if (j != k && c->vertex[j] != a && c->vertex[j] != b) rest[n++] = c->vertex[j];
            if (!surface) rest[n++] = OUTSIDE;
            if (!add_faces(keys, rest, n)) return error_memory(err, "changing a mesh");
        }
    }
    if (keys->count == 0) return ABUT_OK;
    qsort(keys->data, keys->count, sizeof *keys->data, compare_uint64);
    size_t kept = 1;
    for (size_t i = 1; i < keys->count; i++)
        if (keys->data[i] != keys->data[kept - 1]) keys->data[kept++] = keys->data[i];
    keys->count = kept;
    return ABUT_OK;
}

/* What a and b have in common must be the link of the edge. Common triangles in space (two cells on
 * the same three vertices) are found when the cells are merged. */
static abut_status links_agree(local_mesh *m, int32_t a, int32_t b, bool surface, bool *agree,
                               abut_error *err)
{
    local_keys *of_a = &m->links[0], *of_b = &m->links[1], *of_edge = &m->links[2];
    TRY(link_of(m, a, -1, surface, of_a, err));
    TRY(link_of(m, b, -1, surface, of_b, err));
    TRY(link_of(m, a, b, surface, of_edge, err));
    size_t common = 0, i = 0, k = 0;
    while (i < of_a->count && k < of_b->count) {
        if (of_a->data[i] == of_b->data[k]) {
            common++;
            i++;
            k++;
        } else if (of_a->data[i] < of_b->data[k])
            i++;
        else
            k++;
    }
    /* The link of the edge is part of both, so that equal numbers mean equal sets. */
    *agree = common == of_edge->count;
    return ABUT_OK;
}

/* --- merging -------------------------------------------------------------------------------- */

/* What is left of a cell that goes: the facet between its two other sides, and its tag. */
typedef struct merged_facet {
    int32_t vertex[2]; /* those of the cell that are not a or b */
    int32_t tag;
} merged_facet;

typedef ARRAY(merged_facet) merged_list;

typedef struct collapse_work {
    int32_t a, b, target;
    merged_list merged;
    local_outcome outcome;
} collapse_work;

static merged_facet merge_sides(const local_mesh *m, const local_cell *c, collapse_work *w)
{
    merged_facet f = {.vertex = {-1, -1}};
    int ka = local_corner_of(m, c, w->a), kb = local_corner_of(m, c, w->b), n = 0;
    for (int k = 0; k <= m->dimension; k++)
        if (k != ka && k != kb) f.vertex[n++] = c->vertex[k];
    /* Opposite to a is the facet that contains b. */
    int32_t at_b = c->facet[ka], at_a = c->facet[kb];
    if (at_a != LOCAL_INTERIOR && at_b != LOCAL_INTERIOR) w->outcome = LOCAL_TOPOLOGY;
    f.tag = at_a != LOCAL_INTERIOR ? at_a : at_b;
    /* The cell behind the facet of the vertex that stays is not made anew and keeps its tags. */
    if (w->target == w->a && f.tag != at_a) w->outcome = LOCAL_SURFACE;
    if (w->target == w->b && f.tag != at_b) w->outcome = LOCAL_SURFACE;
    return f;
}

/* The cell with its vertex moved to the target. */
static local_cell moved_cell(const local_mesh *m, const local_cell *old, int corner,
                             const collapse_work *w)
{
    local_cell c = *old;
    c.vertex[corner] = w->target;
    c.origin = -1;
    for (int k = 0; k <= m->dimension; k++) {
        if (k == corner) continue;
        for (size_t i = 0; i < w->merged.count; i++) {
            const merged_facet *f = &w->merged.data[i];
            bool matches = true;
            for (int n = 0; n < m->dimension - 1; n++) {
                int at = local_corner_of(m, old, f->vertex[n]);
                if (at < 0 || at == k) matches = false;
            }
            if (matches) c.facet[k] = f->tag;
        }
    }
    return c;
}

/* Flags that a cell and its outer facets have in common do not change. */
static bool flags_stay(const local_mesh *m, const local_cell *before, const local_cell *after)
{
    if (local_common_flags(m, before, -1) != local_common_flags(m, after, -1)) return false;
    for (int k = 0; k <= m->dimension; k++)
        if (before->facet[k] >= 0 &&
            local_common_flags(m, before, k) != local_common_flags(m, after, k))
            return false;
    return true;
}

static abut_status merge_cells(local_mesh *m, collapse_work *w, abut_error *err)
{
    local_list *gone = &m->work[0], *moved = &m->work[1];
    array_clear(gone);
    array_clear(moved);
    TRY(local_mesh_edge_star(m, w->a, w->b, gone, err));
    for (int side = 0; side < 2; side++) {
        int32_t from = side ? w->b : w->a, other = side ? w->a : w->b;
        if (from == w->target) continue;
        for (int32_t r = m->vertices.data[from].first; r >= 0; r = local_next(m, r))
            if (local_corner_of(m, &m->cells.data[r / 4], other) < 0 && !array_push(moved, r))
                return error_memory(err, "changing a mesh");
    }
    for (size_t i = 0; i < gone->count; i++) {
        merged_facet f = merge_sides(m, &m->cells.data[gone->data[i]], w);
        if (!array_push(&w->merged, f)) return error_memory(err, "changing a mesh");
    }
    if (w->outcome != LOCAL_DONE) return ABUT_OK;
    for (size_t i = 0; i < gone->count; i++) TRY(local_cell_death(m, gone->data[i], err));
    for (size_t i = 0; i < moved->count; i++) {
        int32_t ring = moved->data[i];
        local_cell before = m->cells.data[ring / 4], c = moved_cell(m, &before, ring % 4, w);
        if (!flags_stay(m, &before, &c)) w->outcome = LOCAL_SURFACE;
        TRY(local_cell_death(m, ring / 4, err));
        TRY(local_cell_birth(m, c.vertex, c.facet, c.attribute, c.origin, NULL, err));
    }
    return ABUT_OK;
}

static abut_status make_target(local_mesh *m, collapse_work *w, target_choice choice,
                               abut_error *err)
{
    if (choice != TARGET_MIDDLE) {
        w->target = choice == TARGET_A ? w->a : w->b;
        return ABUT_OK;
    }
    vec3 rest = vec3_scale(0.5, vec3_add(m->vertices.data[w->a].rest, m->vertices.data[w->b].rest));
    TRY(local_vertex_birth(m, m->vertices.data[w->a].part, rest, m->vertices.data[w->a].flags,
                           &w->target, err));
    for (int f = 0; f < m->field_count; f++)
        *local_field(m, w->target, f) =
            vec3_scale(0.5, vec3_add(*local_field(m, w->a, f), *local_field(m, w->b, f)));
    return ABUT_OK;
}

static abut_status collapse(local_mesh *m, collapse_work *w, target_choice choice, abut_error *err)
{
    TRY(make_target(m, w, choice, err));
    TRY(merge_cells(m, w, err));
    if (w->a != w->target) TRY(local_vertex_death(m, w->a, err));
    if (w->b != w->target) TRY(local_vertex_death(m, w->b, err));
    return ABUT_OK;
}

abut_status local_mesh_collapse(local_mesh *m, int32_t a, int32_t b, local_change *out,
                                abut_error *err)
{
    *out = (local_change){LOCAL_NO_SUCH, -1};
    if (!local_mesh_is_edge(m, a, b)) return ABUT_OK;
    out->outcome = LOCAL_TOPOLOGY;
    if (m->vertices.data[a].pinched || m->vertices.data[b].pinched) return ABUT_OK;
    out->outcome = LOCAL_SURFACE;
    target_choice choice = choose_target(m, a, b);
    if (choice == TARGET_NOWHERE) return ABUT_OK;
    bool agree;
    out->outcome = LOCAL_TOPOLOGY;
    TRY(links_agree(m, a, b, false, &agree, err));
    if (agree) TRY(links_agree(m, a, b, true, &agree, err));
    if (!agree) return ABUT_OK;
    local_mark begin = local_mesh_mark(m);
    collapse_work w = {.a = a, .b = b, .outcome = LOCAL_DONE};
    abut_status status = collapse(m, &w, choice, err);
    array_free(&w.merged);
    out->outcome = w.outcome;
    if (status == ABUT_OK && w.outcome == LOCAL_DONE) {
        out->vertex = w.target;
        return local_finish(m, begin, false, out, err);
    }
    local_mesh_rollback(m, begin);
    return status;
}
