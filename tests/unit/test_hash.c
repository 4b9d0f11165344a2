/* SHA-256 against the published examples of FIPS 180-4 and against itself in pieces. */
#include "test.h"

#include "base/hash.h"

TEST(published_examples)
{
    static const char *const examples[][2] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
    for (int i = 0; i < 3; i++) {
        char text[SHA256_TEXT_SIZE];
        sha256_of(examples[i][0], strlen(examples[i][0]), text);
        CHECK(strcmp(text, examples[i][1]) == 0);
    }
}

TEST(a_million_letters)
{
    sha256 hash;
    char text[SHA256_TEXT_SIZE], piece[1000];
    memset(piece, 'a', sizeof piece);
    sha256_start(&hash);
    for (int i = 0; i < 1000; i++) sha256_add(&hash, piece, sizeof piece);
    sha256_text(&hash, text);
    CHECK(strcmp(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0") == 0);
}

TEST(pieces_do_not_matter)
{
    unsigned char data[300];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 7 + 3);
    for (size_t size = 0; size <= sizeof data; size += 13)
        for (size_t cut = 0; cut <= size; cut += 11) {
            char whole[SHA256_TEXT_SIZE], pieces[SHA256_TEXT_SIZE];
            sha256 hash;
            sha256_of(data, size, whole);
            sha256_start(&hash);
            sha256_add(&hash, data, cut);
            sha256_add(&hash, data + cut, size - cut);
            sha256_text(&hash, pieces);
            CHECK(strcmp(whole, pieces) == 0);
        }
}

int main(void)
{
    RUN(published_examples);
    RUN(a_million_letters);
    RUN(pieces_do_not_matter);
    return TEST_END();
}
