/* Swaps: other cells over the same vertices, and the smoothing of vertices. */
#include "remesh/local_internal.h"

#include <math.h>
#include <string.h>

enum { MAX_RING = 7 };
/* Shares of the area that both triangles of a flipped pair have at least. */
static const double FLIP_SHARE = 0.1;

/* The old cell that all cells of a list lie in, or -1. */
static int32_t common_origin(const local_mesh *m, const local_list *cells)
{
    int32_t origin = m->cells.data[cells->data[0]].origin;
    for (size_t i = 1; i < cells->count; i++)
        if (m->cells.data[cells->data[i]].origin != origin) return -1;
    return origin;
}

/* Tag of the facet of a cell opposite to a vertex. */
static int32_t tag_opposite(const local_mesh *m, int32_t cell, int32_t vertex)
{
    const local_cell *c = &m->cells.data[cell];
    return c->facet[local_corner_of(m, c, vertex)];
}

/* The vertices of a cell in an order of positive orientation that begins with a and b. */
static void order_from_edge(const local_mesh *m, int32_t cell, int32_t a, int32_t b, int32_t *rest)
{
    const local_cell *c = &m->cells.data[cell];
    int ka = local_corner_of(m, c, a), kb = local_corner_of(m, c, b), n = 0, at[2] = {0};
    for (int k = 0; k <= m->dimension; k++)
        if (k != ka && k != kb) at[n++] = k;
    int order[4] = {ka, kb, at[0], at[1]}, odd = 0;
    for (int i = 0; i <= m->dimension; i++)
        for (int k = 0; k < i; k++)
            if (order[k] > order[i]) odd ^= 1;
    rest[0] = c->vertex[at[0]];
    if (m->dimension == 3) {
        rest[odd] = c->vertex[at[0]];
        rest[!odd] = c->vertex[at[1]];
    }
}

/* --- in the plane --------------------------------------------------------------------------- */

static abut_status flip(local_mesh *m, int32_t a, int32_t b, const local_list *star,
                        local_outcome *outcome, abut_error *err)
{
    *outcome = LOCAL_SURFACE;
    if (star->count != 2) return ABUT_OK;
    int32_t one = star->data[0], two = star->data[1], c, d;
    /* a b c is the cell on the left of the edge. */
    order_from_edge(m, one, a, b, &c);
    const local_cell *cell = &m->cells.data[one];
    int ka = local_corner_of(m, cell, a), kb = local_corner_of(m, cell, b);
    if ((kb + 3 - ka) % 3 != 1) {
        int32_t t = one;
        one = two;
        two = t;
        order_from_edge(m, one, a, b, &c);
    }
    order_from_edge(m, two, a, b, &d);
    if (tag_opposite(m, one, c) != LOCAL_INTERIOR) return ABUT_OK;
    *outcome = LOCAL_TOPOLOGY;
    if (local_mesh_is_edge(m, c, d)) return ABUT_OK;
    double area = local_cell_volume(m, one, -1) + local_cell_volume(m, two, -1);
    int32_t attribute = m->cells.data[one].attribute, origin = common_origin(m, star);
    int32_t first[3] = {a, d, c}, second[3] = {b, c, d};
    int32_t first_tags[3] = {LOCAL_INTERIOR, tag_opposite(m, one, b), tag_opposite(m, two, b)};
    int32_t second_tags[3] = {LOCAL_INTERIOR, tag_opposite(m, two, a), tag_opposite(m, one, a)};
    int32_t born[2];
    TRY(local_cell_death(m, one, err));
    TRY(local_cell_death(m, two, err));
    TRY(local_cell_birth(m, first, first_tags, attribute, origin, &born[0], err));
    TRY(local_cell_birth(m, second, second_tags, attribute, origin, &born[1], err));
    *outcome = LOCAL_DONE;
    for (int i = 0; i < 2; i++)
        if (!(local_cell_volume(m, born[i], -1) >= FLIP_SHARE * area)) *outcome = LOCAL_INVERTED;
    return ABUT_OK;
}

/* --- in space ------------------------------------------------------------------------------- */

typedef struct edge_ring {
    int32_t a, b;
    int count;
    int32_t vertex[MAX_RING]; /* counter-clockwise seen from b */
    int32_t cell[MAX_RING];   /* a b vertex[i] vertex[i + 1] */
    double best[MAX_RING][MAX_RING];
    int split[MAX_RING][MAX_RING];
} edge_ring;

/* Orders the cells around an edge. False unless they close a ring of one attribute. */
static bool close_ring(const local_mesh *m, const local_list *star, edge_ring *ring)
{
    int32_t pair[MAX_RING][2];
    ring->count = (int)star->count;
    if (star->count < 3 || star->count > MAX_RING) return false;
    for (int i = 0; i < ring->count; i++) {
        order_from_edge(m, star->data[i], ring->a, ring->b, pair[i]);
        for (int k = 0; k < 2; k++)
            if (tag_opposite(m, star->data[i], pair[i][k]) != LOCAL_INTERIOR) return false;
    }
    int at = 0;
    for (int i = 0; i < ring->count; i++) {
        ring->vertex[i] = pair[at][0];
        ring->cell[i] = star->data[at];
        int next = 0;
        while (next < ring->count && pair[next][0] != pair[at][1]) next++;
        if (next == ring->count) return false;
        at = next;
    }
    return at == 0;
}

/* Worst shape of the two tets over a triangle of the ring; negative where one is inverted. */
static double over_triangle(const local_mesh *m, const edge_ring *ring, int i, int k, int j)
{
    int32_t top[4] = {ring->vertex[i], ring->vertex[k], ring->vertex[j], ring->b};
    int32_t bottom[4] = {ring->vertex[i], ring->vertex[j], ring->vertex[k], ring->a};
    double worst = INFINITY;
    for (int side = 0; side < 2; side++) {
        const int32_t *v = side ? bottom : top;
        for (int f = -1; f < m->field_count; f++) {
            if (f >= 0 && !m->is_position[f]) continue;
            vec3 p[4];
            for (int n = 0; n < 4; n++)
                p[n] = f < 0 ? m->vertices.data[v[n]].rest : *local_field(m, v[n], f);
            if (f < 0)
                worst = fmin(worst, local_simplex_quality(3, p));
            else if (!(local_simplex_volume(3, p) > 0))
                return -1;
        }
    }
    return worst;
}

/* The triangulation of the ring whose worst tet is best, by dynamic programming over its chords. */
static double best_triangulation(const local_mesh *m, edge_ring *ring)
{
    int n = ring->count;
    for (int i = 0; i + 1 < n; i++) ring->best[i][i + 1] = INFINITY;
    for (int span = 2; span < n; span++)
        for (int i = 0; i + span < n; i++) {
            int j = i + span;
            ring->best[i][j] = -1;
            bool chord = !(i == 0 && j == n - 1);
            if (chord && local_mesh_is_edge(m, ring->vertex[i], ring->vertex[j])) continue;
            for (int k = i + 1; k < j; k++) {
                double worst = fmin(ring->best[i][k], ring->best[k][j]);
                if (worst <= ring->best[i][j]) continue;
                worst = fmin(worst, over_triangle(m, ring, i, k, j));
                if (worst <= ring->best[i][j]) continue;
                ring->best[i][j] = worst;
                ring->split[i][j] = k;
            }
        }
    return ring->best[0][n - 1];
}

/* Tag of the outer facet over the side from ring vertex i to k, on the side of `apex`. */
static int32_t side_tag(const local_mesh *m, const edge_ring *ring, int i, int k, int32_t opposite)
{
    int n = ring->count;
    if ((i + 1) % n == k) return tag_opposite(m, ring->cell[i], opposite);
    if ((k + 1) % n == i) return tag_opposite(m, ring->cell[k], opposite);
    return LOCAL_INTERIOR;
}

static abut_status fill_ring(local_mesh *m, const edge_ring *ring, int i, int j, int32_t attribute,
                             int32_t origin, abut_error *err)
{
    if (j - i < 2) return ABUT_OK;
    int k = ring->split[i][j];
    const int32_t *v = ring->vertex;
    int32_t top[4] = {v[i], v[k], v[j], ring->b}, bottom[4] = {v[i], v[j], v[k], ring->a};
    int32_t top_tags[4] = {side_tag(m, ring, k, j, ring->a), side_tag(m, ring, j, i, ring->a),
                           side_tag(m, ring, i, k, ring->a), LOCAL_INTERIOR};
    int32_t bottom_tags[4] = {side_tag(m, ring, k, j, ring->b), side_tag(m, ring, i, k, ring->b),
                              side_tag(m, ring, j, i, ring->b), LOCAL_INTERIOR};
    TRY(local_cell_birth(m, top, top_tags, attribute, origin, NULL, err));
    TRY(local_cell_birth(m, bottom, bottom_tags, attribute, origin, NULL, err));
    TRY(fill_ring(m, ring, i, k, attribute, origin, err));
    return fill_ring(m, ring, k, j, attribute, origin, err);
}

static abut_status remove_edge(local_mesh *m, int32_t a, int32_t b, const local_list *star,
                               local_outcome *outcome, abut_error *err)
{
    edge_ring ring = {.a = a, .b = b};
    *outcome = LOCAL_SURFACE;
    if (!close_ring(m, star, &ring)) return ABUT_OK;
    *outcome = LOCAL_TOPOLOGY;
    if (!(best_triangulation(m, &ring) > 0)) return ABUT_OK;
    int32_t attribute = m->cells.data[ring.cell[0]].attribute, origin = common_origin(m, star);
    for (int i = 0; i < ring.count; i++) TRY(local_cell_death(m, ring.cell[i], err));
    TRY(fill_ring(m, &ring, 0, ring.count - 1, attribute, origin, err));
    *outcome = LOCAL_DONE;
    return ABUT_OK;
}

static abut_status finish_swap(local_mesh *m, local_mark begin, bool improve, abut_status status,
                               local_change *out, abut_error *err)
{
    if (status == ABUT_OK && out->outcome == LOCAL_DONE)
        return local_finish(m, begin, improve, out, err);
    local_mesh_rollback(m, begin);
    return status;
}

abut_status local_mesh_swap_edge(local_mesh *m, int32_t a, int32_t b, bool improve,
                                 local_change *out, abut_error *err)
{
    *out = (local_change){LOCAL_NO_SUCH, -1};
    if (!local_mesh_is_edge(m, a, b)) return ABUT_OK;
    out->outcome = LOCAL_TOPOLOGY;
    if (m->vertices.data[a].pinched || m->vertices.data[b].pinched) return ABUT_OK;
    local_mark begin = local_mesh_mark(m);
    local_list *star = &m->work[0];
    array_clear(star);
    TRY(local_mesh_edge_star(m, a, b, star, err));
    abut_status status = m->dimension == 2 ? flip(m, a, b, star, &out->outcome, err)
                                           : remove_edge(m, a, b, star, &out->outcome, err);
    return finish_swap(m, begin, improve, status, out, err);
}

/* --- smoothing ------------------------------------------------------------------------------ */

/* Values of all fields at a point of the star. False when it is outside. */
static bool locate_in_star(const local_mesh *m, int32_t vertex, vec3 point, vec3 *fields)
{
    double best = -1e-9, weight[4];
    int32_t cell = -1;
    for (int32_t r = m->vertices.data[vertex].first; r >= 0; r = local_next(m, r)) {
        double w[4], least = INFINITY;
        vec3 p[4];
        for (int k = 0; k <= m->dimension; k++)
            p[k] = m->vertices.data[m->cells.data[r / 4].vertex[k]].rest;
        if (!local_barycentric(m->dimension, p, point, w)) continue;
        for (int k = 0; k <= m->dimension; k++) least = fmin(least, w[k]);
        if (least <= best) continue;
        best = least;
        cell = r / 4;
        memcpy(weight, w, sizeof weight);
    }
    if (cell < 0) return false;
    for (int f = 0; f < m->field_count; f++) {
        fields[f] = (vec3){0};
        for (int k = 0; k <= m->dimension; k++)
            fields[f] = vec3_mul_add(fields[f], weight[k],
                                     *local_field(m, m->cells.data[cell].vertex[k], f));
    }
    return true;
}

static abut_status replace_vertex(local_mesh *m, int32_t vertex, vec3 rest, const vec3 *fields,
                                  int32_t *number, abut_error *err)
{
    local_list *star = &m->work[0];
    array_clear(star);
    TRY(local_mesh_star(m, vertex, star, err));
    TRY(local_vertex_birth(m, m->vertices.data[vertex].part, rest, m->vertices.data[vertex].flags,
                           number, err));
    for (int f = 0; f < m->field_count; f++) *local_field(m, *number, f) = fields[f];
    for (size_t i = 0; i < star->count; i++) {
        local_cell c = m->cells.data[star->data[i]];
        c.vertex[local_corner_of(m, &c, vertex)] = *number;
        TRY(local_cell_death(m, star->data[i], err));
        TRY(local_cell_birth(m, c.vertex, c.facet, c.attribute, -1, NULL, err));
    }
    return local_vertex_death(m, vertex, err);
}

abut_status local_mesh_move(local_mesh *m, int32_t vertex, vec3 rest, local_change *out,
                            abut_error *err)
{
    *out = (local_change){LOCAL_NO_SUCH, -1};
    if (vertex < 0 || (size_t)vertex >= m->vertices.count || !m->vertices.data[vertex].alive)
        return ABUT_OK;
    out->outcome = LOCAL_SURFACE;
    if (m->vertices.data[vertex].flags != 0 || local_vertex_on_boundary(m, vertex, true))
        return ABUT_OK;
    vec3 fields[LOCAL_MAX_FIELDS];
    out->outcome = LOCAL_INVERTED;
    if (!locate_in_star(m, vertex, rest, fields)) return ABUT_OK;
    local_mark begin = local_mesh_mark(m);
    abut_status status = replace_vertex(m, vertex, rest, fields, &out->vertex, err);
    if (status == ABUT_OK) return local_finish(m, begin, false, out, err);
    local_mesh_rollback(m, begin);
    return status;
}

/* Sum of 1 / shape over the star with the vertex at a point (up to a factor the AMIPS energy
 * tr(F^T F) / det(F)^(2/d) from regular simplices); infinite outside the kernel. */
static double star_badness(const local_mesh *m, int32_t vertex, vec3 point)
{
    double sum = 0;
    for (int32_t r = m->vertices.data[vertex].first; r >= 0; r = local_next(m, r)) {
        vec3 p[4];
        for (int k = 0; k <= m->dimension; k++)
            p[k] = m->vertices.data[m->cells.data[r / 4].vertex[k]].rest;
        p[r % 4] = point;
        double quality = local_simplex_quality(m->dimension, p);
        if (!(quality > 0)) return INFINITY;
        sum += 1 / quality;
    }
    return sum;
}

/* Compass search: steps along the axes, halved when none helps. */
static vec3 best_position(const local_mesh *m, int32_t vertex, double *badness)
{
    enum { ROUNDS = 40 };
    vec3 at = m->vertices.data[vertex].rest;
    double size = 0;
    for (int32_t r = m->vertices.data[vertex].first; r >= 0; r = local_next(m, r))
        for (int k = 0; k <= m->dimension; k++)
            size = fmax(size, local_edge_length(m, vertex, m->cells.data[r / 4].vertex[k]));
    double step = 0.25 * size;
    *badness = star_badness(m, vertex, at);
    for (int round = 0; round < ROUNDS && step > 1e-3 * size; round++) {
        vec3 best = at;
        double least = *badness;
        for (int axis_side = 0; axis_side < 2 * m->dimension; axis_side++) {
            double s = axis_side % 2 ? -step : step;
            vec3 to = vec3_add(at, vec3_make(axis_side / 2 == 0 ? s : 0, axis_side / 2 == 1 ? s : 0,
                                             axis_side / 2 == 2 ? s : 0));
            double value = star_badness(m, vertex, to);
            if (value < least) {
                least = value;
                best = to;
            }
        }
        if (least < *badness) {
            *badness = least;
            at = best;
        } else
            step /= 2;
    }
    return at;
}

abut_status local_mesh_smooth(local_mesh *m, int32_t vertex, local_change *out, abut_error *err)
{
    *out = (local_change){LOCAL_NO_SUCH, -1};
    if (vertex < 0 || (size_t)vertex >= m->vertices.count || !m->vertices.data[vertex].alive)
        return ABUT_OK;
    out->outcome = LOCAL_SURFACE;
    if (m->vertices.data[vertex].flags != 0 || local_vertex_on_boundary(m, vertex, true))
        return ABUT_OK;
    double before = star_badness(m, vertex, m->vertices.data[vertex].rest), after;
    vec3 to = best_position(m, vertex, &after);
    out->outcome = LOCAL_QUALITY;
    if (!(after < 0.99 * before)) return ABUT_OK;
    return local_mesh_move(m, vertex, to, out, err);
}
