/* Candidates that are used for longer: a path that the cover contains keeps near it, and no pair
 * that is left out comes within dhat. Checked by sampling positions. */
#include "test.h"

#include "base/random.h"
#include "contact/near_pairs.h"
#include "contact/pair_geometry.h"

enum { RIGID = 4, SOFT = 2, PER_BODY = 4, BODIES = RIGID + SOFT, VERTICES = BODIES * PER_BODY };
enum { SCALARS = 6 * RIGID + 3 * SOFT * PER_BODY, SAMPLES = 24 };

static abut_error err;

static vec3 random_vec3(random_state *r, double size)
{
    double x = random_range(r, -size, size), y = random_range(r, -size, size);
    return vec3_make(x, y, random_range(r, -size, size));
}

/* Tetrahedra: rigid ones, then some whose vertices are nodes. */
static void make_surface(random_state *r, collision_surface *s, double *x)
{
    static const int32_t edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    static const int32_t faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    memset(s, 0, sizeof *s);
    for (int b = 0; b < BODIES; b++) {
        vec3 center = random_vec3(r, 0.6);
        int32_t first = PER_BODY * b, frame = -1, block = 2 * b;
        if (b < RIGID) {
            CHECK_OK(surface_add_pose(s, block, &frame, &err), err);
            vec3_store(x + 3 * block, center);
            vec3_store(x + 3 * block + 3, random_vec3(r, 2));
        }
        for (int k = 0; k < PER_BODY; k++) {
            vec3 arm = random_vec3(r, 0.4);
            int32_t node = 2 * RIGID + PER_BODY * (b - RIGID) + k;
            if (b >= RIGID) vec3_store(x + 3 * node, vec3_add(center, arm));
            CHECK_OK(b < RIGID ? surface_add_rigid(s, frame, arm, &err)
                               : surface_add_node(s, node, &err),
                     err);
            CHECK(array_push(&s->vertex_body, b));
        }
        for (int k = 0; k < 6; k++)
            for (int c = 0; c < 2; c++) CHECK(array_push(&s->edges, first + edges[k][c]));
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++) CHECK(array_push(&s->triangles, first + faces[k][c]));
    }
}

/* All pairs of different bodies. */
static void all_pairs(candidate_set *set)
{
    array_clear(&set->vt);
    array_clear(&set->ee);
    for (int32_t v = 0; v < VERTICES; v++)
        for (int32_t t = 0; t < 4 * BODIES; t++)
            if (v / PER_BODY != t / 4) CHECK(array_push(&set->vt, ((index_pair){v, t})));
    for (int32_t a = 0; a < 6 * BODIES; a++)
        for (int32_t b = a + 1; b < 6 * BODIES; b++)
            if (a / 6 != b / 6) CHECK(array_push(&set->ee, ((index_pair){a, b})));
}

typedef struct path {
    double x[SCALARS], p[SCALARS];
    vec3 y[VERTICES], dy[VERTICES];
    coordinate_path path;
} path;

static void make_path(random_state *r, const collision_surface *s, path *w, double size)
{
    for (int k = 0; k < SCALARS; k++) w->p[k] = random_range(r, -size, size);
    collision_surface_positions(s, w->x, w->y);
    collision_surface_directions(s, w->p, w->dy);
    w->path = (coordinate_path){w->x, w->p, w->y, w->dy, random_range(r, 0.5, 1)};
}

static void positions_at(const collision_surface *s, const path *w, double at, vec3 *y)
{
    double x[SCALARS];
    for (int k = 0; k < SCALARS; k++) x[k] = w->x[k] + at * w->p[k];
    collision_surface_positions(s, x, y);
}

/* Least distance of a pair at sampled moments of a path. */
static double least_distance(const collision_surface *s, const path *w, ccd_kind kind,
                             index_pair pair)
{
    double least = INFINITY;
    int32_t v[4];
    pair_vertices(s, kind, pair, v);
    for (int n = 0; n <= SAMPLES; n++) {
        vec3 y[VERTICES], x[4];
        positions_at(s, w, w->path.limit * n / SAMPLES, y);
        for (int k = 0; k < 4; k++) x[k] = y[v[k]];
        least = fmin(least, sqrt(pair_distance2(kind, x)));
    }
    return least;
}

/* Pairs that are not in the choice; counts those, and those that are. */
static void check_left_out(const collision_surface *s, const path *w, ccd_kind kind,
                           const pair_list *all, const pair_list *near, double dhat,
                           size_t count[2])
{
    size_t at = 0;
    for (size_t i = 0; i < all->count; i++) {
        bool chosen = at < near->count && near->data[at].first == all->data[i].first &&
                      near->data[at].second == all->data[i].second;
        at += chosen;
        count[chosen]++;
        if (!chosen) CHECK(least_distance(s, w, kind, all->data[i]) >= dhat);
    }
    CHECK(at == near->count);
}

TEST(pairs_that_are_left_out_stay_apart)
{
    random_state r = {.state = 11};
    size_t count[2] = {0};
    for (int n = 0; n < 40; n++) {
        collision_surface s;
        path base = {0}, later;
        swept_cover t;
        near_pairs near;
        candidate_set all = {0};
        const double dhat = 0.05;
        make_surface(&r, &s, base.x);
        make_path(&r, &s, &base, 0.1);
        CHECK_OK(swept_cover_create(&t, &s, &err), err);
        swept_cover_set(&t, &base.path);
        CHECK_OK(near_pairs_create(&near, &t, dhat, &err), err);
        all_pairs(&all);
        CHECK_OK(near_pairs_set(&near, &all, &err), err);
        for (int k = 0; k < 3; k++) { /* the choices must not depend on earlier ones */
            later = base;
            for (int i = 0; i < SCALARS; i++) later.x[i] += random_range(&r, -0.1, 0.1);
            make_path(&r, &s, &later, 0.2 * k);
            CHECK_OK(near_pairs_choose(&near, &later.path, &err), err);
            check_left_out(&s, &later, CCD_POINT_TRIANGLE, &all.vt, &near.near.vt, dhat, count);
            check_left_out(&s, &later, CCD_EDGE_EDGE, &all.ee, &near.near.ee, dhat, count);
        }
        near_pairs_free(&near);
        swept_cover_free(&t);
        candidate_set_free(&all);
        collision_surface_free(&s);
    }
    printf("  left out %zu, near %zu\n", count[0], count[1]);
    CHECK(count[0] > count[1] / 4 && count[1] > 0);
}

/* Largest distance of a vertex from where it is in the cover at the best of many moments. */
static double off_cover(const collision_surface *s, const path *base, const vec3 *y)
{
    double best = INFINITY;
    for (int n = 0; n <= 400; n++) {
        vec3 on[VERTICES];
        double largest = 0;
        positions_at(s, base, base->path.limit * n / 400, on);
        for (int v = 0; v < VERTICES; v++)
            largest = fmax(largest, vec3_norm(vec3_sub(y[v], on[v])));
        best = fmin(best, largest);
    }
    return best;
}

TEST(paths_that_are_covered_keep_near)
{
    random_state r = {.state = 3};
    int covered = 0, refused = 0;
    for (int n = 0; n < 300; n++) {
        collision_surface s;
        path base = {0}, later;
        swept_cover t;
        make_surface(&r, &s, base.x);
        make_path(&r, &s, &base, 0.3);
        CHECK_OK(swept_cover_create(&t, &s, &err), err);
        swept_cover_set(&t, &base.path);
        /* Some of the path is done, the rest nearly along it, or a little from there. */
        double gone = random_range(&r, 0, base.path.limit), slip = random_range(&r, 0, 0.05);
        double rest = n % 2 ? base.path.limit - gone : random_range(&r, 0, 0.1);
        later = base;
        for (int i = 0; i < SCALARS; i++) {
            later.x[i] += gone * base.p[i] + random_range(&r, -slip, slip);
            later.p[i] = rest * base.p[i] + random_range(&r, -slip, slip);
        }
        collision_surface_positions(&s, later.x, later.y);
        collision_surface_directions(&s, later.p, later.dy);
        later.path = (coordinate_path){later.x, later.p, later.y, later.dy, 1};
        const double reach = 0.1;
        bool is_covered = swept_cover_contains(&t, &later.path, reach);
        covered += is_covered;
        refused += !is_covered;
        double largest = 0;
        for (int k = 0; k <= SAMPLES; k++) {
            vec3 y[VERTICES];
            positions_at(&s, &later, (double)k / SAMPLES, y);
            largest = fmax(largest, off_cover(&s, &base, y));
        }
        if (is_covered) CHECK(largest <= reach + 1e-3); /* moments are sampled */
        swept_cover_free(&t);
        collision_surface_free(&s);
    }
    printf("  covered %d, refused %d\n", covered, refused);
    CHECK(covered > 50 && refused > 50);
}

int main(void)
{
    RUN(pairs_that_are_left_out_stay_apart);
    RUN(paths_that_are_covered_keep_near);
    return TEST_END();
}
