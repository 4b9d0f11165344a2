#include "geometry/check_path.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/check_exact.h"
#include "geometry/check_gap.h"
#include "math/rotation.h"

#include <math.h>

/* Intervals are halved so often at most: times are multiples of 2^-50, and so is 1 - t, exactly. */
enum { MOST_HALVINGS = 50 };
/* Intervals of one pair that are looked at. On straight paths distances of 1e-9 of the motion need
 * some hundreds; a body that turns beside another one at a distance e beyond its thickness needs
 * sqrt(bow / e) of them, tens of thousands for the gaps of 1e-9 that contacts may have. */
enum { MOST_INTERVALS = 1 << 22 };

/* Vertices of one primitive on one piece. */
typedef struct mover {
    int count;
    vec3 x[3][2];              /* at both ends */
    const check_turn *turn[3]; /* NULL: a straight line */
    bool turns;                /* some vertex does */
    vec3 arm[3];
    double bow;      /* of the chord over the whole piece */
    double rounding; /* of positions on curves */
} mover;

typedef struct motion {
    mover a, b;
    double gap;
    int intervals;
} motion;

/* ---- One pair ---- */

static vec3 between(const vec3 x[2], double t)
{
    return vec3_add(vec3_scale(1 - t, x[0]), vec3_scale(t, x[1]));
}

static void positions(const mover *m, double t, vec3 out[3])
{
    const check_turn *turn = NULL; /* vertices of a primitive mostly turn with one body */
    vec3 q = {0};
    mat3 r = mat3_identity();
    for (int i = 0; i < m->count; i++) {
        out[i] = between(m->x[i], t);
        if (!m->turn[i]) continue;
        if (m->turn[i] != turn) {
            turn = m->turn[i];
            q = between(turn->q, t);
            r = rotation_matrix(between(turn->theta, t));
        }
        out[i] = vec3_add(q, mat3_mul_vec(r, m->arm[i]));
    }
}

/* Whether n separates the pair at t by more than `room`. */
static bool ahead_by(const motion *m, vec3 n, double t, double room)
{
    vec3 a[3], b[3];
    positions(&m->a, t, a);
    positions(&m->b, t, b);
    for (int i = 0; i < m->a.count; i++)
        for (int j = 0; j < m->b.count; j++) {
            vec3 d = vec3_sub(a[i], b[j]);
            if (!(vec3_dot(n, d) - 1e-15 * vec3_norm(d) > room)) return false;
        }
    return true;
}

/* The same without room, exactly. */
static bool ahead(const motion *m, vec3 n, double t)
{
    for (int i = 0; i < m->a.count; i++)
        for (int j = 0; j < m->b.count; j++)
            if (check_motion_sign(n, m->a.x[i], m->b.x[j], t) <= 0) return false;
    return true;
}

static bool separates(const motion *m, vec3 n, double t0, double t1)
{
    if (m->gap == 0 && !m->a.turns && !m->b.turns) return ahead(m, n, t0) && ahead(m, n, t1);
    /* n is longer than 1 by rounding at most */
    double length = t1 - t0, bows = (m->a.bow + m->b.bow) * length * length;
    double room = (m->gap + bows + m->a.rounding + m->b.rounding) * (1 + 1e-14);
    return ahead_by(m, n, t0, room) && ahead_by(m, n, t1, room);
}

/* Positions q + R X have a few roundings each; 64 units of them are on the safe side. */
static double rounding_of(const mover *m)
{
    double most = 0;
    for (int i = 0; i < m->count; i++) {
        most = fmax(most, fmax(vec3_norm(m->x[i][0]), vec3_norm(m->x[i][1])));
        const check_turn *turn = m->turn[i];
        if (turn)
            most = fmax(most, vec3_norm(turn->q[0]) + vec3_norm(turn->q[1]) + vec3_norm(m->arm[i]));
    }
    return most * 64 * 0x1p-53;
}

/* The same with a direction that goes from n[0] at t0 to n[1] at t1, of lengths up to 1: along
 * chords n.(a - b) is a quadratic function of time, whose Bernstein coefficients bound it. */
static bool turning_separates(const motion *m, const vec3 n[2], vec3 (*a)[3], vec3 (*b)[3],
                              double room)
{
    for (int i = 0; i < m->a.count; i++)
        for (int j = 0; j < m->b.count; j++) {
            vec3 d0 = vec3_sub(a[0][i], b[0][j]), d1 = vec3_sub(a[1][i], b[1][j]);
            double least = room + 1e-15 * (vec3_norm(d0) + vec3_norm(d1));
            double middle = 0.5 * (vec3_dot(n[0], d1) + vec3_dot(n[1], d0));
            if (!(vec3_dot(n[0], d0) > least && middle > least && vec3_dot(n[1], d1) > least))
                return false;
        }
    return true;
}

static int edges_of(const motion *m, const vec3 *a, const vec3 *b, vec3 *edges)
{
    int count = 0;
    for (int i = 1; i < m->a.count; i++) edges[count++] = vec3_sub(a[i], a[0]);
    for (int i = 1; i < m->b.count; i++) edges[count++] = vec3_sub(b[i], b[0]);
    if (m->b.count == 3) edges[count++] = vec3_sub(b[2], b[1]);
    return count;
}

/* Direction number `which` from b to a; zero: there is none. */
static vec3 near_direction(const motion *m, const vec3 *a, const vec3 *b, int which)
{
    vec3 edges[3], n = gap_direction(a, m->a.count, b, m->b.count);
    int count = edges_of(m, a, b, edges);
    if (which == 0) return n;
    if (which > count + 1) return vec3_make(0, 0, 0);
    vec3 out = which == 1 ? (count < 2 ? vec3_make(0, 0, 0) : vec3_cross(edges[0], edges[1]))
                          : edges[which - 2];
    double length2 = vec3_norm2(out);
    if (!(length2 > 0)) return vec3_make(0, 0, 0);
    if (which > 1) out = vec3_mul_add(n, -vec3_dot(n, out) / length2, out);
    out = vec3_scale(1 / fmax(vec3_norm(out), 1e-300), out);
    return vec3_dot(out, n) < 0 ? vec3_neg(out) : out;
}

/* A direction from closest points at a distance d is as good as the rounding of positions over d;
 * a pair of size L needs d / L. And where the pair moves by far more than d, a constant one serves
 * for d over the motion only. Very near pairs have one that turns along, made of their edges: the
 * normal of the triangle or of two edges, or what is at right angles to one edge. */
static bool separates_very_near(const motion *m, double t0, double t1)
{
    enum { DIRECTIONS = 5 };
    vec3 a[2][3], b[2][3];
    double length = t1 - t0, bows = (m->a.bow + m->b.bow) * length * length;
    double room = (m->gap + bows + rounding_of(&m->a) + rounding_of(&m->b)) * (1 + 1e-14);
    for (int end = 0; end < 2; end++) {
        positions(&m->a, end ? t1 : t0, a[end]);
        positions(&m->b, end ? t1 : t0, b[end]);
    }
    for (int k = 0; k < DIRECTIONS; k++) {
        const vec3 n[2] = {near_direction(m, a[0], b[0], k), near_direction(m, a[1], b[1], k)};
        if (turning_separates(m, n, a, b, room)) return true;
    }
    return false;
}

static bool stays_apart(motion *m, double t0, double t1, int halvings, double *time)
{
    /* From then on intervals may be many. */
    enum { SHORT = 6 };
    double middle = 0.5 * (t0 + t1);
    vec3 a[3], b[3];
    positions(&m->a, middle, a);
    positions(&m->b, middle, b);
    vec3 n = gap_direction(a, m->a.count, b, m->b.count);
    if (separates(m, n, t0, t1)) return true;
    if (halvings >= SHORT && separates_very_near(m, t0, t1)) return true;
    *time = t0;
    if (halvings == MOST_HALVINGS || ++m->intervals == MOST_INTERVALS) return false;
    return stays_apart(m, t0, middle, halvings + 1, time) &&
           stays_apart(m, middle, t1, halvings + 1, time);
}

bool check_pair_stays_apart(const vec3 (*a)[2], int na, const vec3 (*b)[2], int nb, double gap,
                            double *time)
{
    motion m = {.a = {.count = na}, .b = {.count = nb}, .gap = gap};
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < na; i++) m.a.x[i][s] = a[i][s];
        for (int i = 0; i < nb; i++) m.b.x[i][s] = b[i][s];
    }
    if (gap > 0) {
        m.a.rounding = rounding_of(&m.a);
        m.b.rounding = rounding_of(&m.b);
    }
    return stays_apart(&m, 0, 1, 0, time);
}

/* ---- A surface ---- */

typedef struct path_search {
    const check_surface *surface;
    const check_path *path;
    const check_pair *pairs;
    vec3 *x;        /* the positions of a vertex one after the other, unlike in the path */
    int32_t *piece; /* per pair: where it meets, or -1 */
    double *time;
} path_search;

static const vec3 *configurations_of(const path_search *s, int32_t vertex)
{
    return s->x + (size_t)vertex * s->path->configuration_count;
}

static int32_t body_of(const path_search *s, int32_t vertex)
{
    return s->surface->body ? s->surface->body[vertex] : 0;
}

static const check_turn *turn_of(const path_search *s, size_t piece, int32_t vertex)
{
    if (!s->path->turns) return NULL;
    int32_t body = s->path->turns_with ? s->path->turns_with[vertex] : body_of(s, vertex);
    const check_turn *turn = &s->path->turns[piece * s->path->body_count + (size_t)body];
    return turn->turns ? turn : NULL;
}

/* How far the vertex can be from the chord. */
static double bow_of(const path_search *s, const check_turn *turn, int32_t vertex)
{
    double angle = vec3_norm(vec3_sub(turn->theta[1], turn->theta[0]));
    return 3.0 / 16 * angle * angle * vec3_norm(s->path->arms[vertex]) * (1 + 1e-12);
}

static mover mover_of(const path_search *s, size_t piece, const int32_t *v, int count)
{
    mover m = {.count = count};
    for (int i = 0; i < count; i++) {
        m.x[i][0] = configurations_of(s, v[i])[piece];
        m.x[i][1] = configurations_of(s, v[i])[piece + 1];
        m.turn[i] = turn_of(s, piece, v[i]);
        if (!m.turn[i]) continue;
        m.turns = true;
        m.arm[i] = s->path->arms[v[i]];
        m.bow = fmax(m.bow, bow_of(s, m.turn[i], v[i]));
    }
    return m;
}

/* Whether boxes around both primitives on the whole piece are apart, by more than `room`. */
static bool far_apart(const motion *m, double room)
{
    for (int axis = 0; axis < 3; axis++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int side = 0; side < 2; side++) {
            const mover *p = side ? &m->b : &m->a;
            for (int i = 0; i < 2 * p->count; i++) {
                double at = vec3_get(p->x[i / 2][i % 2], axis);
                low[side] = fmin(low[side], at);
                high[side] = fmax(high[side], at);
            }
        }
        if (low[0] > high[1] + room || low[1] > high[0] + room) return true;
    }
    return false;
}

/* Vertices of a pair, and how far apart they have to be. */
typedef struct near_pair {
    int32_t a[3], b[3];
    int na, nb;
    double gap;
    bool turns; /* on some piece */
} near_pair;

static near_pair pair_of(const path_search *s, const check_pair *pair)
{
    near_pair p;
    size_t nb, na = check_pair_vertices(s->surface, pair, p.a, p.b, &nb);
    p.na = (int)na;
    p.nb = (int)nb;
    const double *thickness = s->path->thickness;
    p.gap = thickness ? 0.5 * (thickness[body_of(s, p.a[0])] + thickness[body_of(s, p.b[0])]) : 0;
    p.turns = false;
    for (size_t k = 0; k + 1 < s->path->configuration_count && s->path->turns; k++) {
        for (int i = 0; i < p.na; i++) p.turns = p.turns || turn_of(s, k, p.a[i]);
        for (int i = 0; i < p.nb; i++) p.turns = p.turns || turn_of(s, k, p.b[i]);
    }
    return p;
}

static bool piece_is_free(const path_search *s, const near_pair *p, size_t piece, double *time)
{
    motion m = {
        .a = mover_of(s, piece, p->a, p->na), .b = mover_of(s, piece, p->b, p->nb), .gap = p->gap};
    if (m.gap > 0 || m.a.turns || m.b.turns) {
        m.a.rounding = rounding_of(&m.a);
        m.b.rounding = rounding_of(&m.b);
    }
    double room = (m.gap + m.a.bow + m.b.bow + m.a.rounding + m.b.rounding) * (1 + 1e-12);
    return far_apart(&m, room) || stays_apart(&m, 0, 1, 0, time);
}

/* Whether n separates the pair at a configuration, hence on all straight pieces between such
 * configurations. */
static bool separates_configuration(const path_search *s, const near_pair *p, vec3 n,
                                    size_t configuration)
{
    for (int i = 0; i < p->na; i++)
        for (int j = 0; j < p->nb; j++) {
            vec3 a = configurations_of(s, p->a[i])[configuration],
                 b = configurations_of(s, p->b[j])[configuration];
            vec3 d = vec3_sub(a, b);
            double x = n.x * d.x, y = n.y * d.y, z = n.z * d.z;
            /* certain for three products and their sum; 1e-290 is for those that underflow */
            if (x + y + z > 1e-15 * (fabs(x) + fabs(y) + fabs(z)) + 1e-290) continue;
            const vec3 twice[2][2] = {{a, a}, {b, b}};
            if (check_motion_sign(n, twice[0], twice[1], 0) <= 0) return false;
        }
    return true;
}

static bool separates_range(const path_search *s, const near_pair *p, vec3 n, size_t first,
                            size_t last)
{
    for (size_t k = first; k <= last; k++)
        if (!separates_configuration(s, p, n, k)) return false;
    return true;
}

/* Most pairs that are looked at are not that near: the direction between their centres, which costs
 * nothing, is enough for every second one. */
static vec3 between_centres(const near_pair *p, const vec3 *a, const vec3 *b)
{
    vec3 n = {0, 0, 0};
    for (int i = 0; i < p->na; i++) n = vec3_mul_add(n, 1.0 / p->na, a[i]);
    for (int i = 0; i < p->nb; i++) n = vec3_mul_add(n, -1.0 / p->nb, b[i]);
    return n;
}

/* The same for a range of pieces as for an interval: one direction for all of it, or halves. */
static bool range_is_free(const path_search *s, const near_pair *p, size_t first, size_t last,
                          size_t *piece, double *time)
{
    *piece = first;
    size_t middle = first + (last - first) / 2;
    vec3 a[3], b[3];
    for (int i = 0; i < p->na; i++) a[i] = configurations_of(s, p->a[i])[middle];
    for (int i = 0; i < p->nb; i++) b[i] = configurations_of(s, p->b[i])[middle];
    if (separates_range(s, p, between_centres(p, a, b), first, last)) return true;
    if (last == first + 1) return piece_is_free(s, p, first, time);
    if (separates_range(s, p, gap_direction(a, p->na, b, p->nb), first, last)) return true;
    return range_is_free(s, p, first, middle, piece, time) &&
           range_is_free(s, p, middle, last, piece, time);
}

static bool pieces_are_free(const path_search *s, const near_pair *p, size_t *piece, double *time)
{
    size_t last = s->path->configuration_count - 1;
    if (p->gap == 0 && !p->turns) return range_is_free(s, p, 0, last, piece, time);
    for (*piece = 0; *piece < last; ++*piece)
        if (!piece_is_free(s, p, *piece, time)) return false;
    return true;
}

static void search_pairs(void *context, size_t begin, size_t end)
{
    path_search *s = context;
    for (size_t i = begin; i < end; i++) {
        near_pair p = pair_of(s, &s->pairs[i]);
        size_t piece;
        s->piece[i] = pieces_are_free(s, &p, &piece, &s->time[i]) ? -1 : (int32_t)piece;
    }
}

static abut_status sort_configurations(path_search *s, abut_error *err)
{
    size_t count = s->path->configuration_count, vertices = s->surface->vertex_count;
    s->x = mem_alloc(count * vertices + 1, sizeof *s->x);
    if (!s->x) return error_memory(err, "checking a path");
    for (size_t k = 0; k < count; k++)
        for (size_t v = 0; v < vertices; v++)
            s->x[v * count + k] = s->path->configurations[k * vertices + v];
    return ABUT_OK;
}

/* Boxes of the vertices along the path, with half the thickness. */
static void fill_boxes(const path_search *s, vec3 *low, vec3 *high)
{
    const check_path *path = s->path;
    for (size_t v = 0; v < s->surface->vertex_count; v++) {
        const vec3 *x = configurations_of(s, (int32_t)v);
        low[v] = high[v] = x[0];
        double wide = 0;
        for (size_t k = 1; k < path->configuration_count; k++) {
            low[v] = vec3_min(low[v], x[k]);
            high[v] = vec3_max(high[v], x[k]);
            const check_turn *turn = turn_of(s, k - 1, (int32_t)v);
            if (turn) wide = fmax(wide, bow_of(s, turn, (int32_t)v));
        }
        if (path->thickness) wide += 0.5 * path->thickness[body_of(s, (int32_t)v)];
        wide += 64 * 0x1p-53 * fmax(vec3_max_abs(low[v]), vec3_max_abs(high[v]));
        low[v] = vec3_sub(low[v], vec3_make(wide, wide, wide));
        high[v] = vec3_add(high[v], vec3_make(wide, wide, wide));
    }
}

static abut_status find_pairs(path_search *s, check_pair **pairs, size_t *count, abut_error *err)
{
    size_t n = s->surface->vertex_count;
    vec3 *low = mem_alloc(2 * n + 1, sizeof *low);
    if (!low) return error_memory(err, "checking a path");
    fill_boxes(s, low, low + n);
    abut_status status = check_near_pairs_in(s->surface, low, low + n, pairs, count, err);
    mem_free(low);
    return status;
}

static abut_status search_path(path_search *s, size_t pairs, check_meeting **meetings,
                               size_t *count, abut_error *err)
{
    enum { CHUNK = 256 };
    size_t found = 0;
    s->piece = mem_alloc(pairs + 1, sizeof *s->piece);
    s->time = mem_alloc(pairs + 1, sizeof *s->time);
    if (!s->piece || !s->time) return error_memory(err, "checking a path");
    parallel_for(pairs, CHUNK, search_pairs, s);
    for (size_t i = 0; i < pairs; i++) found += s->piece[i] >= 0;
    check_meeting *out = mem_alloc(found + 1, sizeof *out);
    if (!out) return error_memory(err, "checking a path");
    *meetings = out;
    *count = found;
    for (size_t i = 0; i < pairs; i++)
        if (s->piece[i] >= 0)
            *out++ = (check_meeting){s->pairs[i], (size_t)s->piece[i], s->time[i]};
    return ABUT_OK;
}

abut_status check_along_path(const check_surface *surface, const check_path *path,
                             check_meeting **meetings, size_t *count, size_t *looked_at,
                             abut_error *err)
{
    path_search s = {.surface = surface, .path = path};
    check_pair *pairs = NULL;
    size_t pair_count = 0;
    *meetings = NULL;
    *count = 0;
    if (looked_at) *looked_at = 0;
    for (size_t i = 0; i < path->configuration_count * surface->vertex_count; i++)
        if (!vec3_is_finite(path->configurations[i]))
            return error_set(err, ABUT_ERROR_INPUT, "", "the path of vertex %zu is not finite",
                             i % surface->vertex_count);
    if (path->configuration_count < 2) return ABUT_OK;
    TRY(sort_configurations(&s, err));
    abut_status status = find_pairs(&s, &pairs, &pair_count, err);
    s.pairs = pairs;
    if (status == ABUT_OK) status = search_path(&s, pair_count, meetings, count, err);
    if (looked_at) *looked_at = pair_count;
    mem_free(s.x);
    mem_free(s.piece);
    mem_free(s.time);
    mem_free(pairs);
    return status;
}
