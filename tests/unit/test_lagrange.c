/* Bases, quadrature and the check of Jacobians on the reference cells. */
#include "base/memory.h"
#include "base/random.h"
#include "fem/lagrange.h"
#include "fem/positivity.h"
#include "fem/quadrature.h"
#include "test.h"

static const cell_kind kinds[] = {CELL_EDGE, CELL_TRIANGLE, CELL_QUAD, CELL_TET, CELL_HEX};

static bool is_cube(cell_kind kind) { return kind == CELL_QUAD || kind == CELL_HEX; }

static void random_point(random_state *r, cell_kind kind, double xi[3])
{
    double left = 1;
    for (int k = 0; k < 3; k++) {
        xi[k] = k < cell_dimension(kind) ? random_unit(r) * (is_cube(kind) ? 1 : left) : 0;
        left -= xi[k];
    }
}

/* 1 at the own node, 0 at the others; sums 1 and 0; gradients by differences. */
TEST(basis_interpolates)
{
    random_state r = {1};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int order = 1; order <= 4; order++) {
            int lattice[CELL_MAX_NODES][3], n = cell_lattice(kinds[i], order, lattice);
            double value[CELL_MAX_NODES], gradient[CELL_MAX_NODES][3];
            for (int a = 0; a < n; a++) {
                double xi[3];
                for (int k = 0; k < 3; k++) xi[k] = (double)lattice[a][k] / order;
                lagrange_evaluate(kinds[i], order, xi, value, NULL);
                for (int b = 0; b < n; b++) CHECK_NEAR(value[b], a == b, 1e-14);
            }
            double xi[3];
            random_point(&r, kinds[i], xi);
            lagrange_evaluate(kinds[i], order, xi, value, gradient);
            double sum = 0;
            for (int a = 0; a < n; a++) sum += value[a];
            if (n) CHECK_NEAR(sum, 1, 1e-13);
            for (int k = 0; n && k < cell_dimension(kinds[i]); k++) {
                double low[CELL_MAX_NODES], high[CELL_MAX_NODES], h = 1e-6, at = xi[k];
                xi[k] = at - h;
                lagrange_evaluate(kinds[i], order, xi, low, NULL);
                xi[k] = at + h;
                lagrange_evaluate(kinds[i], order, xi, high, NULL);
                xi[k] = at;
                for (int a = 0; a < n; a++)
                    CHECK_NEAR(gradient[a][k], (high[a] - low[a]) / (2 * h), 1e-7);
            }
        }
}

static double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

static double power(double x, int n) { return n == 0 ? 1 : x * power(x, n - 1); }

static double exact_moment(cell_kind kind, const int *m)
{
    if (is_cube(kind) || kind == CELL_EDGE) {
        double value = 1;
        for (int k = 0; k < cell_dimension(kind); k++) value /= m[k] + 1;
        return value;
    }
    return factorial(m[0]) * factorial(m[1]) * factorial(m[2]) /
           factorial(m[0] + m[1] + m[2] + cell_dimension(kind));
}

/* Every monomial up to the degree, points inside, weights positive; and the degree is not
 * accidentally higher (the table would be misnamed): the first rule that fails exists. */
TEST(rules_are_exact)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int degree = 0; degree <= 20; degree++) {
            quadrature q;
            abut_error err;
            CHECK_OK(quadrature_make(kinds[i], degree, &q, &err), err);
            int n = cell_dimension(kinds[i]);
            for (int a = 0; a <= degree; a++)
                for (int b = 0; b <= (n > 1 ? degree : 0); b++)
                    for (int c = 0; c <= (n > 2 ? degree : 0); c++) {
                        if (!is_cube(kinds[i]) && a + b + c > degree) continue;
                        if (degree > 9 && (a % 3 || b % 2)) continue; /* a sample is enough */
                        double sum = 0, exact = exact_moment(kinds[i], (int[3]){a, b, c});
                        for (int k = 0; k < q.count; k++)
                            sum += q.weights[k] * power(q.points[k][0], a) *
                                   power(q.points[k][1], b) * power(q.points[k][2], c);
                        CHECK_NEAR(sum, exact, 1e-15 + 4e-14 * exact);
                    }
            for (int k = 0; k < q.count; k++) {
                double left = 1;
                CHECK(q.weights[k] > 0);
                for (int c = 0; c < n; c++) {
                    CHECK(q.points[k][c] > 0 && q.points[k][c] < 1);
                    left -= q.points[k][c];
                }
                if (!is_cube(kinds[i])) CHECK(left > 0);
            }
            quadrature_free(&q);
        }
}

TEST(rules_have_few_points)
{
    static const int tets[] = {1, 1, 4, 8, 14, 14, 24};
    for (int degree = 0; degree < 7; degree++) {
        quadrature q;
        CHECK(quadrature_make(CELL_TET, degree, &q, NULL) == ABUT_OK);
        CHECK(q.count == tets[degree]);
        quadrature_free(&q);
    }
    quadrature q;
    abut_error err;
    CHECK(quadrature_make(CELL_TET, 61, &q, &err) == ABUT_ERROR_UNSUPPORTED);
    CHECK(quadrature_make(CELL_POINT, 1, &q, &err) == ABUT_ERROR_UNSUPPORTED);
    /* Aware of both orders. */
    CHECK(quadrature_degree_stiffness(CELL_TET, 1, 0) == 1);
    CHECK(quadrature_degree_stiffness(CELL_TET, 2, 4) == 9);
    CHECK(quadrature_degree_stiffness(CELL_TET, 4, 4) == 12);
    CHECK(quadrature_degree_mass(CELL_TET, 2, 0) == 4);
    CHECK(quadrature_degree_mass(CELL_TET, 1, 4) == 11);
    CHECK(quadrature_degree_mass(CELL_HEX, 1, 1) == 4);
}

/* ---- positivity ---- */

/* Nodes of the reference cell, moved by up to `amount`. */
static int moved_cell(random_state *r, cell_kind kind, int order, double amount, vec3 *nodes)
{
    int lattice[CELL_MAX_NODES][3], n = cell_lattice(kind, order, lattice);
    for (int a = 0; a < n; a++) {
        double x[3] = {0};
        for (int k = 0; k < cell_dimension(kind); k++)
            x[k] = (double)lattice[a][k] / order + amount * (2 * random_unit(r) - 1);
        nodes[a] = vec3_load(x);
    }
    return n;
}

static double determinant_at(cell_kind kind, int order, const vec3 *nodes, const double xi[3])
{
    mat3 j;
    lagrange_position(kind, order, nodes, xi, &j);
    if (cell_dimension(kind) == 2) return j.m[0][0] * j.m[1][1] - j.m[0][1] * j.m[1][0];
    return mat3_determinant(j);
}

static double sampled_minimum(random_state *r, cell_kind kind, int order, const vec3 *nodes)
{
    double least = INFINITY;
    for (int i = 0; i < 400; i++) {
        double xi[3];
        random_point(r, kind, xi);
        least = fmin(least, determinant_at(kind, order, nodes, xi));
    }
    return least;
}

static const cell_kind solid[] = {CELL_TRIANGLE, CELL_QUAD, CELL_TET, CELL_HEX};

/* What is called positive is positive at all samples; both answers occur. */
TEST(positive_everywhere)
{
    random_state r = {7};
    int positive = 0, negative = 0;
    for (int i = 0; i < 4; i++)
        for (int order = 1; order <= (i % 2 ? 2 : 4); order++) {
            positivity p;
            abut_error err;
            CHECK_OK(positivity_init(&p, solid[i], order, &err), err);
            for (int trial = 0; trial < 60; trial++) {
                vec3 nodes[CELL_MAX_NODES];
                moved_cell(&r, solid[i], order, 0.7 * random_unit(&r) / order, nodes);
                positivity_answer answer = positivity_check(&p, nodes);
                double least = sampled_minimum(&r, solid[i], order, nodes);
                if (answer == POSITIVE) CHECK(least > 0);
                if (least <= 0) CHECK(answer == NEGATIVE);
                positive += answer == POSITIVE;
                negative += answer == NEGATIVE;
            }
            positivity_free(&p);
        }
    CHECK(positive > 100);
    CHECK(negative > 100);
}

/* A bump that is negative between the quadrature points only is found. */
TEST(sees_between_the_points)
{
    positivity p;
    abut_error err;
    CHECK_OK(positivity_init(&p, CELL_TRIANGLE, 2, &err), err);
    /* The mid-node of an edge at 0.26 makes det J vanish at one end of the edge. */
    vec3 nodes[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}};
    nodes[3].x = 0.26;
    CHECK(positivity_check(&p, nodes) == POSITIVE);
    nodes[3].x = 0.24;
    CHECK(positivity_check(&p, nodes) == NEGATIVE);
    quadrature q;
    CHECK_OK(quadrature_make(CELL_TRIANGLE, 2, &q, &err), err);
    for (int i = 0; i < q.count; i++)
        CHECK(determinant_at(CELL_TRIANGLE, 2, nodes, q.points[i]) > 0);
    quadrature_free(&q);
    positivity_free(&p);
}

/* Up to the step that is allowed, the determinant keeps its share everywhere; the step is not
 * needlessly small. */
TEST(steps_keep_positive)
{
    random_state r = {11};
    int full = 0, cut = 0, timid = 0;
    for (int i = 0; i < 4; i++)
        for (int order = 1; order <= (i % 2 ? 2 : 4); order++) {
            positivity p;
            abut_error err;
            CHECK_OK(positivity_init(&p, solid[i], order, &err), err);
            for (int trial = 0; trial < 25; trial++) {
                vec3 nodes[CELL_MAX_NODES], to[CELL_MAX_NODES], at[CELL_MAX_NODES];
                int n = moved_cell(&r, solid[i], order, 0.05 / order, nodes);
                moved_cell(&r, solid[i], order, random_unit(&r), to);
                for (int a = 0; a < n; a++) to[a] = vec3_sub(to[a], nodes[a]);
                double t = positivity_max_step(&p, nodes, to, 1, 0.2);
                CHECK(t > 0 && t <= 1);
                full += t == 1;
                cut += t < 1;
                double worst = INFINITY; /* how near to the limit a slightly larger step comes */
                for (int s = 0; s < 200; s++) {
                    double xi[3], time = t * (s % 10 + 1) / 10;
                    random_point(&r, solid[i], xi);
                    double before = determinant_at(solid[i], order, nodes, xi);
                    for (int a = 0; a < n; a++) at[a] = vec3_mul_add(nodes[a], time, to[a]);
                    CHECK(determinant_at(solid[i], order, at, xi) > 0.2 * before);
                    for (int a = 0; a < n; a++) at[a] = vec3_mul_add(nodes[a], 2.2 * t, to[a]);
                    worst = fmin(worst, determinant_at(solid[i], order, at, xi) - 0.4 * before);
                }
                timid += t < 0.4 && worst > 0;
            }
            positivity_free(&p);
        }
    CHECK(full > 10);
    CHECK(cut > 50);
    CHECK(timid < cut / 20);
}

TEST(no_step_from_inverted)
{
    positivity p;
    abut_error err;
    CHECK_OK(positivity_init(&p, CELL_TET, 2, &err), err);
    vec3 nodes[CELL_MAX_NODES], zero[CELL_MAX_NODES] = {{0}};
    random_state r = {3};
    int n = moved_cell(&r, CELL_TET, 2, 0, nodes);
    CHECK(positivity_max_step(&p, nodes, zero, 1, 0.2) == 1);
    for (int a = 0; a < n; a++) nodes[a].x = -nodes[a].x;
    CHECK(positivity_max_step(&p, nodes, zero, 1, 0.2) == 0);
    positivity_free(&p);
    CHECK(positivity_init(&p, CELL_EDGE, 2, &err) == ABUT_ERROR_UNSUPPORTED);
    for (int64_t fail = 0; fail < 6; fail++) {
        mem_fail_after(fail);
        abut_status status = positivity_init(&p, CELL_TET, 3, &err);
        if (mem_failure_happened()) CHECK(status == ABUT_ERROR_MEMORY);
        mem_fail_after(-1);
        if (status == ABUT_OK) positivity_free(&p);
    }
}

TEST(affine_is_noticed)
{
    random_state r = {5};
    for (int i = 0; i < 4; i++)
        for (int order = 1; order <= (i % 2 ? 2 : 4); order++) {
            vec3 nodes[CELL_MAX_NODES];
            int n = moved_cell(&r, solid[i], order, 0, nodes);
            for (int a = 0; a < n; a++)
                nodes[a] = (vec3){3 + nodes[a].x + 0.2 * nodes[a].y, nodes[a].y, 2 * nodes[a].z};
            CHECK(lagrange_is_affine(solid[i], order, nodes));
            nodes[n - 1].x += 1e-6;
            bool linear_simplex = order == 1 && i % 2 == 0;
            CHECK(lagrange_is_affine(solid[i], order, nodes) == linear_simplex);
        }
}

/* det J is within rounding of zero on a whole side: there is an answer, and soon. */
TEST(nearly_flat_sides_are_given_up)
{
    positivity p;
    abut_error err;
    CHECK_OK(positivity_init(&p, CELL_TET, 2, &err), err);
    int lattice[CELL_MAX_NODES][3], n = cell_lattice(CELL_TET, 2, lattice);
    vec3 nodes[CELL_MAX_NODES], still[CELL_MAX_NODES] = {{0}};
    for (int a = 0; a < n; a++) {
        double z = 0.5 * lattice[a][2];
        nodes[a] = (vec3){0.5 * lattice[a][0], 0.5 * lattice[a][1], z * z + 1e-15 * z};
    }
    CHECK(positivity_check(&p, nodes) != POSITIVE);
    CHECK(positivity_max_step(&p, nodes, still, 1, 0.2) == 0);
    positivity_free(&p);
}

int main(void)
{
    RUN(basis_interpolates);
    RUN(rules_are_exact);
    RUN(rules_have_few_points);
    RUN(positive_everywhere);
    RUN(sees_between_the_points);
    RUN(nearly_flat_sides_are_given_up);
    RUN(steps_keep_positive);
    RUN(no_step_from_inverted);
    RUN(affine_is_noticed);
    return TEST_END();
}
