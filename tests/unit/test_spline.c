/* Cubic splines: through the points, smooth, with the ends that were asked for. */
#include "test.h"

#include "base/random.h"
#include "math/spline.h"

enum { COUNT = 9 };

typedef struct jet {
    double value, first, second;
} jet;

static jet piece_at(const double *x, const double *y, const double *slope, size_t i, double at)
{
    double c[3], s = at - x[i];
    spline_piece(x + i, y + i, slope + i, c);
    return (jet){y[i] + s * (c[0] + s * (c[1] + s * c[2])), c[0] + s * (2 * c[1] + 3 * s * c[2]),
                 2 * c[1] + 6 * s * c[2]};
}

TEST(conditions)
{
    random_state r = {3};
    for (int ends = SPLINE_FLAT; ends <= SPLINE_PERIODIC; ends++)
        for (size_t n = 2; n <= COUNT; n++) {
            double x[COUNT], y[COUNT], slope[COUNT];
            for (size_t i = 0; i < n; i++) {
                x[i] = (double)i + random_range(&r, -0.4, 0.4);
                y[i] = random_range(&r, -1, 1);
            }
            CHECK(spline_slopes(n, x, y, (spline_ends)ends, slope));
            for (size_t i = 0; i + 1 < n; i++) {
                jet end = piece_at(x, y, slope, i, x[i + 1]);
                CHECK_NEAR(end.value, y[i + 1], 1e-13);
                if (i + 2 == n) break;
                jet next = piece_at(x, y, slope, i + 1, x[i + 1]);
                CHECK_NEAR(end.first, next.first, 1e-11);
                CHECK_NEAR(end.second, next.second, 1e-10);
            }
            jet a = piece_at(x, y, slope, 0, x[0]), b = piece_at(x, y, slope, n - 2, x[n - 1]);
            if (ends == SPLINE_FLAT) CHECK(fabs(a.first) < 1e-12 && fabs(b.first) < 1e-11);
            if (ends == SPLINE_NATURAL) CHECK(fabs(a.second) < 1e-10 && fabs(b.second) < 1e-10);
            if (ends == SPLINE_PERIODIC) {
                CHECK_NEAR(a.first, b.first, 1e-11);
                CHECK_NEAR(a.second, b.second, 1e-10);
            }
        }
}

/* Straight lines are reproduced by natural ends. */
TEST(lines)
{
    double x[] = {0, 0.5, 2, 2.5}, y[] = {1, 2, 5, 6}, slope[4];
    CHECK(spline_slopes(4, x, y, SPLINE_NATURAL, slope));
    for (int i = 0; i < 4; i++) CHECK_NEAR(slope[i], 2, 1e-13);
}

int main(void)
{
    RUN(conditions);
    RUN(lines);
    return TEST_END();
}
