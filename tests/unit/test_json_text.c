/* JSON text with the shortest numbers that read back to the same bits. */
#include "test.h"

#include "base/json_text.h"
#include "base/random.h"

static void check_text(json_t *value, const char *expected)
{
    char *text = json_text(value, JSON_COMPACT);
    CHECK(text && strcmp(text, expected) == 0);
    if (text && strcmp(text, expected) != 0) printf("  %s instead of %s\n", text, expected);
    free(text);
    json_decref(value);
}

TEST(short_numbers)
{
    check_text(json_pack("[f,f,f,f]", 0.1, -0.3, 1e-5, 1.0), "[0.1,-0.3,1e-5,1.0]");
    check_text(json_pack("[f,f,f]", 1e22, -2.5e-300, 9007199254740993.0),
               "[1e22,-2.5e-300,9007199254740992.0]");
    check_text(json_pack("[i,I,b,n]", 7, (json_int_t)-12345678901234567, 1),
               "[7,-12345678901234567,true,null]");
    check_text(
        json_pack("{s:f,s:s}", "a 0.10000000000000001 \"1.5", 0.7, "b", "\\ 0.30000000000000004"),
        "{\"a 0.10000000000000001 \\\"1.5\":0.7,\"b\":\"\\\\ 0.30000000000000004\"}");
    CHECK(json_text(NULL, 0) == NULL);
}

TEST(same_bits)
{
    random_state random = {1};
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = random_u64(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i % 2) value = (double)(int64_t)(bits % 2000001) / 1000 - 1000;
        if (!isfinite(value)) continue;
        json_t *list = json_pack("[f]", value);
        char *text = json_text(list, 0);
        json_t *back = json_loads(text, 0, NULL);
        double read = json_real_value(json_array_get(back, 0));
        CHECK(json_is_real(json_array_get(back, 0)) && memcmp(&read, &value, sizeof read) == 0);
        json_decref(back);
        json_decref(list);
        free(text);
    }
}

int main(void)
{
    RUN(short_numbers);
    RUN(same_bits);
    return TEST_END();
}
