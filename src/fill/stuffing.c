#include "fill/stuffing.h"

#include "base/parallel.h"
#include "fill/quality.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>

/* A node moves to a cut that is nearer than this share of its edge: the pair of the paper. */
static const double ALPHA_LONG = 0.24999, ALPHA_SHORT = 0.41189;

void stuffing_free(stuffing *s)
{
    array_free(&s->vertices);
    array_free(&s->value);
    array_free(&s->tets);
}

/* ---- edges of the lattice ---- */

/* Where the surface crosses an edge. Edges are known by a node and a direction: 0 to 2 to the next
 * node of the same kind along an axis, 3 to 10 from a centre to a corner of its cube. */
typedef struct cut {
    uint32_t node, other;
    uint8_t direction;
    double at; /* from node to other */
    int32_t vertex;
} cut;

typedef struct stuff_work {
    const lattice *l;
    const fill_region *region;
    ARRAY(cut) cuts; /* by node and direction */
    int32_t *snap;   /* per node: the cut that it moves to, or -1 */
    int32_t *vertex; /* per node: in the result, or -1 */
    stuffing *out;
    bool failed; /* out of memory */
} stuff_work;

static bool inside(const lattice *l, size_t node) { return l->value[node] > 0; }

static const int32_t steps[11][3] = {{2, 0, 0},   {0, 2, 0},   {0, 0, 2},  {-1, -1, -1},
                                     {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {-1, -1, 1},
                                     {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};

static bool list_cuts(stuff_work *w)
{
    const lattice *l = w->l;
    size_t count = lattice_node_count(l);
    for (size_t node = 0; node < count; node++) {
        bool center = lattice_is_center(l, node), in = inside(l, node);
        int32_t at[3];
        lattice_place(l, node, at);
        for (int d = 0; d < (center ? 11 : 3); d++) {
            int32_t to[3];
            bool there = true;
            for (int k = 0; k < 3; k++) {
                to[k] = at[k] + steps[d][k];
                there = there && to[k] <= 2 * l->cells[k];
            }
            if (!there) continue;
            size_t other = lattice_node(l, to);
            if (inside(l, other) == in) continue;
            cut c = {.node = (uint32_t)node, .other = (uint32_t)other, .direction = (uint8_t)d};
            c.vertex = -1;
            if (!array_push(&w->cuts, c)) return false;
        }
    }
    return true;
}

static double edge_length(const stuff_work *w, const cut *c)
{
    return c->direction < 3 ? w->l->side : 0.5 * sqrt(3) * w->l->side;
}

static vec3 cut_position(const stuff_work *w, const cut *c)
{
    vec3 a = lattice_position(w->l, c->node), b = lattice_position(w->l, c->other);
    return vec3_mul_add(a, c->at, vec3_sub(b, a));
}

/* Where the sign changes between two values of different sign, by the Illinois variant of the
 * secant, which needs nothing but the signs to be right. */
static void find_cut(const stuff_work *w, cut *c)
{
    vec3 a = lattice_position(w->l, c->node), b = lattice_position(w->l, c->other);
    double length = edge_length(w, c), low = 0, high = 1;
    double f_low = (double)w->l->value[c->node], f_high = (double)w->l->value[c->other];
    bool low_inside = f_low > 0;
    int last = 0;
    for (int k = 0; k < 40 && high - low > 1e-5; k++) {
        double at = f_low != f_high ? low - f_low * (high - low) / (f_high - f_low) : 0.5;
        double margin = 1e-6 * (high - low);
        if (!(at > low + margin && at < high - margin) || k % 4 == 3) at = 0.5 * (low + high);
        double f = region_value(w->region, vec3_mul_add(a, at, vec3_sub(b, a)), INFINITY);
        if ((f > 0) == low_inside) {
            low = at;
            f_low = f;
            if (last == 1) f_high *= 0.5;
            last = 1;
        } else {
            high = at;
            f_high = f;
            if (last == 2) f_low *= 0.5;
            last = 2;
        }
        if (fabs(f) < 1e-6 * length) {
            c->at = at;
            return;
        }
    }
    c->at = 0.5 * (low + high);
}

static void find_cuts(void *context, size_t begin, size_t end)
{
    stuff_work *w = context;
    for (size_t i = begin; i < end; i++) find_cut(w, &w->cuts.data[i]);
}

/* A node and the cut that is too near to it. */
typedef struct pull {
    double distance;
    uint32_t node;
    int32_t cut;
} pull;
typedef ARRAY(pull) pull_list;

static int compare_pulls(const void *left, const void *right)
{
    const pull *a = left, *b = right;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return a->cut < b->cut ? -1 : a->cut > b->cut;
}

static bool list_pulls(const stuff_work *w, pull_list *out)
{
    for (size_t i = 0; i < w->cuts.count; i++) {
        const cut *c = &w->cuts.data[i];
        double alpha = c->direction < 3 ? ALPHA_LONG : ALPHA_SHORT;
        pull p = {.cut = (int32_t)i, .distance = INFINITY};
        if (c->at < alpha) p = (pull){c->at, c->node, (int32_t)i};
        if (1 - c->at < alpha) p = (pull){1 - c->at, c->other, (int32_t)i};
        if (p.distance == INFINITY) continue;
        p.distance *= edge_length(w, c);
        if (!array_push(out, p)) return false;
    }
    return true;
}

/* Nodes move to cuts that are too near, the shortest displacements first. A node that has moved is
 * on the surface: cuts of its edges are no more and pull at no other node. */
static bool move_nodes(stuff_work *w)
{
    pull_list pulls = {0};
    bool ok = list_pulls(w, &pulls);
    if (ok && pulls.count) qsort(pulls.data, pulls.count, sizeof *pulls.data, compare_pulls);
    for (size_t i = 0; ok && i < pulls.count; i++) {
        const pull *p = &pulls.data[i];
        const cut *c = &w->cuts.data[p->cut];
        if (w->snap[c->node] >= 0 || w->snap[c->other] >= 0) continue;
        w->snap[p->node] = p->cut;
        w->out->moved_nodes++;
    }
    array_free(&pulls);
    return ok;
}

/* ---- vertices ---- */

static int32_t add_vertex(stuff_work *w, vec3 position, double value)
{
    if (!array_push(&w->out->vertices, position) || !array_push(&w->out->value, value))
        w->failed = true;
    return (int32_t)w->out->vertices.count - 1;
}

static int32_t node_vertex(stuff_work *w, size_t node)
{
    if (w->vertex[node] < 0) {
        int32_t snap = w->snap[node];
        w->vertex[node] =
            snap >= 0 ? add_vertex(w, cut_position(w, &w->cuts.data[snap]), 0)
                      : add_vertex(w, lattice_position(w->l, node), (double)w->l->value[node]);
    }
    return w->vertex[node];
}

static bool is_long(const lattice *l, size_t a, size_t b)
{
    return lattice_is_center(l, a) == lattice_is_center(l, b);
}

static size_t find_edge(const stuff_work *w, size_t a, size_t b)
{
    const lattice *l = w->l;
    size_t node = is_long(l, a, b) ? (a < b ? a : b) : (a > b ? a : b), other = a + b - node;
    int32_t from[3], to[3];
    lattice_place(l, node, from);
    lattice_place(l, other, to);
    int direction = 0;
    if (is_long(l, a, b))
        while (to[direction] == from[direction]) direction++;
    else
        direction = 3 + (to[0] > from[0]) + 2 * (to[1] > from[1]) + 4 * (to[2] > from[2]);
    size_t low = 0, high = w->cuts.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const cut *c = &w->cuts.data[middle];
        if (c->node < node || (c->node == node && c->direction < direction))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The vertex where the edge between a node inside and one outside is cut. */
static int32_t cut_vertex(stuff_work *w, size_t a, size_t b)
{
    cut *c = &w->cuts.data[find_edge(w, a, b)];
    if (c->vertex < 0) c->vertex = add_vertex(w, cut_position(w, c), 0);
    return c->vertex;
}

/* ---- tetrahedra ---- */

static void emit(stuff_work *w, int32_t a, int32_t b, int32_t c, int32_t d)
{
    if (w->failed) return;
    const vec3 *x = w->out->vertices.data;
    bool positive = tet_volume(x[a], x[b], x[c], x[d]) > 0;
    stuffed_tet tet = {a, b, positive ? c : d, positive ? d : c};
    if (!array_resize(&w->out->tets, w->out->tets.count + 1)) {
        w->failed = true;
        return;
    }
    for (int k = 0; k < 4; k++) w->out->tets.data[w->out->tets.count - 1][k] = tet[k];
}

/* Whether the quad a b bc ac of a face with a and b inside and c outside is cut from a to bc, else
 * from b to ac. A matter of the face alone, as both its tetrahedra must agree: the diagonal ends
 * where the long edge is cut, which gives the better angles; of two short ones either will do. */
static bool diagonal_from_first(const lattice *l, size_t a, size_t b, size_t c)
{
    if (is_long(l, a, c)) return false;
    if (is_long(l, b, c)) return true;
    return a < b;
}

/* The tetrahedra of a prism p q; diagonal[k]: from p[k] to q[k + 1], else from p[k + 1] to q[k].
 * Not all three alike. */
static void split_prism(const int32_t p[3], const int32_t q[3], const bool diagonal[3],
                        int32_t tets[3][4])
{
    int i = 0;
    while (i < 2 && !(diagonal[i] && !diagonal[(i + 2) % 3])) i++;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    const int32_t all[3][4] = {
        {p[i], q[i], q[j], q[k]},
        {p[i], p[j], p[k], diagonal[j] ? q[k] : q[j]},
        {p[i], diagonal[j] ? p[j] : p[k], q[j], q[k]},
    };
    for (int t = 0; t < 3; t++)
        for (int v = 0; v < 4; v++) tets[t][v] = all[t][v];
}

static void emit_prism(stuff_work *w, const int32_t p[3], const int32_t q[3],
                       const bool diagonal[3])
{
    int32_t tets[3][4];
    split_prism(p, q, diagonal, tets);
    for (int t = 0; t < 3; t++) emit(w, tets[t][0], tets[t][1], tets[t][2], tets[t][3]);
}

static double worst_angle(const stuff_work *w, const int32_t p[3], const int32_t q[3],
                          const bool diagonal[3])
{
    int32_t tets[3][4];
    double worst = 180, low, high;
    split_prism(p, q, diagonal, tets);
    for (int t = 0; t < 3; t++) {
        vec3 x[4];
        for (int v = 0; v < 4; v++) x[v] = w->out->vertices.data[tets[t][v]];
        tet_dihedral_range(x, &low, &high);
        worst = fmin(worst, fmin(low, 180 - high));
    }
    return worst;
}

/* Two nodes a, b inside and two outside. */
static void stuff_wedge(stuff_work *w, size_t a, size_t b, const size_t out[2])
{
    const lattice *l = w->l;
    int32_t p[3] = {node_vertex(w, a), cut_vertex(w, a, out[0]), cut_vertex(w, a, out[1])};
    int32_t q[3] = {node_vertex(w, b), cut_vertex(w, b, out[0]), cut_vertex(w, b, out[1])};
    bool diagonal[3] = {diagonal_from_first(l, a, b, out[0]), false,
                        !diagonal_from_first(l, a, b, out[1])};
    if (w->failed) return;
    if (diagonal[0] == diagonal[2]) {
        diagonal[1] = !diagonal[0];
    } else { /* the quad on the surface belongs to this tetrahedron alone */
        bool other[3] = {diagonal[0], true, diagonal[2]};
        diagonal[1] = worst_angle(w, p, q, other) > worst_angle(w, p, q, diagonal);
    }
    emit_prism(w, p, q, diagonal);
}

/* Three nodes inside, one outside. */
static void stuff_prism(stuff_work *w, const size_t in[3], size_t out)
{
    int32_t p[3], q[3];
    bool diagonal[3];
    for (int k = 0; k < 3; k++) {
        p[k] = node_vertex(w, in[k]);
        q[k] = cut_vertex(w, in[k], out);
        diagonal[k] = diagonal_from_first(w->l, in[k], in[(k + 1) % 3], out);
    }
    emit_prism(w, p, q, diagonal);
}

/* Two nodes inside, one on the surface, one outside. */
static void stuff_pyramid(stuff_work *w, const size_t in[2], size_t on, size_t out)
{
    int32_t z = node_vertex(w, on), a = node_vertex(w, in[0]), b = node_vertex(w, in[1]);
    int32_t ac = cut_vertex(w, in[0], out), bc = cut_vertex(w, in[1], out);
    bool first = diagonal_from_first(w->l, in[0], in[1], out);
    emit(w, z, a, b, first ? bc : ac);
    emit(w, z, first ? a : b, bc, ac);
}

/* A tetrahedron of the finest lattice. */
static void stuff_tet(stuff_work *w, const size_t nodes[4])
{
    size_t in[4], on[4], out[4];
    int n_in = 0, n_on = 0, n_out = 0;
    for (int k = 0; k < 4; k++) {
        if (w->snap[nodes[k]] >= 0)
            on[n_on++] = nodes[k];
        else if (inside(w->l, nodes[k]))
            in[n_in++] = nodes[k];
        else
            out[n_out++] = nodes[k];
    }
    if (n_in == 0) return;
    if (n_out == 0) {
        emit(w, node_vertex(w, nodes[0]), node_vertex(w, nodes[1]), node_vertex(w, nodes[2]),
             node_vertex(w, nodes[3]));
    } else if (n_in == 1) {
        int32_t v[4] = {node_vertex(w, in[0])};
        for (int k = 0; k < n_on; k++) v[1 + k] = node_vertex(w, on[k]);
        for (int k = 0; k < n_out; k++) v[1 + n_on + k] = cut_vertex(w, in[0], out[k]);
        emit(w, v[0], v[1], v[2], v[3]);
    } else if (n_in == 3) {
        stuff_prism(w, in, out[0]);
    } else if (n_on == 1) {
        stuff_pyramid(w, in, on[0], out[0]);
    } else {
        stuff_wedge(w, in[0], in[1], out);
    }
}

/* ---- cubes ---- */

static int level_at(const lattice *l, const int32_t cell[3])
{
    for (int k = 0; k < 3; k++)
        if (cell[k] < 0 || cell[k] >= l->cells[k]) return -1;
    return l->level[lattice_cell(l, cell[0], cell[1], cell[2])];
}

/* Node at the centre of the cube of a level that holds a cell. */
static size_t center_node(const lattice *l, const int32_t cell[3], int level)
{
    int32_t at[3];
    for (int k = 0; k < 3; k++) at[k] = 2 * (cell[k] >> level << level) + (1 << level);
    return lattice_node(l, at);
}

/* Whether a cube smaller than `level` touches the middle of an edge along `axis`, given in half
 * sides: then the middle is a node. */
static bool edge_is_split(const lattice *l, const int32_t middle[3], int axis, int level)
{
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    for (int n = 0; n < 8; n++) {
        int32_t cell[3];
        cell[axis] = (middle[axis] >> 1) - (n & 1);
        cell[b] = (middle[b] >> 1) - (n >> 1 & 1);
        cell[c] = (middle[c] >> 1) - (n >> 2);
        int found = level_at(l, cell);
        if (found >= 0 && found < level) return true;
    }
    return false;
}

/* The corners of a face of the cube at `low` (half sides) of side `size` (half sides), in a circle.
 */
static void face_corners(const int32_t low[3], int32_t size, int axis, bool upper,
                         int32_t corners[4][3])
{
    static const int32_t circle[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    for (int q = 0; q < 4; q++) {
        corners[q][axis] = low[axis] + (upper ? size : 0);
        corners[q][b] = low[b] + circle[q][0] * size;
        corners[q][c] = low[c] + circle[q][1] * size;
    }
}

/* Between two cubes of equal size: the edge between their centres with every edge of the face. */
static void stuff_equal(stuff_work *w, size_t first, size_t second, int32_t corners[4][3],
                        int level)
{
    const lattice *l = w->l;
    for (int q = 0; q < 4; q++) {
        const int32_t *from = corners[q], *to = corners[(q + 1) % 4];
        size_t a = lattice_node(l, from), b = lattice_node(l, to);
        int axis = 0;
        while (from[axis] == to[axis]) axis++;
        int32_t middle[3] = {(from[0] + to[0]) / 2, (from[1] + to[1]) / 2, (from[2] + to[2]) / 2};
        if (level > 0 && edge_is_split(l, middle, axis, level)) {
            size_t m = lattice_node(l, middle);
            stuff_tet(w, (size_t[4]){first, second, a, m});
            stuff_tet(w, (size_t[4]){first, second, m, b});
        } else {
            stuff_tet(w, (size_t[4]){first, second, a, b});
        }
    }
}

/* Between a cube and a larger one: a pyramid on either side of the face of the smaller, cut from
 * the middle of the larger face. */
static void stuff_unequal(stuff_work *w, size_t fine, size_t coarse, int32_t corners[4][3],
                          const int32_t cell[3], int axis, int level)
{
    int b = (axis + 1) % 3, c = (axis + 2) % 3, m = 0;
    int32_t size = 2 << (level + 1), half = size / 2;
    int32_t middle_b = 2 * (cell[b] >> (level + 1) << (level + 1)) + half;
    int32_t middle_c = 2 * (cell[c] >> (level + 1) << (level + 1)) + half;
    while (corners[m][b] != middle_b || corners[m][c] != middle_c) m++;
    size_t node[4];
    for (int q = 0; q < 4; q++) node[q] = lattice_node(w->l, corners[(m + q) % 4]);
    for (int t = 0; t < 2; t++) {
        stuff_tet(w, (size_t[4]){node[0], node[1 + t], node[2 + t], fine});
        stuff_tet(w, (size_t[4]){node[0], node[1 + t], node[2 + t], coarse});
    }
}

static void stuff_cube(stuff_work *w, const int32_t cell[3], int level)
{
    const lattice *l = w->l;
    int32_t side = 1 << level, low[3] = {2 * cell[0], 2 * cell[1], 2 * cell[2]};
    size_t own = center_node(l, cell, level);
    for (int axis = 0; axis < 3; axis++)
        for (int upper = 0; upper < 2; upper++) {
            int32_t next[3] = {cell[0], cell[1], cell[2]};
            next[axis] += upper ? side : -1;
            int found = level_at(l, next);
            if (found < level || (found == level && !upper)) continue;
            int32_t corners[4][3];
            face_corners(low, 2 * side, axis, upper, corners);
            size_t other = center_node(l, next, found);
            if (found == level)
                stuff_equal(w, own, other, corners, level);
            else
                stuff_unequal(w, own, other, corners, cell, axis, level);
        }
}

static void stuff_cubes(stuff_work *w)
{
    const lattice *l = w->l;
    int32_t cell[3];
    for (cell[2] = 0; cell[2] < l->cells[2]; cell[2]++)
        for (cell[1] = 0; cell[1] < l->cells[1]; cell[1]++)
            for (cell[0] = 0; cell[0] < l->cells[0] && !w->failed; cell[0]++) {
                int level = level_at(l, cell), mask = (1 << level) - 1;
                if ((cell[0] | cell[1] | cell[2]) & mask) continue; /* not its first cell */
                stuff_cube(w, cell, level);
            }
}

abut_status stuff_lattice(const lattice *l, const fill_region *region, stuffing *out,
                          abut_error *err)
{
    *out = (stuffing){0};
    size_t count = lattice_node_count(l);
    stuff_work w = {.l = l, .region = region, .out = out};
    w.snap = mem_alloc(count, sizeof *w.snap);
    w.vertex = mem_alloc(count, sizeof *w.vertex);
    w.failed = !w.snap || !w.vertex || !list_cuts(&w);
    if (!w.failed) {
        for (size_t i = 0; i < count; i++) w.snap[i] = w.vertex[i] = -1;
        parallel_for(w.cuts.count, 64, find_cuts, &w);
        out->cut_edges = w.cuts.count;
        w.failed = !move_nodes(&w);
        if (!w.failed) stuff_cubes(&w);
    }
    mem_free(w.snap);
    mem_free(w.vertex);
    array_free(&w.cuts);
    if (!w.failed) return ABUT_OK;
    stuffing_free(out);
    return error_memory(err, "filling a surface");
}
