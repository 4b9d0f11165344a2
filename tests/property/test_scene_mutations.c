/* Damaged scenes: the fuzzer's entry with mutations of good scenes. Nothing may crash, every
 * refusal must carry a message, and every accepted scene must resolve to a fixed point. */
#include "test.h"

#include "../fuzz/fuzz_scene.c"
#include "base/random.h"

static const char *const seeds[] = {
    "examples/elastic/cantilever.json",
    "examples/elastic/twist.json",
    "examples/elastic/bounce.json",
};

static const char *const pieces[] = {"null",
                                     "true",
                                     "-1",
                                     "1e308",
                                     "\"all\"",
                                     "{}",
                                     "[]",
                                     "[[0,0,0],[1,1,1]]",
                                     "\"1e-3 l\"",
                                     "0.5",
                                     "{\"box\": {\"size\": [1, 1, 1]}}",
                                     "\n---\nbodies[0].fix.nodes.list=[1,2]\n",
                                     "\n---\ntime.steps=3\nmaterials.x.young=1\n",
                                     "\n---\nbodies[0].mesh.ball.radius=1\n",
                                     "\xc3\x28",
                                     ",",
                                     "\"",
                                     "}",
                                     "9999999999999999999999"};

/* One random change of the text: a byte, a cut, a piece put in the place of a value. */
static size_t mutate(char *text, size_t size, size_t room, random_state *r)
{
    if (size == 0) return size;
    size_t at = random_below(r, size);
    switch (random_below(r, 4)) {
    case 0: text[at] = (char)random_below(r, 256); return size;
    case 1: {
        size_t cut = 1 + random_below(r, 20);
        if (cut > size - at) cut = size - at;
        memmove(text + at, text + at + cut, size - at - cut);
        return size - cut;
    }
    default: {
        char *colon = memchr(text + at, ':', size - at);
        if (colon) at = (size_t)(colon - text) + 1;
        size_t end = at;
        while (end < size && !strchr(",}]", text[end])) end++;
        const char *piece = pieces[random_below(r, sizeof pieces / sizeof pieces[0])];
        size_t length = strlen(piece);
        if (size - (end - at) + length > room) return size;
        memmove(text + at + length, text + end, size - end);
        memcpy(text + at, piece, length);
        return size - (end - at) + length;
    }
    }
}

TEST(damaged_scenes)
{
    random_state r = {20};
    for (size_t s = 0; s < sizeof seeds / sizeof seeds[0]; s++) {
        file_bytes bytes;
        abut_error err;
        CHECK_OK(file_read(seeds[s], &bytes, &err), err);
        size_t room = bytes.size + 2000;
        char *text = mem_alloc(room, 1);
        for (int k = 0; k < 4000; k++) {
            memcpy(text, bytes.data, bytes.size);
            size_t size = bytes.size;
            for (int changes = 1 + (int)random_below(&r, 3); changes > 0; changes--)
                size = mutate(text, size, room, &r);
            CHECK(LLVMFuzzerTestOneInput((const uint8_t *)text, size) == 0);
        }
        mem_free(text);
        file_free(&bytes);
    }
}

TEST(overrides_by_the_fuzzer)
{
    static const char *const lines[] = {"time.steps=3",
                                        "bodies[0].fix.nodes.list=[1,2]",
                                        "bodies[0].mesh.ball.radius=1",
                                        "bodies[0].material.young=2",
                                        "ground=",
                                        "half_spaces[0].normal[1]=2",
                                        "a=b=c",
                                        "bodies[0].fix[0].motion[0].velocity[0]=1",
                                        "bodies[0].fix.nodes=all",
                                        "=",
                                        "[",
                                        "bodies[0].scale[0]=2",
                                        "output.formats[1]=obj",
                                        "bodies[0]=3",
                                        "bodies=4"};
    file_bytes bytes;
    abut_error err;
    CHECK_OK(file_read(seeds[0], &bytes, &err), err);
    char *text = mem_alloc(bytes.size + 2000, 1);
    size_t n = sizeof lines / sizeof lines[0];
    for (size_t i = 0; i < n * n; i++) {
        int size = snprintf(text, bytes.size + 2000, "%s\n---\n%s\n%s\n", bytes.data, lines[i / n],
                            lines[i % n]);
        CHECK(LLVMFuzzerTestOneInput((const uint8_t *)text, (size_t)size) == 0);
    }
    mem_free(text);
    file_free(&bytes);
}

int main(void)
{
    RUN(damaged_scenes);
    RUN(overrides_by_the_fuzzer);
    return TEST_END();
}
