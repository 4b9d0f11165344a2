/* The second part of the toolkit layer: active sets, barrier and friction potentials, stiffness,
 * as a user sees them, and against the solver's own terms. */
#include "base/memory.h"
#include "base/parallel.h"
#include "contact/contact_term.h"
#include "contact/friction_term.h"
#include "solve/problem.h"
#include "support/contact_world.h"
#include "support/evaluation.h"
#include "support/scene_makers.h"

static abut_error err;
static stage_timer timer;

static double largest_of(const double *v, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
    return largest;
}

/* A matrix as a dense one; checks that rows are in order. */
static void make_dense(const abut_matrix *matrix, size_t n, bool upper, double *dense)
{
    abut_csr m = abut_matrix_view(matrix);
    CHECK(m.rows == n);
    CHECK(m.nonzeros == (size_t)m.row_start[n]);
    memset(dense, 0, n * n * sizeof *dense);
    for (size_t i = 0; i < m.rows; i++)
        for (int32_t k = m.row_start[i]; k < m.row_start[i + 1]; k++) {
            size_t j = (size_t)m.columns[k];
            CHECK(k == m.row_start[i] || m.columns[k] > m.columns[k - 1]);
            CHECK(!upper || j >= i);
            dense[n * i + j] = m.values[k];
            if (upper) dense[n * j + i] = m.values[k];
        }
}

/* True when a + eps |a| is positive definite: Cholesky's factorisation exists. */
static bool semi_definite(size_t n, const double *a, double *work)
{
    memcpy(work, a, n * n * sizeof *work);
    double shift = 1e-10 * largest_of(a, n * n);
    for (size_t j = 0; j < n; j++) {
        double d = work[n * j + j] + shift;
        for (size_t k = 0; k < j; k++) d -= work[n * j + k] * work[n * j + k];
        if (!(d > 0)) return false;
        work[n * j + j] = sqrt(d);
        for (size_t i = j + 1; i < n; i++) {
            double s = work[n * i + j];
            for (size_t k = 0; k < j; k++) s -= work[n * i + k] * work[n * j + k];
            work[n * i + j] = s / work[n * j + j];
        }
    }
    return true;
}

static double dense[N * N], other[N * N], scratch[N * N];

/* ---- Active set ----------------------------------------------------------------------------- */

TEST(active_set_is_what_is_close)
{
    world w;
    make_world(&w, 1);
    size_t kinds[4] = {0}, count = abut_active_set_count(w.set);
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        abut_contact c;
        CHECK(abut_active_set_get(w.set, i, &c));
        kinds[c.kind]++;
        double x[12];
        int n = abut_pair_vertex_count(c.kind);
        for (int k = 0; k < n; k++) memcpy(x + 3 * k, w.x + 3 * c.vertices[k], 24);
        double d = sqrt(abut_distance_squared(c.kind, x, NULL, NULL, NULL));
        CHECK_NEAR(c.distance, d, 1e-12);
        CHECK(c.distance < DHAT && c.weight >= 1 && c.mollifier > 0 && c.mollifier <= 1);
        CHECK(n == 4 || c.vertices[n] == -1);
        least = fmin(least, d);
    }
    CHECK(kinds[0] > 0 && kinds[1] > 0 && kinds[2] > 0 && kinds[3] > 0);
    abut_contact c;
    CHECK(!abut_active_set_get(w.set, count, &c));
    CHECK(abut_active_set_min_distance(w.set) == least);
    double distance;
    CHECK_OK(abut_smallest_distance(w.mesh, w.x, 1, &distance, NULL, &err), err);
    CHECK_NEAR(distance, least, 1e-15);
    /* Candidates of a longer reach give the same set. */
    abut_candidates *candidates = NULL;
    CHECK_OK(abut_candidates_create(&candidates, &err), err);
    CHECK_OK(abut_find_candidates(w.mesh, w.x, NULL, 3 * DHAT, candidates, &err), err);
    CHECK_OK(abut_active_set_build(w.set, w.mesh, w.x, DHAT, candidates, NULL, &err), err);
    CHECK(abut_active_set_count(w.set) == count);
    abut_candidates_destroy(candidates);
    free_world(&w);
}

/* ---- Barrier -------------------------------------------------------------------------------- */

static double barrier_at(world *w, const abut_barrier *b, const double *x)
{
    double value = NAN;
    CHECK_OK(abut_active_set_build(w->set, w->mesh, x, DHAT, NULL, NULL, &err), err);
    CHECK_OK(abut_barrier_value(w->set, b, &value, &err), err);
    return value;
}

static void barrier_gradient_at(world *w, const abut_barrier *b, const double *x, double *g)
{
    CHECK_OK(abut_active_set_build(w->set, w->mesh, x, DHAT, NULL, NULL, &err), err);
    CHECK_OK(abut_barrier_gradient(w->set, b, g, &err), err);
}

TEST(barrier_matches_differences)
{
    static const abut_barrier_kind kinds[3] = {ABUT_BARRIER_C2, ABUT_BARRIER_C1, ABUT_BARRIER_C0};
    for (int k = 0; k < 2; k++) { /* C0 jumps where pairs enter the set */
        world w;
        make_world(&w, 2);
        abut_barrier b = {.kind = kinds[k], .stiffness = 1e4, .physical = k == 1};
        double g[N], up[N], down[N], x[N];
        abut_matrix *matrix = NULL;
        CHECK_OK(abut_matrix_create(&matrix, &err), err);
        barrier_gradient_at(&w, &b, w.x, g);
        CHECK_OK(
            abut_barrier_hessian(w.set, &b, &(abut_hessian_options){.exact = true}, matrix, &err),
            err);
        make_dense(matrix, N, false, dense);
        memcpy(x, w.x, sizeof x);
        const double h = 1e-7;
        double scale = largest_of(g, N), curvature = largest_of(dense, (size_t)N * N);
        CHECK(scale > 0 && curvature > 0);
        for (int i = 0; i < N; i++) {
            x[i] = w.x[i] + h;
            double high = barrier_at(&w, &b, x);
            barrier_gradient_at(&w, &b, x, up);
            x[i] = w.x[i] - h;
            double low = barrier_at(&w, &b, x);
            barrier_gradient_at(&w, &b, x, down);
            x[i] = w.x[i];
            CHECK_NEAR((high - low) / (2 * h), g[i], 1e-5 * scale);
            for (int j = 0; j < N; j++)
                CHECK_NEAR((up[j] - down[j]) / (2 * h), dense[N * i + j], 2e-5 * curvature);
        }
        abut_matrix_destroy(matrix);
        free_world(&w);
    }
}

TEST(hessian_forms_agree)
{
    world w;
    make_world(&w, 3);
    abut_barrier b = abut_default_barrier();
    abut_matrix *matrix = NULL;
    CHECK_OK(abut_matrix_create(&matrix, &err), err);
    for (int exact = 0; exact < 2; exact++) {
        abut_hessian_options options = {.exact = exact};
        CHECK_OK(abut_barrier_hessian(w.set, &b, &options, matrix, &err), err);
        make_dense(matrix, N, false, dense);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < i; j++) CHECK(dense[N * i + j] == dense[N * j + i]);
        CHECK(semi_definite(N, dense, scratch) == !exact);
        options.upper = true;
        CHECK_OK(abut_barrier_hessian(w.set, &b, &options, matrix, &err), err);
        make_dense(matrix, N, true, other);
        CHECK(memcmp(dense, other, sizeof dense) == 0);
    }
    abut_matrix_destroy(matrix);
    free_world(&w);
}

/* A radius of matter around the vertices: the barrier begins and ends that much earlier. */
TEST(thickness_moves_the_barrier)
{
    world w;
    make_world(&w, 13);
    double thickness[VERTICES], g[N], x[N];
    for (int v = 0; v < VERTICES; v++) thickness[v] = v < SHEET ? 1e-3 : 2e-3;
    w.definition.thickness = thickness;
    size_t before = abut_active_set_count(w.set);
    abut_collision_mesh_destroy(w.mesh);
    CHECK_OK(abut_collision_mesh_create(&w.definition, &w.mesh, &err), err);
    abut_barrier b = {.kind = ABUT_BARRIER_C2, .stiffness = 1e4};
    barrier_gradient_at(&w, &b, w.x, g);
    CHECK(abut_active_set_count(w.set) >= before);
    size_t between = 0;
    for (size_t i = 0; i < abut_active_set_count(w.set); i++) {
        abut_contact c;
        CHECK(abut_active_set_get(w.set, i, &c));
        CHECK(c.distance > c.thickness && c.distance < c.thickness + DHAT);
        between += fabs(c.thickness - 3e-3) < 1e-15;
    }
    CHECK(between > 0);
    memcpy(x, w.x, sizeof x);
    for (int i = 0; i < N; i += 5) {
        const double h = 1e-7;
        x[i] = w.x[i] + h;
        double high = barrier_at(&w, &b, x);
        x[i] = w.x[i] - h;
        double low = barrier_at(&w, &b, x);
        x[i] = w.x[i];
        CHECK_NEAR((high - low) / (2 * h), g[i], 1e-5 * largest_of(g, N));
    }
    /* Closer than the thickness is as bad as touching. */
    memcpy(x + 3 * PARTICLES, x + 3 * (PARTICLES + 1), 24);
    x[3 * PARTICLES] += 3.9e-3;
    CHECK(abut_active_set_build(w.set, w.mesh, x, DHAT, NULL, NULL, &err) == ABUT_ERROR_INFEASIBLE);
    x[3 * PARTICLES] += 0.2e-3;
    CHECK_OK(abut_active_set_build(w.set, w.mesh, x, DHAT, NULL, NULL, &err), err);
    free_world(&w);
}

TEST(nothing_close_gives_zero)
{
    world w;
    make_world(&w, 3);
    abut_barrier b = abut_default_barrier();
    double value = 1, g[N], spread[N];
    for (int i = 0; i < N; i++) spread[i] = 100 * w.x[i];
    abut_matrix *matrix = NULL;
    CHECK_OK(abut_matrix_create(&matrix, &err), err);
    CHECK(abut_matrix_view(matrix).rows == 0);
    CHECK_OK(abut_active_set_build(w.set, w.mesh, spread, 1e-3, NULL, NULL, &err), err);
    CHECK(abut_active_set_count(w.set) == 0 && isinf(abut_active_set_min_distance(w.set)));
    CHECK_OK(abut_barrier_value(w.set, &b, &value, &err), err);
    CHECK_OK(abut_barrier_gradient(w.set, &b, g, &err), err);
    CHECK_OK(abut_barrier_hessian(w.set, &b, NULL, matrix, &err), err);
    CHECK(value == 0 && largest_of(g, N) == 0);
    CHECK(abut_matrix_view(matrix).rows == N && abut_matrix_view(matrix).nonzeros == 0);
    abut_matrix_destroy(matrix);
    free_world(&w);
}

TEST(same_bits_for_any_number_of_threads)
{
    world w;
    make_world(&w, 4);
    abut_barrier b = abut_default_barrier();
    double g[2][N], value[2];
    abut_matrix *matrix[2] = {NULL, NULL};
    int before = parallel_threads();
    for (int t = 0; t < 2; t++) {
        parallel_set_threads(t ? 4 : 1);
        CHECK_OK(abut_matrix_create(&matrix[t], &err), err);
        value[t] = barrier_at(&w, &b, w.x);
        barrier_gradient_at(&w, &b, w.x, g[t]);
        CHECK_OK(abut_barrier_hessian(w.set, &b, NULL, matrix[t], &err), err);
    }
    parallel_set_threads(before);
    make_dense(matrix[0], N, false, dense);
    make_dense(matrix[1], N, false, other);
    CHECK(value[0] == value[1]);
    CHECK(memcmp(g[0], g[1], sizeof g[0]) == 0);
    CHECK(memcmp(dense, other, sizeof dense) == 0);
    for (int t = 0; t < 2; t++) abut_matrix_destroy(matrix[t]);
    free_world(&w);
}

/* ---- The solver's own terms ----------------------------------------------------------------- */

/* Two boxes on top of each other, as the solver and as the toolkit see them. */
typedef struct twin {
    model *m;
    contact_term *contact;
    friction_term *friction;
    problem p;
    world w;
    size_t vertices, n;
    double *x, *y, *start;
} twin;

static void make_twin(twin *t)
{
    t->m = make_stacked_model(1, 2, 0.02);
    const collision_surface *s = &t->m->surface;
    contact_options options = {.dhat = DHAT};
    CHECK_OK(contact_create(t->m, &options, &t->contact, &err), err);
    CHECK_OK(friction_create(t->contact, 0.3, FRICTION_C1, &t->friction, &err), err);
    CHECK_OK(problem_init(&t->p, model_block_count(t->m), &timer, &err), err);
    CHECK_OK(problem_add_term(&t->p, &t->contact->base, &err), err);
    CHECK_OK(problem_add_term(&t->p, &t->friction->base, &err), err);
    test_evaluation.kappa = 1234;
    t->vertices = s->rows.count;
    t->n = 3 * t->m->rest.count;
    t->x = mem_calloc(t->n, sizeof *t->x);
    t->y = mem_calloc(3 * t->vertices, sizeof *t->y);
    t->start = mem_calloc(3 * t->vertices, sizeof *t->start);
    random_state r = {5};
    for (size_t i = 0; i < t->n; i++)
        t->x[i] = ((double *)t->m->rest.data)[i] + random_range(&r, -0.002, 0.002);
    abut_collision_mesh_definition *d = &t->w.definition;
    *d = abut_default_collision_mesh();
    double *rest = mem_calloc(3 * t->vertices, sizeof *rest);
    for (size_t v = 0; v < t->vertices; v++) {
        size_t block = (size_t)s->rows.data[v].block;
        memcpy(t->y + 3 * v, t->x + 3 * block, 24);
        memcpy(rest + 3 * v, &t->m->rest.data[block], 24);
    }
    d->vertex_count = t->vertices;
    d->triangles = s->triangles.data;
    d->triangle_count = s->triangles.count / 3;
    d->rest = rest;
    CHECK_OK(abut_collision_mesh_create(d, &t->w.mesh, &err), err);
    CHECK_OK(abut_active_set_create(&t->w.set, &err), err);
    CHECK_OK(abut_active_set_build(t->w.set, t->w.mesh, t->y, DHAT, NULL, NULL, &err), err);
    mem_free(rest);
}

static void free_twin(twin *t)
{
    problem_free(&t->p);
    t->friction->base.class->destroy(&t->friction->base);
    t->contact->base.class->destroy(&t->contact->base);
    free_model(t->m);
    free_world(&t->w);
    mem_free(t->x);
    mem_free(t->y);
    mem_free(t->start);
}

/* A matrix of the toolkit against that of the problem, entry by entry, in both directions by count.
 */
static void compare_matrices(const twin *t, const abut_matrix *matrix, double tolerance)
{
    abut_csr m = abut_matrix_view(matrix);
    const surface_row *rows = t->m->surface.rows.data;
    double scale = largest_of(m.values, m.nonzeros), sum = 0, expected = 0;
    CHECK(scale > 0);
    for (size_t i = 0; i < m.rows; i++)
        for (int32_t k = m.row_start[i]; k < m.row_start[i + 1]; k++) {
            int32_t a = 3 * rows[i / 3].block + (int32_t)i % 3;
            int32_t b = 3 * rows[m.columns[k] / 3].block + m.columns[k] % 3;
            int32_t row = a > b ? a : b, column = a > b ? b : a;
            int32_t slot = block_matrix_find(&t->p.matrix, row / 3, column / 3);
            CHECK(slot >= 0);
            if (slot < 0) continue;
            size_t at = block_matrix_offset(&t->p.matrix, column / 3, slot) +
                        (size_t)(column % 3 * block_matrix_stride(&t->p.matrix, column / 3)) +
                        (size_t)(row % 3);
            CHECK_NEAR(m.values[k], t->p.matrix.value[at], tolerance * scale);
            sum += fabs(m.values[k]);
        }
    const block_matrix *q = &t->p.matrix;
    for (int32_t j = 0; j < 3 * q->size; j++)
        for (int32_t k = q->scalar_start[j]; k < q->scalar_start[j + 1]; k++)
            if (q->scalar_row[k] >= j)
                expected += (q->scalar_row[k] > j ? 2 : 1) * fabs(q->value[k]);
    CHECK_NEAR(sum, expected, 1e-9 * expected);
}

TEST(barrier_is_the_solver_s)
{
    twin t = {0};
    make_twin(&t);
    test_evaluation.without = term_bit(&t.friction->base);
    CHECK_OK(problem_update(&t.p, &test_evaluation, t.x, &err), err);
    CHECK_OK(problem_derivatives(&t.p, &test_evaluation, t.x, true, &err), err);
    CHECK(contact_count(t.contact) > 20);
    CHECK(abut_active_set_count(t.w.set) == contact_count(t.contact));
    abut_barrier b = {.kind = ABUT_BARRIER_C2, .stiffness = 1234};
    double value, *g = mem_calloc(3 * t.vertices, sizeof *g);
    CHECK_OK(abut_barrier_value(t.w.set, &b, &value, &err), err);
    CHECK_NEAR(value, problem_value(&t.p, &test_evaluation, t.x), 1e-14 * value);
    CHECK_OK(abut_barrier_gradient(t.w.set, &b, g, &err), err);
    double scale = largest_of(g, 3 * t.vertices);
    for (size_t v = 0; v < t.vertices; v++)
        for (size_t i = 0; i < 3; i++)
            CHECK_NEAR(g[3 * v + i], t.p.gradient[3 * (size_t)t.m->surface.rows.data[v].block + i],
                       1e-14 * scale);
    abut_matrix *matrix = NULL;
    CHECK_OK(abut_matrix_create(&matrix, &err), err);
    CHECK_OK(abut_barrier_hessian(t.w.set, &b, NULL, matrix, &err), err);
    compare_matrices(&t, matrix, 1e-14);
    abut_matrix_destroy(matrix);
    mem_free(g);
    free_twin(&t);
}

TEST(friction_is_the_solver_s)
{
    twin t = {0};
    make_twin(&t);
    random_state r = {6};
    const double eps = 1e-4;
    /* Lagged at the present positions; the path to them began elsewhere. */
    double *x_start = mem_calloc(t.n, sizeof *x_start);
    for (size_t i = 0; i < t.n; i++) x_start[i] = t.x[i] + random_range(&r, -2e-4, 2e-4);
    for (size_t v = 0; v < t.vertices; v++)
        memcpy(t.start + 3 * v, x_start + 3 * (size_t)t.m->surface.rows.data[v].block, 24);
    t.friction->eps = eps;
    test_evaluation.without = 0;
    CHECK_OK(problem_update(&t.p, &test_evaluation, t.x, &err), err);
    friction_set_start(t.friction, x_start);
    CHECK_OK(friction_lag(t.friction, test_evaluation.kappa, &err), err);
    test_evaluation.without = term_bit(&t.contact->base);
    CHECK_OK(problem_update(&t.p, &test_evaluation, t.x, &err), err);
    CHECK_OK(problem_derivatives(&t.p, &test_evaluation, t.x, true, &err), err);
    abut_friction *f = NULL;
    abut_barrier b = {.kind = ABUT_BARRIER_C2, .stiffness = 1234};
    CHECK_OK(abut_friction_create(&f, &err), err);
    CHECK_OK(abut_friction_lag(f, t.w.set, &b, &(abut_friction_options){.coefficient = 0.3}, &err),
             err);
    abut_friction_law law = {.kind = ABUT_FRICTION_C1, .eps = eps};
    double value, *g = mem_calloc(3 * t.vertices, sizeof *g);
    CHECK_OK(abut_friction_value(f, &law, t.start, t.y, &value, &err), err);
    CHECK(value > 0);
    CHECK_NEAR(value, problem_value(&t.p, &test_evaluation, t.x), 1e-13 * value);
    CHECK_OK(abut_friction_gradient(f, &law, t.start, t.y, g, &err), err);
    double scale = largest_of(g, 3 * t.vertices);
    CHECK(scale > 0);
    for (size_t v = 0; v < t.vertices; v++)
        for (size_t i = 0; i < 3; i++)
            CHECK_NEAR(g[3 * v + i], t.p.gradient[3 * (size_t)t.m->surface.rows.data[v].block + i],
                       1e-13 * scale);
    abut_matrix *matrix = NULL;
    CHECK_OK(abut_matrix_create(&matrix, &err), err);
    CHECK_OK(abut_friction_hessian(f, &law, t.start, t.y, NULL, matrix, &err), err);
    compare_matrices(&t, matrix, 1e-13);
    abut_matrix_destroy(matrix);
    abut_friction_destroy(f);
    mem_free(g);
    mem_free(x_start);
    free_twin(&t);
}

/* ---- Friction ------------------------------------------------------------------------------- */

TEST(friction_matches_differences)
{
    world w;
    make_world(&w, 7);
    random_state r = {8};
    abut_friction *f = NULL;
    abut_matrix *matrix = NULL;
    abut_barrier b = {.kind = ABUT_BARRIER_C2, .stiffness = 1e3};
    CHECK_OK(abut_friction_create(&f, &err), err);
    CHECK_OK(abut_matrix_create(&matrix, &err), err);
    CHECK_OK(abut_friction_lag(f, w.set, &b, &(abut_friction_options){.coefficient = 0.5}, &err),
             err);
    CHECK(abut_friction_count(f) > 0);
    double x[N], g[N], up[N], down[N];
    for (int i = 0; i < N; i++) x[i] = w.x[i] + random_range(&r, -1e-3, 1e-3);
    for (int k = 0; k < 3; k++) {
        abut_friction_law law = {.kind = (abut_friction_kind)k, .eps = 1e-3};
        CHECK_OK(abut_friction_gradient(f, &law, w.x, x, g, &err), err);
        CHECK_OK(abut_friction_hessian(f, &law, w.x, x, NULL, matrix, &err), err);
        make_dense(matrix, N, false, dense);
        CHECK(semi_definite(N, dense, scratch));
        if (k == ABUT_FRICTION_C0) continue; /* its force has a kink at eps */
        double scale = largest_of(g, N), curvature = largest_of(dense, (size_t)N * N);
        const double h = 1e-9;
        for (int i = 0; i < N; i++) {
            double keep = x[i], high, low;
            x[i] = keep + h;
            CHECK_OK(abut_friction_value(f, &law, w.x, x, &high, &err), err);
            CHECK_OK(abut_friction_gradient(f, &law, w.x, x, up, &err), err);
            x[i] = keep - h;
            CHECK_OK(abut_friction_value(f, &law, w.x, x, &low, &err), err);
            CHECK_OK(abut_friction_gradient(f, &law, w.x, x, down, &err), err);
            x[i] = keep;
            CHECK_NEAR((high - low) / (2 * h), g[i], 1e-4 * scale);
            for (int j = 0; j < N; j++)
                CHECK_NEAR((up[j] - down[j]) / (2 * h), dense[N * i + j], 1e-4 * curvature);
        }
    }
    abut_matrix_destroy(matrix);
    abut_friction_destroy(f);
    free_world(&w);
}

/* One point sliding over a triangle: the force is that of Coulomb's cone. */
TEST(friction_stays_in_the_cone)
{
    const double x[12] = {0.2, 0.02, 0.2, 0, 0, 0, 0, 0, 1, 1, 0, 0};
    const int32_t triangle[3] = {1, 2, 3}, group[4] = {0, 1, 1, 1};
    abut_collision_mesh_definition d = abut_default_collision_mesh();
    d.vertex_count = 4;
    d.triangles = triangle;
    d.triangle_count = 1;
    d.rest = x;
    d.group = group;
    d.group_count = 2;
    abut_collision_mesh *surface = NULL;
    abut_active_set *set = NULL;
    abut_friction *f = NULL;
    CHECK_OK(abut_collision_mesh_create(&d, &surface, &err), err);
    CHECK_OK(abut_active_set_create(&set, &err), err);
    CHECK_OK(abut_active_set_build(set, surface, x, DHAT, NULL, NULL, &err), err);
    CHECK(abut_active_set_count(set) == 1);
    abut_barrier b = {.kind = ABUT_BARRIER_C2, .stiffness = 1e6};
    double normal[12];
    CHECK_OK(abut_barrier_gradient(set, &b, normal, &err), err);
    CHECK(normal[1] < 0 && fabs(normal[0]) < 1e-9 * -normal[1]);
    CHECK_OK(abut_friction_create(&f, &err), err);
    const double mu[4] = {0, 0.7, 0.7, 0};
    CHECK_OK(
        abut_friction_lag(f, set, &b, &(abut_friction_options){.group_coefficients = mu}, &err),
        err);
    abut_friction_contact c;
    CHECK(abut_friction_get(f, 0, &c) && !abut_friction_get(f, 1, &c));
    CHECK(abut_friction_count(f) == 1);
    CHECK_NEAR(c.force, 0.7 * -normal[1], 1e-12 * c.force);
    CHECK_NEAR(c.weights[0] + c.weights[1] + c.weights[2] + c.weights[3], 0, 1e-14);
    const double eps = 1e-3;
    for (int k = 0; k < 3; k++)
        for (int far = 0; far < 6; far++) {
            double slide = eps * (double[]){0.001, 0.3, 0.9, 1, 1.5, 20}[far], moved[12], g[12];
            memcpy(moved, x, sizeof x);
            moved[0] += 0.6 * slide;
            moved[2] += 0.8 * slide;
            moved[1] += 0.3; /* along the normal: does not matter */
            abut_friction_law law = {.kind = (abut_friction_kind)k, .eps = eps};
            CHECK_OK(abut_friction_gradient(f, &law, x, moved, g, &err), err);
            double force = hypot(g[0], g[2]);
            CHECK(force <= c.force * (1 + 1e-12));
            if (slide >= eps) CHECK_NEAR(force, c.force, 1e-12 * c.force);
            if (slide < 0.5 * eps) CHECK(force < 0.8 * c.force);
            CHECK_NEAR(g[1], 0, 1e-12 * c.force);
            CHECK(g[0] > 0 && fabs(g[2] / g[0] - 0.8 / 0.6) < 1e-9); /* against the motion */
            for (int i = 0; i < 3; i++)                              /* action and reaction */
                CHECK_NEAR(g[i] + g[3 + i] + g[6 + i] + g[9 + i], 0, 1e-12 * c.force);
        }
    abut_friction_destroy(f);
    abut_active_set_destroy(set);
    abut_collision_mesh_destroy(surface);
}

/* ---- Maps ----------------------------------------------------------------------------------- */

/* Two corners of the world's vertices each follow two of fewer unknowns, and an offset. */
TEST(derivatives_are_pulled_back_through_a_map)
{
    enum { DOFS = 60 };
    world w;
    make_world(&w, 9);
    random_state r = {10};
    static int32_t start[N + 1], columns[2 * N];
    static double values[2 * N], offset[N], q[DOFS], jacobian[N * DOFS];
    memset(jacobian, 0, sizeof jacobian);
    for (int i = 0; i < DOFS; i++) q[i] = random_range(&r, -1, 1);
    for (int i = 0; i < N; i++) {
        start[i + 1] = 2 * (i + 1);
        double sum = 0;
        for (int k = 0; k < 2; k++) {
            int32_t c = (int32_t)(random_unit(&r) * DOFS); /* may be twice the same */
            columns[2 * i + k] = c;
            values[2 * i + k] = random_range(&r, -1, 1);
            jacobian[i * DOFS + c] += values[2 * i + k];
            sum += values[2 * i + k] * q[c];
        }
        offset[i] = w.x[i] - sum;
    }
    w.definition.dof_count = DOFS;
    w.definition.map_row_start = start;
    w.definition.map_columns = columns;
    w.definition.map_values = values;
    w.definition.map_offset = offset;
    abut_collision_mesh *mapped = NULL;
    CHECK_OK(abut_collision_mesh_create(&w.definition, &mapped, &err), err);
    CHECK(abut_collision_mesh_dofs(mapped) == DOFS);
    CHECK(abut_collision_mesh_dofs(w.mesh) == N);
    double y[N], plain[N], g[N], expected[DOFS] = {0};
    abut_collision_mesh_positions(mapped, q, y);
    for (int i = 0; i < N; i++) CHECK_NEAR(y[i], w.x[i], 1e-14);
    abut_collision_mesh_positions(w.mesh, y, plain);
    CHECK(memcmp(y, plain, sizeof y) == 0);

    abut_barrier b = abut_default_barrier();
    abut_matrix *matrix = NULL;
    CHECK_OK(abut_matrix_create(&matrix, &err), err);
    barrier_gradient_at(&w, &b, y, plain);
    CHECK_OK(abut_barrier_hessian(w.set, &b, NULL, matrix, &err), err);
    make_dense(matrix, N, false, dense);
    CHECK_OK(abut_active_set_build(w.set, mapped, y, DHAT, NULL, NULL, &err), err);
    CHECK_OK(abut_barrier_gradient(w.set, &b, g, &err), err);
    for (int i = 0; i < N; i++)
        for (int c = 0; c < DOFS; c++) expected[c] += jacobian[i * DOFS + c] * plain[i];
    double scale = largest_of(expected, DOFS);
    CHECK(scale > 0);
    for (int c = 0; c < DOFS; c++) CHECK_NEAR(g[c], expected[c], 1e-12 * scale);
    for (int upper = 0; upper < 2; upper++) {
        CHECK_OK(
            abut_barrier_hessian(w.set, &b, &(abut_hessian_options){.upper = upper}, matrix, &err),
            err);
        make_dense(matrix, DOFS, upper, other);
        CHECK(semi_definite(DOFS, other, scratch));
        double largest = largest_of(other, (size_t)DOFS * DOFS);
        for (int c = 0; c < DOFS; c++)
            for (int d = 0; d < DOFS; d++) {
                double sum = 0;
                for (int i = 0; i < N; i++)
                    for (int j = 0; jacobian[i * DOFS + c] != 0 && j < N; j++)
                        sum += jacobian[i * DOFS + c] * dense[N * i + j] * jacobian[j * DOFS + d];
                CHECK_NEAR(other[DOFS * c + d], sum, 1e-11 * largest);
            }
    }
    abut_matrix_destroy(matrix);
    abut_collision_mesh_destroy(mapped);
    free_world(&w);
}

int main(void)
{
    RUN(active_set_is_what_is_close);
    RUN(barrier_matches_differences);
    RUN(hessian_forms_agree);
    RUN(thickness_moves_the_barrier);
    RUN(nothing_close_gives_zero);
    RUN(same_bits_for_any_number_of_threads);
    RUN(barrier_is_the_solver_s);
    RUN(friction_is_the_solver_s);
    RUN(friction_matches_differences);
    RUN(friction_stays_in_the_cone);
    RUN(derivatives_are_pulled_back_through_a_map);
    return TEST_END();
}
