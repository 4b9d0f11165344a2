/* Reading query files: exact numbers, both places for the answers, and every kind of bad input with
 * the line it is on. */
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "ccd/query_file.h"
#include "test.h"

#include <unistd.h>

static char folder[] = "/tmp/abut-ccd-XXXXXX";

static const char *write_file(const char *name, const char *text)
{
    static char path[512];
    abut_error err = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char parent[512];
    path_folder(parent, sizeof parent, path);
    CHECK_OK(directory_create(parent, &err), err);
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(text, 1, strlen(text), file) == strlen(text) && fclose(file) == 0);
    return path;
}

/* Eight equal rows. */
static const char *eight(const char *row)
{
    static char text[65536];
    text[0] = 0;
    for (int i = 0; i < 8; i++) {
        strcat(text, row);
        strcat(text, "\n");
    }
    return text;
}

static double read_one(const char *number)
{
    char row[2048];
    query_file file;
    abut_error err = {0};
    snprintf(row, sizeof row, "%s,0,1,0,1,1", number);
    abut_status status = query_file_read(write_file("one-ee.csv", eight(row)), &file, &err);
    CHECK_OK(status, err);
    if (status != ABUT_OK) return NAN;
    double x = file.points[0].x;
    CHECK(file.count == 1 && file.has_truth && file.truth[0]);
    query_file_free(&file);
    return x;
}

TEST(numbers_are_exact)
{
    CHECK(read_one("1,2") == 0.5);
    CHECK(read_one("-3,4") == -0.75);
    CHECK(read_one("+3,4") == 0.75);
    CHECK(read_one("0,8") == 0.0);
    CHECK(read_one(" 6 , 4 ") == 1.5);
    CHECK(read_one("9007199254740991,9007199254740992") == 1.0 - 0x1p-53);
    CHECK(read_one("-8637398466476071,2596148429267413814265248164610048") ==
          ldexp(-8637398466476071.0, -111));
    CHECK(read_one("18446744073709551616,1") == 0x1p64);
    char number[800], *at = number;
    /* 2^1000 by doubling decimal digits */
    int digit[320] = {1}, digits = 1;
    for (int power = 0; power < 1000; power++) {
        int carry = 0;
        for (int i = 0; i < digits; i++) {
            int value = 2 * digit[i] + carry;
            digit[i] = value % 10;
            carry = value / 10;
        }
        if (carry) digit[digits++] = carry;
    }
    at += sprintf(at, "3,");
    for (int i = digits - 1; i >= 0; i--) *at++ = (char)('0' + digit[i]);
    *at = 0;
    CHECK(read_one(number) == 0x3p-1000);
}

TEST(kind_from_the_path)
{
    ccd_kind kind;
    CHECK(query_file_kind("a/edge-edge/data.csv", &kind) && kind == CCD_EDGE_EDGE);
    CHECK(query_file_kind("a/vertex-face/data.csv", &kind) && kind == CCD_POINT_TRIANGLE);
    CHECK(query_file_kind("a/queries/3036ee.csv", &kind) && kind == CCD_EDGE_EDGE);
    CHECK(query_file_kind("227vf.csv", &kind) && kind == CCD_POINT_TRIANGLE);
    CHECK(!query_file_kind("a/data_0_0.csv", &kind));
    CHECK(!query_file_kind("e.csv", &kind));
}

TEST(answers_in_a_side_file)
{
    query_file file;
    abut_error err = {0};
    char path[512];
    snprintf(path, sizeof path, "%s", write_file("s/queries/7ee.csv", eight("1,1,1,1,1,1")));
    CHECK_OK(query_file_read(path, &file, &err), err);
    CHECK(!file.has_truth && file.truth == NULL && file.count == 1);
    query_file_free(&file);
    write_file("s/mma_bool/7ee_mma_bool.json", " [ true ]\n");
    CHECK_OK(query_file_read(path, &file, &err), err);
    CHECK(file.has_truth && file.truth[0]);
    query_file_free(&file);
    static const char *const bad[] = {"[true, false]", "[",        "{}", "[true",       "[true,]",
                                      "[1]",           "[true] x", "",   "[true false]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file("s/mma_bool/7ee_mma_bool.json", bad[i]);
        CHECK(query_file_read(path, &file, &err) == ABUT_ERROR_INPUT);
        CHECK(strstr(err.place, "7ee_mma_bool.json:") != NULL);
    }
}

static void expect_error(const char *text, const char *place, const char *message)
{
    query_file file;
    abut_error err = {0};
    abut_status status = query_file_read(write_file("bad-ee.csv", text), &file, &err);
    CHECK(status == ABUT_ERROR_INPUT);
    if (!strstr(err.place, place) || !strstr(err.message, message))
        printf("%s: %s (wanted %s: %s)\n", err.place, err.message, place, message);
    CHECK(strstr(err.place, place) != NULL);
    CHECK(strstr(err.message, message) != NULL);
}

TEST(bad_input)
{
    char text[65536], huge[4000];
    expect_error("", "bad-ee.csv:1", "no query");
    expect_error("\n\n# nothing\n", "bad-ee.csv:4", "no query");
    expect_error("1,1,1,1,1,1,0\n", "bad-ee.csv:2", "multiple of 8, found 1");
    expect_error(eight("nan,1,1,1,1,1,0"), "bad-ee.csv:1", "expected an integer, found nan");
    expect_error(eight("1,1,inf,1,1,1,0"), "bad-ee.csv:1", "expected an integer, found inf");
    expect_error(eight("1,1,1,1,1"), "bad-ee.csv:1", "expected a comma");
    expect_error(eight("1,1,1,1,1,1,0,4"), "bad-ee.csv:1", "6 or 7 integers");
    expect_error(eight("1,1,1,1,1,,0"), "bad-ee.csv:1", "found nothing");
    expect_error(eight("1,0,1,1,1,1,0"), "bad-ee.csv:1", "denominator is zero");
    expect_error(eight("1,-2,1,1,1,1,0"), "bad-ee.csv:1", "denominator is negative");
    expect_error(eight("1,1,1,3,1,1,0"), "bad-ee.csv:1", "not a power of two");
    expect_error(eight("1,36893488147419103233,1,3,1,1,0"), "bad-ee.csv:1", "not a power of two");
    expect_error(eight("9007199254740993,1,1,1,1,1,0"), "bad-ee.csv:1", "not exactly a double");
    expect_error(eight("1,1,1,1,1,1,2"), "bad-ee.csv:1", "must be 0 or 1");
    expect_error(eight("1.5,1,1,1,1,1,0"), "bad-ee.csv:1", "expected a comma");
    expect_error(eight("1,1,1,1,1,1,x"), "bad-ee.csv:1", "expected an integer, found x");
    memset(huge, '9', 3000);
    strcpy(huge + 3000, ",1,1,1,1,1,0");
    expect_error(eight(huge), "bad-ee.csv:1", "too large");
    memset(huge, '0', 400);
    huge[0] = '1';
    strcpy(huge + 400, ",1,1,1,1,1,0");
    expect_error(huge, "bad-ee.csv:1", "not exactly a double");
    strcpy(text, eight("1,1,1,1,1,1,0"));
    text[strlen(text) - 2] = '1'; /* the label of the eighth row */
    expect_error(text, "bad-ee.csv:8", "differs within one query");
    strcpy(text, eight("1,1,1,1,1,1,0"));
    text[strlen(text) - 3] = 0;
    expect_error(text, "bad-ee.csv:8", "some rows have the answer");
    strcpy(text, eight("1,1,1,1,1,1,0"));
    strcat(text, "# a comment\n\n1,1,1,1,1,1,0\n1,1,1,7,1,1,0\n");
    expect_error(text, "bad-ee.csv:12", "not a power of two");
    query_file file;
    abut_error err = {0};
    CHECK(query_file_read("data.csv", &file, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "edge-edge or vertex-face") != NULL);
    CHECK(query_file_read("/nowhere/xee.csv", &file, &err) == ABUT_ERROR_IO);
}

TEST(windows_line_ends_and_comments)
{
    query_file file;
    abut_error err = {0};
    char text[4096] = "# header\r\n\r\n";
    for (int i = 0; i < 16; i++) strcat(text, "1, 2, 3, 4, 5, 8, 1\r\n");
    CHECK_OK(query_file_read(write_file("crlf-vf.csv", text), &file, &err), err);
    CHECK(file.count == 2 && file.kind == CCD_POINT_TRIANGLE && file.truth[1]);
    CHECK(file.points[15].z == 0.625);
    query_file_free(&file);
}

/* Damaged files are read or refused, never anything else. */
TEST(damaged_files)
{
    random_state r = {.state = 4};
    char good[8192] = "", bad[8192];
    for (int i = 0; i < 16; i++)
        strcat(good, i % 3 ? "-12345,8,7,36028797018963968,1,2,0\n"
                           : "1,4,3,340282366920938463463374607431768211456,0,1,0\n");
    int read = 0, refused = 0;
    for (int n = 0; n < 3000; n++) {
        size_t length = strlen(good);
        memcpy(bad, good, length + 1);
        for (uint64_t k = 0; k <= random_below(&r, 3); k++) {
            size_t at = random_below(&r, length);
            switch (random_below(&r, 4)) {
            case 0: bad[at] = "0123456789,-\n\r #e.x"[random_below(&r, 19)]; break;
            case 1: bad[at] = (char)(1 + random_below(&r, 255)); break;
            case 2:
                memmove(bad + at, bad + at + 1, length - at);
                length--;
                break;
            default: bad[at] = 0, length = at > 0 ? at : 1; break;
            }
        }
        bad[length] = 0;
        query_file file;
        abut_error err = {0};
        abut_status status = query_file_read(write_file("damagedvf.csv", bad), &file, &err);
        CHECK(status == ABUT_OK || status == ABUT_ERROR_INPUT);
        if (status == ABUT_OK) {
            for (size_t i = 0; i < 8 * file.count; i++) CHECK(vec3_is_finite(file.points[i]));
            query_file_free(&file);
            read++;
        } else {
            CHECK(err.message[0] && strstr(err.place, "damagedvf.csv:"));
            refused++;
        }
    }
    CHECK(read > 0 && refused > 1000);
}

TEST(out_of_memory)
{
    char path[512];
    snprintf(path, sizeof path, "%s", write_file("memoryee.csv", eight("1,1,1,1,1,1,1")));
    for (int n = 0; n < 100; n++) {
        query_file file;
        abut_error err = {0};
        mem_fail_after(n);
        abut_status status = query_file_read(path, &file, &err);
        bool failed = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (failed ? ABUT_ERROR_MEMORY : ABUT_OK) ||
              (failed && status == ABUT_ERROR_IO));
        if (status == ABUT_OK) query_file_free(&file);
        if (!failed) return;
    }
    CHECK(false);
}

int main(void)
{
    if (!mkdtemp(folder)) return EXIT_FAILURE;
    RUN(numbers_are_exact);
    RUN(kind_from_the_path);
    RUN(answers_in_a_side_file);
    RUN(bad_input);
    RUN(windows_line_ends_and_comments);
    RUN(damaged_files);
    RUN(out_of_memory);
    char command[600];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
    return TEST_END();
}
