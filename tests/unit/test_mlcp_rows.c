/* The complementarity problem alone: random positive definite matrices and random rows, against all
 * active sets tried one by one, and with friction against its conditions, summed up here. */
#include "test.h"

#include "base/random.h"
#include "mlcp/solver.h"
#include "support/mlcp_options.h"

static abut_error err;

enum { BLOCKS = 5, N = 3 * BLOCKS, MOST = 9 };
static const double TOLERANCE = 1e-7;

/* A problem outside of any scene: vertices are blocks. */
typedef struct small_problem {
    model model;
    problem problem;
    mlcp_solver solver;
    double a[N][N], b[N];
} small_problem;

static small_problem *new_problem(random_state *r, mlcp_preconditioner kind)
{
    small_problem *p = mem_calloc(1, sizeof *p);
    mlcp_solver *s = &p->solver;
    double m[N][N];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) m[i][k] = random_range(r, -1, 1);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            p->a[i][k] = i == k ? 0.5 : 0;
            for (int l = 0; l < N; l++) p->a[i][k] += 0.3 * m[i][l] * m[k][l];
        }
    p->model.surface.rows.count = BLOCKS;
    s->model = &p->model;
    s->problem = &p->problem;
    s->options = mlcp_test_options();
    s->options.tolerance = TOLERANCE;
    s->options.residual = 1e-10;
    s->options.preconditioner = kind;
    s->options.max_iterations = 200000;
    s->n = N;
    s->b = mem_calloc(N, sizeof *s->b);
    s->u = mem_calloc(N, sizeof *s->u);
    s->diagonal = mem_calloc(N, sizeof *s->diagonal);
    s->scratch = mem_calloc(N, sizeof *s->scratch);
    for (int i = 0; i < N; i++) {
        s->b[i] = p->b[i] = random_range(r, -1, 1);
        s->diagonal[i] = p->a[i][i];
    }
    mlcp_matrix *matrix = &s->matrix;
    matrix->size = BLOCKS;
    CHECK(array_resize(&matrix->start, BLOCKS + 1));
    CHECK(array_resize(&matrix->column, BLOCKS * BLOCKS));
    CHECK(array_resize(&matrix->value, 9 * BLOCKS * BLOCKS));
    for (int i = 0; i <= BLOCKS; i++) matrix->start.data[i] = BLOCKS * i;
    for (int i = 0; i < BLOCKS * BLOCKS; i++) {
        matrix->column.data[i] = i % BLOCKS;
        for (int k = 0; k < 9; k++)
            matrix->value.data[9 * i + k] =
                p->a[3 * (i / BLOCKS) + k / 3][3 * (i % BLOCKS) + k % 3];
    }
    return p;
}

static void free_problem(small_problem *p)
{
    mlcp_solver *s = &p->solver;
    array_free(&s->contacts);
    mlcp_matrix_free(&s->matrix);
    mem_free(s->b);
    mem_free(s->u);
    mem_free(s->diagonal);
    mem_free(s->scratch);
    for (int k = 0; k < 2 * MLCP_VECTORS; k++) array_free(&s->cr.memory[k]);
    array_free(&s->cr.products);
    array_free(&s->index.start);
    array_free(&s->index.contacts);
    array_free(&s->index.mark);
    mem_free(p);
}

static vec3 random_direction(random_state *r)
{
    vec3 v;
    do v = (vec3){random_range(r, -1, 1), random_range(r, -1, 1), random_range(r, -1, 1)};
    while (vec3_norm2(v) < 0.01);
    return vec3_normalize(v);
}

static mlcp_contact random_contact(random_state *r, double mu)
{
    mlcp_contact c = {.kind = CCD_EDGE_EDGE,
                      .count = 4,
                      .normal = random_direction(r),
                      .gap0 = random_range(r, -0.5, 0.5),
                      .mu = mu,
                      .slide.turn = 0.01};
    double first = random_range(r, 0, 1), second = random_range(r, 0, 1);
    int at = (int)random_range(r, 0, BLOCKS - 1e-9);
    for (int k = 0; k < 4; k++) {
        c.vertex[k] = c.unknown[k] = (at + k) % BLOCKS;
        c.weight[k] = k < 2 ? (k ? 1 - first : first) : (k == 3 ? second - 1 : -second);
    }
    if (random_range(r, 0, 1) < 0.3) { /* a vertex against something that does not move */
        c.weight[0] = 1;
        for (int k = 1; k < 4; k++) {
            c.weight[k] = 0;
            c.unknown[k] = -1;
        }
    }
    mlcp_set_tangents(&c, (vec3){1, 0, 0});
    return c;
}

static void row_of(const mlcp_contact *c, vec3 direction, double row[N])
{
    memset(row, 0, N * sizeof *row);
    for (int k = 0; k < c->count; k++) {
        if (c->unknown[k] < 0) continue;
        row[3 * c->unknown[k]] += c->weight[k] * direction.x;
        row[3 * c->unknown[k] + 1] += c->weight[k] * direction.y;
        row[3 * c->unknown[k] + 2] += c->weight[k] * direction.z;
    }
}

static double product(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < N; i++) sum += a[i] * b[i];
    return sum;
}

/* Gauss with pivots; false for a singular matrix. */
static bool solve_dense(int n, double a[][N + MOST], double *x)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        if (fabs(a[best][k]) < 1e-10) return false;
        for (int j = 0; j < n; j++) {
            double t = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = t;
        }
        double t = x[k];
        x[k] = x[best];
        x[best] = t;
        for (int i = k + 1; i < n; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) a[i][j] -= f * a[k][j];
            x[i] -= f * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= a[k][j] * x[j];
        x[k] /= a[k][k];
    }
    return true;
}

/* The minimiser of u.Au/2 - b.u with all gaps at least 0: every set of active rows is tried. */
static bool reference(const small_problem *p, double u[N])
{
    int rows = (int)p->solver.contacts.count;
    double row[MOST][N];
    for (int k = 0; k < rows; k++)
        row_of(&p->solver.contacts.data[k], p->solver.contacts.data[k].normal, row[k]);
    for (int set = 0; set < 1 << rows; set++) {
        static double a[N + MOST][N + MOST];
        double x[N + MOST];
        int n = N;
        memset(a, 0, sizeof a);
        for (int i = 0; i < N; i++) {
            memcpy(a[i], p->a[i], sizeof p->a[i]);
            x[i] = p->b[i];
        }
        for (int k = 0; k < rows; k++) {
            if (!(set >> k & 1)) continue;
            for (int i = 0; i < N; i++) {
                a[i][n] = -row[k][i];
                a[n][i] = row[k][i];
            }
            x[n++] = -p->solver.contacts.data[k].gap0;
        }
        if (!solve_dense(n, a, x)) continue;
        bool good = true;
        for (int i = N; i < n; i++) good = good && x[i] >= -1e-12;
        for (int k = 0; k < rows; k++)
            good = good && product(row[k], x) + p->solver.contacts.data[k].gap0 >= -1e-9;
        if (!good) continue;
        memcpy(u, x, N * sizeof *u);
        return true;
    }
    return false;
}

TEST(random_problems_without_friction)
{
    random_state r = {11};
    int solved = 0, compared = 0;
    for (int trial = 0; trial < 400; trial++) {
        small_problem *p = new_problem(&r, trial % 2 ? MLCP_DIAGONAL : MLCP_FULL);
        int rows = 1 + trial % (MOST - 1);
        for (int k = 0; k < rows; k++)
            CHECK(array_push(&p->solver.contacts, random_contact(&r, 0)));
        bool converged;
        int iterations;
        double u[N];
        CHECK_OK(mlcp_solve_rows(&p->solver, &converged, &iterations, &err), err);
        solved += converged;
        if (converged && reference(p, u)) {
            compared++;
            for (int i = 0; i < N; i++) CHECK_NEAR(p->solver.u[i], u[i], 1e-5);
        }
        free_problem(p);
    }
    CHECK(solved == 400);
    CHECK(compared > 390);
}

/* Rows that are there several times have no unique multipliers, but the same displacements; with Z
 * they cost little more. */
TEST(duplicated_rows)
{
    random_state r = {12};
    long once = 0, thrice = 0;
    for (int trial = 0; trial < 100; trial++) {
        random_state copy = r;
        double first[N];
        for (int times = 1; times <= 3; times += 2) {
            r = copy;
            small_problem *p = new_problem(&r, MLCP_FULL);
            for (int k = 0; k < 3; k++) {
                mlcp_contact c = random_contact(&r, 0);
                for (int t = 0; t < times; t++) CHECK(array_push(&p->solver.contacts, c));
            }
            bool converged;
            int iterations;
            CHECK_OK(mlcp_solve_rows(&p->solver, &converged, &iterations, &err), err);
            CHECK(converged);
            *(times == 1 ? &once : &thrice) += iterations;
            for (int i = 0; i < N; i++) {
                if (times == 1) first[i] = p->solver.u[i];
                CHECK_NEAR(p->solver.u[i], first[i], 1e-5);
            }
            free_problem(p);
        }
    }
    CHECK(thrice < 2 * once);
}

/* Conditions of a solution, from the matrix and the rows. */
static void check_conditions(const small_problem *p)
{
    const mlcp_solver *s = &p->solver;
    double residual[N], norm = 0, size = 0;
    for (int i = 0; i < N; i++) residual[i] = p->b[i] - product(p->a[i], s->u);
    for (size_t k = 0; k < s->contacts.count; k++) {
        const mlcp_contact *c = &s->contacts.data[k];
        double normal[N], tangent[2][N], slip[2];
        row_of(c, c->normal, normal);
        double gap = product(normal, s->u) + c->gap0;
        for (int i = 0; i < 2; i++) {
            row_of(c, c->tangent[i], tangent[i]);
            slip[i] = product(tangent[i], s->u) + c->slip0[i];
        }
        if (c->state == MLCP_OFF) {
            CHECK(gap > -0.3 * TOLERANCE && c->lambda == 0);
            continue;
        }
        CHECK(fabs(gap) < 0.6 * TOLERANCE);
        CHECK(c->lambda * c->scale_n > -0.02 * TOLERANCE);
        bool sticks = c->state == MLCP_STICKS;
        const double *g = sticks ? c->gamma : c->slide.force;
        double cone = c->mu * fmax(0, c->lambda), force = hypot(g[0], g[1]);
        double speed = hypot(slip[0], slip[1]);
        CHECK(force <= 1.06 * cone + TOLERANCE / c->scale_t[0]);
        if (sticks) CHECK(speed < 0.8 * TOLERANCE);
        if (!sticks && speed > 100 * TOLERANCE && cone > 1e-4) {
            CHECK(force >= 0.99 * cone); /* all the friction there is, and against the motion */
            CHECK((g[0] * slip[0] + g[1] * slip[1]) >= 0.999 * force * speed);
        }
        for (int i = 0; i < N; i++)
            residual[i] += c->lambda * normal[i] - g[0] * tangent[0][i] - g[1] * tangent[1][i];
    }
    for (int i = 0; i < N; i++) {
        norm += residual[i] * residual[i];
        size += p->b[i] * p->b[i];
    }
    CHECK(sqrt(norm) < 1e-8 * sqrt(size));
}

TEST(random_problems_with_friction)
{
    random_state r = {13};
    int solved = 0;
    long iterations_sum = 0;
    for (int trial = 0; trial < 300; trial++) {
        small_problem *p = new_problem(&r, trial % 2 ? MLCP_DIAGONAL : MLCP_FULL);
        int rows = 1 + trial % 5;
        for (int k = 0; k < rows; k++)
            CHECK(array_push(&p->solver.contacts, random_contact(&r, random_range(&r, 0.05, 0.5))));
        bool converged;
        int iterations;
        CHECK_OK(mlcp_solve_rows(&p->solver, &converged, &iterations, &err), err);
        for (int i = 0; i < N; i++) CHECK(isfinite(p->solver.u[i]));
        solved += converged;
        iterations_sum += iterations;
        if (converged) check_conditions(p);
        free_problem(p);
    }
    /* Coulomb's law need not have a solution; nearly all of these do. */
    CHECK(solved >= 294);
    CHECK(iterations_sum < 300 * 3000);
}

/* The mean of the last two normal forces may be wrong although the next one does not move it: after
 * a multiplier that pulled for a while, or when the older of the two is right and the newer is not.
 * Friction must not stay there: what slides has all of it. */
TEST(sliding_force_forgets_a_bad_past)
{
    static const double past[][2] = {{-40, -40}, {-40, 1}, {1, 30}, {0, 0}, {30, 1}};
    random_state r = {15};
    int sliding = 0;
    for (int trial = 0; trial < 50; trial++) {
        small_problem *p = new_problem(&r, trial % 2 ? MLCP_DIAGONAL : MLCP_FULL);
        mlcp_contact c = random_contact(&r, 0.3);
        double row[N];
        row_of(&c, c.normal, row);
        c.gap0 = -1 - fabs(product(row, p->b)); /* pressed */
        c.slip0[0] = 20;                        /* slides far, whatever friction does */
        CHECK(array_push(&p->solver.contacts, c));
        bool converged;
        int iterations;
        CHECK_OK(mlcp_solve_rows(&p->solver, &converged, &iterations, &err), err);
        mlcp_contact *solved = &p->solver.contacts.data[0];
        CHECK(converged);
        if (solved->state != MLCP_SLIDES) { /* such a slip may lift or hold it */
            free_problem(p);
            continue;
        }
        sliding++;
        double right = solved->lambda,
               force = hypot(solved->slide.force[0], solved->slide.force[1]);
        CHECK_NEAR(force, 0.3 * right, 2e-3 * right);
        for (size_t k = 0; k < sizeof past / sizeof *past; k++) {
            double mean = 0.5 * right * (past[k][0] + past[k][1]);
            for (int i = 0; i < 2; i++) {
                solved->slide.history[i] = past[k][i] * right;
                solved->slide.force[i] = 0.3 * fmax(0, mean) * solved->slide.direction[i];
            }
            solved->slide.history_count = 2;
            CHECK_OK(mlcp_solve_rows(&p->solver, &converged, &iterations, &err), err);
            CHECK(converged);
            CHECK_NEAR(hypot(solved->slide.force[0], solved->slide.force[1]), 0.3 * solved->lambda,
                       2e-3 * right);
            CHECK_NEAR(solved->lambda, right, 0.02 * right);
        }
        free_problem(p);
    }
    CHECK(sliding >= 45);
}

/* Rows that cannot hold together have no solution: that is said, in bounded time, and whatever is
 * left is a number. */
TEST(contradicting_rows_are_reported)
{
    random_state r = {16};
    for (int trial = 0; trial < 20; trial++) {
        small_problem *p = new_problem(&r, trial % 2 ? MLCP_DIAGONAL : MLCP_FULL);
        mlcp_contact c = random_contact(&r, 0);
        c.gap0 = -1;
        CHECK(array_push(&p->solver.contacts, c));
        c.normal = vec3_scale(-1, c.normal); /* and as far in the other direction */
        mlcp_set_tangents(&c, (vec3){1, 0, 0});
        CHECK(array_push(&p->solver.contacts, c));
        bool converged;
        int iterations;
        p->solver.options.max_iterations = 20000;
        CHECK_OK(mlcp_solve_rows(&p->solver, &converged, &iterations, &err), err);
        CHECK(!converged && iterations <= 20000);
        for (int i = 0; i < N; i++) CHECK(isfinite(p->solver.u[i]));
        free_problem(p);
    }
}

/* Z of a row that is there k times is k, of rows without common vertices 1 (T-15). */
TEST(duplicates_are_counted)
{
    random_state r = {17};
    small_problem *p = new_problem(&r, MLCP_FULL);
    mlcp_contact c = random_contact(&r, 0), other;
    do other = random_contact(&r, 0);
    while (other.unknown[1] >= 0); /* one vertex against something that stands */
    for (int k = 0; k < 4; k++) {
        c.vertex[k] = c.unknown[k] = k;
        other.vertex[k] = 4;
    }
    c.weight[0] = 0.3, c.weight[1] = 0.7, c.weight[2] = -0.4, c.weight[3] = -0.6;
    other.unknown[0] = 4;
    for (int k = 0; k < 3; k++) CHECK(array_push(&p->solver.contacts, c));
    CHECK(array_push(&p->solver.contacts, other));
    CHECK_OK(mlcp_prepare_rows(&p->solver, &err), err);
    for (int k = 0; k < 3; k++) CHECK_NEAR(p->solver.contacts.data[k].duplicates, 3, 1e-12);
    CHECK_NEAR(p->solver.contacts.data[3].duplicates, 1, 1e-12);
    double row[N], sum = 0;
    row_of(&c, c.normal, row);
    for (int i = 0; i < N; i++) sum += row[i] * row[i] / p->a[i][i];
    CHECK_NEAR(p->solver.contacts.data[0].scale_n, sum, 1e-12 * sum); /* L A_d^-1 L^T */
    free_problem(p);
}

/* T-5 of the digest: the rest solved, then a row is added, with the diagonal preconditioner:
 * z.Bz = 0, and conjugate residuals break down. */
TEST(a_new_row_on_a_solved_system)
{
    random_state r = {14};
    for (int trial = 0; trial < 50; trial++) {
        small_problem *p = new_problem(&r, MLCP_DIAGONAL);
        bool converged;
        int iterations;
        CHECK_OK(mlcp_solve_rows(&p->solver, &converged, &iterations, &err), err);
        mlcp_contact c = random_contact(&r, 0);
        double row[N];
        row_of(&c, c.normal, row);
        c.gap0 = -0.1 - product(row, p->solver.u);
        c.state = MLCP_SLIDES;
        CHECK(array_push(&p->solver.contacts, c));
        CHECK_OK(mlcp_solve_rows(&p->solver, &converged, &iterations, &err), err);
        CHECK(converged && iterations < 400);
        check_conditions(p);
        free_problem(p);
    }
}

/* Turned frames keep tangential vectors as they are in space. */
TEST(turned_frames)
{
    random_state r = {41};
    mlcp_contact c = random_contact(&r, 0.5);
    c.normal = (vec3){0, 1, 0};
    mlcp_set_tangents(&c, (vec3){1, 0, 0});
    c.gamma[0] = 1;
    c.gamma[1] = 2;
    vec3 before = vec3_add(vec3_scale(1, c.tangent[0]), vec3_scale(2, c.tangent[1]));
    vec3 normal = vec3_normalize((vec3){0.3, 1, -0.2});
    mlcp_turn_frame(&c, normal);
    vec3 after =
        vec3_add(vec3_scale(c.gamma[0], c.tangent[0]), vec3_scale(c.gamma[1], c.tangent[1]));
    vec3 expected = vec3_mul_add(before, -vec3_dot(before, normal), normal);
    CHECK_NEAR(vec3_norm(vec3_sub(after, expected)), 0, 1e-14);
}

/* A half-space whose surface moves drags what lies on it along: its path is slip of the other sign.
 */
TEST(moving_half_spaces)
{
    random_state r = {47};
    small_problem *p = new_problem(&r, MLCP_DIAGONAL);
    mlcp_solver *s = &p->solver;
    contact_term contact = {0};
    half_space plane = {{0, 0.1, 0}, {0, 1, 0}, {0.3, 5, -0.2}, 0};
    vec3 start[BLOCKS] = {{1, 0.4, 2}};
    CHECK(array_push(&contact.planes, plane));
    s->contact = &contact;
    s->start = start;
    s->h = 0.01;
    mlcp_contact c = {.kind = CCD_POINT_POINT, .count = 1, .weight = {1}, .normal = {0, 1, 0}};
    mlcp_set_tangents(&c, (vec3){1, 0, 0});
    mlcp_set_constants(s, &c);
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(c.slip0[i], -0.01 * vec3_dot(c.tangent[i], plane.velocity), 1e-16);
    CHECK_NEAR(c.gap0, 0.3 - 0.5 * TOLERANCE, 1e-15); /* the plane itself stays */
    s->contact = NULL;
    s->start = NULL;
    array_free(&contact.planes);
    free_problem(p);
}

/* The residual of a row that is on: its gap, and by how much it is relaxed for a multiplier that
 * has changed since the last solve. While a system is not solved a multiplier may pull; the normal
 * force that friction remembers may not. */
TEST(rows_that_are_compliant)
{
    random_state r = {43};
    small_problem *p = new_problem(&r, MLCP_DIAGONAL);
    mlcp_solver *s = &p->solver;
    mlcp_contact c = random_contact(&r, 0.5);
    c.state = MLCP_SLIDES;
    c.gap0 = -0.25;
    CHECK(array_push(&s->contacts, c));
    bool converged;
    int iterations;
    CHECK_OK(mlcp_solve_rows(s, &converged, &iterations, &err), err);
    mlcp_contact *own = &s->contacts.data[0];
    for (int k = 0; k < N; k++) s->u[k] = 0.1 * k;
    own->state = MLCP_SLIDES;
    own->lambda = 3;
    own->reference[0] = 1;
    mlcp_unload(s);
    mlcp_residual(s);
    double expected = mlcp_gap(s, own) + MLCP_PROXIMAL * own->scale_n * 2;
    CHECK_NEAR(s->cr.r.c[0], expected, 1e-15);
    CHECK(fabs(MLCP_PROXIMAL * own->scale_n) > 1e-6);
    /* Presses into the other side and pulls at the same time. */
    memset(s->u, 0, N * sizeof *s->u);
    own->gap0 = -1;
    own->lambda = -5;
    own->slide.has_direction = true;
    own->slide.direction[0] = 1;
    own->slide.direction[1] = 0;
    own->slip0[0] = 1;
    own->slip0[1] = 0;
    own->slide.history_count = 2;
    own->slide.history[0] = own->slide.history[1] = 4;
    s->round = 0;
    mlcp_evaluate(s, s->options.residual, 60);
    CHECK(own->slide.history[0] >= 0 && own->slide.history[1] >= 0);
    CHECK(own->slide.history_count == 3 && own->slide.force[0] > 0);
    free_problem(p);
}

int main(void)
{
    RUN(turned_frames);
    RUN(moving_half_spaces);
    RUN(rows_that_are_compliant);
    RUN(random_problems_without_friction);
    RUN(duplicated_rows);
    RUN(random_problems_with_friction);
    RUN(sliding_force_forgets_a_bad_past);
    RUN(contradicting_rows_are_reported);
    RUN(duplicates_are_counted);
    RUN(a_new_row_on_a_solved_system);
    return TEST_END();
}
