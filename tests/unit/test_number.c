/* Decimal numbers: bit for bit the values of strtod on random and hard texts, no terminator needed,
 * no dependence on the locale. */
#include "test.h"

#include "base/number.h"
#include "base/random.h"

#include <locale.h>
#include <stdbool.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Compares with strtod, on a copy without terminator that is followed by more digits. */
static void compare(const char *text)
{
    size_t length = strlen(text);
    char copy[2048];
    memcpy(copy, text, length);
    memset(copy + length, '7', 16);
    const char *p = copy;
    double value = -1.0;
    number_status status = number_read_double(&p, copy + length, &value);
    double expected = strtod(text, NULL);
    if (bits_of(value) != bits_of(expected) || p != copy + length ||
        status != (isinf(expected) ? NUMBER_OVERFLOW : NUMBER_OK)) {
        test_failures_++;
        printf("%s: read %.17g (status %d, %zu of %zu characters), expected %.17g\n", text, value,
               (int)status, (size_t)(p - copy), length, expected);
    }
    test_checks_++;
}

/* Enough random cases of each kind; some kinds reach the table, some strtod. */
enum { CASES = 400000 };

TEST(random_bits_printed_with_many_digits)
{
    random_state r = {1};
    char text[64];
    for (int i = 0; i < CASES; i++) {
        double value;
        uint64_t bits = random_u64(&r);
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        snprintf(text, sizeof text, "%.*e", (int)random_below(&r, 20), value);
        compare(text);
    }
}

TEST(random_digits_and_exponents)
{
    random_state r = {2};
    char text[128];
    for (int i = 0; i < 2 * CASES; i++) {
        int n = 0, digits = 1 + (int)random_below(&r, 24), point = (int)random_below(&r, 26);
        if (random_below(&r, 3) == 0) text[n++] = random_below(&r, 2) ? '-' : '+';
        for (int k = 0; k < digits; k++) {
            if (k == point) text[n++] = '.';
            text[n++] = (char)('0' + random_below(&r, 10));
        }
        if (random_below(&r, 2))
            n += snprintf(text + n, 16, "%c%d", random_below(&r, 2) ? 'e' : 'E',
                          (int)random_below(&r, 700) - 360);
        text[n] = 0;
        compare(text);
    }
}

TEST(subnormals)
{
    random_state r = {3};
    char text[64];
    for (int i = 0; i < CASES / 2; i++) {
        double value;
        uint64_t bits = random_u64(&r) >> (12 + random_below(&r, 52));
        memcpy(&value, &bits, sizeof value);
        snprintf(text, sizeof text, "%.*e", (int)random_below(&r, 21), value);
        compare(text);
    }
}

/* The exact decimal expansion of the point between two neighbouring doubles, and a digit more. */
TEST(halfway_cases)
{
    random_state r = {4};
    char text[1200];
    for (int i = 0; i < CASES / 4; i++) {
        /* A 54-bit odd integer times 2^e lies in the middle; printf prints it exactly. */
        uint64_t odd = (random_u64(&r) >> 10) | UINT64_C(1) << 53 | 1;
        long double half = ldexpl((long double)odd, (int)random_below(&r, 200) - 100);
        int n = snprintf(text, sizeof text - 2, "%.*Lf", 120, half);
        if (random_below(&r, 3) == 0) text[n++] = (char)('0' + random_below(&r, 2)), text[n] = 0;
        compare(text);
    }
    for (int i = 0; i < 2000; i++) { /* the middle of two subnormals: up to 768 digits */
        long double half = ldexpl((long double)(random_below(&r, 1 << 20) * 2 + 1), -1075);
        int n = snprintf(text, sizeof text - 2, "%.*Lf", 1080, half);
        if (random_below(&r, 2)) text[n - 1] = '1';
        compare(text);
    }
}

TEST(known_hard_numbers)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "+0.0",
        "0e999999999999",
        "1",
        ".5",
        "5.",
        "00000000000000000000000001.5",
        "0.00000000000000000000000000000000000000001",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.470328229206232720e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "-1e400",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "9007199254740993",
        "9007199254740992.999999999999999999",
        "9007199254740993.0000000000000000000001",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "10000000000000000000",
        "1e22",
        "1e23",
        "8.5e22",
        "6.631236846766476e-316",
        "1448997445238699",
        "89255.1e-22",
        "104308485241983990666713401708072175773165034278682"
        "682111762292409330928739751702404658197872319129036519947435319418387839758990478549477"
        "777586673075945844895981012024387992135617064532141489278815239849108105951619997153633"
        "553314849999674266169258928940692239684771590065027025835804863585454934489320500000e-2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) compare(texts[i]);
}

TEST(stops_where_the_number_ends)
{
    static const struct {
        const char *text;
        size_t length;
        double value;
    } cases[] = {{"1e", 1, 1},    {"1e+", 1, 1},   {"2e5x", 3, 2e5}, {"1.5.5", 3, 1.5},
                 {"3,4", 1, 3},   {"0x10", 1, 0},  {"7 8", 1, 7},    {"-1-1", 2, -1},
                 {"12/3", 2, 12}, {"1.e1", 4, 10}, {"1..2", 2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *p = cases[i].text;
        double value = -9;
        CHECK(number_read_double(&p, p + strlen(p), &value) == NUMBER_OK);
        CHECK(value == cases[i].value);
        CHECK((size_t)(p - cases[i].text) == cases[i].length);
    }
}

static number_status status_of(const char *text, size_t *used)
{
    const char *p = text;
    double value = 0;
    number_status status = number_read_double(&p, text + strlen(text), &value);
    *used = (size_t)(p - text);
    return status;
}

TEST(words_and_missing_numbers)
{
    size_t used;
    CHECK(status_of("inf", &used) == NUMBER_INFINITY && used == 3);
    CHECK(status_of("-Infinity", &used) == NUMBER_INFINITY && used == 9);
    CHECK(status_of("+INF ", &used) == NUMBER_INFINITY && used == 4);
    CHECK(status_of("NaN", &used) == NUMBER_NAN && used == 3);
    CHECK(status_of("-nan(1)", &used) == NUMBER_NAN && used == 4);
    static const char *const missing[] = {"",  "+",  "-",  ".",  "-.",  "e5", ".e5",
                                          "x", " 1", "in", "na", "--1", "\n"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        CHECK(status_of(missing[i], &used) == NUMBER_MISSING && used == 0);
}

TEST(integers)
{
    static const struct {
        const char *text;
        number_status status;
        size_t length;
        int64_t value;
    } cases[] = {{"0", NUMBER_OK, 1, 0},
                 {"-12x", NUMBER_OK, 3, -12},
                 {"+7", NUMBER_OK, 2, 7},
                 {"000000000000000000000000042", NUMBER_OK, 27, 42},
                 {"9223372036854775807", NUMBER_OK, 19, INT64_MAX},
                 {"-9223372036854775807", NUMBER_OK, 20, -INT64_MAX},
                 {"9223372036854775808", NUMBER_OVERFLOW, 19, INT64_MAX},
                 {"-99999999999999999999999", NUMBER_OVERFLOW, 24, INT64_MIN},
                 {"184467440737095516160", NUMBER_OVERFLOW, 21, INT64_MAX},
                 {"", NUMBER_MISSING, 0, 5},
                 {"-", NUMBER_MISSING, 0, 5},
                 {"a1", NUMBER_MISSING, 0, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *p = cases[i].text;
        int64_t value = 5;
        CHECK(number_read_int(&p, p + strlen(p), &value) == cases[i].status);
        CHECK(value == cases[i].value);
        CHECK((size_t)(p - cases[i].text) == cases[i].length);
    }
}

TEST(writing_reads_back)
{
    random_state r = {5};
    char text[NUMBER_TEXT_SIZE];
    for (int i = 0; i < CASES / 4; i++) {
        double value;
        uint64_t bits = random_u64(&r);
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        int length = number_write_double(text, value);
        CHECK(length == (int)strlen(text));
        CHECK(bits_of(strtod(text, NULL)) == bits_of(value));
    }
    number_write_double(text, 0.1);
    CHECK(strcmp(text, "0.1") == 0);
    number_write_double(text, -2.5e-10);
    CHECK(strcmp(text, "-2.5e-10") == 0);
}

/* They take a path of their own; the text is the same. */
TEST(whole_numbers_are_written_as_by_printf)
{
    static const double values[] = {0,   -0.0, 1,         -7,         10,
                                    0.5, 1e5,  123456789, 1e15 - 1,   -999999999999999.0,
                                    42,  1e15, 1e16,      0x1p53 + 2, 1e300};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[NUMBER_TEXT_SIZE], expected[64];
        int length = number_write_double(text, values[i]);
        snprintf(expected, sizeof expected, "%.*g", values[i] == 0x1p53 + 2 ? 16 : 15, values[i]);
        CHECK(length == (int)strlen(expected) && strcmp(text, expected) == 0);
        CHECK(bits_of(strtod(text, NULL)) == bits_of(values[i]));
    }
}

/* With a decimal comma, strtod would stop at the point of a hard number. */
TEST(locale_does_not_matter)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]) != NULL;
    const char *hard = "9007199254740992.99999999999999999999", *p = hard;
    double value;
    CHECK(number_read_double(&p, p + strlen(p), &value) == NUMBER_OK);
    CHECK(value == 9007199254740993.0 && *p == 0);
    char text[NUMBER_TEXT_SIZE];
    number_write_double(text, 1.25);
    CHECK(strcmp(text, "1.25") == 0);
    setlocale(LC_NUMERIC, "C");
    if (!found) printf("     (no locale with a decimal comma is installed: tested in C only)\n");
}

int main(void)
{
    RUN(random_bits_printed_with_many_digits);
    RUN(random_digits_and_exponents);
    RUN(subnormals);
    RUN(halfway_cases);
    RUN(known_hard_numbers);
    RUN(stops_where_the_number_ends);
    RUN(words_and_missing_numbers);
    RUN(integers);
    RUN(writing_reads_back);
    RUN(whole_numbers_are_written_as_by_printf);
    RUN(locale_does_not_matter);
    return TEST_END();
}
