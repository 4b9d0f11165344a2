/* A test is a program: TEST functions, listed in main with RUN, closed by TEST_END.
 *
 *     TEST(adds) { CHECK(1 + 1 == 2); CHECK_NEAR(0.1 + 0.2, 0.3, 1e-15); }
 *     int main(void) { RUN(adds); return TEST_END(); }
 */
#ifndef TEST_H
#define TEST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int test_failures_, test_checks_, test_count_;
static const char *test_name_ = "";

#define TEST(name) static void test_##name(void)

#define RUN(name)                                                                                  \
    do {                                                                                           \
        int before_ = test_failures_;                                                              \
        test_name_ = #name;                                                                        \
        test_count_++;                                                                             \
        test_##name();                                                                             \
        printf("%s %s\n", test_failures_ == before_ ? "ok  " : "FAIL", #name);                     \
        fflush(stdout);                                                                            \
    } while (0)

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        test_checks_++;                                                                            \
        if (!(condition)) {                                                                        \
            test_failures_++;                                                                      \
            if (test_failures_ < 50)                                                               \
                printf("%s:%d: %s: %s is false\n", __FILE__, __LINE__, test_name_, #condition);    \
        }                                                                                          \
    } while (0)

#define CHECK_NEAR(actual, expected, tolerance)                                                    \
    do {                                                                                           \
        double a_ = (actual), e_ = (expected), t_ = (tolerance);                                   \
        test_checks_++;                                                                            \
        if (!(fabs(a_ - e_) <= t_)) {                                                              \
            test_failures_++;                                                                      \
            if (test_failures_ < 50)                                                               \
                printf("%s:%d: %s: %s = %.17g, expected %.17g within %.3g\n", __FILE__, __LINE__,  \
                       test_name_, #actual, a_, e_, t_);                                           \
        }                                                                                          \
    } while (0)

#define CHECK_OK(expression, error)                                                                \
    do {                                                                                           \
        test_checks_++;                                                                            \
        if ((expression) != ABUT_OK) {                                                             \
            test_failures_++;                                                                      \
            printf("%s:%d: %s: %s failed: %s: %s\n", __FILE__, __LINE__, test_name_, #expression,  \
                   (error).place, (error).message);                                                \
        }                                                                                          \
    } while (0)

/* Leaves the program, reported as skipped, with the reason. */
#define SKIP_ALL(reason)                                                                           \
    do {                                                                                           \
        printf("skipped: %s\n", reason);                                                           \
        exit(77);                                                                                  \
    } while (0)

#define TEST_END()                                                                                 \
    (printf("%d tests, %d checks, %d failures\n", test_count_, test_checks_, test_failures_),      \
     test_failures_ ? EXIT_FAILURE : EXIT_SUCCESS)

/* Folder of the data published by others: $ABUT_DATA or ../shared/data; NULL when absent. */
static inline const char *test_data_folder(void)
{
    const char *folder = getenv("ABUT_DATA");
    if (!folder) folder = "../shared/data";
    FILE *probe = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/README.md", folder);
    probe = fopen(path, "r");
    if (!probe) return NULL;
    fclose(probe);
    return folder;
}

#endif
