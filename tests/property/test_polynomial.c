/* First roots of random and degenerate polynomials against exact rational arithmetic: Sturm's
 * theorem counts the roots, so the promise "no root before the answer" is checked without error. */
#include "test.h"

#include "base/random.h"
#include "math/polynomial.h"

#include <float.h>
#include <gmp.h>

enum { DEGREE = 3 };

typedef struct exact_polynomial {
    mpq_t c[DEGREE + 1];
    int degree; /* -1 for zero */
} exact_polynomial;

static void trim(exact_polynomial *p)
{
    while (p->degree >= 0 && mpq_sgn(p->c[p->degree]) == 0) p->degree--;
}

static void exact_init(exact_polynomial *p)
{
    for (int k = 0; k <= DEGREE; k++) mpq_init(p->c[k]);
    p->degree = -1;
}

static void exact_clear(exact_polynomial *p)
{
    for (int k = 0; k <= DEGREE; k++) mpq_clear(p->c[k]);
}

static int exact_sign(const exact_polynomial *p, double t)
{
    mpq_t sum, x;
    mpq_inits(sum, x, NULL);
    mpq_set_d(x, t);
    for (int k = p->degree; k >= 0; k--) {
        mpq_mul(sum, sum, x);
        mpq_add(sum, sum, p->c[k]);
    }
    int sign = mpq_sgn(sum);
    mpq_clears(sum, x, NULL);
    return sign;
}

/* r = -(a mod b) */
static void negative_remainder(const exact_polynomial *a, const exact_polynomial *b,
                               exact_polynomial *r)
{
    mpq_t factor, term;
    mpq_inits(factor, term, NULL);
    for (int k = 0; k <= DEGREE; k++) mpq_set(r->c[k], a->c[k]);
    r->degree = a->degree;
    for (; r->degree >= b->degree; trim(r)) {
        mpq_div(factor, r->c[r->degree], b->c[b->degree]);
        int shift = r->degree - b->degree;
        for (int k = 0; k <= b->degree; k++) {
            mpq_mul(term, factor, b->c[k]);
            mpq_sub(r->c[k + shift], r->c[k + shift], term);
        }
    }
    for (int k = 0; k <= DEGREE; k++) mpq_neg(r->c[k], r->c[k]);
    mpq_clears(factor, term, NULL);
}

/* Number of different roots in (low, high]. */
static int exact_roots(const double c[4], double low, double high)
{
    exact_polynomial chain[DEGREE + 2];
    for (int k = 0; k < DEGREE + 2; k++) exact_init(&chain[k]);
    for (int k = 0; k <= DEGREE; k++) mpq_set_d(chain[0].c[k], c[k]);
    chain[0].degree = DEGREE;
    trim(&chain[0]);
    mpq_t k_exact;
    mpq_init(k_exact);
    for (int k = 1; k <= DEGREE; k++) {
        mpq_set_si(k_exact, k, 1);
        mpq_mul(chain[1].c[k - 1], chain[0].c[k], k_exact);
    }
    mpq_clear(k_exact);
    chain[1].degree = DEGREE - 1;
    trim(&chain[1]);
    int count = 2;
    while (chain[count - 1].degree > 0 && count < DEGREE + 2) {
        negative_remainder(&chain[count - 2], &chain[count - 1], &chain[count]);
        count++;
    }
    int changes[2] = {0, 0};
    for (int end = 0; end < 2; end++) {
        int last = 0;
        for (int k = 0; k < count; k++) {
            int sign = exact_sign(&chain[k], end ? high : low);
            if (sign != 0 && last != 0 && sign != last) changes[end]++;
            if (sign != 0) last = sign;
        }
    }
    for (int k = 0; k < DEGREE + 2; k++) exact_clear(&chain[k]);
    return changes[0] - changes[1];
}

/* |p(t)| in units of the round-off of its evaluation. */
static double relative_residual(const double c[4], double t)
{
    long double value = 0, size = 0;
    for (int k = 3; k >= 0; k--) {
        value = value * t + c[k];
        size = size * t + fabsl(c[k]);
    }
    return (double)(fabsl(value) / (size * DBL_EPSILON));
}

static int with_root, without_root;

static void check_root(const double c[4])
{
    double t = c[3] == 0 ? quadratic_first_root(c) : cubic_first_root(c);
    if (t == INFINITY) {
        without_root++;
        CHECK(exact_roots(c, 0, 1) == 0);
        return;
    }
    with_root++;
    CHECK(t > 0 && t <= 1);
    CHECK(exact_roots(c, 0, t) == 0);
    /* Not needlessly small: the next representable steps are within round-off of a root. */
    CHECK(relative_residual(c, t * (1 + 8 * DBL_EPSILON)) <= 64);
}

/* c = (t - r0)(t - r1)(t - r2) times factor */
static void from_roots(double r0, double r1, double r2, double factor, double c[4])
{
    c[0] = -r0 * r1 * r2 * factor;
    c[1] = (r0 * r1 + r1 * r2 + r2 * r0) * factor;
    c[2] = -(r0 + r1 + r2) * factor;
    c[3] = factor;
}

TEST(known_answers)
{
    const double cubic[4] = {0.5, -1, 0, 0}, none[4] = {1, 1, 1, 1}, at_one[4] = {1, -1, 0, 0};
    CHECK_NEAR(cubic_first_root(cubic), 0.5, 1e-14);
    CHECK(cubic_first_root(cubic) <= 0.5);
    CHECK(cubic_first_root(none) == INFINITY);
    CHECK_NEAR(cubic_first_root(at_one), 1, 1e-14);
    const double beyond[4] = {1, -0.999999, 0, 0}, constant[4] = {-3, 0, 0, 0};
    CHECK(cubic_first_root(beyond) == INFINITY);
    CHECK(cubic_first_root(constant) == INFINITY);
    const double three[4] = {-0.006, 0.11, -0.6, 1}; /* 0.1, 0.2, 0.3 */
    CHECK_NEAR(cubic_first_root(three), 0.1, 1e-13);
    const double quadratic[3] = {-0.02, 0.3, -1}; /* 0.1, 0.2 */
    CHECK_NEAR(quadratic_first_root(quadratic), 0.1, 1e-14);
    const double touches[4] = {0.25, -1, 1, 0}; /* a double root at 0.5 */
    CHECK(quadratic_first_root(touches) <= 0.5 && quadratic_first_root(touches) > 0.4999999);
}

TEST(degenerate_input)
{
    const double zero[4] = {0}, through[4] = {0, 1, 0, 0}, broken[4] = {1, NAN, 0, 0};
    const double infinite[4] = {1, 0, INFINITY, 0}, lost[4] = {1e-320, -1e300, 0, 0};
    CHECK(cubic_first_root(zero) == 0);
    CHECK(cubic_first_root(through) == 0);
    CHECK(cubic_first_root(broken) == 0);
    CHECK(cubic_first_root(infinite) == 0);
    CHECK(cubic_first_root(lost) == 0);
    const double huge[4] = {1e300, -3e300, 0, 1e300}, small[4] = {1e-300, -3e-300, 0, 1e-300};
    CHECK(fabs(cubic_first_root(huge) - cubic_first_root(small)) < 1e-14);
}

TEST(random_coefficients)
{
    random_state r = {1};
    for (int k = 0; k < 20000; k++) {
        double c[4];
        for (int i = 0; i < 4; i++)
            c[i] = random_range(&r, -1, 1) * (k % 3 ? 1 : pow(10, random_range(&r, -12, 3)));
        check_root(c);
    }
    CHECK(with_root > 5000 && without_root > 5000);
}

/* The cubic of the inversion filter: 0.8 at 0, steps from tiny to enormous. */
TEST(inversion_filter_shapes)
{
    random_state r = {2};
    for (int k = 0; k < 10000; k++) {
        double size = pow(10, random_range(&r, -8, 8));
        double c[4] = {0.8, random_range(&r, -3, 3) * size, random_range(&r, -3, 3) * size * size,
                       random_range(&r, -1, 1) * size * size * size};
        check_root(c);
    }
}

TEST(tiny_leading_coefficients)
{
    random_state r = {3};
    for (int k = 0; k < 10000; k++) {
        double c[4] = {random_range(&r, 0, 1), random_range(&r, -2, 1), random_range(&r, -1, 1),
                       random_range(&r, -1, 1) * pow(10, -random_range(&r, 5, 320))};
        if (k % 2) c[2] *= pow(10, -random_range(&r, 5, 320));
        if (k % 4 == 3) c[3] = 0;
        check_root(c);
    }
}

TEST(double_and_triple_roots)
{
    random_state r = {4};
    for (int k = 0; k < 10000; k++) {
        double c[4], first = random_range(&r, 0.01, 0.9);
        double gap = k % 3 == 0 ? 0 : pow(10, -random_range(&r, 2, 17));
        double third = k % 5 == 0 ? first + 2 * gap : random_range(&r, -2, 2);
        from_roots(first, first + gap, third, random_range(&r, -2, 2), c);
        if (c[0] == 0) continue;
        check_root(c);
        c[0] += pow(10, -random_range(&r, 5, 18)) * fabs(c[0]); /* just lifted or lowered */
        check_root(c);
    }
}

int main(void)
{
    RUN(known_answers);
    RUN(degenerate_input);
    RUN(random_coefficients);
    RUN(inversion_filter_shapes);
    RUN(tiny_leading_coefficients);
    RUN(double_and_triple_roots);
    return TEST_END();
}
