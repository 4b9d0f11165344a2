/* Iterative solvers on elasticity: multigrid, incomplete Cholesky, the choice between solvers, what
 * takes over from one that fails, and Newton's method with inexact solves. */
#include "support/scene_makers.h"
#include "test.h"

#include "base/parallel.h"
#include "linear/multigrid.h"
#include "linear/preconditioner_age.h"
#include "linear/solver.h"

#include <malloc.h>
#include <math.h>
#include <string.h>

static abut_error err;

/* A clamped bar of n x n x 4n cubes and the Newton matrix of its first step. */
typedef struct bar {
    stepper *s;
    double *right, *x, *position;
} bar;

static void count_warnings(void *user, abut_log_level level, const char *message)
{
    (void)level;
    (void)message;
    ++*(int *)user;
}

static stepper *make_bar(int n, const char *linear, double forcing)
{
    model *m = make_box_model((vec3){4, 1, 1}, 4 * n, n, n, ELASTIC_NEO_HOOKEAN);
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.1);
    options.gravity = (vec3){0, -9.81, 0};
    options.tolerance = 1e-4;
    options.linear = (linear_options){.name = linear, .tolerance = 1e-8};
    options.forcing = forcing;
    stepper *s = make_stepper(m, &options);
    add_condition(s, (vec3){-2.01, -1, -1}, (vec3){-1.99, 1, 1}, 0, INFINITY);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    return s;
}

static bar assemble_bar(int n)
{
    bar b = {.s = make_bar(n, "direct", 0)};
    step_statistics now;
    CHECK_OK(stepper_advance(b.s, &now, &err), err);
    problem *p = &b.s->problem;
    CHECK_OK(problem_update(p, &b.s->evaluation, b.s->state.x, &err), err);
    CHECK_OK(problem_derivatives(p, &b.s->evaluation, b.s->state.x, true, &err), err);
    size_t scalars = 3 * (size_t)p->free_count;
    b.right = mem_alloc(scalars, sizeof *b.right);
    b.x = mem_alloc(scalars, sizeof *b.x);
    b.position = mem_alloc(scalars, sizeof *b.position);
    for (size_t k = 0; k < (size_t)p->free_count; k++) {
        memcpy(b.position + 3 * k, b.s->state.x + 3 * (size_t)p->free_block[k], 3 * sizeof(double));
        for (size_t c = 0; c < 3; c++) b.right[3 * k + c] = sin(0.1 * (double)k + (double)c);
    }
    return b;
}

static void bar_free(bar *b)
{
    stepper_destroy(b->s);
    mem_free(b->right);
    mem_free(b->x);
    mem_free(b->position);
}

static uint64_t iterations_of(const bar *b, const char *name, bool positions)
{
    linear_options options = {.name = name, .tolerance = 1e-6, .alone = true};
    linear_solver *solver = NULL;
    CHECK_OK(linear_create(&options, &solver, &err), err);
    linear_system system = {
        .a = &b->s->problem.matrix, .b = b->right, .position = positions ? b->position : NULL};
    CHECK_OK(linear_solve_system(solver, &system, b->x, &err), err);
    uint64_t iterations = linear_get_statistics(solver)->iterations;
    linear_destroy(solver);
    return iterations;
}

/* The number of iterations hardly grows with the mesh, that of the others does; knowing the
 * rotations matters. */
TEST(multigrid_does_not_depend_on_size)
{
    bar coarse = assemble_bar(4), fine = assemble_bar(8);
    uint64_t few = iterations_of(&coarse, "multigrid", true);
    uint64_t many = iterations_of(&fine, "multigrid", true);
    CHECK(few < 20 && 2 * many < 3 * few);
    CHECK(iterations_of(&fine, "multigrid", false) > many);
    CHECK(iterations_of(&fine, "ic", true) > 2 * many);
    CHECK(iterations_of(&fine, "pcg", true) > 2 * iterations_of(&fine, "ic", true));
    bar_free(&coarse);
    bar_free(&fine);
}

/* Entries of all levels by those of the finest. */
static double complexity_of(const multigrid *m)
{
    double sum = 0, finest = 0;
    for (int k = m->level_count - 1; k >= 0; k--) {
        const block_csr *a = &m->levels[k].a;
        finest = (double)a->start.data[a->rows] * (double)block_csr_area(a);
        sum += finest;
    }
    return sum / finest;
}

/* The cycle in single precision is that of double precision, which is symmetric; not made where a
 * contact would leave nothing of a body. */
TEST(single_precision_is_close)
{
    bar b = assemble_bar(5);
    multigrid m = {0};
    block_matrix *a = &b.s->problem.matrix;
    size_t n = 3 * (size_t)a->size;
    double *u = mem_alloc(n, sizeof *u), *v = mem_alloc(n, sizeof *v), *w = mem_alloc(n, sizeof *w);
    CHECK_OK(multigrid_build(&m, a, b.position, NULL, &err), err);
    for (size_t i = 0; i < n; i++) u[i] = 1e-25 * cos(0.3 * (double)i); /* nothing underflows */
    multigrid_cycle(&m, u, v);
    CHECK(m.single.ready);
    m.single.ready = false;
    multigrid_cycle(&m, u, w);
    double difference = 0, whole = 0, uw = 0, right = 0;
    for (size_t i = 0; i < n; i++) {
        difference += (v[i] - w[i]) * (v[i] - w[i]);
        whole += w[i] * w[i];
        uw += b.right[i] * w[i];
    }
    CHECK(whole > 0 && sqrt(difference / whole) < 1e-4);
    multigrid_cycle(&m, b.right, v);
    for (size_t i = 0; i < n; i++) right += u[i] * v[i];
    CHECK(fabs(uw - right) < 1e-10 * (fabs(uw) + fabs(right)));
    /* Only the finest level is new, and none was converted before. */
    single_multigrid_free(&m.single);
    CHECK_OK(multigrid_replace_finest(&m, a, true, &err), err);
    CHECK(m.single.ready);
    multigrid_cycle(&m, u, v);
    m.single.ready = false;
    multigrid_cycle(&m, u, w);
    difference = 0;
    for (size_t i = 0; i < n; i++) difference += (v[i] - w[i]) * (v[i] - w[i]);
    CHECK(sqrt(difference / whole) < 1e-4);
    int32_t slot = a->column_start[3], other = a->row[slot + 1];
    double spring = 0x1p20 * a->value[block_matrix_offset(a, 3, slot)];
    a->value[block_matrix_offset(a, 3, slot)] += spring;
    a->value[block_matrix_offset(a, other, a->column_start[other])] += spring;
    a->value[block_matrix_offset(a, 3, slot + 1)] -= spring;
    CHECK_OK(multigrid_replace_finest(&m, a, true, &err), err);
    CHECK(!m.single.ready);
    multigrid_free(&m);
    mem_free(u);
    mem_free(v);
    mem_free(w);
    bar_free(&b);
}

/* Levels are given up before a product that would cost more than they may. */
TEST(levels_that_fill_up_are_given_up)
{
    bar b = assemble_bar(5);
    const block_matrix *a = &b.s->problem.matrix;
    multigrid m = {0};
    CHECK_OK(multigrid_build(&m, a, b.position, NULL, &err), err);
    double whole = m.setup_work;
    CHECK(m.level_count > 1);
    m.most_work = 1.1 * whole;
    CHECK(multigrid_build(&m, a, b.position, NULL, &err) == ABUT_ERROR_NOT_CONVERGED);
    m.most_work = m.setup_work + 1.1 * whole;
    CHECK_OK(multigrid_build(&m, a, b.position, NULL, &err), err);
    multigrid_free(&m);
    bar_free(&b);
}

/* The cycle is a symmetric positive definite operator, with the same bits for any threads. */
TEST(cycle_is_symmetric)
{
    bar b = assemble_bar(5);
    multigrid m = {0};
    int32_t blocks = b.s->problem.matrix.size;
    size_t n = 3 * (size_t)blocks;
    double *u = mem_alloc(n, sizeof *u), *v = mem_alloc(n, sizeof *v), *w = mem_alloc(n, sizeof *w);
    CHECK_OK(multigrid_build(&m, &b.s->problem.matrix, b.position, NULL, &err), err);
    CHECK(m.level_count >= 2 && complexity_of(&m) < 3);
    double uw = 0, vz = 0, definite = 0;
    for (size_t i = 0; i < n; i++) u[i] = cos(0.3 * (double)i);
    multigrid_cycle(&m, b.right, v); /* v = M r */
    multigrid_cycle(&m, u, w);       /* w = M u */
    for (size_t i = 0; i < n; i++) {
        uw += u[i] * v[i];
        vz += b.right[i] * w[i];
        definite += u[i] * w[i];
    }
    CHECK(m.single.ready && fabs(uw - vz) < 1e-5 * (fabs(uw) + fabs(vz)) && definite > 0);
    int threads = parallel_threads();
    parallel_set_threads(4);
    multigrid_cycle(&m, u, v);
    parallel_set_threads(threads);
    CHECK(memcmp(v, w, n * sizeof *v) == 0);
    /* The same values again: the same levels, the eigenvalues a little better known. */
    double before = m.levels[0].largest;
    CHECK_OK(multigrid_refresh(&m, &b.s->problem.matrix, &err), err);
    CHECK(m.levels[0].largest >= before && m.levels[0].largest < 1.1 * before);
    CHECK_OK(multigrid_build(&m, &b.s->problem.matrix, b.position, NULL, &err), err);
    CHECK(m.levels[0].largest == before);
    multigrid_cycle(&m, u, v);
    CHECK(memcmp(v, w, n * sizeof *v) == 0);
    multigrid_free(&m);
    mem_free(u);
    mem_free(v);
    mem_free(w);
    bar_free(&b);
}

/* D A D with factors that jump from block to block. */
static void scale_blocks(block_matrix *a, double jump)
{
    for (int32_t j = 0; j < a->size; j++)
        for (int32_t k = a->column_start[j]; k < a->column_start[j + 1]; k++) {
            double factor = (j % 3 == 0 ? jump : 1) * (a->row[k] % 3 == 0 ? jump : 1);
            double *block = a->value + block_matrix_offset(a, j, k);
            size_t stride = (size_t)block_matrix_stride(a, j);
            for (size_t c = 0; c < 3; c++)
                for (size_t r = 0; r < 3; r++) block[c * stride + r] *= factor;
        }
}

static double residual_of(const bar *b)
{
    const block_matrix *a = &b->s->problem.matrix;
    size_t n = 3 * (size_t)a->size;
    double *y = mem_alloc(n, sizeof *y), largest = 0;
    block_matrix_multiply(a, b->x, y);
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(y[i] - b->right[i]));
    mem_free(y);
    return largest;
}

/* Levels are kept for matrices like theirs, and made anew for others and in the next step. */
TEST(old_levels_serve)
{
    bar b = assemble_bar(6);
    linear_options options = {.name = "multigrid", .tolerance = 1e-10, .alone = true};
    linear_solver *solver = NULL;
    CHECK_OK(linear_create(&options, &solver, &err), err);
    linear_system system = {.a = &b.s->problem.matrix, .b = b.right, .position = b.position};
    const linear_statistics *statistics = linear_get_statistics(solver);
    static const double jumps[] = {1, 1.05, 30, 1};
    static const uint64_t made[] = {1, 1, 2, 2};
    for (int k = 0; k < 4; k++) {
        scale_blocks(&b.s->problem.matrix, jumps[k]);
        CHECK_OK(linear_solve_system(solver, &system, b.x, &err), err);
        CHECK(statistics->factorizations == made[k] && residual_of(&b) < 1e-6);
    }
    CHECK(statistics->analyses == 1);
    linear_begin_step(solver);
    CHECK_OK(linear_solve_system(solver, &system, b.x, &err), err);
    CHECK(statistics->factorizations == 3 && statistics->analyses == 2);
    linear_destroy(solver);
    bar_free(&b);
}

/* Levels are kept while a solve with them takes no more work than the mean since they were made,
 * with that of making them: after that they are made anew. */
TEST(slow_levels_are_made_anew)
{
    bar b = assemble_bar(4);
    linear_options options = {.name = "multigrid", .tolerance = 1e-10, .alone = true};
    linear_solver *solver = NULL;
    CHECK_OK(linear_create(&options, &solver, &err), err);
    linear_system system = {.a = &b.s->problem.matrix, .b = b.right, .position = b.position};
    const linear_statistics *statistics = linear_get_statistics(solver);
    int slow = 0, quick = 0;
    for (double jump = 1.1; jump < 100; jump *= 1.3) {
        linear_begin_step(solver);
        linear_statistics before = *statistics;
        CHECK_OK(linear_solve_system(solver, &system, b.x, &err), err);
        double made = statistics->setup_work - before.setup_work;
        double fresh = statistics->iteration_work - before.iteration_work;
        before = *statistics;
        scale_blocks(&b.s->problem.matrix, jump);
        CHECK_OK(linear_solve_system(solver, &system, b.x, &err), err);
        bool served = statistics->factorizations == before.factorizations;
        double old = statistics->iteration_work - before.iteration_work;
        before = *statistics;
        CHECK_OK(linear_solve_system(solver, &system, b.x, &err), err);
        bool again = statistics->factorizations == before.factorizations;
        if (served) CHECK(again == (old <= made + fresh));
        slow += served && !again;
        quick += again;
        scale_blocks(&b.s->problem.matrix, 1 / jump);
    }
    CHECK(slow > 0 && quick > 0);
    linear_destroy(solver);
    bar_free(&b);
}

TEST(multigrid_without_memory)
{
    bar b = assemble_bar(4);
    int failures = 0;
    for (int64_t k = 0;; k++) {
        linear_options options = {.name = "multigrid", .tolerance = 1e-6, .alone = true};
        linear_solver *solver = NULL;
        mem_fail_after(k);
        abut_status status = linear_create(&options, &solver, &err);
        if (status == ABUT_OK)
            status = linear_solve(solver, &b.s->problem.matrix, b.right, b.x, &err);
        bool failed = mem_failure_happened();
        mem_fail_after(-1);
        CHECK((status == ABUT_ERROR_MEMORY) == failed);
        if (solver) CHECK_OK(linear_solve(solver, &b.s->problem.matrix, b.right, b.x, &err), err);
        linear_destroy(solver);
        failures += failed;
        if (!failed) break;
    }
    CHECK(failures > 20);
    bar_free(&b);
}

/* An iteration that may not take as long as it needs is taken over from, with a message. */
TEST(another_solver_takes_over)
{
    bar b = assemble_bar(4);
    int warnings = 0;
    logger log = {count_warnings, &warnings, ABUT_LOG_WARNING};
    linear_options options = {.name = "pcg", .tolerance = 1e-10, .max_iterations = 3, .log = &log};
    linear_solver *solver = NULL;
    CHECK_OK(linear_create(&options, &solver, &err), err);
    const linear_statistics *statistics = linear_get_statistics(solver);
    uint64_t analyses = 0;
    for (int k = 1; k <= 2; k++) { /* the second time it is not asked again */
        CHECK_OK(linear_solve(solver, &b.s->problem.matrix, b.right, b.x, &err), err);
        CHECK(statistics->fallbacks == (uint64_t)k && warnings == 1 && statistics->exact);
        CHECK(statistics->iterations == 3);
        /* One analysis finds that a factor fits, and serves to make it. */
        CHECK(k == 1 || statistics->analyses == analyses);
        analyses = statistics->analyses;
    }
    CHECK(analyses == 2); /* that of pcg, too */
    linear_begin_step(solver);
    CHECK_OK(linear_solve(solver, &b.s->problem.matrix, b.right, b.x, &err), err);
    CHECK(statistics->iterations == 6 && warnings == 2);
    linear_destroy(solver);
    /* Without room for a factor: incomplete. */
    options.memory_limit = 1000;
    options.max_iterations = 60;
    CHECK_OK(linear_create(&options, &solver, &err), err);
    CHECK_OK(linear_solve(solver, &b.s->problem.matrix, b.right, b.x, &err), err);
    CHECK(linear_get_statistics(solver)->fallbacks == 1 && !linear_get_statistics(solver)->exact);
    linear_destroy(solver);
    bar_free(&b);
}

/* What "auto" says of itself after a system. */
static void choose(const bar *b, double memory, bool factor, const char *word)
{
    linear_options options = {
        .name = "auto", .tolerance = 1e-3, .memory_limit = memory, .factor = factor};
    linear_solver *solver = NULL;
    CHECK_OK(linear_create(&options, &solver, &err), err);
    CHECK(strcmp(linear_reason(solver), "auto: no system was solved") == 0);
    linear_system system = {.a = &b->s->problem.matrix, .b = b->right, .position = b->position};
    CHECK_OK(linear_solve_system(solver, &system, b->x, &err), err);
    bool small = system.a->size < 500;
    CHECK((strcmp(linear_name(solver), "direct") == 0) == (small || factor));
    CHECK(linear_get_statistics(solver)->exact == (small || factor));
    CHECK(strstr(linear_reason(solver), word) != NULL);
    printf("# %s: %s\n", linear_name(solver), linear_reason(solver));
    linear_destroy(solver);
}

TEST(choice_by_size_and_memory)
{
    bar small = assemble_bar(4), large = assemble_bar(14);
    choose(&small, 0, false, "few");
    choose(&small, 1000, false, "few");
    choose(&large, 1e6, false, "more than half of the memory");
    choose(&large, 1e12, false, "a factor fits");
    choose(&large, 1e12, true, "exact");
    bar_free(&small);
    bar_free(&large);
}

/* Counted work of some steps of three systems each. */
static double work_of(const char *name, const bar *b, double tolerance, uint64_t *fallbacks)
{
    enum { STEPS = 8, SYSTEMS = 3 };
    linear_options options = {.name = name, .tolerance = tolerance, .memory_limit = 1e12};
    linear_solver *solver = NULL;
    CHECK_OK(linear_create(&options, &solver, &err), err);
    linear_system system = {.a = &b->s->problem.matrix, .b = b->right, .position = b->position};
    for (int k = 0; k < STEPS * SYSTEMS; k++) {
        if (k % SYSTEMS == 0) linear_begin_step(solver);
        CHECK_OK(linear_solve_system(solver, &system, b->x, &err), err);
    }
    const linear_statistics *statistics = linear_get_statistics(solver);
    double work = statistics->setup_work + statistics->iteration_work;
    *fallbacks = statistics->fallbacks;
    linear_destroy(solver);
    return work;
}

/* Rough systems, exact ones, and such as an incomplete factor does badly: "auto" is about as good
 * as the best, and gives up what is not. */
TEST(choice_costs_little)
{
    static const char *const names[] = {"direct", "ic", "multigrid"};
    int winners[3] = {0};
    for (int trial = 0; trial < 4; trial++) {
        bar b = assemble_bar(trial % 2 ? 5 : 11);
        if (trial >= 2) problem_shift_diagonal(&b.s->problem, trial == 2 ? 1 : 0.05);
        double best = INFINITY, tolerance = trial == 1 ? 1e-8 : 1e-3;
        int winner = 0;
        uint64_t fallbacks;
        for (int k = 0; k < 3; k++) {
            double work = work_of(names[k], &b, tolerance, &fallbacks);
            if (work < best) winner = k;
            best = fmin(best, work);
        }
        double own = work_of("auto", &b, tolerance, &fallbacks);
        printf("# %d blocks: %s, auto takes %.2f of its work, %d fallbacks\n",
               b.s->problem.matrix.size, names[winner], own / best, (int)fallbacks);
        CHECK(own < 1.35 * best && fallbacks <= 2);
        winners[winner]++;
        bar_free(&b);
    }
    CHECK((winners[0] > 0) + (winners[1] > 0) + (winners[2] > 0) >= 2); /* or there is no choice */
}

/* What "auto" has learned goes with the state: another solver goes on with the same bits. */
TEST(choice_is_kept)
{
    bar b = assemble_bar(8);
    linear_options options = {.name = "auto", .tolerance = 1e-3};
    linear_solver *one = NULL, *two = NULL;
    CHECK_OK(linear_create(&options, &one, &err), err);
    CHECK_OK(linear_create(&options, &two, &err), err);
    linear_system system = {.a = &b.s->problem.matrix, .b = b.right, .position = b.position};
    size_t blocks = (size_t)system.a->size, scalars = 3 * blocks;
    int32_t *order = mem_alloc(blocks, sizeof *order);
    double *x = mem_alloc(scalars, sizeof *x);
    double numbers[LINEAR_NUMBERS], choice[LINEAR_CHOICE], fresh[LINEAR_CHOICE];
    linear_save(two, order, blocks, numbers, fresh);
    for (int k = 0; k < LINEAR_CHOICE; k++) CHECK(fresh[k] == 0);
    for (int k = 0; k < 5; k++) CHECK_OK(linear_solve_system(one, &system, b.x, &err), err);
    linear_begin_step(one);
    linear_save(one, order, blocks, numbers, choice);
    CHECK(memcmp(choice, fresh, sizeof choice) != 0);
    CHECK_OK(linear_load(two, order, numbers, choice, &err), err);
    for (int k = 0; k < 40; k++) { /* long enough for something to be tried again */
        CHECK_OK(linear_solve_system(one, &system, b.x, &err), err);
        CHECK_OK(linear_solve_system(two, &system, x, &err), err);
        CHECK(memcmp(x, b.x, scalars * sizeof *x) == 0);
    }
    linear_save(one, order, blocks, numbers, choice);
    linear_save(two, order, blocks, numbers, fresh);
    CHECK(memcmp(choice, fresh, sizeof choice) == 0);
    choice[0] = 17;
    CHECK(linear_load(two, order, numbers, choice, &err) == ABUT_ERROR_INPUT);
    choice[0] = 1;
    choice[5] = NAN;
    CHECK(linear_load(two, order, numbers, choice, &err) == ABUT_ERROR_INPUT);
    linear_destroy(one);
    linear_destroy(two);
    mem_free(order);
    mem_free(x);
    bar_free(&b);
}

/* What a method that was given up has taken is there for the next one. */
TEST(methods_given_up_take_no_room)
{
    bar b = assemble_bar(9);
    linear_system system = {.a = &b.s->problem.matrix, .b = b.right, .position = b.position};
    size_t taken[2];
    for (int k = 0; k < 2; k++) {
        linear_options options = {
            .name = k ? "auto" : "direct", .tolerance = 1e-6, .max_iterations = 3};
        linear_solver *solver = NULL;
        struct mallinfo2 before = mallinfo2();
        CHECK_OK(linear_create(&options, &solver, &err), err);
        CHECK_OK(linear_solve_system(solver, &system, b.x, &err), err);
        CHECK(linear_get_statistics(solver)->fallbacks == (k ? 2 : 0));
        struct mallinfo2 after = mallinfo2();
        taken[k] = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
        linear_destroy(solver);
    }
    printf("# direct takes %zu bytes, after two others %zu\n", taken[0], taken[1]);
    CHECK((double)taken[1] <= 1.1 * (double)taken[0]);
    bar_free(&b);
}

/* A fallback that fails, too, keeps its analysis within the step and goes with it. */
TEST(failed_fallback_ends_with_the_step)
{
    bar b = assemble_bar(4);
    problem_shift_diagonal(&b.s->problem, -2);
    linear_options options = {.name = "pcg", .tolerance = 1e-10, .max_iterations = 3};
    linear_solver *solver = NULL;
    CHECK_OK(linear_create(&options, &solver, &err), err);
    const linear_statistics *statistics = linear_get_statistics(solver);
    const uint64_t expected[] = {2, 2, 3}; /* of pcg and of the factorisation */
    for (int k = 0; k < 3; k++) {
        if (k == 2) linear_begin_step(solver);
        CHECK(linear_solve(solver, &b.s->problem.matrix, b.right, b.x, &err) ==
              ABUT_ERROR_NOT_CONVERGED);
        CHECK(statistics->analyses == expected[k] && statistics->fallbacks == 0);
    }
    linear_destroy(solver);
    bar_free(&b);
}

/* Inexact solves save iterations and end at the same place. */
TEST(inexact_newton)
{
    static const char *const names[] = {"pcg", "ic", "multigrid"};
    stepper *exact = make_bar(4, "direct", 0);
    step_statistics now;
    CHECK_OK(stepper_advance(exact, &now, &err), err);
    for (int k = 0; k < 3; k++) {
        stepper *tight = make_bar(4, names[k], 0), *loose = make_bar(4, names[k], 0.1);
        CHECK_OK(stepper_advance(tight, &now, &err), err);
        CHECK_OK(stepper_advance(loose, &now, &err), err);
        double largest = 0;
        for (size_t i = 0; i < exact->state.scalars; i++) {
            largest = fmax(largest, fabs(exact->state.x[i] - tight->state.x[i]));
            largest = fmax(largest, fabs(exact->state.x[i] - loose->state.x[i]));
        }
        CHECK(largest < 1e-5); /* the tolerance on Newton's direction, 1e-4 m/s times h */
        CHECK(linear_get_statistics(loose->linear)->iterations <
              linear_get_statistics(tight->linear)->iterations);
        printf("# %s: %llu iterations, exactly %llu\n", names[k],
               (unsigned long long)linear_get_statistics(loose->linear)->iterations,
               (unsigned long long)linear_get_statistics(tight->linear)->iterations);
        stepper_destroy(tight);
        stepper_destroy(loose);
    }
    stepper_destroy(exact);
}

/* Ranks do not keep the rest shapes of elements: made when needed, they are the same to the bit. */
TEST(rest_shapes_are_not_needed)
{
    stepper *with = make_bar(3, "direct", 0), *without = make_bar(3, "direct", 0);
    array_free(&((model *)without->model)->tet_rest);
    step_statistics one, two;
    CHECK_OK(stepper_advance(with, &one, &err), err);
    CHECK_OK(stepper_advance(without, &two, &err), err);
    size_t bytes = with->state.scalars * sizeof *with->state.x;
    CHECK(memcmp(with->state.x, without->state.x, bytes) == 0);
    CHECK(one.elastic == two.elastic && one.max_stretch == two.max_stretch);
    CHECK(one.min_volume_ratio == two.min_volume_ratio && two.max_stretch > 1);
    stepper_destroy(with);
    stepper_destroy(without);
}

int main(void)
{
    RUN(multigrid_does_not_depend_on_size);
    RUN(single_precision_is_close);
    RUN(levels_that_fill_up_are_given_up);
    RUN(cycle_is_symmetric);
    RUN(old_levels_serve);
    RUN(slow_levels_are_made_anew);
    RUN(multigrid_without_memory);
    RUN(another_solver_takes_over);
    RUN(choice_by_size_and_memory);
    RUN(choice_costs_little);
    RUN(choice_is_kept);
    RUN(methods_given_up_take_no_room);
    RUN(failed_fallback_ends_with_the_step);
    RUN(inexact_newton);
    RUN(rest_shapes_are_not_needed);
    return TEST_END();
}
