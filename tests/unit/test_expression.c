/* Expressions of scenes: values, the rules of the grammar, and messages with the place. */
#include "test.h"

#include "base/expression.h"

static abut_error err;

static double value(const char *text, double x, double y, double z, double t)
{
    expression *e = NULL;
    CHECK_OK(expression_parse(text, &e, &err), err);
    double v = expression_value(e, x, y, z, t);
    expression *copy = expression_copy(e);
    double again = expression_value(copy, x, y, z, t);
    CHECK(memcmp(&v, &again, sizeof v) == 0);
    expression_free(e);
    expression_free(copy);
    return v;
}

TEST(values)
{
    const double pi = 3.14159265358979323846;
    CHECK(value("1 + 2 * 3", 0, 0, 0, 0) == 7);
    CHECK(value("(1+2)*3", 0, 0, 0, 0) == 9);
    CHECK(value("2 - 3 - 4", 0, 0, 0, 0) == -5);
    CHECK(value("7 % 4", 0, 0, 0, 0) == 3);
    CHECK(value("2^3^2", 0, 0, 0, 0) == 64); /* from the left */
    CHECK(value("-2^2", 0, 0, 0, 0) == 4);   /* the sign binds tighter */
    CHECK(value("--3", 0, 0, 0, 0) == 3);
    CHECK(value("1e-3*x + y/2 - z*t", 2, 3, 4, 5) == 1e-3 * 2 + 1.5 - 20);
    CHECK(value("10*t", 0, 0, 0, 0.5) == 5);
    CHECK(value("4 * t^2", 0, 0, 0, 3) == 36);
    CHECK(value("-min(t, 0.28)", 0, 0, 0, 1) == -0.28);
    CHECK(value("max(1, min(2, 3))", 0, 0, 0, 0) == 2);
    CHECK_NEAR(value("sin x + cos(pi) + sqrt 4", 0.5, 0, 0, 0), sin(0.5) - 1 + 2, 1e-15);
    CHECK_NEAR(value("rotate_2D_x(x, y, max(-t * pi / 2, deg2rad(-45))) - x", 1, 2, 0, 3),
               cos(-pi / 4) - 2 * sin(-pi / 4) - 1, 1e-15);
    CHECK_NEAR(value("rotate_2D_y(x, y, pi/2)", 1, 2, 0, 0), 1, 1e-15);
    CHECK(value("if(t-1, 5, 6)", 0, 0, 0, 1) == 5 && value("if(t-1, 5, 6)", 0, 0, 0, 0) == 6);
    CHECK(value("compare(1,2)", 0, 0, 0, 0) == 1 && value("sign(-3)", 0, 0, 0, 0) == -1);
    CHECK(value("smoothstep(0.5)", 0, 0, 0, 0) == 0.5);
    CHECK(value("half_smoothstep(0)", 0, 0, 0, 0) == 0);
    CHECK_NEAR(value("smooth_abs(2, 3)", 0, 0, 0, 0), 2 * tanh(6), 1e-15);
    CHECK_NEAR(value("log(100) + ln(e) + log10 10 + exp(0)", 0, 0, 0, 0), 5, 1e-15);
    CHECK(value("fac(5) + ncr(5,2) + npr(5, 2)", 0, 0, 0, 0) == 120 + 10 + 20);
    CHECK_NEAR(value("pi()", 0, 0, 0, 0), pi, 0);
    CHECK(isnan(value("sqrt(-1)", 0, 0, 0, 0)));
}

TEST(errors)
{
    static const struct {
        const char *text, *place;
    } wrong[] = {
        {"", "character 1"},         {"1 +", "character 4"},
        {"(1", "character 3"},       {"1)", "character 2"},
        {"foo(1)", "character 1"},   {"min(1)", "character 6"},
        {"max(1 2)", "character 7"}, {"x y", "character 3"},
        {"3 * * 4", "character 5"},  {"system(\"a\")", "character 1"},
        {"t; t", "character 2"},     {"sin", "character 4"},
        {"min 1", "character 5"},    {"..", "character 1"},
        {"neg(1)", "character 1"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expression *e = NULL;
        CHECK(expression_parse(wrong[i].text, &e, &err) == ABUT_ERROR_INPUT && !e);
        CHECK(strstr(err.message, wrong[i].place) != NULL);
        if (!strstr(err.message, wrong[i].place)) printf("%s\n", err.message);
    }
    /* Deep nesting and long sums must neither crash nor be cut silently. */
    char deep[4000];
    memset(deep, '(', 1000);
    memcpy(deep + 1000, "1", 2);
    expression *e = NULL;
    CHECK(expression_parse(deep, &e, &err) == ABUT_ERROR_INPUT);
    size_t length = 0;
    for (int i = 0; i < 1000; i++) length += (size_t)sprintf(deep + length, i ? "+1" : "1");
    CHECK(value(deep, 0, 0, 0, 0) == 1000);
}

TEST(constants)
{
    expression *e = expression_constant(2.5);
    CHECK(expression_value(e, 1, 2, 3, 4) == 2.5 && expression_is_constant(e));
    expression_free(e);
    CHECK_OK(expression_parse("2*t", &e, &err), err);
    CHECK(!expression_is_constant(e));
    expression_free(e);
    expression_free(NULL);
}

int main(void)
{
    RUN(values);
    RUN(errors);
    RUN(constants);
    return TEST_END();
}
